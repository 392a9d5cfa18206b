// Least squares and pseudo-inverses of linalg.
#include <algorithm>
#include <bit>
#include <limits>

#include <fmt/format.h>

#include "ops/creation.h"
#include "ops/elementwise.h"
#include "ops/factorisations.h"
#include "ops/linalg_call.h"
#include "ops/linalg_rules.h"
#include "ops/linear.h"
#include "ops/placement.h"
#include "ops/write.h"
#include <heddle/errors.h>
#include <heddle/manipulation.h>
#include <heddle/reductions.h>
#include <heddle/ufuncs.h>

namespace heddle::linalg {

namespace {

// One over those that are large, and 0.
array inverted(const array& values, const array& large) {
  return where(large, reciprocal(where(large, values, Scalar(1))), Scalar(0));
}

// As long as the rank stays.
const graph::Derivative derivative_of_pinv = {
    0b1, 0b1, [](graph::Pullback& step) {
      const bool hermitian = is_chosen(step);
      const array a = hermitian ? symmetrised(step.operand(0)) : step.operand(0);
      const array p = step.output(), ph = adjoint(p);
      const array g = *adjoint_cotangent(step, 0), gh = adjoint(g);
      const array rows = blas_product(gh, blas_product(p, ph));
      const array columns = blas_product(blas_product(ph, p), gh);
      const array sum = rows - blas_product(a, blas_product(p, rows)) + columns -
                        blas_product(blas_product(columns, p), a) -
                        blas_product(blas_product(ph, g), ph);
      step.give(0, conjugated(hermitian ? symmetrised(sum) : sum));
    }};
constexpr Primitive pseudo_inverse = step_with("pinv", derivative_of_pinv);

}  // namespace

array pinv(const array& a, const array& rcond, bool hermitian) {
  if (hermitian) {
    check_square(a);
  } else {
    check_matrices(a);
  }
  const Dtype result = result_type(a);
  if (a.size() == 0) {
    return full(joined(stack_of(a), {a.shape(-1), a.shape(-2)}), 0, result, a.device());
  }
  if (differentiated()) {
    return as_step(
        pseudo_inverse, {typed(a, result)}, [&] { return std::vector{pinv(a, rcond, hermitian)}; },
        choice(hermitian))[0];
  }
  auto weights = [&](const array& values) {
    const array sizes = absolute(values);
    const array largest = max(sizes, Reduction{.axis = -1, .keepdims = true});
    return of_columns(inverted(values, sizes > expand_dims(rcond, -1) * largest));
  };
  if (hermitian) {
    const auto [w, v] = eigh(a);
    return blas_product(v * weights(w), adjoint(v));
  }
  const auto [u, s, vh] = svd(a, false);
  return blas_product(adjoint(vh) * weights(s), adjoint(u));
}

namespace {

array squared(const array& a) {
  if (!is_complex(a.dtype())) return square(a);
  return add(square(elementwise(Op::real, {a})), square(elementwise(Op::imag, {a})));
}

array above(const array& s, double rcond) { return greater(s, multiply(rcond, max(s))); }

// On devices without a routine for it.
LeastSquares by_svd(const array& a, const array& b, double rcond) {
  SVD parts = svd(a, false);
  array large = above(parts.s, rcond);
  array weights = of_rows(inverted(parts.s, large));
  array projected = multiply(weights, blas_product(conjugate(parts.u.T()), b));
  array x = blas_product(conjugate(parts.vh.T()), projected);
  array rest = subtract(b, blas_product(a, x));
  return {x, sum(squared(rest), 0), count_nonzero(large).item<std::int64_t>(), parts.s};
}

// On those that have one.
LeastSquares by_routine(const Call& call, const array& a, const array& b, double rcond) {
  const auto rows = a.shape(0), columns = a.shape(1);
  array sides = call.by_columns(b);
  if (columns > rows) {
    array room = full({b.shape(1), columns}, 0, call.dtype(), call.device());
    write(room.slice(-1, {.stop = rows}), std::move(sides));
    sides = std::move(room);
  }
  const auto found = factorisation::least_squares(call.by_columns(a), std::move(sides), rcond);
  const Outcome outcome =
      call.outcome(found.status, "SVD did not converge in Linear Least Squares");
  return {outcome.of(call.finished(found.x.slice(-1, {.stop = columns})), 2),
          sum(squared(found.x.slice(-1, {.start = columns})), -1), found.ranks.item<std::int64_t>(),
          outcome.of(found.s, 1)};
}

// Without equations or without right sides there is nothing to solve.
LeastSquares of_nothing(const Call& call, const array& a, const array& b, double rcond) {
  LeastSquares made;
  made.x = full({a.shape(1), b.shape(1)}, 0, call.result(), call.device());
  made.residuals = sum(squared(b), 0);
  if (a.size() == 0) {
    made.singular_values = full({0}, 0, call.real_result(), call.device());
    made.rank = 0;
  } else {
    made.singular_values = svdvals(cast(a, call.result()));
    made.rank = count_nonzero(above(made.singular_values, rcond)).item<std::int64_t>();
  }
  return made;
}

struct Cutoff final : Parameters {
  explicit Cutoff(double cutoff) : rcond(cutoff) {}
  double rcond;
  void write_key(std::vector<std::uint64_t>& key) const override {
    key.push_back(std::bit_cast<std::uint64_t>(rcond));
  }
};

// x is the pseudo-inverse times b; what is left of b is orthogonal to all columns of a, so that its
// square does not change with x.
void pull_least_squares(graph::Pullback& step) {
  const FailureScope scope(Failures::ignore);
  const array a = step.operand(0), b = step.operand(1), x = step.output();
  const array rest = b - blas_product(a, x);
  std::optional<array> of_a, of_b;
  auto add = [](std::optional<array>& to, const array& more) { to = to ? *to + more : more; };
  if (const auto g = adjoint_cotangent(step, 0)) {
    const array p = pinv(a, array(step.node().parameters_as<Cutoff>().rcond));
    const array right = blas_product(adjoint(p), *g);
    const array free = *g - blas_product(p, blas_product(a, *g));
    add(of_b, right);
    add(of_a, blas_product(rest, adjoint(blas_product(p, right))) -
                  blas_product(right, adjoint(x)) +
                  blas_product(blas_product(adjoint(p), x), adjoint(free)));
  }
  if (const auto g = step.cotangent(1); g && g->size() > 0) {
    const array scaled = rest * of_columns(*g * 2);
    add(of_b, scaled);
    add(of_a, -blas_product(scaled, adjoint(x)));
  }
  if (const auto g = step.cotangent(2)) {
    const SVD parts = svd(a, false);
    add(of_a, blas_product(parts.u * of_columns(*g), parts.vh));
  }
  if (of_a) step.give(0, conjugated(*of_a));
  if (of_b) step.give(1, conjugated(*of_b));
}
const graph::Derivative derivative_of_least_squares = {0b11, 0b1, pull_least_squares};
constexpr Primitive least_squares = step_with("lstsq", derivative_of_least_squares);

}  // namespace

LeastSquares lstsq(const array& a, const array& b, std::optional<double> cutoff) {
  const Dtype result = result_type(a, b);
  if (a.ndim() != 2 || b.ndim() != 2 || a.shape(0) != b.shape(0)) {
    throw linalg_error(fmt::format("lstsq: shapes {} and {} are not two matrices of equal height",
                                   to_string(a.shape()), to_string(b.shape())));
  }
  Input both[] = {a, b};
  const Call call(common_device("lstsq", both), result);
  const array left = on_device("lstsq", a, call.device());
  const array right = on_device("lstsq", b, call.device());
  const auto rows = a.shape(0), columns = a.shape(1);
  const double epsilon = call.real() == Dtype::float64 ? std::numeric_limits<double>::epsilon()
                                                       : std::numeric_limits<float>::epsilon();
  // As LAPACK reads it: without sense, it is the precision.
  double rcond = cutoff.value_or(epsilon * static_cast<double>(std::max(rows, columns)));
  if (rcond <= 0 || rcond >= 1) rcond = epsilon / 2;
  LeastSquares made;
  if (differentiated() && left.size() > 0 && right.size() > 0) {
    const auto parts = as_step(
        least_squares, {typed(left, result), typed(right, result)},
        [&] {
          made = lstsq(left, right, rcond);
          return std::vector{made.x, made.residuals, made.singular_values};
        },
        std::make_shared<Cutoff>(rcond));
    return {parts[0], parts[1], made.rank, parts[2]};
  }
  if (left.size() == 0 || right.size() == 0) {
    made = of_nothing(call, left, right, rcond);
  } else if (call->has_least_squares()) {
    made = by_routine(call, left, right, rcond);
  } else {
    made = by_svd(cast(left, result), cast(right, result), rcond);
  }
  if (made.rank != columns || rows <= columns) {
    made.residuals = full({0}, 0, call.real_result(), call.device());
  }
  made.residuals = in_rows(made.residuals, call.real_result());
  made.singular_values = in_rows(made.singular_values, call.real_result());
  return made;
}

}  // namespace heddle::linalg
