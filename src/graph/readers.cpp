#include "graph/readers.h"

#include <string_view>

#include <heddle/op_table.h>

namespace heddle::graph {

namespace {

// Whether two nodes are results of one function, of the same operands.
bool are_of_one_call(const Node& a, const Node& b) {
  if (b.kind != NodeKind::elementwise || a.operand_count != b.operand_count) return false;
  const OpInfo &one = info(a.op), &other = info(b.op);
  if (!other.function || std::string_view(one.function) != other.function) return false;
  if (a.shape() != b.shape()) return false;
  for (int o = 0; o < a.operand_count; ++o) {
    if (a.operands[o].value.get() != b.operands[o].value.get()) return false;
  }
  return true;
}

}  // namespace

bool is_one_of_several(const Node& node) {
  return node.kind == NodeKind::elementwise && info(node.op).outputs > 1;
}

std::vector<Ref<Value>> results_outside(std::span<Value* const> wanted) {
  std::vector<Ref<Value>> found;
  const auto add = [&](const Node& node, Node* other) {
    if (other->mark >= 0 || other->runner || other->stopped) return;
    if (!are_of_one_call(node, *other)) return;
    for (Value* output : other->outputs()) {
      if (!output) continue;
      if (auto alive = Ref<Value>::lock(output)) found.push_back(std::move(alive));
    }
  };
  for (const Value* value : wanted) {
    const Node* node = value->node();
    if (!node || !is_one_of_several(*node)) continue;
    // They were made one after the other.
    Node *before = node->previous, *after = node->next;
    for (int i = 1; i < info(node->op).outputs; ++i) {
      if (before) add(*node, before), before = before->previous;
      if (after) add(*node, after), after = after->next;
    }
  }
  return found;
}

bool reads(const Node& reader, const Value* value) {
  for (int o = 0; o < reader.operand_count; ++o) {
    if (reader.operands[o].value.get() == value) return true;
  }
  return false;
}

std::vector<Ref<Value>> readers_outside(const Graph& graph, const Collected& collected) {
  std::vector<Ref<Value>> found;
  for (const Node* update : collected.nodes()) {
    if (update->kind != NodeKind::update) continue;
    const Value& old = *update->operands[0].value;
    if (collected.dies(old)) continue;
    for (Node* node = graph.first(); node && node->sequence < update->sequence; node = node->next) {
      if (node->mark >= 0 || node->runner || node->stopped || !reads(*node, &old)) continue;
      for (Value* output : node->outputs()) {
        if (!output) continue;
        if (auto alive = Ref<Value>::lock(output)) found.push_back(std::move(alive));
      }
    }
  }
  return found;
}

}  // namespace heddle::graph
