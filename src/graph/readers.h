// Who reads a value, and which pending nodes an evaluation had better run, too.
#pragma once

#include <span>
#include <vector>

#include "graph/graph.h"
#include "graph/program.h"

namespace heddle::graph {

bool reads(const Node& reader, const Value* value);

// Pending nodes that read old values of updates, were made before, and are not collected: they keep
// the updates from being in place, and will run some time anyway. But what was stopped runs only
// when somebody wants it. The graph is locked.
std::vector<Ref<Value>> readers_outside(const Graph& graph, const Collected& collected);

// Pending nodes that are other results of functions of which somebody wants one result: who looks
// at one will look at those that are kept, and one call computes them all. Not of those that are
// only read on the way: what reads them may not fit into a kernel with the others. The graph is
// locked.
std::vector<Ref<Value>> results_outside(std::span<Value* const> wanted);

// Whether a node is one result of a function that has several.
bool is_one_of_several(const Node& node);

}  // namespace heddle::graph
