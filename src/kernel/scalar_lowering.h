// The lowering of one operation for one family of types: the parts that ScalarEmitter::apply
// chooses from. Operands have the LLVM types that scalar_ops.h lists.
#pragma once

#include <functional>
#include <span>

#include "kernel/lane_builder.h"
#include "kernel/scalar_ops.h"

namespace heddle::kernel {

Lane lower_bool(LaneBuilder& l, Op op, std::span<const Lane> args);
Lane lower_integer(LaneBuilder& l, Op op, Dtype dtype, std::span<const Lane> args);
Lane lower_float(LaneBuilder& l, Op op, std::span<const Lane> args);  // float and double
Lane lower_math(LaneBuilder& l, Op op, std::span<const Lane> args);   // its transcendental part
inline Lane lower_math(LaneBuilder& l, Op op, Lane x) {
  return lower_math(l, op, std::span<const Lane>(&x, 1));
}
Value lower_complex(LaneBuilder& l, Op op, std::span<const Value> args);
// Random bits (uint32 or uint64) as a number of a distribution.
Lane lower_word(LaneBuilder& l, Op op, Lane word);
// The number that a random order of all numbers below a count has at a place (uint32 or uint64).
Lane lower_shuffle(LaneBuilder& l, std::span<const Lane> args);
// A standard normal number of one in [0, 1) that unit_interval gives.
Lane normal_of_unit(LaneBuilder& l, Lane u);
Lane log_gamma(LaneBuilder& l, Lane x);  // of a positive number
// Of up to four numbers, which are not much beyond 1e10.
Lane sum_of_log_gammas(LaneBuilder& l, const LaneList& list);
// Random numbers by rejection, of two numbers that unit_interval gives and parameters.
Lane lower_rejection(LaneBuilder& l, Op op, std::span<const Lane> args);
// Functions that distributions are made of (float and double).
Lane lower_distribution(LaneBuilder& l, Op op, std::span<const Lane> args);
// float16 and bfloat16: null where the operation is to be computed in float32.
Lane lower_half(LaneBuilder& l, Op op, Dtype dtype, std::span<const Lane> args);

// A comparison of real numbers.
Lane compare(LaneBuilder& l, Op op, bool is_signed, Lane x, Lane y);

// Conversion of one real component.
Lane cast_real(LaneBuilder& l, Lane x, Dtype from, Dtype to);

// A function of a float16 number that was converted to float, to float16's precision; null where
// there is no such code for this machine.
Lane half_math(LaneBuilder& l, Op op, Lane x);
// Functions of SciPy's that have vector code (scalar_special.cpp); null for others, and where the
// machine has none for it.
Lane lower_special(LaneBuilder& l, Op op, std::span<const Lane> args);
Lane lower_gamma(LaneBuilder& l, Op op,
                 std::span<const Lane> args);  // its part in scalar_gamma.cpp
// f(args), which is of double precision whatever they are.
Lane in_double(LaneBuilder& l, std::span<const Lane> args,
               const std::function<Lane(std::span<const Lane>)>& f);
// Functions whose code is linked in later.
Value lower_linked(LaneBuilder& l, LinkedCalls& calls, Op op, Dtype compute, Dtype result,
                   std::span<const Value> args);
// x to the power of y, inline; requires fused multiply-add.
Lane inline_power(LaneBuilder& l, Lane x, Lane y);

// Integer functions that loop, of scalar_integer_loops.cpp.
Lane integer_power(LaneBuilder& l, Lane x, Lane exponent, bool is_signed);
Lane integer_gcd(LaneBuilder& l, Lane x, Lane y, bool is_signed);
Lane integer_lcm(LaneBuilder& l, Lane x, Lane y, bool is_signed);

[[noreturn]] void no_lowering(Op op, const char* types);

}  // namespace heddle::kernel
