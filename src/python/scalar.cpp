// The types of scalar results: 0-d arrays that are numbers for programs, which have no length, are
// not iterated over and repeat lists. There is one for each kind of number, because the classes of
// Python's `numbers` are told types.
#include <nanobind/nanobind.h>

#include "graph/storage.h"
#include "python/convert.h"
#include <heddle/errors.h>

namespace heddle::python {

namespace {

// What arrays have and scalars have not. None in the type tells so to the classes of
// collections.abc, and to `len` and `iter`.
constexpr const char* hidden[] = {"__contains__", "__iter__", "__len__"};

bool is_hidden(PyObject* name) {
  for (const char* each : hidden) {
    if (PyUnicode_CompareWithASCIIString(name, each) == 0) return true;
  }
  return false;
}

PyObject* attribute_slot(PyObject* self, PyObject* name) {
  PyObject* found = PyObject_GenericGetAttr(self, name);
  if (found != Py_None || !is_hidden(name)) return found;
  Py_DECREF(found);
  PyErr_Format(PyExc_AttributeError, "a scalar has no attribute '%U'", name);
  return nullptr;
}

// A product with a list or tuple is left to that: it is repeated.
PyObject* multiply_slot(PyObject* left, PyObject* right) {
  for (PyObject* factor : {left, right}) {
    if (PyList_Check(factor) || PyTuple_Check(factor)) Py_RETURN_NOTIMPLEMENTED;
  }
  static auto multiply = reinterpret_cast<binaryfunc>(PyType_GetSlot(ndarray_type, Py_nb_multiply));
  return multiply(left, right);
}

// A number as a scalar: programs make one of the type of another.
PyObject* new_slot(PyTypeObject*, PyObject* args, PyObject*) {
  return guarded([&]() -> PyObject* {
    PyObject* value = nullptr;
    if (!PyArg_ParseTuple(args, "O:scalar", &value)) return nullptr;
    nb::object number = is_operand(value) ? nb::borrow(value) : nb::steal(PyNumber_Float(value));
    if (!number.is_valid()) throw nb::python_error();
    array made = to_array(number).copy();
    if (made.ndim() != 0) throw type_error("scalar: only 0-d arrays can be made a scalar");
    made.storage().snapshot = true;
    return wrap(std::move(made));
  });
}

int init_slot(PyObject*, PyObject*, PyObject*) { return 0; }

// As the number that it is; arrays have none.
Py_hash_t hash_slot(PyObject* self) {
  PyObject* number = guarded([&] { return to_python_number(array_in(self)).release().ptr(); });
  if (!number) return -1;
  auto hash = PyObject_Hash(number);
  Py_DECREF(number);
  return hash;
}

}  // namespace

void bind_scalar(nb::module_& m) {
  const PyType_Slot slots[] = {
      {Py_tp_getattro, reinterpret_cast<void*>(attribute_slot)},
      {Py_tp_new, reinterpret_cast<void*>(new_slot)},
      {Py_tp_init, reinterpret_cast<void*>(init_slot)},
      {Py_nb_multiply, reinterpret_cast<void*>(multiply_slot)},
      // A type inherits both of these or none.
      {Py_tp_hash, reinterpret_cast<void*>(hash_slot)},
      {Py_tp_richcompare, PyType_GetSlot(ndarray_type, Py_tp_richcompare)},
      {0, nullptr},
  };
  auto cls = make_array_type(m, "heddle._core.scalar", slots, ndarray_type);
  for (const char* name : hidden) cls.attr(name) = nb::none();
  auto* base = reinterpret_cast<PyTypeObject*>(cls.ptr());
  const PyType_Slot none[] = {{0, nullptr}};
  auto add = [&](const char* full_name, std::initializer_list<Kind> kinds) {
    auto made = make_array_type(m, full_name, none, base);
    for (Kind kind : kinds) {
      scalar_types[static_cast<int>(kind)] = reinterpret_cast<PyTypeObject*>(made.ptr());
    }
  };
  add("heddle._core.scalar_bool", {Kind::boolean});
  add("heddle._core.scalar_integer", {Kind::signed_integer, Kind::unsigned_integer});
  add("heddle._core.scalar_real", {Kind::floating});
  add("heddle._core.scalar_complex", {Kind::complex});
}

}  // namespace heddle::python
