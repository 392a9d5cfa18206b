// Steps of a recorded program, which can be made again of other values. Values are numbered as they
// appear; who holds them, and which are inputs, is up to the recorder.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "graph/make.h"

namespace heddle::graph {

// The elements of a computed value, copied to the host. There are fewer than its shape says where
// only its step knew how many there are, and nobody has looked yet.
std::vector<std::byte> elements_of(const Value& value);
// Whether that memory is somebody else's.
bool is_foreign(const Value& value);
// A value that has these.
Ref<Value> value_of(Dtype dtype, const Shape& shape, Device& device,
                    std::span<const std::byte> elements);

struct ScriptStep {
  Draft node;
  std::vector<Operand> operands;     // without their values
  std::vector<std::int32_t> values;  // of the operands; -1: a number
  std::vector<OutputType> types;
  std::int32_t first = 0;    // output; the others follow
  std::int32_t source = -1;  // of random words: the generator, see Script::sources
  bool constant = false;     // for those who differentiate: see graph::composed
  Device* device = nullptr;

  // What is needed of a node to make it again, given the numbers of the values that it reads.
  template <class F>
  static ScriptStep of(const Node& node, F&& number_of) {
    ScriptStep step;
    step.node = draft_like(node);
    step.device = &node.device();
    for (int o = 0; o < node.operand_count; ++o) {
      const Operand& operand = node.operands[o];
      step.values.push_back(operand.value ? number_of(*operand.value) : -1);
      step.operands.push_back(reading_like(operand, nullptr));
    }
    for (const Value* output : node.outputs()) {
      step.types.push_back({output->dtype, output->shape});
    }
    return step;
  }

  // The operands of the step when it is made again, with values by number.
  std::vector<Operand> operands_of(std::span<const Ref<Value>> by_number) const;
  // Makes the step of operands; `made` has room for its outputs.
  void make(std::span<Operand> with, std::span<Ref<Value>> made) const;
};

// Whether two steps compute the same of their operands, whichever values and numbers these are.
bool does_the_same(const ScriptStep& a, const ScriptStep& b);

}  // namespace heddle::graph
