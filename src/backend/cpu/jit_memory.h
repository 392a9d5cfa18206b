// Where JITLink puts kernels: all of one beside each other, constants too, in pages for code.
#pragma once

#include <atomic>

#include <llvm/ExecutionEngine/JITLink/JITLinkMemoryManager.h>

#include "backend/cpu/code_pages.h"

namespace heddle::cpu {

class KernelMemory final : public llvm::jitlink::JITLinkMemoryManager {
 public:
  using JITLinkMemoryManager::allocate;
  using JITLinkMemoryManager::deallocate;
  void allocate(const llvm::jitlink::JITLinkDylib* library, llvm::jitlink::LinkGraph& graph,
                OnAllocatedFunction done) override;
  void deallocate(std::vector<FinalizedAlloc> kernels, OnDeallocatedFunction done) override;

  // Whether the system had no more memory since this was last asked: what JITLink then says of it
  // does not reach those who wanted to load something.
  bool exhausted() { return exhausted_.exchange(false); }

 private:
  class InFlight;

  CodePages pages_;
  std::atomic<bool> exhausted_{false};
};

}  // namespace heddle::cpu
