// Functions whose usual calls the core takes by itself: those with arrays of ours and Python's
// numbers, and the few keywords that go with them. Such a function is written in Python all the
// same: that says what its parameters are, and gets every call that is not a usual one, mistakes
// among them.
#pragma once

#include <span>

#include "python/convert.h"

namespace heddle::python {

// What was given for each parameter, in the order of the function in Python; nullptr for nothing.
struct Given {
  PyObject* const* values;
  std::span<PyObject* const> rest;  // by position, where the function has a *parameter for that
  PyObject* operator[](int i) const { return values[i]; }
};
// Makes the result, a new reference; nullptr without an error where the call is not a usual one.
using UsualCall = PyObject* (*)(const Given& given);
struct NamedCall {
  const char* name;
  UsualCall call;
};

// By topic. Methods are called ndarray.name.
std::span<const NamedCall> creation_calls();
std::span<const NamedCall> element_calls();
std::span<const NamedCall> reduction_calls();
std::span<const NamedCall> shape_calls();
std::span<const NamedCall> ufunc_calls();

// The views or copies of meshgrid, as a tuple.
nb::object make_grids(const nb::list& vectors, bool xy, bool sparse, bool copied);

// --- reading what was given: each gives false for what is for Python to look at ---

inline bool is_missing(PyObject* given) { return !given || given == Py_None; }
// Nothing, or NumPy's mark for that, which None is not.
bool is_no_value(PyObject* given);
// An array; nullptr for everything else. Scalars count as arrays where their methods do.
inline const array* as_array(PyObject* given) {
  return given && is_array(given) ? &array_in(given) : nullptr;
}
inline const array* as_true_array(PyObject* given) {
  const array* a = as_array(given);
  return a && !is_scalar(*a) ? a : nullptr;
}
// A number or an array, without conversion of anything.
bool read_operand(PyObject* given, PythonInput& operand);

bool read_integer(PyObject* given, std::int64_t& value);
// Left as it is where nothing was given.
bool read_flag(PyObject* given, bool& flag);
bool read_dtype(PyObject* given, Dtype& dtype);
// The one that is named, or the default; nullptr for names other than this and the host's.
Device* read_device(PyObject* given);
// Whether it is one letter; true for nothing, too.
bool is_order(PyObject* given, const char* letter);
// Integers alone or in a tuple or list.
bool read_integers(PyObject* given, Dims& values);
bool read_integers(std::span<PyObject* const> given, Dims& values);
bool read_shape(PyObject* given, Dims& shape);
// Axes that there are, counted from the first one; no axis twice.
bool read_axis(PyObject* given, std::int64_t ndim, std::int64_t& axis);
bool read_axes(PyObject* given, std::int64_t ndim, Dims& axes);
bool are_axes(Dims& axes, std::int64_t ndim);

}  // namespace heddle::python
