// A ufunc as Python sees it: one or two rows of the op table.
#pragma once

#include <heddle/op_table.h>

namespace heddle::python {

struct Ufunc {
  const char* name;
  Op op;
  Op second;  // of the second result, where there are two
  int inputs;
  int outputs;
  const char* doc;
};

}  // namespace heddle::python
