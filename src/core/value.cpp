#include "core/value.h"

#include "graph/node.h"

namespace heddle {

namespace {
std::atomic<std::int64_t> held_total{0};
}

std::int64_t held_bytes() { return held_total.load(std::memory_order_relaxed); }

void count_held(Value& value) {
  if (!value.computed() || value.references() <= 1 || value.held) return;
  value.held = true;
  held_total += static_cast<std::int64_t>(value.buffer()->bytes());
}

Value::Value(Dtype type, Dims extents, Device& where)
    : shape(std::move(extents)), device(&where), dtype(type) {
  check_dims(shape.size());
  std::int64_t bytes = 0;
  if (__builtin_mul_overflow(size(), itemsize(dtype), &bytes)) throw_too_big();
}

Ref<Value> Value::with_buffer(Dtype dtype, Dims shape, Ref<Buffer> buffer) {
  Ref<Value> value(new Value(dtype, std::move(shape), buffer->device()));
  value->buffer_ = std::move(buffer);
  return value;
}

void Value::destroy(Value* value) {
  if (!value->computed()) return Node::drop_output(value);
  if (value->held) held_total -= static_cast<std::int64_t>(value->buffer_->bytes());
  delete value;
}

}  // namespace heddle
