// Quotients and square roots of float32 on grids: the machine's estimate, refined to the nearest
// number. The instructions for that look at every element on its own, with a branch each; here one
// branch serves all lanes, and the steps of several lanes overlap.
//
// Quotients of float64 on CPUs where one divisor is for all lanes: a multiplication with its
// reciprocal, refined in the same way, takes a third of the time that a division takes.
#include <optional>

#include <llvm/Analysis/VectorUtils.h>

#include "kernel/grid_machine.h"
#include "kernel/scalar_math_parts.h"

namespace heddle::kernel {

namespace {

bool has_estimates(LaneBuilder& l, Lane x) { return l.target.model == Model::grid && is_single(x); }

using Estimate = llvm::Value* (GridDialect::*)(llvm::IRBuilder<>&, llvm::Value*) const;

Lane estimate(LaneBuilder& l, Estimate of, Lane x) {
  return l.lane_by_lane({x}, [&](llvm::ArrayRef<llvm::Value*> lane) {
    return (l.target.dialect->*of)(l.b, lane[0]);
  });
}

// A number whose bit 30 is set where 2^-63 <= |x| < 2^65.
Lane moderate(LaneBuilder& l, Lane x) {
  Lane bits = l.bits_of(x);
  return bits + l.integer(bits.value->getType(), std::uint64_t{1} << 29);
}

// The bits of |x|, times two.
Lane magnitude(LaneBuilder& l, Lane x) { return l.bits_of(x) << 1; }

// Whether a double of this magnitude is not between 2^-exponent and 2^exponent.
Lane beyond(LaneBuilder& l, Lane size, int exponent) {
  auto power = [](int e) { return static_cast<std::uint64_t>(1023 + e) << 53; };
  llvm::Type* type = size.value->getType();
  return l(l.b.CreateICmpUGE(size - l.integer(type, power(-exponent)),
                             l.integer(type, power(exponent) - power(-exponent))));
}

// With the nearest number to 1 / y, and with the remainder of a first quotient, which is exact, the
// second quotient is the nearest number (Brisebarre, Muller and Raina, 2004), as long as nothing on
// the way is too large or too small. Zeros are common, and keep their signs.
std::optional<Lane> by_reciprocal(LaneBuilder& l, Lane x, Lane y) {
  if (l.target.model != Model::simd || l.lanes == 1 || l.brief) return {};
  if (is_single(x) || !l.has_fma()) return {};
  llvm::Value* divisor = llvm::getSplatValue(y);
  if (divisor == nullptr) return {};
  Lane reciprocal, bad;
  {
    // Once for each divisor: where that is made, outside of the loops that it stays the same in.
    llvm::IRBuilderBase::InsertPointGuard guard(l.b);
    llvm::BasicBlock* block = &l.b.GetInsertBlock()->getParent()->getEntryBlock();
    auto place = block->getFirstInsertionPt();
    if (auto* made = llvm::dyn_cast<llvm::Instruction>(divisor)) {
      auto after = made->getInsertionPointAfterDef();
      if (!after) return {};
      place = *after;
      block = place->getParent();
    }
    l.b.SetInsertPoint(block, place);
    LaneBuilder one(l.b, l.target, 1);
    reciprocal = l(l.b.CreateVectorSplat(l.lanes, 1.0 / one(divisor)));
    bad = beyond(one, magnitude(one, one(divisor)), 60);
  }
  Lane q = x * reciprocal;
  Lane next = l.mad(l.mad(-y, q, x), reciprocal, q);
  Lane size = magnitude(l, x);
  Lane nonzero = l(l.b.CreateICmpNE(size, l.integer(size.value->getType(), 0)));
  llvm::Value* extreme = l.b.CreateOrReduce(nonzero & beyond(l, size, 960));
  return l.rarely(l.b.CreateOr(extreme, bad), l.where(nonzero, next, q), [&] { return x / y; });
}

}  // namespace

// Newton's step for the reciprocal, and one with the exact remainder for the quotient. With a
// moderate dividend and a moderate result nothing on the way is lost; of a divisor whose reciprocal
// is no normal number comes nothing moderate.
Lane quotient(LaneBuilder& l, Lane x, Lane y) {
  if (auto found = by_reciprocal(l, x, y)) return *found;
  if (!has_estimates(l, x)) return x / y;
  Lane r = estimate(l, &GridDialect::reciprocal, y);
  r = l.mad(r, l.mad(-y, r, constant(l, y, 1)), r);
  Lane q = x * r;
  q = l.mad(r, l.mad(-y, q, x), q);
  llvm::Value* usual = moderate(l, x) & moderate(l, q);
  if (l.lanes > 1) usual = l.b.CreateAndReduce(usual);
  llvm::Value* extreme =
      l.b.CreateICmpEQ(l.b.CreateAnd(usual, l.b.getInt32(1U << 30)), l.b.getInt32(0));
  return l.rarely(extreme, q, [&] { return x / y; });
}

// From the estimate of 1 / sqrt(x), one step with the exact remainder.
Lane square_root(LaneBuilder& l, Lane x) {
  if (!has_estimates(l, x)) return l.sqrt(x);
  Lane r = estimate(l, &GridDialect::inverse_root, x);
  Lane root = x * r;
  root = l.mad(l.mad(-root, root, x), r * 0.5, root);
  constexpr std::uint32_t least = 0x0d00'0000, beyond = 0x7f80'0000;  // 2^-101, infinity
  Lane bits = l.bits_of(x);
  llvm::Type* type = bits.value->getType();
  llvm::Value* extreme =
      l.b.CreateICmpUGE(bits - l.integer(type, least), l.integer(type, beyond - least));
  return l.rarely(extreme, root, [&] { return l.sqrt(x); });
}

}  // namespace heddle::kernel
