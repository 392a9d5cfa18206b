// Where the true elements of a mask are, by kernels of the device itself.
#pragma once

#include "runtime/device.h"

namespace heddle {

// Device::nonzero for devices whose memory the host does not see: a running count says where each
// true element's offset goes.
Ref<Buffer> nonzero_by_counting(Device& device, Buffer& mask, std::int64_t size);

}  // namespace heddle
