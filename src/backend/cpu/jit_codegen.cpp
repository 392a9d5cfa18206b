// Kernel -> LLVM module -> passes -> object file.
#include <memory>

#include <llvm/Transforms/InstCombine/InstCombine.h>
#include <llvm/Transforms/Scalar/ADCE.h>
#include <llvm/Transforms/Scalar/EarlyCSE.h>
#include <llvm/Transforms/Scalar/SimplifyCFG.h>
#include <llvm/Transforms/Utils/Mem2Reg.h>

#include "backend/cpu/jit.h"
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

std::unique_ptr<llvm::Module> emit(const kernel::Kernel& kernel, const kernel::Target& target,
                                   llvm::LLVMContext& context, const std::string& prefix) {
  auto module = kernel::emit_module(kernel, target, context, prefix);
  module->setDataLayout(target_machine(target).createDataLayout());
#ifndef NDEBUG
  kernel::verify_module(*module);
#endif
  return module;
}

std::string generate(const kernel::Kernel& kernel, const kernel::Target& target,
                     const std::string& prefix, llvm::CodeGenFileType kind) {
  llvm::LLVMContext context;
  llvm::TargetMachine& machine = target_machine(target);
  auto module = emit(kernel, target, context, prefix);
  optimize(*module, machine);
  return kernel::generate_code(*module, machine, kind);
}

}  // namespace

std::string generate_object(const kernel::Kernel& kernel, const kernel::Target& target,
                            const std::string& prefix) {
  return generate(kernel, target, prefix, llvm::CodeGenFileType::ObjectFile);
}

std::string kernel_assembly(const kernel::Kernel& kernel, const kernel::Target& target) {
  return generate(kernel, target, "", llvm::CodeGenFileType::AssemblyFile);
}

std::string kernel_llvm_ir(const kernel::Kernel& kernel, const kernel::Target& target,
                           bool optimized) {
  llvm::LLVMContext context;
  auto module = emit(kernel, target, context, "");
  if (optimized) optimize(*module, target_machine(target));
  return kernel::text_of(*module);
}

}  // namespace heddle::cpu
