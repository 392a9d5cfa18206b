// logaddexp and logaddexp2 as inline vector code: the larger operand and log(1 + exp(-difference)),
// both in two parts. Where that sum nearly cancels, all is computed again to 100 bits.
#include <cmath>

#include "kernel/scalar_lowering.h"
#include "kernel/scalar_math_families.h"

namespace heddle::kernel {

namespace {

constexpr Parts log2_e{{1.4426950216293335, 1.925963033500011e-08},
                       {1.4426950408889634, 2.0355273740931033e-17}};
constexpr Parts ln_2{{0.6931471824645996, -1.9046542121259336e-09},
                     {0.6931471805599453, 2.3190468138462996e-17}};

// --- to 100 bits, in double precision ---

Double2 add(Double2 x, Double2 y) {
  Double2 sum = exact_sum(x.hi, y.hi);
  return fast_sum(sum.hi, sum.lo + (x.lo + y.lo));
}

// x = k ln(2) + r, and exp(r) - 1.
struct Precise {
  Double2 expm1;
  Lane k, shifted;
};

Precise precise_expm1(LaneBuilder& l, Double2 x) {
  // The inverses of 1!, 2!, ... in two parts, and of those from 13! on, which need but one.
  static constexpr struct {
    double hi, lo;
  } inverse_factorials[] = {
      {1, 0},
      {0.5, 0},
      {0.16666666666666666, 9.2518585385429707e-18},
      {0.041666666666666664, 2.3129646346357427e-18},
      {0.0083333333333333332, 1.1564823173178714e-19},
      {0.0013888888888888889, -5.3005439543735771e-20},
      {0.00019841269841269841, 1.7209558293420705e-22},
      {2.4801587301587302e-05, 2.1511947866775882e-23},
      {2.7557319223985893e-06, -1.8583932740464721e-22},
      {2.7557319223985888e-07, 2.3767714622250297e-23},
      {2.505210838544172e-08, -1.448814070935912e-24},
      {2.08767569878681e-09, -1.20734505911326e-25},
  };
  auto number = [&](double value) { return constant(l, x.hi, value); };
  const double shift = rounding_shift(x.hi);
  Lane shifted = l.mad(x.hi, number(M_LOG2E), number(shift));
  Lane k = shifted - shift;
  auto [first, second] = constant(l, x.hi, ln_2);
  Double2 product = exact_product(l, -k, second);
  Double2 r = exact_sum(l.mad(-k, first, x.hi), product.hi);
  r = fast_sum(r.hi, r.lo + (l.mad(-k, number(5.7077084384162121e-34), product.lo) + x.lo));
  Lane tail =
      l.polynomial(r.hi, {1.6059043836821613e-10, 1.1470745597729725e-11, 7.6471637318198164e-13,
                          4.7794773323873853e-14, 2.8114572543455206e-15, 1.5619206968586225e-16,
                          8.2206352466243295e-18, 4.1103176233121648e-19, 1.9572941063391263e-20,
                          8.8967913924505741e-22, 3.8681701706306835e-23});
  Double2 sum{tail, number(0)};
  for (std::size_t i = std::size(inverse_factorials); i-- > 0;) {
    auto [hi, lo] = inverse_factorials[i];
    Double2 scaled = multiply(l, sum, r);
    sum = fast_sum(number(hi), scaled.hi);
    sum.lo = sum.lo + (scaled.lo + lo);
  }
  return {multiply(l, sum, r), k, shifted};
}

// log(exp(x) + exp(y)), or that of powers of two, where it is small and x is the larger one.
Lane precisely(LaneBuilder& l, Lane x, Lane y, bool binary) {
  auto number = [&](double value) { return constant(l, x, value); };
  auto natural = [&](Lane of) -> Double2 {
    if (!binary) return {of, number(0)};
    Double2 product = exact_product(l, of, constant(l, of, ln_2).hi);
    product.lo = l.mad(of, constant(l, of, ln_2).lo, product.lo);
    return fast_sum(product.hi, product.lo);
  };
  auto scaled = [&](const Precise& p, Double2 value) -> Double2 {
    return {scale(l, value.hi, p.k, p.shifted), scale(l, value.lo, p.k, p.shifted)};
  };
  Double2 one{number(1), number(0)};
  // 2^k (expm1 + 1) - 1; here k is 0 or -1.
  Precise first = precise_expm1(l, natural(x));
  Double2 larger =
      add({scale(l, one.hi, first.k, first.shifted) - 1.0, number(0)}, scaled(first, first.expm1));
  Precise second = precise_expm1(l, natural(y));
  Double2 u = add(larger, scaled(second, add(one, second.expm1)));
  // log(1 + u) - u for u up to an eighth.
  Lane rest = u.hi * u.hi *
              l.polynomial(u.hi, {-1.0 / 2, 1.0 / 3, -1.0 / 4, 1.0 / 5, -1.0 / 6, 1.0 / 7, -1.0 / 8,
                                  1.0 / 9, -1.0 / 10, 1.0 / 11, -1.0 / 12, 1.0 / 13, -1.0 / 14,
                                  1.0 / 15, -1.0 / 16, 1.0 / 17, -1.0 / 18, 1.0 / 19});
  rest = rest + u.lo;
  if (!binary) return u.hi + rest;
  auto [hi, lo] = constant(l, x, log2_e);
  Double2 product = exact_product(l, u.hi, hi);
  return product.hi + l.mad(rest, hi, l.mad(u.hi, lo, product.lo));
}

// x is the larger one. Of float32 numbers double precision has bits enough but for the smallest.
Lane near_zero(LaneBuilder& l, Lane x, Lane y, bool binary) {
  if (!is_single(x)) return precisely(l, x, y, binary);
  x = l.convert(x, l.b.getDoubleTy());
  y = l.convert(y, l.b.getDoubleTy());
  const double factor = binary ? M_LN2 : 1;
  Lane sum = lower_math(l, Op::expm1, x * factor) + lower_math(l, Op::exp, y * factor);
  Lane log = lower_math(l, Op::log1p, sum) * (1 / factor);
  log = l.rarely(l.abs(sum) < 0x1p-26, log, [&] { return precisely(l, x, y, binary); });
  return l.convert(log, l.b.getFloatTy());
}

// exp(x) for x that is not positive, or 2^x, to some bits more than one part has.
Double2 exp_in_parts(LaneBuilder& l, Double2 x, bool binary) {
  auto number = [&](double value) { return constant(l, x.hi, value); };
  Double2 r;
  Lane shifted;
  if (binary) {
    const double shift = rounding_shift(x.hi);
    shifted = x.hi + shift;
    Lane fraction = x.hi - (shifted - shift);
    auto [hi, lo] = constant(l, x.hi, ln_2);
    r = exact_product(l, fraction, hi);
    r.lo = l.mad(fraction, lo, l.mad(x.lo, hi, r.lo));
  } else {
    Split split = split_exponent(l, x.hi);
    shifted = split.shifted;
    r = {split.r.hi, split.r.lo + x.lo};
  }
  auto [sinh, cosh] = hyperbolic_tails(l, r);
  Double2 sum = fast_sum(number(1), r.hi);
  sum = fast_sum(sum.hi, sum.lo + (sinh + cosh));
  Lane power = two_to(l, shifted);
  return {sum.hi * power, sum.lo * power};
}

}  // namespace

Lane logaddexp(LaneBuilder& l, Op op, Lane x, Lane y) {
  const bool binary = op == Op::logaddexp2;
  auto number = [&](double value) { return constant(l, x, value); };
  Lane is_first = x > y;
  Lane larger = l.where(is_first, x, y);
  Lane smaller = l.where(is_first, y, x);
  Double2 difference = exact_sum(smaller, -larger);
  // Further apart are numbers of which the smaller one counts only beside zero.
  const double limit = (is_single(x) ? -125 : -1021) * (binary ? 1 : M_LN2);
  Lane is_usual = difference.hi > limit;
  Double2 bounded = choose(l, is_usual, difference, {number(0), number(0)});
  Double2 power = exp_in_parts(l, bounded, binary);
  Double2 total = fast_sum(number(1), power.hi);
  total.lo = total.lo + power.lo;
  // Beside 1, what is small loses the bits of its second part; two terms of its series do not.
  Double2 small{power.hi, l.mad(power.hi * power.hi, number(-0.5), power.lo)};
  Lane is_large = power.hi > (is_single(x) ? 0x1p-13 : 0x1p-27);
  Double2 log = choose(l, is_large, log_in_parts(l, total), small);
  if (binary) {
    auto [hi, lo] = constant(l, x, log2_e);
    Double2 product = exact_product(l, log.hi, hi);
    log = {product.hi, l.mad(log.lo, hi, l.mad(log.hi, lo, product.lo))};
  }
  Double2 sum = exact_sum(larger, log.hi);
  Lane usual = sum.hi + (sum.lo + log.lo);
  // The logarithm is positive.
  Lane cancels = is_usual & (larger < 0.0) & (l.abs(usual) < 0.125);
  usual = l.rarely(cancels, usual, [&] { return near_zero(l, larger, smaller, binary); });
  return l.rarely(!is_usual, usual, [&] {
    // Also of infinities, which may be equal, and of nan.
    Lane ratio;
    if (binary) {  // where a product would round twice: what is below the normal numbers has few
                   // bits
      ratio = lower_math(l, Op::exp2, difference.hi + 64.0) * M_LOG2E * 0x1p-64;
    } else {
      ratio = lower_math(l, Op::exp, difference.hi);
    }
    Lane apart = larger + l.where(difference.hi <= limit, ratio, number(0));
    return l.where(l.is_nan(x) | l.is_nan(y), x + y, apart);
  });
}

}  // namespace heddle::kernel
