// CUDA's complex numbers for C.
#pragma once

typedef float2 cuFloatComplex;
typedef double2 cuDoubleComplex;
typedef cuFloatComplex cuComplex;

#define HEDDLE_COMPLEX(C, R, suffix, f)                                                       \
  HEDDLE_INLINE R cuCreal##suffix(C a) { return a.x; }                                        \
  HEDDLE_INLINE R cuCimag##suffix(C a) { return a.y; }                                        \
  HEDDLE_INLINE C cuConj##suffix(C a) { return {a.x, -a.y}; }                                 \
  HEDDLE_INLINE C cuCadd##suffix(C a, C b) { return {a.x + b.x, a.y + b.y}; }                 \
  HEDDLE_INLINE C cuCsub##suffix(C a, C b) { return {a.x - b.x, a.y - b.y}; }                 \
  HEDDLE_INLINE C cuCmul##suffix(C a, C b) {                                                  \
    return {a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x};                                    \
  }                                                                                           \
  HEDDLE_INLINE C cuCdiv##suffix(C a, C b) {                                                  \
    const R s = fabs(b.x) + fabs(b.y), t = 1 / s;                                             \
    const R ar = a.x * t, ai = a.y * t, br = b.x * t, bi = b.y * t;                           \
    const R n = 1 / (br * br + bi * bi);                                                      \
    return {(ar * br + ai * bi) * n, (ai * br - ar * bi) * n};                                \
  }                                                                                           \
  HEDDLE_INLINE R cuCabs##suffix(C a) { return hypot(a.x, a.y); }                             \
  HEDDLE_INLINE C cuCfma##suffix(C a, C b, C c) {                                             \
    return {a.x * b.x - a.y * b.y + c.x, a.x * b.y + a.y * b.x + c.y};                        \
  }
HEDDLE_COMPLEX(cuFloatComplex, float, f, f)
HEDDLE_COMPLEX(cuDoubleComplex, double, , )
#undef HEDDLE_COMPLEX
HEDDLE_INLINE cuFloatComplex make_cuFloatComplex(float x, float y) { return {x, y}; }
HEDDLE_INLINE cuComplex make_cuComplex(float x, float y) { return {x, y}; }
HEDDLE_INLINE cuDoubleComplex make_cuDoubleComplex(double x, double y) { return {x, y}; }
HEDDLE_INLINE cuFloatComplex cuComplexDoubleToFloat(cuDoubleComplex a) { return {(float)a.x, (float)a.y}; }
HEDDLE_INLINE cuDoubleComplex cuComplexFloatToDouble(cuFloatComplex a) { return {a.x, a.y}; }
