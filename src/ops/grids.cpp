// Grids, triangles and diagonals: arrays and index arrays that follow from their positions.
#include <algorithm>

#include <fmt/format.h>

#include "ops/compose.h"
#include "ops/creation.h"
#include "ops/reduction.h"
#include "ops/reported.h"
#include "ops/write.h"
#include "runtime/device.h"
#include <heddle/creation.h>
#include <heddle/errors.h>
#include <heddle/index_routines.h>
#include <heddle/manipulation.h>
#include <heddle/ufuncs.h>

namespace heddle {

array ascontiguousarray(const array& a) {
  const array made = is_c_contiguous(a.layout()) ? a : dense(a, a.dtype());
  return atleast_1d(made);
}

array asfortranarray(const array& a) {
  return is_f_contiguous(a.layout()) ? a : dense(a.transpose(), a.dtype()).transpose();
}

array asarray_chkfinite(const array& a) {
  if (is_inexact(a.dtype()) && is_true_anywhere(logical_not(isfinite(a)))) {
    throw value_error("array must not contain infs or NaNs");
  }
  return a;
}

array indices(const Dims& shape, Dtype dtype) {
  Dims all = shape;
  all.insert(0, shape.size());
  array result = empty(all, dtype, default_device());
  for (std::int64_t d = 0; d < shape.size(); ++d) {
    write(result[d], index_along(shape, d, default_device()));
  }
  return result;
}

std::vector<array> sparse_indices(const Dims& shape, Dtype dtype) {
  std::vector<array> axes;
  for (std::int64_t d = 0; d < shape.size(); ++d) {
    Dims single(shape.size(), 1);
    single[d] = shape[d];
    axes.push_back(as_type(index_along(single, d, default_device()), dtype));
  }
  return axes;
}

// --- triangles ---

namespace {

// Which elements of a matrix are at or below the k-th diagonal.
array below(const Dims& shape, std::int64_t k, Device& device) {
  k = std::clamp(k, -shape[0], shape[1]);  // farther away nothing changes
  array row = index_along(shape, 0, device);
  if (k != 0) row = row + k;
  return row >= index_along(shape, 1, device);
}

array below(const array& a, std::int64_t k) {
  if (a.ndim() == 0) throw type_error("tri() missing 1 required positional argument: 'N'");
  const auto columns = a.shape(-1);  // a vector counts for a square of it
  return below({a.ndim() > 1 ? a.shape(-2) : columns, columns}, k, a.device());
}

}  // namespace

array tri(std::int64_t rows, std::optional<std::int64_t> columns, std::int64_t k, Dtype dtype) {
  return dense(below({rows, columns.value_or(rows)}, k, default_device()), dtype);
}

array tril(const array& a, std::int64_t k) { return where(below(a, k), a, Scalar(false)); }
array triu(const array& a, std::int64_t k) { return where(below(a, k - 1), Scalar(false), a); }

std::vector<array> tril_indices(std::int64_t rows, std::int64_t k,
                                std::optional<std::int64_t> columns) {
  return nonzero(below({rows, columns.value_or(rows)}, k, default_device()));
}

std::vector<array> triu_indices(std::int64_t rows, std::int64_t k,
                                std::optional<std::int64_t> columns) {
  return nonzero(logical_not(below({rows, columns.value_or(rows)}, k - 1, default_device())));
}

namespace {

void check_matrix(const array& a) {
  if (a.ndim() != 2) throw value_error("input array must be 2-d");
}

}  // namespace

std::vector<array> tril_indices_from(const array& a, std::int64_t k) {
  check_matrix(a);
  return tril_indices(a.shape(0), k, a.shape(1));
}

std::vector<array> triu_indices_from(const array& a, std::int64_t k) {
  check_matrix(a);
  return triu_indices(a.shape(0), k, a.shape(1));
}

// --- diagonals ---

array diagonal(const array& a, std::int64_t offset, std::int64_t axis1, std::int64_t axis2) {
  if (a.ndim() < 2) throw value_error("diag requires an array of at least two dimensions");
  axis1 = normalize_axis("diagonal", axis1, a.ndim());
  axis2 = normalize_axis("diagonal", axis2, a.ndim());
  if (axis1 == axis2) throw value_error("axis1 and axis2 cannot be the same");
  const Layout& from = a.layout();
  const auto rows = from.shape[axis1], columns = from.shape[axis2];
  offset = std::clamp(offset, -rows, columns);  // farther away there is nothing
  Layout layout{{}, {}, from.offset};
  for (std::int64_t d = 0; d < a.ndim(); ++d) {
    if (d == axis1 || d == axis2) continue;
    layout.shape.push_back(from.shape[d]);
    layout.strides.push_back(from.strides[d]);
  }
  const auto count =
      offset >= 0 ? std::min(rows, columns - offset) : std::min(rows + offset, columns);
  layout.shape.push_back(std::max<std::int64_t>(count, 0));
  layout.strides.push_back(from.strides[axis1] + from.strides[axis2]);
  if (size_of(layout.shape) != 0) {
    layout.offset += offset >= 0 ? offset * from.strides[axis2] : -offset * from.strides[axis1];
  }
  return a.view_as(layout, a.dtype());
}

array diag(const array& a, std::int64_t k) {
  if (a.ndim() == 2) return diagonal(a, k);
  if (a.ndim() != 1) throw value_error("Input must be 1- or 2-d.");
  std::int64_t extent = std::abs(k);
  if (__builtin_add_overflow(extent, a.size(), &extent)) throw_too_big();
  array result = full({extent, extent}, 0, a.dtype(), default_device());
  write(diagonal(result, k), a);
  return result;
}

array diagflat(const array& a, std::int64_t k) { return diag(ravel(a), k); }

std::vector<array> diag_indices(std::int64_t n, std::int64_t rank) {
  return {static_cast<std::size_t>(rank), arange(n)};
}

std::vector<array> diag_indices_from(const array& a) {
  if (a.ndim() < 2) throw value_error("input array must be at least 2-d");
  for (auto extent : a.shape()) {
    if (extent != a.shape(0)) {
      throw value_error("All dimensions of input must be of equal length");
    }
  }
  return diag_indices(a.shape(0), a.ndim());
}

array vander(const array& x, std::optional<std::int64_t> columns, bool increasing) {
  if (x.ndim() != 1) throw value_error("x must be a one-dimensional array or sequence.");
  const auto count = columns.value_or(x.size());
  const Dtype type = promote_types(x.dtype(), Dtype::int64);
  const array result = empty({x.size(), count}, type, x.device());
  const array ordered = increasing ? result : flip(result, 1);
  if (count > 0) write(ordered.slice(1, Slice{0, 1}), array(Scalar(1), type));
  if (count > 1) {
    const array rows = as_type(x, type).reshape({-1, 1}).broadcast_to({x.size(), count - 1});
    write(ordered.slice(1, Slice{1, {}}), scan(Op::multiply, rows, 1, type));
  }
  return result;
}

// --- windows ---

array as_strided(const array& a, const Dims& shape, const Dims& strides) {
  if (shape.size() != strides.size()) {
    throw value_error("mismatch in length of strides and shape");
  }
  return strided_view(a, {shape, strides, a.layout().offset});
}

array sliding_window_view(const array& a, const Dims& window, const std::optional<Dims>& given) {
  for (auto extent : window) {
    if (extent < 0) throw value_error("`window_shape` cannot contain negative values");
  }
  Dims axes;
  if (given) {
    for (auto axis : *given) axes.push_back(normalize_axis("sliding_window_view", axis, a.ndim()));
  } else {
    for (std::int64_t d = 0; d < a.ndim(); ++d) axes.push_back(d);
  }
  if (window.size() != axes.size()) {
    throw value_error(
        given ? fmt::format("Must provide matching length window_shape and axis; got {} "
                            "window_shape elements and {} axes elements.",
                            window.size(), axes.size())
              : fmt::format("Since axis is None, must provide window_shape for all dimensions of "
                            "`x`; got {} window_shape elements and `x.ndim` is {}.",
                            window.size(), a.ndim()));
  }
  Layout layout = a.layout();
  for (std::int64_t i = 0; i < axes.size(); ++i) {
    auto& extent = layout.shape[axes[i]];
    if (extent < window[i]) {
      throw value_error("window shape cannot be larger than input array shape");
    }
    extent -= window[i] - 1;
  }
  for (std::int64_t i = 0; i < axes.size(); ++i) {
    layout.shape.push_back(window[i]);
    layout.strides.push_back(layout.strides[axes[i]]);
  }
  return strided_view(a, std::move(layout));
}

}  // namespace heddle
