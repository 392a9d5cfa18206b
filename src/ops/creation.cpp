#include "ops/creation.h"

#include <fmt/format.h>

#include <heddle/errors.h>

#include "core/storage.h"
#include "graph/graph.h"
#include "ops/elementwise.h"
#include "runtime/device.h"

namespace heddle {

namespace {

std::size_t bytes_of(const Dims& shape, Dtype dtype) {
  std::int64_t bytes = itemsize(dtype);
  if (shape.size() > max_dims) {
    throw value_error(fmt::format("maximum supported dimension for an array is currently {}, found {}",
                                  max_dims, shape.size()));
  }
  bool zero = false;
  for (auto extent : shape) {
    if (extent < 0) throw value_error("negative dimensions are not allowed");
    zero |= extent == 0;
  }
  if (zero) return 0;
  for (auto extent : shape) {
    if (__builtin_mul_overflow(bytes, extent, &bytes)) {
      throw value_error("array is too big; `arr.size * arr.dtype.itemsize` is larger than the "
                        "maximum possible size.");
    }
  }
  return static_cast<std::size_t>(bytes);
}

array wrap(Ref<Value> value) {
  Layout layout = contiguous_layout(value->shape);
  Dtype dtype = value->dtype;
  return array(Ref<Storage>(new Storage(std::move(value))), std::move(layout), dtype);
}

}  // namespace

array full(const Dims& shape, Scalar value, Dtype dtype, Device& device) {
  bytes_of(shape, dtype);
  auto words = value.bits(dtype);
  std::lock_guard lock(graph_mutex());
  Ref<Value> node(new Value(NodeKind::elementwise, dtype, shape, device));
  node->op = Op::cast;
  std::vector<Operand> operands(1);
  operands[0].dtype = dtype;
  operands[0].scalar = {{words.word[0], words.word[1]}};
  node->set_operands(std::move(operands));
  return wrap(std::move(node));
}

array empty(const Dims& shape, Dtype dtype, Device& device) {
  auto bytes = bytes_of(shape, dtype);
  return wrap(Value::with_buffer(dtype, shape, Buffer::allocate(device, bytes)));
}

array index_along(const Dims& shape, std::int64_t axis, Device& device) {
  bytes_of(shape, Dtype::int64);
  std::lock_guard lock(graph_mutex());
  Ref<Value> node(new Value(NodeKind::index, Dtype::int64, shape, device));
  node->axes = std::uint64_t{1} << axis;
  node->set_operands(std::span<Operand>());
  return wrap(std::move(node));
}

array alias_host(void* data, const Layout& layout, Dtype dtype, std::size_t bytes, bool writeable,
                 std::function<void()> release) {
  auto buffer = Buffer::adopt(cpu_device(), data, bytes, std::move(release));
  auto elements = static_cast<std::int64_t>(bytes) / itemsize(dtype);
  array made = wrap(Value::with_buffer(dtype, {elements}, std::move(buffer)));
  made.storage().exports = 1;  // whoever gave it may look at it at any time
  made.storage().writeable = writeable;
  return array(made.shared_storage(), layout, dtype);
}

array from_host(const void* data, const Layout& layout, Dtype dtype, Device& device) {
  auto reach = extent_of(layout);
  if (!reach) return empty(layout.shape, dtype, device);
  if (device.host_accessible() || !is_c_contiguous(layout)) {
    // The engine copies: all cores, any strides, and keeps the order of dimensions in memory.
    auto* base = const_cast<char*>(static_cast<const char*>(data));
    Layout shifted = layout;
    shifted.offset = layout.offset - reach->first;
    array view = alias_host(base + reach->first * itemsize(dtype), shifted, dtype,
                            static_cast<std::size_t>(reach->second - reach->first + 1) *
                                static_cast<std::size_t>(itemsize(dtype)),
                            false, [] {});
    array copied = cast(view, dtype);
    copied.eval();
    return to_device(copied, device);
  }
  array made = empty(layout.shape, dtype, device);
  auto* from = static_cast<const char*>(data) + layout.offset * itemsize(dtype);
  device.copy_from_host(made.storage().value->buffer->data(), from, bytes_of(layout.shape, dtype));
  return made;
}

array to_device(const array& a, Device& device) {
  if (&a.device() == &device) return a;
  array source = dense(a, a.dtype()).eval();
  auto bytes = bytes_of(a.shape(), a.dtype());
  const void* data = source.storage().value->buffer->data();
  array made = empty(a.shape(), a.dtype(), device);
  void* to = made.storage().value->buffer->data();
  if (a.device().host_accessible()) {
    device.copy_from_host(to, data, bytes);
  } else if (device.host_accessible()) {
    a.device().copy_to_host(to, data, bytes);
  } else {
    return to_device(to_device(source, cpu_device()), device);
  }
  return made;
}

}  // namespace heddle
