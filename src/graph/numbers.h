// Operations on numbers that are known: computed at once, by the same kernels as arrays, without a
// graph or memory of a device.
#pragma once

#include <span>

#include "graph/make.h"
#include "graph/program.h"
#include <heddle/dtype.h>
#include <heddle/op_table.h>

namespace heddle {

// The kernel that computes op of numbers of these types; they are arguments of the launch.
graph::Step number_step(Op op, std::span<const Number> operands, Dtype result, Device& device);

// op(operands), of types that the op takes as they are. Writes the bytes of the result, an element
// of type `result`, to `to`.
void compute_number(Op op, std::span<const Number> operands, Dtype result, void* to);

}  // namespace heddle
