#include "graph/forward.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "graph/access.h"
#include "graph/cost.h"
#include "graph/graph.h"
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

class Forwarding {
 public:
  explicit Forwarding(const Collected& graph) {
    for (const Node* node : graph.nodes()) positions_.emplace(node, node->mark);
  }

  // One pass. False when nothing has changed, else the graph is to be collected again.
  bool run(Collected& graph) {
    reads_.assign(graph.nodes().size(), {});
    for (Node* node : graph.nodes()) {
      for (int o = 0; o < node->operand_count; ++o) note(*node, o);
    }
    bool any = false;
    std::vector<Ref<Value>> gone;  // kept until nobody looks at their nodes any more
    std::vector<bool> is_gone(graph.nodes().size(), false);
    // Readers come last: what they read instead is looked at afterwards.
    for (std::size_t n = graph.nodes().size(); n-- > 0;) {
      Node& update = *graph.nodes()[n];
      if (!is_plain_update(update)) continue;
      auto reads = reads_[n];
      const bool dies = update.output().references() == static_cast<std::int64_t>(reads.size());
      std::erase_if(reads, [&](const ReadOf& read) {
        return is_gone[static_cast<std::size_t>(read.reader->mark)];
      });
      auto instead = dies ? all_instead(update, reads) : std::nullopt;
      if (!instead) {
        any |= forward_values(update, reads);
        continue;
      }
      gone.emplace_back(update.outputs()[0]);
      is_gone[n] = true;
      count(update, reads);
      for (std::size_t i = 0; i < reads.size(); ++i) replace(reads[i], update, (*instead)[i]);
    }
    any |= !gone.empty();
    if (any) graph.release();
    return any;
  }

  // Single elements that are copied out of an array, as `x[k, k]` is, for somebody who reads them
  // before the array changes: they are read where they are. Otherwise the copy would be a kernel of
  // its own, because an update overwrites what it was copied from. False when nothing has changed.
  bool run_elements(Collected& graph) {
    std::vector<Ref<Value>> gone;
    for (Node* node : graph.nodes()) {
      if (!is_element(*node) || !graph.dies(node->output())) continue;
      const Value* source = node->operands[0].value.get();
      std::uint64_t until = ~std::uint64_t{0};
      std::vector<ReadOf> reads;
      bool possible = true;
      for (Node* reader : graph.nodes()) {
        if (reader->kind == NodeKind::update && reader->operands[0].value.get() == source)
          until = std::min(until, reader->sequence);
        for (int o = 0; o < reader->operand_count; ++o) {
          if (reader->operands[o].value.get() != &node->output()) continue;
          reads.push_back({reader, o});
          possible &=
              reader->kind == NodeKind::elementwise && reader->operands[o].dtype == node->dtype();
        }
      }
      for (const ReadOf& read : reads) possible &= read.reader->sequence < until;
      if (!possible || until == ~std::uint64_t{0}) continue;
      gone.emplace_back(node->outputs()[0]);
      for (const ReadOf& read : reads) {
        const Operand& operand = node->operands[0];
        Layout layout{read.reader->shape(), Dims(read.reader->shape().size(), 0),
                      operand.layout ? operand.layout->offset : 0};
        replace(read, *node, {&operand, std::move(layout)});
      }
    }
    if (!gone.empty()) graph.release();
    return !gone.empty();
  }

  // All that has changed in the nodes that are left, those included that the targets need no longer
  // but somebody else holds: whoever does it again without them leaves values that the first time
  // nobody held.
  std::vector<ForwardedRead> changes(const Graph& graph) const {
    std::vector<ForwardedRead> all;
    for (const Node* node = graph.first(); node; node = node->next) {
      for (int o = 0; o < node->operand_count; ++o) {
        auto found = origins_.find(&node->operands[o]);
        if (found == origins_.end()) continue;
        const auto [source, operand] = found->second;
        all.push_back({positions_.at(node), o, source, operand, node->operands[o].layout});
      }
    }
    return all;
  }

 private:
  // Whoever reads past an update knows about those that never run because of that: the update, and
  // those that it reads past itself.
  void count(const Node& update, const std::vector<ReadOf>& reads) {
    if (!reads.empty()) last_heir_ = reads[0].reader;
    if (last_heir_) last_heir_->passed += update.passed + 1;
  }

  using Origin = std::pair<std::int32_t, std::int32_t>;  // node and operand before all changes

  Origin origin_of(const Node& node, const Operand& operand) const {
    auto found = origins_.find(&operand);
    if (found != origins_.end()) return found->second;
    return {positions_.at(&node), static_cast<std::int32_t>(&operand - node.operands)};
  }

  static bool is_element(const Node& node) {
    if (node.kind != NodeKind::elementwise || node.op != Op::cast || node.output().size() != 1)
      return false;
    const Operand& operand = node.operands[0];
    return operand.value && operand.dtype == node.dtype() && operand.value->dtype == node.dtype() &&
           operand.value->size() > 1;
  }

  void note(Node& reader, int o) {
    const Value* value = reader.operands[o].value.get();
    const Node* made_by = value ? value->node() : nullptr;
    if (made_by && made_by->kind == NodeKind::update) {
      reads_[static_cast<std::size_t>(made_by->mark)].push_back({&reader, o});
    }
  }

  // An update that only others after it write to: those who read just what it, or one before it,
  // has written read that where it is computed, in the same kernel. But only if all others read
  // nothing that was written: they are no reason for another kernel either. True when there was
  // somebody.
  bool forward_values(const Node& update, std::vector<ReadOf> reads) {
    if (writes_few(update)) return false;
    std::erase_if(reads, [](const ReadOf& read) {
      return read.reader->kind == NodeKind::update && read.operand == 0;
    });
    std::erase_if(reads, [&](const ReadOf& read) { return reads_beside(update, read); });
    std::vector<std::pair<const Node*, Instead>> found;
    for (const ReadOf& read : reads) {
      auto value = value_read(update, read);
      if (!value) return false;
      found.push_back(*std::move(value));
    }
    for (std::size_t i = 0; i < reads.size(); ++i)
      replace(reads[i], *found[i].first, found[i].second);
    return !reads.empty();
  }

  // Whether nothing of what is read was written by an update or those before it.
  static bool reads_beside(const Node& update, const ReadOf& read) {
    if (reads_anywhere(*read.reader, read.operand)) return false;
    for (const Node* writer = &update; writer; writer = writer->operands[0].value->node()) {
      if (writer->kind != NodeKind::update) return true;
      if (!is_plain_update(*writer)) return false;
      if (overlap_with(*writer, read.reader->operands[read.operand]) != Overlap::none) return false;
    }
    return true;
  }

  static std::optional<std::pair<const Node*, Instead>> value_read(const Node& update,
                                                                   const ReadOf& read) {
    if (reads_anywhere(*read.reader, read.operand)) return {};
    if (!read.reader->operands[read.operand].layout) return {};
    auto access = access_to(update, read);
    if (!access) return {};
    const Node* writer = &update;
    auto box = Box::of(*writer);
    while (box && box->side(*access) == Box::Side::outside) {
      writer = writer->operands[0].value->node();
      box = writer && is_plain_update(*writer) ? Box::of(*writer) : std::nullopt;
    }
    if (!box || box->side(*access) != Box::Side::inside) return {};
    auto instead = reading_of(writer->operands[1], box->enter(*access), read);
    if (!instead || !is_whole_pending(*instead)) return {};
    return std::pair(writer, *std::move(instead));
  }

  // A number, or all of what a kernel makes, element for element.
  static bool is_whole_pending(const Instead& instead) {
    if (!instead.layout) return true;
    const Operand& source = *instead.operand;
    const Layout& layout = *instead.layout;
    return !source.value->computed() && !source.layout && layout.offset == 0 &&
           layout.shape == source.value->shape && is_c_contiguous(layout);
  }

  // How what an update leaves is walked over.
  static std::optional<Access> access_to(const Node& update, const ReadOf& read) {
    const Operand& operand = read.reader->operands[read.operand];
    if (operand.dtype != update.dtype()) return {};
    auto access = operand.layout ? Access::of(*operand.layout, update.shape())
                                 : std::optional<Access>(Access(update.shape()));
    if (access && access->space() != update.shape()) access.reset();
    return access;
  }

  // An operand of an update instead of what it leaves, walked over so.
  static std::optional<Instead> reading_of(const Operand& source,
                                           const std::optional<Access>& access,
                                           const ReadOf& read) {
    if (source.dtype != read.reader->operands[read.operand].dtype) return {};
    if (!source.value) {
      if (!takes_numbers(*read.reader)) return {};
      return Instead{&source, std::nullopt};
    }
    auto layout = access ? access->layout_of(source) : std::nullopt;
    if (!layout) return {};
    // What is written down for a library has the strides that it was made with.
    const Operand& now = read.reader->operands[read.operand];
    if (read.reader->kind == NodeKind::library &&
        (now.layout ? now.layout->strides != layout->strides : !is_c_contiguous(*layout))) {
      return {};
    }
    return Instead{&source, std::move(layout)};
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
    auto access = access_to(update, read);
    if (!access) return {};
    switch (box.side(*access)) {
      case Box::Side::inside:
        return reading_of(update.operands[1], box.enter(*access), read);
      case Box::Side::outside:
        return reading_of(update.operands[0], access, read);
      case Box::Side::both:
        break;
    }
    return {};
  }

  void replace(const ReadOf& read, const Node& update, const Instead& instead) {
    Operand& operand = read.reader->operands[read.operand];
    const Operand& source = *instead.operand;
    origins_[&operand] = origin_of(update, source);
    if (instead.layout) {
      operand = reading(source.value, source.dtype, *instead.layout);
    } else {
      operand = reading_like(source, source.value);
    }
    if (!reads_.empty()) note(*read.reader, read.operand);
  }

  std::unordered_map<const Node*, std::int32_t> positions_;
  std::unordered_map<const Operand*, Origin> origins_;  // of those that have changed
  std::vector<std::vector<ReadOf>> reads_;              // per node, of updates
  Node* last_heir_ = nullptr;
};

}  // namespace

std::vector<ForwardedRead> forward_reads(const Graph& graph, std::span<Value* const> targets,
                                         std::optional<Collected>& collected) {
  const bool any =
      std::any_of(collected->nodes().begin(), collected->nodes().end(), [&](const Node* node) {
        return node->kind == NodeKind::update && collected->reads(node->output()) > 0;
      });
  if (!any) return {};
  Forwarding forwarding(*collected);
  if (forwarding.run_elements(*collected)) collected.emplace(graph, targets);
  while (forwarding.run(*collected)) collected.emplace(graph, targets);
  return forwarding.changes(graph);
}

void forward_again(std::span<const ForwardedRead> reads, const Graph& graph,
                   std::span<Value* const> targets, std::optional<Collected>& collected) {
  if (reads.empty()) return;
  std::vector<std::pair<Operand*, Operand>> changes;
  changes.reserve(reads.size());
  for (const ForwardedRead& read : reads) {
    auto operand_of = [&](std::int32_t node, std::int32_t o) -> Operand& {
      return collected->nodes()[static_cast<std::size_t>(node)]->operands[o];
    };
    Operand made = operand_of(read.source_node, read.source_operand);
    made.layout = read.layout;
    changes.emplace_back(&operand_of(read.node, read.operand), std::move(made));
  }
  collected->release();
  for (auto& [operand, made] : changes) std::swap(*operand, made);
  changes.clear();  // updates that nobody reads any more go
  collected.emplace(graph, targets);
}

}  // namespace heddle::graph
