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
// The same with a mantissa from 1 to 2.
Decomposed decompose_from_one_avx512(LaneBuilder& l, Lane x);
// Positive normal numbers.
Decomposed decompose(LaneBuilder& l, Lane x);
// Positive numbers, subnormals too.
Decomposed decompose_all(LaneBuilder& l, Lane x);

// As C's frexp but for zero, infinity and nan, whose exponents are infinite or nan. With AVX-512.
Decomposed frexp_avx512(LaneBuilder& l, Lane x);

// Entries of a table by the low five or four bits of each index. With AVX-512.
Lane lookup_avx512(LaneBuilder& l, Lane index, const std::array<float, 32>& table);
Lane lookup_avx512(LaneBuilder& l, Lane index, const std::array<float, 16>& table);
Lane lookup_avx512(LaneBuilder& l, Lane index, const std::array<double, 16>& table);

// A double as 2^exponent (1 + rest) / inverse, of which all but the index (into wide_log_inverse
// and its like) are exact; the rest is at most 0.055. Special values are those of decompose_avx512.
struct NearOne {
  Lane exponent, index, inverse, rest;
};
NearOne near_one_avx512(LaneBuilder& l, Lane x);

// y * 2^k for any k, which is rounded down; the result is rounded once. With AVX-512.
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

// Exact sum, whichever is larger.
inline Double2 exact_sum(Lane x, Lane y) {
  Lane hi = x + y;
  Lane part = hi - x;
  return {hi, (x - (hi - part)) + (y - part)};
}

// The next ones require fused multiply-add.
inline Double2 exact_product(LaneBuilder& l, Lane x, Lane y) {
  Lane hi = x * y;
  return {hi, l.mad(x, y, -hi)};
}
inline Double2 multiply(LaneBuilder& l, Double2 x, Double2 y) {
  Double2 product = exact_product(l, x.hi, y.hi);
  return {product.hi, l.mad(x.lo, y.hi, l.mad(x.hi, y.lo, product.lo))};
}

inline Double2 choose(LaneBuilder& l, Lane condition, Double2 yes, Double2 no) {
  return {l.where(condition, yes.hi, no.hi), l.where(condition, yes.lo, no.lo)};
}

// A constant in two parts, whose lower one is other for either type.
struct Parts {
  struct {
    double hi, lo;
  } single, wide;
};
inline Double2 constant(LaneBuilder& l, Lane like, const Parts& parts) {
  auto [hi, lo] = is_single(like) ? parts.single : parts.wide;
  return {constant(l, like, hi), constant(l, like, lo)};
}
constexpr Parts quarter_turn{{1.5707963705062866, -4.371138828673793e-08},
                             {1.5707963267948966, 6.123233995736766e-17}};

// x / y and the root, rounded to nearest.
Lane quotient(LaneBuilder& l, Lane x, Lane y);
Lane square_root(LaneBuilder& l, Lane x);

// 1 / x, nearly rounded where the machine has an estimate; x / y and the root in two parts that
// need not be rounded, of numbers, and with results, that are far from overflow and from vanishing,
// or of a root of zero.
Lane inverse(LaneBuilder& l, Lane x);
// Within two units in the last place, for what is corrected afterwards; x is neither tiny nor huge.
Lane inverse_estimate(LaneBuilder& l, Lane x);
Double2 quotient_in_parts(LaneBuilder& l, Double2 x, Double2 y);
Double2 root_in_parts(LaneBuilder& l, Double2 x);

// Two to the power of a whole number, which is given with rounding_shift added.
Lane two_to(LaneBuilder& l, Lane shifted);

// The natural logarithm of a positive double, to about 65 bits; requires fused multiply-add.
Double2 precise_log(LaneBuilder& l, Lane x);

}  // namespace heddle::kernel
