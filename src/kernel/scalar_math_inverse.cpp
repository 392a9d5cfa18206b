// Inverse trigonometric functions as inline vector code. Angles have two parts up to the last sum.
#include <cmath>

#include "kernel/scalar_math_families.h"
#include "kernel/scalar_math_tables.h"

namespace heddle::kernel {

namespace {

// arcsin(s) for s up to 1/2, and for larger |x| with s = sin of half the angle to a quarter turn.
struct Arc {
  Lane is_large;
  Double2 angle;
};

Arc small_arc(LaneBuilder& l, Lane x) {
  Lane size = l.abs(x);
  Lane is_large = size > 0.5;
  Lane z = l.where(is_large, l.mad(size, constant(l, x, -0.5), constant(l, x, 0.5)), x * x);
  Lane zero = constant(l, x, 0);
  Double2 s = choose(l, is_large, root_in_parts(l, {z, zero}), {size, zero});
  Lane p =
      is_single(x)
          ? l.polynomial(z, {0.166667536, 0.0749524832, 0.045476757, 0.024147667, 0.0422205776})
          : l.polynomial(z, {0.16666666666665378, 0.075000000003444742, 0.044642856822166309,
                             0.030381959389542586, 0.022371752051337419, 0.017359794270216059,
                             0.013884360651002532, 0.012174899863714884, 0.0065035850071758616,
                             0.01959452034090596, -0.016327572261426736, 0.031982722407497874});
  return {is_large, {s.hi, l.mad(s.hi * z, p, s.lo)}};
}

Lane arcsin(LaneBuilder& l, Lane x) {
  auto [is_large, angle] = small_arc(l, x);
  auto [hi, lo] = constant(l, x, quarter_turn);
  Double2 sum = fast_sum(hi, angle.hi * -2.0);
  Lane large = sum.hi + (sum.lo + l.mad(angle.lo, constant(l, x, -2), lo));
  return l.copysign(l.where(is_large, large, angle.hi + angle.lo), x);
}

// A quarter turn less arcsin(x), twice the small arc, or half a turn less that.
Lane arccos(LaneBuilder& l, Lane x) {
  auto [is_large, angle] = small_arc(l, x);
  Double2 quarter = constant(l, x, quarter_turn);
  Lane zero = constant(l, x, 0);
  Double2 half{l.where(x < 0.0, quarter.hi + quarter.hi, zero),
               l.where(x < 0.0, quarter.lo + quarter.lo, zero)};
  Double2 start = choose(l, is_large, half, quarter);
  Lane sign = l.copysign(constant(l, x, 1), x);
  Lane factor = l.where(is_large, sign + sign, -sign);
  Double2 sum = fast_sum(start.hi, angle.hi * factor);
  return sum.hi + (sum.lo + l.mad(angle.lo, factor, start.lo));
}

// The angle of the point (x, y), neither of which is negative, nor are both zero or large: less
// that of slope 0, 1 or infinity, which leaves slopes up to tan(pi/8). For points to the left of
// the vertical axis, `mirror` has the sign bit.
Double2 angle_of(LaneBuilder& l, Lane y, Lane x, Lane mirror) {
  auto number = [&](double value) { return constant(l, x, value); };
  const bool single = is_single(x);
  Lane zero = number(0);
  Lane is_middle = y > x * 0.41421356237309503;
  Lane is_steep = y > x * 2.4142135623730951;
  Double2 difference = fast_sum(-x, y);
  Double2 sum = fast_sum(x, y);
  Double2 dividend = choose(l, is_middle, difference, {y, zero});
  Double2 divisor = choose(l, is_middle, sum, {x, zero});
  dividend = choose(l, is_steep, {-x, zero}, dividend);
  divisor = choose(l, is_steep, {y, zero}, divisor);
  Double2 t = quotient_in_parts(l, dividend, divisor);
  Lane z = t.hi * t.hi;
  Lane p =
      single ? l.polynomial(z, {-0.333333164, 0.19998531, -0.142444715, 0.105998382, -0.0609181188})
             : l.polynomial(z, {-0.33333333333333198, 0.1999999999995381, -0.14285714280219561,
                                0.11111110784633761, -0.090908977918518569, 0.076920608236736798,
                                -0.066631109488009294, 0.058479391619905875, -0.050395272985958681,
                                0.03807015864174073, -0.017913274488681265});
  t.lo = l.mad(t.hi * z, p, t.lo);
  Double2 quarter = constant(l, x, quarter_turn);
  Double2 low{zero, zero};
  Double2 middle{quarter.hi * 0.5, quarter.lo * 0.5};
  if (mirror.value) {
    constexpr Parts three_eighths{{2.356194496154785, -5.962440227403018e-09},
                                  {2.356194490192345, 9.184850993605148e-17}};
    Lane is_left = l.bits_of(mirror) < 0.0;
    low = choose(l, is_left, {quarter.hi + quarter.hi, quarter.lo + quarter.lo}, low);
    middle = choose(l, is_left, constant(l, x, three_eighths), middle);
    Lane sign = l.bits_of(mirror) & l.bits_of(number(-0.0));
    t = {l.float_of(l.bits_of(t.hi) ^ sign), l.float_of(l.bits_of(t.lo) ^ sign)};
  }
  Double2 base = choose(l, is_steep, quarter, choose(l, is_middle, middle, low));
  Double2 total = fast_sum(base.hi, t.hi);
  return {total.hi, total.lo + (base.lo + t.lo)};
}

// By a series around the nearest of some points; above 1 a quarter turn less that of the inverse.
Lane arctan_by_table(LaneBuilder& l, Lane x) {
  auto number = [&](double value) { return constant(l, x, value); };
  Lane size = l.abs(x);
  size = l.where(size > 0x1p60, number(0x1p60), size);  // beyond, nothing changes any more
  Lane is_large = size > 1.0;
  Lane y = l.where(is_large, inverse_estimate(l, size), size);
  const double shift = rounding_shift(x);
  Lane shifted = l.mad(y, number(32), number(shift));
  shifted = l.where(shifted > shift + 31, number(shift + 31), shifted);
  Lane step = l.bits_of(shifted);
  auto look_up = [&](const std::array<float, 32>& table) { return lookup_avx512(l, step, table); };
  Lane d = l.mad(shifted - shift, number(-1.0 / 32), y);
  Lane series = l.mad(d, look_up(arctan_third), look_up(arctan_second));
  Lane rest = l.mad(d, look_up(arctan_first), l.mad(d * d, series, look_up(arctan_rest)));
  Lane value = look_up(arctan_value);
  auto [hi, lo] = constant(l, x, quarter_turn);
  return l.copysign(l.where(is_large, hi - value, value) + l.where(is_large, lo - rest, rest), x);
}

Lane arctan(LaneBuilder& l, Lane x) {
  if (is_single(x) && l.has_avx512()) return arctan_by_table(l, x);
  const double limit = is_single(x) ? 0x1p60 : 0x1p200;  // beyond, nothing changes any more
  Lane size = l.abs(x);
  size = l.where(size > limit, constant(l, x, limit), size);
  auto [hi, lo] = angle_of(l, size, constant(l, x, 1), {});
  return l.copysign(hi + lo, x);
}

}  // namespace

Lane arctan2(LaneBuilder& l, Lane y, Lane x) {
  const bool single = is_single(x);
  Lane width = l.abs(x);
  Lane height = l.abs(y);
  Lane is_wide = width > height;
  Lane larger = l.where(is_wide, width, height);
  Lane smaller = l.where(is_wide, height, width);
  const double limit = single ? 0x1p90 : 0x1p900;
  Lane is_moderate = (smaller >= 1 / limit) & (larger <= limit);
  // Points near an axis or the origin, or far from it, move away or near; of two zeros x is 1, and
  // of infinities only the direction counts.
  LaneList moved = l.rarely(!is_moderate, {height, width}, [&] {
    const double step = single ? 0x1p40 : 0x1p200;
    Lane scale = l.where(larger < step, constant(l, x, step), constant(l, x, 1 / step));
    auto move = [&](Lane part) {
      Lane direction = l.where(part == HUGE_VAL, constant(l, x, 1), constant(l, x, 0));
      direction = l.where(l.is_nan(part), part, direction);
      return l.where(larger == HUGE_VAL, direction, part * scale);
    };
    Lane across = l.where((width == 0.0) & (height == 0.0), constant(l, x, 1), move(width));
    return LaneList{move(height), across};
  });
  auto [hi, lo] = angle_of(l, moved[0], moved[1], x);
  return l.copysign(hi + lo, y);
}

Lane inverse_trigonometric(LaneBuilder& l, Op op, Lane x) {
  switch (op) {
    case Op::arcsin:
      return arcsin(l, x);
    case Op::arccos:
      return arccos(l, x);
    case Op::arctan:
      return arctan(l, x);
    default:
      return {};
  }
}

}  // namespace heddle::kernel
