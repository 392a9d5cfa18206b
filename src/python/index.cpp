#include <algorithm>

#include "graph/storage.h"
#include "ops/deferred.h"
#include "python/convert.h"
#include "python/index_items.h"
#include "runtime/device.h"
#include <heddle/errors.h>
#include <heddle/runtime.h>

namespace heddle::python {

namespace {

[[noreturn]] void bad_index() {
  throw index_error(
      "only integers, slices (`:`), ellipsis (`...`), numpy.newaxis (`None`) and integer or "
      "boolean "
      "arrays are valid indices");
}

Slice to_slice(PyObject* slice) {
  Py_ssize_t start = 0, stop = 0, step = 0;
  if (PySlice_Unpack(slice, &start, &stop, &step) != 0) {
    nb::python_error error;
    const nb::object given = nb::getattr(slice, "step");
    if (!PyLong_Check(given.ptr()) || PyObject_IsTrue(given.ptr()) != 0) throw error;
    step = 0;  // `Slice::of` refuses it, when it is its turn: indices before it are looked at first
  }
  // What is left out is as far as numbers go; sums of these must not overflow.
  auto within = [](Py_ssize_t bound) {
    constexpr std::int64_t huge = std::int64_t{1} << 61;
    return std::clamp<std::int64_t>(bound, -huge, huge);
  };
  return {within(start), within(stop), within(step)};
}

// What is no array yet stays with the host, where its indices are checked without waiting for a
// device. It goes to the device of the array that is indexed.
array host_indices(nb::handle given) try {
  const nb::object object = elements_of(given);
  if (is_array(object.ptr()) || default_device().host_accessible()) return to_array(object);
  array made = [&] {
    DeviceScope host("cpu");
    return to_array(object);
  }();
  if (made.device().host_accessible()) tell_of_copy(default_device().name(), made.shape());
  return made;
} catch (const type_error&) {
  if (nb::hasattr(given, "_mask")) throw;  // says what to do with masked arrays
  bad_index();                             // of a type that arrays do not hold
}

// Of anything but a slice.
IndexItem to_index_item(nb::handle object) {
  PyObject* o = object.ptr();
  IndexItem item;
  if (o == Py_Ellipsis) return item;
  if (o == Py_None) {
    item.kind = IndexItem::Kind::new_axis;
    return item;
  }
  auto set_integer = [&](PyObject* index) {
    int overflow = 0;
    item.kind = IndexItem::Kind::integer;
    item.integer = PyLong_AsLongLongAndOverflow(index, &overflow);
    if (overflow) throw index_error("cannot fit 'int' into an index-sized integer");
  };
  if (PyLong_CheckExact(o)) {
    set_integer(o);
    return item;
  }
  if (!is_array(o) && !PyBool_Check(o) && PyIndex_Check(o) && !is_numpy_array(object)) {
    nb::object index = nb::steal(PyNumber_Index(o));
    if (index.is_valid()) {
      set_integer(index.ptr());
      return item;
    }
    PyErr_Clear();
  }
  const bool unknown = is_array(o) && is_unknown(array_in(o));
  if (is_array(o) && array_in(o).ndim() == 0 && is_integer(array_in(o).dtype()) && !unknown) {
    set_integer(to_python_number(array_in(o)).ptr());
    return item;
  }
  // Indices that a mask selects in each row of a batch: whoever reads them finds the mask.
  if (!is_array(o) && nb::hasattr(object, "_selecting_mask")) {
    item.kind = IndexItem::Kind::array;
    item.indices =
        std::make_shared<const array>(array_in(nb::object(object.attr("_selecting_mask")).ptr()));
    return item;
  }
  bool sequence = is_array(o) || is_numpy_array(object) || nb::hasattr(object, "__array__") ||
                  (PySequence_Check(o) && !PyUnicode_Check(o) && !PyBytes_Check(o));
  if (!sequence && !PyBool_Check(o) && !is_numpy_scalar(object)) bad_index();
  array indices = host_indices(object);
  bool empty_list =
      !is_array(o) && indices.size() == 0 && PySequence_Check(o) && !is_numpy_array(object);
  if (empty_list) {
    indices = cast(indices, Dtype::int64);
    indices.storage().placed = false;
  }
  if (indices.dtype() != Dtype::bool_ && !is_integer(indices.dtype())) bad_index();
  if (indices.ndim() == 0 && indices.dtype() != Dtype::bool_ && !unknown) {
    set_integer(to_python_number(indices).ptr());
    return item;
  }
  item.kind = IndexItem::Kind::array;
  item.indices = std::make_shared<const array>(std::move(indices));
  return item;
}

}  // namespace

IndexItems::IndexItems(nb::handle object) {
  PyObject* o = object.ptr();
  const bool several = PyTuple_Check(o);
  const auto count = several ? static_cast<std::size_t>(PyTuple_Size(o)) : 1;
  if (count > few) more_.resize(count);
  all_ = {count > few ? more_.data() : few_, count};
  const auto part_at = [&](std::size_t i) {
    return several ? PyTuple_GetItem(o, static_cast<Py_ssize_t>(i)) : o;
  };
  // Bounds of slices come last: an object that is no index at all is the first thing to say.
  for (std::size_t i = 0; i < count; ++i) {
    PyObject* part = part_at(i);
    if (PySlice_Check(part)) continue;
    all_[i] = to_index_item(part);
    if (all_[i].kind == IndexItem::Kind::integer && !PyLong_CheckExact(part))
      has_array_of_integer_ |=
          is_array(part) ? !is_scalar(array_in(part)) : is_numpy_array(nb::handle(part));
  }
  for (std::size_t i = 0; i < count; ++i) {
    PyObject* part = part_at(i);
    if (!PySlice_Check(part)) continue;
    all_[i].kind = IndexItem::Kind::slice;
    all_[i].slice = to_slice(part);
  }
}

std::vector<IndexItem> to_index(nb::handle object) {
  const IndexItems items(object);
  return {items.all().begin(), items.all().end()};
}

}  // namespace heddle::python
