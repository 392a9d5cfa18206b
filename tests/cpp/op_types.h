// What a row of the op table gives for a type it computes in, rows for internal use among them.
#pragma once

#include "ops/elementwise.h"

namespace heddle::test {

inline Dtype result_type_of(Op op, Dtype d) {
  return op == Op::make_complex ? complex_type(d) : result_type(op, d);
}

// The type that it takes an operand in.
inline Dtype operand_type_of(Op op, int i, Dtype d) {
  if (op == Op::select && i == 0) return Dtype::bool_;
  if (op == Op::reported && i > 0) return i == 1 ? Dtype::bool_ : Dtype::int64;
  if (op == Op::ldexp && i == 1) return Dtype::int32;
  return d;
}

}  // namespace heddle::test
