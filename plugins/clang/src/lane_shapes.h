// How values of a thread's code differ among neighbours along x, which become the lanes of vectors:
// not at all, by a step that is known, or in any way; and which blocks only some of them come to.
#pragma once

#include <cstdint>

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/DenseSet.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/PostDominators.h>
#include <llvm/IR/Function.h>

namespace heddle::clang_plugin {

struct Shape {
  enum Kind : std::uint8_t { unknown, uniform, affine, varying };
  Kind kind = unknown;
  // Of affine ones: the numbers are exact only if no number overflowed on the way, which code asks.
  bool assumed = false;
  std::int64_t step = 0;  // bytes for addresses

  bool is_scalar() const { return kind == uniform || kind == affine; }
  bool operator==(const Shape&) const = default;
};

class LaneShapes {
 public:
  // `counting`: parameters that are one more from lane to lane. The function is in LCSSA form and
  // its loops are simple.
  LaneShapes(llvm::Function& function, const llvm::LoopInfo& loops,
             const llvm::PostDominatorTree& post, std::initializer_list<unsigned> counting);

  Shape of(const llvm::Value& value) const;
  // Whether only some lanes may be there.
  bool is_divergent(const llvm::BasicBlock& block) const { return divergent_.contains(&block); }
  // Whether lanes may leave it after different numbers of passes.
  bool is_divergent(const llvm::Loop& loop) const { return parting_.contains(&loop); }

 private:
  Shape of_instruction(const llvm::Instruction& i) const;
  Shape of_phi(const llvm::PHINode& phi) const;
  Shape of_arithmetic(const llvm::Instruction& i) const;
  Shape of_cast(const llvm::CastInst& cast) const;
  Shape of_address(const llvm::Instruction& address) const;
  Shape of_call(const llvm::CallBase& call) const;
  void part(const llvm::Instruction& branch);

  llvm::Function& function_;
  const llvm::LoopInfo& loops_;
  const llvm::PostDominatorTree& post_;
  const llvm::DataLayout& layout_;
  llvm::DenseMap<const llvm::Value*, Shape> shapes_;
  llvm::DenseSet<const llvm::BasicBlock*> divergent_, joins_;
  llvm::DenseSet<const llvm::Loop*> parting_;
  llvm::DenseSet<const llvm::Instruction*> parted_;  // branches
};

}  // namespace heddle::clang_plugin
