// CUDA's complex numbers for C, whose functions take those of single precision under either name.
#pragma once

#include <cuComplex.h>

__device__ inline float cuCreal(cuFloatComplex a) { return cuCrealf(a); }
__device__ inline float cuCimag(cuFloatComplex a) { return cuCimagf(a); }
__device__ inline cuFloatComplex cuConj(cuFloatComplex a) { return cuConjf(a); }
__device__ inline cuFloatComplex cuCadd(cuFloatComplex a, cuFloatComplex b) { return cuCaddf(a, b); }
__device__ inline cuFloatComplex cuCsub(cuFloatComplex a, cuFloatComplex b) { return cuCsubf(a, b); }
__device__ inline cuFloatComplex cuCmul(cuFloatComplex a, cuFloatComplex b) { return cuCmulf(a, b); }
__device__ inline cuFloatComplex cuCdiv(cuFloatComplex a, cuFloatComplex b) { return cuCdivf(a, b); }
__device__ inline float cuCabs(cuFloatComplex a) { return cuCabsf(a); }
__device__ inline cuFloatComplex cuCfma(cuFloatComplex a, cuFloatComplex b, cuFloatComplex c) {
  return cuCfmaf(a, b, c);
}
