#include "graph/script.h"

namespace heddle::graph {

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
