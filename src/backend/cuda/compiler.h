// Kernels to functions that a GPU runs.
#pragma once

#include "backend/cuda/driver.h"
#include "runtime/device.h"

namespace heddle::cuda {

// Lives as long as the process.
const CompiledKernel* compile(const kernel::Kernel& kernel, const Gpu& gpu);

}  // namespace heddle::cuda
