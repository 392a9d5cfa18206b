// From a kernel to the assembly of NVIDIA GPUs. Needs neither a GPU nor a driver.
#pragma once

#include <string>

#include "kernel/grid.h"
#include "kernel/ir.h"
#include "kernel/target.h"

namespace heddle::cuda {

// Compute capability 9.0 is 90.
kernel::Target make_target(int capability);

// Safe from any thread. Throws std::runtime_error, also when a function of libdevice is needed and
// libdevice is not found.
std::string generate_ptx(const kernel::Kernel& kernel, const kernel::GridVariant& variant,
                         const kernel::Target& target);

// Throws std::runtime_error when what the emitter writes breaks a rule of LLVM's.
void verify_grid(const kernel::Kernel& kernel, const kernel::GridVariant& variant,
                 const kernel::Target& target);

}  // namespace heddle::cuda
