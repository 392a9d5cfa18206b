// Matrix products by OpenBLAS.
#pragma once

#include "runtime/device.h"

namespace heddle::cpu {

// c = a b, for float32, float64, complex64 and complex128.
void matmul(const Matmul& product);

}  // namespace heddle::cpu
