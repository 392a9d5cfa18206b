#include <heddle/manipulation.h>

#include <algorithm>
#include <bit>
#include <cstdlib>

#include <fmt/format.h>

#include "graph/storage.h"
#include "ops/compose.h"
#include "ops/creation.h"
#include "ops/elementwise.h"
#include "ops/operators.h"
#include "ops/reduction.h"
#include "ops/write.h"
#include <heddle/errors.h>
#include <heddle/indexing.h>

namespace heddle {

namespace {

array with_layout(const array& a, Layout layout) { return a.view_as(std::move(layout), a.dtype()); }

}  // namespace

array reshape(const array& a, const Dims& shape) { return a.reshape(shape); }
array ravel(const array& a) { return a.reshape({-1}); }
array transpose(const array& a) { return a.transpose(); }
array transpose(const array& a, const Dims& axes) { return a.transpose(axes); }
array broadcast_to(const array& a, const Dims& shape) { return a.broadcast_to(shape); }

array moveaxis(const array& a, std::int64_t from, std::int64_t to) {
  return moveaxis(a, Dims{from}, Dims{to});
}

array moveaxis(const array& a, const Dims& from, const Dims& to) {
  if (from.size() != to.size()) {
    throw value_error("`source` and `destination` arguments must have the same number of elements");
  }
  Dims order(a.ndim(), -1);  // the axes that are moved, where they go to
  std::uint64_t moved = 0;
  for (std::int64_t i = 0; i < from.size(); ++i) {
    const auto axis = normalize_axis("moveaxis", from[i], a.ndim());
    auto& place = order[normalize_axis("moveaxis", to[i], a.ndim())];
    if (place >= 0 || moved >> axis & 1) throw value_error("moveaxis: an axis is named twice");
    place = axis;
    moved |= std::uint64_t{1} << axis;
  }
  std::int64_t next = 0;  // the others fill the gaps, in order
  for (auto& axis : order) {
    if (axis >= 0) continue;
    while (moved >> next & 1) ++next;
    axis = next++;
  }
  return a.transpose(order);
}

array swapaxes(const array& a, std::int64_t axis1, std::int64_t axis2) {
  Dims order;
  for (std::int64_t d = 0; d < a.ndim(); ++d) order.push_back(d);
  std::swap(order[normalize_axis("swapaxes", axis1, a.ndim())],
            order[normalize_axis("swapaxes", axis2, a.ndim())]);
  return a.transpose(order);
}

array squeeze(const array& a, const Axes& axis) {
  auto mask = axis_mask("squeeze", axis.list(), a.ndim());
  Layout layout{{}, {}, a.layout().offset};
  for (std::int64_t d = 0; d < a.ndim(); ++d) {
    bool named = mask >> d & 1, single = a.shape()[d] == 1;
    if (named && single) continue;
    if (named && axis.list()) {
      throw value_error("cannot select an axis to squeeze out which has size not equal to one");
    }
    layout.shape.push_back(a.shape()[d]);
    layout.strides.push_back(a.layout().strides[d]);
  }
  return with_layout(a, std::move(layout));
}

array expand_dims(const array& a, const Axes& axis) {
  if (!axis.list()) throw type_error("expand_dims: an axis is needed");
  auto ndim = a.ndim() + axis.list()->size();
  if (ndim > max_dims) {
    throw value_error(fmt::format("expand_dims: {} dimensions are more than {}", ndim, max_dims));
  }
  auto mask = axis_mask("expand_dims", axis.list(), ndim);
  Layout layout = a.layout();
  for (std::int64_t d = 0; d < ndim; ++d) {
    if (!(mask >> d & 1)) continue;
    layout.shape.insert(d, 1);
    layout.strides.insert(d, 0);
  }
  return with_layout(a, std::move(layout));
}

std::vector<array> broadcast_arrays(const std::vector<array>& arrays) {
  Dims shape;
  for (const array& a : arrays) shape = broadcast_shapes("broadcast_arrays", shape, a.shape());
  std::vector<array> result;
  result.reserve(arrays.size());
  for (const array& a : arrays) result.push_back(a.broadcast_to(shape));
  return result;
}

array flip(const array& a, const Axes& axis) {
  auto mask = axis_mask("flip", axis.list(), a.ndim());
  array view = a;
  for (std::int64_t d = 0; d < a.ndim(); ++d) {
    if (mask >> d & 1) view = view.slice(d, Slice{{}, {}, -1});
  }
  return view;
}

namespace {

// Copies what is in front of each cut behind it and the other way round, from axis `d` on.
void copy_rolled(const array& to, const array& from, const Dims& shifts, std::int64_t d) {
  while (d < from.ndim() && shifts[d] == 0) ++d;
  if (d == from.ndim()) return write(to, from);
  const auto cut = from.shape()[d] - shifts[d];
  copy_rolled(to.slice(d, Slice{shifts[d], {}}), from.slice(d, Slice{{}, cut}), shifts, d + 1);
  copy_rolled(to.slice(d, Slice{{}, shifts[d]}), from.slice(d, Slice{cut, {}}), shifts, d + 1);
}

}  // namespace

array roll(const array& a, const Dims& shifts) {
  if (shifts.size() != a.ndim()) throw value_error("roll: there has to be a shift for each axis");
  array result = empty(a.shape(), a.dtype(), a.device());
  if (a.size() == 0) return result;
  Dims forward(a.ndim());
  for (std::int64_t d = 0; d < a.ndim(); ++d) {
    const auto extent = a.shape()[d], rest = shifts[d] % extent;
    forward[d] = rest < 0 ? rest + extent : rest;
  }
  copy_rolled(result, a, forward, 0);
  return result;
}

array roll(const array& a, std::int64_t shift, std::optional<std::int64_t> axis) {
  if (!axis) return roll(ravel(a), shift, 0).reshape(a.shape());
  Dims shifts(a.ndim(), 0);
  shifts[normalize_axis("roll", *axis, a.ndim())] = shift;
  return roll(a, shifts);
}

array roll(const array& a, const array& shift, std::int64_t axis) {
  if (shift.size() != 1 || !is_integer(shift.dtype())) {
    throw type_error("roll: a shift is one integer");
  }
  const auto d = normalize_axis("roll", axis, a.ndim());
  if (a.size() == 0) return a.copy();
  const Scalar extent(a.shape()[d]);
  const array forward = binary(Op::remainder, cast(shift.reshape({}), Dtype::int64), extent);
  const array places = binary(Op::subtract, arange(extent, Dtype::int64), forward);
  const array below = cast(binary(Op::less, places, Scalar(0)), Dtype::int64);
  const array wrapped = binary(Op::add, places, binary(Op::multiply, below, extent));
  return parts_at(a, to_device(wrapped, a.device()), d);
}

array atleast_1d(const array& a) { return a.ndim() < 1 ? expand_dims(a, 0) : a; }

array atleast_2d(const array& a) {
  if (a.ndim() >= 2) return a;
  return expand_dims(a, a.ndim() == 0 ? Axes{0, 1} : Axes(0));
}

array atleast_3d(const array& a) {
  switch (a.ndim()) {
    case 0:
      return expand_dims(a, Axes{0, 1, 2});
    case 1:
      return expand_dims(a, Axes{0, 2});
    case 2:
      return expand_dims(a, 2);
    default:
      return a;
  }
}

Dims broadcast_shapes(const std::vector<Dims>& shapes) {
  Dims common;
  for (const Dims& shape : shapes) common = broadcast_shapes("broadcast_shapes", common, shape);
  return common;
}

array matrix_transpose(const array& a) {
  if (a.ndim() < 2) {
    throw value_error(
        fmt::format("Input array must be at least 2-dimensional, but it is {}", a.ndim()));
  }
  return swapaxes(a, -1, -2);
}

array rollaxis(const array& a, std::int64_t axis, std::int64_t start) {
  const auto rank = a.ndim();
  axis = normalize_axis("rollaxis", axis, rank);
  const auto before = start < 0 ? start + rank : start;
  if (before < 0 || before > rank) {
    throw axis_error(fmt::format("'start' arg requires {} <= start < {}, but {} was passed in",
                                 -rank, rank + 1, start));
  }
  return moveaxis(a, axis, axis < before ? before - 1 : before);
}

array fliplr(const array& a) {
  if (a.ndim() < 2) throw value_error("Input must be >= 2-d.");
  return flip(a, 1);
}

array flipud(const array& a) {
  if (a.ndim() < 1) throw value_error("Input must be >= 1-d.");
  return flip(a, 0);
}

array rot90(const array& a, std::int64_t k, const Dims& axes) {
  if (axes.size() != 2) throw value_error("len(axes) must be 2.");
  if (axes[0] == axes[1] || std::abs(axes[0] - axes[1]) == a.ndim()) {
    throw value_error("Axes must be different.");
  }
  for (const auto axis : axes) {
    if (axis >= -a.ndim() && axis < a.ndim()) continue;
    throw value_error(fmt::format("Axes=({}, {}) out of range for array of ndim={}.", axes[0],
                                  axes[1], a.ndim()));
  }
  const auto first = normalize_axis("rot90", axes[0], a.ndim());
  const auto second = normalize_axis("rot90", axes[1], a.ndim());
  switch (k & 3) {
    case 0:
      return a;
    case 1:
      return swapaxes(flip(a, second), first, second);
    case 2:
      return flip(a, Axes{first, second});
    default:
      return flip(swapaxes(a, first, second), second);
  }
}

array resize(const array& a, const Dims& shape) {
  for (auto extent : shape) {
    if (extent < 0) throw value_error("all elements of `new_shape` must be non-negative");
  }
  const auto count = size_of(shape);
  if (a.size() == 0) return full(shape, 0, a.dtype(), a.device());
  // Always a copy: a broadcast element, or the first elements, would be a view of `a`.
  const array flat = ravel(a);
  if (count <= a.size()) return flat.slice(0, Slice{0, count}).copy().reshape(shape);
  const auto repeats = (count + a.size() - 1) / a.size();
  const array rows = flat.broadcast_to({repeats, a.size()}).copy().reshape({repeats * a.size()});
  return (count == rows.size() ? rows : rows.slice(0, Slice{0, count})).reshape(shape);
}

}  // namespace heddle
