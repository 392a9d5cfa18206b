// Updates of elements that nobody comes between.
#include <optional>

#include "simt/emitter.h"
#include "simt/watch.h"

namespace heddle::simt {

// --- atomics ---

kernel::Value Emitter::combine(Atomic how, Dtype dtype, const kernel::Value& old,
                               const kernel::Value& value) {
  auto apply = [&](Op op) {
    const kernel::Value both[] = {old, value};
    return scalars_.apply(op, dtype, dtype, both, 1);
  };
  // As Numba's: where one of the two is nan, what is there stays.
  auto if_it_is = [&](Op op) {
    const kernel::Value both[] = {value, old};
    const kernel::Value better = {scalars_.apply(op, dtype, Dtype::bool_, both, 1).re, nullptr};
    const kernel::Value three[] = {better, value, old};
    return scalars_.apply(Op::select, dtype, dtype, three, 1);
  };
  switch (how) {
    case Atomic::add:
      return apply(Op::add);
    case Atomic::sub:
      return apply(Op::subtract);
    case Atomic::max:
      return if_it_is(Op::greater);
    case Atomic::min:
      return if_it_is(Op::less);
    case Atomic::nanmax:
      return apply(Op::fmax);
    case Atomic::nanmin:
      return apply(Op::fmin);
    case Atomic::bit_and:
      return apply(Op::bitwise_and);
    case Atomic::bit_or:
      return apply(Op::bitwise_or);
    case Atomic::bit_xor:
      return apply(Op::bitwise_xor);
    case Atomic::inc: {
      llvm::Type* type = old.re->getType();
      llvm::Value* more = b.CreateAdd(old.re, llvm::ConstantInt::get(type, 1));
      return {
          b.CreateSelect(b.CreateICmpUGE(old.re, value.re), llvm::ConstantInt::get(type, 0), more),
          nullptr};
    }
    case Atomic::dec: {
      llvm::Type* type = old.re->getType();
      llvm::Value* ends = b.CreateOr(b.CreateICmpEQ(old.re, llvm::ConstantInt::get(type, 0)),
                                     b.CreateICmpUGT(old.re, value.re));
      llvm::Value* less = b.CreateSub(old.re, llvm::ConstantInt::get(type, 1));
      return {b.CreateSelect(ends, value.re, less), nullptr};
    }
    default:
      return value;
  }
}

namespace {

// What machines have an instruction for; the rest is done by comparing and swapping.
std::optional<llvm::AtomicRMWInst::BinOp> instruction(Atomic how, Dtype dtype) {
  using R = llvm::AtomicRMWInst;
  if (dtype == Dtype::float32 || dtype == Dtype::float64) {
    if (how == Atomic::add) return R::FAdd;
    if (how == Atomic::sub) return R::FSub;
    return std::nullopt;
  }
  if (!is_integer(dtype)) return std::nullopt;
  switch (how) {
    case Atomic::add:
      return R::Add;
    case Atomic::sub:
      return R::Sub;
    case Atomic::max:
    case Atomic::nanmax:
      return is_signed(dtype) ? R::Max : R::UMax;
    case Atomic::min:
    case Atomic::nanmin:
      return is_signed(dtype) ? R::Min : R::UMin;
    case Atomic::bit_and:
      return R::And;
    case Atomic::bit_or:
      return R::Or;
    case Atomic::bit_xor:
      return R::Xor;
    case Atomic::exchange:
      return R::Xchg;
    default:
      return std::nullopt;
  }
}

}  // namespace

// One element; gives what was there. `shared`: nobody else reaches it meanwhile.
kernel::Value Emitter::modify(Atomic how, llvm::Value* base, llvm::Value* offset, Element element,
                              const kernel::Value& value, const kernel::Value& wanted,
                              bool shared) {
  const Dtype dtype = element.dtype;
  if (shared && !grid_) {
    const kernel::Value old = load_scalar(base, offset, element);
    if (how == Atomic::compare_and_swap) {
      const kernel::Value both[] = {old, value};
      llvm::Value* same = scalars_.apply(Op::equal, dtype, Dtype::bool_, both, 1).re;
      const kernel::Value three[] = {{same, nullptr}, wanted, old};
      store_scalar(base, offset, element, scalars_.apply(Op::select, dtype, dtype, three, 1));
    } else {
      store_scalar(base, offset, element, combine(how, dtype, old, value));
    }
    return old;
  }
  llvm::SyncScope::ID scope = llvm::SyncScope::System;
  if (grid_) scope = machine_->scope();
  constexpr auto order = llvm::AtomicOrdering::Monotonic;
  if (is_complex(dtype)) {
    // Sums, one part after the other.
    auto part = [&](int n, llvm::Value* more) {
      llvm::Value* at = address(base, offset, element, n);
      const auto sum = how == Atomic::sub ? llvm::AtomicRMWInst::FSub : llvm::AtomicRMWInst::FAdd;
      return b.CreateAtomicRMW(sum, at, more,
                               llvm::Align(static_cast<unsigned>(itemsize(real_type(dtype)))),
                               order, scope);
    };
    llvm::Value* re = part(0, value.re);
    return {re, part(1, value.im)};
  }
  llvm::Value* at = address(base, offset, element, 0);
  const llvm::Align align(static_cast<unsigned>(itemsize(dtype)));
  if (const auto op = instruction(how, dtype))
    return {b.CreateAtomicRMW(*op, at, value.re, align, order, scope), nullptr};
  llvm::Type* word = b.getIntNTy(static_cast<unsigned>(8 * itemsize(dtype)));
  auto bits = [&](const kernel::Value& v) { return b.CreateBitCast(to_memory(v, dtype).re, word); };
  auto back = [&](llvm::Value* v) {
    return from_memory({b.CreateBitCast(v, scalars_.memory_type(dtype)), nullptr}, dtype);
  };
  if (how == Atomic::compare_and_swap) {
    auto* pair = b.CreateAtomicCmpXchg(at, bits(value), bits(wanted), align, order, order, scope);
    return back(b.CreateExtractValue(pair, 0));
  }
  auto* again = block("again");
  auto* done = block("swapped");
  auto* now = b.CreateAlignedLoad(word, at, align);
  now->setAtomic(order, scope);
  llvm::BasicBlock* before = b.GetInsertBlock();
  b.CreateBr(again);
  b.SetInsertPoint(again);
  auto* seen = b.CreatePHI(word, 2);
  seen->addIncoming(now, before);
  llvm::Value* next = bits(combine(how, dtype, back(seen), value));
  auto* pair = b.CreateAtomicCmpXchg(at, seen, next, align, order, order, scope);
  seen->addIncoming(b.CreateExtractValue(pair, 0), b.GetInsertBlock());
  b.CreateCondBr(b.CreateExtractValue(pair, 1), done, again);
  b.SetInsertPoint(done);
  return back(seen);
}

Emitter::Val Emitter::emit_atomic(const Expr& e) {
  const auto how = static_cast<Atomic>(e.axis);
  const Dtype dtype = e.dtype;
  const Element element = element_of(e.index);
  const Val value = emit(e.args[0]);
  const Val wanted = e.values > 1 ? emit(e.args[1]) : Val{};
  const Access access = access_of(e.index, e.args, static_cast<std::size_t>(e.values), e.line, &e);
  if (p_.checked()) check_indices(access);
  if (p_.checks == Checks::races) watch(access, Watch::atomic);
  const ArrayKind root = p_.array(p_.root_of(e.index)).kind;
  const bool alone = root != ArrayKind::parameter && root != ArrayKind::held;
  if (lanes_ == 1) {
    const Place place = uniform_place(access);
    if (place.ok == nullptr) {
      return {modify(how, place.base, place.offset.at.re, element, value.at, wanted.at, alone),
              {Level::chunk, 0}};
    }
    const kernel::Value none = zero(dtype, 1);
    llvm::Value* re = slot(none.re->getType(), "old");
    llvm::Value* im = none.im == nullptr ? nullptr : slot(none.im->getType(), "old");
    b.CreateStore(none.re, re);
    if (im != nullptr) b.CreateStore(none.im, im);
    auto* there = block("there");
    auto* done = block("modified");
    b.CreateCondBr(place.ok, there, done);
    b.SetInsertPoint(there);
    const kernel::Value old =
        modify(how, place.base, place.offset.at.re, element, value.at, wanted.at, alone);
    b.CreateStore(old.re, re);
    if (im != nullptr) b.CreateStore(old.im, im);
    b.CreateBr(done);
    b.SetInsertPoint(done);
    return {{b.CreateLoad(none.re->getType(), re),
             im == nullptr ? nullptr : b.CreateLoad(none.re->getType(), im)},
            {Level::chunk, 0}};
  }
  Place place = vector_place(access);
  spread_lanes(place, e.index);
  const kernel::Value values = widened(value, dtype);
  const kernel::Value swaps = e.values > 1 ? widened(wanted, dtype) : kernel::Value{};
  llvm::Value* offsets = widened(place.offset, Dtype::int64).re;
  const kernel::Value none = zero(dtype, lanes_);
  llvm::Value* re = slot(none.re->getType(), "old");
  llvm::Value* im = none.im == nullptr ? nullptr : slot(none.im->getType(), "old");
  b.CreateStore(none.re, re);
  if (im != nullptr) b.CreateStore(none.im, im);
  // Through memory: a lane whose number is not known costs a whole vector each time.
  auto spilled = [&](llvm::Value* vector) -> llvm::Value* {
    if (vector == nullptr) return nullptr;
    llvm::Value* memory = slot(vector->getType(), "lanes");
    b.CreateStore(vector, memory);
    return memory;
  };
  auto scalar = [](llvm::Type* vector) { return vector->getScalarType(); };
  llvm::Value* const places = spilled(offsets);
  const kernel::Value kept{spilled(values.re), spilled(values.im)};
  const kernel::Value wanted_kept{spilled(swaps.re), spilled(swaps.im)};
  llvm::Type* const part_type = none.re->getType();
  for_lanes(both(mask_, place.ok), [&](llvm::Value* lane) {
    auto at = [&](llvm::Value* memory, llvm::Type* vector) -> llvm::Value* {
      if (memory == nullptr) return nullptr;
      return b.CreateLoad(scalar(vector), b.CreateGEP(scalar(vector), memory, lane));
    };
    auto value_at = [&](const kernel::Value& of) {
      return kernel::Value{at(of.re, part_type), at(of.im, part_type)};
    };
    const kernel::Value old =
        modify(how, lane_base(place.base, lane), at(places, offsets->getType()), element,
               value_at(kept), value_at(wanted_kept), alone);
    auto keep = [&](llvm::Value* to, llvm::Value* part) {
      if (to == nullptr) return;
      b.CreateStore(part, b.CreateGEP(scalar(part_type), to, lane));
    };
    keep(re, old.re);
    keep(im, old.im);
  });
  return {{b.CreateLoad(none.re->getType(), re),
           im == nullptr ? nullptr : b.CreateLoad(none.re->getType(), im)},
          {Level::varying, 0}};
}

}  // namespace heddle::simt
