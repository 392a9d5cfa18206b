#include "graph/node_facts.h"

namespace heddle::graph {

const Node* made_by(const Operand& operand) {
  const Node* node = operand.value ? operand.value->node() : nullptr;
  return node && node->mark >= 0 ? node : nullptr;
}

const Dims& iteration_shape(const Node& node) {
  if (node.kind == NodeKind::reduce || node.kind == NodeKind::argreduce) {
    const Operand& source = node.operands[0];
    if (source.layout) return source.layout->shape;
    return source.value->shape;
  }
  if (node.kind == NodeKind::update) return node.target->shape;
  // Of a step with several outputs the first may have gone.
  for (const Value* output : node.outputs()) {
    if (output) return output->shape;
  }
  return node.shape();
}

bool reads_densely(const Operand& operand, const Dims& space) {
  if (operand.dtype != operand.value->dtype) return false;
  if (!operand.layout) return true;
  return operand.layout->offset == 0 && size_of(space) == operand.value->size() &&
         is_c_contiguous(*operand.layout);
}

bool is_single(const Operand& operand) {
  if (!operand.value) return true;
  if (operand.value->size() == 1 && operand.dtype == operand.value->dtype) return true;
  if (!operand.layout) return false;
  for (std::int64_t d = 0; d < operand.layout->ndim(); ++d) {
    if (operand.layout->strides[d] != 0 && operand.layout->shape[d] > 1) return false;
  }
  return true;
}

bool takes_numbers(const Node& node) {
  return node.kind == NodeKind::elementwise || node.kind == NodeKind::update;
}

std::size_t bytes_of(const Value& value) {
  return static_cast<std::size_t>(value.size() * itemsize(value.dtype));
}

bool is_plain_update(const Node& node) {
  return node.kind == NodeKind::update && !node.masked && !node.accumulates && !node.in_place &&
         node.params.empty() && node.target_dtype == node.dtype() &&
         node.operands[0].dtype == node.dtype();
}

bool changes_most(const Node& update) {
  return !update.in_place && !update.masked && update.params.empty() &&
         2 * static_cast<std::size_t>(size_of(update.target->shape) *
                                      itemsize(update.target_dtype)) >=
             bytes_of(update.output());
}

bool reads_anywhere(const Node& node, int operand) {
  return operand == 0 && (node.kind == NodeKind::gather || node.kind == NodeKind::update);
}

bool needs_rows(const Node& node, const Dims& space) {
  if (node.kind == NodeKind::scan) return true;
  if (node.kind == NodeKind::reduce || node.kind == NodeKind::argreduce) {
    for (std::int64_t d = 0; d < space.size(); ++d) {
      if (space[d] != 1 && !(node.axes >> d & 1)) return true;
    }
    return false;
  }
  if (node.kind != NodeKind::elementwise) return space.size() > 1;
  for (int i = 0; i < node.operand_count; ++i) {
    const Operand& operand = node.operands[i];
    if (operand.value && !is_single(operand) && !reads_densely(operand, space)) return true;
  }
  return false;
}

}  // namespace heddle::graph
