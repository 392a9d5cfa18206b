// Lowering: one group of the plan to a kernel and the sources of its arguments.
#pragma once

#include "graph/plan.h"
#include "graph/program.h"

namespace heddle::graph {

Step lower(const Collected& graph, const Plan& plan, std::int32_t group);

}  // namespace heddle::graph
