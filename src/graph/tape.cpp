#include "graph/tape.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <span>

#include <fmt/format.h>

#include "graph/explain.h"
#include "graph/graph.h"
#include "graph/node_facts.h"
#include "runtime/device.h"
#include <heddle/errors.h>

namespace heddle {

namespace {

using graph::bytes_of;
using graph::elements_of;

Recording::Bytes keep(const Value& value) {
  return std::make_shared<const std::vector<std::byte>>(elements_of(value));
}

}  // namespace

void Tape::give_up_if_large() {
  if (held_ <= most_ || !heard_->incomplete.empty()) return;
  heard_ = std::make_shared<Recording>();
  heard_->incomplete = "it holds too much memory";
  held_values_.clear();
  numbers_.clear();
}

std::int32_t Tape::add(const Value& value, bool input, bool rewritten) {
  const auto number = static_cast<std::int32_t>(heard_->values.size());
  heard_->values.push_back({value.dtype, value.shape, value.device, input, rewritten,
                            input && value.computed() ? keep(value) : nullptr});
  held_values_.emplace_back(const_cast<Value*>(&value));
  numbers_[&value] = number;
  held_ += bytes_of(value);
  return number;
}

void Tape::add(Recording::Door door, std::size_t which) {
  heard_->entries.push_back(
      {door, static_cast<std::int32_t>(which), static_cast<std::int32_t>(heard_->values.size())});
}

// Whoever has the address of memory may have written there.
bool Tape::changed_outside(std::int32_t number) const {
  const auto place = static_cast<std::size_t>(number);
  const Recording::Bytes& seen = heard_->values[place].seen;
  const Value& value = *held_values_[place];
  return seen && value.computed() && *seen != elements_of(value);
}

std::int32_t Tape::number_of(const Value& value) {
  auto found = numbers_.find(&value);
  if (found == numbers_.end()) return add(value, true);
  if (!changed_outside(found->second)) return found->second;
  return add(value, true, !value.buffer()->foreign());
}

void Tape::make(const Node& node) {
  Recorder::make(node);
  if (!heard_->incomplete.empty()) return;
  auto step = Recording::Step::of(node, [&](const Value& value) { return number_of(value); });
  step.first = static_cast<std::int32_t>(heard_->values.size());
  for (const Value* output : node.outputs()) add(*output, false);
  add(Recording::Door::make, heard_->steps.size());
  heard_->steps.push_back(std::move(step));
  give_up_if_large();
}

void Tape::look(const Value& value) {
  Recorder::look(value);
  if (!heard_->incomplete.empty()) return;
  evaluate(const_cast<Value*>(&value));
  const auto number = number_of(value);
  Recording::Numbered& numbered = heard_->values[static_cast<std::size_t>(number)];
  if (!numbered.seen) numbered.seen = keep(value);
  add(Recording::Door::look, heard_->looks.size());
  heard_->looks.push_back({number, numbered.seen});
  held_ += bytes_of(value);
  give_up_if_large();
}

void Tape::about_to_compute(std::span<Value* const> targets) {
  Recorder::about_to_compute(targets);
  Recording::Run run{heard_->entries.size(), {}};
  for (const Value* value : targets) {
    auto found = numbers_.find(value);
    if (found == numbers_.end() || value->computed()) continue;
    if (!heard_->values[static_cast<std::size_t>(found->second)].input) {
      run.values.push_back(found->second);
    }
  }
  if (!run.values.empty()) heard_->runs.push_back(std::move(run));
}

void Tape::rebind(const Storage& storage, const Ref<Value>& value) {
  Recorder::rebind(storage, value);
  if (!heard_->incomplete.empty()) return;
  const auto number = number_of(*value);
  add(Recording::Door::rebind, static_cast<std::size_t>(number));
}

std::shared_ptr<const Recording> Tape::take() {
  // Inputs that were pending when they were first read.
  for (std::size_t i = 0; i < held_values_.size(); ++i) {
    Recording::Numbered& numbered = heard_->values[i];
    if (!numbered.input || numbered.seen) continue;
    evaluate(held_values_[i].get());
    numbered.seen = keep(*held_values_[i]);
  }
  held_values_.clear();
  numbers_.clear();
  held_ = 0;
  return std::exchange(heard_, std::make_shared<Recording>());
}

namespace {

// Calls f(number of a value) for all that an entry needs to be there, or makes.
template <class F>
void for_values(const Recording& program, const Recording::Entry& entry, F&& f) {
  switch (entry.door) {
    case Recording::Door::look:
      return f(program.looks[static_cast<std::size_t>(entry.which)].value);
    case Recording::Door::rebind:
      return;
    case Recording::Door::make: {
      const Recording::Step& step = program.steps[static_cast<std::size_t>(entry.which)];
      for (auto value : step.values) {
        if (value >= 0) f(value);
      }
      for (std::size_t i = 0; i < step.types.size(); ++i) {
        f(step.first + static_cast<std::int32_t>(i));
      }
    }
  }
}

// How many values appear in the first entries.
std::size_t known_by(const Recording& program, std::size_t entries) {
  return entries == 0 ? 0 : static_cast<std::size_t>(program.entries[entries - 1].known);
}

// By value, the last of the first entries that needs it.
std::vector<std::size_t> last_uses(const Recording& program, std::size_t entries) {
  std::vector<std::size_t> last(program.values.size(), 0);
  for (std::size_t e = 0; e < entries; ++e) {
    for_values(program, program.entries[e],
               [&](std::int32_t value) { last[static_cast<std::size_t>(value)] = e; });
  }
  return last;
}

class Replay {
 public:
  Replay(const Recording& program, std::size_t entries, Inputs inputs, Holding holding)
      : program_(program),
        entries_(entries),
        hold_all_(holding == Holding::as_recorded),
        values_(known_by(program, entries)),
        numbers_(std::move(inputs.numbers)) {
    std::size_t next = 0;
    for (std::size_t i = 0; i < values_.size(); ++i) {
      const Recording::Numbered& wanted = program.values[i];
      if (!wanted.input) continue;
      if (next == inputs.values.size()) throw value_error("replay: there are too few inputs");
      Ref<Value>& given = inputs.values[next++];
      if (given->dtype != wanted.dtype || given->shape != wanted.shape ||
          given->device != wanted.device) {
        throw value_error(fmt::format("replay: input {} is {} {}, not {} {}", next,
                                      name(given->dtype), to_string(given->shape),
                                      name(wanted.dtype), to_string(wanted.shape)));
      }
      values_[i] = std::move(given);
    }
    if (next != inputs.values.size()) throw value_error("replay: there are too many inputs");
  }

  std::vector<Ref<Value>> run() {
    last_ = last_uses(program_, entries_);
    for (std::size_t e = 0; e < entries_; ++e) {
      const Recording::Entry& entry = program_.entries[e];
      const auto which = static_cast<std::size_t>(entry.which);
      run_before(e);
      if (entry.door == Recording::Door::make) make(program_.steps[which], e);
      if (entry.door == Recording::Door::look) look(program_.looks[which]);
      for_values(program_, entry, [&](std::int32_t value) { let_go(value, e); });
    }
    return std::move(looked_);
  }

 private:
  Ref<Value>& at(std::int32_t value) { return values_[static_cast<std::size_t>(value)]; }

  void let_go(std::int32_t value, std::size_t entry) {
    if (!hold_all_ && last_[static_cast<std::size_t>(value)] == entry) at(value).reset();
  }

  // Computes what was computed there.
  void run_before(std::size_t entry) {
    for (; next_run_ < program_.runs.size() && program_.runs[next_run_].entry <= entry;
         ++next_run_) {
      if (!hold_all_) continue;
      std::vector<Value*> targets;
      for (auto value : program_.runs[next_run_].values) targets.push_back(at(value).get());
      evaluate(targets);
    }
  }

  void make(const Recording::Step& step, std::size_t entry) {
    std::vector<Operand> operands = step.operands_of(values_);
    for (std::size_t o = 0; o < step.operands.size(); ++o) {
      if (step.values[o] >= 0) continue;
      if (next_number_ == numbers_.size()) throw value_error("replay: there are too few numbers");
      operands[o].scalar = numbers_[next_number_++];
    }
    for (auto value : step.values) {
      if (value >= 0) let_go(value, entry);
    }
    std::vector<Ref<Value>> made(step.types.size());
    step.make(operands, made);
    if (!hold_all_ && made.size() > 1) to_run_.push_back(made);
    for (std::size_t i = 0; i < made.size(); ++i) {
      at(step.first + static_cast<std::int32_t>(i)) = std::move(made[i]);
    }
  }

  void look(const Recording::Look& look) {
    Value& value = *at(look.value);
    evaluate(&value);
    std::erase_if(to_run_, [](const auto& outputs) { return outputs[0]->computed(); });
    const auto bytes = value.buffer()->bytes();
    if (bytes < bytes_of(value)) {  // see graph::make_sized
      value.shape = Shape({static_cast<std::int64_t>(bytes) / itemsize(value.dtype)});
    }
    // As it is now: a foreign call may write there in place afterwards.
    looked_.push_back(graph::value_of(value.dtype, value.shape, *value.device, elements_of(value)));
  }

  const Recording& program_;
  std::size_t entries_;
  bool hold_all_;
  std::vector<std::size_t> last_;  // entry that needs a value
  std::vector<Ref<Value>> values_, looked_;
  std::vector<std::vector<Ref<Value>>> to_run_;  // outputs of nodes that have several
  std::vector<kernel::ScalarBits> numbers_;
  std::size_t next_number_ = 0, next_run_ = 0;
};

// The first steps, which are among the first entries.
std::span<const Recording::Step> steps_in(const Recording& program, std::size_t entries) {
  const auto count = std::ranges::count(std::span(program.entries).first(entries),
                                        Recording::Door::make, &Recording::Entry::door);
  return std::span(program.steps).first(static_cast<std::size_t>(count));
}

std::vector<kernel::ScalarBits> numbers_in(const Recording& program, std::size_t entries) {
  std::vector<kernel::ScalarBits> numbers;
  for (const Recording::Step& step : steps_in(program, entries)) {
    for (std::size_t o = 0; o < step.operands.size(); ++o) {
      if (step.values[o] < 0) numbers.push_back(step.operands[o].scalar);
    }
  }
  return numbers;
}

}  // namespace

Inputs Inputs::of(const Recording& recording, std::size_t entries) {
  Inputs made;
  for (const auto& numbered : std::span(recording.values).first(known_by(recording, entries))) {
    if (!numbered.input) continue;
    made.values.push_back(
        graph::value_of(numbered.dtype, numbered.shape, *numbered.device, *numbered.seen));
  }
  made.numbers = numbers_in(recording, entries);
  return made;
}

std::vector<Ref<Value>> replay(const Recording& program, std::size_t entries, Inputs inputs,
                               Holding holding) {
  return Replay(program, entries, std::move(inputs), holding).run();
}

namespace {

bool same_step(const Recording::Step& a, const Recording::Step& b) {
  return graph::does_the_same(a, b) && a.values == b.values && a.first == b.first;
}

std::string described(const Recording& recording, const Recording::Entry& entry) {
  const auto which = static_cast<std::size_t>(entry.which);
  if (entry.door == Recording::Door::rebind) return fmt::format("rebind {}", entry.which);
  if (entry.door == Recording::Door::look) {
    return fmt::format("look {}", recording.looks[which].value);
  }
  const Recording::Step& step = recording.steps[which];
  std::string text;
  for (std::size_t i = 0; i < step.types.size(); ++i) {
    text += fmt::format("{}{} {} {}", i ? ", " : "", step.first + static_cast<std::int32_t>(i),
                        name(step.types[i].dtype), to_string(step.types[i].shape));
  }
  text += fmt::format(" = {}", graph::name_of(*step.node));
  for (auto value : step.values) text += value < 0 ? " #" : fmt::format(" {}", value);
  return text;
}

bool same_value(const Recording::Numbered& a, const Recording::Numbered& b) {
  return a.dtype == b.dtype && a.shape == b.shape && a.device == b.device && a.input == b.input;
}

bool same_entry(const Recording& a, const Recording& b, std::size_t e) {
  const Recording::Entry &x = a.entries[e], &y = b.entries[e];
  if (x.door != y.door || x.which != y.which || x.known != y.known) return false;
  for (auto i = known_by(a, e); i < known_by(a, e + 1); ++i) {
    if (!same_value(a.values[i], b.values[i])) return false;
  }
  const auto which = static_cast<std::size_t>(x.which);
  switch (x.door) {
    case Recording::Door::make:
      return same_step(a.steps[which], b.steps[which]);
    case Recording::Door::look:
      return a.looks[which].value == b.looks[which].value;
    case Recording::Door::rebind:
      return true;
  }
  return false;
}

}  // namespace

std::size_t common_entries(const Recording& a, const Recording& b) {
  const auto most = std::min(a.entries.size(), b.entries.size());
  std::size_t count = 0;
  while (count < most && same_entry(a, b, count)) ++count;
  return count;
}

bool same_structure(const Recording& a, const Recording& b) {
  return a.entries.size() == b.entries.size() && common_entries(a, b) == a.entries.size();
}

std::string difference(const Recording& a, const Recording& b) {
  if (same_structure(a, b)) return {};
  const auto place = common_entries(a, b);
  auto at = [&](const Recording& recording) {
    return place < recording.entries.size() ? described(recording, recording.entries[place])
                                            : std::string("the end");
  };
  return fmt::format("at {}: {}; or {}", place, at(a), at(b));
}

bool other_inputs(const Recording& a, const Recording& b, std::size_t entries) {
  for (const Recording::Step& step : steps_in(a, entries)) {
    // What an update overwrites may be memory that nobody has filled.
    for (std::size_t o = step.node->kind == NodeKind::update ? 1 : 0; o < step.values.size(); ++o) {
      if (step.values[o] < 0) continue;
      const auto value = static_cast<std::size_t>(step.values[o]);
      if (a.values[value].input && *a.values[value].seen != *b.values[value].seen) return true;
    }
  }
  auto same_number = [](const kernel::ScalarBits& x, const kernel::ScalarBits& y) {
    return std::ranges::equal(x.word, y.word);
  };
  return !std::ranges::equal(numbers_in(a, entries), numbers_in(b, entries), same_number);
}

namespace {

// Where two sets of elements differ, or where the first ends. The sign and the payload of a nan are
// nobody's business: compilers negate a factor instead of a product.
std::size_t difference(Dtype dtype, std::span<const std::byte> a, std::span<const std::byte> b) {
  const auto size = static_cast<std::size_t>(itemsize(dtype));
  const std::size_t width = is_complex(dtype) ? size / 2 : size;
  auto part_differs = [&](std::size_t at) {
    if (std::equal(a.begin() + at, a.begin() + at + width, b.begin() + at)) return false;
    if (!is_inexact(dtype)) return true;
    auto is_nan = [&](std::span<const std::byte> from) {
      return dispatch(real_type(dtype), [&]<class T>(T) {
        if constexpr (requires(T value) { static_cast<float>(value); }) {
          T value;
          std::memcpy(&value, from.data() + at, sizeof(T));
          return std::isnan(static_cast<float>(value));  // double's are float's, too
        } else {
          return false;
        }
      });
    };
    return !is_nan(a) || !is_nan(b);
  };
  if (a.size() != b.size()) return 0;
  for (std::size_t at = 0; at < a.size(); at += width) {
    if (part_differs(at)) return at / size;
  }
  return a.size() / size;
}

bool adds_up(const Recording::Step& step) {
  const bool combines = step.node->kind == NodeKind::reduce || step.node->kind == NodeKind::scan;
  return combines && is_inexact(step.types[0].dtype);
}

}  // namespace

std::vector<std::string> check_replay(const Recording& program, const Recording& other,
                                      std::size_t entries) {
  std::vector<std::string> wrong;
  for (Holding holding : {Holding::as_recorded, Holding::as_needed}) {
    const bool needed = holding == Holding::as_needed;
    if (needed && std::ranges::any_of(steps_in(program, entries), adds_up)) break;
    const auto made = replay(program, entries, Inputs::of(other, entries), holding);
    for (std::size_t i = 0; i < made.size(); ++i) {
      const Recording::Look& look = other.looks[i];
      if (program.values[static_cast<std::size_t>(look.value)].input) continue;
      const auto elements = elements_of(*made[i]);
      const std::size_t place = difference(made[i]->dtype, elements, *look.seen);
      if (place * static_cast<std::size_t>(itemsize(made[i]->dtype)) == elements.size()) continue;
      wrong.push_back(fmt::format("look {} at value {}, {} {}, differs from element {} on{}", i,
                                  look.value, name(made[i]->dtype), to_string(made[i]->shape),
                                  place, needed ? " where it is held as needed" : ""));
    }
  }
  return wrong;
}

std::string describe(const Recording& recording) {
  std::string text = recording.incomplete.empty() ? "" : recording.incomplete + "\n";
  for (std::size_t i = 0; i < recording.values.size(); ++i) {
    const Recording::Numbered& value = recording.values[i];
    if (!value.input) continue;
    text += fmt::format("{} {} {} = input{}\n", i, name(value.dtype), to_string(value.shape),
                        value.rewritten ? ", rewritten" : "");
  }
  for (const auto& entry : recording.entries) text += described(recording, entry) + "\n";
  return text;
}

}  // namespace heddle
