/// @file
/// Scalar: a Python-like number. It is weak: it takes the type of the arrays it meets, as long as
/// its kind allows that (NEP 50).
#pragma once

#include <complex>
#include <concepts>
#include <cstdint>

#include <heddle/dtype.h>
#include <heddle/export.h>

namespace heddle {

/// The bytes of one element of any type.
struct ScalarWords {
  std::uint64_t word[2] = {0, 0};
};

/// A number without a type of its own.
class Scalar {
 public:
  enum class Kind : std::uint8_t { boolean, integer, floating, complex };

  Scalar(bool value) : kind_(Kind::boolean), integer_(value) {}
  template <std::integral T>
  Scalar(T value)
      : kind_(Kind::integer),
        integer_(static_cast<std::int64_t>(value)),
        huge_(std::unsigned_integral<T> && static_cast<std::uint64_t>(value) >> 63) {}
  Scalar(float value) : kind_(Kind::floating), real_(value) {}
  Scalar(double value) : kind_(Kind::floating), real_(value) {}
  Scalar(std::complex<double> value)
      : kind_(Kind::complex), real_(value.real()), imag_(value.imag()) {}
  Scalar(std::complex<float> value) : Scalar(std::complex<double>(value)) {}
  /// An integer that no integer type holds: only floats do, as good as they can.
  static Scalar beyond(double approximate) {
    Scalar made(std::int64_t{approximate < 0 ? -1 : 1});
    made.beyond_ = true;
    made.real_ = approximate;
    return made;
  }

  Kind kind() const { return kind_; }
  HEDDLE_API double real() const;
  double imag() const { return imag_; }
  std::int64_t integer() const { return integer_; }
  /// An integer of 2**63 or more: integer() holds its bits.
  bool huge() const { return huge_; }
  /// An integer of more than 64 bits: integer() holds its sign.
  bool is_beyond() const { return beyond_; }
  /// The type a scalar has when no array says otherwise.
  HEDDLE_API Dtype default_dtype() const;
  /// Its bits as dtype. Throws overflow_error for an integer outside of an integer type's range.
  HEDDLE_API ScalarWords bits(Dtype dtype) const;
  HEDDLE_API bool fits(Dtype dtype) const;

 private:
  Kind kind_;
  std::int64_t integer_ = 0;
  bool huge_ = false;
  bool beyond_ = false;
  double real_ = 0;
  double imag_ = 0;
};

}  // namespace heddle
