// OpenBLAS's routines by the type of their elements.
#pragma once

#include <complex>

#include <cblas.h>

// The wheel's library decorates its names.
#ifdef HEDDLE_BLAS_SCIPY
#define HEDDLE_BLAS(name) scipy_cblas_##name##64_
#else
#define HEDDLE_BLAS(name) cblas_##name
#endif

namespace heddle::cpu {

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
inline float factor(const float& x) { return x; }
inline double factor(const double& x) { return x; }
template <class T>
const void* factor(const std::complex<T>& x) {
  return &x;
}

}  // namespace heddle::cpu
