// On which device an operation on several arrays runs, and what is moved there for it.
//
// Arrays of different devices do not mix. Free to move are 0-d arrays, what was converted on the
// way into an operation (a list, a NumPy array), and pending values that need no memory: they are
// nowhere yet.
#pragma once

#include <span>

#include "ops/elementwise.h"
#include <heddle/array.h>

namespace heddle {

class Device;

// The array itself if it is there, else moved; throws value_error, naming both devices, where it is
// not free to.
array on_device(const char* op, const array& a, Device& device);

// The device of the operands that are not free to move; if all are, that of the first. The default
// device for scalars alone.
Device& common_device(const char* op, std::span<const Input> inputs);

// Whether arrays among the operands are on different devices.
bool on_several_devices(std::span<const Input> inputs);

}  // namespace heddle
