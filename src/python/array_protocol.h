// What objects that are neither arrays of ours nor of NumPy's say of themselves by `__array__`: it
// may be an array of ours, which NumPy would not take. In convert.cpp.
#pragma once

#include <nanobind/nanobind.h>

namespace heddle::python {

namespace nb = nanobind;

bool has_array_method(nb::handle object);
// What the method gives, an array of ours or NumPy's; nothing (no valid object) without the method.
nb::object call_array_method(nb::handle object);

}  // namespace heddle::python
