#include "graph/node.h"

#include <algorithm>
#include <memory>

#include "graph/graph.h"
#include "graph/let_go.h"
#include "graph/node_maker.h"
#include "runtime/device.h"

namespace heddle {

Node::~Node() {
  for (Operand& operand : std::span(operands, operand_count)) {
    if (operand.value && !operand.value->computed()) let_go(operand.value);
    if (!more_operands_) operand.~Operand();
  }
}

void Node::set_operands(std::span<Operand> list) {
  if (list.data() == operands) {
    // Made where they stay.
  } else if (list.size() > inline_count) {
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
  List list;
  dying = &list;
  for (;;) {
    node->graph_->unlink(node);
    delete node;
    if (list.empty()) break;
    node = list.back();
    list.pop_back();
  }
  dying = nullptr;
}

void Node::drop_output(Value* value) {
  Graph& graph = *value->graph_;
  std::unique_lock lock(graph, std::try_to_lock);
  if (!lock.owns_lock()) return graph.put_aside(value);
  NodeMaker::end_output(value);
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

}  // namespace heddle
