#include "backend/cpu/programs.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <optional>
#include <vector>

#include <fmt/format.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Support/CommandLine.h>
#include <llvm/Transforms/InstCombine/InstCombine.h>
#include <llvm/Transforms/Scalar/ADCE.h>
#include <llvm/Transforms/Scalar/DeadStoreElimination.h>
#include <llvm/Transforms/Scalar/EarlyCSE.h>
#include <llvm/Transforms/Scalar/GVN.h>
#include <llvm/Transforms/Scalar/IndVarSimplify.h>
#include <llvm/Transforms/Scalar/LICM.h>
#include <llvm/Transforms/Scalar/LoopPassManager.h>
#include <llvm/Transforms/Scalar/LoopRotation.h>
#include <llvm/Transforms/Scalar/LoopUnrollPass.h>
#include <llvm/Transforms/Scalar/SROA.h>
#include <llvm/Transforms/Scalar/SimplifyCFG.h>

#include "backend/cpu/blocks.h"
#include "backend/cpu/jit.h"
#include "backend/cpu/target.h"
#include "core/fork.h"
#include "kernel/linked_code.h"
#include "kernel/llvm_codegen.h"
#include "runtime/device.h"
#include "runtime/disk_cache.h"
#include "runtime/once_map.h"
#include "runtime/parallel.h"
#include "runtime/races.h"
#include "runtime/statistics.h"
#include "simt/emitter.h"
#include "simt/program_key.h"
#include <heddle/errors.h>

namespace heddle::cpu {
namespace {

using simt::Chunks;

constexpr int warp_lanes = 32;
constexpr const char* entry = "heddle_program";

// Locals are in stack slots, uniform work is everywhere, and loops are the user's.
void optimize(llvm::Module& module, llvm::TargetMachine& machine) {
  llvm::FunctionPassManager f;
  f.addPass(llvm::SROAPass(llvm::SROAOptions::ModifyCFG));
  f.addPass(llvm::EarlyCSEPass());
  f.addPass(llvm::SimplifyCFGPass());
  f.addPass(llvm::InstCombinePass());
  f.addPass(llvm::createFunctionToLoopPassAdaptor(llvm::LoopRotatePass()));
  {
    llvm::LoopPassManager loops;
    loops.addPass(llvm::LICMPass(llvm::LICMOptions()));
    f.addPass(llvm::createFunctionToLoopPassAdaptor(std::move(loops), /*UseMemorySSA=*/true));
  }
  f.addPass(llvm::SimplifyCFGPass());
  f.addPass(llvm::InstCombinePass());
  f.addPass(llvm::createFunctionToLoopPassAdaptor(llvm::IndVarSimplifyPass()));
  f.addPass(llvm::GVNPass());
  f.addPass(llvm::LoopUnrollPass(llvm::LoopUnrollOptions(2)));
  f.addPass(llvm::InstCombinePass());
  f.addPass(llvm::DSEPass());
  f.addPass(llvm::EarlyCSEPass(/*UseMemorySSA=*/true));
  f.addPass(llvm::SimplifyCFGPass());
  f.addPass(llvm::ADCEPass());
  llvm::ModulePassManager passes;
  passes.addPass(llvm::createModuleToFunctionPassAdaptor(std::move(f)));
  kernel::run_passes(std::move(passes), module, machine);
}

// LLVM would turn conditional moves of loops into branches where that shortens the way from one
// turn to the next, if they were always foreseen. What people write as loops, because arrays cannot
// say it, are minima and choices that depend on the data: dynamic programming took twice as long.
void keep_conditional_moves() {
  static const bool done = [] {
    auto& options = llvm::cl::getRegisteredOptions();
    if (const auto found = options.find("x86-cmov-converter"); found != options.end())
      found->second->addOccurrence(0, "x86-cmov-converter", "false");
    return true;
  }();
  static_cast<void>(done);
}

// A host program is what compilers are used to: all that LLVM does for such. At O3 it would also
// write out short loops around loops (sixteen copies of a vectorized one: 300 ms instead of 80) and
// copy loops for conditions that they do not change, for 4 % of speed in one of thirteen programs.
void optimize_host(llvm::Module& module, llvm::TargetMachine& machine) {
  keep_conditional_moves();
  llvm::PipelineTuningOptions options;
  options.LoopVectorization = options.SLPVectorization = true;
  options.LoopInterleaving = options.LoopUnrolling = true;
  kernel::Unfinished<llvm::PassBuilder> builder(&machine, options);
  kernel::run_passes(builder->buildPerModuleDefaultPipeline(llvm::OptimizationLevel::O2), module,
                     machine);
}

// Stencils with many neighbours spent more than half of all time there, and were no quicker.
kernel::Addresses addresses_of(const simt::Program& program, const llvm::Module& module) {
  constexpr unsigned small = 400;
  return program.host && module.getInstructionCount() > small ? kernel::Addresses::as_they_are
                                                              : kernel::Addresses::reduced;
}

void optimize_program(const simt::Program& program, llvm::Module& module,
                      llvm::TargetMachine& machine) {
  if (!program.optimized) return;
  program.host ? optimize_host(module, machine) : optimize(module, machine);
}

struct Made {
  std::string bytes;
  std::int64_t row_bytes = 0;
};

Made generate(const simt::Program& program, const Chunks& chunks, llvm::CodeGenFileType kind) {
  const kernel::Target& target = host_target();
  return kernel::compiling([&] {
    llvm::TargetMachine& machine = kernel::target_machine(target);
    kernel::Unfinished<kernel::Compilation> made;
    simt::Emitted emitted = simt::emit_program(program, chunks, target, made->context, entry);
    made->module = std::move(emitted.module);
    made->module->setDataLayout(machine.createDataLayout());
    kernel::link_code(*made->module, target);
#ifndef NDEBUG
    kernel::verify_module(*made->module);
#endif
    optimize_program(program, *made->module, machine);
    const kernel::Addresses addresses = addresses_of(program, *made->module);
    return Made{kernel::generate_code(*made->module, machine, kind, addresses), emitted.row_bytes};
  });
}

// The code of one way to cut blocks.
struct Code {
  // Of kernels, and of whole functions: the same address.
  simt::RunFunction run = nullptr;
  simt::HostFunction call = nullptr;
  std::int64_t row_bytes = 0;
  std::shared_ptr<void> loaded;
};

Code load(std::string_view object, std::int64_t row_bytes) {
  const std::string names[] = {entry};
  LoadedObject loaded = load_object(object, names);
  Code code;
  code.run = reinterpret_cast<simt::RunFunction>(loaded.addresses[0]);
  code.call = reinterpret_cast<simt::HostFunction>(loaded.addresses[0]);
  code.row_bytes = row_bytes;
  code.loaded = std::move(loaded.code);
  return code;
}

// On disk the size of rows stands before the object.
Code make(const simt::Program& program, const Chunks& chunks) {
  const NoForkScope no_fork;
  const std::string variant = fmt::format("{} {} {}", chunks.lanes, chunks.axis, chunks.full);
  const CacheKey key = simt::program_key(program, host_target(), variant);
  DiskCache& cache = DiskCache::instance();
  if (const auto found = cache.load(key); found && found->size() > sizeof(std::int64_t)) {
    std::int64_t row_bytes = 0;
    std::memcpy(&row_bytes, found->data(), sizeof row_bytes);
    try {
      Code code = load(std::string_view(*found).substr(sizeof row_bytes), row_bytes);
      count(Counter::disk_hits);
      return code;
    } catch (const out_of_memory&) {
      throw;
    } catch (const std::runtime_error&) {  // NOLINT(bugprone-empty-catch)
      // What does not load counts as not cached.
    }
  }
  count(Counter::compiled);
  const Made made = generate(program, chunks, llvm::CodeGenFileType::ObjectFile);
  Code code = load(made.bytes, made.row_bytes);
  std::string kept(reinterpret_cast<const char*>(&made.row_bytes), sizeof made.row_bytes);
  kept += made.bytes;
  cache.store(key, kept);
  return code;
}

struct ChunksHash {
  std::size_t operator()(const Chunks& c) const {
    return static_cast<std::size_t>(c.lanes) << 4 | static_cast<std::size_t>(c.axis + 1) << 1 |
           std::size_t{c.full};
  }
};

class CpuProgram final : public CompiledProgram {
 public:
  explicit CpuProgram(const simt::Program& program) : program_(program) {}
  const Code& code(const Chunks& chunks) const {
    return codes_.get(chunks, [&](const Chunks& wanted) { return make(program_, wanted); }).value;
  }

 private:
  const simt::Program& program_;
  mutable OnceMap<Chunks, Code, ChunksHash> codes_;
};

Chunks chunks_for(const simt::Program& program, const std::int64_t (&block)[3]) {
  Chunks chunks;
  if (program.has_warp) {
    chunks.lanes = warp_lanes;
    const bool rows = block[0] % warp_lanes == 0 || block[1] * block[2] == 1;
    chunks.axis = rows ? 0 : -1;
    const std::int64_t along = rows ? block[0] : block[0] * block[1] * block[2];
    chunks.full = along % warp_lanes == 0;
    return chunks;
  }
  // Functions that call themselves are for one thread.
  chunks.lanes = program.functions.empty() ? host_target().vector_bytes / 4 : 1;
  // Neighbours along x are neighbours in memory, as a rule.
  if (block[0] < chunks.lanes)
    chunks.axis = static_cast<int>(std::max_element(block, block + 3) - block);
  const std::int64_t along = block[chunks.axis];
  while (chunks.lanes > 1 && chunks.lanes / 2 >= along) chunks.lanes /= 2;
  chunks.full = along % chunks.lanes == 0;
  return chunks;
}

class CpuPrograms final : public Programs {
 public:
  ProgramLimits limits() const override {
    ProgramLimits limits;
    limits.shared_bytes = std::int64_t{227} << 10;  // what the largest GPUs have
    return limits;
  }

  std::unique_ptr<const CompiledProgram> compile(const simt::Program& program) override {
    return std::make_unique<CpuProgram>(program);
  }

  void launch(const ProgramLaunch& launch) override {
    using A = simt::Arguments;
    const simt::Program& program = *launch.program;
    const Chunks chunks = chunks_for(program, launch.block);
    const Code& code = static_cast<const CpuProgram&>(*launch.code).code(chunks);
    for (std::size_t d = 0; d < 3; ++d) {
      launch.words[A::grid + d] = static_cast<std::uint64_t>(launch.grid[d]);
      launch.words[A::block + d] = static_cast<std::uint64_t>(launch.block[d]);
    }
    launch.words[A::dynamic] = static_cast<std::uint64_t>(launch.dynamic_bytes);
    std::int64_t report[simt::Report::words] = {};
    launch.words[A::report] = reinterpret_cast<std::uintptr_t>(report);
    const std::int64_t threads = launch.block[0] * launch.block[1] * launch.block[2];
    std::int64_t rows = 1;
    if (program.has_barrier) {
      const std::int64_t along = chunks.axis < 0 ? threads : launch.block[chunks.axis];
      rows = (along + chunks.lanes - 1) / chunks.lanes * (threads / along);
    }
    const std::int64_t blocks = launch.grid[0] * launch.grid[1] * launch.grid[2];
    // Blocks that wait for each other are run as one, each with its own memory.
    const std::int64_t together = program.cooperative ? blocks : 1;
    const auto bytes = static_cast<std::size_t>(
        together *
        (program.shared_bytes() + (launch.dynamic_bytes + 63) / 64 * 64 + rows * code.row_bytes));
    std::optional<RaceChecker> races;
    if (program.checks == simt::Checks::races) races.emplace(program, launch).listen(report);
    const BlockRange range{blocks,
                           threads,
                           launch.work,
                           program.cooperative || races,
                           launch.interruptible,
                           reinterpret_cast<const void*>(code.run)};
    run_blocks(range, [&](std::int64_t first, std::int64_t count) {
      code.run(launch.words.data(), first, count, block_scratch(bytes));
    });
    if (program.prints) std::fflush(stdout);
    if (program.fails) raise_report(program, report);
    if (races) races->raise();
  }

  ProgramFacts facts(const simt::Program& program, const CompiledProgram&) override {
    ProgramFacts facts;
    facts.shared_bytes = program.shared_bytes();
    return facts;
  }
  // A core runs a block at a time.
  Residence residence(const CompiledProgram&, std::int64_t, std::int64_t) override {
    return {1, thread_count(), 1024};
  }

  HostCode host_code(const simt::Program& program) override {
    Code code = make(program, Chunks{});
    return {code.call, std::move(code.loaded)};
  }

  std::string text(const simt::Program& program, const std::string& kind) override {
    std::int64_t usual[3] = {256, 1, 1};
    const Chunks chunks = program.host ? Chunks{} : chunks_for(program, usual);
    if (kind == "asm") return generate(program, chunks, llvm::CodeGenFileType::AssemblyFile).bytes;
    if (kind != "llvm") throw value_error("the CPU has kernels as 'llvm' and as 'asm'");
    kernel::Compilation made;
    const kernel::Target& target = host_target();
    made.module = simt::emit_program(program, chunks, target, made.context, entry).module;
    made.module->setDataLayout(kernel::target_machine(target).createDataLayout());
    kernel::link_code(*made.module, target);
    llvm::TargetMachine& machine = kernel::target_machine(target);
    optimize_program(program, *made.module, machine);
    return kernel::text_of(*made.module);
  }
};

}  // namespace

Programs& programs() {
  static auto* instance = new CpuPrograms;
  return *instance;
}

namespace {
[[maybe_unused]] const ProgramsKind registered([](Device& device) -> Programs* {
  return &device == &cpu_device() ? &programs() : nullptr;
});
}  // namespace

}  // namespace heddle::cpu
