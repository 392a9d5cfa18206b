#include "ops/selection.h"

#include "graph/batch.h"
#include "graph/derivative.h"
#include "graph/make.h"
#include "graph/storage.h"
#include "ops/creation.h"
#include "ops/deferred.h"
#include "ops/elementwise.h"
#include "ops/indexing.h"
#include "runtime/compaction.h"
#include "runtime/device.h"
#include <heddle/creation.h>
#include <heddle/indexing.h>
#include <heddle/reductions.h>
#include <heddle/ufuncs.h>

namespace heddle {
namespace {

// Its elements one after the other in memory.
Operand reading_in_order(const array& a, Dtype dtype) {
  const bool in_order =
      a.dtype() == dtype && a.storage().value()->dtype == dtype && is_c_contiguous(a.layout());
  return in_order ? reading(a) : reading(dense(a, dtype));
}

Run run_of(const LibraryCall& call, int operand) {
  Buffer& buffer = call.buffer(operand);
  const auto* first = static_cast<const char*>(call.data(operand));
  return {&buffer, static_cast<std::size_t>(first - static_cast<const char*>(buffer.data()))};
}

std::int64_t elements_of(const LibraryCall& call, int operand) {
  return size_of(call.layout(operand).shape);
}

// Operands: the mask, then the values.

const graph::Derivative derivative_of_selection = {
    0b01, 0, [](graph::Pullback& step) {
      const array& mask = step.operand(0);
      const array spread = where(mask, expand_elements(*step.cotangent(0), mask), Scalar(0));
      step.give(1, spread.reshape(step.shape_of(1)));
    }};

const graph::Derivative derivative_of_expansion = {0b01, 0, [](graph::Pullback& step) {
                                                     const array chosen = select_elements(
                                                         *step.cotangent(0), step.operand(0));
                                                     step.give(1, chosen.reshape(step.shape_of(1)));
                                                   }};

// Each place reads the element that as many true ones lead to.
void batch_expansion(graph::Batch& step) {
  const std::int64_t rows = step.rows();
  const array mask = step.operand(0), values = step.spread(1).reshape({rows, -1});
  const bool shared = !step.has_rows(0);
  const array flags = mask.reshape({shared ? 1 : rows, -1});
  const array place = maximum(cumsum(flags, 1, Dtype::int64) - 1, 0);
  const array row = arange(Scalar(rows), Dtype::int64).reshape({rows, 1});
  const array first = (row * values.shape()[1]) + minimum(place, values.shape()[1] - 1);
  step.give(
      0, take(values.reshape({-1}), first).reshape(graph::with_rows(rows, step.shape_of_output())));
}

const Primitive selection = {
    "compress",
    [](LibraryCall& call) {
      call.give(0, call.device().compaction().select(run_of(call, 0), run_of(call, 1),
                                                     itemsize(call.node().dtype()),
                                                     elements_of(call, 0)));
    },
    &derivative_of_selection,
};

const Primitive expansion = {
    "expand",
    [](LibraryCall& call) {
      call.give(0, call.device().compaction().expand(run_of(call, 0), run_of(call, 1),
                                                     itemsize(call.node().dtype()),
                                                     elements_of(call, 0)));
    },
    &derivative_of_expansion,
    batch_expansion,
};

const Primitive finding = {
    "nonzero",
    [](LibraryCall& call) {
      call.give(0, call.device().compaction().nonzero(run_of(call, 0), elements_of(call, 0)));
    },
};

}  // namespace

bool is_sized(const Primitive& primitive) {
  return &primitive == &selection || &primitive == &finding;
}

array select_elements(const array& a, const array& mask) {
  // The mask has elements to be counted: each row gives as many, from the same places.
  if (is_stand_in(a) && !is_stand_in(mask)) return take(a.reshape({-1}), flat_nonzero(mask));
  Operand operands[] = {reading_in_order(mask, Dtype::bool_), reading_in_order(a, a.dtype())};
  return deferred(
      graph::make_sized(graph::draft(selection), a.dtype(), a.size(), a.device(), operands), false);
}

array expand_elements(const array& values, const array& mask) {
  if (values.size() == 0) return empty(mask.shape(), values.dtype(), values.device());
  Operand operands[] = {reading_in_order(mask, Dtype::bool_),
                        reading_in_order(values, values.dtype())};
  Ref<Value> value =
      graph::make(graph::draft(expansion), values.dtype(), mask.shape(), values.device(), operands);
  return deferred(std::move(value), is_exported(values) || is_exported(mask));
}

array flat_nonzero(const array& a) {
  Operand operand = reading_in_order(a, Dtype::bool_);
  return deferred(graph::make_sized(graph::draft(finding), Dtype::int64, a.size(), a.device(),
                                    std::span(&operand, 1)),
                  false);
}

}  // namespace heddle
