// What the maker of nodes may do with them and with values, and nobody else.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "graph/make.h"
#include "graph/node.h"

namespace heddle {

struct NodeMaker {
  static Ref<Value> output(Node& node, Dtype dtype, const Shape& shape, Device& device);
  static void outputs(Node& node, std::span<const graph::OutputType> types, Device& device,
                      std::span<Ref<Value>> values);
  // From here on the outputs own the node. Returns how many nodes are pending.
  static std::int64_t link(std::unique_ptr<Node> node, std::span<Operand> operands);
  // The same of a step that only reads what is computed: there is nothing to plan, and it need not
  // be pending.
  static void run(Node& node, Value& output, std::span<Operand> operands);
  // The last reference to an output has gone, and its graph is locked.
  static void end_output(Value* value);

 private:
  static bool depends_on_stand_in(std::span<const Operand> operands);
  // Evaluates what is pending elsewhere. Whether any operand is pending still.
  static bool bring(Graph& own, std::span<const Operand> operands);
  // Fills that are read become arguments of the kernel instead of nodes.
  static void fold(const Node& node, std::span<Operand> operands);
};

}  // namespace heddle
