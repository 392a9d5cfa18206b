// Arrays whose elements are there several times: tiles, repeated elements, grids of coordinates.
#pragma once

#include <vector>

#include <heddle/array.h>

namespace heddle {

// The whole array so many times along each axis; missing axes are in front, on either side.
HEDDLE_API array tile(const array& a, const Dims& counts);
// Each element along an axis so many times.
HEDDLE_API array repeat(const array& a, std::int64_t count, std::int64_t axis);
// Each vector along an axis of its own, of which the first two change places in `xy` order;
// broadcast to the others unless they are to be sparse, copied if asked for.
HEDDLE_API std::vector<array> meshgrid(const std::vector<array>& vectors, bool xy, bool sparse,
                                       bool copied);

}  // namespace heddle
