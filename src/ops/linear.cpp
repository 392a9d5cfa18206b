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

std::int64_t offset_at(const Layout& layout, std::int64_t position) {
  std::int64_t offset = 0;
  for (auto d = layout.ndim(); d-- > 0;) {
    offset += position % layout.shape[d] * layout.strides[d];
    position /= layout.shape[d];
  }
  return offset;
}

}  // namespace

bool has_matmul(Dtype dtype) {
  return dtype == Dtype::float32 || dtype == Dtype::float64 || is_complex(dtype);
}

array matrix_product(const array& a, const array& b) {
  std::lock_guard lock(graph_mutex());
  if (a.ndim() < 2 || b.ndim() < 2 || a.shape(-1) != b.shape(-2) || a.dtype() != b.dtype()) {
    throw value_error(
        fmt::format("matmul: cannot multiply matrices of shapes {} {} and types {} {}",
                    to_string(a.shape()), to_string(b.shape()), name(a.dtype()), name(b.dtype())));
  }
  Input both[] = {a, b};
  Device& device = common_device("matmul", both);
  array left = readable(on_device("matmul", a, device));
  array right = readable(on_device("matmul", b, device));
  Layout left_batch = batch_of(left), right_batch = batch_of(right);
  Dims batch = broadcast_shapes("matmul", left_batch.shape, right_batch.shape);
  left_batch = broadcast_layout("matmul", left_batch, batch);
  right_batch = broadcast_layout("matmul", right_batch, batch);
  Matmul product;
  product.dtype = a.dtype();
  product.m = a.shape(-2);
  product.k = a.shape(-1);
  product.n = b.shape(-1);
  Dims shape = batch;
  shape.push_back(product.m);
  shape.push_back(product.n);
  if (size_of(shape) == 0 || product.k == 0) return full(shape, 0, a.dtype(), device);
  array result = empty(shape, a.dtype(), device);
  auto count = size_of(batch);
  for (std::int64_t i = 0; i < count; ++i) {
    product.a = matrix_at(left, offset_at(left_batch, i));
    product.b = matrix_at(right, offset_at(right_batch, i));
    product.c = matrix_at(result, i * product.m * product.n);
    device.matmul(product);
  }
  return result;
}

}  // namespace heddle
