// What one thread does from a state to the next: a function for each state.
#include <algorithm>

#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/Cloning.h>
#include <llvm/Transforms/Utils/Local.h>
#include <llvm/Transforms/Utils/PromoteMemToReg.h>

#include "kernel_lowering.h"

namespace heddle::clang_plugin {

llvm::FunctionType* Lowering::region_type() {
  std::vector<llvm::Type*> types(Given::count, ptr_);
  for (unsigned i = 0; i < Given::frame; ++i) types[i] = i32_;
  types[Given::thread] = i64_;
  types[Given::stride] = i64_;
  for (llvm::Argument& a : kernel_.args()) types.push_back(a.getType());
  return llvm::FunctionType::get(i32_, types, false);
}

llvm::Function* Lowering::region(std::size_t state) {
  llvm::Function* made = llvm::Function::Create(region_type(), llvm::Function::InternalLinkage,
                                                made_.symbol + ".region", module_);
  // A copy has lines and variables of its own; it becomes the body of a function with other
  // parameters, which returns a number.
  llvm::ValueToValueMapTy map;
  llvm::Function* copy = llvm::CloneFunction(&kernel_, map);
  made->splice(made->begin(), copy);
  for (llvm::Argument& a : copy->args())
    a.replaceAllUsesWith(made->getArg(Given::count + a.getArgNo()));
  made->setSubprogram(copy->getSubprogram());
  copy->setSubprogram(nullptr);
  copy->eraseFromParent();
  made->setAttributes(llvm::AttributeList());
  made->setDoesNotThrow();
  begin(*made, state, map);
  if (debug_) show_variables(*made);
  end(*made, map);
  llvm::EliminateUnreachableBlocks(*made);
  replace_known(*made);
  if (debug_) {
    show_places(*made);
  } else {
    promote(*made);
  }
  return made;
}

Value* Lowering::place(llvm::IRBuilder<>& build, llvm::Function& f, const Kept& kept, bool out) {
  if (kept.uniform) {
    return build.CreateConstInBoundsGEP1_64(
        i8_, f.getArg(out ? Given::uniform_out : Given::uniform_in), kept.offset);
  }
  return row(build, f, kept.offset, layout_.getTypeAllocSize(kept.variable->getAllocatedType()));
}

Value* Lowering::row(llvm::IRBuilder<>& build, llvm::Function& f, std::uint64_t offset,
                     std::uint64_t size) {
  Value* begin = build.CreateMul(f.getArg(Given::stride), build.getInt64(offset));
  Value* base = build.CreateInBoundsGEP(i8_, f.getArg(Given::rows), begin);
  Value* at = build.CreateMul(f.getArg(Given::thread), build.getInt64(size), "", true, true);
  return build.CreateInBoundsGEP(i8_, base, at);
}

void Lowering::begin(llvm::Function& f, std::size_t state, llvm::ValueToValueMapTy& map) {
  auto* old = llvm::cast<llvm::BasicBlock>(map[&kernel_.getEntryBlock()]);
  llvm::BasicBlock* first = llvm::BasicBlock::Create(context_, "begin", &f, &f.front());
  llvm::IRBuilder<> build(first);
  // Variables first, whichever way the region begins.
  for (llvm::Instruction& i : llvm::make_early_inc_range(*old)) {
    auto* variable = llvm::dyn_cast<llvm::AllocaInst>(&i);
    if (variable && llvm::isa<llvm::ConstantInt>(variable->getArraySize()))
      variable->moveBefore(*first, first->end());
  }
  build.SetInsertPoint(first);
  for (const KeptMemory& kept : crossing_.memory) {
    auto* variable = llvm::cast<llvm::AllocaInst>(map[kept.variable]);
    Value* at = row(build, f, kept.offset, kept.size);
    if (debug_) show_at(f, *variable, at);
    variable->replaceAllUsesWith(at);
  }
  if (state == 0) {
    build.CreateBr(old);
    return;
  }
  const llvm::BasicBlock* resumed = crossing_.cuts[state - 1].resumed;
  for (const Kept& kept : crossing_.values) {
    if (std::find(kept.alive.begin(), kept.alive.end(), resumed) == kept.alive.end()) continue;
    auto* variable = llvm::cast<llvm::AllocaInst>(map[kept.variable]);
    Value* value = build.CreateLoad(variable->getAllocatedType(), place(build, f, kept, false));
    build.CreateStore(value, variable);
  }
  // Nobody comes to where threads go on but from here.
  auto* target = llvm::cast<llvm::BasicBlock>(map[resumed]);
  build.CreateBr(target);
}

void Lowering::end(llvm::Function& f, llvm::ValueToValueMapTy& map) {
  for (llvm::BasicBlock& block : llvm::make_early_inc_range(f)) {
    if (llvm::isa<llvm::ReturnInst>(block.getTerminator())) {
      block.getTerminator()->eraseFromParent();
      llvm::IRBuilder<>(&block).CreateRet(number(cpu::finished_state));
    }
  }
  for (std::size_t i = 0; i < crossing_.cuts.size(); ++i) {
    const Cut& c = crossing_.cuts[i];
    auto* call = llvm::cast<llvm::CallInst>(map[c.call]);
    llvm::IRBuilder<> build(call);
    bring(build, f, c.kind, *call);
    llvm::ReturnInst* ret = build.CreateRet(number(static_cast<int>(i + 1)));
    while (&ret->getParent()->back() != ret) ret->getParent()->back().eraseFromParent();
    ret->getParent()->deleteTrailingDbgRecords();
  }
  llvm::EliminateUnreachableBlocks(f);
  keep(f, map);
}

void Lowering::keep(llvm::Function& f, llvm::ValueToValueMapTy& map) {
  std::vector<std::pair<llvm::ReturnInst*, int>> exits;
  for (llvm::BasicBlock& block : f) {
    auto* ret = llvm::dyn_cast<llvm::ReturnInst>(block.getTerminator());
    if (!ret) continue;
    const auto state = llvm::cast<llvm::ConstantInt>(ret->getReturnValue())->getSExtValue();
    if (state > 0) exits.emplace_back(ret, static_cast<int>(state));
  }
  std::vector<std::pair<const Kept*, llvm::AllocaInst*>> changed;
  for (const Kept& kept : crossing_.values) {
    auto* variable = llvm::cast<llvm::AllocaInst>(map[kept.variable]);
    // One store is of what came in; the region's own come after it.
    int stores = 0;
    for (const llvm::User* user : variable->users()) stores += llvm::isa<llvm::StoreInst>(user);
    bool came_in = false;
    for (const llvm::User* user : variable->users()) {
      const auto* store = llvm::dyn_cast<llvm::StoreInst>(user);
      came_in |= store && store->getParent() == &f.getEntryBlock();
    }
    if (stores > (came_in ? 1 : 0)) changed.emplace_back(&kept, variable);
  }
  for (auto& [ret, state] : exits) {
    const llvm::BasicBlock* resumed = crossing_.cuts[static_cast<std::size_t>(state) - 1].resumed;
    for (auto& [kept, variable] : changed) {
      if (std::find(kept->alive.begin(), kept->alive.end(), resumed) == kept->alive.end()) continue;
      llvm::IRBuilder<> build(ret);
      Value* value = build.CreateLoad(variable->getAllocatedType(), variable);
      build.CreateStore(value, place(build, f, *kept, true));
    }
  }
}

void Lowering::bring(llvm::IRBuilder<>& build, llvm::Function& f, Site kind, llvm::CallInst& call) {
  const auto put = [&](Given to, llvm::Type* type, Value* value) {
    build.CreateStore(value, build.CreateInBoundsGEP(type, f.getArg(to), f.getArg(Given::thread)));
  };
  switch (kind) {
    case Site::block_count:
    case Site::block_and:
    case Site::block_or:
      put(Given::given, i32_, call.getArgOperand(0));
      break;
    case Site::warp_barrier:
      put(Given::masks, i32_, call.getArgOperand(0));
      break;
    case Site::shuffle:
    case Site::reduce:
      put(Given::masks, i32_, call.getArgOperand(0));
      put(Given::given, i32_, call.getArgOperand(1));
      put(Given::sources, i32_, call.getArgOperand(2));
      break;
    case Site::shuffle_wide:
      put(Given::masks, i32_, call.getArgOperand(0));
      put(Given::given_wide, i64_, call.getArgOperand(1));
      put(Given::sources, i32_, call.getArgOperand(2));
      break;
    case Site::ballot:
      put(Given::masks, i32_, call.getArgOperand(0));
      put(Given::given, i32_, call.getArgOperand(1));
      break;
    case Site::match:
      put(Given::masks, i32_, call.getArgOperand(0));
      put(Given::given_wide, i64_, call.getArgOperand(1));
      break;
    default:
      break;
  }
}

void Lowering::promote(llvm::Function& f) {
  std::vector<llvm::AllocaInst*> variables;
  for (llvm::Instruction& i : f.getEntryBlock()) {
    auto* variable = llvm::dyn_cast<llvm::AllocaInst>(&i);
    if (!variable) continue;
    if (variable->use_empty() || llvm::isAllocaPromotable(variable)) variables.push_back(variable);
  }
  llvm::DominatorTree dominators(f);
  llvm::PromoteMemToReg(variables, dominators);
}

}  // namespace heddle::clang_plugin
