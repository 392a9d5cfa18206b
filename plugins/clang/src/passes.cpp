// LLVM's passes: before kernels are cut, and afterwards.
#include <llvm/ADT/SCCIterator.h>
#include <llvm/Analysis/AssumptionCache.h>
#include <llvm/Analysis/CallGraph.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/TargetLibraryInfo.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Transforms/IPO/AlwaysInliner.h>
#include <llvm/Transforms/IPO/GlobalDCE.h>
#include <llvm/Transforms/InstCombine/InstCombine.h>
#include <llvm/Transforms/Scalar/ADCE.h>
#include <llvm/Transforms/Scalar/EarlyCSE.h>
#include <llvm/Transforms/Scalar/IndVarSimplify.h>
#include <llvm/Transforms/Scalar/LoopPassManager.h>
#include <llvm/Transforms/Scalar/LoopRotation.h>
#include <llvm/Transforms/Scalar/LoopUnrollPass.h>
#include <llvm/Transforms/Scalar/SROA.h>
#include <llvm/Transforms/Scalar/SimplifyCFG.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include "known.h"
#include "lowering.h"
#include "widening.h"

namespace heddle::clang_plugin {
namespace {

void run(llvm::Module& module, llvm::TargetMachine& machine,
         llvm::function_ref<llvm::ModulePassManager(llvm::PassBuilder&)> make) {
  llvm::PipelineTuningOptions options;
  options.LoopVectorization = options.SLPVectorization = true;
  options.LoopInterleaving = options.LoopUnrolling = true;
  llvm::PassBuilder builder(&machine, options);
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager graphs;
  llvm::ModuleAnalysisManager modules;
  llvm::TargetLibraryInfoImpl library(machine.getTargetTriple());
  library.addVectorizableFunctionsFromVecLib(llvm::VectorLibrary::LIBMVEC,
                                             machine.getTargetTriple());
  functions.registerPass([&] { return llvm::TargetLibraryAnalysis(library); });
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(graphs);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, graphs, modules);
  make(builder).run(module, modules);
}

// Functions that call themselves, by whatever way.
std::set<llvm::Function*> recursive_functions(llvm::Module& module) {
  std::set<llvm::Function*> found;
  llvm::CallGraph graph(module);
  for (auto scc = llvm::scc_begin(&graph); !scc.isAtEnd(); ++scc) {
    if (!scc.hasCycle()) continue;
    for (llvm::CallGraphNode* node : *scc) {
      if (node->getFunction()) found.insert(node->getFunction());
    }
  }
  return found;
}

// What is left as a function of its own knows neither which thread calls it, nor how to wait.
void refuse_left_functions(llvm::Module& module, const Parts& parts) {
  for (llvm::Function& f : module) {
    if (f.isDeclaration() || llvm::is_contained(parts.kernels, &f)) continue;
    for (llvm::Instruction& i : llvm::instructions(f)) {
      bool knows = site_of(i) || place_of(i) || is_call_of(i, fail_name);
      for (llvm::Value* operand : i.operands()) {
        auto* variable = llvm::dyn_cast<llvm::GlobalVariable>(operand->stripPointerCasts());
        knows |= variable && parts.shared.count(variable) != 0;
      }
      if (!knows) continue;
      throw Refused{
          "error: " + f.getName().str() +
          " calls itself or is called by its address, and asks for the thread, its block or "
          "shared memory: on a CPU only functions that are called by name can"};
    }
  }
}

}  // namespace

void simplify(llvm::Module& module, const Parts& parts, llvm::TargetMachine& machine,
              Purpose purpose) {
  const std::set<llvm::Function*> recursive = recursive_functions(module);
  for (llvm::Function& f : module) {
    if (f.isDeclaration()) continue;
    f.removeFnAttr(llvm::Attribute::NoInline);
    f.removeFnAttr(llvm::Attribute::OptimizeNone);
    f.removeFnAttr(llvm::Attribute::AlwaysInline);
    if (llvm::is_contained(parts.kernels, &f)) {
      f.setLinkage(llvm::GlobalValue::ExternalLinkage);
    } else if (!recursive.count(&f)) {
      f.addFnAttr(llvm::Attribute::AlwaysInline);
    }
    for (llvm::Instruction& i : llvm::instructions(f)) {
      if (auto* call = llvm::dyn_cast<llvm::CallBase>(&i))
        call->removeFnAttr(llvm::Attribute::NoInline);
    }
  }
  run(module, machine, [&](llvm::PassBuilder&) {
    llvm::ModulePassManager passes;
    passes.addPass(llvm::AlwaysInlinerPass(/*InsertLifetimeIntrinsics=*/false));
    llvm::FunctionPassManager f;
    if (purpose == Purpose::check) {
      f.addPass(llvm::SROAPass(llvm::SROAOptions::PreserveCFG));
      f.addPass(llvm::EarlyCSEPass());
      f.addPass(llvm::ADCEPass());
    }
    if (purpose != Purpose::speed) {
      passes.addPass(llvm::createModuleToFunctionPassAdaptor(std::move(f)));
      passes.addPass(llvm::GlobalDCEPass());
      return passes;
    }
    f.addPass(llvm::SROAPass(llvm::SROAOptions::ModifyCFG));
    f.addPass(llvm::EarlyCSEPass());
    f.addPass(llvm::SimplifyCFGPass());
    f.addPass(llvm::InstCombinePass());
    f.addPass(llvm::createFunctionToLoopPassAdaptor(llvm::LoopRotatePass()));
    f.addPass(llvm::createFunctionToLoopPassAdaptor(llvm::IndVarSimplifyPass()));
    f.addPass(llvm::createFunctionToLoopPassAdaptor(llvm::LoopFullUnrollPass(3)));
    f.addPass(llvm::SROAPass(llvm::SROAOptions::ModifyCFG));
    f.addPass(llvm::InstCombinePass());
    f.addPass(llvm::EarlyCSEPass(/*UseMemorySSA=*/true));
    f.addPass(llvm::SimplifyCFGPass());
    f.addPass(llvm::ADCEPass());
    passes.addPass(llvm::createModuleToFunctionPassAdaptor(std::move(f)));
    passes.addPass(llvm::GlobalDCEPass());
    return passes;
  });
  refuse_left_functions(module, parts);
}

namespace {

void end_after_failures(llvm::Function& kernel) {
  std::vector<llvm::Instruction*> failures;
  for (llvm::Instruction& i : llvm::instructions(kernel)) {
    if (is_call_of(i, fail_name)) failures.push_back(&i);
  }
  for (llvm::Instruction* failure : failures) {
    llvm::BasicBlock* block = failure->getParent();
    for (llvm::BasicBlock* next : llvm::successors(block)) next->removePredecessor(block);
    while (&block->back() != failure) {
      llvm::Instruction& last = block->back();
      if (!last.use_empty()) last.replaceAllUsesWith(llvm::PoisonValue::get(last.getType()));
      last.eraseFromParent();
    }
    block->deleteTrailingDbgRecords();
    llvm::IRBuilder<>(block).CreateRetVoid();
  }
  llvm::EliminateUnreachableBlocks(kernel);
}

// Whether threads of a loop have waited for each other when they come to its end.
bool waits_before(const llvm::Loop& loop, llvm::BasicBlock* end,
                  const llvm::DominatorTree& dominators) {
  for (llvm::BasicBlock* block : loop.blocks()) {
    if (!dominators.dominates(block, end)) continue;
    for (const llvm::Instruction& i : *block) {
      if (site_of(i)) return true;
    }
  }
  return false;
}

}  // namespace

void ask_in_loops(llvm::Function& kernel) {
  end_after_failures(kernel);
  llvm::Module& module = *kernel.getParent();
  std::vector<llvm::BasicBlock*> latches;
  bool endless = false;  // as far as anybody knows
  {
    llvm::DominatorTree dominators(kernel);
    llvm::LoopInfo loops(dominators);
    llvm::TargetLibraryInfoImpl library(module.getTargetTriple());
    llvm::TargetLibraryInfo functions(library);
    llvm::AssumptionCache assumptions(kernel);
    llvm::ScalarEvolution evolution(kernel, functions, assumptions, dominators, loops);
    for (llvm::Loop* loop : loops.getLoopsInPreorder()) {
      // Innermost loops whose passes can be counted end by themselves, and may become vectors.
      if (loop->isInnermost() && evolution.hasLoopInvariantBackedgeTakenCount(loop)) continue;
      llvm::SmallVector<llvm::BasicBlock*, 4> ends;
      loop->getLoopLatches(ends);
      endless = true;
      for (llvm::BasicBlock* end : ends) {
        // Where threads wait in each pass, whoever lets them go on asks.
        if (!waits_before(*loop, end, dominators)) latches.push_back(end);
      }
    }
  }
  if (endless) kernel.addFnAttr(asks_attribute);
  llvm::sort(latches);
  latches.erase(std::unique(latches.begin(), latches.end()), latches.end());
  if (latches.empty()) return;
  auto* number = llvm::Type::getInt32Ty(module.getContext());
  llvm::FunctionCallee stop = module.getOrInsertFunction(stop_name, number);
  llvm::BasicBlock* stopped = llvm::BasicBlock::Create(module.getContext(), "stopped", &kernel);
  llvm::IRBuilder<>(stopped).CreateRetVoid();
  for (llvm::BasicBlock* latch : latches) {
    llvm::BasicBlock* rest = llvm::SplitBlock(latch, latch->getTerminator());
    latch->getTerminator()->eraseFromParent();
    llvm::IRBuilder<> build(latch);
    llvm::Value* wanted =
        build.CreateICmpNE(build.CreateCall(stop), llvm::ConstantInt::get(number, 0));
    build.CreateCondBr(wanted, stopped, rest)
        ->setMetadata(stop_metadata, llvm::MDNode::get(module.getContext(), {}));
  }
}

void optimize(llvm::Module& module, llvm::TargetMachine& machine) {
  run(module, machine, [](llvm::PassBuilder& builder) {
    return builder.buildPerModuleDefaultPipeline(llvm::OptimizationLevel::O3);
  });
}

}  // namespace heddle::clang_plugin
