// Rules of gathers and of updates, and which rule a node has.
#include <fmt/format.h>

#include "graph/storage.h"
#include "ops/creation.h"
#include "ops/deferred.h"
#include "ops/index_terms.h"
#include "ops/write.h"
#include "transform/rules.h"
#include "transform/support.h"
#include "transform/trail.h"
#include <heddle/creation.h>
#include <heddle/errors.h>

namespace heddle::transform {

namespace {

// The indices of a step, which are its operands from `first` on.
IndexTerms terms_of(const graph::Pullback& step, int first) {
  IndexTerms terms;
  terms.params = step.node().params;
  for (int i = 0; 2 * i < terms.params.size(); ++i) {
    terms.indices.push_back(step.operand(first + i));
    terms.reports.push_back(0);
  }
  return terms;
}

// whole[rest + sum of index * stride], where `whole` is all of a storage.
array read_at(const array& whole, const Layout& rest, const IndexTerms& terms) {
  graph::Draft node = graph::draft(NodeKind::gather);
  node->params = terms.params;
  std::vector<Operand> operands(1);
  const Ref<Value> value = whole.storage().value();
  operands[0].value = value;
  operands[0].dtype = whole.dtype();
  operands[0].layout = SharedLayout(rest).ref();
  for (const array& index : terms.indices) {
    operands.push_back(reading(index.broadcast_to(rest.shape)));
  }
  return deferred(graph::make(std::move(node), whole.dtype(), rest.shape, *value->device, operands),
                  false);
}

// Real and imaginary parts in turn, all that are there: layouts of parts count in them.
array parts_of(const array& whole) {
  const SharedLayout all = SharedLayout::contiguous({2 * size_of(whole.shape())});
  return whole.view_as(all, result_type(Op::real, whole.dtype()));
}

bool are_parts(Dtype dtype, Dtype whole) {
  return is_complex(whole) && dtype == result_type(Op::real, whole);
}

void pull_gather(graph::Pullback& step) {
  if (!step.wants(0)) return;
  const array whole = step.writeable(0);
  const Op add = Op::add;
  const auto add_to = [&](const array& target) {
    write_at(target, *step.layout_of(0), terms_of(step, 1), *step.cotangent(0), &add);
  };
  if (whole.dtype() == step.dtype_of(0)) return add_to(whole);
  if (!are_parts(step.dtype_of(0), whole.dtype())) {
    throw type_error("indexing: there is no derivative of a number's bits");
  }
  // Transposed, not adjoint: imaginary parts count negative.
  const array given = full(whole.shape(), Scalar(0), whole.dtype(), whole.device());
  add_to(parts_of(given));
  step.give_whole(0, conjugate(given));
}

// Whose write is the last one to its place: 1 or 0.
array is_last(const array& whole, const Layout& rest, const IndexTerms& terms) {
  Device& device = whole.device();
  const array number = arange(Scalar(size_of(rest.shape)), Dtype::int64).reshape(rest.shape);
  const array last = full(whole.shape(), Scalar(0), Dtype::int64, device);
  write_at(last, rest, terms, number);
  return read_at(last, rest, terms) == number;
}

void pull_update(graph::Pullback& step) {
  const Node& node = step.node();
  array whole = step.take_cotangent(0);
  const bool parts = node.target_dtype != whole.dtype();
  if (parts && !are_parts(node.target_dtype, whole.dtype())) {
    throw type_error("assignment: there is no derivative of a number's bits");
  }
  // Transposed, not adjoint: imaginary parts count negative.
  if (parts) whole = dense(conjugate(whole), whole.dtype());
  const IndexTerms terms = terms_of(step, 2);
  const array all = parts ? parts_of(whole) : whole;
  const array there = whole.view_as(with_dimension(*node.target), node.target_dtype);
  if (step.wants(1)) {
    array g = terms.indices.empty() ? cast(there, there.dtype()).reshape(node.target->shape)
                                    : read_at(all, *node.target, terms);
    if (!node.accumulates && !terms.indices.empty()) {
      g = where(is_last(all, *node.target, terms), g, Scalar(0));
    }
    if (node.masked) g = where(step.operand(step.operand_count() - 1), g, Scalar(0));
    step.give(1, node.accumulates && node.op == Op::subtract ? -g : g);
  }
  if (!step.wants(0)) return;
  if (!node.accumulates) {
    array zero = full({}, Scalar(0), there.dtype(), whole.device());
    if (!terms.indices.empty()) {
      write_at(all, *node.target, terms, std::move(zero));
    } else if (node.masked) {
      write_where(there, std::move(zero), step.operand(step.operand_count() - 1));
    } else {
      write(there, std::move(zero));
    }
  }
  if (parts) whole = dense(conjugate(whole), whole.dtype());
  step.give_whole(0, std::move(whole));
}

// --- op.at: what is there, combined with all that is written to its place ---

// Which way back an operation has: the result is
//   product   what is there times, or divided by, all factors
//   extreme   the greatest or least of all; equal ones share
//   balanced  f^-1(f(there) + f(each)), whose slopes follow from the result and the operand
enum class Accumulated : std::uint8_t { none, product, extreme, balanced };

Accumulated kind_of(Op op) {
  if (is_extremum(op)) return Accumulated::extreme;
  switch (op) {
    case Op::multiply:
    case Op::divide:
      return Accumulated::product;
    case Op::logaddexp:
    case Op::logaddexp2:
    case Op::hypot:
      return Accumulated::balanced;
    default:
      return Accumulated::none;
  }
}

// A write of op(what is there, operand 1), and all that its way back needs.
struct AtStep {
  explicit AtStep(graph::Pullback& step)
      : step(step),
        rest(*step.node().target),
        terms(terms_of(step, 2)),
        g(step.take_cotangent(0)),
        before(step.operand(0)),
        written(step.operand(1)),
        after(step.output(0)) {
    if (step.node().target_dtype != g.dtype()) {
      throw type_error("ufunc.at: there is no derivative of a number's bits");
    }
  }
  array at_places(const array& whole) const { return read_at(whole, rest, terms); }
  void combine(const array& whole, const array& values, Op op) const {
    write_at(whole, rest, terms, values, &op);
  }
  array filled(double number) const {
    return full(after.shape(), Scalar(number), after.dtype(), after.device());
  }

  graph::Pullback& step;
  const Layout& rest;
  IndexTerms terms;
  array g, before, written, after;
};

void pull_products(const AtStep& at) {
  const bool divides = at.step.node().op == Op::divide;
  // The product of all factors but zeros, and how many of those there are.
  const array is_zero = at.written == 0;
  const array product = at.filled(1), zeros = at.filled(0);
  at.combine(product, where(is_zero, Scalar(1), at.written), Op::multiply);
  at.combine(zeros, cast(is_zero, at.after.dtype()), Op::add);
  if (at.step.wants(1)) {
    const array g = at.at_places(at.g);
    if (divides) {
      at.step.give(1, gated(g, -at.at_places(at.after) / at.written));
    } else {
      const array others = at.at_places(zeros) - cast(is_zero, at.after.dtype());
      const array rest = at.at_places(product) / where(is_zero, Scalar(1), at.written);
      const array slope = where(others == 0, rest, Scalar(0)) * at.at_places(at.before);
      at.step.give(1, gated(g, slope));
    }
  }
  if (!at.step.wants(0)) return;
  const array all = where(zeros == 0, product, Scalar(0));
  at.step.give_whole(0, dense(gated(at.g, divides ? reciprocal(all) : all), at.g.dtype()));
}

void pull_extremes(const AtStep& at) {
  const array there = cast(at.before == at.after, at.after.dtype());
  const array equal = cast(at.written == at.at_places(at.after), at.after.dtype());
  const array count = dense(there, there.dtype());
  at.combine(count, equal, Op::add);
  const array share = at.g / or_one(count);
  if (at.step.wants(1)) at.step.give(1, gated(at.at_places(share), equal));
  if (at.step.wants(0)) at.step.give_whole(0, dense(gated(share, there), at.g.dtype()));
}

void pull_balanced(const AtStep& at) {
  const auto slope = [&](const array& x, const array& z) {
    const Op op = at.step.node().op;
    if (op == Op::hypot) return x / or_one(z);
    return op == Op::logaddexp ? exp(x - z) : exp2(x - z);
  };
  if (at.step.wants(1)) {
    at.step.give(1, gated(at.at_places(at.g), slope(at.written, at.at_places(at.after))));
  }
  if (at.step.wants(0)) {
    at.step.give_whole(0, dense(gated(at.g, slope(at.before, at.after)), at.g.dtype()));
  }
}

void pull_at(graph::Pullback& step) {
  const AtStep at(step);
  switch (kind_of(step.node().op)) {
    case Accumulated::product:
      return pull_products(at);
    case Accumulated::extreme:
      return pull_extremes(at);
    case Accumulated::balanced:
      return pull_balanced(at);
    case Accumulated::none:
      break;
  }
}

}  // namespace

const graph::Derivative* gather_derivative() {
  static const graph::Derivative made{~std::uint32_t{1}, 0, pull_gather};
  return &made;
}

const graph::Derivative* update_derivative(const Node& update) {
  if (update.accumulates && update.op != Op::add && update.op != Op::subtract) {
    static const graph::Derivative combined{~std::uint32_t{0}, 1, pull_at};
    return kind_of(update.op) == Accumulated::none ? nullptr : &combined;
  }
  static const graph::Derivative made{~std::uint32_t{3}, 0, pull_update};
  return &made;
}

const graph::Derivative* derivative_of(const Node& node) {
  switch (node.kind) {
    case NodeKind::elementwise:
      return elementwise_derivative(node.op);
    case NodeKind::reduce:
      return reduce_derivative(node.combine);
    case NodeKind::scan:
      return scan_derivative(node.combine);
    case NodeKind::gather:
      return gather_derivative();
    case NodeKind::update:
      return update_derivative(node);
    case NodeKind::library:
      return node.primitive->derivative;
    case NodeKind::argreduce:
    case NodeKind::index:
    case NodeKind::random:
      return nullptr;
  }
  return nullptr;
}

}  // namespace heddle::transform
