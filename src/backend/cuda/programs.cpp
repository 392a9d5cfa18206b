#include "backend/cuda/programs.h"

#include <atomic>
#include <map>
#include <mutex>
#include <vector>

#include <llvm/Transforms/IPO/AlwaysInliner.h>
#include <llvm/Transforms/IPO/GlobalDCE.h>
#include <llvm/Transforms/InstCombine/InstCombine.h>
#include <llvm/Transforms/Scalar/ADCE.h>
#include <llvm/Transforms/Scalar/EarlyCSE.h>
#include <llvm/Transforms/Scalar/GVN.h>
#include <llvm/Transforms/Scalar/IndVarSimplify.h>
#include <llvm/Transforms/Scalar/InferAddressSpaces.h>
#include <llvm/Transforms/Scalar/LICM.h>
#include <llvm/Transforms/Scalar/LoopPassManager.h>
#include <llvm/Transforms/Scalar/LoopRotation.h>
#include <llvm/Transforms/Scalar/LoopUnrollPass.h>
#include <llvm/Transforms/Scalar/SROA.h>
#include <llvm/Transforms/Scalar/SimplifyCFG.h>

#include "backend/cuda/assembler.h"
#include "backend/cuda/device.h"
#include "backend/cuda/libdevice.h"
#include "backend/cuda/module.h"
#include "backend/cuda/ptx.h"
#include "backend/cuda/stream.h"
#include "kernel/linked_code.h"
#include "kernel/llvm_codegen.h"
#include "runtime/disk_cache.h"
#include "runtime/interrupt.h"
#include "runtime/statistics.h"
#include "simt/emitter.h"
#include "simt/program_key.h"
#include <heddle/errors.h>

namespace heddle::cuda {
namespace {

constexpr const char* entry = "heddle_program";
constexpr std::int64_t default_shared = 48 << 10;  // more has to be asked for

void optimize(llvm::Module& module, llvm::TargetMachine& machine) {
  llvm::FunctionPassManager f;
  f.addPass(llvm::SROAPass(llvm::SROAOptions::ModifyCFG));
  f.addPass(llvm::EarlyCSEPass());
  f.addPass(llvm::SimplifyCFGPass());
  f.addPass(llvm::InstCombinePass());
  f.addPass(llvm::InferAddressSpacesPass());
  f.addPass(llvm::createFunctionToLoopPassAdaptor(llvm::LoopRotatePass()));
  f.addPass(llvm::createFunctionToLoopPassAdaptor(llvm::LICMPass(llvm::LICMOptions()),
                                                  /*UseMemorySSA=*/true));
  f.addPass(llvm::SimplifyCFGPass());
  f.addPass(llvm::InstCombinePass());
  f.addPass(llvm::createFunctionToLoopPassAdaptor(llvm::IndVarSimplifyPass()));
  f.addPass(llvm::GVNPass());
  f.addPass(llvm::LoopUnrollPass(llvm::LoopUnrollOptions(2)));
  f.addPass(llvm::SROAPass(llvm::SROAOptions::ModifyCFG));
  f.addPass(llvm::InstCombinePass());
  f.addPass(llvm::EarlyCSEPass(/*UseMemorySSA=*/true));
  f.addPass(llvm::SimplifyCFGPass());
  f.addPass(llvm::ADCEPass());
  llvm::ModulePassManager passes;
  passes.addPass(llvm::AlwaysInlinerPass());
  passes.addPass(llvm::GlobalDCEPass());
  passes.addPass(llvm::createModuleToFunctionPassAdaptor(std::move(f)));
  kernel::run_passes(std::move(passes), module, machine);
}

void emit(const simt::Program& program, int capability, kernel::Compilation& to) {
  const kernel::Target target = make_target(capability);
  to.module = simt::emit_program(program, {}, target, to.context, entry).module;
  to.module->setDataLayout(kernel::target_machine(target).createDataLayout());
  kernel::link_code(*to.module, target);
  link_libdevice(*to.module, capability);
#ifndef NDEBUG
  kernel::verify_module(*to.module);
#endif
}

class CudaProgram final : public CompiledProgram {
 public:
  explicit CudaProgram(CUfunction function) : function(function) {}
  CUfunction function;
  mutable std::atomic<std::int64_t> shared{default_shared};
};

}  // namespace

std::string program_ptx(const simt::Program& program, int capability) {
  return kernel::compiling([&] {
    llvm::TargetMachine& machine = kernel::target_machine(make_target(capability));
    kernel::Unfinished<kernel::Compilation> made;
    emit(program, capability, *made);
    optimize(*made->module, machine);
    return kernel::generate_code(*made->module, machine, llvm::CodeGenFileType::AssemblyFile);
  });
}

ProgramLimits CudaPrograms::limits() const {
  ProgramLimits limits;
  limits.shared_bytes = device_.gpu().shared_per_block_optin;
  return limits;
}

std::unique_ptr<const CompiledProgram> CudaPrograms::compile(const simt::Program& program) {
  const Gpu& gpu = device_.gpu();
  const BlockingScope blocking;
  const ContextScope scope(gpu);
  const int capability = gpu.capability();
  const CacheKey key =
      simt::program_key(program, make_target(capability), std::to_string(capability));
  DiskCache& cache = DiskCache::instance();
  if (const auto cubin = cache.load(key)) {
    try {
      auto made = std::make_unique<CudaProgram>(Module(gpu, *cubin).function(entry));
      count(Counter::disk_hits);
      return made;
    } catch (const device_error& failure) {
      if (is_sticky(failure.status)) throw;
    }
  }
  count(Counter::compiled);
  const std::string cubin = assemble(program_ptx(program, capability), capability);
  auto made = std::make_unique<CudaProgram>(Module(gpu, cubin).function(entry));
  cache.store(key, cubin);
  return made;
}

void CudaPrograms::launch(const ProgramLaunch& launch) {
  using A = simt::Arguments;
  const simt::Program& program = *launch.program;
  const auto& code = static_cast<const CudaProgram&>(*launch.code);
  const ContextScope scope(device_.gpu());
  if (launch.dynamic_bytes > code.shared) {
    check(api().cuFuncSetAttribute(code.function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                                   static_cast<int>(launch.dynamic_bytes)),
          "cuFuncSetAttribute");
    code.shared = launch.dynamic_bytes;
  }
  launch.words[A::dynamic] = static_cast<std::uint64_t>(launch.dynamic_bytes);
  Ref<Buffer> report;
  std::int64_t words[simt::Report::words] = {};
  if (program.fails) {
    report = Buffer::allocate(device_, sizeof words);
    device_.copy_from_host(*report, 0, words, sizeof words);
    launch.words[A::report] = device_pointer(report->data());
  }
  {
    std::vector<Buffer*> buffers(launch.buffers.begin(), launch.buffers.end());
    if (report) buffers.push_back(report.get());
    const StreamUse use(current_stream(device_.gpu()), buffers);
    GridLaunch grid;
    grid.function = code.function;
    grid.grid_x = static_cast<unsigned>(launch.grid[0]);
    grid.grid_y = static_cast<unsigned>(launch.grid[1]);
    grid.grid_z = static_cast<unsigned>(launch.grid[2]);
    grid.block_x = static_cast<unsigned>(launch.block[0]);
    grid.block_y = static_cast<unsigned>(launch.block[1]);
    grid.block_z = static_cast<unsigned>(launch.block[2]);
    grid.shared_bytes = static_cast<unsigned>(launch.dynamic_bytes);
    use.stream().launch(grid, launch.words, true);
  }
  if (!program.fails) return;
  device_.copy_to_host(words, *report, 0, sizeof words);
  raise_report(program, words);
}

namespace {
[[maybe_unused]] const ProgramsKind registered([](Device& device) -> Programs* {
  auto* gpu = dynamic_cast<CudaDevice*>(&device);
  if (!gpu) return nullptr;
  static auto* mutex = new std::mutex;
  static auto* known = new std::map<CudaDevice*, std::unique_ptr<CudaPrograms>>;
  const std::lock_guard lock(*mutex);
  auto& programs = (*known)[gpu];
  if (!programs) programs = std::make_unique<CudaPrograms>(*gpu);
  return programs.get();
});
}  // namespace

std::string CudaPrograms::text(const simt::Program& program, const std::string& kind) {
  const int capability = device_.gpu().capability();
  if (kind == "ptx" || kind == "asm") return program_ptx(program, capability);
  if (kind != "llvm") throw value_error("a GPU has kernels as 'llvm' and as 'ptx'");
  kernel::Compilation made;
  emit(program, capability, made);
  optimize(*made.module, kernel::target_machine(make_target(capability)));
  return kernel::text_of(*made.module);
}

}  // namespace heddle::cuda
