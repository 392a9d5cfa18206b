// complex64 and complex128. Arithmetic is NumPy's formula by formula, without C99's recovery of
// infinities from nans; transcendental functions are C99's.
#include "kernel/scalar_complex.h"

#include <cmath>
#include <limits>

#include "kernel/lane_builder.h"
#include "kernel/scalar_lowering.h"

namespace heddle::kernel {

Complex where(LaneBuilder& l, Lane condition, Complex yes, Complex no) {
  return {l.where(condition, yes.re, no.re), l.where(condition, yes.im, no.im)};
}

Complex multiply(Complex x, Complex y) {
  return {x.re * y.re - x.im * y.im, x.re * y.im + x.im * y.re};
}

Complex reciprocal(LaneBuilder& l, Complex x) {
  Lane real_larger = l.abs(x.im) <= l.abs(x.re);
  Lane large = l.where(real_larger, x.re, x.im);
  Lane small = l.where(real_larger, x.im, x.re);
  Lane ratio = small / large;
  Lane scale = large + small * ratio;
  Lane one = l.number(x.re.value->getType(), 1);
  return where(l, real_larger, {one / scale, -ratio / scale}, {ratio / scale, -one / scale});
}

namespace {

// Where both squares overflow, their difference is infinite, as NumPy's is.
Complex square(LaneBuilder& l, Complex x) {
  Lane product = x.re * x.im;
  return {l.mad(x.re, x.re, -(x.im * x.im)), product + product};
}

// Smith's algorithm: divide by the larger component of the divisor first.
Complex divide(LaneBuilder& l, Complex x, Complex y) {
  Lane re = l.abs(y.re);
  Lane im = l.abs(y.im);
  Lane real_larger = re >= im;
  Lane large = l.where(real_larger, y.re, y.im);
  Lane small = l.where(real_larger, y.im, y.re);
  Lane ratio = small / large;
  Lane scale = 1.0 / (large + small * ratio);
  Complex by_real{(x.re + x.im * ratio) * scale, (x.im - x.re * ratio) * scale};
  Complex by_imag{(x.re * ratio + x.im) * scale, (x.im * ratio - x.re) * scale};
  Complex by_zero{x.re / re, x.im / re};
  Lane is_zero = (re == 0.0) & (im == 0.0);
  return where(l, is_zero, by_zero, where(l, real_larger, by_real, by_imag));
}

Lane absolute(LaneBuilder& l, Complex x) {
  const Lane parts[] = {x.re, x.im};
  return lower_math(l, Op::hypot, parts);
}

// x / |x|; an infinite component alone gives the direction, two of them give none.
Complex sign(LaneBuilder& l, Complex x) {
  llvm::Type* type = x.re.value->getType();
  Lane zero = l.number(type, 0);
  Lane one = l.number(type, 1);
  Lane nan = l.number(type, std::numeric_limits<double>::quiet_NaN());
  Lane length = absolute(l, x);
  Lane re_infinite = l.abs(x.re) == HUGE_VAL;
  Lane im_infinite = l.abs(x.im) == HUGE_VAL;
  Complex towards_real{l.copysign(one, x.re), zero};
  Complex towards_imag{zero, l.copysign(one, x.im)};
  Complex infinite =
      where(l, re_infinite, where(l, im_infinite, {nan, nan}, towards_real), towards_imag);
  Complex result = where(l, re_infinite | im_infinite, infinite, {x.re / length, x.im / length});
  result = where(l, length == 0.0, {zero, zero}, result);
  return where(l, l.is_nan(length), {nan, nan}, result);
}

Lane has_nan(LaneBuilder& l, Complex x) { return l(l.b.CreateFCmpUNO(x.re, x.im)); }

// Lexicographic. The real parts decide only when no imaginary part is nan.
Lane compare_order(LaneBuilder& l, Op op, Complex x, Complex y) {
  const bool greater = op == Op::greater || op == Op::greater_equal;
  Lane decided = compare(l, greater ? Op::greater : Op::less, true, x.re, y.re) &
                 l(l.b.CreateFCmpORD(x.im, y.im));
  return decided | ((x.re == y.re) & compare(l, op, true, x.im, y.im));
}

Complex choose(LaneBuilder& l, Op op, Complex x, Complex y) {
  const bool larger = op == Op::maximum || op == Op::fmax;
  const bool nan_wins = op == Op::maximum || op == Op::minimum;
  Lane first = compare_order(l, larger ? Op::greater_equal : Op::less_equal, x, y);
  return where(l, first | has_nan(l, nan_wins ? x : y), x, y);
}

}  // namespace

Value lower_complex(LaneBuilder& l, Op op, std::span<const Value> args) {
  Complex operands[2];
  for (std::size_t i = 0; i < args.size(); ++i) operands[i] = {l(args[i].re), l(args[i].im)};
  const auto& [x, y] = operands;
  switch (op) {
    case Op::add:
      return Complex{x.re + y.re, x.im + y.im};
    case Op::subtract:
      return Complex{x.re - y.re, x.im - y.im};
    case Op::multiply:
      return multiply(x, y);
    case Op::square:
      return square(l, x);
    case Op::divide:
      return divide(l, x, y);
    case Op::reciprocal:
      return reciprocal(l, x);
    case Op::negative:
      return Complex{-x.re, -x.im};
    case Op::absolute:
      return {absolute(l, x)};
    case Op::sign:
      return sign(l, x);
    case Op::rint:
      return Complex{l.rint(x.re), l.rint(x.im)};
    case Op::greater:
    case Op::greater_equal:
    case Op::less:
    case Op::less_equal:
      return {compare_order(l, op, x, y)};
    case Op::equal:
      return {(x.re == y.re) & (x.im == y.im)};
    case Op::not_equal:
      return {(x.re != y.re) | (x.im != y.im)};
    case Op::maximum:
    case Op::minimum:
    case Op::fmax:
    case Op::fmin:
      return choose(l, op, x, y);
    case Op::isfinite:
      return {(l.abs(x.re) < HUGE_VAL) & (l.abs(x.im) < HUGE_VAL)};
    case Op::isinf:
      return {(l.abs(x.re) == HUGE_VAL) | (l.abs(x.im) == HUGE_VAL)};
    case Op::isnan:
      return {has_nan(l, x)};
    default:
      return complex_math(l, op, std::span<const Complex>(operands, args.size()));
  }
}

}  // namespace heddle::kernel
