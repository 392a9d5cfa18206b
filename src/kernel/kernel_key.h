// What names the code of a kernel in caches that outlive the process.
#pragma once

#include <string_view>

#include "kernel/ir.h"
#include "kernel/target.h"
#include "runtime/disk_cache.h"

namespace heddle::kernel {

// A hash of everything the code depends on, the code generator's own sources among it: pack and
// cache may have been written by another build. `variant`: what else a backend decides.
CacheKey kernel_key(const Kernel& kernel, const Target& target, std::string_view variant = {});

}  // namespace heddle::kernel
