// What the maker of nodes may do with them and with values, and nobody else; and what every
// operation does once, as code that is part of its callers.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "graph/graph.h"
#include "graph/make.h"
#include "graph/node.h"
#include <heddle/layout.h>

namespace heddle {

struct NodeMaker {
  static Ref<Value> output(Node& node, Dtype dtype, const Shape& shape, Device& device);
  static void outputs(Node& node, std::span<const graph::OutputType> types, Device& device,
                      std::span<Ref<Value>> values);
  // From here on the outputs own the node. Returns how many nodes are pending.
  static std::int64_t link(std::unique_ptr<Node> node, std::span<Operand> operands);
  // The same while somebody records, or of a stand-in.
  static std::int64_t link_heard(std::unique_ptr<Node> node, std::span<Operand> operands);
  // The same of a step that only reads what is computed: there is nothing to plan, and it need not
  // be pending.
  static void run(Node& node, Value& output, std::span<Operand> operands);
  // A value that has been computed without a node: as if this thread had made one.
  static Ref<Value> computed(Dtype dtype, const Shape& shape, Ref<Buffer> buffer);
  // Throws where there are too many dimensions, or bytes; extents of zero are few bytes.
  static void check_extents(const Dims& shape, Dtype dtype);
  // The last reference to an output has gone, and its graph is locked.
  static void end_output(Value* value);

 private:
  static bool depends_on_stand_in(std::span<const Operand> operands);
  // Makes it pending. The graph is locked.
  static void put(std::unique_ptr<Node> node, std::span<Operand> operands, Graph& own);
  // Evaluates what is pending elsewhere. Whether any operand is pending still.
  static bool bring(Graph& own, std::span<const Operand> operands);
  // Fills that are read become arguments of the kernel instead of nodes.
  static void fold(const Node& node, std::span<Operand> operands);
};

inline Value::Value(Dtype type, Shape extents, Device& where)
    : dtype(type), shape(std::move(extents)), device(&where) {
  std::int64_t bytes = itemsize(dtype);
  bool fits = shape.size() <= max_dims;
  for (auto extent : shape) fits &= !__builtin_mul_overflow(bytes, extent, &bytes);
  if (!fits) NodeMaker::check_extents(shape, dtype);
}

inline void Value::set_node(Graph& graph, Node& node) {
  graph_ = &graph;
  source_.store(reinterpret_cast<std::uintptr_t>(&node) + pending, std::memory_order_release);
}

inline void Node::set_operands(std::span<Operand> list) {
  if (list.data() == operands) {
    // Made where they stay.
  } else if (list.size() > inline_count) {
    more_operands_ = std::make_unique<Operand[]>(list.size());
    operands = more_operands_.get();
    std::move(list.begin(), list.end(), operands);
  } else {
    std::uninitialized_move(list.begin(), list.end(), operands);
  }
  operand_count = static_cast<std::uint8_t>(list.size());
}

inline void Graph::link(Node* node) {
  node->graph_ = this;
  node->sequence = ++made_;
  node->previous = newest_;
  (newest_ ? newest_->next : oldest_) = node;
  newest_ = node;
  ++count_;
}

inline void Graph::unlink(Node* node) {
  (node->previous ? node->previous->next : oldest_) = node->next;
  (node->next ? node->next->previous : newest_) = node->previous;
  node->previous = node->next = nullptr;
  --count_;
}

}  // namespace heddle
