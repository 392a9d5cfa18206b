// Products of matrices of which the left one is made of windows: its rows are the places along some
// axes of an array, its columns those along the others, and an element may be in several of them.
#pragma once

#include <heddle/array.h>

namespace heddle {

// The axes of windows: first those of stacks, then those of rows, then those of columns.
struct WindowAxes {
  std::int64_t stacks = 0, rows = 0;
};

// (stacks..., rows..., columns...) times (stacks..., k, n), where k is the number of columns of the
// matrix, to (stacks..., rows..., n); both of one type that has_matmul. Deferred: a step of its
// own.
array window_product(const array& windows, WindowAxes axes, const array& right);
// The same with the matrix transposed: times (stacks..., rows..., n) to (stacks..., columns..., n).
array window_sums(const array& windows, WindowAxes axes, const array& right);

}  // namespace heddle
