#include "backend/cuda/programs.h"

#include <atomic>
#include <map>
#include <mutex>
#include <vector>

#include <fmt/format.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
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
#include <llvm/Transforms/Utils/LoopUtils.h>

#include "backend/cuda/assembler.h"
#include "backend/cuda/device.h"
#include "backend/cuda/libdevice.h"
#include "backend/cuda/module.h"
#include "backend/cuda/ptx.h"
#include "backend/cuda/stack.h"
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

// Short loops without a known number of turns are done four turns at a time, as NVIDIA's compiler
// does it: a thread then waits for several loads at once. That the number of turns is a quotient
// does not matter beside that, but LLVM asks to be told.
struct UnrollShortLoops : llvm::PassInfoMixin<UnrollShortLoops> {
  static constexpr unsigned turns = 4, most_instructions = 80;

  static bool is_short(const llvm::Loop& loop) {
    unsigned count = 0;
    for (const llvm::BasicBlock* block : loop.blocks())
      count += static_cast<unsigned>(block->size());
    return count <= most_instructions;
  }
  // Whether threads wait for one another in it.
  static bool has_barrier(const llvm::Loop& loop) {
    for (const llvm::BasicBlock* block : loop.blocks()) {
      for (const llvm::Instruction& instruction : *block) {
        const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
        if (call != nullptr && call->isConvergent()) return true;
      }
    }
    return false;
  }

  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses) {
    auto& evolution = analyses.getResult<llvm::ScalarEvolutionAnalysis>(function);
    for (llvm::Loop* loop : analyses.getResult<llvm::LoopAnalysis>(function).getLoopsInPreorder()) {
      if (evolution.getSmallConstantTripCount(loop) != 0) continue;
      if (has_barrier(*loop)) {
        // The assembler would unroll it of its own accord, with registers that blocks then lack.
        llvm::addStringMetadataToLoop(loop, "llvm.loop.unroll.disable", 1);
      } else if (loop->isInnermost() && loop->getExitingBlock() != nullptr &&
                 evolution.hasLoopInvariantBackedgeTakenCount(loop) && is_short(*loop)) {
        llvm::addStringMetadataToLoop(loop, "llvm.loop.unroll.count", turns);
      }
    }
    return llvm::PreservedAnalyses::all();
  }
};

void optimize(llvm::Module& module, llvm::TargetMachine& machine) {
  llvm::FunctionPassManager f;
  f.addPass(llvm::SROAPass(llvm::SROAOptions::ModifyCFG));
  f.addPass(llvm::EarlyCSEPass());
  f.addPass(llvm::SimplifyCFGPass());
  // Before anything else knows better ways to say that an index is negative: loops tell that their
  // counters never are.
  f.addPass(llvm::createFunctionToLoopPassAdaptor(llvm::LoopRotatePass()));
  f.addPass(llvm::createFunctionToLoopPassAdaptor(llvm::IndVarSimplifyPass()));
  f.addPass(llvm::InstCombinePass());
  f.addPass(llvm::InferAddressSpacesPass());
  f.addPass(llvm::createFunctionToLoopPassAdaptor(llvm::LoopRotatePass()));
  f.addPass(llvm::createFunctionToLoopPassAdaptor(llvm::LICMPass(llvm::LICMOptions()),
                                                  /*UseMemorySSA=*/true));
  f.addPass(llvm::SimplifyCFGPass());
  f.addPass(llvm::InstCombinePass());
  f.addPass(llvm::createFunctionToLoopPassAdaptor(llvm::IndVarSimplifyPass()));
  f.addPass(llvm::GVNPass());
  f.addPass(UnrollShortLoops());
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

// What there has to be of it in any case.
void inline_library(llvm::Module& module, llvm::TargetMachine& machine) {
  llvm::ModulePassManager passes;
  passes.addPass(llvm::AlwaysInlinerPass());
  passes.addPass(llvm::GlobalDCEPass());
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
    if (program.optimized) {
      optimize(*made->module, machine);
    } else {
      inline_library(*made->module, machine);
    }
    declare_stack(*made->module, simt::stack_of_grid);
    return kernel::generate_code(*made->module, machine, llvm::CodeGenFileType::AssemblyFile);
  });
}

std::string program_cubin(const simt::Program& program, int capability) {
  return assemble(program_ptx(program, capability), capability);
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
  const std::string cubin = program_cubin(program, capability);
  auto made = std::make_unique<CudaProgram>(Module(gpu, cubin).function(entry));
  cache.store(key, cubin);
  return made;
}

namespace {

// More than the usual shared memory has to be asked for.
void allow_shared(const CudaProgram& code, std::int64_t bytes) {
  if (bytes <= code.shared) return;
  cuda::check(
      api().cuFuncSetAttribute(code.function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                               static_cast<int>(bytes)),
      "cuFuncSetAttribute");
  code.shared = bytes;
}

}  // namespace

ProgramFacts CudaPrograms::facts(const simt::Program&, const CompiledProgram& code) {
  const ContextScope scope(device_.gpu());
  const CUfunction function = static_cast<const CudaProgram&>(code).function;
  auto attribute = [&](CUfunction_attribute which) {
    int value = 0;
    cuda::check(api().cuFuncGetAttribute(&value, which, function), "cuFuncGetAttribute");
    return value;
  };
  ProgramFacts facts;
  facts.registers = attribute(CU_FUNC_ATTRIBUTE_NUM_REGS);
  facts.local_bytes = attribute(CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES);
  facts.shared_bytes = attribute(CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES);
  facts.constant_bytes = attribute(CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES);
  facts.threads = attribute(CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
  return facts;
}

Programs::Residence CudaPrograms::residence(const CompiledProgram& code, std::int64_t threads,
                                            std::int64_t dynamic_bytes) {
  const Gpu& gpu = device_.gpu();
  const ContextScope scope(gpu);
  const auto& made = static_cast<const CudaProgram&>(code);
  allow_shared(made, dynamic_bytes);
  int blocks = 0;
  cuda::check(api().cuOccupancyMaxActiveBlocksPerMultiprocessor(
                  &blocks, made.function, static_cast<int>(threads),
                  static_cast<std::size_t>(dynamic_bytes)),
              "cuOccupancyMaxActiveBlocksPerMultiprocessor");
  return {blocks, gpu.multiprocessors, gpu.threads_per_multiprocessor};
}

// Blocks that wait for one another have to be there all at the same time.
void CudaPrograms::check(const simt::Program& program, const CompiledProgram& code,
                         const LaunchGeometry& geometry) {
  if (program.checks == simt::Checks::races)
    throw type_error(program.name + ": races are looked for on the CPU");
  if (!program.cooperative) return;
  const std::int64_t threads = geometry.block[0] * geometry.block[1] * geometry.block[2];
  const std::int64_t blocks = geometry.grid[0] * geometry.grid[1] * geometry.grid[2];
  const Residence most = residence(code, threads, geometry.dynamic_bytes);
  if (blocks <= most.blocks * most.multiprocessors) return;
  throw value_error(fmt::format(
      "{}: {} blocks of {} threads that wait for one another; {} runs at most {} at the same time",
      program.name, blocks, threads, device_.gpu().name, most.blocks * most.multiprocessors));
}

void CudaPrograms::launch(const ProgramLaunch& launch) {
  using A = simt::Arguments;
  const simt::Program& program = *launch.program;
  const auto& code = static_cast<const CudaProgram&>(*launch.code);
  const ContextScope scope(device_.gpu());
  allow_shared(code, launch.dynamic_bytes);
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
    grid.cooperative = program.cooperative;
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
