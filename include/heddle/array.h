/// @file
/// array: what a user holds. A storage and a layout into it; copying an array is cheap and shares
/// the elements. Element-wise work, reductions and views are deferred until somebody looks.
///
/// As in Python, assigning to a name makes it another array, and assigning to an index expression
/// writes elements:
///
///     array y = x(Slice{1, -1});     a view
///     y = zeros({3});                y is another array now; x is as it was
///     x(Slice{1, -1}) = 0;           writes to x
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <initializer_list>
#include <iosfwd>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <heddle/dtype.h>
#include <heddle/export.h>
#include <heddle/layout.h>
#include <heddle/ref.h>
#include <heddle/scalar.h>

namespace heddle {

class Storage;
class Device;
class Selection;

/// A range with a step, as in Python: Slice{1, -1} is 1:-1.
struct Slice {
  std::optional<std::int64_t> start = std::nullopt;
  std::optional<std::int64_t> stop = std::nullopt;
  std::int64_t step = 1;
  /// What it picks of a dimension: the index of the first element, and how many there are.
  HEDDLE_API std::pair<std::int64_t, std::int64_t> of(std::int64_t extent) const;
};

/// The type of `newaxis`.
struct NewAxis {};
/// The type of `ellipsis`.
struct Ellipsis {};
inline constexpr NewAxis newaxis{};    ///< a dimension of extent 1
inline constexpr Ellipsis ellipsis{};  ///< all dimensions that the other indices leave

template <class T>
concept BasicIndex = (std::integral<T> && !std::same_as<T, bool>) || std::same_as<T, Slice> ||
                     std::same_as<T, NewAxis> || std::same_as<T, Ellipsis>;

/// An array: see the head of this file.
class HEDDLE_API array {
 public:
  array();  ///< 0-d float64 zero
  array(Scalar value, std::optional<Dtype> dtype = std::nullopt);
  array(Ref<Storage> storage, SharedLayout layout, Dtype dtype);
  /// 0-d, of a number that is known: the bytes of an element. See number().
  static array of_number(const ScalarWords& element, Dtype dtype);

  /// Copies of the caller's elements, in C order. The type is that of the elements: array{1, 2} is
  /// int32, array{1.0, 2.0} float64, array{{1.f, 2.f}, {3.f, 4.f}} a float32 matrix.
  template <Element T>
  array(std::span<T> values, const Dims& shape)
      : array(from_bytes(values.data(), values.size(), dtype_of<std::remove_const_t<T>>, shape)) {}
  template <Element T>
  explicit array(std::span<T> values) : array(values, {static_cast<std::int64_t>(values.size())}) {}
  template <Element T>
  array(const std::vector<T>& values, const Dims& shape) : array(from_vector(values, shape)) {}
  template <Element T>
  explicit array(const std::vector<T>& values)
      : array(values, {static_cast<std::int64_t>(values.size())}) {}
  template <Element T>
  array(std::initializer_list<T> values)
      : array(std::span<const T>(values.begin(), values.size())) {}
  template <Element T>
  array(std::initializer_list<std::initializer_list<T>> rows) : array(from_rows(rows)) {}

  array(const array&);
  array(array&&) noexcept;
  ~array();
  /// This name becomes another array.
  array& operator=(const array&) &;
  array& operator=(array&&) & noexcept;
  /// The elements of a temporary view are written: x(0) = y.
  void operator=(const array& value) && { assign(value); }
  void operator=(array&& value) && { assign(std::move(value)); }  // NOLINT: a write may throw
  void operator=(Scalar value) && { assign(value); }

  Dtype dtype() const { return dtype_; }
  const Dims& shape() const { return layout().shape; }
  std::int64_t ndim() const { return layout().ndim(); }
  std::int64_t size() const { return size_of(shape()); }
  std::int64_t shape(std::int64_t axis) const;
  const Layout& layout() const { return was_number_ ? SharedLayout::of_element() : *layout_; }
  SharedLayout shared_layout() const { return was_number_ ? SharedLayout() : layout_; }
  Storage& storage() const { return *shared_storage(); }
  const Ref<Storage>& shared_storage() const {
    if (!storage_.is_set()) make_storage();
    return storage_;
  }
  /// The bytes of the only element, where the array is nothing but that: results that NumPy gives
  /// as scalars are made and dropped all the time, and most never need memory of a device. Null for
  /// arrays with a storage; asking for the storage makes one.
  const ScalarWords* number() const { return storage_.is_set() ? nullptr : &number_; }
  /// The same elements through another layout: a view.
  array view_as(SharedLayout layout, Dtype dtype) const;
  /// A view may refuse writes where others of the same elements take them; views of it do as it
  /// does.
  bool read_only() const { return read_only_; }
  void set_read_only(bool flag) { read_only_ = flag; }
  /// 0-d, in the place of a number of the host language: beside other arrays its type yields to
  /// theirs, as that of a Scalar does. What is made of nothing but such numbers is one, too.
  bool weak() const { return weak_; }
  void set_weak(bool flag) { weak_ = flag; }
  Device& device() const;
  std::string device_name() const;

  /// Computes the pending value and waits for nothing else.
  const array& eval() const;
  bool pending() const;

  /// The elements in C order, on the host.
  template <Element T>
  std::vector<T> to_vector() const {
    std::vector<T> result(static_cast<std::size_t>(size()));
    if constexpr (std::same_as<T, bool>) {
      auto packed = std::make_unique<bool[]>(result.size());
      copy_to_host(packed.get(), Dtype::bool_);
      std::copy(packed.get(), packed.get() + result.size(), result.begin());
    } else {
      copy_to_host(result.data(), dtype_of<T>);
    }
    return result;
  }
  /// The same into memory of the caller, which must have room for exactly size() elements.
  template <Element T>
  void copy_to(std::span<T> to) const {
    check_room(to.size());
    copy_to_host(to.data(), dtype_of<T>);
  }
  /// The only element. Throws value_error for any other number of them.
  template <Element T>
  T item() const {
    check_single();
    T value{};
    copy_to_host(&value, dtype_of<T>);
    return value;
  }
  /// The truth of the only element: if (any(x > 0)) ...
  explicit operator bool() const;
  /// Writes the elements, converted to dtype, in C order to memory of the host.
  void copy_to_host(void* to, Dtype dtype) const;

  /// Index expressions. Integers, slices, newaxis and ellipsis give a view: it shares the elements,
  /// and writing to it writes to this array. With integer or boolean arrays among them the result
  /// is a Selection: a copy when read, scattered elements when written. See indexing.h.
  array operator[](std::int64_t index) const;
  template <class... Items>
    requires(BasicIndex<Items> && ...)
  array operator()(const Items&... items) const;
  template <class... Items>
    requires((BasicIndex<Items> || std::same_as<Items, array>) && ...) &&
            (std::same_as<Items, array> || ...)
  Selection operator()(const Items&... items) const;
  array slice(std::int64_t axis, Slice range) const;

  /// Views where possible. More of them in manipulation.h.
  array transpose() const;
  array transpose(const Dims& axes) const;
  array T() const { return transpose(); }
  array reshape(Dims shape) const;  ///< a view where possible, else a copy; one extent may be -1
  array broadcast_to(const Dims& shape) const;
  array view(Dtype dtype) const;  ///< the same bytes as another type

  array copy() const;
  array astype(Dtype dtype) const;

  /// In-place: through whatever view this is. The result must be of the same kind as the elements
  /// (casting_error otherwise), and broadcasting must not change the shape.
  array& assign(array value);
  array& assign(Scalar value);
#define HEDDLE_IN_PLACE_OPERATORS(X) \
  X(+=, add)                         \
  X(-=, subtract)                    \
  X(*=, multiply)                    \
  X(/=, divide)                      \
  X(%=, remainder)                   \
  X(&=, bitwise_and)                 \
  X(|=, bitwise_or)                  \
  X(^=, bitwise_xor)                 \
  X(<<=, left_shift)                 \
  X(>>=, right_shift)
#define HEDDLE_DECLARE_IN_PLACE(symbol, op) \
  array& operator symbol(array other);      \
  array& operator symbol(Scalar other);
  HEDDLE_IN_PLACE_OPERATORS(HEDDLE_DECLARE_IN_PLACE)
#undef HEDDLE_DECLARE_IN_PLACE

 private:
  static array from_bytes(const void* data, std::size_t count, Dtype dtype, const Dims& shape);
  template <class T>
  static array from_vector(const std::vector<T>& values, const Dims& shape) {
    if constexpr (std::same_as<T, bool>) {
      auto unpacked = std::make_unique<bool[]>(values.size());
      std::copy(values.begin(), values.end(), unpacked.get());
      return from_bytes(unpacked.get(), values.size(), Dtype::bool_, shape);
    } else {
      return from_bytes(values.data(), values.size(), dtype_of<T>, shape);
    }
  }
  template <class T>
  static array from_rows(std::initializer_list<std::initializer_list<T>> rows) {
    auto columns = rows.size() ? rows.begin()->size() : 0;
    auto values = std::make_unique<T[]>(rows.size() * columns);
    T* to = values.get();
    for (const auto& row : rows) {
      if (row.size() != columns) throw_ragged();
      to = std::copy(row.begin(), row.end(), to);
    }
    return from_bytes(values.get(), rows.size() * columns, dtype_of<T>,
                      {static_cast<std::int64_t>(rows.size()), static_cast<std::int64_t>(columns)});
  }
  array(const ScalarWords& element, Dtype dtype);
  void take(array& other) noexcept;
  void make_storage() const;
  [[noreturn]] static void throw_ragged();
  void check_room(std::size_t count) const;
  void check_single() const;

  // Nothing here is wanted twice: some programs hold millions of arrays.
  mutable Ref<Storage> storage_;
  union {
    SharedLayout layout_;
    ScalarWords number_;
  };
  Dtype dtype_;
  bool was_number_ = false;  // made of a number_, which stays when there is a storage for it
  bool read_only_ = false;
  bool weak_ = false;
};

/// Printed as NumPy prints: brackets, aligned columns, long arrays in short.
HEDDLE_API std::string to_string(const array& a);
HEDDLE_API std::ostream& operator<<(std::ostream& out, const array& a);

}  // namespace heddle

#include <heddle/indexing.h>
