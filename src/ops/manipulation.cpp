#include <heddle/manipulation.h>

#include <algorithm>
#include <bit>

#include <fmt/format.h>

#include "graph/storage.h"
#include "ops/creation.h"
#include "ops/reduction.h"
#include "ops/write.h"
#include <heddle/errors.h>
#include <heddle/indexing.h>

namespace heddle {

namespace {

array with_layout(const array& a, Layout layout) { return a.view_as(std::move(layout), a.dtype()); }

void check_joinable(const std::vector<array>& arrays, std::int64_t axis) {
  const array& first = arrays[0];
  for (std::size_t i = 1; i < arrays.size(); ++i) {
    if (arrays[i].ndim() != first.ndim()) {
      throw value_error(fmt::format(
          "all the input arrays must have same number of dimensions, but the array at index 0 has "
          "{} dimension(s) and the array at index {} has {} dimension(s)",
          first.ndim(), i, arrays[i].ndim()));
    }
    for (std::int64_t d = 0; d < first.ndim(); ++d) {
      if (d == axis || arrays[i].shape()[d] == first.shape()[d]) continue;
      throw value_error(fmt::format(
          "all the input array dimensions except for the concatenation axis must match exactly, "
          "but along dimension {}, the array at index 0 has size {} and the array at index {} has "
          "size {}",
          d, first.shape()[d], i, arrays[i].shape()[d]));
    }
  }
}

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

array concatenate(const std::vector<array>& arrays, std::int64_t axis) {
  if (arrays.empty()) throw value_error("need at least one array to concatenate");
  for (const array& a : arrays) {
    if (a.ndim() == 0) throw value_error("zero-dimensional arrays cannot be concatenated");
  }
  axis = normalize_axis("concatenate", axis, arrays[0].ndim());
  check_joinable(arrays, axis);
  // Columns after columns stay so.
  if (std::all_of(arrays.begin(), arrays.end(), [](const array& a) {
        return is_c_contiguous(a.transpose().layout()) && !is_c_contiguous(a.layout());
      })) {
    std::vector<array> rows;
    rows.reserve(arrays.size());
    for (const array& a : arrays) rows.push_back(a.transpose());
    return concatenate(rows, arrays[0].ndim() - 1 - axis).transpose();
  }
  Dims shape = arrays[0].shape();
  Dtype dtype = arrays[0].dtype();
  for (std::size_t i = 1; i < arrays.size(); ++i) {
    if (__builtin_add_overflow(shape[axis], arrays[i].shape()[axis], &shape[axis])) throw_too_big();
    dtype = promote_types(dtype, arrays[i].dtype());
  }
  array result = empty(shape, dtype, arrays[0].device());
  std::int64_t start = 0;
  for (const array& a : arrays) {
    auto stop = start + a.shape()[axis];
    if (stop > start) write(result.slice(axis, Slice{start, stop}), a);
    start = stop;
  }
  return result;
}

array stack(const std::vector<array>& arrays, std::int64_t axis) {
  if (arrays.empty()) throw value_error("need at least one array to stack");
  std::vector<array> widened;
  for (const array& a : arrays) {
    if (a.shape() != arrays[0].shape()) {
      throw value_error("all input arrays must have the same shape");
    }
    widened.push_back(expand_dims(a, axis));
  }
  return concatenate(widened, axis);
}

}  // namespace heddle
