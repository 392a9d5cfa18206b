/// @file
/// Linear algebra: NumPy's linalg. Matrices are the last two axes, and everything before them is a
/// stack of matrices, of which each is worked on. Integers compute in float64. Work is deferred,
/// but where a matrix may turn out to be singular, not positive definite, or one for which an
/// iteration does not converge: then it runs at once, and linalg_error says so, unless failures are
/// ignored. Arguments keep their elements.
///
///     array x = linalg::solve(a, b);
///     auto [u, s, vh] = linalg::svd(a, false);
///     array lengths = linalg::vector_norm(points, 2, -1);
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include <heddle/array.h>
#include <heddle/index_routines.h>
#include <heddle/manipulation.h>
#include <heddle/mathematics.h>
#include <heddle/products.h>
#include <heddle/reductions.h>

namespace heddle::linalg {

/// What becomes of matrices that a routine cannot work on, in this thread.
enum class Failures : std::uint8_t {
  raise,   // linalg_error, when the routine is called
  ignore,  // what is made of them is nan; nobody waits for results
};
HEDDLE_API Failures failures();
/// Returns what it was before.
HEDDLE_API Failures exchange_failures(Failures failures);
/// For a scope.
class FailureScope {
 public:
  explicit FailureScope(Failures failures) : before_(exchange_failures(failures)) {}
  ~FailureScope() { exchange_failures(before_); }
  FailureScope(const FailureScope&) = delete;
  FailureScope& operator=(const FailureScope&) = delete;

 private:
  Failures before_;
};

/// x with a x = b, the stacks broadcast. b is a vector if it has one axis, else a stack of
/// matrices.
HEDDLE_API array solve(const array& a, const array& b);
/// The inverses of square matrices; linalg_error where one is singular.
HEDDLE_API array inv(const array& a);
/// nan where a matrix is singular, instead of an error.
HEDDLE_API array inv_or_nan(const array& a);

/// The sign of a determinant, and the logarithm of its absolute value.
struct Slogdet {
  array sign, logabsdet;
};
/// Determinants that would overflow or vanish as numbers.
HEDDLE_API Slogdet slogdet(const array& a);
/// The determinants of square matrices.
HEDDLE_API array det(const array& a);

/// Factors of matrices whose rows changed places.
struct LU {
  array factors, pivots;
};
/// a = P L U of any matrices: U and, below it, L without its diagonal of ones; rows i and pivots[i]
/// changed places, one after the other. Singular matrices have factors, too.
HEDDLE_API LU lu(const array& a);
/// x with a x = b, of a only one triangle being read; if `unit` its diagonal counts as ones. The
/// stacks are broadcast; b has two axes at least. A zero on the diagonal makes infinities.
HEDDLE_API array solve_triangular(const array& a, const array& b, bool lower, bool unit = false);

/// The lower triangle L of a = L L^H, of which only the lower triangle is read; if `upper`, U of
/// a = U^H U, of which only the upper one is.
HEDDLE_API array cholesky(const array& a, bool upper = false);

/// An orthonormal factor and a triangle.
struct QR {
  array q, r;
};
/// Q with orthonormal columns, as many as the shorter side of the matrix, or, if `complete`, a
/// square one; R is upper triangular.
HEDDLE_API QR qr(const array& a, bool complete = false);
/// R alone.
HEDDLE_API array qr_r(const array& a);
/// What LAPACK's geqrf leaves: the transposed matrix of R and the reflectors, and their factors.
HEDDLE_API QR qr_raw(const array& a);

/// Singular vectors and values.
struct SVD {
  array u, s, vh;
};
/// a = u diag(s) vh; u and vh are square if `full_matrices`.
HEDDLE_API SVD svd(const array& a, bool full_matrices = true);
/// The singular values alone, the largest first.
HEDDLE_API array svdvals(const array& a);

/// Eigenvalues, and eigenvectors as columns.
struct Eigen {
  array eigenvalues, eigenvectors;
};
/// Of Hermitian matrices, of which one triangle is read; eigenvalues ascend.
HEDDLE_API Eigen eigh(const array& a, bool upper = false);
/// Its eigenvalues alone.
HEDDLE_API array eigvalsh(const array& a, bool upper = false);
/// Of any square matrices: real if the matrices and all eigenvalues are. Throws linalg_error for
/// nan and infinity. Where nobody looks, as failures are ignored or vmap computes rows, eigenvalues
/// are complex.
HEDDLE_API Eigen eig(const array& a);
/// Its eigenvalues alone.
HEDDLE_API array eigvals(const array& a);

/// What least squares give.
struct LeastSquares {
  array x;
  array residuals;  ///< squared, for each column of b; empty unless a has full rank and more rows
  std::int64_t rank;
  array singular_values;
};
/// Of one matrix; singular values below rcond times the largest count as zero. Without rcond it is
/// the precision of the computation times the longer side of the matrix; if it is not between 0 and
/// 1, the precision alone.
HEDDLE_API LeastSquares lstsq(const array& a, const array& b,
                              std::optional<double> rcond = std::nullopt);

/// The pseudo-inverse; singular values below rcond times the largest of their matrix count as zero.
/// If `hermitian`, the matrices are taken for that, and one triangle is read.
HEDDLE_API array pinv(const array& a, const array& rcond = array(1e-15), bool hermitian = false);

/// The x with tensordot(a, x, x.ndim()) = b, after moving `axes` of a to its end.
HEDDLE_API array tensorsolve(const array& a, const array& b, const Dims& axes = {});
/// The inverse with respect to tensordot(a, b, axes).
HEDDLE_API array tensorinv(const array& a, std::int64_t axes = 2);

// --- norms ---

/// The norm of all elements: the root of the sum of squares.
HEDDLE_API array norm(const array& x, bool keepdims = false);
/// The norm of vectors along axes, all of them without: sum(abs(x)^p)^(1/p), for infinity the
/// largest and for -infinity the smallest absolute value, for 0 the number of elements that are not
/// zero.
HEDDLE_API array vector_norm(const array& x, double p = 2, const Axes& axis = {},
                             bool keepdims = false);

/// Which norm of a matrix.
enum class MatrixNorm : std::uint8_t {
  frobenius,       ///< the root of the sum of squares
  nuclear,         ///< the sum of the singular values
  one,             ///< the largest sum of a column
  smallest_one,    ///< the smallest
  two,             ///< the largest singular value
  smallest_two,    ///< the smallest
  infinite,        ///< the largest sum of a row
  least_infinite,  ///< the smallest
};
/// The norm of the matrices along two axes.
HEDDLE_API array matrix_norm(const array& x, MatrixNorm order = MatrixNorm::frobenius,
                             std::int64_t rows = -2, std::int64_t columns = -1,
                             bool keepdims = false);
/// The condition number by a norm; infinite for singular matrices.
HEDDLE_API array cond(const array& x, MatrixNorm order = MatrixNorm::two);
/// The number of singular values above a tolerance: by default the largest times the longer side
/// times the precision.
HEDDLE_API array matrix_rank(const array& a, const std::optional<array>& tolerance = std::nullopt,
                             bool hermitian = false);

// --- powers and products ---

/// Square matrices to an integer power; negative ones are those of the inverse.
HEDDLE_API array matrix_power(const array& a, std::int64_t n);
/// The product of several matrices, in the order that takes the least work. The first and the last
/// may be vectors.
HEDDLE_API array multi_dot(const std::vector<array>& arrays);
using heddle::matmul;
using heddle::matrix_transpose;
using heddle::outer;
using heddle::tensordot;
using heddle::vecdot;
/// Cross products of vectors of three elements along an axis.
inline array cross(const array& a, const array& b, std::int64_t axis = -1) {
  return heddle::cross(a, b, axis, axis, axis);
}
/// The diagonals of matrices, a view, and their sums.
inline array diagonal(const array& a, std::int64_t offset = 0) {
  return heddle::diagonal(a, offset, -2, -1);
}
inline array trace(const array& a, std::int64_t offset = 0,
                   std::optional<Dtype> dtype = std::nullopt) {
  return heddle::trace(a, offset, -2, -1, dtype);
}

/// The square root of sums of squares, as a length: where it is 0, so is its derivative.
HEDDLE_API array length_of(const array& squares);

/// The type of results of real or complex elements: float32 stays, integers become float64. Throws
/// type_error for half precision.
HEDDLE_API Dtype result_type(const array& a);
HEDDLE_API Dtype result_type(const array& a, const array& b);

}  // namespace heddle::linalg
