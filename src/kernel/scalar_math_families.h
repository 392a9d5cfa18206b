// Inline vector code of the elementary functions, for machines with fused multiply-add: it fuses
// with the code around it, where a call would spill every register. docs/accuracy.md says how large
// errors are. Polynomials are minimax fits (Remez) on the reduced interval.
#pragma once

#include "kernel/lane_builder.h"
#include "kernel/scalar_math_parts.h"
#include "kernel/scalar_ops.h"

namespace heddle::kernel {

// Each is null where the operation is of another family.
Lane trigonometric(LaneBuilder& l, Op op, Lane x);  // sin, cos, tan
Lane exponential(LaneBuilder& l, Op op, Lane x);    // exp, exp2, expm1, sinh, cosh, tanh
Lane logarithmic(LaneBuilder& l, Op op, Lane x);    // log and its like, arcsinh and its like
Lane inverse_trigonometric(LaneBuilder& l, Op op, Lane x);  // arcsin, arccos, arctan
Lane arctan2(LaneBuilder& l, Lane y, Lane x);
Lane cbrt(LaneBuilder& l, Lane x);
Lane hypot(LaneBuilder& l, Lane x, Lane y);
Lane logaddexp(LaneBuilder& l, Op op, Lane x, Lane y);  // and logaddexp2

// x = k ln(2) + r, with r up to half of ln(2). `shifted` is k + rounding_shift.
struct Split {
  Double2 r;
  Lane shifted, k;
};
Split split_exponent(LaneBuilder& l, Lane x);

// sinh(r) - r, where r is its upper part, and cosh(r) - 1 for r up to half of ln(2).
struct Tails {
  Lane sinh, cosh;
};
Tails hyperbolic_tails(LaneBuilder& l, Double2 r);

// log(x * 2^more) of a positive number in two parts, far from overflow and from vanishing.
Double2 log_in_parts(LaneBuilder& l, Double2 x, Lane more = {});

}  // namespace heddle::kernel
