// The device's LAPACK (runtime/solvers.h) as steps of the graph: factorisations of stacks of
// matrices, and what is solved with them. Nothing runs here and nothing is looked at.
//
// Matrices are along the last two axes, in C order, of the type that the device computes in, and by
// columns: each is the transposed matrix of what is meant. Steps overwrite matrices that nobody
// else needs, so whoever calls lets go of them. `status` has, for each matrix, 0 or LAPACK's number
// for what went wrong. A result that is let go of before the step runs is not computed where that
// saves work.
#pragma once

#include "runtime/solvers.h"
#include <heddle/array.h>

namespace heddle::factorisation {

struct Solved {
  array x, status;
};
// a x = b: (..., n, n) and (..., columns, n). Fewer matrices than right sides: each is for as many
// columns.
Solved solve(array a, array b);
// Where the device has inverses.
Solved inverse(array a);

struct Determinants {
  array signs, logarithms;  // logarithms of absolute values
};
// Where the device has determinants.
Determinants determinants(array a);

struct LU {
  array factors, pivots;
};
LU lu(array a);

// a x = b, of a one triangle being read, if `unit` without its diagonal, which counts as ones. As
// many matrices as right sides. Matrices are arrays as users have them, in C order from the
// beginning of their memory; `turned`: a is the transposed of theirs.
array triangular(const array& a, array b, Triangle triangle, bool unit, bool turned);

struct Cholesky {
  array factors, status;
};
// The triangle that is not read keeps what it has.
Cholesky cholesky(array a, Triangle triangle);

struct QR {
  array factors, tau;  // R and the reflectors, and their factors
};
QR qr(array a);
// Q of reflectors and their factors: of as many columns as there is room for.
array form_q(array reflectors, const array& tau);

struct SVD {
  array s, u, right, status;  // what `right` has the device says: Solvers::right_vectors
};
SVD svd(array a, bool full);

struct Eigh {
  array w, vectors, status;
};
Eigh eigh(array a, Triangle triangle);

struct Eig {
  array w, vectors, status;  // vectors as the device leaves them: Solvers::eig
};
Eig eig(array a);

struct LeastSquares {
  array x, s, ranks, status;
};
// One matrix; b has max(rows, columns) rows. Where the device has it.
LeastSquares least_squares(array a, array b, double rcond);

}  // namespace heddle::factorisation
