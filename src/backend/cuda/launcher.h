// Launches of kernels: which variant runs, on how many threads, with which arguments.
#pragma once

#include "backend/cuda/compiler.h"
#include "backend/cuda/stream.h"
#include "runtime/device.h"

namespace heddle::cuda {

// The stream has been made to wait for what others do with the buffers. Memory that the kernel
// needs besides comes from the device's pool.
void launch(const Launch& launch, Stream& stream);

}  // namespace heddle::cuda
