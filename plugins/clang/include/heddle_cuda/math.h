// Mathematics: the C library's functions under CUDA's names, in both precisions.
#pragma once

#define HEDDLE_ONE(name)                                                                      \
  HEDDLE_PURE double name(double);                                                            \
  HEDDLE_PURE float name##f(float);                                                           \
  HEDDLE_INLINE float name(float x) { return name##f(x); }
#define HEDDLE_TWO(name)                                                                      \
  HEDDLE_PURE double name(double, double);                                                    \
  HEDDLE_PURE float name##f(float, float);                                                    \
  HEDDLE_INLINE float name(float x, float y) { return name##f(x, y); }
HEDDLE_ONE(sin)
HEDDLE_ONE(cos)
HEDDLE_ONE(tan)
HEDDLE_ONE(asin)
HEDDLE_ONE(acos)
HEDDLE_ONE(atan)
HEDDLE_ONE(sinh)
HEDDLE_ONE(cosh)
HEDDLE_ONE(tanh)
HEDDLE_ONE(asinh)
HEDDLE_ONE(acosh)
HEDDLE_ONE(atanh)
HEDDLE_ONE(exp)
HEDDLE_ONE(exp2)
HEDDLE_ONE(expm1)
HEDDLE_ONE(log)
HEDDLE_ONE(log2)
HEDDLE_ONE(log10)
HEDDLE_ONE(log1p)
HEDDLE_ONE(sqrt)
HEDDLE_ONE(cbrt)
HEDDLE_ONE(floor)
HEDDLE_ONE(ceil)
HEDDLE_ONE(trunc)
HEDDLE_ONE(round)
HEDDLE_ONE(rint)
HEDDLE_ONE(nearbyint)
HEDDLE_ONE(erf)
HEDDLE_ONE(erfc)
HEDDLE_ONE(tgamma)
HEDDLE_ONE(lgamma)
HEDDLE_ONE(logb)
HEDDLE_TWO(pow)
HEDDLE_TWO(atan2)
HEDDLE_TWO(fmod)
HEDDLE_TWO(hypot)
HEDDLE_TWO(copysign)
HEDDLE_TWO(fmin)
HEDDLE_TWO(fmax)
HEDDLE_TWO(fdim)
HEDDLE_TWO(nextafter)
HEDDLE_TWO(remainder)
HEDDLE_PURE double fabs(double);
HEDDLE_PURE float fabsf(float);
HEDDLE_INLINE float fabs(float x) { return fabsf(x); }
#undef HEDDLE_ONE
#undef HEDDLE_TWO
HEDDLE_PURE double fma(double, double, double);
HEDDLE_PURE float fmaf(float, float, float);
HEDDLE_INLINE float fma(float x, float y, float z) { return fmaf(x, y, z); }
HEDDLE_PURE double ldexp(double, int);
HEDDLE_PURE float ldexpf(float, int);
HEDDLE_INLINE float ldexp(float x, int e) { return ldexpf(x, e); }
HEDDLE_PURE double scalbn(double, int);
HEDDLE_PURE float scalbnf(float, int);
HEDDLE_PURE int ilogb(double);
HEDDLE_PURE int ilogbf(float);
HEDDLE_KNOWN double frexp(double, int*);
HEDDLE_KNOWN float frexpf(float, int*);
HEDDLE_KNOWN double modf(double, double*);
HEDDLE_KNOWN float modff(float, float*);
HEDDLE_KNOWN double remquo(double, double, int*);
HEDDLE_KNOWN float remquof(float, float, int*);
HEDDLE_INLINE float frexp(float x, int* e) { return frexpf(x, e); }
HEDDLE_INLINE float modf(float x, float* whole) { return modff(x, whole); }
HEDDLE_PURE long lrint(double);
HEDDLE_PURE long lrintf(float);
HEDDLE_PURE long long llrint(double);
HEDDLE_PURE long long llrintf(float);
HEDDLE_PURE long lround(double);
HEDDLE_PURE long lroundf(float);
HEDDLE_PURE long long llround(double);
HEDDLE_PURE long long llroundf(float);
HEDDLE_PURE double j0(double);
HEDDLE_PURE double j1(double);
HEDDLE_PURE double jn(int, double);
HEDDLE_PURE double y0(double);
HEDDLE_PURE double y1(double);
HEDDLE_PURE double yn(int, double);
HEDDLE_PURE float j0f(float);
HEDDLE_PURE float j1f(float);
HEDDLE_PURE float y0f(float);
HEDDLE_PURE float y1f(float);

HEDDLE_INLINE void sincos(double x, double* s, double* c) { *s = sin(x); *c = cos(x); }
HEDDLE_INLINE void sincosf(float x, float* s, float* c) { *s = sinf(x); *c = cosf(x); }
HEDDLE_INLINE void sincos(float x, float* s, float* c) { sincosf(x, s, c); }
#define HEDDLE_PI 3.14159265358979323846
// The angle is brought into [-0.5, 0.5] first, so that whole and half turns are exact.
HEDDLE_INLINE double sinpi(double x) {
  const double turns = x - 2 * rint(x / 2), folded = fabs(turns) > 0.5 ? copysign(1.0, turns) - turns : turns;
  return sin(HEDDLE_PI * folded);
}
HEDDLE_INLINE double cospi(double x) { return sinpi(0.5 - fabs(x - 2 * rint(x / 2))); }
HEDDLE_INLINE float sinpif(float x) { return (float)sinpi((double)x); }
HEDDLE_INLINE float cospif(float x) { return (float)cospi((double)x); }
HEDDLE_INLINE void sincospi(double x, double* s, double* c) { *s = sinpi(x); *c = cospi(x); }
HEDDLE_INLINE void sincospif(float x, float* s, float* c) { *s = sinpif(x); *c = cospif(x); }
HEDDLE_INLINE double exp10(double x) { return pow(10.0, x); }
HEDDLE_INLINE float exp10f(float x) { return powf(10.0f, x); }
HEDDLE_INLINE double rsqrt(double x) { return 1 / sqrt(x); }
HEDDLE_INLINE float rsqrtf(float x) { return 1 / sqrtf(x); }
HEDDLE_INLINE float rsqrt(float x) { return rsqrtf(x); }
HEDDLE_INLINE double rcbrt(double x) { return 1 / cbrt(x); }
HEDDLE_INLINE float rcbrtf(float x) { return 1 / cbrtf(x); }
HEDDLE_INLINE double rhypot(double x, double y) { return 1 / hypot(x, y); }
HEDDLE_INLINE float rhypotf(float x, float y) { return 1 / hypotf(x, y); }
HEDDLE_INLINE float saturate(float x) { return fminf(fmaxf(x, 0.0f), 1.0f); }
HEDDLE_INLINE float __saturatef(float x) { return fminf(fmaxf(x, 0.0f), 1.0f); }

HEDDLE_INLINE double pow(double x, int y) { return pow(x, (double)y); }
HEDDLE_INLINE float pow(float x, int y) { return powf(x, (float)y); }
HEDDLE_INLINE double pow(float x, double y) { return pow((double)x, y); }
HEDDLE_INLINE double pow(double x, float y) { return pow(x, (double)y); }
HEDDLE_INLINE double pow(int x, double y) { return pow((double)x, y); }
HEDDLE_INLINE double pow(int x, int y) { return pow((double)x, (double)y); }
// Of whole numbers: as of double.
#define HEDDLE_WHOLE(name)                                                                    \
  template <typename T>                                                                       \
  HEDDLE_DEVICE auto name(T x) -> __heddle_if<__is_integral(T), double> { return name((double)x); }
template <bool condition, typename T> struct __heddle_only { };
template <typename T> struct __heddle_only<true, T> { typedef T type; };
template <bool condition, typename T> using __heddle_if = typename __heddle_only<condition, T>::type;
HEDDLE_WHOLE(sin)
HEDDLE_WHOLE(cos)
HEDDLE_WHOLE(tan)
HEDDLE_WHOLE(asin)
HEDDLE_WHOLE(acos)
HEDDLE_WHOLE(atan)
HEDDLE_WHOLE(sinh)
HEDDLE_WHOLE(cosh)
HEDDLE_WHOLE(tanh)
HEDDLE_WHOLE(exp)
HEDDLE_WHOLE(exp2)
HEDDLE_WHOLE(log)
HEDDLE_WHOLE(log2)
HEDDLE_WHOLE(log10)
HEDDLE_WHOLE(sqrt)
HEDDLE_WHOLE(cbrt)
HEDDLE_WHOLE(floor)
HEDDLE_WHOLE(ceil)
HEDDLE_WHOLE(rsqrt)
HEDDLE_WHOLE(fabs)
#undef HEDDLE_WHOLE

// Macros of C's would stand in the way of std::isnan.
HEDDLE_INLINE bool isnan(double x) { return __builtin_isnan(x); }
HEDDLE_INLINE bool isnan(float x) { return __builtin_isnan(x); }
HEDDLE_INLINE bool isinf(double x) { return __builtin_isinf(x); }
HEDDLE_INLINE bool isinf(float x) { return __builtin_isinf(x); }
HEDDLE_INLINE bool isfinite(double x) { return __builtin_isfinite(x); }
HEDDLE_INLINE bool isfinite(float x) { return __builtin_isfinite(x); }
HEDDLE_INLINE bool signbit(double x) { return __builtin_signbit(x); }
HEDDLE_INLINE bool signbit(float x) { return __builtin_signbit(x); }
template <typename T>
HEDDLE_DEVICE auto isnan(T) -> __heddle_if<__is_integral(T), bool> { return false; }
template <typename T>
HEDDLE_DEVICE auto isinf(T) -> __heddle_if<__is_integral(T), bool> { return false; }
template <typename T>
HEDDLE_DEVICE auto isfinite(T) -> __heddle_if<__is_integral(T), bool> { return true; }

HEDDLE_INLINE int abs(int x) { return x < 0 ? -x : x; }
HEDDLE_INLINE long abs(long x) { return x < 0 ? -x : x; }
HEDDLE_INLINE long long abs(long long x) { return x < 0 ? -x : x; }
HEDDLE_INLINE float abs(float x) { return fabsf(x); }
HEDDLE_INLINE double abs(double x) { return fabs(x); }
HEDDLE_INLINE long labs(long x) { return x < 0 ? -x : x; }
HEDDLE_INLINE long long llabs(long long x) { return x < 0 ? -x : x; }

#define HEDDLE_LEAST(type)                                                                    \
  HEDDLE_INLINE type min(type a, type b) { return b < a ? b : a; }                            \
  HEDDLE_INLINE type max(type a, type b) { return a < b ? b : a; }
HEDDLE_LEAST(int)
HEDDLE_LEAST(unsigned int)
HEDDLE_LEAST(long)
HEDDLE_LEAST(unsigned long)
HEDDLE_LEAST(long long)
HEDDLE_LEAST(unsigned long long)
#undef HEDDLE_LEAST
HEDDLE_INLINE float min(float a, float b) { return fminf(a, b); }
HEDDLE_INLINE float max(float a, float b) { return fmaxf(a, b); }
HEDDLE_INLINE double min(double a, double b) { return fmin(a, b); }
HEDDLE_INLINE double max(double a, double b) { return fmax(a, b); }
// Of two types: as C++ computes with both. Among integers the sign goes as CUDA has it.
template <typename A, typename B>
HEDDLE_DEVICE auto min(A a, B b) -> __heddle_if<!__is_same(A, B) && __is_arithmetic(A) && __is_arithmetic(B), decltype(a + b)> {
  return min((decltype(a + b))a, (decltype(a + b))b);
}
template <typename A, typename B>
HEDDLE_DEVICE auto max(A a, B b) -> __heddle_if<!__is_same(A, B) && __is_arithmetic(A) && __is_arithmetic(B), decltype(a + b)> {
  return max((decltype(a + b))a, (decltype(a + b))b);
}
HEDDLE_INLINE unsigned int umin(unsigned int a, unsigned int b) { return min(a, b); }
HEDDLE_INLINE unsigned int umax(unsigned int a, unsigned int b) { return max(a, b); }

// What GPUs compute with less precision is computed with all of it here.
HEDDLE_INLINE float __sinf(float x) { return sinf(x); }
HEDDLE_INLINE float __cosf(float x) { return cosf(x); }
HEDDLE_INLINE float __tanf(float x) { return tanf(x); }
HEDDLE_INLINE void __sincosf(float x, float* s, float* c) { sincosf(x, s, c); }
HEDDLE_INLINE float __expf(float x) { return expf(x); }
HEDDLE_INLINE float __exp10f(float x) { return exp10f(x); }
HEDDLE_INLINE float __logf(float x) { return logf(x); }
HEDDLE_INLINE float __log2f(float x) { return log2f(x); }
HEDDLE_INLINE float __log10f(float x) { return log10f(x); }
HEDDLE_INLINE float __powf(float x, float y) { return powf(x, y); }
HEDDLE_INLINE float __fdividef(float x, float y) { return x / y; }
HEDDLE_INLINE float fdividef(float x, float y) { return x / y; }
HEDDLE_INLINE float __frsqrt_rn(float x) { return 1 / sqrtf(x); }
HEDDLE_INLINE float __fsqrt_rn(float x) { return sqrtf(x); }
HEDDLE_INLINE double __dsqrt_rn(double x) { return sqrt(x); }
HEDDLE_INLINE float __frcp_rn(float x) { return 1 / x; }
HEDDLE_INLINE double __drcp_rn(double x) { return 1 / x; }
HEDDLE_INLINE float __fdiv_rn(float x, float y) { return x / y; }
HEDDLE_INLINE double __ddiv_rn(double x, double y) { return x / y; }
HEDDLE_INLINE float __fmaf_rn(float x, float y, float z) { return fmaf(x, y, z); }
HEDDLE_INLINE double __fma_rn(double x, double y, double z) { return fma(x, y, z); }
// Never fused with what follows.
HEDDLE_INLINE float __fadd_rn(float x, float y) {
#pragma clang fp contract(off)
  return x + y;
}
HEDDLE_INLINE float __fsub_rn(float x, float y) {
#pragma clang fp contract(off)
  return x - y;
}
HEDDLE_INLINE float __fmul_rn(float x, float y) {
#pragma clang fp contract(off)
  return x * y;
}
HEDDLE_INLINE double __dadd_rn(double x, double y) {
#pragma clang fp contract(off)
  return x + y;
}
HEDDLE_INLINE double __dsub_rn(double x, double y) {
#pragma clang fp contract(off)
  return x - y;
}
HEDDLE_INLINE double __dmul_rn(double x, double y) {
#pragma clang fp contract(off)
  return x * y;
}

// --- bits and integers ---
HEDDLE_INLINE int __popc(unsigned int x) { return __builtin_popcount(x); }
HEDDLE_INLINE int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
HEDDLE_INLINE int __clz(int x) { return x ? __builtin_clz((unsigned int)x) : 32; }
HEDDLE_INLINE int __clzll(long long x) { return x ? __builtin_clzll((unsigned long long)x) : 64; }
HEDDLE_INLINE int __ffs(int x) { return x ? __builtin_ctz((unsigned int)x) + 1 : 0; }
HEDDLE_INLINE int __ffsll(long long x) { return x ? __builtin_ctzll((unsigned long long)x) + 1 : 0; }
HEDDLE_INLINE unsigned int __brev(unsigned int x) { return __builtin_bitreverse32(x); }
HEDDLE_INLINE unsigned long long __brevll(unsigned long long x) { return __builtin_bitreverse64(x); }
HEDDLE_INLINE int __mulhi(int x, int y) { return (int)((long long)x * y >> 32); }
HEDDLE_INLINE unsigned int __umulhi(unsigned int x, unsigned int y) {
  return (unsigned int)((unsigned long long)x * y >> 32);
}
HEDDLE_INLINE long long __mul64hi(long long x, long long y) { return (long long)((__int128)x * y >> 64); }
HEDDLE_INLINE unsigned long long __umul64hi(unsigned long long x, unsigned long long y) {
  return (unsigned long long)((unsigned __int128)x * y >> 64);
}
HEDDLE_INLINE int __mul24(int x, int y) { return ((x << 8) >> 8) * ((y << 8) >> 8); }
HEDDLE_INLINE unsigned int __umul24(unsigned int x, unsigned int y) { return (x & 0xffffff) * (y & 0xffffff); }
HEDDLE_INLINE unsigned int __sad(int x, int y, unsigned int z) { return (x < y ? y - x : x - y) + z; }
HEDDLE_INLINE unsigned int __usad(unsigned int x, unsigned int y, unsigned int z) {
  return (x < y ? y - x : x - y) + z;
}
HEDDLE_INLINE int __hadd(int x, int y) { return (int)(((long long)x + y) >> 1); }
HEDDLE_INLINE int __rhadd(int x, int y) { return (int)(((long long)x + y + 1) >> 1); }
HEDDLE_INLINE unsigned int __funnelshift_l(unsigned int low, unsigned int high, unsigned int by) {
  return (unsigned int)(((((unsigned long long)high << 32) | low) << (by & 31)) >> 32);
}
HEDDLE_INLINE unsigned int __funnelshift_r(unsigned int low, unsigned int high, unsigned int by) {
  return (unsigned int)((((unsigned long long)high << 32) | low) >> (by & 31));
}
HEDDLE_INLINE unsigned int __byte_perm(unsigned int x, unsigned int y, unsigned int how) {
  const unsigned long long bytes = ((unsigned long long)y << 32) | x;
  unsigned int made = 0;
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    const unsigned int from = (how >> (4 * i)) & 15;
    unsigned int byte = (unsigned int)(bytes >> (8 * (from & 7))) & 255;
    if (from & 8) byte = byte & 128 ? 255 : 0;
    made |= byte << (8 * i);
  }
  return made;
}

// --- bits and conversions of floating-point numbers ---
HEDDLE_INLINE int __float_as_int(float x) { return __builtin_bit_cast(int, x); }
HEDDLE_INLINE unsigned int __float_as_uint(float x) { return __builtin_bit_cast(unsigned int, x); }
HEDDLE_INLINE float __int_as_float(int x) { return __builtin_bit_cast(float, x); }
HEDDLE_INLINE float __uint_as_float(unsigned int x) { return __builtin_bit_cast(float, x); }
HEDDLE_INLINE long long __double_as_longlong(double x) { return __builtin_bit_cast(long long, x); }
HEDDLE_INLINE double __longlong_as_double(long long x) { return __builtin_bit_cast(double, x); }
HEDDLE_INLINE int __double2hiint(double x) { return (int)(__double_as_longlong(x) >> 32); }
HEDDLE_INLINE int __double2loint(double x) { return (int)__double_as_longlong(x); }
HEDDLE_INLINE double __hiloint2double(int high, int low) {
  return __longlong_as_double(((long long)high << 32) | (unsigned int)low);
}
// A number beyond the range gives the nearest in it, nan gives 0, as on GPUs.
template <typename T, typename F>
HEDDLE_DEVICE T __heddle_whole(F x) {
  constexpr bool is_signed = (T)-1 < (T)0;
  constexpr T most = is_signed ? (T)((1ull << (8 * sizeof(T) - 1)) - 1) : (T)-1;
  constexpr T least = is_signed ? (T)(1ull << (8 * sizeof(T) - 1)) : (T)0;
  if (x != x) return 0;
  if (x >= -(F)2 * (F)(is_signed ? least / 2 : 0) && is_signed) return most;
  if (!is_signed && x >= (F)2 * (F)((most >> 1) + 1)) return most;
  if (x < (F)least) return least;
  return (T)x;
}
#define HEDDLE_ROUNDED(to, name, from)                                                        \
  HEDDLE_INLINE to name##_rn(from x) { return __heddle_whole<to>(rint(x)); }                  \
  HEDDLE_INLINE to name##_rz(from x) { return __heddle_whole<to>(trunc(x)); }                 \
  HEDDLE_INLINE to name##_rd(from x) { return __heddle_whole<to>(floor(x)); }                 \
  HEDDLE_INLINE to name##_ru(from x) { return __heddle_whole<to>(ceil(x)); }
HEDDLE_ROUNDED(int, __float2int, float)
HEDDLE_ROUNDED(unsigned int, __float2uint, float)
HEDDLE_ROUNDED(long long, __float2ll, float)
HEDDLE_ROUNDED(unsigned long long, __float2ull, float)
HEDDLE_ROUNDED(int, __double2int, double)
HEDDLE_ROUNDED(unsigned int, __double2uint, double)
HEDDLE_ROUNDED(long long, __double2ll, double)
HEDDLE_ROUNDED(unsigned long long, __double2ull, double)
#undef HEDDLE_ROUNDED
HEDDLE_INLINE float __int2float_rn(int x) { return (float)x; }
HEDDLE_INLINE float __uint2float_rn(unsigned int x) { return (float)x; }
HEDDLE_INLINE float __ll2float_rn(long long x) { return (float)x; }
HEDDLE_INLINE float __ull2float_rn(unsigned long long x) { return (float)x; }
HEDDLE_INLINE double __int2double_rn(int x) { return (double)x; }
HEDDLE_INLINE double __uint2double_rn(unsigned int x) { return (double)x; }
HEDDLE_INLINE double __ll2double_rn(long long x) { return (double)x; }
HEDDLE_INLINE double __ull2double_rn(unsigned long long x) { return (double)x; }
HEDDLE_INLINE float __double2float_rn(double x) { return (float)x; }
