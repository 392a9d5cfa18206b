// The op table: one row per element-wise operation, and the single source of what is known about
// it. From these rows come the kernel IR's scalar vocabulary, the C++ functions, the ufunc objects,
// the type stubs, the documentation and the generated tests. How a row computes is said once, in
// src/kernel/scalar_ops.cpp.
//
// X(op, inputs, types, result, identity, doc)
//   op        NumPy's name, and the enumerator of Op
//   inputs    number of operands
//   types     the types the operation computes in; the first one that all operands can be cast to
//             safely is chosen (see Types)
//   result    the result type, from the type computed in (see Result)
//   identity  of a reduction with this op (see Identity)
//   doc       one line
#pragma once

#include <cstdint>

#include <heddle/dtype.h>

// clang-format off
#define HEDDLE_UFUNCS(X) \
  /* arithmetic */ \
  X(add,            2, all,      same, zero,  "Add arguments element-wise.") \
  X(subtract,       2, number,   same, none,  "Subtract arguments element-wise.") \
  X(multiply,       2, all,      same, one,   "Multiply arguments element-wise.") \
  X(divide,         2, inexact,  same, none,  "Divide arguments element-wise.") \
  X(floor_divide,   2, real,     same, none,  "The largest integer not above the quotient.") \
  X(remainder,      2, real,     same, none,  "The remainder that goes with floor_divide; it has the divisor's sign.") \
  X(fmod,           2, real,     same, none,  "The remainder of C's fmod; it has the dividend's sign.") \
  X(power,          2, number,   same, none,  "First argument raised to the power of the second.") \
  X(float_power,    2, doubles,  same, none,  "power, computed in float64 or complex128.") \
  X(negative,       1, number,   same, none,  "Numerical negative.") \
  X(positive,       1, number,   same, none,  "Numerical positive: a copy.") \
  X(absolute,       1, all,      real, none,  "Absolute value; the modulus for complex numbers.") \
  X(fabs,           1, floating, same, none,  "Absolute value, of real numbers, as a float.") \
  X(sign,           1, number,   same, none,  "-1, 0 or 1 after the sign; x/abs(x) for complex numbers.") \
  X(square,         1, number,   same, none,  "The argument times itself.") \
  X(reciprocal,     1, number,   same, none,  "One divided by the argument.") \
  X(sqrt,           1, inexact,  same, none,  "Non-negative square root.") \
  X(cbrt,           1, floating, same, none,  "Cube root.") \
  X(conjugate,      1, number,   same, none,  "Complex conjugate.") \
  X(gcd,            2, integer,  same, zero,  "Greatest common divisor.") \
  X(lcm,            2, integer,  same, none,  "Lowest common multiple.") \
  /* exponentials and logarithms */ \
  X(exp,            1, inexact,  same, none,  "e to the power of the argument.") \
  X(exp2,           1, inexact,  same, none,  "2 to the power of the argument.") \
  X(expm1,          1, inexact,  same, none,  "exp(x) - 1, accurate near zero.") \
  X(log,            1, inexact,  same, none,  "Natural logarithm.") \
  X(log2,           1, inexact,  same, none,  "Base-2 logarithm.") \
  X(log10,          1, inexact,  same, none,  "Base-10 logarithm.") \
  X(log1p,          1, inexact,  same, none,  "log(1 + x), accurate near zero.") \
  X(logaddexp,      2, floating, same, minus_infinity, "log(exp(x1) + exp(x2)).") \
  X(logaddexp2,     2, floating, same, minus_infinity, "log2(2**x1 + 2**x2).") \
  /* trigonometry */ \
  X(sin,            1, inexact,  same, none,  "Sine.") \
  X(cos,            1, inexact,  same, none,  "Cosine.") \
  X(tan,            1, inexact,  same, none,  "Tangent.") \
  X(arcsin,         1, inexact,  same, none,  "Inverse sine.") \
  X(arccos,         1, inexact,  same, none,  "Inverse cosine.") \
  X(arctan,         1, inexact,  same, none,  "Inverse tangent.") \
  X(sinh,           1, inexact,  same, none,  "Hyperbolic sine.") \
  X(cosh,           1, inexact,  same, none,  "Hyperbolic cosine.") \
  X(tanh,           1, inexact,  same, none,  "Hyperbolic tangent.") \
  X(arcsinh,        1, inexact,  same, none,  "Inverse hyperbolic sine.") \
  X(arccosh,        1, inexact,  same, none,  "Inverse hyperbolic cosine.") \
  X(arctanh,        1, inexact,  same, none,  "Inverse hyperbolic tangent.") \
  X(arctan2,        2, floating, same, none,  "Angle of the point (x2, x1) in the right quadrant.") \
  X(hypot,          2, floating, same, zero,  "Length of the hypotenuse.") \
  X(deg2rad,        1, floating, same, none,  "Degrees to radians.") \
  X(rad2deg,        1, floating, same, none,  "Radians to degrees.") \
  /* bits */ \
  X(bitwise_and,    2, bits,     same, minus_one, "Bit-wise and.") \
  X(bitwise_or,     2, bits,     same, zero,  "Bit-wise or.") \
  X(bitwise_xor,    2, bits,     same, zero,  "Bit-wise exclusive or.") \
  X(invert,         1, bits,     same, none,  "Bit-wise not.") \
  X(left_shift,     2, integer,  same, none,  "Shift bits to the left.") \
  X(right_shift,    2, integer,  same, none,  "Shift bits to the right.") \
  X(bitwise_count,  1, integer,  count, none, "Number of one bits in the absolute value.") \
  /* comparison and logic */ \
  X(greater,        2, all,      boolean, none, "x1 > x2.") \
  X(greater_equal,  2, all,      boolean, none, "x1 >= x2.") \
  X(less,           2, all,      boolean, none, "x1 < x2.") \
  X(less_equal,     2, all,      boolean, none, "x1 <= x2.") \
  X(equal,          2, all,      boolean, none, "x1 == x2.") \
  X(not_equal,      2, all,      boolean, none, "x1 != x2.") \
  X(logical_and,    2, all,      boolean, one,  "Truth of x1 and x2.") \
  X(logical_or,     2, all,      boolean, zero, "Truth of x1 or x2.") \
  X(logical_xor,    2, all,      boolean, zero, "Truth of exactly one of x1 and x2.") \
  X(logical_not,    1, all,      boolean, none, "Truth of not x.") \
  X(maximum,        2, all,      same, none,  "The larger; a nan wins.") \
  X(minimum,        2, all,      same, none,  "The smaller; a nan wins.") \
  X(fmax,           2, all,      same, none,  "The larger; a nan loses.") \
  X(fmin,           2, all,      same, none,  "The smaller; a nan loses.") \
  /* floating point */ \
  X(isfinite,       1, all,      boolean, none, "Neither infinity nor nan.") \
  X(isinf,          1, all,      boolean, none, "Positive or negative infinity.") \
  X(isnan,          1, all,      boolean, none, "Not a number.") \
  X(signbit,        1, floating, boolean, none, "Whether the sign bit is set.") \
  X(copysign,       2, floating, same, none,  "x1 with the sign of x2.") \
  X(nextafter,      2, floating, same, none,  "The next number after x1 towards x2.") \
  X(spacing,        1, floating, same, none,  "Distance to the nearest adjacent number.") \
  X(floor,          1, rounded,  same, none,  "The largest integer not above.") \
  X(ceil,           1, rounded,  same, none,  "The smallest integer not below.") \
  X(trunc,          1, rounded,  same, none,  "The nearest integer towards zero.") \
  X(rint,           1, inexact,  same, none,  "The nearest integer, ties to even.") \
  X(heaviside,      2, floating, same, none,  "0, x2 or 1 for x1 below, at or above zero.") \
  X(ldexp,          2, floating, ldexp, none, "x1 * 2**x2.")

// NumPy's second names: X(alias, op, inputs).
#define HEDDLE_UFUNC_ALIASES(X) \
  X(abs, absolute, 1) \
  X(acos, arccos, 1) \
  X(acosh, arccosh, 1) \
  X(asin, arcsin, 1) \
  X(asinh, arcsinh, 1) \
  X(atan, arctan, 1) \
  X(atan2, arctan2, 2) \
  X(atanh, arctanh, 1) \
  X(bitwise_invert, invert, 1) \
  X(bitwise_left_shift, left_shift, 2) \
  X(bitwise_not, invert, 1) \
  X(bitwise_right_shift, right_shift, 2) \
  X(conj, conjugate, 1) \
  X(degrees, rad2deg, 1) \
  X(mod, remainder, 2) \
  X(pow, power, 2) \
  X(radians, deg2rad, 1) \
  X(true_divide, divide, 2)

// Operations that are not ufuncs of their own: halves of ufuncs with two results, and the building
// blocks of routines.
#define HEDDLE_SCALAR_OPS(X) \
  X(cast,           1, all,      same, none,  "Conversion to another type.") \
  X(select,         3, all,      same, none,  "x2 where x1 is true, else x3.") \
  X(real,           1, all,      real, none,  "Real part.") \
  X(imag,           1, all,      real, none,  "Imaginary part.") \
  X(make_complex,   2, floating, same, none,  "A complex number from its parts.") \
  X(modf_fraction,  1, floating, same, none,  "Fractional part, with the argument's sign.") \
  X(modf_integer,   1, floating, same, none,  "Integral part.") \
  X(frexp_mantissa, 1, floating, same, none,  "Mantissa in [0.5, 1).") \
  X(frexp_exponent, 1, floating, int32, none, "Exponent of two that goes with the mantissa.") \
  X(gated,          2, inexact,  same, none,  "x1 * x2, and 0 where x1 is 0, whatever x2 is.") \
  X(stopped,        1, all,      same, none,  "The argument, taken for a constant: it has no derivative.") \
  X(bounded,        3, integer,  same, none,  "The index x1 of an axis of extent x2, counted from its start; 0 where there is no such place, and then x1 is left in memory at x3.") \
  X(reported,       3, all,      same, none,  "x1; where x2 is true, 1 is left in memory at x3.") \
  X(unit_interval,  1, words, fraction, none, "Random bits as a number in [0, 1): NumPy's.") \
  X(normal_deviate, 1, words, fraction, none, "Random bits as a number of the normal distribution.") \
  X(shuffled,       4, words, same, none, "The number at place x1 of a random order of the numbers below x2, which is chosen by x3 and x4.") \
  X(log_gamma,      1, floating, same, none, "Logarithm of the gamma function of a positive number.") \
  X(poisson_quantile, 2, floating, same, none, "The least count whose probability, together with those below, reaches x2.") \
  X(binomial_quantile, 3, floating, same, none, "The same of x1 trials with probability x2, for x3.") \
  X(hypergeometric_quantile, 4, floating, same, none, "The same of marked ones among x3, up to 10, out of x1 marked and x2 others, which are not fewer, for x4.") \
  /* random numbers by rejection, made of two numbers in [0, 1), x1 and x2 */ \
  X(gamma_deviate,  3, floating, same, none, "A gamma number of parameter x3, which is at least 1.") \
  X(poisson_deviate, 3, floating, same, none, "A Poisson number of mean x3, which is at least 10.") \
  X(binomial_deviate, 4, floating, same, none, "Successes in x3 trials of probability x4 up to 1/2, where 10 or more are expected.") \
  X(hypergeometric_deviate, 5, floating, same, none, "Marked ones of x5, more than 10, out of x3 marked and x4 others, which are not fewer.") \
  X(zipf_deviate,   3, floating, same, none, "A number of Zipf's distribution with exponent x3.") \
  X(logseries_deviate, 3, floating, same, none, "A number of the logarithmic series with parameter x3.") \
  X(vonmises_deviate, 3, floating, same, none, "An angle around zero of concentration x3.")
// clang-format on

namespace heddle {

enum class Op : std::uint8_t {
#define HEDDLE_OP_ENUM(op, ...) op,
  HEDDLE_UFUNCS(HEDDLE_OP_ENUM) HEDDLE_SCALAR_OPS(HEDDLE_OP_ENUM)
#undef HEDDLE_OP_ENUM
  // Structural operations of the kernel IR (kernel/ir.h): no rows.
  scalar,
  load,
  store,
  index,
  reduce,
  argmin,
  argmax,
  scan,
  random,
};

// The types an operation computes in.
enum class Types : std::uint8_t {
  all,       // every type
  number,    // all but bool
  real,      // integers and floats
  rounded,   // bool, integers and floats
  integer,   // integers
  bits,      // bool and integers
  floating,  // floats
  inexact,   // floats and complex
  doubles,   // float64 and complex128
  words,     // uint32 and uint64
};
inline constexpr int types_count = 10;

// fraction: the float of the same size
enum class Result : std::uint8_t { same, boolean, real, count, int32, ldexp, fraction };
enum class Identity : std::uint8_t { none, zero, one, minus_one, minus_infinity };

inline constexpr int max_inputs = 5;  // of an operation

struct OpInfo {
  const char* name;
  std::uint8_t inputs;
  Types types;
  Result result;
  Identity identity;
  const char* doc;
};

inline constexpr OpInfo op_table[] = {
#define HEDDLE_OP_ROW(op, inputs, types, result, identity, doc) \
  {#op, inputs, Types::types, Result::result, Identity::identity, doc},
    HEDDLE_UFUNCS(HEDDLE_OP_ROW) HEDDLE_SCALAR_OPS(HEDDLE_OP_ROW)
#undef HEDDLE_OP_ROW
};
inline constexpr int table_ops = sizeof(op_table) / sizeof(op_table[0]);

constexpr bool is_elementwise(Op op) { return static_cast<int>(op) < table_ops; }
constexpr const OpInfo& info(Op op) { return op_table[static_cast<int>(op)]; }

}  // namespace heddle
