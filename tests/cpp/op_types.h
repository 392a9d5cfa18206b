// What a row of the op table takes for a type it computes in, and the rows that the C library has a
// function for.
#pragma once

#include <cmath>
#include <type_traits>
#include <vector>

#include "ops/elementwise.h"

namespace heddle::test {

// The type that it takes an operand in.
inline Dtype operand_type_of(Op op, int i, Dtype d) {
  switch (info(op).takes[i]) {
    case Takes::condition:
      return Dtype::bool_;
    case Takes::exponent:
      return Dtype::int32;
    case Takes::address:
    case Takes::order:
      return Dtype::int64;
    case Takes::parameter:
      return real_type(d);
    default:
      return d;
  }
}

template <class T>
struct LibraryFunction {
  Op op;
  T (*reference)(T);
};

// Those of one operand, in the precision of T.
template <class T>
std::vector<LibraryFunction<T>> library_functions() {
  std::vector<LibraryFunction<T>> functions;
  auto add = [&](Op op, auto reference) {
    if constexpr (!std::is_null_pointer_v<decltype(reference)>)
      functions.push_back({op, reference});
  };
#define HEDDLE_REFERENCE_own nullptr
#define HEDDLE_REFERENCE_xsf nullptr
#define HEDDLE_REFERENCE_boost nullptr
#define HEDDLE_REFERENCE_scipy nullptr
#define HEDDLE_REFERENCE_written nullptr
#define HEDDLE_REFERENCE_library(function) \
  [](auto x) -> decltype(std::function(x)) { return std::function(x); }
#define HEDDLE_REFERENCE(space, op, inputs, types, result, code, ...) \
  if constexpr (inputs == 1) add(Op::op, HEDDLE_REFERENCE_##code);
  HEDDLE_OPS(HEDDLE_REFERENCE)
#undef HEDDLE_REFERENCE
#undef HEDDLE_REFERENCE_library
#undef HEDDLE_REFERENCE_own
#undef HEDDLE_REFERENCE_xsf
#undef HEDDLE_REFERENCE_boost
#undef HEDDLE_REFERENCE_scipy
#undef HEDDLE_REFERENCE_written
  return functions;
}

}  // namespace heddle::test
