// Loops over the lanes of one vector with the C library's scalar functions, for what has neither
// vector instructions nor a vector function.
#include "kernel/runtime_math.h"

#include <algorithm>
#include <cmath>
#include <type_traits>

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

// The functions of each name. Two of them the C library does not have: they are for results near
// zero, which a wider type makes of terms that nearly cancel.
using std::atan2, std::fmod, std::pow;
template <class T>
using Wider = std::conditional_t<std::is_same_v<T, float>, double, long double>;

template <class T>
T logaddexp(T x, T y) {
  const Wider<T> a = x, b = y;
  return static_cast<T>(std::log1p(std::expm1(std::max(a, b)) + std::exp(std::min(a, b))));
}
template <class T>
T logaddexp2(T x, T y) {
  constexpr auto ln_2 = static_cast<Wider<T>>(0.693147180559945309417232121458176568L);
  const Wider<T> a = x * ln_2, b = y * ln_2;
  const auto sum = std::expm1(std::max(a, b)) + std::exp(std::min(a, b));
  return static_cast<T>(std::log1p(sum) / ln_2);
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
    loop(out, x, y, n, [](float v, float w) { return name(v, w); });                      \
  }                                                                                       \
  void heddle_rt_##name##_f64(double* out, const double* x, const double* y, int64_t n) { \
    loop(out, x, y, n, [](double v, double w) { return name(v, w); });                    \
  }
HEDDLE_RT_BINARY_MATH(HEDDLE_RT_DEFINE)
#undef HEDDLE_RT_DEFINE

}  // extern "C"
