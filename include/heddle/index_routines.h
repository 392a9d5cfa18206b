/// @file
/// NumPy's indexing routines: picking and writing elements by index, mask or condition, and making
/// the index arrays for it. Index expressions, x(mask) and x(rows, 0), are in indexing.h.
///
///     array best = take_along_axis(scores, argmax(scores, {.axis = 1, .keepdims = true}), 1);
///     putmask(a, a < 0, array(0));
#pragma once

#include <optional>
#include <vector>

#include <heddle/array.h>
#include <heddle/creation.h>

namespace heddle {

/// What becomes of indices that are out of range.
enum class OutOfRange : std::uint8_t { raise, wrap, clip };

// --- finding ---

/// Indices of the true elements of the flattened array.
HEDDLE_API array flatnonzero(const array& a);
/// Indices of the true elements, a row for each.
HEDDLE_API array argwhere(const array& a);

// --- picking; copies ---

/// The elements at these indices along an axis; of the flattened array without one.
HEDDLE_API array take(const array& a, const array& indices, std::optional<std::int64_t> axis,
                      OutOfRange mode);
/// Elements at an index of their own for each row along an axis.
HEDDLE_API array take_along_axis(const array& a, const array& indices, std::int64_t axis = -1);
/// For each element of `which` that of the choice with this number, all broadcast together.
HEDDLE_API array choose(const array& which, const std::vector<array>& choices,
                        OutOfRange mode = OutOfRange::raise);
/// Parts along an axis where a vector of conditions is true; elements of the flattened array
/// without one.
HEDDLE_API array compress(const array& condition, const array& a,
                          std::optional<std::int64_t> axis = std::nullopt);
/// Elements where a condition is true.
HEDDLE_API array extract(const array& condition, const array& a);
/// Elements of the choice that goes with the first condition that is true, else the default.
HEDDLE_API array select(const std::vector<array>& conditions, const std::vector<array>& choices,
                        const array& otherwise = array(Scalar(0)));

// --- writing ---

/// Writes elements, where a mask is true if there is one; they are cast.
HEDDLE_API void copyto(const array& to, const array& from,
                       const std::optional<array>& where = std::nullopt);
/// Writes at indices into the flattened array; values repeat as needed.
HEDDLE_API void put(const array& a, const array& indices, const array& values,
                    OutOfRange mode = OutOfRange::raise);
/// Writes at an index of their own for each row along an axis.
HEDDLE_API void put_along_axis(const array& a, const array& indices, const array& values,
                               std::int64_t axis);
/// Writes where a mask is true, one value after the other.
HEDDLE_API void place(const array& a, const array& mask, const array& values);
/// Writes where a mask is true, each from the value at its own place, repeated.
HEDDLE_API void putmask(const array& a, const array& mask, const array& values);
/// Writes the main diagonal; of a tall matrix again and again if `wrap`.
HEDDLE_API void fill_diagonal(const array& a, const array& value, bool wrap = false);

// --- index arrays ---

/// Index arrays that select the cross product of their elements; masks stand for where they are
/// true.
HEDDLE_API std::vector<array> ix_(const std::vector<array>& indices);
/// Indices into the flattened array from one index array for each dimension, and back; in Fortran's
/// order if `columns`.
HEDDLE_API array ravel_multi_index(const std::vector<array>& indices, const Dims& shape,
                                   OutOfRange mode = OutOfRange::raise, bool columns = false);
HEDDLE_API array ravel_multi_index(const std::vector<array>& indices, const Dims& shape,
                                   const std::vector<OutOfRange>& modes, bool columns = false);
HEDDLE_API std::vector<array> unravel_index(const array& indices, const Dims& shape,
                                            bool columns = false);
/// Indices of the main diagonal of an array with `rank` extents n; of an array that has such.
HEDDLE_API std::vector<array> diag_indices(std::int64_t n, std::int64_t rank = 2);
HEDDLE_API std::vector<array> diag_indices_from(const array& a);
/// Indices of a triangle of a matrix, which is square without columns.
HEDDLE_API std::vector<array> tril_indices(std::int64_t rows, std::int64_t k = 0,
                                           std::optional<std::int64_t> columns = std::nullopt);
HEDDLE_API std::vector<array> triu_indices(std::int64_t rows, std::int64_t k = 0,
                                           std::optional<std::int64_t> columns = std::nullopt);
HEDDLE_API std::vector<array> tril_indices_from(const array& a, std::int64_t k = 0);
HEDDLE_API std::vector<array> triu_indices_from(const array& a, std::int64_t k = 0);
/// Indices of a square matrix where a function of one full of ones, and of k, leaves something.
template <class F>
std::vector<array> mask_indices(std::int64_t n, F&& masked, std::int64_t k = 0) {
  return nonzero(masked(ones({n, n}, Dtype::int64), k));
}

// --- views ---

/// The diagonals in the plane of two axes, as the last axis.
HEDDLE_API array diagonal(const array& a, std::int64_t offset = 0, std::int64_t axis1 = 0,
                          std::int64_t axis2 = 1);
/// With any shape and strides, in elements, from the first element on. value_error where that
/// leaves the array's memory.
HEDDLE_API array as_strided(const array& a, const Dims& shape, const Dims& strides);
/// All windows of a shape, as new last axes; along axes, or all of them.
HEDDLE_API array sliding_window_view(const array& a, const Dims& window,
                                     const std::optional<Dims>& axes = std::nullopt);

}  // namespace heddle
