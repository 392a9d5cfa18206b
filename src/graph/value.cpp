#include "graph/value.h"

#include "graph/node_maker.h"

namespace heddle {

void NodeMaker::check_extents(const Dims& shape, Dtype dtype) {
  check_dims(shape.size());
  std::int64_t bytes = 0;
  if (__builtin_mul_overflow(size_of(shape), itemsize(dtype), &bytes)) throw_too_big();
}

Ref<Value> Value::with_buffer(Dtype dtype, Shape shape, Ref<Buffer> buffer) {
  Ref<Value> value(new Value(dtype, std::move(shape), buffer->device()));
  value->set_buffer(std::move(buffer));
  return value;
}

void Value::set_buffer(Ref<Buffer> buffer) {
  static_assert(sizeof(Ref<Buffer>) == sizeof(source_));
  source_.store(reinterpret_cast<std::uintptr_t>(buffer.detach()), std::memory_order_release);
}

}  // namespace heddle
