// The usual calls of functions that choose, limit, multiply and sort elements.
#include "ops/elementwise.h"
#include "ops/operators.h"
#include "python/function.h"
#include <heddle/creation.h>
#include <heddle/errors.h>
#include <heddle/indexing.h>
#include <heddle/mathematics.h>
#include <heddle/products.h>
#include <heddle/sorting.h>

namespace heddle::python {

namespace {

// where(condition, x, y)
PyObject* choose(const Given& given) {
  const array* condition = as_array(given[0]);
  PythonInput x, y;
  if (!condition || condition->ndim() == 0 || !read_operand(given[1], x) ||
      !read_operand(given[2], y)) {
    return nullptr;
  }
  try {
    return wrap(elementwise(Op::select, {*condition, x.input(), y.input()}));
  } catch (const overflow_error&) {
    return nullptr;  // an integer beyond the type wraps around here
  }
}

// Whether a limit is one: an integer beyond the type of an array of integers is none.
bool is_limit(const PythonInput& limit, const array& a) {
  if (!limit.is_scalar() || !is_integer(a.dtype())) return true;
  const Scalar& number = *limit.input().scalar_;
  return number.kind() != Scalar::Kind::integer || number.fits(a.dtype());
}

PyObject* limit(PyObject* from, PyObject* least, PyObject* most) {
  const array* a = as_array(from);
  PythonInput low, high;
  const bool read = a && !a->weak() && (!is_missing(least) || !is_missing(most)) &&
                    (is_missing(least) || read_operand(least, low)) &&
                    (is_missing(most) || read_operand(most, high));
  if (!read) return nullptr;
  if (is_missing(most)) {
    return is_limit(low, *a) ? wrap(elementwise(Op::maximum, {*a, low.input()})) : nullptr;
  }
  if (is_missing(least)) {
    return is_limit(high, *a) ? wrap(elementwise(Op::minimum, {*a, high.input()})) : nullptr;
  }
  if (!is_limit(low, *a) || !is_limit(high, *a)) return nullptr;
  return wrap(clip(*a, low.input(), high.input()));
}

// clip(a, a_min, a_max, out, min, max)
PyObject* clip_call(const Given& given) {
  const bool old_names = !is_no_value(given[1]) && !is_no_value(given[2]);
  if (!old_names || !is_missing(given[3]) || given[4] || given[5]) return nullptr;
  return limit(given[0], given[1], given[2]);
}

// ndarray.clip(self, min, max, out)
PyObject* clip_method(const Given& given) {
  return is_missing(given[3]) ? limit(given[0], given[1], given[2]) : nullptr;
}

// diff(a, n, axis, prepend, append)
PyObject* diff_call(const Given& given) {
  const array* a = as_array(given[0]);
  std::int64_t n = 1, axis = -1;
  if (!a || !read_integer(given[1], n) || n < 1 || !is_no_value(given[3]) ||
      !is_no_value(given[4])) {
    return nullptr;
  }
  if (given[2] ? !read_axis(given[2], a->ndim(), axis) : a->ndim() == 0) return nullptr;
  return wrap(diff(*a, n, axis < 0 ? a->ndim() - 1 : axis));
}

// take(a, indices, axis, out, mode)
PyObject* take_call(const Given& given) {
  const array* a = as_true_array(given[0]);
  if (!a || !given[1] || !is_missing(given[3])) return nullptr;
  if (!is_order(given[4], "raise")) return nullptr;
  std::optional<array> read;
  const array* indices = as_true_array(given[1]);
  if (!indices && PyList_CheckExact(given[1])) {
    auto made = from_numbers(given[1], std::nullopt);
    if (made) indices = &read.emplace(unplaced(*std::move(made)));
  }
  // Without elements NumPy looks at no index.
  if (!indices || indices->dtype() != Dtype::int64 || indices->ndim() == 0 ||
      indices->size() == 0 || a->size() == 0) {
    return nullptr;
  }
  if (is_missing(given[2])) return wrap(take(*a, *indices));
  std::int64_t axis = 0;
  return read_axis(given[2], a->ndim(), axis) ? wrap(take(*a, *indices, axis)) : nullptr;
}

// dot(a, b, out) and those that take no out
template <array (*product)(const array&, const array&), bool has_out = false>
PyObject* product_call(const Given& given) {
  if (has_out && !is_missing(given[2])) return nullptr;
  const array* operands[2];
  std::optional<array> read[2];  // of lists, and of what stands for numbers
  for (int i = 0; i < 2; ++i) {
    operands[i] = as_array(given[i]);
    if (!given[i] || (operands[i] && !operands[i]->weak())) continue;
    read[i] = operands[i] ? to_array(given[i]) : from_numbers(given[i], std::nullopt);
    if (read[i]) operands[i] = &*read[i];
  }
  return operands[0] && operands[1] ? wrap_known(product(*operands[0], *operands[1])) : nullptr;
}

// sort(a, axis, kind, order, stable, descending) and argsort
template <array (*ordered)(const array&, std::int64_t)>
PyObject* sort_call(const Given& given) {
  const array* a = as_true_array(given[0]);
  std::int64_t axis = a ? a->ndim() - 1 : 0;
  if (!a || a->ndim() == 0 || (given[1] && !read_axis(given[1], a->ndim(), axis))) return nullptr;
  for (int i = 2; i < 6; ++i) {
    if (!is_missing(given[i])) return nullptr;
  }
  if (a->ndim() > 1 && !is_c_contiguous(a->layout())) return nullptr;  // Fortran's order stays
  return wrap(ordered(*a, axis));
}

// interp(x, xp, fp, left, right, period)
PyObject* interp_call(const Given& given) {
  const array *x = as_array(given[0]), *xp = as_true_array(given[1]), *fp = as_true_array(given[2]);
  if (!xp || !fp || !is_missing(given[3]) || !is_missing(given[4]) || !is_missing(given[5])) {
    return nullptr;
  }
  if (x) return wrap_known(interp(*x, *xp, *fp));
  if (!given[0] || !PyFloat_Check(given[0])) return nullptr;
  return wrap_known(interp(full({}, PyFloat_AsDouble(given[0])), *xp, *fp));
}

// partition(a, kth, axis, kind, order) and argpartition, at one place
template <array (*parted)(const array&, const Dims&, std::int64_t)>
PyObject* partition_call(const Given& given) {
  const array* a = as_true_array(given[0]);
  std::int64_t axis = a ? a->ndim() - 1 : 0, rank = 0;
  if (!a || a->ndim() == 0 || a->size() == 0 || !given[1]) return nullptr;
  if (given[2] && !read_axis(given[2], a->ndim(), axis)) return nullptr;
  if (!read_axis(given[1], a->shape()[axis], rank) || given[3] || !is_missing(given[4]))
    return nullptr;
  if (a->ndim() > 1 && !is_c_contiguous(a->layout())) return nullptr;
  return wrap(parted(*a, Dims{rank}, axis));
}

// eval(*arrays) of one array
PyObject* eval_call(const Given& given) {
  const array* a = given.rest.size() == 1 ? as_array(given.rest[0]) : nullptr;
  if (!a) return nullptr;
  a->eval();
  Py_RETURN_NONE;
}

}  // namespace

std::span<const NamedCall> element_calls() {
  static constexpr NamedCall calls[] = {
      {"argpartition", partition_call<argpartition>},
      {"argsort", sort_call<argsort>},
      {"clip", clip_call},
      {"diff", diff_call},
      {"dot", product_call<dot, true>},
      {"eval", eval_call},
      {"inner", product_call<inner>},
      {"interp", interp_call},
      {"ndarray.clip", clip_method},
      {"outer", product_call<outer, true>},
      {"partition", partition_call<partition>},
      {"sort", sort_call<sort>},
      {"take", take_call},
      {"vdot", product_call<vdot>},
      {"where", choose},
  };
  return calls;
}

}  // namespace heddle::python
