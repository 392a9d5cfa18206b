// Who reads a value, and which pending readers an evaluation had better run, too.
#pragma once

#include <vector>

#include "graph/graph.h"
#include "graph/program.h"

namespace heddle::graph {

bool reads(const Node& reader, const Value* value);

// Pending nodes that read old values of updates, were made before, and are not collected: they keep
// the updates from being in place, and will run some time anyway. But what was stopped runs only
// when somebody wants it. The graph is locked.
std::vector<Ref<Value>> readers_outside(const Graph& graph, const Collected& collected);

}  // namespace heddle::graph
