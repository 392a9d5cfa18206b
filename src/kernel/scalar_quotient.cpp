// Quotients and square roots of float32 on grids: the machine's estimate, refined to the nearest
// number. The instructions for that look at every element on its own, with a branch each; here one
// branch serves all lanes, and the steps of several lanes overlap.
#include <llvm/IR/IntrinsicsNVPTX.h>

#include "kernel/scalar_math_parts.h"

namespace heddle::kernel {

namespace {

bool has_estimates(LaneBuilder& l, Lane x) { return l.target.model == Model::grid && is_single(x); }

Lane estimate(LaneBuilder& l, llvm::Intrinsic::ID id, Lane x) {
  return l.lane_by_lane(
      {x}, [&](llvm::ArrayRef<llvm::Value*> lane) { return l.b.CreateIntrinsic(id, {}, lane); });
}

// A number whose bit 30 is set where 2^-63 <= |x| < 2^65.
Lane moderate(LaneBuilder& l, Lane x) {
  Lane bits = l.bits_of(x);
  return bits + l.integer(bits.value->getType(), std::uint64_t{1} << 29);
}

}  // namespace

// Newton's step for the reciprocal, and one with the exact remainder for the quotient. With a
// moderate dividend and a moderate result nothing on the way is lost; of a divisor whose reciprocal
// is no normal number comes nothing moderate.
Lane quotient(LaneBuilder& l, Lane x, Lane y) {
  if (!has_estimates(l, x)) return x / y;
  Lane r = estimate(l, llvm::Intrinsic::nvvm_rcp_approx_ftz_f, y);
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
  Lane r = estimate(l, llvm::Intrinsic::nvvm_rsqrt_approx_ftz_f, x);
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
