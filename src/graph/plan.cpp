#include "graph/plan.h"

#include <algorithm>

#include "graph/cost.h"
#include "graph/hand_on.h"
#include "graph/node_facts.h"
#include "graph/planner.h"
#include "graph/readers.h"
#include <heddle/small_vector.h>

namespace heddle::graph {

Dims kept_shape(const Group& group) {
  Dims shape;
  for (std::int64_t d = 0; d < group.domain.size(); ++d) {
    if (!(group.reduced >> d & 1)) shape.push_back(group.domain[d]);
  }
  return shape;
}

const Node& Plan::first_update(const Operand& operand) const {
  const Node* first = operand.value->node();
  const auto group = at(*operand.value).group;
  for (;;) {
    const Value& before = *first->operands[0].value;
    if (before.computed() || at(before).group != group || !recomputation.writes(*before.node()))
      return *first;
    first = before.node();
  }
}

void Planner::place_all() {
  // Groups that are too long are cut, and everything is placed again.
  constexpr int cuts = 8;
  segments_.assign(plan_.nodes.size(), 0);
  plan_.cuts.assign(1, {});
  for (int i = 0; i < cuts;) {
    place_nodes();
    find_outputs();
    if (store_outputs() || hand_on_outputs()) continue;
    if (!cut_long_groups()) break;
    ++i;
  }
  drop_unneeded();
  merge_siblings();
  find_outputs();
  sort_groups();
}

void Planner::place_nodes() {
  plan_.groups.clear();
  for (auto& planned : plan_.nodes) planned = {.node = planned.node};
  pulled_.assign(plan_.nodes.size(), {});
  for (std::size_t n = 0; n < plan_.nodes.size(); ++n) {
    if (plan_.recomputation.any() && home(n)) pull(n);
  }
  const bool bundles = !plan_.recomputation.bundles().empty();
  for (placed_ = 0; placed_ < plan_.nodes.size(); ++placed_) {
    if (!home(placed_)) continue;
    const auto n = static_cast<std::int32_t>(placed_);
    bundles ? place_with_sources(n) : place(n);
  }
}

void Planner::pull(std::size_t n) {
  const Node& node = *plan_.nodes[n].node;
  Pulled& pulled = pulled_[n];
  const auto bundle = bundle_of(node);
  Instances instances(plan_.recomputation, bundle);
  if (bundle < 0) {
    pulled.any = instances.add_all(node);
  } else {
    // What its nodes read is noted at the first of them.
    pulled.any = true;
    if (&node != bundle_at(bundle).nodes[0]) return;
    instances.add_bundle();
  }
  auto again = [&](const Node& other) {
    const bool own = bundle < 0 ? &other == &node : bundle_of(other) == bundle;
    if (!own) plan_.nodes[other.mark].again = true;
  };
  for (const auto& instance : instances.all()) {
    pulled.work += weight_of(*instance.node);
    again(*instance.node);
  }
  pulled.memory = instances.memory();
  for (const Node* passed : instances.passed()) again(*passed);
}

void Planner::place_with_sources(std::int32_t index) {
  if (plan_.nodes[index].group >= 0) return;
  const Node& node = *plan_.nodes[index].node;
  const auto bundle = bundle_of(node);
  const Node& first = bundle < 0 ? node : *bundle_at(bundle).nodes[0];
  each_source(first, [&](const Value& value) { place_with_sources(value.node()->mark); });
  if (bundle >= 0) return place_bundle(bundle);
  if (writes(node)) {
    const Value* old = node.operands[0].value.get();
    for (std::int32_t n = 0; n < index; ++n) {
      if (home(static_cast<std::size_t>(n)) && graph::reads(*plan_.nodes[n].node, old))
        place_with_sources(n);
    }
  }
  place(index);
}

void Planner::place_bundle(std::int32_t bundle) {
  const auto& nodes = bundle_at(bundle).nodes;
  Group group;
  group.domain = bundle_at(bundle).domain;
  group.bundle = bundle;
  group.flat = false;
  const Pulled& others = pulled(*nodes[0]);
  group.work = others.work;
  each_source(*nodes[0], [&](const Value& value) {
    group.stage = std::max(group.stage, stage_of(value) + 1);
  });
  for (const Node* node : nodes) {
    group.nodes.push_back(node->mark);
    plan_.nodes[node->mark].group = static_cast<std::int32_t>(plan_.groups.size());
  }
  plan_.groups.push_back(std::move(group));
  for (const auto& read : others.memory) {
    if (!read.source().value->computed())
      note_boundary(nodes[0]->mark, *read.source().value, Stop::view);
  }
}

void Planner::place(std::int32_t index) {
  Node& node = *plan_.nodes[index].node;
  std::int32_t earliest = 0;  // stage that all non-fused operands allow
  std::int32_t best = -1;
  Fit best_fit;
  Stop stop = Stop::none;
  SmallVector<Stop, 4> stops(node.operand_count, Stop::none);
  // First pass: the candidate group with the highest stage.
  for (int i = 0; i < node.operand_count; ++i) {
    const Operand& operand = node.operands[i];
    if (!operand.value || operand.value->computed() || inlined(node, i)) continue;
    auto group = plan_.at(*operand.value).group;
    Fit candidate = fit(node, i);
    stops[i] = candidate.stop;
    if (candidate.stop != Stop::none) {
      earliest = std::max(earliest, plan_.groups[group].stage + 1);
    } else if (best < 0 || plan_.groups[group].stage > plan_.groups[best].stage) {
      best = group;
      best_fit = candidate;
    }
  }
  for (const auto& read : pulled(node).memory) {
    const Value& value = *read.source().value;
    if (!value.computed()) earliest = std::max(earliest, stage_of(value) + 1);
  }
  if (writes(node)) place_after_readers(node, best, earliest, stop);
  if (best >= 0 && plan_.groups[best].stage < earliest &&
      (follows(node, best) || !wait(best, earliest))) {
    best = -1;
    stop = Stop::order;
  }
  if (best >= 0) best = join(node, best, best_fit, stop);
  if (best < 0) best = new_group(node, earliest, best_fit);
  PlannedNode& planned = plan_.nodes[index];
  planned.group = best;
  planned.row = best_fit.row;
  planned.phase = best_fit.phase;
  planned.scanned = node.kind == NodeKind::scan || needs_scan_of(node, best);
  add_to_group(planned, plan_.groups[best]);
  for (int i = 0; i < node.operand_count; ++i) {
    const Value* value = node.operands[i].value.get();
    if (!value || value->computed() || inlined(node, i) || plan_.at(*value).group == best) continue;
    // What could have joined was kept from it by another operand.
    const Stop other = stop == Stop::none ? Stop::order : stop;
    note_boundary(index, *value, stops[i] == Stop::none ? other : stops[i]);
  }
  for (const auto& read : pulled(node).memory) {
    if (!read.source().value->computed()) note_boundary(index, *read.source().value, Stop::view);
  }
}

void Planner::place_after_readers(const Node& update, std::int32_t& best, std::int32_t& earliest,
                                  Stop& stop) const {
  const Value* old = update.operands[0].value.get();
  bool overlaps = false;
  for (std::size_t n = 0; n < end_of_placed(); ++n) {
    const PlannedNode& other = plan_.nodes[n];
    if (other.group < 0) continue;
    for (int i = 0; i < other.node->operand_count; ++i) {
      const Operand& operand = other.node->operands[i];
      if (operand.value.get() != old) continue;
      if (other.group != best) {
        earliest = std::max(earliest, plan_.groups[other.group].stage + 1);
      } else if (writes(*other.node) && i == 0) {
        overlaps = true;
      } else {
        overlaps |= overlap_with(update, operand) == Overlap::overlap;
      }
    }
    // So do values that it computes where they are read.
    for (const auto& read : pulled(*other.node).memory) {
      if (read.source().value.get() != old || other.group != best) continue;
      Operand operand;
      operand.value = read.source().value;
      operand.dtype = read.source().dtype;
      if (read.layout) operand.layout = SharedLayout(*read.layout).ref();
      overlaps |= !read.layout || overlap_with(update, operand) == Overlap::overlap;
    }
  }
  if (best < 0 || !overlaps || changes_most(update)) return;
  earliest = std::max(earliest, plan_.groups[best].stage + 1);
  best = -1;
  stop = Stop::overlap;
}

bool Planner::store_outputs() {
  std::vector<const Node*> found;
  for (const auto& planned : plan_.nodes) {
    if (planned.output && planned.group >= 0 && planned.again) {
      found.push_back(planned.node);
    }
  }
  if (!found.empty()) plan_.recomputation.store(graph_, found);
  return !found.empty();
}

bool Planner::hand_on_outputs() {
  std::vector<HandedOn> found;
  // What one of them is made of is to be memory: whether that had better be handed on, too, shows
  // when it is.
  std::vector<bool> handed_on(plan_.nodes.size(), false), stored(plan_.nodes.size(), false);
  auto at = [](std::vector<bool>& flags, const Node* node) {
    return flags[static_cast<std::size_t>(node->mark)];
  };
  for (const auto& planned : plan_.nodes) {
    auto sources = worth_handing_on(graph_, plan_, planned);
    if (!sources || at(stored, planned.node)) continue;
    if (std::any_of(sources->begin(), sources->end(),
                    [&](const Node* source) { return at(handed_on, source); })) {
      continue;
    }
    at(handed_on, planned.node) = true;
    for (const Node* source : *sources) at(stored, source) = true;
    found.push_back({planned.node, *std::move(sources)});
  }
  if (!found.empty()) plan_.recomputation.hand_on(graph_, found);
  return !found.empty();
}

void Planner::find_outputs() {
  for (auto& planned : plan_.nodes) planned.fused_reads = 0;
  for (auto& planned : plan_.nodes) {
    const Node& node = *planned.node;
    for (int i = 0; i < node.operand_count; ++i) {
      Value* operand = node.operands[i].value.get();
      if (!operand || operand->computed()) continue;
      auto& producer = plan_.nodes[operand->node()->mark];
      const bool again =
          planned.group < 0 ? plan_.recomputation.followed(node.operands[i]) : inlined(node, i);
      if (again || (producer.group == planned.group && planned.group >= 0)) {
        ++producer.fused_reads;
      }
    }
  }
  for (auto& planned : plan_.nodes) {
    planned.output = planned.node->kind == NodeKind::library ||
                     planned.node->output().references() > planned.fused_reads;
  }
  for (const auto& planned : plan_.nodes) {
    if (planned.group < 0) continue;
    for (const auto& read : pulled(*planned.node).memory) {
      const Value& value = *read.source().value;
      if (!value.computed()) plan_.nodes[value.node()->mark].output = true;
    }
  }
}

void Planner::drop_unneeded() {
  std::vector<bool> needed(plan_.groups.size(), false);
  std::vector<std::int32_t> open;
  auto need = [&](std::int32_t group) {
    if (group < 0 || needed[static_cast<std::size_t>(group)]) return;
    needed[static_cast<std::size_t>(group)] = true;
    open.push_back(group);
  };
  for (const auto& planned : plan_.nodes) {
    for (const Value* value : planned.node->outputs()) {
      if (value && !graph_.dies(*value)) need(planned.group);
    }
  }
  while (!open.empty()) {
    const Group& group = plan_.groups[open.back()];
    open.pop_back();
    for (auto n : group.nodes) {
      each_source(*plan_.nodes[n].node, [&](const Value& value) { need(plan_.at(value).group); });
    }
  }
  for (std::size_t g = 0; g < needed.size(); ++g) {
    if (needed[g]) continue;
    for (auto n : plan_.groups[g].nodes) plan_.nodes[n].group = -1;
    plan_.groups[g].nodes.clear();
  }
}

void Planner::sort_groups() {
  for (std::size_t g = 0; g < plan_.groups.size(); ++g) {
    if (!plan_.groups[g].nodes.empty()) plan_.order.push_back(static_cast<std::int32_t>(g));
  }
  std::stable_sort(plan_.order.begin(), plan_.order.end(),
                   [&](auto a, auto b) { return plan_.groups[a].stage < plan_.groups[b].stage; });
}

Plan::Plan(const Collected& graph) : recomputation(graph) {
  for (Node* node : graph.nodes()) nodes.push_back({.node = node});
  Planner(graph, *this).place_all();
}

}  // namespace heddle::graph
