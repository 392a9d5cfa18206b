// Equations, inverses and determinants of linalg.
#include <limits>

#include <fmt/format.h>

#include "graph/storage.h"
#include "ops/creation.h"
#include "ops/elementwise.h"
#include "ops/factorisations.h"
#include "ops/linalg_call.h"
#include "ops/placement.h"
#include <heddle/errors.h>
#include <heddle/manipulation.h>
#include <heddle/reductions.h>
#include <heddle/ufuncs.h>

namespace heddle::linalg {

namespace {

constexpr const char* singular = "Singular matrix";

Dtype single_or_double(const array& a) {
  Dtype dtype = a.dtype();
  if (is_half(dtype)) {
    throw type_error(fmt::format("array type {} is unsupported in linalg", name(dtype)));
  }
  return is_inexact(dtype) ? dtype : Dtype::float64;
}

}  // namespace

Dtype result_type(const array& a) { return single_or_double(a); }
Dtype result_type(const array& a, const array& b) {
  return promote_types(single_or_double(a), single_or_double(b));
}

array solve(const array& a, const array& b) {
  check_square(a);
  const Dtype result = result_type(a, b);
  const bool vector = b.ndim() == 1;
  array right = vector ? expand_dims(b, -1) : b;
  const auto n = a.shape(-1);
  if (right.ndim() < 2 || right.shape(-2) != n) {
    throw value_error(fmt::format(
        "solve: shapes {} and {} do not match: the second must be {} rows, or a vector of {}",
        to_string(a.shape()), to_string(b.shape()), n, n));
  }
  const auto columns = right.shape(-1);
  Input both[] = {a, right};
  const Call call(common_device("solve", both), result);
  array left = on_device("solve", a, call.device());
  right = on_device("solve", right, call.device());
  const Dims stack = broadcast_shapes("solve", stack_of(left), stack_of(right));
  const Dims shape = vector ? joined(stack, {n}) : joined(stack, {n, columns});
  if (size_of(stack) == 0 || n == 0) return full(shape, 0, result, call.device());
  // One matrix for many right sides: they are the columns of one matrix.
  const bool shared = left.size() == n * n;
  if (!shared) left = left.broadcast_to(joined(stack, {n, n}));
  const Scaling scaling = call.scaling_of_pivots(left);
  const auto found =
      factorisation::solve(call.by_columns(scaling.apply(left)),
                           call.by_columns(right.broadcast_to(joined(stack, {n, columns}))));
  const Outcome outcome = call.outcome(found.status, singular);
  return outcome.of(scaling.apply(call.finished(found.x)), 2).reshape(shape);
}

array inv(const array& a) {
  check_square(a);
  const Call call(a.device(), result_type(a));
  if (a.size() == 0) return full(a.shape(), 0, call.result(), call.device());
  const Scaling scaling = call.scaling_of_pivots(a);
  const auto found = factorisation::solve(call.by_columns(scaling.apply(a)),
                                          identity(a.shape(), call.dtype(), call.device()));
  const Outcome outcome = call.outcome(found.status, singular);
  return outcome.of(scaling.apply(call.finished(found.x)), 2);
}

array inv_or_nan(const array& a) {
  const FailureScope scope(Failures::ignore);
  return inv(a);
}

namespace {

// Those of a single matrix are scalars.
Slogdet as_results(Slogdet made) {
  for (const array& one : {made.sign, made.logabsdet}) one.storage().snapshot = one.ndim() == 0;
  return made;
}

// In the type that was computed in.
Slogdet determinants(const Call& call, const array& a) {
  const Dims stack = stack_of(a);
  if (a.size() == 0) {
    return as_results(
        {full(stack, 1, call.dtype(), call.device()), full(stack, 0, call.real(), call.device())});
  }
  if (call->has_determinants()) {
    auto found = factorisation::determinants(call.by_columns(a));
    return {found.signs, found.logarithms};
  }
  const auto [factors, pivots] = factorisation::lu(call.by_columns(a));
  const array diagonal = diagonal_of(factors);
  // Every row that changed its place changes the sign; a zero on the diagonal makes it zero.
  array place = index_along(pivots.shape(), pivots.ndim() - 1, call.device());
  array flips = subtract(1, multiply(2, cast(not_equal(pivots, add(place, 1)), Dtype::int8)));
  Slogdet made{prod(multiply(sign(diagonal), flips), -1), sum(log(absolute(diagonal)), -1)};
  if (call->reports_nan()) return made;
  // Pivots may step around nan.
  const Outcome outcome(any(isnan(a), Axes{-2, -1}));
  return {outcome.of(made.sign, 0), outcome.of(made.logabsdet, 0)};
}

}  // namespace

Slogdet slogdet(const array& a) {
  check_square(a);
  const Call call(a.device(), result_type(a));
  auto [sign, logabsdet] = determinants(call, a);
  return {in_rows(sign, call.result()), in_rows(logabsdet, call.real_result())};
}

array det(const array& a) {
  check_square(a);
  const Call call(a.device(), result_type(a));
  auto [sign, logabsdet] = determinants(call, a);
  return in_rows(multiply(sign, exp(logabsdet)), call.result());
}

}  // namespace heddle::linalg
