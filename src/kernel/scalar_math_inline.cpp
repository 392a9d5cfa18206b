// The most used functions as inline vector code, for machines with fused multiply-add: they fuse
// with the code around them, where a call would spill every register. Errors stay below 1.8 units
// in the last place. Polynomials are minimax fits (Remez) on the reduced interval.
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>

#include "kernel/lane_builder.h"
#include "kernel/scalar_lowering.h"
#include "kernel/scalar_math_parts.h"

namespace heddle::kernel {

namespace {

// x - k * c for a constant in three parts; exact but for the last roundings.
Lane subtract_multiple(LaneBuilder& l, Lane x, Lane k, std::initializer_list<double> parts) {
  for (double part : parts) x = l.mad(k, constant(l, x, -part), x);
  return x;
}

// --- sin, cos ---

// |x| up to which the reduction in three parts keeps its precision.
double reduction_limit(Lane x) { return is_single(x) ? 1e5 : 1e9; }

struct Reduced {
  Lane angle;     // x - quarters * pi/2, at most pi/4
  Lane quarters;  // bits whose low end is the number of quarter turns
};

Reduced reduce_angle(LaneBuilder& l, Lane x) {
  const double shift = rounding_shift(x);
  Lane shifted = l.mad(x, constant(l, x, M_2_PI), constant(l, x, shift));
  Lane k = shifted - shift;
  Lane angle = subtract_multiple(
      l, x, k, {1.5707963267948966, 6.123233995736765e-17, 1.0828566739219139e-32});
  return {angle, l.bits_of(shifted)};
}

// Of (sin(r) - r) / r^3 and (cos(r) - 1 + r^2/2) / r^4 up to pi/4, where z is r^2, in double
// precision.
Lane sine_series(LaneBuilder& l, Lane z) {
  return l.polynomial(z, {-0.16666666666666632, 0.008333333333322316, -0.00019841269829725224,
                          2.7557313662059495e-06, -2.5050753264259249e-08, 1.5896504905057393e-10});
}
Lane cosine_series(LaneBuilder& l, Lane z) {
  return l.polynomial(z,
                      {0.041666666666666602, -0.001388888888887399, 2.4801587289394953e-05,
                       -2.7557314326032413e-07, 2.0875719558275472e-09, -1.1359448632171419e-11});
}

Lane sin_of_reduced(LaneBuilder& l, Lane r, Lane z) { return l.mad(r * z, sine_series(l, z), r); }

Lane cos_of_reduced(LaneBuilder& l, Lane z) {
  Lane p = l.mad(z, cosine_series(l, z), constant(l, z, -0.5));
  return l.mad(z, p, constant(l, z, 1));
}

// sin(x + quarters * pi/2) in double precision.
Lane sin_shifted(LaneBuilder& l, Lane x, int quarters) {
  auto [angle, turns] = reduce_angle(l, x);
  llvm::Type* int_type = turns.value->getType();
  const int bits = static_cast<int>(int_type->getScalarSizeInBits());
  turns = turns + l.integer(int_type, quarters);
  Lane z = angle * angle;
  Lane is_odd = (turns & l.integer(int_type, 1)) != 0.0;
  Lane value = l.where(is_odd, cos_of_reduced(l, z), sin_of_reduced(l, angle, z));
  Lane sign = (turns << (bits - 2)) & l.integer(int_type, std::uint64_t{1} << (bits - 1));
  return l.float_of(l.bits_of(value) ^ sign);
}

// sin(x) or cos(x) in single precision: x less a number of half turns (for cos, and a quarter) is
// at most a quarter turn, where one polynomial does, without the choice between two. It works on
// the modulus, which keeps signed zeros.
Lane sin_of_single(LaneBuilder& l, Lane x, bool cosine) {
  const double shift = rounding_shift(x);
  Lane turns = constant(l, x, M_1_PI);
  Lane shifted = cosine ? l.mad(x, turns, constant(l, x, -0.5)) + shift
                        : l.mad(x, turns, constant(l, x, shift));
  Lane k = shifted - shift;
  if (cosine) k = k + 0.5;
  Lane angle = subtract_multiple(
      l, x, k, {3.141592502593994, 1.5099578831723193e-07, 1.0780605906948477e-14});
  Lane bits = l.bits_of(angle);
  llvm::Type* int_type = bits.value->getType();
  Lane sign_bit = l.integer(int_type, std::uint64_t{1} << 31);
  Lane sign = (bits ^ (l.bits_of(shifted) << 31)) & sign_bit;
  if (cosine) sign = sign ^ sign_bit;
  Lane z = angle * angle;
  Lane r = l.abs(angle);
  Lane p = l.polynomial(z, {-0.16666659544539353, 0.008333066081835686, -0.0001980959003534419,
                            2.605750544002759e-06});
  Lane value = l.mad(r * z, p, r);
  value = l.where(value > 1.0, constant(l, x, 1), value);  // rounding errors of the largest
  return l.float_of(l.bits_of(value) ^ sign);
}

Lane sin(LaneBuilder& l, Lane x) {
  Lane usual = is_single(x)
                   ? sin_of_single(l, x, false)
                   : l.where(x == 0.0, x, sin_shifted(l, x, 0));  // the sum loses the sign of zero
  return l.rarely(l.abs(x) > reduction_limit(x), usual, [&] { return l.rare_math("sin", {x}); });
}

Lane cos(LaneBuilder& l, Lane x) {
  Lane usual = is_single(x) ? sin_of_single(l, x, true) : sin_shifted(l, x, 1);
  return l.rarely(l.abs(x) > reduction_limit(x), usual, [&] { return l.rare_math("cos", {x}); });
}

// --- tan ---

// x + y without loss, whichever is larger.
Double2 exact_sum(Lane x, Lane y) {
  Lane hi = x + y;
  Lane part = hi - x;
  return {hi, (x - (hi - part)) + (y - part)};
}

struct PreciselyReduced {
  Double2 angle;
  Lane quarters;
};

// As reduce_angle, with what rounding leaves of the angle: pi/2 has three parts, whose multiples
// have two each.
PreciselyReduced reduce_precisely(LaneBuilder& l, Lane x) {
  const bool single = is_single(x);
  const double shift = rounding_shift(x);
  Lane shifted = l.mad(x, constant(l, x, M_2_PI), constant(l, x, shift));
  Lane k = shifted - shift;
  Lane first = constant(l, x, single ? 1.5707963705062866 : 1.5707963267948966);
  Lane second = constant(l, x, single ? -4.371138828673793e-08 : 6.123233995736766e-17);
  Lane third = constant(l, x, single ? -1.7151245100058819e-15 : -1.4973849048591698e-33);
  Lane upper = k * first;
  Lane middle = k * second;
  Double2 rest = exact_sum(-l.mad(k, first, -upper), -middle);
  Double2 angle = exact_sum(x - upper, rest.hi);
  Lane lower = rest.lo - l.mad(k, second, -middle) - k * third;
  return {{angle.hi, angle.lo + lower}, l.bits_of(shifted)};
}

// Sine over cosine of the reduced angle, or minus cosine over sine. A quotient of rounded ones is
// wrong by up to two units: both have a lower part.
Lane tan_of_reduced(LaneBuilder& l, const PreciselyReduced& reduced) {
  auto [r, rest] = reduced.angle;
  const bool single = is_single(r);
  Lane z = r * r;
  Lane p = single ? l.polynomial(z, {-0.16666654611, 0.0083321608736, -0.00019515295891})
                  : sine_series(l, z);
  Lane q = single ? l.polynomial(z, {0.041666645683, -0.0013887316255, 2.4433157118e-05})
                  : cosine_series(l, z);
  Double2 cosine = fast_sum(constant(l, r, 1), z * -0.5);
  Lane error = l.mad(l.mad(r, r, -z), constant(l, r, -0.5), -(r * rest));
  cosine = fast_sum(cosine.hi, cosine.lo + l.mad(z * z, q, error));
  Double2 sine = fast_sum(r, l.mad(r * z, p, rest * cosine.hi));
  Lane turns = reduced.quarters;
  Lane is_odd = (turns & l.integer(turns.value->getType(), 1)) != 0.0;
  Double2 above{l.where(is_odd, -cosine.hi, sine.hi), l.where(is_odd, -cosine.lo, sine.lo)};
  Double2 below{l.where(is_odd, sine.hi, cosine.hi), l.where(is_odd, sine.lo, cosine.lo)};
  Lane inverse = 1.0 / below.hi;
  Lane ratio = above.hi * inverse;
  Lane left = l.mad(-ratio, below.lo, l.mad(-ratio, below.hi, above.hi) + above.lo);
  return l.mad(left, inverse, ratio);
}

Lane tan(LaneBuilder& l, Lane x) {
  Lane usual = l.where(x == 0.0, x, tan_of_reduced(l, reduce_precisely(l, x)));
  return l.rarely(l.abs(x) > reduction_limit(x), usual, [&] { return l.rare_math("tan", {x}); });
}

// --- exp ---

Lane exp(LaneBuilder& l, Lane x) {
  const bool single = is_single(x);
  const double shift = rounding_shift(x);
  const double limit = single ? 126 : 1000;  // beyond, the result is infinity or zero anyway
  Lane clamped = l.where(x > limit, constant(l, x, limit), x);
  clamped = l.where(clamped < -limit, constant(l, x, -limit), clamped);
  Lane shifted = l.mad(clamped, constant(l, x, M_LOG2E), constant(l, x, shift));
  Lane k = shifted - shift;
  Lane r = single ? subtract_multiple(l, clamped, k, {0.6931471824645996, -1.9046542121259336e-09})
                  : subtract_multiple(l, clamped, k, {0.6931471805599453, 2.3190468138462996e-17});
  Lane y =
      single
          ? l.polynomial(r, {1, 1, 0.50000000963010016, 0.16666517712104861, 0.041666202259427972,
                             0.0083690248107225126, 0.0013950726363288471})
          : l.polynomial(r, {1, 1, 0.50000000000000133, 0.16666666666666699, 0.041666666666513114,
                             0.0083333333333067867, 0.0013888888947680208, 0.00019841269918288796,
                             2.4801489201332626e-05, 2.7557215488811501e-06, 2.7631561427504409e-07,
                             2.5118119705638312e-08});
  return scale(l, y, k, shifted);
}

// --- log ---

// A constant in two positive parts, for either type.
struct Parts {
  struct {
    double hi, lo;
  } single, wide;
};
constexpr Parts ln_2{{0.6931471228599548, 5.769998878690785e-08},
                     {0.6931471805599453, 2.3190468138462996e-17}};
constexpr Parts log10_2{{0.3010299801826477, 1.5481333548450493e-08},
                        {0.30102999566398114, 5.270742310347266e-17}};
constexpr Parts log2_e{{1.4426950216293335, 1.925963033500011e-08},
                       {1.4426950408889634, 2.0355273740931033e-17}};
constexpr Parts log10_e{{0.4342944622039795, 1.9699271547324315e-08},
                        {0.4342944819032518, 1.098319650216765e-17}};

// x * constant + y.
Lane add_multiple(LaneBuilder& l, Lane x, const Parts& constant_parts, Lane y) {
  auto [hi, lo] = is_single(x) ? constant_parts.single : constant_parts.wide;
  return l.mad(x, constant(l, x, hi), l.mad(x, constant(l, x, lo), y));
}

// log(1 + f) - f.
Lane log_correction(LaneBuilder& l, Lane f) {
  Lane square = f * f;
  if (is_single(f)) {
    Lane p = l.polynomial(
        f, {0.33333448136304539, -0.25000194108634483, 0.1999109073458831, -0.16643742244784857,
            0.14467700911379311, -0.13186893756551607, 0.10582797580642141, -0.046167672665130693});
    return square * l.mad(f, p, constant(l, f, -0.5));
  }
  // log(1 + f) = f - (f^2/2 - s (f^2/2 + R)) with s = f / (2 + f): the rounding error of s counts
  // only against the small terms.
  Lane s = f / (f + 2.0);
  Lane w = s * s;
  Lane r = w * l.polynomial(w, {0.66666666666666663, 0.4000000000000794, 0.28571428567275936,
                                0.22222223048351589, 0.18181737626302938, 0.15388867805613718,
                                0.13209708242059462, 0.13609030262858499});
  Lane half_square = square * 0.5;
  return l.mad(s, half_square + r, -half_square);
}

// The logarithm from the parts of x, to base e, 2 or 10. Infinite exponents go through, as all
// constants are positive.
Lane combine_log(LaneBuilder& l, Op base, Decomposed d) {
  auto [e, m] = d;
  Lane f = m - 1.0;
  Lane correction = log_correction(l, f);
  if (base == Op::log) {
    auto [hi, lo] = is_single(f) ? ln_2.single : ln_2.wide;
    return l.mad(e, constant(l, f, hi), f + l.mad(e, constant(l, f, lo), correction));
  }
  const Parts& scale = base == Op::log2 ? log2_e : log10_e;
  auto [hi, lo] = is_single(f) ? scale.single : scale.wide;
  Lane mantissa_log = l.mad(f, constant(l, f, hi), l.mad(f, constant(l, f, lo), correction * hi));
  return base == Op::log2 ? e + mantissa_log : add_multiple(l, e, log10_2, mantissa_log);
}

// Of zero, negative, subnormal and infinite numbers and nan.
Lane log_of_special(LaneBuilder& l, Op base, Lane x) {
  const bool single = is_single(x);
  auto [exponent, mantissa] = decompose(l, x * (single ? 0x1p25 : 0x1p54));
  Lane result = combine_log(l, base, {exponent - (single ? 25.0 : 54.0), mantissa});
  result = l.where(x < HUGE_VAL, result, x);
  result = l.where(x == 0.0, constant(l, x, -HUGE_VAL), result);
  return l.where(x < 0.0, constant(l, x, std::numeric_limits<double>::quiet_NaN()), result);
}

Lane log(LaneBuilder& l, Op base, Lane x) {
  if (l.has_avx512()) return combine_log(l, base, decompose_avx512(l, x));
  Lane is_usual = (x >= (is_single(x) ? 0x1p-126 : 0x1p-1022)) & (x < HUGE_VAL);
  return l.rarely(!is_usual, combine_log(l, base, decompose(l, x)),
                  [&] { return log_of_special(l, base, x); });
}

}  // namespace

Lane inline_math(LaneBuilder& l, Op op, Lane x) {
  if (!l.has_fma()) return {};
  switch (op) {
    case Op::sin:
      return sin(l, x);
    case Op::cos:
      return cos(l, x);
    case Op::tan:
      return tan(l, x);
    case Op::exp:
      // A unit for powers of two makes the device's own shorter, in single precision.
      if (l.target.model == Model::grid && is_single(x)) return {};
      return exp(l, x);
    case Op::log:
    case Op::log2:
    case Op::log10:
      return log(l, op, x);
    default:
      return {};
  }
}

}  // namespace heddle::kernel
