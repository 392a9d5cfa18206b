// The instructions of a group's kernel, one by one: each stands once, on the outermost level where
// its operands are known. Which of them a node becomes is lower.cpp's.
#pragma once

#include <initializer_list>
#include <vector>

#include "graph/group_memory.h"

namespace heddle::graph {

class GroupInstructions : protected GroupMemory {
 protected:
  using Instr = kernel::Instr;
  using Level = kernel::Level;

  GroupInstructions(const Collected& graph, const Plan& plan, std::int32_t index)
      : GroupMemory(graph, plan, index),
        preferences_(planned(group_.nodes[0]).node->device().preferences()) {}

  std::uint16_t push(Instr instr);
  Level body_level() const;
  Level slot_level(const RawSlot& slot) const;
  std::uint16_t compute(Op op, Dtype dtype, std::initializer_list<std::uint16_t> args);
  void raise_level(Instr& instr, std::uint16_t arg) const;
  std::uint16_t load(std::uint16_t slot, int phase, std::uint16_t offset = kernel::no_arg,
                     std::uint16_t guard = kernel::no_arg);
  // Scalars are arguments: each operand its own, so that the structure does not depend on values.
  std::uint16_t scalar(Dtype dtype, ScalarSource source);
  std::uint16_t scalar_instr(Dtype dtype, std::size_t i);
  std::uint16_t integer(std::int64_t value, Dtype dtype = Dtype::int64);
  std::uint16_t loop_index(std::size_t dimension, int phase);
  // The index along one axis of the domain (index nodes keep dimensions apart).
  std::uint16_t axis_index(std::int64_t axis, int phase);
  // The position within the domain, in C order.
  std::uint16_t position_index(int phase);
  // The position within the reduced axes, in C order of those axes.
  std::uint16_t reduced_index(int phase);
  std::uint16_t as_type(std::uint16_t arg, Dtype dtype);
  // Reductions want a body-level value; a broadcast operand may be less.
  std::uint16_t at_body(std::uint16_t arg, int phase);
  // Whether places of a walk, and distances between them, need no more than 32 bits, and that is
  // cheaper.
  bool is_narrow(const Access& access) const;
  // Where on an axis a walk is, from where it begins.
  std::uint16_t walk(const Access& access, std::int64_t axis, Dtype dtype, int phase);
  std::uint16_t compare(Op op, std::uint16_t place, std::int64_t bound, Dtype dtype);
  // Values that were computed for a phase but then kept in memory, or never stored.
  void drop_unused();

  const Preferences preferences_;
  std::vector<Dtype> scalar_types_;
};

}  // namespace heddle::graph
