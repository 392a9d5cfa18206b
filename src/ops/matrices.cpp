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

namespace {

// Which elements are at or below the k-th diagonal.
array below(const array& a, std::int64_t k) {
  const auto columns = a.shape(-1);
  const Dims shape{a.ndim() > 1 ? a.shape(-2) : columns, columns};
  k = std::clamp(k, -shape[0], shape[1]);  // farther away nothing changes
  array row = index_along(shape, 0, a.device());
  if (k != 0) row = elementwise(Op::add, {row, Scalar(k)});
  return greater_equal(row, index_along(shape, 1, a.device()));
}

}  // namespace

array lower_triangle(const array& a, std::int64_t k) {
  return elementwise(Op::select, {below(a, k), a, Scalar(false)});
}

array upper_triangle(const array& a, std::int64_t k) {
  return elementwise(Op::select, {below(a, k - 1), Scalar(false), a});
}

array diagonal(const array& a, std::int64_t offset, std::int64_t axis1, std::int64_t axis2) {
  axis1 = normalize_axis("diagonal", axis1, a.ndim());
  axis2 = normalize_axis("diagonal", axis2, a.ndim());
  const Layout& from = a.layout();
  Layout layout{{}, {}, from.offset};
  for (std::int64_t d = 0; d < a.ndim(); ++d) {
    if (d == axis1 || d == axis2) continue;
    layout.shape.push_back(from.shape[d]);
    layout.strides.push_back(from.strides[d]);
  }
  const auto rows = from.shape[axis1], columns = from.shape[axis2];
  const auto count =
      offset >= 0 ? std::min(rows, columns - offset) : std::min(rows + offset, columns);
  layout.shape.push_back(std::max<std::int64_t>(count, 0));
  layout.strides.push_back(from.strides[axis1] + from.strides[axis2]);
  if (size_of(layout.shape) != 0) {
    layout.offset += offset >= 0 ? offset * from.strides[axis2] : -offset * from.strides[axis1];
  }
  return a.view_as(layout, a.dtype());
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
