#include "python/convert.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>
#include <unistd.h>

#include "graph/graph.h"
#include "graph/storage.h"
#include "ops/creation.h"
#include "ops/deferred.h"
#include "ops/write.h"
#include "python/array_protocol.h"
#include "python/items.h"
#include "python/numpy_scalars.h"
#include "runtime/device.h"
#include <heddle/errors.h>
#include <heddle/runtime.h>

namespace heddle::python {

namespace {

// NumPy's objects, kept for the life of the process.
struct Numpy {
  nb::object dtype_class, asarray, ndarray, generic, bfloat16;
  nb::object dtypes[dtype_count];
  nb::dict by_dtype;  // numpy.dtype -> index of Dtype
  nb::dict by_name;   // the usual classes and strings for them -> the same
  nb::object out_of_memory;
};
Numpy* numpy = nullptr;

// Whether this thread of Python has let go of the interpreter's lock.
thread_local bool let_go = false;

template <class F>
auto or_stay(F take) {
  try {
    return take();
  } catch (...) {
    abandon_evaluations();
    for (;;) ::pause();
  }
}

}  // namespace

void restore_interpreter(PyThreadState* state) {
  or_stay([&] { PyEval_RestoreThread(state); });
}

void* let_go_of_interpreter() {
  if (let_go || !PyGILState_GetThisThreadState()) return nullptr;
  let_go = true;
  return PyEval_SaveThread();
}

void take_interpreter_again(void* state) {
  restore_interpreter(static_cast<PyThreadState*>(state));
  let_go = false;
}

InterpreterLock::InterpreterLock()
    : state_(or_stay([] {
        // The thread that ends the interpreter has a state to the last.
        if (!Py_IsInitialized() && !PyGILState_GetThisThreadState()) {
          throw std::runtime_error("there is no interpreter any more");
        }
        return PyGILState_Ensure();
      })),
      had_let_go_(std::exchange(let_go, false)) {}

InterpreterLock::~InterpreterLock() {
  let_go = had_let_go_;
  PyGILState_Release(state_);
}

void prepare_conversions() {
  numpy = new Numpy;
  nb::module_ np = nb::module_::import_("numpy");
  numpy->dtype_class = np.attr("dtype");
  numpy->asarray = np.attr("asarray");
  numpy->ndarray = np.attr("ndarray");
  numpy->generic = np.attr("generic");
  numpy->bfloat16 = nb::module_::import_("ml_dtypes").attr("bfloat16");
  for (int i = 0; i < dtype_count; ++i) {
    auto dtype = static_cast<Dtype>(i);
    numpy->dtypes[i] = dtype == Dtype::bfloat16 ? numpy->dtype_class(numpy->bfloat16)
                                                : numpy->dtype_class(name(dtype));
    numpy->by_dtype[numpy->dtypes[i]] = i;
    numpy->by_name[nb::object(numpy->dtypes[i].attr("type"))] = i;
    if (dtype == Dtype::bfloat16) continue;  // NumPy knows no name of it
    for (const char* attribute : {"name", "str", "char"}) {
      numpy->by_name[nb::object(numpy->dtypes[i].attr(attribute))] = i;
    }
    nb::object text = numpy->dtypes[i].attr("str");
    numpy->by_name[nb::object(text[nb::slice(1, 4)])] = i;  // without the order of bytes
  }
  for (const char* name : {"bool", "int", "float", "complex"}) {
    nb::object type = nb::module_::import_("builtins").attr(name);
    nb::object i = numpy->by_dtype[numpy->dtype_class(type)];
    numpy->by_name[type] = i;
    numpy->by_name[name] = i;
  }
}

void warn_of_lost_part(Dtype from, Dtype to) {
  if (!is_complex(from) || is_complex(to) || to == Dtype::bool_) return;
  nb::object category = nb::module_::import_("numpy").attr("exceptions").attr("ComplexWarning");
  const char* text = "Casting complex values to real discards the imaginary part";
  if (PyErr_WarnEx(category.ptr(), text, 1) != 0) throw nb::python_error();
}

bool given_as_array(nb::handle object) {
  if (is_array(object.ptr())) return true;
  if (!is_numpy_array(object)) return false;
  if (Py_TYPE(object.ptr()) != reinterpret_cast<PyTypeObject*>(numpy->ndarray.ptr())) return true;
  try {
    to_dtype(object.attr("dtype"));
    return false;
  } catch (const no_numbers&) {
    return true;
  }
}

bool is_numpy_array(nb::handle object) { return nb::isinstance(object, numpy->ndarray); }
bool is_numpy_scalar(nb::handle object) { return nb::isinstance(object, numpy->generic); }

nb::object numpy_dtype(Dtype dtype) { return numpy->dtypes[static_cast<int>(dtype)]; }

namespace {

// What to use instead of a type that arrays do not hold.
std::string instead_of(const nb::object& dtype) {
  switch (nb::cast<std::string>(dtype.attr("kind"))[0]) {
    case 'O':
      return "keep Python's objects in a list or in an array of NumPy's";
    case 'M':
    case 'm':
      return "use counts of a unit, x.astype('int64')";
    case 'V':
      return "use one array for each field, x['name']";
    case 'S':
    case 'U':
    case 'T':
      return "convert numbers with x.astype(float), keep other text in an array of NumPy's";
    default:
      return "use float64 or complex128";
  }
}

}  // namespace

std::optional<Dtype> known_dtype(nb::handle object) {
  for (int i = 0; i < dtype_count; ++i) {
    if (object.is(numpy->dtypes[i])) return static_cast<Dtype>(i);
  }
  if (!PyUnicode_CheckExact(object.ptr()) && !PyType_CheckExact(object.ptr())) return std::nullopt;
  PyObject* found = PyDict_GetItemWithError(numpy->by_name.ptr(), object.ptr());
  if (found) return static_cast<Dtype>(PyLong_AsLong(found));
  if (PyErr_Occurred()) throw nb::python_error();
  return std::nullopt;
}

Dtype to_dtype(nb::handle object) {
  if (auto known = known_dtype(object)) return *known;
  nb::object dtype =
      nb::isinstance(object, numpy->dtype_class) ? nb::borrow(object) : numpy->dtype_class(object);
  PyObject* found = PyDict_GetItemWithError(numpy->by_dtype.ptr(), dtype.ptr());
  if (!found) {
    if (PyErr_Occurred()) throw nb::python_error();
    const auto text = [&](const std::string& instead) {
      return fmt::format(
          "dtype {} is not supported: heddle's arrays hold bool, integers, floats and complex "
          "numbers; {}",
          nb::cast<std::string>(nb::repr(dtype)), instead);
    };
    const bool native = nb::cast<bool>(dtype.attr("isnative"));
    throw no_numbers(
        text(native ? instead_of(dtype) : "use the machine's byte order, dtype.newbyteorder('=')"));
  }
  return static_cast<Dtype>(PyLong_AsLong(found));
}

std::optional<Dtype> to_optional_dtype(nb::handle object) {
  if (object.is_none()) return std::nullopt;
  return to_dtype(object);
}

Dims to_dims(nb::handle object) {
  Dims dims;
  auto add = [&](PyObject* item) {
    if (PyBool_Check(item)) throw type_error("an integer is required");
    nb::object index = nb::steal(PyNumber_Index(item));
    if (!index.is_valid()) throw nb::python_error();
    int overflow = 0;
    auto value = PyLong_AsLongLongAndOverflow(index.ptr(), &overflow);
    if (overflow) throw value_error("Maximum allowed dimension exceeded");
    dims.push_back(value);
  };
  if (PyTuple_CheckExact(object.ptr())) {
    auto count = PyTuple_Size(object.ptr());
    for (Py_ssize_t i = 0; i < count; ++i) add(PyTuple_GetItem(object.ptr(), i));
  } else if (PyIndex_Check(object.ptr()) && !PySequence_Check(object.ptr())) {
    add(object.ptr());
  } else if (is_array(object.ptr()) && array_in(object.ptr()).ndim() == 0) {
    add(object.ptr());
  } else {
    for (nb::handle item : nb::iter(object)) add(item.ptr());
  }
  return dims;
}

nb::tuple to_tuple(std::vector<array> arrays) {
  nb::object made = nb::steal(PyTuple_New(static_cast<Py_ssize_t>(arrays.size())));
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    PyTuple_SetItem(made.ptr(), static_cast<Py_ssize_t>(i), wrap(std::move(arrays[i])));
  }
  return nb::borrow<nb::tuple>(made);
}

nb::tuple to_tuple(const Dims& dims) {
  nb::object tuple = nb::steal(PyTuple_New(dims.size()));
  for (std::int64_t i = 0; i < dims.size(); ++i) {
    PyTuple_SetItem(tuple.ptr(), i, PyLong_FromLongLong(dims[i]));
  }
  return nb::borrow<nb::tuple>(tuple);
}

bool is_scalar(const array& a) { return a.ndim() == 0 && is_snapshot(a); }

PyObject* wrap(array a, nb::object base) {
  PyTypeObject* type = is_scalar(a) ? scalar_type(a.dtype()) : ndarray_type;
  return new_instance(type, {{std::move(a)}, std::move(base)});
}

PyObject* wrap_known(array a) {
  const ScalarWords* number = a.number();
  if (!number || a.dtype() == Dtype::bfloat16) return wrap(std::move(a));
  return make_numpy_scalar(*number, a.dtype());
}

PyObject* wrap_view(array a, nb::handle source) {
  const PythonArray& seen = array_in(source.ptr());
  if (&a.storage() != &seen.storage()) return wrap(std::move(a));
  // As in NumPy, a view of a view is one of the owner.
  bool is_view = seen.base.is_valid() && is_array(seen.base.ptr());
  return wrap(std::move(a), is_view ? seen.base : nb::borrow(source));
}

std::optional<Scalar> to_scalar(nb::handle object) {
  PyObject* o = object.ptr();
  if (PyFloat_CheckExact(o)) return Scalar(PyFloat_AsDouble(o));
  if (PyBool_Check(o)) return Scalar(o == Py_True);
  if (PyLong_CheckExact(o)) {
    int overflow = 0;
    auto value = PyLong_AsLongLongAndOverflow(o, &overflow);
    if (!overflow) return Scalar(static_cast<std::int64_t>(value));
    if (overflow > 0) {
      auto large = PyLong_AsUnsignedLongLong(o);
      if (!PyErr_Occurred()) return Scalar(static_cast<std::uint64_t>(large));
      PyErr_Clear();
    }
    double approximate = PyLong_AsDouble(o);
    if (!PyErr_Occurred()) return Scalar::beyond(approximate);
    PyErr_Clear();
    return Scalar::beyond(overflow > 0 ? HUGE_VAL : -HUGE_VAL);
  }
  if (PyComplex_CheckExact(o)) {
    return Scalar(std::complex<double>(PyComplex_RealAsDouble(o), PyComplex_ImagAsDouble(o)));
  }
  return std::nullopt;
}

std::optional<Scalar> from_numpy_scalar(nb::handle object) {
  if (!nb::isinstance(object, numpy->generic)) return std::nullopt;
  return to_scalar(object.attr("item")());
}

namespace {

// The element of a type that begins at an address.
template <class T>
PyObject* python_number(const unsigned char* bytes) {
  T element;
  std::memcpy(static_cast<void*>(&element), bytes, sizeof element);
  if constexpr (std::is_same_v<T, bool>) {
    return PyBool_FromLong(bytes[0]);
  } else if constexpr (std::is_same_v<T, float16> || std::is_same_v<T, bfloat16>) {
    return PyFloat_FromDouble(static_cast<double>(static_cast<float>(element)));
  } else if constexpr (std::is_floating_point_v<T>) {
    return PyFloat_FromDouble(static_cast<double>(element));
  } else if constexpr (std::is_signed_v<T>) {
    return PyLong_FromLongLong(element);
  } else if constexpr (std::is_integral_v<T>) {
    return PyLong_FromUnsignedLongLong(element);
  } else {
    return PyComplex_FromDoubles(element.real(), element.imag());
  }
}

// Lists of lists along the axes from one on; goes on behind the elements that it read.
template <class T>
nb::object nested_list(const Dims& shape, std::int64_t axis, const unsigned char*& bytes) {
  const auto extent = static_cast<Py_ssize_t>(shape[axis]);
  auto list = nb::steal(PyList_New(extent));
  if (!list) throw nb::python_error();
  for (Py_ssize_t i = 0; i < extent; ++i) {
    PyObject* item = nullptr;
    if (axis + 1 < std::ssize(shape)) {
      item = nested_list<T>(shape, axis + 1, bytes).release().ptr();
    } else {
      item = python_number<T>(bytes);
      bytes += sizeof(T);
    }
    if (!item) throw nb::python_error();
    NB_LIST_SET_ITEM(list.ptr(), i, item);
  }
  return list;
}

}  // namespace

nb::object to_python_number(const array& a) {
  unsigned char bytes[16];
  a.copy_to_host(bytes, a.dtype());
  return nb::steal(dispatch(a.dtype(), [&]<class T>(T) { return python_number<T>(bytes); }));
}

nb::object to_python_list(const array& a) {
  if (a.ndim() == 0) return to_python_number(a);
  std::vector<unsigned char> elements(static_cast<std::size_t>(a.size()) *
                                      static_cast<std::size_t>(itemsize(a.dtype())));
  if (!elements.empty()) a.copy_to_host(elements.data(), a.dtype());
  const unsigned char* bytes = elements.data();
  return dispatch(a.dtype(), [&]<class T>(T) { return nested_list<T>(a.shape(), 0, bytes); });
}

namespace {

// Releases a buffer view with the interpreter's lock held.
struct BufferView {
  Py_buffer view{};
  ~BufferView() {
    if (view.obj) PyBuffer_Release(&view);
  }
};

bool in_elements(const Py_buffer& view, Dtype dtype, Layout& layout) {
  auto size = itemsize(dtype);
  for (int d = 0; d < view.ndim; ++d) {
    layout.shape.push_back(view.shape[d]);
    auto stride = view.strides[d];
    if (stride % size != 0) {
      if (view.shape[d] > 1) return false;
      stride = 0;
    }
    layout.strides.push_back(stride / size);
  }
  return reinterpret_cast<std::uintptr_t>(view.buf) %
             static_cast<std::uintptr_t>(std::min(size, 8)) ==
         0;
}

bool is_derived_from_ours(nb::handle cls) { return nb::hasattr(cls, "_derived_from_heddle"); }

// Arrays of some classes of NumPy's are more than their elements. NumPy's own functions know of it.
void refuse_classes(nb::handle object) {
  PyTypeObject* type = Py_TYPE(object.ptr());
  if (type == reinterpret_cast<PyTypeObject*>(numpy->ndarray.ptr())) return;
  if (nb::hasattr(object, "_mask") && nb::hasattr(object, "filled")) {
    throw no_numbers(
        "masked arrays are not supported, as their mask would be lost: use x.filled(value), or "
        "x.data and a mask of its own with where=");
  }
  const nb::handle cls(reinterpret_cast<PyObject*>(type));
  if (!is_derived_from_ours(cls)) return;
  throw no_numbers(fmt::format(
      "arrays of class {} are NumPy's, and more than their elements: use heddle.asarray(x)",
      nb::cast<std::string>(cls.attr("__name__"))));
}

}  // namespace

nb::object elements_of(nb::handle object) {
  if (is_array(object.ptr()) || !is_numpy_array(object)) return nb::borrow(object);
  const nb::handle cls(reinterpret_cast<PyObject*>(Py_TYPE(object.ptr())));
  return is_derived_from_ours(cls) ? numpy->asarray(object) : nb::borrow(object);
}

bool is_shareable(nb::handle array) {
  nb::object dtype = array.attr("dtype");
  const auto size = nb::cast<std::int64_t>(dtype.attr("itemsize"));
  const auto address = nb::cast<std::int64_t>(array.attr("ctypes").attr("data"));
  if (size == 0 || !nb::cast<bool>(dtype.attr("isnative"))) return false;  // 0: empty records
  if (address % std::min<std::int64_t>(size, 8) != 0) return false;
  nb::object shape = array.attr("shape"), strides = array.attr("strides");
  for (std::size_t d = 0; d < nb::len(shape); ++d) {
    const bool moves = nb::cast<std::int64_t>(shape[d]) > 1;
    if (moves && nb::cast<std::int64_t>(strides[d]) % size != 0) return false;
  }
  return true;
}

array from_numpy(nb::handle given, bool alias) {
  nb::object object = nb::borrow(given);
  refuse_classes(object);
  nb::object numpy_type = object.attr("dtype");
  const auto known = known_dtype(numpy_type);
  if (!known && !nb::cast<bool>(numpy_type.attr("isnative"))) {
    if (alias) {
      throw value_error(
          "an array of NumPy's in foreign byte order is no memory of heddle's: write to one of "
          "dtype.newbyteorder('='), or copy the result there with numpy.copyto");
    }
    object = object.attr("astype")(numpy_type.attr("newbyteorder")("="));
    numpy_type = object.attr("dtype");
  }
  const Dtype dtype = known ? *known : to_dtype(numpy_type);
  if (dtype == Dtype::bfloat16) object = object.attr("view")("uint16");  // no buffer protocol
  auto held = std::make_unique<BufferView>();
  bool writeable =
      PyObject_GetBuffer(object.ptr(), &held->view, PyBUF_STRIDES | PyBUF_WRITABLE) == 0;
  if (!writeable) {
    PyErr_Clear();
    if (PyObject_GetBuffer(object.ptr(), &held->view, PyBUF_STRIDES) != 0) throw nb::python_error();
  }
  Layout layout;
  if (!in_elements(held->view, dtype, layout)) {
    if (alias) {
      throw value_error(
          "an array of NumPy's that is not aligned for its type is no memory of heddle's: write to "
          "an aligned one, or copy the result there with numpy.copyto");
    }
    return from_numpy(object.attr("copy")().attr("view")(numpy_type), false);
  }
  if (!alias) return from_host(held->view.buf, layout, dtype, default_device());
  auto reach = extent_of(layout);
  if (!reach) return empty(layout.shape, dtype, default_device());
  auto* first = static_cast<char*>(held->view.buf) + reach->first * itemsize(dtype);
  auto bytes = static_cast<std::size_t>(reach->second - reach->first + 1) *
               static_cast<std::size_t>(itemsize(dtype));
  layout.offset = -reach->first;
  auto* owner = held.release();
  return alias_host(first, layout, dtype, bytes, writeable, [owner] {
    InterpreterLock lock;
    delete owner;
  });
}

namespace {

nb::object& implicit_copy_hook() {
  static auto* function = new nb::object;
  return *function;
}

}  // namespace

void tell_of_copy(const std::string& device, const Dims& shape) {
  if (nb::object& hook = implicit_copy_hook(); hook.is_valid()) hook(device, to_tuple(shape));
}

namespace {

// The method by which an object says that it is an array: NumPy's, or JAX's where it has no other.
const char* array_method(nb::handle object) {
  nb::handle type(reinterpret_cast<PyObject*>(Py_TYPE(object.ptr())));
  if (nb::hasattr(type, "__array__")) {
    bool numpys = nb::isinstance(object, numpy->ndarray) || nb::isinstance(object, numpy->generic);
    return numpys ? nullptr : "__array__";
  }
  return nb::hasattr(type, "__jax_array__") ? "__jax_array__" : nullptr;
}

}  // namespace

bool has_array_method(nb::handle object) { return array_method(object) != nullptr; }

nb::object call_array_method(nb::handle object) {
  const char* method = array_method(object);
  if (!method) return {};
  nb::object made = object.attr(method)();
  if (is_array(made.ptr()) || nb::isinstance(made, numpy->ndarray)) return made;
  throw value_error(fmt::format("object {} method not producing an array", method));
}

array unplaced(array a) {
  if (!a.device().host_accessible()) tell_of_copy(a.device_name(), a.shape());
  a.storage().placed = false;
  return a;
}

namespace {

std::optional<array> from_protocol(nb::handle object) {
  nb::object made = call_array_method(object);
  if (!made.is_valid()) return std::nullopt;
  if (is_array(made.ptr())) return array_in(made.ptr());
  return unplaced(from_numpy(made, false));
}

}  // namespace

void set_implicit_copy_hook(nb::object function) {
  implicit_copy_hook() = function.is_none() ? nb::object() : std::move(function);
}

std::optional<array> joined(nb::handle list, std::optional<Dtype> dtype) {
  if (!is_sequence(list.ptr()) || !holds_arrays(list.ptr())) return std::nullopt;
  static nb::object& function =
      *new nb::object(nb::module_::import_("heddle._arguments.inputs").attr("as_array"));
  nb::object made = function(list, dtype ? numpy_dtype(*dtype) : nb::none());
  return array_in(made.ptr());
}

array to_array(nb::handle object) {
  if (is_array(object.ptr())) {
    array made = array_in(object.ptr());
    made.set_weak(false);
    return made;
  }
  if (auto scalar = to_scalar(object)) return array(*scalar);
  if (nb::isinstance(object, numpy->ndarray)) return unplaced(from_numpy(object, false));
  // A number becomes a constant of kernels: nothing is copied.
  if (auto dtype = numpy_scalar_type(object.ptr())) return read_numpy_scalar(object.ptr(), *dtype);
  if (auto scalar = from_numpy_scalar(object))
    return array(*scalar, to_dtype(object.attr("dtype")));
  if (auto made = from_numbers(object, std::nullopt)) return unplaced(*std::move(made));
  if (auto made = joined(object, std::nullopt)) return *made;
  if (auto made = from_device_memory(object)) return *made;
  if (auto made = from_protocol(object)) return *made;
  return unplaced(from_numpy(numpy->asarray(object), false));
}

namespace {

// Whether the object's operators are asked before those of arrays.
bool outranks_arrays(PyObject* o) {
  nb::object priority = nb::getattr(nb::handle(o), "__array_priority__", nb::float_(0.0));
  nb::object own = nb::handle(reinterpret_cast<PyObject*>(ndarray_type)).attr("__array_priority__");
  return nb::cast<double>(priority) > nb::cast<double>(own);
}

// Whether an operator converts the object, as NumPy does: not where the object wants to decide.
bool converts(PyObject* o) {
  if (PyList_Check(o) || PyTuple_Check(o) || PyRange_Check(o)) return true;
  if (PyUnicode_Check(o) || PyBytes_Check(o)) return false;
  nb::handle type(reinterpret_cast<PyObject*>(Py_TYPE(o)));
  if (nb::hasattr(type, "__array_ufunc__")) return false;
  bool is_array_like = PyObject_CheckBuffer(o) || nb::hasattr(type, "__array__");
  if (!is_array_like && !has_array_method(nb::handle(o))) return false;
  return !outranks_arrays(o);
}

// Whether it is an array of NumPy's of a class that runs ufuncs its own way.
bool handles_ufuncs(nb::handle object) {
  nb::handle type(reinterpret_cast<PyObject*>(Py_TYPE(object.ptr())));
  if (type.is(numpy->ndarray) || !nb::isinstance(object, numpy->ndarray)) return false;
  return !type.attr("__array_ufunc__").is(numpy->ndarray.attr("__array_ufunc__"));
}

}  // namespace

bool overrides_ufuncs(nb::handle object) {
  if (is_array(object.ptr())) return false;
  if (nb::isinstance(object, numpy->ndarray)) return handles_ufuncs(object);
  nb::handle type(reinterpret_cast<PyObject*>(Py_TYPE(object.ptr())));
  return !nb::getattr(type, "__array_ufunc__", nb::none()).is_none();
}

namespace {

// A number of a class made of Python's, as members of an IntEnum are: in NumPy's eyes an element of
// 64 bits, whose type does not yield.
bool is_derived_number(PyObject* o) {
  return PyLong_Check(o) || PyFloat_Check(o) || PyComplex_Check(o);
}

}  // namespace

bool is_operand(nb::handle object) {
  return is_array(object.ptr()) || to_scalar(object) || numpy_scalar_type(object.ptr()) ||
         nb::isinstance(object, numpy->ndarray) || nb::isinstance(object, numpy->generic) ||
         is_derived_number(object.ptr()) || converts(object.ptr());
}

bool is_object(nb::handle object) {
  PyObject* o = object.ptr();
  // Python repeats these by itself, if nobody else multiplies.
  if (PyUnicode_Check(o) || PyBytes_Check(o) || PyByteArray_Check(o)) return false;
  nb::handle type(reinterpret_cast<PyObject*>(Py_TYPE(o)));
  return !is_operand(object) && !nb::hasattr(type, "__array_ufunc__") && !outranks_arrays(o);
}

bool PythonInput::set(nb::handle object, bool strict) {
  scalar_ = to_scalar(object);
  if (scalar_) return true;
  if (is_array(object.ptr())) {
    array_ = &array_in(object.ptr());
    return true;
  }
  if (auto dtype = numpy_scalar_type(object.ptr())) {
    owned_ = read_numpy_scalar(object.ptr(), *dtype);
    array_ = &*owned_;
    return true;
  }
  if (!strict && handles_ufuncs(object)) return false;
  if (!strict && !is_operand(object)) return false;
  owned_ = to_array(object);
  array_ = &*owned_;
  return true;
}

const array& PythonInput::as_array() {
  if (scalar_) {
    owned_ = array(*scalar_);
    array_ = &*owned_;
  }
  return *array_;
}

namespace {

std::string type_string(Dtype dtype) {
  char code = 'f';
  switch (kind(dtype)) {
    case Kind::boolean:
      code = 'b';
      break;
    case Kind::signed_integer:
      code = 'i';
      break;
    case Kind::unsigned_integer:
      code = 'u';
      break;
    case Kind::floating:
      code = dtype == Dtype::bfloat16 ? 'u' : 'f';
      break;
    case Kind::complex:
      code = 'c';
      break;
  }
  auto size = itemsize(dtype);
  return fmt::format("{}{}{}", size == 1 ? '|' : '<', code, size);
}

}  // namespace

Export::Export(const array& a) : source(a), address(pin(a)) { ++source.storage().exports; }
Export::~Export() { --source.storage().exports; }

nb::dict interface_of(const Export& e) {
  const array& a = e.source;
  Dims strides;
  for (auto s : a.layout().strides) strides.push_back(s * itemsize(a.dtype()));
  nb::dict d;
  d["version"] = 3;
  d["shape"] = to_tuple(a.shape());
  d["strides"] = to_tuple(strides);
  d["typestr"] = nb::str(type_string(a.dtype()).c_str());
  d["data"] = nb::make_tuple(reinterpret_cast<std::uintptr_t>(e.address), !writeable(a));
  return d;
}

void bind_export(nb::module_& m) {
  nb::class_<Export>(m, "Export").def_prop_ro("__array_interface__", interface_of);
}

nb::object to_numpy(const array& a) {
  array source = a;
  if (!source.device().host_accessible()) source = to_device(source, cpu_device());
  nb::object holder = nb::cast(new Export(source), nb::rv_policy::take_ownership);
  nb::object view = numpy->asarray(holder);
  if (a.dtype() == Dtype::bfloat16) view = view.attr("view")(numpy->bfloat16);
  return view;
}

}  // namespace heddle::python
