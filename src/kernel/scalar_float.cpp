// float32 and float64: arithmetic, rounding, and the operations on the representation. Half
// precision types where float32 would not do.
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>

#include "kernel/lane_builder.h"
#include "kernel/scalar_lowering.h"
#include "kernel/scalar_math_parts.h"

namespace heddle::kernel {

namespace {

// x - y * trunc(x / y), exactly. The quotient of two doubles below 2^53 is at most one too large
// after rounding; the product is exact in double for floats and inside fma for doubles.
Lane fmod(LaneBuilder& l, Lane x, Lane y) {
  if (!is_single(x) && !l.has_fma()) return l.rare_math("fmod", {x, y});
  Lane dividend = l.convert(l.abs(x), l.b.getDoubleTy());
  Lane divisor = l.convert(l.abs(y), l.b.getDoubleTy());
  Lane quotient = l.trunc(dividend / divisor);
  Lane rest = is_single(x) ? dividend - quotient * divisor : l.mad(-quotient, divisor, dividend);
  rest = l.where(rest < 0.0, rest + divisor, rest);
  rest = l.where(divisor == HUGE_VAL, dividend, rest);
  Lane usual = l.copysign(l.convert(rest, x.value->getType()->getScalarType()), x);
  Lane is_hard = !(quotient < (is_single(x) ? 0x1p29 : 0x1p53));
  return l.rarely(is_hard, usual, [&] { return l.rare_math("fmod", {x, y}); });
}

struct FloatDivision {
  Lane quotient, remainder;
};

// Python's division, step for step as NumPy's npy_divmod.
FloatDivision divmod(LaneBuilder& l, Lane x, Lane y) {
  llvm::Type* type = x.value->getType();
  Lane zero = l.number(type, 0);
  Lane modulus = fmod(l, x, y);
  Lane quotient = (x - modulus) / y;
  Lane differ = (modulus != 0.0) & ((y < 0.0) ^ (modulus < 0.0));
  quotient = l.where(differ, quotient - 1.0, quotient);
  Lane remainder =
      l.where(modulus == 0.0, l.copysign(zero, y), l.where(differ, modulus + y, modulus));
  Lane floored = l.floor(quotient);
  floored = l.where(quotient - floored > 0.5, floored + 1.0, floored);
  floored = l.where(quotient == 0.0, l.copysign(zero, x / y), floored);
  Lane by_zero = y == 0.0;
  return {l.where(by_zero, x / y, floored), l.where(by_zero, modulus, remainder)};
}

// nan wins, whichever side it is on.
Lane maximum(LaneBuilder& l, Lane x, Lane y) {
  return l.where(l.is_nan(x), x, l.where(x > y, x, y));
}
Lane minimum(LaneBuilder& l, Lane x, Lane y) {
  return l.where(l.is_nan(x), x, l.where(x < y, x, y));
}
Lane fmax(LaneBuilder& l, Lane x, Lane y) { return l.where(l.is_nan(y), x, l.where(x > y, x, y)); }
Lane fmin(LaneBuilder& l, Lane x, Lane y) { return l.where(l.is_nan(y), x, l.where(x < y, x, y)); }

Lane sign(LaneBuilder& l, Lane x) {
  llvm::Type* type = x.value->getType();
  Lane unit = l.copysign(l.number(type, 1), x);
  return l.where(x == 0.0, l.number(type, 0), l.where(l.is_nan(x), x, unit));
}

Lane signbit(LaneBuilder& l, Lane x) { return l.bits_of(x) < 0.0; }

Lane heaviside(LaneBuilder& l, Lane x, Lane at_zero) {
  llvm::Type* type = x.value->getType();
  Lane step = l.where(x < 0.0, l.number(type, 0), l.number(type, 1));
  return l.where(l.is_nan(x), x, l.where(x == 0.0, at_zero, step));
}

// The bits of the number next to x towards y; x and y are the bits' values in any float type.
Lane next_bits(LaneBuilder& l, Lane bits, Lane towards_bits, Lane x, Lane y) {
  llvm::Type* type = bits.value->getType();
  const unsigned width = type->getScalarSizeInBits();
  Lane one = l.integer(type, 1);
  Lane minus_one = l.integer(type, ~std::uint64_t{0});
  Lane sign_mask = l.integer(type, std::uint64_t{1} << (width - 1));
  Lane outwards = !((x < y) ^ (x > 0.0));
  Lane next = bits + l.where(outwards, one, minus_one);
  next = l.where(x == 0.0, (towards_bits & sign_mask) | one, next);
  return l.where(x == y, towards_bits, next);
}

Lane nextafter(LaneBuilder& l, Lane x, Lane y) {
  Lane next = l.float_of(next_bits(l, l.bits_of(x), l.bits_of(y), x, y));
  return l.where(l.is_nan(x) | l.is_nan(y), x + y, next);
}

// NumPy's: the difference to the next number away from zero, with the argument's sign.
Lane spacing(LaneBuilder& l, Lane x) {
  Lane bits = l.bits_of(x);
  Lane tiny = l.integer(bits.value->getType(), 1);
  Lane next = l.float_of(l.where(x == 0.0, tiny, bits + tiny));
  Lane nan = l.number(x.value->getType(), std::numeric_limits<double>::quiet_NaN());
  return l.where(l.abs(x) < HUGE_VAL, next - x, nan);
}

// 2^exponent for exponents of normal numbers.
Lane power_of_two(LaneBuilder& l, Lane exponent) {
  const bool wide = exponent.value->getType()->getScalarSizeInBits() == 64;
  return l.float_of((exponent + (wide ? 1023.0 : 127.0)) << (wide ? 52 : 23));
}

// Two steps of scaling and a last one that alone may round: the downward steps keep a precision's
// worth of bits in reserve.
Lane ldexp(LaneBuilder& l, Lane x, llvm::Value* exponent) {
  const bool single = is_single(x);
  llvm::Type* type = x.value->getType();
  const double up = single ? 127 : 1023;
  const double down = single ? 126 - 24 : 1022 - 53;
  const double limit = single ? 500 : 4000;
  Lane n = l(exponent);
  llvm::Type* exponent_type = n.value->getType();
  if (exponent_type->getScalarSizeInBits() >= 16) {
    n = l.intrinsic(llvm::Intrinsic::smin, {n, l.number(exponent_type, limit)});
    n = l.intrinsic(llvm::Intrinsic::smax, {n, l.number(exponent_type, -limit)});
  }
  n = l(l.b.CreateIntCast(n, l.int_like(type), true));
  if (l.has_avx512()) return scale_avx512(l, x, l(l.b.CreateSIToFP(n, type)));
  for (int step = 0; step < 2; ++step) {
    Lane is_large = n > up;
    Lane is_small = n < -(single ? 126.0 : 1022.0);
    Lane factor = l.where(is_small, l.number(type, std::ldexp(1.0, -static_cast<int>(down))),
                          l.number(type, 1));
    x = x * l.where(is_large, l.number(type, std::ldexp(1.0, static_cast<int>(up))), factor);
    n = l.where(is_large, n - up, l.where(is_small, n + down, n));
  }
  llvm::Type* int_type = n.value->getType();
  n = l.intrinsic(llvm::Intrinsic::smin, {n, l.number(int_type, up)});
  n = l.intrinsic(llvm::Intrinsic::smax, {n, l.number(int_type, single ? -126 : -1022)});
  return x * power_of_two(l, n);
}

struct Frexp {
  Lane mantissa, exponent;
};

// The exponent has the integer type of x's size; numbers that are not zero and finite.
Frexp frexp_by_bits(LaneBuilder& l, Lane x) {
  const bool single = is_single(x);
  const int fraction_bits = single ? 23 : 52;
  const double reserve = single ? 25 : 54;
  Lane is_subnormal = l.abs(x) < (single ? 0x1p-126 : 0x1p-1022);
  Lane bits = l.bits_of(l.where(is_subnormal, x * std::ldexp(1.0, static_cast<int>(reserve)), x));
  llvm::Type* int_type = bits.value->getType();
  const std::uint64_t exponent_mask = single ? 0xff : 0x7ff;
  Lane biased = l(l.b.CreateLShr(bits, fraction_bits)) & l.integer(int_type, exponent_mask);
  Lane exponent = biased - (single ? 126.0 : 1022.0);
  exponent = l.where(is_subnormal, exponent - reserve, exponent);
  Lane unbiased = bits & l.integer(int_type, ~(exponent_mask << fraction_bits));
  Lane mantissa =
      l.float_of(unbiased | l.integer(int_type, (exponent_mask / 2 - 1) << fraction_bits));
  return {mantissa, exponent};
}

Frexp frexp(LaneBuilder& l, Lane x) {
  Frexp parts;
  if (l.has_avx512()) {
    auto [exponent, mantissa] = frexp_avx512(l, x);
    parts = {mantissa, exponent};
  } else {
    parts = frexp_by_bits(l, x);
  }
  Lane is_special = (x == 0.0) | !(l.abs(x) < HUGE_VAL);
  Lane exponent = l.where(is_special, l.number(parts.exponent.value->getType(), 0), parts.exponent);
  llvm::Type* int32 = l.widen(l.b.getInt32Ty());
  return {l.where(is_special, x, parts.mantissa),
          l(l.has_avx512() ? l.b.CreateFPToSI(exponent, int32) : l.b.CreateTrunc(exponent, int32))};
}

Lane modf_fraction(LaneBuilder& l, Lane x) {
  Lane fraction = l.where(l.abs(x) == HUGE_VAL, l.number(x.value->getType(), 0), x - l.trunc(x));
  return l.copysign(fraction, x);
}

}  // namespace

Lane lower_float(LaneBuilder& l, Op op, std::span<const Lane> args) {
  Lane x = args[0];
  Lane y = args.size() > 1 ? args[1] : Lane{};
  switch (op) {
    case Op::add:
      return x + y;
    case Op::subtract:
      return x - y;
    case Op::multiply:
      return x * y;
    case Op::divide:
      return quotient(l, x, y);
    case Op::floor_divide:
      return divmod(l, x, y).quotient;
    case Op::remainder:
      return divmod(l, x, y).remainder;
    case Op::fmod:
      return fmod(l, x, y);
    case Op::negative:
      return -x;
    case Op::absolute:
    case Op::fabs:
      return l.abs(x);
    case Op::sign:
      return sign(l, x);
    case Op::square:
      return x * x;
    case Op::reciprocal:
      return quotient(l, constant(l, x, 1), x);
    case Op::sqrt:
      return square_root(l, x);
    case Op::deg2rad:
      return is_single(x) ? x * static_cast<double>(3.14159265358979323846F / 180.0F)
                          : x * (M_PI / 180.0);
    case Op::rad2deg:
      return is_single(x) ? x * static_cast<double>(180.0F / 3.14159265358979323846F)
                          : x * (180.0 / M_PI);
    case Op::maximum:
      return maximum(l, x, y);
    case Op::minimum:
      return minimum(l, x, y);
    case Op::fmax:
      return fmax(l, x, y);
    case Op::fmin:
      return fmin(l, x, y);
    case Op::isfinite:
      return l.abs(x) < HUGE_VAL;
    case Op::isinf:
      return l.abs(x) == HUGE_VAL;
    case Op::isnan:
      return l.is_nan(x);
    case Op::signbit:
      return signbit(l, x);
    case Op::copysign:
      return l.copysign(x, y);
    case Op::nextafter:
      return nextafter(l, x, y);
    case Op::spacing:
      return spacing(l, x);
    case Op::floor:
      return l.floor(x);
    case Op::ceil:
      return l.intrinsic(llvm::Intrinsic::ceil, {x});
    case Op::trunc:
    case Op::modf_integer:
      return l.trunc(x);
    case Op::rint:
      return l.rint(x);
    case Op::heaviside:
      return heaviside(l, x, y);
    case Op::ldexp:
      return ldexp(l, x, y);
    case Op::modf_fraction:
      return modf_fraction(l, x);
    case Op::frexp_mantissa:
      return frexp(l, x).mantissa;
    case Op::frexp_exponent:
      return frexp(l, x).exponent;
    default:
      return lower_math(l, op, args);
  }
}

Lane lower_half(LaneBuilder& l, Op op, Dtype dtype, std::span<const Lane> args) {
  llvm::Type* type = args[0].value->getType();
  const std::uint64_t infinity = dtype == Dtype::float16 ? 0x7c00 : 0x7f80;
  auto bits = [&](int i) { return l(l.b.CreateBitCast(args[i], l.int_like(type))); };
  auto from_bits = [&](Lane value) { return l(l.b.CreateBitCast(value, type)); };
  auto word = [&](std::uint64_t value) { return l.integer(type, value); };
  auto single = [&](Lane value) { return cast_real(l, value, dtype, Dtype::float32); };
  switch (op) {
    case Op::negative:
      return from_bits(bits(0) ^ word(0x8000));
    case Op::absolute:
    case Op::fabs:
      return from_bits(bits(0) & word(0x7fff));
    case Op::copysign:
      return from_bits((bits(0) & word(0x7fff)) | (bits(1) & word(0x8000)));
    case Op::signbit:
      return bits(0) < 0.0;
    case Op::isfinite:
      return (bits(0) & word(0x7fff)) < word(infinity);
    case Op::isinf:
      return (bits(0) & word(0x7fff)) == word(infinity);
    case Op::isnan:
      return (bits(0) & word(0x7fff)) > word(infinity);
    case Op::nextafter: {
      Lane x = single(args[0]);
      Lane y = single(args[1]);
      Lane next = next_bits(l, bits(0), bits(1), x, y);
      return from_bits(l.where(l.is_nan(x) | l.is_nan(y),
                               word(dtype == Dtype::float16 ? 0x7e00 : 0x7fc0), next));
    }
    case Op::maximum:
    case Op::minimum:
    case Op::fmax:
    case Op::fmin: {
      // NumPy's float16 keeps the first of equal operands (two zeros), its other types the second.
      if (dtype != Dtype::float16) return {};
      Lane x = single(args[0]);
      Lane y = single(args[1]);
      Lane first = op == Op::maximum || op == Op::fmax ? x >= y : x <= y;
      Lane nan = l.is_nan(op == Op::maximum || op == Op::minimum ? x : y);
      return l.where(first | nan, args[0], args[1]);
    }
    case Op::spacing: {
      // NumPy's float16 looks towards infinity, its other types away from zero.
      Lane x = single(args[0]);
      Lane away = l.where(x == 0.0, word(1), bits(0) + word(1));
      Lane up = next_bits(l, bits(0), word(infinity), x, l.number(x.value->getType(), HUGE_VAL));
      Lane next = single(from_bits(dtype == Dtype::float16 ? up : away));
      Lane nan = l.number(x.value->getType(), std::numeric_limits<double>::quiet_NaN());
      return cast_real(l, l.where(l.abs(x) < HUGE_VAL, next - x, nan), Dtype::float32, dtype);
    }
    default: {
      if (dtype != Dtype::float16 || args.size() != 1) return {};
      Lane value = half_math(l, op, single(args[0]));
      return value.value == nullptr ? value : cast_real(l, value, Dtype::float32, dtype);
    }
  }
}

}  // namespace heddle::kernel
