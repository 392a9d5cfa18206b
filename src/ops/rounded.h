// Numbers of the host in the arithmetic of a type: each result is rounded to it, as NumPy's scalars
// are. Plain numbers beside one are weak.
#pragma once

#include <cmath>
#include <type_traits>

#include <heddle/dtype.h>

namespace heddle {

// As an element of this type would hold it; integers are as they are.
inline double rounded_to(Dtype dtype, double value) {
  switch (dtype) {
    case Dtype::float16:
      return static_cast<float>(float16(static_cast<float>(value)));
    case Dtype::bfloat16:
      return static_cast<float>(bfloat16(static_cast<float>(value)));
    case Dtype::float32:
      return static_cast<float>(value);
    default:
      return value;
  }
}

// Sums, products and quotients in double precision, rounded once more, are those of the narrower
// types: they have less than half of its digits.
class Rounded {
 public:
  Rounded(double value, Dtype dtype) : value_(rounded_to(dtype, value)), dtype_(dtype) {}
  double value() const { return value_; }
  Dtype dtype() const { return dtype_; }
  bool finite() const { return std::isfinite(value_); }

#define HEDDLE_ROUNDED_OPERATOR(op)                                   \
  friend Rounded operator op(const Rounded& a, const Rounded& b) {    \
    return {a.value_ op b.value_, promote_types(a.dtype_, b.dtype_)}; \
  }                                                                   \
  friend Rounded operator op(const Rounded& a, double b) {            \
    return {a.value_ op rounded_to(a.dtype_, b), a.dtype_};           \
  }                                                                   \
  friend Rounded operator op(double a, const Rounded& b) {            \
    return {rounded_to(b.dtype_, a) op b.value_, b.dtype_};           \
  }
  HEDDLE_ROUNDED_OPERATOR(+)
  HEDDLE_ROUNDED_OPERATOR(-)
  HEDDLE_ROUNDED_OPERATOR(*)
  HEDDLE_ROUNDED_OPERATOR(/)
#undef HEDDLE_ROUNDED_OPERATOR
  Rounded operator-() const { return {-value_, dtype_}; }

 private:
  double value_;
  Dtype dtype_;
};

inline Rounded floor(const Rounded& x) { return {std::floor(x.value()), x.dtype()}; }
inline Rounded rint(const Rounded& x) { return {std::nearbyint(x.value()), x.dtype()}; }
inline Rounded where(bool condition, const Rounded& x, const Rounded& y) {
  return condition ? x : y;
}

}  // namespace heddle
