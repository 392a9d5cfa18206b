// Sorting, searching and counting as steps of the graph: one primitive for each thing that a device
// does with keys (runtime/sorting.h), and the function that makes its node.
#pragma once

#include <optional>

#include "runtime/sorting.h"
#include <heddle/array.h>

namespace heddle::steps {

// Every row of keys along the last axis; there have to be some. Keys (ops/order.h) are whole and
// dense, in a storage of their own: a step works in their memory where nobody else holds them when
// it runs.
array sort(array keys);
array argsort(array keys);
// Only the keys at the ranks are said; see Sorting.
array select(array keys, const Dims& ranks);
array partition(array keys, const Dims& ranks);
array argpartition(array keys, const Dims& ranks);

// The following read elements as they are, from the first of their memory on.

// Along any axis, where the device sorts elements without keys (Sorting::sorts_elements).
array sort_elements(const array& a, const KeyMap& map, std::int64_t axis);
array argsort_elements(const array& a, const KeyMap& map, std::int64_t axis);
array partition_elements(const array& a, const KeyMap& map, std::int64_t axis, const Dims& ranks);
array argpartition_elements(const array& a, const KeyMap& map, std::int64_t axis,
                            const Dims& ranks);
// Where values belong in a sorted row; the map makes keys of the elements of both.
array search(const array& row, const array& values, const KeyMap& map, bool right);
// How many of the bins are each of [0, count), or the sums of their weights (float64).
array count(const array& bins, const std::optional<array>& weights, std::int64_t count);

}  // namespace heddle::steps
