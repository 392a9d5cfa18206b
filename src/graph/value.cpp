#include "graph/value.h"

#include "graph/node.h"
#include "graph/numbering.h"

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

Value::Value(Dtype type, Shape extents, Device& where)
    : dtype(type), shape(std::move(extents)), device(&where) {
  check_dims(shape.size());
  std::int64_t bytes = 0;
  if (__builtin_mul_overflow(size(), itemsize(dtype), &bytes)) throw_too_big();
}

Value::~Value() {
  if (numbered) Numbering::forget(*this);
  if (computed()) buffer_.~Ref();
}

Ref<Value> Value::with_buffer(Dtype dtype, Shape shape, Ref<Buffer> buffer) {
  Ref<Value> value(new Value(dtype, std::move(shape), buffer->device()));
  value->set_buffer(std::move(buffer));
  return value;
}

void Value::set_node(Graph& graph, Node& node) {
  graph_ = &graph;
  source_.store(reinterpret_cast<std::uintptr_t>(&node) + pending, std::memory_order_release);
}

void Value::set_buffer(Ref<Buffer> buffer) {
  static_assert(sizeof(Ref<Buffer>) == sizeof(source_));
  source_.store(reinterpret_cast<std::uintptr_t>(buffer.detach()), std::memory_order_release);
}

void Value::destroy(Value* value) {
  if (!value->computed()) return Node::drop_output(value);
  if (value->held) held_total -= static_cast<std::int64_t>(value->buffer_->bytes());
  delete value;
}

}  // namespace heddle
