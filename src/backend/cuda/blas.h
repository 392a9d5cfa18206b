// Matrix products by cuBLAS, and what its neighbours share with it.
#pragma once

#include "backend/cuda/handles.h"
#include "backend/cuda/stream.h"
#include "runtime/device.h"

namespace heddle::cuda {

// c = a b, in the precision of the type; of float16 and bfloat16, sums are in float32. The caller
// has ordered the buffers on the stream.
void matmul(Stream& stream, const Matmul& product);

// Whether products of float32 may round their operands to TF32, which has three digits. Not unless
// it is allowed.
HEDDLE_API void allow_tf32(bool allow);
HEDDLE_API bool allows_tf32();

// A handle of cuBLAS for a stream, as its C interface has it, while this lives.
class BlasHandle {
 public:
  explicit BlasHandle(Stream& stream);
  struct cublasContext* get() const { return *handle_; }

 private:
  Handles<struct cublasContext*>::Borrowed handle_;
};
// One for users, which nothing here uses.
HEDDLE_API void* cublas_handle(Stream& stream);
// Throws device_error with cuBLAS's words for its status.
void check_blas(int status, const char* what);

// CUDA's name for the type of elements in its libraries.
enum CudaType : int {  // NOLINT(readability-identifier-naming)
  CUDA_R_32F = 0,
  CUDA_R_64F = 1,
  CUDA_R_16F = 2,
  CUDA_C_32F = 4,
  CUDA_C_64F = 5,
  CUDA_R_16BF = 14,
};
CudaType cuda_type(Dtype dtype);

}  // namespace heddle::cuda
