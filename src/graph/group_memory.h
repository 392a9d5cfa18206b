// The memory of a group and the loops over it: which operands are read and written, with which
// strides, which results go where, and which dimensions are joined into which loops. The
// instructions inside of the loops are group_instructions.h's and lower.cpp's.
#pragma once

#include <vector>

#include "graph/plan.h"
#include "graph/program.h"

namespace heddle::graph {

// A memory operand while the dimensions are still those of the domain.
struct RawSlot {
  const Value* value = nullptr;  // what is read
  SlotSource source;
  std::int64_t offset = 0;  // elements
  Dtype dtype = Dtype::bool_;
  bool written = false;
  bool scratch = false;
  Dims strides;  // elements, per domain dimension; 0 where the extent is 1
};

// A loop: the dimensions of the domain that it walks over as one, outermost first.
using Loop = std::vector<std::int64_t>;

class GroupMemory {
 protected:
  GroupMemory(const Collected& graph, const Plan& plan, std::int32_t index)
      : graph_(graph),
        plan_(plan),
        index_(index),
        group_(plan.groups[static_cast<std::size_t>(index)]),
        ndim_(group_.domain.size()),
        instances_(plan.recomputation, group_.bundle) {}

  // Nodes of the group are members in their order; instances of other nodes come after them. Per
  // member and operand: the slot, or the member that it is.
  struct Read {
    std::uint16_t slot = kernel::no_arg;
    std::int32_t member = -1;
    // Of a number: whose operand it is.
    const Node* node = nullptr;
    int operand = 0;
    bool nothing = false;
  };

  const PlannedNode& planned(std::int32_t n) const { return plan_.nodes[n]; }
  // Whether the group computes it. What an update of the group leaves is memory.
  bool fused(const Operand& operand) const {
    return operand.value && !operand.value->computed() &&
           plan_.at(*operand.value).group == index_ && !writes(*operand.value->node());
  }
  bool reduced(std::int64_t d) const { return group_.reduced >> d & 1; }
  bool has_reduced_dims() const { return group_.reduces || group_.scans; }

  // Strides over the domain of something laid out densely on the node's space.
  Dims dense_strides(bool row) const;
  Dims normalized(Dims strides) const;
  // Strides over the domain of an operand of `node`.
  Dims operand_strides(const PlannedNode& node, const Layout* layout) const;
  std::uint16_t add_slot(RawSlot slot);
  std::uint16_t read_slot(const PlannedNode& node, int o);
  bool reads_beside(const Operand& operand) const {
    return !operand.value->computed() && plan_.at(*operand.value).group == index_;
  }
  // What an instance reads is composed of its own layout and those of its readers.
  Read read_of(const Instances::Read& read);
  bool writes(const Node& node) const { return plan_.recomputation.writes(node); }
  void collect_slots();
  void choose_outputs();
  std::uint16_t new_output(const PlannedNode& node);
  // Of a bundle: a slot for each place along the short axes, one after the other.
  std::uint16_t new_places(const Node& node);
  // An operand that nobody reads after this kernel, and that this kernel reads element for element
  // as it writes the output.
  void find_donor(const PlannedNode& node, const RawSlot& slot, OutputSlot& output);
  // Groups run in order of their stage: every other reader must be of an earlier one.
  bool read_here_last(const Value& source) const;
  bool all_reads_match(const Value& source, const RawSlot& output) const;
  static const Instances::Read& added(const std::optional<Instances::Read>& read);
  std::uint16_t update_slot(const PlannedNode& node);
  std::int32_t continued(const Node& update) const;
  bool overlaps_chain(const Node& update, const Operand& operand) const;
  void choose_dimensions();
  // Bit per dimension of the domain whose index somebody needs.
  std::uint64_t indexed_dims() const;
  // Whether dimension b directly follows a in the memory of every slot, and in C order where
  // positions are needed.
  bool joins(std::int64_t a, std::int64_t b) const;
  void sort_by_stride(Dims& dims) const;
  // How far a step along the loop goes in C order.
  std::int64_t position_stride(const Loop& dims) const {
    return dims.empty() ? 0 : dense_strides(false)[dims.back()];
  }
  std::int64_t extent(const Loop& dims) const;
  std::int64_t extent(const std::vector<Loop>& nest) const;
  std::int64_t stride(const RawSlot& slot, const Loop& dims) const;
  void choose_lanes();
  bool has_short_rows() const;
  void lengthen_lanes();
  bool lanes_along_reduced() const;
  void finish_slots();
  // A large result in memory of its own. Donated memory was just read and is in the caches.
  bool streams(const RawSlot& slot) const;

  const Collected& graph_;
  const Plan& plan_;
  std::int32_t index_;
  const Group& group_;
  std::int64_t ndim_;
  Step result_;
  std::vector<RawSlot> slots_;
  std::vector<std::vector<Read>> reads_;
  Instances instances_;
  std::vector<std::uint16_t> output_slots_;  // per node
  std::vector<std::int32_t> positions_;      // plan node -> position in the group
  std::vector<Loop> kept_, inner_;           // loops over kept and over reduced dimensions
  int last_phase_ = 0;
  bool needs_order_ = false;
  bool rounds_ = false;      // has reductions whose order shows in their results
  bool positional_ = false;  // needs the position of every element in C order
};

}  // namespace heddle::graph
