// Node: a primitive applied to operands. It is pending: its outputs are Values that nobody has
// computed yet, and it goes when they are computed, or when nobody wants them any more.
//
// Nodes are made by graph::make (graph/make.h) and nowhere else.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "graph/primitive.h"
#include "graph/value.h"
#include "kernel/ir.h"
#include <heddle/op_table.h>

namespace heddle {

// What a node reads. A scalar (no value), or a Value through a layout.
struct Operand {
  Ref<Value> value;
  Dtype dtype = Dtype::bool_;  // type the elements are read as; differs from value->dtype in views
  // Layout over the iteration space of the reader; null when the reader's space is value->shape
  // itself, element for element.
  LayoutRef layout;
  kernel::ScalarBits scalar;
};

struct HEDDLE_API Node : Recycled<Node> {
  explicit Node(NodeKind kind) : kind(kind) {}
  ~Node();
  Node(const Node&) = delete;
  Node& operator=(const Node&) = delete;

  NodeKind kind;
  Op op = Op::cast;      // elementwise, argreduce, accumulating updates
  Op combine = Op::add;  // reduce, scan
  std::uint8_t operand_count = 0;
  Dtype target_dtype = Dtype::bool_;  // update: type that the target is written as
  bool masked = false;                // update: the last operand is a mask
  bool accumulates = false;  // update: op(what is there, operand 1) instead of operand 1, in order
  bool in_place = false;     // update: into the memory that is there, whoever else holds it
  bool stopped = false;      // an evaluation of it was interrupted, or failed
  std::int32_t mark = -1;    // position among the collected nodes; -1 outside of planning
  std::uint32_t passed = 0;  // updates that never run, as this reads what they wrote elsewhere
  std::uint64_t axes = 0;    // reduce, argreduce, scan, index
  std::uint64_t sequence = 0;  // nodes of a graph are numbered as they are made: operands first
  // The graph of the thread that runs it; null while nobody does.
  const Graph* runner = nullptr;
  Operand* operands = inline_operands_;  // operand_count of them
  // gather: [extent, stride] per index operand. update: same, for indices that follow operand 1.
  Dims params;
  std::unique_ptr<Layout> target;  // update: where in the old value; the space that is walked
  // Of a library step: which one, and what it needs to know, if anything.
  const Primitive* primitive = nullptr;
  std::shared_ptr<const Parameters> parameters;

  // All pending nodes of the graph, oldest first.
  Node* previous = nullptr;
  Node* next = nullptr;

  Graph& graph() const { return *graph_; }
  Device& device() const { return *device_; }
  // The outputs in order; null for one that nobody holds any more.
  std::span<Value* const> outputs() const {
    if (more_outputs_.empty()) return {&output_, 1};
    return {more_outputs_.begin(), more_outputs_.end()};
  }
  // Of the first output. Nodes that become part of kernels have no other.
  const Value& output() const { return *output_; }
  const Dims& shape() const { return output_->shape; }
  Dtype dtype() const { return output_->dtype; }

  template <class P>
  const P& parameters_as() const {
    return static_cast<const P&>(*parameters);
  }

  // Gives the outputs their memory, one buffer each; the node and its operands go. The graph is
  // locked.
  void complete(std::span<Ref<Buffer>> results);

 private:
  friend class Value;
  friend class heddle::Graph;
  friend struct NodeMaker;
  // The last reference to a pending output has gone.
  static void drop_output(Value* value);
  static void destroy(Node* node);
  void set_operands(std::span<Operand> list);

  static constexpr int inline_count = 3;
  Graph* graph_ = nullptr;
  Device* device_ = nullptr;
  Value* output_ = nullptr;
  SmallVector<Value*, 4> more_outputs_;  // all of them, where there are several
  std::unique_ptr<Operand[]> more_operands_;
  union {
    Operand inline_operands_[inline_count];  // as many as there are
  };
};

}  // namespace heddle
