// The usual calls of functions that make arrays, copies among them.
#include <cmath>
#include <limits>

#include "graph/storage.h"
#include "ops/creation.h"
#include "ops/elementwise.h"
#include "python/function.h"
#include "python/numpy_scalars.h"
#include "runtime/device.h"
#include <heddle/creation.h>

namespace heddle::python {

namespace {

// How a number is written as an element, where nothing is lost or has to be said about it.
bool holds(Dtype dtype, const Scalar& value) {
  switch (value.kind()) {
    case Scalar::Kind::boolean:
      return true;
    case Scalar::Kind::integer:
      return is_integer(dtype) ? value.fits(dtype)
                               : dtype == Dtype::float64 && value.fits(Dtype::int64);
    case Scalar::Kind::floating: {
      const double size = std::abs(value.real());
      return dtype == Dtype::float64 ||
             (dtype == Dtype::float32 && !(size > std::numeric_limits<float>::max() &&
                                           size < std::numeric_limits<double>::infinity()));
    }
    case Scalar::Kind::complex:
      return dtype == Dtype::complex128;
  }
  return false;
}

// The parameters (shape, ..., dtype, order, device), those behind the others from a place on.
struct Made {
  Dims shape;
  Dtype dtype = Dtype::float64;
  Device* device = nullptr;
  bool read(const Given& given, int next) {
    device = read_device(given[next + 2]);
    return device && read_shape(given[0], shape) && read_dtype(given[next], dtype) &&
           is_order(given[next + 1], "C");
  }
};

PyObject* make_empty(const Given& given) {
  Made made;
  if (!made.read(given, 1)) return nullptr;
  return wrap(empty(made.shape, made.dtype, *made.device));
}

template <int number>
PyObject* make_constant(const Given& given) {
  Made made;
  if (!made.read(given, 1)) return nullptr;
  return wrap(full(made.shape, number, made.dtype, *made.device));
}

PyObject* make_full(const Given& given) {
  if (!given[1]) return nullptr;
  auto value = to_scalar(given[1]);
  if (!value) return nullptr;
  Made made;
  made.dtype = value->default_dtype();
  if (!made.read(given, 2) || !holds(made.dtype, *value)) return nullptr;
  return wrap(full(made.shape, *value, made.dtype, *made.device));
}

// The parameters (prototype, ..., dtype, order, subok, shape, device), in the same way.
struct Alike {
  const array* model = nullptr;
  Dtype dtype{};
  bool read(const Given& given, int next) {
    model = as_array(given[0]);
    if (!model || !is_c_contiguous(model->layout())) return false;
    dtype = model->dtype();
    return read_dtype(given[next], dtype) && is_order(given[next + 1], "K") && !given[next + 2] &&
           is_missing(given[next + 3]) && is_missing(given[next + 4]);
  }
};

PyObject* make_empty_like(const Given& given) {
  Alike alike;
  if (!alike.read(given, 1)) return nullptr;
  return wrap(empty(alike.model->shape(), alike.dtype, alike.model->device()));
}

template <int number>
PyObject* make_constant_like(const Given& given) {
  Alike alike;
  if (!alike.read(given, 1)) return nullptr;
  return wrap(full(alike.model->shape(), number, alike.dtype, alike.model->device()));
}

PyObject* make_full_like(const Given& given) {
  Alike alike;
  if (!given[1] || !alike.read(given, 2)) return nullptr;
  auto value = to_scalar(given[1]);
  if (!value || !holds(alike.dtype, *value)) return nullptr;
  return wrap(full(alike.model->shape(), *value, alike.dtype, alike.model->device()));
}

PyObject* converted_copy(const array& a, Dtype dtype, const char* order) {
  warn_of_lost_part(a.dtype(), dtype);
  return wrap(ordered_copy(a, dtype, order));
}

// The type of one of NumPy's arrays, if it is one of ours; nothing for subclasses and all else.
std::optional<Dtype> plain_numpy_type(PyObject* given) {
  if (!is_numpy_array(given)) return std::nullopt;
  if (PyType_GetSlot(Py_TYPE(given), Py_tp_base) != &PyBaseObject_Type) return std::nullopt;
  return known_dtype(nb::handle(given).attr("dtype"));
}

// Python's numbers, alone or in lists, and NumPy's arrays, where the host sees what is made of
// them.
PyObject* from_python(PyObject* given, PyObject* type) {
  if (!given || !default_device().host_accessible()) return nullptr;
  auto wanted = is_missing(type) ? std::nullopt : known_dtype(type);
  if (!is_missing(type) && !wanted) return nullptr;
  nb::object item;  // of one of NumPy's scalars
  if (const auto dtype = numpy_scalar_type(given)) {
    if (!wanted) wanted = dtype;
    if (*wanted != *dtype) return nullptr;
    item = nb::handle(given).attr("item")();
    given = item.ptr();
  }
  if (auto value = to_scalar(given)) {
    const Dtype dtype = wanted.value_or(value->default_dtype());
    return holds(dtype, *value) ? wrap(full({}, *value, dtype, default_device())) : nullptr;
  }
  if (auto dtype = plain_numpy_type(given)) {
    if (wanted.value_or(*dtype) != *dtype) return nullptr;
    array made = from_numpy(given, false);
    return made.ndim() > 0 ? wrap(std::move(made)) : nullptr;
  }
  if (!PyList_CheckExact(given) && !PyTuple_CheckExact(given)) return nullptr;
  auto made = from_numbers(given, wanted);
  return made ? wrap(*std::move(made)) : nullptr;
}

// An array as it is, or as NumPy's function has a number that it stands for: its type yields no
// more.
PyObject* passed(PyObject* given, const array& a) {
  return a.weak() ? wrap(to_array(given)) : Py_NewRef(given);
}

// as_array(obj, dtype), which routines read their arguments by: what is made of lists goes to where
// the others are.
PyObject* read_argument(const Given& given) {
  if (const array* a = as_array(given[0])) {
    Dtype dtype = a->dtype();
    if (!read_dtype(given[1], dtype)) return nullptr;
    return dtype == a->dtype() ? passed(given[0], *a) : converted_copy(*a, dtype, "K");
  }
  PyObject* made = from_python(given[0], given[1]);
  if (made) array_in(made).storage().placed = false;
  return made;
}

// asarray(a, dtype, order, device, copy)
PyObject* pass_or_convert(const Given& given) {
  if (!is_order(given[2], "K") || !is_missing(given[4])) return nullptr;
  const Device* device = read_device(given[3]);
  const array* a = as_true_array(given[0]);
  if (!a) return device == &default_device() ? from_python(given[0], given[1]) : nullptr;
  if (!device || (device != &a->device() && !is_missing(given[3]))) return nullptr;
  Dtype dtype = a->dtype();
  if (!read_dtype(given[1], dtype)) return nullptr;
  return dtype == a->dtype() ? passed(given[0], *a) : converted_copy(*a, dtype, "K");
}

// array(object, dtype, copy, order, subok, ndmin, ndmax)
PyObject* make_array(const Given& given) {
  bool copy = true;
  if (!read_flag(given[2], copy) || !copy || !is_order(given[3], "K") || given[4] || given[5] ||
      given[6]) {
    return nullptr;
  }
  const array* a = as_true_array(given[0]);
  if (!a) return from_python(given[0], given[1]);
  Dtype dtype = a->dtype();
  return read_dtype(given[1], dtype) ? converted_copy(*a, dtype, "K") : nullptr;
}

// copy(a, order, subok)
PyObject* make_copy(const Given& given) {
  const array* a = as_true_array(given[0]);
  if (!a || !is_order(given[1], "K") || given[2]) return nullptr;
  return wrap(ordered_copy(*a, a->dtype(), "K"));
}

// ndarray.copy(self, order)
PyObject* copy_method(const Given& given) {
  const array* a = as_array(given[0]);
  if (!a || !is_order(given[1], "C")) return nullptr;
  return wrap(ordered_copy(*a, a->dtype(), "C"));
}

// ndarray.flatten(self, order)
PyObject* flatten_method(const Given& given) {
  const array* a = as_true_array(given[0]);
  if (!a || !is_order(given[1], "C")) return nullptr;
  return wrap(ordered_copy(*a, a->dtype(), "C").reshape({-1}));
}

// ndarray.conjugate(self, out)
PyObject* conjugate_method(const Given& given) {
  const array* a = as_array(given[0]);
  if (!a || !is_missing(given[1])) return nullptr;
  if (!is_complex(a->dtype())) return Py_NewRef(given[0]);
  return wrap(elementwise(Op::conjugate, {*a}));
}

// ndarray.item(self, *args)
PyObject* item_method(const Given& given) {
  const array* a = as_array(given[0]);
  if (!a || !given.rest.empty() || a->size() != 1) return nullptr;
  tell_of_leaving(*a, "item()");
  return to_python_number(*a).release().ptr();
}

// ndarray.astype(self, dtype, order, casting, subok, copy)
PyObject* astype_method(const Given& given) {
  const array* a = as_array(given[0]);
  if (!a || is_missing(given[1]) || !is_order(given[2], "K") || given[3] || given[4]) {
    return nullptr;
  }
  Dtype dtype{};
  bool copy = true;
  if (!read_dtype(given[1], dtype) || !read_flag(given[5], copy)) return nullptr;
  if (!copy && dtype == a->dtype()) return Py_NewRef(given[0]);
  return converted_copy(*a, dtype, "K");
}

// astype(x, dtype, copy, device)
PyObject* make_astype(const Given& given) {
  PyObject* const method[] = {given[0], given[1], nullptr, nullptr, nullptr, given[2]};
  return is_missing(given[3]) ? astype_method({method, {}}) : nullptr;
}

// An integer or a float that is a number.
std::optional<Scalar> read_real(PyObject* given) {
  if (!given || !(PyFloat_CheckExact(given) || PyLong_CheckExact(given))) return std::nullopt;
  auto scalar = to_scalar(given);
  return std::isfinite(scalar->real()) ? scalar : std::nullopt;
}

// arange(start_or_stop, stop, step, dtype, start, device): numbers that are far from the end of
// what their types hold, and more than the two elements that NumPy works out one by one. The start
// by name is for Python where it is alone, or given by position, too.
PyObject* make_arange(const Given& given) {
  if (read_device(given[5]) != &default_device()) return nullptr;
  const bool alone = is_missing(given[1]);  // arange(stop)
  if (given[4] && (alone || given[0])) return nullptr;
  std::optional<Scalar> start = 0, stop = read_real(given[alone ? 0 : 1]), step = 1;
  if (PyObject* first = given[4] ? given[4] : given[0]; first && !alone) start = read_real(first);
  if (!is_missing(given[2])) step = read_real(given[2]);
  if (!start || !stop || !step || step->real() == 0) return nullptr;
  const bool exact = start->kind() == Scalar::Kind::integer &&
                     stop->kind() == Scalar::Kind::integer && step->kind() == Scalar::Kind::integer;
  const Dtype usual = exact ? Dtype::int64 : Dtype::float64;
  Dtype dtype = usual;
  if (!read_dtype(given[3], dtype) || dtype != usual) return nullptr;
  const double far = std::ldexp(1.0, exact ? 60 : 53);
  for (const auto& number : {start, stop, step}) {
    if (std::abs(number->real()) >= far) return nullptr;
  }
  const double length = (stop->real() - start->real()) / step->real();
  if (!exact && !(length > 2 && length < far)) return nullptr;
  return wrap(arange(*start, *stop, *step));
}

// linspace(start, stop, num, endpoint, retstep, dtype, axis, device)
PyObject* make_linspace(const Given& given) {
  const auto start = read_real(given[0]), stop = read_real(given[1]);
  std::int64_t count = 50, axis = 0;
  bool endpoint = true, with_step = false;
  Dtype dtype = Dtype::float64;
  const bool read = start && stop && read_integer(given[2], count) && count >= 0 &&
                    read_flag(given[3], endpoint) && read_flag(given[4], with_step) && !with_step &&
                    read_dtype(given[5], dtype) && read_integer(given[6], axis) && axis == 0 &&
                    is_missing(given[7]);
  return read ? wrap(linspace(start->real(), stop->real(), count, endpoint, dtype)) : nullptr;
}

// eye(N, M, k, dtype, order, device)
PyObject* make_eye(const Given& given) {
  std::int64_t rows = -1, columns = -1, k = 0;
  Dtype dtype = Dtype::float64;
  if (!given[0] || !read_integer(given[0], rows) || rows < 0) return nullptr;
  columns = rows;
  const bool read = (is_missing(given[1]) || read_integer(given[1], columns)) && columns >= 0 &&
                    read_integer(given[2], k) && read_dtype(given[3], dtype) &&
                    is_order(given[4], "C") && is_missing(given[5]);
  return read ? wrap(eye(rows, columns, k, dtype)) : nullptr;
}

}  // namespace

std::span<const NamedCall> creation_calls() {
  static constexpr NamedCall calls[] = {
      {"arange", make_arange},
      {"array", make_array},
      {"as_array", read_argument},
      {"asanyarray", pass_or_convert},
      {"asarray", pass_or_convert},
      {"astype", make_astype},
      {"copy", make_copy},
      {"empty", make_empty},
      {"empty_like", make_empty_like},
      {"eye", make_eye},
      {"full", make_full},
      {"full_like", make_full_like},
      {"linspace", make_linspace},
      {"ndarray.astype", astype_method},
      {"ndarray.conjugate", conjugate_method},
      {"ndarray.copy", copy_method},
      {"ndarray.flatten", flatten_method},
      {"ndarray.item", item_method},
      {"ones", make_constant<1>},
      {"ones_like", make_constant_like<1>},
      {"zeros", make_constant<0>},
      {"zeros_like", make_constant_like<0>},
  };
  return calls;
}

}  // namespace heddle::python
