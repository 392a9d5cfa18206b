// x to the power of y as inline vector code: exp(y * log|x|) with a logarithm that is precise
// enough to be multiplied by any y, and C99's special cases. The logarithm has two parts, for
// float64 of about 64 bits together; without tables in registers, float32 has it in float64.
#include <cmath>
#include <limits>

#include "kernel/lane_builder.h"
#include "kernel/scalar_lowering.h"
#include "kernel/scalar_math_parts.h"
#include "kernel/scalar_math_tables.h"

namespace heddle::kernel {

namespace {

Double2 square(LaneBuilder& l, Double2 x) {
  Lane hi = x.hi * x.hi;
  return {hi, l.mad(x.hi + x.hi, x.lo, l.mad(x.hi, x.hi, -hi))};
}

// The exponent's and the table's logarithm, and the first two terms of the series, are exact.
Double2 precise_log_by_table(LaneBuilder& l, Lane x) {
  auto [e, index, inverse, r] = near_one_avx512(l, x);
  Lane whole =
      l.mad(e, constant(l, r, 0.6931471805598903), lookup_avx512(l, index, wide_log_upper));
  Double2 first = fast_sum(whole, r);
  Double2 bend = exact_product(l, r * -0.5, r);
  Double2 second = fast_sum(first.hi, bend.hi);
  Lane rest =
      l.mad(e, constant(l, r, 5.497923018708371e-14), lookup_avx512(l, index, wide_log_lower));
  rest = rest + (first.lo + (second.lo + bend.lo));
  Lane tail = l.polynomial(
      r, {-0.6666666666666667, 0.49999999999999706, -0.39999999999915536, 0.3333333333502569,
          -0.28571428816474914, 0.2499999750135644, -0.22221972082825464, 0.20001287045192492,
          -0.182865370319238, 0.16486309364394677});
  return fast_sum(second.hi, l.mad(bend.hi * r, tail, rest));
}

}  // namespace

// From 2 atanh(s) with s = f / (2 + f), f = mantissa - 1.
Double2 precise_log(LaneBuilder& l, Lane x) {
  if (l.has_avx512()) return precise_log_by_table(l, x);
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

namespace {

// exp(x + more): what is left of the nearest sixteenth of a power of two is so little that a short
// series does.
Lane exp_by_table(LaneBuilder& l, Lane x, Lane more) {
  const double shift = rounding_shift(x);
  Lane shifted = l.mad(x, constant(l, x, 23.083120654223414), constant(l, x, shift));
  Lane k = shifted - shift;
  Lane first = l.mad(k, constant(l, x, -0.04332169878499658), x);
  Lane r = first + l.mad(k, constant(l, x, -1.4494042586539372e-18), more);
  Lane p = l.polynomial(r, {0.5000000000000001, 0.1666666666666667, 0.04166666666359496,
                            0.008333333332611818, 0.0013889063456847459, 0.00019841528460390394});
  Lane index = l.bits_of(shifted);
  Lane upper = lookup_avx512(l, index, sixteenths_upper);
  Lane rest = l.mad(upper, l.mad(r * r, p, r), lookup_avx512(l, index, sixteenths_lower));
  return scale_avx512(l, upper + rest, k * 0x1p-4);  // which rounds its factor down
}

// exp(x.hi + x.lo) for |x.hi| up to the limit, beyond which the result is infinity or zero.
Lane exp_of(LaneBuilder& l, Double2 x, double limit) {
  const double shift = rounding_shift(x.hi);
  Lane clamped = l.where(x.hi > limit, constant(l, x.hi, limit), x.hi);
  clamped = l.where(clamped < -limit, constant(l, x.hi, -limit), clamped);
  // The lower part is nan where the upper one overflowed.
  Lane lower = l.where(l.abs(x.hi) < limit, x.lo, constant(l, x.hi, 0));
  if (l.has_avx512()) return exp_by_table(l, clamped, lower);
  Lane shifted = l.mad(clamped, constant(l, x.hi, M_LOG2E), constant(l, x.hi, shift));
  Lane k = shifted - shift;
  Lane first = l.mad(k, constant(l, x.hi, -0.6931471805599453), clamped);
  Lane part = l.mad(k, constant(l, x.hi, -2.3190468138462996e-17), lower);
  auto [r, error] = fast_sum(first, part);
  Lane p = l.polynomial(
      r, {0.50000000000000133, 0.16666666666666699, 0.041666666666513114, 0.0083333333333067867,
          0.0013888888947680208, 0.00019841269918288796, 2.4801489201332626e-05,
          2.7557215488811501e-06, 2.7631561427504409e-07, 2.5118119705638312e-08});
  Double2 sum = fast_sum(constant(l, r, 1), r);
  Lane y = sum.hi + (sum.lo + l.mad(r * r, p, error));
  return scale(l, y, k, shifted);
}

Lane positive_power(LaneBuilder& l, Lane x, Lane y) {
  Double2 log = precise_log(l, x);
  Lane product = y * log.hi;
  return exp_of(l, {product, l.mad(y, log.lo, l.mad(y, log.hi, -product))}, 800);
}

// log2 of a float32 in two parts, about 32 bits, by a table and a short series for what is left,
// which is exact.
Double2 log2_by_table(LaneBuilder& l, Lane x) {
  auto [e, m] = decompose_avx512(l, x);
  Lane step = l.bits_of(m + 0x1p19);  // its last bit stands for 1/16
  Lane f = l.mad(m, lookup_avx512(l, step, power_inverse), constant(l, x, -1));
  // f - f^2/2, of which the rest of the series is but a few bits.
  Lane minus_half = f * -0.5;
  Lane start = l.mad(minus_half, f, f);
  Lane rest = l.mad(minus_half, f, f - start);
  Lane factor = constant(l, x, 1.4426950216293335);
  Lane hi = start * factor;
  Lane lo = l.mad(start, factor, -hi);
  lo = l.mad(start, constant(l, x, 1.925963033500011e-08), lo);
  lo = l.mad(rest, factor, lo);
  Lane tail =
      l.polynomial(f, {0.48089834633, -0.3606733308, 0.28854165733, -0.2410702206, 0.20512017734});
  lo = l.mad(f * f * f, tail, lo);
  Double2 sum = fast_sum(e + lookup_avx512(l, step, power_upper), hi);
  return fast_sum(sum.hi, sum.lo + (lookup_avx512(l, step, power_lower) + lo));
}

// Of a number up to 1/2 and a small one that belongs to it. What is larger in the sum is added
// without loss.
Lane exp2_of_fraction(LaneBuilder& l, Lane r, Lane more) {
  Lane slope = constant(l, r, 0.6931471824645996);  // ln(2), and what it lacks in the next term
  Lane sum = l.mad(r, slope, constant(l, r, 1));
  Lane lost = l.mad(r, slope, 1.0 - sum);
  Lane p = l.polynomial(r, {0.24022647913632086, 0.05550332471158985, 0.009618437357435368,
                            0.0013398874403715143, 0.0001535336194838275});
  lost = l.mad(r, constant(l, r, 2.039044e-08), lost);
  Lane bend = l.mad(r * r, p, lost);
  return sum + l.mad(more * slope, sum + bend, bend);
}

Lane positive_power_by_table(LaneBuilder& l, Lane x, Lane y) {
  Double2 log = log2_by_table(l, x);
  Lane product = y * log.hi;
  Lane error = l.mad(y, log.lo, l.mad(y, log.hi, -product));
  constexpr double limit = 200;
  Lane clamped = l.where(product > limit, constant(l, x, limit), product);
  clamped = l.where(clamped < -limit, constant(l, x, -limit), clamped);
  error = l.where(clamped == product, error, constant(l, x, 0));
  // To the nearest 32nd, which the table has; what is left has a short series.
  Lane shifted = clamped + 0x1.8p18;
  Lane k = shifted - 0x1.8p18;
  Lane f = (clamped - k) + error;
  Lane more = f * l.polynomial(f, {0.69314718054, 0.24022826852, 0.055504517508});
  Lane index = l.bits_of(shifted);
  Lane upper = lookup_avx512(l, index, thirty_seconds_upper);
  Lane rest = l.mad(upper, more, lookup_avx512(l, index, thirty_seconds_lower));
  return scale_avx512(l, upper + rest, k);  // which rounds k down
}

// float32: float64 has bits to spare for the logarithm to base 2 and its product with y, of which
// float32 holds the whole part and, in a number of its own, the rest.
Lane positive_power_single(LaneBuilder& l, Lane x, Lane y) {
  if (l.has_avx512()) return positive_power_by_table(l, x, y);
  llvm::Type* wide = l.b.getDoubleTy();
  auto [e, m] = decompose_all(l, x);
  // s = (m - 1) / (m + 1): a quotient of float32's precision, and what it leaves.
  Lane inverse = l.convert(1.0 / (m + 1.0), wide);
  Lane mantissa = l.convert(m, wide);
  Lane f = mantissa - 1.0;
  Lane s = f * inverse;
  s = l.mad(l.mad(-s, mantissa + 1.0, f), inverse, s);
  Lane p = l.polynomial(s * s, {2.885390081777417, 0.96179669483611996, 0.57707775323774491,
                                0.41222635356644127, 0.3192794568869437, 0.29089141063857393});
  Lane product = l.convert(y, wide) * l.mad(s, p, l.convert(e, wide));
  constexpr double limit = 200;
  product = l.where(product > limit, constant(l, product, limit), product);
  product = l.where(product < -limit, constant(l, product, -limit), product);
  Lane whole = l.rint(product);
  Lane fraction = product - whole;
  Lane r = l.convert(fraction, l.b.getFloatTy());
  Lane rest = l.convert(fraction - l.convert(r, wide), l.b.getFloatTy());
  Lane k = l.convert(whole, l.b.getFloatTy());
  return scale(l, exp2_of_fraction(l, r, rest), k, k + rounding_shift(k));
}

// C99's rules for bases that are not positive and operands that are not finite, where `power` is
// that of finite numbers of the base's size.
Lane special_power(LaneBuilder& l, Lane x, Lane y, Lane power) {
  Lane size = l.abs(x);
  Lane is_endless = l.abs(y) == HUGE_VAL;
  Lane is_extreme = is_endless | (size == 0.0) | (size == HUGE_VAL);
  Lane vanishes = (size < 1.0) ^ (y < 0.0);
  Lane extreme = l.where(vanishes, constant(l, x, 0), constant(l, x, HUGE_VAL));
  power = l.where(is_extreme, extreme, power);
  Lane half = y * 0.5;
  Lane is_whole = l.rint(y) == y;
  Lane is_odd = is_whole & (l.rint(half) != half);
  Lane is_negative = l.bits_of(x) < 0.0;
  power = l.where(is_negative & is_odd, -power, power);
  // Roots of negative numbers; zero and infinity have one for either sign.
  Lane has_no_root = (x < 0.0) & (size < HUGE_VAL) & !is_whole;
  Lane nan = constant(l, x, std::numeric_limits<double>::quiet_NaN());
  power = l.where(has_no_root | l.is_nan(x) | l.is_nan(y), nan, power);
  Lane is_one = (y == 0.0) | (x == 1.0) | (is_endless & (size == 1.0));
  return l.where(is_one, constant(l, x, 1), power);
}

}  // namespace

Lane inline_power(LaneBuilder& l, Lane x, Lane y) {
  Lane magnitude = l.abs(x);
  Lane power =
      is_single(x) ? positive_power_single(l, magnitude, y) : positive_power(l, magnitude, y);
  Lane is_usual = (x > 0.0) & (x < HUGE_VAL) & (l.abs(y) < HUGE_VAL);
  return l.rarely(!is_usual, power, [&] { return special_power(l, x, y, power); });
}

}  // namespace heddle::kernel
