/// @file
/// Shapes and axes, joining, splitting, repeating, padding, and editing.
///
/// Functions of one array that only look at it in another way give a view: it shares the elements,
/// and costs nothing. Those that say "a copy" make a new array.
///
///     array rows = vstack({x, y});                     // two vectors as a matrix
///     for (const array& part : split(a, 4)) ...        // four equal parts, views
///     array framed = pad(image, 2, PadMode::reflect);
///
/// Python's `delete` is called `delete_` here; `np.r_`, `np.c_`, `np.mgrid` and `np.broadcast` are
/// expressions of Python's syntax and have no counterpart.
#pragma once

#include <concepts>
#include <initializer_list>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include <heddle/array.h>
#include <heddle/reductions.h>

namespace heddle {

// --- shapes ---

/// The elements in another shape, of which one extent may be -1. A copy where no strides describe
/// the result.
HEDDLE_API array reshape(const array& a, const Dims& shape);
/// The elements in one dimension, in C order; a copy where they do not lie so.
HEDDLE_API array ravel(const array& a);
/// Without axes of extent 1: all of them, or those named, which must have it.
HEDDLE_API array squeeze(const array& a, const Axes& axis = {});
/// With axes of extent 1 at these positions of the result.
HEDDLE_API array expand_dims(const array& a, const Axes& axis);
/// With one axis at least; a number becomes one element.
HEDDLE_API array atleast_1d(const array& a);
/// With two axes at least; new ones are in front.
HEDDLE_API array atleast_2d(const array& a);
/// With three axes at least; a vector becomes (1, n, 1), a matrix (m, n, 1).
HEDDLE_API array atleast_3d(const array& a);

/// A view in a larger shape, in which elements repeat.
HEDDLE_API array broadcast_to(const array& a, const Dims& shape);
/// All arrays in the shape that they have in common.
HEDDLE_API std::vector<array> broadcast_arrays(const std::vector<array>& arrays);
/// The shape that arrays of these shapes have in common; value_error where there is none.
HEDDLE_API Dims broadcast_shapes(const std::vector<Dims>& shapes);

/// A new array of a shape, filled with copies of the elements, one after the other.
HEDDLE_API array resize(const array& a, const Dims& shape);

// --- axes ---

/// The axes in another order, the other way round by default.
HEDDLE_API array transpose(const array& a);
HEDDLE_API array transpose(const array& a, const Dims& axes);
/// The array API standard's name for it.
inline array permute_dims(const array& a, const Dims& axes) { return transpose(a, axes); }
/// The last two axes exchanged.
HEDDLE_API array matrix_transpose(const array& a);
/// Axes moved to new places; the others keep their order.
HEDDLE_API array moveaxis(const array& a, std::int64_t from, std::int64_t to);
HEDDLE_API array moveaxis(const array& a, const Dims& from, const Dims& to);
/// An axis moved back until it lies before `start`.
HEDDLE_API array rollaxis(const array& a, std::int64_t axis, std::int64_t start = 0);
HEDDLE_API array swapaxes(const array& a, std::int64_t axis1, std::int64_t axis2);

// --- the order of elements ---

/// The other way round along all axes, or those named.
HEDDLE_API array flip(const array& a, const Axes& axis = {});
/// The columns, or the rows, the other way round.
HEDDLE_API array fliplr(const array& a);
HEDDLE_API array flipud(const array& a);
/// Turned by k quarters, from the first of two axes towards the second.
HEDDLE_API array rot90(const array& a, std::int64_t k = 1, const Dims& axes = {0, 1});
/// A copy with elements moved on along an axis; what falls off the end comes back at the front.
HEDDLE_API array roll(const array& a, std::int64_t shift,
                      std::optional<std::int64_t> axis = std::nullopt);
HEDDLE_API array roll(const array& a, const Dims& shifts);  ///< one for each axis
/// The same by as many places as an array without dimensions says, which nobody looks at.
HEDDLE_API array roll(const array& a, const array& shift, std::int64_t axis);

// --- joining; all of them make copies ---

/// One after the other along an axis that they have. The type is the common one.
HEDDLE_API array concatenate(const std::vector<array>& arrays, std::int64_t axis = 0);
inline array concat(const std::vector<array>& arrays, std::int64_t axis = 0) {
  return concatenate(arrays, axis);
}
/// Along a new axis; all have one shape.
HEDDLE_API array stack(const std::vector<array>& arrays, std::int64_t axis = 0);
/// Row after row; vectors are rows.
HEDDLE_API array vstack(const std::vector<array>& arrays);
inline array row_stack(const std::vector<array>& arrays) { return vstack(arrays); }
/// Column after column; vectors one after the other.
HEDDLE_API array hstack(const std::vector<array>& arrays);
/// Along the third axis.
HEDDLE_API array dstack(const std::vector<array>& arrays);
/// Vectors as the columns of a matrix.
HEDDLE_API array column_stack(const std::vector<array>& arrays);

/// What `block` assembles: an array, or a list of such, to any depth.
class HEDDLE_API Blocks {
 public:
  Blocks(array block) : array_(std::move(block)) {}
  Blocks(std::initializer_list<Blocks> parts) : parts_(parts) {}
  explicit Blocks(std::vector<Blocks> parts) : parts_(std::move(parts)) {}
  bool is_list() const { return !array_; }
  const array& block() const { return *array_; }
  const std::vector<Blocks>& parts() const { return parts_; }

 private:
  std::optional<array> array_;
  std::vector<Blocks> parts_;
};
/// A matrix of blocks: `block({{a, b}, {c, d}})`. Innermost lists are joined along the last axis,
/// those around them along the one before, and so on.
HEDDLE_API array block(const Blocks& blocks);

// --- splitting; the parts are views ---

/// Where an array is cut: into so many parts, or before each of these indices.
class Sections {
 public:
  template <std::integral T>
  Sections(T parts) : parts_(static_cast<std::int64_t>(parts)) {}
  Sections(std::initializer_list<std::int64_t> indices) : indices_(indices) {}
  Sections(const Dims& indices) : indices_(indices) {}
  const std::optional<std::int64_t>& parts() const { return parts_; }
  const Dims& indices() const { return indices_; }

 private:
  std::optional<std::int64_t> parts_;
  Dims indices_;
};

/// Parts along an axis: `split(a, 4)` gives four of equal extents, value_error where that does not
/// come out even; `split(a, {2, 5})` is cut before the indices 2 and 5.
HEDDLE_API std::vector<array> split(const array& a, const Sections& where, std::int64_t axis = 0);
/// The same where extents may differ by one.
HEDDLE_API std::vector<array> array_split(const array& a, const Sections& where,
                                          std::int64_t axis = 0);
/// `split` along the second axis (a vector's only one), the first, and the third.
HEDDLE_API std::vector<array> hsplit(const array& a, const Sections& where);
HEDDLE_API std::vector<array> vsplit(const array& a, const Sections& where);
HEDDLE_API std::vector<array> dsplit(const array& a, const Sections& where);
/// One for each index along an axis, without that axis.
HEDDLE_API std::vector<array> unstack(const array& a, std::int64_t axis = 0);

// --- repeating; copies ---

/// The whole array so many times along each axis; missing axes are in front, on either side.
HEDDLE_API array tile(const array& a, const Dims& counts);
/// Each element along an axis so many times; of the flattened array without one.
HEDDLE_API array repeat(const array& a, std::int64_t count,
                        std::optional<std::int64_t> axis = std::nullopt);
/// Each as often as its own count says: integers, one for each element along the axis.
HEDDLE_API array repeat(const array& a, const array& counts,
                        std::optional<std::int64_t> axis = std::nullopt);

// --- padding ---

/// What goes around an array.
enum class PadMode : std::uint8_t {
  constant,     ///< a number, see PadOptions::values
  edge,         ///< the elements at the edge
  empty,        ///< anything
  linear_ramp,  ///< from the edge evenly to a number, see PadOptions::values
  maximum,      ///< the largest element of each row, or of those close to the edge
  mean,
  median,
  minimum,
  reflect,    ///< mirrored at the last element
  symmetric,  ///< mirrored behind the last element
  wrap,       ///< from the other side
};
/// By NumPy's name; nothing for others.
HEDDLE_API std::optional<PadMode> pad_mode(std::string_view name);

/// So many elements before and behind those along an axis.
using PadWidth = std::pair<std::int64_t, std::int64_t>;

/// What the modes of padding want to know.
struct PadOptions {
  /// constant: the numbers before and behind, for each axis or one pair for all; linear_ramp: what
  /// ramps end at. By default zeros.
  std::vector<std::pair<Scalar, Scalar>> values = {};
  /// maximum, mean, median, minimum: of how many elements next to the edge; by default all.
  std::vector<std::pair<std::optional<std::int64_t>, std::optional<std::int64_t>>> lengths = {};
  /// reflect, symmetric: turned by half around the edge point instead of mirrored.
  bool odd = false;
};

/// A copy within a larger array: a width for each axis, one pair for all of them, or one number.
HEDDLE_API array pad(const array& a, const std::vector<PadWidth>& widths,
                     PadMode mode = PadMode::constant, const PadOptions& options = {});
HEDDLE_API array pad(const array& a, std::int64_t width, PadMode mode = PadMode::constant,
                     const PadOptions& options = {});

// --- editing; copies ---

/// With values at the end of an axis; both flattened without one.
HEDDLE_API array append(const array& a, const array& values,
                        std::optional<std::int64_t> axis = std::nullopt);
/// With values before an index along an axis; of the flattened array without one.
HEDDLE_API array insert(const array& a, std::int64_t index, const array& values,
                        std::optional<std::int64_t> axis = std::nullopt);
/// The same before each of several indices, which count in the array as it was.
HEDDLE_API array insert(const array& a, const Dims& indices, const array& values,
                        std::optional<std::int64_t> axis = std::nullopt);
/// Without the part at an index, a range, several indices, or where a mask is true.
HEDDLE_API array delete_(const array& a, std::int64_t index,
                         std::optional<std::int64_t> axis = std::nullopt);
HEDDLE_API array delete_(const array& a, Slice range,
                         std::optional<std::int64_t> axis = std::nullopt);
HEDDLE_API array delete_(const array& a, const array& indices,
                         std::optional<std::int64_t> axis = std::nullopt);
/// A view without the zeros at the front ('f'), at the back ('b') or both, along all axes or those
/// named. It looks at the elements.
HEDDLE_API array trim_zeros(const array& a, std::string_view trim = "fb", const Axes& axis = {});

}  // namespace heddle
