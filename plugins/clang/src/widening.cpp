// Blocks, branches and loops of the code of several lanes.
#include "widening.h"

#include <llvm/ADT/MapVector.h>
#include <llvm/ADT/PostOrderIterator.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Target/TargetMachine.h>
#include <llvm/Transforms/InstCombine/InstCombine.h>
#include <llvm/Transforms/Scalar/ADCE.h>
#include <llvm/Transforms/Scalar/EarlyCSE.h>
#include <llvm/Transforms/Scalar/SimplifyCFG.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/Cloning.h>
#include <llvm/Transforms/Utils/FixIrreducible.h>
#include <llvm/Transforms/Utils/LCSSA.h>
#include <llvm/Transforms/Utils/LoopSimplify.h>
#include <llvm/Transforms/Utils/LowerAtomic.h>
#include <llvm/Transforms/Utils/LowerSwitch.h>
#include <llvm/Transforms/Utils/PromoteMemToReg.h>

#include "known.h"
#include "lane_code.h"

namespace heddle::clang_plugin {

LaneCode::LaneCode(llvm::Function& region, const LaneShapes& shapes,
                   const llvm::DominatorTree& dominators, const llvm::PostDominatorTree& post,
                   llvm::LoopInfo& loops, const llvm::TargetLibraryInfoImpl& library,
                   unsigned lanes)
    : region_(region),
      shapes_(shapes),
      dominators_(dominators),
      post_(post),
      loops_(loops),
      library_(library),
      layout_(region.getParent()->getDataLayout()),
      context_(region.getContext()),
      build_(context_),
      lanes_(lanes) {}

namespace {

// A number, an address, or several of them in a struct.
bool can_be_wide(llvm::Type* type) {
  if (const auto* members = llvm::dyn_cast<llvm::StructType>(type))
    return llvm::all_of(members->elements(), can_be_wide);
  return type->isPointerTy() || type->isIntegerTy() || type->isHalfTy() || type->isBFloatTy() ||
         type->isFloatTy() || type->isDoubleTy();
}

bool is_plain(llvm::Type* type, const llvm::DataLayout& layout) {
  return can_be_wide(type) && !type->isStructTy() &&
         layout.getTypeSizeInBits(type) == layout.getTypeAllocSizeInBits(type);
}

// One lane may wait in a loop for what another one does, which has left it: locks. Lanes that go on
// together would wait for ever.
bool may_wait(const llvm::Instruction& i) {
  if (llvm::isa<llvm::AtomicCmpXchgInst>(i)) return true;
  if (const auto* update = llvm::dyn_cast<llvm::AtomicRMWInst>(&i)) return !update->use_empty();
  const auto* load = llvm::dyn_cast<llvm::LoadInst>(&i);
  return load && !load->isSimple();
}

}  // namespace

bool LaneCode::is_possible(llvm::Function& region, const LaneShapes& shapes,
                           const llvm::LoopInfo& loops) {
  const llvm::DataLayout& layout = region.getParent()->getDataLayout();
  for (llvm::Instruction& i : llvm::instructions(region)) {
    if (i.isTerminator() &&
        !llvm::isa<llvm::BranchInst, llvm::ReturnInst, llvm::UnreachableInst>(i))
      return false;
    const Shape shape = shapes.of(i);
    if (shape.kind == Shape::varying && !can_be_wide(i.getType())) return false;
    if (const auto* load = llvm::dyn_cast<llvm::LoadInst>(&i)) {
      if (shape.kind == Shape::varying && !is_plain(load->getType(), layout)) return false;
    } else if (const auto* store = llvm::dyn_cast<llvm::StoreInst>(&i)) {
      if (!is_plain(store->getValueOperand()->getType(), layout) &&
          shapes.of(*store->getPointerOperand()).kind != Shape::uniform)
        return false;
      if (!store->isSimple()) return false;
    } else if (llvm::isa<llvm::AllocaInst>(i) && shape.kind != Shape::affine) {
      return false;
    } else if (llvm::isa<llvm::VAArgInst, llvm::ShuffleVectorInst, llvm::ExtractElementInst,
                         llvm::InsertElementInst>(i) &&
               shape.kind != Shape::uniform) {
      return false;
    }
    if (!may_wait(i)) continue;
    for (const llvm::Loop* loop = loops.getLoopFor(i.getParent()); loop;
         loop = loop->getParentLoop()) {
      if (shapes.is_divergent(*loop)) return false;
    }
  }
  return true;
}

Widened LaneCode::run() {
  std::vector<llvm::Type*> types;
  for (const llvm::Argument& a : region_.args()) types.push_back(a.getType());
  auto* number = llvm::Type::getInt32Ty(context_);
  for (llvm::BasicBlock& block : region_) {
    const auto* ret = llvm::dyn_cast<llvm::ReturnInst>(block.getTerminator());
    if (ret) parts_ |= is_parted(block) || !shapes_.of(*ret->getReturnValue()).is_scalar();
  }
  llvm::Type* result = parts_ ? wide_type(number) : number;
  made_ = llvm::Function::Create(llvm::FunctionType::get(result, types, false),
                                 llvm::Function::InternalLinkage, region_.getName() + ".lanes",
                                 region_.getParent());
  made_->setDoesNotThrow();
  entry_ = llvm::BasicBlock::Create(context_, "entry", made_);
  llvm::BasicBlock* start = llvm::BasicBlock::Create(context_, "start", made_);
  const llvm::ReversePostOrderTraversal<llvm::Function*> order(&region_);
  order_.assign(order.begin(), order.end());
  result_ = variable(result, "result");
  make_variables();
  build_.SetInsertPoint(start);
  emit_level(nullptr);
  build_.CreateRet(build_.CreateLoad(result, result_));
  llvm::IRBuilder<>(entry_).CreateBr(start);

  std::vector<llvm::AllocaInst*> variables;
  for (llvm::Instruction& i : *entry_) {
    auto* made = llvm::dyn_cast<llvm::AllocaInst>(&i);
    if (made && llvm::isAllocaPromotable(made)) variables.push_back(made);
  }
  llvm::DominatorTree dominators(*made_);
  llvm::PromoteMemToReg(variables, dominators);
  return {made_, parts_};
}

llvm::AllocaInst* LaneCode::variable(llvm::Type* type, const llvm::Twine& name) {
  return llvm::IRBuilder<>(entry_).CreateAlloca(type, nullptr, name);
}

// --- who is where ---

bool LaneCode::always_comes_to(llvm::BasicBlock* from, llvm::BasicBlock* to) const {
  const llvm::Loop* loop = loops_.getLoopFor(from);
  if (loops_.getLoopFor(to) != loop || !post_.dominates(to, from)) return false;
  if (!loop) return true;
  // In this pass of the loop, not in another one.
  llvm::SmallPtrSet<llvm::BasicBlock*, 16> seen;
  std::vector<llvm::BasicBlock*> todo(llvm::succ_begin(from), llvm::succ_end(from));
  while (!todo.empty()) {
    llvm::BasicBlock* block = todo.back();
    todo.pop_back();
    if (block == to || !seen.insert(block).second) continue;
    if (block == loop->getHeader()) return false;
    for (llvm::BasicBlock* next : llvm::successors(block)) todo.push_back(next);
  }
  return true;
}

llvm::BasicBlock* LaneCode::owner(llvm::BasicBlock* block) {
  if (const auto found = owners_.find(block); found != owners_.end()) return found->second;
  llvm::BasicBlock* made = block;
  const auto* node = dominators_.getNode(block);
  const bool begins_loop = loops_.isLoopHeader(block);
  for (const auto* above = node->getIDom(); above && !begins_loop; above = above->getIDom()) {
    if (always_comes_to(above->getBlock(), block)) {
      made = owner(above->getBlock());
      break;
    }
  }
  return owners_[block] = made;
}

void LaneCode::make_variables() {
  llvm::Type* bit = llvm::Type::getInt1Ty(context_);
  llvm::IRBuilder<> build(entry_);
  for (llvm::BasicBlock* block : order_) {
    llvm::Type* type = is_parted(*block) ? wide_type(bit) : bit;
    if (owner(block) == block && block != order_.front()) {
      masks_[block] = variable(type, "mask");
      build.CreateStore(llvm::Constant::getNullValue(type), masks_[block]);
    }
    if (loops_.isLoopHeader(block)) again_[block] = variable(type, "again");
    for (llvm::Instruction& i : *block) {
      if (i.getType()->isVoidTy()) continue;
      const Shape shape = shapes_.of(i);
      Kept& kept = kept_[&i];
      if (shape.kind != Shape::varying) kept.scalar = variable(i.getType(), "");
      if (shape.assumed) kept.holds = variable(bit, "");
      if (shape.assumed || shape.kind == Shape::varying)
        kept.wide = variable(wide_type(i.getType()), "");
    }
  }
}

// --- blocks ---

// Blocks in an order in which each comes after those it is reached from; loops in one piece.
void LaneCode::emit_level(llvm::Loop* loop) {
  llvm::SmallPtrSet<llvm::Loop*, 4> done;
  for (llvm::BasicBlock* block : order_) {
    llvm::Loop* inner = loops_.getLoopFor(block);
    if (inner == loop) {
      emit_block(*block);
      continue;
    }
    while (inner && inner->getParentLoop() != loop) inner = inner->getParentLoop();
    if (inner && done.insert(inner).second) emit_loop(*inner);
  }
}

llvm::Value* LaneCode::is_taken(llvm::BasicBlock& block) {
  const auto found = masks_.find(owner(&block));
  if (found == masks_.end()) return nullptr;
  llvm::Value* mask = build_.CreateLoad(found->second->getAllocatedType(), found->second);
  return mask->getType()->isVectorTy() ? any(mask) : mask;
}

void LaneCode::emit_loop(llvm::Loop& loop) {
  llvm::BasicBlock* header = loop.getHeader();
  llvm::BasicBlock* begin = llvm::BasicBlock::Create(context_, "pass", made_);
  llvm::BasicBlock* after = llvm::BasicBlock::Create(context_, "passed", made_);
  if (llvm::Value* taken = is_taken(*header)) {
    build_.CreateCondBr(taken, begin, after);
  } else {
    build_.CreateBr(begin);
  }
  build_.SetInsertPoint(begin);
  for (llvm::BasicBlock* block : loop.blocks()) {
    const auto found = masks_.find(block);
    if (block != header && found != masks_.end())
      build_.CreateStore(llvm::Constant::getNullValue(found->second->getAllocatedType()),
                         found->second);
  }
  llvm::AllocaInst* again = again_[header];
  llvm::Type* type = again->getAllocatedType();
  build_.CreateStore(llvm::Constant::getNullValue(type), again);
  emit_level(&loop);
  llvm::Value* who = build_.CreateLoad(type, again);
  build_.CreateStore(who, masks_[header]);
  build_.CreateCondBr(type->isVectorTy() ? any(who) : who, begin, after);
  build_.SetInsertPoint(after);
}

bool LaneCode::needs_guard(llvm::BasicBlock& block) const {
  constexpr int few = 8;
  int count = 0;
  for (const llvm::Instruction& i : block) {
    if (i.mayReadOrWriteMemory() || llvm::isa<llvm::CallInst>(i)) return true;
    if (const auto* operation = llvm::dyn_cast<llvm::BinaryOperator>(&i);
        operation && operation->isIntDivRem())
      return true;
    ++count;
  }
  if (count > few) return true;
  for (const llvm::BasicBlock* next : llvm::successors(&block)) {
    for (const llvm::PHINode& phi : next->phis()) {
      if (shapes_.of(phi).is_scalar()) return true;
    }
  }
  return false;
}

void LaneCode::emit_block(llvm::BasicBlock& block) {
  const llvm::Loop* loop = loops_.getLoopFor(&block);
  const bool first = loop && loop->getHeader() == &block;
  const bool divergent = is_parted(block);
  if (first || (divergent && !needs_guard(block))) return emit_body(block);
  // Who is there was asked where the owner of the mask begins, if that is around all of this.
  llvm::BasicBlock* asked = owner(&block);
  if (loop && asked == loop->getHeader()) return emit_body(block);
  llvm::Value* taken = is_taken(block);
  if (!taken) return emit_body(block);
  llvm::BasicBlock* body = llvm::BasicBlock::Create(context_, block.getName(), made_);
  llvm::BasicBlock* after = llvm::BasicBlock::Create(context_, "after", made_);
  build_.CreateCondBr(taken, body, after);
  build_.SetInsertPoint(body);
  emit_body(block);
  build_.CreateBr(after);
  build_.SetInsertPoint(after);
}

void LaneCode::emit_body(llvm::BasicBlock& block) {
  mask_ = nullptr;
  if (is_parted(block)) {
    llvm::AllocaInst* mask = masks_[owner(&block)];
    mask_ = build_.CreateLoad(mask->getAllocatedType(), mask);
  }
  for (llvm::Instruction& i : block) {
    if (llvm::isa<llvm::PHINode>(i)) continue;
    if (i.isTerminator()) {
      emit_end(block);
    } else {
      emit(i);
    }
  }
}

void LaneCode::emit_end(llvm::BasicBlock& block) {
  llvm::Instruction* end = block.getTerminator();
  if (auto* ret = llvm::dyn_cast<llvm::ReturnInst>(end)) return emit_return(*ret);
  auto* branch = llvm::dyn_cast<llvm::BranchInst>(end);
  if (!branch) return;  // nobody comes there
  if (!branch->isConditional() || branch->getSuccessor(0) == branch->getSuccessor(1)) {
    emit_edge(block, *branch->getSuccessor(0), nullptr, true);
    return;
  }
  llvm::Value* condition = either(branch->getCondition());
  // All that an edge sets may be read by the other one: the edge back to a loop's beginning last.
  const bool back = loops_.isLoopHeader(branch->getSuccessor(0)) &&
                    loops_.getLoopFor(branch->getSuccessor(0))->contains(&block);
  for (const unsigned k : {back ? 1U : 0U, back ? 0U : 1U})
    emit_edge(block, *branch->getSuccessor(k), condition, k == 0);
}

void LaneCode::emit_edge(llvm::BasicBlock& from, llvm::BasicBlock& to, llvm::Value* condition,
                         bool answer) {
  // Who takes it: `bits` of lanes, where they part, and `one` for all of them.
  llvm::Value* one = nullptr;
  llvm::Value* bits = mask_;
  if (condition) {
    llvm::Value* wanted = answer ? condition : build_.CreateNot(condition);
    if (wanted->getType()->isVectorTy()) {
      bits = mask_ ? build_.CreateLogicalAnd(mask_, wanted) : wanted;
    } else {
      one = wanted;
      if (mask_)
        bits = build_.CreateSelect(wanted, mask_, llvm::Constant::getNullValue(mask_->getType()));
    }
  }
  const llvm::Loop* loop = loops_.getLoopFor(&to);
  const bool back = loop && loop->getHeader() == &to && loop->contains(&from);
  llvm::AllocaInst* mask = back ? again_[&to] : masks_.lookup(&to);
  if (mask) {
    llvm::Type* type = mask->getAllocatedType();
    llvm::Value* taken = nullptr;
    if (type->isVectorTy()) {
      taken = bits  ? bits
              : one ? build_.CreateVectorSplat(lanes_, one)
                    : llvm::Constant::getAllOnesValue(type);
    } else {
      taken = bits ? any(bits) : one ? one : build_.getTrue();
    }
    build_.CreateStore(build_.CreateOr(build_.CreateLoad(type, mask), taken), mask);
  }
  // All are read before any is set.
  struct Set {
    llvm::AllocaInst* variable;
    llvm::Value* value;
    bool wide;
  };
  std::vector<Set> sets;
  for (llvm::PHINode& phi : to.phis()) {
    llvm::Value* value = phi.getIncomingValueForBlock(&from);
    const Kept& kept = kept_[&phi];
    if (kept.scalar) sets.push_back({kept.scalar, scalar(value), false});
    if (kept.holds) {
      llvm::Value* held = holds(value);
      sets.push_back({kept.holds, held ? held : build_.getTrue(), false});
    }
    if (kept.wide) sets.push_back({kept.wide, wide(value), true});
  }
  for (const Set& set : sets) {
    llvm::Value* value = set.value;
    const auto old = [&] {
      return build_.CreateLoad(set.variable->getAllocatedType(), set.variable);
    };
    if (set.wide && bits) {
      value = build_.CreateSelect(bits, value, old());
    } else if (!back && one) {
      value = build_.CreateSelect(one, value, old());
    } else if (!back && bits && condition) {
      value = build_.CreateSelect(any(bits), value, old());
    }
    build_.CreateStore(value, set.variable);
  }
}

void LaneCode::emit_return(llvm::ReturnInst& ret) {
  llvm::Value* value = ret.getReturnValue();
  if (!parts_) {
    build_.CreateStore(scalar(value), result_);
    return;
  }
  value = wide(value);
  if (mask_)
    value = build_.CreateSelect(mask_, value, build_.CreateLoad(value->getType(), result_));
  build_.CreateStore(value, result_);
}

// --- from the code of a thread ---

namespace {

// A kernel that is to stop does so at once, for all lanes: such a branch is none of the code's own.
// What is left calls `leave` with the condition.
void leave_at_stops(llvm::Function& f) {
  std::vector<llvm::BranchInst*> stops;
  for (llvm::BasicBlock& block : f) {
    auto* branch = llvm::dyn_cast<llvm::BranchInst>(block.getTerminator());
    if (branch && branch->isConditional() && branch->getMetadata(stop_metadata))
      stops.push_back(branch);
  }
  llvm::LLVMContext& context = f.getContext();
  llvm::FunctionCallee leave = f.getParent()->getOrInsertFunction(
      leave_name, llvm::Type::getVoidTy(context), llvm::Type::getInt1Ty(context));
  for (llvm::BranchInst* branch : stops) {
    llvm::IRBuilder<> build(branch);
    build.CreateCall(leave, {branch->getCondition()});
    branch->getSuccessor(0)->removePredecessor(branch->getParent());
    build.CreateBr(branch->getSuccessor(1));
    branch->eraseFromParent();
  }
  llvm::EliminateUnreachableBlocks(f);
}

// Passes join all ways out of a function in one block; ways that give different numbers are apart
// again.
void part_returns(llvm::Function& f) {
  for (llvm::BasicBlock& block : llvm::make_early_inc_range(f)) {
    auto* ret = llvm::dyn_cast<llvm::ReturnInst>(block.getTerminator());
    auto* phi = ret ? llvm::dyn_cast<llvm::PHINode>(ret->getReturnValue()) : nullptr;
    if (!phi || phi->getParent() != &block || &*block.getFirstNonPHIIt() != ret) continue;
    llvm::MapVector<llvm::Constant*, std::vector<llvm::BasicBlock*>> ways;
    for (unsigned i = 0; i < phi->getNumIncomingValues(); ++i) {
      if (auto* number = llvm::dyn_cast<llvm::Constant>(phi->getIncomingValue(i)))
        ways[number].push_back(phi->getIncomingBlock(i));
    }
    for (auto& [number, from] : ways) {
      llvm::BasicBlock* made = llvm::BasicBlock::Create(f.getContext(), "ret", &f);
      llvm::IRBuilder<>(made).CreateRet(number);
      for (llvm::BasicBlock* before : from) {
        block.removePredecessor(before, /*KeepOneInputPHIs=*/true);
        before->getTerminator()->replaceSuccessorWith(&block, made);
      }
    }
  }
  llvm::EliminateUnreachableBlocks(f);
}

void prepare(llvm::Function& f, llvm::TargetMachine& machine) {
  llvm::PassBuilder builder(&machine);
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager graphs;
  llvm::ModuleAnalysisManager modules;
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(graphs);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, graphs, modules);
  llvm::FunctionPassManager passes;
  passes.addPass(llvm::EarlyCSEPass());
  passes.addPass(llvm::InstCombinePass());
  passes.addPass(llvm::SimplifyCFGPass());
  passes.addPass(llvm::ADCEPass());
  passes.run(f, functions);
  part_returns(f);
  functions.clear();
  passes = llvm::FunctionPassManager();
  passes.addPass(llvm::LowerSwitchPass());
  passes.addPass(llvm::FixIrreduciblePass());
  passes.addPass(llvm::LoopSimplifyPass());
  passes.addPass(llvm::LCSSAPass());
  passes.run(f, functions);
}

// In a loop whose lanes are less than a line of memory, each line is come to several times, in
// turns that may be far from each other.
unsigned lanes_of_a_line(llvm::Function& f, const LaneShapes& shapes, const llvm::LoopInfo& loops) {
  constexpr unsigned line_bytes = 64, large = 100;
  unsigned most = usual_lanes;
  if (f.getInstructionCount() > large) return most;
  for (llvm::Instruction& i : llvm::instructions(f)) {
    const auto* load = llvm::dyn_cast<llvm::LoadInst>(&i);
    if (!load || !loops.getLoopFor(i.getParent())) continue;
    const Shape shape = shapes.of(*load->getPointerOperand());
    const std::uint64_t bytes = f.getDataLayout().getTypeAllocSize(i.getType()).getFixedValue();
    if (shape.kind == Shape::affine && shape.step == static_cast<std::int64_t>(bytes))
      most = std::max(most, line_bytes / static_cast<unsigned>(bytes));
  }
  return most;
}

bool has_simple_loops(const llvm::LoopInfo& loops) {
  for (const llvm::Loop* loop : loops.getLoopsInPreorder()) {
    if (!loop->isLoopSimplifyForm()) return false;
  }
  return true;
}

}  // namespace

Widened widen(llvm::Function& region, unsigned x, unsigned thread, llvm::TargetMachine& machine,
              unsigned lanes) {
  llvm::ValueToValueMapTy map;
  llvm::Function* copy = llvm::CloneFunction(&region, map);
  leave_at_stops(*copy);
  prepare(*copy, machine);
  Widened made;
  {
    const llvm::DominatorTree dominators(*copy);
    llvm::LoopInfo loops(dominators);
    const llvm::PostDominatorTree post(*copy);
    llvm::TargetLibraryInfoImpl library(machine.getTargetTriple());
    library.addVectorizableFunctionsFromVecLib(llvm::VectorLibrary::LIBMVEC,
                                               machine.getTargetTriple());
    const LaneShapes shapes(*copy, loops, post, {x, thread});
    if (has_simple_loops(loops) && LaneCode::is_possible(*copy, shapes, loops))
      made = LaneCode(*copy, shapes, dominators, post, loops, library, lanes).run();
    made.lanes = lanes;
    made.line = lanes_of_a_line(*copy, shapes, loops);
  }
  copy->eraseFromParent();
  return made;
}

void lower_relaxed(llvm::Function& function, const char* in_order) {
  std::vector<llvm::Instruction*> atomics;
  for (llvm::Instruction& i : llvm::instructions(function)) {
    if (i.getMetadata(relaxed_metadata)) atomics.push_back(&i);
  }
  for (llvm::Instruction* i : atomics) {
    llvm::BasicBlock* block = i->getParent();
    llvm::Instruction* before = i->getPrevNode();
    llvm::Instruction* after = i->getNextNode();
    if (auto* update = llvm::dyn_cast<llvm::AtomicRMWInst>(i)) {
      llvm::lowerAtomicRMWInst(update);
    } else {
      llvm::lowerAtomicCmpXchgInst(llvm::cast<llvm::AtomicCmpXchgInst>(i));
    }
    // Threads depend on each other there: one sees what another has written.
    llvm::MDNode* mark = llvm::MDNode::get(function.getContext(), {});
    for (llvm::Instruction* made = before ? before->getNextNode() : &block->front(); made != after;
         made = made->getNextNode()) {
      if (made->mayReadOrWriteMemory()) made->setMetadata(in_order, mark);
    }
  }
}

}  // namespace heddle::clang_plugin
