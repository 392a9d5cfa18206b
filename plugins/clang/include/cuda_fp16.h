// Half precision, by the compiler's own type.
#pragma once

struct __half_raw { unsigned short x; };

struct __attribute__((aligned(2))) __half {
  _Float16 __value;

  __half() = default;
  HEDDLE_DEVICE constexpr __half(_Float16 v) : __value(v) {}
  HEDDLE_DEVICE constexpr __half(float v) : __value((_Float16)v) {}
  HEDDLE_DEVICE constexpr __half(double v) : __value((_Float16)v) {}
  HEDDLE_DEVICE constexpr __half(short v) : __value((_Float16)v) {}
  HEDDLE_DEVICE constexpr __half(unsigned short v) : __value((_Float16)v) {}
  HEDDLE_DEVICE constexpr __half(int v) : __value((_Float16)v) {}
  HEDDLE_DEVICE constexpr __half(unsigned int v) : __value((_Float16)v) {}
  HEDDLE_DEVICE constexpr __half(long v) : __value((_Float16)v) {}
  HEDDLE_DEVICE constexpr __half(unsigned long v) : __value((_Float16)v) {}
  HEDDLE_DEVICE constexpr __half(long long v) : __value((_Float16)v) {}
  HEDDLE_DEVICE constexpr __half(unsigned long long v) : __value((_Float16)v) {}
  HEDDLE_DEVICE __half(__half_raw raw) : __value(__builtin_bit_cast(_Float16, raw.x)) {}
  HEDDLE_DEVICE constexpr operator float() const { return (float)__value; }
  HEDDLE_DEVICE operator __half_raw() const { return {__builtin_bit_cast(unsigned short, __value)}; }
  HEDDLE_DEVICE explicit operator bool() const { return __value != (_Float16)0; }
  HEDDLE_DEVICE explicit operator int() const { return (int)__value; }
  HEDDLE_DEVICE explicit operator unsigned int() const { return (unsigned int)__value; }
  HEDDLE_DEVICE explicit operator short() const { return (short)__value; }
  HEDDLE_DEVICE explicit operator long long() const { return (long long)__value; }
  HEDDLE_DEVICE explicit operator double() const { return (double)__value; }
};
typedef __half half;
typedef __half __nv_half;

#define HEDDLE_HALF(op)                                                                       \
  HEDDLE_INLINE __half operator op(__half a, __half b) { return __half((_Float16)(a.__value op b.__value)); } \
  HEDDLE_INLINE __half& operator op##=(__half& a, __half b) { return a = a op b; }
HEDDLE_HALF(+)
HEDDLE_HALF(-)
HEDDLE_HALF(*)
HEDDLE_HALF(/)
#undef HEDDLE_HALF
HEDDLE_INLINE __half operator-(__half a) { return __half((_Float16)-a.__value); }
HEDDLE_INLINE __half operator+(__half a) { return a; }
HEDDLE_INLINE __half& operator++(__half& a) { return a = a + __half(1.0f); }
HEDDLE_INLINE __half& operator--(__half& a) { return a = a - __half(1.0f); }
#define HEDDLE_HALF(op, name)                                                                 \
  HEDDLE_INLINE bool operator op(__half a, __half b) { return a.__value op b.__value; }       \
  HEDDLE_INLINE bool name(__half a, __half b) { return a.__value op b.__value; }
HEDDLE_HALF(==, __heq)
HEDDLE_HALF(!=, __hne)
HEDDLE_HALF(<, __hlt)
HEDDLE_HALF(<=, __hle)
HEDDLE_HALF(>, __hgt)
HEDDLE_HALF(>=, __hge)
#undef HEDDLE_HALF

HEDDLE_INLINE __half __float2half(float x) { return __half(x); }
HEDDLE_INLINE __half __float2half_rn(float x) { return __half(x); }
HEDDLE_INLINE __half __double2half(double x) { return __half(x); }
HEDDLE_INLINE float __half2float(__half x) { return (float)x.__value; }
HEDDLE_INLINE __half __int2half_rn(int x) { return __half(x); }
HEDDLE_INLINE __half __uint2half_rn(unsigned int x) { return __half(x); }
HEDDLE_INLINE int __half2int_rn(__half x) { return __float2int_rn((float)x); }
HEDDLE_INLINE int __half2int_rz(__half x) { return __float2int_rz((float)x); }
HEDDLE_INLINE unsigned short __half_as_ushort(__half x) { return __builtin_bit_cast(unsigned short, x); }
HEDDLE_INLINE short __half_as_short(__half x) { return __builtin_bit_cast(short, x); }
HEDDLE_INLINE __half __ushort_as_half(unsigned short x) { return __builtin_bit_cast(__half, x); }
HEDDLE_INLINE __half __short_as_half(short x) { return __builtin_bit_cast(__half, x); }
HEDDLE_INLINE __half __hadd(__half a, __half b) { return a + b; }
HEDDLE_INLINE __half __hsub(__half a, __half b) { return a - b; }
HEDDLE_INLINE __half __hmul(__half a, __half b) { return a * b; }
HEDDLE_INLINE __half __hdiv(__half a, __half b) { return a / b; }
HEDDLE_INLINE __half __hneg(__half a) { return -a; }
HEDDLE_INLINE __half __habs(__half a) { return __half(fabsf((float)a)); }
HEDDLE_INLINE __half __hfma(__half a, __half b, __half c) { return __half((double)a * (double)b + (double)c); }
HEDDLE_INLINE __half __hmin(__half a, __half b) { return __half(fminf((float)a, (float)b)); }
HEDDLE_INLINE __half __hmax(__half a, __half b) { return __half(fmaxf((float)a, (float)b)); }
HEDDLE_INLINE bool __hisnan(__half a) { return a.__value != a.__value; }
HEDDLE_INLINE int __hisinf(__half a) { return isinf((float)a) ? ((float)a < 0 ? -1 : 1) : 0; }
#define HEDDLE_HALF(name, function) \
  HEDDLE_INLINE __half name(__half a) { return __half(function((float)a)); }
HEDDLE_HALF(hsqrt, sqrtf)
HEDDLE_HALF(hrsqrt, rsqrtf)
HEDDLE_HALF(hexp, expf)
HEDDLE_HALF(hexp2, exp2f)
HEDDLE_HALF(hexp10, exp10f)
HEDDLE_HALF(hlog, logf)
HEDDLE_HALF(hlog2, log2f)
HEDDLE_HALF(hlog10, log10f)
HEDDLE_HALF(hsin, sinf)
HEDDLE_HALF(hcos, cosf)
HEDDLE_HALF(htanh, tanhf)
HEDDLE_HALF(hfloor, floorf)
HEDDLE_HALF(hceil, ceilf)
HEDDLE_HALF(htrunc, truncf)
HEDDLE_HALF(hrint, rintf)
HEDDLE_HALF(hrcp, 1.0f /)
#undef HEDDLE_HALF

struct __attribute__((aligned(4))) __half2 {
  __half x, y;
  __half2() = default;
  HEDDLE_DEVICE __half2(__half a, __half b) : x(a), y(b) {}
};
typedef __half2 half2;
typedef __half2 __nv_half2;
HEDDLE_INLINE __half2 make_half2(__half a, __half b) { return {a, b}; }
HEDDLE_INLINE __half2 __halves2half2(__half a, __half b) { return {a, b}; }
HEDDLE_INLINE __half2 __half2half2(__half a) { return {a, a}; }
HEDDLE_INLINE __half2 __float2half2_rn(float a) { return {__half(a), __half(a)}; }
HEDDLE_INLINE __half2 __floats2half2_rn(float a, float b) { return {__half(a), __half(b)}; }
HEDDLE_INLINE __half2 __float22half2_rn(float2 a) { return {__half(a.x), __half(a.y)}; }
HEDDLE_INLINE float2 __half22float2(__half2 a) { return {(float)a.x, (float)a.y}; }
HEDDLE_INLINE float __low2float(__half2 a) { return a.x; }
HEDDLE_INLINE float __high2float(__half2 a) { return a.y; }
HEDDLE_INLINE __half __low2half(__half2 a) { return a.x; }
HEDDLE_INLINE __half __high2half(__half2 a) { return a.y; }
HEDDLE_INLINE __half2 operator+(__half2 a, __half2 b) { return {a.x + b.x, a.y + b.y}; }
HEDDLE_INLINE __half2 operator-(__half2 a, __half2 b) { return {a.x - b.x, a.y - b.y}; }
HEDDLE_INLINE __half2 operator*(__half2 a, __half2 b) { return {a.x * b.x, a.y * b.y}; }
HEDDLE_INLINE __half2 operator/(__half2 a, __half2 b) { return {a.x / b.x, a.y / b.y}; }
HEDDLE_INLINE __half2 __hadd2(__half2 a, __half2 b) { return a + b; }
HEDDLE_INLINE __half2 __hsub2(__half2 a, __half2 b) { return a - b; }
HEDDLE_INLINE __half2 __hmul2(__half2 a, __half2 b) { return a * b; }
HEDDLE_INLINE __half2 __h2div(__half2 a, __half2 b) { return a / b; }
HEDDLE_INLINE __half2 __hfma2(__half2 a, __half2 b, __half2 c) {
  return {__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y)};
}
HEDDLE_INLINE __half atomicAdd(__half* at, __half value) {
  unsigned short old = __atomic_load_n((unsigned short*)at, __ATOMIC_RELAXED), next;
  do {
    next = __half_as_ushort(__ushort_as_half(old) + value);
  } while (!__atomic_compare_exchange_n((unsigned short*)at, &old, next, true, __ATOMIC_RELAXED,
                                        __ATOMIC_RELAXED));
  return __ushort_as_half(old);
}
