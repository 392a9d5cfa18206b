#include "crossing.h"

#include <map>

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/MapVector.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/Local.h>

#include "uniformity.h"

namespace heddle::clang_plugin {
namespace {

using BlockSet = llvm::SmallPtrSet<const llvm::BasicBlock*, 16>;

std::vector<Cut> cut_at_sites(llvm::Function& kernel) {
  std::vector<Cut> cuts;
  std::vector<llvm::CallInst*> calls;
  for (llvm::Instruction& i : llvm::instructions(kernel)) {
    if (site_of(i)) calls.push_back(llvm::cast<llvm::CallInst>(&i));
  }
  llvm::Module& module = *kernel.getParent();
  llvm::LLVMContext& context = module.getContext();
  auto* number = llvm::Type::getInt32Ty(context);
  for (llvm::CallInst* call : calls) {
    const Site kind = *site_of(*call);
    llvm::BasicBlock* before = call->getParent();
    llvm::BasicBlock* at = before->splitBasicBlock(call, "site");
    llvm::BasicBlock* resumed = at->splitBasicBlock(std::next(call->getIterator()), "resumed");
    if (!call->getType()->isVoidTy()) {
      // What is taken is a value of its own, made where threads go on.
      const bool wide = call->getType()->isIntegerTy(64);
      llvm::FunctionCallee taken = module.getOrInsertFunction(
          std::string(taken_name) + (wide ? "_wide" : ""), call->getType(), number);
      llvm::IRBuilder<> build(resumed, resumed->getFirstInsertionPt());
      call->replaceAllUsesWith(
          build.CreateCall(taken, {llvm::ConstantInt::get(number, static_cast<int>(kind))}));
    }
    cuts.push_back({kind, call, resumed});
  }
  return cuts;
}

// Blocks at whose beginning a value is wanted.
BlockSet alive_in(const llvm::Instruction& value) {
  BlockSet alive;
  const llvm::BasicBlock* home = value.getParent();
  std::vector<const llvm::BasicBlock*> todo;
  const auto want_at_end = [&](const llvm::BasicBlock* block) {
    if (block != home) todo.push_back(block);
  };
  for (const llvm::Use& use : value.uses()) {
    const auto* user = llvm::cast<llvm::Instruction>(use.getUser());
    if (const auto* phi = llvm::dyn_cast<llvm::PHINode>(user)) {
      want_at_end(phi->getIncomingBlock(use));
    } else if (user->getParent() != home) {
      todo.push_back(user->getParent());
    }
  }
  while (!todo.empty()) {
    const llvm::BasicBlock* block = todo.back();
    todo.pop_back();
    if (!alive.insert(block).second) continue;
    for (const llvm::BasicBlock* before : llvm::predecessors(block)) want_at_end(before);
  }
  return alive;
}

bool crosses(const BlockSet& alive, const std::vector<Cut>& cuts) {
  for (const Cut& c : cuts) {
    if (alive.contains(c.resumed)) return true;
  }
  return false;
}

// --- values that are made again ---

class Remaking {
 public:
  Remaking(const Uniformity& uniformity, bool keeps_uniform)
      : uniformity_(uniformity), keeps_uniform_(keeps_uniform) {}

  // Whether it follows from arguments, places of threads and, where those are kept, values that are
  // the same for all.
  bool can(const llvm::Value* value) { return cost(value) <= most; }

  llvm::Value* at(llvm::Value* value, llvm::Instruction* before,
                  std::map<llvm::Value*, llvm::Value*>& made) {
    auto* i = llvm::dyn_cast<llvm::Instruction>(value);
    if (!i || !is_pure(*i) || is_leaf(*i)) return value;
    if (const auto found = made.find(value); found != made.end()) return found->second;
    llvm::Instruction* copy = i->clone();
    for (llvm::Use& use : copy->operands()) use.set(at(use.get(), before, made));
    copy->insertBefore(before->getIterator());
    return made[value] = copy;
  }

  // A uniform one that is not made of arguments alone is kept itself: that costs one place.
  bool is_leaf(const llvm::Instruction& i) const {
    return keeps_uniform_ && uniformity_.is_uniform(i) && !place_of(i) && !from_arguments(i, 8);
  }

 private:
  static constexpr int most = 24;

  static bool is_pure(const llvm::Instruction& i) {
    if (place_of(i) || is_base(i)) return true;
    if (llvm::isa<llvm::PHINode>(i) || i.mayReadOrWriteMemory()) return false;
    return llvm::isa<llvm::BinaryOperator, llvm::CastInst, llvm::CmpInst, llvm::GetElementPtrInst,
                     llvm::SelectInst, llvm::UnaryOperator, llvm::FreezeInst>(i) ||
           llvm::isa<llvm::MinMaxIntrinsic>(i);
  }
  static bool from_arguments(const llvm::Value& value, int depth) {
    const auto* i = llvm::dyn_cast<llvm::Instruction>(&value);
    if (!i) return true;
    if (place_of(*i) || is_base(*i)) return true;
    if (depth == 0 || !is_pure(*i)) return false;
    for (const llvm::Use& use : i->operands()) {
      if (!from_arguments(*use.get(), depth - 1)) return false;
    }
    return true;
  }
  int cost(const llvm::Value* value) {
    const auto* i = llvm::dyn_cast<llvm::Instruction>(value);
    if (!i) return 0;
    if (const auto found = costs_.find(value); found != costs_.end()) return found->second;
    int total = most + 1;
    if (is_leaf(*i)) {
      total = 0;
    } else if (is_pure(*i)) {
      total = 1;
      for (const llvm::Use& use : i->operands())
        total = std::min(most + 1, total + cost(use.get()));
    }
    return costs_[value] = total;
  }

  const Uniformity& uniformity_;
  bool keeps_uniform_;
  llvm::DenseMap<const llvm::Value*, int> costs_;
};

void make_again(llvm::Function& kernel, const std::vector<Cut>& cuts,
                const Uniformity& uniformity) {
  const bool keeps_uniform = !uniformity.diverges();
  Remaking remaking(uniformity, keeps_uniform);
  std::vector<llvm::Instruction*> all;
  for (llvm::Instruction& i : llvm::instructions(kernel)) all.push_back(&i);
  for (llvm::Instruction* i : all) {
    if (i->getType()->isVoidTy() || llvm::isa<llvm::AllocaInst>(i) || !remaking.can(i)) continue;
    if (remaking.is_leaf(*i)) continue;
    if (!crosses(alive_in(*i), cuts)) continue;
    std::vector<llvm::Use*> uses;
    for (llvm::Use& use : i->uses()) uses.push_back(&use);
    // Once in each block that uses it.
    llvm::DenseMap<llvm::BasicBlock*, llvm::Value*> in_block;
    for (llvm::Use* use : uses) {
      auto* user = llvm::cast<llvm::Instruction>(use->getUser());
      auto* phi = llvm::dyn_cast<llvm::PHINode>(user);
      llvm::BasicBlock* block = phi ? phi->getIncomingBlock(*use) : user->getParent();
      if (block == i->getParent()) continue;
      llvm::Value*& made = in_block[block];
      if (!made) {
        llvm::Instruction* before = &*block->getFirstInsertionPt();
        // A site begins its block, and stays there.
        if (site_of(*before)) {
          llvm::BasicBlock* single = block->getSinglePredecessor();
          before = single ? single->getTerminator() : nullptr;
        }
        if (!before || before->getParent() == i->getParent()) {
          made = i;
        } else {
          std::map<llvm::Value*, llvm::Value*> chain;
          made = remaking.at(i, before, chain);
        }
      }
      use->set(made);
    }
  }
  for (llvm::BasicBlock& block : kernel) llvm::SimplifyInstructionsInBlock(&block);
}

// --- variables whose address is used ---

void reach(const llvm::BasicBlock* start, BlockSet& seen) {
  std::vector<const llvm::BasicBlock*> todo = {start};
  while (!todo.empty()) {
    const llvm::BasicBlock* block = todo.back();
    todo.pop_back();
    for (const llvm::BasicBlock* next : llvm::successors(block)) {
      if (seen.insert(next).second) todo.push_back(next);
    }
  }
}

bool memory_crosses(llvm::AllocaInst& variable, const std::vector<Cut>& cuts) {
  BlockSet used;
  std::vector<const llvm::Value*> todo = {&variable};
  llvm::SmallPtrSet<const llvm::Value*, 16> seen;
  bool escapes = false;
  while (!todo.empty()) {
    const llvm::Value* value = todo.back();
    todo.pop_back();
    if (!seen.insert(value).second) continue;
    for (const llvm::User* user : value->users()) {
      const auto* i = llvm::cast<llvm::Instruction>(user);
      used.insert(i->getParent());
      if (const auto* store = llvm::dyn_cast<llvm::StoreInst>(i)) {
        if (store->getValueOperand() == value) escapes = true;
      } else if (const auto* call = llvm::dyn_cast<llvm::CallBase>(i)) {
        if (!llvm::isa<llvm::MemIntrinsic>(call)) escapes = true;
      } else if (i->getType()->isPointerTy() || llvm::isa<llvm::PtrToIntInst>(i)) {
        if (llvm::isa<llvm::PtrToIntInst>(i)) escapes = true;
        todo.push_back(i);
      }
    }
  }
  if (escapes) return true;
  for (const Cut& c : cuts) {
    bool before = false, after = false;
    BlockSet later;
    later.insert(c.resumed);
    reach(c.resumed, later);
    for (const llvm::BasicBlock* block : used) after |= later.contains(block);
    if (!after) continue;
    for (const llvm::BasicBlock* block : used) {
      BlockSet next;
      reach(block, next);
      before |= block == c.call->getParent() || next.contains(c.call->getParent());
    }
    if (before) return true;
  }
  return false;
}

std::uint64_t rounded(std::uint64_t bytes, std::uint64_t to) { return (bytes + to - 1) / to * to; }

}  // namespace

Crossing cut(llvm::Function& kernel) {
  Crossing made;
  made.cuts = cut_at_sites(kernel);
  if (made.cuts.empty()) return made;
  const llvm::DataLayout& layout = kernel.getParent()->getDataLayout();
  {
    const Uniformity uniformity(kernel);
    make_again(kernel, made.cuts, uniformity);
  }
  const Uniformity uniformity(kernel);
  const bool keeps_uniform = !uniformity.diverges();

  std::vector<llvm::AllocaInst*> variables;
  std::vector<std::pair<llvm::Instruction*, BlockSet>> values;
  for (llvm::Instruction& i : llvm::instructions(kernel)) {
    if (auto* variable = llvm::dyn_cast<llvm::AllocaInst>(&i);
        variable && variable->isStaticAlloca()) {
      variables.push_back(variable);
    } else if (!i.getType()->isVoidTy() && !i.getType()->isTokenTy()) {
      BlockSet alive = alive_in(i);
      if (crosses(alive, made.cuts)) values.emplace_back(&i, std::move(alive));
    }
  }
  for (llvm::AllocaInst* variable : variables) {
    if (!memory_crosses(*variable, made.cuts)) continue;
    const std::uint64_t size = rounded(variable->getAllocationSize(layout)->getFixedValue(),
                                       std::max<std::uint64_t>(variable->getAlign().value(), 8));
    made.memory.push_back({variable, made.row_bytes, size});
    made.row_bytes += size;
  }
  const llvm::BasicBlock::iterator top = kernel.getEntryBlock().getFirstInsertionPt();
  for (auto& [value, alive] : values) {
    const std::uint64_t size = layout.getTypeAllocSize(value->getType()).getFixedValue();
    Kept kept;
    kept.uniform = keeps_uniform && uniformity.is_uniform(*value);
    for (const Cut& c : made.cuts) {
      if (alive.contains(c.resumed)) kept.alive.push_back(c.resumed);
    }
    if (kept.uniform) {
      made.uniform_bytes =
          rounded(made.uniform_bytes, layout.getABITypeAlign(value->getType()).value());
      kept.offset = made.uniform_bytes;
      made.uniform_bytes += size;
    } else {
      kept.offset = made.row_bytes;
      made.row_bytes += size;
    }
    kept.variable = llvm::DemoteRegToStack(*value, false, top);
    if (kept.variable) made.values.push_back(std::move(kept));
  }
  return made;
}

}  // namespace heddle::clang_plugin
