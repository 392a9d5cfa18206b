// Products of vectors and matrices, by NumPy's rules. Those of matrices are the device's BLAS for
// inexact types and run at once; products of vectors, and all of integers and bool, are deferred
// sums of products that fuse with what is around them.
#pragma once

#include <heddle/array.h>

namespace heddle {

// Of the last two axes; leading axes are broadcast. A vector counts as a row or as a column.
HEDDLE_API array matmul(const array& a, const array& b);
// Of the last axes; leading axes are broadcast. Vectors on the left are conjugated, but for matvec.
HEDDLE_API array vecdot(const array& a, const array& b);
HEDDLE_API array matvec(const array& a, const array& b);
HEDDLE_API array vecmat(const array& a, const array& b);

// Sums over the last axis of a and the last but one of b, or b's only one; of all pairs of those.
HEDDLE_API array dot(const array& a, const array& b);
// Over the last axes of both.
HEDDLE_API array inner(const array& a, const array& b);
// Of the flattened arrays: one number, with a conjugated; all products.
HEDDLE_API array vdot(const array& a, const array& b);
HEDDLE_API array outer(const array& a, const array& b);

// Over the last `axes` axes of a and the first ones of b, or over pairs of axes.
HEDDLE_API array tensordot(const array& a, const array& b, std::int64_t axes = 2);
HEDDLE_API array tensordot(const array& a, const array& b, const Dims& of_a, const Dims& of_b);

}  // namespace heddle
