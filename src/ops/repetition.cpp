#include "ops/repetition.h"

#include <algorithm>

#include "ops/elementwise.h"
#include <heddle/errors.h>

namespace heddle {

namespace {

// Of a view that repeats elements.
array copied_out(const array& a) { return dense(a, a.dtype()); }

}  // namespace

array tile(const array& a, const Dims& counts) {
  const auto rank = std::max(a.ndim(), counts.size());
  // Each axis becomes a pair (repetition, extent), then the pairs are merged.
  Dims pairs, spread, shape;
  for (std::int64_t d = 0; d < rank; ++d) {
    const auto at = d - (rank - a.ndim()), with = d - (rank - counts.size());
    const auto extent = at < 0 ? 1 : a.shape()[at], count = with < 0 ? 1 : counts[with];
    if (count < 0) throw value_error("negative dimensions are not allowed");
    for (auto n : {std::int64_t{1}, extent}) pairs.push_back(n);
    for (auto n : {count, extent}) spread.push_back(n);
    std::int64_t product = 0;
    if (__builtin_mul_overflow(count, extent, &product)) throw_too_big();
    shape.push_back(product);
  }
  return copied_out(a.reshape(pairs).broadcast_to(spread)).reshape(shape);
}

array repeat(const array& a, std::int64_t count, std::int64_t axis) {
  Dims apart = a.shape();
  apart.insert(axis + 1, 1);
  const array single = a.reshape(apart);
  apart[axis + 1] = count;
  Dims shape = a.shape();
  if (__builtin_mul_overflow(shape[axis], count, &shape[axis])) throw_too_big();
  return copied_out(single.broadcast_to(apart)).reshape(shape);
}

std::vector<array> meshgrid(const std::vector<array>& vectors, bool xy, bool sparse, bool copied) {
  const auto rank = static_cast<std::int64_t>(vectors.size());
  std::vector<array> grids;
  Dims space(rank, 1);
  for (std::int64_t d = 0; d < rank; ++d) {
    const array& vector = vectors[static_cast<std::size_t>(d)];
    const auto axis = xy && rank > 1 && d < 2 ? 1 - d : d;
    Dims shape(rank, 1);
    shape[axis] = space[axis] = vector.size();
    grids.push_back(vector.reshape(shape));
  }
  for (array& grid : grids) {
    if (!sparse) grid = grid.broadcast_to(space);
    if (copied) grid = copied_out(grid);
  }
  return grids;
}

}  // namespace heddle
