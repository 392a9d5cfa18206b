// Steps that the inline math functions share: splitting a number into mantissa and exponent,
// scaling by a power of two, rounding by a shift, numbers in two parts.
#pragma once

#include <array>

#include "kernel/lane_builder.h"

namespace heddle::kernel {

inline bool is_single(Lane x) { return x.value->getType()->getScalarType()->isFloatTy(); }

inline Lane constant(LaneBuilder& l, Lane like, double value) {
  return l.number(like.value->getType(), value);
}

// A sum with 1.5 * 2^(precision - 1) leaves the nearest integer in the low bits.
inline double rounding_shift(Lane x) { return is_single(x) ? 0x1.8p23 : 0x1.8p52; }

struct Decomposed {
  Lane exponent, mantissa;  // x = mantissa * 2^exponent, 0.75 <= mantissa < 1.5
};

// Any number. With AVX-512: zero and infinity have infinite exponents and the mantissa of a
// negative number is nan, so that logarithms of special values need no further care.
Decomposed decompose_avx512(LaneBuilder& l, Lane x);
// Positive normal numbers.
Decomposed decompose(LaneBuilder& l, Lane x);

// As C's frexp but for zero, infinity and nan, whose exponents are infinite or nan. With AVX-512.
Decomposed frexp_avx512(LaneBuilder& l, Lane x);

// Entries of a table by the low five bits of each index. With AVX-512.
Lane lookup_avx512(LaneBuilder& l, Lane index, const std::array<float, 32>& table);

// y * 2^k for any whole k, rounded once. With AVX-512.
Lane scale_avx512(LaneBuilder& l, Lane y, Lane k);
// y * 2^k for whole k; only the last step may round. `shifted` is k + rounding_shift.
Lane scale(LaneBuilder& l, Lane y, Lane k, Lane shifted);

// A sum of two numbers, the second below the rounding error of the first.
struct Double2 {
  Lane hi, lo;
};

// Exact sum for |x| >= |y| or x == 0.
inline Double2 fast_sum(Lane x, Lane y) {
  Lane hi = x + y;
  return {hi, (x - hi) + y};
}

// x / y and the root, rounded to nearest.
Lane quotient(LaneBuilder& l, Lane x, Lane y);
Lane square_root(LaneBuilder& l, Lane x);

// The natural logarithm of a positive double, to about 65 bits; requires fused multiply-add.
Double2 precise_log(LaneBuilder& l, Lane x);

}  // namespace heddle::kernel
