#include "kernel/llvm_codegen.h"

#include <map>
#include <memory>
#include <stdexcept>

#include <llvm/IR/LegacyPassManager.h>
#include <llvm/IR/Verifier.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Passes/PassBuilder.h>

namespace heddle::kernel {
namespace {

std::unique_ptr<llvm::TargetMachine> make_machine(const Target& target) {
  if (target.register_machine) target.register_machine();
  std::string error;
  const llvm::Triple triple(target.triple);
  const llvm::Target* found = llvm::TargetRegistry::lookupTarget(triple, error);
  if (!found) throw std::runtime_error("kernel compiler: " + error);
  llvm::TargetOptions options;
  options.AllowFPOpFusion = llvm::FPOpFusion::Strict;
  const bool jit = target.model == Model::simd;
  return std::unique_ptr<llvm::TargetMachine>(
      found->createTargetMachine(triple, target.cpu, target.features, options,
                                 jit ? std::optional(llvm::Reloc::PIC_) : std::nullopt,
                                 jit ? std::optional(llvm::CodeModel::Small) : std::nullopt,
                                 llvm::CodeGenOptLevel::Default, jit));
}

}  // namespace

llvm::TargetMachine& target_machine(const Target& target) {
  // Making one takes longer than compiling a small kernel; two threads cannot share one.
  thread_local std::map<std::string, std::unique_ptr<llvm::TargetMachine>> machines;
  auto& machine = machines[target.cpu + target.features];
  if (!machine) machine = make_machine(target);
  return *machine;
}

void run_passes(llvm::ModulePassManager passes, llvm::Module& module,
                llvm::TargetMachine& machine) {
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
  passes.run(module, modules);
}

std::string generate_code(llvm::Module& module, llvm::TargetMachine& machine,
                          llvm::CodeGenFileType kind) {
  llvm::SmallString<0> bytes;
  llvm::raw_svector_ostream out(bytes);
  llvm::legacy::PassManager passes;
  if (machine.addPassesToEmitFile(passes, out, nullptr, kind))
    throw std::runtime_error("kernel compiler: no code generator for " +
                             machine.getTargetCPU().str());
  passes.run(module);
  return std::string(bytes);
}

void verify_module(const llvm::Module& module) {
  std::string reason;
  llvm::raw_string_ostream out(reason);
  if (llvm::verifyModule(module, &out))
    throw std::runtime_error("kernel compiler: invalid module: " + reason);
}

std::string text_of(const llvm::Module& module) {
  std::string text;
  llvm::raw_string_ostream out(text);
  module.print(out, nullptr);
  return text;
}

}  // namespace heddle::kernel
