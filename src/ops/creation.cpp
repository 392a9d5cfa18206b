#include "ops/creation.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "graph/batch.h"
#include "graph/derivative.h"
#include "graph/make.h"
#include "graph/numbers.h"
#include "graph/recorder.h"
#include "graph/storage.h"
#include "ops/deferred.h"
#include "ops/elementwise.h"
#include "ops/write.h"
#include "runtime/device.h"
#include <heddle/creation.h>
#include <heddle/errors.h>

namespace heddle {

namespace {

std::size_t bytes_of(const Dims& shape, Dtype dtype) {
  std::int64_t bytes = itemsize(dtype);
  check_dims(shape.size());
  bool zero = false;
  for (auto extent : shape) {
    if (extent < 0) throw value_error("negative dimensions are not allowed");
    zero |= extent == 0;
  }
  if (zero) return 0;
  for (auto extent : shape) {
    if (__builtin_mul_overflow(bytes, extent, &bytes)) throw_too_big();
  }
  return static_cast<std::size_t>(bytes);
}

array wrap(Ref<Value> value) {
  SharedLayout layout = value->shape.dense();
  Dtype dtype = value->dtype;
  return array(Ref<Storage>(new Storage(std::move(value))), std::move(layout), dtype);
}

}  // namespace

array full(const Dims& shape, Scalar value, Dtype dtype, Device& device) {
  bytes_of(shape, dtype);
  auto words = value.bits(dtype);
  return filled(shape, {dtype, {{words.word[0], words.word[1]}}}, device);
}

array filled(const Dims& shape, const Number& number, Device& device) {
  Operand operand = graph::number(number);
  return wrap(graph::make(Op::cast, number.dtype, shape, device, std::span(&operand, 1)));
}

array empty(const Dims& shape, Dtype dtype, Device& device) {
  auto bytes = bytes_of(shape, dtype);
  // To somebody who writes down a program, memory would be a constant to keep: an array that is
  // made in every call is not.
  if (Recorder::current()) return full(shape, 0, dtype, device);
  return wrap(Value::with_buffer(dtype, shape, Buffer::allocate(device, bytes)));
}

array index_along(const Dims& shape, std::int64_t axis, Device& device) {
  bytes_of(shape, Dtype::int64);
  graph::Draft node = graph::draft(NodeKind::index);
  node->axes = std::uint64_t{1} << axis;
  return wrap(graph::make(std::move(node), Dtype::int64, shape, device, {}));
}

array alias_host(void* data, const Layout& layout, Dtype dtype, std::size_t bytes, bool writeable,
                 std::function<void()> release) {
  return alias_memory(cpu_device(), data, layout, dtype, bytes, writeable, std::move(release));
}

array alias_memory(Device& device, void* data, const Layout& layout, Dtype dtype, std::size_t bytes,
                   bool writeable, std::function<void()> release) {
  auto buffer = Buffer::adopt(device, data, bytes, std::move(release));
  auto elements = static_cast<std::int64_t>(bytes) / itemsize(dtype);
  array made = wrap(Value::with_buffer(dtype, {elements}, std::move(buffer)));
  ++made.storage().exports;  // whoever gave it may look at it at any time
  made.storage().writeable = writeable;
  return array(made.shared_storage(), layout, dtype);
}

namespace {

// What `make` gives for dimensions in the order of memory, with those of `layout` again: a copy
// lies in memory as its source does.
template <class F>
array in_order_of(const Layout& layout, F make) {
  if (is_c_contiguous(layout)) return make(layout);
  Dims order = memory_order(layout), places(order.size());
  for (std::int64_t i = 0; i < order.size(); ++i) places[order[i]] = i;
  return make(permute(layout, order)).transpose(places);
}

}  // namespace

array from_host(const void* data, const Layout& layout, Dtype dtype, Device& device) {
  auto reach = extent_of(layout);
  if (!reach) return empty(layout.shape, dtype, device);
  constexpr std::size_t few = 32 << 10;  // bytes that are copied before a kernel would begin
  return in_order_of(layout, [&](const Layout& walk) {
    const auto bytes = bytes_of(walk.shape, dtype);
    if (!is_c_contiguous(walk) || (device.host_accessible() && bytes > few)) {
      // The engine copies: all cores, any strides.
      auto* base = const_cast<char*>(static_cast<const char*>(data));
      Layout shifted = walk;
      shifted.offset = walk.offset - reach->first;
      array view = alias_host(base + reach->first * itemsize(dtype), shifted, dtype,
                              static_cast<std::size_t>(reach->second - reach->first + 1) *
                                  static_cast<std::size_t>(itemsize(dtype)),
                              false, [] {});
      array copied = cast(view, dtype);
      copied.eval();
      return to_device(copied, device);
    }
    auto buffer = Buffer::allocate(device, bytes);
    auto* from = static_cast<const char*>(data) + walk.offset * itemsize(dtype);
    device.copy_from_host(*buffer, 0, from, bytes);
    return wrap(Value::with_buffer(dtype, walk.shape, std::move(buffer)));
  });
}

namespace {

// Between dense memory of two devices.
void copy(Buffer& to, Buffer& from, std::size_t bytes) {
  if (from.device().host_accessible()) {
    to.device().copy_from_host(to, 0, from.data(), bytes);
  } else if (to.device().host_accessible()) {
    from.device().copy_to_host(to.data(), from, 0, bytes);
  } else if (!to.device().copy_from_device(to, from, bytes)) {
    auto over = Buffer::allocate(cpu_device(), bytes);
    copy(*over, from, bytes);
    copy(to, *over, bytes);
  }
}

const graph::Derivative derivative_of_transfer = {
    0, 0,
    [](graph::Pullback& step) { step.give(0, to_device(*step.cotangent(0), step.device_of(0))); }};

// What is dense in the memory of another device, in that of the node's.
const Primitive transfer = {
    "transfer",
    [](LibraryCall& call) {
      Buffer& to = call.make(0);
      copy(to, call.buffer(0), to.bytes());
    },
    &derivative_of_transfer,
    [](graph::Batch& step) { step.give(0, to_device(step.operand(0), step.device())); },
};

}  // namespace

array to_device(const array& a, Device& device) {
  if (&a.device() == &device) return a;
  return in_order_of(a.layout(), [&](const Layout& walk) {
    Operand operand = graph::reading(a.storage().value(), a.dtype(), walk);
    if (operand.layout) {
      const array source = dense(a.view_as(walk, a.dtype()), a.dtype());
      operand = reading(source);
    }
    array made = wrap(
        graph::make(graph::draft(transfer), a.dtype(), walk.shape, device, std::span(&operand, 1)));
    // What somebody outside may change, and what a device records, is copied now.
    if (is_exported(a) || a.device().records() || device.records()) made.eval();
    return made;
  });
}

array zeros(const Dims& shape, Dtype dtype) { return full(shape, 0, dtype, default_device()); }
array ones(const Dims& shape, Dtype dtype) { return full(shape, 1, dtype, default_device()); }
array full(const Dims& shape, Scalar value, std::optional<Dtype> dtype) {
  return full(shape, value, dtype.value_or(value.default_dtype()), default_device());
}
array empty(const Dims& shape, Dtype dtype) { return empty(shape, dtype, default_device()); }
array zeros_like(const array& a) { return full(a.shape(), 0, a.dtype(), a.device()); }
array ones_like(const array& a) { return full(a.shape(), 1, a.dtype(), a.device()); }
array empty_like(const array& a) { return empty(a.shape(), a.dtype(), a.device()); }
array full_like(const array& a, Scalar value) {
  return full(a.shape(), value, a.dtype(), a.device());
}

namespace {

bool is_exact(const Scalar& s) { return s.kind() <= Scalar::Kind::integer; }

std::int64_t range_length(const Scalar& start, const Scalar& stop, const Scalar& step) {
  if (is_exact(step) && step.integer() == 0) throw value_error("Maximum allowed size exceeded");
  auto length = (stop.real() - start.real()) / step.real();
  if (std::isnan(length)) throw value_error("arange: cannot compute length");
  if (length > std::ldexp(1.0, 62)) throw value_error("Maximum allowed size exceeded");
  if (is_exact(start) && is_exact(stop) && is_exact(step)) {
    auto distance = stop.integer() - start.integer(), by = step.integer();
    return std::max<std::int64_t>((distance + by + (by > 0 ? -1 : 1)) / by, 0);
  }
  return static_cast<std::int64_t>(std::max(std::ceil(length), 0.0));
}

// first + index * (second - first) in T. NumPy's first two elements are exact.
template <class T>
array floating_range(std::int64_t count, double start, double step, Dtype dtype) {
  auto first = static_cast<T>(start), second = static_cast<T>(start + step);
  T delta = second - first;
  array index = index_along({count}, 0, default_device());
  array result = cast(index, dtype_of<T>);
  if (delta != 1) result = elementwise(Op::multiply, {result, Scalar(delta)});
  result = elementwise(Op::add, {result, Scalar(first)});
  if (first + delta != second) {
    array is_second = elementwise(Op::equal, {index, Scalar(1)});
    result = elementwise(Op::select, {is_second, Scalar(second), result});
  }
  return dtype == dtype_of<T> ? result : cast(result, dtype);
}

}  // namespace

array arange(Scalar stop, std::optional<Dtype> dtype) { return arange(0, stop, 1, dtype); }

array arange(Scalar start, Scalar stop, Scalar step, std::optional<Dtype> wanted) {
  for (const Scalar* s : {&start, &stop, &step}) {
    if (s->kind() == Scalar::Kind::complex) throw type_error("arange: bounds must be real numbers");
  }
  bool exact = is_exact(start) && is_exact(stop) && is_exact(step);
  Dtype dtype = wanted.value_or(exact ? Dtype::int64 : Dtype::float64);
  auto count = range_length(start, stop, step);
  if (dtype == Dtype::bool_ && count > 2) {
    throw type_error(
        "arange() is only supported for booleans when the result has at most length 2.");
  }
  if (is_inexact(dtype)) {
    bool narrow = dtype == Dtype::float32 || dtype == Dtype::complex64 || is_half(dtype);
    return narrow ? floating_range<float>(count, start.real(), step.real(), dtype)
                  : floating_range<double>(count, start.real(), step.real(), dtype);
  }
  auto first = exact ? start.integer() : static_cast<std::int64_t>(start.real());
  auto second =
      exact ? first + step.integer() : static_cast<std::int64_t>(start.real() + step.real());
  array result = index_along({count}, 0, default_device());
  if (second - first != 1) result = elementwise(Op::multiply, {result, Scalar(second - first)});
  if (first != 0) result = elementwise(Op::add, {result, Scalar(first)});
  return dtype == Dtype::int64 ? result : cast(result, dtype);
}

array strided_view(const array& a, Layout layout) {
  const Ref<Value> held = a.storage().value();
  const Value& value = *held;
  const auto available = value.size() * itemsize(value.dtype) / itemsize(a.dtype());
  const auto reach = extent_of(layout);
  if (reach && (reach->first < 0 || reach->second >= available)) {
    throw value_error("strided view would reach out of bounds of the array's memory");
  }
  return a.view_as(std::move(layout), a.dtype());
}

array eye(std::int64_t rows, std::optional<std::int64_t> columns, std::int64_t k, Dtype dtype) {
  Dims shape{rows, columns.value_or(rows)};
  k = std::clamp(k, -shape[0], shape[1]);  // farther away there is nothing
  array row = index_along(shape, 0, default_device());
  array column = index_along(shape, 1, default_device());
  return cast(elementwise(Op::equal, {elementwise(Op::add, {row, Scalar(k)}), column}), dtype);
}

array alias_memory(void* data, std::size_t count, Dtype dtype, const Dims& shape) {
  if (static_cast<std::int64_t>(count) != size_of(shape)) {
    throw value_error(
        fmt::format("alias: {} elements do not fill the shape {}", count, to_string(shape)));
  }
  return alias_host(data, contiguous_layout(shape), dtype, bytes_of(shape, dtype), true, [] {});
}

HostMemory::HostMemory(const array& a, Dtype dtype) : array_(a) {
  if (a.dtype() != dtype) {
    throw type_error(
        fmt::format("HostSpan: the array's elements are {}, not {}", name(a.dtype()), name(dtype)));
  }
  if (!is_c_contiguous(a.layout())) throw value_error("HostSpan: the array is not C-contiguous");
  if (!writeable(a)) throw value_error("HostSpan: the array is read-only");
  if (!a.device().host_accessible()) {
    throw value_error(fmt::format("HostSpan: the memory of {} is not the host's", a.device_name()));
  }
  data_ = pin(a);
  ++a.storage().exports;
}

HostMemory::~HostMemory() { --array_.storage().exports; }

}  // namespace heddle
