// Loads and stores: how a slot's elements reach registers, for one lane or for many.
//
// A read never overlaps a write of the same launch except element for element (the builder sees to
// it), so whole vectors are read before they are written and nothing is assumed about aliasing.
#include <utility>

#include <llvm/IR/IntrinsicsX86.h>

#include "kernel/llvm_function_emitter.h"

namespace heddle::kernel {
namespace {

llvm::Align alignment(Dtype dtype) { return llvm::Align(component_size(dtype)); }

}  // namespace

// Of neighbouring elements. Kernels for grids have a variant of their own for what is not aligned.
llvm::Align FunctionEmitter::unit_alignment(Dtype dtype, int lanes) const {
  if (target_.model == Model::simd) return alignment(dtype);
  return llvm::Align(std::min(16, itemsize(dtype) * lanes));
}

llvm::Value* FunctionEmitter::from_memory(Dtype dtype, llvm::Value* value, int lanes) {
  if (dtype != Dtype::bool_) return value;
  return b.CreateICmpNE(value, llvm::Constant::getNullValue(value->getType()));
}

llvm::Value* FunctionEmitter::to_memory(Dtype dtype, llvm::Value* value, int lanes) {
  if (dtype != Dtype::bool_) return value;
  llvm::Type* type = b.getInt8Ty();
  if (lanes > 1) type = llvm::FixedVectorType::get(type, lanes);
  return b.CreateZExt(value, type);
}

Value FunctionEmitter::deinterleave(llvm::Value* pairs, int lanes) {
  std::vector<int> even, odd;
  for (int n = 0; n < lanes; ++n) {
    even.push_back(2 * n);
    odd.push_back(2 * n + 1);
  }
  return {b.CreateShuffleVector(pairs, even), b.CreateShuffleVector(pairs, odd)};
}

llvm::Value* FunctionEmitter::interleave(Value value, int lanes) {
  std::vector<int> order;
  for (int n = 0; n < lanes; ++n) {
    order.push_back(n);
    order.push_back(lanes + n);
  }
  return b.CreateShuffleVector(value.re, value.im, order);
}

llvm::Value* FunctionEmitter::interleave_mask(llvm::Value* mask, int lanes) {
  return mask ? interleave({mask, mask}, lanes) : nullptr;
}

// --- addresses ---

llvm::Value* FunctionEmitter::scalar_address(const Instr& instr, std::uint16_t offset) {
  llvm::Value* base = pointers_[instr.slot];
  if (offset == no_arg) return base;
  const int size = itemsize(k.slots[instr.slot].dtype);
  return address(base, b.CreateMul(operand(offset, 1).re, i64(size)));
}

// Whether all lanes have the same computed offset, as in whole rows at given places: neighbours
// stay neighbours. Grids would have to know how such rows are aligned.
bool FunctionEmitter::keeps_together(std::uint16_t offset) const {
  return offset == no_arg || (target_.model == Model::simd && !schedule_.vector[offset]);
}

llvm::Value* FunctionEmitter::lane_addresses(const Instr& instr, std::uint16_t offset, int lanes) {
  llvm::Value* bytes = nullptr;
  if (llvm::Value* stride = strides_[instr.slot][schedule_.lane_dim])
    bytes = b.CreateMul(lane_numbers(b.getInt64Ty(), lanes), b.CreateVectorSplat(lanes, stride));
  if (offset != no_arg) {
    llvm::Value* size = b.CreateVectorSplat(lanes, i64(itemsize(k.slots[instr.slot].dtype)));
    llvm::Value* more = b.CreateMul(operand(offset, lanes).re, size);
    bytes = bytes ? b.CreateAdd(bytes, more) : more;
  }
  return b.CreateGEP(b.getInt8Ty(), pointers_[instr.slot], bytes);
}

// --- loads ---

Value FunctionEmitter::load(int i, int lanes) {
  const Instr& instr = k.instrs[i];
  const Slot& slot = k.slots[instr.slot];
  if (instr.args[1] != no_arg) return load_guarded(i, lanes);
  if (lanes > 1 && slot.lane == Stride::any && instr.args[0] == no_arg && !mask_)
    return load_strided(instr, lanes);
  if (lanes > 1 && (slot.lane != Stride::unit || !keeps_together(instr.args[0])))
    return load_lanes(slot.dtype, lane_addresses(instr, instr.args[0], lanes), lanes);
  llvm::Value* pointer = scalar_address(instr, instr.args[0]);
  if (instr.level == Level::body && schedule_.depth[i] <= k.kept_dims) {
    // Moved out of the loops over reduced dimensions: there may be nothing to read.
    pointer = b.CreateSelect(nothing_reduced_, dummy_, pointer);
  }
  return lanes > 1 ? load_unit(slot.dtype, pointer, lanes) : load_scalar(slot.dtype, pointer);
}

llvm::Value* FunctionEmitter::shared_condition(std::uint16_t guard) {
  if (!schedule_.vector[guard]) return operand(guard, 1).re;
  const Instr& instr = k.instrs[guard];
  if (instr.op != Op::logical_and) return nullptr;
  llvm::Value* first = shared_condition(instr.args[0]);
  llvm::Value* second = shared_condition(instr.args[1]);
  return first && second ? b.CreateAnd(first, second) : first ? first : second;
}

// Elements that are there only where the guard says so.
Value FunctionEmitter::load_guarded(int i, int lanes) {
  const Instr& instr = k.instrs[i];
  const Slot& slot = k.slots[instr.slot];
  // Moved out of the loops over reduced dimensions: there may be nothing to read.
  const bool moved = instr.level == Level::body && schedule_.depth[i] <= k.kept_dims;
  llvm::Value* guard = operand(instr.args[1], lanes).re;
  if (moved) {
    llvm::Value* something = b.CreateNot(nothing_reduced_);
    guard = b.CreateAnd(guard, lanes > 1 ? b.CreateVectorSplat(lanes, something) : something);
  }
  if (lanes == 1) return load_if(guard, slot.dtype, scalar_address(instr, instr.args[0]));
  if (mask_) guard = b.CreateAnd(guard, mask_);
  if (slot.lane == Stride::zero && keeps_together(instr.args[0])) {
    const Value one =
        load_if(b.CreateOrReduce(guard), slot.dtype, scalar_address(instr, instr.args[0]));
    return {b.CreateVectorSplat(lanes, one.re),
            one.im ? b.CreateVectorSplat(lanes, one.im) : nullptr};
  }
  llvm::Value* outer = std::exchange(mask_, guard);
  const bool together = slot.lane == Stride::unit && keeps_together(instr.args[0]);
  llvm::Value* pointer = nullptr;
  if (together) {
    // In rows where no lane reads, the address may be anywhere. The load is right even so, but CPUs
    // take a hundred times as long for it where there is no memory.
    pointer = scalar_address(instr, instr.args[0]);
    llvm::Value* row = target_.model == Model::simd ? shared_condition(instr.args[1]) : nullptr;
    if (row) pointer = b.CreateSelect(row, pointer, dummy_);
  }
  const Value value =
      together ? load_unit(slot.dtype, pointer, lanes)
               : load_lanes(slot.dtype, lane_addresses(instr, instr.args[0], lanes), lanes);
  mask_ = outer;
  return value;
}

Value FunctionEmitter::load_if(llvm::Value* condition, Dtype dtype, llvm::Value* pointer) {
  llvm::Function* function = b.GetInsertBlock()->getParent();
  llvm::BasicBlock* before = b.GetInsertBlock();
  auto* there = llvm::BasicBlock::Create(b.getContext(), "there", function);
  auto* after = llvm::BasicBlock::Create(b.getContext(), "after", function);
  b.CreateCondBr(condition, there, after);
  b.SetInsertPoint(there);
  const Value loaded = load_scalar(dtype, pointer);
  there = b.GetInsertBlock();
  b.CreateBr(after);
  b.SetInsertPoint(after);
  auto merge = [&](llvm::Value* part) -> llvm::Value* {
    if (!part) return nullptr;
    auto* value = b.CreatePHI(part->getType(), 2);
    value->addIncoming(part, there);
    value->addIncoming(llvm::Constant::getNullValue(part->getType()), before);
    return value;
  };
  llvm::Value* re = merge(loaded.re);
  return {re, merge(loaded.im)};
}

Value FunctionEmitter::load_scalar(Dtype dtype, llvm::Value* pointer) {
  llvm::Type* type = ops_.memory_type(dtype);
  auto part = [&](llvm::Value* at) {
    return from_memory(dtype, b.CreateAlignedLoad(type, at, alignment(dtype)), 1);
  };
  Value value{part(pointer), nullptr};
  if (is_complex(dtype)) value.im = part(address(pointer, i64(component_size(dtype))));
  return value;
}

Value FunctionEmitter::load_unit(Dtype dtype, llvm::Value* pointer, int lanes) {
  const bool complex = is_complex(dtype);
  auto* type = llvm::FixedVectorType::get(ops_.memory_type(dtype), complex ? 2 * lanes : lanes);
  llvm::Value* value;
  if (mask_) {
    llvm::Value* mask = complex ? interleave_mask(mask_, lanes) : mask_;
    value = b.CreateMaskedLoad(type, pointer, alignment(dtype), mask,
                               llvm::Constant::getNullValue(type));
  } else {
    value = b.CreateAlignedLoad(type, pointer, unit_alignment(dtype, lanes));
  }
  if (complex) return deinterleave(value, lanes);
  return {from_memory(dtype, value, lanes), nullptr};
}

// Element by element: faster than a gather on most machines, or as fast.
Value FunctionEmitter::load_strided(const Instr& instr, int lanes) {
  const Dtype dtype = k.slots[instr.slot].dtype;
  llvm::Value* stride = strides_[instr.slot][schedule_.lane_dim];
  auto* type = llvm::FixedVectorType::get(ops_.memory_type(dtype), lanes);
  auto component = [&](int part) {
    llvm::Value* value = llvm::PoisonValue::get(type);
    for (int n = 0; n < lanes; ++n) {
      llvm::Value* at = address(pointers_[instr.slot], b.CreateMul(stride, i64(n)));
      if (part) at = address(at, i64(component_size(dtype)));
      value = b.CreateInsertElement(
          value, b.CreateAlignedLoad(type->getElementType(), at, alignment(dtype)),
          static_cast<std::uint64_t>(n));
    }
    return value;
  };
  Value value{from_memory(dtype, component(0), lanes), nullptr};
  if (is_complex(dtype)) value.im = component(1);
  return value;
}

Value FunctionEmitter::load_lanes(Dtype dtype, llvm::Value* pointers, int lanes) {
  auto gather = [&](llvm::Type* element, llvm::Value* from) {
    auto* type = llvm::FixedVectorType::get(element, lanes);
    llvm::Value* mask = mask_ ? mask_ : b.getAllOnesMask(llvm::ElementCount::getFixed(lanes));
    return b.CreateMaskedGather(type, from, alignment(dtype), mask,
                                llvm::Constant::getNullValue(type));
  };
  if (dtype == Dtype::complex64) {
    llvm::Value* pairs = gather(b.getInt64Ty(), pointers);
    auto* type = llvm::FixedVectorType::get(b.getFloatTy(), 2 * lanes);
    return deinterleave(b.CreateBitCast(pairs, type), lanes);
  }
  llvm::Type* element = ops_.memory_type(dtype);
  Value value{from_memory(dtype, gather(element, pointers), lanes), nullptr};
  if (is_complex(dtype))
    value.im = gather(element, b.CreateConstInBoundsGEP1_64(element, pointers, 1));
  return value;
}

// --- stores ---

void FunctionEmitter::store(const Instr& instr, int lanes) {
  llvm::Value* guard = instr.level == Level::body ? body_guard_ : row_guard_;
  if (guard) return when(guard, [&] { store_elements(instr, lanes); });
  store_elements(instr, lanes);
}

void FunctionEmitter::store_elements(const Instr& instr, int lanes) {
  const Slot& slot = k.slots[instr.slot];
  const Value value = operand(instr.args[0], lanes);
  const std::uint16_t offset = instr.args[1];
  llvm::Value* mask = instr.args[2] == no_arg ? nullptr : operand(instr.args[2], lanes).re;
  if (lanes == 1) {
    auto write = [&] { store_scalar(slot.dtype, value, scalar_address(instr, offset)); };
    mask ? when(mask, write) : write();
    return;
  }
  if (mask_) mask = mask ? b.CreateAnd(mask, mask_) : mask_;
  if (slot.lane == Stride::any && offset == no_arg && !mask)
    store_strided(instr, value, lanes);
  else if (slot.lane == Stride::unit && keeps_together(offset))
    store_unit(slot, value, scalar_address(instr, offset), mask, lanes);
  else
    store_lanes(slot.dtype, value, lane_addresses(instr, offset, lanes), mask, lanes);
}

void FunctionEmitter::store_scalar(Dtype dtype, Value value, llvm::Value* pointer) {
  b.CreateAlignedStore(to_memory(dtype, value.re, 1), pointer, alignment(dtype));
  if (is_complex(dtype)) {
    b.CreateAlignedStore(value.im, address(pointer, i64(component_size(dtype))), alignment(dtype));
  }
}

void FunctionEmitter::store_unit(const Slot& slot, Value value, llvm::Value* pointer,
                                 llvm::Value* mask, int lanes) {
  const Dtype dtype = slot.dtype;
  llvm::Value* memory = to_memory(dtype, value.re, lanes);
  if (is_complex(dtype)) {
    memory = interleave(value, lanes);
    mask = interleave_mask(mask, lanes);
  }
  if (mask && !mask_ && target_.model == Model::grid) {
    // Whole vectors: the memory takes parts of what it moves at once as slowly as two of it.
    when(b.CreateOrReduce(mask), [&] {
      const llvm::Align align = unit_alignment(dtype, lanes);
      llvm::Value* before = b.CreateAlignedLoad(memory->getType(), pointer, align);
      b.CreateAlignedStore(b.CreateSelect(mask, memory, before), pointer, align);
    });
    return;
  }
  if (mask) {
    b.CreateMaskedStore(memory, pointer, alignment(dtype), mask);
    return;
  }
  const unsigned bytes = memory->getType()->getPrimitiveSizeInBits() / 8;
  const bool streamed = slot.streamed && bytes >= 16 && target_.model == Model::simd;
  llvm::StoreInst* written = b.CreateAlignedStore(
      memory, pointer, streamed ? llvm::Align(std::min(bytes, 64u)) : unit_alignment(dtype, lanes));
  if (!streamed) return;
  auto* one = llvm::ConstantAsMetadata::get(b.getInt32(1));
  written->setMetadata(llvm::LLVMContext::MD_nontemporal, llvm::MDNode::get(b.getContext(), one));
}

// Streamed stores are not ordered with others: they must have arrived before a kernel is done.
void FunctionEmitter::finish_streams() {
  for (const Slot& slot : k.slots) {
    if (!slot.streamed) continue;
    b.CreateIntrinsic(b.getVoidTy(), llvm::Intrinsic::x86_sse_sfence, {});
    return;
  }
}

void FunctionEmitter::store_strided(const Instr& instr, Value value, int lanes) {
  const Dtype dtype = k.slots[instr.slot].dtype;
  llvm::Value* stride = strides_[instr.slot][schedule_.lane_dim];
  llvm::Value* real = to_memory(dtype, value.re, lanes);
  for (int n = 0; n < lanes; ++n) {
    const auto lane = static_cast<std::uint64_t>(n);
    llvm::Value* at = address(pointers_[instr.slot], b.CreateMul(stride, i64(n)));
    b.CreateAlignedStore(b.CreateExtractElement(real, lane), at, alignment(dtype));
    if (!value.im) continue;
    at = address(at, i64(component_size(dtype)));
    b.CreateAlignedStore(b.CreateExtractElement(value.im, lane), at, alignment(dtype));
  }
}

// Both parts of each number at once: two scatters would ask for every line of memory twice.
void FunctionEmitter::store_pairs(Dtype dtype, Value value, llvm::Value* pointers, int lanes) {
  for (int n = 0; n < lanes; ++n) {
    llvm::Value* pair = b.CreateShuffleVector(value.re, value.im, {n, lanes + n});
    b.CreateAlignedStore(pair, b.CreateExtractElement(pointers, static_cast<std::uint64_t>(n)),
                         alignment(dtype));
  }
}

void FunctionEmitter::store_lanes(Dtype dtype, Value value, llvm::Value* pointers,
                                  llvm::Value* mask, int lanes) {
  if (dtype == Dtype::complex128 && !mask && target_.model == Model::simd)
    return store_pairs(dtype, value, pointers, lanes);
  if (!mask) mask = b.getAllOnesMask(llvm::ElementCount::getFixed(lanes));
  if (dtype == Dtype::complex64) {
    auto* type = llvm::FixedVectorType::get(b.getInt64Ty(), lanes);
    b.CreateMaskedScatter(b.CreateBitCast(interleave(value, lanes), type), pointers,
                          alignment(dtype), mask);
    return;
  }
  // Lanes are written in ascending order: of equal addresses the last one stays.
  b.CreateMaskedScatter(to_memory(dtype, value.re, lanes), pointers, alignment(dtype), mask);
  if (is_complex(dtype)) {
    llvm::Value* imaginary = b.CreateConstInBoundsGEP1_64(ops_.memory_type(dtype), pointers, 1);
    b.CreateMaskedScatter(value.im, imaginary, alignment(dtype), mask);
  }
}

}  // namespace heddle::kernel
