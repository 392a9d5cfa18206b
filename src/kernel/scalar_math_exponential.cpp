// Exponential and hyperbolic functions as inline vector code. With x = k ln(2) + r all of them are
// made of 2^k, sinh(r) and cosh(r); what is larger in a sum is added without loss, so that the last
// rounding is nearly the only one.
#include <cmath>

#include "kernel/scalar_math_families.h"
#include "kernel/scalar_math_tables.h"

namespace heddle::kernel {

namespace {

Lane clamp(LaneBuilder& l, Lane x, double low, double high) {
  Lane clamped = l.where(x > high, constant(l, x, high), x);
  return l.where(clamped < low, constant(l, x, low), clamped);
}

// What has the bits `unit`, a power of two, times 2^-k; nothing where there is no such number.
Lane two_to_minus(LaneBuilder& l, Lane unit, Lane shifted) {
  Lane bits = unit - (l.bits_of(shifted) << (is_single(shifted) ? 23 : 52));
  return l.float_of(
      l.intrinsic(llvm::Intrinsic::smax, {bits, l.integer(bits.value->getType(), 0)}));
}

Lane exp(LaneBuilder& l, Lane x) {
  const bool single = is_single(x);
  const double limit = single ? 126 : 1000;  // beyond, the result is infinity or zero anyway
  auto [r, shifted, k] = split_exponent(l, clamp(l, x, -limit, limit));
  Lane y = single ? l.polynomial(
                        r.hi, {1, 1, 0.50000000963010016, 0.16666517712104861, 0.041666202259427972,
                               0.0083690248107225126, 0.0013950726363288471})
                  : l.polynomial(
                        r.hi, {1, 1, 0.50000000000000133, 0.16666666666666699, 0.041666666666513114,
                               0.0083333333333067867, 0.0013888888947680208, 0.00019841269918288796,
                               2.4801489201332626e-05, 2.7557215488811501e-06,
                               2.7631561427504409e-07, 2.5118119705638312e-08});
  return scale(l, y, k, shifted);
}

Lane exp2(LaneBuilder& l, Lane x) {
  const bool single = is_single(x);
  const double limit = single ? 180 : 1100;
  Lane clamped = clamp(l, x, -limit, limit);
  const double shift = rounding_shift(x);
  Lane shifted = clamped + shift;
  Lane k = shifted - shift;
  Lane r = clamped - k;
  Lane y = single ? l.polynomial(r, {1, 0.693147182, 0.240226477, 0.055503346, 0.00961844064,
                                     0.00133982894, 0.000153518704})
                  : l.polynomial(
                        r, {1, 0.69314718055994529, 0.24022650695910128, 0.055504108664820175,
                            0.0096181291075953437, 0.0013333558146762607, 0.00015403530455754952,
                            1.5252733499593553e-05, 1.3215435891378248e-06, 1.0178198240237635e-07,
                            7.0736875528070166e-09, 4.4348302689053399e-10});
  return scale(l, y, k, shifted);
}

// exp(x) - 1 as 2^k (r + tail) + (2^k - 1), for x up to where 2^k overflows. `negative`: no x is
// positive.
Double2 expm1_in_parts(LaneBuilder& l, Lane x, bool negative) {
  auto [r, shifted, k] = split_exponent(l, x);
  Lane p = is_single(x) ? l.polynomial(r.hi, {0.5, 0.166666672, 0.0416663587, 0.00833327509,
                                              0.00139406708, 0.000199132031})
                        : l.polynomial(r.hi, {0.5, 0.16666666666666677, 0.041666666666666699,
                                              0.0083333333333218823, 0.0013888888888867481,
                                              0.00019841269885570993, 2.4801587359558497e-05,
                                              2.7557244706541527e-06, 2.7557243458853645e-07,
                                              2.5108880896770594e-08, 2.0924261607855249e-09});
  Lane tail = l.mad(r.hi * r.hi, p, l.mad(r.hi, r.lo, r.lo));
  Lane power = two_to(l, shifted);
  Lane minus_one = constant(l, x, -1);
  Double2 whole = negative ? fast_sum(minus_one, power) : fast_sum(power, minus_one);
  Lane sum = l.mad(power, r.hi, whole.hi);
  Lane lost = l.mad(power, r.hi, whole.hi - sum);
  return {sum, l.mad(power, tail, lost + whole.lo)};
}

// x = n ln(2) / 16 + r for float32, as split_exponent, with n no larger than `largest`.
struct FineSplit {
  Lane r, shifted;
};

FineSplit split_sixteenths(LaneBuilder& l, Lane x, double largest) {
  auto number = [&](double value) { return constant(l, x, value); };
  const double shift = rounding_shift(x);
  Lane shifted = l.mad(x, number(16 * M_LOG2E), number(shift));
  shifted = l.where(shifted > shift + largest, number(shift + largest), shifted);
  Lane n = shifted - shift;
  return {l.mad(n, number(1.190408937473605e-10), l.mad(n, number(-0.043321698904037476), x)),
          shifted};
}

// The bits of 2^k for n = 16 k + j with j from 0 to 15, less those of 1.
Lane exponent_of_sixteenths(LaneBuilder& l, Lane shifted) {
  return l(l.b.CreateLShr(l.bits_of(shifted), 4)) << 23;
}

// exp(x) - 1 as (p - 1) + p r + p tail with p = 2^(n / 16), looked up.
Lane expm1_by_table(LaneBuilder& l, Lane x) {
  auto number = [&](double value) { return constant(l, x, value); };
  auto [r, shifted] = split_sixteenths(l, l.where(x < -40.0, number(-40), x), 2047);
  Lane step = l.bits_of(shifted);
  Lane power = lookup_avx512(l, step, expm1_power);
  power = l.float_of(l.bits_of(power) + exponent_of_sixteenths(l, shifted));
  Lane whole = power - 1.0;
  Lane total = l.mad(power, r, whole);
  Lane lost = l.mad(power, r, whole - total);
  lost = l.where(power > 0x1p24, lost - 1.0, lost);  // `whole` is the power itself there
  Lane missing = lookup_avx512(l, step, expm1_rest);
  Lane s = r + missing;
  Lane tail = l.mad(s * s, l.polynomial(s, {0.5, 1.0 / 6, 1.0 / 24}), missing);
  Lane y = l.where(x > 88.7228394, number(HUGE_VAL), total + l.mad(power, tail, lost));
  return l.copysign(y, x);
}

Lane expm1(LaneBuilder& l, Lane x) {
  const bool single = is_single(x);
  if (single && l.has_avx512()) return expm1_by_table(l, x);
  auto [hi, lo] = expm1_in_parts(l, l.where(x < -40.0, constant(l, x, -40), x), false);
  Lane usual = l.copysign(hi + lo, x);
  return l.rarely(x > (single ? 88 : 709), usual, [&] { return exp(l, x); });
}

struct Hyperbolic {
  Lane sinh, cosh;
};

// Half the sums of 2^(k - 1) e^r and 2^(-k - 1) e^-r, for x that is not negative, as 2^k overflows
// before they do. Where k is 0, the first one is half of sinh(r) alone.
Hyperbolic hyperbolic(LaneBuilder& l, Lane x) {
  auto [r, shifted, k] = split_exponent(l, x);
  auto [sinh, cosh] = hyperbolic_tails(l, r);
  Lane quarter = l.bits_of(constant(l, x, 0.25));
  Lane up = l.float_of(quarter + (l.bits_of(shifted) << (is_single(x) ? 23 : 52)));
  Lane down = two_to_minus(l, quarter, shifted);
  Double2 sum = fast_sum(up, down);
  Double2 difference = fast_sum(up, -down);
  auto combine = [&](Double2 of_cosh, Lane of_sinh) {
    Lane total = l.mad(of_sinh, r.hi, of_cosh.hi);
    Lane lost = l.mad(of_sinh, r.hi, of_cosh.hi - total);
    // Of float32, whose digits are even in number, it is a quarter of a unit at most.
    if (!is_single(x)) lost = lost + of_cosh.lo;
    return total + l.mad(of_cosh.hi, cosh, l.mad(of_sinh, sinh, lost));
  };
  return {combine(difference, sum.hi), combine(sum, difference.hi)};
}

Lane sinh(LaneBuilder& l, Lane x) {
  const bool single = is_single(x);
  Lane size = l.abs(x);
  const double limit = single ? 89.5 : 710.5;
  Lane half = hyperbolic(l, l.where(size > limit, constant(l, x, limit), size)).sinh;
  return l.copysign(l.where(size < (single ? 0x1p-13 : 0x1p-27), size, half + half), x);
}

// Half of cosh of a float that is not negative: e^r in two parts and its inverse, which is at most
// as large and needs no parts.
Lane half_cosh_of_single(LaneBuilder& l, Lane x) {
  auto [r, shifted, k] = split_exponent(l, x);
  Lane p = l.polynomial(r.hi, {0.50000000963010016, 0.16666517712104861, 0.041666202259427972,
                               0.0083690248107225126, 0.0013950726363288471});
  Double2 power = fast_sum(constant(l, x, 1), r.hi);
  power.lo = power.lo + l.mad(r.hi * r.hi, p, r.lo);
  Lane inverse = inverse_estimate(l, power.hi + power.lo);
  Lane quarter = l.bits_of(constant(l, x, 0.25));
  Lane up = l.float_of(quarter + (l.bits_of(shifted) << 23));
  return l.mad(power.hi, up, l.mad(power.lo, up, inverse * two_to_minus(l, quarter, shifted)));
}

// p + (1/p + (p + 1/p) (cosh(r) - 1) + (p - 1/p) sinh(r)) with p = 2^(n / 16 - 1), looked up.
Lane cosh_by_table(LaneBuilder& l, Lane x) {
  Lane size = l.abs(x);
  auto [r, shifted] =
      split_sixteenths(l, l.where(size > 89.5, constant(l, x, 89.5), size), 16 * 129 - 1);
  Lane step = l.bits_of(shifted);
  Lane exponent = exponent_of_sixteenths(l, shifted);
  Lane one = l.integer(exponent.value->getType(), 1u << 23);
  auto look_up = [&](const std::array<float, 16>& table) { return lookup_avx512(l, step, table); };
  Lane up = l.float_of(l.bits_of(look_up(cosh_power)) + (exponent - one));
  Lane bits = l.bits_of(look_up(cosh_inverse)) - (exponent + one);
  bits = l.intrinsic(llvm::Intrinsic::smax, {bits, l.integer(bits.value->getType(), 0)});
  Lane down = l.float_of(bits);
  Lane z = r * r;
  Lane cosh = z * l.polynomial(z, {0.5, 1.0 / 24});
  Lane sinh = l.mad(r * z, constant(l, x, 1.0 / 6), r);
  Lane rest = l.mad(up + down, cosh, l.mad(up, look_up(cosh_rest), down));
  return up + l.mad(up - down, sinh, rest);
}

Lane cosh(LaneBuilder& l, Lane x) {
  if (is_single(x)) {
    if (l.has_avx512()) return cosh_by_table(l, x);
    Lane size = l.abs(x);
    Lane half = half_cosh_of_single(l, l.where(size > 89.5, constant(l, x, 89.5), size));
    return half + half;
  }
  Lane size = l.abs(x);
  Lane half = hyperbolic(l, l.where(size > 710.5, constant(l, x, 710.5), size)).cosh;
  return half + half;
}

// Near zero by a polynomial; elsewhere by 1 - 2 / (exp(2 |x|) + 1), where errors of the quotient
// are small beside 1.
Lane tanh_of_single(LaneBuilder& l, Lane x) {
  Lane size = l.abs(x);
  Lane z = x * x;
  Lane p = l.polynomial(
      z, {-0.33333295583724976, 0.13332344591617584, -0.05387980490922928, 0.021486658602952957,
          -0.007946108467876911, 0.002301365602761507, -0.00035845223465003073});
  Lane doubled = l.where(size > 20.0, constant(l, x, 40), size + size);
  Double2 divisor = fast_sum(exp(l, doubled), constant(l, x, 1));
  Lane inverted = inverse(l, divisor.hi);
  Lane quotient = inverted + inverted;
  Lane far = 1.0 - l.mad(-quotient * inverted, divisor.lo, quotient);
  // Inverses of grids have fewer bits.
  const double near = l.target.model == Model::grid ? 1 : 0.9;
  return l.copysign(l.where(size < near, l.mad(size * z, p, size), far), x);
}

// By a series around the nearest of some points.
Lane tanh_by_table(LaneBuilder& l, Lane x) {
  Lane size = l.abs(x);
  size = l.where(size > 9.5, constant(l, x, 9.5), size);  // beyond, it is 1
  Lane bounded = l.where(size > 0x1.cp-5, size, constant(l, x, 0x1.cp-5));
  Lane step = l(l.b.CreateLShr(l.bits_of(bounded), 21));
  auto look_up = [&](const std::array<float, 32>& table) { return lookup_avx512(l, step, table); };
  Lane d = size - look_up(tanh_point);
  Lane series = l.mad(d, look_up(tanh_fifth), look_up(tanh_fourth));
  series = l.mad(d, series, look_up(tanh_third));
  series = l.mad(d, series, look_up(tanh_second));
  Lane rest = l.mad(d, look_up(tanh_first), (d * d) * series);
  return l.copysign(look_up(tanh_value) + rest, x);
}

// By exp(-2 |x|) - 1.
Lane tanh(LaneBuilder& l, Lane x) {
  if (is_single(x)) return l.has_avx512() ? tanh_by_table(l, x) : tanh_of_single(l, x);
  Lane doubled = l.abs(x) * -2.0;
  doubled = l.where(doubled < -40.0, constant(l, x, -40), doubled);
  Double2 part = expm1_in_parts(l, doubled, true);
  part = fast_sum(part.hi, part.lo);
  Double2 divisor = fast_sum(constant(l, x, 2), part.hi);
  auto [hi, lo] = quotient_in_parts(l, part, {divisor.hi, divisor.lo + part.lo});
  return l.copysign(hi + lo, x);
}

}  // namespace

Split split_exponent(LaneBuilder& l, Lane x) {
  constexpr Parts ln_2{{0.6931471824645996, -1.9046542121259336e-09},
                       {0.6931471805599453, 2.3190468138462996e-17}};
  auto [hi, lo] = constant(l, x, ln_2);
  const double shift = rounding_shift(x);
  Lane shifted = l.mad(x, constant(l, x, M_LOG2E), constant(l, x, shift));
  Lane k = shifted - shift;
  Lane first = l.mad(-k, hi, x);  // exact
  Lane r = l.mad(-k, lo, first);
  return {{r, l.mad(-k, lo, first - r)}, shifted, k};
}

Tails hyperbolic_tails(LaneBuilder& l, Double2 r) {
  const bool single = is_single(r.hi);
  Lane z = r.hi * r.hi;
  Lane p =
      single ? l.polynomial(z, {0.166666672, 0.00833317544, 0.000199740927})
             : l.polynomial(z, {0.16666666666666677, 0.0083333333333213862, 0.00019841269886812559,
                                2.7557243460164275e-06, 2.5109315787179721e-08});
  Lane q = single ? l.polynomial(z, {0.5, 0.0416664593, 0.00139354228})
                  : l.polynomial(
                        z, {0.5, 0.041666666666666685, 0.0013888888888873283,
                            2.4801587349202225e-05, 2.755725181937995e-07, 2.0921770104527824e-09});
  return {l.mad(r.hi * z, p, r.lo), l.mad(z, q, r.hi * r.lo)};
}

Lane exponential(LaneBuilder& l, Op op, Lane x) {
  switch (op) {
    case Op::exp:
      return exp(l, x);
    case Op::exp2:
      return exp2(l, x);
    case Op::expm1:
      return expm1(l, x);
    case Op::sinh:
      return sinh(l, x);
    case Op::cosh:
      return cosh(l, x);
    case Op::tanh:
      return tanh(l, x);
    default:
      return {};
  }
}

}  // namespace heddle::kernel
