// The usual calls of functions that make arrays, copies among them.
#include <cmath>
#include <limits>

#include "graph/storage.h"
#include "ops/creation.h"
#include "ops/elementwise.h"
#include "ops/write.h"
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

// Python's number, or one of NumPy's scalars, which has a type.
struct Filling {
  explicit Filling(PyObject* given) {
    if (!given) return;
    value = to_scalar(given);
    if (value) {
      dtype = value->default_dtype();
    } else if (const auto type = numpy_scalar_type(given)) {
      value = from_numpy_scalar(given);
      dtype = *type;
    }
  }
  std::optional<Scalar> value;
  Dtype dtype = Dtype::float64;
};

PyObject* make_full(const Given& given) {
  const auto [value, dtype] = Filling(given[1]);
  if (!value) return nullptr;
  Made made;
  made.dtype = dtype;
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
  const auto value = Filling(given[1]).value;
  if (!value || !alike.read(given, 2) || !holds(alike.dtype, *value)) return nullptr;
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
  if (Py_TYPE(given) == &PyRange_Type) {
    const nb::object items = nb::steal(PySequence_List(given));
    auto made = items ? from_numbers(items, wanted) : std::nullopt;
    return made ? wrap(*std::move(made)) : nullptr;
  }
  if (!PyList_CheckExact(given) && !PyTuple_CheckExact(given)) return nullptr;
  if (PyObject_Size(given) == 0) {
    return wrap(empty({0}, wanted.value_or(Dtype::float64), default_device()));
  }
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

// Whether to copy an array that could pass as it is.
enum class Copy : std::uint8_t { never, where_needed, always };

bool read_copy(PyObject* given, Copy& copy) {
  if (!given) return true;
  if (given == Py_None) {
    copy = Copy::where_needed;
  } else if (given == Py_True || given == Py_False) {
    copy = given == Py_True ? Copy::always : Copy::never;
  } else {
    return false;
  }
  return true;
}

// The orders that a call may ask for, as a text; nullptr for others.
const char* read_order(PyObject* given) {
  if (is_missing(given)) return "K";
  for (const char* letter : {"K", "C", "A", "F"}) {
    if (is_order(given, letter)) return letter;
  }
  return nullptr;
}

bool lies_in_order(const array& a, char order) {
  switch (order) {
    case 'C':
      return is_c_contiguous(a.layout());
    case 'F':
      return is_f_contiguous(a.layout());
    default:  // K, and A, which decides about copies only
      return true;
  }
}

// What array and its kind have in common.
struct Wanted {
  PyObject* dtype = nullptr;
  const char* order = "K";
  Copy copy = Copy::where_needed;
  std::int64_t dimensions = 0;  // at least
};

PyObject* with_dimensions(PyObject* made, std::int64_t least) {
  if (!made) return nullptr;
  const array& a = array_in(made);
  if (a.ndim() >= least) return made;
  Dims shape(static_cast<std::size_t>(least - a.ndim()), 1);
  for (const auto extent : a.shape()) shape.push_back(extent);
  PyObject* more = wrap(a.reshape(shape));
  Py_DECREF(made);
  return more;
}

PyObject* make_from(PyObject* given, const Wanted& wanted) {
  if (wanted.dimensions < 0 || wanted.dimensions > max_dims) return nullptr;
  const array* a = as_true_array(given);
  if (!a) {
    // What is made anew lies in C order, but copies of arrays, whose order A decides about.
    if (wanted.copy == Copy::never || (*wanted.order == 'A' && is_numpy_array(given))) {
      return nullptr;
    }
    PyObject* made = from_python(given, wanted.dtype);
    if (made && !lies_in_order(array_in(made), *wanted.order)) {
      Py_DECREF(made);
      return nullptr;
    }
    return with_dimensions(made, wanted.dimensions);
  }
  Dtype dtype = a->dtype();
  if (!read_dtype(wanted.dtype, dtype)) return nullptr;
  const bool passes = dtype == a->dtype() && lies_in_order(*a, *wanted.order);
  if (!passes && wanted.copy == Copy::never) return nullptr;
  PyObject* made = passes && wanted.copy != Copy::always ? passed(given, *a)
                                                         : converted_copy(*a, dtype, wanted.order);
  return with_dimensions(made, wanted.dimensions);
}

// asarray(a, dtype, order, device, copy)
PyObject* pass_or_convert(const Given& given) {
  Wanted wanted{.dtype = given[1], .order = read_order(given[2])};
  const Device* device = read_device(given[3]);
  if (!device || !wanted.order || !read_copy(given[4], wanted.copy)) return nullptr;
  const array* a = as_true_array(given[0]);
  if (a ? device != &a->device() && !is_missing(given[3]) : device != &default_device()) {
    return nullptr;
  }
  return make_from(given[0], wanted);
}

// array(object, dtype, copy, order, subok, ndmin, ndmax)
PyObject* make_array(const Given& given) {
  Wanted wanted{.dtype = given[1], .order = read_order(given[3]), .copy = Copy::always};
  if (!wanted.order || !read_copy(given[2], wanted.copy) || given[6] ||
      !read_integer(given[5], wanted.dimensions)) {
    return nullptr;
  }
  return make_from(given[0], wanted);
}

// ascontiguousarray(a, dtype)
PyObject* make_contiguous(const Given& given) {
  return make_from(given[0], {.dtype = given[1], .order = "C", .dimensions = 1});
}

// copy(a, order, subok)
PyObject* make_copy(const Given& given) {
  const array* a = as_true_array(given[0]);
  if (!a || !is_order(given[1], "K") || given[2]) return nullptr;
  return wrap(ordered_copy(*a, a->dtype(), "K"));
}

// copyto(dst, src, casting, where)
PyObject* copy_to(const Given& given) {
  const array* to = as_true_array(given[0]);
  if (!to || !writeable(*to) || !given[1] || (given[3] && given[3] != Py_True)) return nullptr;
  if (given[2] && (given[2] == Py_None || !is_order(given[2], "same_kind"))) return nullptr;
  array target = *to;
  if (const array* from = as_array(given[1])) {
    if (from->dtype() != to->dtype() || from->shape() != to->shape()) return nullptr;
    target.assign(*from);
  } else {
    const auto value = to_scalar(given[1]);
    if (!value || !holds(to->dtype(), *value)) return nullptr;
    target.assign(*value);
  }
  return Py_NewRef(Py_None);
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

// The place of an element, at a flat index or at one for each axis.
bool read_place(const array& a, std::span<PyObject* const> indices, std::int64_t& offset) {
  const Layout& layout = a.layout();
  offset = layout.offset;
  const bool flat = indices.size() == 1 && a.ndim() != 1;
  if (!flat && indices.size() != static_cast<std::size_t>(a.ndim())) return false;
  for (std::size_t d = 0; d < indices.size(); ++d) {
    const std::int64_t extent = flat ? a.size() : a.shape()[d];
    std::int64_t index = 0;
    if (!PyLong_CheckExact(indices[d]) || !read_integer(indices[d], index)) return false;
    if (index < 0) index += extent;
    if (index < 0 || index >= extent) return false;
    if (!flat) {
      offset += index * layout.strides[d];
      continue;
    }
    for (auto axis = static_cast<std::size_t>(a.ndim()); axis-- > 0;) {
      offset += index % a.shape()[axis] * layout.strides[axis];
      index /= a.shape()[axis];
    }
  }
  return true;
}

// ndarray.item(self, *args)
PyObject* item_method(const Given& given) {
  const array* a = as_array(given[0]);
  if (!a) return nullptr;
  if (given.rest.empty()) {
    if (a->size() != 1) return nullptr;
    tell_of_leaving(*a, "item()");
    return to_python_number(*a).release().ptr();
  }
  Layout place;
  if (!read_place(*a, given.rest, place.offset)) return nullptr;
  tell_of_leaving(*a, "item()");
  return to_python_number(a->view_as(std::move(place), a->dtype())).release().ptr();
}

// ndarray.tolist(self)
PyObject* tolist_method(const Given& given) {
  const array* a = as_array(given[0]);
  if (!a) return nullptr;
  tell_of_leaving(*a, "tolist()");
  return to_python_list(*a).release().ptr();
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
      {"ascontiguousarray", make_contiguous},
      {"astype", make_astype},
      {"copy", make_copy},
      {"copyto", copy_to},
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
      {"ndarray.tolist", tolist_method},
      {"ones", make_constant<1>},
      {"ones_like", make_constant_like<1>},
      {"zeros", make_constant<0>},
      {"zeros_like", make_constant_like<0>},
  };
  return calls;
}

}  // namespace heddle::python
