#include "ops/deferred.h"

#include "core/storage.h"
#include "graph/graph.h"

namespace heddle {

bool is_exported(const array& a) {
  return !a.number() && a.storage().exports.load(std::memory_order_relaxed) != 0;
}

bool is_snapshot(const array& a) { return a.number() || a.storage().snapshot; }

array deferred(Ref<Value> node, Layout layout, bool at_once) {
  Dtype dtype = node->dtype;
  array made(Ref<Storage>(new Storage(std::move(node))), std::move(layout), dtype);
  made.storage().snapshot = made.ndim() == 0;
  if (at_once) {
    made.eval();
  } else {
    enforce_limits(made.storage().value.get());
  }
  return made;
}

}  // namespace heddle
