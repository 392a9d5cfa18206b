// What routines on stacks of matrices have in common: shapes, triangles, and checks of both.
// Matrices are along the last two axes.
#pragma once

#include <initializer_list>

#include "runtime/solvers.h"
#include <heddle/array.h>

namespace heddle {

// Throws linalg_error.
void check_matrices(const array& a);
void check_square(const array& a);

// The extents before the last two.
Dims stack_of(const array& a);
Dims joined(Dims shape, std::initializer_list<std::int64_t> more);

// A view of the transposed matrices.
array swapped(const array& a);
// In C order and of a type; itself where it is.
array in_rows(const array& a, Dtype dtype);

// Ones on the diagonal.
array identity(const Dims& shape, Dtype dtype, Device& device);
// The elements of one triangle with the diagonal, and zeros elsewhere, in C order.
array triangle_of(const array& a, Triangle triangle);
// A view.
array diagonal_of(const array& a);

}  // namespace heddle
