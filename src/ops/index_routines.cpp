#include <heddle/index_routines.h>

#include <algorithm>

#include <fmt/format.h>

#include "ops/compose.h"
#include "ops/creation.h"
#include "ops/deferred.h"
#include "ops/indexing.h"
#include "ops/reported.h"
#include "ops/sorting.h"
#include "ops/write.h"
#include <heddle/errors.h>
#include <heddle/manipulation.h>
#include <heddle/runtime.h>
#include <heddle/ufuncs.h>

namespace heddle {

namespace {

array truth(const array& a) { return a.dtype() == Dtype::bool_ ? a : a != Scalar(0); }

// Indices of any integer type, or bool.
array as_index(const char* op, const array& a) {
  if (!can_cast(a.dtype(), Dtype::int64, Casting::safe)) {
    throw type_error(fmt::format(
        "Cannot cast array data from dtype('{}') to dtype('int64') according to the rule 'safe' "
        "({})",
        name(a.dtype()), op));
  }
  return as_type(a, Dtype::int64);
}

// Indices after the mode: `raise` leaves the check to whoever uses them.
array moded(const array& indices, std::int64_t extent, OutOfRange mode) {
  if (mode == OutOfRange::wrap) return extent ? remainder(indices, extent) : indices;
  if (mode == OutOfRange::clip) return minimum(maximum(indices, 0), extent - 1);
  return indices;
}

// Whether the host sees that all are indices of an axis: it looks faster than it divides.
bool stay_inside(const array& indices, std::int64_t extent) {
  if (is_unknown(indices)) return false;
  if (runs_behind(indices) || indices.size() == 0) return false;
  const array ends[] = {min(indices), max(indices)};
  eval(ends);
  return ends[0].item<std::int64_t>() >= -extent && ends[1].item<std::int64_t>() < extent;
}

std::vector<IndexItem> items_along(std::int64_t axis, const array& index) {
  std::vector<IndexItem> items(static_cast<std::size_t>(axis), index_item(Slice{}));
  items.push_back(index_item(index));
  return items;
}

std::vector<IndexItem> items_of(const std::vector<array>& indices) {
  std::vector<IndexItem> items;
  for (const array& index : indices) items.push_back(index_item(index));
  return items;
}

}  // namespace

// --- finding ---

array flatnonzero(const array& a) { return flat_nonzero(truth(a)); }

array argwhere(const array& a) {
  if (a.ndim() == 0) return empty({truth(a).item<bool>() ? 1 : 0, 0}, Dtype::int64, a.device());
  const auto found = nonzero(truth(a));
  array result = empty({found[0].size(), a.ndim()}, Dtype::int64, a.device());
  for (std::int64_t d = 0; d < a.ndim(); ++d) {
    write(result(Slice{}, d), found[static_cast<std::size_t>(d)]);
  }
  return result;
}

// --- picking ---

array take(const array& a, const array& given, std::optional<std::int64_t> axis, OutOfRange mode) {
  const auto [rows, d] = one_axis("take", a, axis);
  array indices = as_index("take", given);
  const auto extent = rows.shape()[d];
  Dims shape;
  for (std::int64_t i = 0; i < d; ++i) shape.push_back(rows.shape()[i]);
  const auto before = size_of(shape);
  for (auto n : indices.shape()) shape.push_back(n);
  for (auto i = d + 1; i < rows.ndim(); ++i) shape.push_back(rows.shape()[i]);
  const bool nothing = size_of(shape) == 0;
  if (extent == 0 && !nothing) {
    throw index_error("cannot do a non-empty take from an empty axes.");
  }
  if (mode != OutOfRange::wrap || !stay_inside(indices, extent)) {
    indices = moded(indices, extent, mode);
  }
  const array flat = ravel(indices);
  if (nothing) {
    // NumPy looks at no index where there is nothing before them.
    if (before && mode == OutOfRange::raise) check_indices(flat, d, extent);
    return empty(shape, a.dtype(), a.device());
  }
  if (rows.ndim() == 1 && mode != OutOfRange::raise) {  // nothing is left to check
    return take_in_rows(rows, flat).reshape(shape);
  }
  return get_item(rows, items_along(d, flat)).reshape(shape);
}

namespace {

std::vector<IndexItem> items_in_rows(const char* op, const array& a, const array& indices,
                                     std::int64_t axis) {
  if (!is_integer(indices.dtype())) throw index_error("`indices` must be an integer array");
  axis = normalize_axis(op, axis, a.ndim());
  if (indices.ndim() != a.ndim()) {
    throw value_error("`indices` and `arr` must have the same number of dimensions");
  }
  std::vector<IndexItem> items;
  for (std::int64_t d = 0; d < a.ndim(); ++d) {
    Dims shape(a.ndim(), 1);
    shape[d] = a.shape()[d];
    items.push_back(index_item(d == axis ? indices : index_along(shape, d, a.device())));
  }
  return items;
}

}  // namespace

array take_along_axis(const array& a, const array& indices, std::int64_t axis) {
  return get_item(a, items_in_rows("take_along_axis", a, indices, axis));
}

namespace {

// All in their common type.
std::vector<array> in_common_type(const std::vector<array>& arrays) {
  const std::vector<Input> inputs(arrays.begin(), arrays.end());
  const Dtype type = common_type(inputs);
  std::vector<array> made;
  for (const array& a : arrays) made.push_back(as_type(a, type));
  return made;
}

}  // namespace

array choose(const array& given, const std::vector<array>& choices, OutOfRange mode) {
  if (choices.empty()) throw value_error("choices must not be empty");
  const auto count = static_cast<std::int64_t>(choices.size());
  const auto options = in_common_type(choices);
  array which = as_index("choose", given);
  Dims shape = which.shape();
  for (const array& option : options) shape = broadcast_shapes("choose", shape, option.shape());
  if (mode == OutOfRange::raise) {
    which = refused_where<value_error>(logical_or(which < 0, which >= count), which,
                                       "invalid entry in choice array", "choose");
  }
  which = moded(which, count, mode);
  array result = options.back();
  for (auto i = count - 2; i >= 0; --i) {
    result = where(which == i, options[static_cast<std::size_t>(i)], result);
  }
  return count == 1 ? where(which == 0, result, result) : result;
}

array compress(const array& condition, const array& a, std::optional<std::int64_t> axis) {
  if (condition.ndim() != 1) throw value_error("condition must be a 1-d array");
  const auto [rows, d] = one_axis("compress", a, axis);
  // A shorter one says nothing of the rest.
  if (rows.shape()[d] != condition.size()) return take(rows, flatnonzero(condition), d);
  return get_item(rows, items_along(d, truth(condition)));
}

array extract(const array& condition, const array& a) { return compress(ravel(condition), a); }

array select(const std::vector<array>& conditions, const std::vector<array>& choices,
             const array& otherwise) {
  if (conditions.size() != choices.size()) {
    throw value_error("list of cases must be same length as list of conditions");
  }
  if (conditions.empty()) {
    throw value_error("select with an empty condition list is not possible");
  }
  for (std::size_t i = 0; i < conditions.size(); ++i) {
    if (conditions[i].dtype() == Dtype::bool_) continue;
    throw type_error(fmt::format("invalid entry {} in condlist: should be boolean ndarray", i));
  }
  std::vector<array> all = choices;
  all.push_back(otherwise);
  all = in_common_type(all);
  Dims shape = all.back().shape();
  array result = all.back();
  for (std::size_t i = conditions.size(); i-- > 0;) {
    shape = broadcast_shapes("select", shape, conditions[i].shape());
    shape = broadcast_shapes("select", shape, all[i].shape());
    result = where(conditions[i], all[i], result);
  }
  return result.shape() == shape ? result : dense(result.broadcast_to(shape), result.dtype());
}

// --- writing ---

void copyto(const array& to, const array& from, const std::optional<array>& mask) {
  if (mask) {
    write_where(to, from, *mask);
  } else {
    write(to, from);
  }
}

namespace {

// The values in one dimension, repeated as often as it takes.
array cycled(const array& values, std::int64_t count) {
  array flat = ravel(values);
  if (flat.size() == 1 || flat.size() == count) return flat;
  return take_in_rows(flat, remainder(index_along({count}, 0, values.device()), flat.size()));
}

Dims flat_strides(const Dims& shape, bool columns) {
  Dims steps(shape.size());
  std::int64_t step = 1;
  for (std::int64_t i = 0; i < shape.size(); ++i) {
    const auto d = columns ? i : shape.size() - 1 - i;
    steps[d] = step;
    if (__builtin_mul_overflow(step, shape[d], &step)) {
      throw value_error(
          "invalid dims: array size defined by dims is larger than the maximum possible size.");
    }
  }
  return steps;
}

std::vector<array> unravelled(const array& indices, const Dims& shape, bool columns) {
  const Dims steps = flat_strides(shape, columns);
  std::vector<array> found;
  for (std::int64_t d = 0; d < shape.size(); ++d) {
    found.push_back(remainder(floor_divide(indices, steps[d]), shape[d]));
  }
  return found;
}

// Writes at indices into the flattened array, whose elements may be anywhere.
void put_flat(const array& a, const array& indices, array values) {
  if (auto layout = reshape_layout(a.layout(), {a.size()})) {
    set_item(a.view_as(*std::move(layout), a.dtype()), items_of({indices}), std::move(values));
    return;
  }
  const auto extent = a.size();
  array places = refused_where<index_error>(
      logical_or(indices < -extent, indices >= extent), indices,
      fmt::format("index is out of bounds for axis 0 with size {}", extent), "put");
  places = where(places < 0, places + extent, places);
  set_item(a, items_of(unravelled(places, a.shape(), false)), std::move(values));
}

}  // namespace

void put(const array& a, const array& given, const array& values, OutOfRange mode) {
  const array indices = ravel(as_index("put", given));
  if (indices.size() > 0 && a.size() == 0) {
    throw index_error("cannot replace elements of an empty array");
  }
  if (indices.size() == 0 || values.size() == 0) return;
  put_flat(a, moded(indices, a.size(), mode), cycled(as_type(values, a.dtype()), indices.size()));
}

void put_along_axis(const array& a, const array& indices, const array& values, std::int64_t axis) {
  set_item(a, items_in_rows("put_along_axis", a, indices, axis), values);
}

void place(const array& a, const array& mask, const array& values) {
  if (mask.size() != a.size()) throw value_error("place: mask and data must be the same size");
  if (is_stand_in(mask) && values.size() > 0) {
    // Nobody can count what is true in each row: each element takes the value of its rank.
    const array flags = ravel(truth(mask));
    const array ranks = maximum(cumsum(flags, 0, Dtype::int64) - 1, 0);
    const array given = take(ravel(as_type(values, a.dtype())), ranks % values.size());
    return write_where(a, given.reshape(a.shape()), flags.reshape(a.shape()));
  }
  const array indices = flatnonzero(mask);
  if (indices.size() == 0) return;
  if (values.size() == 0) throw value_error("Cannot insert from an empty array!");
  put(a, indices, ravel(values).slice(0, Slice{0, indices.size()}));
}

void putmask(const array& a, const array& mask, const array& values) {
  if (mask.size() != a.size()) throw value_error("putmask: mask and data must be the same size");
  if (values.size() == 0) return;
  const array all = cycled(as_type(values, a.dtype()), a.size());
  write_where(a, all.reshape(all.size() == a.size() ? a.shape() : Dims{}),
              truth(mask).reshape(a.shape()));
}

void fill_diagonal(const array& a, const array& value, bool wrap) {
  if (a.ndim() < 2) throw value_error("array must be at least 2-d");
  std::int64_t step = 0, end = a.size();
  if (a.ndim() == 2) {
    step = a.shape(1) + 1;
    if (!wrap) end = std::min(end, a.shape(1) * a.shape(1));
  } else {
    for (auto extent : a.shape()) {
      if (extent == a.shape(0)) continue;
      throw value_error("All dimensions of input must be of equal length");
    }
    for (auto each : flat_strides(a.shape(), false)) step += each;
  }
  if (a.ndim() == 2 && !wrap && value.size() == 1) {
    write(diagonal(a), value.reshape({}));
  } else if (end > 0) {
    const auto count = (end + step - 1) / step;
    put(a, index_along({count}, 0, a.device()) * step, value);
  }
}

// --- index arrays ---

std::vector<array> ix_(const std::vector<array>& given) {
  const auto rank = static_cast<std::int64_t>(given.size());
  std::vector<array> found;
  for (std::int64_t d = 0; d < rank; ++d) {
    array index = given[static_cast<std::size_t>(d)];
    if (index.ndim() != 1) throw value_error("Cross index must be 1 dimensional");
    if (index.dtype() == Dtype::bool_) index = flat_nonzero(index);
    Dims shape(rank, 1);
    shape[d] = index.size();
    found.push_back(index.reshape(shape));
  }
  return found;
}

array ravel_multi_index(const std::vector<array>& indices, const Dims& shape, OutOfRange mode,
                        bool columns) {
  return ravel_multi_index(indices, shape, std::vector<OutOfRange>(indices.size(), mode), columns);
}

array ravel_multi_index(const std::vector<array>& indices, const Dims& shape,
                        const std::vector<OutOfRange>& modes, bool columns) {
  const Dims steps = flat_strides(shape, columns);
  if (static_cast<std::int64_t>(indices.size()) != shape.size()) {
    throw value_error(
        fmt::format("parameter multi_index must be a sequence of length {}", shape.size()));
  }
  std::vector<Dims> shapes;
  for (const array& index : indices) shapes.push_back(index.shape());
  const bool none = size_of(broadcast_shapes(shapes)) == 0;  // nothing that could be out of range
  std::optional<array> result;
  for (std::int64_t d = 0; d < shape.size(); ++d) {
    const auto at = static_cast<std::size_t>(d);
    array part = indices[at];
    if (is_inexact(part.dtype())) throw type_error("only int indices permitted");
    part = as_type(part, Dtype::int64);
    if (shape[d] == 0 && !none) {
      throw value_error("cannot unravel if shape has zero entries (is empty).");
    }
    if (modes[at] == OutOfRange::raise && !none) {
      part = refused_where<value_error>(logical_or(part < 0, part >= shape[d]), part,
                                        "invalid entry in coordinates array", "ravel_multi_index");
    }
    part = moded(part, shape[d], modes[at]) * steps[d];
    result = result ? *result + part : part;
  }
  return result ? *result : array(Scalar(0), Dtype::int64);
}

std::vector<array> unravel_index(const array& given, const Dims& shape, bool columns) {
  flat_strides(shape, columns);
  if (is_inexact(given.dtype())) throw type_error("only int indices permitted");
  array indices = as_type(given, Dtype::int64);
  const auto count = size_of(shape);
  const array outside = logical_or(indices < 0, indices >= count);
  const auto text = fmt::format("is out of bounds for array with size {}", count);
  if (runs_behind(indices)) {
    indices = refused_where<value_error>(outside, indices, "an index " + text, "unravel_index");
  } else if (is_true_anywhere(outside)) {
    const array wrong = ravel(indices)(ravel(outside)).get();
    throw value_error(fmt::format("index {} {}", wrong[0].item<std::int64_t>(), text));
  }
  if (shape.empty() && indices.ndim() > 0) {
    throw value_error("multiple indices are not supported for 0d arrays");
  }
  if (count == 0) return {static_cast<std::size_t>(shape.size()), indices};
  return unravelled(indices, shape, columns);
}

}  // namespace heddle
