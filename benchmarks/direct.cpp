// The libraries that Heddle calls on CPUs, called directly, for benchmarks/libraries.py: OpenBLAS,
// from the same file as Heddle's, and ducc0, compiled with the same options and its own threads.
// Every function runs `repeats` times, so that what is timed is the library alone.
#include <complex>
#include <cstdint>
#include <cstring>
#include <vector>

#include <ducc0/fft/fftnd_impl.h>

#include "backend/cpu/lapack.h"

#ifdef HEDDLE_BLAS_SCIPY
#define HEDDLE_BLAS(name) scipy_cblas_##name##64_
#else
#define HEDDLE_BLAS(name) cblas_##name
#endif

#define EXPORT extern "C" __attribute__((visibility("default")))

namespace {

using Int = heddle::cpu::lapack::index;
using heddle::cpu::lapack::Routines;
using Double = Routines<double>;

enum Type : int { float32, float64, complex64, complex128 };

CBLAS_TRANSPOSE order(int transposed) { return transposed ? CblasTrans : CblasNoTrans; }

// Each call gets a copy of the matrix, which LAPACK overwrites.
struct Copy {
  const double* from;
  std::size_t bytes;
  double* operator()(std::vector<double>& to) const {
    std::memcpy(to.data(), from, bytes);
    return to.data();
  }
};

}  // namespace

EXPORT int threads() { return HEDDLE_OPENBLAS(get_num_threads)(); }

// c = a b by rows, with the rows of a and b, or of their transposes, lda and ldb apart.
EXPORT void gemm(int type, Int m, Int n, Int k, const void* a, Int lda, int a_transposed,
                 const void* b, Int ldb, int b_transposed, void* c, std::int64_t repeats) {
  const auto ta = order(a_transposed), tb = order(b_transposed);
  const double one[] = {1, 0}, zero[] = {0, 0};
  const float one_f[] = {1, 0}, zero_f[] = {0, 0};
  for (; repeats > 0; --repeats) {
    switch (type) {
      case float32:
        HEDDLE_BLAS(sgemm)
        (CblasRowMajor, ta, tb, m, n, k, 1, static_cast<const float*>(a), lda,
         static_cast<const float*>(b), ldb, 0, static_cast<float*>(c), n);
        break;
      case float64:
        HEDDLE_BLAS(dgemm)
        (CblasRowMajor, ta, tb, m, n, k, 1, static_cast<const double*>(a), lda,
         static_cast<const double*>(b), ldb, 0, static_cast<double*>(c), n);
        break;
      case complex64:
        HEDDLE_BLAS(cgemm)
        (CblasRowMajor, ta, tb, m, n, k, one_f, a, lda, b, ldb, zero_f, c, n);
        break;
      default:
        HEDDLE_BLAS(zgemm)(CblasRowMajor, ta, tb, m, n, k, one, a, lda, b, ldb, zero, c, n);
    }
  }
}

// A stack of products, one after the other.
EXPORT void gemms(Int count, Int m, Int n, Int k, const double* a, const double* b, double* c,
                  std::int64_t repeats) {
  for (; repeats > 0; --repeats) {
    for (Int i = 0; i < count; ++i) {
      HEDDLE_BLAS(dgemm)
      (CblasRowMajor, CblasNoTrans, CblasNoTrans, m, n, k, 1, a + i * m * k, k, b + i * k * n, n, 0,
       c + i * m * n, n);
    }
  }
}

EXPORT void gemv(int type, Int rows, Int columns, const void* a, int transposed, const void* x,
                 Int step, void* y, std::int64_t repeats) {
  for (; repeats > 0; --repeats) {
    if (type == float32) {
      HEDDLE_BLAS(sgemv)
      (CblasRowMajor, order(transposed), rows, columns, 1, static_cast<const float*>(a), columns,
       static_cast<const float*>(x), step, 0, static_cast<float*>(y), 1);
    } else {
      HEDDLE_BLAS(dgemv)
      (CblasRowMajor, order(transposed), rows, columns, 1, static_cast<const double*>(a), columns,
       static_cast<const double*>(x), step, 0, static_cast<double*>(y), 1);
    }
  }
}

EXPORT void dot(int type, Int n, const void* x, const void* y, void* result, std::int64_t repeats) {
  for (; repeats > 0; --repeats) {
    if (type == float32) {
      *static_cast<float*>(result) =
          HEDDLE_BLAS(sdot)(n, static_cast<const float*>(x), 1, static_cast<const float*>(y), 1);
    } else {
      *static_cast<double*>(result) =
          HEDDLE_BLAS(ddot)(n, static_cast<const double*>(x), 1, static_cast<const double*>(y), 1);
    }
  }
}

// Matrices are n by n, by columns; b and results as well.
EXPORT void solve(Int n, Int columns, const double* a, const double* b, double* x,
                  std::int64_t repeats) {
  std::vector<double> matrix(static_cast<std::size_t>(n * n));
  std::vector<Int> pivots(static_cast<std::size_t>(n));
  const Copy copy{a, sizeof(double) * matrix.size()};
  Int info = 0;
  for (; repeats > 0; --repeats) {
    std::memcpy(x, b, sizeof(double) * static_cast<std::size_t>(n * columns));
    Double::gesv(&n, &columns, copy(matrix), &n, pivots.data(), x, &n, &info);
  }
}

EXPORT void lu(Int n, const double* a, double* factors, std::int64_t repeats) {
  std::vector<Int> pivots(static_cast<std::size_t>(n));
  Int info = 0;
  for (; repeats > 0; --repeats) {
    std::memcpy(factors, a, sizeof(double) * static_cast<std::size_t>(n * n));
    Double::getrf(&n, &n, factors, &n, pivots.data(), &info);
  }
}

EXPORT void cholesky(Int n, const double* a, double* factor, std::int64_t repeats) {
  const char uplo = 'U';
  Int info = 0;
  for (; repeats > 0; --repeats) {
    std::memcpy(factor, a, sizeof(double) * static_cast<std::size_t>(n * n));
    Double::potrf(&uplo, &n, factor, &n, &info);
  }
}

EXPORT void qr(Int n, const double* a, double* q, std::int64_t repeats) {
  std::vector<double> tau(static_cast<std::size_t>(n)), work(static_cast<std::size_t>(64 * n));
  const auto size = static_cast<Int>(work.size());
  Int info = 0;
  for (; repeats > 0; --repeats) {
    std::memcpy(q, a, sizeof(double) * static_cast<std::size_t>(n * n));
    Double::geqrf(&n, &n, q, &n, tau.data(), work.data(), &size, &info);
    Double::orgqr(&n, &n, &n, q, &n, tau.data(), work.data(), &size, &info);
  }
}

EXPORT void svd(Int n, const double* a, double* u, double* s, double* vh, std::int64_t repeats) {
  std::vector<double> matrix(static_cast<std::size_t>(n * n));
  std::vector<Int> integers(static_cast<std::size_t>(8 * n));
  const Copy copy{a, sizeof(double) * matrix.size()};
  const char job = 'A';
  const Int query = -1;
  Int info = 0;
  double answer = 0;
  Double::gesdd(&job, &n, &n, matrix.data(), &n, s, u, &n, vh, &n, &answer, &query, integers.data(),
                &info);
  std::vector<double> work(static_cast<std::size_t>(answer));
  const auto size = static_cast<Int>(work.size());
  for (; repeats > 0; --repeats) {
    Double::gesdd(&job, &n, &n, copy(matrix), &n, s, u, &n, vh, &n, work.data(), &size,
                  integers.data(), &info);
  }
}

EXPORT void eigh(Int n, const double* a, double* w, double* v, std::int64_t repeats) {
  const char job = 'V', uplo = 'L';
  const Int query = -1;
  Int info = 0, integers_size = 0;
  double answer = 0;
  Double::heevd(&job, &uplo, &n, v, &n, w, &answer, &query, &integers_size, &query, &info);
  std::vector<double> work(static_cast<std::size_t>(answer));
  std::vector<Int> integers(static_cast<std::size_t>(integers_size));
  const auto size = static_cast<Int>(work.size());
  for (; repeats > 0; --repeats) {
    std::memcpy(v, a, sizeof(double) * static_cast<std::size_t>(n * n));
    Double::heevd(&job, &uplo, &n, v, &n, w, work.data(), &size, integers.data(), &integers_size,
                  &info);
  }
}

namespace {

using Shape = ducc0::fmav_info::shape_t;

template <class T>
void transform(int kind, const void* in, const Shape& in_shape, void* out, const Shape& out_shape,
               const Shape& axes, T scale, std::size_t workers) {
  using Complex = std::complex<T>;
  namespace fft = ducc0::detail_fft;
  if (kind == 0) {
    fft::c2c<T>(ducc0::cfmav<Complex>(static_cast<const Complex*>(in), in_shape),
                ducc0::vfmav<Complex>(static_cast<Complex*>(out), out_shape), axes, true, scale,
                workers);
  } else if (kind == 1) {
    fft::r2c<T>(ducc0::cfmav<T>(static_cast<const T*>(in), in_shape),
                ducc0::vfmav<Complex>(static_cast<Complex*>(out), out_shape), axes, true, scale,
                workers);
  } else {
    fft::c2r<T>(ducc0::cfmav<Complex>(static_cast<const Complex*>(in), in_shape),
                ducc0::vfmav<T>(static_cast<T*>(out), out_shape), axes, false, scale, workers);
  }
}

}  // namespace

// Dense arrays in C order. kind: 0 complex, 1 from real, 2 to real (backward).
EXPORT void fft(int kind, int single, const void* in, const std::int64_t* in_shape, void* out,
                const std::int64_t* out_shape, int dims, const std::int64_t* axes, int axes_count,
                double scale, std::int64_t workers, std::int64_t repeats) {
  const Shape from(in_shape, in_shape + dims), to(out_shape, out_shape + dims);
  const Shape along(axes, axes + axes_count);
  const auto count = static_cast<std::size_t>(workers);
  for (; repeats > 0; --repeats) {
    if (single) {
      transform<float>(kind, in, from, out, to, along, static_cast<float>(scale), count);
    } else {
      transform<double>(kind, in, from, out, to, along, scale, count);
    }
  }
}
