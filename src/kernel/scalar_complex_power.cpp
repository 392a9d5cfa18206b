// Powers of complex numbers: by multiplication, or exp(w log z). The error of the logarithm is
// multiplied by the exponent: where the machine has fused multiply-add, it has two parts, some bits
// more than a double.
#include <limits>

#include "kernel/scalar_complex.h"
#include "kernel/scalar_math_parts.h"

namespace heddle::kernel {

namespace {

Double2 negative(Double2 x) { return {-x.hi, -x.lo}; }

// Requires |x| >= |y| or x == 0.
Double2 add(Double2 x, Double2 y) {
  Double2 sum = fast_sum(x.hi, y.hi);
  return fast_sum(sum.hi, sum.lo + (x.lo + y.lo));
}

// x1 y1 + x2 y2.
Double2 dot(LaneBuilder& l, Lane x1, Double2 y1, Lane x2, Double2 y2) {
  Double2 first = exact_product(l, x1, y1.hi);
  Double2 second = exact_product(l, x2, y2.hi);
  Double2 sum = exact_sum(first.hi, second.hi);
  Lane lo = sum.lo + (first.lo + second.lo);
  return {sum.hi, l.mad(x1, y1.lo, l.mad(x2, y2.lo, lo))};
}

// atan(smaller / larger) for numbers that are not negative: less the angle of slope 0, 1/2 or 1,
// which leaves slopes of at most 1/4.
Double2 first_octant(LaneBuilder& l, Lane smaller, Lane larger) {
  auto number = [&](double value) { return constant(l, larger, value); };
  Lane slope = smaller / larger;
  Lane is_low = slope < 0.25;
  Lane is_high = slope > 0.75;
  Lane nearest = l.where(is_low, number(0), l.where(is_high, number(1), number(0.5)));
  Double2 base = choose(l, is_high, {number(0.7853981633974483), number(3.061616997868383e-17)},
                        {number(0.4636476090008061), number(2.2698777452961687e-17)});
  base = choose(l, is_low, {number(0), number(0)}, base);
  Lane dividend = l.mad(-nearest, larger, smaller);  // exact
  Double2 divisor = fast_sum(larger, nearest * smaller);
  Lane r = dividend / divisor.hi;
  Lane r_lo = l.mad(-r, divisor.lo, l.mad(-r, divisor.hi, dividend)) / divisor.hi;
  Lane square = r * r;
  // (atan(r) / r - 1) / r^2
  Lane p = l.polynomial(
      square, {-0.3333333333333333, 0.19999999999999982, -0.1428571428570441, 0.11111111109089149,
               -0.09090908880379267, 0.07692295073990241, -0.06666204701806851,
               0.058718250327312004, -0.05116516488667801, 0.03599159387059985});
  return add(base, {r, l.mad(r * square, p, r_lo)});
}

// arctan2(y, x) for finite operands that are not both zero.
Double2 precise_angle(LaneBuilder& l, Lane y, Lane x) {
  auto number = [&](double value) { return constant(l, x, value); };
  Lane width = l.abs(x);
  Lane height = l.abs(y);
  Lane is_steep = height > width;
  Double2 angle =
      first_octant(l, l.where(is_steep, width, height), l.where(is_steep, height, width));
  Double2 quarter{number(1.5707963267948966), number(6.123233995736766e-17)};
  Double2 half{number(3.141592653589793), number(1.2246467991473532e-16)};
  angle = choose(l, is_steep, add(quarter, negative(angle)), angle);
  angle = choose(l, l.bits_of(x) < 0.0, add(half, negative(angle)), angle);
  return choose(l, l.bits_of(y) < 0.0, negative(angle), angle);
}

// log|z|, infinite where z is.
Double2 precise_log_modulus(LaneBuilder& l, Complex z, Lane scale) {
  Lane x = z.re * scale;
  Lane y = z.im * scale;
  Double2 x_square = exact_product(l, x, x);
  Double2 y_square = exact_product(l, y, y);
  Double2 square = exact_sum(x_square.hi, y_square.hi);
  square.lo = square.lo + (x_square.lo + y_square.lo);
  Double2 log = precise_log(l, square.hi);
  log = {log.hi * 0.5, (log.lo + square.lo / square.hi) * 0.5};
  Lane zero = constant(l, x, 0);
  Double2 scale_log{constant(l, x, 415.88830833596717), constant(l, x, 1.8355172981578424e-14)};
  log = choose(l, scale < 1.0, add(scale_log, log), log);
  log = choose(l, scale > 1.0, add(negative(scale_log), log), log);
  Lane infinite = (l.abs(z.re) == HUGE_VAL) | (l.abs(z.im) == HUGE_VAL);
  return choose(l, infinite, {constant(l, x, HUGE_VAL), zero}, log);
}

// The direction of an infinite number.
Complex without_infinities(LaneBuilder& l, Complex z) {
  Lane re_infinite = l.abs(z.re) == HUGE_VAL;
  Lane im_infinite = l.abs(z.im) == HUGE_VAL;
  Lane zero = constant(l, z.re, 0);
  Lane one = constant(l, z.re, 1);
  auto part = [&](Lane x, Lane is_infinite, Lane other_infinite) {
    Lane finite = l.where(other_infinite & !l.is_nan(x), l.copysign(zero, x), x);
    return l.where(is_infinite, l.copysign(one, x), finite);
  };
  return {part(z.re, re_infinite, im_infinite), part(z.im, im_infinite, re_infinite)};
}

}  // namespace

// By squaring, for whole exponents below 2^31 in modulus. A product with 1 makes nans of
// infinities; NumPy begins with one, except for the exponents 1, 2 and 3.
Complex ComplexMath::whole_power(Complex z, Lane exponent) {
  llvm::Type* int_type = l.widen(l.b.getInt32Ty());
  Lane zero = l.integer(int_type, 0);
  Lane one = l.integer(int_type, 1);
  Lane bits = l(l.b.CreateFPToSI(l.abs(exponent), int_type));
  Lane has_begun = !((exponent >= 1.0) & (exponent <= 3.0));
  LaneList done = l.repeat_while(
      {bits, has_begun, constant(1), constant(0), z.re, z.im},
      [&](const LaneList& s) { return s[0] != zero; },
      [&](const LaneList& s) {
        Complex product{s[2], s[3]};
        Complex factor{s[4], s[5]};
        Lane is_set = (s[0] & one) != zero;
        Complex next = where(l, s[1], multiply(product, factor), factor);
        product = where(l, is_set, next, product);
        factor = multiply(factor, factor);
        return LaneList{l(l.b.CreateLShr(s[0], 1)),
                        s[1] | is_set,
                        product.re,
                        product.im,
                        factor.re,
                        factor.im};
      });
  LaneList power = l.rarely(exponent < 0.0, {done[2], done[3]}, [&] {
    Complex inverse = reciprocal(l, {done[2], done[3]});
    return LaneList{inverse.re, inverse.im};
  });
  return {power[0], power[1]};
}

Complex ComplexMath::general_power(Complex z, Complex exponent) {
  if (narrow_ || !l.has_fma()) return exp(multiply(exponent, log(z)));
  Lane scale = rescaling(z);
  Double2 modulus = precise_log_modulus(l, z, scale);
  Complex direction = without_infinities(l, {z.re * scale, z.im * scale});
  Double2 angle = precise_angle(l, direction.im, direction.re);
  Double2 re = dot(l, exponent.re, modulus, -exponent.im, angle);
  Double2 im = dot(l, exponent.re, angle, exponent.im, modulus);
  Complex power = exp({re.hi, im.hi});
  // exp of the lower parts, less 1. They are nan where the upper ones overflowed.
  auto small = [&](Lane x) { return l.where(l.abs(x) < 1.0, x, constant(0)); };
  Complex change = multiply(power, {small(re.lo), small(im.lo)});
  return where(l, is_infinite(power), power, {power.re + change.re, power.im + change.im});
}

// NumPy's: small whole exponents by repeated multiplication, exact where the product is.
Complex ComplexMath::power(Complex z, Complex exponent) {
  Lane is_whole =
      (exponent.im == 0.0) & (l.abs(exponent.re) < 100.0) & (l.trunc(exponent.re) == exponent.re);
  Complex whole = whole_power(z, l.where(is_whole, exponent.re, constant(0)));
  LaneList result = l.rarely(!is_whole, {whole.re, whole.im}, [&] {
    Complex power = general_power(z, exponent);
    return LaneList{power.re, power.im};
  });
  Lane nan = constant(std::numeric_limits<double>::quiet_NaN());
  Lane of_zero = l.where(exponent.re > 0.0, constant(0), nan);
  Lane is_zero = (z.re == 0.0) & (z.im == 0.0) & ((exponent.re != 0.0) | (exponent.im != 0.0));
  return where(l, is_zero, {of_zero, of_zero}, {result[0], result[1]});
}

}  // namespace heddle::kernel
