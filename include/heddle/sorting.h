/// @file
/// Sorting, searching and partitioning, deferred. The order is NumPy's: ascending, nan last,
/// complex numbers by real and then imaginary part. Counting and unique elements are in
/// statistics.h and sets.h.
///
///     array order = argsort(scores);
///     auto [best, where_from] = topk(scores, 10);
#pragma once

#include <optional>
#include <vector>

#include <heddle/array.h>

namespace heddle {

/// A sorted copy, along an axis.
HEDDLE_API array sort(const array& a, std::int64_t axis = -1);
/// The same as complex numbers.
HEDDLE_API array sort_complex(const array& a);
/// The indices (int64) that would sort, along an axis; equal elements keep their order.
HEDDLE_API array argsort(const array& a, std::int64_t axis = -1);
/// The indices that sort by several keys of one shape: by the last one, ties by the one before.
HEDDLE_API array lexsort(const std::vector<array>& keys, std::int64_t axis = -1);

/// Elements, and where they were.
struct TopK {
  array values, indices;
};
/// The k largest elements along an axis, the largest first, and where they are; or the smallest,
/// the smallest first. nan comes after all numbers in both. NumPy has no such function.
HEDDLE_API TopK topk(const array& a, std::int64_t k, std::int64_t axis = -1, bool largest = true);
/// A copy in which `ranks` along an axis have what sorting would put there, with what is not
/// greater before and what is not less behind. The ranks ascend.
HEDDLE_API array partition(const array& a, const Dims& ranks, std::int64_t axis = -1);
/// The indices (int64) that would do so.
HEDDLE_API array argpartition(const array& a, const Dims& ranks, std::int64_t axis = -1);
/// The elements that sorting along the last axis would put at `ranks`, which ascend.
HEDDLE_API array order_statistics(const array& a, const Dims& ranks);

/// Where each of `values` would have to go in the ascending 1-d array: before equal elements, or
/// after them if `right`. Both are compared in their common type.
HEDDLE_API array searchsorted(const array& sorted, const array& values, bool right = false);

/// How often 0, 1, ... count - 1 are among the bins (integers), as int64; or the sums, as float64,
/// of the weights that go with them. All bins have to be in [0, count).
HEDDLE_API array count_bins(const array& bins, std::int64_t count,
                            const std::optional<array>& weights = std::nullopt);

}  // namespace heddle
