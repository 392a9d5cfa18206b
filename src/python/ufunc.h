// A ufunc as Python sees it: a row of the op table for each result, or a product of vectors and
// matrices.
#pragma once

#include "ops/products.h"
#include <heddle/op_table.h>

namespace heddle::python {

struct Ufunc {
  const char* name;
  Op op;                       // of the first result, or the only one
  Op others[max_outputs - 1];  // of those after it
  int inputs;
  int outputs;
  const char* doc;
  const char* signature = nullptr;  // of a generalized one: "(n),(n)->()"
  Product product = Product::matmul;
  bool scipys = false;  // one of NumPy's that SciPy has with loops of its own

  Op row(int output) const { return output == 0 ? op : others[output - 1]; }
};

// By the numbers that Python has for them, from Py_LT to Py_GE.
inline constexpr Op comparisons[] = {Op::less,      Op::less_equal, Op::equal,
                                     Op::not_equal, Op::greater,    Op::greater_equal};

}  // namespace heddle::python
