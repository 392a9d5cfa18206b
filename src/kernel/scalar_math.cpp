// Transcendental functions of float32 and float64: which ones are inline vector code, and which are
// calls of the C library's vector functions.
#include <cmath>

#include "kernel/lane_builder.h"
#include "kernel/scalar_lowering.h"
#include "kernel/scalar_math_families.h"

namespace heddle::kernel {

namespace {

// Null where there is none.
Lane inline_math(LaneBuilder& l, Op op, Lane x) {
  if (op == Op::cbrt) return cbrt(l, x);
  for (auto* family : {trigonometric, exponential, logarithmic, inverse_trigonometric}) {
    if (Lane done = family(l, op, x); done.value != nullptr) return done;
  }
  return {};
}

Lane inline_math(LaneBuilder& l, Op op, Lane x, Lane y) {
  switch (op) {
    case Op::power:
      return inline_power(l, x, y);
    case Op::arctan2:
      return arctan2(l, x, y);
    case Op::logaddexp:
    case Op::logaddexp2:
      return logaddexp(l, op, x, y);
    default:
      return {};
  }
}

// Without fused multiply-add: log(exp(x) + exp(y)) without overflow, as npy_logaddexp, and where
// terms nearly cancel, by a function that has a wider type. Equal operands are infinities, too.
Lane logaddexp_by_calls(LaneBuilder& l, Op op, Lane x, Lane y) {
  const bool binary = op == Op::logaddexp2;
  Lane difference = x - y;
  Lane larger = l.where(difference > 0.0, x, y);
  Lane power = lower_math(l, binary ? Op::exp2 : Op::exp, -l.abs(difference));
  Lane log = lower_math(l, Op::log1p, power) * (binary ? M_LOG2E : 1.0);
  Lane sum = l.where(l.is_nan(difference), difference, larger + log);
  sum = l.where(x == y, x + (binary ? 1.0 : M_LN2), sum);
  Lane cancels = (l.abs(sum) < 0x1p-4) & (larger < 0.0);  // the other term is positive
  return l.rarely(cancels, sum, [&] { return l.rare_math(info(op).name, {x, y}); });
}

}  // namespace

Lane lower_math(LaneBuilder& l, Op op, std::span<const Lane> args) {
  if (op == Op::float_power) op = Op::power;
  if (op == Op::hypot) return hypot(l, args[0], args[1]);
  if (l.has_fma()) {
    Lane done =
        args.size() == 1 ? inline_math(l, op, args[0]) : inline_math(l, op, args[0], args[1]);
    if (done.value != nullptr) return done;
  } else if (op == Op::logaddexp || op == Op::logaddexp2) {
    return logaddexp_by_calls(l, op, args[0], args[1]);
  }
  const char* name = info(op).library;
  if (name == nullptr) no_lowering(op, "floats");
  if (args.size() == 2) return l.math(name, {args[0], args[1]});
  return l.math(name, {args[0]});
}

}  // namespace heddle::kernel
