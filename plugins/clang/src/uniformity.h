// What all threads that go on together have in common: values that are the same for all of them,
// and whether all of them come to the same site next.
#pragma once

#include <vector>

#include <llvm/ADT/DenseSet.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/PostDominators.h>
#include <llvm/IR/Function.h>

namespace heddle::clang_plugin {

class Uniformity {
 public:
  // `function` is cut: each site is the first instruction of its block.
  explicit Uniformity(llvm::Function& function);

  bool is_uniform(const llvm::Value& value) const { return !varying_.contains(&value); }
  // Whether threads may come to different sites from one; threads that end do not count.
  bool diverges() const { return diverges_; }

 private:
  using Blocks = llvm::SmallPtrSet<llvm::BasicBlock*, 16>;
  // Blocks that are reached from one, which is among them, not going on from `end` or `from`.
  Blocks reached(llvm::BasicBlock* start, llvm::BasicBlock* from, llvm::BasicBlock* end,
                 bool through_sites) const;
  void mark(llvm::Value* value);
  void spread();
  void branch(llvm::Instruction& terminator);
  void find_divergence();

  llvm::Function& function_;
  llvm::DominatorTree dominators_;
  llvm::LoopInfo loops_;
  llvm::PostDominatorTree post_;
  llvm::DenseSet<const llvm::Value*> varying_;
  llvm::DenseSet<const llvm::Instruction*> branches_;  // that vary
  std::vector<llvm::Value*> work_;
  bool diverges_ = false;
};

}  // namespace heddle::clang_plugin
