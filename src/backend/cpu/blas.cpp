#include "backend/cpu/blas.h"

#include <stdexcept>

#include <cblas.h>

#include "backend/cpu/blas_threads.h"

// The wheel's library decorates its names.
#ifdef HEDDLE_BLAS_SCIPY
#define HEDDLE_BLAS(name) scipy_cblas_##name##64_
#else
#define HEDDLE_BLAS(name) cblas_##name
#endif

namespace heddle::cpu {

namespace {

using index = blasint;

// Rows of `stride` elements, or columns of them: what BLAS calls transposed.
struct Operand {
  CBLAS_TRANSPOSE order;
  index leading;
};

Operand operand(const Matrix& m, std::int64_t columns) {
  // With one row or column both strides may be 1: the leading one must still span the matrix.
  bool by_rows = m.column_stride == 1 && m.row_stride >= columns;
  return by_rows ? Operand{CblasNoTrans, static_cast<index>(m.row_stride)}
                 : Operand{CblasTrans, static_cast<index>(m.column_stride)};
}

}  // namespace

namespace {

void multiply(const Matmul& p) {
  auto m = static_cast<index>(p.m), n = static_cast<index>(p.n), k = static_cast<index>(p.k);
  Operand a = operand(p.a, p.k), b = operand(p.b, p.n);
  auto* c = p.c.data;
  // A single column: half the work of preparing a product of matrices.
  bool vector = n == 1 && (p.dtype == Dtype::float32 || p.dtype == Dtype::float64);
  auto run_vector = [&] {
    auto rows = a.order == CblasNoTrans ? m : k, columns = a.order == CblasNoTrans ? k : m;
    auto step = static_cast<index>(p.b.row_stride);
    if (p.dtype == Dtype::float32) {
      HEDDLE_BLAS(sgemv)
      (CblasRowMajor, a.order, rows, columns, 1.0F, static_cast<const float*>(p.a.data), a.leading,
       static_cast<const float*>(p.b.data), step, 0.0F, static_cast<float*>(c), 1);
    } else {
      HEDDLE_BLAS(dgemv)
      (CblasRowMajor, a.order, rows, columns, 1.0, static_cast<const double*>(p.a.data), a.leading,
       static_cast<const double*>(p.b.data), step, 0.0, static_cast<double*>(c), 1);
    }
  };
  auto run = [&] {
    if (vector) return run_vector();
    switch (p.dtype) {
      case Dtype::float32:
        HEDDLE_BLAS(sgemm)
        (CblasRowMajor, a.order, b.order, m, n, k, 1.0F, static_cast<const float*>(p.a.data),
         a.leading, static_cast<const float*>(p.b.data), b.leading, 0.0F, static_cast<float*>(c),
         n);
        return;
      case Dtype::float64:
        HEDDLE_BLAS(dgemm)
        (CblasRowMajor, a.order, b.order, m, n, k, 1.0, static_cast<const double*>(p.a.data),
         a.leading, static_cast<const double*>(p.b.data), b.leading, 0.0, static_cast<double*>(c),
         n);
        return;
      case Dtype::complex64: {
        const float one[2] = {1, 0}, zero[2] = {0, 0};
        HEDDLE_BLAS(cgemm)
        (CblasRowMajor, a.order, b.order, m, n, k, one, p.a.data, a.leading, p.b.data, b.leading,
         zero, c, n);
        return;
      }
      case Dtype::complex128: {
        const double one[2] = {1, 0}, zero[2] = {0, 0};
        HEDDLE_BLAS(zgemm)
        (CblasRowMajor, a.order, b.order, m, n, k, one, p.a.data, a.leading, p.b.data, b.leading,
         zero, c, n);
        return;
      }
      default:
        throw std::logic_error("matmul: BLAS has no product of this type");
    }
  };
  run();
}

// The matrix at a place in the stack.
Matrix at(const Matrix& first, std::int64_t place, Dtype dtype) {
  Matrix m = first;
  m.data = static_cast<char*>(first.data) + place * first.stack_stride * itemsize(dtype);
  return m;
}

}  // namespace

void matmul(const Matmul& p) {
  const double work =
      static_cast<double>(p.m) * static_cast<double>(p.n) * static_cast<double>(p.k);
  for_each_matrix(p.count, work, [&](std::int64_t first, std::int64_t last) {
    Matmul one = p;
    for (auto i = first; i < last; ++i) {
      one.a = at(p.a, i, p.dtype);
      one.b = at(p.b, i, p.dtype);
      one.c = at(p.c, i, p.dtype);
      multiply(one);
    }
  });
}

}  // namespace heddle::cpu
