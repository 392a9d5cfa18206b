// Differences along an axis.
#pragma once

#include <heddle/array.h>

namespace heddle {

// Of floating-point numbers at equal distances: central differences, and at the ends those of
// neighbours. There are two elements along the axis at least.
HEDDLE_API array gradient(const array& a, std::int64_t axis, double step);

// The n-th differences of neighbours; of bool whether they differ.
HEDDLE_API array diff(const array& a, std::int64_t n, std::int64_t axis);

}  // namespace heddle
