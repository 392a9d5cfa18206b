// The closed set of primitives: everything that can be pending is one of these. Those that
// generated kernels compute are kinds of their own, which the planner fuses; everything else is a
// library step, described by a Primitive that says how it runs.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "runtime/buffer.h"
#include <heddle/dtype.h>
#include <heddle/export.h>
#include <heddle/layout.h>

namespace heddle {

struct Node;
class Device;
namespace graph {
class Batch;
struct Derivative;
}  // namespace graph

enum class NodeKind : std::uint8_t {
  elementwise,  // op(operands)
  reduce,       // combine over the axes in `axes`
  argreduce,    // op argmin or argmax over the axes in `axes`
  scan,         // running combine along the axis in `axes`
  index,        // the index along the axis in `axes`, int64
  random,       // words of a random stream, at the positions of the elements in C order: operands
                // are its key and counter (three scalars)
  gather,       // operands[0] at the positions operands[1...], see `params`
  update,       // operands[0] with operands[1] written through `target`; see ops/write.h
  library,      // what Node::primitive says
};

// What a library step needs to know beside its operands.
struct Parameters {
  virtual ~Parameters() = default;
  // Words that are equal exactly where the parameters are.
  virtual void write_key(std::vector<std::uint64_t>& key) const {}
};

// A library step while it runs: the memory of its operands and outputs.
class LibraryCall {
 public:
  explicit LibraryCall(const Node& node, std::span<Ref<Buffer>> outputs)
      : node_(node), outputs_(outputs) {}

  const Node& node() const { return node_; }
  Device& device() const;

  // The memory of an operand, and where in it the elements that are read begin.
  Buffer& buffer(int operand) const;
  void* data(int operand) const;
  // How the operand is read: its layout over the step's space, or that of the whole value.
  const Layout& layout(int operand) const;
  // The memory of an operand that is read whole, to be overwritten: its own where nobody else needs
  // it, else a copy.
  Ref<Buffer> take(int operand) const;

  // Whether anybody wants this output.
  bool wants(int output) const;
  // Memory for an output.
  Buffer& make(int output) const;
  // The same where it is there already.
  void give(int output, Ref<Buffer> buffer) const {
    outputs_[static_cast<std::size_t>(output)] = std::move(buffer);
  }

 private:
  const Node& node_;
  std::span<Ref<Buffer>> outputs_;
};

// A primitive that runs as a step of its own. Shapes and types of its outputs are said by whoever
// makes the node: a function beside the primitive, in the same file.
struct Primitive {
  const char* name;
  // Fills every output that is wanted. Buffers of outputs that it leaves out are made for it.
  void (*run)(LibraryCall& call);
  // How cotangents pass it; null: it has no derivative. See graph/derivative.h.
  const graph::Derivative* derivative = nullptr;
  // How it computes all rows of a batch at once; null: row by row. See graph/batch.h.
  void (*batch)(graph::Batch& step) = nullptr;
  // Whether on GPUs it only launches: nothing of it passes between the host and memory, so that it
  // may be written down and repeated (runtime/repeated_work.h).
  bool only_launches = false;
  // Whether nan and infinities of finite numbers are floating-point errors, as NumPy tells of them.
  bool tells_errors = false;
};

}  // namespace heddle
