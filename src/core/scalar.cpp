#include <heddle/scalar.h>

#include <cmath>
#include <cstring>

#include <fmt/format.h>

#include <heddle/errors.h>

namespace heddle {

double Scalar::real() const {
  if (kind_ == Kind::floating || kind_ == Kind::complex || beyond_) return real_;
  return huge_ ? static_cast<double>(static_cast<std::uint64_t>(integer_))
               : static_cast<double>(integer_);
}

Dtype Scalar::default_dtype() const {
  switch (kind_) {
    case Kind::boolean:
      return Dtype::bool_;
    case Kind::integer:
      return huge_ ? Dtype::uint64 : Dtype::int64;
    case Kind::floating:
      return Dtype::float64;
    case Kind::complex:
      return Dtype::complex128;
  }
  return Dtype::float64;
}

bool Scalar::fits(Dtype dtype) const {
  if (kind_ != Kind::integer || !is_integer(dtype)) return true;
  if (beyond_) return false;
  if (dtype == Dtype::uint64) return huge_ || integer_ >= 0;
  if (huge_) return false;
  int bits = 8 * itemsize(dtype);
  if (is_signed(dtype)) {
    return bits == 64 || (integer_ >> (bits - 1)) == 0 || (integer_ >> (bits - 1)) == -1;
  }
  return integer_ >= 0 && (integer_ >> bits) == 0;
}

ScalarWords Scalar::bits(Dtype dtype) const {
  if (beyond_ && is_integer(dtype)) {
    throw overflow_error("Python int too large to convert to C long");
  }
  if (beyond_ && std::isinf(real_) && dtype != Dtype::bool_) {
    throw overflow_error("int too large to convert to float");
  }
  if (!fits(dtype)) {
    auto text =
        huge_ ? std::to_string(static_cast<std::uint64_t>(integer_)) : std::to_string(integer_);
    throw overflow_error(fmt::format("Python integer {} out of bounds for {}", text, name(dtype)));
  }
  ScalarWords words;
  auto put = [&](auto value, int word = 0) {
    std::memcpy(&words.word[word], &value, sizeof value);
  };
  switch (dtype) {
    case Dtype::bool_:
      put(static_cast<std::uint8_t>(kind_ <= Kind::integer ? beyond_ || integer_ != 0
                                                           : real_ != 0 || imag_ != 0));
      break;
    case Dtype::float16:
      put(float16(static_cast<float>(real())));
      break;
    case Dtype::bfloat16:
      put(bfloat16(static_cast<float>(real())));
      break;
    case Dtype::float32:
      put(static_cast<float>(real()));
      break;
    case Dtype::float64:
      put(real());
      break;
    case Dtype::complex64:
      put(static_cast<float>(real()));
      put(static_cast<float>(imag_), 1);
      break;
    case Dtype::complex128:
      put(real());
      put(imag_, 1);
      break;
    default: {
      std::int64_t value = kind_ <= Kind::integer ? integer_ : static_cast<std::int64_t>(real_);
      std::memcpy(&words.word[0], &value, static_cast<std::size_t>(itemsize(dtype)));
    }
  }
  return words;
}

}  // namespace heddle
