// The ndarray type's slots for its elements: indices, assignment, length, iteration.
#include <exception>

#include <fmt/format.h>
#include <nanobind/nanobind.h>

#include "graph/look.h"
#include "graph/storage.h"
#include "ops/creation.h"
#include "ops/deferred.h"
#include "ops/indexing.h"
#include "ops/operators.h"
#include "ops/write.h"
#include "python/array_protocol.h"
#include "python/array_slots.h"
#include "python/casters.h"
#include "python/index_items.h"
#include "python/numpy_scalars.h"
#include <heddle/errors.h>

namespace heddle::python {

array base_of(const array& a) {
  if (!is_snapshot(a)) return a;
  array base = a.copy();
  base.storage().snapshot = false;
  return base;
}

array still_scalar(const array& a, array made) {
  if (is_snapshot(a) && made.ndim() == 0) made.storage().snapshot = true;
  return made;
}

namespace {

// The indices, where an index expression is an integer for each dimension: the usual one in loops,
// for which little is affordable.
bool read_full_index(PyObject* index, const array& a, Dims& indices) {
  auto add = [&](PyObject* item) {
    if (PyLong_CheckExact(item)) {
      int overflow = 0;
      indices.push_back(PyLong_AsLongLongAndOverflow(item, &overflow));
      return overflow == 0;
    }
    const auto dtype = numpy_scalar_type(item);
    if (!dtype || !is_integer(*dtype) || *dtype == Dtype::uint64) return false;
    indices.push_back(read_numpy_scalar(item, *dtype).item<std::int64_t>());
    return true;
  };
  if (!PyTuple_CheckExact(index)) return a.ndim() == 1 && add(index);
  auto count = NB_TUPLE_GET_SIZE(index);
  if (count != a.ndim()) return false;
  for (Py_ssize_t i = 0; i < count; ++i) {
    if (!add(NB_TUPLE_GET_ITEM(index, i))) return false;
  }
  return true;
}

std::span<const std::int64_t> as_span(const Dims& dims) {
  return {dims.data(), static_cast<std::size_t>(dims.size())};
}

// What an index leads to. x[()] of a 0-d array stays ours.
PyObject* wrap_item(array made, PyObject* self) {
  if (made.number() && array_in(self).ndim() > 0) return wrap_known(std::move(made));
  return wrap_view(std::move(made), self);
}

// The element at one index for each dimension. No array is made of what is in memory.
PyObject* element_at(PyObject* self, std::span<const std::int64_t> indices) {
  const array& a = array_in(self);
  ScalarWords element;
  if (!copy_element_at_hand(a, indices, element)) return wrap_item(make_element(a, indices), self);
  if (a.dtype() == Dtype::bfloat16) return wrap_known(array::of_number(element, a.dtype()));
  return make_numpy_scalar(element, a.dtype());
}

// Whether an index has a mask whose true elements nobody can count: those of stand-ins, which
// select another number of elements in each row. A number is written by the core, but to what one
// truth value, or none, selects.
bool has_uncounted_mask(std::span<const IndexItem> items, bool number_alone = false) {
  return std::ranges::any_of(items, [&](const IndexItem& item) {
    if (item.kind != IndexItem::Kind::array || item.indices->dtype() != Dtype::bool_) return false;
    const bool elements = item.indices->ndim() > 0 && item.indices->size() > 0;
    return is_stand_in(*item.indices) && !(number_alone && elements);
  });
}

nb::object selections(const char* function) {
  return nb::module_::import_("heddle._transform.selections").attr(function);
}

}  // namespace

PyObject* subscript_slot(PyObject* self, PyObject* index) {
  return guarded([&] {
    Dims indices;
    if (read_full_index(index, array_in(self), indices)) return element_at(self, as_span(indices));
    const IndexItems read(index);
    const auto items = read.all();
    if (has_uncounted_mask(items)) {
      return selections("selected")(nb::handle(self), nb::handle(index)).release().ptr();
    }
    const array& a = array_in(self);
    array got = is_snapshot(a) ? get_item(base_of(a), items) : get_item(a, items);
    if (read.has_array_of_integer() && got.ndim() > 0) got = got.copy();
    return wrap_item(std::move(got), self);
  });
}

namespace {

// What NumPy makes of an object that is on its way into an array of this type. Sequences are
// converted number by number, so that each has to fit; arrays are cast. A NumPy
// scalar becomes an element of signed integers by way of int(): no nan, and in range or not.
array converted(PyObject* value, Dtype dtype, bool element) {
  if (is_array(value)) return array_in(value);
  nb::object numpy = nb::module_::import_("numpy");
  if (PyList_Check(value) || PyTuple_Check(value)) {
    if (auto made = joined(value, dtype)) return *made;
    return to_array(numpy.attr("asarray")(nb::handle(value), numpy_dtype(dtype)));
  }
  if (element && kind(dtype) == Kind::signed_integer &&
      nb::isinstance(nb::handle(value), numpy.attr("generic"))) {
    nb::object number = nb::steal(PyNumber_Long(value));
    if (!number.is_valid()) throw nb::python_error();
    return to_element(*to_scalar(number), dtype);
  }
  nb::object given = call_array_method(value);
  if (given.is_valid() && is_array(given.ptr())) return array_in(given.ptr());
  if (!given.is_valid()) given = numpy.attr("asanyarray")(nb::handle(value));
  // Text, objects, times, long doubles: NumPy knows how each becomes a number.
  if (!known_dtype(given.attr("dtype"))) given = given.attr("astype")(numpy_dtype(dtype));
  return to_array(elements_of(given));
}

// What NumPy does with a sequence for one element: its truth, or the error of Python's conversion.
array element_of_sequence(PyObject* sequence, Dtype dtype) {
  const char* name = PyList_Check(sequence) ? "list" : PyTuple_Check(sequence) ? "tuple" : "range";
  switch (kind(dtype)) {
    case Kind::boolean:
      return full({}, PyObject_IsTrue(sequence) == 1, Dtype::bool_);
    case Kind::signed_integer:
    case Kind::unsigned_integer:
      throw type_error(fmt::format(
          "int() argument must be a string, a bytes-like object or a real number, not '{}'", name));
    case Kind::complex:
      throw type_error(fmt::format("must be real number, not {}", name));
    case Kind::floating:
      break;
  }
  throw value_error("setting an array element with a sequence.");
}

// As NumPy: lists are no deeper than the part that they are written to, unlike arrays.
void check_depth(const array& target, std::span<const IndexItem> items, const array& given) {
  auto most = target.ndim();
  for (const IndexItem& item : items) {
    if (item.kind == IndexItem::Kind::integer) --most;
    if (item.kind == IndexItem::Kind::new_axis) ++most;
  }
  if (given.ndim() <= std::max<std::int64_t>(most, 0)) return;
  throw value_error(
      fmt::format("setting an array element with a sequence. The requested array would exceed the "
                  "maximum number of dimension of {}.",
                  most));
}

// The bytes of a number as an element of this type, where that needs no more than a conversion.
std::optional<ScalarWords> element_of(PyObject* number, Dtype dtype) {
  if (PyFloat_CheckExact(number)) {
    if (kind(dtype) != Kind::floating) return std::nullopt;
    return Scalar(PyFloat_AsDouble(number)).bits(dtype);
  }
  if (PyLong_CheckExact(number)) {
    int overflow = 0;
    const Scalar integer(std::int64_t{PyLong_AsLongLongAndOverflow(number, &overflow)});
    if (overflow != 0 || is_complex(dtype) || !integer.fits(dtype)) return std::nullopt;
    return integer.bits(dtype);
  }
  if (!is_numpy_scalar(number, dtype)) return std::nullopt;
  return read_numpy_element(number, dtype);
}

// The usual write in loops: a number to one element of memory. False for all others.
bool put_number(const array& target, PyObject* index, PyObject* value) {
  const auto element = element_of(value, target.dtype());
  Dims indices;
  return element && read_full_index(index, target, indices) &&
         put_element_at_hand(target, as_span(indices), *element);
}

void assign(PyObject* self, PyObject* index, PyObject* value) {
  array& target = array_in(self);
  if (put_number(target, index, value)) return;
  auto scalar = to_scalar(value);
  const auto numpys = scalar ? std::nullopt : numpy_scalar_type(value);
  const auto number =
      numpys ? std::optional(read_numpy_scalar(value, *numpys)) : std::optional<array>();
  const array* made = number ? &*number : is_array(value) ? &array_in(value) : nullptr;
  Dims indices;
  if ((scalar || made) && !is_scalar(target) && read_full_index(index, target, indices)) {
    if (scalar) {
      set_element(target, as_span(indices), to_element(*scalar, target.dtype()));
    } else {
      warn_of_lost_part(made->dtype(), target.dtype());
      if (is_scalar(*made) && made->dtype() != target.dtype()) {
        set_element(target, as_span(indices), to_element(*made, target.dtype()));
      } else {
        set_element(target, as_span(indices), *made);
      }
    }
    return;
  }
  const bool sequence = PyList_Check(value) || PyTuple_Check(value) || PyRange_Check(value);
  if (sequence && read_full_index(index, target, indices)) {
    const array element = element_of_sequence(value, target.dtype());
    set_element(target, as_span(indices), element);
    return;
  }
  const IndexItems read(index);
  const auto items = read.all();
  bool basic = std::ranges::none_of(
      items, [](const IndexItem& item) { return item.kind == IndexItem::Kind::array; });
  const bool number_alone = items.size() == 1 && (scalar || (made && made->ndim() == 0));
  if (has_uncounted_mask(items, number_alone)) {
    selections("select")(nb::handle(self), nb::handle(index), nb::handle(value));
    return;
  }
  array given = [&]() -> array {
    if (scalar) return to_element(*scalar, target.dtype());
    // As NumPy: its scalars have to fit signed integers, but beside index arrays they are cast.
    if (number) {
      const Dtype from = number->dtype();
      const bool fits = !basic || can_cast(from, target.dtype());
      if (!fits) static_cast<void>(to_element(*number, target.dtype()));
      return read_numpy_scalar(value, from);  // a copy would be somewhere, a number is nowhere
    }
    if (made) return basic && is_scalar(*made) ? to_element(*made, target.dtype()) : *made;
    array from_object = converted(value, target.dtype(), basic);
    if (sequence && basic) check_depth(target, items, from_object);
    return from_object;
  }();
  warn_of_lost_part(given.dtype(), target.dtype());
  if (is_scalar(target)) {
    // A result may have its number in many places: it becomes another one, and they stay.
    array changed = base_of(target);
    set_item(changed, items, std::move(given));
    target = still_scalar(target, std::move(changed));
  } else {
    set_item(target, items, std::move(given));
  }
}

}  // namespace

int assign_slot(PyObject* self, PyObject* index, PyObject* value) {
  if (!value) {
    PyErr_SetString(PyExc_ValueError, "cannot delete array elements");
    return -1;
  }
  PyObject* done = guarded([&]() -> PyObject* {
    array& target = array_in(self);
    try {
      assign(self, index, value);
    } catch (const index_error&) {
      throw;
    } catch (...) {
      // As NumPy: what is wrong with an index is said before what is wrong with the value.
      const auto error = std::current_exception();
      const IndexItems read(index);
      if (writeable(target) && !has_uncounted_mask(read.all())) check_index(target, read.all());
      std::rethrow_exception(error);
    }
    Py_RETURN_NONE;
  });
  if (!done) return -1;
  Py_DECREF(done);
  return 0;
}

Py_ssize_t length_slot(PyObject* self) {
  const array& a = array_in(self);
  if (a.ndim() == 0) {
    PyErr_SetString(PyExc_TypeError, "len() of unsized object");
    return -1;
  }
  return a.shape()[0];
}

namespace {

// Python has added the length to what was negative.
bool is_in_bounds(const Layout& layout, Py_ssize_t i) {
  if (layout.ndim() == 0 || (i >= 0 && i < layout.shape[0])) return true;
  PyErr_Format(PyExc_IndexError, "index %zd is out of bounds for axis 0 with size %zd", i,
               static_cast<Py_ssize_t>(layout.shape[0]));
  return false;
}

}  // namespace

// Loops over arrays, and C functions that ask for a sequence, come here for each element.
PyObject* item_slot(PyObject* self, Py_ssize_t i) {
  const Layout& layout = array_in(self).layout();
  if (!is_in_bounds(layout, i)) return nullptr;
  if (layout.ndim() == 1) {
    const std::int64_t indices[] = {i};
    return guarded([&] { return element_at(self, indices); });
  }
  nb::object index = nb::steal(PyLong_FromSsize_t(i));
  return subscript_slot(self, index.ptr());
}

int assign_item_slot(PyObject* self, Py_ssize_t i, PyObject* value) {
  if (!is_in_bounds(array_in(self).layout(), i)) return -1;
  nb::object index = nb::steal(PyLong_FromSsize_t(i));
  return assign_slot(self, index.ptr(), value);
}

// What is pending is computed once, not for each element.
PyObject* iteration_slot(PyObject* self) {
  return guarded([&] {
    const array& a = array_in(self);
    if (a.ndim() == 0) throw type_error("iteration over a 0-d array");
    if (!is_stand_in(a)) a.eval();
    return PySeqIter_New(self);
  });
}

}  // namespace heddle::python
