/// @file
/// Element-wise functions and operators. The functions are generated from the op table: each row
/// there that is not internal is one here, array sin(const array&), array add(const array&, const
/// array&), and binary ones take a scalar on either side. Scalars are weak: float32 times 2.0 stays
/// float32.
#pragma once

#include <array>
#include <span>
#include <utility>

#include <heddle/array.h>
#include <heddle/op_table.h>

namespace heddle {

/// An operation of the table by its enumerator, with NumPy's rules for types and shapes.
HEDDLE_API array apply(Op op, const array& x);
HEDDLE_API array apply(Op op, const array& x1, const array& x2);
HEDDLE_API array apply(Op op, const array& x1, Scalar x2);
HEDDLE_API array apply(Op op, Scalar x1, const array& x2);
HEDDLE_API array apply(Op op, std::span<const array> operands);

// Temporaries are let go of at once, not at the end of the statement: in sum(sin(a)).item<float>()
// nobody can ask for sin(a) when the kernel runs, so it is never written to memory.
#define HEDDLE_UFUNC_1(function, op)                                 \
  inline array function(const array& x) { return apply(Op::op, x); } \
  inline array function(array&& x) {                                 \
    array last = std::move(x);                                       \
    return apply(Op::op, last);                                      \
  }
#define HEDDLE_UFUNC_2(function, op)                                                        \
  inline array function(const array& x1, const array& x2) { return apply(Op::op, x1, x2); } \
  inline array function(const array& x1, Scalar x2) { return apply(Op::op, x1, x2); }       \
  inline array function(Scalar x1, const array& x2) { return apply(Op::op, x1, x2); }       \
  inline array function(array&& x1, const array& x2) {                                      \
    array last = std::move(x1);                                                             \
    return apply(Op::op, last, x2);                                                         \
  }                                                                                         \
  inline array function(const array& x1, array&& x2) {                                      \
    array last = std::move(x2);                                                             \
    return apply(Op::op, x1, last);                                                         \
  }                                                                                         \
  inline array function(array&& x1, array&& x2) {                                           \
    array first = std::move(x1), second = std::move(x2);                                    \
    return apply(Op::op, first, second);                                                    \
  }                                                                                         \
  inline array function(array&& x1, Scalar x2) {                                            \
    array last = std::move(x1);                                                             \
    return apply(Op::op, last, x2);                                                         \
  }                                                                                         \
  inline array function(Scalar x1, array&& x2) {                                            \
    array last = std::move(x2);                                                             \
    return apply(Op::op, x1, last);                                                         \
  }

// Of more operands, all are arrays: a number is array(2.0).
#define HEDDLE_UFUNC_3(function, op) HEDDLE_UFUNC_MANY(function, op)
#define HEDDLE_UFUNC_4(function, op) HEDDLE_UFUNC_MANY(function, op)
#define HEDDLE_UFUNC_5(function, op) HEDDLE_UFUNC_MANY(function, op)
#define HEDDLE_UFUNC_MANY(function, op)             \
  template <class... A>                             \
    requires(sizeof...(A) == info(Op::op).inputs)   \
  array function(const A&... operands) {            \
    const array given[] = {operands...};            \
    return heddle::apply(Op::op, std::span(given)); \
  }

#define HEDDLE_FUNCTION_heddle(op, inputs) HEDDLE_UFUNC_##inputs(op, op)
#define HEDDLE_FUNCTION_special(op, inputs)
#define HEDDLE_FUNCTION_random(op, inputs)
#define HEDDLE_FUNCTION_internal(op, inputs)
#define HEDDLE_FUNCTION(space, op, inputs, ...) HEDDLE_FUNCTION_##space(op, inputs)
HEDDLE_OPS(HEDDLE_FUNCTION)
#undef HEDDLE_FUNCTION_heddle
#undef HEDDLE_FUNCTION_special

/// SciPy's functions: special::erf(x), special::betainc(a, b, x), and special::airy(x), which is a
/// std::array of four arrays.
namespace special {
#define HEDDLE_FUNCTION_heddle(op, inputs)
#define HEDDLE_FUNCTION_special(op, inputs) HEDDLE_UFUNC_##inputs(op, op)
HEDDLE_OPS(HEDDLE_FUNCTION)
#undef HEDDLE_FUNCTION_heddle
#undef HEDDLE_FUNCTION_special
#define HEDDLE_RESULTS_2(name) \
  heddle::apply(Op::name##_0, std::span(given)), heddle::apply(Op::name##_1, std::span(given))
#define HEDDLE_RESULTS_4(name)                                           \
  HEDDLE_RESULTS_2(name), heddle::apply(Op::name##_2, std::span(given)), \
      heddle::apply(Op::name##_3, std::span(given))
#define HEDDLE_TUPLE(unused, name, outputs, inputs, ...)  \
  template <class... A>                                   \
    requires(sizeof...(A) == inputs)                      \
  std::array<array, outputs> name(const A&... operands) { \
    const array given[] = {operands...};                  \
    return {HEDDLE_RESULTS_##outputs(name)};              \
  }
HEDDLE_SPECIAL_TUPLES(HEDDLE_TUPLE, )
#undef HEDDLE_TUPLE
#undef HEDDLE_RESULTS_2
#undef HEDDLE_RESULTS_4
}  // namespace special
#undef HEDDLE_FUNCTION_random
#undef HEDDLE_FUNCTION_internal
#undef HEDDLE_FUNCTION

// NumPy's second names: abs, pow, conj, asin, ...
#define HEDDLE_ALIAS(alias, op, inputs) HEDDLE_UFUNC_##inputs(alias, op)
HEDDLE_UFUNC_ALIASES(HEDDLE_ALIAS)
#undef HEDDLE_ALIAS

/// Two results.
HEDDLE_API std::pair<array, array> divmod(const array& x1, const array& x2);
HEDDLE_API std::pair<array, array> divmod(const array& x1, Scalar x2);
HEDDLE_API std::pair<array, array> divmod(Scalar x1, const array& x2);
HEDDLE_API std::pair<array, array> modf(const array& x);   ///< fraction, integral part
HEDDLE_API std::pair<array, array> frexp(const array& x);  ///< mantissa, exponent of two

/// The parts of complex numbers, as new arrays; of real ones, their elements and zeros.
HEDDLE_API array real(const array& x);
HEDDLE_API array imag(const array& x);

/// Limited to [low, high]; a nan stays.
HEDDLE_API array clip(const array& a, const array& low, const array& high);
HEDDLE_API array clip(const array& a, Scalar low, Scalar high);

// Operators by the names of the table. Comparisons are element-wise too: (x == y) is an array, and
// if (all(x == y)) asks about the whole.
#define HEDDLE_BINARY_OPERATORS(X) \
  X(+, add)                        \
  X(-, subtract)                   \
  X(*, multiply)                   \
  X(/, divide)                     \
  X(%, remainder)                  \
  X(&, bitwise_and)                \
  X(|, bitwise_or)                 \
  X(^, bitwise_xor)                \
  X(<<, left_shift)                \
  X(>>, right_shift)               \
  X(==, equal)                     \
  X(!=, not_equal)                 \
  X(<, less)                       \
  X(<=, less_equal)                \
  X(>, greater)                    \
  X(>=, greater_equal)
#define HEDDLE_OPERATOR(symbol, op) HEDDLE_UFUNC_2(operator symbol, op)
HEDDLE_BINARY_OPERATORS(HEDDLE_OPERATOR)
#undef HEDDLE_OPERATOR
HEDDLE_UFUNC_1(operator-, negative)
HEDDLE_UFUNC_1(operator+, positive)
HEDDLE_UFUNC_1(operator~, invert)
#undef HEDDLE_UFUNC_1
#undef HEDDLE_UFUNC_2
#undef HEDDLE_UFUNC_3
#undef HEDDLE_UFUNC_4
#undef HEDDLE_UFUNC_5
#undef HEDDLE_UFUNC_MANY

}  // namespace heddle
