// The parts of concatenate, for callers that bring the memory or the type of the result.
#pragma once

#include <vector>

#include <heddle/array.h>

namespace heddle {

// The shape of arrays one after the other along an axis that they have; NumPy's errors where they
// do not fit.
HEDDLE_API Dims joined_shape(const std::vector<array>& arrays, std::int64_t axis);
// Writes them into an array of that shape, converted to its type.
HEDDLE_API void join_into(const array& result, const std::vector<array>& arrays, std::int64_t axis);

}  // namespace heddle
