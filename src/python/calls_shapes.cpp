// The usual calls of functions of shapes and axes: views, and arrays that are joined or rolled.
#include <algorithm>

#include "ops/creation.h"
#include "ops/elementwise.h"
#include "ops/write.h"
#include "python/function.h"
#include "python/items.h"
#include "runtime/device.h"
#include <heddle/creation.h>
#include <heddle/index_routines.h>
#include <heddle/manipulation.h>

namespace heddle::python {

namespace {

// reshape(a, shape, order, copy)
PyObject* reshape_call(const Given& given) {
  const array* a = as_true_array(given[0]);
  Dims shape;
  if (!a || !read_integers(given[1], shape) || !is_order(given[2], "C") || !is_missing(given[3])) {
    return nullptr;
  }
  return wrap_view(a->reshape(shape), given[0]);
}

// ndarray.reshape(self, *shape, order, copy)
PyObject* reshape_method(const Given& given) {
  const array* a = as_true_array(given[0]);
  if (!a || given.rest.empty() || !is_order(given[1], "C") || !is_missing(given[2])) return nullptr;
  Dims shape;
  const bool read = given.rest.size() == 1 ? read_integers(given.rest[0], shape)
                                           : read_integers(given.rest, shape);
  return read ? wrap_view(a->reshape(shape), given[0]) : nullptr;
}

// ndarray.transpose(self, *axes)
PyObject* transpose_method(const Given& given) {
  const array* a = as_true_array(given[0]);
  if (!a) return nullptr;
  const auto& rest = given.rest;
  if (rest.empty() || (rest.size() == 1 && rest[0] == Py_None)) {
    return wrap_view(a->transpose(), given[0]);
  }
  Dims axes;
  const bool read = rest.size() == 1 ? read_integers(rest[0], axes) : read_integers(rest, axes);
  if (!read || axes.size() != a->ndim() || !are_axes(axes, a->ndim())) return nullptr;
  return wrap_view(a->transpose(axes), given[0]);
}

// ravel(a, order)
PyObject* ravel_call(const Given& given) {
  const array* a = as_true_array(given[0]);
  if (!a || !is_order(given[1], "C")) return nullptr;
  const array rows = is_c_contiguous(a->layout()) ? *a : dense(*a, a->dtype());
  return wrap_view(rows.reshape({a->size()}), given[0]);
}

// transpose(a, axes)
PyObject* transpose_call(const Given& given) {
  const array* a = as_true_array(given[0]);
  if (!a) return nullptr;
  if (is_missing(given[1])) return wrap_view(a->transpose(), given[0]);
  Dims axes;
  if (!read_axes(given[1], a->ndim(), axes) || axes.size() != a->ndim()) return nullptr;
  return wrap_view(a->transpose(axes), given[0]);
}

// moveaxis(a, source, destination)
PyObject* moveaxis_call(const Given& given) {
  const array* a = as_true_array(given[0]);
  Dims from, to;
  if (!a || !read_axes(given[1], a->ndim(), from) || !read_axes(given[2], a->ndim(), to) ||
      from.size() != to.size()) {
    return nullptr;
  }
  return wrap_view(moveaxis(*a, from, to), given[0]);
}

// swapaxes(a, axis1, axis2)
PyObject* swapaxes_call(const Given& given) {
  const array* a = as_true_array(given[0]);
  std::int64_t one = 0, two = 0;
  if (!a || !given[1] || !given[2] || !read_axis(given[1], a->ndim(), one) ||
      !read_axis(given[2], a->ndim(), two)) {
    return nullptr;
  }
  return wrap_view(swapaxes(*a, one, two), given[0]);
}

// squeeze(a, axis)
PyObject* squeeze_call(const Given& given) {
  const array* a = as_true_array(given[0]);
  if (!a) return nullptr;
  if (is_missing(given[1])) {
    if (std::ranges::find(a->shape(), 1) == a->shape().end()) return Py_NewRef(given[0]);
    return wrap_view(squeeze(*a), given[0]);
  }
  Dims axes;
  if (!read_axes(given[1], a->ndim(), axes) || axes.empty()) return nullptr;
  for (auto axis : axes) {
    if (a->shape()[axis] != 1) return nullptr;
  }
  return wrap_view(squeeze(*a, axes), given[0]);
}

// expand_dims(a, axis)
PyObject* expand_dims_call(const Given& given) {
  const array* a = as_true_array(given[0]);
  if (!a || !given[1]) return nullptr;
  const auto more = PyTuple_CheckExact(given[1])  ? NB_TUPLE_GET_SIZE(given[1])
                    : PyList_CheckExact(given[1]) ? NB_LIST_GET_SIZE(given[1])
                                                  : 1;
  Dims axes;
  if (more == 0 || a->ndim() + more > max_dims || !read_axes(given[1], a->ndim() + more, axes)) {
    return nullptr;
  }
  return wrap_view(expand_dims(*a, axes), given[0]);
}

// flip(m, axis)
PyObject* flip_call(const Given& given) {
  const array* a = as_true_array(given[0]);
  if (!a || a->ndim() == 0) return nullptr;
  if (is_missing(given[1])) return wrap_view(flip(*a), given[0]);
  Dims axes;
  if (!read_axes(given[1], a->ndim(), axes)) return nullptr;
  return wrap_view(flip(*a, axes), given[0]);
}

// broadcast_to(array, shape, subok)
PyObject* broadcast_to_call(const Given& given) {
  const array* a = as_true_array(given[0]);
  Dims shape;
  if (!a || !read_shape(given[1], shape) || given[2]) return nullptr;
  if (shape.empty() && a->ndim() > 0) return nullptr;
  array view = a->broadcast_to(shape);
  view.set_read_only(true);
  return wrap_view(std::move(view), given[0]);
}

// roll(a, shift, axis)
PyObject* roll_call(const Given& given) {
  const array* a = as_true_array(given[0]);
  Dims counts, axes;
  if (!a || !read_integers(given[1], counts) || counts.empty()) return nullptr;
  if (is_missing(given[2])) {
    return counts.size() == 1 ? wrap(roll(*a, counts[0])) : nullptr;
  }
  if (!read_axes(given[2], a->ndim(), axes)) return nullptr;
  if (counts.size() != axes.size() && counts.size() != 1) return nullptr;
  Dims shifts(a->ndim(), 0);
  for (std::int64_t i = 0; i < axes.size(); ++i) {
    shifts[axes[i]] = counts[counts.size() == 1 ? 0 : i];
  }
  return wrap(roll(*a, shifts));
}

// Arrays of one type in a list or tuple; others are for NumPy's rules of types.
bool read_arrays(PyObject* given, std::vector<array>& arrays) {
  if (!given) return false;
  if (!is_sequence(given)) return false;
  const Items items(given);
  const auto count = items.size();
  arrays.reserve(static_cast<std::size_t>(count));
  for (Py_ssize_t i = 0; i < count; ++i) {
    const array* a = as_array(items[i]);
    if (!a || (i > 0 && a->dtype() != arrays[0].dtype())) return false;
    arrays.push_back(*a);
  }
  return count > 0;
}

bool any_of_rank_zero(const std::vector<array>& arrays) {
  return std::ranges::any_of(arrays, [](const array& a) { return a.ndim() == 0; });
}

// concatenate(arrays, axis, out, dtype, casting)
PyObject* concatenate_call(const Given& given) {
  std::vector<array> arrays;
  std::int64_t axis = 0;
  const bool read = is_missing(given[2]) && is_missing(given[3]) && !given[4] &&
                    read_arrays(given[0], arrays) && !any_of_rank_zero(arrays) &&
                    read_axis(given[1], arrays[0].ndim(), axis);
  return read ? wrap(concatenate(arrays, axis)) : nullptr;
}

// stack(arrays, axis, out, dtype, casting)
PyObject* stack_call(const Given& given) {
  std::vector<array> arrays;
  std::int64_t axis = 0;
  const bool read = is_missing(given[2]) && is_missing(given[3]) && !given[4] &&
                    read_arrays(given[0], arrays) &&
                    read_axis(given[1], arrays[0].ndim() + 1, axis) && arrays[0].ndim() < max_dims;
  return read ? wrap(stack(arrays, axis)) : nullptr;
}

// vstack(tup, dtype, casting) and the like, which NumPy says otherwise for numbers
template <array (*joined)(const std::vector<array>&)>
PyObject* stack_rows_call(const Given& given) {
  std::vector<array> arrays;
  if (given[1] || given[2] || !read_arrays(given[0], arrays) || any_of_rank_zero(arrays)) {
    return nullptr;
  }
  return wrap(joined(arrays));
}

// column_stack(tup)
PyObject* column_stack_call(const Given& given) {
  std::vector<array> arrays;
  return read_arrays(given[0], arrays) ? wrap(column_stack(arrays)) : nullptr;
}

// tile(A, reps)
PyObject* tile_call(const Given& given) {
  const array* a = as_array(given[0]);
  Dims counts;
  return a && read_integers(given[1], counts) ? wrap(tile(*a, counts)) : nullptr;
}

// repeat(a, repeats, axis)
PyObject* repeat_call(const Given& given) {
  const array* a = as_array(given[0]);
  std::int64_t count = -1, axis = 0;
  if (!a || a->ndim() == 0 || !read_integer(given[1], count) || count < 0) return nullptr;
  if (is_missing(given[2])) return wrap(repeat(a->reshape({a->size()}), count, 0));
  return read_axis(given[2], a->ndim(), axis) ? wrap(repeat(*a, count, axis)) : nullptr;
}

// meshgrid(*xi, copy, sparse, indexing)
PyObject* meshgrid_call(const Given& given) {
  bool copied = true, sparse = false;
  const bool xy = is_order(given[2], "xy");
  if (!read_flag(given[0], copied) || !read_flag(given[1], sparse) ||
      (!xy && !is_order(given[2], "ij"))) {
    return nullptr;
  }
  nb::list vectors;
  for (PyObject* item : given.rest) {
    if (!as_array(item)) return nullptr;
    vectors.append(nb::handle(item));
  }
  return make_grids(vectors, xy, sparse, copied).release().ptr();
}

// As many on either side of each axis, a pair for all of them, or one for each.
bool read_widths(PyObject* given, std::int64_t ndim, std::vector<PadWidth>& widths) {
  if (!given) return false;
  Dims pair;
  if (read_shape(given, pair)) {
    if (pair.empty() || pair.size() > 2) return false;
    widths.emplace_back(pair[0], pair.back());
    return true;
  }
  if (!PyTuple_CheckExact(given) || NB_TUPLE_GET_SIZE(given) != ndim) return false;
  for (std::int64_t d = 0; d < ndim; ++d) {
    Dims side;
    if (!read_shape(NB_TUPLE_GET_ITEM(given, d), side) || side.size() != 2) return false;
    widths.emplace_back(side[0], side[1]);
  }
  return true;
}

// pad(array, pad_width, mode)
PyObject* pad_call(const Given& given) {
  const array* a = as_true_array(given[0]);
  std::vector<PadWidth> widths;
  if (!a || a->ndim() == 0 || a->size() == 0 || !read_widths(given[1], a->ndim(), widths)) {
    return nullptr;
  }
  auto mode = std::optional(PadMode::constant);
  if (given[2]) {
    if (!PyUnicode_CheckExact(given[2])) return nullptr;
    mode = pad_mode(nb::cast<std::string>(nb::handle(given[2])));
  }
  return mode ? wrap(pad(*a, widths, *mode)) : nullptr;
}

// tril(m, k), triu(m, k)
template <array (*triangle)(const array&, std::int64_t)>
PyObject* triangle_call(const Given& given) {
  constexpr std::int64_t far = std::int64_t{1} << 60;
  const array* a = as_array(given[0]);
  std::int64_t k = 0;
  if (!a || a->ndim() == 0 || !read_integer(given[1], k) || k < -far || k > far) return nullptr;
  return wrap(triangle(*a, k));
}

struct Plane {
  std::int64_t offset = 0, axis1 = 0, axis2 = 1;
  // The parameters (a, offset, axis1, axis2).
  const array* read(const Given& given) {
    constexpr std::int64_t far = std::int64_t{1} << 60;
    const array* a = as_array(given[0]);
    const bool read = a && a->ndim() > 1 && read_integer(given[1], offset) && offset > -far &&
                      offset < far && read_axis(given[2], a->ndim(), axis1) &&
                      read_axis(given[3], a->ndim(), axis2) && axis1 != axis2;
    return read ? a : nullptr;
  }
};

// diagonal(a, offset, axis1, axis2)
PyObject* diagonal_call(const Given& given) {
  Plane plane;
  const array* a = plane.read(given);
  if (!a) return nullptr;
  array view = diagonal(*a, plane.offset, plane.axis1, plane.axis2);
  view.set_read_only(true);
  return wrap_view(std::move(view), given[0]);
}

// trace(a, offset, axis1, axis2, dtype, out)
PyObject* trace_call(const Given& given) {
  Plane plane;
  const array* a = plane.read(given);
  if (!a || !is_missing(given[4]) || !is_missing(given[5])) return nullptr;
  return wrap(sum(diagonal(*a, plane.offset, plane.axis1, plane.axis2), -1));
}

// diag(v, k)
PyObject* diag_call(const Given& given) {
  const array* a = as_true_array(given[0]);
  if (!a || a->ndim() == 0) return nullptr;
  if (a->ndim() > 1) {
    PyObject* const main[] = {given[0], given[1], nullptr, nullptr};
    return a->ndim() == 2 ? diagonal_call({main, {}}) : nullptr;
  }
  std::int64_t k = 0;
  if (!read_integer(given[1], k) || std::abs(k) > (1 << 30)) return nullptr;
  return wrap(diag(*a, k));
}

}  // namespace

nb::object make_grids(const nb::list& vectors, bool xy, bool sparse, bool copied) {
  std::vector<array> given;
  for (nb::handle vector : vectors) given.push_back(array_in(vector.ptr()));
  std::vector<array> grids = meshgrid(given, xy, sparse, copied);
  nb::object result = nb::steal(PyTuple_New(static_cast<Py_ssize_t>(grids.size())));
  for (std::size_t i = 0; i < grids.size(); ++i) {
    PyTuple_SetItem(result.ptr(), static_cast<Py_ssize_t>(i),
                    wrap_view(std::move(grids[i]), vectors[i]));
  }
  return result;
}

std::span<const NamedCall> shape_calls() {
  static constexpr NamedCall calls[] = {
      {"broadcast_to", broadcast_to_call},
      {"column_stack", column_stack_call},
      {"concatenate", concatenate_call},
      {"diag", diag_call},
      {"diagonal", diagonal_call},
      {"expand_dims", expand_dims_call},
      {"flip", flip_call},
      {"hstack", stack_rows_call<hstack>},
      {"meshgrid", meshgrid_call},
      {"moveaxis", moveaxis_call},
      {"ndarray.ravel", ravel_call},
      {"ndarray.reshape", reshape_method},
      {"ndarray.transpose", transpose_method},
      {"pad", pad_call},
      {"ravel", ravel_call},
      {"repeat", repeat_call},
      {"reshape", reshape_call},
      {"roll", roll_call},
      {"squeeze", squeeze_call},
      {"stack", stack_call},
      {"swapaxes", swapaxes_call},
      {"tile", tile_call},
      {"trace", trace_call},
      {"transpose", transpose_call},
      {"tril", triangle_call<tril>},
      {"triu", triangle_call<triu>},
      {"vstack", stack_rows_call<vstack>},
  };
  return calls;
}

}  // namespace heddle::python
