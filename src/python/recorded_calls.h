// The usual calls of functions that jit made, repeated without Python: see
// python/heddle/_transform/compiling.py, which does all others.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "python/convert.h"

namespace heddle::python {

// What a script depends on of arrays: types, shapes, layouts, devices, which of them share a
// storage, and whether somebody differentiates.
void write_signature(std::vector<std::int64_t>& words, std::span<const array* const> arrays);

// The arrays of which each has a storage that none before it has.
std::vector<array> by_storage(const std::vector<array>& arrays);

// Whether every operation of this thread is checked, and calls run as plain code for that.
bool checks_steps();

void bind_recorded_calls(nb::module_& m);

}  // namespace heddle::python
