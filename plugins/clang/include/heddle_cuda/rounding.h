// Arithmetic that rounds down, up or to zero, made of arithmetic that rounds to the nearest: what
// the nearest number is away from the exact one is computed, exactly or to its sign.
#pragma once

enum class __heddle_way { down, up, to_zero };

// The neighbour of x, where the exact number is x and something of the sign of `error`.
template <__heddle_way way, typename F>
HEDDLE_DEVICE F __heddle_moved(F x, F error, bool finite) {
  constexpr bool down = way == __heddle_way::down, up = way == __heddle_way::up;
  const F infinity = (F)__builtin_inf();
  if (isinf(x)) {  // too large: the largest there is, in all ways but one
    return finite && ((x > 0 && !up) || (x < 0 && !down)) ? nextafter(x, -x) : x;
  }
  if (down && error < 0) return nextafter(x, -infinity);
  if (up && error > 0) return nextafter(x, infinity);
  if (!down && !up && ((x > 0 && error < 0) || (x < 0 && error > 0))) return nextafter(x, (F)0);
  return x;
}
HEDDLE_INLINE double __heddle_sum_error(double a, double b, double s) {
#pragma clang fp contract(off) reassociate(off)
  const double other = s - a;
  return (a - (s - other)) + (b - other);
}
// float of what is `wide` and something much smaller.
template <__heddle_way way>
HEDDLE_DEVICE float __heddle_single(double wide, double error) {
  const float made = (float)wide;
  const double away = isinf(made) ? 0 : wide - (double)made;
  const double sign = away != 0 ? away : error;
  return __heddle_moved<way>(made, sign < 0 ? -1.0f : sign > 0 ? 1.0f : 0.0f, isfinite(wide));
}

// Below it, errors are found of numbers that are scaled up.
#define HEDDLE_TINY 1e-250
#define HEDDLE_SCALE 0x1p200
template <__heddle_way way>
HEDDLE_DEVICE double __heddle_add(double x, double y) {
#pragma clang fp contract(off)
  const double s = x + y;
  if (s == 0) {  // the sum of opposites is -0 rounded down
    const bool positive = !signbit(x) && !signbit(y);
    return way == __heddle_way::down && !positive ? -0.0 : s;
  }
  return __heddle_moved<way>(s, __heddle_sum_error(x, y, s), isfinite(x) && isfinite(y));
}
template <__heddle_way way>
HEDDLE_DEVICE double __heddle_multiply(double x, double y) {
#pragma clang fp contract(off)
  const double p = x * y;
  double error = fma(x, y, -p);
  if (p == 0) {
    error = x != 0 && y != 0 ? copysign(1.0, p) : 0;
    if (way == __heddle_way::to_zero) return p;
  } else if (fabs(p) < HEDDLE_TINY) {
    const bool small = fabs(x) < 1;
    error = fma(small ? x * HEDDLE_SCALE : x, small ? y : y * HEDDLE_SCALE, -(p * HEDDLE_SCALE));
  }
  return __heddle_moved<way>(p, error, isfinite(x) && isfinite(y));
}
template <__heddle_way way>
HEDDLE_DEVICE double __heddle_divide(double x, double y) {
#pragma clang fp contract(off)
  const double q = x / y;
  const bool small = fabs(x) < HEDDLE_TINY;
  const double rest = small ? fma(-(q * HEDDLE_SCALE), y, x * HEDDLE_SCALE) : fma(-q, y, x);
  return __heddle_moved<way>(q, y > 0 ? rest : -rest, isfinite(x) && isfinite(y) && y != 0);
}
template <__heddle_way way>
HEDDLE_DEVICE double __heddle_root(double x) {
  const double s = sqrt(x), wide = s * 0x1p100;
  const double error = x < HEDDLE_TINY ? fma(-wide, wide, x * HEDDLE_SCALE) : fma(-s, s, x);
  return __heddle_moved<way>(s, error, false);
}
template <__heddle_way way>
HEDDLE_DEVICE double __heddle_fused(double x, double y, double z) {
#pragma clang fp contract(off)
  const double made = fma(x, y, z), high = x * y, low = fma(x, y, -high);
  const double s1 = z + low, e1 = __heddle_sum_error(z, low, s1);
  const double s2 = high + s1, e2 = __heddle_sum_error(high, s1, s2);
  const double error = ((s2 - made) + e2) + e1;
  return __heddle_moved<way>(made, error, isfinite(x) && isfinite(y) && isfinite(z));
}
#undef HEDDLE_TINY
#undef HEDDLE_SCALE
template <__heddle_way way>
HEDDLE_DEVICE float __heddle_add(float x, float y) {
  const double s = (double)x + (double)y;
  if (s == 0) return (float)__heddle_add<way>((double)x, (double)y);
  return __heddle_single<way>(s, __heddle_sum_error(x, y, s));
}
template <__heddle_way way>
HEDDLE_DEVICE float __heddle_multiply(float x, float y) {
  return __heddle_single<way>((double)x * (double)y, 0);
}
template <__heddle_way way>
HEDDLE_DEVICE float __heddle_divide(float x, float y) {
  const double q = (double)x / (double)y, rest = fma(-q, (double)y, (double)x);
  return __heddle_single<way>(q, y > 0 ? rest : -rest);
}
template <__heddle_way way>
HEDDLE_DEVICE float __heddle_root(float x) {
  const double s = sqrt((double)x);
  return __heddle_single<way>(s, fma(-s, s, (double)x));
}
template <__heddle_way way>
HEDDLE_DEVICE float __heddle_fused(float x, float y, float z) {
  const double product = (double)x * (double)y, s = product + (double)z;
  return __heddle_single<way>(s, __heddle_sum_error(product, z, s));
}
// Integers: half of them, as the largest would be one more than there is.
template <__heddle_way way, typename T>
HEDDLE_DEVICE double __heddle_double(T i) {
  const double made = (double)i, half = floor(made * 0.5);
  double error = (double)((long long)(i >> 1) - (long long)half);
  if (error == 0) error = (double)(long long)(i & 1) - (made - 2 * half);
  return __heddle_moved<way>(made, error, true);
}

#define HEDDLE_WAY(end, way)                                                                        \
  HEDDLE_INLINE float __fadd_##end(float x, float y) { return __heddle_add<way>(x, y); }            \
  HEDDLE_INLINE float __fsub_##end(float x, float y) { return __heddle_add<way>(x, -y); }           \
  HEDDLE_INLINE float __fmul_##end(float x, float y) { return __heddle_multiply<way>(x, y); }       \
  HEDDLE_INLINE float __fdiv_##end(float x, float y) { return __heddle_divide<way>(x, y); }         \
  HEDDLE_INLINE float __frcp_##end(float x) { return __heddle_divide<way>(1.0f, x); }               \
  HEDDLE_INLINE float __fsqrt_##end(float x) { return __heddle_root<way>(x); }                      \
  HEDDLE_INLINE float __fmaf_##end(float x, float y, float z) { return __heddle_fused<way>(x, y, z); } \
  HEDDLE_INLINE double __dadd_##end(double x, double y) { return __heddle_add<way>(x, y); }         \
  HEDDLE_INLINE double __dsub_##end(double x, double y) { return __heddle_add<way>(x, -y); }        \
  HEDDLE_INLINE double __dmul_##end(double x, double y) { return __heddle_multiply<way>(x, y); }    \
  HEDDLE_INLINE double __ddiv_##end(double x, double y) { return __heddle_divide<way>(x, y); }      \
  HEDDLE_INLINE double __drcp_##end(double x) { return __heddle_divide<way>(1.0, x); }              \
  HEDDLE_INLINE double __dsqrt_##end(double x) { return __heddle_root<way>(x); }                    \
  HEDDLE_INLINE double __fma_##end(double x, double y, double z) { return __heddle_fused<way>(x, y, z); } \
  HEDDLE_INLINE float __double2float_##end(double x) { return __heddle_single<way>(x, 0); }         \
  HEDDLE_INLINE float __int2float_##end(int x) { return __heddle_single<way>((double)x, 0); }       \
  HEDDLE_INLINE float __uint2float_##end(unsigned int x) { return __heddle_single<way>((double)x, 0); } \
  HEDDLE_INLINE double __ll2double_##end(long long x) { return __heddle_double<way>(x); }           \
  HEDDLE_INLINE double __ull2double_##end(unsigned long long x) { return __heddle_double<way>(x); } \
  HEDDLE_INLINE float __ll2float_##end(long long x) { return __heddle_single<way>(__heddle_double<way>(x), 0); } \
  HEDDLE_INLINE float __ull2float_##end(unsigned long long x) { return __heddle_single<way>(__heddle_double<way>(x), 0); }
HEDDLE_WAY(rd, __heddle_way::down)
HEDDLE_WAY(ru, __heddle_way::up)
HEDDLE_WAY(rz, __heddle_way::to_zero)
#undef HEDDLE_WAY
