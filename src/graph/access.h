// Access: how the elements of a pending value are walked over by somebody who reads it through a
// view, so that it can be computed there again instead of being memory in between. A shifted,
// strided, reversed, transposed or broadcast read of `f(a, b)` is `f` of such reads of `a` and `b`.
#pragma once

#include <cstdint>
#include <optional>

#include "graph/node.h"

namespace heddle::graph {

// An affine map from the space of a reader to that of a node: each axis of the reader goes along
// one axis of the node, or along none.
class Access {
 public:
  // Element for element.
  explicit Access(const Dims& space);
  // Of whoever reads a dense value of `shape` through the layout; nothing where the layout does not
  // go along its axes (a diagonal, a window that slides over itself).
  static std::optional<Access> of(const Layout& reading, const Dims& shape);

  // The space that is walked over, and that which it is walked in.
  const Dims& domain() const { return domain_; }
  const Dims& space() const { return space_; }

  // What an operand of the node is read through by the reader of the node; nothing where that is no
  // layout.
  std::optional<Layout> through(const Operand& operand, const Node& node) const;

  // Along an axis of the space: where the walk begins, and how far a step along `d` goes.
  std::int64_t start(std::int64_t axis) const { return start_[axis]; }
  std::int64_t step(std::int64_t d, std::int64_t axis) const {
    return axis_[d] == axis ? step_[d] : 0;
  }

  bool operator==(const Access&) const = default;

 private:
  Access(const Dims& domain, const Dims& space) : domain_(domain), space_(space) {}

  Dims domain_;
  Dims space_;  // the node's shape, or one axis over all of its elements
  Dims start_;  // per axis of the space
  Dims axis_;   // per axis of the domain; -1 for none
  Dims step_;
};

}  // namespace heddle::graph
