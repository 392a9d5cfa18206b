#include "ops/selection.h"

#include "core/storage.h"
#include "graph/make.h"
#include "ops/creation.h"
#include "ops/deferred.h"
#include "ops/elementwise.h"
#include "ops/indexing.h"
#include "runtime/compaction.h"
#include "runtime/device.h"

namespace heddle {
namespace {

// Its elements one after the other in memory.
array contiguous(const array& a, Dtype dtype) {
  const bool is_one =
      a.dtype() == dtype && a.storage().value()->dtype == dtype && is_c_contiguous(a.layout());
  return is_one ? a : dense(a, dtype);
}

Operand read(const array& a) { return graph::reading(a.storage().value(), a.dtype(), a.layout()); }

Run run_of(const LibraryCall& call, int operand) {
  Buffer& buffer = call.buffer(operand);
  const auto* first = static_cast<const char*>(call.data(operand));
  return {&buffer, static_cast<std::size_t>(first - static_cast<const char*>(buffer.data()))};
}

std::int64_t elements_of(const LibraryCall& call, int operand) {
  return size_of(call.layout(operand).shape);
}

array found(Ref<Value> value) {
  const Dtype dtype = value->dtype;
  SharedLayout layout = value->shape.dense();
  return array(Ref<Storage>(new Storage(std::move(value))), std::move(layout), dtype);
}

// Operands: the mask, then the values.

const Primitive selection = {
    "compress",
    [](LibraryCall& call) {
      call.give(0, call.device().compaction().select(run_of(call, 0), run_of(call, 1),
                                                     itemsize(call.node().dtype()),
                                                     elements_of(call, 0)));
    },
};

const Primitive expansion = {
    "expand",
    [](LibraryCall& call) {
      call.give(0, call.device().compaction().expand(run_of(call, 0), run_of(call, 1),
                                                     itemsize(call.node().dtype()),
                                                     elements_of(call, 0)));
    },
};

const Primitive finding = {
    "nonzero",
    [](LibraryCall& call) {
      call.give(0, call.device().compaction().nonzero(run_of(call, 0), elements_of(call, 0)));
    },
};

}  // namespace

array select_elements(const array& a, const array& mask) {
  Operand operands[] = {read(contiguous(mask, Dtype::bool_)), read(contiguous(a, a.dtype()))};
  return found(graph::make_sized(graph::draft(selection, Parameters{}), a.dtype(), a.size(),
                                 a.device(), operands));
}

array expand_elements(const array& values, const array& mask) {
  if (values.size() == 0) return empty(mask.shape(), values.dtype(), values.device());
  const array from = contiguous(values, values.dtype());
  const array flags = contiguous(mask, Dtype::bool_);
  Operand operands[] = {read(flags), read(from)};
  Ref<Value> value = graph::make(graph::draft(expansion, Parameters{}), values.dtype(),
                                 mask.shape(), values.device(), operands);
  return deferred(std::move(value), contiguous_layout(mask.shape()),
                  is_exported(from) || is_exported(flags));
}

array flat_nonzero(const array& a) {
  Operand operand = read(contiguous(a, Dtype::bool_));
  return found(graph::make_sized(graph::draft(finding, Parameters{}), Dtype::int64, a.size(),
                                 a.device(), std::span(&operand, 1)));
}

}  // namespace heddle
