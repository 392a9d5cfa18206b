// The index arrays of an index expression, on their way into a gather or a write.
#pragma once

#include <vector>

#include "graph/node.h"
#include <heddle/array.h>

namespace heddle {

struct IndexTerms {
  std::vector<array> indices;  // int64, broadcast to the shape of the result
  Dims params;                 // [extent, stride] per index
  Dims reports;                // per index: 0 if it was checked, else where the device reports

  bool checked() const;
  std::int64_t extent(std::size_t i) const { return params[2 * static_cast<std::int64_t>(i)]; }
};

// Has the device report indices of this use that are out of bounds. An address for
// IndexTerms::reports.
std::int64_t report_indices(Device& device, std::int64_t axis, std::int64_t extent);

// The i-th index as an operand of a node over `shape`, given how that node would read it. Where it
// was not checked, places out of bounds become 0 and are reported.
Operand place_operand(const IndexTerms& terms, std::size_t i, Operand index, const Dims& shape,
                      Device& device);

// Where all indices have a place.
array all_inside(const IndexTerms& terms);

}  // namespace heddle
