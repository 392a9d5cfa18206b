#include "graph/node.h"

#include <algorithm>
#include <memory>

#include "graph/graph.h"
#include "runtime/device.h"

namespace heddle {

Node::~Node() {
  if (!more_operands_) std::destroy_n(inline_operands_, operand_count);
}

void Node::set_operands(std::span<Operand> list) {
  if (list.size() > inline_count) {
    more_operands_ = std::make_unique<Operand[]>(list.size());
    operands = more_operands_.get();
    std::move(list.begin(), list.end(), operands);
  } else {
    std::uninitialized_move(list.begin(), list.end(), operands);
  }
  operand_count = static_cast<std::uint8_t>(list.size());
}

void Node::complete(std::span<Ref<Buffer>> results) {
  auto all = outputs();
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (!all[i]) continue;
    all[i]->set_buffer(std::move(results[i]));
  }
  destroy(this);
}

// Chains of pending nodes are long: the last reference to one may be the last reference to the
// next, so destruction works through a list instead of recursing.
void Node::destroy(Node* node) {
  using List = SmallVector<Node*, 32>;
  thread_local List* dying = nullptr;
  if (dying) {
    dying->push_back(node);
    return;
  }
  List list{node};
  dying = &list;
  while (!list.empty()) {
    Node* current = list.back();
    list.pop_back();
    current->graph_->unlink(current);
    delete current;
  }
  dying = nullptr;
}

void Node::drop_output(Value* value) {
  Graph& graph = *value->graph_;
  std::unique_lock lock(graph, std::try_to_lock);
  if (!lock.owns_lock()) return graph.put_aside(value);
  Node* node = value->node();
  const auto which = value->output;
  if (!node) return Value::destroy(value);  // computed meanwhile
  delete value;
  if (node->more_outputs_.empty()) return destroy(node);
  node->more_outputs_[which] = nullptr;
  if (which == 0) node->output_ = nullptr;
  for (const Value* other : node->more_outputs_) {
    if (other) return;
  }
  destroy(node);
}

}  // namespace heddle
