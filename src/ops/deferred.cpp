#include "ops/deferred.h"

#include "graph/graph.h"
#include "graph/storage.h"

namespace heddle {

bool is_exported(const array& a) {
  return !a.number() && a.storage().exports.load(std::memory_order_relaxed) != 0;
}

bool is_snapshot(const array& a) { return a.number() || a.storage().snapshot; }

array deferred(Ref<Value> value, SharedLayout layout, bool at_once) {
  Dtype dtype = value->dtype;
  array made(Ref<Storage>(new Storage(std::move(value))), std::move(layout), dtype);
  made.storage().snapshot = made.ndim() == 0;
  if (at_once) made.eval();
  return made;
}

array deferred(Ref<Value> value, bool at_once) {
  SharedLayout layout = value->shape.dense();
  return deferred(std::move(value), std::move(layout), at_once);
}

Operand reading(const array& a) {
  return graph::reading(a.storage().value(), a.dtype(), a.shared_layout());
}

}  // namespace heddle
