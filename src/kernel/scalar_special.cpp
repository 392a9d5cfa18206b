// Special functions of float32 and float64, SciPy's: inline vector code for machines with fused
// multiply-add, calls of the C library for others. Polynomials are minimax fits (Remez); errors
// stay below 1.1 units in the last place.
#include "kernel/lane_builder.h"
#include "kernel/scalar_lowering.h"
#include "kernel/scalar_math_parts.h"

namespace heddle::kernel {

namespace {

// x + x P(x^2) for small x, where the sum is x but for a few bits; else 1 - exp(-(t + t R(t))), the
// logarithm of what is left to 1 being nearly a parabola, and its error counting the less the less
// is left.
Lane erf(LaneBuilder& l, Lane x) {
  if (!l.has_fma()) return l.rare_math("erf", {x});
  const bool single = is_single(x);
  Lane t = l.abs(x);
  Lane z = x * x;
  Lane p = single
               ? l.polynomial(z, {0.128379167, -0.37612635, 0.11283715, -0.0268605085, 0.0052038593,
                                  -0.000817564061, 8.51310888e-5})
               : l.polynomial(
                     z, {0.128379167095512574, -0.376126389031837476, 0.112837916709548575,
                         -0.0268661706450728912, 0.00522397762478083465, -0.000854832697874056762,
                         0.000120553310368466683, -0.000014925593505766363, 1.64609728011907177e-6,
                         -1.63500250762238812e-7, 1.46578789898888785e-8, -1.13656631366284934e-9,
                         5.94525769394154252e-11});
  Lane small = l.mad(x, p, x);
  const double end = single ? 4 : 6;  // from there on it is 1
  t = l.where(t > end, constant(l, x, end), t);
  Lane r =
      single ? l.polynomial(t, {0.128637073, 0.635198043, 0.106159035, -0.0236945543, 0.00361033686,
                                -0.000314856983, 1.04330156e-5})
             : l.polynomial(
                   t, {0.128379110859393939, 0.636620252663297531, 0.102770827166076198,
                       -0.0191249649582428561, -0.000212035829199296518, 0.00169260702638026553,
                       -0.000574657680640739937, -9.75788906941375835e-7, 0.000095487277132351442,
                       -0.0000560389755155157916, 0.0000203515790434882574, -5.38532138287587731e-6,
                       1.07814885950422552e-6, -1.630277332818144e-7, 1.81312151879626412e-8,
                       -1.40245906303243238e-9, 6.74492121034609209e-11, -1.51887792259984149e-12});
  Lane rest = lower_math(l, Op::exp, -l.mad(t, r, t));
  return l.where(t < (single ? 0.9 : 1.0), small, l.copysign(1.0 - rest, x));
}

}  // namespace

Lane lower_special(LaneBuilder& l, Op op, std::span<const Lane> args) {
  switch (op) {
    case Op::erf:
      return erf(l, args[0]);
    default:
      no_lowering(op, "floats");
  }
}

}  // namespace heddle::kernel
