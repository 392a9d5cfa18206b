// Products of matrices through the device's BLAS.
#pragma once

#include <heddle/array.h>

namespace heddle {

// Whether BLAS has the type: all but integers and bool. Half precision is summed in float32.
HEDDLE_API bool has_matmul(Dtype dtype);

// (..., m, k) times (..., k, n), both of one type that has_matmul; leading dimensions are
// broadcast. Deferred: a step of its own.
HEDDLE_API array blas_product(const array& a, const array& b);

}  // namespace heddle
