// Values of the code of several lanes: scalars where lanes have the same or count on, else vectors.
#include "lane_code.h"

namespace heddle::clang_plugin {

using llvm::Value;

llvm::Type* LaneCode::wide_type(llvm::Type* type) const {
  if (const auto* members = llvm::dyn_cast<llvm::StructType>(type)) {
    std::vector<llvm::Type*> types;
    for (llvm::Type* member : members->elements()) types.push_back(wide_type(member));
    return llvm::StructType::get(context_, types);
  }
  return llvm::FixedVectorType::get(type, lanes_);
}

Value* LaneCode::scalar(Value* value) {
  if (const auto* argument = llvm::dyn_cast<llvm::Argument>(value))
    return made_->getArg(argument->getArgNo());
  const auto found = kept_.find(value);
  if (found == kept_.end()) return value;
  llvm::AllocaInst* variable = found->second.scalar;
  return build_.CreateLoad(variable->getAllocatedType(), variable);
}

Value* LaneCode::holds(Value* value) {
  const auto found = kept_.find(value);
  if (found == kept_.end() || !found->second.holds) return nullptr;
  return build_.CreateLoad(build_.getInt1Ty(), found->second.holds);
}

// 0, step, 2 step ...
Value* LaneCode::counting(llvm::Type* type, std::int64_t step) {
  std::vector<llvm::Constant*> numbers;
  for (unsigned i = 0; i < lanes_; ++i) {
    numbers.push_back(llvm::ConstantInt::getSigned(type, static_cast<std::int64_t>(i) * step,
                                                   /*ImplicitTrunc=*/true));
  }
  return llvm::ConstantVector::get(numbers);
}

Value* LaneCode::wide(Value* value) {
  const auto found = kept_.find(value);
  if (found != kept_.end() && found->second.wide) {
    llvm::AllocaInst* variable = found->second.wide;
    return build_.CreateLoad(variable->getAllocatedType(), variable);
  }
  const Shape shape = shapes_.of(*value);
  Value* first = scalar(value);
  if (llvm::isa<llvm::StructType>(first->getType())) {
    Value* made = llvm::PoisonValue::get(wide_type(first->getType()));
    for (unsigned i = 0; i < first->getType()->getStructNumElements(); ++i) {
      Value* member = build_.CreateVectorSplat(lanes_, build_.CreateExtractValue(first, i));
      made = build_.CreateInsertValue(made, member, i);
    }
    return made;
  }
  if (shape.kind == Shape::affine && first->getType()->isPointerTy())
    return build_.CreatePtrAdd(first, counting(build_.getInt64Ty(), shape.step));
  Value* all = build_.CreateVectorSplat(lanes_, first);
  if (shape.kind != Shape::affine) return all;
  return build_.CreateAdd(all, counting(first->getType(), shape.step));
}

Value* LaneCode::either(Value* value) {
  return shapes_.of(*value).kind == Shape::uniform ? scalar(value) : wide(value);
}

void LaneCode::keep(llvm::Instruction& i, Value* value, Value* held, Value* vector) {
  const Kept& kept = kept_[&i];
  if (kept.scalar && value) build_.CreateStore(value, kept.scalar);
  if (kept.holds) build_.CreateStore(held ? held : build_.getTrue(), kept.holds);
  if (kept.wide && vector) build_.CreateStore(vector, kept.wide);
}

void LaneCode::emit(llvm::Instruction& i) {
  if (auto* variable = llvm::dyn_cast<llvm::AllocaInst>(&i)) return emit_variable(*variable);
  if (auto* load = llvm::dyn_cast<llvm::LoadInst>(&i)) return emit_load(*load);
  if (auto* store = llvm::dyn_cast<llvm::StoreInst>(&i)) return emit_store(*store);
  if (auto* update = llvm::dyn_cast<llvm::AtomicRMWInst>(&i)) return emit_update(*update);
  if (llvm::isa<llvm::AtomicCmpXchgInst>(i)) return emit_each(i, i.getMetadata(relaxed_metadata));
  if (auto* call = llvm::dyn_cast<llvm::CallInst>(&i)) return emit_call(*call);
  if (llvm::isa<llvm::FenceInst>(i)) {
    build_.Insert(i.clone());
    return;
  }
  const Shape shape = shapes_.of(i);
  if (shape.is_scalar()) {
    emit_scalar(i);
  } else {
    keep(i, nullptr, nullptr, emit_wide(i));
  }
}

void LaneCode::emit_scalar(llvm::Instruction& i) {
  const Shape shape = shapes_.of(i);
  llvm::Instruction* copy = i.clone();
  for (llvm::Use& use : copy->operands()) use.set(scalar(use.get()));
  build_.Insert(copy);
  if (shape.kind == Shape::uniform) return keep(i, copy, nullptr, nullptr);
  // The first lane need not be one that comes here: what is said of its numbers does not hold.
  copy->dropPoisonGeneratingFlags();
  if (!shape.assumed) return keep(i, copy, nullptr, nullptr);
  Value* held = nullptr;
  for (const llvm::Use& use : i.operands()) {
    if (Value* other = holds(use.get())) held = held ? build_.CreateAnd(held, other) : other;
  }
  if (llvm::isa<llvm::SExtInst, llvm::ZExtInst>(i)) {
    const auto reach = static_cast<std::int64_t>(lanes_ - 1) * shape.step;
    Value* from = scalar(i.getOperand(0));
    Value* last = build_.CreateAdd(from, llvm::ConstantInt::getSigned(from->getType(), reach));
    last = build_.CreateCast(llvm::cast<llvm::CastInst>(i).getOpcode(), last, i.getType());
    Value* counted = build_.CreateAdd(copy, llvm::ConstantInt::getSigned(copy->getType(), reach));
    Value* exact = build_.CreateICmpEQ(last, counted);
    held = held ? build_.CreateAnd(held, exact) : exact;
  }
  keep(i, copy, held, emit_wide(i));
}

Value* LaneCode::emit_wide(llvm::Instruction& i) {
  const auto flagged = [&](Value* made) {
    if (auto* instruction = llvm::dyn_cast<llvm::Instruction>(made)) instruction->copyIRFlags(&i);
    return made;
  };
  if (auto* operation = llvm::dyn_cast<llvm::BinaryOperator>(&i)) {
    if (operation->isIntDivRem()) return emit_division(*operation);
    return flagged(
        build_.CreateBinOp(operation->getOpcode(), wide(i.getOperand(0)), wide(i.getOperand(1))));
  }
  if (auto* operation = llvm::dyn_cast<llvm::UnaryOperator>(&i))
    return flagged(build_.CreateUnOp(operation->getOpcode(), wide(i.getOperand(0))));
  if (auto* cast = llvm::dyn_cast<llvm::CastInst>(&i))
    return flagged(
        build_.CreateCast(cast->getOpcode(), wide(i.getOperand(0)), wide_type(i.getType())));
  if (auto* compare = llvm::dyn_cast<llvm::CmpInst>(&i))
    return flagged(
        build_.CreateCmp(compare->getPredicate(), wide(i.getOperand(0)), wide(i.getOperand(1))));
  if (auto* select = llvm::dyn_cast<llvm::SelectInst>(&i)) {
    Value* condition = either(select->getCondition());
    return flagged(build_.CreateSelect(condition, wide(select->getTrueValue()),
                                       wide(select->getFalseValue())));
  }
  if (llvm::isa<llvm::FreezeInst>(i)) return build_.CreateFreeze(wide(i.getOperand(0)));
  if (auto* address = llvm::dyn_cast<llvm::GetElementPtrInst>(&i)) {
    std::vector<Value*> indices;
    for (const llvm::Use& index : address->indices()) indices.push_back(either(index.get()));
    Value* base = either(address->getPointerOperand());
    return build_.CreateGEP(address->getSourceElementType(), base, indices);
  }
  if (auto* part = llvm::dyn_cast<llvm::ExtractValueInst>(&i))
    return build_.CreateExtractValue(wide(i.getOperand(0)), part->getIndices());
  auto& part = llvm::cast<llvm::InsertValueInst>(i);
  return build_.CreateInsertValue(wide(i.getOperand(0)), wide(i.getOperand(1)), part.getIndices());
}

// Lanes that are not there must not divide by their zeros. No machine divides vectors of integers;
// quotients of 32 bits are exact in double precision.
Value* LaneCode::emit_division(llvm::BinaryOperator& i) {
  Value* above = wide(i.getOperand(0));
  Value* below = wide(i.getOperand(1));
  if (mask_) {
    Value* one = llvm::ConstantInt::get(below->getType(), 1);
    below = build_.CreateSelect(mask_, below, one);
  }
  constexpr unsigned exact = 32;
  if (llvm::isa<llvm::Constant>(i.getOperand(1)) || i.getType()->getIntegerBitWidth() > exact)
    return build_.CreateBinOp(i.getOpcode(), above, below);
  const bool is_signed =
      i.getOpcode() == llvm::Instruction::SDiv || i.getOpcode() == llvm::Instruction::SRem;
  const bool remains =
      i.getOpcode() == llvm::Instruction::SRem || i.getOpcode() == llvm::Instruction::URem;
  llvm::Type* type = above->getType();
  llvm::Type* doubles = wide_type(build_.getDoubleTy());
  const auto real = [&](Value* value) {
    return is_signed ? build_.CreateSIToFP(value, doubles) : build_.CreateUIToFP(value, doubles);
  };
  Value* quotient = build_.CreateFDiv(real(above), real(below));
  quotient = is_signed ? build_.CreateFPToSI(quotient, type) : build_.CreateFPToUI(quotient, type);
  if (!remains) return quotient;
  return build_.CreateSub(above, build_.CreateMul(quotient, below));
}

}  // namespace heddle::clang_plugin
