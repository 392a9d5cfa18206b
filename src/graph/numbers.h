// What is computed at once, by the same kernels as arrays, without a graph or memory of a device:
// operations on numbers that are known, and on few elements that the host sees.
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

// An operand of an operation on few elements.
struct HostOperand {
  Number number;            // its type is that of the elements, too
  void* first = nullptr;    // in memory that the host sees, and that stays; null: the number
  std::int64_t stride = 0;  // bytes
};
// What one kernel computes of such operands.
struct HostStep;
// The kernel for op(operands), element by element; null where it is not known yet.
const HostStep* known_step(Op op, Dtype result, std::span<const HostOperand> operands);
// Of `length` elements, at least two; `record` makes the pending value.
const HostStep& learn_step(Op op, Dtype result, std::int64_t length,
                           std::span<const HostOperand> operands,
                           const std::function<Ref<Value>()>& record);
// A value of it, which is computed: to the last bit what evaluating it gives. Null where that takes
// more than one kernel of nothing else.
Ref<Value> compute_elements(const HostStep& step, Dtype result, const Shape& shape,
                            std::span<const HostOperand> operands);

}  // namespace heddle
