// LAPACK's routines for few matrices (runtime/dense_routines.h) as steps of the graph.
#pragma once

#include <vector>

#include "runtime/dense_routines.h"
#include <heddle/array.h>

namespace heddle {

// Whether the device has them.
HEDDLE_API bool has_dense_routines(Device& device);

// The results of a routine on stacks of matrices, which are given and come by columns, in the type
// that the device computes in: what is overwritten, what is made, and the status of each matrix.
// Choices are int64. The stacks are of one shape.
HEDDLE_API std::vector<array> dense_routine(DenseRoutine routine, const std::vector<array>& given,
                                            bool lower, bool hermitian);

}  // namespace heddle
