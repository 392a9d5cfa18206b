// What several lanes do to memory: neighbours in one piece, others by gathering and scattering.
#include "lane_code.h"

namespace heddle::clang_plugin {

using llvm::Value;

bool LaneCode::is_row(Value* address, llvm::Type* type) {
  const Shape shape = shapes_.of(*address);
  return shape.kind == Shape::affine &&
         shape.step == static_cast<std::int64_t>(layout_.getTypeAllocSize(type).getFixedValue());
}

template <class Quick, class Other>
Value* LaneCode::choose(Value* condition, Quick quick, Other other) {
  if (!condition) return quick();
  llvm::BasicBlock* yes = llvm::BasicBlock::Create(context_, "quick", made_);
  llvm::BasicBlock* no = llvm::BasicBlock::Create(context_, "other", made_);
  llvm::BasicBlock* after = llvm::BasicBlock::Create(context_, "chosen", made_);
  build_.CreateCondBr(condition, yes, no);
  build_.SetInsertPoint(yes);
  Value* first = quick();
  yes = build_.GetInsertBlock();
  build_.CreateBr(after);
  build_.SetInsertPoint(no);
  Value* second = other();
  no = build_.GetInsertBlock();
  build_.CreateBr(after);
  build_.SetInsertPoint(after);
  if (!first) return nullptr;
  llvm::PHINode* phi = build_.CreatePHI(first->getType(), 2);
  phi->addIncoming(first, yes);
  phi->addIncoming(second, no);
  return phi;
}

// Lanes of a variable have it one after the other.
void LaneCode::emit_variable(llvm::AllocaInst& variable) {
  const Shape shape = shapes_.of(variable);
  auto* bytes =
      llvm::ArrayType::get(build_.getInt8Ty(), static_cast<std::uint64_t>(shape.step) * lanes_);
  llvm::AllocaInst* made = llvm::IRBuilder<>(entry_).CreateAlloca(bytes);
  made->setAlignment(variable.getAlign());
  keep(variable, made, nullptr, nullptr);
}

void LaneCode::emit_load(llvm::LoadInst& load) {
  Value* address = load.getPointerOperand();
  if (shapes_.of(load).kind == Shape::uniform) return emit_scalar(load);
  if (!load.isSimple()) return emit_each(load, false);
  llvm::Type* type = wide_type(load.getType());
  const auto gather = [&]() -> Value* {
    return build_.CreateMaskedGather(type, wide(address), load.getAlign(), mask_);
  };
  if (!is_row(address, load.getType())) return keep(load, nullptr, nullptr, gather());
  const auto whole = [&]() -> Value* {
    return build_.CreateAlignedLoad(type, scalar(address), load.getAlign());
  };
  const auto masked = [&]() -> Value* {
    return build_.CreateMaskedLoad(type, scalar(address), load.getAlign(), mask_);
  };
  // Masks of small elements are slow on machines without AVX-512.
  const bool small = layout_.getTypeSizeInBits(load.getType()) < 32;
  const auto row = [&]() -> Value* {
    if (!mask_) return whole();
    return small ? choose(all(mask_), whole, masked) : masked();
  };
  keep(load, nullptr, nullptr, choose(holds(address), row, gather));
}

Value* LaneCode::last_lane(Value* vector) {
  if (!mask_) return build_.CreateExtractElement(vector, lanes_ - 1);
  llvm::Type* bits = build_.getIntNTy(lanes_);
  Value* zeros = build_.CreateIntrinsic(llvm::Intrinsic::ctlz, {bits},
                                        {build_.CreateBitCast(mask_, bits), build_.getFalse()});
  Value* at = build_.CreateSub(llvm::ConstantInt::get(bits, lanes_ - 1), zeros);
  return build_.CreateExtractElement(vector, build_.CreateZExt(at, build_.getInt32Ty()));
}

void LaneCode::emit_store(llvm::StoreInst& store) {
  Value* address = store.getPointerOperand();
  Value* value = store.getValueOperand();
  if (shapes_.of(*address).kind == Shape::uniform) {
    // One of those that write there wins.
    Value* one = shapes_.of(*value).kind == Shape::uniform ? scalar(value) : last_lane(wide(value));
    build_.CreateAlignedStore(one, scalar(address), store.getAlign());
    return;
  }
  const auto scatter = [&]() -> Value* {
    build_.CreateMaskedScatter(wide(value), wide(address), store.getAlign(), mask_);
    return nullptr;
  };
  if (!is_row(address, value->getType())) {
    scatter();
    return;
  }
  const auto whole = [&]() -> Value* {
    build_.CreateAlignedStore(wide(value), scalar(address), store.getAlign());
    return nullptr;
  };
  const auto masked = [&]() -> Value* {
    build_.CreateMaskedStore(wide(value), scalar(address), store.getAlign(), mask_);
    return nullptr;
  };
  const bool small = layout_.getTypeSizeInBits(value->getType()) < 32;
  const auto row = [&]() -> Value* {
    if (!mask_) return whole();
    return small ? choose(all(mask_), whole, masked) : masked();
  };
  choose(holds(address), row, scatter);
}

// Lanes that update one place, and do not look at what was there, do it together.
void LaneCode::emit_update(llvm::AtomicRMWInst& update) {
  using Update = llvm::AtomicRMWInst;
  const bool together = update.use_empty() && !update.isVolatile() &&
                        shapes_.of(*update.getPointerOperand()).kind == Shape::uniform;
  Value* given = update.getValOperand();
  llvm::Type* type = given->getType();
  Value* nothing = nullptr;  // changes nothing
  if (together) {
    switch (update.getOperation()) {
      case Update::Add:
      case Update::Or:
      case Update::Xor:
      case Update::UMax:
        nothing = llvm::Constant::getNullValue(type);
        break;
      case Update::And:
      case Update::UMin:
        nothing = llvm::Constant::getAllOnesValue(type);
        break;
      case Update::FAdd:
        nothing = llvm::ConstantFP::getNegativeZero(type);
        break;
      default:
        break;
    }
  }
  if (!nothing) return emit_each(update, update.getMetadata(relaxed_metadata));
  Value* values = wide(given);
  if (mask_) {
    values = build_.CreateSelect(mask_, values, build_.CreateVectorSplat(lanes_, nothing));
  }
  Value* total = nullptr;
  switch (update.getOperation()) {
    case Update::Add:
      total = build_.CreateAddReduce(values);
      break;
    case Update::Or:
      total = build_.CreateOrReduce(values);
      break;
    case Update::Xor:
      total = build_.CreateXorReduce(values);
      break;
    case Update::And:
      total = build_.CreateAndReduce(values);
      break;
    case Update::UMax:
      total = build_.CreateIntMaxReduce(values, false);
      break;
    case Update::UMin:
      total = build_.CreateIntMinReduce(values, false);
      break;
    default: {
      llvm::CallInst* sum = build_.CreateFAddReduce(nothing, values);
      sum->setHasAllowReassoc(true);
      total = sum;
      break;
    }
  }
  auto* copy = llvm::cast<Update>(update.clone());
  copy->setOperand(0, scalar(update.getPointerOperand()));
  copy->setOperand(1, total);
  build_.Insert(copy);
}

}  // namespace heddle::clang_plugin
