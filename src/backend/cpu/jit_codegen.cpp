// Kernel -> LLVM module -> passes -> object file.
#include <llvm/Transforms/InstCombine/InstCombine.h>
#include <llvm/Transforms/Scalar/ADCE.h>
#include <llvm/Transforms/Scalar/EarlyCSE.h>
#include <llvm/Transforms/Scalar/SimplifyCFG.h>
#include <llvm/Transforms/Utils/Mem2Reg.h>

#include "backend/cpu/jit.h"
#include "kernel/linked_code.h"
#include "kernel/llvm_codegen.h"
#include "kernel/llvm_emitter.h"

namespace heddle::cpu {
namespace {

using kernel::target_machine;

// The emitter writes vectors, hoists and places by itself, so little is left to do.
void optimize(llvm::Module& module, llvm::TargetMachine& machine) {
  llvm::FunctionPassManager simplify;
  simplify.addPass(llvm::PromotePass());
  simplify.addPass(llvm::EarlyCSEPass());
  simplify.addPass(llvm::InstCombinePass());
  simplify.addPass(llvm::SimplifyCFGPass());
  simplify.addPass(llvm::ADCEPass());
  llvm::ModulePassManager passes;
  passes.addPass(llvm::createModuleToFunctionPassAdaptor(std::move(simplify)));
  kernel::run_passes(std::move(passes), module, machine);
}

void emit(const kernel::Kernel& kernel, const kernel::Target& target, const std::string& prefix,
          kernel::Compilation& to) {
  to.module = kernel::emit_module(kernel, target, to.context, prefix);
  to.module->setDataLayout(target_machine(target).createDataLayout());
  kernel::link_code(*to.module, target);
#ifndef NDEBUG
  kernel::verify_module(*to.module);
#endif
}

}  // namespace

std::string generate_object(const kernel::Kernel& kernel, const kernel::Target& target,
                            const std::string& prefix) {
  return kernel::compiling([&] {
    llvm::TargetMachine& machine = target_machine(target);
    kernel::Unfinished<kernel::Compilation> made;
    emit(kernel, target, prefix, *made);
    optimize(*made->module, machine);
    return kernel::generate_code(*made->module, machine, llvm::CodeGenFileType::ObjectFile);
  });
}

}  // namespace heddle::cpu
