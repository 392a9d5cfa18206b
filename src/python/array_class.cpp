// The class of the type ndarray: what its attributes are, and how the type becomes one of it.
#include <nanobind/nanobind.h>

#include "python/convert.h"
#include <heddle/errors.h>

namespace heddle::python {

namespace {

PyObject* for_both = nullptr;  // for_both(name of a special method)

// Whether it is written in C or in Python as methods are, and binds to instances.
bool is_method(PyObject* found) {
  static const auto* in_python = new nb::object(nb::module_::import_("types").attr("FunctionType"));
  return Py_TYPE(found) == &PyWrapperDescr_Type || nb::handle(found).type().is(*in_python);
}

bool is_special(PyObject* name) {
  return PyUnicode_GetLength(name) > 2 && PyUnicode_ReadChar(name, 0) == '_' &&
         PyUnicode_ReadChar(name, 1) == '_';
}

// Derived classes, which are NumPy's, call ndarray.__getitem__(self, i). NumPy's operators ask for
// attributes of this type several times in each call.
PyObject* attribute_slot(PyObject* type, PyObject* name) {
  static const auto usual =
      reinterpret_cast<getattrofunc>(PyType_GetSlot(&PyType_Type, Py_tp_getattro));
  PyObject* found = usual(type, name);
  if (!found || !for_both || !is_method(found) || !is_special(name)) return found;
  Py_DECREF(found);
  return PyObject_CallFunctionObjArgs(for_both, name, nullptr);
}

// Makes ndarray an instance of a class of types, which is asked what counts as an array, and for
// special methods that serve NumPy's arrays, too. There is no such argument where types are made,
// before Python 3.12.
void set_class(nb::handle type, nb::object methods_for_both) {
  auto* wanted = reinterpret_cast<PyTypeObject*>(type.ptr());
  if (!PyType_Check(type.ptr()) || !PyType_IsSubtype(wanted, &PyType_Type))
    throw type_error("set_class takes a class of types");
  const nb::object basic_size = type.attr("__basicsize__");
  const nb::handle plain(reinterpret_cast<PyObject*>(&PyType_Type));
  if (!basic_size.equal(plain.attr("__basicsize__")))
    throw type_error("set_class: types of such a class have members of their own");
  for_both = methods_for_both.release().ptr();
  Py_INCREF(type.ptr());
  Py_SET_TYPE(reinterpret_cast<PyObject*>(ndarray_type), wanted);
}

}  // namespace

void bind_array_class(nb::module_& m) {
  PyType_Slot slots[] = {
      {Py_tp_getattro, reinterpret_cast<void*>(attribute_slot)},
      {0, nullptr},
  };
  PyType_Spec spec{"heddle._core.ClassWithMethodsForBoth", 0, 0,
                   Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, slots};
  const nb::handle plain(reinterpret_cast<PyObject*>(&PyType_Type));
  nb::object made = nb::steal(PyType_FromSpecWithBases(&spec, nb::make_tuple(plain).ptr()));
  if (!made.is_valid()) throw nb::python_error();
  m.attr("ClassWithMethodsForBoth") = made;
  m.def("set_class", &set_class);
}

}  // namespace heddle::python
