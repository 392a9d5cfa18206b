// Functions of the core that the Python layer composes NumPy's routines from.
#include <fmt/format.h>
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "ops/creation.h"
#include "ops/operators.h"
#include "ops/products.h"
#include "ops/reduction.h"
#include "ops/selection.h"
#include "ops/write.h"
#include "python/casters.h"
#include "python/ufunc.h"
#include "runtime/device.h"
#include <heddle/convolution.h>
#include <heddle/creation.h>
#include <heddle/errors.h>
#include <heddle/manipulation.h>
#include <heddle/products.h>
#include <heddle/reductions.h>

namespace heddle::python {

namespace {

Device& device_or_default(const std::optional<std::string>& name) {
  return name ? find_device(*name) : default_device();
}

std::uint64_t to_axes(const char* op, nb::handle axes, const array& a) {
  std::optional<Dims> dims;
  if (!axes.is_none()) dims = to_dims(axes);
  return axis_mask(op, dims, a.ndim());
}

// An array that make(shape) makes, with its dimensions in memory in the order of `axes`, from the
// slowest to the fastest.
template <class F>
array in_memory_order(nb::handle shape, nb::handle axes, F make) {
  Dims extents = to_dims(shape);
  if (axes.is_none()) return make(extents);
  Dims order = to_dims(axes), space(order.size()), places(order.size());
  if (order.size() != extents.size()) throw value_error("the order has to name every axis");
  for (std::int64_t i = 0; i < order.size(); ++i) {
    space[i] = extents[order[i]];
    places[order[i]] = i;
  }
  return make(space).transpose(places);
}

Scalar scalar_or_fail(nb::handle object) {
  if (auto scalar = to_scalar(object)) return *scalar;
  throw type_error("full: the value must be a Python number");
}

Casting to_casting(const std::string& text) {
  for (auto c : {Casting::no, Casting::equiv, Casting::safe, Casting::same_kind, Casting::unsafe}) {
    if (text == name(c)) return c;
  }
  throw value_error(fmt::format(
      "casting must be one of 'no', 'equiv', 'safe', 'same_kind', or 'unsafe' (got '{}')", text));
}

array select(nb::handle condition, nb::handle x, nb::handle y) {
  PythonInput c, a, b;
  c.set(condition, true);
  a.set(x, true);
  b.set(y, true);
  Input inputs[] = {c.as_array(), a.input(), b.input()};
  return elementwise(Op::select, inputs);
}

void bind_making(nb::module_& m) {
  m.def(
      "asarray",
      [](nb::handle object, nb::handle dtype) -> nb::object {
        auto wanted = to_optional_dtype(dtype);
        if (is_array(object.ptr()) && (!wanted || *wanted == array_in(object.ptr()).dtype())) {
          return nb::borrow(object);
        }
        if (wanted && to_scalar(object)) return nb::steal(wrap(array(*to_scalar(object), wanted)));
        array a = to_array(object);
        if (wanted && a.dtype() != *wanted) a = cast(a, *wanted);
        return nb::steal(wrap(std::move(a)));
      },
      nb::arg("obj").none(), nb::arg("dtype") = nb::none());
  m.def(
      "from_numbers",
      [](nb::handle object, nb::handle dtype) -> std::optional<array> {
        auto made = from_numbers(object, to_optional_dtype(dtype));
        return made ? std::optional(unplaced(*std::move(made))) : std::nullopt;
      },
      nb::arg("obj").none(), nb::arg("dtype") = nb::none());
  m.def(
      "holds_arrays", [](nb::handle object) { return holds_arrays(object.ptr()); },
      nb::arg("obj").none());
  m.def("shareable", is_shareable);
  m.def(
      "alias",
      [](nb::handle object, nb::handle base) {
        return nb::steal(
            wrap(from_numpy(object, true), nb::borrow(base.is_none() ? object : base)));
      },
      nb::arg("a"), nb::arg("base") = nb::none());
  m.def(
      "full",
      [](nb::handle shape, nb::handle value, nb::handle dtype, std::optional<std::string> device,
         nb::handle axes) {
        return in_memory_order(shape, axes, [&](const Dims& space) {
          return full(space, scalar_or_fail(value), to_dtype(dtype), device_or_default(device));
        });
      },
      nb::arg("shape"), nb::arg("value"), nb::arg("dtype"), nb::arg("device") = nb::none(),
      nb::arg("axes") = nb::none());
  m.def(
      "empty",
      [](nb::handle shape, nb::handle dtype, std::optional<std::string> device, nb::handle axes) {
        return in_memory_order(shape, axes, [&](const Dims& space) {
          return empty(space, to_dtype(dtype), device_or_default(device));
        });
      },
      nb::arg("shape"), nb::arg("dtype"), nb::arg("device") = nb::none(),
      nb::arg("axes") = nb::none());
  m.def("index_along", [](nb::handle shape, std::int64_t axis) {
    Dims dims = to_dims(shape);
    return index_along(dims, normalize_axis("index_along", axis, dims.size()), default_device());
  });
}

void bind_elements(nb::module_& m) {
  m.def("clip", [](const array& a, nb::handle low, nb::handle high) {
    PythonInput least, most;
    least.set(low, true);
    most.set(high, true);
    return clip(a, least.input(), most.input());
  });
  m.def("select", select, nb::arg().none(), nb::arg().none(), nb::arg().none());
  m.def("real", [](const array& a) { return elementwise(Op::real, {a}); });
  m.def("imag", [](const array& a) { return elementwise(Op::imag, {a}); });
  m.def("make_complex", make_complex);
  m.def("common_type", [](nb::args args) {
    std::vector<PythonInput> given(args.size());
    std::vector<Input> inputs;
    for (std::size_t i = 0; i < args.size(); ++i) {
      given[i].set(args[i], true);
      inputs.push_back(given[i].input());
    }
    if (inputs.empty()) throw value_error("at least one array or dtype is required");
    return numpy_dtype(common_type(inputs));
  });
  m.def("can_cast", [](nb::handle from, nb::handle to, const std::string& casting) {
    return can_cast(to_dtype(from), to_dtype(to), to_casting(casting));
  });
}

void bind_reductions(nb::module_& m) {
  m.def(
      "reduce",
      [](const Ufunc& u, const array& a, nb::handle axes, bool keepdims, nb::handle dtype) {
        const auto wanted = to_optional_dtype(dtype);
        const Dtype type = wanted ? *wanted : reduction_type(u.op, a);
        warn_of_lost_part(a.dtype(), type);
        return reduce(u.op, a, to_axes(u.name, axes, a), keepdims, type);
      },
      nb::arg("u"), nb::arg("a"), nb::arg("axes").none(), nb::arg("keepdims"),
      nb::arg("dtype").none());
  m.def(
      "argmin",
      [](const array& a, nb::handle axes, bool keepdims) {
        return arg_reduce(Op::argmin, a, to_axes("argmin", axes, a), keepdims);
      },
      nb::arg("a"), nb::arg("axes").none(), nb::arg("keepdims"));
  m.def(
      "argmax",
      [](const array& a, nb::handle axes, bool keepdims) {
        return arg_reduce(Op::argmax, a, to_axes("argmax", axes, a), keepdims);
      },
      nb::arg("a"), nb::arg("axes").none(), nb::arg("keepdims"));
  m.def(
      "accumulate",
      [](const Ufunc& u, const array& a, std::int64_t axis, nb::handle dtype) {
        const auto wanted = to_optional_dtype(dtype);
        const Dtype type = wanted ? *wanted : reduction_type(u.op, a);
        if (a.ndim() == 0) throw type_error("cannot accumulate on a scalar");
        return scan(u.op, a, normalize_axis(u.name, axis, a.ndim()), type);
      },
      nb::arg("u"), nb::arg("a"), nb::arg("axis"), nb::arg("dtype").none());
}

void bind_writes(nb::module_& m) {
  m.def(
      "write",
      [](const array& target, const array& value, std::optional<array> mask) {
        warn_of_lost_part(value.dtype(), target.dtype());
        if (mask) {
          write_where(target, value, *mask);
        } else {
          write(target, value);
        }
      },
      nb::arg("target"), nb::arg("value"), nb::arg("mask") = nb::none());
  m.def(
      "update_at",
      [](const Ufunc& u, const array& target, nb::handle index, std::optional<array> value) {
        auto items = to_index(index);
        if (!value) {
          Input input(target);
          value = full({}, 0, resolve(u.op, std::span(&input, 1)).compute, target.device());
        }
        update_item(target, items, u.op, *value);
      },
      nb::arg("u"), nb::arg("target"), nb::arg("index").none(), nb::arg("value").none());
  m.def("nonzero", [](const array& a) {
    nb::list list;
    for (array& indices : nonzero(a)) list.append(nb::steal(wrap(std::move(indices))));
    return nb::tuple(list);
  });
  m.def("flat_nonzero", flat_nonzero);
  m.def("expand", expand_elements, nb::arg("values"), nb::arg("mask"));
}

void bind_products(nb::module_& m) {
  m.def("matrix_product", [](const array& a, const array& b, nb::handle dtype) {
    return matrix_product(a, b, to_dtype(dtype));
  });
  m.def("dot", dot);
  m.def("kron", kron);
  m.def("inner", inner);
  m.def("vdot", vdot);
  m.def("outer", outer);
  m.def("tensordot", [](const array& a, const array& b, nb::handle of_a, nb::handle of_b) {
    return tensordot(a, b, to_dims(of_a), to_dims(of_b));
  });
  m.def("tensordot",
        [](const array& a, const array& b, std::int64_t axes) { return tensordot(a, b, axes); });
  m.def("conv", [](const array& input, const array& kernel, nb::handle strides, nb::handle before,
                   nb::handle after, nb::handle input_dilation, nb::handle kernel_dilation,
                   std::int64_t groups) {
    return conv(input, kernel,
                {to_dims(strides), to_dims(before), to_dims(after), to_dims(input_dilation),
                 to_dims(kernel_dilation), groups});
  });
}

}  // namespace

void bind_operations(nb::module_& m) {
  bind_making(m);
  bind_elements(m);
  bind_reductions(m);
  bind_writes(m);
  bind_products(m);
}

}  // namespace heddle::python
