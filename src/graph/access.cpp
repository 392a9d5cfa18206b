#include "graph/access.h"

#include <algorithm>

#include "graph/node_facts.h"

namespace heddle::graph {

Access::Access(const Dims& space) : domain_(space), space_(space), start_(space.size(), 0) {
  for (std::int64_t d = 0; d < space.size(); ++d) {
    axis_.push_back(d);
    step_.push_back(1);
  }
}

namespace {

// What of each axis a walk reaches.
struct Reach {
  Dims lowest, highest;

  explicit Reach(const Dims& start) : lowest(start), highest(start) {}

  // Extends the walk by `extent` steps of `stride` elements along the axis on which they stay.
  // Returns that axis, or -1.
  std::int64_t extend(std::int64_t stride, std::int64_t extent, const Dims& space,
                      const Dims& strides) {
    for (std::int64_t axis = 0; axis < space.size(); ++axis) {
      if (space[axis] <= 1 || stride % strides[axis] != 0) continue;
      auto distance = stride / strides[axis] * (extent - 1);
      auto& end = distance < 0 ? lowest[axis] : highest[axis];
      if (end + distance < 0 || end + distance >= space[axis]) continue;
      end += distance;
      return axis;
    }
    return -1;
  }
};

}  // namespace

std::optional<Access> Access::of(const Layout& reading, const Dims& shape) {
  auto size = size_of(shape);
  if (size == 0 || size_of(reading.shape) == 0) return {};
  for (bool flat : {false, true}) {
    Access access(reading.shape, flat ? Dims{size} : shape);
    auto strides = contiguous_strides(access.space_);
    auto rest = reading.offset;
    for (auto stride : strides) {
      access.start_.push_back(rest / stride);
      rest %= stride;
    }
    Reach reach(access.start_);
    bool stays = true;
    for (std::int64_t d = 0; d < reading.ndim() && stays; ++d) {
      auto moves = reading.shape[d] > 1 && reading.strides[d] != 0;
      auto axis =
          moves ? reach.extend(reading.strides[d], reading.shape[d], access.space_, strides) : -1;
      access.axis_.push_back(axis);
      access.step_.push_back(axis < 0 ? 0 : reading.strides[d] / strides[axis]);
      stays = !moves || axis >= 0;
    }
    if (stays) return access;
  }
  return {};
}

namespace {

// The indices along some axes of a place that is counted in C order; 0 along the others.
Dims indices_of(std::int64_t place, const Dims& shape, std::uint64_t axes) {
  Dims indices(shape.size(), 0);
  for (auto axis = shape.size(); axis-- > 0;) {
    if (!(axes >> axis & 1)) continue;
    indices[axis] = place % shape[axis];
    place /= shape[axis];
  }
  return indices;
}

}  // namespace

Access Access::along(const Dims& space, std::uint64_t further, std::int64_t place) const {
  Access result(domain_, space);
  result.start_ = indices_of(place, space, further);
  Dims known;  // which axes of the new space those of the old one are
  for (std::int64_t axis = 0; axis < space.size(); ++axis) {
    if (further >> axis & 1) continue;
    result.start_[axis] = start_[known.size()];
    known.push_back(axis);
  }
  for (auto axis : axis_) result.axis_.push_back(axis < 0 ? -1 : known[axis]);
  result.step_ = step_;
  return result;
}

Access Access::at(const Dims& shape, std::uint64_t fixed, std::int64_t place) {
  Access access({}, shape);
  access.start_ = indices_of(place, shape, fixed);
  for (std::int64_t axis = 0; axis < shape.size(); ++axis) {
    if (fixed >> axis & 1) continue;
    access.domain_.push_back(shape[axis]);
    access.axis_.push_back(axis);
    access.step_.push_back(1);
  }
  return access;
}

std::pair<std::int64_t, std::int64_t> Access::reach(std::int64_t axis) const {
  auto low = start_[axis], high = start_[axis];
  for (std::int64_t d = 0; d < domain_.size(); ++d) {
    auto distance = step(d, axis) * (domain_[d] - 1);
    (distance < 0 ? low : high) += distance;
  }
  return {low, high};
}

bool Access::is_dense(const Operand& operand) const {
  if (operand.dtype != operand.value->dtype) return false;
  if (!operand.layout) return size_of(space_) == operand.value->size();
  return operand.layout->offset == 0 && size_of(space_) == operand.value->size() &&
         size_of(operand.layout->shape) == operand.value->size() &&
         is_c_contiguous(*operand.layout);
}

std::optional<Layout> Access::layout_of(const Operand& operand) const {
  Dims strides;
  std::int64_t offset = 0;
  if (is_dense(operand)) {
    strides = contiguous_strides(space_);
  } else if (operand.layout && space_ == operand.layout->shape) {
    strides = operand.layout->strides;
    offset = operand.layout->offset;
  } else if (is_single(operand)) {
    strides = Dims(space_.size(), 0);
    if (operand.layout) offset = operand.layout->offset;
  } else {
    return {};
  }
  Layout result{domain_, Dims(domain_.size(), 0), offset};
  for (std::int64_t axis = 0; axis < space_.size(); ++axis) {
    result.offset += start_[axis] * strides[axis];
  }
  for (std::int64_t d = 0; d < domain_.size(); ++d) {
    if (axis_[d] >= 0) result.strides[d] = step_[d] * strides[axis_[d]];
  }
  return result;
}

std::optional<Access> Access::access_of(const Operand& operand, const Dims& shape) const {
  if (is_dense(operand) && (space_ == shape || (space_.size() == 1 && shape.size() != 1))) {
    return *this;
  }
  const Layout layout = operand.layout ? Layout(*operand.layout) : contiguous_layout(shape);
  if (layout.shape != space_) return {};
  auto inner = of(layout, shape);
  if (!inner) return {};
  Access result(domain_, inner->space_);
  result.start_ = inner->start_;
  for (std::int64_t axis = 0; axis < space_.size(); ++axis) {
    if (inner->axis_[axis] >= 0)
      result.start_[inner->axis_[axis]] += inner->step_[axis] * start_[axis];
  }
  for (std::int64_t d = 0; d < domain_.size(); ++d) {
    auto axis = axis_[d] < 0 ? -1 : inner->axis_[axis_[d]];
    result.axis_.push_back(axis);
    result.step_.push_back(axis < 0 ? 0 : step_[d] * inner->step_[axis_[d]]);
  }
  return result;
}

std::optional<Box> Box::of(const Node& update) {
  auto access = Access::of(*update.target, update.shape());
  if (!access || access->space() != update.shape()) return {};
  Box box;
  box.written_ = update.target->shape;
  for (std::int64_t axis = 0; axis < access->space().size(); ++axis) {
    Range range{access->start(axis), 1, 1, -1};
    for (std::int64_t d = 0; d < box.written_.size(); ++d) {
      if (access->step(d, axis) == 0) continue;
      if (range.dim >= 0) return {};
      range = {range.first, access->step(d, axis), box.written_[d], d};
    }
    box.ranges_.push_back(range);
  }
  return box;
}

Box Box::all_of(const Dims& space) {
  Box box;
  box.written_ = space;
  for (std::int64_t axis = 0; axis < space.size(); ++axis)
    box.ranges_.push_back({0, 1, space[axis], axis});
  return box;
}

std::optional<Box> Box::reached_from(const Access& access, const Box& part) const {
  Box result = part;
  for (std::int64_t axis = 0; axis < access.space().size(); ++axis) {
    const Range& range = ranges_[static_cast<std::size_t>(axis)];
    const auto [low, high] = access.reach(axis);
    if (low >= range.low() && high <= range.high()) continue;
    if (std::abs(range.step) != 1) return {};
    std::int64_t along = -1;
    for (std::int64_t d = 0; d < access.domain().size(); ++d) {
      if (access.step(d, axis) == 0) continue;
      if (along >= 0) return {};
      along = d;
    }
    if (along < 0) return {};
    const auto step = access.step(along, axis), start = access.start(axis);
    if (std::abs(step) != 1) return {};
    const auto first = step > 0 ? range.low() - start : start - range.high();
    const auto last = step > 0 ? range.high() - start : start - range.low();
    Range& left = result.ranges_[static_cast<std::size_t>(along)];
    const auto begin = std::max(left.low(), first), end = std::min(left.high(), last);
    if (begin > end) return {};
    left = {begin, 1, end - begin + 1, along};
  }
  for (std::size_t axis = 0; axis < result.ranges_.size(); ++axis)
    result.written_[static_cast<std::int64_t>(axis)] = result.ranges_[axis].count;
  return result;
}

bool Box::contains(const Box& other) const {
  return std::equal(ranges_.begin(), ranges_.end(), other.ranges_.begin(), other.ranges_.end(),
                    [](const Range& outer, const Range& inner) {
                      return outer.low() <= inner.low() && inner.high() <= outer.high();
                    });
}

bool Box::has_gaps() const {
  return std::any_of(ranges_.begin(), ranges_.end(),
                     [](const Range& range) { return std::abs(range.step) != 1; });
}

Box::Side Box::side(const Access& access) const {
  auto result = Side::inside;
  for (std::int64_t axis = 0; axis < access.space().size(); ++axis) {
    const Range& range = ranges_[static_cast<std::size_t>(axis)];
    auto [low, high] = access.reach(axis);
    if (high < range.low() || low > range.high()) return Side::outside;
    if (low < range.low() || high > range.high()) result = Side::both;
    if (std::abs(range.step) == 1) continue;
    // Elements in between are not written.
    bool regular = true;
    for (std::int64_t d = 0; d < access.domain().size(); ++d) {
      regular &= access.step(d, axis) % range.step == 0;
    }
    if (!regular) {
      result = Side::both;
    } else if ((access.start(axis) - range.first) % range.step != 0) {
      return Side::outside;
    }
  }
  return result;
}

std::optional<Access> Box::enter(const Access& access) const {
  Access result(access.domain_, written_);
  result.start_ = Dims(written_.size(), 0);
  result.axis_ = Dims(access.domain_.size(), -1);
  result.step_ = Dims(access.domain_.size(), 0);
  for (std::int64_t axis = 0; axis < access.space_.size(); ++axis) {
    const Range& range = ranges_[static_cast<std::size_t>(axis)];
    if (range.dim < 0) continue;
    if ((access.start_[axis] - range.first) % range.step != 0) return {};
    result.start_[range.dim] = (access.start_[axis] - range.first) / range.step;
    for (std::int64_t d = 0; d < access.domain_.size(); ++d) {
      if (access.axis_[d] != axis) continue;
      if (access.step_[d] % range.step != 0) return {};
      result.axis_[d] = range.dim;
      result.step_[d] = access.step_[d] / range.step;
    }
  }
  return result;
}

}  // namespace heddle::graph
