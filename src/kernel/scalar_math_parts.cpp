#include "kernel/scalar_math_parts.h"

#include <llvm/IR/IntrinsicsX86.h>

namespace heddle::kernel {

Decomposed decompose_avx512(LaneBuilder& l, Lane x) {
  llvm::Type* type = x.value->getType()->getScalarType();
  const bool single = is_single(x);
  const int width = l.register_lanes(type);
  llvm::Constant* all = llvm::Constant::getAllOnesValue(l.b.getIntNTy(width));
  llvm::Value* rounding = l.b.getInt32(4);
  auto exponent_of = [&](Lane value) {
    return l.by_register({value}, type, [&](llvm::ArrayRef<llvm::Value*> args) -> llvm::Value* {
      return l.b.CreateIntrinsic(single ? llvm::Intrinsic::x86_avx512_mask_getexp_ps_512
                                        : llvm::Intrinsic::x86_avx512_mask_getexp_pd_512,
                                 {}, {args[0], args[0], all, rounding});
    });
  };
  Lane mantissa = l.by_register({x}, type, [&](llvm::ArrayRef<llvm::Value*> args) -> llvm::Value* {
    constexpr int from_three_quarters = 3;
    constexpr int nan_if_negative = 3 << 2;
    return l.b.CreateIntrinsic(
        single ? llvm::Intrinsic::x86_avx512_mask_getmant_ps_512
               : llvm::Intrinsic::x86_avx512_mask_getmant_pd_512,
        {}, {args[0], l.b.getInt32(from_three_quarters | nan_if_negative), args[0], all, rounding});
  });
  return {exponent_of(x) - exponent_of(mantissa), mantissa};
}

// Logical shifts and no conversions: AVX2 has neither arithmetic shifts
// nor conversions of 64-bit integers.
Decomposed decompose(LaneBuilder& l, Lane x) {
  const int fraction_bits = is_single(x) ? 23 : 52;
  Lane bits = l.bits_of(x);
  Lane one = l.bits_of(constant(l, x, 1));
  Lane rebased = bits + (one - l.bits_of(constant(l, x, 0.75)));
  Lane biased = l(l.b.CreateLShr(rebased, fraction_bits));
  Lane mantissa = l.float_of((bits + one) - (biased << fraction_bits));
  const double shift = rounding_shift(x);
  Lane shifted = l.float_of(biased | l.bits_of(constant(l, x, shift)));
  return {shifted - (shift + (is_single(x) ? 127 : 1023)), mantissa};
}

Lane scale(LaneBuilder& l, Lane y, Lane k, Lane shifted) {
  llvm::Type* type = y.value->getType()->getScalarType();
  const bool single = is_single(y);
  if (l.has_avx512()) {
    return l.by_register({y, k}, type, [&](llvm::ArrayRef<llvm::Value*> args) -> llvm::Value* {
      const int width = l.register_lanes(type);
      constexpr int current_rounding = 4;
      return l.b.CreateIntrinsic(
          single ? llvm::Intrinsic::x86_avx512_mask_scalef_ps_512
                 : llvm::Intrinsic::x86_avx512_mask_scalef_pd_512,
          {},
          {args[0], args[1], args[0], llvm::Constant::getAllOnesValue(l.b.getIntNTy(width)),
           l.b.getInt32(current_rounding)});
    });
  }
  Lane bits = l.bits_of(shifted);
  llvm::Type* int_type = bits.value->getType();
  Lane whole = bits - l.bits_of(constant(l, y, rounding_shift(y)));
  Lane half = l(l.b.CreateAShr(whole, 1));
  Lane bias = l.integer(int_type, single ? 127 : 1023);
  const int fraction_bits = single ? 23 : 52;
  Lane first = l.float_of((half + bias) << fraction_bits);
  Lane second = l.float_of((whole - half + bias) << fraction_bits);
  return y * first * second;
}

}  // namespace heddle::kernel
