// The fusion plan: which pending nodes become which kernels, in which order. Pure bookkeeping on
// the graph; nothing here allocates memory of a device or emits code.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "graph/program.h"
#include "graph/recompute.h"

namespace heddle::graph {

// Why a node could not join the kernel of its operand.
enum class Stop : std::uint8_t {
  none,
  view,          // the operand is read through a view that is not element for element
  shape,         // the iteration spaces differ
  axes,          // a reduction over other axes
  order,         // another operand is ready only after this kernel
  length,        // the kernel would be too long
  slot_limit,    // too many memory operands
  scan,          // a running result of a running result, which the device makes one by one
  needs_memory,  // the operation reads its operand at arbitrary places
  target,        // an update writes into it
  few,           // an update of few elements after another: one kernel serves all such
  twice,         // an update writes to elements that the kernel has written to
  written,       // it is what an update has written into
  overlap,       // an update would overwrite what its value reads elsewhere
  library,       // a call of a library
  words,         // random words are made by blocks, which rows of this length would waste
  device,        // another device
  update,        // of siblings: one of them writes into memory that is there
  unrelated,     // of siblings: they have no memory in common
};

// Two kernels that are not one.
struct Boundary {
  std::int32_t reader;  // nodes; of siblings: one of each
  std::int32_t source;
  Stop stop;
};

struct PlannedNode {
  Node* node = nullptr;
  std::int32_t group = -1;  // -1: only its readers compute it
  bool row = false;         // lives on the kept dimensions of its group, not on the whole domain
  bool output = false;      // somebody outside of the group needs it
  bool again = false;       // others compute it where they read it
  bool scanned = false;     // is a scan, or needs one of its group
  std::uint8_t phase = 0;
  std::int32_t fused_reads = 0;  // operands inside the group that read it
};

// A memory operand of a kernel.
struct MemoryRead {
  const Value* value = nullptr;
  Dtype dtype = Dtype::bool_;
  const Layout* layout = nullptr;  // null: element for element

  bool operator==(const MemoryRead& other) const {
    if (value != other.value || dtype != other.dtype) return false;
    return layout == other.layout || (layout && other.layout && *layout == *other.layout);
  }
};

// Nodes that become one kernel: element-wise work on a domain, reductions of it over `reduced`
// axes, and work on the reduced results, which may flow back into the domain.
struct Group {
  Dims domain;
  std::uint64_t reduced = 0;  // bit per axis of the domain
  bool reduces = false;
  bool scans = false;
  bool library = false;
  bool flat = true;          // every memory operand is dense or a single element: shape is free
  std::uint8_t block = 0;    // elements that share a block of random words; 0: nothing is random
  std::int32_t stage = 0;    // groups of a stage do not depend on one another
  std::int32_t segment = 0;  // pieces of a graph that is too long for one kernel
  std::int32_t bundle = -1;  // all nodes of this one, and nothing else
  std::uint32_t work = 0;    // in cheap operations
  std::vector<MemoryRead> reads;
  std::vector<std::int32_t> nodes;  // in topological order
  // Why what its nodes read of other groups is no part of it; of groups that read nothing of
  // others: of those that it could have been one with, the one before it.
  std::vector<Boundary> apart;
};

// Where a group was too long for one kernel.
struct CutOf {
  std::uint32_t work = 0;  // of all that was to be one kernel
  std::int64_t bytes = 0;  // that cross the cut
};

struct Plan {
  explicit Plan(const Collected& graph);

  Recomputation recomputation;
  std::vector<PlannedNode> nodes;  // topological order
  std::vector<Group> groups;
  std::vector<std::int32_t> order;  // groups in the order to run them
  std::vector<CutOf> cuts;          // per segment: that where it begins
  bool beside = false;              // some kernel reads beside what it writes: offsets decide

  const PlannedNode& at(const Value& value) const { return nodes[value.node()->mark]; }
  // Of an operand that is what an update of the group leaves: the first update there of those one
  // upon another. What is read beside what they write is there before them.
  const Node& first_update(const Operand& operand) const;
};

// The extents of the domain's kept axes.
Dims kept_shape(const Group& group);

}  // namespace heddle::graph
