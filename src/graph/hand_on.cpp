#include "graph/hand_on.h"

#include <algorithm>

#include "graph/cost.h"
#include "graph/node_facts.h"

namespace heddle::graph {

namespace {

// Whether all that another kernel reads of the value it reads element for element.
bool read_densely_elsewhere(const Plan& plan, const PlannedNode& planned) {
  const Value& value = planned.node->output();
  for (const auto& other : plan.nodes) {
    const Node& reader = *other.node;
    for (int i = 0; i < reader.operand_count; ++i) {
      if (reader.operands[i].value.get() != &value) continue;
      const bool plain = other.group >= 0 && other.group != planned.group &&
                         reader.kind != NodeKind::library && !reads_anywhere(reader, i) &&
                         !plan.recomputation.chosen(reader) &&
                         reads_densely(reader.operands[i], iteration_shape(reader));
      if (!plain) return false;
    }
  }
  return true;
}

}  // namespace

std::optional<std::vector<const Node*>> worth_handing_on(const Collected& graph, const Plan& plan,
                                                         const PlannedNode& planned) {
  const Node& node = *planned.node;
  const Recomputation& recomputation = plan.recomputation;
  if (!planned.output || planned.group < 0 || planned.again || recomputation.handed_on(node))
    return {};
  if (node.kind != NodeKind::elementwise || !Recomputation::repeatable(node)) return {};
  const Value& value = node.output();
  if (!graph.read_once(value) || again_cost(node) > store_cost(node.device())) return {};
  if (!read_densely_elsewhere(plan, planned)) return {};
  std::vector<const Node*> sources;
  std::size_t bytes = 0;
  for (int i = 0; i < node.operand_count; ++i) {
    const Operand& operand = node.operands[i];
    if (!operand.value) continue;
    if (recomputation.inlined(node, i)) return {};
    if (operand.value->computed()) {
      bytes += std::min(bytes_of(*operand.value), bytes_of(value));
      continue;
    }
    const PlannedNode& source = plan.at(*operand.value);
    bytes += bytes_of(*operand.value) * (source.output ? 1 : 2);
    sources.push_back(source.node);
  }
  if (bytes >= 2 * bytes_of(value)) return {};
  return sources;
}

}  // namespace heddle::graph
