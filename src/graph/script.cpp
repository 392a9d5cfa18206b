#include "graph/script.h"

#include <algorithm>

#include "graph/node_facts.h"
#include "runtime/device.h"

namespace heddle::graph {

std::vector<std::byte> elements_of(const Value& value) {
  std::vector<std::byte> made(std::min(bytes_of(value), value.buffer()->bytes()));
  if (!made.empty()) value.device->copy_to_host(made.data(), *value.buffer(), 0, made.size());
  return made;
}

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
  make_all(std::move(again), types, *device, with, made);
}

}  // namespace heddle::graph
