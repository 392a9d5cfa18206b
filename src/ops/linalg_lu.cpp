// Triangles of linalg: the factorisation to two of them, and equations with one.
#include <algorithm>

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
#include <heddle/ufuncs.h>

namespace heddle::linalg {

LU lu(const array& a) {
  check_matrices(a);
  const Call call(a.device(), result_type(a));
  const auto shorter = std::min(a.shape(-2), a.shape(-1));
  if (a.size() == 0) {
    return {full(a.shape(), 0, call.result(), call.device()),
            full(joined(stack_of(a), {shorter}), 0, Dtype::int64, call.device())};
  }
  const auto found = factorisation::lu(call.by_columns(a));
  return {call.finished(found.factors), cast(found.pivots, Dtype::int64) - 1};
}

namespace {

// Operands: the matrices and as many right sides. Of the matrices only the triangle has a part.
struct Shape final : Parameters {
  Shape(bool is_lower, bool is_unit) : lower(is_lower), unit(is_unit) {}
  bool lower, unit;
  void write_key(std::vector<std::uint64_t>& key) const override {
    key.push_back(static_cast<std::uint64_t>(lower) | static_cast<std::uint64_t>(unit) << 1);
  }
};

const graph::Derivative derivative_of_triangular = {
    0b01, 0b1, [](graph::Pullback& step) {
      const auto& shape = step.node().parameters_as<Shape>();
      const array a = step.operand(0);
      const array right =
          solve_triangular(swapped(a), *step.cotangent(0), !shape.lower, shape.unit);
      step.give(1, right);
      if (!step.wants(0)) return;
      const array whole = -blas_product(right, swapped(step.output()));
      const int inside = shape.unit ? 1 : 0;
      step.give(0, shape.lower ? tril(whole, -inside) : triu(whole, inside));
    }};
// Whether a step may read the elements one after the other from the beginning of their memory.
bool lies_ready(const array& a, Dtype dtype) {
  return a.dtype() == dtype && a.storage().value()->dtype == dtype && a.layout().offset == 0 &&
         is_c_contiguous(a.layout());
}

constexpr Primitive triangular_solution = step_with("solve_triangular", derivative_of_triangular);

}  // namespace

array solve_triangular(const array& a, const array& b, bool lower, bool unit) {
  check_square(a);
  const Dtype result = result_type(a, b);
  const auto n = a.shape(-1);
  if (b.ndim() < 2 || b.shape(-2) != n) {
    throw value_error(fmt::format("solve_triangular: shapes {} and {} do not match",
                                  to_string(a.shape()), to_string(b.shape())));
  }
  const auto columns = b.shape(-1);
  Input both[] = {a, b};
  const Call call(common_device("solve_triangular", both), result);
  array left = on_device("solve_triangular", a, call.device());
  array right = on_device("solve_triangular", b, call.device());
  const Dims stack = broadcast_shapes("solve_triangular", stack_of(left), stack_of(right));
  const Dims shape = joined(stack, {n, columns});
  if (size_of(shape) == 0) return full(shape, 0, result, call.device());
  left = left.broadcast_to(joined(stack, {n, n}));
  right = right.broadcast_to(shape);
  if (differentiated()) {
    return as_step(
        triangular_solution, {typed(left, result), typed(right, result)},
        [&] { return std::vector{solve_triangular(left, right, lower, unit)}; },
        std::make_shared<Shape>(lower, unit))[0];
  }
  // What lies in memory already, by rows or by columns, is read where it is.
  const bool turned = !lies_ready(left, call.dtype()) && lies_ready(swapped(left), call.dtype());
  if (turned) left = swapped(left);
  if (!lies_ready(left, call.dtype())) left = call.by_rows(left);
  const array x = factorisation::triangular(
      left, call.by_rows(right), lower ? Triangle::lower : Triangle::upper, unit, turned);
  return in_rows(x, result);
}

}  // namespace heddle::linalg
