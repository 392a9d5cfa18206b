// Functions of float16, computed in float32 with polynomials of just the degree that its 11 bits
// need. Arguments are float16 numbers: at most 65504, and if not zero, normal in float32. Relative
// errors stay below 2^-17, so that results are the nearest number or, very near the middle between
// two, the other one. Polynomials are minimax fits (Remez).
#include <cmath>
#include <cstdint>
#include <limits>

#include "kernel/lane_builder.h"
#include "kernel/scalar_lowering.h"
#include "kernel/scalar_math_parts.h"

namespace heddle::kernel {

namespace {

// The parts of 2^y. Beyond the limits results have overflowed float16, or vanish.
struct Exponential {
  Lane fraction;  // y less the nearest whole number
  Lane power;     // two to that number
};

Lane clamp(LaneBuilder& l, Lane x, double low, double high) {
  Lane clamped = l.where(x > high, constant(l, x, high), x);
  return l.where(clamped < low, constant(l, x, low), clamped);
}

Exponential split(LaneBuilder& l, Lane y, double limit) {
  y = clamp(l, y, -limit, limit);
  const double shift = rounding_shift(y);
  Lane shifted = y + shift;
  Lane power = l.float_of((l.bits_of(shifted) << 23) + l.bits_of(constant(l, y, 1)));
  return {y - (shifted - shift), power};
}

Lane exp2(LaneBuilder& l, Lane y) {
  auto [f, power] = split(l, y, 30);
  return power *
         l.polynomial(f, {0.999999261, 0.693121815, 0.240247448, 0.0559178603, 0.00957010191});
}

// 2^k 2^f - 1 as 2^k (2^f - 1) + (2^k - 1): digits cancel nowhere.
Lane expm1(LaneBuilder& l, Lane x) {
  auto [f, power] = split(l, x * M_LOG2E, 30);
  Lane p = l.polynomial(f, {0.693147196, 0.24022349, 0.0555033318, 0.00966637295, 0.00134004366});
  return l.copysign(l.mad(power * f, p, power - 1.0), x);  // the sum loses the sign of zero
}

struct HalfHyperbolic {
  Lane sinh, cosh;
};

// Sums of 2^(k - 1) e^g and 2^(-k - 1) e^-g, with e^g = cosh(g) + sinh(g): where k is 0, sinh(x)
// is sinh(g) alone.
HalfHyperbolic hyperbolic(LaneBuilder& l, Lane x) {
  auto [f, power] = split(l, x * M_LOG2E, 30);
  Lane up = power * 0.5;
  Lane bits = l.bits_of(up);
  Lane down = l.float_of(l.integer(bits.value->getType(), 252U << 23) - bits);
  Lane z = f * f;
  Lane even = l.polynomial(z, {1, 0.240221072, 0.00967604228});
  Lane odd = f * l.polynomial(z, {0.693147188, 0.0555035709, 0.00133908713});
  Lane sum = up + down;
  Lane difference = up - down;
  return {l.mad(even, difference, odd * sum), l.mad(odd, difference, even * sum)};
}

Lane log2(LaneBuilder& l, Lane x) {
  auto [e, m] = l.has_avx512() ? decompose_avx512(l, x) : decompose(l, x);
  Lane f = m - 1.0;
  Lane p = l.polynomial(f, {1.44269632, -0.721327767, 0.48062612, -0.361572628, 0.298280231,
                            -0.242475918, 0.119603367});
  Lane usual = l.mad(f, p, e);
  if (l.has_avx512()) return usual;
  Lane nan = constant(l, x, std::numeric_limits<double>::quiet_NaN());
  Lane special = l.where(x == 0.0, constant(l, x, -HUGE_VAL), l.where(x < 0.0, nan, x));
  return l.where((x > 0.0) & (x < HUGE_VAL), usual, special);
}

Lane log(LaneBuilder& l, Lane x) { return log2(l, x) * M_LN2; }

// For arguments of which few bits are left beside 1, the first terms of a series.
Lane choose_by_size(LaneBuilder& l, Lane x, double limit, Lane small, Lane large) {
  return l.where(l.abs(x) < limit, small, large);
}

Lane log1p(LaneBuilder& l, Lane x) {
  return choose_by_size(l, x, 0x1p-13, l.mad(x * x, constant(l, x, -0.5), x), log(l, x + 1.0));
}

Lane arcsinh(LaneBuilder& l, Lane x) {
  Lane size = l.abs(x);
  Lane square = x * x;
  Lane small = l.mad(size * square, constant(l, x, -1.0 / 6), size);
  Lane large = log(l, size + l.sqrt(square + 1.0));
  return l.copysign(choose_by_size(l, x, 0x1p-5, small, large), x);
}

Lane arccosh(LaneBuilder& l, Lane x) {
  Lane nan = constant(l, x, std::numeric_limits<double>::quiet_NaN());
  return l.where(x >= 1.0, log(l, x + l.sqrt((x - 1.0) * (x + 1.0))), nan);
}

Lane arctanh(LaneBuilder& l, Lane x) {
  Lane size = l.abs(x);
  Lane square = x * x;
  Lane small = l.mad(size * square, l.polynomial(square, {1.0 / 3, 0.2}), size);
  Lane large = log(l, (size + 1.0) / (1.0 - size)) * 0.5;
  return l.copysign(choose_by_size(l, x, 0x1p-5, small, large), x);
}

// sin / cos of what is left after whole quarter turns, or -cos / sin. The first product is exact.
Lane tan(LaneBuilder& l, Lane x) {
  const double shift = rounding_shift(x);
  Lane shifted = l.mad(x, constant(l, x, M_2_PI), constant(l, x, shift));
  Lane k = shifted - shift;
  Lane r = l.mad(k, constant(l, x, -1.5707963705062866), x);
  r = l.mad(k, constant(l, x, 4.371139000186241e-08), r);
  Lane z = r * r;
  Lane sine = r * l.polynomial(z, {0.999998569, -0.166624802, 0.00815163558});
  Lane cosine = l.polynomial(z, {0.999999967, -0.499998424, 0.0416544196, -0.00135794041});
  Lane bits = l.bits_of(shifted);
  Lane is_odd = (bits & l.integer(bits.value->getType(), 1)) != 0.0;
  Lane ratio = l.where(is_odd, -cosine, sine) / l.where(is_odd, sine, cosine);
  return l.where(x == 0.0, x, ratio);
}

Lane arctan(LaneBuilder& l, Lane x) {
  Lane size = l.abs(x);
  Lane is_large = size > 1.0;
  Lane one = constant(l, x, 1);
  Lane t = l.where(is_large, -one, size) / l.where(is_large, size, one);
  Lane p = l.polynomial(t * t, {0.999999348, -0.333265149, 0.198814825, -0.134871915, 0.0838711921,
                                -0.0370130022, 0.00786337702});
  Lane turned = l.where(is_large, constant(l, x, M_PI_2), constant(l, x, 0));
  return l.copysign(l.mad(t, p, turned), x);
}

// arcsin(s) for s up to 1/2, and for larger |x| with s = sin of half the angle to a quarter turn.
struct HalfArc {
  Lane is_large, angle;
};

HalfArc small_arc(LaneBuilder& l, Lane x) {
  Lane size = l.abs(x);
  Lane is_large = size > 0.5;
  Lane z = l.where(is_large, l.mad(size, constant(l, x, -0.5), constant(l, x, 0.5)), x * x);
  Lane s = l.where(is_large, l.sqrt(z), size);
  Lane p = l.polynomial(z, {0.999998454, 0.166854778, 0.0714565675, 0.0651405542});
  return {is_large, s * p};
}

Lane arcsin(LaneBuilder& l, Lane x) {
  auto [is_large, angle] = small_arc(l, x);
  Lane large = l.mad(angle, constant(l, x, -2), constant(l, x, M_PI_2));
  return l.copysign(l.where(is_large, large, angle), x);
}

Lane arccos(LaneBuilder& l, Lane x) {
  auto [is_large, angle] = small_arc(l, x);
  Lane doubled = angle + angle;
  Lane large = l.where(x < 0.0, M_PI - doubled, doubled);
  return l.where(is_large, large, M_PI_2 - l.copysign(angle, x));
}

// From a guess of x^(-1/3): a third of the exponent and the fraction taken as one number.
Lane cbrt(LaneBuilder& l, Lane x) {
  Lane size = l.abs(x);
  Lane bits = l.bits_of(size);
  llvm::Type* int_type = bits.value->getType();
  Lane third = l(l.b.CreateSIToFP(bits, x.value->getType())) * (1.0 / 3);
  Lane guess = l.float_of(l.integer(int_type, 0x54a1f800) - l(l.b.CreateFPToSI(third, int_type)));
  Lane root = size * guess * guess;
  Lane error = l.mad(-root, guess, constant(l, x, 1));
  Lane p = l.polynomial(error, {1.00000001, 0.666651581, 0.55553682, 0.49949175, 0.458377626});
  Lane result = l.where(size < HUGE_VAL, root * p, size);
  return l.copysign(result, x);
}

}  // namespace

Lane half_math(LaneBuilder& l, Op op, Lane x) {
  if (!l.has_fma()) return {};
  switch (op) {
    case Op::exp:
      return exp2(l, x * M_LOG2E);
    case Op::exp2:
      return exp2(l, x);
    case Op::expm1:
      return expm1(l, x);
    case Op::sinh:
      return l.copysign(hyperbolic(l, x).sinh, x);
    case Op::cosh:
      return hyperbolic(l, x).cosh;
    case Op::tanh: {
      auto [sinh, cosh] = hyperbolic(l, x);
      return l.copysign(sinh / cosh, x);
    }
    case Op::log:
      return log(l, x);
    case Op::log2:
      return log2(l, x);
    case Op::log10:
      return log2(l, x) * 0.30102999566398120;
    case Op::log1p:
      return log1p(l, x);
    case Op::arcsinh:
      return arcsinh(l, x);
    case Op::arccosh:
      return arccosh(l, x);
    case Op::arctanh:
      return arctanh(l, x);
    case Op::tan:
      return tan(l, x);
    case Op::arctan:
      return arctan(l, x);
    case Op::arcsin:
      return arcsin(l, x);
    case Op::arccos:
      return arccos(l, x);
    case Op::cbrt:
      return cbrt(l, x);
    default:
      return {};
  }
}

}  // namespace heddle::kernel
