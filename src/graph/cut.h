// Where a group that is too long for one kernel is cut into several.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace heddle::graph {

// A node of such a group, in topological order.
struct Chained {
  std::uint32_t work = 0;     // in cheap operations
  std::int64_t bytes = 0;     // of its value
  std::size_t last_read = 0;  // position of the last one that reads the value
};

// The positions where the pieces after the first begin: where few bytes cross the cut. `one` is
// what a value of the group has at most. The limits (graph/graph.h) say how long a piece may be.
std::vector<std::size_t> places_to_cut(std::span<const Chained> chain, std::int64_t one);

}  // namespace heddle::graph
