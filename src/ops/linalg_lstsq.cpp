// Least squares of linalg.
#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "ops/creation.h"
#include "ops/elementwise.h"
#include "ops/factorisations.h"
#include "ops/linalg_call.h"
#include "ops/linear.h"
#include "ops/placement.h"
#include "ops/write.h"
#include <heddle/errors.h>
#include <heddle/manipulation.h>
#include <heddle/reductions.h>
#include <heddle/ufuncs.h>

namespace heddle::linalg {

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
  const Scalar zero(0), one(1);
  Input safe_inputs[] = {large, parts.s, one};
  array safe = elementwise(Op::select, safe_inputs);
  array inverse = divide(one, safe);
  Input inputs[] = {large, inverse, zero};
  array weights = expand_dims(elementwise(Op::select, inputs), -1);
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
