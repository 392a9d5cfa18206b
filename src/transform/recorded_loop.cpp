#include "transform/recorded_loop.h"

#include <algorithm>
#include <utility>

#include "core/at.h"
#include "graph/storage.h"
#include "runtime/device.h"

namespace heddle::transform {

using graph::ScriptStep;

namespace {

Ref<Value> copied(const array& a) {
  Operand operand = graph::reading(a.shared_storage()->value(), a.dtype(), a.shared_layout());
  return graph::make(Op::cast, a.dtype(), a.shape(), a.device(), std::span(&operand, 1));
}

array in_new_storage(Ref<Value> value, Dtype dtype, bool snapshot) {
  const SharedLayout layout = value->shape.dense();
  Ref<Storage> storage(new Storage(std::move(value)));
  storage->snapshot = snapshot;
  return array(std::move(storage), layout, dtype);
}

bool is_whole(const array& a) {
  const Ref<Value> held = a.storage().value();
  const Value& value = *held;
  return a.dtype() == value.dtype && value.shape == a.shape() && a.layout().offset == 0 &&
         is_c_contiguous(a.layout());
}

// A script, numbered as a loop's body is.
class Reading {
 public:
  Reading(const Script& body, const LoopForm& form, std::size_t carried, std::size_t rows)
      : body_(body), form_(form), carried_(carried), rows_(rows) {}

  std::shared_ptr<Loop> run(Device& device) {
    loop_->passes = form_.passes;
    loop_->device = &device;
    loop_->counter = form_.counter;
    loop_->together = form_.together;
    find_unchanged();
    number_inputs();
    order_steps();
    add_steps();
    add_results();
    loop_->finish();
    return std::move(loop_);
  }

  // Values that the body has read from outside.
  std::vector<Ref<Value>> fixed() const {
    std::vector<Ref<Value>> made;
    for (const auto& [number, value] : body_.constants) made.push_back(value);
    return made;
  }

  // Whether the body gives a carried value as it got it: then the loop only reads it.
  bool is_unchanged(std::size_t c) const { return unchanged_[c]; }

 private:
  std::size_t first_carried() const { return form_.counter ? 1 : 0; }

  void find_unchanged() {
    const std::size_t first = form_.conditional ? 1 : 0;
    for (std::size_t c = 0; c < carried_; ++c) {
      const auto value = value_of(body_.results[first + c]);
      unchanged_.push_back(value == static_cast<std::int32_t>(first_carried() + c));
    }
    // A loop gives something.
    const bool stacks = body_.results.size() > first + carried_;
    if (!stacks && std::ranges::find(unchanged_, false) == unchanged_.end()) {
      unchanged_.assign(carried_, false);
    }
  }

  void number_inputs() {
    numbers_.assign(at(body_.values), -1);
    const auto first = first_carried();
    const auto add = [&](std::size_t number, std::vector<graph::OutputType>& to,
                         const graph::OutputType& type) {
      numbers_[number] = static_cast<std::int32_t>(loop_->carried.size() + loop_->fixed.size());
      to.push_back(type);
    };
    for (std::size_t c = 0; c < carried_; ++c) {
      if (!unchanged_[c]) add(first + c, loop_->carried, body_.inputs[first + c]);
    }
    for (const auto& [number, value] : body_.constants) {
      add(at(number), loop_->fixed, {value->dtype, value->shape});
    }
    for (std::size_t c = 0; c < carried_; ++c) {
      if (unchanged_[c]) add(first + c, loop_->fixed, body_.inputs[first + c]);
    }
    for (auto input = first + carried_; input < first + carried_ + rows_; ++input) {
      loop_->rows.push_back(body_.inputs[input]);
      loop_->row_places.push_back(places());
    }
    for (std::size_t r = 0; r < rows_; ++r) {
      numbers_[first + carried_ + r] = loop_->first_row() + static_cast<std::int32_t>(r);
    }
    if (form_.counter) numbers_[0] = loop_->counter_number();
  }

  Loop::Places places() const {
    return form_.backwards ? Loop::Places{form_.passes - 1, -1} : Loop::Places{0, 1};
  }

  // What the condition needs comes first.
  void order_steps() {
    std::vector<bool> needed(at(body_.values), false), early(body_.steps.size(), false);
    if (form_.conditional) needed[at(value_of(body_.results[0]))] = true;
    for (std::size_t s = body_.steps.size(); s-- > 0;) {
      const ScriptStep& step = body_.steps[s];
      for (std::size_t i = 0; i < step.types.size(); ++i) {
        if (needed[at(step.first) + i]) early[s] = true;
      }
      if (!early[s]) continue;
      for (auto value : step.values) {
        if (value >= 0) needed[at(value)] = true;
      }
    }
    for (bool wanted : {true, false}) {
      for (std::size_t s = 0; s < early.size(); ++s) {
        if (early[s] == wanted) order_.push_back(s);
      }
    }
    loop_->condition_steps = static_cast<std::int32_t>(std::ranges::count(early, true));
  }

  void add_steps() {
    auto next = loop_->first_made();
    for (auto s : order_) {
      const ScriptStep& like = body_.steps[s];
      for (std::size_t i = 0; i < like.types.size(); ++i) {
        numbers_[at(like.first) + i] = next + static_cast<std::int32_t>(i);
      }
      ScriptStep made;
      made.node = graph::draft_like(*like.node);
      made.types = like.types;
      made.device = like.device;
      made.constant = like.constant;
      made.first = next;
      for (std::size_t o = 0; o < like.operands.size(); ++o) {
        made.operands.push_back(graph::reading_like(like.operands[o], nullptr));
        made.values.push_back(like.values[o] < 0 ? -1 : numbers_[at(like.values[o])]);
      }
      next += static_cast<std::int32_t>(like.types.size());
      loop_->steps.push_back(std::move(made));
    }
  }

  // A result may be an argument, which was written to or not.
  std::int32_t value_of(const Script::Result& result) const {
    if (result.storage < 0) return result.value;
    auto value = result.storage;
    for (const Script::Rebind& rebind : body_.rebinds) {
      if (rebind.storage == result.storage) value = rebind.value;
    }
    return value;
  }

  void add_results() {
    std::size_t r = 0;
    if (form_.conditional) {
      loop_->condition = numbers_[at(value_of(body_.results[r++]))];
    }
    const auto first = r;
    for (; r < body_.results.size(); ++r) {
      const auto number = numbers_[at(value_of(body_.results[r]))];
      if (r < first + carried_) {
        if (!unchanged_[r - first]) loop_->next.push_back(number);
      } else {
        loop_->stacked.push_back(number);
        loop_->stack_places.push_back(places());
      }
    }
  }

  const Script& body_;
  const LoopForm& form_;
  const std::size_t carried_, rows_;
  std::shared_ptr<Loop> loop_ = std::make_shared<Loop>();
  std::vector<std::int32_t> numbers_;  // by value of the script
  std::vector<std::size_t> order_;     // steps of the script
  std::vector<bool> unchanged_;        // by carried value
};

}  // namespace

array argument_like(const array& a) {
  return in_new_storage(copied(a), a.dtype(), a.storage().snapshot);
}

array whole_of(const array& a) {
  if (is_whole(a)) return a;
  return in_new_storage(copied(a), a.dtype(), a.storage().snapshot);
}

std::optional<std::vector<array>> run_loop(const Script& body, const LoopForm& form,
                                           std::span<const array> carried,
                                           std::span<const array> rows) {
  constexpr std::size_t most = 200;
  const std::size_t operands = carried.size() + rows.size() + body.constants.size();
  if (!body.impossible.empty() || !body.looks.empty() || !body.calls.empty() ||
      !body.late.empty() || !body.sources.empty() || !body.outside.empty() || operands > most ||
      body.results.size() > most || body.results.size() == (form.conditional ? 1 : 0)) {
    return std::nullopt;
  }
  Device& device = !body.steps.empty() ? *body.steps[0].device
                   : carried.empty()   ? default_device()
                                       : carried[0].device();
  for (const ScriptStep& step : body.steps) {
    if (step.device != &device) return std::nullopt;
  }
  Reading reading(body, form, carried.size(), rows.size());
  const std::shared_ptr<Loop> loop = reading.run(device);
  std::vector<Operand> given;
  const auto give = [&](Ref<Value> value) {
    Operand operand;
    operand.dtype = value->dtype;
    operand.value = std::move(value);
    given.push_back(std::move(operand));
  };
  std::vector<Ref<Value>> begin;
  for (const array& a : carried) begin.push_back(whole_of(a).storage().value());
  for (std::size_t c = 0; c < begin.size(); ++c) {
    if (!reading.is_unchanged(c)) give(begin[c]);
  }
  for (auto& value : reading.fixed()) give(std::move(value));
  for (std::size_t c = 0; c < begin.size(); ++c) {
    if (reading.is_unchanged(c)) give(begin[c]);
  }
  for (const array& a : rows) give(whole_of(a).storage().value());
  const auto types = loop->outputs();
  std::vector<Ref<Value>> made(types.size());
  make_loop(loop, given, made);
  std::vector<array> results;
  auto next = made.begin();
  for (std::size_t c = 0; c < begin.size(); ++c) {
    Ref<Value> value = reading.is_unchanged(c) ? std::move(begin[c]) : std::move(*next++);
    const Dtype dtype = value->dtype;
    results.push_back(in_new_storage(std::move(value), dtype, carried[c].storage().snapshot));
  }
  for (; next != made.end(); ++next) {
    const Dtype dtype = (*next)->dtype;
    results.push_back(in_new_storage(std::move(*next), dtype, false));
  }
  return results;
}

}  // namespace heddle::transform
