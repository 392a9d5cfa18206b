// The kernels of this process, found by full structural equality.
#pragma once

#include "runtime/device.h"

namespace heddle {

struct FoundKernel {
  const kernel::Kernel* kernel;  // the cache's copy: lives as long as the process
  const CompiledKernel* code;
};

// Finds the kernel, or compiles it on the device and keeps it.
FoundKernel find_kernel(Device& device, const kernel::Kernel& kernel);

}  // namespace heddle
