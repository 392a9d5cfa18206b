#include "ops/selection.h"

#include "core/storage.h"
#include "graph/look.h"
#include "ops/creation.h"
#include "ops/elementwise.h"
#include "ops/indexing.h"
#include "runtime/compaction.h"
#include "runtime/device.h"

namespace heddle {
namespace {

// Evaluated, its elements one after the other in memory.
array contiguous(const array& a, Dtype dtype) {
  const bool is_one =
      a.dtype() == dtype && a.storage().value()->dtype == dtype && is_c_contiguous(a.layout());
  array source = is_one ? a : dense(a, dtype);
  source.eval();
  return source;
}

Run run_of(const array& a) {
  return {&look(*a.storage().value()),
          static_cast<std::size_t>(a.layout().offset * itemsize(a.dtype()))};
}

array found(Ref<Buffer> buffer, Dtype dtype) {
  const auto count = static_cast<std::int64_t>(buffer->bytes()) / itemsize(dtype);
  Ref<Value> value = Value::with_buffer(dtype, {count}, std::move(buffer));
  return array(Ref<Storage>(new Storage(std::move(value))), SharedLayout::contiguous({count}), dtype);
}

}  // namespace

array select_elements(const array& a, const array& mask) {
  const array values = contiguous(a, a.dtype());
  const array flags = contiguous(mask, Dtype::bool_);
  return found(
      a.device().compaction().select(run_of(flags), run_of(values), itemsize(a.dtype()), a.size()),
      a.dtype());
}

array expand_elements(const array& values, const array& mask) {
  if (values.size() == 0) return empty(mask.shape(), values.dtype(), values.device());
  const array from = contiguous(values, values.dtype());
  const array flags = contiguous(mask, Dtype::bool_);
  Ref<Buffer> buffer = values.device().compaction().expand(run_of(flags), run_of(from),
                                                           itemsize(values.dtype()), mask.size());
  return found(std::move(buffer), values.dtype()).reshape(mask.shape());
}

array flat_nonzero(const array& a) {
  const array flags = contiguous(a, Dtype::bool_);
  return found(a.device().compaction().nonzero(run_of(flags), a.size()), Dtype::int64);
}

}  // namespace heddle
