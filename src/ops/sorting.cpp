#include <heddle/sorting.h>

#include <fmt/format.h>

#include "core/dtype.h"
#include "core/storage.h"
#include "graph/look.h"
#include "ops/creation.h"
#include "ops/elementwise.h"
#include "ops/order.h"
#include "ops/placement.h"
#include "ops/selection.h"
#include "ops/sorting.h"
#include "runtime/device.h"
#include "runtime/sorting.h"
#include <heddle/errors.h>
#include <heddle/indexing.h>
#include <heddle/manipulation.h>
#include <heddle/reductions.h>
#include <heddle/runtime.h>
#include <heddle/ufuncs.h>

namespace heddle {

namespace {

Buffer& memory_of(const array& a) { return look(*a.storage().value()); }

// Keys in memory, as the device takes them: along the last axis. They have to be dense and nobody
// else's.
Keys rows_of(const array& keys) {
  keys.eval();
  Keys rows;
  rows.buffer = &memory_of(keys);
  rows.width = itemsize(keys.dtype());
  rows.length = keys.ndim() == 0 ? 1 : keys.shape(-1);
  rows.rows = keys.size() / rows.length;
  return rows;
}

// The array itself where its memory has the elements one after the other and nothing else.
array as_rows(const array& a) {
  const Layout& layout = a.layout();
  const Value& value = *a.storage().value();
  const bool whole = layout.offset == 0 && is_c_contiguous(layout) && value.dtype == a.dtype();
  return whole ? a : dense(a, a.dtype());
}

array argsort_keys(const array& keys) {
  array positions = empty(keys.shape(), Dtype::int64, keys.device());
  keys.device().sorting().argsort(rows_of(keys), memory_of(positions));
  return positions;
}

// Along the last axis.
array argsort_rows(const array& a) {
  if (a.dtype() != Dtype::complex128) return argsort_keys(SortKeys(a, Zeros::equal).keys);
  auto [first, second] = complex_keys(a);
  array minor = argsort_keys(dense(second, second.dtype()));
  array major = take_in_rows(first, minor);
  return take_in_rows(minor, argsort_keys(dense(major, major.dtype())));
}

array sort_rows(const array& a) {
  if (is_complex(a.dtype())) return take_in_rows(a, argsort_rows(a));
  const SortKeys made(a, Zeros::distinct);
  a.device().sorting().sort(rows_of(made.keys));
  return made.values(made.keys);
}

// The elements of some ranks of one long row of complex numbers: those whose first keys have these
// ranks are few, and sorted.
array complex_statistics(const array& row, const Dims& ranks) {
  const array first = complex_keys(row).first;
  array keys = dense(first, first.dtype());
  row.device().sorting().select(rows_of(keys), std::span(ranks.begin(), ranks.end()));
  array places = to_device(array(std::span(ranks.begin(), ranks.end())), row.device());
  const array found = take(keys, places, 0);
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
  return take(sort_rows(few), places - concatenate(before), 0);
}

// Along the last axis, row by row where these are long and few elements are asked for.
array complex_statistics_of_rows(const array& a, const Dims& ranks) {
  constexpr std::int64_t long_row = 32 * 1024, few_ranks = 8;
  array places = to_device(array(std::span(ranks.begin(), ranks.end())), a.device());
  if (a.shape(-1) < long_row || ranks.size() > few_ranks) return take(sort_rows(a), places, -1);
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
  return along_axis("sort", a, axis, sort_rows);
}

array argsort(const array& a, std::int64_t axis) {
  return along_axis("argsort", a, axis, [](const array& x) {
    return x.size() == 0 ? empty(x.shape(), Dtype::int64, x.device()) : argsort_rows(x);
  });
}

array partition(const array& a, const Dims& ranks, std::int64_t axis) {
  axis = normalize_axis("partition", axis, a.ndim());
  if (is_complex(a.dtype()) || a.size() == 0) return sort(a, axis);
  check_ranks("partition", ranks, a.shape(axis));
  return along_axis("partition", a, axis, [&](const array& x) {
    const SortKeys made(x, Zeros::distinct);
    x.device().sorting().partition(rows_of(made.keys), std::span(ranks.begin(), ranks.end()));
    return made.values(made.keys);
  });
}

array argpartition(const array& a, const Dims& ranks, std::int64_t axis) {
  axis = normalize_axis("argpartition", axis, a.ndim());
  if (a.dtype() == Dtype::complex128 || a.size() == 0) return argsort(a, axis);
  check_ranks("argpartition", ranks, a.shape(axis));
  return along_axis("argpartition", a, axis, [&](const array& x) {
    array keys = SortKeys(x, Zeros::equal).keys;
    array positions = empty(keys.shape(), Dtype::int64, keys.device());
    keys.device().sorting().argpartition(rows_of(keys), std::span(ranks.begin(), ranks.end()),
                                         memory_of(positions));
    return positions;
  });
}

array order_statistics(const array& a, const Dims& ranks) {
  if (a.ndim() == 0) throw axis_error("order_statistics: a 0-d array has no axis");
  check_ranks("order_statistics", ranks, a.shape(-1));
  Dims shape = a.shape();
  shape.back() = ranks.size();
  if (size_of(shape) == 0) return empty(shape, a.dtype(), a.device());
  if (is_complex(a.dtype())) return complex_statistics_of_rows(a, ranks);
  array places = to_device(array(std::span(ranks.begin(), ranks.end())), a.device());
  const SortKeys made(a, Zeros::distinct);
  a.device().sorting().select(rows_of(made.keys), std::span(ranks.begin(), ranks.end()));
  array found = take(made.keys, places, -1);
  return made.values(dense(found, found.dtype()));
}

array searchsorted(const array& sorted, const array& values, bool right) {
  if (sorted.ndim() != 1) throw value_error("searchsorted: the sorted array has to be 1-d");
  if (sorted.dtype() != values.dtype() || sorted.dtype() == Dtype::complex128) {
    throw type_error(fmt::format("searchsorted: cannot search for {} in {}", name(values.dtype()),
                                 name(sorted.dtype())));
  }
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
  array row = searchable(sorted), wanted = searchable(values);
  array positions = empty(values.shape(), Dtype::int64, device);
  positions.storage().snapshot = values.ndim() == 0;
  const KeyMap map = by_keys ? KeyMap{} : key_map(sorted.dtype());
  device.sorting().search(rows_of(row), rows_of(wanted), map, right, memory_of(positions));
  return positions;
}

namespace {

// Bins in memory as unsigned integers; as narrow as may be where they are yet to be written.
array bins_in_memory(const array& bins, std::int64_t count) {
  if (!bins.pending() && is_integer(bins.dtype())) return as_rows(bins);
  return dense(bins, unsigned_type_of(static_cast<std::uint64_t>(count - 1)));
}

}  // namespace

array count_bins(const array& bins, std::int64_t count, const std::optional<array>& weights) {
  if (weights && weights->size() != bins.size()) {
    throw value_error("The weights and list don't have the same length.");
  }
  Device& device = bins.device();
  const Dtype dtype = weights ? Dtype::float64 : Dtype::int64;
  if (bins.size() == 0 || count == 0) return full({count}, 0, dtype, device);
  array places = bins_in_memory(bins, count);
  std::optional<array> summands;
  if (weights) {
    array there = on_device("bincount", *weights, device);
    summands = there.dtype() == Dtype::float64 ? as_rows(there) : dense(there, Dtype::float64);
    summands->eval();
  }
  array totals = empty({count}, dtype, device);
  device.sorting().count(rows_of(places), summands ? &memory_of(*summands) : nullptr,
                         memory_of(totals), count);
  return totals;
}

}  // namespace heddle
