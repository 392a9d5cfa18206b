// The code of one thread becomes that of several neighbours along x, the lanes of vectors: values
// that are the same for all stay scalars, so do those that only count on from lane to lane, all
// others are vectors. Branches that all lanes take together stay branches; elsewhere a block has a
// mask of those that are there, and is left out where it is none.
#pragma once

#include <llvm/IR/Function.h>

namespace llvm {
class TargetMachine;
}

namespace heddle::clang_plugin {

constexpr unsigned usual_lanes = 16;

// Of a branch that leaves the kernel because somebody wants it to stop.
inline constexpr const char* stop_metadata = "heddle.stop";
// Of atomics on memory of a block, which one core runs: they need not be atomic.
inline constexpr const char* relaxed_metadata = "heddle.relaxed";

struct Widened {
  // Takes what `region` takes, of the first lane. Null where the code is none that lanes can share.
  llvm::Function* function = nullptr;
  // It gives a vector: the state of each lane; else one number for all of them.
  bool parts = false;
  unsigned lanes = usual_lanes;
  // How many would share a line of memory, where lanes walk through it in a loop.
  unsigned line = usual_lanes;
};

// `x`, `thread`: the parameters that count threads.
Widened widen(llvm::Function& region, unsigned x, unsigned thread, llvm::TargetMachine& machine,
              unsigned lanes);

// Atomics that need not be atomic become plain accesses, marked with `in_order`.
void lower_relaxed(llvm::Function& function, const char* in_order);

}  // namespace heddle::clang_plugin
