// How much stack threads have. The driver reserves what a kernel's functions take by themselves;
// where they call themselves it cannot know how much that is, and gives them what the context's
// limit says, 1 KB at first. So the code itself says what it needs, that of caches and of the pack
// too.
#pragma once

#include <cstddef>

#include "backend/cuda/driver.h"

namespace llvm {
class Module;
}

namespace heddle::cuda {

// Notes down in a module that is ready, apart from code generation, how much its threads need if
// any of its functions calls itself: a multiple of 1024 bytes.
void declare_stack(llvm::Module& module, std::size_t bytes);

// Raises the limit of the current context to what a loaded module needs.
void allow_stack(CUmodule module);

}  // namespace heddle::cuda
