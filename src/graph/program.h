// A program: what a plan became, ready to run on any graph of the same structure. Memory operands
// and scalars are named by the node and the operand that they come from, so that evaluating the
// same expression again needs neither planning nor lowering.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/value.h"
#include "runtime/kernel_cache.h"

namespace heddle::graph {

struct SlotSource {
  // operand: what a node reads through its layout; target: what an update writes through its
  enum class Kind : std::uint8_t { operand, target, output, scratch };
  Kind kind = Kind::operand;
  std::int32_t node = -1;  // position of the node; of an output: in outputs
  std::int32_t operand = -1;
  std::int64_t offset = 0;  // scratch: bytes from its base
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

// One kernel of a program.
struct Step {
  kernel::Kernel kernel;
  FoundKernel found{};  // set when it is first run
  std::vector<SlotSource> slots;
  std::vector<ScalarSource> scalars;
  std::vector<OutputSlot> outputs;
  std::vector<std::int32_t> nodes;    // in topological order
  std::vector<std::int32_t> updates;  // nodes that write in place
  std::vector<std::int64_t> strides;  // [slot][dimension], bytes
  std::vector<std::int64_t> extents;
  std::size_t scratch_bytes = 0;
  bool serial = false;
  bool interruptible = true;
};

struct Program {
  std::vector<Step> steps;
};

// The pending nodes that targets need, operands first. Numbers them (Value::mark).
class Collected {
 public:
  explicit Collected(std::span<Value* const> targets);
  ~Collected() { release(); }
  Collected(const Collected&) = delete;
  Collected& operator=(const Collected&) = delete;

  const std::vector<Value*>& nodes() const { return nodes_; }
  // How many operands in the collected graph read it.
  std::int32_t reads(const Value& value) const;
  // Whether nobody outside of the collected graph holds it.
  bool dies(const Value& value) const { return value.references() == reads(value); }
  // Takes the numbers back; nodes may go away afterwards.
  void release();
  // Canonical words: equal for graphs that the same program computes.
  void write_key(std::vector<std::uint64_t>& key) const;

  struct Leaf {
    const Value* value;
    std::int32_t reads;
  };

 private:
  std::int32_t leaf_of(const Value& value) const;

  std::vector<Value*> nodes_;
  std::vector<std::int32_t> reads_;  // per node
  std::vector<Leaf> leaves_;
  bool released_ = false;
};

}  // namespace heddle::graph
