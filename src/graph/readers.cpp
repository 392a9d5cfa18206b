#include "graph/readers.h"

namespace heddle::graph {

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
