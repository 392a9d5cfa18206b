#include "ops/linear.h"

#include <fmt/format.h>

#include "core/storage.h"
#include "graph/graph.h"
#include "ops/creation.h"
#include "ops/elementwise.h"
#include "ops/placement.h"
#include "runtime/device.h"
#include <heddle/errors.h>

namespace heddle {

namespace {

// A matrix that BLAS can read: one of its strides is 1 and the other at least the extent.
bool is_readable(const array& a) {
  const Layout& layout = a.layout();
  auto d = layout.ndim();
  auto rows = layout.shape[d - 2], columns = layout.shape[d - 1];
  auto row_stride = layout.strides[d - 2], column_stride = layout.strides[d - 1];
  return (column_stride == 1 && row_stride >= std::max<std::int64_t>(columns, 1)) ||
         (row_stride == 1 && column_stride >= std::max<std::int64_t>(rows, 1));
}

array readable(const array& a) {
  array source = is_readable(a) && a.dtype() == a.storage().value->dtype ? a : dense(a, a.dtype());
  source.eval();
  return source;
}

Matrix matrix_at(const array& a, std::int64_t offset) {
  const Layout& layout = a.layout();
  auto d = layout.ndim();
  Matrix m;
  m.buffer = a.storage().value->buffer.get();
  m.data = static_cast<char*>(m.buffer->data()) + (layout.offset + offset) * itemsize(a.dtype());
  m.row_stride = layout.strides[d - 2];
  m.column_stride = layout.strides[d - 1];
  return m;
}

Layout batch_of(const array& a) {
  Layout layout = a.layout();
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
// place in the others.
void multiply_stacks(Device& device, Matmul product, const array& left, const array& right,
                     const array& result, const Stacks& stacks) {
  const Dims steps = contiguous_strides(stacks.shape);
  const auto size = product.m * product.n;
  std::int64_t longest = -1, outer = 1;
  for (std::int64_t d = 0; d < stacks.shape.size(); ++d) {
    if (longest < 0 || stacks.shape[d] > stacks.shape[longest]) longest = d;
    outer *= stacks.shape[d];
  }
  if (longest >= 0) {
    product.count = stacks.shape[longest];
    outer /= product.count;
  }
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
    product.a = matrix_at(left, from_left);
    product.b = matrix_at(right, from_right);
    product.c = matrix_at(result, to);
    if (longest >= 0) {
      product.a.stack_stride = stacks.left[longest];
      product.b.stack_stride = stacks.right[longest];
      product.c.stack_stride = steps[longest] * size;
    }
    device.matmul(product);
  }
}

// A stack of matrices times one matrix is a product of two, where the rows of the stack are
// regular.
array as_rows(const array& left, const array& right) {
  if (left.ndim() == 2 || right.ndim() > 2) return left;
  auto columns = left.shape(-1);
  auto rows = columns == 0 ? 0 : left.size() / columns;
  auto layout = reshape_layout(left.layout(), {rows, columns});
  if (!layout || rows == 0) return left;
  array flat = left.view_as(*layout, left.dtype());
  return is_readable(flat) ? flat : left;
}

}  // namespace

bool has_matmul(Dtype dtype) { return is_inexact(dtype); }

array matrix_product(const array& a, const array& b) {
  std::lock_guard lock(graph_mutex());
  if (a.ndim() < 2 || b.ndim() < 2 || a.shape(-1) != b.shape(-2) || a.dtype() != b.dtype()) {
    throw value_error(
        fmt::format("matmul: cannot multiply matrices of shapes {} {} and types {} {}",
                    to_string(a.shape()), to_string(b.shape()), name(a.dtype()), name(b.dtype())));
  }
  Input both[] = {a, b};
  Device& device = common_device("matmul", both);
  if (is_half(a.dtype()) && !device.preferences().half_products) {
    return cast(matrix_product(cast(a, Dtype::float32), cast(b, Dtype::float32)), a.dtype());
  }
  Layout left_batch = batch_of(a), right_batch = batch_of(b);
  Dims shape = broadcast_shapes("matmul", left_batch.shape, right_batch.shape);
  shape.push_back(a.shape(-2));
  shape.push_back(b.shape(-1));
  if (size_of(shape) == 0 || a.shape(-1) == 0) return full(shape, 0, a.dtype(), device);
  array right = readable(on_device("matmul", b, device));
  array left = as_rows(readable(on_device("matmul", a, device)), right);
  left_batch = batch_of(left);
  right_batch = batch_of(right);
  Dims batch = broadcast_shapes("matmul", left_batch.shape, right_batch.shape);
  Matmul product;
  product.dtype = a.dtype();
  product.m = left.shape(-2);
  product.k = left.shape(-1);
  product.n = right.shape(-1);
  batch.push_back(product.m);
  batch.push_back(product.n);
  array result = empty(batch, a.dtype(), device);
  batch.resize(batch.size() - 2);
  multiply_stacks(device, product, left, right, result,
                  merged(broadcast_layout("matmul", left_batch, batch),
                         broadcast_layout("matmul", right_batch, batch)));
  return result.reshape(shape);
}

}  // namespace heddle
