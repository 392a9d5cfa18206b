// The slots of the ndarray type, and what its methods share with them.
#pragma once

#include <nanobind/nanobind.h>

#include "python/convert.h"

namespace heddle::python {

const PyType_Slot* array_slots();

// Reading and writing parts of an array by an index.
PyObject* subscript_slot(PyObject* self, PyObject* index);
int assign_slot(PyObject* self, PyObject* index, PyObject* value);

// Whether an operator leaves the operation to its right operand.
bool gives_way(PyObject* other);

// What views are made of: a copy for a scalar, which itself never changes.
array base_of(const array& a);
// What methods of a scalar give where no dimension was added: another one.
array still_scalar(const array& a, array made);
nb::object only_number(const array& a);

}  // namespace heddle::python
