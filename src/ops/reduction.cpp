#include "ops/reduction.h"

#include <bit>

#include <fmt/format.h>

#include "graph/make.h"
#include "graph/storage.h"
#include "ops/at_hand.h"
#include "ops/deferred.h"
#include "ops/elementwise.h"
#include <heddle/errors.h>
#include <heddle/reductions.h>

namespace heddle {

std::uint64_t axis_mask(std::string_view op, const std::optional<Dims>& axes, std::int64_t ndim) {
  if (!axes) return ndim == 0 ? 0 : ~std::uint64_t{0} >> (64 - ndim);
  std::uint64_t mask = 0;
  for (auto axis : *axes) {
    // NumPy lets scalars be reduced along axis 0 and -1.
    if (ndim == 0 && (axis == 0 || axis == -1)) continue;
    auto bit = std::uint64_t{1} << normalize_axis(op, axis, ndim);
    if (mask & bit) throw value_error("duplicate value in 'axis'");
    mask |= bit;
  }
  return mask;
}

Dtype reduction_type(Op combine, Dtype dtype) {
  if (info(combine).result == Result::boolean) return Dtype::bool_;
  if (!info(combine).widens) return dtype;
  if (dtype == Dtype::bool_ || is_signed(dtype)) return Dtype::int64;
  if (kind(dtype) == Kind::unsigned_integer) return Dtype::uint64;
  return dtype;
}

Dtype reduction_type(Op combine, const array& a) {
  if (info(combine).widens || info(combine).result == Result::boolean)
    return reduction_type(combine, a.dtype());
  const Input both[] = {a, a};
  return resolve(combine, both).compute;
}

namespace {

struct Prepared {
  Operand operand;
  Dims order;            // dimension i of the space is order[i] of the array
  bool in_order = true;  // that is i, everywhere
  SharedLayout space;
  std::uint64_t axes;  // in the space
  bool exported;
};

// Walks the array in its own memory order, so that transposed arrays reduce as fast as others.
Prepared prepare(const array& a, std::uint64_t axes, bool keep_order) {
  Prepared p;
  p.order = memory_order(a.layout());
  for (std::int64_t d = 0; d < p.order.size(); ++d) {
    if (keep_order) p.order[d] = d;
    p.in_order &= p.order[d] == d;
  }
  p.space = p.in_order ? a.shared_layout() : SharedLayout(permute(a.layout(), p.order));
  p.axes = 0;
  for (std::int64_t i = 0; i < p.order.size(); ++i) p.axes |= (axes >> p.order[i] & 1) << i;
  p.operand = graph::reading(a.storage().value(), a.dtype(), p.space);
  p.exported = is_exported(a);
  return p;
}

array finish(Ref<Value> value, const array& a, const Prepared& p, std::uint64_t axes,
             bool keepdims) {
  if (p.in_order && !keepdims) return deferred(std::move(value), p.exported);
  // The node's dimensions are the kept ones in memory order; name them as the array does.
  auto strides = contiguous_strides(value->shape);
  Dims by_axis(a.ndim(), 0);
  for (std::int64_t i = 0, k = 0; i < p.order.size(); ++i) {
    if (!(p.axes >> i & 1)) by_axis[p.order[i]] = strides[k++];
  }
  Layout layout;
  for (std::int64_t d = 0; d < a.ndim(); ++d) {
    bool reduced = axes >> d & 1;
    if (reduced && !keepdims) continue;
    layout.shape.push_back(reduced ? 1 : a.shape()[d]);
    layout.strides.push_back(by_axis[d]);
  }
  return deferred(std::move(value), std::move(layout), p.exported);
}

// `op` is what a reduction or a scan combines by, or the position that is looked for.
Ref<Value> made(NodeKind kind, Op op, Prepared& p, const array& a, Dtype dtype) {
  Dims shape;
  for (std::int64_t i = 0; i < p.space->ndim(); ++i) {
    if (kind == NodeKind::scan || !(p.axes >> i & 1)) shape.push_back(p.space->shape[i]);
  }
  graph::Draft node = graph::draft(kind);
  (kind == NodeKind::argreduce ? node->op : node->combine) = op;
  node->axes = p.axes;
  return graph::make(std::move(node), dtype, shape, a.device(), std::span(&p.operand, 1));
}

std::int64_t reduced_size(const array& a, std::uint64_t axes) {
  std::int64_t size = 1;
  for (std::int64_t d = 0; d < a.ndim(); ++d) {
    if (axes >> d & 1) size *= a.shape()[d];
  }
  return size;
}

// Tests give bool: combined, they can only be of that type.
void check_loop(Op combine, Dtype dtype) {
  if (info(combine).result == Result::boolean && dtype != Dtype::bool_) {
    throw type_error(
        fmt::format("No loop matching the specified signature and casting was found for ufunc {}",
                    info(combine).name));
  }
}

}  // namespace

array reduce_later(Op combine, const array& a, std::uint64_t axes, bool keepdims, Dtype dtype) {
  check_loop(combine, dtype);
  const bool gives_nothing = !has_identity(combine) || is_extremum(combine);
  if (gives_nothing && reduced_size(a, axes) == 0) {
    throw value_error(fmt::format("zero-size array to reduction operation {} which has no identity",
                                  info(combine).name));
  }
  array source = a.dtype() == dtype ? a : cast(a, dtype);
  if (axes == 0) return cast(source, dtype);
  Prepared p = prepare(source, axes, !has_identity(combine));
  return finish(made(NodeKind::reduce, combine, p, source, dtype), source, p, axes, keepdims);
}

array reduce(Op combine, const array& a, std::uint64_t axes, bool keepdims, Dtype dtype) {
  return number_at_once(reduce_later(combine, a, axes, keepdims, dtype));
}

array arg_reduce(Op op, const array& a, std::uint64_t axes, bool keepdims) {
  const char* name = op == Op::argmax ? "argmax" : "argmin";
  if (reduced_size(a, axes) == 0) {
    throw value_error(fmt::format("attempt to get {} of an empty sequence", name));
  }
  if (axes == 0) {
    array zero =
        elementwise_as(Op::cast, std::initializer_list<Input>{a}, Dtype::bool_, Dtype::bool_);
    array index = elementwise(Op::bitwise_and, {zero, Scalar(false)});
    return cast(index, Dtype::int64);
  }
  Prepared p = prepare(a, axes, std::popcount(axes) > 1);
  return number_at_once(
      finish(made(NodeKind::argreduce, op, p, a, Dtype::int64), a, p, axes, keepdims));
}

array scan(Op combine, const array& a, std::int64_t axis, Dtype dtype) {
  check_loop(combine, dtype);
  array source = a.dtype() == dtype ? a : cast(a, dtype);
  auto axes = std::uint64_t{1} << axis;
  Prepared p = prepare(source, axes, false);
  Ref<Value> value = made(NodeKind::scan, combine, p, source, dtype);
  Layout layout{a.shape(), Dims(a.ndim()), 0};
  auto strides = contiguous_strides(value->shape);
  for (std::int64_t i = 0; i < p.order.size(); ++i) layout.strides[p.order[i]] = strides[i];
  return deferred(std::move(value), std::move(layout), p.exported);
}

namespace {

array reduce_as(Op combine, const char* name, const array& a, const Reduction& how) {
  return reduce(combine, a, axis_mask(name, how.axis.list(), a.ndim()), how.keepdims,
                how.dtype.value_or(reduction_type(combine, a.dtype())));
}

// The type that means and variances compute in.
Dtype mean_type(Dtype dtype) {
  if (!is_inexact(dtype)) return Dtype::float64;
  return is_half(dtype) ? Dtype::float32 : dtype;  // sums would overflow or lose digits
}

array quotient(const array& total, double count, Dtype result) {
  array divided = elementwise(Op::divide, {total, Scalar(count)});
  return divided.dtype() == result ? divided : cast(divided, result);
}

}  // namespace

array sum(const array& a, const Reduction& how) { return reduce_as(Op::add, "sum", a, how); }
array prod(const array& a, const Reduction& how) { return reduce_as(Op::multiply, "prod", a, how); }
array min(const array& a, const Reduction& how) { return reduce_as(Op::minimum, "min", a, how); }
array max(const array& a, const Reduction& how) { return reduce_as(Op::maximum, "max", a, how); }
array any(const array& a, const Reduction& how) { return reduce_as(Op::logical_or, "any", a, how); }
array all(const array& a, const Reduction& how) {
  return reduce_as(Op::logical_and, "all", a, how);
}

array ptp(const array& a, const Reduction& how) {
  return elementwise(Op::subtract, {max(a, how), min(a, how)});
}

array count_nonzero(const array& a, const Reduction& how) {
  return sum(a.dtype() == Dtype::bool_ ? a : cast(a, Dtype::bool_),
             {.axis = how.axis, .keepdims = how.keepdims});
}

array mean(const array& a, const Reduction& how) {
  auto axes = axis_mask("mean", how.axis.list(), a.ndim());
  Dtype compute = how.dtype.value_or(mean_type(a.dtype()));
  Dtype result = how.dtype.value_or(is_inexact(a.dtype()) ? a.dtype() : compute);
  array total = reduce(Op::add, a, axes, how.keepdims, compute);
  return quotient(total, static_cast<double>(reduced_size(a, axes)), result);
}

array var(const array& a, const Reduction& how) {
  auto axes = axis_mask("var", how.axis.list(), a.ndim());
  auto count = static_cast<double>(reduced_size(a, axes));
  Dtype compute = how.dtype.value_or(mean_type(a.dtype()));
  if (!is_inexact(compute)) compute = Dtype::float64;
  Dtype result = real_type(how.dtype.value_or(is_inexact(a.dtype()) ? a.dtype() : compute));
  array centre = quotient(reduce(Op::add, a, axes, true, compute), count, compute);
  // In the type of both: one that was asked for is that of the sums alone.
  array apart = elementwise(Op::subtract, {a, centre});
  auto squared = [](const array& x) { return elementwise(Op::multiply, {x, x}); };
  const array squares = !is_complex(apart.dtype())
                            ? squared(apart)
                            : elementwise(Op::add, {squared(elementwise(Op::real, {apart})),
                                                    squared(elementwise(Op::imag, {apart}))});
  array total = reduce(Op::add, squares, axes, how.keepdims, real_type(compute));
  return quotient(total, std::max(count - how.ddof, 0.0), result);
}

array stddev(const array& a, const Reduction& how) { return elementwise(Op::sqrt, {var(a, how)}); }

namespace {
array position(Op op, const char* name, const array& a, const Reduction& how) {
  if (how.axis.list() && how.axis.list()->size() > 1) {
    throw type_error(
        fmt::format("{}: takes one axis or none, not {}", name, to_string(*how.axis.list())));
  }
  return arg_reduce(op, a, axis_mask(name, how.axis.list(), a.ndim()), how.keepdims);
}

array running(Op combine, const char* name, const array& a, std::optional<std::int64_t> axis,
              std::optional<Dtype> dtype) {
  if (!axis || a.ndim() == 0) {
    if (axis) axis_mask(name, Dims{*axis}, 0);
    return running(combine, name, a.reshape({-1}), 0, dtype);
  }
  return scan(combine, a, normalize_axis(name, *axis, a.ndim()),
              dtype.value_or(reduction_type(combine, a.dtype())));
}
}  // namespace

array argmin(const array& a, const Reduction& how) {
  return position(Op::argmin, "argmin", a, how);
}
array argmax(const array& a, const Reduction& how) {
  return position(Op::argmax, "argmax", a, how);
}

array cumsum(const array& a, std::optional<std::int64_t> axis, std::optional<Dtype> dtype) {
  return running(Op::add, "cumsum", a, axis, dtype);
}
array cumprod(const array& a, std::optional<std::int64_t> axis, std::optional<Dtype> dtype) {
  return running(Op::multiply, "cumprod", a, axis, dtype);
}

}  // namespace heddle
