// Out-of-line helpers of compiled kernels, listed by name:
//   heddle_rt_<name>(out*, in*..., n)
#pragma once

#include <cstdint>

// clang-format off
#define HEDDLE_RT_UNARY_MATH(X)                                                                 \
  X(sin) X(cos) X(tan) X(asin) X(acos) X(atan) X(sinh) X(cosh) X(tanh) X(asinh) X(acosh)        \
  X(atanh) X(exp) X(exp2) X(expm1) X(log) X(log2) X(log10) X(log1p) X(cbrt)
#define HEDDLE_RT_BINARY_MATH(X) X(pow) X(atan2) X(fmod) X(logaddexp) X(logaddexp2)
// clang-format on

extern "C" {
#define HEDDLE_RT_DECLARE(name)                                            \
  void heddle_rt_##name##_f32(float* out, const float* x, std::int64_t n); \
  void heddle_rt_##name##_f64(double* out, const double* x, std::int64_t n);
HEDDLE_RT_UNARY_MATH(HEDDLE_RT_DECLARE)
#undef HEDDLE_RT_DECLARE

#define HEDDLE_RT_DECLARE(name)                                                            \
  void heddle_rt_##name##_f32(float* out, const float* x, const float* y, std::int64_t n); \
  void heddle_rt_##name##_f64(double* out, const double* x, const double* y, std::int64_t n);
HEDDLE_RT_BINARY_MATH(HEDDLE_RT_DECLARE)
#undef HEDDLE_RT_DECLARE
}
