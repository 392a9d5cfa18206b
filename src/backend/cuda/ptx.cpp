#include "backend/cuda/ptx.h"

#include <algorithm>
#include <iterator>

#include <llvm/Transforms/IPO/AlwaysInliner.h>
#include <llvm/Transforms/IPO/GlobalDCE.h>
#include <llvm/Transforms/InstCombine/InstCombine.h>
#include <llvm/Transforms/Scalar/ADCE.h>
#include <llvm/Transforms/Scalar/EarlyCSE.h>
#include <llvm/Transforms/Scalar/SROA.h>
#include <llvm/Transforms/Scalar/SimplifyCFG.h>

#include "backend/cuda/libdevice.h"
#include "backend/cuda/nvptx.h"
#include "backend/cuda/stack.h"
#include "kernel/linked_code.h"
#include "kernel/llvm_codegen.h"
#include "kernel/llvm_grid.h"

namespace heddle::cuda {
namespace {

using kernel::target_machine;

// Some special functions call themselves, a few times: roots are bracketed, arguments reflected.
constexpr std::size_t stack_of_linked_code = 8 << 10;

int capability_of(const kernel::Target& target) { return std::stoi(target.cpu.substr(3)); }

void optimize(llvm::Module& module, llvm::TargetMachine& machine) {
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
  kernel::run_passes(std::move(passes), module, machine);
}

void emit(const kernel::Kernel& kernel, const kernel::GridVariant& variant,
          const kernel::Target& target, kernel::Compilation& to) {
  to.module = kernel::emit_grid_module(kernel, variant, target, to.context);
  to.module->setDataLayout(target_machine(target).createDataLayout());
  kernel::link_code(*to.module, target);
  link_libdevice(*to.module, capability_of(target));
#ifndef NDEBUG
  kernel::verify_module(*to.module);
#endif
}

}  // namespace

kernel::Target make_target(int capability) {
  kernel::Target target;
  target.triple = "nvptx64-nvidia-cuda";
  // What LLVM knows: the assembler of a newer GPU takes the code of an older one. Without a version
  // of PTX among the features it is the first that has the GPU.
  constexpr int known[] = {70, 72, 75, 80, 86, 87, 89, 90, 100, 101, 103, 120, 121};
  const int* next = std::upper_bound(std::begin(known), std::end(known), capability);
  target.cpu = "sm_" + std::to_string(next == known ? capability : next[-1]);
  target.model = kernel::Model::grid;
  target.vector_bytes = 16;
  target.fma = true;
  target.register_machine = register_nvptx;
  target.dialect = &nvptx_dialect();
  return target;
}

std::string generate_ptx(const kernel::Kernel& kernel, const kernel::GridVariant& variant,
                         const kernel::Target& target) {
  return kernel::compiling([&] {
    llvm::TargetMachine& machine = target_machine(target);
    kernel::Unfinished<kernel::Compilation> made;
    emit(kernel, variant, target, *made);
    optimize(*made->module, machine);
    declare_stack(*made->module, stack_of_linked_code);
    return kernel::generate_code(*made->module, machine, llvm::CodeGenFileType::AssemblyFile);
  });
}

void verify_grid(const kernel::Kernel& kernel, const kernel::GridVariant& variant,
                 const kernel::Target& target) {
  kernel::Compilation made;
  emit(kernel, variant, target, made);
  kernel::verify_module(*made.module);
}

}  // namespace heddle::cuda
