#include "graph/numbers.h"

#include <algorithm>
#include <mutex>
#include <unordered_map>

#include "core/per_thread.h"
#include "graph/known_programs.h"
#include "graph/separate_graph.h"
#include "graph/step_launch.h"
#include "runtime/device.h"

namespace heddle {

using graph::Step;

Step number_step(Op op, std::span<const Number> operands, Dtype result, Device& device) {
  Step step;
  kernel::Kernel& k = step.kernel;
  // One element, which does not move along the only dimension.
  k.slots = {{.dtype = result, .written = true, .lane = kernel::Stride::zero, .zero_dims = 1}};
  kernel::Instr computing{.op = op, .dtype = result, .level = kernel::Level::uniform};
  for (std::size_t i = 0; i < operands.size(); ++i) {
    const auto place = static_cast<std::uint16_t>(i);
    k.instrs.push_back({.op = Op::scalar,
                        .dtype = operands[i].dtype,
                        .level = kernel::Level::uniform,
                        .slot = place});
    step.scalars.push_back({0, static_cast<std::int32_t>(i), {}});
    computing.args[static_cast<int>(i)] = place;
  }
  const bool same = op == Op::cast && operands[0].dtype == result;
  if (!same) k.instrs.push_back(computing);
  const auto made = static_cast<std::uint16_t>(k.instrs.size() - 1);
  k.instrs.push_back(
      {.op = Op::store, .dtype = result, .level = kernel::Level::row, .args = {made}});
  k.scalars = static_cast<std::uint16_t>(operands.size());
  step.strides = {0};
  step.extents = {1};
  step.found = find_kernel(device, k);
  return step;
}

namespace {

// Steps by what they compute. Kept for good: there are as many as there are operations and types.
template <class Made>
class KnownSteps {
 public:
  template <class Make>
  static const Made& find(std::uint64_t key, Make make) {
    // Loops use a few of them again and again.
    Recent& recent = PerThread<Recents>::own().all[key * 0x9e3779b97f4a7c15ull >> 58];
    if (recent.key == key && recent.made) return *recent.made;
    static auto* mutex = new std::mutex;
    static auto* all = new std::unordered_map<std::uint64_t, Made>;
    const Made* made = nullptr;
    {
      std::lock_guard lock(*mutex);
      if (auto found = all->find(key); found != all->end()) made = &found->second;
    }
    if (!made) {
      Made fresh = make();
      std::lock_guard lock(*mutex);
      made = &all->emplace(key, std::move(fresh)).first->second;
    }
    recent = {key, made};
    return *made;
  }

 private:
  struct Recent {
    std::uint64_t key = 0;
    const Made* made = nullptr;
  };
  struct Recents {
    Recent all[64];
  };
};

const Step& step_of(Op op, std::span<const Number> operands, Dtype result) {
  auto key = static_cast<std::uint64_t>(op) << 8 | static_cast<std::uint64_t>(result);
  for (const Number& operand : operands) {
    key = key << 8 | (static_cast<std::uint64_t>(operand.dtype) + 1);
  }
  return KnownSteps<Step>::find(key,
                                [&] { return number_step(op, operands, result, cpu_device()); });
}

// How the sum of products is computed, for vectors of one type and kinds of strides.
struct ProductStep {
  Step step;
  // Whose memory each slot is: that of an operand of the product, or the result's.
  enum class Memory : std::uint8_t { first, second, result };
  std::vector<Memory> slots;  // none: it is not this one kernel
};

ProductStep product_step(std::int64_t length, const std::function<Ref<Value>()>& record) {
  const SeparateGraph apart;
  const Ref<Value> pending = record();
  // The sum of products that are memory already is none of what the operands are.
  const Node* sum = pending->computed() ? nullptr : pending->node();
  if (!sum || !sum->operands[0].value || sum->operands[0].value->computed()) return {};
  const auto program = graph::prepared_program_of(*pending);
  if (program->steps.size() != 1) return {};
  ProductStep made{program->steps[0], {}};
  const Step& step = made.step;
  // The only row, and what it is the sum of.
  const bool plain = step.extents == std::vector<std::int64_t>{1, length} && step.scalars.empty() &&
                     step.slots.size() <= 3;
  if (!plain) return {};
  for (const graph::SlotSource& source : step.slots) {
    using Kind = graph::SlotSource::Kind;
    using Memory = ProductStep::Memory;
    if (source.kind == Kind::output) {
      made.slots.push_back(Memory::result);
    } else if (source.kind == Kind::operand && source.node == 0) {
      made.slots.push_back(source.operand == 0 ? Memory::first : Memory::second);
    } else {
      return {};
    }
  }
  return made;
}

// Kernels are specialised on whether elements are neighbours, and those of short rows on their
// length.
std::uint64_t product_key(Dtype dtype, std::int64_t length, const HostVector& a,
                          const HostVector& b) {
  constexpr std::int64_t short_rows = 16;
  const auto size = static_cast<std::int64_t>(itemsize(dtype));
  const auto kind = [&](std::int64_t stride) {
    return static_cast<std::uint64_t>(stride == 0 ? 0 : stride == size ? 1 : 2);
  };
  const bool same = a.first == b.first && a.stride == b.stride;
  auto key = static_cast<std::uint64_t>(dtype) << 8;
  key |= static_cast<std::uint64_t>(std::min(length, short_rows + 1));
  return key << 8 | kind(a.stride) << 4 | kind(b.stride) << 2 | static_cast<std::uint64_t>(same);
}

}  // namespace

void compute_number(Op op, std::span<const Number> operands, Dtype result, void* to) {
  const Step& step = step_of(op, operands, result);
  kernel::ScalarBits scalars[max_inputs];
  std::size_t count = 0;
  for (const auto& source : step.scalars) {
    scalars[count++] = operands[static_cast<std::size_t>(source.operand)].bits;
  }
  cpu_device().launch(graph::launch_of(step, {.pointers = std::span(&to, 1),
                                              .scalars = std::span(scalars, count),
                                              .buffers = {},
                                              .overwrites = true}));
}

bool compute_product(Dtype dtype, std::int64_t length, const HostVector& a, const HostVector& b,
                     const std::function<Ref<Value>()>& record, void* to) {
  const ProductStep& known = KnownSteps<ProductStep>::find(
      product_key(dtype, length, a, b), [&] { return product_step(length, record); });
  if (known.slots.empty()) return false;
  void* pointers[3] = {};
  std::int64_t strides[3][2] = {};
  const std::int64_t extents[] = {1, length};
  const auto count = known.slots.size();
  for (std::size_t i = 0; i < count; ++i) {
    using Memory = ProductStep::Memory;
    const HostVector& vector = known.slots[i] == Memory::second ? b : a;
    const bool is_result = known.slots[i] == Memory::result;
    pointers[i] = is_result ? to : vector.first;
    strides[i][1] = is_result ? 0 : vector.stride;
  }
  Launch launch = graph::launch_of(
      known.step,
      {.pointers = std::span(pointers, count), .scalars = {}, .buffers = {}, .overwrites = true});
  launch.strides = std::span(strides[0], 2 * count);
  launch.extents = extents;
  graph::launch_counted(launch, cpu_device());
  return true;
}

}  // namespace heddle
