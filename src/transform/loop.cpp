#include "transform/loop.h"

#include <algorithm>
#include <utility>

#include "core/at.h"
#include "graph/graph.h"
#include "graph/recorder.h"
#include "transform/loop_kernel.h"
#include "transform/loop_passes.h"

namespace heddle::transform {

using graph::OutputType;
using graph::ScriptStep;

namespace {

std::uint64_t word(std::int64_t number) { return static_cast<std::uint64_t>(number); }

void write(std::vector<std::uint64_t>& key, const Layout& layout) {
  key.push_back(word(layout.ndim()));
  for (auto extent : layout.shape) key.push_back(word(extent));
  for (auto stride : layout.strides) key.push_back(word(stride));
  key.push_back(word(layout.offset));
}

void write(std::vector<std::uint64_t>& key, const OutputType& type) {
  key.push_back(word(static_cast<int>(type.dtype)) << 8 | word(type.shape.size()));
  for (auto extent : type.shape) key.push_back(word(extent));
}

void write(std::vector<std::uint64_t>& key, std::span<const std::int32_t> numbers) {
  key.push_back(numbers.size());
  for (auto number : numbers) key.push_back(word(number));
}

void write(std::vector<std::uint64_t>& key, const Loop::Places& places) {
  key.insert(key.end(), {word(places.first), word(places.by)});
}

void write(std::vector<std::uint64_t>& key, const ScriptStep& step) {
  const Node& node = *step.node;
  key.push_back(word(static_cast<int>(node.kind)) | word(static_cast<int>(node.op)) << 8 |
                word(static_cast<int>(node.combine)) << 24 |
                word(static_cast<int>(node.target_dtype)) << 40 | word(node.masked) << 48 |
                word(node.accumulates) << 49 | word(node.target != nullptr) << 50);
  key.push_back(node.axes);
  key.push_back(word(node.params.size()));
  for (auto parameter : node.params) key.push_back(word(parameter));
  if (node.target) write(key, *node.target);
  key.push_back(reinterpret_cast<std::uintptr_t>(node.primitive));
  if (node.parameters) node.parameters->write_key(key);
  key.push_back(step.types.size());
  for (const OutputType& type : step.types) write(key, type);
  key.push_back(step.operands.size());
  for (std::size_t o = 0; o < step.operands.size(); ++o) {
    const Operand& operand = step.operands[o];
    key.push_back(word(step.values[o]) << 16 | word(static_cast<int>(operand.dtype)) << 1 |
                  word(operand.layout != nullptr));
    if (operand.layout) write(key, *operand.layout);
    if (step.values[o] < 0) {
      key.insert(key.end(), {operand.scalar.word[0], operand.scalar.word[1]});
    }
  }
}

}  // namespace

std::int32_t Loop::values() const { return first_made() + static_cast<std::int32_t>(made_.size()); }

const OutputType& Loop::type_of(std::int32_t value) const {
  static const OutputType of_counter{Dtype::int64, {}};
  if (value < first_fixed()) return carried[at(value)];
  if (value < first_row()) return fixed[at(value - first_fixed())];
  if (value == counter_number()) return of_counter;
  if (value < first_made()) return rows[at(value - first_row())];
  return made_[at(value - first_made())];
}

std::vector<OutputType> Loop::outputs() const {
  std::vector<OutputType> types = carried;
  for (auto value : last) types.push_back(type_of(value));
  for (auto value : stacked) {
    OutputType type = type_of(value);
    type.shape.insert(0, passes);
    types.push_back(std::move(type));
  }
  return types;
}

bool Loop::repeats_kernels() const {
  const bool moves = std::ranges::any_of(moved, [&](const Moved& one) {
    if (one.operand < 0) return true;
    const auto value = steps[at(one.step)].values[at(one.operand)];
    return value < first_fixed() || value >= first_row();
  });
  return !moves && condition < 0;
}

void Loop::finish() {
  made_.clear();
  for (const ScriptStep& step : steps) {
    made_.insert(made_.end(), step.types.begin(), step.types.end());
  }
  key_ = {word(passes), word(together), reinterpret_cast<std::uintptr_t>(device)};
  for (const auto* types : {&carried, &fixed, &rows}) {
    key_.push_back(types->size());
    for (const OutputType& type : *types) write(key_, type);
  }
  for (const Places& places : row_places) write(key_, places);
  key_.push_back(counter.has_value());
  if (counter) write(key_, *counter);
  key_.push_back(steps.size());
  for (const ScriptStep& step : steps) write(key_, step);
  key_.push_back(moved.size());
  for (const Moved& one : moved) {
    key_.insert(key_.end(), {word(one.step), word(one.operand), word(one.by)});
  }
  key_.push_back(numbers.size());
  for (const Numbers& one : numbers) {
    key_.insert(key_.end(), {word(one.step), word(one.operand)});
    for (const auto& bits : one.by_pass) {
      key_.insert(key_.end(), {bits.word[0], bits.word[1]});
    }
  }
  key_.insert(key_.end(), {word(condition), word(condition_steps)});
  for (const auto* list : {&next, &last, &stacked}) write(key_, *list);
  for (const Places& places : stack_places) write(key_, places);
}

void Loop::write_key(std::vector<std::uint64_t>& key) const {
  key.push_back(key_.size());
  key.insert(key.end(), key_.begin(), key_.end());
}

void run_loop(LibraryCall& call) {
  const auto& loop = call.node().parameters_as<Loop>();
  if (const LoopKernel* kernel = kernel_of(loop, loop.prepared_)) {
    kernel->run(call);
  } else {
    run_passes(call, loop);
  }
}

const Primitive loop_primitive = {"loop", run_loop};

bool wants_passes(std::span<const Operand> operands) {
  return differentiated() || std::ranges::any_of(operands, [](const Operand& operand) {
           const Graph* graph = operand.value ? operand.value->graph() : nullptr;
           return graph && graph->has_stand_ins();
         });
}

void make_loop(const std::shared_ptr<const Loop>& loop, std::span<Operand> operands,
               std::span<Ref<Value>> made) {
  if (!wants_passes(operands)) {
    graph::Draft node = graph::draft(loop_primitive);
    node->parameters = loop;
    graph::make_all(std::move(node), loop->outputs(), *loop->device, operands, made);
    return;
  }
  std::vector<Ref<Value>> values;
  for (Operand& operand : operands) values.push_back(std::move(operand.value));
  make_passes(*loop, std::move(values), made);
}

ScriptStep step_of(std::shared_ptr<const Loop> loop) {
  ScriptStep step;
  step.device = loop->device;
  step.types = loop->outputs();
  for (const auto* types : {&loop->carried, &loop->fixed}) {
    for (const OutputType& type : *types) {
      Operand operand;
      operand.dtype = type.dtype;
      step.operands.push_back(std::move(operand));
    }
  }
  for (const OutputType& type : loop->rows) {
    Operand operand;
    operand.dtype = type.dtype;
    step.operands.push_back(std::move(operand));
  }
  step.node = graph::draft(loop_primitive);
  step.node->parameters = std::move(loop);
  return step;
}

}  // namespace heddle::transform
