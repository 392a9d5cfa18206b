// A ufunc as Python sees it: one or two rows of the op table, or a product of vectors and matrices.
#pragma once

#include "ops/products.h"
#include <heddle/op_table.h>

namespace heddle::python {

struct Ufunc {
  const char* name;
  Op op;
  Op second;  // of the second result, where there are two
  int inputs;
  int outputs;
  const char* doc;
  const char* signature = nullptr;  // of a generalized one: "(n),(n)->()"
  Product product = Product::matmul;
};

}  // namespace heddle::python
