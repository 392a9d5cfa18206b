#include "kernel/scalar_math_parts.h"

#include <cmath>

#include <llvm/IR/IntrinsicsX86.h>

#include "kernel/grid_machine.h"
#include "kernel/scalar_math_tables.h"

namespace heddle::kernel {

namespace {

constexpr int current_rounding = 4;

llvm::Constant* all_lanes(LaneBuilder& l, Lane x) {
  const int width = l.register_lanes(x.value->getType()->getScalarType());
  return llvm::Constant::getAllOnesValue(l.b.getIntNTy(width));
}

Lane exponent_avx512(LaneBuilder& l, Lane x) {
  llvm::Type* type = x.value->getType()->getScalarType();
  return l.by_register({x}, type, [&](llvm::ArrayRef<llvm::Value*> args) -> llvm::Value* {
    return l.b.CreateIntrinsic(is_single(x) ? llvm::Intrinsic::x86_avx512_mask_getexp_ps_512
                                            : llvm::Intrinsic::x86_avx512_mask_getexp_pd_512,
                               {},
                               {args[0], args[0], all_lanes(l, x), l.b.getInt32(current_rounding)});
  });
}

constexpr int from_one_to_two = 0;
constexpr int from_half_to_one = 2;
constexpr int from_three_quarters = 3;
constexpr int nan_if_negative = 3 << 2;

Lane mantissa_avx512(LaneBuilder& l, Lane x, int interval_and_sign) {
  llvm::Type* type = x.value->getType()->getScalarType();
  return l.by_register({x}, type, [&](llvm::ArrayRef<llvm::Value*> args) -> llvm::Value* {
    return l.b.CreateIntrinsic(is_single(x) ? llvm::Intrinsic::x86_avx512_mask_getmant_ps_512
                                            : llvm::Intrinsic::x86_avx512_mask_getmant_pd_512,
                               {},
                               {args[0], l.b.getInt32(interval_and_sign), args[0], all_lanes(l, x),
                                l.b.getInt32(current_rounding)});
  });
}

// About 14 bits of 1 / sqrt(x).
Lane inverse_root_avx512(LaneBuilder& l, Lane x) {
  llvm::Type* type = x.value->getType()->getScalarType();
  return l.by_register({x}, type, [&](llvm::ArrayRef<llvm::Value*> args) -> llvm::Value* {
    return l.b.CreateIntrinsic(is_single(x) ? llvm::Intrinsic::x86_avx512_rsqrt14_ps_512
                                            : llvm::Intrinsic::x86_avx512_rsqrt14_pd_512,
                               {}, {args[0], args[0], all_lanes(l, x)});
  });
}

}  // namespace

Lane inverse(LaneBuilder& l, Lane x) {
  if (l.target.model == Model::grid && is_single(x)) {
    return l.lane_by_lane({x}, [&](llvm::ArrayRef<llvm::Value*> lane) {
      return l.target.dialect->reciprocal(l.b, lane[0]);
    });
  }
  return 1.0 / x;
}

Lane inverse_estimate(LaneBuilder& l, Lane x) {
  if (!l.has_avx512() || !is_single(x)) return inverse(l, x);
  Lane estimate =
      l.by_register({x}, l.b.getFloatTy(), [&](llvm::ArrayRef<llvm::Value*> args) -> llvm::Value* {
        return l.b.CreateIntrinsic(llvm::Intrinsic::x86_avx512_rcp14_ps_512, {},
                                   {args[0], args[0], all_lanes(l, x)});
      });
  return l.mad(estimate, l.mad(-estimate, x, constant(l, x, 1)), estimate);
}

Double2 quotient_in_parts(LaneBuilder& l, Double2 x, Double2 y) {
  Lane factor = inverse(l, y.hi);
  Lane ratio = x.hi * factor;
  Lane rest = l.mad(-ratio, y.hi, x.hi) + l.mad(-ratio, y.lo, x.lo);
  return {ratio, rest * factor};
}

// By Goldschmidt's steps from an estimate, or from a root that was rounded.
Double2 root_in_parts(LaneBuilder& l, Double2 x) {
  const bool single = is_single(x.hi);
  Lane root, half;
  if (l.has_avx512()) {
    Lane estimate = inverse_root_avx512(l, x.hi);
    estimate = l.where(x.hi == 0.0, constant(l, x.hi, 0), estimate);
    root = x.hi * estimate;
    half = estimate * 0.5;
    for (int step = single ? 1 : 0; step < 2; ++step) {
      Lane error = l.mad(-root, half, constant(l, root, 0.5));
      root = l.mad(root, error, root);
      if (!single) half = l.mad(half, error, half);
    }
  } else {
    root = square_root(l, x.hi);
    half = l.where(root == 0.0, root, inverse(l, root) * 0.5);
  }
  return {root, (l.mad(-root, root, x.hi) + x.lo) * half};
}

Lane two_to(LaneBuilder& l, Lane shifted) {
  return l.float_of((l.bits_of(shifted) << (is_single(shifted) ? 23 : 52)) +
                    l.bits_of(constant(l, shifted, 1)));
}

Decomposed decompose_avx512(LaneBuilder& l, Lane x) {
  Lane mantissa = mantissa_avx512(l, x, from_three_quarters | nan_if_negative);
  return {exponent_avx512(l, x) - exponent_avx512(l, mantissa), mantissa};
}

Decomposed decompose_from_one_avx512(LaneBuilder& l, Lane x) {
  return {exponent_avx512(l, x), mantissa_avx512(l, x, from_one_to_two | nan_if_negative)};
}

Decomposed frexp_avx512(LaneBuilder& l, Lane x) {
  return {exponent_avx512(l, x) + 1.0, mantissa_avx512(l, x, from_half_to_one)};
}

Lane lookup_avx512(LaneBuilder& l, Lane index, const std::array<float, 32>& table) {
  auto* low = llvm::ConstantDataVector::get(l.b.getContext(), llvm::ArrayRef(table.data(), 16));
  auto* high = llvm::ConstantDataVector::get(l.b.getContext(), llvm::ArrayRef(&table[16], 16));
  return l.by_register({index}, l.b.getFloatTy(),
                       [&](llvm::ArrayRef<llvm::Value*> args) -> llvm::Value* {
                         return l.b.CreateIntrinsic(llvm::Intrinsic::x86_avx512_vpermi2var_ps_512,
                                                    {}, {low, args[0], high});
                       });
}

Lane lookup_avx512(LaneBuilder& l, Lane index, const std::array<float, 16>& table) {
  auto* entries = llvm::ConstantDataVector::get(l.b.getContext(), llvm::ArrayRef(table));
  return l.by_register({index}, l.b.getFloatTy(),
                       [&](llvm::ArrayRef<llvm::Value*> args) -> llvm::Value* {
                         return l.b.CreateIntrinsic(llvm::Intrinsic::x86_avx512_permvar_sf_512, {},
                                                    {entries, args[0]});
                       });
}

Lane lookup_avx512(LaneBuilder& l, Lane index, const std::array<double, 16>& table) {
  auto* low = llvm::ConstantDataVector::get(l.b.getContext(), llvm::ArrayRef(table.data(), 8));
  auto* high = llvm::ConstantDataVector::get(l.b.getContext(), llvm::ArrayRef(&table[8], 8));
  return l.by_register({index}, l.b.getDoubleTy(),
                       [&](llvm::ArrayRef<llvm::Value*> args) -> llvm::Value* {
                         return l.b.CreateIntrinsic(llvm::Intrinsic::x86_avx512_vpermi2var_pd_512,
                                                    {}, {low, args[0], high});
                       });
}

NearOne near_one_avx512(LaneBuilder& l, Lane x) {
  auto [exponent, mantissa] = decompose_avx512(l, x);
  Lane index = l.bits_of(mantissa + 0x1p48);  // its last bit stands for 1/16
  Lane inverse = lookup_avx512(l, index, wide_log_inverse);
  return {exponent, index, inverse, l.mad(mantissa, inverse, constant(l, x, -1))};
}

Lane scale_avx512(LaneBuilder& l, Lane y, Lane k) {
  llvm::Type* type = y.value->getType()->getScalarType();
  return l.by_register({y, k}, type, [&](llvm::ArrayRef<llvm::Value*> args) -> llvm::Value* {
    return l.b.CreateIntrinsic(
        is_single(y) ? llvm::Intrinsic::x86_avx512_mask_scalef_ps_512
                     : llvm::Intrinsic::x86_avx512_mask_scalef_pd_512,
        {}, {args[0], args[1], args[0], all_lanes(l, y), l.b.getInt32(current_rounding)});
  });
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

Decomposed decompose_all(LaneBuilder& l, Lane x) {
  if (l.has_avx512()) return decompose_avx512(l, x);
  Lane is_subnormal = x < (is_single(x) ? 0x1p-126 : 0x1p-1022);
  const double reserve = is_single(x) ? 25 : 54;
  auto [exponent, mantissa] = decompose(l, l.where(is_subnormal, x * std::exp2(reserve), x));
  return {l.where(is_subnormal, exponent - reserve, exponent), mantissa};
}

Lane scale(LaneBuilder& l, Lane y, Lane k, Lane shifted) {
  if (l.has_avx512()) return scale_avx512(l, y, k);
  const bool single = is_single(y);
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
