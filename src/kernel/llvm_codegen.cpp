#include "kernel/llvm_codegen.h"

#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <stdexcept>

#include <llvm/IR/LegacyPassManager.h>
#include <llvm/IR/Verifier.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Support/CommandLine.h>
#include <llvm/Support/ErrorHandling.h>
#include <sys/mman.h>

#include "core/per_thread.h"

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

// Making one takes longer than compiling a small kernel; two threads cannot share one.
using Machines = std::map<std::string, std::unique_ptr<llvm::TargetMachine>>;
Machines& machines() { return PerThread<Machines>::own(); }

// LLVM has this as an option of the process, which it reads while passes are put together.
void add_passes(llvm::legacy::PassManager& passes, llvm::TargetMachine& machine,
                llvm::raw_svector_ostream& out, llvm::CodeGenFileType kind, Addresses addresses) {
  static auto* const mutex = new std::mutex;
  static auto* const option = [] {
    auto& options = llvm::cl::getRegisteredOptions();
    const auto found = options.find("disable-lsr");
    return found == options.end() ? nullptr : static_cast<llvm::cl::opt<bool>*>(found->second);
  }();
  const std::lock_guard lock(*mutex);
  if (option != nullptr) *option = addresses == Addresses::as_they_are;
  if (machine.addPassesToEmitFile(passes, out, nullptr, kind))
    throw std::runtime_error("kernel compiler: no code generator for " +
                             machine.getTargetCPU().str());
}

}  // namespace

void expect_memory() {
  static const bool handled = [] {
    llvm::install_bad_alloc_error_handler(
        [](void*, const char*, bool) -> void { throw std::bad_alloc(); });
    return true;
  }();
  (void)handled;
  constexpr std::size_t usual = std::size_t{16} << 20;
  void* memory = mmap(nullptr, usual, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  munmap(memory, usual);
}

llvm::TargetMachine& target_machine(const Target& target) {
  auto& machine = machines()[target.cpu + target.features];
  if (!machine) machine = make_machine(target);
  return *machine;
}

void abandon_machines() {
  // Left as they are: an exception went through them.
  for (auto& [name, machine] : machines()) [[maybe_unused]]
    auto* left = machine.release();
  machines().clear();
}

void run_passes(llvm::ModulePassManager passes, llvm::Module& module,
                llvm::TargetMachine& machine) {
  struct Analyses {
    llvm::LoopAnalysisManager loops;
    llvm::FunctionAnalysisManager functions;
    llvm::CGSCCAnalysisManager components;
    llvm::ModuleAnalysisManager modules;
  };
  Unfinished<Analyses> analyses;
  Unfinished<llvm::ModulePassManager> running(std::move(passes));
  Unfinished<llvm::PassBuilder> builder(&machine);
  builder->registerModuleAnalyses(analyses->modules);
  builder->registerCGSCCAnalyses(analyses->components);
  builder->registerFunctionAnalyses(analyses->functions);
  builder->registerLoopAnalyses(analyses->loops);
  builder->crossRegisterProxies(analyses->loops, analyses->functions, analyses->components,
                                analyses->modules);
  running->run(module, analyses->modules);
}

std::string generate_code(llvm::Module& module, llvm::TargetMachine& machine,
                          llvm::CodeGenFileType kind, Addresses addresses) {
  Unfinished<llvm::SmallString<0>> bytes;
  Unfinished<llvm::raw_svector_ostream> out(*bytes);
  Unfinished<llvm::legacy::PassManager> passes;
  add_passes(*passes, machine, *out, kind, addresses);
  passes->run(module);
  return std::string(*bytes);
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
