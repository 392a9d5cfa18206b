#include "ops/linear.h"

#include <algorithm>
#include <optional>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "graph/batch.h"
#include "graph/derivative.h"
#include "graph/make.h"
#include "graph/storage.h"
#include "ops/creation.h"
#include "ops/deferred.h"
#include "ops/elementwise.h"
#include "ops/placement.h"
#include "ops/reduction.h"
#include "runtime/device.h"
#include <heddle/errors.h>
#include <heddle/manipulation.h>

namespace heddle {

namespace {

// The strides of rows and of columns as BLAS takes them: one is 1, the other at least the extent. A
// single row or column has no second one, and may have any stride there. Nothing for others.
struct Strides {
  std::int64_t row, column;
};

std::optional<Strides> blas_strides(const Layout& layout) {
  const auto d = layout.ndim();
  const auto rows = layout.shape[d - 2], columns = layout.shape[d - 1];
  Strides made{layout.strides[d - 2], layout.strides[d - 1]};
  if (columns == 1) made.column = made.row == 1 ? rows : 1;
  if (rows == 1) made.row = made.column == 1 ? columns : 1;
  const bool by_rows = made.column == 1 && made.row >= columns;
  const bool by_columns = made.row == 1 && made.column >= rows;
  if (by_rows || by_columns) return made;
  return std::nullopt;
}

array readable(const array& a) {
  const bool as_it_is = a.dtype() == a.storage().value()->dtype && blas_strides(a.layout());
  return as_it_is ? a : dense(a, a.dtype());
}

Layout batch_of(Layout layout) {
  for (int i = 0; i < 2; ++i) {
    layout.shape.pop_back();
    layout.strides.pop_back();
  }
  layout.offset = 0;
  return layout;
}

// How the matrices of stacks follow one another, with as few dimensions as possible: those that
// are regular for both operands are one.
struct Stacks {
  Dims shape, left, right;
};

Stacks merged(const Layout& left, const Layout& right) {
  Stacks made;
  for (std::int64_t d = 0; d < left.ndim(); ++d) {
    auto extent = left.shape[d];
    if (extent == 1) continue;
    if (!made.shape.empty() && made.left.back() == left.strides[d] * extent &&
        made.right.back() == right.strides[d] * extent) {
      made.shape.back() *= extent;
      made.left.back() = left.strides[d];
      made.right.back() = right.strides[d];
    } else {
      made.shape.push_back(extent);
      made.left.push_back(left.strides[d]);
      made.right.push_back(right.strides[d]);
    }
  }
  return made;
}

// Gives the products to the device: a stack of them along the longest dimension, once for each
// place in the others. The operands are the first matrices of all.
void multiply_stacks(Device& device, const Matmul& first, const Stacks& stacks) {
  Matmul product = first;
  const Dims steps = contiguous_strides(stacks.shape);
  const std::int64_t size = product.m * product.n, bytes = itemsize(product.dtype);
  std::int64_t longest = 0, outer = 1;
  for (std::int64_t d = 0; d < stacks.shape.size(); ++d) {
    if (stacks.shape[d] > stacks.shape[longest]) longest = d;
    outer *= stacks.shape[d];
  }
  product.count = stacks.shape[longest];
  product.a.stack_stride = stacks.left[longest];
  product.b.stack_stride = stacks.right[longest];
  product.c.stack_stride = steps[longest] * size;
  outer /= product.count;
  for (std::int64_t i = 0; i < outer; ++i) {
    std::int64_t from_left = 0, from_right = 0, to = 0, rest = i;
    for (auto d = stacks.shape.size(); d-- > 0;) {
      if (d == longest) continue;
      auto place = rest % stacks.shape[d];
      rest /= stacks.shape[d];
      from_left += place * stacks.left[d];
      from_right += place * stacks.right[d];
      to += place * steps[d] * size;
    }
    product.a.data = static_cast<char*>(first.a.data) + from_left * bytes;
    product.b.data = static_cast<char*>(first.b.data) + from_right * bytes;
    product.c.data = static_cast<char*>(first.c.data) + to * bytes;
    device.matmul(product);
  }
}

struct MatrixProduct final : Parameters {
  std::int64_t m = 0, n = 0, k = 0;
  Strides left, right;
  Stacks stacks;
  void write_key(std::vector<std::uint64_t>& key) const override {
    for (auto word : {m, n, k, left.row, left.column, right.row, right.column}) {
      key.push_back(static_cast<std::uint64_t>(word));
    }
    for (const Dims* dims : {&stacks.shape, &stacks.left, &stacks.right}) {
      key.push_back(static_cast<std::uint64_t>(dims->size()));
      for (auto word : *dims) key.push_back(static_cast<std::uint64_t>(word));
    }
  }
};

Matrix first_matrix(Buffer& buffer, void* data, const Strides& strides) {
  return {&buffer, data, strides.row, strides.column, 0};
}

array swapped(const array& a) {
  Dims axes(a.ndim());
  for (std::int64_t d = 0; d < a.ndim(); ++d) axes[d] = d;
  std::swap(axes[a.ndim() - 2], axes[a.ndim() - 1]);
  return a.transpose(axes);
}

// What stacks of matrices were broadcast from: the sum over them.
array summed_to(const array& a, const Dims& shape) {
  std::uint64_t axes = 0;
  const auto more = a.ndim() - shape.size();
  for (std::int64_t d = 0; d < a.ndim(); ++d) {
    if (d < more || (shape[d - more] == 1 && a.shape()[d] != 1)) axes |= std::uint64_t{1} << d;
  }
  return axes == 0 ? a : reduce(Op::add, a, axes, false, a.dtype()).reshape(shape);
}

const graph::Derivative derivative_of_product = {
    0b11,
    0,
    [](graph::Pullback& step) {
      const array &left = step.operand(0), right = step.operand(1);
      array g = *step.cotangent(0);
      // A stack may have been taken for the rows of one matrix.
      if (g.ndim() > 2 && left.ndim() == 2 && right.ndim() == 2) {
        g = g.reshape({left.shape(0), right.shape(1)});
      }
      if (step.wants(0)) step.give(0, summed_to(blas_product(g, swapped(right)), left.shape()));
      if (step.wants(1)) step.give(1, summed_to(blas_product(swapped(left), g), right.shape()));
    },
};

// With extents of 1 after the rows, so that the dimensions of matrices meet.
array aligned(const array& a, bool has_rows, std::int64_t ndim) {
  if (!has_rows || a.ndim() == ndim) return a;
  Dims shape = {a.shape()[0]};
  while (shape.size() + a.ndim() - 1 < ndim) shape.push_back(1);
  for (std::int64_t d = 1; d < a.ndim(); ++d) shape.push_back(a.shape()[d]);
  return a.reshape(shape);
}

void batch_product(graph::Batch& step) {
  array left = step.operand(0), right = step.operand(1);
  const auto ndim = std::max(left.ndim() - (step.has_rows(0) ? 1 : 0),
                             right.ndim() - (step.has_rows(1) ? 1 : 0)) +
                    1;
  left = aligned(left, step.has_rows(0), ndim);
  right = aligned(right, step.has_rows(1), ndim);
  const Dims shape = graph::with_rows(step.rows(), step.shape_of_output());
  step.give(0, blas_product(left, right).reshape(shape));
}

// (..., m, k) and (..., k, n), read through their layouts, to a dense (..., m, n).
const Primitive contraction = {
    "matmul",
    [](LibraryCall& call) {
      const auto& p = call.node().parameters_as<MatrixProduct>();
      Matmul product;
      product.dtype = call.node().dtype();
      product.m = p.m;
      product.n = p.n;
      product.k = p.k;
      product.a = first_matrix(call.buffer(0), call.data(0), p.left);
      product.b = first_matrix(call.buffer(1), call.data(1), p.right);
      Buffer& result = call.make(0);
      product.c = first_matrix(result, result.data(), {p.n, 1});
      if (p.stacks.shape.empty()) {
        call.device().matmul(product);
      } else {
        multiply_stacks(call.device(), product, p.stacks);
      }
    },
    &derivative_of_product,
    batch_product,
    true,
    true,
};

// A stack of matrices times one matrix is a product of two, where the rows of the stack are
// regular.
array as_rows(const array& left, const array& right) {
  if (left.ndim() == 2 || right.ndim() > 2) return left;
  auto columns = left.shape(-1);
  auto rows = columns == 0 ? 0 : left.size() / columns;
  auto layout = reshape_layout(left.layout(), {rows, columns});
  if (!layout || rows == 0) return left;
  array flat = left.view_as(*layout, left.dtype());
  return blas_strides(flat.layout()) ? flat : left;
}

Stacks stacks_of(const Layout& left, const Layout& right) {
  const Layout left_batch = batch_of(left), right_batch = batch_of(right);
  const Dims batch = broadcast_shapes("matmul", left_batch.shape, right_batch.shape);
  return merged(broadcast_layout("matmul", left_batch, batch),
                broadcast_layout("matmul", right_batch, batch));
}

// How often the device is called for them.
std::int64_t calls_for(const Stacks& stacks) {
  std::int64_t longest = 1;
  for (auto extent : stacks.shape) longest = std::max(longest, extent);
  return size_of(stacks.shape) / longest;
}

// On a device that runs behind the host a call for a part of a stack is dear, and leaves much of
// it idle: heads of attention, whose stack has two axes that are not one. There an operand is
// written down in order, where copying it takes less time than the calls that it saves.
std::pair<array, array> in_one_stack(const array& left, const array& right, Device& device) {
  constexpr double bytes_of_a_call = 4e6;  // that a GPU copies meanwhile
  if (device.host_accessible() || std::max(left.ndim(), right.ndim()) <= 3) return {left, right};
  const std::int64_t before = calls_for(stacks_of(left.layout(), right.layout()));
  double most = 0;
  bool copies_left = false, copies_right = false;
  auto consider = [&](bool of_left, bool of_right) {
    const Layout first = of_left ? contiguous_layout(left.shape()) : left.layout();
    const Layout second = of_right ? contiguous_layout(right.shape()) : right.layout();
    const std::int64_t saved = before - calls_for(stacks_of(first, second));
    const std::int64_t copied = (of_left ? left.size() : 0) + (of_right ? right.size() : 0);
    const double gain = static_cast<double>(saved) * bytes_of_a_call -
                        static_cast<double>(copied * itemsize(left.dtype()));
    if (gain <= most) return;
    most = gain;
    copies_left = of_left;
    copies_right = of_right;
  };
  if (before > 1) {
    consider(true, false);
    consider(false, true);
    consider(true, true);
  }
  return {copies_left ? dense(left, left.dtype()) : left,
          copies_right ? dense(right, right.dtype()) : right};
}

}  // namespace

bool has_matmul(Dtype dtype) { return is_inexact(dtype); }

array blas_product(const array& a, const array& b) {
  if (a.ndim() < 2 || b.ndim() < 2 || a.shape(-1) != b.shape(-2) || a.dtype() != b.dtype()) {
    throw value_error(
        fmt::format("matmul: cannot multiply matrices of shapes {} {} and types {} {}",
                    to_string(a.shape()), to_string(b.shape()), name(a.dtype()), name(b.dtype())));
  }
  Input both[] = {a, b};
  Device& device = common_device("matmul", both);
  if (is_half(a.dtype()) && !device.preferences().half_products) {
    const array wide = cast(a, Dtype::float32);
    // A matrix with itself stays one, whose product is symmetric to the last bit.
    const bool mirrored =
        a.shared_storage() == b.shared_storage() && matrix_transpose(a).layout() == b.layout();
    return cast(blas_product(wide, mirrored ? matrix_transpose(wide) : cast(b, Dtype::float32)),
                a.dtype());
  }
  const bool stacked = a.ndim() > 2 || b.ndim() > 2;
  Dims shape;
  if (stacked)
    shape = broadcast_shapes("matmul", batch_of(a.layout()).shape, batch_of(b.layout()).shape);
  shape.push_back(a.shape(-2));
  shape.push_back(b.shape(-1));
  if (size_of(shape) == 0 || a.shape(-1) == 0) return full(shape, 0, a.dtype(), device);
  array right = readable(on_device("matmul", b, device));
  array left = as_rows(readable(on_device("matmul", a, device)), right);
  std::tie(left, right) = in_one_stack(left, right, device);
  MatrixProduct product;
  product.m = left.shape(-2);
  product.k = left.shape(-1);
  product.n = right.shape(-1);
  product.left = *blas_strides(left.layout());
  product.right = *blas_strides(right.layout());
  if (left.ndim() > 2 || right.ndim() > 2) {
    product.stacks = stacks_of(left.layout(), right.layout());
  }
  Operand operands[] = {reading(left), reading(right)};
  Ref<Value> value = graph::make(graph::draft(contraction, std::move(product)), a.dtype(), shape,
                                 device, operands);
  return deferred(std::move(value), is_exported(left) || is_exported(right));
}

}  // namespace heddle
