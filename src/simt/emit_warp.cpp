// What the lanes of a warp tell one another, and barriers of grids.
#include "simt/emitter.h"

namespace heddle::simt {

// On a CPU a warp is a vector: its lanes are all there at once.
Emitter::Val Emitter::emit_warp(const Expr& e) {
  const auto what = static_cast<Warp>(e.axis);
  constexpr Spread varying{Level::varying, 0}, one{Level::chunk, 0};
  llvm::Value* on = mask_or_all(mask_);
  auto members = [&] { return bits_of(on); };
  auto count = [&](llvm::Value* bits) -> Val {
    return {scalars_.cast({bits, nullptr}, Dtype::uint32, e.dtype, 1), one};
  };
  if (what == Warp::active) return count(members());
  const Dtype dtype = p_.expr(e.args[1]).dtype;
  const kernel::Value value = widened(emit(e.args[1]), dtype);
  switch (what) {
    case Warp::all:
      return {
          {b.CreateICmpEQ(bits_of(b.CreateAnd(on, b.CreateNot(value.re))), b.getInt32(0)), nullptr},
          one};
    case Warp::any:
      return {{b.CreateICmpNE(bits_of(b.CreateAnd(on, value.re)), b.getInt32(0)), nullptr}, one};
    case Warp::equal: {
      llvm::Value* held = bits_of(b.CreateAnd(on, value.re));
      return {{b.CreateOr(b.CreateICmpEQ(held, b.getInt32(0)), b.CreateICmpEQ(held, members())),
               nullptr},
              one};
    }
    case Warp::ballot:
      return count(bits_of(b.CreateAnd(on, value.re)));
    case Warp::match_any:
    case Warp::match_all:
      return emit_match(e, value);
    default:
      break;
  }
  llvm::Value* from = lane_to_read(e);
  llvm::Value* re = value_of_lanes(value.re, from);
  return {{re, value_of_lanes(value.im, from)}, varying};
}

// For each lane the bits of those with the same value.
Emitter::Val Emitter::emit_match(const Expr& e, const kernel::Value& value) {
  llvm::Value* on = mask_or_all(mask_);
  llvm::Type* words = llvm::FixedVectorType::get(b.getInt32Ty(), 32);
  llvm::Value* found = slot(words, "matched");
  llvm::Value* whole = slot(b.getInt32Ty(), "whole");
  b.CreateStore(llvm::Constant::getNullValue(words), found);
  b.CreateStore(b.getInt32(0), whole);
  for_lanes(mask_, [&](llvm::Value* lane) {
    llvm::Value* same = b.CreateICmpEQ(
        value.re, b.CreateVectorSplat(lanes_, b.CreateExtractElement(value.re, lane)));
    llvm::Value* bits = bits_of(b.CreateAnd(on, same));
    llvm::Value* before = b.CreateLoad(words, found);
    b.CreateStore(b.CreateInsertElement(before, bits, lane), found);
    b.CreateStore(bits, whole);
  });
  auto as_count = [&](llvm::Value* bits, int lanes) {
    return scalars_.cast({bits, nullptr}, Dtype::uint32, e.dtype, lanes);
  };
  if (static_cast<Warp>(e.axis) == Warp::match_any) {
    return {as_count(b.CreateLoad(words, found), lanes_), {Level::varying, 0}};
  }
  llvm::Value* last = b.CreateLoad(b.getInt32Ty(), whole);
  last = b.CreateSelect(b.CreateICmpEQ(last, bits_of(on)), last, b.getInt32(0));
  return {as_count(last, 1), {Level::chunk, 0}};
}

// Whose value a shuffle gives each lane, within its group of so many.
llvm::Value* Emitter::lane_to_read(const Expr& e) {
  llvm::Value* lane = iota(b.getInt64Ty());
  llvm::Value* operand = widened(emit(e.args[2]), Dtype::int64).re;
  llvm::Value* width = widened(emit(e.args[3]), Dtype::int64).re;
  llvm::Value* ones = b.CreateVectorSplat(lanes_, i64(1));
  llvm::Value* below = b.CreateSub(width, ones);
  llvm::Value* first = b.CreateAnd(lane, b.CreateNot(below));
  llvm::Value* from = nullptr;
  switch (static_cast<Warp>(e.axis)) {
    case Warp::shuffle:
      from = b.CreateOr(first, b.CreateAnd(operand, below));
      break;
    case Warp::shuffle_up:
      from = b.CreateSub(lane, operand);
      from = b.CreateSelect(b.CreateICmpSLT(from, first), lane, from);
      break;
    case Warp::shuffle_down:
      from = b.CreateAdd(lane, operand);
      from = b.CreateSelect(b.CreateICmpSGT(from, b.CreateOr(first, below)), lane, from);
      break;
    default:
      from = b.CreateXor(lane, operand);
      from = b.CreateSelect(b.CreateICmpSGT(from, b.CreateOr(first, below)), lane, from);
      break;
  }
  return b.CreateAnd(from, b.CreateVectorSplat(lanes_, i64(lanes_ - 1)));
}

// For each lane the value of another; null of null.
llvm::Value* Emitter::value_of_lanes(llvm::Value* part, llvm::Value* from) {
  if (part == nullptr) return nullptr;
  const bool truth = part->getType()->getScalarType()->isIntegerTy(1);
  llvm::Value* whole = part;
  if (truth)
    whole = b.CreateZExt(part,
                         llvm::FixedVectorType::get(b.getInt8Ty(), static_cast<unsigned>(lanes_)));
  llvm::Value* memory = slot(whole->getType(), "lanes");
  b.CreateStore(whole, memory);
  llvm::Type* scalar = whole->getType()->getScalarType();
  llvm::Value* moved =
      b.CreateMaskedGather(whole->getType(), b.CreateGEP(scalar, memory, from),
                           llvm::Align(scalar->getPrimitiveSizeInBits() / 8), mask_or_all(nullptr),
                           llvm::PoisonValue::get(whole->getType()));
  return truth ? b.CreateTrunc(moved, part->getType()) : moved;
}

Emitter::Val Emitter::emit_warp_of_grid(const Expr& e) {
  using M = kernel::GridMachine;
  const auto what = static_cast<Warp>(e.axis);
  auto word = [&](int i) {
    return b.CreateTrunc(emit(e.args[static_cast<std::size_t>(i)]).at.re, b.getInt32Ty());
  };
  auto count = [&](llvm::Value* bits) -> Val {
    return {scalars_.cast({bits, nullptr}, Dtype::uint32, e.dtype, 1), {}};
  };
  if (what == Warp::active) return count(machine_->active());
  llvm::Value* members = word(0);
  const kernel::Value value = emit(e.args[1]).at;
  auto as_word = [&] {
    llvm::Value* v = value.re;
    const unsigned width = v->getType()->getPrimitiveSizeInBits();
    v = b.CreateBitCast(v, b.getIntNTy(width));
    return width <= 32 ? b.CreateZExt(v, b.getInt32Ty()) : v;
  };
  switch (what) {
    case Warp::all:
      return uniform(machine_->vote(M::Vote::all, members, value.re));
    case Warp::any:
      return uniform(machine_->vote(M::Vote::any, members, value.re));
    case Warp::equal:
      return uniform(machine_->vote(M::Vote::equal, members, value.re));
    case Warp::ballot:
      return count(machine_->ballot(members, value.re));
    case Warp::match_any:
      return count(machine_->match_any(members, as_word()));
    case Warp::match_all:
      return count(machine_->match_all(members, as_word()));
    default:
      break;
  }
  const M::Move how = what == Warp::shuffle        ? M::Move::number
                      : what == Warp::shuffle_up   ? M::Move::up
                      : what == Warp::shuffle_down ? M::Move::down
                                                   : M::Move::bits;
  llvm::Value* operand = word(2);
  llvm::Value* width = word(3);
  auto move = [&](llvm::Value* part) {
    return part == nullptr ? nullptr : machine_->shuffle(how, members, part, operand, width);
  };
  llvm::Value* re = move(value.re);
  return {{re, move(value.im)}, {}};
}

void Emitter::emit_barrier_of_grid(const Stmt& s) {
  const auto kind = static_cast<Barrier>(s.index);
  if (kind == Barrier::plain) {
    machine_->barrier();
    return;
  }
  if (kind == Barrier::grid) {
    emit_wait_for_grid();
    return;
  }
  llvm::Value* condition = emit_uniform(s.exprs[0]);
  llvm::Value* result = kind == Barrier::count ? machine_->barrier_count(condition)
                        : kind == Barrier::all ? machine_->barrier_all(condition)
                                               : machine_->barrier_any(condition);
  write_local(s.axis, uniform(b.CreateZExt(result, b.getInt64Ty())), nullptr);
}

// All blocks of the grid arrive before one goes on. One thread of each adds to a word of the
// module: the first block so much that the highest bit turns over when all others have added 1,
// which is what everybody waits for. So the word is ready for the next time, whatever it holds.
void Emitter::emit_wait_for_grid() {
  constexpr const char* name = "grid_arrivals";
  llvm::Type* const i32 = b.getInt32Ty();
  llvm::GlobalVariable* counter = module_.getNamedGlobal(name);
  if (counter == nullptr) {
    counter = new llvm::GlobalVariable(module_, i32, false, llvm::GlobalValue::InternalLinkage,
                                       llvm::ConstantInt::get(i32, 0), name, nullptr,
                                       llvm::GlobalValue::NotThreadLocal, /*AddressSpace=*/1);
    counter->setAlignment(llvm::Align(4));
  }
  llvm::Value* place = b.CreateAddrSpaceCast(counter, b.getPtrTy());
  auto* first = block("arrive");
  auto* wait = block("wait_for_grid");
  auto* there = block("grid_is_there");
  auto* done = block("grid_done");
  machine_->barrier();
  llvm::Value* number =
      b.CreateOr(b.CreateOr(machine_->thread_x(), machine_->thread_y()), machine_->thread_z());
  b.CreateCondBr(b.CreateICmpEQ(number, b.getInt32(0)), first, done);
  b.SetInsertPoint(first);
  machine_->fence();
  llvm::Value* blocks =
      b.CreateMul(b.CreateMul(machine_->blocks_x(), machine_->blocks_y()), machine_->blocks_z());
  llvm::Value* block_number =
      b.CreateOr(b.CreateOr(machine_->block_x(), machine_->block_y()), machine_->block_z());
  llvm::Value* high = b.getInt32(0x80000000U);
  llvm::Value* more =
      b.CreateSelect(b.CreateICmpEQ(block_number, b.getInt32(0)),
                     b.CreateSub(high, b.CreateSub(blocks, b.getInt32(1))), b.getInt32(1));
  constexpr auto order = llvm::AtomicOrdering::Monotonic;
  llvm::Value* old = b.CreateAtomicRMW(llvm::AtomicRMWInst::Add, place, more, llvm::Align(4), order,
                                       machine_->scope());
  b.CreateBr(wait);
  b.SetInsertPoint(wait);
  auto* now = b.CreateAlignedLoad(i32, place, llvm::Align(4), /*isVolatile=*/true);
  now->setAtomic(order, machine_->scope());
  llvm::Value* turned = b.CreateAnd(b.CreateXor(old, now), high);
  b.CreateCondBr(b.CreateICmpEQ(turned, b.getInt32(0)), wait, there);
  b.SetInsertPoint(there);
  machine_->fence();
  b.CreateBr(done);
  b.SetInsertPoint(done);
  machine_->barrier();
}

}  // namespace heddle::simt
