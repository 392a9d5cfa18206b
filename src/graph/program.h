// A program: what a plan became, ready to run on any graph of the same structure. Memory operands
// and scalars are named by the node and the operand that they come from, so that evaluating the
// same expression again needs neither planning nor lowering.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "graph/node.h"
#include "runtime/kernel_cache.h"

namespace heddle::graph {

struct SlotSource {
  // operand: what a node reads through its layout; target: what an update writes through its
  enum class Kind : std::uint8_t { operand, target, output, scratch };
  Kind kind = Kind::operand;
  std::int32_t node = -1;  // position of the node; of an output or a target: in the step's list
  std::int32_t operand = -1;
  // Scratch and outputs: bytes from their base. An operand of a node that is computed again:
  // elements from where the operand begins.
  std::int64_t offset = 0;
  bool composed = false;  // of an operand of a node that is computed again
};

struct ScalarSource {
  std::int32_t node = -1;  // -1: a constant
  std::int32_t operand = -1;
  kernel::ScalarBits constant;
};

struct OutputSlot {
  std::int32_t node = -1;
  std::size_t bytes = 0;
  // An operand that nobody reads afterwards: its memory serves, if nobody else holds it.
  std::int32_t donor_node = -1;
  std::int32_t donor_operand = -1;
};

// An update of a step. It writes into the memory of the old value where nobody else holds that any
// more, else into a copy.
struct UpdateSlot {
  std::int32_t node = -1;
  std::int32_t reads = 1;  // of the old value by this step, the update's own among them
  // The step reads old elements that it overwrites elsewhere: never in place.
  bool fresh = false;
  // Nothing of the old value is left: it was never computed, and its memory is new.
  bool blank = false;
  // Among the updates of the step: it goes on with the memory of this one.
  std::int32_t continued = -1;
};

// One kernel of a program, or one call of a library.
struct Step {
  kernel::Kernel kernel;
  FoundKernel found{};
  std::vector<SlotSource> slots;
  std::vector<ScalarSource> scalars;
  std::vector<OutputSlot> outputs;
  std::vector<std::int32_t> nodes;  // in topological order
  std::vector<UpdateSlot> updates;
  std::vector<std::int64_t> strides;  // [slot][dimension], bytes
  std::vector<std::int64_t> extents;
  std::size_t scratch_bytes = 0;
  bool library = false;
  bool serial = false;
  // A slot is read by operands that begin at different places, and would not be one elsewhere.
  bool by_offsets = false;
};

struct Bands;

struct Program {
  std::vector<Step> steps;
  // Steps that run together, in order (graph/bands.h); null: none do.
  std::shared_ptr<const std::vector<Bands>> bands;
  // Which offsets have to be the same in graphs that it holds for, as some are composed of others:
  // those of reads of pending values, or those in memory, too.
  enum class Offsets : std::uint8_t { none, of_pending, all };
  Offsets by_offsets = Offsets::none;
  std::atomic<bool> prepared{false};  // every step has found its kernel
};

// How reading some elements of an old value goes together with overwriting some of them.
enum class Overlap : std::uint8_t {
  none,     // no element is in both
  exact,    // each element is read where it is written
  overlap,  // anything else
};
// Of an operand that reads the old value of an update.
Overlap overlap_with(const Node& update, const Operand& operand);
// Whether two updates of a value write to different elements. False where that is hard to tell.
bool write_apart(const Node& a, const Node& b);

// The pending nodes that targets need, operands first, in the order in which they were made.
// Numbers them (Node::mark). Their graph is locked.
class Collected {
 public:
  Collected(const Graph& graph, std::span<Value* const> targets);
  ~Collected() { release(); }
  Collected(const Collected&) = delete;
  Collected& operator=(const Collected&) = delete;

  const std::vector<Node*>& nodes() const { return nodes_; }
  std::int64_t updates() const { return updates_; }  // among the nodes
  // The graph of a thread that is running some of the nodes; then they are not all here.
  const Graph* runner() const { return runner_; }
  // How many operands in the collected graph read it.
  std::int32_t reads(const Value& value) const;
  // Whether nobody outside of the collected graph holds it.
  bool dies(const Value& value) const { return value.references() == reads(value); }
  // Whether it is there for one operand only.
  bool read_once(const Value& value) const { return dies(value) && reads(value) == 1; }
  // Takes the numbers back; nodes may go away afterwards.
  void release();
  // Canonical words: equal for graphs that the same program computes.
  void write_key(std::vector<std::uint64_t>& key) const;
  // The offsets, which the key leaves out: of updates and of reads of pending values, or all.
  void write_offsets(std::vector<std::uint64_t>& key, Program::Offsets which) const;
  // Equal for graphs that differ in nothing but numbers.
  void write_full_key(std::vector<std::uint64_t>& key) const;

  struct Leaf {
    const Value* value;
    std::int32_t reads;
  };

 private:
  void write_structure(std::vector<std::uint64_t>& key, bool equal_offsets) const;
  void sort_nodes(const Graph& graph);
  void write_overlaps(std::vector<std::uint64_t>& key) const;

  std::vector<Node*> nodes_;
  std::vector<std::int32_t> reads_;  // per node, of its first output
  std::vector<Leaf> leaves_;         // computed values, and further outputs of nodes
  const Graph* runner_ = nullptr;
  std::int64_t updates_ = 0;
  bool released_ = false;
};

// The key of a graph that is this node alone, with all that it reads in memory: that of Collected,
// without collecting. False for updates and library steps, and where operands are many. Its graph
// is locked.
bool write_key_of(const Node& node, std::vector<std::uint64_t>& key);

// Per node: the last step that it is part of. What is in none is there until the last of those who
// seem to read it.
std::vector<std::size_t> last_steps(const Collected& graph, std::span<const Step> steps);

// Where in the memory of its value a slot begins, in bytes; of scratch, in all of that. Offsets of
// layouts are not part of a program: x[i] is one for all i.
std::int64_t offset_of(const SlotSource& source, const Step& step, std::span<Node* const> nodes);

}  // namespace heddle::graph
