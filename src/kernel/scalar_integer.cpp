// Integers: wrap-around arithmetic, division that never traps, shifts by any count.
#include "kernel/lane_builder.h"
#include "kernel/scalar_lowering.h"

namespace heddle::kernel {

namespace {

struct IntegerDivision {
  Lane quotient;   // truncated; x / 0 is 0
  Lane remainder;  // x - quotient * y; x % 0 is 0
};

// Quotients of up to 32 bits are exact in the next float type: two integers below 2^24 (2^53) have
// a quotient that is at least 1/y away from any integer it is not, more than the rounding error.
Lane quotient_by_float(LaneBuilder& l, Lane x, Lane y, bool is_signed) {
  llvm::Type* type = x.value->getType();
  const bool narrow = type->getScalarSizeInBits() <= 16;
  llvm::Type* float_type = l.widen(narrow ? l.b.getFloatTy() : l.b.getDoubleTy());
  llvm::Type* int_type = l.widen(l.b.getInt32Ty());
  auto to_float = [&](Lane v) {
    return l(is_signed ? l.b.CreateSIToFP(v, float_type) : l.b.CreateUIToFP(v, float_type));
  };
  Lane quotient = to_float(x) / to_float(y);
  const bool fits_signed = is_signed || narrow;
  llvm::Value* truncated =
      fits_signed ? l.b.CreateFPToSI(quotient, int_type) : l.b.CreateFPToUI(quotient, int_type);
  return l(l.b.CreateTrunc(truncated, type));
}

// Machines without instructions to convert 64 bits, or to divide vectors of them, have those of
// doubles: 51 bits and a sign are added to 1.5 * 2^52, whose low bits they become.
Lane quotient_of_longs(LaneBuilder& l, Lane x, Lane y, bool is_signed) {
  auto divide_longs = [&] { return is_signed ? l.b.CreateSDiv(x, y) : l.b.CreateUDiv(x, y); };
  if (l.lanes == 1) return l(divide_longs());
  llvm::Type* type = x.value->getType();
  constexpr double shift = 0x1.8p52;
  Lane shift_bits = l.bits_of(l.number(l.widen(l.b.getDoubleTy()), shift));
  auto to_double = [&](Lane v) { return l.float_of(v + shift_bits) - shift; };
  Lane quotient = l.bits_of(l.trunc(to_double(x) / to_double(y)) + shift) - shift_bits;
  auto is_long = [&](Lane v) {
    Lane range = is_signed ? v + l.integer(type, std::uint64_t{1} << 51) : v;
    const std::uint64_t size = std::uint64_t{1} << (is_signed ? 52 : 51);
    return l(l.b.CreateICmpUGE(range, l.integer(type, size)));
  };
  return l.rarely(is_long(x) | is_long(y), quotient, divide_longs);
}

IntegerDivision divide(LaneBuilder& l, Lane x, Lane y, bool is_signed) {
  llvm::Type* type = x.value->getType();
  const unsigned bits = type->getScalarSizeInBits();
  Lane zero = l.integer(type, 0);
  Lane one = l.integer(type, 1);
  Lane is_zero = y == zero;
  Lane divisor = l.where(is_zero, one, y);
  if (is_signed) {
    // lowest / -1 wraps to lowest, which is also lowest / 1.
    Lane lowest = l.integer(type, std::uint64_t{1} << (bits - 1));
    Lane overflows = (x == lowest) & (y == l.integer(type, ~std::uint64_t{0}));
    divisor = l.where(overflows, one, divisor);
  }
  Lane quotient = bits <= 32 ? quotient_by_float(l, x, divisor, is_signed)
                             : quotient_of_longs(l, x, divisor, is_signed);
  Lane remainder = x - quotient * divisor;
  return {l.where(is_zero, zero, quotient), l.where(is_zero, zero, remainder)};
}

Lane floor_divide(LaneBuilder& l, Lane x, Lane y, bool is_signed) {
  auto [quotient, remainder] = divide(l, x, y, is_signed);
  if (!is_signed) return quotient;
  Lane zero = l.integer(x.value->getType(), 0);
  Lane inexact_negative = (remainder != zero) & ((remainder ^ y) < zero);
  return quotient + l(l.b.CreateSExt(inexact_negative, x.value->getType()));
}

Lane floor_remainder(LaneBuilder& l, Lane x, Lane y, bool is_signed) {
  Lane remainder = divide(l, x, y, is_signed).remainder;
  if (!is_signed) return remainder;
  Lane zero = l.integer(x.value->getType(), 0);
  Lane inexact_negative = (remainder != zero) & ((remainder ^ y) < zero);
  return remainder + l.where(inexact_negative, y, zero);
}

// A count is valid from 0 to bits - 1; others, negative ones too, shift everything out.
Lane shift(LaneBuilder& l, Op op, Lane x, Lane count, bool is_signed) {
  llvm::Type* type = x.value->getType();
  const unsigned bits = type->getScalarSizeInBits();
  // GPUs check counts themselves, but of 32 bits: LLVM would leave it to them and drop the rest.
  if (l.target.model == Model::grid && bits == 64)
    count = l.intrinsic(llvm::Intrinsic::umin, {count, l.integer(type, bits)});
  Lane valid = l(l.b.CreateICmpULT(count, l.integer(type, bits)));
  Lane zero = l.integer(type, 0);
  if (op == Op::right_shift && is_signed) {
    return l(l.b.CreateAShr(x, l.where(valid, count, l.integer(type, bits - 1))));
  }
  Lane safe = l.where(valid, count, zero);
  Lane shifted = op == Op::left_shift ? l(l.b.CreateShl(x, safe)) : l(l.b.CreateLShr(x, safe));
  return l.where(valid, shifted, zero);
}

Lane absolute(LaneBuilder& l, Lane x, bool is_signed) {
  if (!is_signed) return x;
  return l(l.b.CreateBinaryIntrinsic(llvm::Intrinsic::abs, x, l.b.getFalse()));
}

Lane sign(LaneBuilder& l, Lane x, bool is_signed) {
  llvm::Type* type = x.value->getType();
  Lane zero = l.integer(type, 0);
  Lane is_nonzero = l(l.b.CreateZExt(x != zero, type));
  if (!is_signed) return is_nonzero;
  return l.where(x < zero, l.integer(type, ~std::uint64_t{0}), is_nonzero);
}

// 1/x is zero but for 1, -1 and, NumPy converting an infinity, 0.
Lane reciprocal(LaneBuilder& l, Lane x, bool is_signed) {
  llvm::Type* type = x.value->getType();
  const unsigned bits = type->getScalarSizeInBits();
  Lane zero = l.integer(type, 0);
  Lane one = l.integer(type, 1);
  Lane result = l.where(x == one, one, zero);
  if (!is_signed) return result;
  Lane minus_one = l.integer(type, ~std::uint64_t{0});
  result = l.where(x == minus_one, minus_one, result);
  if (bits < 32) return result;
  return l.where(x == zero, l.integer(type, std::uint64_t{1} << (bits - 1)), result);
}

Lane bitwise_count(LaneBuilder& l, Lane x, bool is_signed) {
  Lane magnitude = absolute(l, x, is_signed);
  Lane count = l.intrinsic(llvm::Intrinsic::ctpop, {magnitude});
  return l(l.b.CreateTrunc(count, l.widen(l.b.getInt8Ty())));
}

}  // namespace

Lane lower_integer(LaneBuilder& l, Op op, Dtype dtype, std::span<const Lane> args) {
  const bool sign_bit = is_signed(dtype);
  Lane x = args[0];
  auto choose = [&](llvm::Intrinsic::ID with_sign, llvm::Intrinsic::ID without_sign) {
    return l.intrinsic(sign_bit ? with_sign : without_sign, {x, args[1]});
  };
  switch (op) {
    case Op::add:
      return x + args[1];
    case Op::subtract:
      return x - args[1];
    case Op::multiply:
      return x * args[1];
    case Op::square:
      return x * x;
    case Op::floor_divide:
      return floor_divide(l, x, args[1], sign_bit);
    case Op::remainder:
      return floor_remainder(l, x, args[1], sign_bit);
    case Op::fmod:
      return divide(l, x, args[1], sign_bit).remainder;
    case Op::power:
      return integer_power(l, x, args[1], sign_bit);
    case Op::bounded: {
      const Lane zero = l.integer(x.value->getType(), 0);
      const Lane place = sign_bit ? l.where(x < zero, x + args[1], x) : x;
      return l.where(compare(l, Op::less, false, place, args[1]), place, zero);
    }
    case Op::gcd:
      return integer_gcd(l, x, args[1], sign_bit);
    case Op::lcm:
      return integer_lcm(l, x, args[1], sign_bit);
    case Op::negative:
      return -x;
    case Op::absolute:
      return absolute(l, x, sign_bit);
    case Op::sign:
      return sign(l, x, sign_bit);
    case Op::reciprocal:
      return reciprocal(l, x, sign_bit);
    case Op::bitwise_and:
      return x & args[1];
    case Op::bitwise_or:
      return x | args[1];
    case Op::bitwise_xor:
      return x ^ args[1];
    case Op::invert:
      return !x;
    case Op::left_shift:
    case Op::right_shift:
      return shift(l, op, x, args[1], sign_bit);
    case Op::bitwise_count:
      return bitwise_count(l, x, sign_bit);
    case Op::maximum:
    case Op::fmax:
      return choose(llvm::Intrinsic::smax, llvm::Intrinsic::umax);
    case Op::minimum:
    case Op::fmin:
      return choose(llvm::Intrinsic::smin, llvm::Intrinsic::umin);
    case Op::floor:
    case Op::ceil:
    case Op::trunc:
      return x;
    default:
      no_lowering(op, "integers");
  }
}

}  // namespace heddle::kernel
