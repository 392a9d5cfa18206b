#include "backend/cpu/blas.h"

#include <algorithm>
#include <complex>
#include <optional>
#include <stdexcept>
#include <vector>

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

// The routines by the type of their elements.
template <class T>
struct Routines;

#define HEDDLE_BLAS_ROUTINES(T, prefix)                     \
  template <>                                               \
  struct Routines<T> {                                      \
    static constexpr auto gemm = HEDDLE_BLAS(prefix##gemm); \
    static constexpr auto gemv = HEDDLE_BLAS(prefix##gemv); \
    static constexpr auto syrk = HEDDLE_BLAS(prefix##syrk); \
  };
HEDDLE_BLAS_ROUTINES(float, s)
HEDDLE_BLAS_ROUTINES(double, d)
HEDDLE_BLAS_ROUTINES(std::complex<float>, c)
HEDDLE_BLAS_ROUTINES(std::complex<double>, z)
#undef HEDDLE_BLAS_ROUTINES

// Real factors are passed as they are, complex ones by address.
float factor(const float& x) { return x; }
double factor(const double& x) { return x; }
template <class T>
const void* factor(const std::complex<T>& x) {
  return &x;
}

// Rows of `leading` elements, or columns of them: what BLAS calls transposed.
struct Operand {
  bool by_rows;
  index leading;
  CBLAS_TRANSPOSE order() const { return by_rows ? CblasNoTrans : CblasTrans; }
  CBLAS_TRANSPOSE transposed() const { return by_rows ? CblasTrans : CblasNoTrans; }
};

Operand operand(const Matrix& m, std::int64_t columns) {
  // With one row or column both strides may be 1: the leading one must still span the matrix.
  bool by_rows = m.column_stride == 1 && m.row_stride >= columns;
  return {by_rows, static_cast<index>(by_rows ? m.row_stride : m.column_stride)};
}

// y = m x or, if `transposed`, m' x. The matrix is `runs` runs of `length` elements in memory.
template <class T>
struct VectorProduct {
  const T* matrix;
  index runs, length, leading;
  CBLAS_TRANSPOSE order;
  const T* x;
  index step;
  T* y;

  VectorProduct(const Matrix& m, std::int64_t rows, std::int64_t columns, bool transposed,
                const void* x, std::int64_t step, void* y)
      : matrix(static_cast<const T*>(m.data)),
        x(static_cast<const T*>(x)),
        step(static_cast<index>(step)),
        y(static_cast<T*>(y)) {
    const Operand a = operand(m, columns);
    runs = static_cast<index>(a.by_rows ? rows : columns);
    length = static_cast<index>(a.by_rows ? columns : rows);
    leading = a.leading;
    order = transposed ? a.transposed() : a.order();
  }

  void run() const {
    const T one(1), zero(0);
    Routines<T>::gemv(CblasRowMajor, order, runs, length, factor(one), matrix, leading, x, step,
                      factor(zero), y, 1);
  }

  bool sums_runs() const { return order == CblasTrans; }
  index kept() const { return sums_runs() ? length : runs; }

  // Runs, or a part of every run.
  VectorProduct part(bool of_runs, index first, index last) const {
    VectorProduct made = *this;
    (of_runs ? made.runs : made.length) = last - first;
    made.matrix += of_runs ? first * leading : first;
    if (of_runs == sums_runs()) {
      made.x += first * step;
    } else {
      made.y += first;
    }
    return made;
  }

  // On all cores. Parts of what is summed over have results of their own, which are added up.
  void run_in_parts() const {
    constexpr index long_run = 8192, few_runs = 16;
    const bool of_runs = sums_runs() ? length < long_run : runs >= few_runs;
    const index extent = of_runs ? runs : length;
    auto parts = static_cast<index>(vector_parts(static_cast<double>(runs) * length * sizeof(T)));
    const index size = ((extent + parts - 1) / parts + 7) / 8 * 8;  // as kernels go
    parts = (extent + size - 1) / size;
    if (parts <= 1) return for_each_part(1, [&](std::int64_t) { run(); });
    const bool partial = of_runs == sums_runs();
    std::vector<T> sums(static_cast<std::size_t>(partial ? parts * kept() : 0));
    for_each_part(parts, [&](std::int64_t i) {
      const auto first = static_cast<index>(i) * size;
      VectorProduct piece = part(of_runs, first, std::min(extent, first + size));
      if (partial) piece.y = sums.data() + i * kept();
      piece.run();
    });
    for (index i = 0; partial && i < parts; ++i) {
      const T* sum = sums.data() + i * kept();
      for (index j = 0; j < kept(); ++j) y[j] = i == 0 ? sum[j] : y[j] + sum[j];
    }
  }
};

// The product if it is one of a matrix and a vector.
template <class T>
std::optional<VectorProduct<T>> vector_product(const Matmul& p) {
  if (p.n == 1) return VectorProduct<T>(p.a, p.m, p.k, false, p.b.data, p.b.row_stride, p.c.data);
  if (p.m == 1) return VectorProduct<T>(p.b, p.k, p.n, true, p.a.data, p.a.column_stride, p.c.data);
  return std::nullopt;
}

// a times a transposed: half of it is computed, and the other half is its mirror image.
template <class T>
void multiply_with_itself(const Matmul& p) {
  const Operand a = operand(p.a, p.k);
  const auto n = static_cast<index>(p.n);
  auto* c = static_cast<T*>(p.c.data);
  const T one(1), zero(0);
  Routines<T>::syrk(CblasRowMajor, CblasUpper, a.order(), n, static_cast<index>(p.k), factor(one),
                    static_cast<const T*>(p.a.data), a.leading, factor(zero), c, n);
  constexpr index tile = 32;  // both sides stay in the cache
  for (index i0 = 0; i0 < n; i0 += tile) {
    for (index j0 = i0; j0 < n; j0 += tile) {
      for (index i = i0; i < std::min(i0 + tile, n); ++i) {
        for (index j = std::max(j0, i + 1); j < std::min(j0 + tile, n); ++j) {
          c[j * n + i] = c[i * n + j];
        }
      }
    }
  }
}

bool is_transposed(const Matmul& p) {
  return p.a.data == p.b.data && p.m == p.n && p.a.row_stride == p.b.column_stride &&
         p.a.column_stride == p.b.row_stride;
}

template <class T>
void multiply(const Matmul& p) {
  if (auto product = vector_product<T>(p)) {
    return p.count == 1 ? product->run_in_parts() : product->run();
  }
  if (is_transposed(p)) return multiply_with_itself<T>(p);
  const Operand a = operand(p.a, p.k), b = operand(p.b, p.n);
  const T one(1), zero(0);
  const auto n = static_cast<index>(p.n);
  Routines<T>::gemm(CblasRowMajor, a.order(), b.order(), static_cast<index>(p.m), n,
                    static_cast<index>(p.k), factor(one), static_cast<const T*>(p.a.data),
                    a.leading, static_cast<const T*>(p.b.data), b.leading, factor(zero),
                    static_cast<T*>(p.c.data), n);
}

auto routine(Dtype dtype) {
  switch (dtype) {
    case Dtype::float32:
      return multiply<float>;
    case Dtype::float64:
      return multiply<double>;
    case Dtype::complex64:
      return multiply<std::complex<float>>;
    case Dtype::complex128:
      return multiply<std::complex<double>>;
    default:
      throw std::logic_error("matmul: BLAS has no product of this type");
  }
}

}  // namespace

void matmul(const Matmul& p) {
  if (p.count == 1 && (p.m == 1 || p.n == 1)) return routine(p.dtype)(p);
  const double work =
      static_cast<double>(p.m) * static_cast<double>(p.n) * static_cast<double>(p.k);
  auto* const multiply_one = routine(p.dtype);
  // The matrix at a place in the stack.
  auto at = [bytes = itemsize(p.dtype)](const Matrix& first, std::int64_t place) {
    return static_cast<char*>(first.data) + place * first.stack_stride * bytes;
  };
  for_each_matrix(p.count, work, [&](std::int64_t first, std::int64_t last) {
    Matmul one = p;
    for (auto i = first; i < last; ++i) {
      one.a.data = at(p.a, i);
      one.b.data = at(p.b, i);
      one.c.data = at(p.c, i);
      multiply_one(one);
    }
  });
}

}  // namespace heddle::cpu
