// The entry to the LLVM emitter for CPUs: a kernel becomes a module with its entry points. Needs
// no JIT and runs no passes.
#pragma once

#include <memory>
#include <string>

#include <llvm/IR/Module.h>

#include "kernel/ir.h"
#include "kernel/target.h"

namespace heddle::kernel {

// The functions are named prefix + "run", or "part", "combine" and "finish" for a split kernel.
std::unique_ptr<llvm::Module> emit_module(const Kernel& kernel, const Target& target,
                                          llvm::LLVMContext& context, const std::string& prefix);

}  // namespace heddle::kernel
