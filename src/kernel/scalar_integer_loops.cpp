// Integer functions that take a number of steps that depends on their operands: all lanes step
// until the last one is done. Arithmetic wraps; nothing divides.
#include "kernel/lane_builder.h"
#include "kernel/scalar_lowering.h"

namespace heddle::kernel {

namespace {

Lane magnitude(LaneBuilder& l, Lane x, bool is_signed) {
  return is_signed ? l(l.b.CreateBinaryIntrinsic(llvm::Intrinsic::abs, x, l.b.getFalse())) : x;
}

// Types of few bits have few vector instructions. All results are the low bits of wider ones.
Lane at_least(LaneBuilder& l, Lane x, unsigned bits, bool is_signed) {
  if (x.value->getType()->getScalarSizeInBits() >= bits) return x;
  llvm::Type* wide = l.widen(l.b.getIntNTy(bits));
  return l(is_signed ? l.b.CreateSExt(x, wide) : l.b.CreateZExt(x, wide));
}

Lane shift_right(LaneBuilder& l, Lane x, llvm::Value* count) { return l(l.b.CreateLShr(x, count)); }

// Of zero: all bits but one, a count that shifts are defined for.
Lane trailing_zeros(LaneBuilder& l, Lane x) {
  llvm::Type* type = x.value->getType();
  Lane top = l.integer(type, std::uint64_t{1} << (type->getScalarSizeInBits() - 1));
  return l(l.b.CreateBinaryIntrinsic(llvm::Intrinsic::cttz, x | top, l.b.getTrue()));
}

// Stein's algorithm: the difference of two odd numbers has their common divisors and factors of two
// that none of them has. Operands are unsigned.
Lane binary_gcd(LaneBuilder& l, Lane x, Lane y) {
  llvm::Type* type = x.value->getType();
  Lane zero = l.integer(type, 0);
  Lane common_twos = trailing_zeros(l, x | y);
  Lane x_is_zero = x == zero;
  Lane odd = l.where(x_is_zero, y, x);
  odd = shift_right(l, odd, trailing_zeros(l, odd));
  Lane rest = l.where(x_is_zero, zero, y);
  LaneList done = l.repeat_while(
      {odd, rest}, [&](const LaneList& s) { return s[1] != zero; },
      [&](const LaneList& s) {
        Lane is_active = s[1] != zero;
        Lane other = shift_right(l, s[1], trailing_zeros(l, s[1]));
        Lane smaller = l.intrinsic(llvm::Intrinsic::umin, {s[0], other});
        Lane larger = l.intrinsic(llvm::Intrinsic::umax, {s[0], other});
        return LaneList{l.where(is_active, smaller, s[0]),
                        l.where(is_active, larger - smaller, zero)};
      });
  return l(l.b.CreateShl(done[0], common_twos));
}

// x / y where nothing remains: odd numbers have inverses modulo 2^bits. 0 / 0 is 0.
Lane divide_exactly(LaneBuilder& l, Lane x, Lane y) {
  llvm::Type* type = x.value->getType();
  Lane twos = trailing_zeros(l, y);
  Lane odd = shift_right(l, y, twos);
  Lane inverse = (odd * l.integer(type, 3)) ^ l.integer(type, 2);  // five bits of it
  for (unsigned exact_bits = 5; exact_bits < type->getScalarSizeInBits(); exact_bits *= 2)
    inverse = inverse * (l.integer(type, 2) - odd * inverse);
  return shift_right(l, x, twos) * inverse;
}

}  // namespace

Lane integer_power(LaneBuilder& l, Lane x, Lane exponent, bool is_signed) {
  llvm::Type* type = x.value->getType();
  Lane base = at_least(l, x, 16, is_signed);
  llvm::Type* wide = base.value->getType();
  Lane zero = l.integer(wide, 0);
  Lane one = l.integer(wide, 1);
  LaneList done = l.repeat_while(
      {at_least(l, exponent, 16, false), base, one},
      [&](const LaneList& s) { return s[0] != zero; },
      [&](const LaneList& s) {
        Lane is_set = (s[0] & one) != zero;
        return LaneList{shift_right(l, s[0], one), s[1] * s[1], l.where(is_set, s[2] * s[1], s[2])};
      });
  Lane power = l(l.b.CreateTrunc(done[2], type));
  if (!is_signed) return power;
  // Reciprocals round to zero, but for those of 1 and -1, which all powers are right for. NumPy
  // refuses negative exponents before any kernel runs.
  Lane is_unit = (x == l.integer(type, 1)) | (x == l.integer(type, ~std::uint64_t{0}));
  return l.where((exponent < l.integer(type, 0)) & !is_unit, l.integer(type, 0), power);
}

Lane integer_gcd(LaneBuilder& l, Lane x, Lane y, bool is_signed) {
  auto operand = [&](Lane v) { return at_least(l, magnitude(l, v, is_signed), 32, false); };
  return l(l.b.CreateTrunc(binary_gcd(l, operand(x), operand(y)), x.value->getType()));
}

Lane integer_lcm(LaneBuilder& l, Lane x, Lane y, bool is_signed) {
  Lane a = at_least(l, magnitude(l, x, is_signed), 32, false);
  Lane b = at_least(l, magnitude(l, y, is_signed), 32, false);
  Lane multiple = divide_exactly(l, a, binary_gcd(l, a, b)) * b;
  return l(l.b.CreateTrunc(multiple, x.value->getType()));
}

}  // namespace heddle::kernel
