// How a plan is found: nodes are placed one after the other, each in a group that it fits into.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <vector>

#include "graph/node_facts.h"
#include "graph/plan.h"

namespace heddle::graph {

// Whether rows of random words would end inside of blocks, or be shorter than a few vectors.
bool wastes_words(std::uint8_t block, const Dims& space);

class Planner {
 public:
  Planner(const Collected& graph, Plan& plan) : graph_(graph), plan_(plan) {}

  void place_all();

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
  std::int32_t bundle_of(const Node& node) const { return plan_.recomputation.bundle(node); }
  const Bundle& bundle_at(std::int32_t bundle) const {
    return plan_.recomputation.bundles()[static_cast<std::size_t>(bundle)];
  }
  std::int32_t stage_of(const Value& value) const {
    return plan_.groups[plan_.at(value).group].stage;
  }
  // Bundles are placed before some nodes that come before theirs.
  std::size_t end_of_placed() const {
    return plan_.recomputation.bundles().empty() ? placed_ : plan_.nodes.size();
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
  void note_boundary(std::int32_t reader, const Value& source, Stop stop) {
    plan_.groups[plan_.nodes[reader].group].apart.push_back({reader, source.node()->mark, stop});
  }

  // --- placing (plan.cpp) ---
  void pull(std::size_t n);
  void place_nodes();
  // All nodes of a bundle are placed at once, and before them whatever they need, though some of it
  // was made after some of them.
  void place_with_sources(std::int32_t index);
  void place_bundle(std::int32_t bundle);
  void place(std::int32_t index);
  // An update runs after everything else that reads its old value, so that it can be in place:
  // those were made before it. What is in its own kernel reads what it overwrites element for
  // element, or the update is not in place.
  void place_after_readers(const Node& update, std::int32_t& best, std::int32_t& earliest,
                           Stop& stop) const;
  // A value that is written after all is read by everybody. False when all was well.
  bool store_outputs();
  // Values that one other kernel reads are computed there instead, where what they are made of
  // takes fewer bytes. False when all was well.
  bool hand_on_outputs();
  void find_outputs();
  // Leaves out what turned out to be read nowhere, such as a value that other writes cover wholly.
  // Nobody would hold it until its turn comes.
  void drop_unneeded();
  void sort_groups();

  // --- whether a node fits into a group (plan_fit.cpp) ---
  // How the node could join the group of its pending operand i.
  Fit fit(const Node& node, int i) const;
  // How `node` could join the group of the pending operand `operand`.
  Fit fit(const Node& node, const Operand& operand) const;
  // Whether nothing of what is read of an update is written by the kernel of that: it is there
  // before.
  bool reads_beside(const Node& node, const Operand& operand) const;
  // How an update could write in the kernel of the one before it: to other elements, where nobody
  // outside of that kernel needs what that one leaves, and where nothing is read that is
  // overwritten elsewhere.
  Fit fit_after(const Node& update) const;
  // Whether the node needs memory that the group writes: it cannot be part of it.
  bool follows(const Node& node, std::int32_t group) const;
  // Puts a group off to a later stage, so that whoever needs its results there may join it. False
  // where others need them before, or where an update would have to leave its old value to it.
  bool wait(std::int32_t index, std::int32_t stage);
  bool reads(const Group& group, const Value* value) const;
  bool needs_scan_of(const Node& node, std::int32_t group) const;

  // --- groups (plan_groups.cpp) ---
  std::int32_t new_group(const Node& node, std::int32_t earliest, Fit& placed);
  void add_to_group(const PlannedNode& planned, Group& group);
  static void add_read(Group& group, const MemoryRead& read);
  // Tries to make every pending operand of the node part of group `target`, merging groups of the
  // same stage. Returns the group, or -1.
  std::int32_t join(const Node& node, std::int32_t target, Fit& placed, Stop& stop);
  // Why two groups cannot be one, whatever their stages are.
  Stop keeps_apart(const Group& a, const Group& b) const;
  // Says why not, where it does not.
  Stop merge(std::int32_t into, std::int32_t from);
  // Groups of one stage that walk over the same domain and read the same memory become one: the
  // data is read once, and results such as a mean and a variance share their work.
  void merge_siblings();
  Stop keeps_siblings_apart(const Group& a, const Group& b) const;
  bool has_update(const Group& group) const;
  static bool share_memory(const Group& a, const Group& b);
  // The work of a kernel: what several nodes compute of others counts once.
  std::uint32_t work_of(std::initializer_list<const Group*> groups) const;
  // How long kernels should be: the soft limit and the hard one. Programs of so many nodes on few
  // elements are loops, whose short kernels are compiled once for all passes.
  struct Lengths {
    std::uint32_t soft, most;
  };
  Lengths lengths_for(const Group& group) const;
  // Cuts groups that are longer than a kernel should be. False when there was none.
  bool cut_long_groups();
  void cut(const Group& group);

  const Collected& graph_;
  Plan& plan_;
  std::vector<Pulled> pulled_;
  std::vector<std::int32_t> segments_;
  std::size_t placed_ = 0;  // nodes before this one have been
};

}  // namespace heddle::graph
