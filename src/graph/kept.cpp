#include "graph/kept.h"

#include <algorithm>
#include <optional>
#include <unordered_map>
#include <utility>

#include "core/at.h"
#include "graph/bands.h"
#include "graph/graph.h"
#include "graph/known_programs.h"
#include "graph/node_facts.h"
#include "graph/separate_graph.h"
#include "graph/step_launch.h"
#include "runtime/recording.h"
#include "runtime/statistics.h"
#include "runtime/traffic.h"

namespace heddle::graph {

// Writes down a graph that was planned.
class KeptWriter {
 public:
  KeptWriter(std::vector<Ref<Value>> taken, std::span<const Ref<Value>> inputs,
             std::span<const Ref<Value>> results, const Kept::Given& given)
      : results_(results), given_(given), kept_(std::make_shared<Kept>()) {
    for (const auto& value : taken) number(*value);
    for (const auto& input : inputs) number(*input);
    taken_ = taken.size();
    inputs_ = kept_->types_.size();
    all_given_ = true;
    // From here on the graph alone holds what it takes: what it does not read is gone.
    for (const auto& value : taken) {
      if (value->references() == 1) numbers_.erase(value.get());
    }
    taken.clear();
  }

  std::shared_ptr<Kept> run() {
    std::vector<Value*> targets;
    for (const auto& result : results_) targets.push_back(result.get());
    Graph& graph = Graph::own();
    const std::lock_guard lock(graph);
    graph.bury();
    std::optional<Collected> collected(std::in_place, graph, targets);
    Forwarded forwarded(graph, targets, collected);
    nodes_ = collected->nodes();
    kept_->program_ = forwarded.program(*collected);
    kept_->bands_ = kept_->program_->bands;
    prepare(*kept_->program_, nodes_);
    for (const Step& step : kept_->program_->steps) {
      kept_->steps_.push_back(step.library ? library_step(step) : kernel_step(step));
    }
    for (const auto& result : results_) kept_->results_.push_back(number(*result));
    if (failed_) return nullptr;
    find_ends();
    find_repeats();
    return std::move(kept_);
  }

 private:
  std::int32_t number(const Value& value) {
    const auto found = numbers_.find(&value);
    if (found != numbers_.end()) return found->second;
    const Node* node = value.node();
    const auto first = static_cast<std::int32_t>(kept_->types_.size());
    if (!node) {
      failed_ |= all_given_;  // it was computed of what is different next time
      add(value);
      return first;
    }
    for (const Value* output : node->outputs()) {
      failed_ |= !output;
      if (output) add(*output);
    }
    return numbers_.at(&value);
  }
  void add(const Value& value) {
    numbers_.emplace(&value, static_cast<std::int32_t>(kept_->types_.size()));
    kept_->types_.push_back({value.dtype, value.shape});
  }
  const Node& node(std::int32_t n) const { return *nodes_[at(n)]; }
  std::int32_t number_of(std::int32_t n, std::int32_t operand) {
    return number(*node(n).operands[operand].value);
  }

  Kept::KeptStep kernel_step(const Step& step) {
    Kept::KeptStep made;
    made.step = &step;
    made.device = &node(step.nodes[0]).device();
    for (const OutputSlot& slot : step.outputs) {
      made.outputs.push_back(
          {number(node(slot.node).output()), slot.bytes,
           slot.donor_node < 0 ? -1 : number_of(slot.donor_node, slot.donor_operand)});
    }
    for (const UpdateSlot& slot : step.updates) {
      const Node& update = node(slot.node);
      Kept::Update one;
      one.value = number(update.output());
      one.bytes = bytes_of(update.output());
      one.blank = slot.blank;
      one.in_place = !slot.fresh;
      one.continued = slot.continued;
      if (!slot.blank && slot.continued < 0) {
        one.old = number(*update.operands[0].value);
        one.rest = rest_of(update);
        if (slot.fresh) find_kernels(one.rest, update.device());
      }
      made.updates.push_back(std::move(one));
    }
    for (const SlotSource& source : step.slots) {
      const bool operand = source.kind == SlotSource::Kind::operand;
      made.slots.push_back({source.kind,
                            operand ? number_of(source.node, source.operand) : source.node,
                            offset_of(source, step, nodes_)});
    }
    for (const ScalarSource& source : step.scalars) {
      if (source.node < 0) {
        made.scalars.push_back(source.constant);
        continue;
      }
      const Node& reader = node(source.node);
      const auto which = given_.find(reader, source.operand);
      // Random words are never the same twice.
      failed_ |= which < 0 && reader.kind == NodeKind::random;
      if (which >= 0) made.given.push_back({made.scalars.size(), which});
      made.scalars.push_back(reader.operands[source.operand].scalar);
    }
    return made;
  }

  Kept::KeptStep library_step(const Step& step) {
    const Node& call = node(step.nodes[0]);
    Kept::KeptStep made;
    made.device = &call.device();
    failed_ |= std::ranges::find(call.outputs(), nullptr) != call.outputs().end();
    if (failed_) return made;
    made.call = ScriptStep::of(call, [&](const Value& value) { return number(value); });
    made.call.first = number(call.output());
    return made;
  }

  // What a step reads or makes.
  template <class Use>
  static void for_values(const Kept::KeptStep& step, Use use) {
    for (const auto& slot : step.slots) {
      if (slot.kind == SlotSource::Kind::operand) use(slot.which);
    }
    for (const auto& output : step.outputs) use(output.value);
    for (const auto& update : step.updates) {
      use(update.value);
      if (update.old >= 0) use(update.old);
    }
    for (auto value : step.call.values) {
      if (value >= 0) use(value);
    }
    for (std::size_t i = 0; i < step.call.types.size(); ++i) {
      use(step.call.first + static_cast<std::int32_t>(i));
    }
  }

  void find_ends() {
    constexpr std::size_t never = ~std::size_t{0}, unknown = never - 1;
    std::vector<std::size_t> last(kept_->types_.size(), unknown);
    for (std::size_t s = 0; s < kept_->steps_.size(); ++s) {
      for_values(kept_->steps_[s], [&](std::int32_t value) { last[at(value)] = s; });
    }
    for (std::size_t i = taken_; i < inputs_; ++i) last[i] = never;
    for (auto value : kept_->results_) last[at(value)] = never;
    for (std::size_t v = 0; v < last.size(); ++v) {
      if (last[v] < unknown) kept_->steps_[last[v]].ends.push_back(static_cast<std::int32_t>(v));
    }
    for (std::size_t s = 0; s < kept_->steps_.size(); ++s) {
      for (auto& update : kept_->steps_[s].updates) {
        update.in_place = update.in_place && update.old >= 0 && last[at(update.old)] == s;
      }
      for (auto& output : kept_->steps_[s].outputs) {
        if (output.donor >= 0 && last[at(output.donor)] != s) output.donor = -1;
      }
    }
  }

  // Whether its device may write it down. All memory that it uses on the way stays with it then, so
  // that it had better not be much; and much work does not wait for the host anyway.
  void find_repeats() {
    constexpr std::size_t fewest_steps = 2, most_bytes = std::size_t{64} << 20;
    std::size_t bytes = 0;
    auto size = [&](std::int32_t value) {
      const OutputType& type = kept_->types_[at(value)];
      return at(size_of(type.shape) * itemsize(type.dtype));
    };
    for (const auto& step : kept_->steps_) {
      for (const auto& output : step.outputs) bytes += output.bytes;
      for (const auto& update : step.updates) bytes += update.bytes;
      for (std::size_t i = 0; i < step.call.types.size(); ++i) {
        bytes += size(step.call.first + static_cast<std::int32_t>(i));
      }
    }
    for (auto value : kept_->results_) kept_->result_bytes_.push_back(size(value));
    const auto& steps = kept_->steps_;
    kept_->launches_ = steps.size();
    kept_->repeats_ = steps.size() >= fewest_steps && bytes <= most_bytes &&
                      !steps[0].device->host_accessible() &&
                      std::ranges::all_of(steps, [&](const Kept::KeptStep& step) {
                        return step.given.empty() && step.device == steps[0].device &&
                               (step.step || step.call.node->primitive->only_launches);
                      });
  }

  std::span<const Ref<Value>> results_;
  const Kept::Given& given_;
  std::shared_ptr<Kept> kept_;
  std::unordered_map<const Value*, std::int32_t> numbers_;
  std::vector<Node*> nodes_;
  std::size_t taken_ = 0, inputs_ = 0;
  bool all_given_ = false, failed_ = false;
};

void Kept::Given::add(const Node& node, std::int32_t operand, std::int32_t which) {
  which_[{node.sequence, operand}] = which;
}

std::int32_t Kept::Given::find(const Node& node, std::int32_t operand) const {
  const auto found = which_.find({node.sequence, operand});
  return found == which_.end() ? -1 : found->second;
}

namespace {

bool is_pending_here(const Value& value) {
  return !value.computed() && value.graph() == &Graph::own();
}

}  // namespace

std::shared_ptr<const Kept> Kept::of(std::span<const Ref<Value>> inputs,
                                     std::span<const Ref<Value>> results, const Given& given) {
  const bool all =
      std::ranges::all_of(results, [](const auto& one) { return is_pending_here(*one); });
  return all ? KeptWriter({}, inputs, results, given).run() : nullptr;
}

std::shared_ptr<Kept> Kept::of_pass(std::vector<Ref<Value>> taken,
                                    std::span<const Ref<Value>> inputs,
                                    std::span<const Ref<Value>> results, const Given& given) {
  const bool any =
      std::ranges::any_of(results, [](const auto& one) { return is_pending_here(*one); });
  return any ? KeptWriter(std::move(taken), inputs, results, given).run() : nullptr;
}

void Kept::run(std::span<Buffer* const> inputs, Numbers numbers,
               std::span<Ref<Buffer>> results) const {
  if (run_repeated(inputs, results)) return;
  Memory memory(types_.size());
  for (std::size_t i = 0; i < inputs.size(); ++i) memory[i] = Ref<Buffer>(inputs[i]);
  run_steps(numbers, memory, {});
  for (std::size_t i = 0; i < results.size(); ++i) results[i] = std::move(memory[at(results_[i])]);
}

bool Kept::run_repeated(std::span<Buffer* const> inputs, std::span<Ref<Buffer>> results) const {
  if (!repeats_ || recording() || counts_traffic()) return false;
  const auto steps = [&](std::span<const Ref<Buffer>> places) {
    Memory memory(types_.size());
    Places by_value(types_.size());
    for (std::size_t i = 0; i < inputs.size(); ++i) memory[i] = Ref<Buffer>(inputs[i]);
    for (std::size_t i = 0; i < places.size(); ++i) by_value[at(results_[i])] = places[i].get();
    run_steps({}, memory, by_value);
    for (std::size_t i = 0; i < places.size(); ++i) {
      Buffer& made = *memory[at(results_[i])];
      if (&made != places[i].get()) copy_all(made, *places[i]);
    }
  };
  if (!runs_.run(*steps_[0].device, inputs, result_bytes_, steps, results)) return false;
  for (Counter counter :
       {Counter::launched, Counter::memory_hits, Counter::replayed, Counter::kept}) {
    count(counter, launches_);
  }
  return true;
}

void Kept::run_steps(Numbers numbers, Memory& memory, const Places& places) const {
  count(Counter::kept, steps_.size());
  const LaunchesScope together(steps_.size() > 1 ? steps_[0].device : nullptr);
  std::size_t next = 0;
  for (std::size_t s = 0; s < steps_.size();) {
    auto end = s + 1;
    if (bands_ && next < bands_->size() && (*bands_)[next].first == s) {
      const Bands& bands = (*bands_)[next++];
      launch(bands, numbers, memory);
      end = s + bands.steps.size();
    } else {
      steps_[s].step ? launch(steps_[s], numbers, memory, places) : call(steps_[s], memory);
    }
    for (; s < end; ++s) {
      for (auto value : steps_[s].ends) memory[at(value)].reset();
    }
  }
}

// `room`: for those that are given.
Kept::Numbers Kept::scalars_of(const KeptStep& step, Numbers numbers,
                               std::vector<kernel::ScalarBits>& room) {
  if (step.given.empty()) return step.scalars;
  room = step.scalars;
  for (const GivenScalar& one : step.given) room[one.scalar] = numbers[at(one.which)];
  return room;
}

void Kept::launch(const Bands& bands, Numbers numbers, Memory& memory) const {
  Device& device = *steps_[bands.first].device;
  const auto made = make_memory(bands, device);
  std::vector<std::vector<kernel::ScalarBits>> room(bands.steps.size());
  std::vector<Numbers> scalars;
  for (std::size_t s = 0; s < bands.steps.size(); ++s)
    scalars.push_back(scalars_of(steps_[bands.first + s], numbers, room[s]));
  run_bands(bands, program_->steps, device, made,
            {[&](std::size_t s, std::size_t slot) {
               const Slot& source = steps_[bands.first + s].slots[slot];
               const bool there =
                   source.kind == SlotSource::Kind::operand && bands.steps[s].memory[slot] < 0;
               return BandInputs::Place{there ? memory[at(source.which)].get() : nullptr,
                                        source.offset};
             },
             [&](std::size_t s, std::size_t scalar) { return scalars[s][scalar]; }});
  for (std::size_t s = 0; s < bands.steps.size(); ++s) {
    const KeptStep& step = steps_[bands.first + s];
    for (std::size_t i = 0; i < step.outputs.size(); ++i)
      memory[at(step.outputs[i].value)] = made[at(bands.steps[s].outputs[i])];
    for (std::size_t i = 0; i < step.updates.size(); ++i)
      memory[at(step.updates[i].value)] = made[at(bands.steps[s].updates[i])];
  }
}

void Kept::launch(const KeptStep& step, Numbers numbers, Memory& memory,
                  const Places& places) const {
  const auto make = [&](std::int32_t value, std::size_t bytes) {
    Buffer* place = places.empty() ? nullptr : places[at(value)];
    return place ? Ref<Buffer>(place) : Buffer::allocate(*step.device, bytes);
  };
  const auto is_ours = [&](std::int32_t value) {
    const Ref<Buffer>& buffer = memory[at(value)];
    return buffer && buffer->references() == 1 && !buffer->foreign();
  };
  bool overwrites = false;
  Buffers outputs(step.outputs.size()), targets(step.updates.size());
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const Output& output = step.outputs[i];
    const bool donated = output.donor >= 0 && is_ours(output.donor);
    overwrites |= donated;
    outputs[i] = donated ? memory[at(output.donor)] : make(output.value, output.bytes);
  }
  for (std::size_t i = 0; i < targets.size(); ++i) {
    const Update& update = step.updates[i];
    if (update.continued >= 0) {
      targets[i] = targets[at(update.continued)];
    } else if (update.blank) {
      targets[i] = make(update.value, update.bytes);
    } else if (update.in_place && is_ours(update.old)) {
      overwrites = true;
      targets[i] = memory[at(update.old)];
    } else {
      Buffer& old = *memory[at(update.old)];
      targets[i] = Buffer::allocate(*step.device, old.bytes());
      copy_rest(update.rest, old, *targets[i]);
    }
  }
  const bool wants_buffers = needs_buffers(*step.device);
  SmallVector<void*, 16> pointers;
  SmallVector<Buffer*, 16> used;
  for (const Slot& slot : step.slots) {
    Buffer* buffer = nullptr;  // of scratch every thread has its own
    if (slot.kind == SlotSource::Kind::output) buffer = outputs[at(slot.which)].get();
    if (slot.kind == SlotSource::Kind::target) buffer = targets[at(slot.which)].get();
    if (slot.kind == SlotSource::Kind::operand) buffer = memory[at(slot.which)].get();
    void* base = buffer ? buffer->data() : nullptr;
    pointers.push_back(static_cast<char*>(base) + slot.offset);
    if (buffer && wants_buffers) used.push_back(buffer);
  }
  std::vector<kernel::ScalarBits> room;
  launch_step(*step.step, *step.device,
              {{pointers.data(), at(pointers.size())},
               scalars_of(step, numbers, room),
               {used.data(), at(used.size())},
               overwrites});
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    memory[at(step.outputs[i].value)] = std::move(outputs[i]);
  }
  for (std::size_t i = 0; i < targets.size(); ++i) {
    memory[at(step.updates[i].value)] = std::move(targets[i]);
  }
}

// A node of its own, in a graph that nobody sees.
void Kept::call(const KeptStep& step, Memory& memory) const {
  const SeparateGraph separate;
  const ScriptStep& like = step.call;
  std::vector<Ref<Value>> held;  // what is needed afterwards must not be taken for memory
  std::vector<Operand> operands;
  for (std::size_t o = 0; o < like.operands.size(); ++o) {
    const auto value = like.values[o];
    if (value < 0) {
      operands.push_back(reading_like(like.operands[o], nullptr));
      continue;
    }
    Ref<Buffer>& buffer = memory[at(value)];
    const bool dies = std::ranges::find(step.ends, value) != step.ends.end() &&
                      std::ranges::count(like.values, value) == 1;
    const OutputType& type = types_[at(value)];
    auto read = Value::with_buffer(type.dtype, type.shape, buffer);
    if (dies && buffer->references() == 2) {
      buffer.reset();
    } else {
      held.push_back(read);
    }
    operands.push_back(reading_like(like.operands[o], std::move(read)));
  }
  std::vector<Ref<Value>> made(like.types.size());
  like.make(operands, made);
  std::vector<Value*> wanted;
  for (std::size_t i = 0; i < made.size(); ++i) {
    const auto value = like.first + static_cast<std::int32_t>(i);
    if (std::ranges::find(step.ends, value) != step.ends.end()) {
      made[i].reset();  // made here, and read nowhere
    } else {
      wanted.push_back(made[i].get());
    }
  }
  evaluate(wanted);
  for (std::size_t i = 0; i < made.size(); ++i) {
    if (made[i]) memory[at(like.first) + i] = made[i]->buffer();
  }
}

}  // namespace heddle::graph
