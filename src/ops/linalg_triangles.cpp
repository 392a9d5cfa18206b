// Factorisations of linalg with a triangle in them: Cholesky's, and QR.
#include <algorithm>

#include "ops/creation.h"
#include "ops/elementwise.h"
#include "ops/factorisations.h"
#include "ops/linalg_call.h"
#include "ops/linalg_rules.h"
#include "ops/linear.h"
#include "ops/write.h"
#include <heddle/creation.h>
#include <heddle/errors.h>
#include <heddle/manipulation.h>
#include <heddle/ufuncs.h>

namespace heddle::linalg {

namespace {

// Of the symmetrised matrices. With L of a = L L^H it is L times the lower triangle of
// L^-1 da L^-H, of which the diagonal is halved.
const graph::Derivative derivative_of_cholesky = {
    0, 0b1, [](graph::Pullback& step) {
      const FailureScope scope(Failures::ignore);
      const bool upper = is_chosen(step);
      const array factor = step.output(), g = *adjoint_cotangent(step, 0);
      const array lower = upper ? adjoint(factor) : factor;
      const array inner = blas_product(adjoint(lower), upper ? adjoint(g) : g);
      const auto n = inner.shape(-1);
      const array halved =
          tril(inner, 0) * (1 - identity({n, n}, real_type(inner.dtype()), inner.device()) * 0.5);
      const array between = divided(solve(adjoint(lower), halved), lower);
      step.give(0, conjugated(symmetrised(between)));
    }};
constexpr Primitive factorisation_of_cholesky = step_with("cholesky", derivative_of_cholesky);

}  // namespace

array cholesky(const array& a, bool upper) {
  check_square(a);
  const Call call(a.device(), result_type(a));
  if (a.size() == 0) return full(a.shape(), 0, call.result(), call.device());
  if (differentiated()) {
    return as_step(
        factorisation_of_cholesky, {typed(a, call.result())},
        [&] { return std::vector{cholesky(a, upper)}; }, choice(upper))[0];
  }
  // Read by columns, rows are the transposed matrix, and its other triangle; the transposed factor
  // of that is what is wanted.
  const bool by_columns = !upper && call->factors_lower_faster();
  const auto found =
      factorisation::cholesky(by_columns ? call.by_columns(a) : call.by_rows(a),
                              upper || by_columns ? Triangle::lower : Triangle::upper);
  const Outcome outcome = call.outcome(found.status, "Matrix is not positive definite");
  const array factor = by_columns ? swapped(found.factors) : found.factors;
  const array triangle = triangle_of(factor, upper ? Triangle::upper : Triangle::lower);
  return outcome.of(in_rows(triangle, call.result()), 2);
}

namespace {

// By columns.
struct Factors {
  array matrices;  // reflectors, and R scaled
  array tau;
  Scaling scaling;
};

// Nothing goes wrong but with wrong arguments.
Factors factored(const Call& call, const array& a, const Scaling& scaling) {
  array matrices = call.by_columns(scaling.apply(a));
  if (a.size() == 0) {
    const auto shorter = std::min(a.shape(-2), a.shape(-1));
    return {matrices, empty(joined(stack_of(a), {shorter}), call.dtype(), call.device()), scaling};
  }
  auto made = factorisation::qr(std::move(matrices));
  return {made.factors, made.tau, scaling};
}
Factors factored(const Call& call, const array& a) {
  return factored(call, a, call.scaling_of_batch(a));
}

array upper_of(const Call& call, const Factors& factors, std::int64_t rows) {
  const array r = swapped(factors.matrices.slice(-1, {.stop = rows}));
  return in_rows(factors.scaling.undo(triangle_of(r, Triangle::upper)), call.result());
}

// Of matrices with at least as many rows as columns.
const graph::Derivative derivative_of_qr = {
    0, 0b11, [](graph::Pullback& step) {
      const FailureScope scope(Failures::ignore);
      const array q = step.output(0), r = step.output(1);
      const auto of_q = adjoint_cotangent(step, 0), of_r = adjoint_cotangent(step, 1);
      array inner = full(r.shape(), 0, r.dtype(), r.device());
      if (of_r) inner = blas_product(*of_r, adjoint(r));
      if (of_q) inner = inner - blas_product(adjoint(q), *of_q);
      const array above = triu(inner, 1);
      const array diagonal = with_diagonal(elementwise(Op::real, {diagonal_of(inner)}));
      array sum = blas_product(q, above + adjoint(above) + diagonal);
      if (of_q) sum = sum + *of_q;
      step.give(0, conjugated(divided(sum, adjoint(r))));
    }};
constexpr Primitive factorisation_to_qr = step_with("qr", derivative_of_qr);

const graph::Derivative derivative_of_complete_q = {
    0, 0, [](graph::Pullback&) {
      throw type_error(
          "qr: there is no derivative of a complete Q of matrices with more rows than columns. Use "
          "mode='reduced'");
    }};
constexpr Primitive complete_q = step_with("qr", derivative_of_complete_q);

const graph::Derivative derivative_of_raw_qr = {
    0, 0, [](graph::Pullback&) {
      throw type_error("qr: there is no derivative of LAPACK's reflectors. Use mode='reduced'");
    }};
constexpr Primitive raw_qr = step_with("qr", derivative_of_raw_qr);

QR derived_qr(const array& a, bool complete) {
  const auto rows = a.shape(-2), columns = a.shape(-1);
  if (columns > rows) {
    // Of the first columns; the others of R follow.
    auto [q, r] = derived_qr(a.slice(-1, {.stop = rows}), false);
    const array more = blas_product(adjoint(q), a.slice(-1, {.start = rows}));
    return {q, concatenate({r, more}, -1)};
  }
  if (complete && rows > columns) {
    const array q = as_step(complete_q, {a}, [&] { return std::vector{qr(a, true).q}; })[0];
    const array zeros =
        full(joined(stack_of(a), {rows - columns, columns}), 0, a.dtype(), a.device());
    return {q, concatenate({derived_qr(a, false).r, zeros}, -2)};
  }
  const auto made = as_step(factorisation_to_qr, {a}, [&] {
    const QR found = qr(a);
    return std::vector{found.q, found.r};
  });
  return {made[0], made[1]};
}

}  // namespace

QR qr_raw(const array& a) {
  check_matrices(a);
  const Call call(a.device(), result_type(a));
  if (differentiated() && a.size() > 0) {
    const auto made = as_step(raw_qr, {typed(a, call.result())}, [&] {
      const QR found = qr_raw(a);
      return std::vector{found.q, found.r};
    });
    return {made[0], made[1]};
  }
  const Factors made = factored(call, a, Scaling());
  return {in_rows(made.matrices, call.result()), in_rows(made.tau, call.result())};
}

array qr_r(const array& a) {
  check_matrices(a);
  const Call call(a.device(), result_type(a));
  if (differentiated()) return qr(a).r;
  return upper_of(call, factored(call, a), std::min(a.shape(-2), a.shape(-1)));
}

QR qr(const array& a, bool complete) {
  check_matrices(a);
  const Call call(a.device(), result_type(a));
  if (differentiated() && a.size() > 0) return derived_qr(typed(a, call.result()), complete);
  const auto rows = a.shape(-2), columns = a.shape(-1), shorter = std::min(rows, columns);
  const Dims stack = stack_of(a);
  const auto wanted = complete ? rows : shorter;
  Factors made = factored(call, a);
  array r = upper_of(call, made, wanted);
  const Dims shape = joined(stack, {wanted, rows});
  if (size_of(stack) == 0 || wanted == 0) {
    return {full(joined(stack, {rows, wanted}), 0, call.result(), call.device()), r};
  }
  if (shorter == 0) return {dense(identity(shape, call.dtype(), call.device()), call.result()), r};
  array reflectors = std::move(made.matrices);
  if (wanted != columns) {
    array room = empty(shape, call.dtype(), call.device());
    write(room.slice(-2, {.stop = shorter}), reflectors.slice(-2, {.stop = shorter}));
    reflectors = std::move(room);
  }
  return {call.finished(factorisation::form_q(std::move(reflectors), made.tau)), r};
}

}  // namespace heddle::linalg
