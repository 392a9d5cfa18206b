// Lowering: one group of the plan to a kernel and the arguments of its launch.
#pragma once

#include "graph/plan.h"
#include "runtime/device.h"

namespace heddle::graph {

struct Lowered {
  kernel::Kernel kernel;
  Launch launch;  // all but code and kernel pointer
  // What the group's nodes become: per output node its position in the plan and its buffer.
  struct Output {
    std::int32_t node;
    Ref<Buffer> buffer;
  };
  std::vector<Output> outputs;
};

// Allocates the outputs' memory unless `dry` (explain), or takes over memory of operands that die.
Lowered lower(const Plan& plan, const Group& group, bool dry = false);

}  // namespace heddle::graph
