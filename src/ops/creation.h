// Making arrays: filled, counted, from memory of the host, and on another device.
#pragma once

#include <functional>

#include "ops/elementwise.h"
#include <heddle/array.h>
#include <heddle/creation.h>

namespace heddle {

HEDDLE_API array full(const Dims& shape, Scalar value, Dtype dtype, Device& device);
// Of a number that is an element already.
struct Number;
array filled(const Dims& shape, const Number& number, Device& device);
HEDDLE_API array empty(const Dims& shape, Dtype dtype, Device& device);
// The index along `axis` of an array of this shape: int64.
HEDDLE_API array index_along(const Dims& shape, std::int64_t axis, Device& device);
// A copy of host memory, read through layout (strides in elements).
HEDDLE_API array from_host(const void* data, const Layout& layout, Dtype dtype, Device& device);
// An alias of host memory; `release` is called when nobody needs it any more.
HEDDLE_API array alias_host(void* data, const Layout& layout, Dtype dtype, std::size_t bytes,
                            bool writeable, std::function<void()> release);
// The same for memory of any device.
HEDDLE_API array alias_memory(Device& device, void* data, const Layout& layout, Dtype dtype,
                              std::size_t bytes, bool writeable, std::function<void()> release);
HEDDLE_API array to_device(const array& a, Device& device);

// A view through any layout; throws value_error where that leaves the array's memory.
HEDDLE_API array strided_view(const array& a, Layout layout);

// linspace between arrays or weak numbers, and the distance of its samples.
struct Spaced {
  array samples, step;
};
HEDDLE_API Spaced spaced(const Input& start, const Input& stop, const Spacing& how);

}  // namespace heddle
