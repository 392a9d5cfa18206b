// Promotion and casting rules, and the half precision conversions. Rules, not tables: a type is its
// kind and its size, and NumPy's tables follow from those.
#include "core/dtype.h"

#include <algorithm>
#include <bit>
#include <stdexcept>

namespace heddle {

namespace {

// The smallest float type that holds every value of an integer type of this size, as NumPy sees it
// (64-bit integers go to float64).
Dtype float_for_integer(Dtype integer) {
  switch (itemsize(integer)) {
    case 1:
      return Dtype::float16;
    case 2:
      return Dtype::float32;
    default:
      return Dtype::float64;
  }
}

Dtype signed_of_size(int size) {
  switch (size) {
    case 2:
      return Dtype::int16;
    case 4:
      return Dtype::int32;
    case 8:
      return Dtype::int64;
    default:
      return Dtype::float64;  // int64 with uint64: nothing holds both
  }
}

Dtype promote_integers(Dtype a, Dtype b) {
  if (is_signed(a) == is_signed(b)) return itemsize(a) >= itemsize(b) ? a : b;
  if (is_signed(b)) std::swap(a, b);
  return itemsize(a) > itemsize(b) ? a : signed_of_size(2 * itemsize(b));
}

Dtype promote_floats(Dtype a, Dtype b) {
  if (a == b) return a;
  if (is_half(a) && is_half(b)) return Dtype::float32;
  return std::max(a, b);
}

// NumPy's order of kinds for same_kind casts.
int rank(Kind kind) {
  switch (kind) {
    case Kind::boolean:
      return 0;
    case Kind::unsigned_integer:
      return 1;
    case Kind::signed_integer:
      return 2;
    case Kind::floating:
      return 3;
    case Kind::complex:
      return 4;
  }
  return 4;
}

}  // namespace

Dtype promote_types(Dtype a, Dtype b) {
  if (a == b) return a;
  if (a > b) std::swap(a, b);
  if (a == Dtype::bool_) return b;
  if (is_integer(a) && is_integer(b)) return promote_integers(a, b);
  if (is_complex(b)) return complex_type(promote_types(real_type(a), real_type(b)));
  if (is_integer(a)) {
    // Eight bits are as much as bfloat16's significand holds.
    if (b == Dtype::bfloat16 && itemsize(a) == 1) return b;
    return promote_floats(float_for_integer(a), b);
  }
  return promote_floats(a, b);
}

bool can_cast(Dtype from, Dtype to, Casting casting) {
  switch (casting) {
    case Casting::no:
    case Casting::equiv:
      return from == to;
    case Casting::safe:
      return promote_types(from, to) == to;
    case Casting::same_kind:
      return promote_types(from, to) == to || rank(kind(from)) <= rank(kind(to));
    case Casting::unsafe:
      return true;
  }
  return false;
}

const char* name(Casting casting) {
  static constexpr const char* names[] = {"no", "equiv", "safe", "same_kind", "unsafe"};
  return names[static_cast<int>(casting)];
}

float16::float16(float value) {
  const auto word = std::bit_cast<std::uint32_t>(value);
  const auto sign = static_cast<std::uint16_t>((word >> 16) & 0x8000U);
  const std::uint32_t magnitude = word & 0x7fffffffU;
  if (magnitude > 0x7f800000U) {  // nan: keep the upper payload, stay a nan
    const auto payload = static_cast<std::uint16_t>((magnitude >> 13) & 0x3ffU);
    bits = static_cast<std::uint16_t>(sign | 0x7c00U | (payload == 0 ? 1U : payload));
  } else if (magnitude >= 0x477ff000U) {  // rounds to 65536 or more
    bits = static_cast<std::uint16_t>(sign | 0x7c00U);
  } else if (magnitude < 0x38800000U) {  // subnormal: adding 0.5 aligns the lowest bit, and rounds
    const float aligned = std::bit_cast<float>(magnitude) + 0.5F;
    bits = static_cast<std::uint16_t>(sign | (std::bit_cast<std::uint32_t>(aligned) & 0x7ffU));
  } else {
    const std::uint32_t rounded = magnitude + 0xfffU + ((magnitude >> 13) & 1U) - (112U << 23);
    bits = static_cast<std::uint16_t>(sign | (rounded >> 13));
  }
}

float16::operator float() const {
  const std::uint32_t sign = (bits & 0x8000U) << 16;
  const std::uint32_t exponent = (bits >> 10) & 0x1fU;
  const std::uint32_t fraction = bits & 0x3ffU;
  if (exponent == 0x1f) return std::bit_cast<float>(sign | 0x7f800000U | (fraction << 13));
  if (exponent == 0) {
    const float magnitude = static_cast<float>(fraction) * 0x1p-24F;
    return std::bit_cast<float>(sign | std::bit_cast<std::uint32_t>(magnitude));
  }
  return std::bit_cast<float>(sign | ((exponent + 112U) << 23) | (fraction << 13));
}

bfloat16::bfloat16(float value) {
  const auto word = std::bit_cast<std::uint32_t>(value);
  if ((word & 0x7fffffffU) > 0x7f800000U) {
    bits = static_cast<std::uint16_t>((word >> 16) | 0x40U);
  } else {
    bits = static_cast<std::uint16_t>((word + 0x7fffU + ((word >> 16) & 1U)) >> 16);
  }
}

bfloat16::operator float() const {
  return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16);
}

Dtype type_of_width(int bytes) {
  switch (bytes) {
    case 1:
      return Dtype::uint8;
    case 2:
      return Dtype::uint16;
    case 4:
      return Dtype::uint32;
    case 8:
      return Dtype::uint64;
    case 16:
      return Dtype::complex128;
    default:
      throw std::logic_error("no element has this width");
  }
}

Dtype unsigned_type_of(std::uint64_t largest) {
  int bytes = 1;
  while (bytes < 8 && largest >> (8 * bytes) != 0) bytes *= 2;
  return type_of_width(bytes);
}

}  // namespace heddle
