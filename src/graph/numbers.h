// What is computed at once, by the same kernels as arrays, without a graph or memory of a device:
// operations on numbers that are known, and products of short vectors that the host sees.
#pragma once

#include <cstdint>
#include <functional>
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

// The elements of a vector in memory that the host sees, and that stays.
struct HostVector {
  Ref<Value> value;
  void* first;
  std::int64_t stride;  // bytes
};
// The sum of the products of two short vectors: to the last bit what evaluating it gives. `record`
// makes the pending value, for kinds of vectors that are new. Writes the bytes of the result to
// `to`; false where evaluating it takes more than one kernel of nothing else.
bool compute_product(Dtype dtype, std::int64_t length, const HostVector& a, const HostVector& b,
                     const std::function<Ref<Value>()>& record, void* to);

}  // namespace heddle
