/// @file
/// Sets: unique elements, and unions, intersections and differences of arrays taken as sets.
/// Results are sorted, 1-d, and depend on the elements, which are looked at.
///
///     auto [values, counts] = unique_counts(labels);
///     array known = isin(words, dictionary);
#pragma once

#include <optional>

#include <heddle/array.h>

namespace heddle {

/// What is wanted beside the unique elements.
struct UniqueOptions {
  bool index = false;                               ///< with the indices of first occurrences
  bool inverse = false;                             ///< with the indices that make the array again
  bool counts = false;                              ///< with how often each is there
  std::optional<std::int64_t> axis = std::nullopt;  ///< parts along an axis, in lexical order
  bool equal_nan = true;                            ///< all nans are one
};

/// Unique elements, sorted, with what was asked for.
struct Unique {
  array values;
  std::optional<array> index, inverse, counts;  ///< those that were asked for; int64
};
/// The unique elements, or parts along an axis, with what the options ask for.
HEDDLE_API Unique unique_with(const array& a, const UniqueOptions& how);
/// The unique elements alone.
HEDDLE_API array unique(const array& a, std::optional<std::int64_t> axis = std::nullopt,
                        bool equal_nan = true);

/// What `unique_all` gives.
struct UniqueAll {
  array values, indices, inverse_indices, counts;
};
/// What `unique_counts` gives.
struct UniqueCounts {
  array values, counts;
};
/// What `unique_inverse` gives.
struct UniqueInverse {
  array values, inverse_indices;
};
/// The array API standard's forms, in which nans differ.
HEDDLE_API UniqueAll unique_all(const array& a);
HEDDLE_API UniqueCounts unique_counts(const array& a);
HEDDLE_API UniqueInverse unique_inverse(const array& a);
HEDDLE_API array unique_values(const array& a);

/// How `isin` finds elements: by a table of all numbers between the least and the largest
/// (integers only), by sorting, or what is faster.
enum class Lookup : std::uint8_t { fastest, sort, table };
/// Whether each element is among the test elements; the other way round if `invert`.
HEDDLE_API array isin(const array& elements, const array& tests, bool invert = false,
                      Lookup how = Lookup::fastest);

/// The elements of both.
HEDDLE_API array union1d(const array& a, const array& b);
/// Those that are in both. `assume_unique`: no element is there twice.
HEDDLE_API array intersect1d(const array& a, const array& b, bool assume_unique = false);
/// Elements of two arrays, and where they are in each.
struct Intersection {
  array values, first, second;
};
/// Those that are in both, and where.
HEDDLE_API Intersection intersection(const array& a, const array& b, bool assume_unique = false);
/// Those that are in one of both, and not in the other.
HEDDLE_API array setxor1d(const array& a, const array& b, bool assume_unique = false);
/// Those of the first that are not in the second; in their order if they are assumed unique.
HEDDLE_API array setdiff1d(const array& a, const array& b, bool assume_unique = false);

}  // namespace heddle
