// What a primitive says about its derivative: how cotangents of its outputs become cotangents of
// its operands. Rules are written with arrays, so that what they make is deferred, fuses and can be
// differentiated again.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "graph/node.h"
#include <heddle/array.h>

namespace heddle::graph {

// A step that was recorded, on the way back.
class HEDDLE_API Pullback {
 public:
  virtual ~Pullback() = default;

  // Its parameters; it has no operands any more.
  virtual const Node& node() const = 0;
  // The operands as they were read, in the space that they were read over: those that the
  // derivative says it needs.
  virtual const array& operand(int i) const = 0;
  virtual const Dims& shape_of(int operand) const = 0;
  virtual const LayoutRef& layout_of(int operand) const = 0;
  virtual Dtype dtype_of(int operand) const = 0;
  // Of an operand whose cotangent is wanted.
  virtual Device& device_of(int operand) const = 0;
  virtual int operand_count() const = 0;
  virtual int output_count() const = 0;
  // What it made: likewise.
  virtual const array& output(int i = 0) const = 0;
  virtual const Dims& shape_of_output(int i = 0) const = 0;
  virtual Dtype dtype_of_output(int i = 0) const = 0;

  // None where the result does not depend on the output.
  virtual std::optional<array> cotangent(int output) const = 0;
  // That of an output on which it depends, to be changed in place if nobody else needs it.
  virtual array take_cotangent(int output = 0) = 0;

  // Whether anybody wants the operand's.
  virtual bool wants(int operand) const = 0;
  // Adds to the operand's, in the shape that it was read in, or one that broadcasts to it.
  virtual void give(int operand, array cotangent) = 0;
  // The same of the whole value that is read, given away as memory: see take_cotangent().
  virtual void give_whole(int operand, array cotangent) = 0;
  // What has come together so far for the whole value that is read, to be written to.
  virtual array writeable(int operand) = 0;
};

struct Derivative {
  // What has to be kept for the way back: bits of operands and of outputs, the last one being for
  // all that follow, too.
  std::uint32_t operands = 0;
  std::uint32_t outputs = 0;
  void (*pull)(Pullback& step);
};

// Results that were computed of inputs, as a step that has the derivative of the primitive: its
// operands are the inputs and then the results. For what is composed of steps that have no
// derivative, or none as good: compute the results while there is a Constant.
HEDDLE_API std::vector<array> composed(const Primitive& primitive,
                                       std::shared_ptr<const Parameters> parameters,
                                       std::span<const array> inputs,
                                       std::span<const array> results);
// What such primitives have for run and batch.
HEDDLE_API void run_composed(LibraryCall& call);
HEDDLE_API void batch_composed(Batch& step);

}  // namespace heddle::graph
