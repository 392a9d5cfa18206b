#include "graph/forward.h"

#include <algorithm>
#include <optional>

#include "graph/access.h"
#include "graph/make.h"
#include "graph/node_facts.h"

namespace heddle::graph {

namespace {

struct ReadOf {
  Node* reader;
  int operand;
};

// What is to be read instead of an update.
struct Instead {
  const Operand* operand;
  std::optional<Layout> layout;  // over the reader's space; nothing for a number
};

bool takes_numbers(const Node& node) {
  return node.kind == NodeKind::elementwise || node.kind == NodeKind::update;
}

class Forwarding {
 public:
  explicit Forwarding(Collected& graph) : graph_(graph), reads_(graph.nodes().size()) {
    for (Node* node : graph.nodes()) {
      for (int o = 0; o < node->operand_count; ++o) note(*node, o);
    }
  }

  bool run() {
    bool any = false;
    // Readers come last: what they read instead is looked at afterwards.
    for (std::size_t n = graph_.nodes().size(); n-- > 0;) {
      Node& update = *graph_.nodes()[n];
      if (!is_plain_update(update)) continue;
      auto reads = reads_[n];
      if (update.output().references() != static_cast<std::int64_t>(reads.size())) continue;
      std::erase_if(reads, [&](const ReadOf& read) { return is_gone(*read.reader); });
      auto instead = all_instead(update, reads);
      if (!instead) continue;
      gone_.emplace_back(update.outputs()[0]);
      for (std::size_t i = 0; i < reads.size(); ++i) replace(reads[i], (*instead)[i]);
      any = true;
    }
    if (any) graph_.release();
    return any;
  }

 private:
  bool is_gone(const Node& node) const {
    return std::any_of(gone_.begin(), gone_.end(),
                       [&](const Ref<Value>& value) { return value->node() == &node; });
  }

  void note(Node& reader, int o) {
    const Value* value = reader.operands[o].value.get();
    const Node* made_by = value ? value->node() : nullptr;
    if (made_by && made_by->kind == NodeKind::update) {
      reads_[static_cast<std::size_t>(made_by->mark)].push_back({&reader, o});
    }
  }

  // For each of the reads what may be read instead; nothing where one of them needs the update.
  static std::optional<std::vector<Instead>> all_instead(const Node& update,
                                                         const std::vector<ReadOf>& reads) {
    auto box = Box::of(update);
    if (!box) return {};
    std::vector<Instead> all;
    for (const ReadOf& read : reads) {
      auto instead = instead_of(update, *box, read);
      if (!instead) return {};
      all.push_back(*std::move(instead));
    }
    return all;
  }

  static std::optional<Instead> instead_of(const Node& update, const Box& box, const ReadOf& read) {
    const Node& reader = *read.reader;
    const Operand& operand = reader.operands[read.operand];
    if (operand.dtype != update.dtype()) return {};
    if (reads_anywhere(reader, read.operand)) {
      // What is overwritten again nobody sees.
      if (!is_plain_update(reader) || !(*reader.target == *update.target)) return {};
      return Instead{&update.operands[0], std::nullopt};
    }
    auto access = operand.layout ? Access::of(*operand.layout, update.shape())
                                 : std::optional<Access>(Access(update.shape()));
    if (!access || access->space() != update.shape()) return {};
    const auto side = box.side(*access);
    if (side == Box::Side::both) return {};
    const Operand& source = update.operands[side == Box::Side::inside ? 1 : 0];
    if (source.dtype != update.dtype()) return {};
    if (!source.value) {
      if (!takes_numbers(reader)) return {};
      return Instead{&source, std::nullopt};
    }
    auto inside = side == Box::Side::inside ? box.enter(*access) : access;
    auto layout = inside ? inside->layout_of(source) : std::nullopt;
    if (!layout) return {};
    return Instead{&source, std::move(layout)};
  }

  void replace(const ReadOf& read, const Instead& instead) {
    Operand& operand = read.reader->operands[read.operand];
    const Operand& source = *instead.operand;
    if (instead.layout) {
      operand = reading(source.value, source.dtype, *instead.layout);
    } else {
      operand = reading_like(source, source.value);
    }
    note(*read.reader, read.operand);
  }

  Collected& graph_;
  std::vector<std::vector<ReadOf>> reads_;  // per node, of updates
  std::vector<Ref<Value>> gone_;            // kept until nobody looks at their nodes any more
};

}  // namespace

bool forward_reads(Collected& graph) { return graph.has_updates() && Forwarding(graph).run(); }

}  // namespace heddle::graph
