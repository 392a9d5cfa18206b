#include "ops/masked.h"

#include <limits>

#include "ops/compose.h"
#include "ops/creation.h"
#include "ops/reduction.h"
#include "ops/reported.h"
#include "ops/write.h"
#include <heddle/errors.h>
#include <heddle/indexing.h>
#include <heddle/manipulation.h>
#include <heddle/ufuncs.h>

namespace heddle {

namespace {

constexpr const char* nothing_else = "All-NaN slice encountered";

// The type to compute in, and that of the result.
struct Types2 {
  Dtype compute, result;
};
Types2 types_of(Dtype dtype, const Reduction& how) {
  if (how.dtype) return {*how.dtype, *how.dtype};
  if (is_half(dtype)) return {Dtype::float32, dtype};  // sums would overflow or lose digits
  return {inexact_type(dtype), inexact_type(dtype)};
}

array selected_sum(const array& a, const array& mask, const Reduction& how, bool keepdims,
                   Dtype dtype) {
  const array chosen = where(mask, as_type(a, dtype), array(Scalar(0), dtype));
  return sum(chosen, {.axis = how.axis, .keepdims = keepdims, .dtype = dtype});
}

array counted(const array& a, const array& mask, const Reduction& how, bool keepdims) {
  return sum(mask.broadcast_to(a.shape()),
             {.axis = how.axis, .keepdims = keepdims, .dtype = Dtype::int64});
}

// In the type of the total, which stays an inexact one.
array divided(const array& total, const array& count) {
  return as_type(total / as_type(count, real_type(total.dtype())), total.dtype());
}

array squared(const array& x) {
  if (!is_complex(x.dtype())) return x * x;
  const array re = real(x), im = imag(x);
  return re * re + im * im;
}

}  // namespace

Counted masked_mean(const array& a, const array& mask, const Reduction& how) {
  const auto [compute, result] = types_of(a.dtype(), how);
  const array total = selected_sum(a, mask, how, how.keepdims, compute);
  const array count = counted(a, mask, how, how.keepdims);
  return {as_type(is_inexact(compute) ? divided(total, count) : total / count, result), count};
}

Counted masked_var(const array& a, const array& mask, const Reduction& how,
                   const std::optional<array>& mean) {
  auto [compute, result] = types_of(a.dtype(), how);
  const array centre =
      mean ? *mean
           : divided(selected_sum(a, mask, how, true, compute), counted(a, mask, how, true));
  const array squares = squared(a - centre);
  const array total =
      selected_sum(squares, mask, how, how.keepdims, how.dtype ? compute : squares.dtype());
  const array count = counted(a, mask, how, how.keepdims);
  if (is_complex(result) && !how.dtype) result = total.dtype();
  return {as_type(divided(total, maximum(count - how.ddof, 0)), result), count};
}

// --- nans ---

array nans_replaced(const array& a, Scalar value) {
  return has_nans(a) ? where(isnan(a), array(value, a.dtype()), a) : a;
}

namespace {

array numbers_of(const array& a, const std::optional<array>& selected) {
  const array valid = logical_not(isnan(a));
  return selected ? logical_and(valid, *selected) : valid;
}

void check_inexact(const Reduction& how) {
  if (how.dtype && !is_inexact(*how.dtype)) {
    throw type_error("If a is inexact, then dtype must be inexact");
  }
}

template <Op extreme>
array extreme_number(const char* name, const array& a, const Reduction& how) {
  // fmax and fmin leave nans out unless there is nothing else, which is NumPy's answer too.
  const array result =
      reduce(extreme, a, axis_mask(name, how.axis.list(), a.ndim()), how.keepdims, a.dtype());
  return warned_of_nans(result);
}

template <class F>
array position_of_number(const char* name, F find, double fill, const array& a,
                         const Reduction& how) {
  if (!has_nans(a) || a.size() == 0) return find(a, how);
  const array nans = isnan(a);
  const array result = find(where(nans, array(Scalar(fill), a.dtype()), a), how);
  const array missing = all(nans, {.axis = how.axis, .keepdims = how.keepdims});
  return refused_where<value_error>(missing, result, nothing_else, name);
}

}  // namespace

array warned_of_nans(const array& result) {
  return has_nans(result) ? warned_where(isnan(result), result, nothing_else) : result;
}

array nansum(const array& a, const Reduction& how) { return sum(nans_replaced(a, 0), how); }
array nanprod(const array& a, const Reduction& how) { return prod(nans_replaced(a, 1), how); }
array nanmin(const array& a, const Reduction& how) {
  return extreme_number<Op::fmin>("nanmin", a, how);
}
array nanmax(const array& a, const Reduction& how) {
  return extreme_number<Op::fmax>("nanmax", a, how);
}

array nanargmin(const array& a, const Reduction& how) {
  auto find = [](const array& x, const Reduction& r) { return argmin(x, r); };
  return position_of_number("nanargmin", find, std::numeric_limits<double>::infinity(), a, how);
}
array nanargmax(const array& a, const Reduction& how) {
  auto find = [](const array& x, const Reduction& r) { return argmax(x, r); };
  return position_of_number("nanargmax", find, -std::numeric_limits<double>::infinity(), a, how);
}

array nanmean_where(const array& a, const std::optional<array>& selected, const Reduction& how) {
  check_inexact(how);
  const auto [result, count] = masked_mean(a, numbers_of(a, selected), how);
  return warned_where(count <= 0, result, "Mean of empty slice");
}

array nanvar_where(const array& a, const std::optional<array>& selected,
                   const std::optional<array>& mean, const Reduction& how) {
  check_inexact(how);
  const auto [result, count] = masked_var(a, numbers_of(a, selected), how, mean);
  // NumPy's answer is nan where no degree of freedom is left, not infinity.
  const array left = count - how.ddof;
  const Scalar nan(std::numeric_limits<double>::quiet_NaN());
  return warned_where(left <= 0, where(left > 0, result, array(nan, result.dtype())),
                      "Degrees of freedom <= 0 for slice.");
}

array nanmean(const array& a, const Reduction& how) {
  return has_nans(a) ? nanmean_where(a, std::nullopt, how) : mean(a, how);
}
array nanvar(const array& a, const Reduction& how) {
  return has_nans(a) ? nanvar_where(a, std::nullopt, std::nullopt, how) : var(a, how);
}
array nanstd(const array& a, const Reduction& how) { return sqrt(nanvar(a, how)); }

array nancumsum(const array& a, std::optional<std::int64_t> axis, std::optional<Dtype> dtype) {
  return cumsum(nans_replaced(a, 0), axis, dtype);
}
array nancumprod(const array& a, std::optional<std::int64_t> axis, std::optional<Dtype> dtype) {
  return cumprod(nans_replaced(a, 1), axis, dtype);
}

// --- running results of the array API standard ---

namespace {

array cumulative(Op combine, const char* name, const array& a, const Cumulative& how) {
  const array x = atleast_1d(a);
  if (!how.axis && x.ndim() > 1) {
    throw value_error(
        "For arrays which have more than one dimension ``axis`` argument is required.");
  }
  const auto axis = normalize_axis(name, how.axis.value_or(0), x.ndim());
  array running = scan(combine, x, axis, how.dtype.value_or(reduction_type(combine, x.dtype())));
  if (!how.include_initial) return running;
  Dims shape = x.shape();
  ++shape[axis];
  array result = full(shape, combine == Op::add ? 0 : 1, running.dtype(), x.device());
  write(result.slice(axis, Slice{1, {}}), running);
  return result;
}

}  // namespace

array cumulative_sum(const array& a, const Cumulative& how) {
  return cumulative(Op::add, "cumulative_sum", a, how);
}
array cumulative_prod(const array& a, const Cumulative& how) {
  return cumulative(Op::multiply, "cumulative_prod", a, how);
}

}  // namespace heddle
