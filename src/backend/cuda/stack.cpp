#include "backend/cuda/stack.h"

#include <llvm/ADT/SCCIterator.h>
#include <llvm/Analysis/CallGraph.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/DerivedTypes.h>
#include <llvm/IR/GlobalVariable.h>
#include <llvm/IR/Module.h>

namespace heddle::cuda {
namespace {

// A variable that nobody reads: its size is the number of kilobytes.
constexpr const char* declaration = "heddle_stack";
constexpr unsigned global_memory = 1;  // NVPTX's number of the address space
constexpr int limit_stack_size = 0;    // CU_LIMIT_STACK_SIZE

bool recurses(llvm::Module& module) {
  llvm::CallGraph graph(module);
  for (auto component = llvm::scc_begin(&graph); !component.isAtEnd(); ++component) {
    if (component.hasCycle()) return true;
  }
  return false;
}

}  // namespace

void declare_stack(llvm::Module& module, std::size_t bytes) {
  if (!recurses(module)) return;
  auto* type = llvm::ArrayType::get(llvm::Type::getInt8Ty(module.getContext()), bytes >> 10);
  new llvm::GlobalVariable(module, type, /*isConstant=*/false, llvm::GlobalValue::ExternalLinkage,
                           llvm::ConstantAggregateZero::get(type), declaration, nullptr,
                           llvm::GlobalValue::NotThreadLocal, global_memory);
}

void allow_stack(CUmodule module) {
  CUdeviceptr address = 0;
  std::size_t kilobytes = 0, bytes = 0;
  const CUresult found = api().cuModuleGetGlobal(&address, &kilobytes, module, declaration);
  if (found == CUDA_ERROR_NOT_FOUND) return;
  check(found, "cuModuleGetGlobal");
  check(api().cuCtxGetLimit(&bytes, limit_stack_size), "cuCtxGetLimit");
  if (bytes < kilobytes << 10)
    check(api().cuCtxSetLimit(limit_stack_size, kilobytes << 10), "cuCtxSetLimit");
}

}  // namespace heddle::cuda
