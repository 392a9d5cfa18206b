// What operators do beyond the plain operation, the same for every front end: NumPy's shortcuts and
// refusals, casting of in-place results, truth and scalars as elements.
#pragma once

#include "ops/elementwise.h"
#include <heddle/array.h>
#include <heddle/op_table.h>

namespace heddle {

// a op b. Powers with small constant exponents become cheaper operations, integers to negative
// integer powers are refused (value_error), and integers outside of the other operand's type
// compare as the numbers they are.
HEDDLE_API array binary(Op op, std::span<const Input, 2> inputs);
inline array binary(Op op, const Input& a, const Input& b) {
  const Input inputs[] = {a, b};
  return binary(op, inputs);
}

// What base to the power of exponent made, or will. Throws value_error where integers have negative
// exponents: now, or when a device that nobody waits for has found one.
HEDDLE_API array without_negative_powers(const Input& base, const Input& exponent, array made);

// Limited to [low, high], in the type that all three have in common.
HEDDLE_API array clip(const array& a, const Input& low, const Input& high);

// target op= ..., where value is the result of op. Throws casting_error where the value's kind does
// not fit the target's, value_error where its shape is not the target's.
HEDDLE_API void write_in_place(Op op, const array& target, array value);
// Only the checks.
HEDDLE_API void check_in_place(Op op, const array& target, const array& value);
// a op b on its way there. Where more than one thing is wrong the type is the first to be told of,
// as in NumPy.
HEDDLE_API array binary_in_place(Op op, const array& target, const Input& a, const Input& b);

// A scalar on its way into an array of this type. Throws where NumPy does: nan, infinity and what
// is out of range are no integers, complex numbers are not real.
HEDDLE_API array to_element(const Scalar& value, Dtype dtype);
// The same for a scalar result, which comes back as it is. It has to fit signed integers; into
// other types it is cast, as in NumPy.
HEDDLE_API array to_element(const array& value, Dtype dtype);

// Throws value_error unless the array has exactly one element, whose truth it then is.
HEDDLE_API void check_truth(const array& a);

}  // namespace heddle
