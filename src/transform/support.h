// Small things that rules share.
#pragma once

#include "ops/elementwise.h"
#include <heddle/array.h>
#include <heddle/indexing.h>
#include <heddle/ufuncs.h>

namespace heddle::transform {

// The cotangent times a slope; 0 where it is 0.
inline array gated(const array& cotangent, const array& slope) {
  return elementwise(Op::gated, {cotangent, slope});
}

// A divisor that is 0 only where what it divides is.
inline array or_one(const array& divisor) { return where(divisor == 0, Scalar(1), divisor); }

}  // namespace heddle::transform
