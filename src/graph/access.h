// Access: how the elements of a pending value are walked over by somebody who reads it through a
// view, so that it can be computed there again instead of being memory in between. A shifted,
// strided, reversed, transposed or broadcast read of `f(a, b)` is `f` of such reads of `a` and `b`.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "graph/node.h"

namespace heddle::graph {

// An affine map from the space of a reader, the domain, to that of what it reads: each axis of the
// domain goes along one axis of the space, or along none.
class Access {
 public:
  // Element for element.
  explicit Access(const Dims& space);
  // Of whoever reads a dense value of `shape` through the layout; nothing where the layout does not
  // go along its axes (a diagonal, a window that slides over itself).
  static std::optional<Access> of(const Layout& reading, const Dims& shape);
  // Of a kernel over the other axes than `fixed` (a bit for each): at one place along these, which
  // are counted in C order.
  static Access at(const Dims& shape, std::uint64_t fixed, std::int64_t place);

  const Dims& domain() const { return domain_; }
  const Dims& space() const { return space_; }

  // Along an axis of the space: where the walk begins, and how far a step along `d` goes.
  std::int64_t start(std::int64_t axis) const { return start_[axis]; }
  std::int64_t step(std::int64_t d, std::int64_t axis) const {
    return axis_[d] == axis ? step_[d] : 0;
  }
  // The lowest and the highest place on an axis that it comes to.
  std::pair<std::int64_t, std::int64_t> reach(std::int64_t axis) const;

  // Of what is read densely in this space, or through a layout over it, by whoever walks the
  // domain: the layout of memory, and the access of a pending value of `shape`. Nothing where there
  // is none.
  std::optional<Layout> layout_of(const Operand& operand) const;
  std::optional<Access> access_of(const Operand& operand, const Dims& shape) const;

  // The same walk in a space that has further axes (a bit for each), at one place along these,
  // which are counted in C order.
  Access along(const Dims& space, std::uint64_t further, std::int64_t place) const;

  bool operator==(const Access&) const = default;

 private:
  friend class Box;
  Access(const Dims& domain, const Dims& space) : domain_(domain), space_(space) {}
  bool is_dense(const Operand& operand) const;

  Dims domain_;
  Dims space_;  // the shape of what is read, or one axis over all of its elements
  Dims start_;  // per axis of the space
  Dims axis_;   // per axis of the domain; -1 for none
  Dims step_;
};

// The part of a value that an update writes: along each axis a range, all of whose elements, or
// every second, third... of them, are written.
class Box {
 public:
  // Nothing where the target of the update is none.
  static std::optional<Box> of(const Node& update);
  // All of a space.
  static Box all_of(const Dims& space);

  enum class Side : std::uint8_t { inside, outside, both };
  // Where a walk over the value comes to.
  Side side(const Access& access) const;
  // The same walk, over what is written; it leaves that where the walk leaves the box. Nothing
  // where it stops between the elements of the box.
  std::optional<Access> enter(const Access& access) const;
  // The part of a box in the domain of a walk from which it comes to this one. Nothing where that
  // is no box, or empty.
  std::optional<Box> reached_from(const Access& access, const Box& part) const;

  struct Range {
    std::int64_t first, step, count;
    std::int64_t dim;  // of what is written; -1 where there is none
    std::int64_t low() const { return step > 0 ? first : first + step * (count - 1); }
    std::int64_t high() const { return step > 0 ? first + step * (count - 1) : first; }
    bool operator==(const Range&) const = default;
  };
  // Per axis of the value.
  const std::vector<Range>& ranges() const { return ranges_; }
  bool has_gaps() const;
  // Of boxes without gaps in one space.
  bool contains(const Box& other) const;
  bool operator==(const Box&) const = default;

 private:
  Dims written_;  // the shape of what is written
  std::vector<Range> ranges_;
};

}  // namespace heddle::graph
