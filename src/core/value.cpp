#include "core/value.h"

#include <atomic>

#include "graph/cost.h"
#include "graph/graph.h"
#include "runtime/device.h"

namespace heddle {

namespace {
Value* oldest = nullptr;
Value* newest = nullptr;
std::int64_t count = 0;

void link(Value* value) {
  value->previous = newest;
  (newest ? newest->next : oldest) = value;
  newest = value;
  ++count;
}

void unlink(Value* value) {
  (value->previous ? value->previous->next : oldest) = value->next;
  (value->next ? value->next->previous : newest) = value->previous;
  value->previous = value->next = nullptr;
  --count;
}
}  // namespace

Value* first_pending() { return oldest; }
std::int64_t pending_count() { return count; }

Value::Value(NodeKind node_kind, Dtype type, Dims extents, Device& where)
    : kind(node_kind), dtype(type), shape(std::move(extents)), device(&where) {
  check_dims(shape.size());
  std::int64_t bytes = 0;
  if (__builtin_mul_overflow(size(), itemsize(dtype), &bytes)) throw_too_big();
  if (!computed()) link(this);
}

Ref<Value> Value::with_buffer(Dtype dtype, Dims shape, Ref<Buffer> buffer) {
  Ref<Value> value(new Value(NodeKind::data, dtype, std::move(shape), buffer->device()));
  value->buffer = std::move(buffer);
  return value;
}

void Value::set_operands(std::span<Operand> list) {
  operand_count = static_cast<std::uint8_t>(list.size());
  if (list.size() > inline_count) {
    more_operands_ = std::make_unique<Operand[]>(list.size());
    operands = more_operands_.get();
  }
  pending = graph::weight_of(*this);
  for (std::size_t i = 0; i < list.size(); ++i) {
    // x * x needs x once.
    bool again = i > 0 && list[i].value && operands[i - 1].value == list[i].value;
    if (list[i].value && !again) pending += list[i].value->pending;
    operands[i] = std::move(list[i]);
  }
}

void Value::clear_operands() {
  for (int o = 0; o < operand_count; ++o) {
    operands[o].value.reset();
    operands[o].layout.reset();
  }
  operand_count = 0;
  operands = inline_operands;
  more_operands_.reset();
}

void Value::complete(Ref<Buffer> result) {
  unlink(this);
  kind = NodeKind::data;
  buffer = std::move(result);
  pending = 0;
  target.reset();
  clear_operands();
}

namespace {

// Pending nodes whose last reference went while another thread held the graph. Waiting for it here
// could deadlock: the holder may be waiting for a lock of ours (a front end's interpreter lock).
struct Graveyard {
  std::mutex mutex;
  std::vector<Value*> values;
  std::atomic<bool> occupied{false};
};
Graveyard& graveyard() {
  static auto* instance = new Graveyard;
  return *instance;
}

// Chains of pending nodes are long: the last reference to one may be the last reference to the
// next, so destruction works through a list instead of recursing. The graph is locked.
void destroy_pending(Value* value) {
  using List = SmallVector<Value*, 32>;
  thread_local List* dying = nullptr;
  if (dying) {
    dying->push_back(value);
    return;
  }
  List list{value};
  dying = &list;
  while (!list.empty()) {
    Value* current = list.back();
    list.pop_back();
    if (!current->computed()) unlink(current);
    if (current->held) forget_held(*current);
    delete current;
  }
  dying = nullptr;
}

}  // namespace

void bury_values() {
  if (!graveyard().occupied.load(std::memory_order_relaxed)) return;
  std::vector<Value*> values;
  {
    std::lock_guard lock(graveyard().mutex);
    values.swap(graveyard().values);
    graveyard().occupied.store(false, std::memory_order_relaxed);
  }
  for (Value* value : values) destroy_pending(value);
}

void Value::destroy(Value* value) {
  if (value->computed()) {
    if (value->held) forget_held(*value);
    delete value;  // no operands, not in the list
    return;
  }
  std::unique_lock lock(graph_mutex(), std::try_to_lock);
  if (lock.owns_lock()) {
    destroy_pending(value);
  } else {
    std::lock_guard wait(graveyard().mutex);
    graveyard().values.push_back(value);
    graveyard().occupied.store(true, std::memory_order_relaxed);
  }
}

}  // namespace heddle
