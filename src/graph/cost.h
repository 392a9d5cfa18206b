// Rough costs of operations, in cheap arithmetic instructions per element.
#pragma once

#include "graph/node.h"
#include "graph/node_facts.h"
#include "kernel/op_cost.h"
#include "runtime/device.h"

namespace heddle::graph {

inline double node_cost(const Node& node) {
  if (node.kind == NodeKind::random) return 40;
  double cost = node.kind == NodeKind::elementwise ? kernel::op_cost(node.op) : 10;
  return node.kind != NodeKind::library && is_complex(node.dtype()) ? 2 * cost : cost;
}

// To compute a node once more. A GPU has no instructions for quotients and functions.
inline double again_cost(const Node& node) {
  const double cost = node_cost(node);
  return cost > 2 && !node.device().host_accessible() ? 4 * cost : cost;
}

// To find out whether an element lies in a box, and to choose.
inline constexpr double guard_cost = 4;

// To begin a row on a CPU, in a loop over short ones.
inline constexpr double host_row_cost = 120;

// What a node adds to the code of a kernel, in cheap operations: functions are long.
inline std::uint32_t weight_of(const Node& node) {
  auto cost = node_cost(node);
  return cost >= 20 ? 8 : cost >= 2 ? 2 : 1;
}

// The operations that could be done on an element meanwhile, for the elements of a launch in all.
inline double launch_cost(const Device& device) { return device.host_accessible() ? 2e4 : 5e7; }

// Whether an update is over before the next kernel could have begun. A loop writes such rows one by
// one: a kernel of many would save little, and another one be compiled for each number of rows that
// happen to be pending.
inline constexpr std::int64_t few_elements = 1024;
inline constexpr std::size_t most_short_writes = 8;  // of one array in a kernel
inline bool writes_few(const Node& update) {
  return update.device().host_accessible() && size_of(iteration_shape(update)) <= few_elements;
}

// The operations that cost as much as to write an element and to read it again.
inline double store_cost(const Device& device) { return device.host_accessible() ? 24 : 64; }

}  // namespace heddle::graph
