// What a node is called where people read about it.
#pragma once

#include <string>

#include "graph/node.h"

namespace heddle::graph {

std::string name_of(const Node& node);

}  // namespace heddle::graph
