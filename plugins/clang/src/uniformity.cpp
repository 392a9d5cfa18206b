#include "uniformity.h"

#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>

#include "known.h"

namespace heddle::clang_plugin {
namespace {

// Whether it varies whatever its operands are.
bool is_source(const llvm::Instruction& i) {
  if (const auto place = place_of(i)) return !clang_plugin::is_uniform(*place);
  if (llvm::isa<llvm::AllocaInst>(i)) return true;
  if (is_call_of(i, stop_name)) return false;
  if (const auto* load = llvm::dyn_cast<llvm::LoadInst>(&i)) {
    // Memory that is read at one place between two barriers is the same for all, or raced for.
    return !load->isSimple() ||
           llvm::isa<llvm::AllocaInst>(llvm::getUnderlyingObject(load->getPointerOperand()));
  }
  if (is_call_of(i, taken_name)) {
    const auto kind = static_cast<Site>(
        llvm::cast<llvm::ConstantInt>(llvm::cast<llvm::CallInst>(i).getArgOperand(0))
            ->getSExtValue());
    return !is_of_a_block(kind);
  }
  if (const auto* call = llvm::dyn_cast<llvm::CallBase>(&i))
    return !call->getType()->isVoidTy() && !call->doesNotAccessMemory();
  return i.mayReadOrWriteMemory() && !i.getType()->isVoidTy();
}

bool begins_with_site(const llvm::BasicBlock& block) { return site_of(block.front()).has_value(); }

}  // namespace

Uniformity::Uniformity(llvm::Function& function)
    : function_(function), dominators_(function), loops_(dominators_), post_(function) {
  for (llvm::Instruction& i : llvm::instructions(function)) {
    if (is_source(i)) mark(&i);
  }
  spread();
  find_divergence();
}

void Uniformity::mark(llvm::Value* value) {
  if (varying_.insert(value).second) work_.push_back(value);
}

void Uniformity::spread() {
  while (!work_.empty()) {
    llvm::Value* value = work_.back();
    work_.pop_back();
    for (llvm::User* user : value->users()) {
      auto* i = llvm::dyn_cast<llvm::Instruction>(user);
      if (!i) continue;
      if (i->isTerminator()) {
        if (i->getNumSuccessors() > 1 && branches_.insert(i).second) branch(*i);
      } else if (is_call_of(*i, taken_name) || site_of(*i) ||
                 (place_of(*i) && clang_plugin::is_uniform(*place_of(*i)))) {
        // What they give does not depend on who asks.
      } else if (!i->getType()->isVoidTy()) {
        mark(i);
      }
    }
  }
}

Uniformity::Blocks Uniformity::reached(llvm::BasicBlock* start, llvm::BasicBlock* from,
                                       llvm::BasicBlock* end, bool through_sites) const {
  Blocks seen;
  std::vector<llvm::BasicBlock*> todo = {start};
  while (!todo.empty()) {
    llvm::BasicBlock* block = todo.back();
    todo.pop_back();
    if (!seen.insert(block).second || block == end || block == from) continue;
    if (!through_sites && begins_with_site(*block)) continue;
    for (llvm::BasicBlock* next : llvm::successors(block)) todo.push_back(next);
  }
  return seen;
}

// Where threads that took different ways meet, they bring different values; and those who leave a
// loop at different times have what it made then.
void Uniformity::branch(llvm::Instruction& terminator) {
  llvm::BasicBlock* from = terminator.getParent();
  const auto* node = post_.getNode(from);
  llvm::BasicBlock* join = node && node->getIDom() ? node->getIDom()->getBlock() : nullptr;
  std::vector<Blocks> ways;
  llvm::SmallPtrSet<llvm::BasicBlock*, 4> starts;
  for (llvm::BasicBlock* next : llvm::successors(from)) {
    if (starts.insert(next).second) ways.push_back(reached(next, from, join, true));
  }
  for (llvm::BasicBlock& block : function_) {
    int count = 0;
    for (const Blocks& way : ways) count += way.contains(&block);
    if (count < 2) continue;
    for (llvm::PHINode& phi : block.phis()) {
      if (!phi.hasConstantOrUndefValue()) mark(&phi);
    }
  }
  for (llvm::Loop* loop = loops_.getLoopFor(from); loop; loop = loop->getParentLoop()) {
    bool leaves = false;
    for (llvm::BasicBlock* next : llvm::successors(from)) leaves |= !loop->contains(next);
    if (!leaves) break;
    for (llvm::BasicBlock* block : loop->blocks()) {
      for (llvm::Instruction& i : *block) {
        for (llvm::User* user : i.users()) {
          auto* used = llvm::dyn_cast<llvm::Instruction>(user);
          if (used && !loop->contains(used->getParent())) {
            mark(&i);
            break;
          }
        }
      }
    }
  }
}

void Uniformity::find_divergence() {
  for (const llvm::Instruction* terminator : branches_) {
    auto* from = const_cast<llvm::BasicBlock*>(terminator->getParent());
    const auto* node = post_.getNode(from);
    llvm::BasicBlock* join = node && node->getIDom() ? node->getIDom()->getBlock() : nullptr;
    llvm::SmallPtrSet<llvm::BasicBlock*, 4> sites;
    int waiting = 0;     // ways that lead to sites: those that end do not count
    bool joins = true;   // nobody comes to a site before all meet
    bool again = false;  // somebody may come here once more while others wait
    for (llvm::BasicBlock* next : llvm::successors(from)) {
      for (llvm::BasicBlock* block : reached(next, from, join, false)) {
        if (block != join && begins_with_site(*block)) joins = false;
      }
      bool waits = false;
      for (llvm::BasicBlock* block : reached(next, nullptr, nullptr, false)) {
        if (begins_with_site(*block)) sites.insert(block);
        waits |= begins_with_site(*block);
        again |= block == from;
      }
      waiting += waits;
    }
    if (!joins && waiting > 1 && (sites.size() > 1 || again)) diverges_ = true;
  }
}

}  // namespace heddle::clang_plugin
