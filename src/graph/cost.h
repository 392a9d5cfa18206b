// Rough costs of operations, in cheap arithmetic instructions per element.
#pragma once

#include "graph/node.h"
#include "runtime/device.h"

namespace heddle::graph {

inline double op_cost(Op op) {
  switch (op) {
    case Op::add:
    case Op::subtract:
    case Op::multiply:
    case Op::negative:
    case Op::absolute:
    case Op::square:
    case Op::cast:
    case Op::select:
    case Op::bounded:
    case Op::reported:
    case Op::maximum:
    case Op::minimum:
    case Op::greater:
    case Op::greater_equal:
    case Op::less:
    case Op::less_equal:
    case Op::equal:
    case Op::not_equal:
    case Op::bitwise_and:
    case Op::bitwise_or:
    case Op::bitwise_xor:
    case Op::logical_and:
    case Op::logical_or:
    case Op::logical_not:
    case Op::unit_interval:
      return 1;
    case Op::divide:
    case Op::sqrt:
    case Op::reciprocal:
      return 4;
    default:
      return 20;
  }
}

inline double node_cost(const Node& node) {
  if (node.kind == NodeKind::random) return 40;
  double cost = node.kind == NodeKind::elementwise ? op_cost(node.op) : 10;
  return node.kind != NodeKind::library && is_complex(node.dtype()) ? 2 * cost : cost;
}

// What a node adds to the code of a kernel, in cheap operations: functions are long.
inline std::uint32_t weight_of(const Node& node) {
  auto cost = node_cost(node);
  return cost >= 20 ? 8 : cost >= 2 ? 2 : 1;
}

// The operations that could be done on an element meanwhile, for the elements of a launch in all.
inline double launch_cost(const Device& device) { return device.host_accessible() ? 2e4 : 5e7; }

// The operations that cost as much as to write an element and to read it again.
inline double store_cost(const Device& device) { return device.host_accessible() ? 24 : 64; }

}  // namespace heddle::graph
