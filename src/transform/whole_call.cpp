#include "transform/whole_call.h"

#include <algorithm>

#include "core/at.h"
#include "graph/copies.h"
#include "graph/graph.h"
#include "graph/recorder.h"
#include "graph/separate_graph.h"
#include "runtime/device.h"

namespace heddle::transform {

namespace {

constexpr std::size_t most_steps = 2048;    // of which the planner sees all at once
constexpr std::size_t most_operands = 128;  // a node has no more than 255
// Where so much memory is read, making nodes takes no time, and memory of arguments is reused.
constexpr std::int64_t most_bytes = std::int64_t{1} << 28;
// What is written to is written into new memory.
constexpr std::int64_t most_written_bytes = std::int64_t{1} << 22;

const Primitive whole_call = {
    "jit", [](LibraryCall& call) { call.node().parameters_as<WholeCall>().run(call); }};

}  // namespace

std::atomic<std::size_t>& fewest_whole_steps() {
  static std::atomic<std::size_t> fewest{16};
  return fewest;
}

std::unique_ptr<const WholeCall> WholeCall::of(const Script& script) {
  if (!script.impossible.empty() || !script.looks.empty() ||
      script.steps.size() < fewest_whole_steps() || script.steps.size() > most_steps) {
    return nullptr;
  }
  auto whole = std::make_unique<WholeCall>(script);
  std::vector<bool> is_made(at(script.values), false), is_read(is_made);
  for (const graph::ScriptStep& step : script.steps) {
    for (std::size_t i = 0; i < step.types.size(); ++i) is_made[at(step.first) + i] = true;
    for (auto value : step.values) {
      if (value >= 0) is_read[at(value)] = true;
    }
    if (!whole->device_) whole->device_ = step.device;
    if (step.source >= 0) {
      whole->draws_.push_back(static_cast<std::int32_t>(&step - script.steps.data()));
    }
  }
  for (std::int32_t value = 0; value < script.values; ++value) {
    if (is_read[at(value)] && !is_made[at(value)]) whole->read_.push_back(value);
  }
  auto give = [&](std::int32_t value) {
    if (is_made[at(value)] && std::ranges::find(whole->made_, value) == whole->made_.end()) {
      whole->made_.push_back(value);
    }
  };
  for (const Script::Result& result : script.results) {
    if (result.storage < 0) give(result.value);
  }
  for (const Script::Rebind& rebind : script.rebinds) {
    const auto known = std::ranges::find(whole->writes_, rebind.storage, &Script::Rebind::storage);
    if (known == whole->writes_.end()) {
      whole->writes_.push_back(rebind);
    } else {
      known->value = rebind.value;
    }
  }
  for (const Script::Rebind& write : whole->writes_) give(write.value);
  for (const Script::Call& call : script.calls) {
    for (const Script::Result& one : call.arguments) give(one.value);
  }
  for (auto value : whole->made_) {
    for (const graph::ScriptStep& step : script.steps) {
      const auto which = value - step.first;
      if (which >= 0 && at(which) < step.types.size()) {
        whole->types_.push_back(step.types[at(which)]);
      }
    }
  }
  const auto operands = whole->read_.size() + 3 * whole->draws_.size();
  if (operands > most_operands || whole->made_.empty()) return nullptr;
  return whole;
}

bool WholeCall::serves(std::span<const array> arguments) const {
  if (fails_.load(std::memory_order_relaxed) || Recorder::current()) return false;
  std::int64_t bytes = 0;
  for (const array& argument : arguments) {
    const Ref<Value> held = argument.storage().value();
    const Value& value = *held;
    if (value.graph() && value.graph()->has_stand_ins()) return false;
    bytes += value.size() * itemsize(value.dtype);
  }
  return bytes <= (writes_.empty() ? most_bytes : most_written_bytes);
}

std::vector<array> WholeCall::repeat(const Script& script, std::span<const array> arguments,
                                     std::span<const array> late,
                                     std::span<const Script::Stream> streams) const {
  std::vector<Ref<Value>> values = script.values_of(arguments, late);
  std::vector<Operand> operands;
  operands.reserve(read_.size());
  for (auto number : read_) {
    Ref<Value> value = values[at(number)];
    const Dtype dtype = value->dtype;
    const SharedLayout dense = value->shape.dense();
    operands.push_back(graph::reading(std::move(value), dtype, dense));
  }
  for (auto draw : draws_) {
    const graph::ScriptStep& step = script.steps[at(draw)];
    const auto first = operands.size();
    for (const Operand& number : step.operands) {
      operands.push_back(graph::reading_like(number, nullptr));
    }
    streams[at(step.source)].draw_anew(std::span(operands).subspan(first));
  }
  graph::Draft node = graph::draft(whole_call);
  node->parameters = std::shared_ptr<const Parameters>(script.shared_from_this(), this);
  std::vector<Ref<Value>> made(made_.size());
  graph::make_all(std::move(node), types_, *device_, operands, made);
  for (std::size_t i = 0; i < made.size(); ++i) values[at(made_[i])] = std::move(made[i]);

  std::vector<Ref<Storage>> storages;
  for (const array& argument : arguments) storages.push_back(argument.shared_storage());
  storages.insert(storages.end(), script.outside.begin(), script.outside.end());
  for (const Script::Rebind& write : writes_) {
    storages[at(write.storage)]->rebind(values[at(write.value)]);
  }
  for (const Script::Call& call : script.calls) call.effect->run(call.arguments_of(values));
  return script.results_of(storages, values);
}

void WholeCall::write_key(std::vector<std::uint64_t>& key) const {
  key.push_back(reinterpret_cast<std::uintptr_t>(this));
}

namespace {

// Nobody else has what a step gives.
void give(LibraryCall& call, std::size_t output, Ref<Buffer> buffer,
          std::span<Buffer* const> taken) {
  const auto which = static_cast<int>(output);
  if (!call.wants(which)) return;
  if (std::ranges::find(taken, buffer.get()) == taken.end()) {
    call.give(which, std::move(buffer));
  } else {
    graph::copy_all(*buffer, call.make(which));
  }
}

}  // namespace

void WholeCall::run(LibraryCall& call) const {
  std::vector<Buffer*> inputs;
  for (std::size_t i = 0; i < read_.size(); ++i) {
    inputs.push_back(&call.buffer(static_cast<int>(i)));
  }
  std::shared_ptr<const graph::Kept> program;
  {
    const std::lock_guard lock(mutex_);
    program = kept_;
  }
  std::vector<Ref<Buffer>> results(made_.size());
  if (!program) {
    program = plan(call, results);
    const std::lock_guard lock(mutex_);
    kept_ = program;
  }
  if (program) {
    std::vector<kernel::ScalarBits> numbers;  // of what is drawn
    for (std::size_t o = 0; o < 3 * draws_.size(); ++o) {
      numbers.push_back(call.node().operands[read_.size() + o].scalar);
    }
    program->run(inputs, numbers, results);
  } else {
    fails_ = true;
  }
  for (std::size_t i = 0; i < results.size(); ++i) {
    Buffer* given = results[i].get();
    give(call, i, std::move(results[i]), inputs);
    inputs.push_back(given);
  }
}

std::shared_ptr<const graph::Kept> WholeCall::plan(LibraryCall& call,
                                                   std::span<Ref<Buffer>> results) const {
  const SeparateGraph separate;
  std::vector<Ref<Value>> values(at(script_.values)), inputs, made, held;
  graph::Kept::Given given;
  std::int32_t draws = 0;
  for (std::size_t i = 0; i < read_.size(); ++i) {
    // One value may be given for two: they are others next time.
    const Value& read = *call.node().operands[i].value;
    inputs.push_back(Value::with_buffer(read.dtype, read.shape, memory_of(read)));
    values[at(read_[i])] = inputs.back();
  }
  for (std::size_t e = 0; e < script_.entries.size(); ++e) {
    const auto let_go = [&](std::int32_t value) {
      const bool wanted = std::ranges::find(made_, value) != made_.end();
      if (script_.last[at(value)] == e && !wanted) values[at(value)].reset();
    };
    const auto which = at(script_.entries[e].which);
    if (script_.entries[e].door == Script::Door::rebind) {
      let_go(script_.rebinds[which].value);
      continue;
    }
    if (script_.entries[e].door == Script::Door::call) {
      for (const Script::Result& one : script_.calls[which].arguments) let_go(one.value);
      continue;
    }
    const graph::ScriptStep& step = script_.steps[which];
    std::vector<Operand> operands = step.operands_of(values);
    if (step.source >= 0) {
      const auto first = read_.size() + 3 * at(draws);
      for (std::size_t o = 0; o < 3; ++o) {
        operands[o].scalar = call.node().operands[first + o].scalar;
      }
    }
    const std::span outputs(values.data() + step.first, step.types.size());
    step.make(operands, outputs);
    if (step.source >= 0) {
      for (std::int32_t o = 0; o < 3; ++o) given.add(*outputs[0]->node(), o, 3 * draws + o);
      ++draws;
    }
    operands.clear();
    if (outputs.size() > 1) held.insert(held.end(), outputs.begin(), outputs.end());
    for (auto value : step.values) {
      if (value >= 0) let_go(value);
    }
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      let_go(step.first + static_cast<std::int32_t>(i));
    }
  }
  for (auto number : made_) made.push_back(std::move(values[at(number)]));
  auto program = graph::Kept::of(inputs, made, given);
  if (program) return program;
  for (std::size_t i = 0; i < made.size(); ++i) {
    evaluate(made[i].get());
    results[i] = memory_of(*made[i]);
  }
  return nullptr;
}

}  // namespace heddle::transform
