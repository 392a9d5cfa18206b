// Element-wise functions and operators. The functions are generated from the op table: each row
// there that is not internal is one here, array sin(const array&), array add(const array&, const
// array&), and binary ones take a scalar on either side. Scalars are weak: float32 times 2.0 stays
// float32.
#pragma once

#include <utility>

#include <heddle/array.h>
#include <heddle/op_table.h>

namespace heddle {

// An operation of the table by its enumerator, with NumPy's rules for types and shapes.
HEDDLE_API array apply(Op op, const array& x);
HEDDLE_API array apply(Op op, const array& x1, const array& x2);
HEDDLE_API array apply(Op op, const array& x1, Scalar x2);
HEDDLE_API array apply(Op op, Scalar x1, const array& x2);

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

#define HEDDLE_FUNCTION_heddle(op, inputs) HEDDLE_UFUNC_##inputs(op, op)
#define HEDDLE_FUNCTION_special(op, inputs)
#define HEDDLE_FUNCTION_random(op, inputs)
#define HEDDLE_FUNCTION_internal(op, inputs)
#define HEDDLE_FUNCTION(space, op, inputs, ...) HEDDLE_FUNCTION_##space(op, inputs)
HEDDLE_OPS(HEDDLE_FUNCTION)
#undef HEDDLE_FUNCTION_heddle
#undef HEDDLE_FUNCTION_special

// SciPy's functions: special::erf.
namespace special {
#define HEDDLE_FUNCTION_heddle(op, inputs)
#define HEDDLE_FUNCTION_special(op, inputs) HEDDLE_UFUNC_##inputs(op, op)
HEDDLE_OPS(HEDDLE_FUNCTION)
#undef HEDDLE_FUNCTION_heddle
#undef HEDDLE_FUNCTION_special
}  // namespace special
#undef HEDDLE_FUNCTION_random
#undef HEDDLE_FUNCTION_internal
#undef HEDDLE_FUNCTION

// NumPy's second names: abs, pow, conj, asin, ...
#define HEDDLE_ALIAS(alias, op, inputs) HEDDLE_UFUNC_##inputs(alias, op)
HEDDLE_UFUNC_ALIASES(HEDDLE_ALIAS)
#undef HEDDLE_ALIAS

// Two results.
HEDDLE_API std::pair<array, array> divmod(const array& x1, const array& x2);
HEDDLE_API std::pair<array, array> divmod(const array& x1, Scalar x2);
HEDDLE_API std::pair<array, array> divmod(Scalar x1, const array& x2);
HEDDLE_API std::pair<array, array> modf(const array& x);   // fraction, integral part
HEDDLE_API std::pair<array, array> frexp(const array& x);  // mantissa, exponent of two

HEDDLE_API array real(const array& x);
HEDDLE_API array imag(const array& x);

// Limited to [low, high]; a nan stays.
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

}  // namespace heddle
