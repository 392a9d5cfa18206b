// Norms of vectors and matrices, condition numbers, ranks, and powers and chains of matrices.
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include <fmt/format.h>

#include "ops/compose.h"
#include "ops/creation.h"
#include "ops/matrices.h"
#include <heddle/creation.h>
#include <heddle/errors.h>
#include <heddle/indexing.h>
#include <heddle/linalg.h>
#include <heddle/ufuncs.h>

namespace heddle::linalg {

namespace {

array squares(const array& x) {
  if (!is_complex(x.dtype())) return square(x);
  return square(real(x)) + square(imag(x));
}

array as_inexact(const array& x) { return as_type(x, inexact_type(x.dtype())); }

bool is_empty(const array& x, const Axes& axis) {
  const auto& axes = axis.list();
  if (!axes) return x.size() == 0;
  return std::ranges::any_of(*axes, [&](auto d) { return x.shape(d) == 0; });
}

// The largest, or zero where there is nothing.
array largest(const array& x, const Axes& axis, bool keepdims) {
  if (!is_empty(x, axis)) return max(x, Reduction{.axis = axis, .keepdims = keepdims});
  return sum(x, Reduction{.axis = axis, .keepdims = keepdims, .dtype = x.dtype()});
}

}  // namespace

array norm(const array& given, bool keepdims) {
  const array x = as_inexact(given);
  const bool plain = x.dtype() == Dtype::float32 || x.dtype() == Dtype::float64;
  if (!keepdims && plain && is_c_contiguous(x.layout())) return length_of(vdot(x, x));
  return length_of(sum(squares(x), {.keepdims = keepdims}));
}

array vector_norm(const array& given, double p, const Axes& axis, bool keepdims) {
  const array x = as_inexact(given);
  const Reduction how{.axis = axis, .keepdims = keepdims};
  if (p == 2) return length_of(sum(squares(x), how));
  if (p == 0) return sum(as_type(x != 0, real_type(x.dtype())), how);
  const array size = absolute(x);
  if (p == 1) return sum(size, how);
  if (std::isinf(p)) return p > 0 ? largest(size, axis, keepdims) : min(size, how);
  // A whole number is one, as users write it: those have powers of their own.
  const Scalar exponent = p == std::floor(p) ? Scalar(static_cast<std::int64_t>(p)) : Scalar(p);
  const array total = sum(power(size, exponent), how);
  return as_type(power(total, reciprocal(array(p, total.dtype()))), total.dtype());
}

namespace {

array norm_of_matrices(const array& x, MatrixNorm order) {
  switch (order) {
    case MatrixNorm::two:
      return largest(svdvals(x), -1, false);
    case MatrixNorm::smallest_two:
      return min(svdvals(x), -1);
    case MatrixNorm::nuclear:
      return sum(svdvals(x), -1);
    case MatrixNorm::frobenius:
      return length_of(sum(squares(x), Axes{-2, -1}));
    default:
      break;
  }
  const bool of_columns = order == MatrixNorm::one || order == MatrixNorm::smallest_one;
  const array sums = sum(absolute(x), of_columns ? -2 : -1);
  const bool most = order == MatrixNorm::one || order == MatrixNorm::infinite;
  return most ? largest(sums, -1, false) : min(sums, -1);
}

}  // namespace

array matrix_norm(const array& given, MatrixNorm order, std::int64_t rows, std::int64_t columns,
                  bool keepdims) {
  const array x = as_inexact(given);
  rows = normalize_axis("norm", rows, x.ndim());
  columns = normalize_axis("norm", columns, x.ndim());
  if (rows == columns) throw value_error("Duplicate axes given.");
  const bool at_end = rows == x.ndim() - 2 && columns == x.ndim() - 1;
  const array result =
      norm_of_matrices(at_end ? x : moveaxis(x, Dims{rows, columns}, Dims{-2, -1}), order);
  return keepdims ? expand_dims(result, Axes{rows, columns}) : result;
}

array cond(const array& x, MatrixNorm order) {
  check_matrices(x);
  if (x.shape(-1) * x.shape(-2) == 0) throw linalg_error("cond is not defined on empty arrays");
  array ratio = x;
  if (order == MatrixNorm::two || order == MatrixNorm::smallest_two) {
    const array s = svdvals(x);
    const array first = squeeze(s.slice(-1, Slice{0, 1}), -1);
    const array last = squeeze(s.slice(-1, Slice{-1, {}}), -1);
    ratio = order == MatrixNorm::two ? first / last : last / first;
  } else {
    const array inverse = inv_or_nan(x);
    ratio =
        as_type(matrix_norm(x, order) * matrix_norm(inverse, order), real_type(inverse.dtype()));
  }
  const array given_nan = any(isnan(x), Axes{-2, -1});
  const Scalar infinity(std::numeric_limits<double>::infinity());
  return where(logical_and(isnan(ratio), logical_not(given_nan)), array(infinity, ratio.dtype()),
               ratio);
}

array matrix_rank(const array& a, const std::optional<array>& tolerance, bool hermitian) {
  if (a.ndim() < 2) return as_type(logical_not(all(a == 0)), Dtype::int64);
  const array values = hermitian ? absolute(eigvalsh(a)) : svdvals(a);
  if (tolerance) return count_nonzero(values > expand_dims(*tolerance, -1), -1);
  const double precision = values.dtype() == Dtype::float32
                               ? std::numeric_limits<float>::epsilon()
                               : std::numeric_limits<double>::epsilon();
  const auto side = static_cast<double>(std::max(a.shape(-1), a.shape(-2)));
  return count_nonzero(values > largest(values, -1, true) * (side * precision), -1);
}

// --- powers and chains ---

array matrix_power(const array& given, std::int64_t n) {
  check_square(given);
  if (n == 0) {
    const array one = eye(given.shape(-1), std::nullopt, 0, given.dtype());
    return dense(to_device(one, given.device()).broadcast_to(given.shape()), given.dtype());
  }
  array base = n < 0 ? inv(given) : given;
  auto left = n < 0 ? -n : n;
  if (left == 3) return matmul(matmul(base, base), base);  // one product less than by squares
  std::optional<array> result;
  for (;; base = matmul(base, base)) {
    if (left & 1) result = result ? matmul(*result, base) : base;
    left >>= 1;
    if (left == 0) return *result;
  }
}

namespace {

// After which matrix to split each product of matrices i to j, so that the work is least. Matrix i
// has sizes[i] rows and sizes[i + 1] columns.
std::map<std::pair<std::int64_t, std::int64_t>, std::int64_t> best_splits(const Dims& sizes) {
  const auto count = sizes.size() - 1;
  std::map<std::pair<std::int64_t, std::int64_t>, double> cost;
  std::map<std::pair<std::int64_t, std::int64_t>, std::int64_t> splits;
  for (std::int64_t length = 1; length < count; ++length) {
    for (std::int64_t i = 0; i < count - length; ++i) {
      const auto j = i + length;
      double least = std::numeric_limits<double>::infinity();
      for (auto k = i; k < j; ++k) {
        const double work = cost[{i, k}] + cost[{k + 1, j}] +
                            static_cast<double>(sizes[i]) * static_cast<double>(sizes[k + 1]) *
                                static_cast<double>(sizes[j + 1]);
        if (work >= least) continue;
        least = work;
        splits[{i, j}] = k;
      }
      cost[{i, j}] = least;
    }
  }
  return splits;
}

}  // namespace

array multi_dot(const std::vector<array>& arrays) {
  if (arrays.size() < 2) throw value_error("Expecting at least two arrays.");
  if (arrays.size() == 2) return dot(arrays[0], arrays[1]);
  const auto count = static_cast<std::int64_t>(arrays.size());
  Dims sizes;
  for (std::int64_t i = 0; i < count; ++i) {
    const array& a = arrays[static_cast<std::size_t>(i)];
    const bool vector = a.ndim() == 1 && (i == 0 || i == count - 1);
    if (a.ndim() != 2 && !vector) {
      throw linalg_error(
          fmt::format("{}-dimensional array given. Array must be two-dimensional", a.ndim()));
    }
    if (i == 0) sizes.push_back(vector ? 1 : a.shape(0));
    sizes.push_back(vector && i > 0 ? 1 : a.shape(-1));
  }
  const auto splits = best_splits(sizes);
  auto product = [&](auto& self, std::int64_t i, std::int64_t j) -> array {
    if (i == j) return arrays[static_cast<std::size_t>(i)];
    const auto k = splits.at({i, j});
    return dot(self(self, i, k), self(self, k + 1, j));
  };
  return product(product, 0, count - 1);
}

// --- tensors ---

array tensorsolve(const array& given, const array& b, const Dims& axes) {
  array a = given;
  if (!axes.empty()) {
    Dims order;
    for (std::int64_t d = 0; d < a.ndim(); ++d) {
      if (std::ranges::find(axes, d) == axes.end()) order.push_back(d);
    }
    for (auto axis : axes) order.push_back(axis);
    a = a.transpose(order);
  }
  Dims shape;
  for (auto d = b.ndim(); d < a.ndim(); ++d) shape.push_back(a.shape()[d]);
  const auto size = size_of(shape);
  if (a.size() != size * size) {
    throw linalg_error(
        "Input arrays must satisfy the requirement prod(a.shape[b.ndim:]) == "
        "prod(a.shape[:b.ndim])");
  }
  return solve(a.reshape({size, size}), ravel(b)).reshape(shape);
}

array tensorinv(const array& a, std::int64_t axes) {
  if (axes <= 0) throw value_error("Invalid ind argument.");
  Dims first, last;
  for (std::int64_t d = 0; d < a.ndim(); ++d) (d < axes ? first : last).push_back(a.shape()[d]);
  Dims shape = last;
  for (auto extent : first) shape.push_back(extent);
  return inv(a.reshape({size_of(last), -1})).reshape(shape);
}

}  // namespace heddle::linalg
