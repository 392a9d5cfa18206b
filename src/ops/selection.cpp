#include "ops/selection.h"

#include "core/storage.h"
#include "graph/look.h"
#include "graph/make.h"
#include "ops/creation.h"
#include "ops/deferred.h"
#include "ops/elementwise.h"
#include "ops/indexing.h"
#include "runtime/compaction.h"
#include "runtime/device.h"
#include <heddle/reductions.h>

namespace heddle {
namespace {

// Its elements one after the other in memory.
array contiguous(const array& a, Dtype dtype) {
  const bool is_one =
      a.dtype() == dtype && a.storage().value()->dtype == dtype && is_c_contiguous(a.layout());
  return is_one ? a : dense(a, dtype);
}

Run run_of(const array& a) {
  return {&look(*a.storage().value()),
          static_cast<std::size_t>(a.layout().offset * itemsize(a.dtype()))};
}

Run run_of(const LibraryCall& call, int operand) {
  const auto* base = static_cast<const char*>(call.buffer(operand).data());
  return {&call.buffer(operand),
          static_cast<std::size_t>(static_cast<const char*>(call.data(operand)) - base)};
}

std::int64_t size_of(const LibraryCall& call, int operand) {
  return heddle::size_of(call.layout(operand).shape);
}

const Primitive selecting = {
    "select",
    [](LibraryCall& call) {
      call.give(0, call.device().compaction().select(run_of(call, 0), run_of(call, 1),
                                                     itemsize(call.node().dtype()),
                                                     size_of(call, 0)));
    },
};

const Primitive expanding = {
    "expand",
    [](LibraryCall& call) {
      call.give(0, call.device().compaction().expand(run_of(call, 0), run_of(call, 1),
                                                     itemsize(call.node().dtype()),
                                                     size_of(call, 0)));
    },
};

const Primitive finding = {
    "nonzero",
    [](LibraryCall& call) {
      call.give(0, call.device().compaction().nonzero(run_of(call, 0), size_of(call, 0)));
    },
};

Operand reading(const array& a) {
  return graph::reading(a.storage().value(), a.dtype(), a.layout());
}

array made_by(const Primitive& primitive, Dtype dtype, const Dims& shape, const array& flags,
              const array* values = nullptr) {
  Operand operands[2] = {reading(flags)};
  if (values) operands[1] = reading(*values);
  Ref<Value> made = graph::make(graph::draft(primitive, Parameters()), dtype, shape, flags.device(),
                                std::span(operands, values ? 2 : 1));
  return deferred(std::move(made), contiguous_layout(shape),
                  is_exported(flags) || (values && is_exported(*values)));
}

array found(Ref<Buffer> buffer, Dtype dtype) {
  const auto count = static_cast<std::int64_t>(buffer->bytes()) / itemsize(dtype);
  Ref<Value> value = Value::with_buffer(dtype, {count}, std::move(buffer));
  return array(Ref<Storage>(new Storage(std::move(value))), contiguous_layout({count}), dtype);
}

// The host has to know how many there are. A recorder is to hear that it looked at the count, and
// of what was found as a node; without one, one pass tells both.
std::int64_t count_of(const array& flags) { return count_nonzero(flags).item<std::int64_t>(); }

}  // namespace

array select_elements(const array& a, const array& mask) {
  const array values = contiguous(a, a.dtype());
  const array flags = contiguous(mask, Dtype::bool_);
  if (Recorder::current()) {
    return made_by(selecting, a.dtype(), {count_of(flags)}, flags, &values);
  }
  return found(
      a.device().compaction().select(run_of(flags), run_of(values), itemsize(a.dtype()), a.size()),
      a.dtype());
}

array expand_elements(const array& values, const array& mask) {
  if (values.size() == 0) return empty(mask.shape(), values.dtype(), values.device());
  const array from = contiguous(values, values.dtype());
  const array flags = contiguous(mask, Dtype::bool_);
  return made_by(expanding, values.dtype(), mask.shape(), flags, &from);
}

array flat_nonzero(const array& a) {
  const array flags = contiguous(a, Dtype::bool_);
  if (Recorder::current()) return made_by(finding, Dtype::int64, {count_of(flags)}, flags);
  return found(a.device().compaction().nonzero(run_of(flags), a.size()), Dtype::int64);
}

}  // namespace heddle
