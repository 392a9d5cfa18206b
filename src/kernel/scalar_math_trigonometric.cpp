// Sine, cosine and tangent as inline vector code.
#include <cmath>
#include <cstdint>

#include "kernel/scalar_math_families.h"

namespace heddle::kernel {

namespace {

// |x| up to which reductions keep their precision.
double reduction_limit(Lane x) { return is_single(x) ? 1e5 : 1e9; }

struct Reduced {
  Double2 angle;  // x - quarters * pi/2, at most pi/4
  Lane quarters;  // bits whose low end is the number of quarter turns
  Lane is_lost;   // whether the angle is so small that its lower part is not known
};

// What rounding leaves of the angle is its lower part: the first difference is exact, and so is
// what the second one changes, unless little is left of it.
Reduced reduce_angle(LaneBuilder& l, Lane x) {
  const bool single = is_single(x);
  auto [first, second] = constant(l, x, quarter_turn);
  Lane third = constant(l, x, single ? -1.7151245100058819e-15 : -1.4973849048591698e-33);
  const double shift = rounding_shift(x);
  Lane shifted = l.mad(x, constant(l, x, M_2_PI), constant(l, x, shift));
  Lane k = shifted - shift;
  Lane difference = l.mad(-k, first, x);
  Lane angle = l.mad(-k, second, difference);
  Lane change = difference - angle;
  Lane rest = l.mad(-k, third, l.mad(-k, second, change));
  Lane is_lost = (l.abs(x) > reduction_limit(x)) | (l.abs(angle) < l.abs(change));
  return {{angle, rest}, l.bits_of(shifted), is_lost};
}

// Of (sin(r) - r) / r^3 and (cos(r) - 1 + r^2/2) / r^4 up to pi/4, where z is r^2.
Lane sine_series(LaneBuilder& l, Lane z) {
  if (is_single(z)) return l.polynomial(z, {-0.16666654611, 0.0083321608736, -0.00019515295891});
  return l.polynomial(z, {-0.16666666666666632, 0.008333333333322316, -0.00019841269829725224,
                          2.7557313662059495e-06, -2.5050753264259249e-08, 1.5896504905057393e-10});
}
Lane cosine_series(LaneBuilder& l, Lane z) {
  if (is_single(z)) return l.polynomial(z, {0.041666645683, -0.0013887316255, 2.4433157118e-05});
  return l.polynomial(z,
                      {0.041666666666666602, -0.001388888888887399, 2.4801587289394953e-05,
                       -2.7557314326032413e-07, 2.0875719558275472e-09, -1.1359448632171419e-11});
}

Lane is_odd(LaneBuilder& l, Lane turns) {
  return (turns & l.integer(turns.value->getType(), 1)) != 0.0;
}

// sin(x + quarters * pi/2).
Lane sin_shifted(LaneBuilder& l, const Reduced& reduced, int quarters) {
  auto [r, rest] = reduced.angle;
  llvm::Type* int_type = reduced.quarters.value->getType();
  const int bits = static_cast<int>(int_type->getScalarSizeInBits());
  Lane turns = reduced.quarters + l.integer(int_type, quarters);
  Lane z = r * r;
  Lane sine = r + l.mad(r * z, sine_series(l, z), rest);
  Lane p = l.mad(z, cosine_series(l, z), constant(l, z, -0.5));
  Lane error = l.mad(l.mad(r, r, -z), constant(l, z, -0.5), -(r * rest));
  Lane cosine = l.mad(z, p, error) + 1.0;
  Lane value = l.where(is_odd(l, turns), cosine, sine);
  Lane sign = (turns << (bits - 2)) & l.integer(int_type, std::uint64_t{1} << (bits - 1));
  return l.float_of(l.bits_of(value) ^ sign);
}

// tan(r) by its own series, as r and the rest of it in two parts; at odd quarters minus its
// inverse, which is corrected by what the division left. Takes half of the steps of a quotient of
// series.
Lane single_tan_of(LaneBuilder& l, const Reduced& reduced) {
  auto [r, rest] = reduced.angle;
  Lane z = r * r;
  Lane series = l.polynomial(z, {0.33333349519, 0.13332673958, 0.054058634548, 0.02128880482,
                                 0.0108191307, 0.00010981567680, 0.0043667596776});
  Lane cube = r * z;
  Lane tangent = l.mad(cube, series, r);
  Lane lower = l.mad(cube, series, r - tangent);
  lower = l.mad(rest, l.mad(tangent, tangent, constant(l, r, 1)), lower);
  Lane turned = inverse_estimate(l, tangent);
  Lane error = l.mad(-turned, lower, l.mad(-turned, tangent, constant(l, r, 1)));
  return l.where(is_odd(l, reduced.quarters), -l.mad(turned, error, turned), tangent + lower);
}

// Sine over cosine of the reduced angle, or minus cosine over sine, each in two parts.
Lane tan_of(LaneBuilder& l, const Reduced& reduced) {
  auto [r, rest] = reduced.angle;
  if (is_single(r)) return single_tan_of(l, reduced);
  Lane z = r * r;
  Double2 cosine = fast_sum(constant(l, r, 1), z * -0.5);
  Lane error = l.mad(l.mad(r, r, -z), constant(l, r, -0.5), -(r * rest));
  cosine = fast_sum(cosine.hi, cosine.lo + l.mad(z * z, cosine_series(l, z), error));
  Double2 sine = fast_sum(r, l.mad(r * z, sine_series(l, z), rest * cosine.hi));
  Lane odd = is_odd(l, reduced.quarters);
  Double2 above = choose(l, odd, {-cosine.hi, -cosine.lo}, sine);
  auto [hi, lo] = quotient_in_parts(l, above, choose(l, odd, sine, cosine));
  return hi + lo;
}

}  // namespace

Lane trigonometric(LaneBuilder& l, Op op, Lane x) {
  if (op != Op::sin && op != Op::cos && op != Op::tan) return {};
  Reduced reduced = reduce_angle(l, x);
  Lane usual = op == Op::tan ? tan_of(l, reduced) : sin_shifted(l, reduced, op == Op::cos ? 1 : 0);
  if (op != Op::cos) usual = l.where(x == 0.0, x, usual);  // sums lose the sign of zero
  return l.rarely(reduced.is_lost, usual, [&] {
    // In double precision, whose functions round to the nearest float.
    Lane exact = l.rare_math(info(op).library, {l.convert(x, l.b.getDoubleTy())});
    return l.convert(exact, x.value->getType()->getScalarType());
  });
}

}  // namespace heddle::kernel
