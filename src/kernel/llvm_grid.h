// The entry to the LLVM emitter for grids: a kernel in one variant becomes a module with its entry
// points. Needs no driver and runs no passes; math functions of the device are left to be linked.
#pragma once

#include <memory>
#include <string>

#include <llvm/IR/Module.h>

#include "kernel/grid.h"
#include "kernel/target.h"

namespace heddle::kernel {

// With the entry points of entry_names().
std::unique_ptr<llvm::Module> emit_grid_module(const Kernel& kernel, const GridVariant& variant,
                                               const Target& target, llvm::LLVMContext& context);

}  // namespace heddle::kernel
