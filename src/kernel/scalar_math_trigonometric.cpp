// Sine, cosine and tangent as inline vector code.
#include <cmath>
#include <cstdint>

#include <llvm/IR/Constants.h>
#include <llvm/IR/GlobalVariable.h>
#include <llvm/IR/Module.h>

#include "kernel/scalar_math_families.h"
#include "kernel/scalar_math_tables.h"

namespace heddle::kernel {

namespace {

// |x| up to which reductions keep their precision.
double reduction_limit(Lane x) { return is_single(x) ? 1e5 : 1e9; }

struct Reduced {
  Lane angle;     // x - quarters * pi/2, at most pi/4
  Lane over;      // what the angle is too much by, having been rounded
  Lane quarters;  // bits whose low end is the number of quarter turns
  Lane is_lost;   // whether the angle is so small that `over` is not known
};

// A quarter turn in parts that are positive: zero stays what it is, with its sign.
constexpr Parts turn_parts{{1.570796251296997, 7.549790126404332e-08},
                           {1.5707963267948966, 6.123233995736766e-17}};

// The first difference is exact, and so is what the second one changes, unless little is left of
// it.
Reduced reduce_angle(LaneBuilder& l, Lane x) {
  const bool single = is_single(x);
  auto [first, second] = constant(l, x, turn_parts);
  Lane third = constant(l, x, single ? -1.7151245100058819e-15 : -1.4973849048591698e-33);
  const double shift = rounding_shift(x);
  Lane shifted = l.mad(x, constant(l, x, M_2_PI), constant(l, x, shift));
  Lane k = shifted - shift;
  Lane difference = l.mad(-k, first, x);
  Lane angle = l.mad(-k, second, difference);
  Lane change = angle - difference;
  Lane over = l.mad(k, third, l.mad(k, second, change));
  Lane is_lost = (l.abs(x) > reduction_limit(x)) | (l.abs(angle) < l.abs(change));
  return {angle, over, l.bits_of(shifted), is_lost};
}

// Of a float32 up to reduction_limit. All differences are exact, or what they lose is known, as x
// lies on a coarser grid than what is taken from it; so the angle may be as small as it will. Zero
// keeps its sign.
Reduced reduce_single(LaneBuilder& l, Lane x) {
  auto [first, second] = constant(l, x, turn_parts);
  const double shift = rounding_shift(x);
  Lane shifted = l.mad(x, constant(l, x, M_2_PI), constant(l, x, shift));
  Lane k = shifted - shift;
  Lane difference = l.mad(-k, first, x);
  Lane product = k * second;
  Lane angle = difference - product;
  Lane lost = (difference - angle) - product;
  Lane third = constant(l, x, -1.7151245100058819e-15);
  Lane over = l.mad(k, third, l.mad(k, second, -product)) - lost;
  return {angle, over, l.bits_of(shifted), l.abs(x) > reduction_limit(x)};
}

// The bits of 2/pi, after 64 zeros.
llvm::Value* turns_table(llvm::Module& module) {
  constexpr const char* name = "two_over_pi";
  if (auto* there = module.getNamedGlobal(name)) return there;
  auto* bits = llvm::ConstantDataArray::get(module.getContext(),
                                            llvm::ArrayRef<std::uint64_t>{0,
                                                                          0xA2F9836E4E441529,
                                                                          0xFC2757D1F534DDC0,
                                                                          0xDB6295993C439041,
                                                                          0xFE5163ABDEBBC561,
                                                                          0xB7246E3A424DD2E0,
                                                                          0x06492EEA09D1921C,
                                                                          0xFE1DEB1CB129A73E,
                                                                          0xE88235F52EBB4484,
                                                                          0xE99C7026B45F7E41,
                                                                          0x3991D639835339F4,
                                                                          0x9C845F8BBDF9283B,
                                                                          0x1FF897FFDE05980F,
                                                                          0xEF2F118B5A0A6D1F,
                                                                          0x6D367ECF27CB09B7,
                                                                          0x4F463F669E5FEA2D,
                                                                          0x7527BAC7EBE5F17B,
                                                                          0x3D0739F78A5292EA,
                                                                          0x6BFB5FB11F8D5D08,
                                                                          0x56033046FC7B6BAB});
  return new llvm::GlobalVariable(module, bits->getType(), true, llvm::GlobalValue::InternalLinkage,
                                  bits, name);
}

// `count` words of them, from a place on; negative places are the first one.
llvm::SmallVector<llvm::Value*, 3> bits_of_turns(LaneBuilder& l, llvm::Value* place,
                                                 unsigned count) {
  auto& b = l.b;
  auto* word = b.getInt64Ty();
  place = b.CreateBinaryIntrinsic(llvm::Intrinsic::smax, b.getInt64(0), place);
  llvm::Value* table = turns_table(*b.GetInsertBlock()->getModule());
  llvm::Value* first = b.CreateInBoundsGEP(word, table, b.CreateLShr(place, 6));
  llvm::Value* shift = b.CreateAnd(place, 63);
  llvm::SmallVector<llvm::Value*, 4> read;
  for (unsigned n = 0; n <= count; ++n)
    read.push_back(b.CreateLoad(word, b.CreateConstGEP1_32(word, first, n)));
  llvm::SmallVector<llvm::Value*, 3> words;
  for (unsigned n = 0; n < count; ++n)
    words.push_back(
        b.CreateIntrinsic(llvm::Intrinsic::fshl, {word}, {read[n], read[n + 1], shift}));
  return words;
}

// The angle, what it is too much by, and quarters, for a float32 of one lane from 2^-7 on. Of x *
// 2/pi, with x a mantissa times a power of two, those bits of 2/pi are left out that make whole
// turns; 96 of those that follow leave more of the angle than is ever cancelled.
LaneList reduce_single_exactly(LaneBuilder& l, Lane x) {
  auto& b = l.b;
  auto* word = b.getInt64Ty();
  llvm::Value* bits = b.CreateZExt(l.bits_of(l.abs(x)), word);
  llvm::Value* mantissa = b.CreateOr(b.CreateAnd(bits, 0x7FFFFF), 0x800000);
  const auto turns = bits_of_turns(l, b.CreateSub(b.CreateLShr(bits, 23), b.getInt64(88)), 2);
  // In units of 2^-62 quarters; four of them are a turn, which overflows.
  llvm::Value* below = b.CreateLShr(b.CreateMul(mantissa, b.CreateLShr(turns[1], 32)), 32);
  llvm::Value* product = b.CreateAdd(b.CreateMul(mantissa, turns[0]), below);
  llvm::Value* quarters = b.CreateLShr(b.CreateAdd(product, b.getInt64(1ULL << 61)), 62);
  llvm::Value* rest = b.CreateSub(product, b.CreateShl(quarters, 62));
  Lane angle = l(b.CreateSIToFP(rest, b.getDoubleTy())) * (M_PI_2 * 0x1p-62);
  Lane count = l(b.CreateTrunc(quarters, b.getInt32Ty()));
  Lane is_negative = x < 0.0;
  angle =
      l.where(is_negative, -angle, angle) + l.convert(x - x, b.getDoubleTy());  // nan of infinity
  Lane rounded = l.convert(angle, b.getFloatTy());
  Lane over = l.convert(l.convert(rounded, b.getDoubleTy()) - angle, b.getFloatTy());
  return {rounded, over, l.where(is_negative, l.integer(b.getInt32Ty(), 0) - count, count)};
}

// The same for a float64 from 2^-50 on, whose angle is at least 2^-62: 192 bits of 2/pi.
LaneList reduce_double_exactly(LaneBuilder& l, Lane x) {
  auto& b = l.b;
  auto* word = b.getInt64Ty();
  auto* two_words = b.getInt128Ty();
  const auto wide = [&](llvm::Value* v) { return b.CreateZExt(v, two_words); };
  constexpr std::uint64_t fraction = (1ULL << 52) - 1;
  llvm::Value* bits = l.bits_of(l.abs(x));
  llvm::Value* mantissa = b.CreateOr(b.CreateAnd(bits, fraction), fraction + 1);
  const auto turns = bits_of_turns(l, b.CreateSub(b.CreateLShr(bits, 52), b.getInt64(1013)), 3);
  // In units of 2^-126 quarters.
  llvm::Value* product = b.CreateShl(wide(b.CreateMul(mantissa, turns[0])), 64);
  product = b.CreateAdd(product, b.CreateMul(wide(mantissa), wide(turns[1])));
  product = b.CreateAdd(product, b.CreateLShr(b.CreateMul(wide(mantissa), wide(turns[2])), 64));
  llvm::Value* half = b.CreateShl(llvm::ConstantInt::get(two_words, 1), 125);
  llvm::Value* quarters = b.CreateLShr(b.CreateAdd(product, half), 126);
  llvm::Value* rest = b.CreateSub(product, b.CreateShl(quarters, 126));
  llvm::Value* is_below = b.CreateICmpSLT(rest, llvm::ConstantInt::get(two_words, 0));
  rest = b.CreateSelect(is_below, b.CreateNeg(rest), rest);
  // Its first 53 bits, and the 53 after those.
  llvm::Value* zeros = b.CreateBinaryIntrinsic(llvm::Intrinsic::ctlz, rest, b.getTrue());
  rest = b.CreateShl(rest, zeros);
  const auto as_number = [&](llvm::Value* v) {
    return l(b.CreateUIToFP(b.CreateTrunc(v, word), b.getDoubleTy()));
  };
  Lane scale = l.float_of(
      b.CreateShl(b.CreateSub(b.getInt64(1023), b.CreateTrunc(zeros, word)), b.getInt64(52)));
  Lane high = as_number(b.CreateLShr(rest, 75)) * 0x1p-51 * scale;
  llvm::Value* after = b.CreateAnd(b.CreateLShr(rest, 22), wide(b.getInt64(2 * fraction + 1)));
  Lane low = as_number(after) * 0x1p-104 * scale;
  auto [turn, turn_rest] = constant(l, x, turn_parts);
  Lane about = high * turn;
  Lane error = l.mad(low, turn, l.mad(high, turn_rest, l.mad(high, turn, -about)));
  Lane angle = about + error;
  Lane over = (angle - about) - error;
  Lane is_negative = x < 0.0;
  Lane is_opposite = l(b.CreateXor(is_negative, is_below));
  Lane count = l(b.CreateTrunc(quarters, word));
  return {l.where(is_opposite, -angle, angle) + (x - x),  // nan of infinity
          l.where(is_opposite, -over, over),
          l.where(is_negative, l.integer(word, 0) - count, count)};
}

// Of (r - sin(r)) / r^3 and (cos(r) - 1 + r^2/2) / r^4 up to pi/4, where z is r^2.
Lane sine_series(LaneBuilder& l, Lane z) {
  if (is_single(z)) return l.polynomial(z, {0.16666654611, -0.0083321608736, 0.00019515295891});
  return l.polynomial(z,
                      {0.16666666666666632, -0.008333333333322316, 0.00019841269829725224,
                       -2.7557313662059495e-06, 2.5050753264259249e-08, -1.5896504905057393e-10});
}
Lane cosine_series(LaneBuilder& l, Lane z) {
  if (is_single(z)) return l.polynomial(z, {0.041666645683, -0.0013887316255, 2.4433157118e-05});
  return l.polynomial(z,
                      {0.041666666666666602, -0.001388888888887399, 2.4801587289394953e-05,
                       -2.7557314326032413e-07, 2.0875719558275472e-09, -1.1359448632171419e-11});
}

Lane is_odd(LaneBuilder& l, Lane turns) {
  return (turns & l.integer(turns.value->getType(), 1)) != 0.0;
}

// sin(x + quarters * pi/2).
Lane sin_shifted(LaneBuilder& l, const Reduced& reduced, int quarters) {
  Lane r = reduced.angle, over = reduced.over;
  llvm::Type* int_type = reduced.quarters.value->getType();
  const int bits = static_cast<int>(int_type->getScalarSizeInBits());
  Lane turns = quarters == 0 ? reduced.quarters : reduced.quarters + l.integer(int_type, quarters);
  Lane z = r * r;
  Lane sine = r - l.mad(r * z, sine_series(l, z), over);
  Lane change = l.mad(z * z, cosine_series(l, z), r * over);
  // What rounding took from z; 0.06 units of a result, which threads do without: arithmetic is what
  // they would wait for.
  if (!is_single(r) || l.target.model != Model::grid)
    change = l.mad(l.mad(r, r, -z), constant(l, z, -0.5), change);
  Lane cosine = l.mad(z, constant(l, z, -0.5), change) + 1.0;
  Lane value = l.where(is_odd(l, turns), cosine, sine);
  Lane sign = (turns << (bits - 2)) & l.integer(int_type, std::uint64_t{1} << (bits - 1));
  return l.float_of(l.bits_of(value) ^ sign);
}

// The sine or cosine of a float32 up to reduction_limit: what the nearest 32nd of a turn has in
// registers, and short series for the rest of the angle. All differences on the way to the rest are
// exact, as x lies on a coarser grid than what is taken from it. The last difference keeps the sign
// of zero.
Lane by_32nds_of_a_turn(LaneBuilder& l, Lane x, bool is_cosine) {
  Lane shifted = l.mad(x, constant(l, x, 16 * M_1_PI), constant(l, x, rounding_shift(x)));
  Lane k = shifted - rounding_shift(x);
  Lane second = constant(l, x, 9.437237658005415e-09);
  Lane difference = l.mad(-k, constant(l, x, 0.19634953141212463), x);
  Lane product = k * second;
  Lane r = difference - product;
  Lane lost = (difference - r) - product;
  Lane third = constant(l, x, -2.1439056375073523e-16);
  Lane over = l.mad(k, third, l.mad(k, second, -product)) - lost;
  Lane place = l.bits_of(shifted);
  Lane sine = lookup_avx512(l, place, turn_sine), cosine = lookup_avx512(l, place, turn_cosine);
  Lane value = is_cosine ? cosine : sine, slope = is_cosine ? -sine : cosine;
  Lane too_much = lookup_avx512(l, place, is_cosine ? turn_cosine_over : turn_sine_over);
  Lane z = r * r;
  Lane below = l.mad(-(r * z), l.mad(z, constant(l, z, 1.0 / 120), constant(l, z, -1.0 / 6)), over);
  Lane bent = z * l.mad(z, constant(l, z, 1.0 / 24), constant(l, z, -0.5));
  Lane total = l.mad(slope, r, value);
  Lane rest = l.mad(-value, bent, l.mad(slope, below, too_much));
  return total - (rest + l.mad(-slope, r, total - value));
}

// tan(r) by its own series, as r and the rest of it in two parts; at odd quarters minus its
// inverse, which is corrected by what the division left. Takes half of the steps of a quotient of
// series.
Lane single_tan_of(LaneBuilder& l, const Reduced& reduced) {
  Lane r = reduced.angle;
  Lane z = r * r;
  Lane series = l.polynomial(z, {0.33333349519, 0.13332673958, 0.054058634548, 0.02128880482,
                                 0.0108191307, 0.00010981567680, 0.0043667596776});
  Lane cube = r * z;
  Lane tangent = l.mad(cube, series, r);
  Lane over = l.mad(-cube, series, tangent - r);
  over = l.mad(reduced.over, l.mad(tangent, tangent, constant(l, r, 1)), over);
  Lane turned = inverse_estimate(l, tangent);
  Lane error = l.mad(turned, over, l.mad(-turned, tangent, constant(l, r, 1)));
  return l.where(is_odd(l, reduced.quarters), -l.mad(turned, error, turned), tangent - over);
}

// Sine over cosine of the reduced angle, or minus cosine over sine, each in two parts.
Lane tan_of(LaneBuilder& l, const Reduced& reduced) {
  Lane r = reduced.angle, over = reduced.over;
  if (is_single(r)) return single_tan_of(l, reduced);
  Lane z = r * r;
  Double2 cosine = fast_sum(constant(l, r, 1), z * -0.5);
  Lane error = l.mad(l.mad(r, r, -z), constant(l, r, -0.5), r * over);
  cosine = fast_sum(cosine.hi, cosine.lo + l.mad(z * z, cosine_series(l, z), error));
  Double2 sine = fast_sum(r, -l.mad(r * z, sine_series(l, z), over * cosine.hi));
  Lane odd = is_odd(l, reduced.quarters);
  Double2 above = choose(l, odd, {-cosine.hi, -cosine.lo}, sine);
  auto [hi, lo] = quotient_in_parts(l, above, choose(l, odd, sine, cosine));
  return hi + lo;
}

// The tangent of a double up to reduction_limit: (s + c u) / (c - s u) with s and c of the nearest
// sixteenth of half a turn and u the tangent of what is left, which has a short series. All of them
// have two parts. Differences are exact as for float32.
Lane tan_by_table(LaneBuilder& l, Lane x) {
  const double shift = rounding_shift(x);
  Lane shifted = l.mad(x, constant(l, x, 5.092958178940651), constant(l, x, shift));
  Lane k = shifted - shift;
  Lane second = constant(l, x, 7.654042494670958e-18);
  Lane difference = l.mad(-k, constant(l, x, 0.19634954084936207), x);
  Lane product = k * second;
  Lane r = difference - product;
  Lane lost = (difference - r) - product;
  Lane third = constant(l, x, -1.8717311310739623e-34);
  Lane over = l.mad(k, third, l.mad(k, second, -product)) - lost;
  Lane z = r * r;
  Lane series = l.polynomial(z, {0.3333333333333339, 0.1333333333302727, 0.05396825650641788,
                                 0.021868752096079257, 0.008950360056399796});
  Double2 u = fast_sum(r, (r * z) * series);
  u.lo = l.mad(-over, l.mad(u.hi, u.hi, constant(l, x, 1)), u.lo);
  Lane place = l.bits_of(shifted);
  auto look_up = [&](const std::array<double, 16>& table) {
    return lookup_avx512(l, place, table);
  };
  Double2 sine{look_up(wide_turn_sine), look_up(wide_turn_sine_rest)};
  Double2 cosine{look_up(wide_turn_cosine), look_up(wide_turn_cosine_rest)};
  // start + factor u, where the product is the smaller one or all there is.
  auto sum = [&](Double2 start, Double2 factor) {
    Lane hi = l.mad(factor.hi, u.hi, start.hi);
    Lane lo = l.mad(factor.hi, u.hi, start.hi - hi);
    lo = lo + l.mad(factor.hi, u.lo, l.mad(factor.lo, u.hi, start.lo));
    return Double2{hi, lo};
  };
  auto [hi, lo] = quotient_in_parts(l, sum(sine, cosine), sum(cosine, {-sine.hi, -sine.lo}));
  return l.where(x == 0.0, x, hi + lo);  // sums lose the sign of zero
}

}  // namespace

Lane trigonometric(LaneBuilder& l, Op op, Lane x) {
  if (op != Op::sin && op != Op::cos && op != Op::tan) return {};
  const auto precisely = [&] {
    // In double precision, whose functions round to the nearest float.
    Lane exact = l.rare_math(info(op).library, {l.convert(x, l.b.getDoubleTy())});
    return l.convert(exact, x.value->getType()->getScalarType());
  };
  if (op != Op::tan && is_single(x) && l.has_avx512()) {
    Lane usual = by_32nds_of_a_turn(l, x, op == Op::cos);
    return l.rarely(l.abs(x) > reduction_limit(x), usual, precisely);
  }
  if (op == Op::tan && !is_single(x) && l.has_avx512()) {
    return l.rarely(l.abs(x) > reduction_limit(x), tan_by_table(l, x), precisely);
  }
  const bool keeps_zero = op == Op::tan && is_single(x) && l.target.model != Model::grid;
  Reduced reduced = keeps_zero ? reduce_single(l, x) : reduce_angle(l, x);
  const auto of_reduced = [&](LaneBuilder& lanes, const Reduced& angle) {
    return op == Op::tan ? tan_of(lanes, angle) : sin_shifted(lanes, angle, op == Op::cos ? 1 : 0);
  };
  Lane usual = of_reduced(l, reduced);
  // Threads keep values in memory that have to outlive a call, be it ever so rare.
  const bool calls = l.target.model != Model::grid;
  if (!calls) {
    // All of the function again, as whatever else comes out of the rare way costs the usual one a
    // copy.
    const auto reduce = is_single(x) ? reduce_single_exactly : reduce_double_exactly;
    usual =
        l.rarely_in_turn(reduced.is_lost, {usual}, {x}, [&](LaneBuilder& one, const LaneList& own) {
           const LaneList exact = reduce(one, own[0]);
           return LaneList{of_reduced(one, {exact[0], exact[1], exact[2], exact[2]})};
         }).front();
  }
  if (op == Op::tan && !keeps_zero) usual = l.where(x == 0.0, x, usual);  // sums lose its sign
  if (!calls) return usual;
  return l.rarely(reduced.is_lost, usual, precisely);
}

}  // namespace heddle::kernel
