// Singular values and eigenvalues of linalg, with their vectors.
#include <algorithm>

#include "ops/creation.h"
#include "ops/elementwise.h"
#include "ops/factorisations.h"
#include "ops/linalg_call.h"
#include "ops/linalg_rules.h"
#include "ops/linear.h"
#include "runtime/device.h"
#include <heddle/errors.h>
#include <heddle/manipulation.h>
#include <heddle/reductions.h>
#include <heddle/ufuncs.h>

namespace heddle::linalg {

namespace {

SVD decomposed(const array& a, bool vectors, bool full_matrices) {
  check_matrices(a);
  const Call call(a.device(), result_type(a));
  const Dims stack = stack_of(a);
  const auto rows = a.shape(-2), columns = a.shape(-1), shorter = std::min(rows, columns);
  if (a.size() == 0) {
    Dims left = joined(stack, {rows, full_matrices ? rows : shorter});
    Dims right = joined(stack, {full_matrices ? columns : shorter, columns});
    array s = full(joined(stack, {shorter}), 0, call.real_result(), call.device());
    if (!vectors) return {s, s, s};
    return {dense(identity(left, call.dtype(), call.device()), call.result()), s,
            dense(identity(right, call.dtype(), call.device()), call.result())};
  }
  // What is by rows is the transposed matrix by columns, and so is what comes back.
  const bool turned = rows < columns && call->tall_svd();
  const Scaling scaling = call.scaling_of(a);
  const array scaled = scaling.apply(a);
  auto found =
      factorisation::svd(turned ? call.by_rows(scaled) : call.by_columns(scaled), full_matrices);
  if (!vectors) found.u = found.right = array();  // not computed
  const Outcome outcome = call.outcome(found.status, "SVD did not converge", found.s);
  array values = outcome.of(in_rows(scaling.undo(found.s), call.real_result()), 1);
  if (!vectors) return {values, values, values};
  array u = found.u, vh = found.right;
  if (call->right_vectors() == Solvers::Right::v) vh = swapped(conjugate(vh));
  if (turned) {
    return {outcome.of(in_rows(vh, call.result()), 2), values,
            outcome.of(in_rows(u, call.result()), 2)};
  }
  return {outcome.of(call.finished(u), 2), values, outcome.of(call.finished(vh), 2)};
}

// With P = u^H da v and F[i, j] = 1 / (s[j]^2 - s[i]^2): ds is the diagonal of P,
// du = u (F * (P s + s P^H)), dv = v (F * (s P + P^H s)), and what of da is not in the space of the
// vectors of the shorter side. The phases of complex vectors are free; those of v stay.
void pull_svd(graph::Pullback& step) {
  const array left = step.output(0), s = step.output(1), right = step.output(2);
  const auto rows = left.shape(-2), columns = right.shape(-1);
  const auto of_u = adjoint_cotangent(step, 0), of_vh = adjoint_cotangent(step, 2);
  const auto count = s.shape(-1);
  std::optional<array> inner;
  auto add = [&](const array& more) { inner = inner ? *inner + more : more; };
  if (const auto g = step.cotangent(1)) add(with_diagonal(*g));
  const array sums = of_columns(s) + of_rows(s);
  const array apart =
      inverse_differences(s) / (sums + identity({count, count}, s.dtype(), s.device()));
  std::optional<array> outside;
  if (of_u) {
    const array along = blas_product(adjoint(left), *of_u);
    const array turned = along - adjoint(along);
    add(apart * turned * of_columns(s));
    if (is_complex(left.dtype())) {
      const array phases = diagonal_of(turned) * 0.5 / where(s == 0, Scalar(1), s);
      add(with_diagonal(phases));
    }
    if (rows > columns) {
      const array rest = *of_u - blas_product(left, along);
      outside = blas_product(rest / of_columns(s), right);
    }
  }
  if (of_vh) {
    const array along = blas_product(right, adjoint(*of_vh));
    add(of_rows(s) * apart * (along - adjoint(along)));
    if (columns > rows) {
      const array rest = *of_vh - blas_product(adjoint(along), right);
      outside = blas_product(left, rest / of_rows(s));
    }
  }
  array sum = blas_product(blas_product(left, typed(*inner, left.dtype())), right);
  if (outside) sum = sum + *outside;
  step.give(0, conjugated(sum));
}
const graph::Derivative derivative_of_svd = {0, 0b111, pull_svd};
constexpr Primitive singular = step_with("svd", derivative_of_svd);

const graph::Derivative derivative_of_full_vectors = {
    0, 0, [](graph::Pullback&) {
      throw type_error(
          "svd: there is no derivative of the full matrices of singular vectors, unless the matrix "
          "is square. Use full_matrices=False");
    }};
constexpr Primitive full_vectors = step_with("svd", derivative_of_full_vectors);

SVD derived_svd(const array& a, bool full_matrices) {
  if (full_matrices && a.shape(-2) != a.shape(-1)) {
    const auto vectors = as_step(full_vectors, {a}, [&] {
      const SVD found = svd(a, true);
      return std::vector{found.u, found.vh};
    });
    return {vectors[0], derived_svd(a, false).s, vectors[1]};
  }
  const auto made = as_step(singular, {a}, [&] {
    const SVD found = svd(a, false);
    return std::vector{found.u, found.s, found.vh};
  });
  return {made[0], made[1], made[2]};
}

}  // namespace

SVD svd(const array& a, bool full_matrices) {
  if (differentiated() && a.size() > 0) {
    check_matrices(a);
    return derived_svd(typed(a, result_type(a)), full_matrices);
  }
  if (full_matrices || a.ndim() < 2 || a.size() == 0 || !a.device().solvers().tall_svd()) {
    return decomposed(a, true, full_matrices);
  }
  // Much longer than wide: of the triangular factor. LAPACK does so itself.
  const auto rows = a.shape(-2), columns = a.shape(-1);
  if (2 * rows >= 3 * columns) {
    auto [q, r] = qr(a);
    SVD parts = decomposed(r, true, false);
    return {blas_product(q, parts.u), parts.s, parts.vh};
  }
  if (2 * columns >= 3 * rows) {
    SVD parts = svd(swapped(a), false);
    return {in_rows(swapped(parts.vh), parts.vh.dtype()), parts.s,
            in_rows(swapped(parts.u), parts.u.dtype())};
  }
  return decomposed(a, true, false);
}
array svdvals(const array& a) {
  if (differentiated()) return svd(a, false).s;
  if (a.ndim() >= 2 && a.size() > 0 && a.device().solvers().tall_svd()) {
    if (2 * a.shape(-2) >= 3 * a.shape(-1)) return decomposed(qr_r(a), false, false).s;
    if (2 * a.shape(-1) >= 3 * a.shape(-2)) return decomposed(qr_r(swapped(a)), false, false).s;
  }
  return decomposed(a, false, false).s;
}

namespace {

constexpr const char* not_converged = "Eigenvalues did not converge";

Eigen hermitian_eigen(const array& a, bool upper, bool vectors) {
  check_square(a);
  const Call call(a.device(), result_type(a));
  if (a.size() == 0) {
    return {full(joined(stack_of(a), {a.shape(-1)}), 0, call.real_result(), call.device()),
            full(a.shape(), 0, call.result(), call.device())};
  }
  auto found = factorisation::eigh(call.by_columns(a), upper ? Triangle::upper : Triangle::lower);
  if (!vectors) found.vectors = array();  // not computed
  const Outcome outcome = call.outcome(found.status, not_converged, found.w);
  array values = outcome.of(in_rows(found.w, call.real_result()), 1);
  return {values, vectors ? outcome.of(call.finished(found.vectors), 2) : values};
}

// Column j of v is row j here. A conjugate pair is in two of them: real and imaginary parts.
array paired(const array& v, const array& w) {
  array imaginary = expand_dims(elementwise(Op::imag, {w}), -1);
  array first = greater(imaginary, 0), second = less(imaginary, 0);
  array next = roll(v, -1, -2), previous = roll(v, 1, -2), opposite = negative(v);
  const Scalar zero(0);
  Input real_parts[] = {second, previous, v};
  array real = elementwise(Op::select, real_parts);
  Input of_second[] = {second, opposite, zero};
  array rest = elementwise(Op::select, of_second);
  Input imaginary_parts[] = {first, next, rest};
  array imag = elementwise(Op::select, imaginary_parts);
  Input parts[] = {real, imag};
  return elementwise_as(Op::make_complex, parts, v.dtype(), complex_type(v.dtype()));
}

// Zeros in place of matrices with elements that are not finite, and for each whether it is one.
struct Finite {
  array matrices, others;
};
Finite only_finite(const array& a) {
  const array others = logical_not(all(isfinite(a), Axes{-2, -1}));
  const array wide = others.reshape(joined(stack_of(a), {1, 1}));
  const Scalar zero(0);
  Input inputs[] = {wide, zero, a};
  return {elementwise(Op::select, inputs), others};
}

Eigen general_eigen(const array& a, bool vectors) {
  check_square(a);
  const Call call(a.device(), result_type(a));
  if (a.size() == 0) {
    return {full(joined(stack_of(a), {a.shape(-1)}), 0, call.result(), call.device()),
            full(a.shape(), 0, call.result(), call.device())};
  }
  // LAPACK might not come back from infinities.
  constexpr const char* not_finite = "Array must not contain infs or NaNs";
  std::optional<Finite> finite;
  if (Call::looks()) {
    if (!all(isfinite(a)).item<bool>()) throw linalg_error(not_finite);
  } else {
    finite = only_finite(a);
    call.outcome(finite->others, not_finite);
  }
  auto found = factorisation::eig(call.by_columns(finite ? finite->matrices : a));
  if (!vectors) found.vectors = array();  // not computed
  const array status = finite ? logical_or(finite->others, found.status) : found.status;
  const Outcome outcome = call.outcome(status, not_converged);
  const array &w = found.w, &v = found.vectors;
  const bool of_real = !is_complex(call.result());
  if (of_real && Call::looks() && !any(elementwise(Op::imag, {w})).item<bool>()) {
    array values = in_rows(elementwise(Op::real, {w}), call.result());
    return {values, vectors ? call.finished(v) : values};
  }
  const Dtype result = complex_type(call.result());
  array values = outcome.of(in_rows(w, result), 1);
  if (!vectors) return {values, values};
  return {values, outcome.of(in_rows(swapped(of_real ? paired(v, w) : v), result), 2)};
}

// Of the symmetrised matrices. With P = v^H da v and F[i, j] = 1 / (w[j] - w[i]): dw is the
// diagonal of P, and dv = v (F * P).
const graph::Derivative derivative_of_eigh = {
    0, 0b11, [](graph::Pullback& step) {
      const array w = step.output(0), v = step.output(1);
      std::optional<array> inner;
      if (const auto g = step.cotangent(0)) inner = with_diagonal(*g);
      if (const auto g = adjoint_cotangent(step, 1)) {
        const array turned = inverse_differences(w) * blas_product(adjoint(v), *g);
        inner = inner ? *inner + turned : turned;
      }
      const array sum = blas_product(blas_product(v, typed(*inner, v.dtype())), adjoint(v));
      step.give(0, conjugated(symmetrised(sum)));
    }};
constexpr Primitive hermitian = step_with("eigh", derivative_of_eigh);

// What of the cotangents of eigenvectors belongs to changes that leave their length, and the
// direction of the largest component, which LAPACK makes real.
array without_scale(const array& v, const array& g) {
  const array along = sum(conjugated(g) * v, Reduction{.axis = -2, .keepdims = true});
  if (!is_complex(v.dtype())) return g - v * along;
  const array is_real = elementwise(Op::imag, {v}) == 0;
  const array weight = absolute(v) * where(is_real, Scalar(2), Scalar(1));
  const array place = index_along(v.shape(), v.ndim() - 2, v.device());
  const array largest = place == argmax(weight, Reduction{.axis = -2, .keepdims = true});
  const array length = elementwise(Op::real, {along}), phase = elementwise(Op::imag, {along});
  const array turned = phase * Scalar(std::complex<double>(0, 1)) / conjugate(v);
  return g - v * length + where(largest, turned, Scalar(0));
}

// With P = v^-1 da v as that of Hermitian matrices.
const graph::Derivative derivative_of_eig = {
    0, 0b11, [](graph::Pullback& step) {
      const FailureScope scope(Failures::ignore);
      const array w = step.output(0), v = step.output(1);
      std::optional<array> inner;
      if (const auto g = adjoint_cotangent(step, 0)) inner = with_diagonal(*g);
      if (const auto g = adjoint_cotangent(step, 1)) {
        const array turned =
            conjugated(inverse_differences(w)) * blas_product(adjoint(v), without_scale(v, *g));
        inner = inner ? *inner + turned : turned;
      }
      step.give(0, conjugated(solve(adjoint(v), blas_product(*inner, adjoint(v)))));
    }};
constexpr Primitive general = step_with("eig", derivative_of_eig);

template <class Routine>
Eigen derived_eigen(const Primitive& primitive, const array& a, const Routine& routine) {
  const auto made = as_step(primitive, {typed(a, result_type(a))}, [&] {
    const Eigen found = routine();
    return std::vector{found.eigenvalues, found.eigenvectors};
  });
  return {made[0], made[1]};
}

}  // namespace

Eigen eigh(const array& a, bool upper) {
  if (!differentiated() || a.size() == 0) return hermitian_eigen(a, upper, true);
  return derived_eigen(hermitian, a, [&] { return hermitian_eigen(a, upper, true); });
}
array eigvalsh(const array& a, bool upper) {
  if (differentiated()) return eigh(a, upper).eigenvalues;
  return hermitian_eigen(a, upper, false).eigenvalues;
}
Eigen eig(const array& a) {
  if (!differentiated() || a.size() == 0) return general_eigen(a, true);
  return derived_eigen(general, a, [&] { return general_eigen(a, true); });
}
array eigvals(const array& a) {
  return differentiated() ? eig(a).eigenvalues : general_eigen(a, false).eigenvalues;
}

}  // namespace heddle::linalg
