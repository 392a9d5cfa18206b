// bfloat16: the upper half of a float, computed with as floats are, and rounded to nearest even.
#pragma once

#include "cuda_fp16.h"

struct __nv_bfloat16_raw { unsigned short x; };

struct __attribute__((aligned(2))) __nv_bfloat16 {
  unsigned short __bits;

  HEDDLE_DEVICE static constexpr unsigned short __rounded(float v) {
    const unsigned int bits = __builtin_bit_cast(unsigned int, v);
    if (v != v) return 0x7fff;
    return (unsigned short)((bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16);
  }
  // A double is rounded once: to a float with the last bit set where digits were lost.
  HEDDLE_DEVICE static constexpr unsigned short __rounded(double v) {
    float near = (float)v;
    unsigned int bits = __builtin_bit_cast(unsigned int, near);
    if (v == v && (double)near != v && near - near == 0.0f) {
      const bool above = (near < 0 ? -(double)near : (double)near) > (v < 0 ? -v : v);
      bits = (bits - (above ? 1u : 0u)) | 1u;
      near = __builtin_bit_cast(float, bits);
    }
    return __rounded(near);
  }

  __nv_bfloat16() = default;
  HEDDLE_DEVICE constexpr __nv_bfloat16(float v) : __bits(__rounded(v)) {}
  HEDDLE_DEVICE constexpr __nv_bfloat16(double v) : __bits(__rounded(v)) {}
  HEDDLE_DEVICE constexpr __nv_bfloat16(short v) : __bits(__rounded((float)v)) {}
  HEDDLE_DEVICE constexpr __nv_bfloat16(unsigned short v) : __bits(__rounded((float)v)) {}
  HEDDLE_DEVICE constexpr __nv_bfloat16(int v) : __bits(__rounded((double)v)) {}
  HEDDLE_DEVICE constexpr __nv_bfloat16(unsigned int v) : __bits(__rounded((double)v)) {}
  HEDDLE_DEVICE constexpr __nv_bfloat16(long v) : __bits(__rounded((double)v)) {}
  HEDDLE_DEVICE constexpr __nv_bfloat16(unsigned long v) : __bits(__rounded((double)v)) {}
  HEDDLE_DEVICE constexpr __nv_bfloat16(long long v) : __bits(__rounded((double)v)) {}
  HEDDLE_DEVICE constexpr __nv_bfloat16(unsigned long long v) : __bits(__rounded((double)v)) {}
  HEDDLE_DEVICE constexpr __nv_bfloat16(__nv_bfloat16_raw raw) : __bits(raw.x) {}
  HEDDLE_DEVICE constexpr operator float() const {
    return __builtin_bit_cast(float, (unsigned int)__bits << 16);
  }
  HEDDLE_DEVICE operator __nv_bfloat16_raw() const { return {__bits}; }
  HEDDLE_DEVICE explicit operator bool() const { return (float)*this != 0.0f; }
  HEDDLE_DEVICE explicit operator int() const { return (int)(float)*this; }
  HEDDLE_DEVICE explicit operator unsigned int() const { return (unsigned int)(float)*this; }
  HEDDLE_DEVICE explicit operator short() const { return (short)(float)*this; }
  HEDDLE_DEVICE explicit operator long long() const { return (long long)(float)*this; }
  HEDDLE_DEVICE explicit operator double() const { return (double)(float)*this; }
};
typedef __nv_bfloat16 nv_bfloat16;

#define HEDDLE_BFLOAT(op)                                                                     \
  HEDDLE_INLINE __nv_bfloat16 operator op(__nv_bfloat16 a, __nv_bfloat16 b) {                 \
    return __nv_bfloat16((float)a op (float)b);                                               \
  }                                                                                           \
  HEDDLE_INLINE __nv_bfloat16& operator op##=(__nv_bfloat16& a, __nv_bfloat16 b) { return a = a op b; }
HEDDLE_BFLOAT(+)
HEDDLE_BFLOAT(-)
HEDDLE_BFLOAT(*)
HEDDLE_BFLOAT(/)
#undef HEDDLE_BFLOAT
HEDDLE_INLINE __nv_bfloat16 operator-(__nv_bfloat16 a) {
  return __nv_bfloat16(__nv_bfloat16_raw{(unsigned short)(a.__bits ^ 0x8000)});
}
HEDDLE_INLINE __nv_bfloat16 operator+(__nv_bfloat16 a) { return a; }
HEDDLE_INLINE __nv_bfloat16& operator++(__nv_bfloat16& a) { return a = a + __nv_bfloat16(1.0f); }
HEDDLE_INLINE __nv_bfloat16& operator--(__nv_bfloat16& a) { return a = a - __nv_bfloat16(1.0f); }
#define HEDDLE_BFLOAT(op, name)                                                               \
  HEDDLE_INLINE bool operator op(__nv_bfloat16 a, __nv_bfloat16 b) { return (float)a op (float)b; } \
  HEDDLE_INLINE bool name(__nv_bfloat16 a, __nv_bfloat16 b) { return (float)a op (float)b; }
HEDDLE_BFLOAT(==, __heq)
HEDDLE_BFLOAT(!=, __hne)
HEDDLE_BFLOAT(<, __hlt)
HEDDLE_BFLOAT(<=, __hle)
HEDDLE_BFLOAT(>, __hgt)
HEDDLE_BFLOAT(>=, __hge)
#undef HEDDLE_BFLOAT

HEDDLE_INLINE __nv_bfloat16 __float2bfloat16(float x) { return __nv_bfloat16(x); }
HEDDLE_INLINE __nv_bfloat16 __float2bfloat16_rn(float x) { return __nv_bfloat16(x); }
HEDDLE_INLINE __nv_bfloat16 __double2bfloat16(double x) { return __nv_bfloat16(x); }
HEDDLE_INLINE float __bfloat162float(__nv_bfloat16 x) { return (float)x; }
HEDDLE_INLINE __nv_bfloat16 __int2bfloat16_rn(int x) { return __nv_bfloat16(x); }
HEDDLE_INLINE __nv_bfloat16 __uint2bfloat16_rn(unsigned int x) { return __nv_bfloat16(x); }
HEDDLE_INLINE int __bfloat162int_rn(__nv_bfloat16 x) { return __float2int_rn((float)x); }
HEDDLE_INLINE int __bfloat162int_rz(__nv_bfloat16 x) { return __float2int_rz((float)x); }
HEDDLE_INLINE unsigned short __bfloat16_as_ushort(__nv_bfloat16 x) { return x.__bits; }
HEDDLE_INLINE short __bfloat16_as_short(__nv_bfloat16 x) { return (short)x.__bits; }
HEDDLE_INLINE __nv_bfloat16 __ushort_as_bfloat16(unsigned short x) { return __nv_bfloat16(__nv_bfloat16_raw{x}); }
HEDDLE_INLINE __nv_bfloat16 __short_as_bfloat16(short x) { return __ushort_as_bfloat16((unsigned short)x); }
HEDDLE_INLINE __nv_bfloat16 __hadd(__nv_bfloat16 a, __nv_bfloat16 b) { return a + b; }
HEDDLE_INLINE __nv_bfloat16 __hsub(__nv_bfloat16 a, __nv_bfloat16 b) { return a - b; }
HEDDLE_INLINE __nv_bfloat16 __hmul(__nv_bfloat16 a, __nv_bfloat16 b) { return a * b; }
HEDDLE_INLINE __nv_bfloat16 __hdiv(__nv_bfloat16 a, __nv_bfloat16 b) { return a / b; }
HEDDLE_INLINE __nv_bfloat16 __hneg(__nv_bfloat16 a) { return -a; }
HEDDLE_INLINE __nv_bfloat16 __habs(__nv_bfloat16 a) { return __ushort_as_bfloat16(a.__bits & 0x7fff); }
HEDDLE_INLINE __nv_bfloat16 __hfma(__nv_bfloat16 a, __nv_bfloat16 b, __nv_bfloat16 c) {
  return __nv_bfloat16((double)a * (double)b + (double)c);
}
HEDDLE_INLINE __nv_bfloat16 __hmin(__nv_bfloat16 a, __nv_bfloat16 b) { return __nv_bfloat16(fminf((float)a, (float)b)); }
HEDDLE_INLINE __nv_bfloat16 __hmax(__nv_bfloat16 a, __nv_bfloat16 b) { return __nv_bfloat16(fmaxf((float)a, (float)b)); }
HEDDLE_INLINE bool __hisnan(__nv_bfloat16 a) { return (float)a != (float)a; }
HEDDLE_INLINE int __hisinf(__nv_bfloat16 a) { return isinf((float)a) ? ((float)a < 0 ? -1 : 1) : 0; }
#define HEDDLE_BFLOAT(name, function) \
  HEDDLE_INLINE __nv_bfloat16 name(__nv_bfloat16 a) { return __nv_bfloat16(function((float)a)); }
HEDDLE_BFLOAT(hsqrt, sqrtf)
HEDDLE_BFLOAT(hrsqrt, rsqrtf)
HEDDLE_BFLOAT(hexp, expf)
HEDDLE_BFLOAT(hexp2, exp2f)
HEDDLE_BFLOAT(hexp10, exp10f)
HEDDLE_BFLOAT(hlog, logf)
HEDDLE_BFLOAT(hlog2, log2f)
HEDDLE_BFLOAT(hlog10, log10f)
HEDDLE_BFLOAT(hsin, sinf)
HEDDLE_BFLOAT(hcos, cosf)
HEDDLE_BFLOAT(htanh, tanhf)
HEDDLE_BFLOAT(hfloor, floorf)
HEDDLE_BFLOAT(hceil, ceilf)
HEDDLE_BFLOAT(htrunc, truncf)
HEDDLE_BFLOAT(hrint, rintf)
HEDDLE_BFLOAT(hrcp, 1.0f /)
#undef HEDDLE_BFLOAT

struct __attribute__((aligned(4))) __nv_bfloat162 {
  __nv_bfloat16 x, y;
  __nv_bfloat162() = default;
  HEDDLE_DEVICE __nv_bfloat162(__nv_bfloat16 a, __nv_bfloat16 b) : x(a), y(b) {}
};
typedef __nv_bfloat162 nv_bfloat162;
HEDDLE_INLINE __nv_bfloat162 make_bfloat162(__nv_bfloat16 a, __nv_bfloat16 b) { return {a, b}; }
HEDDLE_INLINE __nv_bfloat162 __halves2bfloat162(__nv_bfloat16 a, __nv_bfloat16 b) { return {a, b}; }
HEDDLE_INLINE __nv_bfloat162 __bfloat162bfloat162(__nv_bfloat16 a) { return {a, a}; }
HEDDLE_INLINE __nv_bfloat162 __float2bfloat162_rn(float a) { return {__nv_bfloat16(a), __nv_bfloat16(a)}; }
HEDDLE_INLINE __nv_bfloat162 __floats2bfloat162_rn(float a, float b) { return {__nv_bfloat16(a), __nv_bfloat16(b)}; }
HEDDLE_INLINE __nv_bfloat162 __float22bfloat162_rn(float2 a) { return {__nv_bfloat16(a.x), __nv_bfloat16(a.y)}; }
HEDDLE_INLINE float2 __bfloat1622float2(__nv_bfloat162 a) { return {(float)a.x, (float)a.y}; }
HEDDLE_INLINE float __low2float(__nv_bfloat162 a) { return a.x; }
HEDDLE_INLINE float __high2float(__nv_bfloat162 a) { return a.y; }
HEDDLE_INLINE __nv_bfloat16 __low2bfloat16(__nv_bfloat162 a) { return a.x; }
HEDDLE_INLINE __nv_bfloat16 __high2bfloat16(__nv_bfloat162 a) { return a.y; }
HEDDLE_INLINE __nv_bfloat162 operator+(__nv_bfloat162 a, __nv_bfloat162 b) { return {a.x + b.x, a.y + b.y}; }
HEDDLE_INLINE __nv_bfloat162 operator-(__nv_bfloat162 a, __nv_bfloat162 b) { return {a.x - b.x, a.y - b.y}; }
HEDDLE_INLINE __nv_bfloat162 operator*(__nv_bfloat162 a, __nv_bfloat162 b) { return {a.x * b.x, a.y * b.y}; }
HEDDLE_INLINE __nv_bfloat162 operator/(__nv_bfloat162 a, __nv_bfloat162 b) { return {a.x / b.x, a.y / b.y}; }
HEDDLE_INLINE __nv_bfloat162 __hadd2(__nv_bfloat162 a, __nv_bfloat162 b) { return a + b; }
HEDDLE_INLINE __nv_bfloat162 __hsub2(__nv_bfloat162 a, __nv_bfloat162 b) { return a - b; }
HEDDLE_INLINE __nv_bfloat162 __hmul2(__nv_bfloat162 a, __nv_bfloat162 b) { return a * b; }
HEDDLE_INLINE __nv_bfloat162 __h2div(__nv_bfloat162 a, __nv_bfloat162 b) { return a / b; }
HEDDLE_INLINE __nv_bfloat162 __hfma2(__nv_bfloat162 a, __nv_bfloat162 b, __nv_bfloat162 c) {
  return {__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y)};
}
HEDDLE_INLINE __nv_bfloat16 atomicAdd(__nv_bfloat16* at, __nv_bfloat16 value) {
  unsigned short old = __atomic_load_n((unsigned short*)at, __ATOMIC_RELAXED), next;
  do {
    next = (__ushort_as_bfloat16(old) + value).__bits;
  } while (!__atomic_compare_exchange_n((unsigned short*)at, &old, next, true, __ATOMIC_RELAXED,
                                        __ATOMIC_RELAXED));
  return __ushort_as_bfloat16(old);
}
