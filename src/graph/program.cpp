#include "graph/program.h"

namespace heddle::graph {

namespace {

// Vectors keep their memory from one evaluation to the next. Guarded by graph_mutex().
struct Spare {
  std::vector<Value*> nodes;
  std::vector<std::int32_t> reads;
  std::vector<Collected::Leaf> leaves;
  std::vector<std::pair<Value*, int>> stack;
  std::vector<std::pair<const Value*, std::int64_t>> seen;
};
Spare& spare = *new Spare;  // outlives static destruction

}  // namespace

Collected::Collected(std::span<Value* const> targets) {
  nodes_.swap(spare.nodes);
  reads_.swap(spare.reads);
  leaves_.swap(spare.leaves);
  nodes_.clear();
  reads_.clear();
  leaves_.clear();
  // Depth first without recursion: a frame is a node and the operand to look at next.
  auto& stack = spare.stack;
  stack.clear();
  for (Value* target : targets) {
    if (target->computed() || target->mark >= 0) continue;
    stack.emplace_back(target, 0);
    while (!stack.empty()) {
      auto& [node, next] = stack.back();
      if (next < node->operand_count) {
        Value* operand = node->operands[next++].value.get();
        if (operand && !operand->computed() && operand->mark < 0) stack.emplace_back(operand, 0);
      } else {
        if (node->mark < 0) {
          node->mark = static_cast<std::int32_t>(nodes_.size());
          nodes_.push_back(node);
        }
        stack.pop_back();
      }
    }
  }
  reads_.assign(nodes_.size(), 0);
  for (const Value* node : nodes_) {
    for (int o = 0; o < node->operand_count; ++o) {
      const Value* operand = node->operands[o].value.get();
      if (!operand) continue;
      if (!operand->computed()) {
        ++reads_[static_cast<std::size_t>(operand->mark)];
      } else if (auto leaf = leaf_of(*operand); leaf >= 0) {
        ++leaves_[static_cast<std::size_t>(leaf)].reads;
      } else {
        leaves_.push_back({operand, 1});
      }
    }
  }
}

std::int32_t Collected::leaf_of(const Value& value) const {
  for (std::size_t i = 0; i < leaves_.size(); ++i) {
    if (leaves_[i].value == &value) return static_cast<std::int32_t>(i);
  }
  return -1;
}

std::int32_t Collected::reads(const Value& value) const {
  if (!value.computed()) return value.mark < 0 ? 0 : reads_[static_cast<std::size_t>(value.mark)];
  auto leaf = leaf_of(value);
  return leaf < 0 ? 0 : leaves_[static_cast<std::size_t>(leaf)].reads;
}

void Collected::release() {
  if (released_) return;
  released_ = true;
  for (Value* node : nodes_) node->mark = -1;
  nodes_.clear();
  nodes_.swap(spare.nodes);
  reads_.swap(spare.reads);
  leaves_.swap(spare.leaves);
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
}  // namespace

void Collected::write_key(std::vector<std::uint64_t>& key) const {
  using word = std::uint64_t;
  key.clear();
  auto& seen = spare.seen;
  seen.clear();
  const Device* device = nodes_.empty() ? nullptr : nodes_[0]->device;
  key.push_back(reinterpret_cast<word>(device));
  for (const Leaf& leaf : leaves_) {
    key.push_back(static_cast<word>(leaf.value->size()) << 1 |
                  static_cast<word>(leaf.value->references() == leaf.reads));
  }
  for (const Value* node : nodes_) {
    key.push_back(word(node->kind) | word(node->op) << 8 | word(node->combine) << 16 |
                  word(node->dtype) << 24 | word(node->operand_count) << 32 |
                  word(node->masked) << 40 | word(node->accumulates) << 41 |
                  word(!dies(*node)) << 42 | word(node->target_dtype) << 44 |
                  word(node->shape.size()) << 52);
    for (auto extent : node->shape) key.push_back(static_cast<word>(extent));
    if (node->kind != NodeKind::elementwise) {
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
      word where = value.computed() ? 2 | static_cast<word>(leaf_of(value)) << 32
                                    : 3 | static_cast<word>(value.mark) << 32;
      key.push_back(where | word(operand.dtype) << 8 | word(value.dtype) << 16 |
                    word(operand.layout != nullptr) << 24);
      if (!operand.layout) continue;
      std::uint64_t same = 0;
      while (same < seen.size() &&
             (seen[same].first != &value || seen[same].second != operand.layout->offset)) {
        ++same;
      }
      if (same == seen.size()) seen.emplace_back(&value, operand.layout->offset);
      write_layout(key, *operand.layout, same);
    }
  }
  // Targets may be on several devices.
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    if (nodes_[i]->device == device) continue;
    key.push_back(i);
    key.push_back(reinterpret_cast<word>(nodes_[i]->device));
  }
}

}  // namespace heddle::graph
