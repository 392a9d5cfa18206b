// Values that are written for one other kernel only, though less would do.
#pragma once

#include <optional>
#include <vector>

#include "graph/plan.h"

namespace heddle::graph {

// What a value is made of, where that is to be memory instead of it, as it takes fewer bytes: the
// one kernel that reads the value computes it there. Nothing where it had better be written.
std::optional<std::vector<const Node*>> worth_handing_on(const Collected& graph, const Plan& plan,
                                                         const PlannedNode& planned);

}  // namespace heddle::graph
