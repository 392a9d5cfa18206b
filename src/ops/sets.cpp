#include <heddle/sets.h>

#include <limits>

#include "core/dtype.h"
#include "ops/compose.h"
#include "ops/creation.h"
#include "ops/indexing.h"
#include "ops/sorting.h"
#include "ops/write.h"
#include <heddle/errors.h>
#include <heddle/manipulation.h>
#include <heddle/reductions.h>
#include <heddle/runtime.h>
#include <heddle/ufuncs.h>

namespace heddle {

namespace {

const Slice behind_first{1, {}}, before_last{{}, -1};

// Whether elements of a sorted array differ from the one before, from the second on.
array changes(const array& ordered, bool equal_nan = false) {
  const array before = ordered(before_last);
  array different = ordered(behind_first) != before;
  // Behind the first nan there are only nans.
  return equal_nan && has_nans(ordered) ? logical_and(different, logical_not(isnan(before)))
                                        : different;
}

// A mask of the first elements of all runs.
array firsts(const array& different) {
  array mask = empty({different.size() + 1}, Dtype::bool_, different.device());
  mask(Slice{0, 1}) = Scalar(true);
  write(mask(behind_first), different);
  return mask;
}

array inverse_of(const array& mask, const array& order) {
  array inverse = empty(order.shape(), Dtype::int64, order.device());
  inverse(order) = cumsum(mask, 0, Dtype::int64) - 1;
  return inverse;
}

// What is asked for of the runs that a mask begins; values(places) are those at their beginnings.
template <class F>
Unique runs(F values, const array& mask, const std::optional<array>& order,
            const UniqueOptions& how) {
  const array places = flat_nonzero(mask);
  Unique found{values(places), {}, {}, {}};
  if (how.index) found.index = take_in_rows(*order, places);
  if (how.counts) {
    const array end = full({1}, mask.size(), Dtype::int64, mask.device());
    found.counts = concatenate({places(behind_first), end}) - places;
  }
  if (how.inverse) found.inverse = inverse_of(mask, *order);
  return found;
}

Unique unique_parts(const array& a, std::int64_t axis, const UniqueOptions& how) {
  const array parts = moveaxis(a, axis, 0);
  const Dims& shape = parts.shape();
  const auto count = shape[0], width = count && a.size() ? a.size() / count : 0;
  const array rows = parts.reshape({count, width});
  std::vector<array> keys;
  for (auto i = width - 1; i >= 0; --i) keys.push_back(squeeze(rows.slice(1, Slice{i, i + 1}), 1));
  const array order = width ? lexsort(keys) : index_along({count}, 0, a.device());
  const array ordered = parts_at(rows, order, 0);
  const array mask =
      count ? firsts(any(ordered(behind_first) != ordered(before_last), Reduction{.axis = 1}))
            : empty({0}, Dtype::bool_, a.device());
  auto values = [&](const array& places) {
    Dims extents = shape;
    extents[0] = places.size();
    return moveaxis(parts_at(ordered, places, 0).reshape(extents), 0, axis);
  };
  return runs(values, mask, order, how);
}

}  // namespace

Unique unique_with(const array& a, const UniqueOptions& how) {
  if (how.axis) {
    const auto axis = normalize_axis("unique", *how.axis, a.ndim());
    if (a.ndim() > 1) return unique_parts(a, axis, how);
  }
  const array flat = ravel(a);
  if (flat.size() == 0) {
    const array none = empty({0}, Dtype::int64, flat.device());
    Unique found{dense(flat, flat.dtype()), {}, {}, {}};
    if (how.index) found.index = none;
    if (how.inverse) found.inverse = none.reshape(a.shape());
    if (how.counts) found.counts = none;
    return found;
  }
  std::optional<array> order;
  if (how.index || how.inverse) order = argsort(flat);
  const array ordered = order ? take_in_rows(flat, *order) : sort(flat);
  ordered.eval();
  const array mask = firsts(changes(ordered, how.equal_nan));
  auto values = [&](const array& places) { return take_in_rows(ordered, places); };
  Unique found = runs(values, mask, order, how);
  if (found.inverse) found.inverse = found.inverse->reshape(a.shape());
  return found;
}

array unique(const array& a, std::optional<std::int64_t> axis, bool equal_nan) {
  return unique_with(a, {.axis = axis, .equal_nan = equal_nan}).values;
}

UniqueAll unique_all(const array& a) {
  Unique found =
      unique_with(a, {.index = true, .inverse = true, .counts = true, .equal_nan = false});
  return {found.values, *found.index, *found.inverse, *found.counts};
}

UniqueCounts unique_counts(const array& a) {
  Unique found = unique_with(a, {.counts = true, .equal_nan = false});
  return {found.values, *found.counts};
}

UniqueInverse unique_inverse(const array& a) {
  Unique found = unique_with(a, {.inverse = true, .equal_nan = false});
  return {found.values, *found.inverse};
}

array unique_values(const array& a) { return unique(a, std::nullopt, false); }

// --- operations on sets ---

array union1d(const array& a, const array& b) { return unique(concatenate({ravel(a), ravel(b)})); }

namespace {

array as_set(const array& a, bool is_unique) { return is_unique ? ravel(a) : unique(a); }

}  // namespace

array intersect1d(const array& a, const array& b, bool assume_unique) {
  const array ordered = sort(concatenate({as_set(a, assume_unique), as_set(b, assume_unique)}));
  return ordered(before_last)(ordered(behind_first) == ordered(before_last)).get();
}

Intersection intersection(const array& a, const array& b, bool assume_unique) {
  Unique first{ravel(a), {}, {}, {}}, second{ravel(b), {}, {}, {}};
  if (!assume_unique) {
    first = unique_with(a, {.index = true});
    second = unique_with(b, {.index = true});
  }
  const array both = concatenate({first.values, second.values});
  const array order = argsort(both), ordered = take_in_rows(both, order);
  const array twice = ordered(behind_first) == ordered(before_last);
  array at_first = order(before_last)(twice).get();
  array at_second = order(behind_first)(twice).get() - first.values.size();
  if (!assume_unique) {
    at_first = take_in_rows(*first.index, at_first);
    at_second = take_in_rows(*second.index, at_second);
  }
  return {ordered(before_last)(twice).get(), at_first, at_second};
}

array setxor1d(const array& a, const array& b, bool assume_unique) {
  array both = concatenate({as_set(a, assume_unique), as_set(b, assume_unique)});
  if (both.size() == 0) return both;
  const array ordered = sort(both);
  array edges = full({both.size() + 1}, true, Dtype::bool_, both.device());
  write(edges(Slice{1, -1}), changes(ordered));
  return ordered(logical_and(edges(behind_first), edges(before_last))).get();
}

array setdiff1d(const array& a, const array& b, bool assume_unique) {
  const array first = as_set(a, assume_unique);
  return first(isin(first, assume_unique ? b : unique(b), true)).get();
}

// --- membership ---

namespace {

constexpr std::int64_t few = 8;  // comparisons in one kernel are faster than anything else

// The difference of integers, which may wrap around but fits once it is unsigned, as an index.
array distance_from(const array& numbers, const array& first) {
  const Dtype unsigned_type = type_of_width(itemsize(numbers.dtype()));
  return as_type(as_type(numbers - first, unsigned_type), Dtype::int64);
}

array found_in_table(const array& elements, const array& tests, const array& low, const array& high,
                     std::uint64_t span) {
  array table = full({static_cast<std::int64_t>(span) + 1}, false, Dtype::bool_, tests.device());
  table(distance_from(tests, low)) = Scalar(true);
  const array inside = logical_and(elements >= low, elements <= high);
  const array bounded = where(inside, as_type(elements, tests.dtype()), low);
  return logical_and(take_in_rows(table, distance_from(bounded, low)), inside);
}

array found_by_sorting(const array& elements, const array& tests) {
  const Input both[] = {elements, tests};
  const Dtype common = common_type(both);
  const array ordered = sort(as_type(tests, common)), wanted = as_type(elements, common);
  const array places = minimum(searchsorted(ordered, wanted), ordered.size() - 1);
  return take_in_rows(ordered, places) == wanted;
}

array as_integers(const array& a) { return a.dtype() == Dtype::bool_ ? cast(a, Dtype::uint8) : a; }

array found_among(const array& elements, const array& tests, Lookup how, bool integers) {
  if (tests.size() == 0 || elements.size() == 0) {
    return full(elements.shape(), false, Dtype::bool_, elements.device());
  }
  if (how == Lookup::fastest && tests.size() <= few) {
    array found = elements == tests[0];
    for (std::int64_t i = 1; i < tests.size(); ++i) found = found | (elements == tests[i]);
    return found;
  }
  if (!integers || how == Lookup::sort) return found_by_sorting(elements, tests);
  const array numbers = as_integers(tests);
  const array low = min(numbers), high = max(numbers);
  const array ends[] = {low, high};
  eval(ends);
  const bool is_unsigned = kind(numbers.dtype()) == Kind::unsigned_integer;
  auto bits = [&](const array& a) {
    return is_unsigned ? a.item<std::uint64_t>()
                       : static_cast<std::uint64_t>(a.item<std::int64_t>());
  };
  const std::uint64_t span = bits(high) - bits(low);
  const auto largest = std::numeric_limits<std::uint64_t>::max() >>
                       (64 - 8 * itemsize(numbers.dtype()) + (is_unsigned ? 0 : 1));
  const bool fits = span <= largest && span < std::uint64_t{1} << 62;
  const auto worthwhile = static_cast<std::uint64_t>(6 * (tests.size() + elements.size()));
  if (fits && (how == Lookup::table || span <= worthwhile)) {
    return found_in_table(as_integers(elements), numbers, low, high, span);
  }
  if (how == Lookup::table) {
    throw error(
        "You have specified kind='table', but the range of values in `ar2` or `ar1` exceed the "
        "maximum integer of the datatype. Please set `kind` to None or 'sort'.");
  }
  return found_by_sorting(elements, tests);
}

}  // namespace

array isin(const array& elements, const array& tests, bool invert, Lookup how) {
  const bool integers = !is_inexact(elements.dtype()) && !is_inexact(tests.dtype());
  if (how == Lookup::table && !integers) {
    throw value_error(
        "The 'table' method is only supported for boolean or integer arrays. Please select 'sort' "
        "or None for kind.");
  }
  const array found = found_among(elements, ravel(tests), how, integers);
  return invert ? logical_not(found) : found;
}

}  // namespace heddle
