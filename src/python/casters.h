// The core's small types as arguments of bound functions: shapes and axes, types, numbers.
// Functions that take them are bound as they are.
#pragma once

#include <optional>

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
  static constexpr auto Name = const_name("int | Sequence[int]");
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
  static constexpr auto Name = const_name("int | Sequence[int] | None");
  bool from_python(handle object, std::uint32_t, cleanup_list*) noexcept {
    value_ = heddle::python::read_or_nothing([&] {
      return object.is_none() ? heddle::Axes() : heddle::Axes(heddle::python::to_dims(object));
    });
    return value_.has_value();
  }
};

template <>
struct type_caster<heddle::Dtype> : ReadCaster<heddle::Dtype> {
  static constexpr auto Name = const_name("DTypeLike");
  bool from_python(handle object, std::uint32_t, cleanup_list*) noexcept {
    if (object.is_none()) return false;
    value_ = heddle::python::read_or_nothing([&] { return heddle::python::to_dtype(object); });
    return value_.has_value();
  }
  static handle from_cpp(heddle::Dtype dtype, rv_policy, cleanup_list*) noexcept {
    return heddle::python::numpy_dtype(dtype).release();
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
