// What an instance of ndarray is in memory. The type is made here and not by nanobind, which would
// give every instance a place in a table of all of them, and make the garbage collector look at it
// for the sake of weak references: as much memory again as a small array takes.
#pragma once

#include <nanobind/nanobind.h>

#include <heddle/array.h>

namespace heddle::python {

namespace nb = nanobind;

// What an instance of ndarray holds.
struct PythonArray : array {
  // Whose memory a view sees: an array that has none, or an object of another library.
  nb::object base;
};

struct InstanceHead {
  PyObject object;
  PyObject* weak_references;
};
struct Instance : InstanceHead {
  PythonArray held;
};

// The type objects of what all arrays of ours are instances of, of ndarray and of scalar results,
// by kind of number, and the array inside of an instance.
inline constexpr int kind_count = static_cast<int>(Kind::complex) + 1;
extern PyTypeObject* own_array_type;
extern PyTypeObject* ndarray_type;
extern PyTypeObject* scalar_types[kind_count];
inline PyTypeObject* scalar_type(Dtype dtype) {
  return scalar_types[static_cast<int>(kind(dtype))];
}
inline bool is_array(PyObject* object) {
  PyTypeObject* type = Py_TYPE(object);
  return type == ndarray_type || PyType_IsSubtype(type, own_array_type);
}
inline PythonArray& array_in(PyObject* object) { return reinterpret_cast<Instance*>(object)->held; }

// `own_array`: what arrays of ours are instances of, and nothing else is. Without any attributes.
void make_own_array_type(nb::module_& m);
// A type of arrays in a module; `full_name` has the module's. `slots` end with {0, nullptr}.
nb::class_<PythonArray> make_array_type(nb::module_& m, const char* full_name,
                                        const PyType_Slot* slots, PyTypeObject* base);
PyObject* new_instance(PyTypeObject* type, PythonArray held);

}  // namespace heddle::python
