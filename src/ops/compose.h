// What routines that are composed of others need over and over.
#pragma once

#include <optional>
#include <string_view>

#include "ops/elementwise.h"
#include <heddle/array.h>

namespace heddle {

// The array itself where it is of the type already.
inline array as_type(const array& a, Dtype dtype) {
  return a.dtype() == dtype ? a : cast(a, dtype);
}

// An operand as an array of a type.
array as_array(const Input& input, Dtype dtype);

// bfloat16 included.
inline bool has_nans(const array& a) { return is_inexact(a.dtype()); }

// float64 for integers and bool; other types stay.
inline Dtype inexact_type(Dtype dtype) { return is_inexact(dtype) ? dtype : Dtype::float64; }

// The array to walk along one axis: flattened without one; a 0-d array is one element.
struct OneAxis {
  array a;
  std::int64_t axis;
};
OneAxis one_axis(std::string_view op, const array& a, std::optional<std::int64_t> axis);

// A 1-d array of integers that the host has, where `beside` is.
array from_dims(const Dims& values, const array& beside);

// The elements at these places along an axis, as take_in_rows has them along the last one.
array along(const array& a, const array& places, std::int64_t axis);
// The parts at places along an axis, the same everywhere, which are known to be there.
array parts_at(const array& a, const array& places, std::int64_t axis);

// Weights that have the extents of some axes of an array, brought to its rank; value_error where
// they have not.
array along_axes(const array& weights, const array& a, const Dims& axes);

// Throws value_error, as NumPy has it for arguments that have to be vectors.
void check_vector(const array& a);

}  // namespace heddle
