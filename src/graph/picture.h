// A picture of pending work: nodes, what they read, and the kernels that they are planned to be
// part of.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "graph/value.h"

namespace heddle::graph {

struct PicturedNode {
  // What makes it: `memory` for a value that is there, in no kernel; `inside`: computed where it is
  // read.
  static constexpr std::int32_t memory = -2, inside = -1;

  std::string label;
  Dtype dtype = Dtype::bool_;
  Dims shape;
  std::int32_t kernel = inside;     // in the order in which they run
  bool library = false;             // the kernel is a call of a library
  bool stored = false;              // it becomes memory
  std::vector<std::int32_t> reads;  // others, by their places
};

// What evaluating costs: kernels and calls of libraries, and the bytes that they move.
struct PlanCost {
  std::size_t kernels = 0, calls = 0;
  std::uint64_t read = 0, written = 0;
};
HEDDLE_API PlanCost cost_of(std::span<Value* const> targets);

// In topological order.
HEDDLE_API std::vector<PicturedNode> picture(std::span<Value* const> targets);

}  // namespace heddle::graph
