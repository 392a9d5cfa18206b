// The ndarray type: attributes, and the raw forms of methods that the Python layer completes.
#include <algorithm>

#include <fmt/format.h>
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include "graph/recorder.h"
#include "graph/storage.h"
#include "ops/creation.h"
#include "ops/deferred.h"
#include "ops/operators.h"
#include "ops/products.h"
#include "ops/reduction.h"
#include "ops/write.h"
#include "python/array_slots.h"
#include "python/casters.h"
#include "python/numpy_scalars.h"
#include "runtime/device.h"
#include <heddle/errors.h>
#include <heddle/index_routines.h>
#include <heddle/manipulation.h>

namespace heddle::python {

namespace {

array copy_in_order(const array& a, Dtype dtype, const std::string& order) {
  bool fortran =
      order == "F" || (order == "A" && is_f_contiguous(a.layout()) && !is_c_contiguous(a.layout()));
  if (fortran) return dense(a.transpose(), dtype).transpose();
  if (order == "C" || order == "A") {
    if (dtype == a.dtype() && is_c_contiguous(a.layout())) return a.copy();
    return dense(a, dtype);
  }
  if (order != "K")
    throw value_error(fmt::format("order must be one of 'C', 'F', 'A', or 'K' (got '{}')", order));
  return dtype == a.dtype() ? a.copy() : cast(a, dtype);
}

array strided(const array& a, nb::handle shape, nb::handle strides, std::int64_t offset) {
  Dims extents = to_dims(shape), steps = to_dims(strides);
  auto size = itemsize(a.dtype());
  if (extents.size() != steps.size()) throw value_error("mismatch in length of strides and shape");
  for (std::int64_t d = 0; d < steps.size(); ++d) {
    // Nobody takes a step along a dimension of one element.
    if (steps[d] % size && extents[d] > 1)
      throw value_error("strides must be a multiple of the item size");
    steps[d] /= size;
  }
  return strided_view(a, {extents, steps, a.layout().offset + offset / size});
}

// As in NumPy, the flag is that of this array and of views made later; a view cannot be written to
// where its base refuses.
void set_writeable(PythonArray& a, bool flag) {
  bool refused = !a.storage().writeable;
  if (a.base.is_valid() && is_array(a.base.ptr())) refused |= !writeable(array_in(a.base.ptr()));
  if (flag && refused) throw value_error("cannot set WRITEABLE flag to True of this array");
  a.set_read_only(!flag);
}

// A method that makes a view: make(array, arguments...).
template <class... Arguments, class F>
auto viewing(F make) {
  return [make](nb::handle self, Arguments... arguments) {
    return nb::steal(wrap_view(make(array_in(self.ptr()), arguments...), self));
  };
}

array part_of_complex(const array& a, int part) {
  Layout layout = a.layout();
  for (auto& stride : layout.strides) stride *= 2;
  layout.offset = layout.offset * 2 + part;
  return a.view_as(layout, real_type(a.dtype()));
}

}  // namespace

array ordered_copy(const array& a, Dtype dtype, const std::string& order) {
  array made = copy_in_order(a, dtype, order);
  made.storage().snapshot = a.ndim() == 0 && is_snapshot(a);
  return made;
}

namespace {

// --- what an array is ---

Dims strides_in_bytes(const array& a) {
  Dims bytes = a.layout().strides;
  for (auto& stride : bytes) stride *= itemsize(a.dtype());
  return bytes;
}

void set_shape(array& a, const Dims& shape) {
  array changed = a.reshape(shape);
  if (&changed.storage() != &a.storage()) {
    throw nb::attribute_error(
        "Incompatible shape for in-place modification. Use `.reshape()` to make a copy with the "
        "desired shape.");
  }
  a = std::move(changed);
}

nb::object base_object(nb::handle self) {
  const nb::object& base = array_in(self.ptr()).base;
  return base.is_valid() ? base : nb::none();
}

template <class Class>
void bind_attributes(Class& cls) {
  cls.def_prop_rw(
         "dtype", [](const array& a) { return a.dtype(); },
         [](array& a, nb::handle dtype) {
           if (is_scalar(a)) throw nb::attribute_error("attribute 'dtype' of numbers is fixed");
           a = a.view(to_dtype(dtype));
         })
      .def_prop_rw(
          "shape", [](const array& a) { return to_tuple(a.shape()); },
          [](array& a, nb::handle shape) { set_shape(a, to_dims(shape)); })
      .def_prop_ro("strides", strides_in_bytes)
      .def_prop_ro("ndim", [](const array& a) { return a.ndim(); })
      .def_prop_ro("size", [](const array& a) { return a.size(); })
      .def_prop_ro("itemsize", [](const array& a) { return itemsize(a.dtype()); })
      .def_prop_ro("nbytes", [](const array& a) { return a.size() * itemsize(a.dtype()); })
      .def_prop_ro("base", base_object)
      .def_prop_ro("device", [](const array& a) { return a.device_name(); })
      .def_prop_ro("pending", [](const array& a) { return a.pending(); })
      .def_prop_ro("_on_host",
                   [](const array& a) {
                     // What was a number of the host's still is.
                     const bool known = a.number() || (is_snapshot(a) && !a.storage().placed);
                     return known || a.device().host_accessible();
                   })
      .def_prop_ro("_at_once",
                   [](const array& a) {
                     return Recorder::current() == nullptr && a.device().host_accessible();
                   })
      .def_prop_ro("_c_contiguous", [](const array& a) { return is_c_contiguous(a.layout()); })
      .def_prop_ro("_f_contiguous", [](const array& a) { return is_f_contiguous(a.layout()); })
      .def_prop_rw(
          "_writeable", [](const array& a) { return writeable(a); },
          [](nb::handle self, bool flag) { set_writeable(array_in(self.ptr()), flag); })
      .def_prop_ro("_is_scalar", is_scalar)
      .def("_shares_storage",
           [](const array& a, const array& b) { return &a.storage() == &b.storage(); })
      .def_prop_ro("_is_exported",
                   [](const array& a) { return !a.number() && a.storage().exports > 0; })
      .def("_offset", [](const array& a) { return a.layout().offset * itemsize(a.dtype()); });
}

// --- views ---

array reshaped(const array& a, const Dims& shape) {
  return still_scalar(a, base_of(a).reshape(shape));
}

array ravelled(const array& a) {
  const bool contiguous = is_c_contiguous(a.layout());
  return (contiguous ? base_of(a) : dense(a, a.dtype())).reshape({a.size()});
}

// None where the elements would have to be copied.
nb::object reshaped_view(nb::handle self, nb::handle shape) {
  const array& a = array_in(self.ptr());
  const Dims dims = to_dims(shape);
  if (size_of(dims) != a.size()) {  // -1, or the error
    return nb::steal(wrap_view(a.reshape(dims), self));
  }
  auto layout = reshape_layout(a.layout(), dims);
  if (!layout) return nb::none();
  array view = still_scalar(a, base_of(a).view_as(*std::move(layout), a.dtype()));
  return nb::steal(wrap_view(std::move(view), self));
}

array imaginary_part(const array& a) {
  if (!is_complex(a.dtype())) throw type_error("_imag: the array is not complex");
  return part_of_complex(a, 1);
}

array protected_from_writes(array a) {
  a.set_read_only(true);
  return a;
}

// A method that makes a view of an array and of shapes or axes: make(array, dims...).
template <class... Given, class F>
auto viewing_by(F make) {
  return viewing<Given...>(
      [make](const array& a, Given... given) { return make(a, to_dims(given)...); });
}

template <class Class>
void bind_views(Class& cls) {
  using nb::handle;
  cls.def_prop_ro("T", viewing([](const array& a) { return a.transpose(); }))
      .def("_read_only", viewing(protected_from_writes))
      .def("_reshape", viewing_by<handle>(reshaped))
      .def("_ravel", viewing(ravelled))
      .def("_reshape_view", reshaped_view)
      .def("_transpose", viewing<handle>([](const array& a, handle axes) {
             return axes.is_none() ? a.transpose() : a.transpose(to_dims(axes));
           }),
           nb::arg("axes").none())
      .def("_move_axes",
           viewing_by<handle, handle>([](const array& a, const Dims& from, const Dims& to) {
             return moveaxis(a, from, to);
           }))
      .def("_diagonal", viewing<std::int64_t, std::int64_t, std::int64_t>(diagonal))
      .def("_squeeze", viewing_by<handle>([](const array& a, const Dims& axes) {
             return still_scalar(a, squeeze(base_of(a), axes));
           }))
      .def("_expand_dims", viewing_by<handle>([](const array& a, const Dims& axes) {
             return expand_dims(base_of(a), axes);
           }))
      .def("_flip", viewing_by<handle>(
                        [](const array& a, const Dims& axes) { return flip(base_of(a), axes); }))
      .def("_broadcast_to", viewing_by<handle>([](const array& a, const Dims& shape) {
             return base_of(a).broadcast_to(shape);
           }))
      .def("_view",
           viewing<handle>([](const array& a, handle dtype) { return a.view(to_dtype(dtype)); }))
      .def("_strided", viewing<handle, handle, std::int64_t>(strided))
      .def("_real", viewing([](const array& a) {
             return is_complex(a.dtype()) ? part_of_complex(a, 0) : a;
           }))
      .def("_imag", viewing(imaginary_part));
}

// --- elements: copies, conversions, and where they are ---

array copy_as_type(const array& a, nb::handle dtype, const std::string& order) {
  const Dtype wanted = to_dtype(dtype);
  warn_of_lost_part(a.dtype(), wanted);
  return ordered_copy(a, wanted, order);
}

// A copy of NumPy's own that shares no memory with the array.
nb::object snapshot(const array& a) {
  return to_numpy(ordered_copy(a, a.dtype(), "K")).attr("copy")("K");
}

nb::object item(const array& a) {
  if (a.size() != 1) throw value_error("can only convert an array of size 1 to a Python scalar");
  tell_of_leaving(a, "item()");
  return to_python_number(a);
}

nb::object as_complex(const array& a) {
  tell_of_leaving(a, "complex()");
  nb::object number = only_number(a);
  if (PyComplex_Check(number.ptr())) return number;
  return nb::steal(PyComplex_FromDoubles(PyFloat_AsDouble(number.ptr()), 0.0));
}

template <class Class>
void bind_contents(Class& cls) {
  cls.def(
         "eval",
         [](nb::handle self) {
           array_in(self.ptr()).eval();
           return nb::borrow(self);
         },
         R"(Computes the array now, if it is pending, and gives it.

Examples
--------
>>> import heddle as np
>>> x = np.arange(3) + 1
>>> x.eval().pending
False
)")
      .def("_place",
           [](nb::handle self) {
             array_in(self.ptr()).storage().placed = true;
             return nb::borrow(self);
           })
      .def("_rebind", [](array& a, const array& other) { a = other; })
      .def("_copy", [](const array& a,
                       const std::string& order) { return ordered_copy(a, a.dtype(), order); })
      .def("_astype", copy_as_type)
      .def("_to_device", viewing<const std::string&>([](const array& a, const std::string& device) {
             return to_device(a, find_device(device));
           }))
      .def("_numpy", to_numpy)
      .def("_to_numpy", copied_to_numpy)
      .def("_copy_into", copy_into)
      .def("_snapshot", snapshot)
      .def("_item", item)
      .def("__complex__", as_complex);
}

}  // namespace

void bind_ndarray(nb::module_& m) {
  // A view as an instance of a subclass.
  m.def("seen_as", [](nb::handle view, nb::handle type) {
    auto* wanted = reinterpret_cast<PyTypeObject*>(type.ptr());
    if (!is_array(view.ptr()) || !PyType_Check(type.ptr()) ||
        !PyType_IsSubtype(wanted, ndarray_type))
      throw type_error("seen_as takes an array and a type of arrays");
    return nb::steal(new_instance(wanted, array_in(view.ptr())));
  });
  make_own_array_type(m);
  auto cls = make_array_type(m, "heddle._core.ndarray", array_slots(), own_array_type);
  ndarray_type = reinterpret_cast<PyTypeObject*>(cls.ptr());
  m.def("gives_way", [](nb::handle other) { return gives_way(other.ptr()); }, nb::arg().none());
  m.def("given_as_array", &given_as_array, nb::arg().none());
  bind_array_class(m);
  bind_attributes(cls);
  bind_views(cls);
  bind_contents(cls);
}

}  // namespace heddle::python
