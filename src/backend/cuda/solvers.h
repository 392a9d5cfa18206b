// Factorisations by cuSOLVER, and by cuBLAS for stacks of small matrices.
#pragma once

#include <memory>

#include "runtime/solvers.h"

namespace heddle::cuda {

class CudaDevice;

std::unique_ptr<Solvers> make_solvers(CudaDevice& device);

}  // namespace heddle::cuda
