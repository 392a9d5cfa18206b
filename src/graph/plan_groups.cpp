// Groups of nodes: how they grow, which of them become one, and where they are cut.
#include <algorithm>

#include "graph/cost.h"
#include "graph/cut.h"
#include "graph/graph.h"
#include "graph/node_facts.h"
#include "graph/planner.h"

namespace heddle::graph {

bool wastes_words(std::uint8_t block, const Dims& space) {
  constexpr std::int64_t shortest = 64;
  if (block == 0) return false;
  return space.empty() || space.back() < shortest || space.back() % block != 0;
}

std::int32_t Planner::new_group(const Node& node, std::int32_t earliest, Fit& placed) {
  Group group;
  group.library = node.kind == NodeKind::library;
  if (!group.library) group.domain = space_of(node);
  group.stage = earliest;
  group.segment = segments_[static_cast<std::size_t>(node.mark)];
  each_source(
      node, [&](const Value& value) { group.stage = std::max(group.stage, stage_of(value) + 1); });
  bool reduction = node.kind == NodeKind::reduce || node.kind == NodeKind::argreduce;
  placed = {Stop::none, reduction, 0};
  plan_.groups.push_back(std::move(group));
  return static_cast<std::int32_t>(plan_.groups.size()) - 1;
}

void Planner::add_to_group(const PlannedNode& planned, Group& group) {
  const Node& node = *planned.node;
  if (group.library) {
    group.nodes.push_back(node.mark);
    return;
  }
  const Dims& space = space_of(node);
  if (!planned.row || node.kind == NodeKind::reduce || node.kind == NodeKind::argreduce) {
    if (space != group.domain) group.domain = space;
  }
  if (node.kind == NodeKind::reduce || node.kind == NodeKind::argreduce) {
    group.reduces = true;
    group.reduced = node.axes;
  } else if (node.kind == NodeKind::scan) {
    group.scans = true;
    group.reduced = node.axes;
  }
  if (node.kind == NodeKind::random)
    group.block = std::max(group.block, static_cast<std::uint8_t>(32 / itemsize(node.dtype())));
  if (node.kind == NodeKind::gather || node.kind == NodeKind::update ||
      node.kind == NodeKind::index || pulled(node).any) {
    group.flat = false;
  }
  for (int i = 0; i < node.operand_count; ++i) {
    const Operand& operand = node.operands[i];
    if (!operand.value) continue;
    if (inlined(node, i)) continue;
    bool fused =
        !operand.value->computed() && &plan_.groups[plan_.at(*operand.value).group] == &group;
    if (fused && writes(*operand.value->node()) && !(writes(node) && i == 0)) {
      // Beside what the kernel writes: memory that was there before.
      const Value* before = plan_.first_update(operand).operands[0].value.get();
      add_read(group, {before, operand.dtype, operand.layout.get()});
      group.flat = false;
      plan_.beside = true;
      continue;
    }
    if (fused) {
      if (writes(node) && i == 0) add_read(group, {&node.output(), node.dtype(), nullptr});
      if (!planned.row && plan_.at(*operand.value).row) group.flat = false;
      continue;
    }
    add_read(group, {operand.value.get(), operand.dtype, operand.layout.get()});
    if (!is_single(operand) && !reads_densely(operand, space)) group.flat = false;
  }
  const Pulled& others = pulled(node);
  for (const auto& read : others.memory) {
    add_read(group, {read.source().value.get(), read.source().dtype, &*read.layout});
  }
  group.nodes.push_back(node.mark);
  group.work += weight_of(node) + others.work;
}

void Planner::add_read(Group& group, const MemoryRead& read) {
  if (std::find(group.reads.begin(), group.reads.end(), read) == group.reads.end()) {
    group.reads.push_back(read);
  }
}

std::int32_t Planner::join(const Node& node, std::int32_t target, Fit& placed, Stop& stop) {
  Group& group = plan_.groups[target];
  if (group.segment != segments_[static_cast<std::size_t>(node.mark)]) {
    stop = Stop::length;
    return -1;
  }
  if (group.reads.size() + static_cast<std::size_t>(node.operand_count) +
          pulled(node).memory.size() >
      limits().kernel_slots) {
    stop = Stop::slot_limit;
    return -1;
  }
  for (int i = 0; i < node.operand_count; ++i) {
    const Operand& operand = node.operands[i];
    if (!operand.value || operand.value->computed() || inlined(node, i)) continue;
    auto other = plan_.at(*operand.value).group;
    Fit candidate = fit(node, i);
    if (candidate.stop != Stop::none) continue;  // it is ready: its stage is lower
    if (other != target) {
      if (plan_.groups[other].stage < group.stage) {
        const bool apart =
            candidate.row != placed.row || keeps_apart(group, plan_.groups[other]) != Stop::none;
        if (apart || follows(node, other) || !wait(other, group.stage)) continue;
      }
      stop = candidate.row != placed.row ? Stop::shape : merge(target, other);
      if (stop != Stop::none) return -1;
      candidate = fit(node, i);
    }
    if (candidate.row != placed.row) {
      stop = Stop::shape;
      return -1;
    }
    placed.phase = std::max(placed.phase, candidate.phase);
  }
  return target;
}

Stop Planner::keeps_apart(const Group& a, const Group& b) const {
  if (a.nodes.empty() || b.nodes.empty()) return Stop::order;
  if (a.library || b.library) return Stop::library;
  if (&plan_.nodes[b.nodes[0]].node->device() != &plan_.nodes[a.nodes[0]].node->device()) {
    return Stop::device;
  }
  bool same_domain = a.domain == b.domain;
  bool free_shape = (a.flat && !a.reduces && !a.scans) || (b.flat && !b.reduces && !b.scans);
  if (!same_domain && !(free_shape && size_of(a.domain) == size_of(b.domain))) return Stop::shape;
  if (a.scans || b.scans) return Stop::scan;
  const Dims& domain = same_domain || (b.flat && !b.reduces) ? a.domain : b.domain;
  const bool rows = !a.flat || !b.flat || a.reduces || b.reduces;
  if (rows && wastes_words(std::max(a.block, b.block), domain)) return Stop::words;
  if (a.reduces && b.reduces && a.reduced != b.reduced) return Stop::axes;
  if (a.segment != b.segment) return Stop::length;
  const auto more = std::count_if(b.reads.begin(), b.reads.end(), [&](const MemoryRead& read) {
    return std::find(a.reads.begin(), a.reads.end(), read) == a.reads.end();
  });
  if (a.reads.size() + static_cast<std::size_t>(more) > limits().kernel_slots) {
    return Stop::slot_limit;
  }
  return Stop::none;
}

Stop Planner::merge(std::int32_t into, std::int32_t from) {
  Group& a = plan_.groups[into];
  Group& b = plan_.groups[from];
  if (a.stage != b.stage) return Stop::order;
  if (const Stop stop = keeps_apart(a, b); stop != Stop::none) return stop;
  if (a.domain != b.domain && !(b.flat && !b.reduces)) a.domain = b.domain;
  if (b.reduces) a.reduced = b.reduced;
  a.reduces |= b.reduces;
  a.flat &= b.flat;
  a.block = std::max(a.block, b.block);
  for (const MemoryRead& read : b.reads) add_read(a, read);
  a.work += b.work;
  for (auto n : b.nodes) plan_.nodes[n].group = into;
  a.nodes.insert(a.nodes.end(), b.nodes.begin(), b.nodes.end());
  std::sort(a.nodes.begin(), a.nodes.end());
  b.nodes.clear();
  a.apart.insert(a.apart.end(), b.apart.begin(), b.apart.end());
  return Stop::none;
}

void Planner::merge_siblings() {
  if (plan_.groups.size() < 2 || plan_.groups.size() > 64) return;
  std::vector<Boundary> apart(plan_.groups.size(), {-1, -1, Stop::none});
  for (std::size_t a = 0; a < plan_.groups.size(); ++a) {
    for (std::size_t b = a + 1; b < plan_.groups.size(); ++b) {
      const Group &one = plan_.groups[a], &other = plan_.groups[b];
      if (one.nodes.empty() || other.nodes.empty() || one.stage != other.stage) continue;
      Stop stop = keeps_siblings_apart(one, other);
      if (stop == Stop::none) {
        stop = merge(static_cast<std::int32_t>(a), static_cast<std::int32_t>(b));
      }
      if (stop != Stop::none) apart[b] = {other.nodes[0], one.nodes[0], stop};
    }
  }
  for (std::size_t g = 0; g < plan_.groups.size(); ++g) {
    Group& group = plan_.groups[g];
    if (group.apart.empty() && apart[g].stop != Stop::none) group.apart.push_back(apart[g]);
  }
}

Stop Planner::keeps_siblings_apart(const Group& a, const Group& b) const {
  if (a.library || b.library) return Stop::library;
  if (a.domain != b.domain || a.bundle >= 0 || b.bundle >= 0) return Stop::shape;
  if (a.reduced != b.reduced) return Stop::axes;
  if (has_update(a) || has_update(b)) return Stop::update;
  if (share_memory(a, b)) {
    const auto most = limits().kernel_work;
    return a.work + b.work <= most || work_of({&a, &b}) <= most ? Stop::none : Stop::length;
  }
  // What both do takes less than to launch one of them.
  const Device& device = plan_.nodes[a.nodes[0]].node->device();
  const auto work = a.work + b.work;
  const double elements = static_cast<double>(size_of(a.domain));
  const bool small = work <= limits().kernel_work_soft && elements * work <= launch_cost(device);
  return small ? Stop::none : Stop::unrelated;
}

bool Planner::has_update(const Group& group) const {
  return std::any_of(group.nodes.begin(), group.nodes.end(),
                     [&](auto n) { return writes(*plan_.nodes[n].node); });
}

bool Planner::share_memory(const Group& a, const Group& b) {
  return std::any_of(a.reads.begin(), a.reads.end(), [&](const MemoryRead& read) {
    return std::any_of(b.reads.begin(), b.reads.end(),
                       [&](const MemoryRead& other) { return other.value == read.value; });
  });
}

std::uint32_t Planner::work_of(std::initializer_list<const Group*> groups) const {
  Instances instances(plan_.recomputation);
  std::uint32_t work = 0;
  for (const Group* group : groups) {
    for (auto n : group->nodes) {
      const Node& node = *plan_.nodes[n].node;
      if (!chosen(node)) work += weight_of(node);
      instances.add_all(node);
    }
  }
  for (const auto& instance : instances.all()) work += weight_of(*instance.node);
  return work;
}

Planner::Lengths Planner::lengths_for(const Group& group) const {
  const Lengths usual{limits().kernel_work_soft, limits().kernel_work};
  constexpr std::size_t longest_formula = 512;
  const Device& device = plan_.nodes[group.nodes[0]].node->device();
  if (plan_.nodes.size() <= longest_formula || !device.host_accessible() ||
      size_of(group.domain) > few_elements) {
    return usual;
  }
  return {usual.soft / 4, usual.most / 4};
}

bool Planner::cut_long_groups() {
  bool any = false;
  for (const Group& group : plan_.groups) {
    if (group.nodes.empty()) continue;
    const auto most = lengths_for(group).most;
    if (group.work <= most || group.nodes.size() < 2 || group.bundle >= 0) continue;
    if (work_of({&group}) <= most) continue;
    any = true;
    cut(group);
  }
  return any;
}

void Planner::cut(const Group& group) {
  std::vector<Chained> chain(group.nodes.size());
  std::int64_t widest = 1;
  std::vector<std::size_t> last(plan_.nodes.size(), 0);
  for (std::size_t i = 0; i < chain.size(); ++i) {
    const Node& node = *plan_.nodes[group.nodes[i]].node;
    chain[i].work = weight_of(node) + pulled(node).work;
    chain[i].bytes = static_cast<std::int64_t>(bytes_of(node.output()));
    widest = std::max<std::int64_t>(widest, itemsize(node.dtype()));
    each_source(
        node, [&](const Value& value) { last[static_cast<std::size_t>(value.node()->mark)] = i; });
  }
  for (std::size_t i = 0; i < chain.size(); ++i) {
    chain[i].last_read = last[static_cast<std::size_t>(group.nodes[i])];
  }
  const auto one = size_of(group.domain) * widest;
  const Lengths lengths = lengths_for(group);
  for (const Cut& cut : cut_chain(chain, one, lengths.soft, lengths.most)) {
    for (std::size_t j = cut.begin; j < chain.size(); ++j) {
      segments_[static_cast<std::size_t>(group.nodes[j])] =
          static_cast<std::int32_t>(plan_.cuts.size());
    }
    plan_.cuts.push_back({group.work, cut.bytes});
  }
}

}  // namespace heddle::graph
