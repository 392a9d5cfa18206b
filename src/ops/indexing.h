// Indexing beyond what the public heddle/indexing.h declares: accumulating writes, and checks.
#pragma once

#include <span>

#include <heddle/array.h>
#include <heddle/indexing.h>
#include <heddle/op_table.h>

namespace heddle {

// a[items] = op(a[items], value), index after index, repeated ones included; value is already of
// the type to compute in. A unary op ignores it.
HEDDLE_API void update_item(const array& a, std::span<const IndexItem> items, Op op,
                            const array& value);

// The element at one index for each dimension, where it is in memory that the host sees and nobody
// minds; else false, and nothing is done. Neither makes an array.
HEDDLE_API bool copy_element_at_hand(const array& a, std::span<const std::int64_t> indices,
                                     ScalarWords& element);
HEDDLE_API bool put_element_at_hand(const array& a, std::span<const std::int64_t> indices,
                                    const ScalarWords& element);
// The element of an array that copy_element_at_hand has refused: computed, or pending.
HEDDLE_API array make_element(const array& a, std::span<const std::int64_t> indices);

// Offsets of the true elements in C order: int64.
HEDDLE_API array flat_nonzero(const array& a);

// Throws index_error where the expression is none for such an array, wherever arrays of indices in
// it point to.
HEDDLE_API void check_index(const array& a, std::span<const IndexItem> items);

// Throws index_error unless -extent <= every index < extent.
HEDDLE_API void check_indices(const array& indices, std::int64_t axis, std::int64_t extent);

}  // namespace heddle
