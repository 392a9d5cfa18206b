#include <heddle/sorting.h>

#include <fmt/format.h>

#include "core/dtype.h"
#include "graph/graph.h"
#include "graph/node.h"
#include "graph/recorder.h"
#include "graph/storage.h"
#include "ops/compose.h"
#include "ops/creation.h"
#include "ops/elementwise.h"
#include "ops/order.h"
#include "ops/placement.h"
#include "ops/selection.h"
#include "ops/sort_steps.h"
#include "ops/sorting.h"
#include "runtime/device.h"
#include <heddle/errors.h>
#include <heddle/indexing.h>
#include <heddle/manipulation.h>
#include <heddle/reductions.h>
#include <heddle/runtime.h>
#include <heddle/statistics.h>
#include <heddle/ufuncs.h>

namespace heddle {

namespace {

// The array itself where its memory has the elements one after the other and nothing else.
array as_rows(const array& a) {
  const Layout& layout = a.layout();
  const Ref<Value> held = a.storage().value();
  const Value& value = *held;
  const bool whole = layout.offset == 0 && is_c_contiguous(layout) && value.dtype == a.dtype();
  return whole ? a : dense(a, a.dtype());
}

bool sorts_elements(const array& a) { return a.device().sorting().sorts_elements(); }

// Along the last axis.
array argsort_rows(const array& a) {
  if (sorts_elements(a)) {
    return steps::argsort_elements(as_rows(a), key_map(a.dtype()), a.ndim() - 1);
  }
  if (a.dtype() != Dtype::complex128) return steps::argsort(SortKeys(a, Zeros::equal).keys);
  auto [first, second] = complex_keys(a);
  array minor = steps::argsort(dense(second, second.dtype()));
  array major = take_in_rows(first, minor);
  return take_in_rows(minor, steps::argsort(dense(major, major.dtype())));
}

array sort_rows(const array& a) {
  // Keys are bits, which have no derivative; places do not need one.
  if (differentiated()) return take_in_rows(a, argsort_rows(a));
  if (sorts_elements(a)) {
    return steps::sort_elements(as_rows(a), key_map(a.dtype()), a.ndim() - 1);
  }
  if (is_complex(a.dtype())) return take_in_rows(a, argsort_rows(a));
  SortKeys made(a, Zeros::distinct);
  return made.values(steps::sort(std::move(made.keys)));
}

// The elements at places along the last axis, the same for all rows, which are known to be there.
array take_places(const array& a, const array& places) {
  std::vector<IndexItem> items(static_cast<std::size_t>(a.ndim() - 1), index_item(Slice{}));
  items.push_back(index_item(places));
  items.back().in_bounds = true;
  return get_item(a, items);
}

// The elements of some ranks of one long row of complex numbers: those whose first keys have these
// ranks are few, and sorted.
array complex_statistics(const array& row, const Dims& ranks) {
  const array first = complex_keys(row).first;
  array keys = steps::select(dense(first, first.dtype()), ranks);
  array places = to_device(array(std::span(ranks.begin(), ranks.end())), row.device());
  const array found = take_places(keys, places);
  std::vector<array> before;  // how many are before those with the same first key
  std::optional<array> chosen;
  for (std::int64_t i = 0; i < ranks.size(); ++i) {
    const array one = found.slice(0, Slice{i, i + 1});
    before.push_back(sum(less(first, one), {.keepdims = true}));
    chosen = chosen ? logical_or(*chosen, equal(first, one)) : equal(first, one);
  }
  eval(before);
  const array few = select_elements(row, *chosen);
  const array few_first = complex_keys(few).first;
  for (std::int64_t i = 0; i < ranks.size(); ++i) {
    array& skipped = before[static_cast<std::size_t>(i)];
    skipped = skipped - sum(less(few_first, found.slice(0, Slice{i, i + 1})), {.keepdims = true});
  }
  return take_places(sort_rows(few), places - concatenate(before));
}

// Along the last axis, row by row where these are long and few elements are asked for.
array complex_statistics_of_rows(const array& a, const Dims& ranks) {
  constexpr std::int64_t long_row = 32 * 1024, few_ranks = 8;
  array places = to_device(array(std::span(ranks.begin(), ranks.end())), a.device());
  if (a.shape(-1) < long_row || ranks.size() > few_ranks) return take_places(sort_rows(a), places);
  if (a.ndim() == 1) return complex_statistics(a, ranks);
  const array rows = a.reshape({-1, a.shape(-1)});
  std::vector<array> found;
  for (std::int64_t i = 0; i < rows.shape(0); ++i) {
    found.push_back(complex_statistics(rows.slice(0, Slice{i, i + 1}).reshape({-1}), ranks));
  }
  Dims shape = a.shape();
  shape.back() = ranks.size();
  return concatenate(found).reshape(shape);
}

void check_ranks(const char* op, const Dims& ranks, std::int64_t extent) {
  for (std::int64_t i = 0; i < ranks.size(); ++i) {
    if (ranks[i] < (i == 0 ? 0 : ranks[i - 1]) || ranks[i] >= extent) {
      throw value_error(fmt::format("{}: ranks {} have to ascend and be less than {}", op,
                                    to_string(ranks), extent));
    }
  }
}

// f(rows) along the last axis, which is `axis` of the array and of the result.
template <class F>
array along_axis(const char* op, const array& a, std::int64_t axis, F f) {
  axis = normalize_axis(op, axis, a.ndim());
  if (axis == a.ndim() - 1) return f(a);
  array moved = moveaxis(f(moveaxis(a, axis, -1)), -1, axis);
  return dense(moved, moved.dtype());
}

}  // namespace

array take_in_rows(const array& a, const array& indices) {
  std::vector<IndexItem> items;
  auto add = [&](const array& along) {
    items.push_back(index_item(along));
    items.back().in_bounds = true;
  };
  for (std::int64_t d = 0; d + 1 < a.ndim(); ++d) {
    Dims extents(indices.ndim(), 1);
    extents[d] = indices.shape()[d];
    add(index_along(extents, d, a.device()));
  }
  add(indices);
  return get_item(a, items);
}

array sort(const array& a, std::int64_t axis) {
  if (a.size() == 0)
    return along_axis("sort", a, axis, [](const array& x) { return dense(x, x.dtype()); });
  if (differentiated() || !sorts_elements(a)) return along_axis("sort", a, axis, sort_rows);
  axis = normalize_axis("sort", axis, a.ndim());
  return steps::sort_elements(as_rows(a), key_map(a.dtype()), axis);
}

array argsort(const array& a, std::int64_t axis) {
  axis = normalize_axis("argsort", axis, a.ndim());
  if (a.size() == 0) return empty(a.shape(), Dtype::int64, a.device());
  if (!sorts_elements(a)) return along_axis("argsort", a, axis, argsort_rows);
  return steps::argsort_elements(as_rows(a), key_map(a.dtype()), axis);
}

array partition(const array& a, const Dims& ranks, std::int64_t axis) {
  axis = normalize_axis("partition", axis, a.ndim());
  if (a.size() == 0 || differentiated()) return sort(a, axis);
  check_ranks("partition", ranks, a.shape(axis));
  if (sorts_elements(a)) {
    return steps::partition_elements(as_rows(a), key_map(a.dtype()), axis, ranks);
  }
  if (is_complex(a.dtype())) return sort(a, axis);
  return along_axis("partition", a, axis, [&](const array& x) {
    SortKeys made(x, Zeros::distinct);
    return made.values(steps::partition(std::move(made.keys), ranks));
  });
}

array argpartition(const array& a, const Dims& ranks, std::int64_t axis) {
  axis = normalize_axis("argpartition", axis, a.ndim());
  if (a.size() == 0) return argsort(a, axis);
  check_ranks("argpartition", ranks, a.shape(axis));
  if (sorts_elements(a)) {
    return steps::argpartition_elements(as_rows(a), key_map(a.dtype()), axis, ranks);
  }
  if (a.dtype() == Dtype::complex128) return argsort(a, axis);
  return along_axis("argpartition", a, axis, [&](const array& x) {
    return steps::argpartition(SortKeys(x, Zeros::equal).keys, ranks);
  });
}

array order_statistics(const array& a, const Dims& ranks) {
  if (a.ndim() == 0) throw axis_error("order_statistics: a 0-d array has no axis");
  check_ranks("order_statistics", ranks, a.shape(-1));
  Dims shape = a.shape();
  shape.back() = ranks.size();
  if (size_of(shape) == 0) return empty(shape, a.dtype(), a.device());
  if (is_complex(a.dtype())) return complex_statistics_of_rows(a, ranks);
  if (differentiated()) {
    const array order = argsort_rows(a);
    std::vector<array> found;
    for (auto rank : ranks) found.push_back(order.slice(-1, Slice{rank, rank + 1}));
    return take_in_rows(a, concatenate(found, -1));
  }
  array places = to_device(array(std::span(ranks.begin(), ranks.end())), a.device());
  SortKeys made(a, Zeros::distinct);
  array found = take_places(steps::select(std::move(made.keys), ranks), places);
  return made.values(dense(found, found.dtype()));
}

array sort_complex(const array& a) {
  array ordered = sort(a);
  if (is_complex(ordered.dtype())) return ordered;
  const bool narrow = is_integer(ordered.dtype()) && itemsize(ordered.dtype()) <= 2;
  return cast(ordered, narrow ? Dtype::complex64 : Dtype::complex128);
}

array lexsort(const std::vector<array>& keys, std::int64_t axis) {
  if (keys.empty()) throw type_error("need sequence of keys with len > 0 in lexsort");
  for (const array& key : keys) {
    if (key.shape() != keys[0].shape()) throw value_error("all keys need to be the same shape");
  }
  if (keys[0].ndim() == 0) {
    normalize_axis("lexsort", axis, 1);
    return array(Scalar(0), Dtype::int64);
  }
  axis = normalize_axis("lexsort", axis, keys[0].ndim());
  array order = argsort(keys[0], axis);
  for (std::size_t i = 1; i < keys.size(); ++i) {
    order = along(order, argsort(along(keys[i], order, axis), axis), axis);
  }
  return order;
}

array mirrored(const array& a) { return is_inexact(a.dtype()) ? negative(a) : invert(a); }

TopK topk(const array& a, std::int64_t k, std::int64_t given_axis, bool largest) {
  const auto [rows, axis] = one_axis("topk", a, given_axis);
  const auto extent = rows.shape()[axis];
  if (k < 0 || k > extent) {
    throw value_error(fmt::format(
        "topk: there are {} elements along axis {}: k has to be between 0 and {} (got {})", extent,
        axis, extent, k));
  }
  const array keys = largest ? mirrored(rows) : rows;
  // Chosen first, then sorted: much less work where there are few.
  const Dims ranks = k > 0 && k < extent ? Dims{k - 1} : Dims{};
  const array chosen = argpartition(keys, ranks, axis).slice(axis, Slice{0, k});
  const array indices = along(chosen, argsort(along(keys, chosen, axis), axis), axis);
  return {along(rows, indices, axis), indices};
}

namespace {

// Sorts both together: a value's place is the number of elements before it.
array search_by_sorting(const array& sorted, const array& values, bool right) {
  const array flat = ravel(values);
  // Stable: those that come first stay before what is equal to them.
  const array order = argsort(right ? concatenate({sorted, flat}) : concatenate({flat, sorted}));
  const array is_value = right ? order >= sorted.size() : order < flat.size();
  const array before = cumsum(logical_not(is_value), 0, Dtype::int64);
  array result = empty({flat.size()}, Dtype::int64, flat.device());
  result(order(is_value).get() - (right ? sorted.size() : 0)) = before(is_value).get();
  return result.reshape(values.shape());
}

}  // namespace

array searchsorted(const array& sorted, const array& values, bool right) {
  check_vector(sorted);
  if (sorted.dtype() != values.dtype()) {
    const Input inputs[] = {sorted, values};
    const Dtype common = common_type(inputs);
    return searchsorted(as_type(sorted, common), as_type(values, common), right);
  }
  if (sorted.dtype() == Dtype::complex128) return search_by_sorting(sorted, values, right);
  Input both[] = {sorted, values};
  Device& device = common_device("searchsorted", both);
  if (sorted.size() == 0 || values.size() == 0)
    return full(values.shape(), 0, Dtype::int64, device);
  // Keys of halves are faster to compare; making them is worth it where most are looked at.
  const bool by_keys = is_complex(sorted.dtype()) ||
                       (itemsize(sorted.dtype()) == 2 && values.size() > sorted.size() / 16);
  auto searchable = [&](const array& a) {
    array there = on_device("searchsorted", a, device);
    return by_keys ? keys_of(there, Zeros::equal) : as_rows(there);
  };
  return steps::search(searchable(sorted), searchable(values),
                       by_keys ? KeyMap{} : key_map(sorted.dtype()), right);
}

namespace {

// Whether a value is in memory, or will be there whatever reads it.
bool is_memory(const Value& value) {
  if (value.computed()) return true;
  std::lock_guard lock(*value.graph());
  const Node* node = value.node();
  return !node || node->kind == NodeKind::library;
}

// Bins as unsigned integers; as narrow as may be where they are yet to be written.
array bins_in_memory(const array& bins, std::int64_t count) {
  if (is_integer(bins.dtype()) && is_memory(*bins.storage().value())) return as_rows(bins);
  return dense(bins, unsigned_type_of(static_cast<std::uint64_t>(count - 1)));
}

}  // namespace

array count_bins(const array& bins, std::int64_t count, const std::optional<array>& weights) {
  if (weights && is_complex(weights->dtype())) {
    throw type_error(fmt::format("bincount: weights cannot be cast safely from {} to float64",
                                 name(weights->dtype())));
  }
  if (weights && weights->size() != bins.size()) {
    throw value_error("The weights and list don't have the same length.");
  }
  Device& device = bins.device();
  const Dtype dtype = weights ? Dtype::float64 : Dtype::int64;
  if (bins.size() == 0 || count == 0) return full({count}, 0, dtype, device);
  std::optional<array> summands;
  if (weights) {
    array there = on_device("bincount", *weights, device);
    summands = there.dtype() == Dtype::float64 ? as_rows(there) : dense(there, Dtype::float64);
  }
  return steps::count(bins_in_memory(bins, count), summands, count);
}

array digitize(const array& x, const array& bins, bool right) {
  if (is_complex(x.dtype())) throw type_error("x may not be complex");
  if (is_complex(bins.dtype())) {
    throw type_error(fmt::format(
        "Cannot cast array data from dtype('{}') to dtype('float64') according to the rule 'safe'",
        name(bins.dtype())));
  }
  check_vector(bins);
  const array after = bins.slice(0, Slice{1, {}}), before = bins.slice(0, Slice{{}, -1});
  const array found[] = {any(after > before), any(after < before), all(after == before)};
  eval(found);
  const bool rises = found[0].item<bool>(), falls = found[1].item<bool>();
  if (rises && falls) throw value_error("bins must be monotonically increasing or decreasing");
  // As NumPy: what neither rises nor stays the same falls; such are nans.
  if (falls || !(rises || found[2].item<bool>())) {
    return bins.size() - searchsorted(flip(bins), x, !right);
  }
  return searchsorted(bins, x, !right);
}

}  // namespace heddle
