// Complex numbers in lanes: what the arithmetic of scalar_complex.cpp and the functions of
// scalar_complex_math.cpp, scalar_complex_inverse.cpp and scalar_complex_power.cpp share.
#pragma once

#include <cmath>
#include <span>

#include "kernel/lane_builder.h"
#include "kernel/scalar_ops.h"

namespace heddle::kernel {

struct Complex {
  Lane re, im;
  operator Value() const { return {re, im}; }
};

Complex where(LaneBuilder& l, Lane condition, Complex yes, Complex no);
Complex multiply(Complex x, Complex y);
Complex reciprocal(LaneBuilder& l, Complex x);

// Transcendental functions, with the special values and branch cuts of C99's Annex G.
Complex complex_math(LaneBuilder& l, Op op, std::span<const Complex> args);

// Their formulas, in double precision.
class ComplexMath {
 public:
  // `narrow`: the operands come from float32. Squares then neither overflow nor round, and nothing
  // needs scaling.
  ComplexMath(LaneBuilder& lanes, bool narrow) : l(lanes), narrow_(narrow) {}

  Complex sqrt(Complex z);
  Complex exp(Complex z);
  Complex expm1(Complex z);
  Complex log(Complex z);
  Complex log1p(Complex z);
  Complex power(Complex z, Complex exponent);
  Complex sinh(Complex z);
  Complex cosh(Complex z);
  Complex tanh(Complex z);
  Complex arcsin(Complex z);
  Complex arccos(Complex z);
  Complex arccosh(Complex z);
  Complex arctanh(Complex z);

 private:
  Lane constant(double value) { return l.number(l.b.getDoubleTy(), value); }
  Lane real(Op op, Lane x);
  Lane arctan2(Lane y, Lane x);
  Lane is_infinite(Lane x) { return l.abs(x) == HUGE_VAL; }
  Lane is_infinite(Complex z) { return is_infinite(z.re) | is_infinite(z.im); }
  Lane is_undefined(Lane x) { return !(l.abs(x) < HUGE_VAL); }  // infinite or nan

  // Powers of two that keep squares in range. Where numbers are large: 2^-600, else 1; where they
  // are small, too: 2^600.
  Lane shrinking(Complex z);
  Lane rescaling(Complex z);
  // The logarithm of what was taken out by scaling.
  Lane log_of_scale(Lane scale);
  // log(one + x), also for small x: what `one + x` rounds away is added again.
  Lane log_sum(Lane one, Lane x);
  // log|z|. `excess` is |z|^2 - 1 for |z| near 1, where the caller knows it better.
  Lane log_modulus(Complex z, Lane excess = {});
  Lane square_error(Lane x, Lane square);

  // exp of a large exponent, in two steps: see exp.
  Lane reduced_exponent(Lane x);
  Complex grow(Complex product, Lane exponent);

  struct Hyperbolic {
    Lane sinh, cosh, exp;
  };
  Hyperbolic hyperbolic(Lane x);

  struct Arc {
    Lane modulus;  // |Re z|
    Lane root;     // tan(Re arccos z) is root / Re z, both on a common scale
    Lane log;      // |Im arcsin z|
  };
  Arc arc(Complex z);
  Complex whole_power(Complex z, Lane exponent);
  Complex general_power(Complex z, Complex exponent);

  LaneBuilder& l;
  const bool narrow_;
};

}  // namespace heddle::kernel
