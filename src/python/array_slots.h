// The slots of the ndarray type, and what its methods share with them.
#pragma once

#include <nanobind/nanobind.h>

#include "python/convert.h"

namespace heddle::python {

const PyType_Slot* array_slots();

// Those of elements (array_items.cpp).
PyObject* subscript_slot(PyObject* self, PyObject* index);
int assign_slot(PyObject* self, PyObject* index, PyObject* value);
Py_ssize_t length_slot(PyObject* self);
PyObject* item_slot(PyObject* self, Py_ssize_t i);
int assign_item_slot(PyObject* self, Py_ssize_t i, PyObject* value);
PyObject* iteration_slot(PyObject* self);

// Whether an operator leaves the operation to its right operand.
bool gives_way(PyObject* other);

// What views are made of: a copy for a scalar, which itself never changes.
array base_of(const array& a);
// What methods of a scalar give where no dimension was added: another one.
array still_scalar(const array& a, array made);
nb::object only_number(const array& a);

}  // namespace heddle::python
