// x to the power of y as inline vector code: exp(y * log|x|) with a logarithm that is precise
// enough to be multiplied by any y, and C99's special cases. float32 is computed in float64; for
// float64 the logarithm has two parts, about 65 bits.
#include <cmath>
#include <limits>

#include "kernel/lane_builder.h"
#include "kernel/scalar_lowering.h"
#include "kernel/scalar_math_parts.h"

namespace heddle::kernel {

namespace {

// A sum of two numbers, the second below the rounding error of the first.
struct Double2 {
  Lane hi, lo;
};

// Exact sum for |x| >= |y| or x == 0.
Double2 fast_sum(Lane x, Lane y) {
  Lane hi = x + y;
  return {hi, (x - hi) + y};
}

Double2 multiply(LaneBuilder& l, Double2 x, Double2 y) {
  Lane hi = x.hi * y.hi;
  Lane lo = l.mad(x.hi, y.hi, -hi);
  lo = l.mad(x.hi, y.lo, lo);
  return {hi, l.mad(x.lo, y.hi, lo)};
}

Double2 square(LaneBuilder& l, Double2 x) {
  Lane hi = x.hi * x.hi;
  return {hi, l.mad(x.hi + x.hi, x.lo, l.mad(x.hi, x.hi, -hi))};
}

// Non-negative numbers, subnormals too.
Decomposed decompose_all(LaneBuilder& l, Lane x) {
  if (l.has_avx512()) return decompose_avx512(l, x);
  Lane is_subnormal = x < 0x1p-1022;
  auto [exponent, mantissa] = decompose(l, l.where(is_subnormal, x * 0x1p54, x));
  return {l.where(is_subnormal, exponent - 54.0, exponent), mantissa};
}

// log(x) of zero and infinity, and nan.
Lane special_log(LaneBuilder& l, Lane x, Lane log) {
  return l.where(x == 0.0, constant(l, x, -HUGE_VAL), l.where(x < HUGE_VAL, log, x));
}

// Natural logarithm in two parts, from 2 atanh(s) with s = f / (2 + f), f = mantissa - 1.
Double2 precise_log(LaneBuilder& l, Lane x) {
  auto [e, m] = decompose_all(l, x);
  Lane f = m - 1.0;
  Double2 divisor = fast_sum(constant(l, f, 2), f);
  Lane inverse = 1.0 / divisor.hi;
  Double2 s{f * inverse, {}};
  s.lo = l.mad(-s.hi, divisor.lo, l.mad(-s.hi, divisor.hi, f)) * inverse;
  Double2 w = square(l, s);
  Lane q = w.hi * l.polynomial(w.hi, {0.39999999999999292, 0.28571428571737423, 0.22222222167849415,
                                      0.18181823308847112, 0.15384329288639331, 0.13343072565609232,
                                      0.11566634678553619, 0.12713885785539267});
  Double2 factor = fast_sum(constant(l, f, 0.6666666666666666), q);
  factor.lo = factor.lo + 3.700743415417188e-17;
  Double2 tail = multiply(l, s, multiply(l, w, factor));
  // The upper part of ln(2) has trailing zeros: its multiples are exact.
  Double2 sum = fast_sum(e * 0.6931471805598903, s.hi + s.hi);
  Double2 total = fast_sum(sum.hi, tail.hi);
  Lane lo = l.mad(e, constant(l, f, 5.497923018708371e-14), (s.lo + s.lo) + tail.lo);
  return fast_sum(total.hi, total.lo + (sum.lo + lo));
}

// exp(x.hi + x.lo) for |x.hi| up to the limit, beyond which the result is infinity or zero.
Lane exp_of(LaneBuilder& l, Double2 x, double limit) {
  const double shift = rounding_shift(x.hi);
  Lane clamped = l.where(x.hi > limit, constant(l, x.hi, limit), x.hi);
  clamped = l.where(clamped < -limit, constant(l, x.hi, -limit), clamped);
  // The lower part is nan where the upper one overflowed.
  Lane lower = l.where(l.abs(x.hi) < limit, x.lo, constant(l, x.hi, 0));
  Lane shifted = l.mad(clamped, constant(l, x.hi, M_LOG2E), constant(l, x.hi, shift));
  Lane k = shifted - shift;
  Lane r = l.mad(k, constant(l, x.hi, -0.6931471805599453), clamped);
  r = l.mad(k, constant(l, x.hi, -2.3190468138462996e-17), r) + lower;
  Lane y = l.polynomial(r, {1, 1, 0.50000000000000133, 0.16666666666666699, 0.041666666666513114,
                            0.0083333333333067867, 0.0013888888947680208, 0.00019841269918288796,
                            2.4801489201332626e-05, 2.7557215488811501e-06, 2.7631561427504409e-07,
                            2.5118119705638312e-08});
  return scale(l, y, k, shifted);
}

Lane positive_power(LaneBuilder& l, Lane x, Lane y) {
  Double2 log = precise_log(l, x);
  Lane upper = special_log(l, x, log.hi);
  Lane product = y * upper;
  Lane error = l.mad(y, log.lo, l.mad(y, upper, -product));
  // 1 to any power, an infinite or undefined one too, is 1.
  Lane is_one = x == 1.0;
  Lane zero = constant(l, x, 0);
  return exp_of(l, {l.where(is_one, zero, product), l.where(is_one, zero, error)}, 800);
}

// float32: float64 has bits to spare, and the result rounds into float32's range by itself.
Lane positive_power_single(LaneBuilder& l, Lane x_single, Lane y_single) {
  Lane x = l.convert(x_single, l.b.getDoubleTy());
  Lane y = l.convert(y_single, l.b.getDoubleTy());
  auto [e, m] = l.has_avx512() ? decompose_avx512(l, x) : decompose(l, x);
  Lane f = m - 1.0;
  Lane s = f / (f + 2.0);
  Lane p = l.polynomial(s * s, {2.885390081777417, 0.96179669483611996, 0.57707775323774491,
                                0.41222635356644127, 0.3192794568869437, 0.29089141063857393});
  Lane log2 = special_log(l, x, l.mad(s, p, e));
  Lane product = l.where(x == 1.0, constant(l, x, 0), y * log2);
  constexpr double limit = 200;
  product = l.where(product > limit, constant(l, x, limit), product);
  product = l.where(product < -limit, constant(l, x, -limit), product);
  const double shift = rounding_shift(x);
  Lane shifted = product + shift;
  Lane r = product - (shifted - shift);
  Lane power = l.polynomial(r, {0.99999999996107258, 0.69314718073114812, 0.24022651204158074,
                                0.055504103473004114, 0.0096180264420160904, 0.001333392545968424,
                                0.00015469553177047422, 1.520172387884782e-05});
  Lane one = l.bits_of(constant(l, x, 1));
  Lane result = power * l.float_of((l.bits_of(shifted) << 52) + one);
  return l.convert(result, l.b.getFloatTy());
}

}  // namespace

Lane inline_power(LaneBuilder& l, Lane x, Lane y) {
  Lane magnitude = l.abs(x);
  Lane power =
      is_single(x) ? positive_power_single(l, magnitude, y) : positive_power(l, magnitude, y);
  Lane half = y * 0.5;
  Lane is_whole = l.rint(y) == y;
  Lane is_odd = is_whole & (l.rint(half) != half);
  Lane is_negative = l.bits_of(x) < 0.0;
  power = l.where(is_negative & is_odd, -power, power);
  // Roots of negative numbers; zero and infinity have one for either sign.
  Lane nan = constant(l, x, std::numeric_limits<double>::quiet_NaN());
  Lane has_no_root = (x < 0.0) & (magnitude < HUGE_VAL) & !is_whole;
  power = l.where(has_no_root, nan, power);
  return l.where((y == 0.0) | (x == 1.0), constant(l, x, 1), power);
}

}  // namespace heddle::kernel
