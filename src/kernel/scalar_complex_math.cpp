// Roots, exponentials, logarithms and hyperbolic functions of complex numbers, made of real ones.
// complex64 is computed in double precision. Sines and tangents are hyperbolic ones with the
// axes exchanged: sin(x + iy) is b + ia where sinh(y + ix) is a + ib.
#include <cmath>
#include <limits>

#include "kernel/scalar_complex.h"
#include "kernel/scalar_lowering.h"

namespace heddle::kernel {

namespace {

constexpr double ln_2 = 0.69314718055994530942;

Complex swapped(Complex z) { return {z.im, z.re}; }
Complex scaled(Complex z, double by) { return {z.re * by, z.im * by}; }

}  // namespace

Lane ComplexMath::real(Op op, Lane x) {
  const Lane args[] = {x};
  return lower_math(l, op, args);
}

Lane ComplexMath::arctan2(Lane y, Lane x) {
  const Lane args[] = {y, x};
  return lower_math(l, Op::arctan2, args);
}

// --- scaling ---

Lane ComplexMath::shrinking(Complex z) {
  if (narrow_) return constant(1);
  Lane is_large = (l.abs(z.re) > 0x1p500) | (l.abs(z.im) > 0x1p500);
  return l.where(is_large, constant(0x1p-600), constant(1));
}

Lane ComplexMath::rescaling(Complex z) {
  if (narrow_) return constant(1);
  Lane is_small = (l.abs(z.re) < 0x1p-500) & (l.abs(z.im) < 0x1p-500);
  return l.where(is_small, constant(0x1p600), shrinking(z));
}

Lane ComplexMath::log_of_scale(Lane scale) {
  Lane shrunk = l.where(scale < 1.0, constant(600 * ln_2), constant(0));
  return l.where(scale > 1.0, constant(-600 * ln_2), shrunk);
}

// --- square root ---

// The larger part is sqrt((|x| + |z|) / 2), the other one follows from 2 re im = y.
Complex ComplexMath::sqrt(Complex z) {
  Lane scale = rescaling(z);
  Lane x = l.abs(z.re) * scale;
  Lane y = l.abs(z.im) * scale;
  Lane larger = l.sqrt((x + l.sqrt(l.mad(x, x, y * y))) * 0.5);
  if (!narrow_) {
    Lane back = l.where(scale < 1.0, constant(0x1p300), constant(1));
    larger = larger * l.where(scale > 1.0, constant(0x1p-300), back);
  }
  Lane infinity = constant(HUGE_VAL);
  Lane infinite_im = y == HUGE_VAL;
  larger = l.where((x == HUGE_VAL) | infinite_im, infinity, larger);
  Lane other = l.where(larger == 0.0, y, l.abs(z.im) / (larger + larger));
  other = l.where(infinite_im, infinity, other);
  Lane is_negative = z.re < 0.0;
  return {l.where(is_negative, other, larger),
          l.copysign(l.where(is_negative, larger, other), z.im)};
}

// --- exponentials ---

namespace {

// exp(x) overflows where its product with a small sine does not: the exponent gives some of itself
// away, once or twice, and the product is multiplied by `growth` as often. No product with a sine
// is finite where that is not enough.
constexpr double large_exponent = 700;
constexpr double given_away = 600;
constexpr double largest_exponent = large_exponent + given_away;
constexpr double growth = 3.7730203009299397e260;  // exp(given_away)

}  // namespace

Complex ComplexMath::grow(Complex product, Lane exponent) {
  if (narrow_) return product;
  for (const double limit : {large_exponent, largest_exponent}) {
    Lane factor = l.where(exponent > limit, constant(growth), constant(1));
    product = {product.re * factor, product.im * factor};
  }
  return product;
}

Lane ComplexMath::reduced_exponent(Lane x) {
  if (narrow_) return x;
  Lane once = l.where(x > large_exponent, x - given_away, x);
  return l.where(x > largest_exponent, x - 2 * given_away, once);
}

Complex ComplexMath::exp(Complex z) {
  auto [x, y] = z;
  Lane radius = real(Op::exp, reduced_exponent(x));
  Lane sine = real(Op::sin, y);
  Lane cosine = real(Op::cos, y);
  // At infinity a direction is not needed to know that the radius is zero or infinite.
  Lane undefined = is_undefined(y);
  cosine = l.where(undefined & is_infinite(x), constant(1), cosine);
  sine = l.where(undefined & (x == -HUGE_VAL), l.copysign(constant(0), y), sine);
  Complex result = grow({radius * cosine, radius * sine}, x);
  return {result.re, l.where(y == 0.0, y, result.im)};
}

// With the sine and cosine of half the angle, 1 - cos(y) does not cancel.
Complex ComplexMath::expm1(Complex z) {
  Lane half = z.im * 0.5;
  Lane sine = real(Op::sin, half);
  Lane cosine = real(Op::cos, half);
  Lane double_square = sine * sine * 2.0;
  Lane re = l.mad(real(Op::expm1, z.re), 1.0 - double_square, -double_square);
  Lane im = real(Op::exp, z.re) * (sine * cosine * 2.0);
  return {re, im};
}

// --- logarithms ---

Lane ComplexMath::log_sum(Lane one, Lane x) {
  Lane sum = one + x;
  return real(Op::log, sum) + (x - (sum - one)) / sum;
}

// x * x - square, where `square` is that product, rounded.
Lane ComplexMath::square_error(Lane x, Lane square) {
  if (l.has_fma()) return l.mad(x, x, -square);
  // Veltkamp's splitting into halves whose products are exact.
  Lane shifted = x * 0x1.0000002p27;
  Lane hi = shifted - (shifted - x);
  Lane lo = x - hi;
  return ((hi * hi - square) + hi * lo * 2.0) + lo * lo;
}

Lane ComplexMath::log_modulus(Complex z, Lane excess) {
  Lane scale = rescaling(z);
  Lane x = l.abs(z.re) * scale;
  Lane y = l.abs(z.im) * scale;
  Lane x_square = x * x;
  Lane y_square = y * y;
  Lane square = x_square + y_square;
  if (excess.value == nullptr) {
    Lane larger = l.where(x > y, x_square, y_square);
    Lane smaller = l.where(x > y, y_square, x_square);
    if (narrow_) {
      excess = (larger - 1.0) + smaller;
    } else {
      Lane error = (larger - square) + smaller;
      error = error + (square_error(x, x_square) + square_error(y, y_square));
      excess = (square - 1.0) + error;
    }
  }
  // Near 1 as in log_sum.
  Lane is_near = (square > 0.5) & (square < 2.0) & (scale == 1.0);
  Lane sum = l.where(is_near, excess + 1.0, square);
  Lane rounded_away = (excess - (sum - 1.0)) / sum;
  Lane log = real(Op::log, sum) + l.where(is_near, rounded_away, constant(0));
  log = log * 0.5;
  if (!narrow_) log = log + log_of_scale(scale);
  return l.where(is_infinite(z), constant(HUGE_VAL), log);
}

Complex ComplexMath::log(Complex z) { return {log_modulus(z), arctan2(z.im, z.re)}; }

Complex ComplexMath::log1p(Complex z) {
  Complex sum{z.re + 1.0, z.im};
  Lane excess = l.mad(z.re, z.re + 2.0, z.im * z.im);
  return {log_modulus(sum, excess), arctan2(sum.im, sum.re)};
}

// --- hyperbolic functions ---

// Of a number that is not negative.
ComplexMath::Hyperbolic ComplexMath::hyperbolic(Lane x) {
  Lane exp = real(Op::exp, x);
  Lane half = exp * 0.5;
  Lane inverse = 0.5 / exp;
  Lane square = x * x;
  // The series of (sinh(x) - x) / x^3 up to 1.
  Lane tail = l.polynomial(square, {1.0 / 6, 1.0 / 120, 1.0 / 5040, 1.0 / 362880, 1.0 / 39916800,
                                    1.0 / 6227020800, 1.0 / 1307674368000, 1.0 / 355687428096000});
  Lane small = l.mad(x * square, tail, x);
  return {l.where(x < 1.0, small, half - inverse), half + inverse, exp};
}

Complex ComplexMath::sinh(Complex z) {
  auto [x, y] = z;
  Lane size = l.abs(x);
  auto [sinh, cosh, exp] = hyperbolic(reduced_exponent(size));
  sinh = l.copysign(sinh, x);
  Lane undefined = is_undefined(y);
  // The sign of such infinities is not specified; NumPy's are positive.
  Lane cosine = l.where(undefined & is_infinite(x), l.copysign(constant(1), x), real(Op::cos, y));
  Complex result = grow({sinh * cosine, cosh * real(Op::sin, y)}, size);
  return {l.where(undefined & (x == 0.0), x, result.re), l.where(y == 0.0, y, result.im)};
}

Complex ComplexMath::cosh(Complex z) {
  auto [x, y] = z;
  Lane size = l.abs(x);
  auto [sinh, cosh, exp] = hyperbolic(reduced_exponent(size));
  sinh = l.copysign(sinh, x);
  Lane undefined = is_undefined(y);
  Lane cosine = l.where(undefined & is_infinite(x), constant(1), real(Op::cos, y));
  Complex result = grow({cosh * cosine, sinh * real(Op::sin, y)}, size);
  Lane may_overflow = !(size <= 1.0);
  Lane im = l.where((y == 0.0) & may_overflow, l.where(x < 0.0, -y, y), result.im);
  return {result.re, l.where(undefined & (x == 0.0), constant(0), im)};
}

// (sinh(x) cosh(x) + i sin(y) cos(y)) / (sinh(x)^2 + cos(y)^2)
Complex ComplexMath::tanh(Complex z) {
  auto [x, y] = z;
  Lane size = l.abs(x);
  auto [sinh, cosh, exp] = hyperbolic(size);
  Lane cosine = real(Op::cos, y);
  Lane product = real(Op::sin, y) * cosine;
  Lane divisor = l.mad(sinh, sinh, cosine * cosine);
  Lane undefined = is_undefined(y);
  // The real part is 1 within rounding, or by definition.
  Lane is_far = (size > 20.0) & (is_infinite(x) | !undefined);
  Lane re = l.copysign(l.where(is_far, constant(1), sinh * cosh / divisor), x);
  Lane im = l.where(is_far, product * 4.0 / exp / exp, product / divisor);
  im = l.where(undefined & is_infinite(x), l.copysign(constant(0), y), im);
  return {l.where(undefined & (x == 0.0), x, re), l.where(y == 0.0, y, im)};
}

namespace {

Complex by_formula(ComplexMath& math, Op op, std::span<const Complex> args) {
  Complex z = args[0];
  switch (op) {
    case Op::sqrt:
      return math.sqrt(z);
    case Op::exp:
      return math.exp(z);
    case Op::exp2:
      return math.exp(scaled(z, ln_2));
    case Op::expm1:
      return math.expm1(z);
    case Op::log:
      return math.log(z);
    case Op::log2:
      return scaled(math.log(z), 1.44269504088896340736);
    case Op::log10:
      return scaled(math.log(z), 0.43429448190325182765);
    case Op::log1p:
      return math.log1p(z);
    case Op::power:
    case Op::float_power:
      return math.power(z, args[1]);
    case Op::sinh:
      return math.sinh(z);
    case Op::cosh:
      return math.cosh(z);
    case Op::tanh:
      return math.tanh(z);
    case Op::sin:
      return swapped(math.sinh(swapped(z)));
    case Op::cos:
      return math.cosh({-z.im, z.re});
    case Op::tan:
      return swapped(math.tanh(swapped(z)));
    case Op::arcsin:
      return math.arcsin(z);
    case Op::arccos:
      return math.arccos(z);
    case Op::arctan:
      return swapped(math.arctanh(swapped(z)));
    case Op::arcsinh:
      return swapped(math.arcsin(swapped(z)));
    case Op::arccosh:
      return math.arccosh(z);
    case Op::arctanh:
      return math.arctanh(z);
    default:
      no_lowering(op, "complex numbers");
  }
}

}  // namespace

Complex complex_math(LaneBuilder& l, Op op, std::span<const Complex> args) {
  const bool narrow = args[0].re.value->getType()->getScalarType()->isFloatTy();
  ComplexMath math(l, narrow);
  if (!narrow) return by_formula(math, op, args);
  auto convert = [&l](Complex z, llvm::Type* type) {
    return Complex{l.convert(z.re, type), l.convert(z.im, type)};
  };
  Complex wide[2];
  for (std::size_t i = 0; i < args.size(); ++i) wide[i] = convert(args[i], l.b.getDoubleTy());
  return convert(by_formula(math, op, std::span(wide, args.size())), l.b.getFloatTy());
}

}  // namespace heddle::kernel
