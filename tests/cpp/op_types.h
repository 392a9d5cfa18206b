// What a row of the op table gives for a type it computes in, rows for internal use among them.
#pragma once

#include "ops/elementwise.h"

namespace heddle::test {

inline Dtype result_type_of(Op op, Dtype d) {
  return op == Op::make_complex ? complex_type(d) : result_type(op, d);
}

}  // namespace heddle::test
