// Whether a node can be part of the kernel of what it reads.
#include <algorithm>

#include "graph/cost.h"
#include "graph/node_facts.h"
#include "graph/planner.h"
#include "runtime/device.h"

namespace heddle::graph {

namespace {

Dims without_ones(const Dims& shape) {
  Dims result;
  for (auto extent : shape) {
    if (extent != 1) result.push_back(extent);
  }
  return result;
}

// A result on the kept axes, read back over the whole domain: stride 0 along the reduced axes.
bool broadcasts_back(const Operand& operand, const Group& group) {
  if (operand.dtype != operand.value->dtype || !operand.layout) return false;
  const Layout& layout = *operand.layout;
  if (layout.shape != group.domain || layout.offset != 0) return false;
  auto kept = contiguous_strides(kept_shape(group));
  std::int64_t k = 0;
  for (std::int64_t d = 0; d < layout.ndim(); ++d) {
    bool is_reduced = group.reduced >> d & 1;
    auto expected = is_reduced ? 0 : kept[k++];
    if (layout.shape[d] > 1 && layout.strides[d] != expected) return false;
  }
  return true;
}

}  // namespace

Planner::Fit Planner::fit(const Node& node, const Operand& operand) const {
  const PlannedNode& producer = plan_.at(*operand.value);
  const Group& group = plan_.groups[producer.group];
  const Dims& space = space_of(node);
  if (writes(*producer.node)) {
    return reads_beside(node, operand) ? Fit{Stop::none, false, producer.phase}
                                       : Fit{Stop::written};
  }
  if (producer.node->kind == NodeKind::library) return {Stop::library};
  if (group.bundle >= 0) return {Stop::shape};
  bool reduction = node.kind == NodeKind::reduce || node.kind == NodeKind::argreduce;
  bool accumulates = reduction || node.kind == NodeKind::scan;
  if (!producer.row) {
    if (!reads_densely(operand, space)) return {Stop::view};
    if (wastes_words(group.block, space) && needs_rows(node, space)) return {Stop::words};
    if (space != group.domain && (!group.flat || group.reduces || group.scans)) {
      return {Stop::shape};
    }
    if (accumulates) {
      if ((group.reduces || group.scans) && group.reduced != node.axes) return {Stop::axes};
      if (group.scans != (node.kind == NodeKind::scan) && (group.reduces || group.scans)) {
        return {Stop::axes};
      }
      if (producer.scanned && !node.device().chains_scans()) return {Stop::scan};
    }
    return {Stop::none, reduction, producer.phase};
  }
  if (accumulates) return {Stop::axes};
  auto after = static_cast<std::uint8_t>(producer.phase + 1);
  if (!writes(node) && space == group.domain && broadcasts_back(operand, group)) {
    return {Stop::none, false, after};
  }
  if (reads_densely(operand, space) && without_ones(space) == without_ones(kept_shape(group)) &&
      !writes(node) && !pulled(node).any) {
    return {Stop::none, true, producer.phase};
  }
  return {Stop::view};
}

Planner::Fit Planner::fit(const Node& node, int i) const {
  if (node.kind == NodeKind::library) return {Stop::library};
  if (i == 0 && writes(node)) return fit_after(node);
  if (reads_anywhere(node, i) && !chosen(node)) return {Stop::needs_memory};
  return fit(node, node.operands[i]);
}

bool Planner::reads_beside(const Node& node, const Operand& operand) const {
  const PlannedNode& producer = plan_.at(*operand.value);
  const Group& group = plan_.groups[producer.group];
  if (node.kind != NodeKind::elementwise || group.reduces || group.scans || !operand.layout ||
      space_of(node) != group.domain || operand.dtype != operand.value->dtype) {
    return false;
  }
  const Node& first = plan_.first_update(operand);
  if (plan_.recomputation.blank(first)) return false;
  for (const Node* update = producer.node;; update = update->operands[0].value->node()) {
    if (!is_plain_update(*update) || overlap_with(*update, operand) != Overlap::none) return false;
    if (update == &first) return true;
  }
}

Planner::Fit Planner::fit_after(const Node& update) const {
  const PlannedNode& before = plan_.at(*update.operands[0].value);
  if (!is_plain_update(update) || !is_plain_update(*before.node) || !writes(*before.node)) {
    return {Stop::target};
  }
  const Value& left = before.node->output();
  const Group& group = plan_.groups[before.group];
  // What reads it in the same kernel reads beside what was written.
  std::int32_t beside = 0;
  for (auto n : group.nodes) {
    const Node& node = *plan_.nodes[n].node;
    for (int i = 0; i < node.operand_count; ++i) beside += node.operands[i].value.get() == &left;
  }
  if (!graph_.dies(left) || graph_.reads(left) != 1 + beside) return {Stop::target};
  if (group.reduces || group.scans || space_of(update) != group.domain) return {Stop::shape};
  std::vector<const Value*> chain(1, update.operands[0].value.get());
  while (!chain.back()->computed()) {
    const PlannedNode& other = plan_.at(*chain.back());
    if (other.group != before.group || !writes(*other.node)) break;
    if (!write_apart(update, *other.node)) return {Stop::twice};
    chain.push_back(other.node->operands[0].value.get());
  }
  if (writes_few(update) && chain.size() > most_short_writes) return {Stop::few};
  for (auto n : group.nodes) {
    const Node& node = *plan_.nodes[n].node;
    for (int i = 0; i < node.operand_count; ++i) {
      if (i == 0 && writes(node)) continue;
      const Value* read = node.operands[i].value.get();
      if (std::find(chain.begin(), chain.end(), read) == chain.end()) continue;
      if (overlap_with(update, node.operands[i]) == Overlap::overlap) return {Stop::overlap};
    }
  }
  return {Stop::none, false, before.phase};
}

bool Planner::follows(const Node& node, std::int32_t group) const {
  for (int i = 0; i < node.operand_count; ++i) {
    const Operand& operand = node.operands[i];
    if (!operand.value || operand.value->computed() || inlined(node, i)) continue;
    if (plan_.at(*operand.value).group != group) continue;
    if (fit(node, i).stop != Stop::none) return true;
  }
  const auto& memory = pulled(node).memory;
  return std::any_of(memory.begin(), memory.end(), [&](const Instances::Read& read) {
    const Value& value = *read.source().value;
    return !value.computed() && plan_.at(value).group == group;
  });
}

bool Planner::wait(std::int32_t index, std::int32_t stage) {
  Group& group = plan_.groups[index];
  if (group.library) return false;
  for (std::size_t n = 0; n < end_of_placed(); ++n) {
    const PlannedNode& other = plan_.nodes[n];
    if (other.group < 0 || other.group == index) continue;
    if (plan_.groups[other.group].stage > stage) continue;
    bool needed = false;
    each_source(*other.node, [&](const Value& value) { needed |= plan_.at(value).group == index; });
    if (needed) return false;
    if (writes(*other.node) && reads(group, other.node->operands[0].value.get())) return false;
  }
  group.stage = stage;
  return true;
}

bool Planner::reads(const Group& group, const Value* value) const {
  for (auto n : group.nodes) {
    const Node& node = *plan_.nodes[n].node;
    for (int i = 0; i < node.operand_count; ++i) {
      if (node.operands[i].value.get() == value) return true;
    }
  }
  return false;
}

bool Planner::needs_scan_of(const Node& node, std::int32_t group) const {
  for (int i = 0; i < node.operand_count; ++i) {
    const Operand& operand = node.operands[i];
    if (!operand.value || operand.value->computed()) continue;
    const PlannedNode& producer = plan_.at(*operand.value);
    if (producer.group == group && producer.scanned) return true;
  }
  return false;
}

}  // namespace heddle::graph
