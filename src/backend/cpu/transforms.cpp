#include "backend/cpu/transforms.h"

#include "backend/cpu/ducc/transform.h"
#include "backend/cpu/target.h"
#include "runtime/device.h"
#include "runtime/interrupt.h"

namespace heddle::cpu {

namespace {

void run(const Transform& t) {
  constexpr std::int64_t worth_releasing = 4096;
  BlockingScope blocking(size_of(t.output.shape) >= worth_releasing);
  switch (host_level()) {
    case CpuLevel::v2:
      return v2::transform(t);
    case CpuLevel::v3:
      return v3::transform(t);
    case CpuLevel::v4:
      return v4::transform(t);
  }
}

// Strides in the order of memory of others, none of them a multiple of a page: elements that far
// apart would share few lines of the cache.
Dims spread_strides(const TransformOperand& like, std::int64_t element_bytes, std::int64_t* size) {
  constexpr std::int64_t page = 4096, padding = 3;
  Dims order = memory_order({like.shape, like.strides, 0});
  Dims strides(like.shape.size());
  *size = 1;
  for (auto d = order.size(); d-- > 0;) {
    strides[order[d]] = *size;
    *size *= like.shape[order[d]];
    if (d > 0 && *size * element_bytes % page == 0) *size += padding * strides[order[d]];
  }
  return strides;
}

// Along all axes but the last, and then that one.
void run_to_real(const Transform& t) {
  Dtype dtype = complex_type(t.precision);
  TransformOperand between;
  between.shape = t.input.shape;
  std::int64_t size = 0;
  between.strides = spread_strides(t.input, itemsize(dtype), &size);
  auto buffer = Buffer::allocate(cpu_device(), static_cast<std::size_t>(size * itemsize(dtype)));
  between.buffer = buffer.get();
  between.data = buffer->data();
  Transform first = t, last = t;
  first.kind = Transform::Kind::complex;
  first.scale = 1;
  first.axes.pop_back();
  first.output = between;
  last.axes = {t.axes.back()};
  last.input = between;
  run(first);
  run(last);
}

}  // namespace

void CpuTransforms::transform(const Transform& t) {
  bool in_steps = t.kind == Transform::Kind::to_real && t.axes.size() > 1;
  in_steps ? run_to_real(t) : run(t);
}

}  // namespace heddle::cpu
