// The interface to a device's LAPACK: factorisations of stacks of matrices, and what is solved with
// them. They are steps of the graph (ops/factorisations.h), of which NumPy's routines are composed.
//
// A stack is `count` matrices of one shape, one after the other from the beginning of a buffer,
// each by columns: what is a stack of the transposed matrices when it is read as an array in C
// order. Inputs are overwritten. `status` has an int32 for each matrix: 0, or LAPACK's number for
// what went wrong.
#pragma once

#include <cstdint>
#include <stdexcept>

#include "runtime/buffer.h"
#include <heddle/dtype.h>

namespace heddle {

struct Batch {
  Dtype dtype = Dtype::float64;  // one that computes_in gives
  std::int64_t count = 1;
  Buffer* status = nullptr;
};

enum class Triangle : std::uint8_t { lower, upper };

class DenseRoutines;

class Solvers {
 public:
  virtual ~Solvers() = default;

  // The type to compute in for matrices of float32, float64, complex64 or complex128.
  virtual Dtype computes_in(Dtype dtype) const = 0;
  // Whether svd takes only matrices that have at least as many rows as columns.
  virtual bool tall_svd() const { return false; }
  // Whether `status` tells of nan in matrices; if not, results have to be looked at.
  virtual bool reports_nan() const { return true; }
  // Whether very large and very small elements do no harm; if not, they are scaled.
  virtual bool takes_any_magnitude() const { return true; }
  // Whether cholesky of the lower triangle is worth transposing for.
  virtual bool factors_lower_faster() const { return false; }
  // Whether there are determinants; if not, there is lu.
  virtual bool has_determinants() const { return false; }
  virtual bool has_least_squares() const { return false; }
  // Whether there are inverses; if not, equations are solved for them.
  virtual bool has_inverses() const { return false; }
  // The type of pivots of so many matrices: int32 or int64.
  virtual Dtype pivots_of(std::int64_t count, std::int64_t rows, std::int64_t columns) const {
    return Dtype::int64;
  }
  // What else LAPACK has (runtime/dense_routines.h); null where the device has it not.
  virtual DenseRoutines* routines() { return nullptr; }
  // Which one svd gives.
  enum class Right : std::uint8_t { v, vh };
  virtual Right right_vectors() const { return Right::vh; }

  // Signs of the determinants, and logarithms of their absolute values, which are real.
  virtual void determinants(const Batch& batch, std::int64_t n, Buffer& a, Buffer& signs,
                            Buffer& logarithms) {
    throw std::logic_error("the device has no determinants");
  }
  // a = P L U, with min(rows, columns) pivots as LAPACK counts them, from 1.
  virtual void lu(const Batch& batch, std::int64_t rows, std::int64_t columns, Buffer& a,
                  Buffer& pivots) = 0;
  // a x = b, of a one triangle being read, without its diagonal (taken for ones) if `unit`; x takes
  // the place of b. a keeps what it has. Unlike all else both lie by rows, and a by columns if it
  // is `turned`: BLAS solves x^T a^T = b^T as well, and nothing has to be transposed.
  virtual void triangular(const Batch& batch, std::int64_t n, std::int64_t columns,
                          Triangle triangle, bool unit, bool turned, Buffer& a, Buffer& b) = 0;
  // a x = b, n by n and n by `columns`; x takes the place of b.
  virtual void solve(const Batch& batch, std::int64_t n, std::int64_t columns, Buffer& a,
                     Buffer& b) = 0;
  // The inverse, n by n, in the place of a.
  virtual void inverse(const Batch& batch, std::int64_t n, Buffer& a) {
    throw std::logic_error("the device has no inverses");
  }
  // a = L L^H or U^H U in the triangle that is read; the other one keeps what it has.
  virtual void cholesky(const Batch& batch, std::int64_t n, Triangle triangle, Buffer& a) = 0;
  // R above the diagonal of a, reflectors below it, min(rows, columns) factors of theirs in tau.
  virtual void qr(const Batch& batch, std::int64_t rows, std::int64_t columns, Buffer& a,
                  Buffer& tau) = 0;
  // The first `columns` columns of Q, from `reflectors` reflectors in the first columns of a.
  virtual void form_q(const Batch& batch, std::int64_t rows, std::int64_t columns,
                      std::int64_t reflectors, Buffer& a, Buffer& tau) = 0;
  // a = u diag(s) v^H, s descending. Without u and right (both null) only s. They are square if
  // `full`, else u has min(rows, columns) columns, and v, too.
  virtual void svd(const Batch& batch, std::int64_t rows, std::int64_t columns, Buffer& a,
                   Buffer& s, Buffer* u, Buffer* right, bool full) = 0;
  // Of a Hermitian matrix of which a triangle is read: ascending eigenvalues in w, and, if
  // `vectors`, the eigenvectors in a.
  virtual void eigh(const Batch& batch, std::int64_t n, Triangle triangle, Buffer& a, Buffer& w,
                    bool vectors) = 0;
  // Of any square matrix. w is complex. Of a real matrix, v (may be null) is real, with the real
  // and imaginary parts of a conjugate pair in two columns.
  virtual void eig(const Batch& batch, std::int64_t n, Buffer& a, Buffer& w, Buffer* v) = 0;

  // The x that minimises |b - a x| and then |x|, for singular values above rcond times the
  // largest; x takes the place of b, which has max(rows, columns) rows. s are the singular values,
  // ranks the number used, int64.
  virtual void least_squares(const Batch& batch, std::int64_t rows, std::int64_t columns,
                             std::int64_t right_sides, double rcond, Buffer& a, Buffer& b,
                             Buffer& s, Buffer& ranks) {
    throw std::logic_error("the device has no least squares");
  }
};

}  // namespace heddle
