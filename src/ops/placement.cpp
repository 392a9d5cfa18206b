#include "ops/placement.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "graph/graph.h"
#include "graph/make.h"
#include "graph/program.h"
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
  if (value.computed() || value.graph()->has_stand_ins()) return false;
  std::lock_guard lock(*value.graph());
  Value* target = &value;
  graph::Collected pending(*value.graph(), std::span(&target, 1));
  return !pending.runner() && std::ranges::none_of(pending.nodes(), [](const Node* node) {
    return needs_memory(*node);
  });
}

Ref<Value> remade(const Node& node, std::span<const Ref<Value>> made, Device& device) {
  std::vector<Operand> operands;
  for (int o = 0; o < node.operand_count; ++o) {
    const Operand& from = node.operands[o];
    Ref<Value> value;
    if (from.value) value = made[static_cast<std::size_t>(from.value->node()->mark)];
    operands.push_back(graph::reading_like(from, std::move(value)));
  }
  return graph::make(graph::draft_like(node), node.dtype(), node.shape(), device, operands);
}

// The same pending value, to be computed on another device.
Ref<Value> remade_on(Value& value, Device& device) {
  std::lock_guard lock(*value.graph());
  Value* target = &value;
  graph::Collected pending(*value.graph(), std::span(&target, 1));
  std::vector<Ref<Value>> made;
  for (const Node* node : pending.nodes()) made.push_back(remade(*node, made, device));
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
  if (value->graph() != &Graph::own() || !is_nowhere(*value)) return to_device(a, device);
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
