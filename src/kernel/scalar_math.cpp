// Transcendental functions of float32 and float64: which ones are inline vector code, and which are
// calls of the C library's vector functions.
#include <cmath>

#include "kernel/lane_builder.h"
#include "kernel/scalar_lowering.h"
#include "kernel/scalar_math_parts.h"

namespace heddle::kernel {

namespace {

// Scaled by the power of two of the larger one, so that its square neither overflows nor vanishes.
Lane hypot(LaneBuilder& l, Lane x, Lane y) {
  Lane ax = l.abs(x);
  Lane ay = l.abs(y);
  Lane larger = l.where(ax > ay, ax, ay);
  llvm::Type* bits = l.int_like(x.value->getType());
  const int fraction_bits = is_single(x) ? 23 : 52;
  const std::uint64_t twice_bias = is_single(x) ? 254 : 2046;
  Lane exponent = l(l.b.CreateLShr(l.bits_of(larger), fraction_bits));
  exponent = l.intrinsic(llvm::Intrinsic::smin, {exponent, l.integer(bits, twice_bias - 1)});
  exponent = l.intrinsic(llvm::Intrinsic::smax, {exponent, l.integer(bits, 1)});
  Lane down = l.float_of((l.integer(bits, twice_bias) - exponent) << fraction_bits);
  Lane up = l.float_of(exponent << fraction_bits);
  Lane sx = ax * down;
  Lane sy = ay * down;
  Lane length = l.sqrt(l.mad(sx, sx, sy * sy)) * up;
  Lane is_infinite = (ax == HUGE_VAL) | (ay == HUGE_VAL);
  return l.where(is_infinite, constant(l, x, HUGE_VAL), length);
}

Lane math(LaneBuilder& l, Op op, Lane x) {
  const Lane args[] = {x};
  return lower_math(l, op, args);
}

// The sums of the next two cancel where they are near zero and the larger operand is negative: the
// other term is positive. A GPU has no wider type.
Lane near_zero(LaneBuilder& l, const char* name, Lane x, Lane y, Lane larger, Lane sum) {
  if (l.target.model == Model::grid) return sum;
  return l.rarely((l.abs(sum) < 0x1p-4) & (larger < 0.0), sum,
                  [&] { return l.rare_math(name, {x, y}); });
}

// log(exp(x) + exp(y)) without overflow, as npy_logaddexp: for equal operands x + log(2), which
// also serves infinities.
Lane logaddexp(LaneBuilder& l, Lane x, Lane y) {
  Lane difference = x - y;
  Lane larger = l.where(difference > 0.0, x, y);
  Lane sum = larger + math(l, Op::log1p, math(l, Op::exp, -l.abs(difference)));
  sum = l.where(l.is_nan(difference), difference, sum);
  return near_zero(l, "logaddexp", x, y, larger,
                   l.where(x == y, x + 0.69314718055994530942, sum));
}

Lane logaddexp2(LaneBuilder& l, Lane x, Lane y) {
  Lane difference = x - y;
  Lane larger = l.where(difference > 0.0, x, y);
  Lane log = math(l, Op::log1p, math(l, Op::exp2, -l.abs(difference)));
  Lane sum = larger + log * 1.44269504088896340736;
  sum = l.where(l.is_nan(difference), difference, sum);
  return near_zero(l, "logaddexp2", x, y, larger, l.where(x == y, x + 1.0, sum));
}

}  // namespace

Lane lower_math(LaneBuilder& l, Op op, std::span<const Lane> args) {
  switch (op) {
    case Op::hypot:
      return hypot(l, args[0], args[1]);
    case Op::logaddexp:
      return logaddexp(l, args[0], args[1]);
    case Op::logaddexp2:
      return logaddexp2(l, args[0], args[1]);
    default:
      break;
  }
  if (op == Op::float_power) op = Op::power;
  if (l.has_fma() && op == Op::power) return inline_power(l, args[0], args[1]);
  if (info(op).space == Space::special) return lower_special(l, op, args);
  if (args.size() == 1) {
    if (Lane done = inline_math(l, op, args[0]); done.value != nullptr) return done;
  }
  const char* name = info(op).library;
  if (name == nullptr) no_lowering(op, "floats");
  if (args.size() == 2) return l.math(name, {args[0], args[1]});
  return l.math(name, {args[0]});
}

}  // namespace heddle::kernel
