// What a node is called where people read about it, and the plan that they read about.
#pragma once

#include <functional>
#include <span>
#include <string>

#include "graph/node.h"

namespace heddle::graph {

class Collected;
struct Plan;

std::string name_of(const Node& node);

// Calls a function with the plan that evaluating the targets would follow; not where nothing is
// pending. The graph is locked.
void with_plan(std::span<Value* const> targets,
               const std::function<void(const Collected&, const Plan&)>& use);

}  // namespace heddle::graph
