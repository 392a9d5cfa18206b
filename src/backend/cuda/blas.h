// Matrix products by cuBLAS.
#pragma once

#include "backend/cuda/stream.h"
#include "runtime/device.h"

namespace heddle::cuda {

// c = a b, for float32, float64, complex64 and complex128, in their own precision. The caller has
// ordered the buffers on the stream.
void matmul(Stream& stream, const Matmul& product);

// cuBLAS's handle for a stream, as its C interface has it.
HEDDLE_API void* cublas_handle(Stream& stream);

}  // namespace heddle::cuda
