#include "graph/plan.h"

#include <algorithm>

#include "graph/cost.h"
#include "graph/graph.h"

namespace heddle::graph {

const char* describe(Stop reason) {
  switch (reason) {
    case Stop::none:
      return "fused";
    case Stop::view:
      return "an operand is read through a view that is not element for element";
    case Stop::shape:
      return "an operand has another iteration space";
    case Stop::axes:
      return "a reduction over other axes";
    case Stop::order:
      return "an operand is ready only after another kernel";
    case Stop::node_limit:
      return "the limit of operations in one kernel";
    case Stop::slot_limit:
      return "the limit of memory operands of one kernel";
    case Stop::scan:
      return "a running result of a running result";
    case Stop::needs_memory:
      return "an operand is read at arbitrary places";
    case Stop::overlap:
      return "an update would overwrite elements that its value reads elsewhere";
    case Stop::library:
      return "a call of a library";
    case Stop::words:
      return "blocks of random numbers do not fit into rows of this length";
  }
  return "";
}

const Dims& iteration_shape(const Node& node) {
  if (node.kind == NodeKind::reduce || node.kind == NodeKind::argreduce) {
    const Operand& source = node.operands[0];
    if (source.layout) return source.layout->shape;
    return source.value->shape;
  }
  if (node.kind == NodeKind::update) return node.target->shape;
  return node.shape();
}

bool reads_densely(const Operand& operand, const Dims& space) {
  if (operand.dtype != operand.value->dtype) return false;
  if (!operand.layout) return true;
  return operand.layout->offset == 0 && size_of(space) == operand.value->size() &&
         is_c_contiguous(*operand.layout);
}

bool changes_most(const Node& update) {
  return !update.in_place && !update.masked && update.params.empty() &&
         2 * size_of(update.target->shape) * itemsize(update.target_dtype) >=
             update.output().size() * itemsize(update.dtype());
}

Dims kept_shape(const Group& group) {
  Dims shape;
  for (std::int64_t d = 0; d < group.domain.size(); ++d) {
    if (!(group.reduced >> d & 1)) shape.push_back(group.domain[d]);
  }
  return shape;
}

namespace {

bool single_element(const Operand& operand) {
  if (!operand.value) return true;
  if (operand.value->size() == 1 && operand.dtype == operand.value->dtype) return true;
  if (!operand.layout) return false;
  for (std::int64_t d = 0; d < operand.layout->ndim(); ++d) {
    if (operand.layout->strides[d] != 0 && operand.layout->shape[d] > 1) return false;
  }
  return true;
}

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

// Whether a node makes the kernel walk over rows, instead of all elements as one.
bool needs_rows(const Node& node, const Dims& space) {
  if (node.kind == NodeKind::scan) return true;
  if (node.kind == NodeKind::reduce || node.kind == NodeKind::argreduce) {
    for (std::int64_t d = 0; d < space.size(); ++d) {
      if (space[d] != 1 && !(node.axes >> d & 1)) return true;
    }
    return false;
  }
  if (node.kind != NodeKind::elementwise) return space.size() > 1;
  for (int i = 0; i < node.operand_count; ++i) {
    const Operand& operand = node.operands[i];
    if (operand.value && !single_element(operand) && !reads_densely(operand, space)) return true;
  }
  return false;
}

// Whether rows of random words would end inside of blocks, or be shorter than a few vectors.
bool wastes_words(std::uint8_t block, const Dims& space) {
  constexpr std::int64_t shortest = 64;
  if (block == 0) return false;
  return space.empty() || space.back() < shortest || space.back() % block != 0;
}

class Planner {
 public:
  explicit Planner(Plan& plan) : plan_(plan) {}

  void place_all() {
    for (std::size_t i = 0; i < plan_.nodes.size(); ++i) place(static_cast<std::int32_t>(i));
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

  // How `node` could join the group of the pending operand `operand`.
  Fit fit(const Node& node, const Operand& operand) const {
    const PlannedNode& producer = plan_.at(*operand.value);
    const Group& group = plan_.groups[producer.group];
    const Dims& space = iteration_shape(node);
    if (producer.node->kind == NodeKind::update) return {Stop::needs_memory};
    if (producer.node->kind == NodeKind::library) return {Stop::library};
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
    if (node.kind != NodeKind::update && space == group.domain && broadcasts_back(operand, group)) {
      return {Stop::none, false, after};
    }
    if (reads_densely(operand, space) && without_ones(space) == without_ones(kept_shape(group)) &&
        node.kind != NodeKind::update) {
      return {Stop::none, true, producer.phase};
    }
    return {Stop::view};
  }

  bool needs_memory(const Node& node, int operand) const {
    if (node.kind == NodeKind::library) return true;
    return (node.kind == NodeKind::gather || node.kind == NodeKind::update) && operand == 0;
  }

  // An update runs after everything else that reads its old value, so that it can be in place:
  // those were made before it. What is in its own kernel reads what it overwrites element for
  // element, or the update is not in place.
  void place_after_readers(const Node& update, std::int32_t& best, std::int32_t& earliest,
                           Stop& stop) const {
    const Value* old = update.operands[0].value.get();
    bool overlaps = false;
    for (const PlannedNode& other : plan_.nodes) {
      if (other.group < 0) break;  // placed in order
      for (int i = 0; i < other.node->operand_count; ++i) {
        const Operand& operand = other.node->operands[i];
        if (operand.value.get() != old) continue;
        if (other.group != best) {
          earliest = std::max(earliest, plan_.groups[other.group].stage + 1);
        } else if (other.node->kind == NodeKind::update && i == 0) {
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
    // First pass: the candidate group with the highest stage.
    for (int i = 0; i < node.operand_count; ++i) {
      const Operand& operand = node.operands[i];
      if (!operand.value || operand.value->computed()) continue;
      auto group = plan_.at(*operand.value).group;
      Fit candidate = needs_memory(node, i) ? Fit{Stop::needs_memory} : fit(node, operand);
      if (candidate.stop != Stop::none) {
        earliest = std::max(earliest, plan_.groups[group].stage + 1);
        stop = candidate.stop;
      } else if (best < 0 || plan_.groups[group].stage > plan_.groups[best].stage) {
        best = group;
        best_fit = candidate;
      }
    }
    if (node.kind == NodeKind::update) place_after_readers(node, best, earliest, stop);
    if (best >= 0 && plan_.groups[best].stage < earliest &&
        (follows(node, best) || !wait(best, earliest))) {
      best = -1;
      stop = Stop::order;
    }
    if (best >= 0) best = join(node, best, best_fit, stop);
    if (best < 0) best = new_group(node, earliest, best_fit);
    PlannedNode& planned = plan_.nodes[index];
    planned.group = best;
    planned.stop = stop;
    planned.row = best_fit.row;
    planned.phase = best_fit.phase;
    planned.scanned = node.kind == NodeKind::scan || needs_scan_of(node, best);
    add_to_group(planned, plan_.groups[best]);
  }

  // Whether the node needs memory that the group writes: it cannot be part of it.
  bool follows(const Node& node, std::int32_t group) const {
    for (int i = 0; i < node.operand_count; ++i) {
      const Operand& operand = node.operands[i];
      if (!operand.value || operand.value->computed()) continue;
      if (plan_.at(*operand.value).group != group) continue;
      if (needs_memory(node, i) || fit(node, operand).stop != Stop::none) return true;
    }
    return false;
  }

  // Puts a group off to a later stage, so that whoever needs its results there may join it. False
  // where others need them before, or where an update would have to leave its old value to it.
  bool wait(std::int32_t index, std::int32_t stage) {
    Group& group = plan_.groups[index];
    if (group.library) return false;
    for (const PlannedNode& other : plan_.nodes) {
      if (other.group < 0) break;  // placed in order
      if (other.group == index || plan_.groups[other.group].stage > stage) continue;
      for (int i = 0; i < other.node->operand_count; ++i) {
        const Value* operand = other.node->operands[i].value.get();
        if (!operand) continue;
        if (!operand->computed() && plan_.at(*operand).group == index) return false;
        if (other.node->kind == NodeKind::update && i == 0 && reads(group, operand)) return false;
      }
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
    if (group.work + weight_of(node) > limits().kernel_work) {
      stop = Stop::node_limit;
      return -1;
    }
    if (group.slots + node.operand_count > static_cast<int>(limits().kernel_slots)) {
      stop = Stop::slot_limit;
      return -1;
    }
    for (int i = 0; i < node.operand_count; ++i) {
      const Operand& operand = node.operands[i];
      if (!operand.value || operand.value->computed() || needs_memory(node, i)) continue;
      auto other = plan_.at(*operand.value).group;
      Fit candidate = fit(node, operand);
      if (candidate.stop != Stop::none) continue;  // it is ready: its stage is lower
      if (other != target) {
        if (plan_.groups[other].stage < group.stage &&
            (follows(node, other) || !wait(other, group.stage))) {
          continue;
        }
        if (candidate.row != placed.row || !merge(target, other)) {
          stop = Stop::order;
          return -1;
        }
        candidate = fit(node, operand);
      }
      if (candidate.row != placed.row) {
        stop = Stop::shape;
        return -1;
      }
      placed.phase = std::max(placed.phase, candidate.phase);
    }
    return target;
  }

  bool merge(std::int32_t into, std::int32_t from) {
    Group& a = plan_.groups[into];
    Group& b = plan_.groups[from];
    if (a.stage != b.stage || a.nodes.empty() || b.nodes.empty()) return false;
    if (&plan_.nodes[b.nodes[0]].node->device() != &plan_.nodes[a.nodes[0]].node->device()) {
      return false;
    }
    bool same_domain = a.domain == b.domain;
    bool free_shape = (a.flat && !a.reduces && !a.scans) || (b.flat && !b.reduces && !b.scans);
    if (!same_domain && !(free_shape && size_of(a.domain) == size_of(b.domain))) return false;
    if (a.scans || b.scans) return false;
    const Dims& domain = same_domain || (b.flat && !b.reduces) ? a.domain : b.domain;
    const bool rows = !a.flat || !b.flat || a.reduces || b.reduces;
    if (rows && wastes_words(std::max(a.block, b.block), domain)) return false;
    if (a.reduces && b.reduces && a.reduced != b.reduced) return false;
    if (a.work + b.work > limits().kernel_work) return false;
    if (a.slots + b.slots > static_cast<int>(limits().kernel_slots)) return false;
    if (!same_domain && !(b.flat && !b.reduces)) a.domain = b.domain;
    if (b.reduces) a.reduced = b.reduced;
    a.reduces |= b.reduces;
    a.flat &= b.flat;
    a.block = std::max(a.block, b.block);
    a.slots += b.slots;
    a.work += b.work;
    for (auto n : b.nodes) plan_.nodes[n].group = into;
    a.nodes.insert(a.nodes.end(), b.nodes.begin(), b.nodes.end());
    std::sort(a.nodes.begin(), a.nodes.end());
    b.nodes.clear();
    return true;
  }

  std::int32_t new_group(const Node& node, std::int32_t earliest, Fit& placed) {
    Group group;
    group.library = node.kind == NodeKind::library;
    if (!group.library) group.domain = iteration_shape(node);
    group.stage = earliest;
    for (int i = 0; i < node.operand_count; ++i) {
      const Operand& operand = node.operands[i];
      if (!operand.value || operand.value->computed()) continue;
      group.stage = std::max(group.stage, plan_.groups[plan_.at(*operand.value).group].stage + 1);
    }
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
    const Dims& space = iteration_shape(node);
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
        node.kind == NodeKind::index) {
      group.flat = false;
    }
    for (int i = 0; i < node.operand_count; ++i) {
      const Operand& operand = node.operands[i];
      if (!operand.value) continue;
      bool fused =
          !operand.value->computed() && &plan_.groups[plan_.at(*operand.value).group] == &group;
      if (fused) {
        if (!planned.row && plan_.at(*operand.value).row) group.flat = false;
        continue;
      }
      ++group.slots;
      if (!single_element(operand) && !reads_densely(operand, space)) group.flat = false;
    }
    group.nodes.push_back(node.mark);
    group.work += weight_of(node);
  }

  // Groups of one stage that walk over the same domain and read the same memory become one: the
  // data is read once, and results such as a mean and a variance share their work.
  void merge_siblings() {
    if (plan_.groups.size() < 2 || plan_.groups.size() > 64) return;
    for (std::size_t a = 0; a < plan_.groups.size(); ++a) {
      for (std::size_t b = a + 1; b < plan_.groups.size(); ++b) {
        if (plan_.groups[a].nodes.empty() || plan_.groups[b].nodes.empty()) continue;
        if (plan_.groups[a].domain != plan_.groups[b].domain) continue;
        if (plan_.groups[a].reduced != plan_.groups[b].reduced) continue;
        if (plan_.groups[a].library || plan_.groups[b].library) continue;
        if (has_update(plan_.groups[a]) || has_update(plan_.groups[b])) continue;
        if (share_memory(plan_.groups[a], plan_.groups[b])) {
          merge(static_cast<std::int32_t>(a), static_cast<std::int32_t>(b));
        }
      }
    }
  }

  bool has_update(const Group& group) const {
    return std::any_of(group.nodes.begin(), group.nodes.end(),
                       [&](auto n) { return plan_.nodes[n].node->kind == NodeKind::update; });
  }

  bool share_memory(const Group& a, const Group& b) const {
    auto reads = [&](const Group& group, auto&& visit) {
      for (auto n : group.nodes) {
        const Node& node = *plan_.nodes[n].node;
        for (int i = 0; i < node.operand_count; ++i) {
          if (node.operands[i].value && visit(node.operands[i].value.get())) return true;
        }
      }
      return false;
    };
    return reads(a, [&](Value* x) { return reads(b, [&](Value* y) { return x == y; }); });
  }

  void find_outputs() {
    for (auto& planned : plan_.nodes) {
      const Node& node = *planned.node;
      for (int i = 0; i < node.operand_count; ++i) {
        Value* operand = node.operands[i].value.get();
        if (!operand || operand->computed()) continue;
        auto& producer = plan_.nodes[operand->node()->mark];
        if (producer.group == planned.group) ++producer.fused_reads;
      }
    }
    for (auto& planned : plan_.nodes) {
      planned.output = planned.node->kind == NodeKind::library ||
                       planned.node->output().references() > planned.fused_reads;
    }
  }

  void sort_groups() {
    for (std::size_t g = 0; g < plan_.groups.size(); ++g) {
      if (!plan_.groups[g].nodes.empty()) plan_.order.push_back(static_cast<std::int32_t>(g));
    }
    std::stable_sort(plan_.order.begin(), plan_.order.end(),
                     [&](auto a, auto b) { return plan_.groups[a].stage < plan_.groups[b].stage; });
  }

  Plan& plan_;
};

}  // namespace

Plan make_plan(const Collected& graph) {
  Plan plan;
  for (Node* node : graph.nodes()) plan.nodes.push_back({.node = node});
  Planner(plan).place_all();
  return plan;
}

}  // namespace heddle::graph
