// Indexing as NumPy does it: integers, slices, new axes, an ellipsis, integer arrays and boolean
// masks, in any mixture, for reading and for writing.
#pragma once

#include <span>
#include <vector>

#include <heddle/array.h>
#include <heddle/op_table.h>

namespace heddle {

struct IndexItem {
  enum class Kind : std::uint8_t { integer, slice, new_axis, ellipsis, array };
  Kind kind = Kind::ellipsis;
  std::int64_t integer = 0;
  Slice slice;
  std::optional<array> indices;  // integers or bool
};

// A view for basic indices; a 0-d snapshot for a full set of integers; else a copy (deferred).
HEDDLE_API array get_item(const array& a, std::span<const IndexItem> items);
// a[items] = value.
HEDDLE_API void set_item(const array& a, std::span<const IndexItem> items, array value);
// a[items] = op(a[items], value), index after index, repeated ones included; value is already of
// the type to compute in. A unary op ignores it.
HEDDLE_API void update_item(const array& a, std::span<const IndexItem> items, Op op, const array& value);

// The view of basic indices; throws index_error when an item is an array.
HEDDLE_API array basic_view(const array& a, std::span<const IndexItem> items);

// Indices of the true elements, one int64 array per dimension.
HEDDLE_API std::vector<array> nonzero(const array& a);
// The same as offsets in C order.
HEDDLE_API array flat_nonzero(const array& a);

// Throws index_error unless -extent <= every index < extent.
HEDDLE_API void check_indices(const array& indices, std::int64_t axis, std::int64_t extent);

}  // namespace heddle
