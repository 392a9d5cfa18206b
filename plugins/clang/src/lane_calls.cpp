// Calls in the code of several lanes, and what lanes do one after the other.
#include <llvm/Analysis/VectorUtils.h>
#include <llvm/IR/Module.h>

#include "backend/cpu/block_frame.h"
#include "known.h"
#include "lane_code.h"

namespace heddle::clang_plugin {

using llvm::Value;

void LaneCode::emit_call(llvm::CallInst& call) {
  if (is_call_of(call, leave_name)) {
    llvm::BasicBlock* leave = llvm::BasicBlock::Create(context_, "leave", made_);
    llvm::BasicBlock* stay = llvm::BasicBlock::Create(context_, "stay", made_);
    // The answer is the same for all who ask, but not all lanes need be known to have asked.
    Value* answer = either(call.getArgOperand(0));
    if (answer->getType()->isVectorTy())
      answer = any(mask_ ? build_.CreateLogicalAnd(mask_, answer) : answer);
    build_.CreateCondBr(answer, leave, stay);
    build_.SetInsertPoint(leave);
    build_.CreateRet(llvm::ConstantInt::getSigned(made_->getReturnType(), cpu::finished_state));
    build_.SetInsertPoint(stay);
    return;
  }
  const llvm::Intrinsic::ID id = call.getIntrinsicID();
  if (llvm::isa<llvm::LifetimeIntrinsic, llvm::DbgInfoIntrinsic, llvm::AssumeInst>(call) ||
      id == llvm::Intrinsic::experimental_noalias_scope_decl)
    return;
  if (shapes_.of(call).kind == Shape::uniform && !call.getType()->isVoidTy())
    return emit_scalar(call);
  if (Value* made = by_library(call)) return keep(call, nullptr, nullptr, made);
  if (id != llvm::Intrinsic::not_intrinsic && llvm::isTriviallyVectorizable(id)) {
    std::vector<Value*> operands;
    std::vector<llvm::Type*> types;
    bool possible = true;
    if (llvm::isVectorIntrinsicWithOverloadTypeAtArg(id, -1, nullptr))
      types.push_back(wide_type(call.getType()));
    for (unsigned k = 0; k < call.arg_size(); ++k) {
      Value* operand = call.getArgOperand(k);
      const bool stays = llvm::isVectorIntrinsicWithScalarOpAtArg(id, k, nullptr);
      possible &= !stays || shapes_.of(*operand).kind == Shape::uniform;
      operands.push_back(stays && possible ? scalar(operand) : wide(operand));
      if (llvm::isVectorIntrinsicWithOverloadTypeAtArg(id, static_cast<int>(k), nullptr))
        types.push_back(operands.back()->getType());
    }
    if (possible) {
      llvm::CallInst* made = build_.CreateIntrinsic(id, types, operands);
      if (llvm::isa<llvm::FPMathOperator>(call)) made->copyFastMathFlags(&call);
      return keep(call, nullptr, nullptr, made);
    }
  }
  emit_each(call, false);
}

// Functions that a library has for vectors.
Value* LaneCode::by_library(llvm::CallInst& call) {
  const llvm::Function* called = call.getCalledFunction();
  if (!called || !call.doesNotAccessMemory()) return nullptr;
  llvm::Type* type = call.getType();
  for (const llvm::Use& use : call.args()) {
    if (use->getType() != type) return nullptr;
  }
  for (unsigned many = lanes_; many > 1; many /= 2) {
    const llvm::StringRef name = library_.getVectorizedFunction(
        called->getName(), llvm::ElementCount::getFixed(many), /*Masked=*/false);
    if (name.empty()) continue;
    auto* part = llvm::FixedVectorType::get(type, many);
    const std::vector<llvm::Type*> types(call.arg_size(), part);
    llvm::FunctionCallee function =
        region_.getParent()->getOrInsertFunction(name, llvm::FunctionType::get(part, types, false));
    llvm::SmallVector<Value*, 8> parts;
    for (unsigned first = 0; first < lanes_; first += many) {
      llvm::SmallVector<int, 16> which;
      for (unsigned k = 0; k < many; ++k) which.push_back(static_cast<int>(first + k));
      std::vector<Value*> operands;
      for (const llvm::Use& use : call.args())
        operands.push_back(build_.CreateShuffleVector(wide(use.get()), which));
      llvm::CallInst* made = build_.CreateCall(function, operands);
      made->setDoesNotAccessMemory();
      made->setDoesNotThrow();
      parts.push_back(made);
    }
    return parts.size() == 1 ? parts[0] : llvm::concatenateVectors(build_, parts);
  }
  return nullptr;
}

// --- one lane after the other ---

// Lanes that go one after the other read what they have from memory. Registers would do, but
// addresses that come out of vectors are known late, and some machines (Zen 4) then guess that what
// is updated is not what the lanes before have updated, and go back: 25 times slower for bytes.
// LLVM would see through memory that is not volatile.
llvm::AllocaInst* LaneCode::in_memory(Value* value) {
  llvm::Type* type = value->getType();
  if (!(type->isIntegerTy() || type->isPointerTy()) || type->isIntegerTy(1)) return nullptr;
  llvm::AllocaInst*& row = rows_[value];
  if (row == nullptr) {
    Value* all = wide(value);
    row = variable(all->getType(), "row");
    build_.CreateStore(all, row, /*isVolatile=*/true);
  }
  return row;
}

Value* LaneCode::element(Value* value, Value* lane) {
  if (shapes_.of(*value).kind == Shape::uniform) return scalar(value);
  if (llvm::AllocaInst* row = in_memory(value)) {
    llvm::Type* type = row->getAllocatedType()->getScalarType();
    return build_.CreateLoad(type, build_.CreateGEP(type, row, lane), /*isVolatile=*/true);
  }
  Value* all = wide(value);
  if (!llvm::isa<llvm::StructType>(all->getType())) return build_.CreateExtractElement(all, lane);
  Value* made = llvm::PoisonValue::get(value->getType());
  for (unsigned k = 0; k < value->getType()->getStructNumElements(); ++k) {
    Value* member = build_.CreateExtractElement(build_.CreateExtractValue(all, k), lane);
    made = build_.CreateInsertValue(made, member, k);
  }
  return made;
}

// What one lane has of what was made in the same block is made again, down to numbers that are
// small or alike: they are taken out of vectors sooner than addresses are.
Value* LaneCode::made_again(Value* value, llvm::Instruction& user, unsigned lane, int depth) {
  const Shape shape = shapes_.of(*value);
  if (shape.kind == Shape::uniform) return scalar(value);
  if (shape.kind == Shape::affine && !shape.assumed && value->getType()->isIntegerTy()) {
    Value* first = scalar(value);
    return build_.CreateAdd(first,
                            llvm::ConstantInt::getSigned(first->getType(), lane * shape.step));
  }
  auto* i = llvm::dyn_cast<llvm::Instruction>(value);
  if (depth == 0 || !i || i->getParent() != user.getParent() ||
      !llvm::isa<llvm::GetElementPtrInst, llvm::ZExtInst, llvm::SExtInst>(i))
    return element(value, build_.getInt32(lane));
  llvm::Instruction* copy = i->clone();
  for (llvm::Use& use : copy->operands()) {
    if (llvm::isa<llvm::Instruction, llvm::Argument>(use.get()))
      use.set(made_again(use.get(), user, lane, depth - 1));
  }
  copy->dropPoisonGeneratingFlags();
  return build_.Insert(copy);
}

llvm::Instruction* LaneCode::one(llvm::Instruction& i, Value* lane) {
  llvm::Instruction* copy = i.clone();
  for (llvm::Use& use : copy->operands()) {
    if (!llvm::isa<llvm::Instruction, llvm::Argument>(use.get())) continue;
    constexpr int deep = 4;
    const auto* known = llvm::dyn_cast<llvm::ConstantInt>(lane);
    use.set(known ? made_again(use.get(), i, static_cast<unsigned>(known->getZExtValue()), deep)
                  : element(use.get(), lane));
  }
  return build_.Insert(copy);
}

void LaneCode::emit_each(llvm::Instruction& i, bool straight) {
  // What each gives is in memory until all have: vectors with places that are not known are slow.
  std::vector<llvm::Type*> members;
  llvm::Type* type = i.getType();
  if (auto* several = llvm::dyn_cast<llvm::StructType>(type)) {
    members.assign(several->element_begin(), several->element_end());
  } else if (!type->isVoidTy()) {
    members.push_back(type);
  }
  const bool is_struct = type->isStructTy();
  if (i.use_empty()) members.clear();
  std::vector<llvm::AllocaInst*> rows;
  for (llvm::Type* member : members) {
    llvm::Type* stored = member->isIntegerTy(1) ? build_.getInt8Ty() : member;
    rows.push_back(variable(llvm::FixedVectorType::get(stored, lanes_), "each"));
  }
  const auto do_one = [&](Value* lane) {
    llvm::Instruction* made = one(i, lane);
    for (unsigned k = 0; k < rows.size(); ++k) {
      Value* member = is_struct ? build_.CreateExtractValue(made, k) : static_cast<Value*>(made);
      llvm::Type* stored = rows[k]->getAllocatedType()->getScalarType();
      if (stored != member->getType()) member = build_.CreateZExt(member, stored);
      build_.CreateStore(member, build_.CreateGEP(stored, rows[k], lane));
    }
  };
  llvm::BasicBlock* after = llvm::BasicBlock::Create(context_, "each.end", made_);
  if (straight) {
    llvm::BasicBlock* others = nullptr;
    if (mask_) {
      llvm::BasicBlock* everybody = llvm::BasicBlock::Create(context_, "each.all", made_);
      others = llvm::BasicBlock::Create(context_, "each.some", made_);
      build_.CreateCondBr(all(mask_), everybody, others);
      build_.SetInsertPoint(everybody);
    }
    rows_.clear();
    for (unsigned k = 0; k < lanes_; ++k) do_one(build_.getInt32(k));
    build_.CreateBr(after);
    if (others) build_.SetInsertPoint(others);
  }
  if (!straight || mask_) {
    rows_.clear();
    for (const llvm::Use& use : i.operands()) {
      if (llvm::isa<llvm::Instruction, llvm::Argument>(use.get()) &&
          shapes_.of(*use.get()).kind != Shape::uniform)
        in_memory(use.get());
    }
    llvm::Type* bits = build_.getIntNTy(lanes_);
    Value* here = mask_ ? build_.CreateFreeze(build_.CreateBitCast(mask_, bits)) : nullptr;
    llvm::BasicBlock* before = build_.GetInsertBlock();
    llvm::BasicBlock* turn = llvm::BasicBlock::Create(context_, "each.lane", made_);
    llvm::BasicBlock* next = llvm::BasicBlock::Create(context_, "each.next", made_);
    build_.CreateBr(turn);
    build_.SetInsertPoint(turn);
    llvm::PHINode* lane = build_.CreatePHI(build_.getInt32Ty(), 2);
    lane->addIncoming(build_.getInt32(0), before);
    if (mask_) {
      llvm::BasicBlock* there = llvm::BasicBlock::Create(context_, "each.there", made_);
      Value* moved = build_.CreateLShr(here, build_.CreateZExtOrTrunc(lane, bits));
      build_.CreateCondBr(build_.CreateTrunc(moved, build_.getInt1Ty()), there, next);
      build_.SetInsertPoint(there);
    }
    do_one(lane);
    build_.CreateBr(next);
    build_.SetInsertPoint(next);
    Value* following = build_.CreateAdd(lane, build_.getInt32(1));
    lane->addIncoming(following, next);
    build_.CreateCondBr(build_.CreateICmpULT(following, build_.getInt32(lanes_)), turn, after);
  }
  build_.SetInsertPoint(after);
  if (rows.empty()) return;
  Value* made = is_struct ? llvm::PoisonValue::get(wide_type(type)) : nullptr;
  for (unsigned k = 0; k < rows.size(); ++k) {
    Value* row = build_.CreateLoad(rows[k]->getAllocatedType(), rows[k]);
    if (members[k]->isIntegerTy(1)) row = build_.CreateTrunc(row, wide_type(members[k]));
    made = is_struct ? build_.CreateInsertValue(made, row, k) : row;
  }
  keep(i, nullptr, nullptr, made);
}

}  // namespace heddle::clang_plugin
