/// @file
/// Comparing arrays as wholes, and asking what they are. Element-wise comparisons and tests (isnan,
/// isfinite, logical_and, ...) are in ufuncs.h, any and all in reductions.h.
///
///     if (!allclose(computed, expected)) ...
#pragma once

#include <heddle/array.h>

namespace heddle {

/// By how much numbers may differ that count as equal.
struct Tolerance {
  double rtol = 1e-05;     ///< times the absolute value of the second operand
  double atol = 1e-08;     ///< added to it
  bool equal_nan = false;  ///< whether nans are equal
};
/// Whether elements are equal within a tolerance.
HEDDLE_API array isclose(const array& a, const array& b, const Tolerance& within = {});
/// Whether all are.
HEDDLE_API bool allclose(const array& a, const array& b, const Tolerance& within = {});
/// Whether shapes and all elements are the same.
HEDDLE_API bool array_equal(const array& a, const array& b, bool equal_nan = false);
/// The same of arrays that are broadcast to one shape.
HEDDLE_API bool array_equiv(const array& a, const array& b);

/// Whether elements have an imaginary part that is not zero, or none.
HEDDLE_API array iscomplex(const array& a);
HEDDLE_API array isreal(const array& a);
/// Whether they are infinite, of one sign. Not for complex numbers.
HEDDLE_API array isposinf(const array& a);
HEDDLE_API array isneginf(const array& a);

/// Whether the type is complex, or not.
inline bool iscomplexobj(const array& a) { return is_complex(a.dtype()); }
inline bool isrealobj(const array& a) { return !is_complex(a.dtype()); }
/// Whether elements lie in Fortran's order, and not in C's.
inline bool isfortran(const array& a) {
  return is_f_contiguous(a.layout()) && !is_c_contiguous(a.layout());
}
/// Whether the memory that two arrays span overlaps.
HEDDLE_API bool may_share_memory(const array& a, const array& b);

}  // namespace heddle
