// The gamma function and its relatives, inline vector code for machines with fused multiply-add:
// arguments are stepped by ones to where quotients of polynomials hold, those of Cephes (Stephen L.
// Moshier) and Boost (John Maddock). Far out, and where there are poles nearby, the functions that
// are linked in do it. Single precision is computed in double precision.
#include <limits>
#include <span>

#include "kernel/lane_builder.h"
#include "kernel/scalar_lowering.h"
#include "kernel/scalar_math_parts.h"

namespace heddle::kernel {

namespace {

constexpr double far_out = 33;  // beyond, steps would be too many

// gamma(x) is gamma(at) * above / below.
struct Stepped {
  Lane at;            // in [low, low + 1)
  Lane above, below;  // products of the numbers between: one of the two is 1
};

Stepped step_to(LaneBuilder& l, Lane x, double low) {
  const Lane one = constant(l, x, 1);
  auto is_above = [&](const LaneList& s) { return s[0] >= low + 1; };
  const LaneList down = l.repeat_while({x, one}, is_above, [&](const LaneList& s) {
    Lane goes_on = is_above(s), next = s[0] - 1.0;
    return LaneList{l.where(goes_on, next, s[0]), l.where(goes_on, s[1] * next, s[1])};
  });
  auto is_below = [&](const LaneList& s) { return s[0] < low; };
  const LaneList up = l.repeat_while({down[0], one}, is_below, [&](const LaneList& s) {
    Lane goes_on = is_below(s);
    return LaneList{l.where(goes_on, s[0] + 1.0, s[0]), l.where(goes_on, s[1] * s[0], s[1])};
  });
  return {up[0], down[1], up[1]};
}

struct Quotient {
  Lane numerator, denominator;
};

// The gamma function of a number that is not far out.
Quotient gamma_quotient(LaneBuilder& l, Lane x) {
  const Stepped s = step_to(l, x, 2);
  Lane t = s.at - 2.0;
  Lane p = l.polynomial(
      t, {1.0, 4.94214826801497100753E-1, 2.07448227648435975150E-1, 4.76367800457137231464E-2,
          1.04213797561761569935E-2, 1.19135147006586384913E-3, 1.60119522476751861407E-4});
  Lane q = l.polynomial(
      t, {1.0, 7.14304917030273074085E-2, -2.34591795718243348568E-1, 3.58236398605498653373E-2,
          1.18139785222060435552E-2, -4.45641913851797240494E-3, 5.39605580493303397842E-4,
          -2.31581873324120129819E-5});
  return {s.above * p, s.below * q};
}

// The number where it is one of those that `usual` computes, and else one that does no harm.
Lane usual_or(LaneBuilder& l, Lane is_usual, Lane x, double other) {
  return l.where(is_usual, x, constant(l, x, other));
}

Lane linked(LaneBuilder& l, Op op, std::initializer_list<Lane> args) {
  llvm::SmallVector<Value, 2> values;
  for (Lane x : args) values.push_back({x.value});
  LinkedCalls calls;
  return l(lower_linked(l, calls, op, Dtype::float64, Dtype::float64, values).re);
}

Lane gamma(LaneBuilder& l, Lane x) {
  Lane size = l.abs(x);
  Lane is_usual = (size <= far_out) & (size >= 1e-9);
  const Quotient made = gamma_quotient(l, usual_or(l, is_usual, x, 2));
  Lane value = l.where(made.denominator == 0.0,  // a negative whole number
                       constant(l, x, std::numeric_limits<double>::quiet_NaN()),
                       made.numerator / made.denominator);
  return l.rarely(!is_usual, value, [&] { return linked(l, Op::gamma, {x}); });
}

// log|gamma(2 + t)| for |t| <= 1/2: t times a polynomial (a fit at Chebyshev nodes), so that digits
// are not lost near 0, nor, a step further down, near gamma(1).
Lane log_gamma_around_2(LaneBuilder& l, Lane t) {
  return t *
         l.polynomial(t, {0.42278433509846713, 0.3224670334241132, -0.06735230105319563,
                          0.02058080842778338, -0.007385551028935545, 0.002890510330865901,
                          -0.0011927539009983087, 0.0005096695196526673, -0.00022315497746292723,
                          9.945761692157133e-05, -4.4923727564247656e-05, 2.050601970174762e-05,
                          -9.45628851510172e-06, 4.3828545383846665e-06, -1.9743106888421067e-06,
                          9.242852225162277e-07, -5.811277768921246e-07, 2.7475390051909663e-07});
}

Lane gammaln(LaneBuilder& l, Lane x) {
  constexpr double large = 10;  // from here on Stirling's series
  Lane is_usual = (x >= -far_out) & (x < 1e300);
  Lane is_large = x >= large;
  Lane start = l.where(is_usual & !is_large, x, constant(l, x, 2));
  const Stepped s = step_to(l, start, 1.5);
  // Rounded once at most, not by each step.
  Lane from_2 = start + (l.rint(s.at - start) - 2.0);
  Lane product = l.abs(s.above * s.below);
  Lane logarithm = lower_math(l, Op::log, l.where(is_large, x, product));
  Lane around_2 = log_gamma_around_2(l, from_2);
  Lane small = l.where(x < 1.5, around_2 - logarithm, around_2 + logarithm);
  Lane inverse = 1.0 / l.where(is_large, x, constant(l, x, large));
  Lane series =
      inverse * l.polynomial(inverse * inverse, {1.0 / 12, -1.0 / 360, 1.0 / 1260, -1.0 / 1680,
                                                 1.0 / 1188, -691.0 / 360360, 1.0 / 156});
  Lane stirling = (x - 0.5) * logarithm - x + 0.91893853320467274178 + series;
  return l.rarely(!is_usual, l.where(is_large, stirling, small),
                  [&] { return linked(l, Op::gammaln, {x}); });
}

Lane digamma(LaneBuilder& l, Lane x) {
  constexpr double large = 10;
  Lane is_usual = x > 0.0;
  Lane is_large = x >= large;
  Lane start = l.where(is_usual & !is_large, x, constant(l, x, 1));
  Lane is_below = start < 1.0;
  Lane sum = l.where(is_below, -1.0 / start, constant(l, x, 0));
  start = l.where(is_below, start + 1.0, start);
  auto is_above = [&](const LaneList& now) { return now[0] > 2.0; };
  const LaneList s = l.repeat_while({start, sum}, is_above, [&](const LaneList& now) {
    Lane goes_on = is_above(now), next = now[0] - 1.0;
    return LaneList{l.where(goes_on, next, now[0]), l.where(goes_on, now[1] + 1.0 / next, now[1])};
  });
  // On [1, 2], relative to the root, which is in three parts.
  Lane t = s[0] - 1.0;
  Lane from_root = s[0] - 1569415565.0 / 1073741824.0 - 381566830.0 / 1152921504606846976.0 -
                   0.9016312093258695918615325266959189453125e-19;
  Lane ratio =
      l.polynomial(t, {0.25479851061131551, -0.32555031186804491, -0.65031853770896507,
                       -0.28919126444774784, -0.045251321448739056, -0.0020713321167745952}) /
      l.polynomial(t, {1.0, 2.0767117023730469, 1.4606242909763515, 0.43593529692665969,
                       0.054151797245674225, 0.0021284987017821144, -0.55789841321675513e-6});
  Lane small = s[1] + (from_root * 0.99558162689208984 + from_root * ratio);
  Lane far = l.where(is_large, x, constant(l, x, large));
  Lane inverse = 1.0 / far, z = inverse * inverse;
  Lane series = l.polynomial(
      z, {1.0 / 12, -1.0 / 120, 1.0 / 252, -1.0 / 240, 1.0 / 132, -691.0 / 32760, 1.0 / 12});
  Lane asymptotic = lower_math(l, Op::log, far) - inverse * 0.5 - z * series;
  return l.rarely(!is_usual, l.where(is_large, asymptotic, small),
                  [&] { return linked(l, Op::digamma, {x}); });
}

Lane betaln(LaneBuilder& l, Lane a, Lane b) {
  Lane is_usual = (a >= 1e-9) & (b >= 1e-9) & (a + b <= far_out);
  Lane first = usual_or(l, is_usual, a, 1), second = usual_or(l, is_usual, b, 1);
  const Quotient x = gamma_quotient(l, first), y = gamma_quotient(l, second),
                 sum = gamma_quotient(l, first + second);
  Lane numerator = x.numerator * y.numerator * sum.denominator;
  Lane denominator = x.denominator * y.denominator * sum.numerator;
  return l.rarely(!is_usual, lower_math(l, Op::log, numerator / denominator),
                  [&] { return linked(l, Op::betaln, {a, b}); });
}

Lane lower(LaneBuilder& l, Op op, std::span<const Lane> args) {
  switch (op) {
    case Op::gamma:
      return gamma(l, args[0]);
    case Op::gammaln:
      return gammaln(l, args[0]);
    case Op::digamma:
      return digamma(l, args[0]);
    default:  // betaln
      return betaln(l, args[0], args[1]);
  }
}

}  // namespace

Lane lower_gamma(LaneBuilder& l, Op op, std::span<const Lane> args) {
  return in_double(l, args, [&](std::span<const Lane> wide) { return lower(l, op, wide); });
}

}  // namespace heddle::kernel
