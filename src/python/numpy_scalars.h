// NumPy's scalars, as which programs get elements of host memory: made of an element's bytes, and
// read, by NumPy's own functions for that. Asking for attributes would cost ten times as much.
#pragma once

#include <optional>

#include <nanobind/nanobind.h>

#include <heddle/array.h>

namespace heddle::python {

// Looks up NumPy's types and functions once; called when the module is made.
void prepare_numpy_scalars();

// A new one, of the bytes of an element.
PyObject* make_numpy_scalar(const ScalarWords& element, Dtype dtype);

// The type of one of NumPy's scalars that arrays hold; nothing for other objects, those of derived
// classes among them.
std::optional<Dtype> numpy_scalar_type(PyObject* object);
bool is_numpy_scalar(PyObject* object, Dtype dtype);
// Its bytes as an element, and it as an array that is nothing but the number.
ScalarWords read_numpy_element(PyObject* scalar, Dtype dtype);
array read_numpy_scalar(PyObject* scalar, Dtype dtype);

}  // namespace heddle::python
