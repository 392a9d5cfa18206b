// The usual calls of reductions and running results: over all axes or some, of the whole array.
#include "ops/reduction.h"
#include "python/function.h"
#include <heddle/reductions.h>

namespace heddle::python {

namespace {

// Over which axes, none of which is empty; without any over all of them.
bool read_reduced(PyObject* given, const array& a, std::uint64_t& axes) {
  axes = axis_mask("", std::nullopt, a.ndim());
  if (is_missing(given)) return true;
  Dims listed;
  if (PyList_CheckExact(given) || !read_axes(given, a.ndim(), listed)) return false;
  axes = 0;
  for (auto axis : listed) {
    if (a.shape()[axis] == 0) return false;
    axes |= std::uint64_t{1} << axis;
  }
  return true;
}

template <Op combine>
PyObject* reduced(PyObject* from, PyObject* axis, PyObject* keepdims, PyObject* type = nullptr) {
  const array* a = as_array(from);
  std::uint64_t axes = 0;
  bool keep = false;
  if (!a || !read_reduced(axis, *a, axes) || !read_flag(keepdims, keep)) return nullptr;
  Dtype dtype = reduction_type(combine, a->dtype());
  if (!read_dtype(type, dtype)) return nullptr;
  if (type) warn_of_lost_part(a->dtype(), dtype);
  return wrap(reduce(combine, *a, axes, keep, dtype));
}

// sum(a, axis, dtype, out, keepdims, initial, where)
template <Op combine>
PyObject* sum_call(const Given& given) {
  const bool plain = is_missing(given[3]) && is_no_value(given[5]) && is_no_value(given[6]);
  return plain ? reduced<combine>(given[0], given[1], given[4], given[2]) : nullptr;
}

// max(a, axis, out, keepdims, initial, where)
template <Op combine>
PyObject* extreme_call(const Given& given) {
  const bool plain = is_missing(given[2]) && is_no_value(given[4]) && is_no_value(given[5]);
  return plain ? reduced<combine>(given[0], given[1], given[3]) : nullptr;
}

// any(a, axis, out, keepdims, where)
template <Op combine>
PyObject* truth_call(const Given& given) {
  const bool plain = is_missing(given[2]) && is_no_value(given[4]);
  return plain ? reduced<combine>(given[0], given[1], given[3]) : nullptr;
}

// The options of means: there are elements, and no warning to give.
const array* read_mean(PyObject* from, PyObject* axis, PyObject* keepdims, Reduction& how) {
  const array* a = as_array(from);
  if (!a || a->ndim() == 0 || a->size() == 0 || !read_flag(keepdims, how.keepdims)) return nullptr;
  if (is_missing(axis)) return a;
  Dims axes;
  if (PyList_CheckExact(axis) || !read_axes(axis, a->ndim(), axes)) return nullptr;
  how.axis = axes;
  return a;
}

// mean(a, axis, dtype, out, keepdims, where)
PyObject* mean_call(const Given& given) {
  Reduction how;
  const array* a = read_mean(given[0], given[1], given[4], how);
  if (!a || !is_missing(given[2]) || !is_missing(given[3]) || !is_no_value(given[5])) {
    return nullptr;
  }
  return wrap(mean(*a, how));
}

std::int64_t count_of(const array& a, const Axes& axes) {
  if (!axes.list()) return a.size();
  std::int64_t count = 1;
  for (auto axis : *axes.list()) count *= a.shape()[axis];
  return count;
}

// std(a, axis, dtype, out, ddof, keepdims, where, mean, correction)
template <array (*function)(const array&, const Reduction&)>
PyObject* variance_call(const Given& given) {
  Reduction how;
  const array* a = read_mean(given[0], given[1], given[5], how);
  std::int64_t ddof = 0;
  if (!a || !is_missing(given[2]) || !is_missing(given[3]) || !read_integer(given[4], ddof) ||
      !is_no_value(given[6]) || !is_no_value(given[7]) || !is_no_value(given[8]) ||
      count_of(*a, how.axis) <= ddof) {
    return nullptr;
  }
  how.ddof = static_cast<double>(ddof);
  return wrap(function(*a, how));
}

// argmax(a, axis, out, keepdims)
template <Op op>
PyObject* position_call(const Given& given) {
  const array* a = as_array(given[0]);
  bool keep = false;
  if (!a || a->ndim() == 0 || !is_missing(given[2]) || !read_flag(given[3], keep)) return nullptr;
  std::uint64_t axes = axis_mask("", std::nullopt, a->ndim());
  if (!is_missing(given[1])) {
    std::int64_t axis = 0;
    if (!read_axis(given[1], a->ndim(), axis)) return nullptr;
    axes = std::uint64_t{1} << axis;
  }
  return wrap(arg_reduce(op, *a, axes, keep));
}

// cumsum(a, axis, dtype, out)
template <Op combine>
PyObject* running_call(const Given& given) {
  const array* a = as_array(given[0]);
  if (!a || a->ndim() == 0 || !is_missing(given[2]) || !is_missing(given[3])) return nullptr;
  const Dtype dtype = reduction_type(combine, a->dtype());
  std::int64_t axis = 0;
  if (!is_missing(given[1])) {
    return read_axis(given[1], a->ndim(), axis) ? wrap(scan(combine, *a, axis, dtype)) : nullptr;
  }
  return wrap(scan(combine, a->ndim() == 1 ? *a : a->reshape({-1}), 0, dtype));
}

}  // namespace

std::span<const NamedCall> reduction_calls() {
  static constexpr NamedCall calls[] = {
      {"all", truth_call<Op::logical_and>},
      {"any", truth_call<Op::logical_or>},
      {"argmax", position_call<Op::argmax>},
      {"argmin", position_call<Op::argmin>},
      {"cumprod", running_call<Op::multiply>},
      {"cumsum", running_call<Op::add>},
      {"max", extreme_call<Op::maximum>},
      {"mean", mean_call},
      {"min", extreme_call<Op::minimum>},
      {"prod", sum_call<Op::multiply>},
      {"std", variance_call<stddev>},
      {"sum", sum_call<Op::add>},
      {"var", variance_call<var>},
  };
  return calls;
}

}  // namespace heddle::python
