#include "ops/factorisations.h"

#include <algorithm>
#include <bit>
#include <utility>
#include <vector>

#include "graph/batch.h"
#include "graph/copies.h"
#include "graph/make.h"
#include "graph/storage.h"
#include "ops/deferred.h"
#include "ops/elementwise.h"
#include "ops/matrices.h"
#include "runtime/device.h"

namespace heddle::factorisation {

namespace {

// What the routines want to know. Each uses some of it.
struct Task final : Parameters {
  Dtype dtype = Dtype::float64;
  std::int64_t count = 1;  // of matrices
  std::int64_t rows = 0, columns = 0;
  std::int64_t others = 0;  // right sides, or reflectors
  Triangle triangle = Triangle::lower;
  bool full = false, turned = false;
  double rcond = 0;

  void write_key(std::vector<std::uint64_t>& key) const override {
    using word = std::uint64_t;
    key.push_back(word(dtype) | word(triangle) << 8 | word(full) << 16 | word(turned) << 17);
    for (auto extent : {count, rows, columns, others}) key.push_back(static_cast<word>(extent));
    key.push_back(std::bit_cast<word>(rcond));
  }
};

// Of matrices by columns.
Task task_of(const array& a) {
  Task task;
  task.dtype = a.dtype();
  task.rows = a.shape(-1);
  task.columns = a.shape(-2);
  task.count = a.size() / (task.rows * task.columns);
  return task;
}

// A step while it runs. Memory for outputs is had before any operand is overwritten: where that
// fails, it can be tried again.
class Run {
 public:
  explicit Run(const LibraryCall& call)
      : task(call.node().parameters_as<Task>()),
        solvers(call.device().solvers()),
        batch{task.dtype, task.count, nullptr},
        call_(call) {}

  // Memory for output i; the routine wants it also where nobody else does.
  Ref<Buffer> output(int i, std::int64_t elements, Dtype dtype) const {
    auto made = memory(elements, dtype);
    if (call_.wants(i)) call_.give(i, made);
    return made;
  }
  // What becomes of each matrix is output i.
  void set_status(int i) { set_status(output(i, task.count, Dtype::int32)); }
  // It is known: only wrong arguments go wrong, or the results tell.
  void set_status() { set_status(memory(task.count, Dtype::int32)); }
  // An operand, to be overwritten. Between the matrices of a stack the routine may be interrupted,
  // or lack memory; for the next attempt they have to be what they were.
  Ref<Buffer> taken(int operand) const {
    if (task.count == 1) return call_.take(operand);
    auto copy = Buffer::allocate(call_.device(), call_.buffer(operand).bytes());
    graph::copy_all(call_.buffer(operand), *copy);
    return copy;
  }
  // The same where that is what output i is.
  Ref<Buffer> taken(int operand, int i) const {
    auto memory = taken(operand);
    if (call_.wants(i)) call_.give(i, memory);
    return memory;
  }

  const Task& task;
  Solvers& solvers;
  Batch batch;

 private:
  Ref<Buffer> memory(std::int64_t elements, Dtype dtype) const {
    return Buffer::allocate(call_.device(), static_cast<std::size_t>(elements * itemsize(dtype)));
  }
  void set_status(Ref<Buffer> memory) {
    status_ = std::move(memory);
    batch.status = status_.get();
  }

  const LibraryCall& call_;
  Ref<Buffer> status_;
};

// A struct of the outputs of a step, of which the operands are the matrices and maybe more.
template <class Results, std::size_t count>
Results outputs_of(const Primitive& primitive, Task task, const graph::OutputType (&types)[count],
                   const array& a, const array* b = nullptr) {
  Operand operands[2];
  operands[0] = reading(a);
  if (b) operands[1] = reading(*b);
  Ref<Value> values[count];
  graph::make_all(graph::draft(primitive, std::move(task)), types, a.device(),
                  std::span(operands, b ? 2 : 1), values);
  return [&]<std::size_t... i>(std::index_sequence<i...>) {
    return Results{deferred(std::move(values[i]), false)...};
  }(std::make_index_sequence<count>{});
}

graph::OutputType status_of(const array& a) { return {Dtype::int32, stack_of(a)}; }

// Stacks of matrices, of stacks: a batch is a longer one.
void batch_stacks(graph::Batch& step) {
  Task task = step.node().parameters_as<Task>();
  task.count *= step.rows();
  std::vector<array> memory;
  std::vector<Operand> operands;
  for (int i = 0; i < step.operand_count(); ++i) {
    const array given = step.spread(i);
    operands.push_back(reading(memory.emplace_back(dense(given, given.dtype()))));
  }
  memory.clear();
  std::vector<graph::OutputType> types;
  const auto outputs = step.output_count();
  for (int i = 0; i < outputs; ++i) {
    types.push_back(
        {step.dtype_of_output(i), graph::with_rows(step.rows(), step.shape_of_output(i))});
  }
  std::vector<Ref<Value>> made(types.size());
  Device& device = *operands[0].value->device;
  graph::make_all(graph::draft(*step.node().primitive, std::move(task)), types, device, operands,
                  made);
  for (int i = 0; i < outputs; ++i) {
    step.give(i, deferred(std::move(made[static_cast<std::size_t>(i)]), false));
  }
}

// Operands 0 and 1 are the matrices and the right sides. Outputs: x, status.
const Primitive solving = {
    "solve",
    [](LibraryCall& call) {
      Run run(call);
      run.set_status(1);
      auto x = run.taken(1, 0), a = run.taken(0);
      run.solvers.solve(run.batch, run.task.rows, run.task.others, *a, *x);
    },
    nullptr,
    batch_stacks,
};

// Outputs: inverses, status.
const Primitive inverting = {
    "inverse",
    [](LibraryCall& call) {
      Run run(call);
      run.set_status(1);
      auto a = run.taken(0, 0);
      run.solvers.inverse(run.batch, run.task.rows, *a);
    },
    nullptr,
    batch_stacks,
};

// Outputs: signs, logarithms.
const Primitive finding_determinants = {
    "determinants",
    [](LibraryCall& call) {
      Run run(call);
      run.set_status();
      auto signs = run.output(0, run.task.count, run.task.dtype);
      auto logarithms = run.output(1, run.task.count, real_type(run.task.dtype));
      auto a = run.taken(0);
      run.solvers.determinants(run.batch, run.task.rows, *a, *signs, *logarithms);
    },
    nullptr,
    batch_stacks,
};

// How pivots are numbered depends on how many matrices there are.
void batch_lu(graph::Batch& step) {
  const array given = step.operand(0);
  LU made = lu(dense(given, given.dtype()));
  step.give(0, std::move(made.factors));
  step.give(1, std::move(made.pivots));
}

// Outputs: factors, pivots.
const Primitive factoring_lu = {
    "lu",
    [](LibraryCall& call) {
      Run run(call);
      run.set_status();
      const auto count = run.task.count, rows = run.task.rows, columns = run.task.columns;
      auto pivots = run.output(1, count * std::min(rows, columns),
                               run.solvers.pivots_of(count, rows, columns));
      auto a = run.taken(0, 0);
      run.solvers.lu(run.batch, rows, columns, *a, *pivots);
    },
    nullptr,
    batch_lu,
};

// Operands 0 and 1 are the matrices, which keep what they have, and the right sides.
const Primitive solving_triangles = {
    "solve_triangular",
    [](LibraryCall& call) {
      Run run(call);
      run.set_status();
      auto x = run.taken(1, 0);
      run.solvers.triangular(run.batch, run.task.rows, run.task.others, run.task.triangle,
                             run.task.full, run.task.turned, call.buffer(0), *x);
    },
    nullptr,
    batch_stacks,
};

// Outputs: factors, status.
const Primitive factoring_cholesky = {
    "cholesky",
    [](LibraryCall& call) {
      Run run(call);
      run.set_status(1);
      auto a = run.taken(0, 0);
      run.solvers.cholesky(run.batch, run.task.rows, run.task.triangle, *a);
    },
    nullptr,
    batch_stacks,
};

// Outputs: factors, tau.
const Primitive factoring_qr = {
    "qr",
    [](LibraryCall& call) {
      Run run(call);
      run.set_status();
      const auto rows = run.task.rows, columns = run.task.columns;
      auto tau = run.output(1, run.task.count * std::min(rows, columns), run.task.dtype);
      auto a = run.taken(0, 0);
      run.solvers.qr(run.batch, rows, columns, *a, *tau);
    },
    nullptr,
    batch_stacks,
};

// Operands: reflectors, tau.
const Primitive forming_q = {
    "form_q",
    [](LibraryCall& call) {
      Run run(call);
      run.set_status();
      auto a = run.taken(0, 0);
      run.solvers.form_q(run.batch, run.task.rows, run.task.columns, run.task.others, *a,
                         call.buffer(1));
    },
    nullptr,
    batch_stacks,
};

// Outputs: s, u, right, status.
const Primitive decomposing = {
    "svd",
    [](LibraryCall& call) {
      Run run(call);
      run.set_status(3);
      const auto rows = run.task.rows, columns = run.task.columns, count = run.task.count;
      const auto shorter = std::min(rows, columns);
      auto s = run.output(0, count * shorter, real_type(run.task.dtype));
      Ref<Buffer> u, right;
      if (call.wants(1) || call.wants(2)) {
        const bool full = run.task.full;
        u = run.output(1, count * rows * (full ? rows : shorter), run.task.dtype);
        right = run.output(2, count * columns * (full ? columns : shorter), run.task.dtype);
      }
      auto a = run.taken(0);
      run.solvers.svd(run.batch, rows, columns, *a, *s, u.get(), right.get(), run.task.full);
    },
    nullptr,
    batch_stacks,
};

// Outputs: w, vectors, status.
const Primitive decomposing_hermitian = {
    "eigh",
    [](LibraryCall& call) {
      Run run(call);
      run.set_status(2);
      const auto n = run.task.rows;
      auto w = run.output(0, run.task.count * n, real_type(run.task.dtype));
      auto a = run.taken(0, 1);
      run.solvers.eigh(run.batch, n, run.task.triangle, *a, *w, call.wants(1));
    },
    nullptr,
    batch_stacks,
};

// Outputs: w, vectors, status.
const Primitive decomposing_any = {
    "eig",
    [](LibraryCall& call) {
      Run run(call);
      run.set_status(2);
      const auto n = run.task.rows, count = run.task.count;
      auto w = run.output(0, count * n, complex_type(run.task.dtype));
      Ref<Buffer> vectors;
      if (call.wants(1)) vectors = run.output(1, count * n * n, run.task.dtype);
      auto a = run.taken(0);
      run.solvers.eig(run.batch, n, *a, *w, vectors.get());
    },
    nullptr,
    batch_stacks,
};

// Operands 0 and 1 are the matrix and the right sides. Outputs: x, s, ranks, status.
const Primitive minimising = {
    "least_squares",
    [](LibraryCall& call) {
      Run run(call);
      run.set_status(3);
      const auto rows = run.task.rows, columns = run.task.columns;
      auto s = run.output(1, std::min(rows, columns), real_type(run.task.dtype));
      auto ranks = run.output(2, 1, Dtype::int64);
      auto x = run.taken(1, 0), a = run.taken(0);
      run.solvers.least_squares(run.batch, rows, columns, run.task.others, run.task.rcond, *a, *x,
                                *s, *ranks);
    },
};

}  // namespace

Solved solve(array a, array b) {
  Task task = task_of(a);
  task.others = b.size() / (task.count * task.rows);
  return outputs_of<Solved>(solving, task, {{b.dtype(), b.shape()}, status_of(a)}, a, &b);
}

Solved inverse(array a) {
  return outputs_of<Solved>(inverting, task_of(a), {{a.dtype(), a.shape()}, status_of(a)}, a);
}

Determinants determinants(array a) {
  const Dims stack = stack_of(a);
  return outputs_of<Determinants>(finding_determinants, task_of(a),
                                  {{a.dtype(), stack}, {real_type(a.dtype()), stack}}, a);
}

LU lu(array a) {
  const Task task = task_of(a);
  const auto shorter = std::min(task.rows, task.columns);
  const Dtype pivots = a.device().solvers().pivots_of(task.count, task.rows, task.columns);
  return outputs_of<LU>(factoring_lu, task,
                        {{a.dtype(), a.shape()}, {pivots, joined(stack_of(a), {shorter})}}, a);
}

array triangular(const array& a, array b, Triangle triangle, bool unit, bool turned) {
  Task task = task_of(a);
  task.others = b.size() / (task.count * task.rows);
  task.triangle = triangle;
  task.full = unit;
  task.turned = turned;
  return outputs_of<array>(solving_triangles, task, {{b.dtype(), b.shape()}}, a, &b);
}

Cholesky cholesky(array a, Triangle triangle) {
  Task task = task_of(a);
  task.triangle = triangle;
  return outputs_of<Cholesky>(factoring_cholesky, task, {{a.dtype(), a.shape()}, status_of(a)}, a);
}

QR qr(array a) {
  const Task task = task_of(a);
  const Dims tau = joined(stack_of(a), {std::min(task.rows, task.columns)});
  return outputs_of<QR>(factoring_qr, task, {{a.dtype(), a.shape()}, {a.dtype(), tau}}, a);
}

array form_q(array reflectors, const array& tau) {
  Task task = task_of(reflectors);
  task.others = tau.shape(-1);
  return outputs_of<array>(forming_q, task, {{reflectors.dtype(), reflectors.shape()}}, reflectors,
                           &tau);
}

SVD svd(array a, bool full) {
  Task task = task_of(a);
  task.full = full;
  const auto rows = task.rows, columns = task.columns, shorter = std::min(rows, columns);
  const Dims stack = stack_of(a);
  return outputs_of<SVD>(decomposing, task,
                         {{real_type(a.dtype()), joined(stack, {shorter})},
                          {a.dtype(), joined(stack, {full ? rows : shorter, rows})},
                          {a.dtype(), joined(stack, {columns, full ? columns : shorter})},
                          status_of(a)},
                         a);
}

Eigh eigh(array a, Triangle triangle) {
  Task task = task_of(a);
  task.triangle = triangle;
  const Dims values = joined(stack_of(a), {task.rows});
  return outputs_of<Eigh>(decomposing_hermitian, task,
                          {{real_type(a.dtype()), values}, {a.dtype(), a.shape()}, status_of(a)},
                          a);
}

Eig eig(array a) {
  const Task task = task_of(a);
  const Dims values = joined(stack_of(a), {task.rows});
  return outputs_of<Eig>(decomposing_any, task,
                         {{complex_type(a.dtype()), values}, {a.dtype(), a.shape()}, status_of(a)},
                         a);
}

LeastSquares least_squares(array a, array b, double rcond) {
  Task task = task_of(a);
  task.others = b.shape(-2);
  task.rcond = rcond;
  return outputs_of<LeastSquares>(minimising, task,
                                  {{b.dtype(), b.shape()},
                                   {real_type(a.dtype()), {std::min(task.rows, task.columns)}},
                                   {Dtype::int64, {1}},
                                   status_of(a)},
                                  a, &b);
}

}  // namespace heddle::factorisation
