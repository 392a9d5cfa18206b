#include "graph/numbers.h"

#include <unordered_map>

#include "core/value.h"
#include "graph/lower.h"
#include "graph/plan.h"
#include "graph/program.h"
#include "runtime/device.h"

namespace heddle {

namespace {

using graph::Step;

// The kernel of a pending node whose operands are constants: they are arguments of the launch.
Step lowered(Op op, std::span<const Number> operands, Dtype result) {
  Ref<Value> node(new Value(NodeKind::elementwise, result, {}, cpu_device()));
  node->op = op;
  Operand list[max_inputs];
  for (std::size_t i = 0; i < operands.size(); ++i) list[i].dtype = operands[i].dtype;
  node->set_operands(std::span(list, operands.size()));
  Value* target = node.get();
  graph::Collected graph(std::span(&target, 1));
  auto plan = graph::make_plan(graph);
  Step step = graph::lower(graph, plan, plan.order[0]);
  step.found = find_kernel(cpu_device(), step.kernel);
  return step;
}

const Step& step_of(Op op, std::span<const Number> operands, Dtype result) {
  static auto* steps = new std::unordered_map<std::uint64_t, Step>;
  auto key = static_cast<std::uint64_t>(op) << 8 | static_cast<std::uint64_t>(result);
  for (const Number& operand : operands) {
    key = key << 8 | (static_cast<std::uint64_t>(operand.dtype) + 1);
  }
  auto found = steps->find(key);
  if (found == steps->end()) found = steps->emplace(key, lowered(op, operands, result)).first;
  return found->second;
}

}  // namespace

void compute_number(Op op, std::span<const Number> operands, Dtype result, void* to) {
  const Step& step = step_of(op, operands, result);
  kernel::ScalarBits scalars[max_inputs];
  std::size_t count = 0;
  for (const auto& source : step.scalars) {
    scalars[count++] = operands[static_cast<std::size_t>(source.operand)].bits;
  }
  Launch launch;
  launch.kernel = step.found.kernel;
  launch.code = step.found.code;
  launch.pointers = std::span(&to, 1);
  launch.strides = step.strides;
  launch.extents = step.extents;
  launch.scalars = std::span(scalars, count);
  launch.interruptible = false;
  cpu_device().launch(launch);
}

}  // namespace heddle
