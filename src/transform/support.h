// Small things that rules share.
#pragma once

#include <utility>

#include "graph/node.h"
#include "graph/storage.h"
#include "ops/elementwise.h"
#include <heddle/array.h>
#include <heddle/indexing.h>
#include <heddle/ufuncs.h>

namespace heddle::transform {

// A value that nobody else has an array of.
inline array holding(const Ref<Value>& value, SharedLayout layout, Dtype dtype) {
  return {Ref<Storage>(new Storage(value)), std::move(layout), dtype};
}

// The elements as they are now, whatever is written to the array later; shared memory still
// changes.
inline array holding(const array& a) {
  return holding(a.storage().value(), a.shared_layout(), a.dtype());
}

// Whether a value is a copy of another one. Who records a call inside of a step gives arrays that
// share their value such (see Scripting): the elements are the same.
inline bool is_copy(const Value& value, const Value& of) {
  const Node* node = value.node();
  return node && node->kind == NodeKind::elementwise && node->op == Op::cast &&
         node->operand_count == 1 && node->operands[0].value.get() == &of &&
         !node->operands[0].layout && value.dtype == of.dtype && value.shape == of.shape;
}

// The cotangent times a slope; 0 where it is 0.
inline array gated(const array& cotangent, const array& slope) {
  return elementwise(Op::gated, {cotangent, slope});
}

// A divisor that is 0 only where what it divides is.
inline array or_one(const array& divisor) { return where(divisor == 0, Scalar(1), divisor); }

// The same with at least one dimension. Writing a single element through a view without any would
// evaluate it at once, while the trail holds everything that led to it.
inline Layout with_dimension(Layout layout) {
  if (layout.ndim() > 0) return layout;
  return {{1}, {1}, layout.offset};
}

}  // namespace heddle::transform
