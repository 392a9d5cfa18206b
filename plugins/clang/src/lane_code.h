// One function while its code becomes that of several lanes: what is the same for all files of it.
#pragma once

#include <vector>

#include <llvm/ADT/DenseMap.h>
#include <llvm/Analysis/TargetLibraryInfo.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/IntrinsicInst.h>

#include "lane_shapes.h"
#include "widening.h"

namespace heddle::clang_plugin {

// Stands for a branch that leaves the kernel because somebody wants it to stop.
inline constexpr const char* leave_name = "__heddle_leave";

class LaneCode {
 public:
  LaneCode(llvm::Function& region, const LaneShapes& shapes, const llvm::DominatorTree& dominators,
           const llvm::PostDominatorTree& post, llvm::LoopInfo& loops,
           const llvm::TargetLibraryInfoImpl& library, unsigned lanes);

  // Whether all of it can be.
  static bool is_possible(llvm::Function& region, const LaneShapes& shapes,
                          const llvm::LoopInfo& loops);
  Widened run();

 private:
  using Value = llvm::Value;
  // Null: all lanes.
  using Mask = Value*;

  // --- blocks (widening.cpp) ---

  // Blocks that the same lanes come to as to one before them have its mask.
  llvm::BasicBlock* owner(llvm::BasicBlock* block);
  bool always_comes_to(llvm::BasicBlock* from, llvm::BasicBlock* to) const;
  // Whether only some lanes may be there.
  bool is_parted(llvm::BasicBlock& block) { return shapes_.is_divergent(*owner(&block)); }
  void make_variables();
  llvm::AllocaInst* variable(llvm::Type* type, const llvm::Twine& name);
  void emit_level(llvm::Loop* loop);
  void emit_loop(llvm::Loop& loop);
  void emit_block(llvm::BasicBlock& block);
  void emit_body(llvm::BasicBlock& block);
  bool needs_guard(llvm::BasicBlock& block) const;
  // Whether anybody is there, as one bit; null: certainly.
  Value* is_taken(llvm::BasicBlock& block);
  void emit_end(llvm::BasicBlock& block);
  // `condition`: null where the branch is taken by all who are in the block.
  void emit_edge(llvm::BasicBlock& from, llvm::BasicBlock& to, Value* condition, bool answer);
  void emit_return(llvm::ReturnInst& ret);

  // --- values (lane_values.cpp) ---

  llvm::Type* wide_type(llvm::Type* type) const;
  Value* scalar(Value* value);
  // Whether what was assumed of an affine value is true; null: certainly.
  Value* holds(Value* value);
  Value* wide(Value* value);
  // A scalar where it can be, a vector where it must be.
  Value* either(Value* value);
  void keep(llvm::Instruction& i, Value* value, Value* holds, Value* wide);
  void emit(llvm::Instruction& i);
  void emit_scalar(llvm::Instruction& i);
  Value* emit_wide(llvm::Instruction& i);
  Value* emit_division(llvm::BinaryOperator& i);
  Value* counting(llvm::Type* type, std::int64_t step);
  Value* any(Value* mask) { return build_.CreateOrReduce(mask); }
  Value* all(Value* mask) { return build_.CreateAndReduce(mask); }

  // --- memory (lane_memory.cpp) ---

  void emit_load(llvm::LoadInst& load);
  void emit_store(llvm::StoreInst& store);
  void emit_update(llvm::AtomicRMWInst& update);
  void emit_variable(llvm::AllocaInst& variable);
  Value* last_lane(Value* vector);
  // Neighbours read or write neighbouring elements.
  bool is_row(Value* address, llvm::Type* type);
  // What `quick` makes where `condition` holds, else what `other` makes.
  template <class Quick, class Other>
  Value* choose(Value* condition, Quick quick, Other other);

  // --- calls, and what lanes do one after the other (lane_calls.cpp) ---

  void emit_call(llvm::CallInst& call);
  Value* by_library(llvm::CallInst& call);
  void emit_each(llvm::Instruction& i, bool straight);
  // The instruction of one lane.
  llvm::Instruction* one(llvm::Instruction& i, Value* lane);
  Value* element(Value* value, Value* lane);
  // A row of what all lanes have, in memory; null where it is better taken out of a vector.
  llvm::AllocaInst* in_memory(Value* value);
  Value* made_again(Value* value, llvm::Instruction& user, unsigned lane, int depth);

  llvm::Function& region_;
  const LaneShapes& shapes_;
  const llvm::DominatorTree& dominators_;
  const llvm::PostDominatorTree& post_;
  llvm::LoopInfo& loops_;
  const llvm::TargetLibraryInfoImpl& library_;
  const llvm::DataLayout& layout_;
  llvm::LLVMContext& context_;
  llvm::Function* made_ = nullptr;
  llvm::BasicBlock* entry_ = nullptr;  // where variables are
  llvm::IRBuilder<> build_;
  const unsigned lanes_;
  Mask mask_ = nullptr;  // of the block that is being emitted
  std::vector<llvm::BasicBlock*> order_;
  llvm::DenseMap<llvm::BasicBlock*, llvm::BasicBlock*> owners_;
  llvm::DenseMap<llvm::BasicBlock*, llvm::AllocaInst*> masks_;
  llvm::DenseMap<llvm::BasicBlock*, llvm::AllocaInst*> again_;  // who makes another pass
  struct Kept {
    llvm::AllocaInst *scalar = nullptr, *holds = nullptr, *wide = nullptr;
  };
  llvm::DenseMap<const Value*, Kept> kept_;
  llvm::DenseMap<const Value*, Value*> addresses_;        // of variables with addresses
  llvm::DenseMap<const Value*, llvm::AllocaInst*> rows_;  // that lanes read one after the other
  llvm::AllocaInst* result_ = nullptr;
  bool parts_ = false;
};

}  // namespace heddle::clang_plugin
