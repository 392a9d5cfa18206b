// Operations on numbers that are known: computed at once, by the same kernels as arrays, without a
// graph or memory of a device.
#pragma once

#include <span>

#include "graph/program.h"
#include "kernel/ir.h"
#include <heddle/dtype.h>
#include <heddle/op_table.h>

namespace heddle {

// A number of a type.
struct Number {
  Dtype dtype = Dtype::bool_;
  kernel::ScalarBits bits;
};

// The kernel that computes op of numbers of these types; they are arguments of the launch.
graph::Step number_step(Op op, std::span<const Number> operands, Dtype result, Device& device);

// op(operands), of types that the op takes as they are. Writes the bytes of the result, an element
// of type `result`, to `to`. The graph is locked.
void compute_number(Op op, std::span<const Number> operands, Dtype result, void* to);

}  // namespace heddle
