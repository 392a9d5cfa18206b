// Equations, inverses and determinants of linalg.
#include <limits>

#include <fmt/format.h>

#include "graph/storage.h"
#include "ops/creation.h"
#include "ops/elementwise.h"
#include "ops/factorisations.h"
#include "ops/linalg_call.h"
#include "ops/linalg_rules.h"
#include "ops/linear.h"
#include "ops/placement.h"
#include <heddle/creation.h>
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

namespace {

// Operands: the matrices and as many right sides.
const graph::Derivative derivative_of_solution = {
    0b01, 0b1, [](graph::Pullback& step) {
      const FailureScope scope(Failures::ignore);
      const array right = solve(swapped(step.operand(0)), *step.cotangent(0));
      step.give(1, right);
      if (step.wants(0)) step.give(0, -blas_product(right, swapped(step.output())));
    }};
constexpr Primitive solution = step_with("solve", derivative_of_solution);

// x of matrices, on one device and of one type.
array solution_of(const array& a, const array& b, const Dims& stack) {
  const auto n = b.shape(-2), columns = b.shape(-1);
  if (a.size() == n * n && a.ndim() + b.ndim() > 4) {
    // One matrix for many right sides: also for its derivative they are columns.
    const array sides = moveaxis(b, -2, 0);
    const array x = solve(a.reshape({n, n}), sides.reshape({n, -1}));
    return moveaxis(x.reshape(sides.shape()), 0, -2).reshape(joined(stack, {n, columns}));
  }
  const array left = a.broadcast_to(joined(stack, {n, n}));
  const array right = b.broadcast_to(joined(stack, {n, columns}));
  return as_step(solution, {left, right}, [&] { return std::vector{solve(left, right)}; })[0];
}

}  // namespace

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
  if (differentiated()) {
    return solution_of(typed(left, result), typed(right, result), stack).reshape(shape);
  }
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

namespace {

const graph::Derivative derivative_of_inverse = {
    0, 0b1, [](graph::Pullback& step) {
      const array z = swapped(step.output());
      step.give(0, -blas_product(blas_product(z, *step.cotangent(0)), z));
    }};
constexpr Primitive inverse = step_with("inv", derivative_of_inverse);

}  // namespace

array inv(const array& a) {
  check_square(a);
  const Call call(a.device(), result_type(a));
  if (a.size() == 0) return full(a.shape(), 0, call.result(), call.device());
  if (differentiated()) {
    return as_step(inverse, {typed(a, call.result())}, [&] { return std::vector{inv(a)}; })[0];
  }
  const Scaling scaling = call.scaling_of_pivots(a);
  const array columns = call.by_columns(scaling.apply(a));
  const auto found =
      call->has_inverses()
          ? factorisation::inverse(columns)
          : factorisation::solve(columns, identity(a.shape(), call.dtype(), call.device()));
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

// Of the logarithm it is the transposed inverse. The sign of a complex number turns with the
// imaginary part of what the logarithm is the real part of.
const graph::Derivative derivative_of_slogdet = {
    0b1, 0b01, [](graph::Pullback& step) {
      const array a = step.operand(0);
      array factor = full(stack_of(a), 0, real_type(a.dtype()), a.device());
      if (const auto g = step.cotangent(1)) factor = *g;
      if (const auto g = step.cotangent(0); g && is_complex(a.dtype())) {
        const array turned = elementwise(Op::imag, {*g * step.output(0)});
        const Input parts[] = {factor, turned};
        factor = elementwise_as(Op::make_complex, parts, turned.dtype(), a.dtype());
      }
      step.give(0, of_matrices(factor) * swapped(inv_or_nan(a)));
    }};
constexpr Primitive logarithm = step_with("slogdet", derivative_of_slogdet);

// Determinants without one row and one column, with their signs: the derivative of a determinant.
array cofactors(const array& a);

const graph::Derivative derivative_of_cofactors = {
    0b1, 0b1, [](graph::Pullback& step) {
      const array g = *step.cotangent(0), c = step.output();
      const array z = swapped(inv_or_nan(step.operand(0)));
      const array turned = blas_product(swapped(g), c);
      step.give(0, of_matrices(sum(g * c, Axes{-2, -1})) * z - blas_product(z, turned));
    }};
constexpr Primitive minors = step_with("cofactors", derivative_of_cofactors);

// Without divisions: of singular matrices too.
array cofactors_of_any(const array& a) {
  const FailureScope scope(Failures::ignore);
  const auto [u, s, vh] = svd(a, false);
  const auto n = a.shape(-1);
  const array diagonal = identity({n, n}, Dtype::bool_, a.device());
  const array others = prod(where(diagonal, Scalar(1), of_columns(s)), -1);
  const array factor = of_columns(others) * of_matrices(det(u) * det(vh));
  return blas_product(conjugated(u) * factor, conjugated(vh));
}

array cofactors(const array& a) {
  const auto n = a.shape(-1);
  auto rolled = [&](std::int64_t rows, std::int64_t columns) {
    return roll(roll(a, -rows, -2), -columns, -1);
  };
  if (n == 1) return ones_like(a);
  if (n == 2) {
    const array signs = identity({2, 2}, a.dtype(), a.device()) * 2 - 1;
    return rolled(1, 1) * signs;
  }
  if (n == 3) return rolled(1, 1) * rolled(2, 2) - rolled(1, 2) * rolled(2, 1);
  if (!differentiated()) return cofactors_of_any(a);
  return as_step(minors, {a}, [&] { return std::vector{cofactors_of_any(a)}; })[0];
}

const graph::Derivative derivative_of_determinant = {
    0b1, 0, [](graph::Pullback& step) {
      step.give(0, of_matrices(*step.cotangent(0)) * cofactors(step.operand(0)));
    }};
constexpr Primitive determinant = step_with("det", derivative_of_determinant);

}  // namespace

Slogdet slogdet(const array& a) {
  check_square(a);
  const Call call(a.device(), result_type(a));
  if (differentiated() && a.size() > 0) {
    const auto made = as_step(logarithm, {typed(a, call.result())}, [&] {
      const Slogdet found = slogdet(a);
      return std::vector{found.sign, found.logabsdet};
    });
    return {made[0], made[1]};
  }
  auto [sign, logabsdet] = determinants(call, a);
  return {in_rows(sign, call.result()), in_rows(logabsdet, call.real_result())};
}

array det(const array& a) {
  check_square(a);
  const Call call(a.device(), result_type(a));
  if (differentiated() && a.size() > 0) {
    return as_step(determinant, {typed(a, call.result())}, [&] { return std::vector{det(a)}; })[0];
  }
  auto [sign, logabsdet] = determinants(call, a);
  return in_rows(multiply(sign, exp(logabsdet)), call.result());
}

}  // namespace heddle::linalg
