#include "backend/cpu/jit_memory.h"

#include <algorithm>
#include <cstring>
#include <memory>

#include <llvm/ExecutionEngine/JITLink/JITLink.h>

namespace heddle::cpu {

namespace {

llvm::Error failure(const char* what) {
  return llvm::createStringError(std::make_error_code(std::errc::not_enough_memory), what);
}

// Constants share the pages of the code, which nobody writes; so do constants that are addresses of
// others, which the format of object files calls writable for the linker's sake.
bool has_variables(llvm::jitlink::LinkGraph& graph) {
  using llvm::orc::MemProt;
  for (llvm::jitlink::Section& section : graph.sections()) {
    const auto protection = static_cast<unsigned>(section.getMemProt());
    const bool writable = (protection & static_cast<unsigned>(MemProt::Write)) != 0;
    if (writable && !section.empty() && !section.getName().starts_with(".data.rel.ro")) return true;
  }
  return false;
}

}  // namespace

class KernelMemory::InFlight final : public InFlightAlloc {
 public:
  InFlight(KernelMemory& memory, char* pages) : memory_(memory), pages_(pages) {}
  void abandon(OnAbandonedFunction done) override {
    memory_.pages_.release(pages_);
    done(llvm::Error::success());
  }
  void finalize(OnFinalizedFunction done) override {
    if (!memory_.pages_.protect(pages_)) {
      memory_.exhausted_ = true;
      memory_.pages_.release(pages_);
      return done(failure("the system does not protect the pages of a kernel"));
    }
    done(FinalizedAlloc(llvm::orc::ExecutorAddr::fromPtr(pages_)));
  }

 private:
  KernelMemory& memory_;
  char* pages_;
};

void KernelMemory::allocate(const llvm::jitlink::JITLinkDylib*, llvm::jitlink::LinkGraph& graph,
                            OnAllocatedFunction done) {
  if (has_variables(graph)) {
    return done(llvm::createStringError(std::make_error_code(std::errc::not_supported),
                                        "a kernel that has variables"));
  }
  llvm::jitlink::BasicLayout layout(graph);
  std::size_t size = 0;
  for (auto& [group, segment] : layout.segments()) {
    size = llvm::alignTo(size, segment.Alignment) + segment.ContentSize + segment.ZeroFillSize;
  }
  char* pages = pages_.allocate(size);
  if (!pages) {
    exhausted_ = true;
    return done(failure("there are no pages for a kernel"));
  }
  std::size_t offset = 0;
  for (auto& [group, segment] : layout.segments()) {
    offset = llvm::alignTo(offset, segment.Alignment);
    segment.WorkingMem = pages + offset;
    segment.Addr = llvm::orc::ExecutorAddr::fromPtr(pages + offset);
    std::memset(pages + offset + segment.ContentSize, 0, segment.ZeroFillSize);
    offset += segment.ContentSize + segment.ZeroFillSize;
  }
  if (auto error = layout.apply()) {
    pages_.release(pages);
    return done(std::move(error));
  }
  done(std::make_unique<InFlight>(*this, pages));
}

void KernelMemory::deallocate(std::vector<FinalizedAlloc> kernels, OnDeallocatedFunction done) {
  for (auto& kernel : kernels) pages_.release(kernel.release().toPtr<char*>());
  done(llvm::Error::success());
}

}  // namespace heddle::cpu
