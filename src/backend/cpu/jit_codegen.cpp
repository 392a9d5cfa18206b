// Kernel -> LLVM module -> passes -> object file.
#include <map>
#include <memory>
#include <stdexcept>

#include <llvm/Analysis/CGSCCPassManager.h>
#include <llvm/Analysis/LoopAnalysisManager.h>
#include <llvm/Config/llvm-config.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/IR/Verifier.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Target/TargetMachine.h>
#include <llvm/Transforms/InstCombine/InstCombine.h>
#include <llvm/Transforms/Scalar/ADCE.h>
#include <llvm/Transforms/Scalar/EarlyCSE.h>
#include <llvm/Transforms/Scalar/SimplifyCFG.h>
#include <llvm/Transforms/Utils/Mem2Reg.h>

#include "backend/cpu/jit.h"
#include "kernel/llvm_emitter.h"

namespace heddle::cpu {
namespace {

llvm::TargetMachine& machine_for(const kernel::Target& target) {
  static const bool initialized = [] {
    LLVMInitializeX86TargetInfo();
    LLVMInitializeX86Target();
    LLVMInitializeX86TargetMC();
    LLVMInitializeX86AsmPrinter();
    return true;
  }();
  (void)initialized;
  // Making one takes longer than compiling a small kernel; two threads cannot share one.
  thread_local std::map<std::string, std::unique_ptr<llvm::TargetMachine>> machines;
  auto& machine = machines[target.cpu + target.features];
  if (machine) return *machine;
  std::string error;
  const llvm::Triple triple(target.triple);
  const llvm::Target* found = llvm::TargetRegistry::lookupTarget(triple, error);
  if (!found) throw std::runtime_error("kernel compiler: " + error);
  llvm::TargetOptions options;
  options.AllowFPOpFusion = llvm::FPOpFusion::Strict;
  machine.reset(found->createTargetMachine(triple, target.cpu, target.features, options,
                                           llvm::Reloc::PIC_, llvm::CodeModel::Small,
                                           llvm::CodeGenOptLevel::Default, true));
  return *machine;
}

// The emitter writes vectors, hoists and places by itself, so little is left to do.
void optimize(llvm::Module& module, llvm::TargetMachine& machine) {
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager components;
  llvm::ModuleAnalysisManager modules;
  llvm::PassBuilder builder(&machine);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(components);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, components, modules);
  llvm::FunctionPassManager passes;
  passes.addPass(llvm::PromotePass());
  passes.addPass(llvm::EarlyCSEPass());
  passes.addPass(llvm::InstCombinePass());
  passes.addPass(llvm::SimplifyCFGPass());
  passes.addPass(llvm::ADCEPass());
  for (llvm::Function& function : module) {
    if (!function.isDeclaration()) passes.run(function, functions);
  }
}

std::unique_ptr<llvm::Module> emit(const kernel::Kernel& kernel, const kernel::Target& target,
                                   llvm::LLVMContext& context, const std::string& prefix) {
  auto module = kernel::emit_module(kernel, target, context, prefix);
  module->setDataLayout(machine_for(target).createDataLayout());
#ifndef NDEBUG
  std::string reason;
  llvm::raw_string_ostream out(reason);
  if (llvm::verifyModule(*module, &out))
    throw std::runtime_error("kernel compiler: invalid module: " + reason);
#endif
  return module;
}

std::string generate(const kernel::Kernel& kernel, const kernel::Target& target,
                     const std::string& prefix, llvm::CodeGenFileType kind) {
  llvm::LLVMContext context;
  llvm::TargetMachine& machine = machine_for(target);
  auto module = emit(kernel, target, context, prefix);
  optimize(*module, machine);
  llvm::SmallString<0> bytes;
  llvm::raw_svector_ostream out(bytes);
  llvm::legacy::PassManager passes;
  if (machine.addPassesToEmitFile(passes, out, nullptr, kind))
    throw std::runtime_error("kernel compiler: no code generator for " + target.cpu);
  passes.run(*module);
  return std::string(bytes);
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
  if (optimized) optimize(*module, machine_for(target));
  std::string text;
  llvm::raw_string_ostream out(text);
  module->print(out, nullptr);
  return text;
}

}  // namespace heddle::cpu
