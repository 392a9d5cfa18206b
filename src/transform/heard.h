// A node as it was made, for recorders that do something about it when its graph is not locked.
#pragma once

#include <vector>

#include "graph/make.h"

namespace heddle::transform {

struct Heard {
  explicit Heard(const Node& made) : node(graph::draft_like(made)) {
    operands.assign(made.operands, made.operands + made.operand_count);
    for (Value* output : made.outputs()) {
      types.push_back({output->dtype, output->shape});
      outputs.emplace_back(output);
    }
  }

  graph::Draft node;  // its parameters
  std::vector<Operand> operands;
  std::vector<graph::OutputType> types;
  std::vector<Ref<Value>> outputs;
};

}  // namespace heddle::transform
