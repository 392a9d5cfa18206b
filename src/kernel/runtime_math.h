// Out-of-line helpers of compiled kernels, listed by name:
//   heddle_rt_<name>(out*, in*..., n)
// Arrays of complex numbers hold n real parts, then n imaginary parts.
#pragma once

#include <cstdint>

// clang-format off
#define HEDDLE_RT_UNARY_MATH(X)                                                                 \
  X(sin) X(cos) X(tan) X(asin) X(acos) X(atan) X(sinh) X(cosh) X(tanh) X(asinh) X(acosh)        \
  X(atanh) X(exp) X(exp2) X(expm1) X(log) X(log2) X(log10) X(log1p) X(cbrt)
#define HEDDLE_RT_BINARY_MATH(X) X(pow) X(atan2) X(fmod)
#define HEDDLE_RT_UNARY_COMPLEX(X)                                                              \
  X(sqrt) X(exp) X(exp2) X(expm1) X(log) X(log2) X(log10) X(log1p) X(sin) X(cos) X(tan)         \
  X(arcsin) X(arccos) X(arctan) X(sinh) X(cosh) X(tanh) X(arcsinh) X(arccosh) X(arctanh)
#define HEDDLE_RT_INTEGERS(X, op)                                                               \
  X(op, i8, std::int8_t) X(op, u8, std::uint8_t) X(op, i16, std::int16_t)                       \
  X(op, u16, std::uint16_t) X(op, i32, std::int32_t) X(op, u32, std::uint32_t)                  \
  X(op, i64, std::int64_t) X(op, u64, std::uint64_t)
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

#define HEDDLE_RT_DECLARE(name)                                            \
  void heddle_rt_##name##_c64(float* out, const float* x, std::int64_t n); \
  void heddle_rt_##name##_c128(double* out, const double* x, std::int64_t n);
HEDDLE_RT_UNARY_COMPLEX(HEDDLE_RT_DECLARE)
#undef HEDDLE_RT_DECLARE
void heddle_rt_power_c64(float* out, const float* x, const float* y, std::int64_t n);
void heddle_rt_power_c128(double* out, const double* x, const double* y, std::int64_t n);

#define HEDDLE_RT_DECLARE(op, suffix, T) \
  void heddle_rt_##op##_##suffix(T* out, const T* x, const T* y, std::int64_t n);
HEDDLE_RT_INTEGERS(HEDDLE_RT_DECLARE, power)
HEDDLE_RT_INTEGERS(HEDDLE_RT_DECLARE, gcd)
HEDDLE_RT_INTEGERS(HEDDLE_RT_DECLARE, lcm)
#undef HEDDLE_RT_DECLARE
}
