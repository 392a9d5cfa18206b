// Copies of arrays in NumPy's memory, from any device.
#include <nanobind/nanobind.h>

#include "graph/look.h"
#include "graph/storage.h"
#include "python/convert.h"
#include "runtime/device.h"
#include <heddle/errors.h>

namespace heddle::python {

namespace {

// The dimensions from the slowest to the fastest in the memory of a copy.
Dims memory_axes(const array& a, const std::string& order) {
  const Layout& layout = a.layout();
  if (order == "K") return memory_order(layout);
  bool fortran =
      order == "F" || (order == "A" && is_f_contiguous(layout) && !is_c_contiguous(layout));
  if (!fortran && order != "C" && order != "A")
    throw value_error("order must be one of 'C', 'F', 'A', or 'K' (got '" + order + "')");
  Dims axes(a.ndim());
  for (std::int64_t d = 0; d < axes.size(); ++d) axes[d] = fortran ? axes.size() - 1 - d : d;
  return axes;
}

Dims inverse(const Dims& axes) {
  Dims places(axes.size());
  for (std::int64_t i = 0; i < axes.size(); ++i) places[axes[i]] = i;
  return places;
}

bool are_in_order(const Dims& axes) {
  for (std::int64_t d = 0; d < axes.size(); ++d) {
    if (axes[d] != d) return false;
  }
  return true;
}

// The first byte of an array of NumPy's. Types that have no name for buffers are asked for it in
// another way, which takes longer.
void* memory_of(nb::handle numpy_array) {
  Py_buffer view;
  if (PyObject_GetBuffer(numpy_array.ptr(), &view, PyBUF_STRIDES | PyBUF_WRITABLE) == 0) {
    void* first = view.buf;
    PyBuffer_Release(&view);
    return first;
  }
  PyErr_Clear();
  return reinterpret_cast<void*>(nb::cast<std::uintptr_t>(numpy_array.attr("ctypes").attr("data")));
}

// Returns before the elements are there, if the memory is page-locked.
void start_copy(const array& a, void* to) {
  if (a.device().host_accessible()) return a.copy_to_host(to, a.dtype());
  array source = dense(a, a.dtype()).eval();
  a.device().start_copy_to_host(to, look(*source.storage().value()),
                                static_cast<std::size_t>(a.size() * itemsize(a.dtype())));
}

}  // namespace

nb::object copied_to_numpy(const array& a, const std::string& order) {
  static auto* empty = new nb::object(nb::module_::import_("numpy").attr("empty"));
  const auto copied = [&](const array& source) {
    nb::object made = (*empty)(to_tuple(source.shape()), numpy_dtype(a.dtype()));
    source.copy_to_host(memory_of(made), a.dtype());
    return made;
  };
  const Dims axes = memory_axes(a, order);
  if (are_in_order(axes)) return copied(a);
  return copied(a.transpose(axes)).attr("transpose")(to_tuple(inverse(axes)));
}

void copy_into(const array& a, nb::handle out, bool blocking) {
  bool by_rows = nb::cast<bool>(out.attr("flags").attr("c_contiguous"));
  array turned = a.transpose(memory_axes(a, by_rows ? "C" : "F"));
  if (blocking) {
    turned.copy_to_host(memory_of(out), a.dtype());
  } else {
    start_copy(turned, memory_of(out));
  }
}

}  // namespace heddle::python
