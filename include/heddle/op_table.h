// The op table: one row per element-wise operation, and the single source of what is known about
// it. From these rows come the kernel IR's scalar vocabulary, the C++ functions, the ufunc objects,
// the type stubs, the documentation and the tests with their oracles. How a row computes is said
// once, in src/kernel/scalar_*.cpp; everything else that code has to know of an operation it asks
// the row for, so that no other file has a list of operations, and their order means nothing.
//
// X(space, op, inputs, types, result, code, doc, facts...)
//   space     where users find it (see Space)
//   op        NumPy's or SciPy's name, and the enumerator of Op
//   inputs    number of operands
//   types     the types the operation computes in; the first one that all operands can be cast to
//             safely is chosen (see Types)
//   result    the result type, from the type computed in (see Result)
//   code      own, or library(f): the C library has it as f, which is called where a machine has no
//             code of ours, and is the reference of tests; or where the code is that is linked into
//             kernels (see heddle/special_table.h, which has the rows of SciPy's functions)
//   doc       one line
//   facts     members of OpInfo whose value is not the usual one, in the order they have there
//
// A new fact is a member of OpInfo with its usual value, and its name in the rows that differ.
#pragma once

#include <array>
#include <cstdint>
#include <limits>

#include <heddle/dtype.h>
#include <heddle/special_table.h>

// clang-format off
#define HEDDLE_OPS(X) \
  /* arithmetic */ \
  X(heddle, add, 2, all, same, own, "Add arguments element-wise.", \
    .symbol = "+", .cost = cheap, .identity = zero, .reorder = exact_types, .truth = any, .widens = true, .exact = every_bit) \
  X(heddle, subtract, 2, number, same, own, "Subtract arguments element-wise.", \
    .symbol = "-", .cost = cheap, .reorder = exact_types, .refuses_bool = no_bool_subtract, .exact = every_bit) \
  X(heddle, multiply, 2, all, same, own, "Multiply arguments element-wise.", \
    .symbol = "*", .cost = cheap, .identity = one, .reorder = exact_types, .truth = all, .widens = true, .underflows = true, .exact = reals) \
  X(heddle, divide, 2, inexact, same, own, "Divide arguments element-wise.", \
    .symbol = "/", .cost = quotient, .float64_of_others = true, .divides = true, .underflows = true, .exact = reals) \
  X(heddle, floor_divide, 2, real, same, own, "The largest integer not above the quotient.", \
    .symbol = "//", .divides = true, .exact = every_bit) \
  X(heddle, remainder, 2, real, same, own, "The remainder that goes with floor_divide; it has the divisor's sign.", \
    .symbol = "%", .divides = true, .exact = every_bit) \
  X(heddle, fmod, 2, real, same, library(fmod), "The remainder of C's fmod; it has the dividend's sign.", \
    .divides = true, .exact = every_bit) \
  X(heddle, power, 2, number, same, library(pow), "First argument raised to the power of the second.", \
    .symbol = "**", .underflows = true, .domain = {0}, .ulps = 8, .complex_ulps = 32) \
  X(heddle, float_power, 2, doubles, same, own, "power, computed in float64 or complex128.", \
    .underflows = true, .domain = {0}, .ulps = 8) \
  X(heddle, negative, 1, number, same, own, "Numerical negative.", \
    .cost = cheap, .refuses_bool = no_bool_negative, .exact = every_bit) \
  X(heddle, positive, 1, number, same, own, "Numerical positive: a copy.", \
    .cost = cheap, .refuses_bool = no_bool, .exact = every_bit) \
  X(heddle, absolute, 1, all, real, own, "Absolute value; the modulus for complex numbers.", \
    .cost = modulus, .exact = reals) \
  X(heddle, fabs, 1, floating, same, own, "Absolute value, of real numbers, as a float.", \
    .cost = cheap, .exact = every_bit) \
  X(heddle, sign, 1, number, same, own, "-1, 0 or 1 after the sign; x/abs(x) for complex numbers.", \
    .cost = modulus, .refuses_bool = no_bool, .exact = reals) \
  X(heddle, square, 1, number, same, own, "The argument times itself.", \
    .cost = cheap, .underflows = true, .exact = reals) \
  X(heddle, reciprocal, 1, number, same, own, "One divided by the argument.", \
    .cost = quotient, .divides = true, .underflows = true, .exact = reals) \
  X(heddle, sqrt, 1, inexact, same, library(sqrt), "Non-negative square root.", \
    .cost = quotient, .domain = {0}, .exact = reals, .ulps = 0.5) \
  X(heddle, cbrt, 1, floating, same, library(cbrt), "Cube root.", \
    .ulps = 4) \
  X(heddle, conjugate, 1, number, same, own, "Complex conjugate.", \
    .cost = cheap, .exact = every_bit) \
  X(heddle, gcd, 2, integer, same, own, "Greatest common divisor.", \
    .identity = zero, .refuses_bool = no_bool, .exact = every_bit) \
  X(heddle, lcm, 2, integer, same, own, "Lowest common multiple.", \
    .refuses_bool = no_bool, .exact = every_bit) \
  /* exponentials and logarithms */ \
  X(heddle, exp, 1, inexact, same, library(exp), "e to the power of the argument.", \
    .cost = inlined, .underflows = true, .ulps = 1) \
  X(heddle, exp2, 1, inexact, same, library(exp2), "2 to the power of the argument.", \
    .underflows = true, .ulps = 2) \
  X(heddle, expm1, 1, inexact, same, library(expm1), "exp(x) - 1, accurate near zero.", \
    .ulps = 3) \
  X(heddle, log, 1, inexact, same, library(log), "Natural logarithm.", \
    .cost = inlined, .domain = {0}, .ulps = 1) \
  X(heddle, log2, 1, inexact, same, library(log2), "Base-2 logarithm.", \
    .domain = {0}, .ulps = 2) \
  X(heddle, log10, 1, inexact, same, library(log10), "Base-10 logarithm.", \
    .domain = {0}, .ulps = 2) \
  X(heddle, log1p, 1, inexact, same, library(log1p), "log(1 + x), accurate near zero.", \
    .domain = {-1}, .ulps = 3) \
  X(heddle, logaddexp, 2, floating, same, own, "log(exp(x1) + exp(x2)).", \
    .identity = minus_infinity) \
  X(heddle, logaddexp2, 2, floating, same, own, "log2(2**x1 + 2**x2).", \
    .identity = minus_infinity) \
  /* trigonometry */ \
  X(heddle, sin, 1, inexact, same, library(sin), "Sine.", \
    .cost = inlined, .ulps = 1.8) \
  X(heddle, cos, 1, inexact, same, library(cos), "Cosine.", \
    .cost = inlined, .ulps = 1.8) \
  X(heddle, tan, 1, inexact, same, library(tan), "Tangent.", \
    .ulps = 4) \
  X(heddle, arcsin, 1, inexact, same, library(asin), "Inverse sine.", \
    .domain = {-1, 1}, .ulps = 4) \
  X(heddle, arccos, 1, inexact, same, library(acos), "Inverse cosine.", \
    .domain = {-1, 1}, .ulps = 3) \
  X(heddle, arctan, 1, inexact, same, library(atan), "Inverse tangent.", \
    .ulps = 3) \
  X(heddle, sinh, 1, inexact, same, library(sinh), "Hyperbolic sine.", \
    .ulps = 3) \
  X(heddle, cosh, 1, inexact, same, library(cosh), "Hyperbolic cosine.", \
    .ulps = 3) \
  X(heddle, tanh, 1, inexact, same, library(tanh), "Hyperbolic tangent.", \
    .ulps = 3) \
  X(heddle, arcsinh, 1, inexact, same, library(asinh), "Inverse hyperbolic sine.", \
    .ulps = 3) \
  X(heddle, arccosh, 1, inexact, same, library(acosh), "Inverse hyperbolic cosine.", \
    .domain = {1}, .ulps = 3) \
  X(heddle, arctanh, 1, inexact, same, library(atanh), "Inverse hyperbolic tangent.", \
    .domain = {-1, 1}, .ulps = 3) \
  X(heddle, arctan2, 2, floating, same, library(atan2), "Angle of the point (x2, x1) in the right quadrant.") \
  X(heddle, hypot, 2, floating, same, own, "Length of the hypotenuse.", \
    .identity = zero) \
  X(heddle, deg2rad, 1, floating, same, own, "Degrees to radians.", \
    .cost = cheap) \
  X(heddle, rad2deg, 1, floating, same, own, "Radians to degrees.", \
    .cost = cheap) \
  /* bits */ \
  X(heddle, bitwise_and, 2, bits, same, own, "Bit-wise and.", \
    .symbol = "&", .cost = cheap, .identity = minus_one, .reorder = freely, .idempotent = true, .truth = all, .exact = every_bit) \
  X(heddle, bitwise_or, 2, bits, same, own, "Bit-wise or.", \
    .symbol = "|", .cost = cheap, .identity = zero, .reorder = freely, .idempotent = true, .truth = any, .exact = every_bit) \
  X(heddle, bitwise_xor, 2, bits, same, own, "Bit-wise exclusive or.", \
    .symbol = "^", .cost = cheap, .identity = zero, .reorder = freely, .truth = odd, .exact = every_bit) \
  X(heddle, invert, 1, bits, same, own, "Bit-wise not.", \
    .cost = cheap, .exact = every_bit) \
  X(heddle, left_shift, 2, integer, same, own, "Shift bits to the left.", \
    .symbol = "<<", .cost = cheap, .exact = every_bit) \
  X(heddle, right_shift, 2, integer, same, own, "Shift bits to the right.", \
    .symbol = ">>", .cost = cheap, .exact = every_bit) \
  X(heddle, bitwise_count, 1, integer, count, own, "Number of one bits in the absolute value.", \
    .cost = cheap, .exact = every_bit) \
  /* comparison and logic */ \
  X(heddle, greater, 2, all, boolean, own, "x1 > x2.", \
    .symbol = ">", .cost = cheap, .holds = above, .exact = every_bit) \
  X(heddle, greater_equal, 2, all, boolean, own, "x1 >= x2.", \
    .symbol = ">=", .cost = cheap, .holds = above | at, .exact = every_bit) \
  X(heddle, less, 2, all, boolean, own, "x1 < x2.", \
    .symbol = "<", .cost = cheap, .holds = below, .exact = every_bit) \
  X(heddle, less_equal, 2, all, boolean, own, "x1 <= x2.", \
    .symbol = "<=", .cost = cheap, .holds = below | at, .exact = every_bit) \
  X(heddle, equal, 2, all, boolean, own, "x1 == x2.", \
    .symbol = "==", .cost = cheap, .holds = at, .exact = every_bit) \
  X(heddle, not_equal, 2, all, boolean, own, "x1 != x2.", \
    .symbol = "!=", .cost = cheap, .holds = below | above | unordered, .exact = every_bit) \
  X(heddle, logical_and, 2, all, boolean, own, "Truth of x1 and x2.", \
    .cost = cheap, .identity = one, .reorder = freely, .idempotent = true, .truth = all, .exact = every_bit) \
  X(heddle, logical_or, 2, all, boolean, own, "Truth of x1 or x2.", \
    .cost = cheap, .identity = zero, .reorder = freely, .idempotent = true, .truth = any, .exact = every_bit) \
  X(heddle, logical_xor, 2, all, boolean, own, "Truth of exactly one of x1 and x2.", \
    .cost = cheap, .identity = zero, .reorder = freely, .truth = odd, .exact = every_bit) \
  X(heddle, logical_not, 1, all, boolean, own, "Truth of not x.", \
    .cost = cheap, .exact = every_bit) \
  X(heddle, maximum, 2, all, same, own, "The larger; a nan wins.", \
    .cost = cheap, .identity = lowest, .reorder = freely, .idempotent = true, .truth = any, .exact = every_bit) \
  X(heddle, minimum, 2, all, same, own, "The smaller; a nan wins.", \
    .cost = cheap, .identity = highest, .reorder = freely, .idempotent = true, .truth = all, .exact = every_bit) \
  X(heddle, fmax, 2, all, same, own, "The larger; a nan loses.", \
    .cost = cheap, .identity = lowest_number, .reorder = freely, .idempotent = true, .truth = any, .exact = every_bit) \
  X(heddle, fmin, 2, all, same, own, "The smaller; a nan loses.", \
    .cost = cheap, .identity = highest_number, .reorder = freely, .idempotent = true, .truth = all, .exact = every_bit) \
  /* floating point */ \
  X(heddle, isfinite, 1, all, boolean, own, "Neither infinity nor nan.", \
    .cost = cheap, .of_integers = yes, .exact = every_bit) \
  X(heddle, isinf, 1, all, boolean, own, "Positive or negative infinity.", \
    .cost = cheap, .of_integers = no, .exact = every_bit) \
  X(heddle, isnan, 1, all, boolean, own, "Not a number.", \
    .cost = cheap, .of_integers = no, .exact = every_bit) \
  X(heddle, signbit, 1, floating, boolean, own, "Whether the sign bit is set.", \
    .cost = cheap, .exact = every_bit) \
  X(heddle, copysign, 2, floating, same, own, "x1 with the sign of x2.", \
    .cost = cheap, .exact = every_bit) \
  X(heddle, nextafter, 2, floating, same, own, "The next number after x1 towards x2.", \
    .exact = every_bit) \
  X(heddle, spacing, 1, floating, same, own, "Distance to the nearest adjacent number.", \
    .exact = every_bit) \
  X(heddle, floor, 1, rounded, same, own, "The largest integer not above.", \
    .cost = cheap, .exact = every_bit) \
  X(heddle, ceil, 1, rounded, same, own, "The smallest integer not below.", \
    .cost = cheap, .exact = every_bit) \
  X(heddle, trunc, 1, rounded, same, own, "The nearest integer towards zero.", \
    .cost = cheap, .exact = every_bit) \
  X(heddle, rint, 1, inexact, same, own, "The nearest integer, ties to even.", \
    .cost = cheap, .exact = every_bit) \
  X(heddle, heaviside, 2, floating, same, own, "0, x2 or 1 for x1 below, at or above zero.", \
    .exact = every_bit) \
  X(heddle, ldexp, 2, floating, same, own, "x1 * 2**x2.", \
    .takes = {value, exponent}, .underflows = true, .exact = every_bit) \
  HEDDLE_SPECIAL_OPS(X) \
  /* halves of ufuncs with two results */ \
  X(internal, modf_fraction, 1, floating, same, own, "Fractional part, with the argument's sign.", \
    .exact = every_bit) \
  X(internal, modf_integer, 1, floating, same, own, "Integral part.", \
    .exact = every_bit) \
  X(internal, frexp_mantissa, 1, floating, same, own, "Mantissa in [0.5, 1).", \
    .exact = every_bit) \
  X(internal, frexp_exponent, 1, floating, int32, own, "Exponent of two that goes with the mantissa.", \
    .exact = every_bit) \
  /* building blocks of routines */ \
  X(internal, cast, 1, all, same, own, "Conversion to another type.", \
    .cost = cheap, .takes = {any_type}, .reorder = freely, .underflows = true, .exact = every_bit) \
  X(internal, select, 3, all, same, own, "x2 where x1 is true, else x3.", \
    .cost = cheap, .takes = {condition}, .exact = every_bit) \
  X(internal, real, 1, all, real, own, "Real part.", \
    .cost = cheap, .exact = every_bit) \
  X(internal, imag, 1, all, real, own, "Imaginary part.", \
    .cost = cheap, .exact = every_bit) \
  X(internal, make_complex, 2, floating, pair, own, "A complex number from its parts.", \
    .cost = cheap, .exact = every_bit) \
  X(internal, gated, 2, inexact, same, own, "x1 * x2, and 0 where x1 is 0, whatever x2 is.", \
    .cost = cheap, .oracle = ours, .exact = reals) \
  X(internal, stopped, 1, all, same, own, "The argument, taken for a constant: it has no derivative.", \
    .cost = cheap, .oracle = ours, .exact = every_bit) \
  X(internal, bounded, 3, integer, same, own, "The index x1 of an axis of extent x2, counted from its start; 0 where there is no such place, and then x1 is left in memory at x3.", \
    .cost = cheap, .takes = {value, value, address}, .exact = every_bit) \
  X(internal, reported, 3, all, same, own, "x1; where x2 is true, 1 is left in memory at x3.", \
    .cost = cheap, .takes = {value, condition, address}, .exact = every_bit) \
  /* random numbers */ \
  X(random, unit_interval, 1, words, fraction, own, "Random bits as a number in [0, 1): NumPy's.", \
    .cost = cheap, .oracle = ours) \
  X(random, normal_deviate, 1, words, fraction, own, "Random bits as a number of the normal distribution.", \
    .oracle = ours) \
  X(random, shuffled, 4, words, same, own, "The number at place x1 of a random order of the numbers below x2, which is chosen by x3 and x4.", \
    .oracle = ours) \
  X(random, log_gamma, 1, floating, same, own, "Logarithm of the gamma function of a positive number.", \
    .domain = {0}, .oracle = mpmath) \
  X(random, poisson_quantile, 2, floating, same, own, "The least count whose probability, together with those below, reaches x2.", \
    .oracle = ours) \
  X(random, binomial_quantile, 3, floating, same, own, "The same of x1 trials with probability x2, for x3.", \
    .oracle = ours) \
  X(random, hypergeometric_quantile, 4, floating, same, own, "The same of marked ones among x3, up to 10, out of x1 marked and x2 others, which are not fewer, for x4.", \
    .oracle = ours) \
  /* random numbers by rejection, made of two numbers in [0, 1), x1 and x2 */ \
  X(random, gamma_deviate, 3, floating, same, own, "A gamma number of parameter x3, which is at least 1.", \
    .oracle = ours) \
  X(random, poisson_deviate, 3, floating, same, own, "A Poisson number of mean x3, which is at least 10.", \
    .oracle = ours) \
  X(random, binomial_deviate, 4, floating, same, own, "Successes in x3 trials of probability x4 up to 1/2, where 10 or more are expected.", \
    .oracle = ours) \
  X(random, hypergeometric_deviate, 5, floating, same, own, "Marked ones of x5, more than 10, out of x3 marked and x4 others, which are not fewer.", \
    .oracle = ours) \
  X(random, zipf_deviate, 3, floating, same, own, "A number of Zipf's distribution with exponent x3.", \
    .oracle = ours) \
  X(random, logseries_deviate, 3, floating, same, own, "A number of the logarithmic series with parameter x3.", \
    .oracle = ours) \
  X(random, vonmises_deviate, 3, floating, same, own, "An angle around zero of concentration x3.", \
    .oracle = ours)

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

// Ufuncs with two results: X(name, op of the first, op of the second, inputs, doc).
#define HEDDLE_UFUNC_PAIRS(X) \
  X(divmod, floor_divide, remainder, 2, "Quotient and remainder at once.") \
  X(modf, modf_fraction, modf_integer, 1, "Fractional and integral parts.") \
  X(frexp, frexp_mantissa, frexp_exponent, 1, "Mantissa and exponent of two: x = mantissa * 2**exponent.")

// Operations of the kernel IR (kernel/ir.h) that are no element-wise ones.
#define HEDDLE_STRUCTURAL_OPS(X) \
  X(scalar) X(load) X(store) X(index) X(reduce) X(argmin) X(argmax) X(scan) X(random)
// clang-format on

namespace heddle {

enum class Op : std::uint16_t {
#define HEDDLE_OP_ENUM(space, op, ...) op,
  HEDDLE_OPS(HEDDLE_OP_ENUM)
#undef HEDDLE_OP_ENUM
#define HEDDLE_OP_ENUM(op) op,
      HEDDLE_STRUCTURAL_OPS(HEDDLE_OP_ENUM)
#undef HEDDLE_OP_ENUM
};

// Where users find an operation: in heddle as in NumPy, in heddle.special as in scipy.special, or
// nowhere, because heddle.random's distributions or other routines are made of it.
enum class Space : std::uint8_t { heddle, special, random, internal };

// The types an operation computes in.
enum class Types : std::uint8_t {
  all,        // every type
  number,     // all but bool
  real,       // integers and floats
  rounded,    // bool, integers and floats
  integer,    // integers
  bits,       // bool and integers
  floating,   // floats
  inexact,    // floats and complex
  singles,    // float32 and float64: SciPy's functions have nothing smaller
  doubles,    // float64 and complex128
  analytic,   // float32, float64, complex64 and complex128
  complexes,  // complex64 and complex128
  float64s,   // float64
  words,      // uint32 and uint64
};
inline constexpr int types_count = 14;

enum class Result : std::uint8_t {
  same,
  boolean,
  real,      // of a complex type its part's
  pair,      // the complex type of such parts
  count,     // uint8
  int32,     //
  fraction,  // the float of the same size
};

// In how many instructions it is done, roughly (kernel/op_cost.h).
enum class Cost : std::uint8_t {
  cheap,     // one, or a few
  modulus,   // the same, but a root of complex numbers
  quotient,  // a division or a root, which takes several times as long; more of what is no float
  inlined,   // a function that is short code of its own in single precision
  function,  // a function
  routine,   // a function that is called, of a hundred instructions or thousands
};

// What an operand is.
enum class Takes : std::uint8_t {
  value,      // of the type computed in
  any_type,   // of its own type
  condition,  // a truth value
  exponent,   // a signed integer
  address,    // an integer: where in memory a mark is left
  parameter,  // a real number of the precision of the type computed in, also where that is complex
  order,      // int64
};

// What changes nothing in a reduction with the operation. That of extremes depends on the type: it
// loses against every value, of fmax and fmin also against every number, being nan where there is
// one. NumPy, too, combines such in any order, and says that they have no identity.
enum class Identity : std::uint8_t {
  none,  // elements have to be combined in their order
  zero,
  one,
  minus_one,
  minus_infinity,
  lowest,
  highest,
  lowest_number,
  highest_number,
};

// Whether op(op(x, a), b) is op(op(x, b), a) in every bit.
enum class Reorder : std::uint8_t { never, exact_types, freely };

// What the operation is on truth values: whether any of them is true, all, or an odd number.
enum class Truth : std::uint8_t { undefined, any, all, odd };

// What tests compare it with: NumPy, SciPy (and mpmath, where digits count), mpmath, or a reference
// of their own.
enum class Oracle : std::uint8_t { numpy, scipy, mpmath, ours };

// What agrees with the oracle in every bit, as the result is defined up to rounding: nothing,
// results of real numbers, or all (NumPy's own formulas for complex numbers round several times).
enum class Exact : std::uint8_t { rounded, reals, every_bit };

enum class Known : std::uint8_t { unknown, yes, no };

// Bits of OpInfo::holds, as LLVM has them in the predicates of its comparisons.
namespace holds {
inline constexpr std::uint8_t at = 1, above = 2, below = 4, unordered = 8;
}

// Of an operation that bool is no operand of, though it could be cast to int8: what it says.
namespace refusal {
inline constexpr const char* no_bool = "";  // the usual
inline constexpr const char* no_bool_subtract =
    "numpy boolean subtract, the `-` operator, is not supported, use the bitwise_xor, the `^` "
    "operator, or the logical_xor function instead.";
inline constexpr const char* no_bool_negative =
    "The numpy boolean negative, the `-` operator, is not supported, use the `~` operator or the "
    "logical_not function instead.";
}  // namespace refusal

// Real operands have real results between these (of power: the first one).
struct Domain {
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();
};

inline constexpr int max_inputs = 5;   // of an operation
inline constexpr int max_outputs = 4;  // of a ufunc
inline constexpr Op no_op = static_cast<Op>(0xffff);

struct OpInfo {
  // What every row says.
  const char* name;
  Space space;
  std::uint8_t inputs;
  Types types;
  Result result;
  const char* library;  // the name of the C library's function; null where there is none
  bool linked;          // its code is a function of src/special
  const char* doc;

  const char* symbol = nullptr;  // Python's binary operator
  Cost cost = Cost::function;
  Takes takes[max_inputs] = {};  // per operand

  // Reductions.
  Identity identity = Identity::none;
  Reorder reorder = Reorder::never;
  bool idempotent = false;  // an element that is taken twice changes nothing
  Truth truth = Truth::undefined;
  // Integers are added up in 64 bits, float16 and bfloat16 in float32.
  bool widens = false;

  // Types.
  std::uint8_t holds = 0;              // of a comparison: where x1 may lie beside x2
  Known of_integers = Known::unknown;  // a test: what it gives for every integer and bool
  // Operands of types that it does not compute in are float64, of whatever size they are.
  bool float64_of_others = false;
  const char* refuses_bool = nullptr;
  // As SciPy has it: only operands that are all of a type it computes in are left in single
  // precision; with any other types, and beside Python's numbers, all are in double precision.
  bool doubles_first = false;
  // The row that computes instead where its orders are whole numbers; before all others, or where
  // no other holds the operands' types but float64.
  Op of_orders = no_op;
  bool orders_last = false;

  // Floating-point errors (transform/float_errors.h).
  bool divides = false;     // by its last operand, which must not be zero, integers included
  bool underflows = false;  // a result may be too small for its type though no operand is

  // Tests and benchmarks.
  Domain domain = {};
  Oracle oracle = Oracle::numpy;
  Exact exact = Exact::rounded;
  // What results may differ by, in units in the last place; 0: what is usual for the type.
  double ulps = 0;
  double complex_ulps = 0;

  // Code that is linked into kernels: the function, if it is not the row's name, and which of its
  // results this is.
  const char* function = nullptr;
  std::uint8_t output = 0;
  std::uint8_t outputs = 1;
};

inline constexpr auto op_table = [] {
  using enum Cost;
  using enum Takes;
  using enum Identity;
  using enum Truth;
  using enum Oracle;
  using enum Exact;
  using Known::no;
  using Known::yes;
  using Reorder::exact_types;
  using Reorder::freely;
  using holds::above;
  using holds::at;
  using holds::below;
  using holds::unordered;
  using refusal::no_bool;
  using refusal::no_bool_negative;
  using refusal::no_bool_subtract;
#define HEDDLE_LIBRARY_own nullptr, .linked = false
#define HEDDLE_LIBRARY_library(function) #function, .linked = false
#define HEDDLE_LIBRARY_xsf nullptr, .linked = true
#define HEDDLE_LIBRARY_boost HEDDLE_LIBRARY_xsf
#define HEDDLE_LIBRARY_scipy HEDDLE_LIBRARY_xsf
#define HEDDLE_LIBRARY_written HEDDLE_LIBRARY_xsf
#define HEDDLE_OP_ROW(space_, op, inputs_, types_, result_, code, doc_, ...) \
  OpInfo{.name = #op,                                                        \
         .space = Space::space_,                                             \
         .inputs = inputs_,                                                  \
         .types = Types::types_,                                             \
         .result = Result::result_,                                          \
         .library = HEDDLE_LIBRARY_##code,                                   \
         .doc = doc_ __VA_OPT__(, ) __VA_ARGS__},
  auto rows = std::to_array<OpInfo>({HEDDLE_OPS(HEDDLE_OP_ROW)});
  for (OpInfo& row : rows) {
    if (row.linked) row.oracle = Oracle::scipy;
  }
  return rows;
#undef HEDDLE_OP_ROW
#undef HEDDLE_LIBRARY_written
#undef HEDDLE_LIBRARY_scipy
#undef HEDDLE_LIBRARY_boost
#undef HEDDLE_LIBRARY_xsf
#undef HEDDLE_LIBRARY_library
#undef HEDDLE_LIBRARY_own
}();
inline constexpr int table_ops = static_cast<int>(op_table.size());

constexpr bool is_elementwise(Op op) { return static_cast<int>(op) < table_ops; }
constexpr const OpInfo& info(Op op) { return op_table[static_cast<std::size_t>(op)]; }
constexpr bool is_public(Op op) {
  return info(op).space == Space::heddle || info(op).space == Space::special;
}
constexpr bool is_comparison(Op op) { return info(op).holds != 0; }
// logical_and and the like: operands of any type are truth values.
constexpr bool is_logical(Op op) {
  return info(op).truth != Truth::undefined && info(op).result == Result::boolean;
}
// Whether a reduction may begin with a value that changes nothing, and combine in any order.
constexpr bool has_identity(Op op) { return info(op).identity != Identity::none; }
constexpr bool is_extremum(Op op) {
  const Identity identity = info(op).identity;
  return identity == Identity::lowest || identity == Identity::highest ||
         identity == Identity::lowest_number || identity == Identity::highest_number;
}

namespace detail {

// By position of an op: bit i is set where operand i is not of the type computed in.
inline constexpr auto other_operands = [] {
  std::array<std::uint8_t, table_ops> bits{};
  for (std::size_t row = 0; row < bits.size(); ++row) {
    for (int i = 0; i < op_table[row].inputs; ++i) {
      if (op_table[row].takes[i] != Takes::value) bits[row] |= static_cast<std::uint8_t>(1 << i);
    }
  }
  return bits;
}();

inline constexpr auto comparisons = [] {
  std::array<Op, 16> by_holds{};
  for (std::size_t row = 0; row < op_table.size(); ++row) {
    if (op_table[row].holds) by_holds[op_table[row].holds] = static_cast<Op>(row);
  }
  return by_holds;
}();

}  // namespace detail

// Whether all operands are of the type computed in.
constexpr bool has_equal_operands(Op op) {
  return detail::other_operands[static_cast<std::size_t>(op)] == 0;
}
// The first operand of the type computed in, or of its own type.
constexpr int typed_operand(Op op) {
  int i = 0;
  while (info(op).takes[i] != Takes::value && info(op).takes[i] != Takes::any_type) ++i;
  return i;
}
// Whether it leaves marks in memory, beside its result.
constexpr bool leaves_marks(Op op) {
  for (Takes takes : info(op).takes) {
    if (takes == Takes::address) return true;
  }
  return false;
}
// The comparison with its operands exchanged.
constexpr Op mirrored(Op comparison) {
  const std::uint8_t holds = info(comparison).holds;
  const int kept = holds & (holds::at | holds::unordered);
  const int turned =
      (holds & holds::above ? holds::below : 0) | (holds & holds::below ? holds::above : 0);
  return detail::comparisons[static_cast<std::size_t>(kept | turned)];
}

// Also of the operations that have no row.
constexpr const char* name(Op op) {
  if (is_elementwise(op)) return info(op).name;
  constexpr const char* structural[] = {
#define HEDDLE_OP_NAME(op) #op,
      HEDDLE_STRUCTURAL_OPS(HEDDLE_OP_NAME)
#undef HEDDLE_OP_NAME
  };
  return structural[static_cast<int>(op) - table_ops];
}

}  // namespace heddle
