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
  const Ref<Value>& value = whole.storage().value();
  operands[0].value = value;
  operands[0].dtype = whole.dtype();
  operands[0].layout = SharedLayout(rest).ref();
  for (const array& index : terms.indices) {
    operands.push_back(reading(index.broadcast_to(rest.shape)));
  }
  return deferred(graph::make(std::move(node), whole.dtype(), rest.shape, *value->device, operands),
                  false);
}

void pull_gather(graph::Pullback& step) {
  if (!step.wants(0)) return;
  const array whole = step.writeable(0);
  if (whole.dtype() != step.dtype_of(0)) {
    throw type_error("indexing: there is no derivative of a number's bits");
  }
  const Op add = Op::add;
  write_at(whole, *step.layout_of(0), terms_of(step, 1), *step.cotangent(0), &add);
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
  if (parts && !(is_complex(whole.dtype()) && is_floating(node.target_dtype))) {
    throw type_error("assignment: there is no derivative of a number's bits");
  }
  // Transposed, not adjoint: imaginary parts count negative.
  if (parts) whole = dense(conjugate(whole), whole.dtype());
  const IndexTerms terms = terms_of(step, 2);
  const array there = whole.view_as(with_dimension(*node.target), node.target_dtype);
  if (step.wants(1)) {
    array g = terms.indices.empty() ? cast(there, there.dtype()).reshape(node.target->shape)
                                    : read_at(whole, *node.target, terms);
    if (!node.accumulates && !terms.indices.empty()) {
      g = where(is_last(whole, *node.target, terms), g, Scalar(0));
    }
    if (node.masked) g = where(step.operand(step.operand_count() - 1), g, Scalar(0));
    step.give(1, node.accumulates && node.op == Op::subtract ? -g : g);
  }
  if (!step.wants(0)) return;
  if (!node.accumulates) {
    array zero = full({}, Scalar(0), there.dtype(), whole.device());
    if (!terms.indices.empty()) {
      write_at(whole, *node.target, terms, std::move(zero));
    } else if (node.masked) {
      write_where(there, std::move(zero), step.operand(step.operand_count() - 1));
    } else {
      write(there, std::move(zero));
    }
  }
  if (parts) whole = dense(conjugate(whole), whole.dtype());
  step.give_whole(0, std::move(whole));
}

}  // namespace

const graph::Derivative* gather_derivative() {
  static const graph::Derivative made{~std::uint32_t{1}, 0, pull_gather};
  return &made;
}

const graph::Derivative* update_derivative(const Node& update) {
  if (update.accumulates && update.op != Op::add && update.op != Op::subtract) return nullptr;
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
