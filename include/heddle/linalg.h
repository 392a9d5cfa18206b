// Linear algebra: NumPy's linalg. Matrices are the last two axes, and everything before them is a
// stack of matrices, of which each is worked on. Integers compute in float64. Work is deferred, but
// where a matrix may turn out to be singular, not positive definite, or one for which an iteration
// does not converge: then it runs at once, and linalg_error says so, unless failures are ignored.
// Arguments keep their elements.
#pragma once

#include <cstdint>
#include <optional>

#include <heddle/array.h>

namespace heddle::linalg {

// What becomes of matrices that a routine cannot work on, in this thread.
enum class Failures : std::uint8_t {
  raise,   // linalg_error, when the routine is called
  ignore,  // what is made of them is nan; nobody waits for results
};
HEDDLE_API Failures failures();
// Returns what it was before.
HEDDLE_API Failures exchange_failures(Failures failures);
// For a scope.
class FailureScope {
 public:
  explicit FailureScope(Failures failures) : before_(exchange_failures(failures)) {}
  ~FailureScope() { exchange_failures(before_); }
  FailureScope(const FailureScope&) = delete;
  FailureScope& operator=(const FailureScope&) = delete;

 private:
  Failures before_;
};

// x with a x = b, the stacks broadcast. b is a vector if it has one axis, else a stack of matrices.
HEDDLE_API array solve(const array& a, const array& b);
HEDDLE_API array inv(const array& a);
// nan where a matrix is singular, instead of an error.
HEDDLE_API array inv_or_nan(const array& a);

struct Slogdet {
  array sign, logabsdet;
};
HEDDLE_API Slogdet slogdet(const array& a);
HEDDLE_API array det(const array& a);

// The lower triangle L of a = L L^H, of which only the lower triangle is read; if `upper`, U of
// a = U^H U, of which only the upper one is.
HEDDLE_API array cholesky(const array& a, bool upper = false);

struct QR {
  array q, r;
};
// Q with orthonormal columns, as many as the shorter side of the matrix, or, if `complete`, a
// square one; R is upper triangular.
HEDDLE_API QR qr(const array& a, bool complete = false);
// R alone.
HEDDLE_API array qr_r(const array& a);
// What LAPACK's geqrf leaves: the transposed matrix of R and the reflectors, and their factors.
HEDDLE_API QR qr_raw(const array& a);

struct SVD {
  array u, s, vh;
};
// a = u diag(s) vh; u and vh are square if `full_matrices`.
HEDDLE_API SVD svd(const array& a, bool full_matrices = true);
HEDDLE_API array svdvals(const array& a);

struct Eigen {
  array eigenvalues, eigenvectors;  // eigenvectors are columns
};
// Of Hermitian matrices, of which one triangle is read; eigenvalues ascend.
HEDDLE_API Eigen eigh(const array& a, bool upper = false);
HEDDLE_API array eigvalsh(const array& a, bool upper = false);
// Of any square matrices: real if the matrices and all eigenvalues are. Throws linalg_error for nan
// and infinity. Where nobody looks, as failures are ignored or vmap computes rows, eigenvalues are
// complex.
HEDDLE_API Eigen eig(const array& a);
HEDDLE_API array eigvals(const array& a);

struct LeastSquares {
  array x;
  array residuals;  // squared, for each column of b; empty unless a has full rank and more rows
  std::int64_t rank;
  array singular_values;
};
// Of one matrix; singular values below rcond times the largest count as zero. Without rcond it is
// the precision of the computation times the longer side of the matrix; if it is not between 0 and
// 1, the precision alone.
HEDDLE_API LeastSquares lstsq(const array& a, const array& b,
                              std::optional<double> rcond = std::nullopt);

// The pseudo-inverse; singular values below rcond times the largest of their matrix count as zero.
// If `hermitian`, the matrices are taken for that, and one triangle is read.
HEDDLE_API array pinv(const array& a, const array& rcond = array(1e-15), bool hermitian = false);

// The square root of sums of squares, as a length: where it is 0, so is its derivative.
HEDDLE_API array length_of(const array& squares);

// The type of results of real or complex elements: float32 stays, integers become float64. Throws
// type_error for half precision.
HEDDLE_API Dtype result_type(const array& a);
HEDDLE_API Dtype result_type(const array& a, const array& b);

}  // namespace heddle::linalg
