// Factorisations of linalg with a triangle in them: Cholesky's, and QR.
#include <algorithm>

#include "ops/creation.h"
#include "ops/elementwise.h"
#include "ops/factorisations.h"
#include "ops/linalg_call.h"
#include "ops/write.h"

namespace heddle::linalg {

array cholesky(const array& a, bool upper) {
  check_square(a);
  const Call call(a.device(), result_type(a));
  if (a.size() == 0) return full(a.shape(), 0, call.result(), call.device());
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

}  // namespace

QR qr_raw(const array& a) {
  check_matrices(a);
  const Call call(a.device(), result_type(a));
  const Factors made = factored(call, a, Scaling());
  return {in_rows(made.matrices, call.result()), in_rows(made.tau, call.result())};
}

array qr_r(const array& a) {
  check_matrices(a);
  const Call call(a.device(), result_type(a));
  return upper_of(call, factored(call, a), std::min(a.shape(-2), a.shape(-1)));
}

QR qr(const array& a, bool complete) {
  check_matrices(a);
  const Call call(a.device(), result_type(a));
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
