// array: what a user holds. A storage and a layout into it; copying an array is cheap and shares
// the elements. Element-wise work, reductions and views are deferred until somebody looks.
#pragma once

#include <cstddef>
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

// A range with a step, as in Python: Slice{1, -1} is 1:-1.
struct Slice {
  std::optional<std::int64_t> start;
  std::optional<std::int64_t> stop;
  std::int64_t step = 1;
};

class HEDDLE_API array {
 public:
  array();  // 0-d float64 zero
  array(Scalar value, std::optional<Dtype> dtype = std::nullopt);
  array(Ref<Storage> storage, Layout layout, Dtype dtype);
  template <class T>
  array(std::span<const T> values, Dims shape)
      : array(from_bytes(values.data(), values.size(), dtype_of<T>, std::move(shape))) {}
  template <class T>
  explicit array(const std::vector<T>& values)
      : array(std::span<const T>(values), {static_cast<std::int64_t>(values.size())}) {}

  array(const array&);
  array(array&&) noexcept;
  array& operator=(const array&);
  array& operator=(array&&) noexcept;
  ~array();

  Dtype dtype() const { return dtype_; }
  const Dims& shape() const { return layout_.shape; }
  std::int64_t ndim() const { return layout_.ndim(); }
  std::int64_t size() const { return size_of(layout_.shape); }
  std::int64_t shape(std::int64_t axis) const;
  const Layout& layout() const { return layout_; }
  Storage& storage() const { return *storage_; }
  const Ref<Storage>& shared_storage() const { return storage_; }
  Device& device() const;
  std::string device_name() const;

  // Computes the pending value and waits for nothing else.
  const array& eval() const;
  bool pending() const;

  // The elements in C order, on the host.
  template <class T>
  std::vector<T> to_vector() const {
    std::vector<T> result(static_cast<std::size_t>(size()));
    copy_to_host(result.data(), dtype_of<T>);
    return result;
  }
  template <class T>
  T item() const {
    T value{};
    copy_to_host(&value, dtype_of<T>);
    return value;
  }
  // Writes the elements, converted to dtype, in C order to memory of the host.
  void copy_to_host(void* to, Dtype dtype) const;

  // Views: they share the elements, and writing to them writes to this array.
  array operator[](std::int64_t index) const;
  array slice(std::int64_t axis, Slice range) const;
  template <class... Ranges>
  array operator()(Ranges... ranges) const {
    array view = *this;
    std::int64_t axis = 0;
    ((view = view.at(axis, ranges)), ...);
    return view;
  }
  array transpose() const;
  array transpose(const Dims& axes) const;
  array T() const { return transpose(); }
  array reshape(Dims shape) const;  // a view where possible, else a copy; one extent may be -1
  array broadcast_to(const Dims& shape) const;
  array view(Dtype dtype) const;  // the same bytes as another type

  array copy() const;
  array astype(Dtype dtype) const;

  // In-place: through whatever view this is.
  array& assign(const array& value);
  array& assign(Scalar value);
  array& operator+=(const array& other);
  array& operator-=(const array& other);
  array& operator*=(const array& other);
  array& operator/=(const array& other);
  array& operator+=(Scalar other);
  array& operator-=(Scalar other);
  array& operator*=(Scalar other);
  array& operator/=(Scalar other);

 private:
  static array from_bytes(const void* data, std::size_t count, Dtype dtype, Dims shape);
  array at(std::int64_t& axis, Slice range) const { return slice(axis++, range); }
  array at(std::int64_t& axis, std::int64_t index) const;
  array at(std::int64_t& axis, int index) const { return at(axis, std::int64_t{index}); }

  Ref<Storage> storage_;
  Layout layout_;
  Dtype dtype_;
};

// Computes all of them together: work that they share is done once.
HEDDLE_API void eval(std::span<const array> arrays);
// Waits until everything launched so far is done.
HEDDLE_API void synchronize();
// Which kernels eval would run, what was fused into them, and why fusion stopped.
HEDDLE_API std::string explain(std::span<const array> arrays);
HEDDLE_API std::string to_string(const array& a);

}  // namespace heddle
