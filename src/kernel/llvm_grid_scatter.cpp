// Writes at computed places on grids, where several threads may want the same element.
#include "kernel/llvm_grid_emitter.h"

namespace heddle::kernel {

void GridEmitter::store_elements(const Instr& instr, int lanes) {
  const bool computed = instr.args[1] != no_arg;
  if (in_group(instr)) return group_store(instr);
  if (variant_.scatter == Scatter::none || !computed)
    return FunctionEmitter::store_elements(instr, lanes);
  if (variant_.scatter == Scatter::atomic) {
    const std::uint16_t term = added(instr);
    if (term == no_arg) return end_attempt(instr);
    const Body add = [&] {
      machine_.add_to(scalar_address(instr, instr.args[1]), operand(term, 1).re);
    };
    return instr.args[2] == no_arg ? add() : when(operand(instr.args[2], 1).re, add);
  }
  if (!claiming_) {
    llvm::Value* winner =
        b.CreateAlignedLoad(claim_type(), claim_of(instr), llvm::Align(variant_.wide ? 8 : 4));
    return when(b.CreateICmpEQ(winner, claim_number()),
                [&] { FunctionEmitter::store_elements(instr, lanes); });
  }
  const Body claim = [&] { machine_.raise(claim_of(instr), claim_number()); };
  instr.args[2] == no_arg ? claim() : when(operand(instr.args[2], 1).re, claim);
}

// --- the last one wins ---

void GridEmitter::emit_claims(const std::string& name) {
  claiming_ = true;
  emit_chunks(name);
}

// The kernel without the values: only where they would go.
void GridEmitter::need_places() {
  needed_.assign(k.instrs.size(), 0);
  for (std::size_t i = k.instrs.size(); i-- > 0;) {
    const Instr& instr = k.instrs[i];
    if (instr.op == Op::store && instr.args[1] != no_arg) needed_[i] = 1;
    if (!needed_[i]) continue;
    for (std::size_t n = instr.op == Op::store ? 1 : 0; n < 3; ++n) {
      if (instr.args[n] != no_arg) needed_[instr.args[n]] = 1;
    }
  }
}

llvm::Value* GridEmitter::claim_of(const Instr& instr) {
  llvm::Value* at = b.CreatePtrToInt(scalar_address(instr, instr.args[1]), b.getInt64Ty());
  llvm::Value* bytes = b.CreateSub(at, word(layout_.target));
  llvm::Value* number = b.CreateUDiv(bytes, i64(itemsize(k.slots[instr.slot].dtype)));
  return b.CreateInBoundsGEP(claim_type(), machine_.device_pointer(word(layout_.claims)), number);
}

std::uint16_t GridEmitter::added(const Instr& store) const {
  const Instr& sum = k.instrs[store.args[0]];
  if (sum.op != Op::add || k.instrs[sum.args[0]].op != Op::load) return no_arg;
  const Instr& there = k.instrs[sum.args[0]];
  if (there.slot != store.slot || there.args[0] != store.args[1]) return no_arg;
  switch (sum.dtype) {
    case Dtype::int32:
    case Dtype::uint32:
    case Dtype::int64:
    case Dtype::uint64:
      return sum.args[1];
    default:
      return no_arg;
  }
}

// --- all of them count: what is computed from the element is tried until nobody came between ---

Value GridEmitter::from_bits(Dtype dtype, llvm::Value* bits) {
  if (!is_complex(dtype))
    return {from_memory(dtype, b.CreateBitCast(bits, ops_.memory_type(dtype)), 1), nullptr};
  llvm::Value* pair = b.CreateBitCast(bits, llvm::FixedVectorType::get(b.getFloatTy(), 2));
  return {b.CreateExtractElement(pair, std::uint64_t{0}),
          b.CreateExtractElement(pair, std::uint64_t{1})};
}

llvm::Value* GridEmitter::to_bits(Dtype dtype, Value value) {
  llvm::Type* type = b.getIntNTy(static_cast<unsigned>(itemsize(dtype)) * 8);
  if (!is_complex(dtype)) return b.CreateBitCast(to_memory(dtype, value.re, 1), type);
  llvm::Value* pair = llvm::PoisonValue::get(llvm::FixedVectorType::get(b.getFloatTy(), 2));
  pair = b.CreateInsertElement(pair, value.re, std::uint64_t{0});
  pair = b.CreateInsertElement(pair, value.im, std::uint64_t{1});
  return b.CreateBitCast(pair, type);
}

Value GridEmitter::begin_attempt(const Instr& load) {
  const Dtype dtype = k.slots[load.slot].dtype;
  for (const Instr& instr : k.instrs) {
    // The machine adds by itself: what is there is not looked at.
    if (instr.op == Op::store && instr.slot == load.slot && added(instr) != no_arg)
      return ops_.constant(dtype, 0, 1);
  }
  llvm::Type* type = b.getIntNTy(static_cast<unsigned>(itemsize(dtype)) * 8);
  attempt_at_ = scalar_address(load, load.args[0]);
  llvm::Value* first = b.CreateAlignedLoad(type, attempt_at_, llvm::Align(itemsize(dtype)));
  llvm::BasicBlock* before = b.GetInsertBlock();
  auto* again = llvm::BasicBlock::Create(b.getContext(), "attempt", function_);
  b.CreateBr(again);
  b.SetInsertPoint(again);
  attempt_ = b.CreatePHI(type, 2);
  attempt_->addIncoming(first, before);
  return from_bits(dtype, attempt_);
}

void GridEmitter::end_attempt(const Instr& store) {
  const Dtype dtype = k.slots[store.slot].dtype;
  llvm::Value* wanted = to_bits(dtype, operand(store.args[0], 1));
  if (store.args[2] != no_arg)
    wanted = b.CreateSelect(operand(store.args[2], 1).re, wanted, attempt_);
  const auto [found, done] = machine_.exchange(attempt_at_, attempt_, wanted);
  attempt_->addIncoming(found, b.GetInsertBlock());
  auto* after = llvm::BasicBlock::Create(b.getContext(), "written", function_);
  b.CreateCondBr(done, after, attempt_->getParent());
  b.SetInsertPoint(after);
}

}  // namespace heddle::kernel
