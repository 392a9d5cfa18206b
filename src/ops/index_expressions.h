// Index expressions taken apart: what basic indexing leaves of an array, and where arrays of
// indices move it.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "ops/index_terms.h"
#include <heddle/array.h>
#include <heddle/indexing.h>

namespace heddle {

// How many dimensions an index expression says nothing about, or by an ellipsis.
std::int64_t dims_left(std::span<const IndexItem> items, std::int64_t ndim);

// Puts full slices after the ellipsis (or at the end). The ellipsis stays: index arrays on both
// sides of it are apart even if it stands for no dimension.
std::vector<IndexItem> expand_ellipsis(std::span<const IndexItem> items, std::int64_t ndim);

// The place that an index along an axis names, of those before which it may count from the end.
std::int64_t place_along(std::int64_t index, std::int64_t axis, std::int64_t extent);

// Throws index_error unless a mask has the extents of the dimensions from `axis` on.
void check_mask(const array& mask, const Layout& from, std::int64_t axis);

// Throws index_error where an index gives more dimensions than there may be.
void check_result(const Layout& layout);

// An index expression taken apart: what basic indexing leaves, and where indices move it.
struct Advanced {
  Layout rest;       // over the result's dimensions; 0 along those of the index arrays
  IndexTerms terms;  // over the result's dimensions
  std::int64_t place, index_dims;  // where the dimensions of the index arrays are, and their number

  bool indices_only() const { return index_dims == rest.ndim(); }
};

// Of items whose ellipsis is expanded. As in NumPy, a shape that does not fit the places to be
// written to is said before indices that are out of bounds.
Advanced resolve_advanced(const array& a, std::span<const IndexItem> items,
                          const array* value_to_write = nullptr);

// Throws index_error where the expression is none for such an array, whatever its indices are.
void check_expression(const array& a, std::span<const IndexItem> items);

}  // namespace heddle
