// A loop around one ScalarEmitter::apply, compiled with ORC: enough to run any row of the op table
// over arrays of operands, for any number of lanes and any of the x86-64 levels.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <llvm/ExecutionEngine/Orc/AbsoluteSymbols.h>
#include <llvm/ExecutionEngine/Orc/LLJIT.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Target/TargetMachine.h>
#include <llvm/TargetParser/Host.h>

#include "kernel/runtime_symbols.h"
#include "kernel/scalar_ops.h"

namespace heddle::kernel::testing {

inline Target x86_target(int vector_bytes) {
  Target target;
  target.triple = "x86_64-unknown-linux-gnu";
  target.cpu = vector_bytes >= 64 ? "x86-64-v4" : vector_bytes >= 32 ? "x86-64-v3" : "x86-64-v2";
  target.vector_bytes = vector_bytes;
  target.fma = vector_bytes >= 32;
  target.avx512 = vector_bytes >= 64;
  target.masked_memory = vector_bytes >= 64;
  target.vector_math = true;
  return target;
}

// Resolves what kernels refer to through runtime_symbol and through nothing else.
class SymbolGenerator : public llvm::orc::DefinitionGenerator {
 public:
  llvm::Error tryToGenerate(llvm::orc::LookupState&, llvm::orc::LookupKind,
                            llvm::orc::JITDylib& library, llvm::orc::JITDylibLookupFlags,
                            const llvm::orc::SymbolLookupSet& wanted) override {
    llvm::orc::SymbolMap found;
    for (const auto& [name, flags] : wanted) {
      if (void* address = runtime_symbol(std::string_view((*name).data(), (*name).size()))) {
        found[name] = {llvm::orc::ExecutorAddr::fromPtr(address), llvm::JITSymbolFlags::Exported};
      }
    }
    return library.define(llvm::orc::absoluteSymbols(std::move(found)));
  }
};

class LoopBuilder {
 public:
  LoopBuilder(llvm::Module& module, const Target& target, int lanes)
      : b(module.getContext()), emitter(b, target), lanes(lanes) {}

  void build(llvm::Function* function, Op op, Dtype compute, Dtype result,
             const std::vector<Dtype>& operands) {
    llvm::LLVMContext& context = b.getContext();
    auto* entry = llvm::BasicBlock::Create(context, "entry", function);
    auto* body = llvm::BasicBlock::Create(context, "body", function);
    auto* done = llvm::BasicBlock::Create(context, "done", function);
    b.SetInsertPoint(entry);
    std::vector<llvm::Value*> pointers;
    for (std::size_t i = 0; i < operands.size(); ++i) {
      pointers.push_back(
          b.CreateLoad(b.getPtrTy(), b.CreateConstGEP1_64(b.getPtrTy(), function->getArg(1), i)));
    }
    b.CreateBr(body);
    b.SetInsertPoint(body);
    auto* index = b.CreatePHI(b.getInt64Ty(), 2);
    index->addIncoming(b.getInt64(0), entry);
    std::vector<Value> args;
    for (std::size_t i = 0; i < operands.size(); ++i) {
      args.push_back(load(pointers[i], index, operands[i]));
    }
    store(emitter.apply(op, compute, result, args, lanes), function->getArg(0), index, result);
    llvm::Value* next = b.CreateAdd(index, b.getInt64(lanes));
    index->addIncoming(next, b.GetInsertBlock());
    b.CreateCondBr(b.CreateICmpSLT(next, function->getArg(2)), body, done);
    b.SetInsertPoint(done);
    b.CreateRetVoid();
  }

 private:
  llvm::Type* wide(llvm::Type* scalar, int count) {
    return count == 1 ? scalar : llvm::FixedVectorType::get(scalar, count);
  }
  Value load(llvm::Value* base, llvm::Value* index, Dtype dtype) {
    llvm::Type* scalar = emitter.memory_type(dtype);
    const int parts = is_complex(dtype) ? 2 : 1;
    llvm::Value* at = b.CreateGEP(scalar, base, b.CreateMul(index, b.getInt64(parts)));
    llvm::Value* all = b.CreateAlignedLoad(wide(scalar, parts * lanes), at, llvm::Align(1));
    if (dtype == Dtype::bool_) return {b.CreateTrunc(all, emitter.type(dtype, lanes))};
    if (parts == 1) return {all};
    if (lanes == 1) {
      return {b.CreateExtractElement(all, std::uint64_t{0}),
              b.CreateExtractElement(all, std::uint64_t{1})};
    }
    std::vector<int> even, odd;
    for (int i = 0; i < lanes; ++i) {
      even.push_back(2 * i);
      odd.push_back(2 * i + 1);
    }
    return {b.CreateShuffleVector(all, even), b.CreateShuffleVector(all, odd)};
  }
  void store(Value value, llvm::Value* base, llvm::Value* index, Dtype dtype) {
    llvm::Type* scalar = emitter.memory_type(dtype);
    const int parts = is_complex(dtype) ? 2 : 1;
    llvm::Value* at = b.CreateGEP(scalar, base, b.CreateMul(index, b.getInt64(parts)));
    llvm::Value* all = value.re;
    if (dtype == Dtype::bool_) all = b.CreateZExt(all, wide(scalar, lanes));
    if (parts == 2 && lanes == 1) {
      all = llvm::PoisonValue::get(wide(scalar, 2));
      all = b.CreateInsertElement(all, value.re, std::uint64_t{0});
      all = b.CreateInsertElement(all, value.im, std::uint64_t{1});
    } else if (parts == 2) {
      std::vector<int> mask;
      for (int i = 0; i < lanes; ++i) {
        mask.push_back(i);
        mask.push_back(lanes + i);
      }
      all = b.CreateShuffleVector(value.re, value.im, mask);
    }
    b.CreateAlignedStore(all, at, llvm::Align(1));
  }

  llvm::IRBuilder<> b;
  ScalarEmitter emitter;
  int lanes;
};

// run(out, in, n): n is a multiple of lanes.
struct CompiledLoop {
  std::unique_ptr<llvm::orc::LLJIT> jit;
  void (*run)(void* out, const void* const* in, std::int64_t n) = nullptr;
  std::string ir;
};

inline CompiledLoop compile_loop(Op op, Dtype compute, Dtype result,
                                 const std::vector<Dtype>& operands, const Target& target,
                                 int lanes, bool optimize = true) {
  static const bool initialized = [] {
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
    return true;
  }();
  (void)initialized;
  auto context = std::make_unique<llvm::LLVMContext>();
  auto module = std::make_unique<llvm::Module>("scalar_op", *context);
  llvm::orc::JITTargetMachineBuilder machine_builder{llvm::Triple(target.triple)};
  machine_builder.setCPU(target.cpu);
  machine_builder.setCodeGenOptLevel(llvm::CodeGenOptLevel::Default);
  auto machine = llvm::cantFail(machine_builder.createTargetMachine());
  module->setTargetTriple(machine->getTargetTriple());
  module->setDataLayout(machine->createDataLayout());

  auto* pointer = llvm::PointerType::get(*context, 0);
  auto* type = llvm::FunctionType::get(llvm::Type::getVoidTy(*context),
                                       {pointer, pointer, llvm::Type::getInt64Ty(*context)}, false);
  auto* function =
      llvm::Function::Create(type, llvm::Function::ExternalLinkage, "loop", module.get());
  function->addFnAttr("target-cpu", target.cpu);
  const std::string width = std::to_string(8 * target.vector_bytes);
  function->addFnAttr("prefer-vector-width", width);
  function->addFnAttr("min-legal-vector-width", width);
  function->getArg(0)->addAttr(llvm::Attribute::NoAlias);
  LoopBuilder(*module, target, lanes).build(function, op, compute, result, operands);
  if (llvm::verifyModule(*module, &llvm::errs())) return {};

  if (optimize) {
    llvm::PassBuilder passes(machine.get());
    llvm::LoopAnalysisManager loops;
    llvm::FunctionAnalysisManager functions;
    llvm::CGSCCAnalysisManager graph;
    llvm::ModuleAnalysisManager modules;
    passes.registerModuleAnalyses(modules);
    passes.registerCGSCCAnalyses(graph);
    passes.registerFunctionAnalyses(functions);
    passes.registerLoopAnalyses(loops);
    passes.crossRegisterProxies(loops, functions, graph, modules);
    passes.buildPerModuleDefaultPipeline(llvm::OptimizationLevel::O2).run(*module, modules);
  }
  CompiledLoop compiled;
  llvm::raw_string_ostream(compiled.ir) << *module;
  compiled.jit = llvm::cantFail(llvm::orc::LLJITBuilder()
                                    .setJITTargetMachineBuilder(std::move(machine_builder))
                                    .setLinkProcessSymbolsByDefault(false)
                                    .setPlatformSetUp(llvm::orc::setUpInactivePlatform)
                                    .create());
  auto& library = compiled.jit->getMainJITDylib();
  library.addGenerator(std::make_unique<SymbolGenerator>());
  llvm::cantFail(compiled.jit->addIRModule(
      llvm::orc::ThreadSafeModule(std::move(module), std::move(context))));
  compiled.run = llvm::cantFail(compiled.jit->lookup("loop"))
                     .toPtr<void (*)(void*, const void* const*, std::int64_t)>();
  return compiled;
}

// Widths of the machine's vector registers, in bytes.
inline std::vector<int> widths() {
  const auto features = llvm::sys::getHostCPUFeatures();
  auto has = [&](const char* feature) { return features.lookup(feature); };
  std::vector<int> found{16};
  if (has("avx2") && has("fma")) found.push_back(32);
  if (has("avx512dq") && has("avx512bw") && has("avx512vl")) found.push_back(64);
  return found;
}

template <class T>
using Columns = std::vector<std::vector<T>>;  // one per operand

template <class R, class T>
std::vector<R> run(Op op, const Columns<T>& args, int width, int lanes) {
  const std::size_t count = args[0].size();
  const std::size_t padded = (count + lanes - 1) / lanes * lanes;
  Columns<T> inputs = args;
  std::vector<const void*> pointers;
  for (auto& input : inputs) {
    input.resize(padded, input[0]);
    pointers.push_back(input.data());
  }
  auto out = std::make_unique<R[]>(padded);
  const std::vector<Dtype> types(args.size(), dtype_of<T>);
  auto loop = compile_loop(op, dtype_of<T>, dtype_of<R>, types, x86_target(width), lanes);
  loop.run(out.get(), pointers.data(), static_cast<std::int64_t>(padded));
  return std::vector<R>(out.get(), out.get() + count);
}

}  // namespace heddle::kernel::testing
