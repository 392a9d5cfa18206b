// Kernels on streams.
#pragma once

#include "backend/cuda/stream.h"
#include "runtime/device.h"

namespace heddle::cuda {

// In both, the stream has been made to wait for what others do with the buffers.

void launch(const Launch& launch, Stream& stream);

// See Device::nonzero.
Ref<Buffer> nonzero(Device& device, Stream& stream, Buffer& mask, std::int64_t size);

}  // namespace heddle::cuda
