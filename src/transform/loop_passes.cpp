#include "transform/loop_passes.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include "core/at.h"
#include "graph/copies.h"
#include "graph/graph.h"
#include "graph/kept_passes.h"
#include "graph/look.h"
#include "graph/node_facts.h"
#include "graph/separate_graph.h"
#include "runtime/device.h"
#include "runtime/parallel.h"

namespace heddle::transform {

using graph::OutputType;
using graph::ScriptStep;

namespace {

std::uint64_t word(std::int64_t number) { return static_cast<std::uint64_t>(number); }

// Makes the nodes of pass after pass.
class Passes {
 public:
  // `evaluates`: each pass is computed before the next one is made, and no pass is heard.
  Passes(const Loop& loop, std::vector<Ref<Value>> operands, bool evaluates)
      : loop_(loop), evaluates_(evaluates), values_(std::move(operands)) {
    const auto row = values_.begin() + loop_.first_row();
    rows_.assign(std::make_move_iterator(row), std::make_move_iterator(values_.end()));
    values_.resize(at(loop_.first_row()));
    values_.resize(at(loop_.values()));
    find_ends();
    find_changes();
    constexpr std::int64_t good = 8;  // steps
    const auto steps = static_cast<std::int64_t>(loop.steps.size());
    together_ = loop.together > 0 ? loop.together : std::max<std::int64_t>(1, good / (steps + 1));
    for (auto value : loop_.stacked) stacks_.push_back(new_stack(loop_.type_of(value)));
  }

  void run() {
    const bool keeps = evaluates_ && loop_.repeats_kernels();
    for (pass_ = 0; pass_ < loop_.passes;) {
      constexpr std::int64_t work = 1 << 16;  // so that each 16th pass looks at the clock
      if (evaluates_) stop_if_interrupted(work);
      if (keeps && !kept_.hopeless() && loop_.passes - pass_ > 8 * together_) {
        keep();
      } else if (run_pass()) {
        ++pass_;
      } else {
        break;
      }
    }
    if (evaluates_) compute();
  }

  // Carried values, those of the last pass, stacks.
  void take(std::span<Ref<Value>> made) {
    std::size_t i = 0;
    for (std::size_t c = 0; c < loop_.carried.size(); ++c) made[i++] = std::move(values_[c]);
    for (auto& value : last_) made[i++] = std::move(value);
    for (auto& stack : stacks_) made[i++] = std::move(stack);
  }

 private:
  struct Change {
    const Loop::Moved* moved = nullptr;
    const Loop::Numbers* numbers = nullptr;
  };

  // --- passes as kept programs

  // One value may be there for several: in the next pass they are others.
  static void own(Ref<Value>& value, std::vector<Ref<Value>>& all,
                  std::vector<Ref<Buffer>>& memory) {
    memory.push_back(memory_of(*value));
    value = Value::with_buffer(value->dtype, value->shape, memory.back());
    all.push_back(value);
  }

  // What passes change: carried values and stacks.
  template <class F>
  void for_changing(F f) {
    for (std::size_t c = 0; c < loop_.carried.size(); ++c) f(values_[c]);
    for (auto& stack : stacks_) f(stack);
  }

  // Plans some passes and runs them; and all others with them, if it is known by then how they go
  // on.
  void keep() {
    compute();
    std::vector<Ref<Value>> taken, inputs, results;
    std::vector<Ref<Buffer>> memory;
    for_changing([&](Ref<Value>& value) { own(value, taken, memory); });
    for (auto value = loop_.first_fixed(); value < loop_.first_row(); ++value) {
      own(values_[at(value)], inputs, memory);
    }
    for (auto& row : rows_) own(row, inputs, memory);
    planned_.emplace(Planned{.first = pass_});
    for (std::int64_t i = 0; i < together_; ++i, ++pass_) run_pass();
    for_changing([&](Ref<Value>& value) { results.push_back(value); });
    auto pass = graph::Kept::of_pass(std::move(taken), inputs, results, planned_->given);
    planned_.reset();
    if (!pass) {
      kept_.give_up();
      return;
    }
    std::vector<OutputType> types;
    for (const auto& value : results) types.push_back({value->dtype, value->shape});
    results.clear();
    for_changing([&](Ref<Value>& value) { value.reset(); });
    // The last ones are made as usual: values of the last pass are wanted.
    const auto times = kept_.learn(std::move(pass)) ? (loop_.passes - pass_) / together_ : 1;
    const auto first = pass_ - together_;
    std::vector<kernel::ScalarBits> numbers;
    kept_.run(
        times, [&](std::int64_t n) { return given_numbers(first + n * together_, numbers); },
        memory);
    pass_ = first + times * together_;
    std::size_t next = 0;
    for_changing([&](Ref<Value>& value) {
      value = Value::with_buffer(types[next].dtype, types[next].shape, std::move(memory[next]));
      ++next;
    });
  }

  std::int32_t numbers_of_pass() const {
    return static_cast<std::int32_t>(loop_.numbers.size()) + (loop_.counter ? 1 : 0);
  }

  // Those of all passes that are planned together.
  std::span<const kernel::ScalarBits> given_numbers(std::int64_t first,
                                                    std::vector<kernel::ScalarBits>& room) const {
    room.clear();
    if (numbers_of_pass() == 0) return {};
    for (auto pass = first; pass < first + together_; ++pass) {
      for (const Loop::Numbers& one : loop_.numbers) room.push_back(one.by_pass[at(pass)]);
      if (loop_.counter) room.push_back(counter(pass));
    }
    return room;
  }

  // Tells which numbers of a node are others in each pass.
  void tell_numbers(std::size_t s, const Node& node) {
    const ScriptStep& step = loop_.steps[s];
    for (std::size_t o = 0; o < step.operands.size(); ++o) {
      if (node.operands[o].value) continue;
      const Loop::Numbers* numbers = changes_[s][o].numbers;
      if (numbers) {
        tell(node, o, static_cast<std::int32_t>(numbers - loop_.numbers.data()));
      } else if (loop_.counter && step.values[o] == loop_.counter_number()) {
        tell(node, o, numbers_of_pass() - 1);
      }
    }
  }
  void tell(const Node& node, std::size_t operand, std::int32_t which) {
    const auto before = static_cast<std::int32_t>(pass_ - planned_->first) * numbers_of_pass();
    planned_->given.add(node, static_cast<std::int32_t>(operand), before + which);
  }

  // By value: the step of the body after which no other one needs it.
  void find_ends() {
    constexpr std::int32_t never = std::numeric_limits<std::int32_t>::max();
    ends_.assign(at(loop_.values()), -1);
    for (std::size_t s = 0; s < loop_.steps.size(); ++s) {
      for (auto value : loop_.steps[s].values) {
        if (value >= 0) ends_[at(value)] = static_cast<std::int32_t>(s);
      }
    }
    for (auto value = loop_.first_fixed(); value < loop_.first_row(); ++value) {
      ends_[at(value)] = never;
    }
    for (const auto* list : {&loop_.next, &loop_.last, &loop_.stacked}) {
      for (auto value : *list) ends_[at(value)] = never;
    }
    if (loop_.condition < 0) return;
    // What is carried is what the loop gives where it ends.
    ends_[at(loop_.condition)] = never;
    for (std::size_t c = 0; c < loop_.carried.size(); ++c) {
      if (ends_[c] < loop_.condition_steps) ends_[c] = never;
    }
  }

  void find_changes() {
    changes_.resize(loop_.steps.size());
    targets_.resize(loop_.steps.size(), nullptr);
    for (std::size_t s = 0; s < loop_.steps.size(); ++s) {
      changes_[s].resize(loop_.steps[s].operands.size());
    }
    for (const Loop::Moved& one : loop_.moved) {
      if (one.operand < 0) {
        targets_[at(one.step)] = &one;
      } else {
        changes_[at(one.step)][at(one.operand)].moved = &one;
      }
    }
    for (const Loop::Numbers& one : loop_.numbers) {
      changes_[at(one.step)][at(one.operand)].numbers = &one;
    }
  }

  Ref<Value> new_stack(const OutputType& type) const {
    Dims shape = type.shape;
    shape.insert(0, loop_.passes);
    if (evaluates_) {
      const auto bytes = at(size_of(shape) * itemsize(type.dtype));
      return Value::with_buffer(type.dtype, shape, Buffer::allocate(*loop_.device, bytes));
    }
    return fill({type.dtype, {}}, shape);
  }

  Ref<Value> fill(const Number& number, const Dims& shape) const {
    Operand operand = graph::number(number);
    return graph::make(Op::cast, number.dtype, shape, *loop_.device, std::span(&operand, 1));
  }

  std::int64_t place(const Loop::Places& places) const { return places.first + places.by * pass_; }
  kernel::ScalarBits counter(std::int64_t pass) const {
    return {{word(loop_.counter->first + loop_.counter->by * pass), 0}};
  }

  bool run_pass() {
    const auto first = static_cast<std::size_t>(loop_.condition_steps);
    for (std::size_t s = 0; s < first; ++s) make(s);
    if (loop_.condition >= 0 && !holds()) {
      for (auto value = loop_.first_made(); value < loop_.values(); ++value) {
        values_[at(value)].reset();
      }
      return false;
    }
    for (std::size_t s = first; s < loop_.steps.size(); ++s) make(s);
    end_pass();
    return true;
  }

  bool holds() {
    const Ref<Value> value = whole(loop_.condition);
    heddle::look(*value);
    return graph::elements_of(*value)[0] != std::byte{0};
  }

  // A value of the body as a value of its own.
  Ref<Value> whole(std::int32_t value) {
    if (value == loop_.counter_number()) return fill({Dtype::int64, counter(pass_)}, {});
    if (value < loop_.first_row() || value >= loop_.first_made()) return values_[at(value)];
    const auto r = at(value - loop_.first_row());
    const OutputType& type = loop_.rows[r];
    Operand operand = row(r, contiguous_layout(type.shape), type.dtype);
    return graph::make(Op::cast, type.dtype, type.shape, *rows_[r]->device, std::span(&operand, 1));
  }

  // A row read through a layout.
  Operand row(std::size_t r, Layout layout, Dtype dtype) const {
    const OutputType& type = loop_.rows[r];
    const auto bytes = size_of(type.shape) * itemsize(type.dtype);
    layout.offset += place(loop_.row_places[r]) * bytes / itemsize(dtype);
    Operand operand;
    operand.value = rows_[r];
    operand.dtype = dtype;
    operand.layout = SharedLayout(std::move(layout)).ref();
    return operand;
  }

  Operand operand_of(std::size_t s, std::size_t o) {
    const ScriptStep& step = loop_.steps[s];
    const Operand& like = step.operands[o];
    const auto value = step.values[o];
    const Change& change = changes_[s][o];
    if (value < 0) {
      Operand operand = graph::reading_like(like, nullptr);
      if (change.numbers) operand.scalar = change.numbers->by_pass[at(pass_)];
      return operand;
    }
    const bool is_read =
        step.node->kind != NodeKind::library && !(o == 0 && graph::reads_anywhere(*step.node, 0));
    if (is_read && value == loop_.counter_number() && graph::takes_numbers(*step.node)) {
      return graph::number({Dtype::int64, counter(pass_)});
    }
    if (is_read && value >= loop_.first_row() && value < loop_.first_made() &&
        value != loop_.counter_number()) {
      const auto r = at(value - loop_.first_row());
      Layout layout = like.layout ? Layout(*like.layout) : contiguous_layout(loop_.rows[r].shape);
      return row(r, std::move(layout), like.dtype);
    }
    Operand operand = graph::reading_like(like, whole(value));
    if (change.moved) {
      Layout layout(*operand.layout);
      layout.offset += change.moved->by * pass_;
      operand.layout = SharedLayout(std::move(layout)).ref();
    }
    return operand;
  }

  void make(std::size_t s) {
    const ScriptStep& step = loop_.steps[s];
    std::vector<Operand> operands;
    operands.reserve(step.operands.size());
    for (std::size_t o = 0; o < step.operands.size(); ++o) operands.push_back(operand_of(s, o));
    for (auto value : step.values) {
      if (value >= 0 && ends_[at(value)] == static_cast<std::int32_t>(s)) {
        values_[at(value)].reset();
      }
    }
    const std::span outputs(values_.data() + step.first, step.types.size());
    if (step.node->primitive == &loop_primitive) {
      make_loop(std::static_pointer_cast<const Loop>(step.node->parameters), operands, outputs);
    } else {
      graph::Draft node = graph::draft_like(*step.node);
      node->in_place = false;
      if (targets_[s]) node->target->offset += targets_[s]->by * pass_;
      std::optional<Constant> unheard;  // what a composed step is computed of
      if (step.constant) unheard.emplace();
      graph::make_all(std::move(node), step.types, *step.device, operands, outputs);
      if (planned_ && outputs[0]->node()) tell_numbers(s, *outputs[0]->node());
    }
    if (planned_ && outputs.size() > 1) {
      planned_->held.insert(planned_->held.end(), outputs.begin(), outputs.end());
    }
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      if (ends_[at(step.first) + i] < 0) outputs[i].reset();
    }
  }

  void end_pass() {
    for (std::size_t k = 0; k < stacks_.size(); ++k) write_row(k);
    if (pass_ + 1 == loop_.passes) {
      for (auto value : loop_.last) last_.push_back(whole(value));
    }
    std::vector<Ref<Value>> next;
    next.reserve(loop_.next.size());
    for (auto value : loop_.next) next.push_back(whole(value));
    for (auto value = loop_.first_made(); value < loop_.values(); ++value) {
      values_[at(value)].reset();
    }
    std::ranges::move(next, values_.begin());
    if (evaluates_ && !planned_ && ++pending_ >= together_) compute();
  }

  void write_row(std::size_t k) {
    const OutputType& type = loop_.type_of(loop_.stacked[k]);
    const auto size = size_of(type.shape);
    graph::Draft node = graph::draft(NodeKind::update);
    node->target = std::make_unique<Layout>(contiguous_layout(type.shape));
    node->target->offset = place(loop_.stack_places[k]) * size;
    node->target_dtype = type.dtype;
    const Shape shape = stacks_[k]->shape;
    Operand operands[2] = {
        graph::reading(std::move(stacks_[k]), type.dtype, shape.dense()),
        graph::reading(whole(loop_.stacked[k]), type.dtype, Shape(type.shape).dense())};
    stacks_[k] = graph::make(std::move(node), type.dtype, shape, *loop_.device, operands);
  }

  void compute() {
    pending_ = 0;
    std::vector<Value*> wanted;
    const auto want = [&](const Ref<Value>& value) {
      if (value && !value->computed()) wanted.push_back(value.get());
    };
    for (std::size_t c = 0; c < loop_.carried.size(); ++c) want(values_[c]);
    for (const auto& value : last_) want(value);
    for (const auto& stack : stacks_) want(stack);
    if (!wanted.empty()) evaluate(wanted);
  }

  const Loop& loop_;
  const bool evaluates_;
  std::vector<Ref<Value>> values_;  // of the body, by number
  std::vector<Ref<Value>> rows_, stacks_, last_;
  std::vector<std::int32_t> ends_;
  std::vector<std::vector<Change>> changes_;
  std::vector<const Loop::Moved*> targets_;  // by step
  std::int64_t pass_ = 0;
  std::int64_t together_ = 1, pending_ = 0;  // passes
  // Passes that are being planned.
  struct Planned {
    std::int64_t first;
    graph::Kept::Given given = {};
    std::vector<Ref<Value>> held = {};  // outputs of steps that have several
  };
  std::optional<Planned> planned_;
  graph::KeptPasses kept_;
};

}  // namespace

void make_passes(const Loop& loop, std::vector<Ref<Value>> operands, std::span<Ref<Value>> made) {
  Passes passes(loop, std::move(operands), false);
  passes.run();
  passes.take(made);
}

void run_passes(LibraryCall& call, const Loop& loop) {
  const SeparateGraph separate;
  std::vector<Ref<Value>> operands;
  const Node& node = call.node();
  for (int o = 0; o < node.operand_count; ++o) operands.push_back(node.operands[o].value);
  std::vector<const Buffer*> not_free;  // what is theirs, and what was given to an output already
  for (const auto& operand : operands) not_free.push_back(memory_of(*operand).get());
  Passes passes(loop, std::move(operands), true);
  passes.run();
  std::vector<Ref<Value>> made(loop.outputs().size());
  passes.take(made);
  for (std::size_t i = 0; i < made.size(); ++i) {
    const auto output = static_cast<int>(i);
    if (!call.wants(output)) continue;
    evaluate(made[i].get());
    Buffer& buffer = *memory_of(*made[i]);
    if (std::ranges::find(not_free, &buffer) != not_free.end()) {
      graph::copy_all(buffer, call.make(output));
    } else {
      call.give(output, Ref<Buffer>(&buffer));
      not_free.push_back(&buffer);
    }
  }
}

}  // namespace heddle::transform
