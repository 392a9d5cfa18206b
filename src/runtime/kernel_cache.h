// The kernels of this process, found by full structural equality.
#pragma once

#include "runtime/device.h"

namespace heddle {

struct FoundKernel {
  const kernel::Kernel* kernel;  // the cache's copy: lives as long as the process
  const CompiledKernel* code;
};

// Finds the kernel, or compiles it on the device and keeps it. Safe from any thread: a kernel that
// is there is found at once, whatever others compile, and one that several threads want is compiled
// once.
FoundKernel find_kernel(Device& device, const kernel::Kernel& kernel);

}  // namespace heddle
