// NVIDIA's library of math functions for kernels, in LLVM's bitcode.
#pragma once

#include <llvm/IR/Module.h>

namespace heddle::cuda {

// Links what the module calls of the library into it, as internal functions. `capability`: the
// library asks for it. Throws std::runtime_error when it is needed and not found.
void link_libdevice(llvm::Module& module, int capability);

}  // namespace heddle::cuda
