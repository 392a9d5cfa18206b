#include "python/numpy_scalars.h"

#include <cstring>

#include "python/convert.h"

namespace heddle::python {

namespace {

// Two functions of NumPy's C interface, by their places in its table, which never change.
using MakeScalar = PyObject* (*)(void* element, PyObject* dtype, PyObject* base);
using ReadScalar = void (*)(PyObject* scalar, void* element);
constexpr int place_of_make = 60;  // PyArray_Scalar
constexpr int place_of_read = 62;  // PyArray_ScalarAsCtype
MakeScalar make_scalar = nullptr;
ReadScalar read_scalar = nullptr;

PyTypeObject* types[dtype_count];

}  // namespace

void prepare_numpy_scalars() {
  nb::object table = nb::module_::import_("numpy._core._multiarray_umath").attr("_ARRAY_API");
  auto** functions = static_cast<void**>(PyCapsule_GetPointer(table.ptr(), nullptr));
  if (!functions) throw nb::python_error();
  make_scalar = reinterpret_cast<MakeScalar>(functions[place_of_make]);
  read_scalar = reinterpret_cast<ReadScalar>(functions[place_of_read]);
  for (int i = 0; i < dtype_count; ++i) {
    nb::object type = numpy_dtype(static_cast<Dtype>(i)).attr("type");
    types[i] = reinterpret_cast<PyTypeObject*>(type.release().ptr());  // for good
  }
}

PyObject* make_numpy_scalar(const ScalarWords& element, Dtype dtype) {
  ScalarWords bytes = element;
  PyObject* made = make_scalar(&bytes, numpy_dtype(dtype).ptr(), nullptr);
  if (!made) throw nb::python_error();
  return made;
}

std::optional<Dtype> numpy_scalar_type(PyObject* object) {
  const PyTypeObject* type = Py_TYPE(object);
  for (int i = dtype_count; i-- > 0;) {
    if (types[i] == type) return static_cast<Dtype>(i);
  }
  return std::nullopt;
}

bool is_numpy_scalar(PyObject* object, Dtype dtype) {
  return Py_TYPE(object) == types[static_cast<int>(dtype)];
}

ScalarWords read_numpy_element(PyObject* scalar, Dtype dtype) {
  ScalarWords element{};
  if (dtype == Dtype::float64) {  // which are Python's, too
    const double value = PyFloat_AsDouble(scalar);
    std::memcpy(static_cast<void*>(&element), &value, sizeof value);
    return element;
  }
  if (dtype == Dtype::bfloat16) {
    // NumPy does not know where types that others add have their elements.
    const nb::object number = nb::steal(PyNumber_Float(scalar));
    if (!number.is_valid()) throw nb::python_error();
    const bfloat16 value(static_cast<float>(PyFloat_AsDouble(number.ptr())));
    std::memcpy(static_cast<void*>(&element), &value, sizeof value);
  } else {
    read_scalar(scalar, &element);
    if (PyErr_Occurred()) throw nb::python_error();
  }
  return element;
}

array read_numpy_scalar(PyObject* scalar, Dtype dtype) {
  return array::of_number(read_numpy_element(scalar, dtype), dtype);
}

}  // namespace heddle::python
