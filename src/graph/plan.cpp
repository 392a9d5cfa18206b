#include "graph/plan.h"

#include <algorithm>

#include "graph/cost.h"
#include "graph/cut.h"
#include "graph/graph.h"
#include "graph/hand_on.h"
#include "graph/node_facts.h"
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

// Whether rows of random words would end inside of blocks, or be shorter than a few vectors.
bool wastes_words(std::uint8_t block, const Dims& space) {
  constexpr std::int64_t shortest = 64;
  if (block == 0) return false;
  return space.empty() || space.back() < shortest || space.back() % block != 0;
}

class Planner {
 public:
  Planner(const Collected& graph, Plan& plan) : graph_(graph), plan_(plan) {}

  void place_all() {
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
    merge_siblings();
    find_outputs();
    sort_groups();
  }

 private:
  struct Fit {
    Stop stop = Stop::none;
    bool row = false;  // the node would live on the kept axes
    std::uint8_t phase = 0;
  };

  // What a node computes of others, where it reads them through views.
  struct Pulled {
    bool any = false;
    std::uint32_t work = 0;
    std::vector<Instances::Read> memory;  // that those read
  };

  bool home(std::size_t n) const { return plan_.recomputation.home(*plan_.nodes[n].node); }
  bool inlined(const Node& node, int operand) const {
    return plan_.recomputation.inlined(node, operand);
  }
  bool chosen(const Node& node) const { return plan_.recomputation.chosen(node); }
  bool writes(const Node& node) const { return plan_.recomputation.writes(node); }
  const Dims& space_of(const Node& node) const {
    return chosen(node) ? node.shape() : iteration_shape(node);
  }
  const Pulled& pulled(const Node& node) const {
    return pulled_[static_cast<std::size_t>(node.mark)];
  }

  void pull(std::size_t n) {
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

  std::int32_t bundle_of(const Node& node) const { return plan_.recomputation.bundle(node); }
  const Bundle& bundle_at(std::int32_t bundle) const {
    return plan_.recomputation.bundles()[static_cast<std::size_t>(bundle)];
  }

  // Calls `visit` for every pending value that the node needs as memory if it does not join it.
  template <class Visit>
  void each_source(const Node& node, Visit visit) const {
    for (int i = 0; i < node.operand_count; ++i) {
      const Value* value = node.operands[i].value.get();
      if (value && !value->computed() && !inlined(node, i)) visit(*value);
    }
    for (const auto& read : pulled(node).memory) {
      if (!read.source().value->computed()) visit(*read.source().value);
    }
  }

  // A value that is written after all is read by everybody. False when all was well.
  bool store_outputs() {
    std::vector<const Node*> found;
    for (const auto& planned : plan_.nodes) {
      if (planned.output && planned.group >= 0 && planned.again) {
        found.push_back(planned.node);
      }
    }
    if (!found.empty()) plan_.recomputation.store(graph_, found);
    return !found.empty();
  }

  // Values that one other kernel reads are computed there instead, where what they are made of
  // takes fewer bytes. False when all was well.
  bool hand_on_outputs() {
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

  void place_nodes() {
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

  // All nodes of a bundle are placed at once, and before them whatever they need, though some of it
  // was made after some of them.
  void place_with_sources(std::int32_t index) {
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

  void place_bundle(std::int32_t bundle) {
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

  // Cuts groups that are longer than a kernel should be. False when there was none.
  bool cut_long_groups() {
    bool any = false;
    for (const Group& group : plan_.groups) {
      const auto most = limits().kernel_work;
      if (group.work <= most || group.nodes.size() < 2 || group.bundle >= 0) continue;
      if (work_of({&group}) <= most) continue;
      any = true;
      cut(group);
    }
    return any;
  }

  void cut(const Group& group) {
    std::vector<Chained> chain(group.nodes.size());
    std::int64_t widest = 1;
    std::vector<std::size_t> last(plan_.nodes.size(), 0);
    for (std::size_t i = 0; i < chain.size(); ++i) {
      const Node& node = *plan_.nodes[group.nodes[i]].node;
      chain[i].work = weight_of(node) + pulled(node).work;
      chain[i].bytes = static_cast<std::int64_t>(bytes_of(node.output()));
      widest = std::max<std::int64_t>(widest, itemsize(node.dtype()));
      each_source(node, [&](const Value& value) {
        last[static_cast<std::size_t>(value.node()->mark)] = i;
      });
    }
    for (std::size_t i = 0; i < chain.size(); ++i) {
      chain[i].last_read = last[static_cast<std::size_t>(group.nodes[i])];
    }
    const auto one = size_of(group.domain) * widest;
    for (const Cut& cut : cut_chain(chain, one, limits().kernel_work)) {
      for (std::size_t j = cut.begin; j < chain.size(); ++j) {
        segments_[static_cast<std::size_t>(group.nodes[j])] =
            static_cast<std::int32_t>(plan_.cuts.size());
      }
      plan_.cuts.push_back({group.work, cut.bytes});
    }
  }

  // How `node` could join the group of the pending operand `operand`.
  Fit fit(const Node& node, const Operand& operand) const {
    const PlannedNode& producer = plan_.at(*operand.value);
    const Group& group = plan_.groups[producer.group];
    const Dims& space = space_of(node);
    if (writes(*producer.node)) return {Stop::written};
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

  // How the node could join the group of its pending operand i.
  Fit fit(const Node& node, int i) const {
    if (node.kind == NodeKind::library) return {Stop::library};
    if (i == 0 && writes(node)) return fit_after(node);
    if (reads_anywhere(node, i) && !chosen(node)) return {Stop::needs_memory};
    return fit(node, node.operands[i]);
  }

  // How an update could write in the kernel of the one before it: to other elements, where nobody
  // else needs what that one leaves, and where nothing is read that is overwritten elsewhere.
  Fit fit_after(const Node& update) const {
    const PlannedNode& before = plan_.at(*update.operands[0].value);
    if (!is_plain_update(update) || !is_plain_update(*before.node) || !writes(*before.node)) {
      return {Stop::target};
    }
    const Value& left = before.node->output();
    const Group& group = plan_.groups[before.group];
    if (!graph_.read_once(left)) return {Stop::target};
    if (group.reduces || group.scans || space_of(update) != group.domain) return {Stop::shape};
    const Value* first = update.operands[0].value.get();
    while (!first->computed()) {
      const PlannedNode& other = plan_.at(*first);
      if (other.group != before.group || !writes(*other.node)) break;
      if (!write_apart(update, *other.node)) return {Stop::twice};
      first = other.node->operands[0].value.get();
    }
    for (auto n : group.nodes) {
      const Node& node = *plan_.nodes[n].node;
      for (int i = 0; i < node.operand_count; ++i) {
        if (node.operands[i].value.get() != first || (i == 0 && writes(node))) continue;
        if (overlap_with(update, node.operands[i]) == Overlap::overlap) return {Stop::overlap};
      }
    }
    return {Stop::none, false, before.phase};
  }

  // An update runs after everything else that reads its old value, so that it can be in place:
  // those were made before it. What is in its own kernel reads what it overwrites element for
  // element, or the update is not in place.
  void place_after_readers(const Node& update, std::int32_t& best, std::int32_t& earliest,
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
    }
    if (best < 0 || !overlaps || changes_most(update)) return;
    earliest = std::max(earliest, plan_.groups[best].stage + 1);
    best = -1;
    stop = Stop::overlap;
  }

  void place(std::int32_t index) {
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
      if (!value || value->computed() || inlined(node, i) || plan_.at(*value).group == best)
        continue;
      // What could have joined was kept from it by another operand.
      const Stop other = stop == Stop::none ? Stop::order : stop;
      note_boundary(index, *value, stops[i] == Stop::none ? other : stops[i]);
    }
    for (const auto& read : pulled(node).memory) {
      if (!read.source().value->computed()) note_boundary(index, *read.source().value, Stop::view);
    }
  }

  void note_boundary(std::int32_t reader, const Value& source, Stop stop) {
    plan_.groups[plan_.nodes[reader].group].apart.push_back({reader, source.node()->mark, stop});
  }

  // Bundles are placed before some nodes that come before theirs.
  std::size_t end_of_placed() const {
    return plan_.recomputation.bundles().empty() ? placed_ : plan_.nodes.size();
  }

  std::int32_t stage_of(const Value& value) const {
    return plan_.groups[plan_.at(value).group].stage;
  }

  // Whether the node needs memory that the group writes: it cannot be part of it.
  bool follows(const Node& node, std::int32_t group) const {
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

  // Puts a group off to a later stage, so that whoever needs its results there may join it. False
  // where others need them before, or where an update would have to leave its old value to it.
  bool wait(std::int32_t index, std::int32_t stage) {
    Group& group = plan_.groups[index];
    if (group.library) return false;
    for (std::size_t n = 0; n < end_of_placed(); ++n) {
      const PlannedNode& other = plan_.nodes[n];
      if (other.group < 0 || other.group == index) continue;
      if (plan_.groups[other.group].stage > stage) continue;
      bool needed = false;
      each_source(*other.node,
                  [&](const Value& value) { needed |= plan_.at(value).group == index; });
      if (needed) return false;
      if (writes(*other.node) && reads(group, other.node->operands[0].value.get())) return false;
    }
    group.stage = stage;
    return true;
  }

  bool reads(const Group& group, const Value* value) const {
    for (auto n : group.nodes) {
      const Node& node = *plan_.nodes[n].node;
      for (int i = 0; i < node.operand_count; ++i) {
        if (node.operands[i].value.get() == value) return true;
      }
    }
    return false;
  }

  bool needs_scan_of(const Node& node, std::int32_t group) const {
    for (int i = 0; i < node.operand_count; ++i) {
      const Operand& operand = node.operands[i];
      if (!operand.value || operand.value->computed()) continue;
      const PlannedNode& producer = plan_.at(*operand.value);
      if (producer.group == group && producer.scanned) return true;
    }
    return false;
  }

  // Tries to make every pending operand of the node part of group `target`, merging groups of the
  // same stage. Returns the group, or -1.
  std::int32_t join(const Node& node, std::int32_t target, Fit& placed, Stop& stop) {
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

  // Why two groups cannot be one, whatever their stages are.
  Stop keeps_apart(const Group& a, const Group& b) const {
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

  // Says why not, where it does not.
  Stop merge(std::int32_t into, std::int32_t from) {
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

  std::int32_t new_group(const Node& node, std::int32_t earliest, Fit& placed) {
    Group group;
    group.library = node.kind == NodeKind::library;
    if (!group.library) group.domain = space_of(node);
    group.stage = earliest;
    group.segment = segments_[static_cast<std::size_t>(node.mark)];
    each_source(node, [&](const Value& value) {
      group.stage = std::max(group.stage, stage_of(value) + 1);
    });
    bool reduction = node.kind == NodeKind::reduce || node.kind == NodeKind::argreduce;
    placed = {Stop::none, reduction, 0};
    plan_.groups.push_back(std::move(group));
    return static_cast<std::int32_t>(plan_.groups.size()) - 1;
  }

  void add_to_group(const PlannedNode& planned, Group& group) {
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

  static void add_read(Group& group, const MemoryRead& read) {
    if (std::find(group.reads.begin(), group.reads.end(), read) == group.reads.end()) {
      group.reads.push_back(read);
    }
  }

  // Groups of one stage that walk over the same domain and read the same memory become one: the
  // data is read once, and results such as a mean and a variance share their work.
  void merge_siblings() {
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

  Stop keeps_siblings_apart(const Group& a, const Group& b) const {
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

  bool has_update(const Group& group) const {
    return std::any_of(group.nodes.begin(), group.nodes.end(),
                       [&](auto n) { return writes(*plan_.nodes[n].node); });
  }

  static bool share_memory(const Group& a, const Group& b) {
    return std::any_of(a.reads.begin(), a.reads.end(), [&](const MemoryRead& read) {
      return std::any_of(b.reads.begin(), b.reads.end(),
                         [&](const MemoryRead& other) { return other.value == read.value; });
    });
  }

  // The work of a kernel: what several nodes compute of others counts once.
  std::uint32_t work_of(std::initializer_list<const Group*> groups) const {
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

  void find_outputs() {
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

  void sort_groups() {
    for (std::size_t g = 0; g < plan_.groups.size(); ++g) {
      if (!plan_.groups[g].nodes.empty()) plan_.order.push_back(static_cast<std::int32_t>(g));
    }
    std::stable_sort(plan_.order.begin(), plan_.order.end(),
                     [&](auto a, auto b) { return plan_.groups[a].stage < plan_.groups[b].stage; });
  }

  const Collected& graph_;
  Plan& plan_;
  std::vector<Pulled> pulled_;
  std::vector<std::int32_t> segments_;
  std::size_t placed_ = 0;  // nodes before this one have been
};

}  // namespace

Plan::Plan(const Collected& graph) : recomputation(graph) {
  for (Node* node : graph.nodes()) nodes.push_back({.node = node});
  Planner(graph, *this).place_all();
}

}  // namespace heddle::graph
