// Makes heddle.pack: the kernels of ordinary first steps (every ufunc on plain arrays and with a
// scalar, casts, copies, fills, reductions), compiled ahead for the CPUs people have, and fewer of
// them for GPUs.
//
// The kernels come from the engine itself: arrays live on a device that notes which kernels it is
// asked for and runs none, so what is noted is what a user's process will look for.
#include "kernel/pack.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "backend/cpu/compiler.h"
#include "backend/cuda/grid_plan.h"
#include "backend/cuda/search.h"
#include "graph/numbers.h"
#include "kernel/op_cost.h"
#include "kernel/schedule.h"
#include "ops/creation.h"
#include "ops/elementwise.h"
#include "ops/indexing.h"
#include "ops/random.h"
#include "ops/reduction.h"
#include "ops/write.h"
#include "runtime/compaction.h"
#include "runtime/device.h"
#include "runtime/parallel.h"
#include <heddle/array.h>
#include <heddle/errors.h>

namespace heddle {
namespace {

class UntouchedPool final : public MemoryPool {
 protected:
  // Zeros: valid as indices.
  void* system_allocate(std::size_t bytes) override { return std::calloc(bytes, 1); }
  void system_release(void* pointer, std::size_t) override { std::free(pointer); }
  std::string what() const override { return "memory"; }
};

class RecordingDevice final : public Device {
 public:
  std::string name() const override { return "recorder"; }
  MemoryPool& pool() override { return pool_; }
  explicit RecordingDevice(const cuda::Gpu* gpu = nullptr) : gpu_(gpu) {}  // null: the CPU
  bool host_accessible() const override { return gpu_ == nullptr; }
  Preferences preferences() const override { return gpu_ ? cuda::gpu_preferences : Preferences{}; }
  void synchronize() override {}
  // On a GPU the launch decides which variant of a kernel it needs.
  void launch(const Launch& launch) override {
    if (!gpu_ || std::find(launch.extents.begin(), launch.extents.end(), 0) != launch.extents.end())
      return;
    auto& code = codes_[launch.kernel];
    if (!code) code = std::make_unique<cuda::GridKernel>(*launch.kernel, *gpu_);
    const kernel::GridVariant variant = cuda::plan_launch(launch, *code).variant;
    variants.try_emplace(kernel::serialize(*launch.kernel) + serialize(variant), *launch.kernel,
                         variant);
  }
  void matmul(const Matmul&) override {}
  void copy_to_host(void*, Buffer&, std::size_t, std::size_t) override {}
  void copy_from_host(Buffer&, std::size_t, const void*, std::size_t) override {}
  Compaction& compaction() override { return compaction_; }

  std::unique_ptr<const CompiledKernel> compile(const kernel::Kernel& kernel) override {
    kernels.push_back(kernel);
    return std::make_unique<CompiledKernel>();
  }

  std::vector<kernel::Kernel> kernels;
  std::map<std::string, std::pair<kernel::Kernel, kernel::GridVariant>> variants;

 private:
  // All of it.
  class Everything final : public Compaction {
   public:
    explicit Everything(Device& device) : device_(device) {}
    Ref<Buffer> nonzero(const Run& mask, std::int64_t size) override {
      return select(mask, mask, sizeof(std::int64_t), size);
    }
    Ref<Buffer> select(const Run&, const Run&, int width, std::int64_t size) override {
      return Buffer::allocate(device_, static_cast<std::size_t>(size * width));
    }
    Ref<Buffer> expand(const Run& mask, const Run& values, int width, std::int64_t size) override {
      return select(mask, values, width, size);
    }

   private:
    Device& device_;
  };

  const cuda::Gpu* gpu_;
  std::map<const kernel::Kernel*, std::unique_ptr<cuda::GridKernel>> codes_;
  UntouchedPool pool_;
  Everything compaction_{*this};
};

RecordingDevice*& active() {
  static RecordingDevice* device = new RecordingDevice;
  return device;
}
RecordingDevice& recorder() { return *active(); }

constexpr Dtype common_types[] = {Dtype::bool_, Dtype::uint8,   Dtype::int32,
                                  Dtype::int64, Dtype::float32, Dtype::float64};

bool is_common(Dtype dtype) {
  for (Dtype common : common_types) {
    if (dtype == common) return true;
  }
  return false;
}

std::vector<Dtype> all_types() {
  std::vector<Dtype> types;
  for (int t = 0; t < dtype_count; ++t) types.push_back(static_cast<Dtype>(t));
  return types;
}

array data(const Dims& shape, Dtype dtype) { return empty(shape, dtype, recorder()); }
array vector(Dtype dtype) { return data({1000}, dtype); }
array large_vector(Dtype dtype) { return data({34 << 20}, dtype); }  // its results are streamed
array matrix(Dtype dtype) { return data({100, 60}, dtype); }

// A Python number that keeps the type of an array beside it.
Scalar weak(Dtype dtype) {
  if (dtype == Dtype::bool_) return Scalar(true);
  if (is_integer(dtype)) return Scalar(std::int64_t{2});
  return is_complex(dtype) ? Scalar(std::complex<double>(2.0, 1.0)) : Scalar(2.0);
}

// Operations that people combine with numbers: those written as operators, and the larger and the
// smaller of two.
bool is_operator(Op op) {
  const Identity identity = info(op).identity;
  return info(op).symbol || identity == Identity::lowest || identity == Identity::highest;
}

bool takes_floats(Op op) { return loop_type(op, Dtype::float64) == Dtype::float64; }

// What first steps do with rows and columns beside a matrix: operators whose results are of their
// operands' type, and which take no longer than a division.
bool is_arithmetic(Op op) {
  return info(op).symbol && info(op).result == Result::same && takes_floats(op) &&
         kernel::op_cost(op) <= kernel::op_cost(Op::divide);
}

// What they sum up, and so on; any and all are over truth values.
bool is_reduced(Op op) {
  return is_operator(op) && info(op).identity != Identity::none && takes_floats(op);
}
bool is_any_or_all(Op op) {
  return is_logical(op) && (info(op).truth == Truth::any || info(op).truth == Truth::all);
}

// What makes a number of random words alone.
bool is_drawn(Op op) {
  return info(op).types == Types::words && info(op).result == Result::fraction &&
         info(op).inputs == 1;
}

template <class Wanted>
std::vector<Op> rows_where(const Wanted& wanted) {
  std::vector<Op> ops;
  for (int row = 0; row < table_ops; ++row) {
    if (wanted(static_cast<Op>(row))) ops.push_back(static_cast<Op>(row));
  }
  return ops;
}

#define HEDDLE_PACK_OP(op) Op::op,
constexpr Op structural_ops[] = {HEDDLE_STRUCTURAL_OPS(HEDDLE_PACK_OP)};
#undef HEDDLE_PACK_OP

// The operations that users find by name, but for functions that few need.
std::vector<Op> public_ops() {
  return rows_where([](Op op) { return is_public(op) && info(op).cost != Cost::routine; });
}

void apply(Op op, std::initializer_list<Input> inputs) { elementwise(op, inputs).eval(); }

void add_ufunc(Op op, Dtype dtype) {
  if (info(op).linked && is_complex(dtype)) return;
  const array a = vector(dtype), b = vector(dtype);
  const Input one[] = {a};
  const Input two[] = {a, b};
  const std::span<const Input> inputs = info(op).inputs == 1 ? std::span<const Input>(one) : two;
  const Resolution types = [&] {
    try {
      return resolve(op, inputs);
    } catch (const type_error&) {
      return Resolution{Dtype::bool_, Dtype::bool_};
    }
  }();
  const bool direct = loop_type(op, dtype) == dtype && types.compute == dtype;
  // Integers in a function of floats: those that people have.
  if (!direct && (!is_common(dtype) || types.compute == Dtype::bool_)) return;
  if (info(op).takes[1] == Takes::exponent) return apply(op, {a, vector(Dtype::int32)});
  if (info(op).inputs == 1) {
    if (is_common(dtype)) apply(op, {large_vector(dtype)});
    return apply(op, {a});
  }
  apply(op, {a, b});
  if (is_common(dtype) && is_operator(op)) apply(op, {large_vector(dtype), large_vector(dtype)});
  if (info(op).widens) apply(op, {a, a});  // what sums are made of, x + x and x * x
  if (!is_common(dtype) && !is_operator(op)) return;
  if (!direct && !info(op).float64_of_others) return;
  const Scalar number = weak(dtype);
  apply(op, {a, number});
  apply(op, {number, a});
  if (is_common(dtype) && is_operator(op)) apply(op, {large_vector(dtype), number});
}

void add_ufuncs() {
  for (Op op : public_ops()) {
    for (Dtype dtype : all_types()) add_ufunc(op, dtype);
  }
  for (Dtype dtype : {Dtype::float32, Dtype::float64}) {
#define HEDDLE_PACK_PAIR(name, first, second, inputs, doc) \
  if (inputs == 1) {                                       \
    apply(Op::first, {vector(dtype)});                     \
    apply(Op::second, {vector(dtype)});                    \
  }
    HEDDLE_UFUNC_PAIRS(HEDDLE_PACK_PAIR)
#undef HEDDLE_PACK_PAIR
  }
}

// Rows and columns beside a matrix.
void add_broadcasts() {
  for (Dtype dtype : {Dtype::int64, Dtype::float32, Dtype::float64}) {
    for (Op op : public_ops()) {
      if (!is_arithmetic(op)) continue;
      apply(op, {matrix(dtype), data({60}, dtype)});
      apply(op, {data({60}, dtype), matrix(dtype)});
      apply(op, {matrix(dtype), data({100, 1}, dtype)});
      apply(op, {data({100, 1}, dtype), data({60}, dtype)});
    }
  }
}

void add_copies() {
  index_along({1000}, 0, recorder()).eval();
  for (Dtype from : all_types()) {
    for (Dtype to : all_types()) cast(vector(from), to).eval();
    cast(large_vector(from), from).eval();
    full({1000}, weak(from), from, recorder()).eval();
    full({34 << 20}, weak(from), from, recorder()).eval();
    const array long_vector = data({2000}, from);
    cast(long_vector.slice(0, {std::nullopt, std::nullopt, 2}), from).eval();
    cast(long_vector.slice(0, {std::nullopt, std::nullopt, -1}), from).eval();
    cast(matrix(from).slice(1, {1, -1}), from).eval();
    dense(matrix(from).T(), from).eval();
  }
}

// Single numbers of the common types: conversions, operators and simple functions.
void add_numbers() {
  for (Dtype dtype : common_types) {
    const Number numbers[] = {{dtype, {}}, {dtype, {}}};
    for (Dtype to : common_types) {
      number_step(Op::cast, std::span(numbers, 1), to, recorder());
    }
    for (Op op : public_ops()) {
      const std::size_t count = info(op).inputs;
      const bool simple =
          count == 2 ? is_operator(op) : kernel::op_cost(op) <= kernel::op_cost(Op::sqrt);
      if (!simple || loop_type(op, dtype) != dtype) continue;
      number_step(op, std::span(numbers, count), result_type(op, dtype), recorder());
    }
  }
}

void add_assignments() {
  for (Dtype dtype : all_types()) {
    auto number = [&] { return full({}, weak(dtype), dtype, recorder()); };
    write(vector(dtype).slice(0, {1, -1}), number());
    write(matrix(dtype).slice(1, {1, -1}), number());
    write(vector(dtype).slice(0, {1, -1}), data({998}, dtype));
    write(matrix(dtype).slice(1, {1, -1}), data({100, 58}, dtype));
    write_where(vector(dtype), number(), vector(Dtype::bool_));
  }
}

array compared(Op op, const array& a, Dtype dtype) {
  const Scalar number = weak(dtype);
  return elementwise(op, {a, number});
}

void add_selections() {
  for (Dtype dtype : common_types) {
    const array a = vector(dtype), b = vector(dtype), mask = vector(Dtype::bool_);
    const Scalar number = weak(dtype);
    for (const array& condition :
         {mask, compared(Op::greater, a, dtype), compared(Op::less, a, dtype),
          elementwise(Op::greater, {a, b})}) {
      apply(Op::select, {condition, a, b});
      apply(Op::select, {condition, a, number});
      apply(Op::select, {condition, number, a});
    }
    elementwise(Op::minimum, {elementwise(Op::maximum, {a, number}), number}).eval();
    for (const array& condition : {mask, compared(Op::greater, a, dtype)}) {
      IndexItem item = index_item(condition);
      get_item(a, std::span(&item, 1)).eval();
    }
    for (const array& source : {a, matrix(dtype)}) {
      IndexItem item = index_item(data({10}, Dtype::int64));
      get_item(source, std::span(&item, 1)).eval();
    }
  }
}

// Over everything, short and long, and over the first and the last axis.
template <class Reduction>
void over_axes(Dtype dtype, const Reduction& reduction) {
  reduction(vector(dtype), 1).eval();
  reduction(data({1 << 20}, dtype), 1).eval();
  reduction(matrix(dtype), 1).eval();
  reduction(matrix(dtype), 2).eval();
}

void add_reductions() {
  for (Dtype dtype : all_types()) {
    auto plain = [&](Op op) {
      over_axes(dtype, [&](const array& a, std::uint64_t axes) {
        const array source = info(op).result == Result::boolean ? cast(a, Dtype::bool_) : a;
        return reduce(op, source, axes, false, reduction_type(op, dtype));
      });
    };
    for (Op op : public_ops()) {
      if (is_reduced(op)) plain(op);
    }
    for (Op op : rows_where(is_any_or_all)) plain(op);
    for (Op op : structural_ops) {
      if (!kernel::is_extreme(op)) continue;
      over_axes(dtype,
                [&](const array& a, std::uint64_t axes) { return arg_reduce(op, a, axes, false); });
    }
    over_axes(dtype, [&](const array& a, std::uint64_t axes) {
      const Dtype compute = is_inexact(dtype) ? dtype : Dtype::float64;
      const array total = reduce(Op::add, a, axes, false, compute);
      return elementwise(Op::divide, {total, Scalar(1000.0)});
    });
    scan(Op::add, vector(dtype), 0, reduction_type(Op::add, dtype)).eval();
  }
}

// Variance and standard deviation, as the Python package composes them.
void add_deviations() {
  for (Dtype dtype : {Dtype::int64, Dtype::float32, Dtype::float64}) {
    const Dtype compute = is_inexact(dtype) ? dtype : Dtype::float64;
    const Scalar count(1000.0);
    auto variance = [&](const array& given, std::uint64_t axes) {
      const array a = dtype == compute ? given : cast(given, compute);
      const array total = reduce(Op::add, given, axes, true, compute);
      const array from = elementwise(Op::subtract, {a, elementwise(Op::divide, {total, count})});
      const array squares = elementwise(Op::multiply, {from, from});
      const array sum = reduce(Op::add, squares, axes, false, compute);
      return elementwise(Op::divide, {sum, count});
    };
    over_axes(dtype, variance);
    over_axes(dtype, [&](const array& a, std::uint64_t axes) {
      return elementwise(Op::sqrt, {variance(a, axes)});
    });
  }
}

// Uniform and normal numbers, as heddle.random makes them.
void add_random() {
  const RandomStream stream{{1, 2}, {1, 0, 0, 0}};
  const Scalar number(1.0);
  for (Dtype dtype : {Dtype::uint64, Dtype::uint32}) {
    for (const Dims& shape : {Dims{1000}, Dims{34 << 20}, Dims{}}) {
      random_words(stream, shape, dtype, recorder()).eval();
      for (Op op : rows_where(is_drawn)) {
        auto drawn = [&] {
          return elementwise(op, {random_words(stream, shape, dtype, recorder())});
        };
        drawn().eval();
        if (dtype == Dtype::uint64)
          elementwise(Op::add, {number, elementwise(Op::multiply, {number, drawn()})}).eval();
      }
    }
  }
}

// --- GPUs ---

// Every ufunc on the types that people compute with, operators also with numbers.
void add_gpu_ufunc(Op op, Dtype dtype) {
  if (loop_type(op, dtype) != dtype || !has_equal_operands(op) || info(op).linked) return;
  const array a = vector(dtype), b = vector(dtype);
  if (info(op).inputs == 1) return apply(op, {a});
  apply(op, {a, b});
  if (!is_operator(op)) return;
  const Scalar number = weak(dtype);
  apply(op, {a, number});
  apply(op, {number, a});
}

void add_gpu_kernels() {
  constexpr Dtype types[] = {Dtype::bool_, Dtype::int64, Dtype::float32, Dtype::float64};
  for (Dtype dtype : types) {
    for (Op op : public_ops()) add_gpu_ufunc(op, dtype);
    for (Dtype to : types) cast(vector(dtype), to).eval();
    full({1000}, weak(dtype), dtype, recorder()).eval();
    dense(matrix(dtype).T(), dtype).eval();
    for (Op op : public_ops()) {
      if (dtype == Dtype::bool_ || !is_reduced(op)) continue;
      over_axes(dtype, [&](const array& a, std::uint64_t axes) {
        return reduce(op, a, axes, false, reduction_type(op, dtype));
      });
    }
  }
  index_along({1000}, 0, recorder()).eval();
  add_broadcasts();
  add_random();
}

// Adds what is compiled for GPUs of a capability; false where nothing can be.
bool add_gpu(int capability, std::map<CacheKey, std::string>& objects) {
  const cuda::Gpu gpu = cuda::usual_gpu(capability);
  active() = new RecordingDevice(&gpu);
  add_gpu_kernels();
  std::vector<std::pair<kernel::Kernel, kernel::GridVariant>> wanted;
  for (const auto& [text, one] : recorder().variants) wanted.push_back(one);
  std::mutex mutex;
  bool complete = true;
  parallel_for(static_cast<std::int64_t>(wanted.size()), false, [&](std::int64_t i) {
    const auto& [kernel, variant] = wanted[static_cast<std::size_t>(i)];
    auto built = cuda::prebuild(kernel, variant, capability);
    const std::lock_guard lock(mutex);
    if (!built) {
      complete = false;
    } else {
      objects[built->key] = std::move(built->cubin);
    }
  });
  std::printf("%zu kernels for GPUs of compute capability %d.%d%s\n", wanted.size(), gpu.major,
              gpu.minor, complete ? "" : ": none, there is no nvJitLink that knows them");
  return complete;
}

int run(const char* path, const std::vector<int>& capabilities) {
  add_ufuncs();
  add_broadcasts();
  add_copies();
  add_numbers();
  add_assignments();
  add_selections();
  add_deviations();
  add_reductions();
  add_random();
  const auto& kernels = recorder().kernels;
  auto objects = cpu::prebuild(kernels, {cpu::make_target(cpu::CpuLevel::v3, true),
                                         cpu::make_target(cpu::CpuLevel::v4, true)});
  std::printf("%zu kernels for two kinds of CPUs\n", kernels.size());
  if (!capabilities.empty() && cuda::find_libdevice().empty()) {
    std::printf("no kernels for GPUs: there is no libdevice\n");
  } else {
    for (const int capability : capabilities) add_gpu(capability, objects);
  }
  kernel::write_pack_file(path, objects);
  return 0;
}

}  // namespace
}  // namespace heddle

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: heddle_pack FILE [COMPUTE_CAPABILITY...]\n");
    return 2;
  }
  try {
    std::vector<int> capabilities;
    for (int i = 2; i < argc; ++i) capabilities.push_back(std::stoi(argv[i]));
    return heddle::run(argv[1], capabilities);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "heddle_pack: %s\n", error.what());
    return 1;
  }
}
