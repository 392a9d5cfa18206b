#include "kernel/runtime_math.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <type_traits>

#include <heddle/op_table.h>

namespace heddle::kernel {

namespace {

template <class T, class F>
void* loop() {
  if constexpr (requires { F::at(T(), T()); }) {
    return reinterpret_cast<void*>(+[](T* out, const T* x, const T* y, std::int64_t n) {
      for (std::int64_t i = 0; i < n; ++i) out[i] = F::at(x[i], y[i]);
    });
  } else {
    return reinterpret_cast<void*>(+[](T* out, const T* x, std::int64_t n) {
      for (std::int64_t i = 0; i < n; ++i) out[i] = F::at(x[i]);
    });
  }
}

// A struct for each function, whose number of arguments it has.
#define HEDDLE_MATH_own
#define HEDDLE_MATH_xsf
#define HEDDLE_MATH_boost
#define HEDDLE_MATH_scipy
#define HEDDLE_MATH_written
#define HEDDLE_MATH_library(function)                                                          \
  struct function##_of {                                                                       \
    static auto at(auto... x) -> decltype(std::function(x...)) { return std::function(x...); } \
  };
#define HEDDLE_MATH(space, op, inputs, types, result, code, ...) HEDDLE_MATH_##code
HEDDLE_OPS(HEDDLE_MATH)
#undef HEDDLE_MATH_library

// Two that the C library does not have: they are for results near zero, which a wider type makes of
// terms that nearly cancel.
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
struct logaddexp_of {
  static auto at(auto x, decltype(x) y) { return logaddexp(x, y); }
};
struct logaddexp2_of {
  static auto at(auto x, decltype(x) y) { return logaddexp2(x, y); }
};

}  // namespace

std::vector<std::pair<std::string, void*>> runtime_math() {
  return {
#define HEDDLE_MATH_library(function)                            \
  {"heddle_rt_" #function "_f32", loop<float, function##_of>()}, \
      {"heddle_rt_" #function "_f64", loop<double, function##_of>()},
      HEDDLE_OPS(HEDDLE_MATH) HEDDLE_MATH_library(logaddexp) HEDDLE_MATH_library(logaddexp2)
#undef HEDDLE_MATH
#undef HEDDLE_MATH_library
#undef HEDDLE_MATH_own
#undef HEDDLE_MATH_xsf
#undef HEDDLE_MATH_boost
#undef HEDDLE_MATH_scipy
#undef HEDDLE_MATH_written
  };
}

}  // namespace heddle::kernel
