#include "ops/matrices.h"

#include <algorithm>

#include <fmt/format.h>

#include "ops/creation.h"
#include "ops/elementwise.h"
#include <heddle/errors.h>
#include <heddle/manipulation.h>
#include <heddle/ufuncs.h>

namespace heddle {

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

Dims stack_of(const array& a) {
  Dims stack = a.shape();
  stack.resize(a.ndim() - 2);
  return stack;
}

Dims joined(Dims shape, std::initializer_list<std::int64_t> more) {
  for (auto extent : more) shape.push_back(extent);
  return shape;
}

array swapped(const array& a) { return swapaxes(a, -1, -2); }

array in_rows(const array& a, Dtype dtype) {
  return a.dtype() == dtype && is_c_contiguous(a.layout()) ? a : dense(a, dtype);
}

array identity(const Dims& shape, Dtype dtype, Device& device) {
  auto d = static_cast<std::int64_t>(shape.size());
  array row = index_along(shape, d - 2, device), column = index_along(shape, d - 1, device);
  return dense(equal(row, column), dtype);
}

array triangle_of(const array& a, Triangle triangle) {
  auto d = a.ndim();
  array row = index_along(a.shape(), d - 2, a.device());
  array column = index_along(a.shape(), d - 1, a.device());
  array inside = triangle == Triangle::lower ? greater_equal(row, column) : less_equal(row, column);
  const Scalar zero(0);
  Input inputs[] = {inside, a, zero};
  return elementwise_as(Op::select, inputs, a.dtype(), a.dtype(), Order::c);
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

}  // namespace heddle
