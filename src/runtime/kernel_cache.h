// The kernels of this process, found by full structural equality.
#pragma once

#include <memory>

#include "runtime/device.h"

namespace heddle {

struct FoundKernel {
  const kernel::Kernel* kernel = nullptr;  // the cache's copy
  const CompiledKernel* code = nullptr;
  std::shared_ptr<const void> held;  // both are there as long as this
};

// Finds the kernel, or compiles it on the device and keeps it. Safe from any thread: a kernel that
// is there is found at once, whatever others compile, and one that several threads want is compiled
// once. Beyond most_kernels those that nobody holds are dropped, the least recently found first.
FoundKernel find_kernel(Device& device, const kernel::Kernel& kernel);
inline constexpr std::size_t most_kernels = 4096;

}  // namespace heddle
