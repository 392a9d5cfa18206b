// NumPy's linalg on the solvers of a device. Matrices go there by columns, which is how LAPACK
// reads them, in a copy that is made for it; converting the type is part of that copy.
#include "runtime/solvers.h"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "core/storage.h"
#include "graph/look.h"
#include "ops/creation.h"
#include "ops/elementwise.h"
#include "ops/linear.h"
#include "ops/placement.h"
#include "ops/scaling.h"
#include "ops/write.h"
#include "runtime/device.h"
#include <heddle/errors.h>
#include <heddle/linalg.h>
#include <heddle/manipulation.h>
#include <heddle/reductions.h>
#include <heddle/ufuncs.h>

namespace heddle::linalg {

namespace {

array swapped(const array& a) { return swapaxes(a, -1, -2); }

Dims stack_of(const array& a) {
  Dims stack = a.shape();
  stack.resize(a.ndim() - 2);
  return stack;
}

Dims joined(Dims shape, std::initializer_list<std::int64_t> more) {
  for (auto extent : more) shape.push_back(extent);
  return shape;
}

// In C order and of a type; itself where it is.
array in_rows(const array& a, Dtype dtype) {
  return a.dtype() == dtype && is_c_contiguous(a.layout()) ? a : dense(a, dtype);
}

void check_matrices(const array& a) {
  if (a.ndim() >= 2) return;
  throw linalg_error(
      fmt::format("{}-dimensional array given. Array must be at least two-dimensional", a.ndim()));
}

void check_square(const array& a) {
  check_matrices(a);
  if (a.shape(-1) == a.shape(-2)) return;
  throw linalg_error("Last 2 dimensions of the array must be square");
}

// What one call needs: where it runs, in which type, and what became of each matrix.
class Call {
 public:
  // For results of the type `result`.
  Call(Device& device, Dtype result)
      : device_(device), solvers_(device.solvers()), result_(result) {}

  Device& device() const { return device_; }
  Solvers& operator*() const { return solvers_; }
  Solvers* operator->() const { return &solvers_; }
  Dtype dtype() const { return solvers_.computes_in(result_); }
  Dtype result() const { return result_; }
  Dtype real_result() const { return real_type(result_); }

  // A copy of the matrices that a solver may overwrite, in C order.
  array by_rows(const array& a) const {
    array copy = dense(a, dtype());
    pin(copy);
    return copy;
  }
  // The same by columns: an array of the transposed matrices.
  array by_columns(const array& a) const { return by_rows(swapped(a)); }
  array room(const Dims& shape, Dtype dtype) const { return empty(shape, dtype, device_); }
  array room(const Dims& shape) const { return room(shape, dtype()); }

  Batch batch(std::int64_t count) {
    status_ = room({count}, Dtype::int32);
    return {dtype(), count, &memory_of(status_)};
  }
  static Buffer& memory_of(const array& a) { return look(*a.storage().value()); }
  const array& status() const { return status_; }
  // Throws linalg_error if anything went wrong.
  void check(const char* message) const {
    for (auto one : status_.to_vector<std::int32_t>()) {
      if (one != 0) throw linalg_error(message);
    }
  }
  // The same where a solver may leave nan in `values` and not say so; one look at the device.
  void check(const char* message, const array& values) const {
    if (solvers_.reports_nan()) return check(message);
    if (logical_or(any(status_), any(isnan(values))).item<bool>()) throw linalg_error(message);
  }
  // For matrices of any magnitude.
  Scaling scaling_of(const array& a) const {
    return solvers_.takes_any_magnitude() ? Scaling() : Scaling(a);
  }
  // The same where only batched solvers do harm.
  Scaling scaling_of_batch(const array& a) const {
    return a.size() > 0 && size_of(stack_of(a)) > 1 ? scaling_of(a) : Scaling();
  }
  // And where those do that compare complex pivots.
  Scaling scaling_of_pivots(const array& a) const {
    return is_complex(dtype()) ? scaling_of_batch(a) : Scaling();
  }
  // What a solver left by columns, as users get it.
  array finished(const array& columns) const { return in_rows(swapped(columns), result_); }

 private:
  Device& device_;
  Solvers& solvers_;
  Dtype result_;
  array status_;
};

Buffer& memory_of(const array& a) { return Call::memory_of(a); }

// Ones on the diagonal.
array identity(const Dims& shape, Dtype dtype, Device& device) {
  auto d = static_cast<std::int64_t>(shape.size());
  array row = index_along(shape, d - 2, device), column = index_along(shape, d - 1, device);
  return dense(equal(row, column), dtype);
}

// The elements of one triangle with the diagonal; zeros elsewhere.
array triangle_of(const array& a, Triangle triangle) {
  auto d = a.ndim();
  array row = index_along(a.shape(), d - 2, a.device());
  array column = index_along(a.shape(), d - 1, a.device());
  array inside = triangle == Triangle::lower ? greater_equal(row, column) : less_equal(row, column);
  const Scalar zero(0);
  Input inputs[] = {inside, a, zero};
  return elementwise(Op::select, inputs);
}

array diagonal_of(const array& a) {
  Layout layout = a.layout();
  auto n = a.shape(-1);
  auto step = layout.strides[a.ndim() - 1] + layout.strides[a.ndim() - 2];
  layout.shape.pop_back();
  layout.strides.pop_back();
  layout.shape.back() = n;
  layout.strides.back() = step;
  return a.view_as(layout, a.dtype());
}

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
  Call call(common_device("solve", both), result);
  array left = on_device("solve", a, call.device());
  right = on_device("solve", right, call.device());
  const Dims stack = broadcast_shapes("solve", stack_of(left), stack_of(right));
  const Dims shape = vector ? joined(stack, {n}) : joined(stack, {n, columns});
  const auto count = size_of(stack);
  if (count == 0 || n == 0) return full(shape, 0, result, call.device());
  // One matrix for many right sides: they are the columns of one matrix.
  const bool shared = left.size() == n * n;
  array x = call.by_columns(right.broadcast_to(joined(stack, {n, columns})));
  if (!shared) left = left.broadcast_to(joined(stack, {n, n}));
  const Scaling scaling = call.scaling_of_pivots(left);
  array matrices = call.by_columns(scaling.apply(left));
  call->solve(call.batch(shared ? 1 : count), n, shared ? count * columns : columns,
              memory_of(matrices), memory_of(x));
  call.check("Singular matrix");
  return scaling.apply(call.finished(x)).reshape(shape);
}

namespace {

array inverse(const array& a, bool nan_for_singular) {
  check_square(a);
  Call call(a.device(), result_type(a));
  if (a.size() == 0) return full(a.shape(), 0, call.result(), call.device());
  const auto n = a.shape(-1);
  const Scaling scaling = call.scaling_of_pivots(a);
  array matrices = call.by_columns(scaling.apply(a));
  array x = identity(matrices.shape(), call.dtype(), call.device());
  pin(x);
  call->solve(call.batch(size_of(stack_of(a))), n, n, memory_of(matrices), memory_of(x));
  if (!nan_for_singular) {
    call.check("Singular matrix");
    return scaling.apply(call.finished(x));
  }
  array singular = not_equal(call.status(), 0).reshape(joined(stack_of(a), {1, 1}));
  const Scalar nan(std::numeric_limits<double>::quiet_NaN());
  array inverses = scaling.apply(call.finished(x));
  Input inputs[] = {singular, nan, inverses};
  return elementwise(Op::select, inputs);
}

}  // namespace

array inv(const array& a) { return inverse(a, false); }
array inv_or_nan(const array& a) { return inverse(a, true); }

namespace {

// Those of a single matrix are scalars.
Slogdet as_results(Slogdet made) {
  for (const array& one : {made.sign, made.logabsdet}) one.storage().snapshot = one.ndim() == 0;
  return made;
}

// In the type that was computed in.
Slogdet determinants(Call& call, const array& a) {
  const auto n = a.shape(-1);
  const Dims stack = stack_of(a);
  if (a.size() == 0) {
    return as_results({full(stack, 1, call.dtype(), call.device()),
                       full(stack, 0, real_type(call.dtype()), call.device())});
  }
  // Pivots may step around nan.
  array given = call->reports_nan() ? array() : any(isnan(a), Axes{-2, -1});
  array matrices = call.by_columns(a);
  Slogdet found{call.room(stack), call.room(stack, real_type(call.dtype()))};
  if (call->determinants(call.batch(size_of(stack)), n, memory_of(matrices), memory_of(found.sign),
                         memory_of(found.logabsdet))) {
    return as_results(found);
  }
  array pivots = call.room(joined(stack, {n}), Dtype::int64);
  const Dtype kind =
      call->lu(call.batch(size_of(stack)), n, memory_of(matrices), memory_of(pivots));
  array rows = pivots.view_as(contiguous_layout(pivots.shape()), kind);
  array diagonal = diagonal_of(matrices);
  // Every row that changed its place changes the sign; a zero on the diagonal makes it zero.
  array place = index_along(rows.shape(), rows.ndim() - 1, call.device());
  array flips = subtract(1, multiply(2, cast(not_equal(rows, add(place, 1)), Dtype::int8)));
  Slogdet made{prod(multiply(sign(diagonal), flips), -1), sum(log(absolute(diagonal)), -1)};
  if (call->reports_nan()) return made;
  const Scalar nan(std::numeric_limits<double>::quiet_NaN());
  Input of_sign[] = {given, nan, made.sign}, of_logarithm[] = {given, nan, made.logabsdet};
  return {elementwise(Op::select, of_sign), elementwise(Op::select, of_logarithm)};
}

}  // namespace

Slogdet slogdet(const array& a) {
  check_square(a);
  Call call(a.device(), result_type(a));
  auto [sign, logabsdet] = determinants(call, a);
  return {in_rows(sign, call.result()), in_rows(logabsdet, call.real_result())};
}

array det(const array& a) {
  check_square(a);
  Call call(a.device(), result_type(a));
  auto [sign, logabsdet] = determinants(call, a);
  return in_rows(multiply(sign, exp(logabsdet)), call.result());
}

array cholesky(const array& a, bool upper) {
  check_square(a);
  Call call(a.device(), result_type(a));
  if (a.size() == 0) return full(a.shape(), 0, call.result(), call.device());
  // Read by columns, rows are the transposed matrix, and its other triangle; the transposed factor
  // of that is what is wanted.
  const bool by_columns = !upper && call->factors_lower_faster();
  array matrices = by_columns ? call.by_columns(a) : call.by_rows(a);
  call->cholesky(call.batch(size_of(stack_of(a))), a.shape(-1),
                 upper || by_columns ? Triangle::lower : Triangle::upper, memory_of(matrices));
  call.check("Matrix is not positive definite");
  const array factor = by_columns ? swapped(matrices) : matrices;
  return in_rows(triangle_of(factor, upper ? Triangle::upper : Triangle::lower), call.result());
}

namespace {

// By columns.
struct Factors {
  array matrices;  // reflectors, and R scaled
  array tau;
  Scaling scaling;
};

Factors factored(Call& call, const array& a, const Scaling& scaling) {
  const auto rows = a.shape(-2), columns = a.shape(-1);
  Factors made{call.by_columns(scaling.apply(a)),
               call.room(joined(stack_of(a), {std::min(rows, columns)})), scaling};
  if (a.size() == 0) return made;
  call->qr(call.batch(size_of(stack_of(a))), rows, columns, memory_of(made.matrices),
           memory_of(made.tau));
  return made;
}
Factors factored(Call& call, const array& a) { return factored(call, a, call.scaling_of_batch(a)); }

void check_factored(const Call& call) {
  call.check("Incorrect argument found while performing QR factorization");
}

array upper_of(const Call& call, const Factors& factors, std::int64_t rows) {
  const array r = swapped(factors.matrices.slice(-1, {.stop = rows}));
  return in_rows(factors.scaling.undo(triangle_of(r, Triangle::upper)), call.result());
}

}  // namespace

QR qr_raw(const array& a) {
  check_matrices(a);
  Call call(a.device(), result_type(a));
  const Factors made = factored(call, a, Scaling());
  check_factored(call);
  return {in_rows(made.matrices, call.result()), in_rows(made.tau, call.result())};
}

array qr_r(const array& a) {
  check_matrices(a);
  Call call(a.device(), result_type(a));
  const Factors factors = factored(call, a);
  check_factored(call);
  return upper_of(call, factors, std::min(a.shape(-2), a.shape(-1)));
}

QR qr(const array& a, bool complete) {
  check_matrices(a);
  Call call(a.device(), result_type(a));
  const auto rows = a.shape(-2), columns = a.shape(-1), shorter = std::min(rows, columns);
  const Dims stack = stack_of(a);
  const auto wanted = complete ? rows : shorter;
  const Factors made = factored(call, a);
  array r = upper_of(call, made, wanted);
  const Dims shape = joined(stack, {wanted, rows});
  if (size_of(stack) == 0 || wanted == 0) {
    return {full(joined(stack, {rows, wanted}), 0, call.result(), call.device()), r};
  }
  if (shorter == 0) return {dense(identity(shape, call.dtype(), call.device()), call.result()), r};
  array q = made.matrices;
  if (wanted == columns) {
    r.eval();  // Q takes its place
  } else {
    q = call.room(shape);
    write(q.slice(-2, {.stop = shorter}), made.matrices.slice(-2, {.stop = shorter}));
    pin(q);
  }
  call->form_q(call.batch(size_of(stack)), rows, wanted, shorter, memory_of(q),
               memory_of(made.tau));
  check_factored(call);
  return {call.finished(q), r};
}

namespace {

SVD decomposed(const array& a, bool vectors, bool full_matrices) {
  check_matrices(a);
  Call call(a.device(), result_type(a));
  const Dims stack = stack_of(a);
  auto rows = a.shape(-2), columns = a.shape(-1);
  const auto shorter = std::min(rows, columns);
  const auto u_columns = full_matrices ? rows : shorter;
  const auto vh_rows = full_matrices ? columns : shorter;
  if (a.size() == 0) {
    Dims left = joined(stack, {rows, u_columns}), right = joined(stack, {vh_rows, columns});
    array s = full(joined(stack, {shorter}), 0, call.real_result(), call.device());
    if (!vectors) return {s, s, s};
    return {dense(identity(left, call.dtype(), call.device()), call.result()), s,
            dense(identity(right, call.dtype(), call.device()), call.result())};
  }
  // What is by rows is the transposed matrix by columns, and so is what comes back.
  const bool turned = rows < columns && call->tall_svd();
  const Scaling scaling = call.scaling_of(a);
  array matrices = turned ? call.by_rows(scaling.apply(a)) : call.by_columns(scaling.apply(a));
  array s = call.room(joined(stack, {shorter}), real_type(call.dtype()));
  array u, vh;
  if (vectors) {
    u = call.room(turned ? joined(stack, {vh_rows, columns}) : joined(stack, {u_columns, rows}));
    vh = call.room(turned ? joined(stack, {rows, u_columns}) : joined(stack, {columns, vh_rows}));
  }
  const auto right =
      call->svd(call.batch(size_of(stack)), turned ? columns : rows, turned ? rows : columns,
                memory_of(matrices), memory_of(s), vectors ? &memory_of(u) : nullptr,
                vectors ? &memory_of(vh) : nullptr, full_matrices);
  call.check("SVD did not converge", s);
  array values = in_rows(scaling.undo(s), call.real_result());
  if (!vectors) return {values, values, values};
  if (right == Solvers::Right::v) vh = swapped(conjugate(vh));
  if (turned) return {in_rows(vh, call.result()), values, in_rows(u, call.result())};
  return {call.finished(u), values, call.finished(vh)};
}

}  // namespace

SVD svd(const array& a, bool full_matrices) {
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
  if (a.ndim() >= 2 && a.size() > 0 && a.device().solvers().tall_svd()) {
    if (2 * a.shape(-2) >= 3 * a.shape(-1)) return decomposed(qr_r(a), false, false).s;
    if (2 * a.shape(-1) >= 3 * a.shape(-2)) return decomposed(qr_r(swapped(a)), false, false).s;
  }
  return decomposed(a, false, false).s;
}

namespace {

Eigen hermitian_eigen(const array& a, bool upper, bool vectors) {
  check_square(a);
  Call call(a.device(), result_type(a));
  const auto n = a.shape(-1);
  Dims values_shape = joined(stack_of(a), {n});
  if (a.size() == 0) {
    return {full(values_shape, 0, call.real_result(), call.device()),
            full(a.shape(), 0, call.result(), call.device())};
  }
  array matrices = call.by_columns(a);
  array w = call.room(values_shape, real_type(call.dtype()));
  call->eigh(call.batch(size_of(stack_of(a))), n, upper ? Triangle::upper : Triangle::lower,
             memory_of(matrices), memory_of(w), vectors);
  call.check("Eigenvalues did not converge", w);
  array values = in_rows(w, call.real_result());
  return {values, vectors ? call.finished(matrices) : values};
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

Eigen general_eigen(const array& a, bool vectors) {
  check_square(a);
  const Dtype result = result_type(a);
  if (!all(isfinite(a)).item<bool>()) {
    throw linalg_error("Array must not contain infs or NaNs");
  }
  Call call(a.device(), result);
  const auto n = a.shape(-1);
  Dims values_shape = joined(stack_of(a), {n});
  if (a.size() == 0) {
    return {full(values_shape, 0, result, call.device()),
            full(a.shape(), 0, result, call.device())};
  }
  const bool complex_matrices = is_complex(result);
  array matrices = call.by_columns(a);
  array w = call.room(values_shape, complex_type(call.dtype()));
  array v;
  if (vectors) v = call.room(a.shape());
  call->eig(call.batch(size_of(stack_of(a))), n, memory_of(matrices), memory_of(w),
            vectors ? &memory_of(v) : nullptr);
  call.check("Eigenvalues did not converge");
  if (!complex_matrices && !any(elementwise(Op::imag, {w})).item<bool>()) {
    array values = in_rows(elementwise(Op::real, {w}), result);
    return {values, vectors ? call.finished(v) : values};
  }
  array values = in_rows(w, complex_type(result));
  if (!vectors) return {values, values};
  if (!complex_matrices) v = paired(v, w);
  return {values, in_rows(swapped(v), complex_type(result))};
}

}  // namespace

Eigen eigh(const array& a, bool upper) { return hermitian_eigen(a, upper, true); }
array eigvalsh(const array& a, bool upper) { return hermitian_eigen(a, upper, false).eigenvalues; }
Eigen eig(const array& a) { return general_eigen(a, true); }
array eigvals(const array& a) { return general_eigen(a, false).eigenvalues; }

namespace {

array squared(const array& a) {
  if (!is_complex(a.dtype())) return square(a);
  return add(square(elementwise(Op::real, {a})), square(elementwise(Op::imag, {a})));
}

// On devices without a routine for it.
LeastSquares by_svd(const array& a, const array& b, double rcond) {
  SVD parts = svd(a, false);
  array large = greater(parts.s, multiply(rcond, max(parts.s)));
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

}  // namespace

LeastSquares lstsq(const array& a, const array& b, std::optional<double> cutoff) {
  const Dtype result = result_type(a, b);
  if (a.ndim() != 2 || b.ndim() != 2 || a.shape(0) != b.shape(0)) {
    throw linalg_error(fmt::format("lstsq: shapes {} and {} are not two matrices of equal height",
                                   to_string(a.shape()), to_string(b.shape())));
  }
  Input both[] = {a, b};
  Call call(common_device("lstsq", both), result);
  array left = on_device("lstsq", a, call.device()), right = on_device("lstsq", b, call.device());
  const auto rows = a.shape(0), columns = a.shape(1), sides = b.shape(1);
  const auto shorter = std::min(rows, columns), longer = std::max(rows, columns);
  const double epsilon = real_type(call.dtype()) == Dtype::float64
                             ? std::numeric_limits<double>::epsilon()
                             : std::numeric_limits<float>::epsilon();
  // As LAPACK reads it: without sense, it is the precision.
  double rcond = cutoff.value_or(epsilon * static_cast<double>(longer));
  if (rcond <= 0 || rcond >= 1) rcond = epsilon / 2;
  LeastSquares made;
  if (shorter == 0 || sides == 0) {
    made.x = full({columns, sides}, 0, result, call.device());
    made.residuals = sum(squared(right), 0);
    made.singular_values = shorter == 0 ? full({0}, 0, call.real_result(), call.device())
                                        : svdvals(cast(left, result));
    made.rank = shorter == 0 ? 0
                             : count_nonzero(greater(made.singular_values,
                                                     multiply(rcond, max(made.singular_values))))
                                   .item<std::int64_t>();
  } else {
    array matrix = call.by_columns(left);
    array x = call.room({sides, longer});
    write(x.slice(-1, {.stop = rows}), swapped(right));
    if (longer > rows)
      write(x.slice(-1, {.start = rows}), full({}, 0, call.dtype(), call.device()));
    pin(x);
    array s = call.room({shorter}, real_type(call.dtype()));
    array ranks = call.room({1}, Dtype::int64);
    if (call->least_squares(call.batch(1), rows, columns, sides, rcond, memory_of(matrix),
                            memory_of(x), memory_of(s), memory_of(ranks))) {
      call.check("SVD did not converge in Linear Least Squares");
      made.rank = ranks.item<std::int64_t>();
      made.x = call.finished(x.slice(-1, {.stop = columns}));
      made.residuals = sum(squared(x.slice(-1, {.start = columns})), -1);
      made.singular_values = s;
    } else {
      made = by_svd(cast(left, result), cast(right, result), rcond);
    }
  }
  if (made.rank != columns || rows <= columns) {
    made.residuals = full({0}, 0, call.real_result(), call.device());
  }
  made.residuals = in_rows(made.residuals, call.real_result());
  made.singular_values = in_rows(made.singular_values, call.real_result());
  return made;
}

}  // namespace heddle::linalg
