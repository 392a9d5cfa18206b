#include "graph/program.h"

#include <algorithm>

#include "core/per_thread.h"
#include "graph/access.h"
#include "graph/graph.h"
#include "graph/primitive.h"

namespace heddle::graph {

namespace {

// The bytes that a layout spans.
std::pair<std::int64_t, std::int64_t> span_of(const Layout& layout, Dtype dtype) {
  auto reach = extent_of(layout).value_or(std::pair<std::int64_t, std::int64_t>(0, -1));
  return {reach.first * itemsize(dtype), (reach.second + 1) * itemsize(dtype)};
}

// Whether steps along the dimensions order[i...] within the shape add up to `distance`. Says yes
// where finding out would take long.
bool reaches(const Layout& layout, const Dims& order, std::int64_t i, std::int64_t distance) {
  if (i == order.size()) return distance == 0;
  auto extent = layout.shape[order[i]], stride = std::abs(layout.strides[order[i]]);
  if (extent == 1) return reaches(layout, order, i + 1, distance);
  if (stride == 0) return true;
  std::int64_t rest = 0;  // what the dimensions inside can make up for
  for (auto inner = i + 1; inner < order.size(); ++inner) {
    rest += (layout.shape[order[inner]] - 1) * std::abs(layout.strides[order[inner]]);
  }
  auto below = [](std::int64_t a, std::int64_t b) { return a / b - (a % b < 0); };
  auto first = std::max(-below(rest - distance, stride), 1 - extent);
  auto last = std::min(below(distance + rest, stride), extent - 1);
  constexpr std::int64_t many = 3;
  if (last - first >= many) return true;
  for (auto steps = first; steps <= last; ++steps) {
    if (reaches(layout, order, i + 1, distance - steps * stride)) return true;
  }
  return false;
}

// Whether they step alike; strides of extent 1 say nothing.
bool are_parallel(const Layout& a, const Layout& b) {
  if (a.shape != b.shape) return false;
  for (std::int64_t d = 0; d < a.ndim(); ++d) {
    if (a.shape[d] != 1 && a.strides[d] != b.strides[d]) return false;
  }
  return true;
}

// Whether two layouts have no element in common. False where that is hard to tell.
bool are_apart(const Layout& a, const Layout& b) {
  if (!are_parallel(a, b)) return false;
  return !reaches(a, memory_order(a), 0, a.offset - b.offset);
}

Overlap overlap_of(const Layout& read, Dtype read_as, const Layout& written, Dtype written_as) {
  auto from = span_of(read, read_as), to = span_of(written, written_as);
  if (from.second <= to.first || to.second <= from.first) return Overlap::none;
  if (itemsize(read_as) != itemsize(written_as)) return Overlap::overlap;
  if (read.offset == written.offset && are_parallel(read, written)) return Overlap::exact;
  return are_apart(read, written) ? Overlap::none : Overlap::overlap;
}

}  // namespace

Overlap overlap_with(const Node& update, const Operand& operand) {
  if (!update.params.empty()) return Overlap::overlap;  // at computed places
  if (operand.layout) {
    auto found = overlap_of(*operand.layout, operand.dtype, *update.target, update.target_dtype);
    if (found != Overlap::overlap || operand.dtype != update.target_dtype) return found;
    // A row or a column beside what is written.
    const auto box = Box::of(update);
    const auto access = Access::of(*operand.layout, update.shape());
    const bool beside = box && access && access->space() == update.shape() &&
                        box->side(*access) == Box::Side::outside;
    return beside ? Overlap::none : found;
  }
  return overlap_of(contiguous_layout(operand.value->shape), operand.dtype, *update.target,
                    update.target_dtype);
}

bool write_apart(const Node& a, const Node& b) {
  return overlap_of(*a.target, a.target_dtype, *b.target, b.target_dtype) == Overlap::none;
}

namespace {

// Vectors keep their memory from one evaluation to the next.
struct Spare {
  std::vector<Node*> nodes;
  std::vector<std::int32_t> reads;
  std::vector<Collected::Leaf> leaves;
  std::vector<std::pair<Node*, int>> stack;
  std::vector<std::pair<const Value*, std::int64_t>> seen;
};
Spare& spare() { return PerThread<Spare>::own(); }

std::int32_t leaf_of(std::span<const Collected::Leaf> leaves, const Value& value) {
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    if (leaves[i].value == &value) return static_cast<std::int32_t>(i);
  }
  return -1;
}

// One more operand reads it. `leaves` is a vector of any kind.
void count_leaf(auto& leaves, const Value& value) {
  const std::span known(leaves.begin(), leaves.end());
  if (auto leaf = leaf_of(known, value); leaf >= 0) {
    ++known[static_cast<std::size_t>(leaf)].reads;
  } else {
    leaves.push_back({&value, 1});
  }
}

}  // namespace

Collected::Collected(const Graph& graph, std::span<Value* const> targets) {
  Spare& kept = spare();
  nodes_.swap(kept.nodes);
  reads_.swap(kept.reads);
  leaves_.swap(kept.leaves);
  nodes_.clear();
  reads_.clear();
  leaves_.clear();
  // Depth first without recursion: a frame is a node and the operand to look at next.
  auto& stack = kept.stack;
  stack.clear();
  auto visit = [&](const Value& value) {
    Node* node = value.node();
    if (!node || node->mark >= 0) return;
    if (node->runner) runner_ = node->runner;
    node->mark = 0;
    nodes_.push_back(node);
    stack.emplace_back(node, 0);
  };
  for (Value* target : targets) {
    if (target->graph() == &graph) visit(*target);
    while (!stack.empty()) {
      auto& [node, next] = stack.back();
      if (next == node->operand_count) {
        stack.pop_back();
      } else if (const Value* operand = node->operands[next++].value.get()) {
        visit(*operand);
      }
    }
  }
  sort_nodes(graph);
  for (std::size_t i = 0; i < nodes_.size(); ++i) nodes_[i]->mark = static_cast<std::int32_t>(i);
  reads_.assign(nodes_.size(), 0);
  for (const Node* node : nodes_) {
    updates_ += node->kind == NodeKind::update;
    for (int o = 0; o < node->operand_count; ++o) {
      const Value* operand = node->operands[o].value.get();
      if (!operand) continue;
      const Node* made_by = operand->node();
      if (made_by && operand->output == 0) {
        ++reads_[static_cast<std::size_t>(made_by->mark)];
      } else {
        count_leaf(leaves_, *operand);
      }
    }
  }
}

// In the order in which they were made. The graph has all of its nodes in that order.
void Collected::sort_nodes(const Graph& graph) {
  constexpr std::size_t many = 64;
  std::size_t missing = nodes_.size();
  if (missing >= many && missing >= static_cast<std::size_t>(graph.count()) / 2) {
    for (Node* node = graph.first(); node && missing > 0; node = node->next) {
      if (node->mark >= 0) nodes_[nodes_.size() - missing--] = node;
    }
    return;
  }
  std::sort(nodes_.begin(), nodes_.end(),
            [](const Node* a, const Node* b) { return a->sequence < b->sequence; });
}

std::int32_t Collected::reads(const Value& value) const {
  const Node* node = value.node();
  if (node && value.output == 0) {
    return node->mark < 0 ? 0 : reads_[static_cast<std::size_t>(node->mark)];
  }
  auto leaf = leaf_of(leaves_, value);
  return leaf < 0 ? 0 : leaves_[static_cast<std::size_t>(leaf)].reads;
}

void Collected::release() {
  if (released_) return;
  released_ = true;
  for (Node* node : nodes_) node->mark = -1;
  nodes_.clear();
  Spare& kept = spare();
  nodes_.swap(kept.nodes);
  reads_.swap(kept.reads);
  leaves_.swap(kept.leaves);
}

namespace {
// Offsets are arguments of a program. What matters of them is whether they are zero, and which
// reads of a value have the same: `same` tells, and is 0 for the first.
void write_layout(std::vector<std::uint64_t>& key, const Layout& layout, std::uint64_t same) {
  key.push_back(static_cast<std::uint64_t>(layout.ndim()) << 8 |
                static_cast<std::uint64_t>(layout.offset == 0) << 16 | same << 20 | 4);
  for (auto extent : layout.shape) key.push_back(static_cast<std::uint64_t>(extent));
  for (auto stride : layout.strides) key.push_back(static_cast<std::uint64_t>(stride));
}
// `reads(node)`: of its first output, by other nodes. `equal_offsets`: with which reads of a value
// have the same offset.
template <class Reads>
void write_nodes(std::vector<std::uint64_t>& key, std::span<const Node* const> nodes,
                 std::span<const Collected::Leaf> leaves, Reads reads, bool equal_offsets) {
  using word = std::uint64_t;
  key.clear();
  auto& seen = spare().seen;
  seen.clear();
  const Device* device = nodes.empty() ? nullptr : &nodes[0]->device();
  key.push_back(reinterpret_cast<word>(device));
  for (const Collected::Leaf& leaf : leaves) {
    key.push_back(static_cast<word>(leaf.value->size()) << 1 |
                  static_cast<word>(leaf.value->references() == leaf.reads));
  }
  for (const Node* node : nodes) {
    const bool library = node->kind == NodeKind::library;
    const bool combines = node->kind == NodeKind::reduce || node->kind == NodeKind::scan;
    const Value* first = node->outputs()[0];  // its memory may serve others where nobody holds it
    key.push_back(
        word(node->kind) | word(combines ? node->combine : node->op) << 8 |
        word(library ? Dtype::bool_ : node->dtype()) << 24 | word(node->operand_count) << 32 |
        word(node->masked) << 40 | word(node->accumulates) << 41 |
        word(first && first->references() != reads(*node)) << 42 | word(node->in_place) << 43 |
        word(node->target_dtype) << 44 | word(library ? 0 : node->shape().size()) << 52);
    if (library) {
      key.push_back(reinterpret_cast<word>(node->primitive));
      if (node->parameters) node->parameters->write_key(key);
      for (const Value* output : node->outputs()) {
        key.push_back(output ? static_cast<word>(output->dtype) << 8 | 1 : 0);
        if (!output) continue;
        key.push_back(static_cast<word>(output->shape.size()));
        for (auto extent : output->shape) key.push_back(static_cast<word>(extent));
      }
    } else {
      for (auto extent : node->shape()) key.push_back(static_cast<word>(extent));
    }
    if (node->kind != NodeKind::elementwise && !library) {
      key.push_back(node->axes);
      key.push_back(static_cast<word>(node->params.size()));
      for (auto p : node->params) key.push_back(static_cast<word>(p));
      if (node->target) write_layout(key, *node->target, 0);
    }
    for (int o = 0; o < node->operand_count; ++o) {
      const Operand& operand = node->operands[o];
      if (!operand.value) {
        key.push_back(1 | word(operand.dtype) << 8);
        continue;
      }
      const Value& value = *operand.value;
      const Node* made_by = value.node();
      word where = made_by ? 3 | static_cast<word>(made_by->mark) << 32
                           : 2 | static_cast<word>(leaf_of(leaves, value)) << 32;
      key.push_back(where | word(operand.dtype) << 8 | word(value.dtype) << 16 |
                    word(operand.layout != nullptr) << 24 | word(made_by ? value.output : 0) << 25);
      if (!operand.layout) continue;
      std::uint64_t same = 0;
      if (equal_offsets) {
        while (same < seen.size() &&
               (seen[same].first != &value || seen[same].second != operand.layout->offset)) {
          ++same;
        }
        if (same == seen.size()) seen.emplace_back(&value, operand.layout->offset);
      }
      write_layout(key, *operand.layout, same);
    }
  }
  // Targets may be on several devices.
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (&nodes[i]->device() == device) continue;
    key.push_back(i);
    key.push_back(reinterpret_cast<word>(&nodes[i]->device()));
  }
}
}  // namespace

void Collected::write_structure(std::vector<std::uint64_t>& key, bool equal_offsets) const {
  write_nodes(
      key, nodes_, leaves_,
      [&](const Node& node) { return reads_[static_cast<std::size_t>(node.mark)]; }, equal_offsets);
}

void Collected::write_key(std::vector<std::uint64_t>& key) const {
  write_structure(key, true);
  if (updates_ > 0) write_overlaps(key);
}

void Collected::write_full_key(std::vector<std::uint64_t>& key) const {
  write_structure(key, false);
  write_offsets(key, Program::Offsets::all);
}

bool write_key_of(const Node& node, std::vector<std::uint64_t>& key) {
  constexpr int most_operands = 8;
  if (node.kind == NodeKind::update || node.kind == NodeKind::library) return false;
  if (node.operand_count > most_operands) return false;
  SmallVector<Collected::Leaf, most_operands> leaves;
  for (int o = 0; o < node.operand_count; ++o) {
    if (const Value* operand = node.operands[o].value.get()) count_leaf(leaves, *operand);
  }
  const Node* nodes[] = {&node};
  write_nodes(key, nodes, {leaves.begin(), leaves.end()}, [](const Node&) { return 0; }, true);
  return true;
}

void Collected::write_offsets(std::vector<std::uint64_t>& key, Program::Offsets which) const {
  const bool all = which == Program::Offsets::all;
  for (const Node* node : nodes_) {
    if (node->target) key.push_back(static_cast<std::uint64_t>(node->target->offset));
    for (int o = 0; o < node->operand_count; ++o) {
      const Operand& operand = node->operands[o];
      if (operand.layout && (all || !operand.value->computed())) {
        key.push_back(static_cast<std::uint64_t>(operand.layout->offset));
      }
    }
  }
}

// Which reads of a value overlap with an update of it depends on offsets, and decides what runs in
// place.
void Collected::write_overlaps(std::vector<std::uint64_t>& key) const {
  for (const Node* update : nodes_) {
    if (update->kind != NodeKind::update) continue;
    const Value* old = update->operands[0].value.get();
    std::uint64_t found = 1;
    for (const Node* node : nodes_) {
      for (int o = 0; o < node->operand_count; ++o) {
        const Operand& operand = node->operands[o];
        if (operand.value.get() != old || (node->kind == NodeKind::update && o == 0)) continue;
        found = found << 2 | static_cast<std::uint64_t>(overlap_with(*update, operand));
        if (found >> 60) {
          key.push_back(found);
          found = 1;
        }
      }
    }
    key.push_back(found);
  }
}

std::vector<std::size_t> last_steps(const Collected& graph, std::span<const Step> steps) {
  constexpr std::size_t none = ~std::size_t{0};
  std::vector<std::size_t> last(graph.nodes().size(), none), read(last.size(), 0);
  for (std::size_t s = 0; s < steps.size(); ++s) {
    for (auto n : steps[s].nodes) last[static_cast<std::size_t>(n)] = s;
  }
  // Readers come after what they read.
  for (std::size_t n = last.size(); n-- > 0;) {
    if (last[n] == none) last[n] = read[n];
    const Node& node = *graph.nodes()[n];
    for (int o = 0; o < node.operand_count; ++o) {
      const Value* value = node.operands[o].value.get();
      if (!value || value->computed()) continue;
      std::size_t& until = read[static_cast<std::size_t>(value->node()->mark)];
      until = std::max(until, last[n]);
    }
  }
  return last;
}

std::int64_t offset_of(const SlotSource& source, const Step& step, std::span<Node* const> nodes) {
  switch (source.kind) {
    case SlotSource::Kind::output:
    case SlotSource::Kind::scratch:
      return source.offset;
    case SlotSource::Kind::target: {
      const UpdateSlot& slot = step.updates[static_cast<std::size_t>(source.node)];
      const Node& update = *nodes[static_cast<std::size_t>(slot.node)];
      return update.target->offset * itemsize(update.target_dtype);
    }
    case SlotSource::Kind::operand:
      break;
  }
  const Operand& operand = nodes[static_cast<std::size_t>(source.node)]->operands[source.operand];
  const std::int64_t begin = operand.layout ? operand.layout->offset : 0;
  return (begin + source.offset) * itemsize(operand.dtype);
}

}  // namespace heddle::graph
