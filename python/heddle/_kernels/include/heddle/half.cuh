// Half precision as a type that computes in float and is stored in two bytes.
#pragma once

#include <cuda_fp16.h>

class float16 {
 public:
  float16() = default;
  __device__ float16(float value) : bits_(__float2half_rn(value)) {}
  __device__ float16(double value) : bits_(__double2half(value)) {}
  __device__ float16(int value) : float16(static_cast<double>(value)) {}
  __device__ float16(unsigned value) : float16(static_cast<double>(value)) {}
  __device__ float16(long long value) : float16(static_cast<double>(value)) {}
  __device__ float16(unsigned long long value) : float16(static_cast<double>(value)) {}
  __device__ float16(bool value) : float16(value ? 1.0f : 0.0f) {}
  __device__ float16(__half value) : bits_(value) {}

  __device__ operator float() const { return __half2float(bits_); }
  __device__ float16 operator-() const { return float16(-float(*this)); }
  __device__ float16& operator+=(float other) { return *this = float16(float(*this) + other); }
  __device__ float16& operator-=(float other) { return *this = float16(float(*this) - other); }
  __device__ float16& operator*=(float other) { return *this = float16(float(*this) * other); }
  __device__ float16& operator/=(float other) { return *this = float16(float(*this) / other); }

 private:
  __half bits_;
};
