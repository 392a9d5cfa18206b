// Arrays whose elements are there several times: tiles, repeated elements, grids of coordinates.
#include <algorithm>

#include <fmt/format.h>

#include "ops/compose.h"
#include "ops/creation.h"
#include "ops/reported.h"
#include <heddle/creation.h>
#include <heddle/errors.h>
#include <heddle/index_routines.h>
#include <heddle/indexing.h>
#include <heddle/manipulation.h>
#include <heddle/ufuncs.h>

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

namespace {

constexpr const char* negative_counts = "repeats may not contain negative values.";

// The positions of an array, each as often as counts say.
array repeated_positions(const array& counts) {
  const array ends = cumsum(counts, 0);
  const auto total = counts.size() ? ends[-1].item<std::int64_t>() : 0;
  // Each position begins at one place, by a step from the one before: their running sum.
  const array owners = flatnonzero(counts);
  array steps = full({total}, 0, Dtype::int64, counts.device());
  if (owners.size() > 0) {
    const array starts = (ends - counts)(owners).get();
    const Slice first{0, 1}, rest{1, {}}, before{{}, -1};
    steps(starts(first)) = owners(first);
    steps(starts(rest)) = owners(rest) - owners(before);
  }
  return cumsum(steps, 0);
}

}  // namespace

array repeat(const array& a, std::int64_t count, std::optional<std::int64_t> axis) {
  if (count < 0) throw value_error(negative_counts);
  const auto [rows, d] = one_axis("repeat", a, axis);
  Dims apart = rows.shape();
  apart.insert(d + 1, 1);
  const array single = rows.reshape(apart);
  apart[d + 1] = count;
  Dims shape = rows.shape();
  if (__builtin_mul_overflow(shape[d], count, &shape[d])) throw_too_big();
  return copied_out(single.broadcast_to(apart)).reshape(shape);
}

array repeat(const array& a, const array& counts, std::optional<std::int64_t> axis) {
  if (counts.ndim() > 1) throw value_error("object too deep for desired array");
  if (is_inexact(counts.dtype())) {
    throw type_error(
        fmt::format("repeat: counts have to be integers, not {}", name(counts.dtype())));
  }
  const array each = as_type(counts, Dtype::int64);
  const auto [rows, d] = one_axis("repeat", a, axis);
  if (is_true_anywhere(each < 0)) throw value_error(negative_counts);
  if (each.size() == 1) return repeat(rows, each.item<std::int64_t>(), d);
  const auto extent = rows.shape()[d];
  if (each.size() != extent) {
    throw value_error(fmt::format("operands could not be broadcast together with shape ({},) ({},)",
                                  extent, each.size()));
  }
  return parts_at(rows, to_device(repeated_positions(each), a.device()), d);
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
