#include "transform/thread_elements.h"

#include <algorithm>

namespace heddle::transform {

bool ThreadElements::has_tail(const Dims& shape) const {
  if (shape.size() < tail_.size()) return false;
  return std::equal(tail_.begin(), tail_.end(), shape.end() - tail_.size());
}

ThreadElements::Space ThreadElements::space_of(const Dims& shape) const {
  Space space;
  space.shape = shape;
  space.shared = has_tail(shape);
  space.elements = size_of(shape);
  if (space.shared) space.elements /= threads_;
  return space;
}

ThreadElements::Address ThreadElements::address(const Layout& layout, const Space& space,
                                                std::int64_t element) const {
  Address made;
  made.base = layout.offset;
  auto rest = element;
  auto axes = space.shape.size();
  if (space.shared) {
    made.part = rest % each_;
    rest /= each_;
    axes -= tail_.size();
    find_tail(layout, axes, made);
  }
  for (auto d = axes; d-- > 0;) {
    made.base += rest % space.shape[d] * layout.strides[d];
    rest /= space.shape[d];
  }
  return made;
}

void ThreadElements::find_tail(const Layout& layout, std::int64_t first, Address& address) const {
  bool dense = true, none = true;
  std::int64_t step = 1;
  for (auto d = tail_.size(); d-- > 0;) {
    const auto stride = layout.strides[first + d];
    if (tail_[d] != 1) {
      dense &= stride == step;
      none &= stride == 0;
    }
    step *= tail_[d];
  }
  using Tail = Address::Tail;
  // Of one element both hold.
  address.tail = dense && threads_ * each_ > 1 ? Tail::dense : none ? Tail::none : Tail::any;
  for (std::int64_t d = 0; d < tail_.size(); ++d) {
    address.strides.push_back(layout.strides[first + d]);
  }
}

}  // namespace heddle::transform
