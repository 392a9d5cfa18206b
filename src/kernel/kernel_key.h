// What names the code of a kernel in caches that outlive the process.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "kernel/ir.h"
#include "kernel/target.h"

namespace heddle {

using CacheKey = std::array<std::uint8_t, 32>;  // a SHA-256

}  // namespace heddle

namespace heddle::kernel {

// A hash of everything the code depends on, the code generator's own sources among it: pack and
// cache may have been written by another build. `variant`: what else a backend decides.
CacheKey kernel_key(const Kernel& kernel, const Target& target, std::string_view variant = {});

}  // namespace heddle::kernel
