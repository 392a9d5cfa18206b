#include "backend/cuda/ptx.h"

#include <map>
#include <memory>
#include <stdexcept>

#include <llvm/IR/LegacyPassManager.h>
#include <llvm/IR/Verifier.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Target/TargetMachine.h>
#include <llvm/Transforms/IPO/AlwaysInliner.h>
#include <llvm/Transforms/IPO/GlobalDCE.h>
#include <llvm/Transforms/InstCombine/InstCombine.h>
#include <llvm/Transforms/Scalar/ADCE.h>
#include <llvm/Transforms/Scalar/EarlyCSE.h>
#include <llvm/Transforms/Scalar/SROA.h>
#include <llvm/Transforms/Scalar/SimplifyCFG.h>

#include "backend/cuda/libdevice.h"
#include "kernel/llvm_grid.h"

namespace heddle::cuda {
namespace {

llvm::TargetMachine& machine_for(const kernel::Target& target) {
  static const bool initialized = [] {
    LLVMInitializeNVPTXTargetInfo();
    LLVMInitializeNVPTXTarget();
    LLVMInitializeNVPTXTargetMC();
    LLVMInitializeNVPTXAsmPrinter();
    return true;
  }();
  (void)initialized;
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
                                           std::nullopt, std::nullopt,
                                           llvm::CodeGenOptLevel::Default));
  return *machine;
}

int capability_of(const kernel::Target& target) { return std::stoi(target.cpu.substr(3)); }

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
  llvm::FunctionPassManager simplify;
  simplify.addPass(llvm::SROAPass(llvm::SROAOptions::ModifyCFG));
  simplify.addPass(llvm::EarlyCSEPass());
  simplify.addPass(llvm::InstCombinePass());
  simplify.addPass(llvm::SimplifyCFGPass());
  simplify.addPass(llvm::ADCEPass());
  llvm::ModulePassManager passes;
  passes.addPass(llvm::AlwaysInlinerPass());
  passes.addPass(llvm::GlobalDCEPass());
  passes.addPass(llvm::createModuleToFunctionPassAdaptor(std::move(simplify)));
  passes.run(module, modules);
}

std::unique_ptr<llvm::Module> emit(const kernel::Kernel& kernel, const kernel::GridVariant& variant,
                                   const kernel::Target& target, llvm::LLVMContext& context) {
  auto module = kernel::emit_grid_module(kernel, variant, target, context);
  module->setDataLayout(machine_for(target).createDataLayout());
  link_libdevice(*module, capability_of(target));
#ifndef NDEBUG
  std::string reason;
  llvm::raw_string_ostream out(reason);
  if (llvm::verifyModule(*module, &out))
    throw std::runtime_error("kernel compiler: invalid module: " + reason);
#endif
  return module;
}

}  // namespace

kernel::Target make_target(int capability) {
  kernel::Target target;
  target.triple = "nvptx64-nvidia-cuda";
  target.cpu = "sm_" + std::to_string(capability);
  target.features = capability >= 100 ? "+ptx86" : capability >= 90 ? "+ptx78" : "+ptx71";
  target.model = kernel::Model::grid;
  target.vector_bytes = 16;
  target.fma = true;
  return target;
}

std::string generate_ptx(const kernel::Kernel& kernel, const kernel::GridVariant& variant,
                         const kernel::Target& target) {
  llvm::LLVMContext context;
  llvm::TargetMachine& machine = machine_for(target);
  auto module = emit(kernel, variant, target, context);
  optimize(*module, machine);
  llvm::SmallString<0> text;
  llvm::raw_svector_ostream out(text);
  llvm::legacy::PassManager passes;
  if (machine.addPassesToEmitFile(passes, out, nullptr, llvm::CodeGenFileType::AssemblyFile))
    throw std::runtime_error("kernel compiler: no code generator for " + target.cpu);
  passes.run(*module);
  return std::string(text);
}

std::string grid_llvm_ir(const kernel::Kernel& kernel, const kernel::GridVariant& variant,
                         const kernel::Target& target, bool optimized) {
  llvm::LLVMContext context;
  auto module = emit(kernel, variant, target, context);
  if (optimized) optimize(*module, machine_for(target));
  std::string text;
  llvm::raw_string_ostream out(text);
  module->print(out, nullptr);
  return text;
}

}  // namespace heddle::cuda
