#include "ops/scaling.h"

#include <limits>

#include "ops/elementwise.h"
#include <heddle/manipulation.h>
#include <heddle/reductions.h>
#include <heddle/ufuncs.h>

namespace heddle {

namespace {

// The larger part of complex numbers: their magnitude might overflow.
array magnitude(const array& a) {
  if (!is_complex(a.dtype())) return absolute(a);
  return maximum(absolute(elementwise(Op::real, {a})), absolute(elementwise(Op::imag, {a})));
}

// Both 2^n and 2^-n are normal numbers up to this n.
int largest_exponent(Dtype real) {
  return real == Dtype::float32 ? std::numeric_limits<float>::max_exponent - 2
                                : std::numeric_limits<double>::max_exponent - 2;
}

}  // namespace

Scaling::Scaling(const array& a) {
  const array largest = max(magnitude(a), Axes{-2, -1});
  const int bound = largest_exponent(largest.dtype());
  const array exponent = maximum(minimum(frexp(largest).second, bound), -bound);
  const array one(1, largest.dtype());
  factor_ = ldexp(one, negative(exponent));
  inverse_ = ldexp(one, exponent);
}

array Scaling::scaled(const array& a, const std::optional<array>& by) {
  if (!by) return a;
  Dims shape = by->shape();
  while (static_cast<std::int64_t>(shape.size()) < a.ndim()) shape.push_back(1);
  return multiply(a, by->reshape(shape));
}

}  // namespace heddle
