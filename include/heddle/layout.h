/// @file
/// Layout: how the elements of an array lie in the memory of its storage; and the arithmetic of
/// shapes: broadcasting, axes, views. All in elements, all int64.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <heddle/export.h>
#include <heddle/ref.h>
#include <heddle/small_vector.h>

namespace heddle {

inline constexpr int max_dims = 64;

/// Extents and strides of an array, and where its first element is in the storage.
struct Layout {
  Dims shape;
  Dims strides;
  std::int64_t offset = 0;

  std::int64_t ndim() const { return shape.size(); }
  bool operator==(const Layout&) const = default;
};

/// A layout that does not change any more, with the number of its references: billions of arrays
/// may have one. Nobody counts those that are there for good.
struct HEDDLE_API CountedLayout : Layout, CountedBy<std::int64_t> {
  CountedLayout(Layout&& layout, bool counted) : Layout(std::move(layout)), counted(counted) {}
  void retain() const {  // NOLINT(bugprone-derived-method-shadowing-base-method)
    if (counted) CountedBy::retain();
  }
  bool drop() const {  // NOLINT(bugprone-derived-method-shadowing-base-method)
    return counted && CountedBy::drop();
  }
  static void destroy(const CountedLayout* layout);

  const bool counted;
};
using LayoutRef = Ref<const CountedLayout>;  ///< or null

/// Arrays are many, and most have the layout of another one: what a thread makes again that it made
/// a moment ago is the same object.
class HEDDLE_API SharedLayout {
 public:
  SharedLayout() : layout_(&element) {}
  SharedLayout(const Layout& layout) : SharedLayout(Layout(layout)) {}
  SharedLayout(Layout&& layout);
  SharedLayout(const Dims& shape, const Dims& strides, std::int64_t offset = 0)
      : SharedLayout(Layout{shape, strides, offset}) {}
  static SharedLayout contiguous(const Dims& shape);
  SharedLayout(const SharedLayout&) = default;
  SharedLayout(SharedLayout&& other) noexcept
      : layout_(std::exchange(other.layout_, LayoutRef(&element))) {}
  SharedLayout& operator=(SharedLayout other) noexcept {
    std::swap(layout_, other.layout_);
    return *this;
  }

  static const Layout& of_element() { return element; }
  const LayoutRef& ref() const { return layout_; }
  const Layout& operator*() const { return *layout_; }
  const Layout* operator->() const { return layout_.get(); }
  operator const Layout&() const { return **this; }
  friend bool operator==(const SharedLayout& a, const SharedLayout& b) {
    return a.layout_ == b.layout_ || *a == *b;
  }

 private:
  struct Recent;
  explicit SharedLayout(LayoutRef layout) : layout_(std::move(layout)) {}

  static const CountedLayout element;
  LayoutRef layout_;
};

/// Throws value_error where the number does not fit.
HEDDLE_API std::int64_t size_of(const Dims& shape);
[[noreturn]] HEDDLE_API void throw_too_big();
/// Throws value_error beyond max_dims.
HEDDLE_API void check_dims(std::int64_t ndim);
/// Wraps around: the stride of a dimension that has no second element may be any.
HEDDLE_API std::int64_t scaled_stride(std::int64_t stride, std::int64_t step);
HEDDLE_API Dims contiguous_strides(const Dims& shape);
HEDDLE_API Layout contiguous_layout(const Dims& shape);

/// C order without gaps; dimensions of extent 1 and empty arrays have any stride.
HEDDLE_API bool is_c_contiguous(const Layout& layout);
HEDDLE_API bool is_f_contiguous(const Layout& layout);

/// The dimensions from the largest stride to the smallest (NumPy's K order); dimensions whose
/// relative order does not matter keep it.
HEDDLE_API Dims memory_order(const Layout& layout);

/// Every element of a storage of `size` elements exactly once, in any order of dimensions.
HEDDLE_API bool covers(const Layout& layout, std::int64_t size);

/// Lowest and highest element offset that the layout touches; nothing for an empty layout.
HEDDLE_API std::optional<std::pair<std::int64_t, std::int64_t>> extent_of(const Layout& layout);

/// The common shape of two shapes by NumPy's rules. Throws value_error, prefixed with `op`.
HEDDLE_API Dims broadcast_shapes(std::string_view op, const Dims& a, const Dims& b);
/// `layout` seen with `shape`; throws value_error when it does not broadcast.
HEDDLE_API Layout broadcast_layout(std::string_view op, const Layout& layout, const Dims& shape);

/// Strides of a reshape that needs no copy, if there are any. Sizes must agree.
HEDDLE_API std::optional<Layout> reshape_layout(const Layout& layout, const Dims& shape);

/// The dimensions in another order: dimension i of the result is order[i] of the layout.
HEDDLE_API Layout permute(const Layout& layout, const Dims& order);

/// The axis in [0, ndim); throws axis_error.
HEDDLE_API std::int64_t normalize_axis(std::string_view op, std::int64_t axis, std::int64_t ndim);

HEDDLE_API std::string to_string(const Dims& shape);  ///< "(3,4)", as in NumPy's errors

}  // namespace heddle
