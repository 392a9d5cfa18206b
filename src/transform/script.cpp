#include "transform/script.h"

#include <algorithm>
#include <ranges>
#include <utility>

#include "core/at.h"
#include "graph/graph.h"
#include "graph/look.h"
#include "graph/node_facts.h"
#include "graph/separate_graph.h"
#include "ops/deferred.h"
#include "ops/selection.h"
#include "runtime/reports.h"
#include "transform/loop.h"
#include "transform/roll_up.h"
#include "transform/simplify.h"
#include "transform/whole_call.h"

namespace heddle::transform {

using graph::elements_of;

namespace {

// A constant to hold on to: memory of others is theirs, and may be gone after the call.
Ref<Value> kept(Value& value) {
  if (!value.computed() || !graph::is_foreign(value)) return Ref<Value>(&value);
  return graph::value_of(value.dtype, value.shape, *value.device, elements_of(value));
}

}  // namespace

Script::Script() = default;
Script::~Script() = default;

std::vector<Ref<Value>> Script::values_of(std::span<const array> arguments,
                                          std::span<const array> given_late) const {
  std::vector<Ref<Value>> made(at(values));
  for (std::size_t i = 0; i < arguments.size(); ++i) made[i] = arguments[i].storage().value();
  for (const auto& [number, value] : constants) made[at(number)] = value;
  for (std::size_t i = 0; i < given_late.size(); ++i) {
    made[at(late[i].first)] = given_late[i].storage().value();
  }
  return made;
}

std::vector<array> Script::results_of(std::span<const Ref<Storage>> storages,
                                      std::span<const Ref<Value>> by_number) const {
  std::vector<Ref<Storage>> new_ones(at(fresh));
  std::vector<array> made;
  made.reserve(results.size());
  for (const Result& result : results) {
    if (result.storage >= 0) {
      made.emplace_back(storages[at(result.storage)], result.layout, result.dtype);
      continue;
    }
    Ref<Storage>& storage = new_ones[at(result.fresh)];
    if (!storage) {
      storage = Ref<Storage>(new Storage(by_number[at(result.value)]));
      storage->snapshot = result.snapshot;
    }
    made.emplace_back(storage, result.layout, result.dtype);
  }
  return made;
}

Scripting::Scripting(std::span<const array> arguments, Of of)
    : of_(of), number_(heddle::detail::recorder_number) {
  for (const array& argument : arguments) {
    const Ref<Storage>& storage = argument.shared_storage();
    const bool shares = storage->shares();
    const Ref<Value> held = storage->value();
    Value& value = *held;
    // Arrays may share what neither has written to yet: as inputs they are apart, and apart from
    // those that nobody knows of.
    if (shares && storage->exports == 0) {
      const Outside outside(*this);
      Operand operand = graph::reading(storage->value(), value.dtype, value.shape.dense());
      storage->rebind(
          graph::make(Op::cast, value.dtype, value.shape, *value.device, std::span(&operand, 1)));
    }
    arguments_.push_back(storage);
    new_number(*storage->value());
    script_->inputs.push_back({storage->value()->dtype, storage->value()->shape});
    if (storage->exports > 0) script_->impossible = "an argument's memory is shared with others";
  }
}

void Scripting::add(Script::Door door, std::size_t which) {
  script_->entries.push_back({door, static_cast<std::int32_t>(which)});
}

std::int32_t Scripting::new_number(Value& value) {
  numbers_.set(value, script_->values);
  return script_->values++;
}

std::int32_t Scripting::number_of(const Value& value) {
  const auto known = numbers_.find(value);
  if (known >= 0) return known;
  auto& constant = const_cast<Value&>(value);
  const auto number = new_number(constant);
  script_->constants.emplace_back(number, kept(constant));
  return number;
}

void Scripting::make(const Node& node) {
  Recorder::make(node);
  if (node.in_place) script_->impossible = "it writes to memory that is shared with others";
  graph::ScriptStep step =
      graph::ScriptStep::of(node, [&](const Value& value) { return number_of(value); });
  step.constant = heddle::detail::constant_depth > 0 && differentiates();
  step.first = script_->values;
  for (Value* output : node.outputs()) new_number(*output);
  add(Script::Door::make, script_->steps.size());
  script_->steps.push_back(std::move(step));
}

void Scripting::add_input(const array& made) {
  const Ref<Value> held = made.storage().value();
  Value& value = *held;
  script_->late.push_back({new_number(value), {value.dtype, value.shape}});
}

std::vector<array> Scripting::told_out_of_bounds() const {
  std::vector<array> made;
  for (const Ref<Value>& any : out_of_bounds_) made.push_back(deferred(any, false));
  return made;
}

bool Scripting::is_outside(const array& a) const {
  const Storage* storage = &a.storage();
  return storage->born() < number_ &&
         std::ranges::find(arguments_, storage, &Ref<Storage>::get) == arguments_.end();
}

void Scripting::draw(const Value& words, std::uint64_t source) {
  Recorder::draw(words, source);
  const auto number = numbers_.find(words);
  const auto step =
      std::ranges::find(std::views::reverse(script_->steps), number, &graph::ScriptStep::first);
  if (number < 0 || step == script_->steps.rend()) return;
  if (source == 0) {
    script_->impossible = "it draws random numbers of a generator that cannot be repeated";
    return;
  }
  auto& sources = script_->sources;
  const auto known = std::ranges::find(sources, source);
  step->source = static_cast<std::int32_t>(known - sources.begin());
  if (known == sources.end()) sources.push_back(source);
}

namespace {

// Of a computed value that has fewer than its shape says: see graph::make_sized.
std::int64_t count_of(const Value& value) {
  return static_cast<std::int64_t>(memory_of(value)->bytes()) / itemsize(value.dtype);
}

}  // namespace

void Scripting::look(const Value& value) {
  // Asked for first: a value that another recorder has looked at may have no node any more.
  const Node* node = value.node();
  const bool counts = node && node->kind == NodeKind::library && is_sized(*node->primitive);
  Recorder::look(value);
  const auto number = number_of(value);
  evaluate(const_cast<Value*>(&value));
  add(Script::Door::look, script_->looks.size());
  if (counts) {
    script_->looks.push_back({number, {}, call_site(), count_of(value)});
    return;
  }
  constexpr std::size_t most = 4096;  // bytes that are compared at every call
  if (graph::bytes_of(value) > most) script_->impossible = "it looks at many elements";
  script_->looks.push_back({number, elements_of(value), call_site()});
}

bool Script::decides() const {
  return !looks.empty() || std::ranges::any_of(steps, [](const graph::ScriptStep& step) {
    return step.node->primitive == &loop_primitive &&
           step.node->parameters_as<Loop>().condition >= 0;
  });
}

std::int32_t Scripting::storage_number(const Storage& storage) {
  const auto found = std::ranges::find(arguments_, &storage, &Ref<Storage>::get);
  if (found != arguments_.end()) return static_cast<std::int32_t>(found - arguments_.begin());
  auto& outside = script_->outside;
  const auto known = std::ranges::find(outside, &storage, &Ref<Storage>::get);
  const auto place = known - outside.begin();
  if (known == outside.end()) {
    outside.emplace_back(const_cast<Storage*>(&storage));
    if (of_ != Of::call && storage.exports == 0)
      before_.emplace_back(outside.back(), storage.value());
    if (storage.exports > 0) script_->impossible = "it writes to memory that is shared with others";
  }
  return script_->storages() + static_cast<std::int32_t>(place);
}

void Scripting::rebind(const Storage& storage, const Ref<Value>& value) {
  Recorder::rebind(storage, value);
  if (storage.born() >= number_) return;
  const auto number = number_of(*value);
  add(Script::Door::rebind, script_->rebinds.size());
  script_->rebinds.push_back({storage_number(storage), number});
}

// An array that is read where the script is.
Script::Result Scripting::read(const array& a) {
  Script::Result made;
  made.layout = a.shared_layout();
  made.dtype = a.dtype();
  made.value = number_of(*a.storage().value());
  made.snapshot = a.storage().snapshot;
  return made;
}

void Scripting::add_effect(std::shared_ptr<Script::Effect> effect,
                           std::span<const array> arguments) {
  Script::Call call{std::move(effect), {}};
  for (const array& argument : arguments) call.arguments.push_back(read(argument));
  add(Script::Door::call, script_->calls.size());
  script_->calls.push_back(std::move(call));
}

std::shared_ptr<const Script> Scripting::take(std::span<const array> results) {
  for (const array& result : results) {
    Script::Result made = read(result);
    const Ref<Storage>& storage = result.shared_storage();
    if (storage->born() < number_) {
      made.storage = storage_number(*storage);
      made.value = -1;
    } else {
      const auto known =
          std::ranges::find(fresh_, storage.get(), &std::pair<const Storage*, Ref<Storage>>::first);
      made.fresh = static_cast<std::int32_t>(known - fresh_.begin());
      if (known == fresh_.end()) fresh_.emplace_back(storage.get(), storage);
    }
    script_->results.push_back(std::move(made));
  }
  script_->fresh = static_cast<int>(fresh_.size());
  simplify(*script_);
  roll_up(*script_);
  std::vector<std::size_t>& last = script_->last;
  last.assign(at(script_->values), 0);
  for (std::size_t e = 0; e < script_->entries.size(); ++e) {
    const Script::Entry& entry = script_->entries[e];
    const auto which = at(entry.which);
    if (entry.door == Script::Door::look) last[at(script_->looks[which].value)] = e;
    if (entry.door == Script::Door::rebind) last[at(script_->rebinds[which].value)] = e;
    if (entry.door == Script::Door::call) {
      for (const auto& argument : script_->calls[which].arguments) last[at(argument.value)] = e;
    }
    if (entry.door != Script::Door::make) continue;
    const graph::ScriptStep& step = script_->steps[which];
    for (auto value : step.values) {
      if (value >= 0) last[at(value)] = e;
    }
    for (std::size_t i = 0; i < step.types.size(); ++i) last[at(step.first) + i] = e;
  }
  for (const Script::Result& result : script_->results) {
    if (result.value >= 0) last[at(result.value)] = script_->entries.size();
  }
  script_->whole = WholeCall::of(*script_);
  return std::exchange(script_, std::make_shared<Script>());
}

void Script::Stream::draw_anew(std::span<Operand> operands) const {
  operands[0].scalar = {{key[0], key[1]}};
  std::uint64_t carry = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    std::uint64_t& word = operands[1 + i / 2].scalar.word[i % 2];
    const auto sum = static_cast<unsigned __int128>(word) + moved[i] + carry;
    word = static_cast<std::uint64_t>(sum);
    carry = static_cast<std::uint64_t>(sum >> 64);
  }
}

std::vector<array> Script::Call::arguments_of(std::span<const Ref<Value>> given) const {
  std::vector<array> made;
  for (const Result& one : arguments) {
    Ref<Storage> storage(new Storage(given[at(one.value)]));
    storage->snapshot = one.snapshot;
    made.emplace_back(std::move(storage), one.layout, one.dtype);
  }
  return made;
}

namespace {

class Repetition {
 public:
  Repetition(const Script& script, std::span<const array> arguments, std::span<const array> late,
             std::span<const Script::Stream> streams)
      : script_(script), streams_(streams), values_(script.values_of(arguments, late)) {
    for (const array& argument : arguments) storages_.push_back(argument.shared_storage());
    for (const auto& storage : script.outside) storages_.push_back(storage);
    // Where it may turn out that the script does not serve, what was there is kept.
    if (!script.looks.empty()) {
      for (const auto& storage : storages_) before_.push_back(storage->value());
    }
  }

  bool run() {
    try {
      for (std::size_t e = 0; e < script_.entries.size(); ++e) {
        if (!run(script_.entries[e], e)) {
          undo();
          return false;
        }
      }
    } catch (...) {
      undo();
      throw;
    }
    // Nothing happens in a call that does not serve.
    for (auto& [effect, arguments] : effects_) effect->run(arguments);
    return true;
  }

  std::vector<array> results() const { return script_.results_of(storages_, values_); }

 private:
  bool run(const Script::Entry& entry, std::size_t e) {
    const auto which = at(entry.which);
    switch (entry.door) {
      case Script::Door::make:
        make(script_.steps[which], e);
        return true;
      case Script::Door::look: {
        const Script::Look& look = script_.looks[which];
        Value& value = *values_[at(look.value)];
        heddle::look(value);
        const bool counts = look.count >= 0;
        const bool same = counts ? count_of(value) == look.count : elements_of(value) == look.seen;
        if (counts) value.shape = Shape({count_of(value)});  // nobody else has seen it yet
        let_go(look.value, e);
        return same;
      }
      case Script::Door::rebind: {
        const Script::Rebind& rebind = script_.rebinds[which];
        storages_[at(rebind.storage)]->rebind(values_[at(rebind.value)]);
        let_go(rebind.value, e);
        return true;
      }
      case Script::Door::call: {
        const Script::Call& call = script_.calls[which];
        effects_.emplace_back(call.effect.get(), call.arguments_of(values_));
        for (const Script::Result& one : call.arguments) let_go(one.value, e);
        return true;
      }
    }
    return true;
  }

  void make(const graph::ScriptStep& step, std::size_t e) {
    std::vector<Operand> operands = step.operands_of(values_);
    if (step.source >= 0) streams_[at(step.source)].draw_anew(operands);
    for (auto value : step.values) {
      if (value >= 0) let_go(value, e);
    }
    const std::span outputs(values_.data() + step.first, step.types.size());
    if (step.node->primitive == &loop_primitive) {
      make_loop(std::static_pointer_cast<const Loop>(step.node->parameters), operands, outputs);
    } else {
      step.make(operands, outputs);
    }
    if (step.source >= 0) {
      if (Recorder* recorder = Recorder::current()) {
        recorder->draw(*outputs[0], script_.sources[at(step.source)]);
      }
    }
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      let_go(step.first + static_cast<std::int32_t>(i), e);
    }
  }

  void let_go(std::int32_t value, std::size_t e) {
    if (script_.last[at(value)] == e) values_[at(value)].reset();
  }

  void undo() {
    for (std::size_t i = 0; i < before_.size(); ++i) {
      if (storages_[i]->value() != before_[i]) storages_[i]->rebind(before_[i]);
    }
  }

  const Script& script_;
  std::span<const Script::Stream> streams_;
  std::vector<Ref<Value>> values_;  // by number, as long as they are needed
  std::vector<Ref<Storage>> storages_;
  std::vector<Ref<Value>> before_;
  std::vector<std::pair<Script::Effect*, std::vector<array>>> effects_;
};

}  // namespace

std::optional<std::vector<array>> repeat(const Script& script, std::span<const array> arguments,
                                         std::span<const array> late,
                                         std::span<const Script::Stream> streams, bool apart) {
  // Memory that was shared with others since.
  const auto is_shared = [](const Storage& storage) { return storage.exports > 0; };
  const bool shared =
      std::ranges::any_of(arguments, [&](const array& a) { return is_shared(a.storage()); }) ||
      std::ranges::any_of(script.outside, [&](const auto& storage) { return is_shared(*storage); });
  if (shared || arguments.size() != script.inputs.size()) return std::nullopt;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const Ref<Value> held = arguments[i].storage().value();
    const Value& value = *held;
    const graph::OutputType& wanted = script.inputs[i];
    if (value.dtype != wanted.dtype || value.shape != wanted.shape) return std::nullopt;
  }
  if (late.size() != script.late.size() || streams.size() != script.sources.size()) {
    return std::nullopt;
  }
  for (std::size_t i = 0; i < late.size(); ++i) {
    const Ref<Value> held = late[i].storage().value();
    const Value& value = *held;
    const graph::OutputType& wanted = script.late[i].second;
    if (value.dtype != wanted.dtype || value.shape != wanted.shape) return std::nullopt;
  }
  if (!apart && script.whole && script.whole->serves(arguments)) {
    return script.whole->repeat(script, arguments, late, streams);
  }
  Repetition repetition(script, arguments, late, streams);
  if (!repetition.run()) return std::nullopt;
  return repetition.results();
}

}  // namespace heddle::transform
