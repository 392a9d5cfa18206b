#include "graph/script.h"

#include <algorithm>
#include <optional>

#include "graph/node_facts.h"
#include "graph/recorder.h"
#include "runtime/device.h"

namespace heddle::graph {

std::vector<std::byte> elements_of(const Value& value) {
  std::vector<std::byte> made(std::min(bytes_of(value), value.buffer()->bytes()));
  if (!made.empty()) value.device->copy_to_host(made.data(), *value.buffer(), 0, made.size());
  return made;
}

bool is_foreign(const Value& value) { return value.buffer()->foreign(); }

Ref<Value> value_of(Dtype dtype, const Shape& shape, Device& device,
                    std::span<const std::byte> elements) {
  auto buffer = Buffer::allocate(device, elements.size());
  if (!elements.empty()) device.copy_from_host(*buffer, 0, elements.data(), elements.size());
  return Value::with_buffer(dtype, shape, std::move(buffer));
}

std::vector<Operand> ScriptStep::operands_of(std::span<const Ref<Value>> by_number) const {
  std::vector<Operand> made;
  made.reserve(operands.size());
  for (std::size_t o = 0; o < operands.size(); ++o) {
    const auto value = values[o];
    made.push_back(reading_like(operands[o],
                                value < 0 ? nullptr : by_number[static_cast<std::size_t>(value)]));
  }
  return made;
}

void ScriptStep::make(std::span<Operand> with, std::span<Ref<Value>> made) const {
  Draft again = draft_like(*node);
  again->in_place = false;
  std::optional<Constant> unheard;
  if (constant) unheard.emplace();
  make_all(std::move(again), types, *device, with, made);
}

namespace {

bool same_target(const Node& a, const Node& b) {
  return a.target && b.target ? *a.target == *b.target : !a.target && !b.target;
}

std::vector<std::uint64_t> key_of(const Node& node) {
  std::vector<std::uint64_t> key;
  if (node.parameters) node.parameters->write_key(key);
  return key;
}

bool same_node(const Node& a, const Node& b) {
  return a.kind == b.kind && a.op == b.op && a.combine == b.combine &&
         a.target_dtype == b.target_dtype && a.masked == b.masked &&
         a.accumulates == b.accumulates && a.axes == b.axes && a.params == b.params &&
         same_target(a, b) && a.primitive == b.primitive && key_of(a) == key_of(b);
}

bool same_operand(const Operand& a, const Operand& b) {
  const bool layouts = a.layout && b.layout ? *a.layout == *b.layout : !a.layout && !b.layout;
  return a.dtype == b.dtype && layouts;
}

}  // namespace

bool does_the_same(const ScriptStep& a, const ScriptStep& b) {
  auto same_type = [](const OutputType& x, const OutputType& y) {
    return x.dtype == y.dtype && x.shape == y.shape;
  };
  return same_node(*a.node, *b.node) && a.device == b.device && a.constant == b.constant &&
         std::ranges::equal(a.operands, b.operands, same_operand) &&
         std::ranges::equal(a.types, b.types, same_type);
}

}  // namespace heddle::graph
