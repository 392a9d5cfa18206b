// What all targets share of LLVM's code generator: machines, passes, output.
#pragma once

#include <string>

#include <llvm/IR/Module.h>
#include <llvm/IR/PassManager.h>
#include <llvm/Support/CodeGen.h>
#include <llvm/Target/TargetMachine.h>

#include "kernel/target.h"

namespace heddle::kernel {

// This thread's. Throws std::runtime_error for a target that LLVM was built without.
llvm::TargetMachine& target_machine(const Target& target);

void run_passes(llvm::ModulePassManager passes, llvm::Module& module, llvm::TargetMachine& machine);

// Object or assembly, as bytes.
std::string generate_code(llvm::Module& module, llvm::TargetMachine& machine,
                          llvm::CodeGenFileType kind);

// Throws std::runtime_error with LLVM's reason when the module breaks a rule of the IR.
void verify_module(const llvm::Module& module);

std::string text_of(const llvm::Module& module);

}  // namespace heddle::kernel
