// What is computed where it is read, instead of being memory in between.
//
// A value that is read element for element becomes part of its reader's kernel anyway. One that is
// read through views (a stencil of a stencil, a slice of a formula) is computed at each of the
// places where that costs less than to write it and to read it. What updates of a fresh value leave
// (`zeros`, then some slices; the parts of a join) is chosen element by element: from what was
// written there, or from what was there before.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "graph/access.h"
#include "graph/bundle.h"
#include "graph/choice.h"
#include "graph/program.h"

namespace heddle::graph {

class Instances;

// Why a value is memory for whoever reads it through a view, instead of being computed there.
enum class Reason : std::uint8_t {
  none,
  once,         // what makes it is not computed again: a reduction, a scan, a write, a library step
  held,         // somebody holds it
  anywhere,     // somebody reads it at arbitrary places, or as another type
  overwritten,  // it reads what an update overwrites
  cost,         // that costs more than to store it
  views,        // a view does not go along its axes
  many,         // to compute it wherever it is read would fill kernels
  stored,       // somebody reads it as memory in any case
  bundled,      // it is computed in the kernel of a bundle
};
struct Keeping {
  Reason reason = Reason::none;
  // Of `cost`: where it is read, the operations that all of these but one would take, and those
  // that could be done while it is stored and read.
  std::int32_t places = 0;
  float extra = 0;
  float store = 0;
};

// A value that another kernel computes, and what it is made of, which is memory.
struct HandedOn {
  const Node* node;
  std::vector<const Node*> sources;
};

class Recomputation {
 public:
  explicit Recomputation(const Collected& graph);

  // Whether whoever reads this operand computes it there.
  bool inlined(const Node& reader, int operand) const {
    return any_ && reads_[index(reader)] >> operand & 1;
  }
  // Whether a node that is computed again, in a kernel of this bundle or of none, computes this
  // operand of it again, too.
  bool followed(const Operand& operand, std::int32_t bundle = -1) const;
  // The bundle that the node is part of, or -1.
  std::int32_t bundle(const Node& node) const { return any_ ? bundle_[index(node)] : -1; }
  const std::vector<Bundle>& bundles() const { return bundles_; }
  // Whether the update is chosen for the sake of a bundle, and whether that came to nothing.
  bool part(const Node& update) const { return parts_[index(update)]; }
  bool refused(const Node& update) const { return refused_[index(update)]; }
  // Whether the update is computed for the whole value, by choosing.
  bool chosen(const Node& update) const { return any_ && choices_.chosen[index(update)]; }
  // Whether it is an update that writes into memory that is there.
  bool writes(const Node& node) const { return node.kind == NodeKind::update && !chosen(node); }
  // Of a chosen update: whether the updates below it leave nothing of what was there before them.
  bool covered(const Node& update) const { return choices_.covered[index(update)]; }
  // Whether an update that writes into memory is the first of several that leave nothing of what
  // was there: it begins with new memory.
  bool blank(const Node& update) const { return any_ && choices_.blank[index(update)]; }
  // Whether the node has a kernel where it is computed for its own shape. Others are computed by
  // their readers, or not at all.
  bool home(const Node& node) const { return !any_ || home_[index(node)]; }
  bool any() const { return any_; }
  // Of a node that is memory for some readers, and of an update that writes.
  const Keeping& keeping(const Node& node) const { return keeping_[index(node)]; }
  Written written(const Node& update) const { return choices_.written[index(update)]; }

  // Whether it may be computed at other places than its own, and any number of times.
  static bool repeatable(const Node& node);
  // To be computed by whoever reads them.
  void hand_on(const Collected& graph, const std::vector<HandedOn>& values);
  bool handed_on(const Node& node) const { return handed_on_[index(node)]; }
  // Have been found to be memory after all.
  void store(const Collected& graph, const std::vector<const Node*>& nodes);

 private:
  struct View {
    const Node* reader;
    int operand;
  };

  static std::size_t index(const Node& node) { return static_cast<std::size_t>(node.mark); }
  void find_reads(const Collected& graph);
  void find_anchored(const Collected& graph);
  void decide(const Collected& graph);
  // What keeps the node from being computed where it is read, beside what is known by now.
  Keeping worth(const Node& node, const std::vector<View>& views, bool dense) const;
  // Gives a node whose kernel could not compute all that it is to; null: there is none.
  const Node* find_homes(const Collected& graph);
  // Half of the way from there back to memory.
  const Node& middle_of(const Collected& graph, const Node& home) const;
  // Puts nodes together whose short axes are better unrolled. False where updates among them were
  // to be chosen first.
  bool bundle_nodes(const Collected& graph);
  // Updates that are part of no bundle are not chosen for that. False where there were some.
  bool refuse_parts();
  // Whether what an update writes is made of elements that it overwrites, read elsewhere by way of
  // values that are no memory.
  bool moves_what_it_overwrites(const Node& update) const;
  void keep(std::size_t node, Reason reason) {
    memory_[node] = true;
    if (keeping_[node].reason == Reason::none) keeping_[node].reason = reason;
  }

  std::vector<bool> memory_;  // per node: for everybody who is not in its kernel
  Choices choices_;
  std::vector<bool> forced_;     // by store()
  std::vector<bool> handed_on_;  // by hand_on()
  std::vector<bool> parts_;      // updates that write elements of bundles: chosen
  std::vector<bool> refused_;    // and that turned out not to be part of one
  std::vector<bool> home_;
  std::vector<std::uint64_t> reads_;  // per node: bit per operand that is computed where it is read
  std::vector<std::vector<View>> views_;
  std::vector<bool> dense_;
  // Per node: computed for itself or for readers that take it element for element, whatever others
  // do.
  std::vector<bool> anchored_;
  std::vector<Keeping> keeping_;
  std::vector<Bundle> bundles_;
  std::vector<std::int32_t> bundle_;  // per node
  bool any_ = false;
};

// What a kernel computes of nodes that are not its own: nodes at the places where they are read.
class Instances {
 public:
  // In the kernel of a bundle, or of none.
  explicit Instances(const Recomputation& recomputation, std::int32_t bundle = -1)
      : recomputation_(recomputation), bundle_(bundle) {}

  // What an instance reads: another one, memory, or a number.
  struct Read {
    const Node* node = nullptr;  // whose operand it is
    int operand = 0;
    std::int32_t instance = -1;
    std::optional<Layout> layout = {};  // of memory, over the space of the kernel
    bool nothing = false;               // nobody looks at it

    const Operand& source() const { return node->operands[operand]; }
  };
  struct Instance {
    const Node* node;
    Access access;
    std::int32_t guard = -1;
    std::vector<Read> reads;
    std::int32_t choice = -1;  // of a chosen update: the guard that says what is chosen
  };
  // Where what is read is there: the walk comes to places inside of the box, and so does the outer
  // guard say. Most are one box in the domain of the kernel, whichever way led there.
  struct Guard {
    std::int32_t outer = -1;
    Access access;
    Box box;
    bool operator==(const Guard&) const = default;
  };

  // What a node of the kernel reads; for nodes that are chosen updates, the node itself.
  std::optional<Read> add(const Node& reader, int operand);
  std::optional<Read> add(const Node& update);
  // All that a node of the kernel computes of others. False where that is nothing.
  bool add_all(const Node& node);
  // Whether something could not be added.
  bool failed() const { return failed_; }
  // A node of the bundle at a place along its short axes, or all of them at all places. Nothing,
  // false: where that cannot be.
  std::optional<Read> add_place(const Node& node, std::int64_t place);
  bool add_bundle();

  const std::vector<Instance>& all() const { return all_; }  // operands first
  const std::vector<Guard>& guards() const { return guards_; }
  // What all of them read of memory, and what was added that is memory itself.
  const std::vector<Read>& memory() const { return memory_; }
  // Nodes that are passed by.
  const std::vector<const Node*>& passed() const { return passed_; }

 private:
  std::optional<Read> resolve(const Node& node, int operand, const Access& access,
                              std::int32_t guard);
  std::optional<Read> at(const Node& node, int operand, const Node& made_by, const Access& access,
                         std::int32_t guard);
  std::int32_t instance(const Node& node, const Access& access, std::int32_t guard);
  std::int32_t guard(std::int32_t outer, const Access& access, const Box& box);
  // Of the domain: where the outer guard lets walks pass, those that come to the box. Nothing where
  // that is no box.
  std::optional<Box> part_of(std::int32_t outer, const Access& access, const Box& box) const;
  // Whether what is there where one guard lets walks pass is there wherever the other does.
  bool implies(std::int32_t guard, std::int32_t other) const;
  // Whether a walk stays inside in any case, and the guard lets most of it pass: what is computed
  // without it serves others, too.
  bool is_needless(std::int32_t guard, const Access& access) const;
  // Where a walk comes to that the outer guard lets pass.
  Box::Side side_of(const Box& box, const Access& access, std::int32_t outer) const;

  const Recomputation& recomputation_;
  std::int32_t bundle_;
  std::vector<Instance> all_;
  std::vector<Guard> guards_;
  std::vector<Read> memory_;
  std::vector<const Node*> passed_;
  std::int32_t visited_ = 0;
  bool failed_ = false;
};

}  // namespace heddle::graph
