#include "graph/recompute.h"

#include <algorithm>

#include "graph/cost.h"
#include "graph/plan.h"

namespace heddle::graph {

namespace {

// Nodes that may be computed at other places than their own, and any number of times.
bool repeatable(const Node& node) {
  if (node.kind == NodeKind::index) return true;
  return node.kind == NodeKind::elementwise && node.op != Op::reported && node.op != Op::bounded;
}

}  // namespace

Recomputation::Recomputation(const Collected& graph) {
  const auto count = graph.nodes().size();
  views_.resize(count);
  dense_.assign(count, false);
  memory_.assign(count, false);
  inlined_.assign(count, false);
  home_.assign(count, true);
  collect_views(graph);
  if (std::all_of(views_.begin(), views_.end(), [](const auto& views) { return views.empty(); })) {
    return;
  }
  // Operands come first: whether they are memory is known.
  for (const Node* node : graph.nodes()) {
    const auto n = static_cast<std::size_t>(node->mark);
    if (views_[n].empty()) continue;
    if (pays(*node)) {
      inlined_[n] = any_ = true;
    } else {
      memory_[n] = true;
    }
  }
  if (any_) find_homes(graph);
}

void Recomputation::store(const Collected& graph, const Node& node) {
  const auto n = static_cast<std::size_t>(node.mark);
  memory_[n] = true;
  inlined_[n] = false;
  find_homes(graph);
}

bool Recomputation::reads_memory(const Node& reader, int operand) const {
  if (reader.kind == NodeKind::library) return true;
  if (reader.operands[operand].dtype != reader.operands[operand].value->dtype) return true;
  return (reader.kind == NodeKind::gather || reader.kind == NodeKind::update) && operand == 0;
}

void Recomputation::collect_views(const Collected& graph) {
  for (const Node* node : graph.nodes()) {
    const auto n = static_cast<std::size_t>(node->mark);
    memory_[n] = !repeatable(*node) || !graph.dies(node->output());
    for (int o = 0; o < node->operand_count; ++o) {
      const Operand& operand = node->operands[o];
      const Node* made_by = operand.value ? operand.value->node() : nullptr;
      if (!made_by) continue;
      const auto m = static_cast<std::size_t>(made_by->mark);
      if (reads_memory(*node, o)) {
        memory_[m] = true;
      } else if (reads_densely(operand, iteration_shape(*node))) {
        dense_[m] = true;
      } else if (repeatable(*made_by)) {
        views_[m].push_back({node, o});
      }
    }
  }
  // What an update overwrites is read before, by kernels that are known.
  for (const Node* update : graph.nodes()) {
    if (update->kind != NodeKind::update) continue;
    for (const Node* node : graph.nodes()) {
      for (int o = 0; o < node->operand_count; ++o) {
        if (node->operands[o].value != update->operands[0].value) continue;
        memory_[static_cast<std::size_t>(node->mark)] = true;
        views_[static_cast<std::size_t>(node->mark)].clear();
      }
    }
  }
}

bool Recomputation::pays(const Node& node) const {
  const auto n = static_cast<std::size_t>(node.mark);
  if (memory_[n]) return false;
  double times = dense_[n] ? 1 : 0;
  Instances instances(*this);
  std::vector<std::int32_t> seen;
  for (const View& view : views_[n]) {
    const Operand& operand = view.reader->operands[view.operand];
    auto access = Access::of(*operand.layout, node.shape());
    auto instance = access ? instances.add(node, *access) : -1;
    if (instance < 0) return false;
    if (std::find(seen.begin(), seen.end(), instance) != seen.end()) continue;
    seen.push_back(instance);
    auto elements = static_cast<double>(size_of(operand.layout->shape));
    times += std::max(elements / static_cast<double>(node.output().size()), 1.0);
  }
  double cost = 0;
  for (const auto& instance : instances.all()) cost += node_cost(*instance.node);
  cost /= static_cast<double>(seen.size());
  return (times - 1) * cost <= store_cost(node.device());
}

bool Recomputation::followed(const Operand& operand) const {
  const Node* node = operand.value ? operand.value->node() : nullptr;
  if (!node || node->mark < 0 || operand.dtype != operand.value->dtype) return false;
  const auto n = static_cast<std::size_t>(node->mark);
  return inlined_[n] || !memory_[n];
}

bool Recomputation::inlined(const Node& reader, int o) const {
  const Operand& operand = reader.operands[o];
  const Node* node = operand.value ? operand.value->node() : nullptr;
  if (!any_ || !node || !inlined_[static_cast<std::size_t>(node->mark)]) return false;
  return !reads_memory(reader, o) && !reads_densely(operand, iteration_shape(reader));
}

void Recomputation::find_homes(const Collected& graph) {
  home_ = memory_;
  for (std::size_t n = graph.nodes().size(); n-- > 0;) {
    const Node& reader = *graph.nodes()[n];
    if (!home_[n]) continue;
    for (int o = 0; o < reader.operand_count; ++o) {
      const Node* node = reader.operands[o].value ? reader.operands[o].value->node() : nullptr;
      if (node && !inlined(reader, o)) home_[static_cast<std::size_t>(node->mark)] = true;
    }
  }
}

std::int32_t Instances::add(const Node& reader, int operand) {
  const Operand& read = reader.operands[operand];
  auto access = Access::of(*read.layout, read.value->shape);
  return access ? add(*read.value->node(), *access) : -1;
}

std::int32_t Instances::add(const Node& node, const Access& access) {
  for (std::size_t i = 0; i < all_.size(); ++i) {
    if (all_[i].node == &node && all_[i].access == access) return static_cast<std::int32_t>(i);
  }
  constexpr std::int32_t most = 1024;
  if (++visited_ > most) return -1;
  if (node.kind == NodeKind::index && access.space() != node.shape()) return -1;
  std::vector<Read> reads(static_cast<std::size_t>(node.operand_count));
  for (int o = 0; o < node.operand_count; ++o) {
    const Operand& operand = node.operands[o];
    Read& read = reads[static_cast<std::size_t>(o)];
    if (!operand.value) continue;
    auto layout = access.through(operand, node);
    if (!layout) return -1;
    if (recomputation_.followed(operand)) {
      auto place = Access::of(*layout, operand.value->shape);
      if (!place) return -1;
      read.instance = add(*operand.value->node(), *place);
      if (read.instance < 0) return -1;
    } else {
      read.layout = std::move(layout);
    }
  }
  all_.push_back({&node, access, std::move(reads)});
  return static_cast<std::int32_t>(all_.size()) - 1;
}

}  // namespace heddle::graph
