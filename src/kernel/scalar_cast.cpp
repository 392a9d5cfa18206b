// Conversions between types. float -> integer gives what NumPy gives on x86-64: truncation, and the
// wrapped or lowest value outside the range. No value is undefined.
#include <cmath>

#include "kernel/lane_builder.h"
#include "kernel/scalar_lowering.h"
#include "kernel/scalar_ops.h"

namespace heddle::kernel {

namespace {

// What cvttsd2si does: the lowest integer for nan and everything out of range.
Lane truncate_signed(LaneBuilder& l, Lane x, int bits) {
  llvm::Type* type = x.value->getType();
  const double limit = std::ldexp(1.0, bits - 1);
  Lane in_range = l.abs(x) < limit;
  Lane defined = l.where(in_range, x, l.number(type, -limit));
  return l(l.b.CreateFPToSI(defined, l.widen(l.b.getIntNTy(bits))));
}

// What compilers emit for unsigned types of 32 and 64 bits without AVX-512: negative numbers wrap.
Lane truncate_unsigned(LaneBuilder& l, Lane x, int bits) {
  const double half_range = std::ldexp(1.0, bits - 1);
  Lane is_large = x >= half_range;
  Lane low = truncate_signed(l, l.where(is_large, x - half_range, x), bits);
  llvm::Type* type = low.value->getType();
  Lane top_bit = l.integer(type, std::uint64_t{1} << (bits - 1));
  return low ^ l.where(is_large, top_bit, l.integer(type, 0));
}

Lane float_to_integer(LaneBuilder& l, Lane x, Dtype to) {
  const int bits = 8 * itemsize(to);
  if (bits >= 32) {
    return is_signed(to) ? truncate_signed(l, x, bits) : truncate_unsigned(l, x, bits);
  }
  // Smaller types are the low bits of a conversion to int32.
  return l(l.b.CreateTrunc(truncate_signed(l, x, 32), l.widen(l.b.getIntNTy(bits))));
}

// double -> half with one rounding: through a float that is rounded to odd, whose last bit then
// stands for everything below it.
Lane double_to_half(LaneBuilder& l, Lane x) {
  Lane nearest = l.convert(x, l.b.getFloatTy());
  Lane back = l.convert(nearest, l.b.getDoubleTy());
  Lane bits = l.bits_of(nearest);
  llvm::Type* type = bits.value->getType();
  Lane is_even = (bits & l.integer(type, 1)) == 0.0;
  Lane is_inexact = l(l.b.CreateFCmpONE(back, x));
  // Infinity from overflow stays: half's range ends long before.
  Lane is_finite = l.abs(nearest) < HUGE_VAL;
  Lane towards_zero = l.abs(back) > l.abs(x);
  Lane odd = bits + l.where(towards_zero, l.integer(type, ~std::uint64_t{0}), l.integer(type, 1));
  Lane adjusted = l.where(is_even & is_inexact & is_finite, odd, bits);
  return l(l.b.CreateFPTrunc(l.float_of(adjusted), l.widen(l.b.getHalfTy())));
}

Lane float_to_bfloat16(LaneBuilder& l, Lane x) {
  Lane bits = l.bits_of(x);
  llvm::Type* type = bits.value->getType();
  Lane upper = l(l.b.CreateLShr(bits, 16));
  Lane rounded = bits + l.integer(type, 0x7fff) + (upper & l.integer(type, 1));
  rounded = l(l.b.CreateLShr(rounded, 16));
  Lane quiet = upper | l.integer(type, 0x40);
  return l(l.b.CreateTrunc(l.where(l.is_nan(x), quiet, rounded), l.widen(l.b.getInt16Ty())));
}

Lane bfloat16_to_float(LaneBuilder& l, Lane x) {
  Lane wide = l(l.b.CreateZExt(x, l.widen(l.b.getInt32Ty())));
  return l.float_of(wide << 16);
}

Lane cast_float(LaneBuilder& l, Lane x, Dtype from, Dtype to) {
  if (from == Dtype::bfloat16) return cast_real(l, bfloat16_to_float(l, x), Dtype::float32, to);
  if (to == Dtype::bfloat16) {
    if (from != Dtype::float32) x = cast_float(l, x, from, Dtype::float32);
    return float_to_bfloat16(l, x);
  }
  if (from == Dtype::float64 && to == Dtype::float16) return double_to_half(l, x);
  llvm::Type* type = to == Dtype::float16   ? l.b.getHalfTy()
                     : to == Dtype::float32 ? l.b.getFloatTy()
                                            : l.b.getDoubleTy();
  return l.convert(x, type);
}

Lane integer_to_float(LaneBuilder& l, Lane x, Dtype from, Dtype to) {
  if (is_half(to)) {
    // Exact in float32 up to 2^24, beyond the range of float16; NumPy goes this way too.
    return cast_float(l, integer_to_float(l, x, from, Dtype::float32), Dtype::float32, to);
  }
  llvm::Type* type = l.widen(to == Dtype::float32 ? l.b.getFloatTy() : l.b.getDoubleTy());
  return l(is_signed(from) ? l.b.CreateSIToFP(x, type) : l.b.CreateUIToFP(x, type));
}

}  // namespace

Lane cast_real(LaneBuilder& l, Lane x, Dtype from, Dtype to) {
  if (from == to) return x;
  if (to == Dtype::bool_) {
    if (from == Dtype::bfloat16) return (x << 1) != 0.0;
    return x != 0.0;
  }
  if (is_floating(from)) {
    if (is_floating(to)) return cast_float(l, x, from, to);
    if (is_half(from)) x = cast_float(l, x, from, Dtype::float32);
    return float_to_integer(l, x, to);
  }
  if (is_floating(to)) return integer_to_float(l, x, from, to);
  llvm::Type* type = l.widen(l.b.getIntNTy(8 * itemsize(to)));
  return l(l.b.CreateIntCast(x, type, is_signed(from)));
}

Value ScalarEmitter::cast(Value value, Dtype from, Dtype to, int lanes) {
  if (from == to) return value;
  LaneBuilder l(b, target_, lanes);
  const Dtype from_part = real_type(from);
  const Dtype to_part = real_type(to);
  Lane re = l(value.re);
  if (is_complex(from) && to == Dtype::bool_) {
    return {cast_real(l, re, from_part, to) | cast_real(l, l(value.im), from_part, to)};
  }
  if (!is_complex(to)) return {cast_real(l, re, from_part, to)};
  llvm::Value* im = is_complex(from) ? cast_real(l, l(value.im), from_part, to_part).value
                                     : l.number(type(to, lanes), 0).value;
  return {cast_real(l, re, from_part, to_part), im};
}

}  // namespace heddle::kernel
