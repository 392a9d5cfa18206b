// The end of storages, values and nodes. All of it is here, because every operation comes through
// all of it: one piece of code for the compiler.
#include "graph/let_go.h"

#include <atomic>
#include <mutex>

#include "graph/graph.h"
#include "graph/node_maker.h"
#include "graph/numbering.h"
#include "graph/storage.h"

namespace heddle {

namespace {
std::atomic<std::int64_t> held_total{0};
}

std::int64_t held_bytes() { return held_total.load(std::memory_order_relaxed); }

void count_held(Value& value) {
  if (!value.computed() || value.references() <= 1 || value.held) return;
  value.held = true;
  held_total += static_cast<std::int64_t>(value.buffer()->bytes());
}

Value::~Value() {
  if (numbered) Numbering::forget(*this);
  if (computed()) buffer_.~Ref();
}

void Value::destroy(Value* value) {
  if (!value->computed()) return Node::drop_output(value);
  if (value->held) held_total -= static_cast<std::int64_t>(value->buffer_->bytes());
  delete value;
}

// Of a node that was pending the graph is locked: nobody else comes to what was pending for it
// alone.
Node::~Node() {
  for (Operand& operand : std::span(operands, operand_count)) {
    Value* value = operand.value.get();
    if (value && !value->computed() && value->references() == 1 && value->graph() == graph_) {
      NodeMaker::end_output(operand.value.detach());
    }
    if (!more_operands_) operand.~Operand();
  }
}

// Chains of pending nodes are long: the last reference to one may be the last reference to the
// next, so destruction works through a list instead of recursing.
void Node::destroy(Node* node) {
  using List = SmallVector<Node*, 32>;
  thread_local List* dying = nullptr;
  List*& others = dying;
  if (others) {
    others->push_back(node);
    return;
  }
  List list;
  others = &list;
  for (;;) {
    node->graph_->unlink(node);
    delete node;
    if (list.empty()) break;
    node = list.back();
    list.pop_back();
  }
  others = nullptr;
}

void NodeMaker::end_output(Value* value) {
  Node* node = value->node();
  const auto which = value->output;
  if (!node) return Value::destroy(value);  // computed meanwhile
  delete value;
  if (node->more_outputs_.empty()) return Node::destroy(node);
  node->more_outputs_[which] = nullptr;
  if (which == 0) node->output_ = nullptr;
  for (const Value* other : node->more_outputs_) {
    if (other) return;
  }
  Node::destroy(node);
}

void Node::drop_output(Value* value) {
  Graph& graph = *value->graph_;
  std::unique_lock lock(graph, std::try_to_lock);
  if (!lock.owns_lock()) return graph.put_aside(value);
  NodeMaker::end_output(value);
}

void let_go(Ref<Value>& value) {
  if (!value->computed() && value->references() == 1 && value->graph() == detail::own_graph) {
    std::unique_lock lock(*value->graph(), std::try_to_lock);
    if (lock.owns_lock() && value->references() == 1) return NodeMaker::end_output(value.detach());
  }
  value.reset();
}

[[gnu::flatten]] void Storage::destroy(Storage* storage) {
  count_held(*storage->value_);
  let_go(storage->value_);
  delete storage;
}

}  // namespace heddle
