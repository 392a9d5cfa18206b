#include "transform/trail.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "graph/explain.h"
#include "graph/storage.h"
#include "ops/deferred.h"
#include "ops/elementwise.h"
#include "ops/foreign.h"
#include "runtime/reports.h"
#include "transform/support.h"
#include <heddle/errors.h>

namespace heddle::transform {

namespace {

// The elements that an operand reads. Few elements of a large value are copied, so that the rest of
// it may be overwritten.
array keep(const Operand& operand, const Dims& shape) {
  if (!operand.value) {
    return to_array(Number{operand.dtype, operand.scalar});
  }
  if (!operand.layout)
    return holding(operand.value, SharedLayout::contiguous(shape), operand.dtype);
  Layout read = *operand.layout;
  for (std::int64_t d = 0; d < read.ndim(); ++d) {
    if (read.strides[d] == 0) read.shape[d] = std::min<std::int64_t>(read.shape[d], 1);
  }
  const bool few = 2 * size_of(read.shape) < operand.value->size();
  if (!few) return holding(operand.value, *operand.layout, operand.dtype);
  array copied = cast(holding(operand.value, std::move(read), operand.dtype), operand.dtype);
  return copied.broadcast_to(operand.layout->shape);
}

// Whether a derivative says that it needs one.
bool wanted(std::uint32_t bits, std::size_t which) {
  return bits >> std::min<std::size_t>(which, 31) & 1;
}

}  // namespace

Trailing::Trailing(std::string linear_rule)
    : linear_rule_(std::move(linear_rule)),
      constant_outside_(std::exchange(heddle::detail::constant_depth, 0)) {
  if (constant_outside_ > 0) mute_those_outside(1);
}

Trailing::~Trailing() {
  if (constant_outside_ > 0) mute_those_outside(-1);
  heddle::detail::constant_depth += constant_outside_;
}

void Trailing::mute_those_outside(int by) {
  for (Recorder* one = outer(); one; one = one->outer()) {
    if (auto* trailing = dynamic_cast<Trailing*>(one)) trailing->muted_ += by;
  }
}

array Trailing::watch(const array& a) {
  if (!is_inexact(a.dtype())) {
    throw type_error(fmt::format(
        "there are no derivatives with respect to elements of type {}: use a floating-point type",
        name(a.dtype())));
  }
  ++trail_->inputs;
  const array made = copied(a);
  add_place(*made.storage().value());
  return made;
}

array Trailing::copied(const array& a) const {
  const Outside outside(*this);
  const Ref<Value> value = a.storage().value();
  Operand operand = graph::reading(value, a.dtype(), a.shared_layout());
  Ref<Value> made =
      graph::make(Op::cast, a.dtype(), a.shape(), *value->device, std::span(&operand, 1));
  const array copy = holding(made, made->shape.dense(), a.dtype());
  copy.storage().snapshot = is_snapshot(a);
  return copy;
}

bool Trailing::depends(const array& a) const {
  return !a.number() && numbers_.find(*a.storage().value()) >= 0;
}

namespace {

void pull_by_own_rule(graph::Pullback& step) {
  const auto& own = step.node().parameters_as<OwnPull>();
  const int inputs = step.operand_count();
  std::vector<std::optional<array>> cotangents;
  for (int i = 0; i < step.output_count(); ++i) cotangents.push_back(step.cotangent(i));
  std::vector<std::optional<array>> found = own.pull(cotangents);
  for (int i = 0; i < inputs; ++i) {
    std::optional<array>& one = found[static_cast<std::size_t>(i)];
    if (one && step.wants(i)) step.give(i, std::move(*one));
  }
}

const graph::Derivative own_derivative = {0, 0, pull_by_own_rule};

}  // namespace

std::vector<array> Trailing::add_step(std::span<const array> inputs, std::span<const array> results,
                                      std::shared_ptr<const OwnPull> pull) {
  Trail::Step step;
  step.node = graph::draft(NodeKind::library);
  step.node->parameters = std::move(pull);
  step.derivative = &own_derivative;
  for (const array& input : inputs) {
    Trail::Read& read = step.operands.emplace_back();
    read.dtype = input.dtype();
    read.layout = input.shared_layout().ref();
    read.shape = input.shape();
    if (depends(input) && is_inexact(input.dtype())) {
      read.number = number_of(*input.storage().value());
    }
  }
  std::vector<array> made;
  for (const array& result : results) {
    const array& stands = made.emplace_back(copied(result));
    step.types.push_back({result.dtype(), result.shape()});
    const bool inexact = is_inexact(result.dtype());
    step.numbers.push_back(inexact ? add_place(*stands.storage().value()) : -1);
  }
  step.kept.resize(made.size());
  trail_->steps.push_back(std::move(step));
  return made;
}

void Trailing::allow(std::span<const array> inputs) {
  allowed_.clear();
  read_around_ = false;
  for (const array& input : inputs) allowed_.push_back(input.storage().value());
}

bool Trailing::is_allowed(const Value& value) const {
  return numbers_.find(value) < 0 ||
         std::ranges::any_of(allowed_, [&](const auto& one) { return one.get() == &value; });
}

bool Trailing::was_read_around(std::span<const array> results) const {
  return read_around_ || std::ranges::any_of(results, [&](const array& result) {
           return is_inexact(result.dtype()) && depends(result) &&
                  !is_allowed(*result.storage().value());
         });
}

std::int32_t Trailing::add_place(Value& value) {
  const auto number = static_cast<std::int32_t>(trail_->places.size());
  trail_->places.push_back({value.dtype, value.shape, value.device});
  numbers_.set(value, number);
  return number;
}

std::int32_t Trailing::number_of(const Value& value) {
  const auto number = numbers_.find(value);
  // Of some values only their step knew how many elements there are.
  if (number >= 0) trail_->places[static_cast<std::size_t>(number)].shape = value.shape;
  return number;
}

void Trailing::make(const Node& node) {
  Recorder::make(node);
  if (muted_ > 0 || heddle::detail::constant_depth > 0) return;
  if (node.kind == NodeKind::elementwise && node.op == Op::stopped) return;
  const std::span operands(node.operands, node.operand_count);
  if (paused_) {
    // A node of whole numbers would have had no derivative either.
    const bool inexact = std::ranges::any_of(
        node.outputs(), [](const Value* output) { return is_inexact(output->dtype); });
    read_around_ |= inexact && std::ranges::any_of(operands, [&](const Operand& operand) {
                      return operand.value && is_inexact(operand.dtype) &&
                             operand.value->numbered && !is_allowed(*operand.value);
                    });
    return;
  }
  const bool known = std::ranges::any_of(
      operands, [](const Operand& operand) { return operand.value && operand.value->numbered; });
  if (known) heard_.emplace_back(node);
}

void Trailing::after_make() {
  if (!heard_.empty()) {
    const Outside outside(*this);
    for (Heard& heard : std::exchange(heard_, {})) lay(heard);
  }
  Recorder::after_make();
}

void Trailing::rebind(const Storage& storage, const Ref<Value>& value) {
  // They are the same elements also for one who does not hear the copy made.
  const Ref<Value> held = storage.value();
  const Value& before = *held;
  if (paused_ && before.numbered && is_copy(*value, before)) {
    const std::int32_t number = numbers_.find(before);
    if (number >= 0) {
      numbers_.set(*value, number);
      if (is_allowed(before)) allowed_.push_back(value);
    }
  }
  Recorder::rebind(storage, value);
}

void Trailing::lay(Heard& heard) {
  Trail::Step step;
  step.node = std::move(heard.node);
  step.types = std::move(heard.types);
  bool depends = false, bits = false;
  for (const Operand& operand : heard.operands) {
    Trail::Read& read = step.operands.emplace_back();
    read.dtype = operand.dtype;
    read.layout = operand.layout;
    if (!operand.value) continue;
    read.shape = operand.layout ? operand.layout->shape : Dims(operand.value->shape);
    read.number = number_of(*operand.value);
    const bool of_bits = bits_.find(*operand.value) >= 0;
    if (of_bits && operand.dtype != operand.value->dtype && is_inexact(operand.dtype)) {
      throw type_error(
          fmt::format("{}: there is no derivative of a number's bits", graph::name_of(*step.node)));
    }
    bits |= of_bits || (read.number >= 0 && !is_inexact(operand.dtype));
    if (!is_inexact(operand.dtype)) read.number = -1;
    depends |= read.number >= 0;
  }
  bool any = false;
  for (const Ref<Value>& output : heard.outputs) {
    const bool inexact = is_inexact(output->dtype);
    if (bits && !inexact) bits_.set(*output, 0);
    any |= inexact;
  }
  if (depends && !linear_rule_.empty()) check_linear(step, any);
  if (!depends || !any) return;
  step.derivative = derivative_of(*step.node);
  if (!step.derivative) {
    const std::string place = call_site();
    throw type_error(fmt::format("{} has no derivative: see stop_gradient{}",
                                 name_of_call(*step.node), place.empty() ? "" : ", at " + place));
  }
  for (std::size_t o = 0; o < heard.operands.size(); ++o) {
    Trail::Read& read = step.operands[o];
    if (wanted(step.derivative->operands, o)) read.kept = keep(heard.operands[o], read.shape);
  }
  step.kept.resize(heard.outputs.size());
  for (std::size_t o = 0; o < heard.outputs.size(); ++o) {
    Value& output = *heard.outputs[o];
    step.numbers.push_back(is_inexact(output.dtype) ? add_place(output) : -1);
    if (wanted(step.derivative->outputs, o)) {
      step.kept[o] = holding(heard.outputs[o], output.shape.dense(), output.dtype);
    }
  }
  trail_->steps.push_back(std::move(step));
}

void Trailing::check_linear(const Trail::Step& step, bool inexact) const {
  bool flat = !inexact;
  for (std::size_t o = 0; o < step.operands.size(); ++o) {
    flat |= step.node->kind == NodeKind::elementwise && step.operands[o].number >= 0 &&
            is_flat(step.node->op, static_cast<int>(o));
  }
  if (!flat) return;
  const std::string place = call_site();
  throw type_error(fmt::format("{}: {} is applied to them{}", linear_rule_,
                               graph::name_of(*step.node), place.empty() ? "" : ", at " + place));
}

std::shared_ptr<const Trail> Trailing::take(std::span<const array> results) {
  for (const array& result : results) {
    Trail::Result& made = trail_->results.emplace_back();
    made.dtype = result.dtype();
    made.layout = result.shared_layout();
    if (!result.number()) made.number = number_of(*result.storage().value());
  }
  return std::exchange(trail_, std::make_shared<Trail>());
}

}  // namespace heddle::transform
