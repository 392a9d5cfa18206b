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

struct Cut {
  std::size_t begin = 0;   // position of the first node after it
  std::int64_t bytes = 0;  // that cross it
};

// Cuts where few bytes cross; `one` is what a value of the group has at most. Pieces that one value
// leaves may be short, `soft`; `longest` is the work of one in any case.
std::vector<Cut> cut_chain(std::span<const Chained> chain, std::int64_t one, std::uint32_t soft,
                           std::uint32_t longest);

}  // namespace heddle::graph
