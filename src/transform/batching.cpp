#include "transform/batching.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "graph/batch.h"
#include "graph/graph.h"
#include "graph/storage.h"
#include "ops/creation.h"
#include "ops/deferred.h"
#include "ops/elementwise.h"
#include "ops/foreign.h"
#include "ops/reported.h"
#include "transform/support.h"
#include <heddle/errors.h>
#include <heddle/manipulation.h>

namespace heddle::transform {

using graph::row_stride;
using graph::with_rows;

namespace {

const Layout& layout_of(const Operand& operand) {
  return operand.layout ? static_cast<const Layout&>(*operand.layout)
                        : *operand.value->shape.dense();
}

}  // namespace

// A step while it is batched.
class BatchedStep final : public graph::Batch {
 public:
  BatchedStep(Batching& batching, Heard& heard) : batching_(batching), heard_(heard) {
    for (const Operand& operand : heard.operands) {
      rows_.push_back(operand.value ? batching.stands_for_here(*operand.value) : Ref<Value>());
    }
  }

  const Node& node() const override { return *heard_.node; }
  std::int64_t rows() const override { return batching_.count_; }
  int operand_count() const override { return static_cast<int>(rows_.size()); }
  bool has_rows(int operand) const override { return rows_[at(operand)] != nullptr; }
  array operand(int i) const override {
    const Operand& given = heard_.operands[at(i)];
    if (!given.value) {
      return to_array(Number{given.dtype, given.scalar});
    }
    if (!has_rows(i)) return holding(given.value, layout_of(given), given.dtype);
    return holding(rows_[at(i)],
                   with_rows(rows(), layout_of(given), row_stride(*given.value, given.dtype)),
                   given.dtype);
  }
  array spread(int i) const override {
    const array made = operand(i);
    return has_rows(i) ? made : made.broadcast_to(with_rows(rows(), made.shape()));
  }
  Device& device() const override { return *heard_.outputs[0]->device; }
  int output_count() const override { return static_cast<int>(heard_.types.size()); }
  const Dims& shape_of_output(int i) const override { return heard_.types[at(i)].shape; }
  Dtype dtype_of_output(int i) const override { return heard_.types[at(i)].dtype; }
  void give(int output, array rows) override {
    const graph::OutputType& type = heard_.types[at(output)];
    const Dims shape = with_rows(batching_.count_, type.shape);
    if (rows.shape() != shape) rows = rows.broadcast_to(shape);
    const Ref<Value> held = rows.storage().value();
    const Value& value = *held;
    const bool whole = rows.dtype() == type.dtype && value.dtype == type.dtype &&
                       value.shape == shape && rows.layout() == *value.shape.dense();
    if (!whole) rows = dense(rows, type.dtype);
    batching_.set_rows(*heard_.outputs[at(output)], rows.storage().value());
  }

  // How all rows read an operand that is no number.
  SharedLayout layout_over_rows(int i) const {
    const Operand& given = heard_.operands[at(i)];
    const auto stride = has_rows(i) ? row_stride(*given.value, given.dtype) : 0;
    return with_rows(rows(), layout_of(given), stride);
  }
  // The operand of a node over all rows, whose space is that of one with the rows before it.
  Operand reading(int i) const {
    const Operand& given = heard_.operands[at(i)];
    if (!given.value) return given;
    const Ref<Value>& value = has_rows(i) ? rows_[at(i)] : given.value;
    return graph::reading(value, given.dtype, layout_over_rows(i));
  }
  // The same of one row.
  Operand reading_row(int i, std::int64_t row) const {
    const Operand& given = heard_.operands[at(i)];
    if (!given.value || !has_rows(i)) return given;
    Layout whole = *given.value->shape.dense();
    whole.offset = row * size_of(given.value->shape);
    const array one =
        dense(holding(rows_[at(i)], std::move(whole), given.value->dtype), given.value->dtype);
    return graph::reading_like(given, one.storage().value());
  }
  // A node like this one, over all rows.
  void make_whole(graph::Draft node, std::span<Operand> operands) {
    const graph::OutputType& type = heard_.types[0];
    Ref<Value> value = graph::make(std::move(node), type.dtype, with_rows(rows(), type.shape),
                                   *heard_.outputs[0]->device, operands);
    batching_.set_rows(*heard_.outputs[0], std::move(value));
  }
  graph::Draft draft() const { return graph::draft_like(*heard_.node); }
  std::vector<Operand> readings() const {
    std::vector<Operand> made;
    for (int i = 0; i < operand_count(); ++i) made.push_back(reading(i));
    return made;
  }
  Heard& heard() { return heard_; }

 private:
  static std::size_t at(int i) { return static_cast<std::size_t>(i); }

  Batching& batching_;
  Heard& heard_;
  std::vector<Ref<Value>> rows_;  // what operands stand for; null: themselves
};

namespace {

void batch_update(BatchedStep& step) {
  graph::Draft node = step.draft();
  node->in_place = false;
  std::vector<Operand> operands = step.readings();
  const Value& old = *step.heard().operands[0].value;
  // What is written into has memory for all rows.
  array whole = step.spread(0);
  if (!step.has_rows(0)) whole = dense(whole, old.dtype);
  operands[0] = graph::reading(whole.storage().value(), old.dtype, whole.shared_layout());
  *node->target = with_rows(step.rows(), *node->target, row_stride(old, node->target_dtype));
  step.make_whole(std::move(node), operands);
}

// Without a rule of its own: one row after the other.
void batch_by_rows(BatchedStep& step) {
  Heard& heard = step.heard();
  std::vector<std::vector<array>> outputs(heard.types.size());
  for (std::int64_t row = 0; row < step.rows(); ++row) {
    std::vector<Operand> operands;
    for (int i = 0; i < step.operand_count(); ++i) operands.push_back(step.reading_row(i, row));
    std::vector<Ref<Value>> made(heard.types.size());
    graph::make_all(step.draft(), heard.types, *heard.outputs[0]->device, operands, made);
    for (std::size_t o = 0; o < made.size(); ++o) {
      outputs[o].push_back(holding(made[o], made[o]->shape.dense(), made[o]->dtype));
    }
  }
  for (std::size_t o = 0; o < outputs.size(); ++o) {
    step.give(static_cast<int>(o), stack(outputs[o], 0));
  }
}

}  // namespace

Batching::Batching(std::int64_t rows) : count_(rows), number_(detail::recorder_number) {}

array Batching::enter(const array& a, std::int64_t axis) {
  const Outside outside(*this);
  axis = normalize_axis("vmap", axis, a.ndim());
  if (a.shape()[axis] != count_) {
    throw value_error(fmt::format("vmap: axis {} of an array of shape {} has {} rows, not {}", axis,
                                  to_string(a.shape()), a.shape()[axis], count_));
  }
  const array rows = dense(moveaxis(a, axis, 0), a.dtype());
  Dims shape(rows.shape().begin() + 1, rows.shape().end());
  Ref<Value> made = graph::make(graph::draft(graph::stand_in), a.dtype(), shape, a.device(), {});
  set_rows(*made, rows.storage().value());
  return holding(made, made->shape.dense(), a.dtype());
}

array Batching::leave(const array& result, std::int64_t axis) const {
  const Outside outside(*this);
  if (!has_rows(result)) {
    array same = result.broadcast_to(with_rows(count_, result.shape()));
    return moveaxis(dense(same, same.dtype()), 0, axis);
  }
  const Ref<Value> held = result.storage().value();
  const Value& value = *held;
  const Layout layout = with_rows(count_, result.layout(), row_stride(value, result.dtype()));
  return moveaxis(holding(stands_for_here(value), layout, result.dtype()), 0, axis);
}

bool Batching::has_rows(const array& a) const {
  return !a.number() && numbers_.find(*a.storage().value()) >= 0;
}

void Batching::set_rows(Value& stand_in, Ref<Value> rows) {
  for (auto number : numbers_.take_ended()) rows_[static_cast<std::size_t>(number)].reset();
  numbers_.set(stand_in, static_cast<std::int32_t>(rows_.size()));
  rows_.push_back(std::move(rows));
}

Ref<Value> Batching::stands_for_here(const Value& value) const {
  const auto number = numbers_.find(value);
  return number < 0 ? Ref<Value>() : rows_[static_cast<std::size_t>(number)];
}

Ref<Value> Batching::stands_for(const Value& value) const {
  Ref<Value> rows = stands_for_here(value);
  return rows ? rows : Recorder::stands_for(value);
}

void Batching::make(const Node& node) {
  const bool mine = std::any_of(
      node.operands, node.operands + node.operand_count,
      [&](const Operand& operand) { return operand.value && numbers_.find(*operand.value) >= 0; });
  // Others hear of the node that is made of all rows, not of this one.
  if (mine) {
    heard_.emplace_back(node);
  } else {
    Recorder::make(node);
  }
}

void Batching::after_make() {
  if (!heard_.empty()) {
    const Outside outside(*this);
    for (Heard& heard : std::exchange(heard_, {})) batch(heard);
  }
  Recorder::after_make();
}

void Batching::batch(Heard& heard) {
  BatchedStep step(*this, heard);
  switch (heard.node->kind) {
    case NodeKind::elementwise: {
      std::vector<Operand> operands = step.readings();
      return step.make_whole(step.draft(), operands);
    }
    case NodeKind::gather: {
      std::vector<Operand> operands = step.readings();
      // What is indexed always has a layout, also where the only row reads the only element.
      operands[0].layout = step.layout_over_rows(0).ref();
      return step.make_whole(step.draft(), operands);
    }
    case NodeKind::reduce:
    case NodeKind::argreduce:
    case NodeKind::scan: {
      std::vector<Operand> operands = step.readings();
      graph::Draft node = step.draft();
      node->axes <<= 1;
      return step.make_whole(std::move(node), operands);
    }
    case NodeKind::update:
      return batch_update(step);
    case NodeKind::library:
      if (heard.node->primitive->batch) return heard.node->primitive->batch(step);
      slow_.push_back(name_of_call(*heard.node));
      return batch_by_rows(step);
    case NodeKind::index:
    case NodeKind::random:
      break;  // they have no operands that could have rows
  }
}

void Batching::rebind(const Storage& storage, const Ref<Value>& value) {
  const bool mine = numbers_.find(*value) >= 0;
  if (mine && storage.born() < number_) {
    throw type_error(
        "vmap: the function writes what differs from row to row into an array that was made "
        "outside of it. Make the array inside, or pass it as an argument with an axis of rows");
  }
  if (!mine) Recorder::rebind(storage, value);
}

void Batching::fail_if(const Ref<Value>& failed, const char* message) {
  const Outside outside(*this);
  const Ref<Value> rows = stands_for_here(*failed);
  const Ref<Value>& all = rows ? rows : failed;
  if (outer() && outer()->defers_failures()) return outer()->fail_if(all, message);
  if (is_true_anywhere(cast(holding(all, all->shape.dense(), all->dtype), Dtype::bool_))) {
    throw linalg_error(message);
  }
}

namespace {

bool same_operands(const Operand& a, const Operand& b, int& steps);

bool same_values(const Value& a, const Value& b, int& steps) {
  if (&a == &b) return true;
  const Node *x = a.node(), *y = b.node();
  if (!x || !y || --steps < 0 || a.dtype != b.dtype || !(a.shape == b.shape)) return false;
  const bool known = x->kind == NodeKind::elementwise || x->kind == NodeKind::reduce;
  if (!known || x->kind != y->kind || x->op != y->op || x->combine != y->combine ||
      x->axes != y->axes || x->parameters || y->parameters) {
    return false;
  }
  const std::span xs(x->operands, x->operand_count), ys(y->operands, y->operand_count);
  return std::ranges::equal(
      xs, ys, [&](const Operand& p, const Operand& q) { return same_operands(p, q, steps); });
}

bool same_operands(const Operand& a, const Operand& b, int& steps) {
  if (a.dtype != b.dtype || !a.value != !b.value) return false;
  if (!a.value) return std::ranges::equal(a.scalar.word, b.scalar.word);
  if (!a.layout != !b.layout) return false;
  if (a.layout && !(*a.layout == *b.layout)) return false;
  return same_values(*a.value, *b.value, steps);
}

}  // namespace

bool is_same_computation(const array& a, const array& b) {
  if (a.number() || b.number() || a.dtype() != b.dtype() || !(a.layout() == b.layout())) {
    return false;
  }
  int steps = 32;
  return same_values(*a.storage().value(), *b.storage().value(), steps);
}

}  // namespace heddle::transform
