// Bundles: values with short axes, as small vectors and matrices of many objects are, that read one
// another along these. Each element of a product of matrices needs a row and a column of others, so
// a kernel that walks over all elements would have them as memory, or compute them again and again.
// The kernel of a bundle walks over the objects, and has every element of one in registers: each is
// computed once.
#pragma once

#include <cstdint>
#include <vector>

#include "graph/node.h"
#include "graph/program.h"

namespace heddle::graph {

class Recomputation;

// Bit per axis that is short: they have few elements together, and there are many beside them.
std::uint64_t short_axes(const Dims& shape);
// How many elements these have together.
std::int64_t short_size(const Dims& shape);

struct Bundle {
  Dims domain;                     // the long axes, which all nodes have
  std::vector<const Node*> nodes;  // in topological order
};

// Whether a bundle may have the node, a sum or a product of few elements, as so many operations: in
// the order in which a kernel of its own would do them.
bool is_short_reduction(const Node& node);
// How many elements it combines.
std::int64_t reduced_size(const Node& node);

// Of nodes that are element-wise, chosen updates or short reductions, some of which are read
// through views and would be memory for that.
std::vector<Bundle> find_bundles(const Collected& graph, const Recomputation& recomputation);

}  // namespace heddle::graph
