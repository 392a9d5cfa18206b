#include "ops/placement.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "graph/graph.h"
#include "graph/make.h"
#include "graph/program.h"
#include "graph/recorder.h"
#include "graph/storage.h"
#include "ops/creation.h"
#include "runtime/device.h"
#include <heddle/errors.h>

namespace heddle {

namespace {

bool needs_memory(const Node& node) {
  if (node.kind == NodeKind::update || node.kind == NodeKind::library) return true;
  for (int o = 0; o < node.operand_count; ++o) {
    const Value* operand = node.operands[o].value.get();
    if (operand && operand->computed()) return true;
  }
  return false;
}

bool is_nowhere(Value& value) {
  if (value.computed()) return false;
  if (value.graph()->has_stand_ins()) return graph::fill_of(value).has_value();
  std::lock_guard lock(*value.graph());
  Value* target = &value;
  graph::Collected pending(*value.graph(), std::span(&target, 1));
  return !pending.runner() && std::ranges::none_of(pending.nodes(), [](const Node* node) {
    return needs_memory(*node);
  });
}

// A node that is to be made again, and which of those before it its operands come from.
struct Copy {
  graph::Draft node;
  Dtype dtype;
  Shape shape;
  std::vector<Operand> operands;
  std::vector<std::int32_t> from;  // -1: a number
};

Copy copy_of(const Node& node) {
  Copy copy{graph::draft_like(node), node.dtype(), node.shape(), {}, {}};
  for (int o = 0; o < node.operand_count; ++o) {
    const Operand& operand = node.operands[o];
    copy.operands.push_back(graph::reading_like(operand, {}));
    copy.from.push_back(operand.value ? operand.value->node()->mark : -1);
  }
  return copy;
}

// The same pending value, to be computed on another device. The maker may evaluate what there is,
// so that nodes are gone before all of them have been made again.
Ref<Value> remade_on(Value& value, Device& device) {
  std::vector<Copy> copies;
  {
    std::lock_guard lock(*value.graph());
    Value* target = &value;
    graph::Collected pending(*value.graph(), std::span(&target, 1));
    for (const Node* node : pending.nodes()) copies.push_back(copy_of(*node));
  }
  std::vector<Ref<Value>> made;
  for (Copy& copy : copies) {
    for (std::size_t o = 0; o < copy.operands.size(); ++o) {
      if (copy.from[o] >= 0) copy.operands[o].value = made[static_cast<std::size_t>(copy.from[o])];
    }
    made.push_back(
        graph::make(std::move(copy.node), copy.dtype, copy.shape, device, copy.operands));
  }
  return made.back();
}

bool is_free(const array& a) {
  const Ref<Value> value = a.storage().value();
  return a.ndim() == 0 || !a.storage().placed || is_nowhere(*value);
}

}  // namespace

array on_device(const char* op, const array& a, Device& device) {
  if (&a.device() == &device) return a;
  if (!is_free(a)) {
    throw value_error(fmt::format(
        "{}: arrays are on different devices, {} and {}; move one with to_device(), .get() or "
        "asarray(..., device=...)",
        op, device.name(), a.device().name()));
  }
  const Ref<Value> value = a.storage().value();
  // Whoever records knows the value that is there: one that is made again would be another.
  if (Recorder::current() || value->graph() != &Graph::own() || !is_nowhere(*value)) {
    return to_device(a, device);
  }
  Ref<Storage> storage(new Storage(remade_on(*value, device)));
  storage->snapshot = a.storage().snapshot;
  return array(std::move(storage), a.layout(), a.dtype());
}

bool on_several_devices(std::span<const Input> inputs) {
  const Device* device = nullptr;
  for (const Input& input : inputs) {
    if (!input.has_storage()) continue;
    const Device* own = &input.array_->device();
    if (device && own != device) return true;
    device = own;
  }
  return false;
}

Device& common_device(const char* op, std::span<const Input> inputs) {
  if (!on_several_devices(inputs)) {
    auto any = std::ranges::find_if(inputs, [](const Input& one) { return one.has_storage(); });
    return any == inputs.end() ? default_device() : any->array_->device();
  }
  // Some have to stay where they are; of the others, arrays say more than numbers.
  Device *first = nullptr, *of_arrays = nullptr;
  for (const Input& input : inputs) {
    if (!input.has_storage()) continue;
    Device& device = input.array_->device();
    if (!is_free(*input.array_)) return device;
    if (!first) first = &device;
    if (!of_arrays && input.array_->ndim() > 0 && input.array_->storage().placed) {
      of_arrays = &device;
    }
  }
  return of_arrays ? *of_arrays : *first;
}

}  // namespace heddle
