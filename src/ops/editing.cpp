// Inserting and removing parts of arrays.
#include <algorithm>
#include <numeric>

#include <fmt/format.h>

#include "ops/compose.h"
#include "ops/creation.h"
#include "ops/selection.h"
#include "ops/write.h"
#include <heddle/errors.h>
#include <heddle/indexing.h>
#include <heddle/manipulation.h>
#include <heddle/ufuncs.h>

namespace heddle {

namespace {

// The array (flattened without an axis) and the axis to edit.
OneAxis edited(const char* op, const array& a, std::optional<std::int64_t> axis) {
  if (!axis) return {ravel(a), 0};
  return {a, normalize_axis(op, *axis, a.ndim())};
}

std::int64_t checked_index(std::int64_t index, std::int64_t extent, std::int64_t axis,
                           std::int64_t bound) {
  if (index < -extent || index >= bound) {
    throw index_error(
        fmt::format("index {} is out of bounds for axis {} with size {}", index, axis, extent));
  }
  return index < 0 ? index + extent : index;
}

// Without one range along an axis.
array closed(const array& a, std::int64_t first, std::int64_t last, std::int64_t axis) {
  const array before = a.slice(axis, Slice{0, first}), after = a.slice(axis, Slice{last, {}});
  if (after.shape()[axis] == 0) return concatenate({before}, axis);
  if (before.shape()[axis] == 0) return concatenate({after}, axis);
  return concatenate({before, after}, axis);
}

// A mask of what stays along an axis when a view of all places says what goes.
template <class F>
array kept(std::int64_t extent, const array& beside, F&& gone) {
  array keep = full({extent}, true, Dtype::bool_, beside.device());
  gone(keep);
  return keep;
}

std::vector<IndexItem> items_along(std::int64_t axis, const array& index) {
  std::vector<IndexItem> items(static_cast<std::size_t>(axis), index_item(Slice{}));
  items.push_back(index_item(index));
  return items;
}

}  // namespace

array append(const array& a, const array& values, std::optional<std::int64_t> axis) {
  if (!axis) return concatenate({ravel(a), ravel(values)});
  return concatenate({a, values}, *axis);
}

// --- removing ---

array delete_(const array& a, std::int64_t index, std::optional<std::int64_t> axis) {
  const auto [rows, d] = edited("delete", a, axis);
  const auto extent = rows.shape()[d], at = checked_index(index, extent, d, extent);
  return closed(rows, at, at + 1, d);
}

array delete_(const array& a, Slice range, std::optional<std::int64_t> axis) {
  const auto [rows, d] = edited("delete", a, axis);
  const auto extent = rows.shape()[d];
  const auto [first, count] = range.of(extent);
  if (count == 0) return closed(rows, extent, extent, d);
  if (range.step == 1 || range.step == -1) {
    const auto low = range.step == 1 ? first : first - count + 1;
    return closed(rows, low, low + count, d);
  }
  const array keep =
      kept(extent, rows, [&](const array& mask) { mask.slice(0, range) = Scalar(false); });
  return get_item(rows, items_along(d, keep));
}

array delete_(const array& a, const array& indices, std::optional<std::int64_t> axis) {
  const auto [rows, d] = edited("delete", a, axis);
  const auto extent = rows.shape()[d];
  if (indices.dtype() == Dtype::bool_) {
    if (indices.shape() != Dims{extent}) {
      throw value_error(fmt::format(
          "boolean array argument obj to delete must be one dimensional and match the axis length "
          "of {}",
          extent));
    }
    return get_item(rows, items_along(d, logical_not(indices)));
  }
  if (!is_integer(indices.dtype())) {
    throw index_error("arrays used as indices must be of integer (or boolean) type");
  }
  const auto places = indices.to_vector<std::int64_t>();
  for (auto index : places) checked_index(index, extent, d, extent);
  if (places.size() == 1) return delete_(rows, places[0], d);
  const array keep =
      kept(extent, rows, [&](const array& mask) { mask(ravel(indices)) = Scalar(false); });
  return get_item(rows, items_along(d, keep));
}

// --- inserting ---

namespace {

// Values of the array's type, with as many dimensions as it has.
array raised(const array& values, const array& a) {
  array made = as_type(values, a.dtype());
  while (made.ndim() < a.ndim()) made = expand_dims(made, 0);
  return made;
}

// Without the leading ones that a shape lacks, broadcast to it.
array fitted(array a, const Dims& shape) {
  const Dims given = a.shape();
  while (a.ndim() > shape.size() && a.shape()[0] == 1) a = squeeze(a, 0);
  bool fits = a.ndim() <= shape.size();
  for (std::int64_t d = 1; fits && d <= a.ndim(); ++d) {
    fits = a.shape(-d) == 1 || a.shape(-d) == shape[shape.size() - d];
  }
  if (!fits) {
    throw value_error(fmt::format("could not broadcast input array from shape {} into shape {}",
                                  to_string(given), to_string(shape)));
  }
  return a.broadcast_to(shape);
}

// With values before one place along an axis.
array split_by(const array& a, std::int64_t place, const array& values, std::int64_t axis) {
  Dims shape = a.shape();
  shape[axis] = values.shape()[axis];
  return concatenate(
      {a.slice(axis, Slice{0, place}), fitted(values, shape), a.slice(axis, Slice{place, {}})},
      axis);
}

}  // namespace

array insert(const array& a, std::int64_t index, const array& values,
             std::optional<std::int64_t> axis) {
  const auto [rows, d] = edited("insert", a, axis);
  const auto extent = rows.shape()[d], place = checked_index(index, extent, d, extent + 1);
  array made = raised(values, rows);
  // As in NumPy, values for one index have that axis first: a[:, 1] = values.
  if (rows.ndim() > 1) made = moveaxis(made, 0, d);
  return split_by(rows, place, made, d);
}

array insert(const array& a, const Dims& indices, const array& values,
             std::optional<std::int64_t> axis) {
  const auto [rows, d] = edited("insert", a, axis);
  const auto extent = rows.shape()[d];
  Dims places;
  for (auto index : indices) places.push_back(checked_index(index, extent, d, extent + 1));
  const array made = raised(values, rows);
  if (places.size() == 1) return split_by(rows, places[0], made, d);
  // Each moves on by as many as go before it; those for one place keep their order.
  Dims order(places.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](auto i, auto j) { return places[i] < places[j]; });
  Dims targets = places;
  for (std::int64_t i = 0; i < order.size(); ++i) targets[order[i]] += i;
  const array at = from_dims(targets, rows);
  Dims shape = rows.shape();
  shape[d] += places.size();
  const array keep = kept(shape[d], rows, [&](const array& mask) { mask(at) = Scalar(false); });
  array result =
      rows.ndim() == 1 ? expand_elements(rows, keep) : empty(shape, rows.dtype(), rows.device());
  if (rows.ndim() > 1) set_item(result, items_along(d, keep), rows);
  set_item(result, items_along(d, at), made);
  return result;
}

array trim_zeros(const array& a, std::string_view trim, const Axes& axis) {
  const bool front = trim.find_first_of("fF") != trim.npos;
  const bool back = trim.find_first_of("bB") != trim.npos;
  const bool known = trim.find_first_not_of("fFbB") == trim.npos;
  if (!known || trim.size() != static_cast<std::size_t>(front) + static_cast<std::size_t>(back)) {
    throw value_error(fmt::format("unexpected character(s) in `trim`: '{}'", trim));
  }
  Dims axes;
  if (axis.list()) {
    axes = *axis.list();
  } else {
    for (std::int64_t d = 0; d < a.ndim(); ++d) axes.push_back(d);
  }
  if (axes.empty()) return a;
  const std::vector<array> found = nonzero(not_equal(a, Scalar(0)));
  array view = a;
  for (auto each : axes) {
    const auto d = normalize_axis("trim_zeros", each, a.ndim());
    const array& places = found[static_cast<std::size_t>(d)];
    Slice range{0, 0};
    if (places.size() > 0) {
      range = {};
      if (front) range.start = min(places).item<std::int64_t>();
      if (back) range.stop = max(places).item<std::int64_t>() + 1;
    }
    view = view.slice(d, range);
  }
  return view;
}

}  // namespace heddle
