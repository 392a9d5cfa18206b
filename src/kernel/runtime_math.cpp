// Loops over the lanes of one vector with the C library's scalar functions, for what has neither
// vector instructions nor a vector function.
#include "kernel/runtime_math.h"

#include <cmath>

namespace {

using std::int64_t;

template <class T, class F>
void loop(T* out, const T* x, int64_t n, F f) {
  for (int64_t i = 0; i < n; ++i) out[i] = f(x[i]);
}

template <class T, class F>
void loop(T* out, const T* x, const T* y, int64_t n, F f) {
  for (int64_t i = 0; i < n; ++i) out[i] = f(x[i], y[i]);
}

}  // namespace

extern "C" {

#define HEDDLE_RT_DEFINE(name)                                           \
  void heddle_rt_##name##_f32(float* out, const float* x, int64_t n) {   \
    loop(out, x, n, [](float v) { return std::name(v); });               \
  }                                                                      \
  void heddle_rt_##name##_f64(double* out, const double* x, int64_t n) { \
    loop(out, x, n, [](double v) { return std::name(v); });              \
  }
HEDDLE_RT_UNARY_MATH(HEDDLE_RT_DEFINE)
#undef HEDDLE_RT_DEFINE

#define HEDDLE_RT_DEFINE(name)                                                            \
  void heddle_rt_##name##_f32(float* out, const float* x, const float* y, int64_t n) {    \
    loop(out, x, y, n, [](float v, float w) { return std::name(v, w); });                 \
  }                                                                                       \
  void heddle_rt_##name##_f64(double* out, const double* x, const double* y, int64_t n) { \
    loop(out, x, y, n, [](double v, double w) { return std::name(v, w); });               \
  }
HEDDLE_RT_BINARY_MATH(HEDDLE_RT_DEFINE)
#undef HEDDLE_RT_DEFINE

}  // extern "C"
