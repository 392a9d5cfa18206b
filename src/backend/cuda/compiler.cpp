#include "backend/cuda/compiler.h"

namespace heddle::cuda {

const CompiledKernel* compile(const kernel::Kernel&, const Gpu&) {
  throw device_error("kernels cannot be compiled for GPUs yet");
}

}  // namespace heddle::cuda
