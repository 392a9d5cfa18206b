// The core's small types as arguments of bound functions: shapes and axes, types, numbers.
// Functions that take them are bound as they are.
#pragma once

#include <exception>
#include <optional>
#include <utility>

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "python/convert.h"
#include <heddle/reductions.h>

namespace heddle::python {

// Reads an argument by a function that throws; nothing, without an error, for what is another type.
template <class F>
auto read_or_nothing(F read) noexcept -> std::optional<decltype(read())> {
  try {
    return read();
  } catch (...) {
    PyErr_Clear();
    return std::nullopt;
  }
}

}  // namespace heddle::python

namespace nanobind::detail {

// What the casters below share: the value is there once it was read.
template <class T>
struct ReadCaster {
  template <class U>
  using Cast = movable_cast_t<U>;
  template <class U>
  bool can_cast() const noexcept {
    return true;
  }
  explicit operator T*() { return &*value_; }
  explicit operator T&() { return *value_; }
  explicit operator T&&() { return std::move(*value_); }

 protected:
  std::optional<T> value_;
};

template <>
struct type_caster<heddle::Dims> : ReadCaster<heddle::Dims> {
  static constexpr auto Name =
      io_name("SupportsIndex | Sequence[SupportsIndex]", "tuple[int, ...]");
  bool from_python(handle object, std::uint32_t, cleanup_list*) noexcept {
    if (object.is_none()) return false;
    value_ = heddle::python::read_or_nothing([&] { return heddle::python::to_dims(object); });
    return value_.has_value();
  }
  static handle from_cpp(const heddle::Dims& dims, rv_policy, cleanup_list*) noexcept {
    return heddle::python::to_tuple(dims).release();
  }
};

// None for all of them.
template <>
struct type_caster<heddle::Axes> : ReadCaster<heddle::Axes> {
  static constexpr auto Name = const_name("SupportsIndex | Sequence[SupportsIndex] | None");
  bool from_python(handle object, std::uint32_t, cleanup_list*) noexcept {
    value_ = heddle::python::read_or_nothing([&] {
      return object.is_none() ? heddle::Axes() : heddle::Axes(heddle::python::to_dims(object));
    });
    return value_.has_value();
  }
};

// What names no type that arrays can have is refused when the function is called, where exceptions
// may be thrown: nanobind would say that there is no such function.
template <class T>
struct DtypeCaster {
  template <class U>
  using Cast = movable_cast_t<U>;
  template <class U>
  bool can_cast() const noexcept {
    return true;
  }
  explicit operator T*() { return &value(); }
  explicit operator T&() { return value(); }
  explicit operator T&&() { return std::move(value()); }

 protected:
  void read(handle object) noexcept {
    try {
      value_ = heddle::python::to_dtype(object);
    } catch (...) {
      refusal_ = std::current_exception();
      PyErr_Clear();
    }
  }
  T value_ = T();

 private:
  T& value() {
    if (refusal_) std::rethrow_exception(refusal_);
    return value_;
  }
  std::exception_ptr refusal_;
};

template <>
struct type_caster<heddle::Dtype> : DtypeCaster<heddle::Dtype> {
  static constexpr auto Name = const_name("DTypeLike");
  bool from_python(handle object, std::uint32_t, cleanup_list*) noexcept {
    if (object.is_none()) return false;
    read(object);
    return true;
  }
  static handle from_cpp(heddle::Dtype dtype, rv_policy, cleanup_list*) noexcept {
    return heddle::python::numpy_dtype(dtype).release();
  }
};

// Not nanobind's, which has the value before the function is called.
template <>
struct type_caster<std::optional<heddle::Dtype>> : DtypeCaster<std::optional<heddle::Dtype>> {
  static constexpr auto Name = optional_name(const_name("DTypeLike"));
  bool from_python(handle object, std::uint32_t, cleanup_list*) noexcept {
    if (!object.is_none()) read(object);
    return true;
  }
  static handle from_cpp(std::optional<heddle::Dtype> dtype, rv_policy, cleanup_list*) noexcept {
    return dtype ? heddle::python::numpy_dtype(*dtype).release() : none().release();
  }
};

// Python's own numbers.
template <>
struct type_caster<heddle::Scalar> : ReadCaster<heddle::Scalar> {
  static constexpr auto Name = const_name("complex");
  bool from_python(handle object, std::uint32_t, cleanup_list*) noexcept {
    value_ = heddle::python::to_scalar(object);
    return value_.has_value();
  }
};

}  // namespace nanobind::detail
