// Products of matrices of windows by OpenBLAS.
#pragma once

#include "runtime/device.h"

namespace heddle::cpu {

// For float32, float64, complex64 and complex128.
void multiply_windows(const WindowProduct& product);

}  // namespace heddle::cpu
