/// @file
/// Functions that give complex results where real ones do not exist, NumPy's emath: the square root
/// of -1 is i. Whether an argument has such elements has to be known before the result has a type,
/// so each call looks at its argument.
///
///     array z = emath::sqrt(array{-1.0, 4.0});          // i, 2
#pragma once

#include <heddle/array.h>

namespace heddle::emath {

HEDDLE_API array sqrt(const array& x);
HEDDLE_API array log(const array& x);
HEDDLE_API array log2(const array& x);
HEDDLE_API array log10(const array& x);
/// To base n.
HEDDLE_API array logn(const array& n, const array& x);
/// x to the power p. Negative whole exponents are those of real numbers.
HEDDLE_API array power(const array& x, const array& p);
HEDDLE_API array arccos(const array& x);
HEDDLE_API array arcsin(const array& x);
HEDDLE_API array arctanh(const array& x);

}  // namespace heddle::emath
