#include "graph/access.h"

#include "graph/plan.h"

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
      auto axis = moves ? reach.extend(reading.strides[d], reading.shape[d], access.space_, strides)
                        : -1;
      access.axis_.push_back(axis);
      access.step_.push_back(axis < 0 ? 0 : reading.strides[d] / strides[axis]);
      stays = !moves || axis >= 0;
    }
    if (stays) return access;
  }
  return {};
}

std::optional<Layout> Access::through(const Operand& operand, const Node& node) const {
  Dims strides;
  std::int64_t offset = 0;
  if (reads_densely(operand, node.shape())) {
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

}  // namespace heddle::graph
