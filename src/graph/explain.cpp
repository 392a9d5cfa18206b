#include "graph/explain.h"

#include <fmt/format.h>

#include "graph/forward.h"
#include "graph/graph.h"
#include "graph/plan.h"

namespace heddle {

std::string graph::name_of(const Node& node) {
  switch (node.kind) {
    case NodeKind::elementwise:
    case NodeKind::argreduce:
      return node.op == Op::argmin   ? "argmin"
             : node.op == Op::argmax ? "argmax"
                                     : info(node.op).name;
    case NodeKind::reduce:
      return fmt::format("{}.reduce", info(node.combine).name);
    case NodeKind::scan:
      return fmt::format("{}.accumulate", info(node.combine).name);
    case NodeKind::index:
      return "index";
    case NodeKind::random:
      return "random";
    case NodeKind::gather:
      return "gather";
    case NodeKind::update:
      return "write";
    case NodeKind::library:
      return node.primitive->name;
  }
  return "";
}

std::string explain(std::span<Value* const> targets) {
  Graph& own = Graph::own();
  for (Value* target : targets) {
    if (target->graph() != &own) evaluate(target);  // pending in another thread
  }
  std::lock_guard lock(own);
  std::optional<graph::Collected> graph(std::in_place, own, targets);
  graph::forward_reads(own, targets, graph);
  graph::Plan plan(*graph);
  if (plan.order.empty()) return "nothing is pending: the data is in memory\n";
  std::string text = fmt::format("{} kernel{} for {} operations\n", plan.order.size(),
                                 plan.order.size() == 1 ? "" : "s", plan.nodes.size());
  int number = 0;
  for (auto g : plan.order) {
    const graph::Group& group = plan.groups[g];
    if (group.library) {
      const Node& node = *plan.nodes[group.nodes[0]].node;
      text += fmt::format("\nlibrary call {}: {}\n", ++number, node.primitive->name);
      continue;
    }
    text += fmt::format("\nkernel {}: domain {}", ++number, to_string(group.domain));
    if (group.reduced) {
      Dims axes;
      for (int d = 0; d < max_dims; ++d) {
        if (group.reduced >> d & 1) axes.push_back(d);
      }
      text += fmt::format(", {} over axes {}", group.scans ? "scan" : "reduction", to_string(axes));
    }
    text += "\n  operations:";
    graph::Stop stop = graph::Stop::none;
    std::string outputs;
    for (auto n : group.nodes) {
      const auto& node = plan.nodes[n];
      text += " " + graph::name_of(*node.node);
      if (node.stop != graph::Stop::none) stop = node.stop;
      if (node.output) {
        outputs += fmt::format(" {}{}", name(node.node->dtype()), to_string(node.node->shape()));
      }
    }
    text += "\n  writes:" + outputs + "\n";
    if (stop != graph::Stop::none)
      text += fmt::format("  starts here because: {}\n", describe(stop));
  }
  return text;
}

}  // namespace heddle
