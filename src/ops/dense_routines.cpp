#include "ops/dense_routines.h"

#include <algorithm>
#include <span>
#include <utility>

#include "graph/batch.h"
#include "graph/copies.h"
#include "graph/make.h"
#include "graph/storage.h"
#include "ops/deferred.h"
#include "ops/elementwise.h"
#include "ops/matrices.h"
#include "runtime/device.h"
#include <heddle/errors.h>

namespace heddle {

namespace {

// Results in memory of their own: what their elements are, and how many for a matrix.
enum class ResultElements : std::uint8_t { matrices, complex, real, integers };
enum class Count : std::uint8_t { square, columns, shorter, one };
struct Made {
  ResultElements elements;
  Count count;
};

// How many operands are overwritten, and what else is made.
struct Signature {
  std::size_t taken;
  std::vector<Made> made;
};

const Signature& signature_of(DenseRoutine routine) {
  constexpr Made square{ResultElements::matrices, Count::square};
  constexpr Made values{ResultElements::complex, Count::columns};
  constexpr Made beta{ResultElements::matrices, Count::columns};
  constexpr Made indices{ResultElements::integers, Count::columns};
  static const auto* all = new std::vector<Signature>{
      {1, {square}},                                               // hessenberg
      {1, {square, values}},                                       // schur
      {2, {values}},                                               // reorder_schur
      {2, {square, square, values, beta}},                         // generalised_schur
      {4, {values, beta}},                                         // reorder_generalised
      {2, {values, beta, square, square}},                         // generalised_eig
      {1, {values, square, square}},                               // two_sided_eig
      {1, {indices}},                                              // indefinite
      {1, {{ResultElements::matrices, Count::shorter}, indices}},  // pivoted_qr
      {1, {{ResultElements::real, Count::one}}},                   // sylvester
  };
  return (*all)[static_cast<std::size_t>(routine)];
}

struct Task final : Parameters {
  DenseRoutine routine = DenseRoutine::schur;
  Dtype dtype = Dtype::float64;
  std::int64_t count = 1, rows = 0, columns = 0;
  bool lower = false, hermitian = false;

  void write_key(std::vector<std::uint64_t>& key) const override {
    using word = std::uint64_t;
    key.push_back(word(routine) | word(dtype) << 8 | word(lower) << 16 | word(hermitian) << 17);
    for (auto extent : {count, rows, columns}) key.push_back(static_cast<word>(extent));
  }

  Dtype dtype_of(Made what) const {
    switch (what.elements) {
      case ResultElements::complex:
        return complex_type(dtype);
      case ResultElements::real:
        return real_type(dtype);
      case ResultElements::integers:
        return Dtype::int64;
      default:
        return dtype;
    }
  }
  Dims shape_of(Made what, const Dims& stack) const {
    switch (what.count) {
      case Count::square:
        return joined(stack, {columns, columns});
      case Count::columns:
        return joined(stack, {columns});
      case Count::shorter:
        return joined(stack, {std::min(rows, columns)});
      default:
        return joined(stack, {1});
    }
  }
};

// Memory for all outputs is had before an operand is overwritten, so that it can be tried again
// where that fails.
void run(LibraryCall& call) {
  const auto& task = call.node().parameters_as<Task>();
  const Signature& signature = signature_of(task.routine);
  std::vector<Ref<Buffer>> kept;
  auto fresh = [&](std::size_t output, std::int64_t elements, Dtype dtype) {
    auto memory =
        Buffer::allocate(call.device(), static_cast<std::size_t>(elements * itemsize(dtype)));
    const auto i = static_cast<int>(output);
    if (call.wants(i)) call.give(i, memory);
    kept.push_back(memory);
    return memory.get();
  };
  const auto outputs = signature.taken + signature.made.size();
  Buffer* status = fresh(outputs, task.count, Dtype::int32);
  std::vector<Buffer*> taken, read, made;
  for (std::size_t i = 0; i < signature.made.size(); ++i) {
    const Dims shape = task.shape_of(signature.made[i], {task.count});
    made.push_back(fresh(signature.taken + i, size_of(shape), task.dtype_of(signature.made[i])));
  }
  for (std::size_t i = 0; i < signature.taken; ++i) {
    const auto operand = static_cast<int>(i);
    Ref<Buffer> memory;
    if (task.count == 1) {
      memory = call.take(operand);
    } else {  // between matrices it may be interrupted
      memory = Buffer::allocate(call.device(), call.buffer(operand).bytes());
      graph::copy_all(call.buffer(operand), *memory);
    }
    if (call.wants(operand)) call.give(operand, memory);
    taken.push_back(memory.get());
    kept.push_back(std::move(memory));
  }
  for (auto i = signature.taken; i < static_cast<std::size_t>(call.node().operand_count); ++i) {
    read.push_back(&call.buffer(static_cast<int>(i)));
  }
  DenseCall what;
  what.routine = task.routine;
  what.batch = {task.dtype, task.count, status};
  what.rows = task.rows;
  what.columns = task.columns;
  what.lower = task.lower;
  what.hermitian = task.hermitian;
  what.taken = taken;
  what.read = read;
  what.made = made;
  call.device().solvers().routines()->run(what);
}

void batch(graph::Batch& step) {
  const auto& task = step.node().parameters_as<Task>();
  std::vector<array> given;
  for (int i = 0; i < step.operand_count(); ++i) given.push_back(step.spread(i));
  const auto made = dense_routine(task.routine, given, task.lower, task.hermitian);
  for (int i = 0; i < step.output_count(); ++i) step.give(i, made[static_cast<std::size_t>(i)]);
}

const Primitive factoring = {"lapack", run, nullptr, batch};

}  // namespace

bool has_dense_routines(Device& device) { return device.solvers().routines() != nullptr; }

std::vector<array> dense_routine(DenseRoutine routine, const std::vector<array>& given, bool lower,
                                 bool hermitian) {
  const Signature& signature = signature_of(routine);
  if (given.size() < signature.taken) throw value_error("lapack: operands are missing");
  const array& first = given[0];
  Device& device = first.device();
  if (!has_dense_routines(device)) throw type_error("lapack: not on this device");
  Task task;
  task.routine = routine;
  task.dtype = device.solvers().computes_in(first.dtype());
  task.rows = first.shape(-1);
  task.columns = first.shape(-2);
  task.count = first.size() / std::max<std::int64_t>(task.rows * task.columns, 1);
  task.lower = lower;
  task.hermitian = hermitian;
  const Dims stack = stack_of(first);
  std::vector<array> memory;
  std::vector<Operand> operands;
  for (const array& each : given) {
    const Dtype dtype = is_integer(each.dtype()) ? Dtype::int64 : task.dtype;
    operands.push_back(reading(memory.emplace_back(dense(each, dtype))));
  }
  std::vector<graph::OutputType> types;
  for (std::size_t i = 0; i < signature.taken; ++i) types.push_back({task.dtype, given[i].shape()});
  for (const Made& what : signature.made) {
    types.push_back({task.dtype_of(what), task.shape_of(what, stack)});
  }
  types.push_back({Dtype::int32, stack});
  memory.clear();
  std::vector<Ref<Value>> values(types.size());
  graph::make_all(graph::draft(factoring, std::move(task)), types, device, operands, values);
  std::vector<array> made;
  for (auto& value : values) made.push_back(deferred(std::move(value), false));
  return made;
}

}  // namespace heddle
