#include "kernel/runtime_math.h"

#include <cmath>
#include <cstdint>

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
#define HEDDLE_MATH_library(function)                                                          \
  struct function##_of {                                                                       \
    static auto at(auto... x) -> decltype(std::function(x...)) { return std::function(x...); } \
  };
#define HEDDLE_MATH(space, op, inputs, types, result, code, ...) HEDDLE_MATH_##code
HEDDLE_OPS(HEDDLE_MATH)
#undef HEDDLE_MATH_library

}  // namespace

std::vector<std::pair<std::string, void*>> runtime_math() {
  return {
#define HEDDLE_MATH_library(function)                            \
  {"heddle_rt_" #function "_f32", loop<float, function##_of>()}, \
      {"heddle_rt_" #function "_f64", loop<double, function##_of>()},
      HEDDLE_OPS(HEDDLE_MATH)
#undef HEDDLE_MATH
#undef HEDDLE_MATH_library
#undef HEDDLE_MATH_own
  };
}

}  // namespace heddle::kernel
