// Which pending values are computed again where they are read, instead of being memory in between.
// A value that is read element for element becomes part of its reader's kernel anyway; one that is
// read through views (a stencil of a stencil, a slice of a formula) is computed at each of the
// places where that costs less than to write it and to read it.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "graph/access.h"
#include "graph/program.h"

namespace heddle::graph {

class Recomputation {
 public:
  explicit Recomputation(const Collected& graph);

  // Whether whoever reads this operand through a view computes it there.
  bool inlined(const Node& reader, int operand) const;
  // Whether a node that is computed again computes this operand of it again, too.
  bool followed(const Operand& operand) const;
  // Whether the node has a kernel where it is computed for its own shape. Others are computed by
  // their readers only.
  bool home(const Node& node) const { return home_[static_cast<std::size_t>(node.mark)]; }
  bool any() const { return any_; }

  // Has been found to be memory after all.
  void store(const Collected& graph, const Node& node);

 private:
  struct View {
    const Node* reader;
    int operand;
  };

  bool reads_memory(const Node& reader, int operand) const;
  void collect_views(const Collected& graph);
  bool pays(const Node& node) const;
  void find_homes(const Collected& graph);

  std::vector<std::vector<View>> views_;  // per node: who reads it through a view
  std::vector<bool> dense_;               // per node: somebody reads it element for element
  std::vector<bool> memory_;              // per node: is memory for everybody who is not in its kernel
  std::vector<bool> inlined_;             // per node: readers through views compute it
  std::vector<bool> home_;
  bool any_ = false;
};

// What a kernel computes of nodes that are not its own: nodes at the places where they are read.
class Instances {
 public:
  explicit Instances(const Recomputation& recomputation) : recomputation_(recomputation) {}

  struct Read {
    std::int32_t instance = -1;
    std::optional<Layout> layout;  // of memory, over the space of the reader; else it is a number
  };
  struct Instance {
    const Node* node;
    Access access;
    std::vector<Read> reads;
  };

  // The instance for an operand of a node of the kernel; -1 where it cannot be one.
  std::int32_t add(const Node& reader, int operand);
  // The same of a node at a place.
  std::int32_t add(const Node& node, const Access& access);

  const std::vector<Instance>& all() const { return all_; }

 private:
  const Recomputation& recomputation_;
  std::vector<Instance> all_;  // operands first
  std::int32_t visited_ = 0;
};

}  // namespace heddle::graph
