#include "watching.h"

#include <algorithm>
#include <bit>
#include <optional>
#include <set>

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/Analysis/PostDominators.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Operator.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include "known.h"
#include "uniformity.h"

namespace heddle::clang_plugin {
namespace {

using llvm::Value;

constexpr const char* place_metadata = "heddle.place";
// The numbers of simt::Watch (simt/watch.h of Heddle).
constexpr int reads = 0, writes = 1, updates = 2;

bool is_users(const llvm::DILocation& at) {
  return at.getLine() != 0 && !at.getFilename().starts_with(own_folder);
}

std::string text_of(const llvm::DebugLoc& location) {
  for (const llvm::DILocation* at = location.get(); at; at = at->getInlinedAt()) {
    if (is_users(*at)) return (at->getFilename() + ":" + llvm::Twine(at->getLine())).str();
  }
  return "the source";
}

}  // namespace

int Places::number(const llvm::DebugLoc& location) {
  const std::string text = text_of(location);
  const auto [found, added] = numbers_.emplace(text, static_cast<int>(texts_.size()));
  if (added) texts_.push_back(text);
  return found->second;
}

// --- returns ---

namespace {

// Lines and columns of `return;` in a text.
std::set<std::pair<unsigned, unsigned>> returns_in(const std::string& text) {
  constexpr std::string_view word = "return";
  std::set<std::pair<unsigned, unsigned>> found;
  unsigned line = 1;
  std::size_t begin = 0;  // of the line
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\n') {
      ++line;
      begin = i + 1;
    } else if (text.compare(i, word.size(), word) == 0) {
      const std::size_t next = text.find_first_not_of(" \t\n", i + word.size());
      if (next != std::string::npos && text[next] == ';')
        found.emplace(line, static_cast<unsigned>(i - begin + 1));
    }
  }
  return found;
}

}  // namespace

void mark_returns(llvm::Module& module, const Source& source) {
  const auto returns = returns_in(source.text);
  llvm::FunctionCallee mark =
      module.getOrInsertFunction(returned_name, llvm::Type::getVoidTy(module.getContext()));
  for (llvm::Function& f : module) {
    for (llvm::BasicBlock& block : f) {
      auto* branch = llvm::dyn_cast<llvm::BranchInst>(block.getTerminator());
      const llvm::DILocation* at = branch ? branch->getDebugLoc().get() : nullptr;
      if (!at || branch->isConditional() || !at->getFilename().ends_with(source.file)) continue;
      if (!returns.count({at->getLine(), at->getColumn()})) continue;
      llvm::IRBuilder<>(branch).CreateCall(mark);
    }
  }
}

// --- sites ---

namespace {

// The nearest branch, on which threads of a block differ, that decides whether a thread comes here.
const llvm::Instruction* parting(llvm::BasicBlock* site, const Uniformity& uniformity,
                                 const llvm::PostDominatorTree& post,
                                 const llvm::DominatorTree& dominators) {
  const llvm::Instruction* nearest = nullptr;
  for (llvm::BasicBlock& block : *site->getParent()) {
    auto* branch = llvm::dyn_cast<llvm::BranchInst>(block.getTerminator());
    if (!branch || branch->isUnconditional() || uniformity.is_uniform(*branch->getCondition()))
      continue;
    if (&block != site && post.dominates(site, &block)) continue;
    const bool decides = std::any_of(llvm::succ_begin(&block), llvm::succ_end(&block),
                                     [&](auto* next) { return post.dominates(site, next); });
    if (!decides) continue;
    if (!nearest || dominators.dominates(nearest->getParent(), &block)) nearest = branch;
  }
  return nearest;
}

void mark_sites(llvm::Function& kernel, Places& places) {
  const Uniformity uniformity(kernel);
  const llvm::PostDominatorTree post(kernel);
  const llvm::DominatorTree dominators(kernel);
  llvm::LLVMContext& context = kernel.getContext();
  auto* number = llvm::Type::getInt32Ty(context);
  const auto constant = [&](int value) {
    return llvm::ConstantAsMetadata::get(llvm::ConstantInt::getSigned(number, value));
  };
  for (llvm::Instruction& i : llvm::instructions(kernel)) {
    if (!site_of(i)) continue;
    const llvm::Instruction* parted = parting(i.getParent(), uniformity, post, dominators);
    i.setMetadata(
        place_metadata,
        llvm::MDNode::get(context, {constant(places.number(i.getDebugLoc())),
                                    constant(parted ? places.number(parted->getDebugLoc()) : -1)}));
  }
}

}  // namespace

std::pair<int, int> places_of(const llvm::Instruction& site) {
  const llvm::MDNode* node = site.getMetadata(place_metadata);
  if (!node) return {0, -1};
  const auto number = [&](unsigned i) {
    return static_cast<int>(
        llvm::mdconst::extract<llvm::ConstantInt>(node->getOperand(i))->getSExtValue());
  };
  return {number(0), number(1)};
}

// --- accesses ---

namespace {

struct Bounds {
  Value *low, *high;
};

// One operand of an instruction that reads or writes memory.
struct Access {
  llvm::Instruction* instruction;
  Value* pointer;
  Value* bytes;
  int what;
  std::uint64_t granule;
};

class Watching {
 public:
  Watching(llvm::Function& kernel, const Parts& parts, Places& places)
      : kernel_(kernel),
        parts_(parts),
        places_(places),
        module_(*kernel.getParent()),
        layout_(module_.getDataLayout()) {
    llvm::LLVMContext& context = module_.getContext();
    i32_ = llvm::Type::getInt32Ty(context);
    i64_ = llvm::Type::getInt64Ty(context);
    i8_ = llvm::Type::getInt8Ty(context);
    ptr_ = llvm::PointerType::get(context, 0);
    access_ = module_.getOrInsertFunction(access_name, i32_, i32_, ptr_, i64_, i32_, ptr_, ptr_);
    bound_ = module_.getOrInsertFunction(bound_name, ptr_, i32_);
    find_ = module_.getOrInsertFunction(find_name, ptr_, ptr_, i32_);
    auto* bound = llvm::cast<llvm::Function>(bound_.getCallee());
    bound->setDoesNotAccessMemory();
    bound->setDoesNotThrow();
    bound->setWillReturn();
  }

  std::uint64_t run() {
    std::vector<Access> accesses;
    std::vector<llvm::Instruction*> fences;
    for (llvm::Instruction& i : llvm::instructions(kernel_)) {
      collect(i, accesses);
      if (auto* fence = llvm::dyn_cast<llvm::FenceInst>(&i);
          fence && fence->getSyncScopeID() != llvm::SyncScope::SingleThread)
        fences.push_back(fence);
    }
    llvm::FunctionCallee fence =
        module_.getOrInsertFunction(fence_name, llvm::Type::getVoidTy(module_.getContext()));
    for (llvm::Instruction* i : fences) llvm::IRBuilder<>(i).CreateCall(fence);
    std::uint64_t granule = 16;
    for (const Access& access : accesses) {
      if (tell(access)) granule = std::min(granule, access.granule);
    }
    return granule;
  }

 private:
  void collect(llvm::Instruction& i, std::vector<Access>& accesses) {
    const auto add = [&](Value* pointer, llvm::Type* type, llvm::Align align, int what) {
      const std::uint64_t bytes = layout_.getTypeStoreSize(type).getFixedValue();
      accesses.push_back({&i, pointer, size(bytes), what, std::min(bytes & -bytes, align.value())});
    };
    if (auto* load = llvm::dyn_cast<llvm::LoadInst>(&i)) {
      add(load->getPointerOperand(), load->getType(), load->getAlign(),
          load->isAtomic() ? updates : reads);
    } else if (auto* store = llvm::dyn_cast<llvm::StoreInst>(&i)) {
      add(store->getPointerOperand(), store->getValueOperand()->getType(), store->getAlign(),
          store->isAtomic() ? updates : writes);
    } else if (auto* update = llvm::dyn_cast<llvm::AtomicRMWInst>(&i)) {
      add(update->getPointerOperand(), update->getType(), update->getAlign(), updates);
    } else if (auto* exchange = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(&i)) {
      add(exchange->getPointerOperand(), exchange->getCompareOperand()->getType(),
          exchange->getAlign(), updates);
    } else if (auto* memory = llvm::dyn_cast<llvm::MemIntrinsic>(&i)) {
      const auto granule = [&](llvm::MaybeAlign align) {
        std::uint64_t made = align.valueOrOne().value();
        if (auto* length = llvm::dyn_cast<llvm::ConstantInt>(memory->getLength());
            length && !length->isZero())
          made = std::min(made, length->getZExtValue() & -length->getZExtValue());
        return made;
      };
      if (auto* copy = llvm::dyn_cast<llvm::MemTransferInst>(memory)) {
        accesses.push_back({&i, copy->getRawSource(), memory->getLength(), reads,
                            granule(copy->getSourceAlign())});
      }
      accesses.push_back(
          {&i, memory->getRawDest(), memory->getLength(), writes, granule(memory->getDestAlign())});
    }
  }

  // Whether other threads are to know of it.
  bool tell(const Access& access) {
    const Value* object = llvm::getUnderlyingObject(access.pointer, 0);
    int what = access.what;
    if (is_own(object)) {
      if (stays_in(access)) return false;
      what += cpu::access_of_thread;
    } else if (llvm::isa<llvm::Argument>(object)) {
      what += cpu::access_of_array;
    }
    llvm::IRBuilder<> build(access.instruction);
    const Bounds bounds = bounds_of(access.pointer, build);
    Value* ends = build.CreateCall(
        access_,
        {number(what), access.pointer, build.CreateZExtOrTrunc(access.bytes, i64_),
         number(places_.number(access.instruction->getDebugLoc())), bounds.low, bounds.high});
    Value* condition = build.CreateICmpNE(ends, number(0));
    llvm::BasicBlock* block = access.instruction->getParent();
    llvm::BasicBlock* rest = llvm::SplitBlock(block, access.instruction);
    block->getTerminator()->eraseFromParent();
    llvm::IRBuilder<>(block).CreateCondBr(condition, ended(), rest);
    return what < cpu::access_of_thread || what >= cpu::access_of_array;
  }

  llvm::BasicBlock* ended() {
    if (!ended_) {
      ended_ = llvm::BasicBlock::Create(module_.getContext(), "ended", &kernel_);
      llvm::IRBuilder<>(ended_).CreateRetVoid();
    }
    return ended_;
  }

  bool is_own(const Value* object) const {
    if (llvm::isa<llvm::AllocaInst>(object)) return true;
    if (const auto* argument = llvm::dyn_cast<llvm::Argument>(object))
      return argument->hasByValAttr();
    const auto* variable = llvm::dyn_cast<llvm::GlobalVariable>(object);
    return variable && !is_shared(variable) &&
           !parts_.places.count(const_cast<llvm::GlobalVariable*>(variable));
  }
  bool is_shared(const llvm::GlobalVariable* variable) const {
    return parts_.shared.count(const_cast<llvm::GlobalVariable*>(variable)) != 0;
  }
  std::optional<std::uint64_t> size_of(const Value* object) const {
    if (const auto* variable = llvm::dyn_cast<llvm::AllocaInst>(object)) {
      const auto bytes = variable->getAllocationSize(layout_);
      return bytes ? std::optional<std::uint64_t>(bytes->getFixedValue()) : std::nullopt;
    }
    if (const auto* argument = llvm::dyn_cast<llvm::Argument>(object);
        argument && argument->hasByValAttr())
      return layout_.getTypeAllocSize(argument->getParamByValType()).getFixedValue();
    if (const auto* variable = llvm::dyn_cast<llvm::GlobalVariable>(object))
      return layout_.getTypeAllocSize(variable->getValueType()).getFixedValue();
    return std::nullopt;
  }
  // Memory of the thread at a place that is known.
  bool stays_in(const Access& access) const {
    llvm::APInt offset(64, 0);
    const Value* object = access.pointer->stripAndAccumulateConstantOffsets(layout_, offset, true);
    const auto all = size_of(object);
    const auto* bytes = llvm::dyn_cast<llvm::ConstantInt>(access.bytes);
    return all && bytes && offset.isNonNegative() &&
           offset.getZExtValue() + bytes->getZExtValue() <= *all;
  }

  Bounds bounds_of(Value* pointer, llvm::IRBuilder<>& build) {
    if (auto* address = llvm::dyn_cast<llvm::GEPOperator>(pointer))
      return bounds_of(address->getPointerOperand(), build);
    if (auto* cast = llvm::dyn_cast<llvm::AddrSpaceCastOperator>(pointer))
      return bounds_of(cast->getPointerOperand(), build);
    if (auto* cast = llvm::dyn_cast<llvm::BitCastOperator>(pointer))
      return bounds_of(cast->getOperand(0), build);
    if (auto* variable = llvm::dyn_cast<llvm::GlobalVariable>(pointer);
        variable && is_shared(variable)) {
      const std::uint64_t bytes = *size_of(variable);
      if (bytes == 0 || variable->isDeclaration()) {
        llvm::FunctionCallee dynamic = module_.getOrInsertFunction("__heddle_dynamic_bytes", i32_);
        Value* count = build.CreateZExt(build.CreateCall(dynamic), i64_);
        return {variable, build.CreateGEP(i8_, variable, count)};
      }
    }
    if (const auto bytes = size_of(pointer))
      return {pointer, build.CreateGEP(i8_, pointer, size(*bytes))};
    if (auto* argument = llvm::dyn_cast<llvm::Argument>(pointer)) {
      const int k = static_cast<int>(argument->getArgNo());
      return {build.CreateCall(bound_, number(2 * k)), build.CreateCall(bound_, number(2 * k + 1))};
    }
    if (const auto found = known_.find(pointer); found != known_.end()) return found->second;
    if (auto* phi = llvm::dyn_cast<llvm::PHINode>(pointer)) return of_phi(*phi);
    if (auto* choice = llvm::dyn_cast<llvm::SelectInst>(pointer)) {
      const Bounds yes = bounds_of(choice->getTrueValue(), build);
      const Bounds no = bounds_of(choice->getFalseValue(), build);
      return {build.CreateSelect(choice->getCondition(), yes.low, no.low),
              build.CreateSelect(choice->getCondition(), yes.high, no.high)};
    }
    if (auto* made = llvm::dyn_cast<llvm::Instruction>(pointer); made && !made->isTerminator()) {
      // Where an address comes from is not known: what it lies in when it is made.
      llvm::IRBuilder<> there(made->getParent(), std::next(made->getIterator()));
      if (llvm::isa<llvm::PHINode>(*there.GetInsertPoint()))
        there.SetInsertPoint(made->getParent(), made->getParent()->getFirstInsertionPt());
      return known_[pointer] = {there.CreateCall(find_, {pointer, number(0)}),
                                there.CreateCall(find_, {pointer, number(1)})};
    }
    return {build.CreateCall(find_, {pointer, number(0)}),
            build.CreateCall(find_, {pointer, number(1)})};
  }
  Bounds of_phi(llvm::PHINode& phi) {
    llvm::IRBuilder<> build(&phi);
    llvm::PHINode* low = build.CreatePHI(ptr_, phi.getNumIncomingValues());
    llvm::PHINode* high = build.CreatePHI(ptr_, phi.getNumIncomingValues());
    known_[&phi] = {low, high};
    llvm::DenseMap<llvm::BasicBlock*, Bounds> from;
    for (unsigned i = 0; i < phi.getNumIncomingValues(); ++i) {
      llvm::BasicBlock* block = phi.getIncomingBlock(i);
      if (!from.count(block)) {
        llvm::IRBuilder<> there(block->getTerminator());
        from[block] = bounds_of(phi.getIncomingValue(i), there);
      }
      low->addIncoming(from[block].low, block);
      high->addIncoming(from[block].high, block);
    }
    return {low, high};
  }

  llvm::ConstantInt* number(int value) {
    return llvm::ConstantInt::getSigned(llvm::cast<llvm::IntegerType>(i32_), value);
  }
  llvm::ConstantInt* size(std::uint64_t bytes) {
    return llvm::ConstantInt::get(llvm::cast<llvm::IntegerType>(i64_), bytes);
  }

  llvm::Function& kernel_;
  const Parts& parts_;
  Places& places_;
  llvm::Module& module_;
  const llvm::DataLayout& layout_;
  llvm::FunctionCallee access_, bound_, find_;
  llvm::DenseMap<Value*, Bounds> known_;
  llvm::BasicBlock* ended_ = nullptr;
  llvm::Type *i8_, *i32_, *i64_, *ptr_;
};

}  // namespace

std::uint64_t watch(llvm::Function& kernel, const Parts& parts, Places& places) {
  // Functions that call themselves are no part of the kernel, and are not looked into.
  if (llvm::Function* mark = kernel.getParent()->getFunction(returned_name)) {
    for (llvm::User* user : llvm::make_early_inc_range(mark->users())) {
      auto* call = llvm::cast<llvm::Instruction>(user);
      if (!llvm::is_contained(parts.kernels, call->getFunction())) call->eraseFromParent();
    }
  }
  mark_sites(kernel, places);
  return Watching(kernel, parts, places).run();
}

}  // namespace heddle::clang_plugin
