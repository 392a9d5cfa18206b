#include "graph/numbers.h"

#include <algorithm>
#include <mutex>
#include <unordered_map>

#include "core/per_thread.h"
#include "graph/known_programs.h"
#include "graph/node_maker.h"
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
  // Null: nobody has made it yet.
  static const Made* known(std::uint64_t key) {
    // Loops use a few of them again and again.
    Recent& recent = PerThread<Recents>::own().all[key * 0x9e3779b97f4a7c15ull >> 58];
    if (recent.key == key && recent.made) return recent.made;
    std::lock_guard lock(mutex());
    const auto found = all().find(key);
    if (found == all().end()) return nullptr;
    recent = {key, &found->second};
    return recent.made;
  }

  // What is there already stays.
  static const Made& keep(std::uint64_t key, Made made) {
    std::lock_guard lock(mutex());
    return all().emplace(key, std::move(made)).first->second;
  }

 private:
  static std::mutex& mutex() {
    static auto* mutex = new std::mutex;
    return *mutex;
  }
  static std::unordered_map<std::uint64_t, Made>& all() {
    static auto* all = new std::unordered_map<std::uint64_t, Made>;
    return *all;
  }

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
  using Known = KnownSteps<Step>;
  if (const Step* known = Known::known(key)) return *known;
  return Known::keep(key, number_step(op, operands, result, cpu_device()));
}

}  // namespace

// How something is computed of few elements, for operands of some types and kinds of strides.
struct HostStep {
  Step step;
  // Whose memory each slot is: that of an operand, by its number, or the result's.
  static constexpr std::int8_t result = -1;
  std::vector<std::int8_t> slots;  // none: it is not this one kernel
};

namespace {

constexpr std::size_t most_slots = 4;

// Of the pending value that `record` makes, which walks over `extents`.
HostStep host_step(std::span<const std::int64_t> extents,
                   const std::function<Ref<Value>()>& record) {
  const SeparateGraph apart;
  const Ref<Value> pending = record();
  if (!pending || pending->computed()) return {};
  const auto program = graph::prepared_program_of(*pending);
  if (program->steps.size() != 1) return {};
  HostStep made{program->steps[0], {}};
  const Step& step = made.step;
  if (!std::ranges::equal(step.extents, extents) || step.slots.size() > most_slots ||
      step.scratch_bytes > 0) {
    return {};
  }
  for (const graph::SlotSource& source : step.slots) {
    using Kind = graph::SlotSource::Kind;
    if (source.kind == Kind::output) {
      made.slots.push_back(HostStep::result);
    } else if (source.kind == Kind::operand && source.node == 0) {
      made.slots.push_back(static_cast<std::int8_t>(source.operand));
    } else {
      return {};
    }
  }
  return made;
}

// Sums of products of broadcast numbers have arguments.
HostStep product_step(std::span<const std::int64_t> extents,
                      const std::function<Ref<Value>()>& record) {
  HostStep made = host_step(extents, [&]() -> Ref<Value> {
    Ref<Value> sum = record();
    // One of products that are memory already is none of what the operands are.
    const Node* node = sum->node();
    const bool of_products = node && node->operands[0].value && node->operands[0].value->node();
    return of_products ? std::move(sum) : Ref<Value>{};
  });
  return made.step.scalars.empty() ? made : HostStep{};
}

// What a kernel for a few elements depends on besides the operation: the types of the operands,
// whether their elements are neighbours, and which of them are the same.
std::uint64_t elements_key(Op op, Dtype result, std::span<const HostOperand> operands) {
  auto key = static_cast<std::uint64_t>(op) << 8 | static_cast<std::uint64_t>(result);
  for (std::size_t i = 0; i < operands.size(); ++i) {
    const HostOperand& operand = operands[i];
    const auto dtype = static_cast<std::uint64_t>(operand.number.dtype);
    std::uint64_t kind = 0;
    std::size_t same = i;
    if (operand.first) {
      kind = operand.stride == itemsize(operand.number.dtype) ? 1 : 2;
      for (same = 0; same < i; ++same) {
        const HostOperand& other = operands[same];
        if (other.first == operand.first && other.stride == operand.stride) break;
      }
    }
    key = key << 12 | dtype << 4 | kind << 2 | static_cast<std::uint64_t>(same);
  }
  return key << 2 | static_cast<std::uint64_t>(operands.size());
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
  constexpr std::uint64_t products = std::uint64_t{1} << 63;  // others have no such key
  auto key = static_cast<std::uint64_t>(dtype) << 8;
  key |= static_cast<std::uint64_t>(std::min(length, short_rows + 1));
  return products | key << 8 | kind(a.stride) << 4 | kind(b.stride) << 2 |
         static_cast<std::uint64_t>(same);
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
  const std::int64_t extents[] = {1, length};  // the only row, and what it is the sum of
  const auto key = product_key(dtype, length, a, b);
  const HostStep* known = KnownSteps<HostStep>::known(key);
  if (!known) known = &KnownSteps<HostStep>::keep(key, product_step(extents, record));
  if (known->slots.empty()) return false;
  void* pointers[most_slots] = {};
  std::int64_t strides[most_slots][2] = {};
  const auto count = known->slots.size();
  for (std::size_t i = 0; i < count; ++i) {
    const HostVector& vector = known->slots[i] == 1 ? b : a;
    const bool is_result = known->slots[i] == HostStep::result;
    pointers[i] = is_result ? to : vector.first;
    strides[i][1] = is_result ? 0 : vector.stride;
  }
  Launch launch = graph::launch_of(
      known->step,
      {.pointers = std::span(pointers, count), .scalars = {}, .buffers = {}, .overwrites = true});
  launch.strides = std::span(strides[0], 2 * count);
  launch.extents = extents;
  graph::launch_counted(launch, cpu_device());
  return true;
}

const HostStep* known_step(Op op, Dtype result, std::span<const HostOperand> operands) {
  return KnownSteps<HostStep>::known(elements_key(op, result, operands));
}

const HostStep& learn_step(Op op, Dtype result, std::int64_t length,
                           std::span<const HostOperand> operands,
                           const std::function<Ref<Value>()>& record) {
  const std::int64_t extents[] = {length};
  return KnownSteps<HostStep>::keep(elements_key(op, result, operands), host_step(extents, record));
}

Ref<Value> compute_elements(const HostStep& step, Dtype result, const Shape& shape,
                            std::span<const HostOperand> operands) {
  const auto count = step.slots.size();
  if (count == 0) return {};
  const std::int64_t length = size_of(shape);
  Ref<Buffer> buffer =
      Buffer::allocate(cpu_device(), static_cast<std::size_t>(length * itemsize(result)));
  void* pointers[most_slots];
  std::int64_t strides[most_slots];
  for (std::size_t i = 0; i < count; ++i) {
    const auto slot = step.slots[i];
    if (slot == HostStep::result) {
      pointers[i] = buffer->data();
      strides[i] = itemsize(result);
    } else {
      const HostOperand& memory = operands[static_cast<std::size_t>(slot)];
      pointers[i] = memory.first;
      strides[i] = memory.stride;
    }
  }
  kernel::ScalarBits scalars[max_inputs];
  std::size_t numbers = 0;
  for (const graph::ScalarSource& source : step.step.scalars) {
    scalars[numbers++] = source.node < 0
                             ? source.constant
                             : operands[static_cast<std::size_t>(source.operand)].number.bits;
  }
  Launch launch = graph::launch_of(step.step, {.pointers = std::span(pointers, count),
                                               .scalars = std::span(scalars, numbers),
                                               .buffers = {},
                                               .overwrites = true});
  launch.strides = std::span(strides, count);
  launch.extents = std::span(&length, 1);
  graph::launch_counted(launch, cpu_device());
  return NodeMaker::computed(result, shape, std::move(buffer));
}

}  // namespace heddle
