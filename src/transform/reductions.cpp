// Rules of reductions and of running results.
#include <heddle/reductions.h>

#include <bit>

#include "ops/indexing.h"
#include "ops/reduction.h"
#include "transform/rules.h"
#include "transform/support.h"
#include <heddle/creation.h>
#include <heddle/manipulation.h>

namespace heddle::transform {

namespace {

// A result seen over the space that was reduced.
array spread(const graph::Pullback& step, const array& result) {
  const Dims& space = step.shape_of(0);
  Dims shape;
  for (std::int64_t d = 0, kept = 0; d < space.size(); ++d) {
    shape.push_back(step.node().axes >> d & 1 ? 1 : result.shape()[kept++]);
  }
  return result.reshape(shape).broadcast_to(space);
}

array summed(const graph::Pullback& step, const array& a) {
  return spread(step, reduce(Op::add, a, step.node().axes, false, a.dtype()));
}

// Equal ones share.
void pull_extremum(graph::Pullback& step) {
  const array& x = step.operand(0);
  const array chosen = cast(x == spread(step, step.output()), x.dtype());
  step.give(0, gated(spread(step, *step.cotangent(0)), chosen / summed(step, chosen)));
}

// The product of all before it along an axis.
array product_before(const array& x, std::int64_t axis) {
  array shifted = roll(x, 1, axis);
  shifted.slice(axis, {0, 1}).assign(Scalar(1));
  return cumprod(shifted, axis);
}

// Products of all others, without division: any number of them may be zero.
void pull_product(graph::Pullback& step) {
  array x = step.operand(0);
  const auto axes = step.node().axes;
  Dims order, kept;
  for (std::int64_t d = 0; d < x.ndim(); ++d) (axes >> d & 1 ? order : kept).push_back(d);
  const Dims reduced = order;
  Dims back(x.ndim());
  order = kept;
  for (auto d : reduced) order.push_back(d);
  for (std::int64_t i = 0; i < order.size(); ++i) back[order[i]] = i;
  const array moved = x.transpose(order);
  Dims rows;
  for (auto d : kept) rows.push_back(x.shape()[d]);
  std::int64_t count = 1;
  for (auto d : reduced) count *= x.shape()[d];
  rows.push_back(count);
  if (size_of(rows) == 0) return;
  const array flat = moved.reshape(rows);
  const auto axis = rows.size() - 1;
  const array others =
      product_before(flat, axis) * flip(product_before(flip(flat, axis), axis), axis);
  step.give(0,
            gated(spread(step, *step.cotangent(0)), others.reshape(moved.shape()).transpose(back)));
}

void pull_logaddexp(graph::Pullback& step) {
  const array &x = step.operand(0), z = spread(step, step.output());
  const bool two = step.node().combine == Op::logaddexp2;
  const array below = where(x == z, Scalar(0), x - z);
  step.give(0, gated(spread(step, *step.cotangent(0)), two ? exp2(below) : exp(below)));
}

void pull_hypot(graph::Pullback& step) {
  const array z = spread(step, step.output());
  step.give(0, gated(spread(step, *step.cotangent(0)), step.operand(0) / or_one(z)));
}

std::int64_t axis_of(const graph::Pullback& step) { return std::countr_zero(step.node().axes); }

void pull_running_sum(graph::Pullback& step) {
  const auto axis = axis_of(step);
  step.give(0, flip(cumsum(flip(*step.cotangent(0), axis), axis), axis));
}

// Along an axis, all but the first `count`, and then zeros.
array advanced(const array& a, std::int64_t axis, std::int64_t count) {
  array made = zeros_like(a);
  made.slice(axis, {0, -count}).assign(a.slice(axis, {count}));
  return made;
}

// s[i] = g[i] + factor[i] * s[i + 1], by doubling: without division, as factors may be zero.
array carried_back(array g, array factor, std::int64_t axis) {
  const auto extent = g.shape()[axis];
  for (std::int64_t reach = 1; reach < extent; reach *= 2) {
    g = g + factor * advanced(g, axis, reach);
    factor = factor * advanced(factor, axis, reach);
  }
  return g;
}

void pull_running_product(graph::Pullback& step) {
  const auto axis = axis_of(step);
  const array& x = step.operand(0);
  const array sum = carried_back(*step.cotangent(0), advanced(x, axis, 1), axis);
  step.give(0, gated(sum, product_before(x, axis)));
}

// Results grow along the axis: of each the next ones are made by a factor of at most one.
void pull_running_logaddexp(graph::Pullback& step) {
  const auto axis = axis_of(step);
  const array &x = step.operand(0), z = step.output();
  const bool two = step.node().combine == Op::logaddexp2;
  const auto ratio = [&](const array& a, const array& b) {
    const array below = where(a == b, Scalar(0), a - b);
    return two ? exp2(below) : exp(below);
  };
  array factor = zeros_like(z);
  factor.slice(axis, {0, -1}).assign(ratio(z.slice(axis, {0, -1}), z.slice(axis, {1})));
  step.give(0, gated(carried_back(*step.cotangent(0), factor, axis), ratio(x, z)));
}

void pull_running_hypot(graph::Pullback& step) {
  const auto axis = axis_of(step);
  const array shares = *step.cotangent(0) / or_one(step.output());
  step.give(0, gated(flip(cumsum(flip(shares, axis), axis), axis), step.operand(0)));
}

// An element that is the result somewhere gets what belongs there: the last of equal ones.
void pull_running_extremum(graph::Pullback& step) {
  const auto axis = axis_of(step);
  const array &x = step.operand(0), z = step.output();
  Dims shape(x.ndim(), 1);
  shape[axis] = x.shape()[axis];
  const array number = arange(Scalar(x.shape()[axis]), Dtype::int64).reshape(shape);
  const array of = scan(Op::maximum, where(x == z, number, Scalar(0)), axis, Dtype::int64);
  array made = zeros_like(x);
  std::vector<IndexItem> items;
  for (std::int64_t d = 0; d < x.ndim(); ++d) {
    if (d == axis) {
      items.push_back(index_item(of));
      continue;
    }
    Dims along(x.ndim(), 1);
    along[d] = x.shape()[d];
    items.push_back(index_item(arange(Scalar(x.shape()[d]), Dtype::int64).reshape(along)));
  }
  update_item(made, items, Op::add, *step.cotangent(0));
  step.give(0, made);
}

// Rules by what combines the elements.
struct CombineRules {
  graph::Derivative sum, product, extremum, logaddexp, hypot;

  const graph::Derivative* of(Op combine) const {
    if (is_extremum(combine)) return &extremum;
    switch (combine) {
      case Op::add:
        return &sum;
      case Op::multiply:
        return &product;
      case Op::logaddexp:
      case Op::logaddexp2:
        return &logaddexp;
      case Op::hypot:
        return &hypot;
      default:
        return nullptr;
    }
  }
};

}  // namespace

const graph::Derivative* reduce_derivative(Op combine) {
  static const CombineRules rules{
      .sum = {0, 0, [](graph::Pullback& step) { step.give(0, spread(step, *step.cotangent(0))); }},
      .product = {1, 0, pull_product},
      .extremum = {1, 1, pull_extremum},
      .logaddexp = {1, 1, pull_logaddexp},
      .hypot = {1, 1, pull_hypot}};
  return rules.of(combine);
}

const graph::Derivative* scan_derivative(Op combine) {
  static const CombineRules rules{.sum = {0, 0, pull_running_sum},
                                  .product = {1, 0, pull_running_product},
                                  .extremum = {1, 1, pull_running_extremum},
                                  .logaddexp = {1, 1, pull_running_logaddexp},
                                  .hypot = {1, 1, pull_running_hypot}};
  return rules.of(combine);
}

}  // namespace heddle::transform
