// The instructions of NVIDIA's grids in LLVM IR, and LLVM's code generator for them.
#pragma once

#include "kernel/grid_machine.h"

namespace heddle::cuda {

const kernel::GridDialect& nvptx_dialect();
// Makes LLVM know the target.
void register_nvptx();

}  // namespace heddle::cuda
