// Cube roots and lengths as inline vector code.
#include <cmath>
#include <cstdint>

#include "kernel/scalar_math_families.h"
#include "kernel/scalar_math_tables.h"

namespace heddle::kernel {

namespace {

// One step of a root of x, given x^(-1/3) to 17 bits and the root to half its digits. What the
// square's rounding adds to the remainder is a third of that in the root: below a quarter of a
// unit.
Lane root_by_inverse(LaneBuilder& l, Lane x, Lane inverse_square, Lane root) {
  Lane remainder = l.mad(root * root, -root, x);
  return l.mad(remainder, inverse_square * (1.0 / 3), root);
}

// As below, but what the exponent leaves is looked up. Zero and infinity have infinite exponents,
// which leave nan.
Lane cbrt_by_table(LaneBuilder& l, Lane x) {
  auto number = [&](double value) { return constant(l, x, value); };
  Lane size = l.abs(x);
  auto [e, m] = decompose_from_one_avx512(l, size);
  const double shift = rounding_shift(x);
  Lane third = l.mad(e, number(1.0 / 3), number(shift)) - shift;
  Lane left = l.mad(third, number(-3), e);  // -1, 0 or 1
  Lane step = l(l.b.CreateLShr(l.bits_of(left), 27));
  Lane p = l.polynomial(m, {1.7810576408048464, -1.5660285043190918, 1.2437851913071805,
                            -0.5978724951690506, 0.1560714292022333, -0.017019010627805288});
  Lane guess = p * lookup_avx512(l, step, cbrt_inverse);
  Lane argument = m * lookup_avx512(l, step, cbrt_power);
  Lane inverse_square = guess * guess;
  Lane root = root_by_inverse(l, argument, inverse_square, argument * inverse_square);
  return l.copysign(l.where(l.is_nan(left), size, scale_avx512(l, root, third)), x);
}

}  // namespace

// From x^(-1/3) by a polynomial of the mantissa.
Lane cbrt(LaneBuilder& l, Lane x) {
  const bool single = is_single(x);
  if (single && l.has_avx512()) return cbrt_by_table(l, x);
  auto number = [&](double value) { return constant(l, x, value); };
  Lane size = l.abs(x);
  auto [e, m] = decompose_all(l, size);
  const double shift = rounding_shift(x);
  Lane shifted = l.mad(e, number(1.0 / 3), number(shift));
  Lane left = l.mad(shifted - shift, number(-3), e);  // -1, 0 or 1
  Lane p = l.polynomial(m, {1.9603093450286224, -2.2981894968140466, 2.4337200346475489,
                            -1.5598130797322387, 0.54290772847140467, -0.078936093293723336});
  Lane is_up = left > 0.0;
  Lane is_down = left < 0.0;
  Lane guess = p * l.where(is_up, number(0.79370052598409974),
                           l.where(is_down, number(1.2599210498948732), number(1)));
  Lane argument = m * l.where(is_up, number(2), l.where(is_down, number(0.5), number(1)));
  Lane inverse_square = guess * guess;
  Lane root = argument * inverse_square;
  if (!single) {
    Lane error = l.mad(-root, guess, number(1));
    root = l.mad(root * error, l.polynomial(error, {2.0 / 3, 5.0 / 9, 40.0 / 81}), root);
  }
  root = root_by_inverse(l, argument, inverse_square, root) * two_to(l, shifted);
  return l.copysign(l.where((size > 0.0) & (size < HUGE_VAL), root, size), x);
}

// Scaled by the power of two of the larger one, so that its square neither overflows nor vanishes.
Lane hypot(LaneBuilder& l, Lane x, Lane y) {
  Lane ax = l.abs(x);
  Lane ay = l.abs(y);
  Lane is_wide = ax > ay;
  Lane larger = l.where(is_wide, ax, ay);
  Lane smaller = l.where(is_wide, ay, ax);
  llvm::Type* bits = l.int_like(x.value->getType());
  const int fraction_bits = is_single(x) ? 23 : 52;
  const std::uint64_t twice_bias = is_single(x) ? 254 : 2046;
  Lane exponent = l(l.b.CreateLShr(l.bits_of(larger), fraction_bits));
  exponent = l.intrinsic(llvm::Intrinsic::smin, {exponent, l.integer(bits, twice_bias - 1)});
  exponent = l.intrinsic(llvm::Intrinsic::smax, {exponent, l.integer(bits, 1)});
  Lane down = l.float_of((l.integer(bits, twice_bias) - exponent) << fraction_bits);
  Lane up = l.float_of(exponent << fraction_bits);
  larger = larger * down;
  smaller = smaller * down;
  // Without fused multiply-add the lower parts of the squares are zero.
  Double2 first = exact_product(l, larger, larger);
  Double2 second = exact_product(l, smaller, smaller);
  Double2 sum = fast_sum(first.hi, second.hi);
  Lane length = l.sqrt(sum.hi + (sum.lo + (first.lo + second.lo))) * up;
  Lane is_infinite = (ax == HUGE_VAL) | (ay == HUGE_VAL);
  return l.where(is_infinite, constant(l, x, HUGE_VAL), length);
}

}  // namespace heddle::kernel
