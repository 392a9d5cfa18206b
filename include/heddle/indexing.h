/// @file
/// Index expressions: x(1, Slice{0, 5}), x(mask), x(rows, ellipsis), for reading and for writing;
/// and the functions that pick elements by index. Included by array.h.
#pragma once

#include <span>
#include <utility>
#include <vector>

#include <heddle/array.h>

namespace heddle {

/// One index of an expression, for those that are put together at run time.
struct IndexItem {
  enum class Kind : std::uint8_t { integer, slice, new_axis, ellipsis, array };
  Kind kind = Kind::ellipsis;
  std::int64_t integer = 0;
  Slice slice = {};
  std::shared_ptr<const array> indices = {};  ///< integers or bool
  bool in_bounds = false;  ///< the indices are known to be, and not below 0: nobody checks them
};

template <std::integral T>
IndexItem index_item(T index) {
  return {IndexItem::Kind::integer, static_cast<std::int64_t>(index)};
}
inline IndexItem index_item(Slice range) { return {IndexItem::Kind::slice, 0, range}; }
inline IndexItem index_item(NewAxis) { return {IndexItem::Kind::new_axis}; }
inline IndexItem index_item(Ellipsis) { return {IndexItem::Kind::ellipsis}; }
inline IndexItem index_item(const array& indices) {
  return {IndexItem::Kind::array, 0, {}, std::make_shared<const array>(indices)};
}

/// The view of basic indices; throws index_error when an item is an array.
HEDDLE_API array basic_view(const array& a, std::span<const IndexItem> items);
/// A view for basic indices; a 0-d snapshot for a full set of integers; else a copy (deferred).
HEDDLE_API array get_item(const array& a, std::span<const IndexItem> items);
/// The element at one index for each dimension, likewise, and the write to it: of one number.
HEDDLE_API array get_element(const array& a, std::span<const std::int64_t> indices);
HEDDLE_API void set_element(const array& a, std::span<const std::int64_t> indices,
                            const array& value);
/// a[items] = value.
HEDDLE_API void set_item(const array& a, std::span<const IndexItem> items, array value);

/// x(mask) or x(rows, 0): elements that a view cannot describe. Reading it (converting it to an
/// array) makes a copy, deferred; assigning to it writes to x. Indices out of range throw
/// index_error. In x(rows) += y an element that is named twice is changed once, as in NumPy.
class HEDDLE_API Selection {
 public:
  Selection(array source, std::vector<IndexItem> items)
      : source_(std::move(source)), items_(std::move(items)) {}
  Selection(const Selection&) = default;

  operator array() const { return get(); }
  array get() const { return get_item(source_, items_); }
  template <Element T>
  std::vector<T> to_vector() const {
    return get().to_vector<T>();
  }

  const Selection& operator=(const Selection& value) const { return *this = value.get(); }
  const Selection& operator=(array value) const;
  const Selection& operator=(Scalar value) const;
#define HEDDLE_DECLARE_IN_PLACE(symbol, op)            \
  const Selection& operator symbol(array other) const; \
  const Selection& operator symbol(Scalar other) const;
  HEDDLE_IN_PLACE_OPERATORS(HEDDLE_DECLARE_IN_PLACE)
#undef HEDDLE_DECLARE_IN_PLACE

 private:
  array source_;
  std::vector<IndexItem> items_;
};

template <class... Items>
  requires(BasicIndex<Items> && ...)
array array::operator()(const Items&... items) const {
  if constexpr (sizeof...(Items) == 0) {
    return *this;
  } else {
    const IndexItem list[] = {index_item(items)...};
    return basic_view(*this, list);
  }
}

template <class... Items>
  requires((BasicIndex<Items> || std::same_as<Items, array>) && ...) &&
          (std::same_as<Items, array> || ...)
Selection array::operator()(const Items&... items) const {
  return Selection(*this, {index_item(items)...});
}

/// The elements at these indices along an axis; of the flattened array without one.
HEDDLE_API array take(const array& a, const array& indices,
                      std::optional<std::int64_t> axis = std::nullopt);
/// Indices of the true elements, one int64 array per dimension.
HEDDLE_API std::vector<array> nonzero(const array& a);

/// x where the condition is true, else y.
HEDDLE_API array where(const array& condition, const array& x, const array& y);
HEDDLE_API array where(const array& condition, const array& x, Scalar y);
HEDDLE_API array where(const array& condition, Scalar x, const array& y);
HEDDLE_API array where(const array& condition, Scalar x, Scalar y);

}  // namespace heddle
