#include <heddle/layout.h>

#include <algorithm>
#include <atomic>
#include <limits>
#include <memory>
#include <numeric>
#include <span>

#include <fmt/format.h>

#include "core/per_thread.h"
#include "core/recycled.h"
#include <heddle/errors.h>

namespace heddle {

namespace {

struct PooledLayout final : CountedLayout, Recycled<PooledLayout> {
  using CountedLayout::CountedLayout;
};

LayoutRef counted(Layout&& layout) { return LayoutRef(new PooledLayout(std::move(layout), true)); }

// As contiguous_layout() gives them, to the last stride.
bool is_made_contiguous(const Layout& layout) {
  std::int64_t expected = 1;
  for (auto d = layout.ndim(); d-- > 0;) {
    if (layout.strides[d] != expected || layout.shape[d] == 0) return false;
    expected = scaled_stride(expected, layout.shape[d]);
  }
  return layout.offset == 0;
}

std::size_t hash(std::size_t seed, const Dims& dims) {
  for (auto d : dims) seed = (seed ^ static_cast<std::size_t>(d)) * 0x9e3779b97f4a7c15;
  return seed;
}

// Contiguous layouts of the shapes that a process uses first. They are there for good: most arrays
// have one of these, and each operation would count its references several times. Null when their
// places are taken.
LayoutRef first_contiguous(const Dims& shape) {
  constexpr int bits = 10, tries = 4;
  static std::atomic<const CountedLayout*> all[(1 << bits) + tries - 1];
  const auto place = hash(0, shape) >> (64 - bits);
  for (auto& one : std::span(all + place, tries)) {
    const CountedLayout* known = one.load(std::memory_order_acquire);
    if (!known) {
      auto made = std::make_unique<const CountedLayout>(contiguous_layout(shape), false);
      if (one.compare_exchange_strong(known, made.get())) return LayoutRef(made.release());
    }
    if (known->shape == shape) return LayoutRef(known);
  }
  return nullptr;
}

LayoutRef make_contiguous(const Dims& shape) {
  auto made = first_contiguous(shape);
  return made ? made : counted(contiguous_layout(shape));
}

}  // namespace

void CountedLayout::destroy(const CountedLayout* layout) {
  delete static_cast<const PooledLayout*>(layout);
}

const CountedLayout SharedLayout::element({}, false);

// The layouts that a thread made last, each in the place that its shape and offset give it.
struct SharedLayout::Recent {
  static constexpr int bits = 4;
  // Contiguous ones apart from others, which would take their places.
  LayoutRef contiguous[1 << bits], others[1 << bits];

  static std::size_t place(std::size_t hash) { return hash >> (64 - bits); }
};

SharedLayout::SharedLayout(Layout&& layout) {
  if (is_made_contiguous(layout)) {
    *this = contiguous(layout.shape);
    return;
  }
  Recent* recent = PerThread<Recent>::get();
  if (!recent) {
    layout_ = counted(std::move(layout));
    return;
  }
  const auto place = Recent::place(
      hash(hash(static_cast<std::size_t>(layout.offset), layout.shape), layout.strides));
  LayoutRef& known = recent->others[place];
  if (!known || *known != layout) known = counted(std::move(layout));
  layout_ = known;
}

SharedLayout SharedLayout::contiguous(const Dims& shape) {
  if (shape.empty()) return {};
  Recent* recent = PerThread<Recent>::get();
  if (!recent) return SharedLayout(make_contiguous(shape));
  LayoutRef& known = recent->contiguous[Recent::place(hash(0, shape))];
  if (!known || known->shape != shape) known = make_contiguous(shape);
  return SharedLayout(known);
}

std::int64_t size_of(const Dims& shape) {
  std::int64_t size = 1;
  for (auto extent : shape) {
    if (!__builtin_mul_overflow(size, extent, &size)) continue;
    if (std::find(shape.begin(), shape.end(), 0) != shape.end()) return 0;
    throw_too_big();
  }
  return size;
}

void throw_too_big() {
  throw value_error(
      "array is too big; `arr.size * arr.dtype.itemsize` is larger than the maximum possible "
      "size.");
}

void check_dims(std::int64_t ndim) {
  if (ndim <= max_dims) return;
  throw value_error(fmt::format(
      "maximum supported dimension for an ndarray is currently {}, found {}", max_dims, ndim));
}

std::int64_t scaled_stride(std::int64_t stride, std::int64_t step) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(stride) *
                                   static_cast<std::uint64_t>(step));
}

Dims contiguous_strides(const Dims& shape) {
  Dims strides(shape.size());
  std::int64_t stride = 1;
  for (auto d = shape.size(); d-- > 0;) {
    strides[d] = stride;
    stride = scaled_stride(stride, std::max<std::int64_t>(shape[d], 1));
  }
  return strides;
}

Layout contiguous_layout(const Dims& shape) {
  // As in NumPy, nothing is any distance apart in an empty array.
  bool empty = std::find(shape.begin(), shape.end(), 0) != shape.end();
  return {shape, empty ? Dims(shape.size(), 0) : contiguous_strides(shape), 0};
}

namespace {
template <class Order>
bool is_contiguous(const Layout& layout, Order order) {
  std::int64_t expected = 1;
  for (std::int64_t i = 0; i < layout.ndim(); ++i) {
    auto d = order(i);
    if (layout.shape[d] == 0) return true;
    if (layout.shape[d] == 1) continue;
    if (layout.strides[d] != expected) return size_of(layout.shape) == 0;
    expected *= layout.shape[d];
  }
  return true;
}
}  // namespace

bool is_c_contiguous(const Layout& layout) {
  return is_contiguous(layout, [n = layout.ndim()](auto i) { return n - 1 - i; });
}

bool is_f_contiguous(const Layout& layout) {
  return is_contiguous(layout, [](auto i) { return i; });
}

Dims memory_order(const Layout& layout) {
  Dims order(layout.ndim());
  std::iota(order.begin(), order.end(), 0);
  // Insertion sort, stable, and a dimension of extent 1 or stride 0 does not move the others.
  auto stride = [&](std::int64_t d) {
    return layout.shape[d] == 1 ? 0 : std::abs(layout.strides[d]);
  };
  for (std::int64_t i = 1; i < order.size(); ++i) {
    auto place = i;
    for (auto j = i; j-- > 0;) {
      auto a = stride(order[j]), b = stride(order[i]);
      if (a == 0 || b == 0) continue;
      if (a >= b) break;
      place = j;
    }
    std::rotate(order.begin() + place, order.begin() + i, order.begin() + i + 1);
  }
  return order;
}

bool covers(const Layout& layout, std::int64_t size) {
  if (size_of(layout.shape) != size) return false;
  if (size == 0) return true;
  auto order = memory_order(layout);
  std::int64_t expected = 1;
  for (auto i = order.size(); i-- > 0;) {
    auto d = order[i];
    if (layout.shape[d] == 1) continue;
    if (layout.strides[d] != expected) return false;
    expected *= layout.shape[d];
  }
  return layout.offset == 0;
}

std::optional<std::pair<std::int64_t, std::int64_t>> extent_of(const Layout& layout) {
  std::int64_t low = layout.offset, high = layout.offset;
  for (std::int64_t d = 0; d < layout.ndim(); ++d) {
    if (layout.shape[d] == 0) return std::nullopt;
    bool back = layout.strides[d] < 0;
    auto& end = back ? low : high;
    std::int64_t reach = 0;
    if (__builtin_mul_overflow(layout.shape[d] - 1, layout.strides[d], &reach) ||
        __builtin_add_overflow(end, reach, &end)) {
      end = back ? std::numeric_limits<std::int64_t>::min()
                 : std::numeric_limits<std::int64_t>::max();
    }
  }
  return std::pair(low, high);
}

Dims broadcast_shapes(std::string_view op, const Dims& a, const Dims& b) {
  if (a == b) return a;
  const Dims& longer = a.size() >= b.size() ? a : b;
  const Dims& shorter = a.size() >= b.size() ? b : a;
  Dims shape = longer;
  auto lead = longer.size() - shorter.size();
  for (std::int64_t d = 0; d < shorter.size(); ++d) {
    auto& extent = shape[lead + d];
    if (extent == shorter[d]) continue;
    if (extent == 1) {
      extent = shorter[d];
    } else if (shorter[d] != 1) {
      throw value_error(
          fmt::format("{}: operands could not be broadcast together with shapes {} {}", op,
                      to_string(a), to_string(b)));
    }
  }
  return shape;
}

Layout broadcast_layout(std::string_view op, const Layout& layout, const Dims& shape) {
  if (layout.shape == shape) return layout;
  auto lead = shape.size() - layout.ndim();
  auto fail = [&] {
    throw value_error(fmt::format("{}: could not broadcast input array from shape {} into shape {}",
                                  op, to_string(layout.shape), to_string(shape)));
  };
  if (lead < 0) fail();
  size_of(shape);  // errors
  Layout result{shape, Dims(shape.size(), 0), layout.offset};
  for (std::int64_t d = 0; d < layout.ndim(); ++d) {
    if (layout.shape[d] == shape[lead + d]) {
      result.strides[lead + d] = layout.strides[d];
    } else if (layout.shape[d] != 1) {
      fail();
    }
  }
  return result;
}

std::optional<Layout> reshape_layout(const Layout& layout, const Dims& shape) {
  if (is_c_contiguous(layout)) {
    return Layout{shape, contiguous_strides(shape), layout.offset};
  }
  // Split both shapes into the smallest groups of equal size; within a group the old dimensions
  // must follow one another in memory.
  Layout result{shape, Dims(shape.size(), 0), layout.offset};
  Dims old_shape, old_strides;
  for (std::int64_t d = 0; d < layout.ndim(); ++d) {
    if (layout.shape[d] == 1) continue;
    old_shape.push_back(layout.shape[d]);
    old_strides.push_back(layout.strides[d]);
  }
  std::int64_t i = 0, j = 0;
  while (i < old_shape.size() && j < shape.size()) {
    auto i_end = i + 1, j_end = j + 1;
    auto old_size = old_shape[i], new_size = shape[j];
    while (old_size != new_size) {
      if (new_size < old_size) {
        new_size *= shape[j_end++];
      } else {
        old_size *= old_shape[i_end++];
      }
    }
    for (auto k = i; k + 1 < i_end; ++k) {
      if (old_strides[k] != old_strides[k + 1] * old_shape[k + 1]) return std::nullopt;
    }
    auto stride = old_strides[i_end - 1];
    for (auto k = j_end; k-- > j;) {
      result.strides[k] = stride;
      stride *= shape[k];
    }
    i = i_end;
    j = j_end;
  }
  for (; j < shape.size(); ++j) result.strides[j] = 1;
  return result;
}

Layout permute(const Layout& layout, const Dims& order) {
  Layout result;
  result.offset = layout.offset;
  for (auto d : order) {
    result.shape.push_back(layout.shape[d]);
    result.strides.push_back(layout.strides[d]);
  }
  return result;
}

std::int64_t normalize_axis(std::string_view op, std::int64_t axis, std::int64_t ndim) {
  if (axis < -ndim || axis >= ndim) {
    throw axis_error(
        fmt::format("{}: axis {} is out of bounds for array of dimension {}", op, axis, ndim));
  }
  return axis < 0 ? axis + ndim : axis;
}

std::string to_string(const Dims& shape) {
  std::string text = "(";
  for (std::int64_t d = 0; d < shape.size(); ++d) {
    if (d) text += ",";
    text += std::to_string(shape[d]);
  }
  if (shape.size() == 1) text += ",";
  return text + ")";
}

}  // namespace heddle
