// x to the power of y as inline vector code: exp(y * log|x|) with a logarithm that is precise
// enough to be multiplied by any y, and C99's special cases. The logarithm has two parts, for
// float64 of about 65 bits together; without tables in registers, float32 has it in float64.
#include <array>
#include <cmath>
#include <limits>

#include "kernel/lane_builder.h"
#include "kernel/scalar_lowering.h"
#include "kernel/scalar_math_parts.h"

namespace heddle::kernel {

namespace {

Double2 square(LaneBuilder& l, Double2 x) {
  Lane hi = x.hi * x.hi;
  return {hi, l.mad(x.hi + x.hi, x.lo, l.mad(x.hi, x.hi, -hi))};
}

}  // namespace

// From 2 atanh(s) with s = f / (2 + f), f = mantissa - 1.
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

namespace {

// exp(x.hi + x.lo) for |x.hi| up to the limit, beyond which the result is infinity or zero.
Lane exp_of(LaneBuilder& l, Double2 x, double limit) {
  const double shift = rounding_shift(x.hi);
  Lane clamped = l.where(x.hi > limit, constant(l, x.hi, limit), x.hi);
  clamped = l.where(clamped < -limit, constant(l, x.hi, -limit), clamped);
  // The lower part is nan where the upper one overflowed.
  Lane lower = l.where(l.abs(x.hi) < limit, x.lo, constant(l, x.hi, 0));
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

// log2 of mantissas from 3/4 to 3/2 in steps of 1/32: the inverse of each, and what that is the
// logarithm of, in two parts. Sums of an exponent and an upper part are exact.
struct LogTable {
  std::array<float, 32> inverse{}, upper{}, lower{};
  LogTable() {
    for (unsigned step = 24; step <= 48; ++step) {
      const float inverted = 32.0F / static_cast<float>(step);
      const double log = -std::log2(static_cast<double>(inverted));
      const double rounded = std::rint(log * 0x1p16) * 0x1p-16;
      inverse[step % 32] = inverted;
      upper[step % 32] = static_cast<float>(rounded);
      lower[step % 32] = static_cast<float>(log - rounded);
    }
  }
};

// log2 of a float32 in two parts, about 32 bits, by a table and a short series for what is left.
Double2 log2_by_table(LaneBuilder& l, Lane x) {
  static const LogTable table;
  auto [e, m] = decompose_avx512(l, x);
  Lane step = l.bits_of(m + 0x1p18);  // its last bit stands for 1/32
  Lane inverse = lookup_avx512(l, step, table.inverse);
  Lane ratio = m * inverse;
  Lane error = l.mad(m, inverse, -ratio);
  Lane f = ratio - 1.0;
  // f - f^2/2, of which the rest of the series is but a few bits.
  Lane minus_half = f * -0.5;
  Lane start = l.mad(minus_half, f, f);
  Lane rest = l.mad(minus_half, f, f - start) + l.mad(error, l.mad(f, f, -f), error);
  Lane factor = constant(l, x, 1.4426950216293335);
  Lane hi = start * factor;
  Lane lo = l.mad(start, factor, -hi);
  lo = l.mad(start, constant(l, x, 1.925963033500011e-08), lo);
  lo = l.mad(rest, factor, lo);
  lo = l.mad(f * f * f, l.polynomial(f, {0.4808983264, -0.360765069, 0.2886760365}), lo);
  Double2 sum = fast_sum(e + lookup_avx512(l, step, table.upper), hi);
  return fast_sum(sum.hi, sum.lo + (lookup_avx512(l, step, table.lower) + lo));
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
  Lane k = l.rint(clamped);
  error = l.where(clamped == product, error, constant(l, x, 0));
  return scale_avx512(l, exp2_of_fraction(l, clamped - k, error), k);
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
