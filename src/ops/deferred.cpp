#include "ops/deferred.h"

#include "graph/batch.h"
#include "graph/graph.h"
#include "graph/recorder.h"
#include "graph/storage.h"

namespace heddle {

bool is_exported(const array& a) {
  return !a.number() && a.storage().exports.load(std::memory_order_relaxed) != 0;
}

bool is_snapshot(const array& a) { return a.number() || a.storage().snapshot; }

namespace {

void evaluate_for(const array& made) {
  array all = made;
  // Batches nest: what an inner one has of all rows may stand for the rows of an outer one.
  while (std::optional<array> outer = stands_for(all)) all = std::move(*outer);
  all.eval();
}

// Every operation ends here: the fewer objects are moved about the better.
inline array stored(Ref<Value>&& value, SharedLayout&& layout, bool at_once) {
  const Dtype dtype = value->dtype;
  Ref<Storage> storage(new Storage(std::move(value)));
  storage->snapshot = layout->ndim() == 0;
  array made(std::move(storage), std::move(layout), dtype);
  if (at_once) evaluate_for(made);
  return made;
}

}  // namespace

array deferred(Ref<Value> value, SharedLayout layout, bool at_once) {
  return stored(std::move(value), std::move(layout), at_once);
}

array deferred(Ref<Value> value, bool at_once) {
  SharedLayout layout = value->shape.dense();
  return stored(std::move(value), std::move(layout), at_once);
}

bool is_stand_in(const array& a) {
  const Graph* graph = a.number() ? nullptr : a.storage().value()->graph();
  return graph && graph->has_stand_ins();
}

bool is_unknown(const array& a) {
  const Recorder* recorder = Recorder::current();
  return is_stand_in(a) || (recorder && recorder->defers_index_errors());
}

std::optional<array> stands_for(const array& a) {
  const Recorder* recorder = Recorder::current();
  if (!recorder || a.number()) return std::nullopt;
  const Ref<Value> held = a.storage().value();
  const Value& value = *held;
  Ref<Value> all = recorder->stands_for(value);
  if (!all) return std::nullopt;
  Layout layout = graph::with_rows(all->shape[0], a.layout(), graph::row_stride(value, a.dtype()));
  return array(Ref<Storage>(new Storage(std::move(all))), std::move(layout), a.dtype());
}

Operand reading(const array& a) {
  return graph::reading(a.storage().value(), a.dtype(), a.shared_layout());
}

}  // namespace heddle
