// Logarithms and inverse hyperbolic functions as inline vector code.
#include <cmath>
#include <limits>

#include "kernel/scalar_math_families.h"
#include "kernel/scalar_math_tables.h"

namespace heddle::kernel {

namespace {

constexpr Parts ln_2{{0.6931471228599548, 5.769998878690785e-08},
                     {0.6931471805599453, 2.3190468138462996e-17}};
// Upper parts have trailing zeros: multiples by exponents are exact.
constexpr Parts ln_2_rounded{{0.693145751953125, 1.4286067653e-06},
                             {0.6931471805598903, 5.497923018708371e-14}};
constexpr Parts log10_2{{0.301025390625, 4.605038981195214e-06},
                        {0.30102999566395283, 2.8363394551044964e-14}};
constexpr Parts log2_e{{1.4426950216293335, 1.925963033500011e-08},
                       {1.4426950408889634, 2.0355273740931033e-17}};
constexpr Parts log10_e{{0.4342944622039795, 1.9699271547324315e-08},
                        {0.4342944819032518, 1.098319650216765e-17}};

// (log(1 + f) - f + f^2 / 2) / f^3 for float32 f from -1/4 to 1/2.
Lane single_tail(LaneBuilder& l, Lane f) {
  return l.polynomial(
      f, {0.33333448136304539, -0.25000194108634483, 0.1999109073458831, -0.16643742244784857,
          0.14467700911379311, -0.13186893756551607, 0.10582797580642141, -0.046167672665130693});
}
// (log(1 + f) - f) / f^2.
Lane single_bend(LaneBuilder& l, Lane f) {
  return l.mad(f, single_tail(l, f), constant(l, f, -0.5));
}

// log(1 + f) - f + f^2/2 for float64 f from -1/4 to 1/2 and half its square: s (f^2/2 + R) with
// s = f / (2 + f), whose rounding error counts only against this small term.
Lane double_tail(LaneBuilder& l, Lane f, Lane half_square) {
  Lane s = f / (f + 2.0);
  Lane w = s * s;
  Lane r = w * l.polynomial(w, {0.66666666666666663, 0.4000000000000794, 0.28571428567275936,
                                0.22222223048351589, 0.18181737626302938, 0.15388867805613718,
                                0.13209708242059462, 0.13609030262858499});
  return s * (half_square + r);
}

// The logarithm from the parts of x, to base e, 2 or 10. Infinite exponents are infinite results.
// `extra` is added to natural ones, where there is something.
Lane combine_log(LaneBuilder& l, Op base, Decomposed d, Lane extra = {}) {
  auto [e, m] = d;
  const bool single = is_single(m);
  Lane f = m - 1.0;
  Lane square = f * f;
  if (base == Op::log && !extra.value) {
    auto [hi, lo] = constant(l, f, ln_2);
    Lane half_square = square * 0.5;
    Lane bend = single ? square * single_bend(l, f) : double_tail(l, f, half_square) - half_square;
    return l.mad(e, hi, f + l.mad(e, lo, bend));
  }
  // The sum cancels where the exponent is -1: it gets what rounding leaves of the larger terms.
  Lane error = l.mad(f, f, -square);
  const double factor = base == Op::log2 ? M_LOG2E : base == Op::log10 ? M_LOG10E : 1;
  Lane rest = error * (-0.5 * factor);
  Lane whole = e, part = f, scale = constant(l, f, factor);
  if (base == Op::log) {
    auto [hi, lo] = constant(l, f, ln_2_rounded);
    whole = e * hi;
    rest = l.mad(e, lo, rest + extra);
  } else {
    auto [hi, lo] = constant(l, f, base == Op::log2 ? log2_e : log10_e);
    Double2 product = exact_product(l, f, hi);
    part = product.hi;
    scale = hi;
    rest = l.mad(f, lo, rest + product.lo);
  }
  if (base == Op::log10) {
    auto [hi, lo] = constant(l, f, log10_2);
    whole = e * hi;
    rest = l.mad(e, lo, rest);
  }
  Double2 sum = fast_sum(whole, part);
  rest = rest + sum.lo;
  if (single && base == Op::log) {
    rest = l.mad(square, single_bend(l, f), rest);
  } else {
    Lane half = square * -0.5;
    Lane tail = single ? (square * f) * single_tail(l, f) : double_tail(l, f, -half);
    Lane bend = half * scale;
    Double2 total = fast_sum(sum.hi, bend);
    sum.hi = total.hi;
    rest = total.lo + l.mad(tail, scale, rest + l.mad(half, scale, -bend));
  }
  return l.where(l.abs(e) < HUGE_VAL, sum.hi + rest, e);
}

// Of float32 to base 2 or 10, by a table and a short series for what is left. Sums of the table's
// logarithms with those of exponents are exact, and zero where the result vanishes.
Lane log_by_table(LaneBuilder& l, Op base, Lane x) {
  const bool binary = base == Op::log2;
  auto [e, m] = binary ? decompose_from_one_avx512(l, x) : decompose_avx512(l, x);
  Lane step = l(l.b.CreateLShr(l.bits_of(m), 18));
  Lane r =
      l.mad(m, lookup_avx512(l, step, binary ? log2_inverse : log10_inverse), constant(l, x, -1));
  Lane known = lookup_avx512(l, step, binary ? log2_of_inverse : log10_of_inverse);
  auto [hi, lo] = constant(l, x, binary ? log2_e : log10_e);
  Lane bend =
      binary ? l.polynomial(r, {-0.72134749152, 0.480910518024, -0.360851438238, 0.274418728757})
             : l.polynomial(r, {-0.217147232245, 0.144768491156, -0.108627106888, 0.0826082687278});
  Lane low = r * l.mad(r, bend, lo);
  if (binary) return (e + known) + l.mad(r, hi, low);
  auto [whole, part] = constant(l, x, log10_2);
  return l.mad(e, whole, known) + l.mad(r, hi, l.mad(e, part, low));
}

// Of float64 to base 2 or 10, or with `extra`, by a table and a series without a division. The sum
// of the exponent's and the table's logarithm is exact; what is added to it is exact, too, but for
// small terms. `extra` is added to natural ones.
Lane log_by_table(LaneBuilder& l, Op base, const NearOne& x, Lane extra = {}) {
  Lane e = x.exponent, r = x.rest;
  auto look_up = [&](const std::array<double, 16>& table) {
    return lookup_avx512(l, x.index, table);
  };
  Lane whole, part = r, rest, bend;
  if (base == Op::log2) {
    whole = e + look_up(wide_log2_upper);
    rest = look_up(wide_log2_lower);
    bend = l.polynomial(
        r, {-0.7213475204444817, 0.4808983469629855, -0.3606737602215808, 0.28853900819103057,
            -0.24044917539631916, 0.20609927200700873, -0.1803349254784765, 0.1603095234552638,
            -0.14508780572318372, 0.1297391827981098});
  } else if (base == Op::log10) {
    auto [hi, lo] = constant(l, r, log10_2);
    whole = l.mad(e, hi, look_up(wide_log10_upper));
    rest = l.mad(e, lo, look_up(wide_log10_lower));
    bend = l.polynomial(
        r, {-0.21714724095162594, 0.14476482730108325, -0.10857362047561427, 0.08685889638463537,
            -0.07238241422696182, 0.06204206295861952, -0.05428622183485014, 0.04825797515063296,
            -0.043675781527746545, 0.039055385635163455});
  } else {
    auto [hi, lo] = constant(l, r, ln_2_rounded);
    whole = l.mad(e, hi, look_up(wide_log_upper));
    rest = l.mad(e, lo, look_up(wide_log_lower)) + extra;
    bend = l.polynomial(r, {-0.5, 0.3333333333333317, -0.2499999999995425, 0.2000000000091758,
                            -0.1666666679939224, 0.14285712930711536, -0.12499864515189382,
                            0.11111809419992454, -0.1005672034706539, 0.08992834876466116});
  }
  if (base != Op::log) {
    auto [hi, lo] = constant(l, r, base == Op::log2 ? log2_e : log10_e);
    Double2 product = exact_product(l, r, hi);
    part = product.hi;
    rest = rest + l.mad(r, lo, product.lo);
  }
  Double2 sum = fast_sum(whole, part);
  rest = l.mad(r * r, bend, rest + sum.lo);
  return l.where(l.abs(e) < HUGE_VAL, sum.hi + rest, e);
}

// Of zero, negative, subnormal and infinite numbers and nan.
Lane log_of_special(LaneBuilder& l, Op base, Lane x, Lane extra) {
  const bool single = is_single(x);
  auto [exponent, mantissa] = decompose(l, x * (single ? 0x1p25 : 0x1p54));
  Lane result = combine_log(l, base, {exponent - (single ? 25.0 : 54.0), mantissa}, extra);
  result = l.where(x < HUGE_VAL, result, x);
  result = l.where(x == 0.0, constant(l, x, -HUGE_VAL), result);
  return l.where(x < 0.0, constant(l, x, std::numeric_limits<double>::quiet_NaN()), result);
}

Lane log(LaneBuilder& l, Op base, Lane x, Lane extra = {}) {
  if (l.has_avx512() && base != Op::log) {
    return is_single(x) ? log_by_table(l, base, x) : log_by_table(l, base, near_one_avx512(l, x));
  }
  if (l.has_avx512()) return combine_log(l, base, decompose_avx512(l, x), extra);
  Lane is_usual = (x >= (is_single(x) ? 0x1p-126 : 0x1p-1022)) & (x < HUGE_VAL);
  return l.rarely(!is_usual, combine_log(l, base, decompose(l, x), extra),
                  [&] { return log_of_special(l, base, x, extra); });
}

// 1 / x to 46 bits, from a quotient of float32; zero where x is beyond that.
Lane inverse_by_single(LaneBuilder& l, Lane x) {
  Lane estimate = l.convert(1.0 / l.convert(x, l.b.getFloatTy()), l.b.getDoubleTy());
  return l.mad(estimate, l.mad(-x, estimate, constant(l, x, 1)), estimate);
}

// What is lost of the sum 1 + x, over that sum: to eight bits of what it adds to its logarithm.
// Where there is none it may be anything.
Lane extra_avx512(LaneBuilder& l, const NearOne& sum, Lane lost) {
  Lane part = scale_avx512(l, lost * sum.inverse, -sum.exponent);
  return l.mad(-part, sum.rest, part);
}
Lane extra_avx512(LaneBuilder& l, Decomposed sum, Lane lost) {
  auto [e, m] = sum;
  Lane f = m - 1.0;
  Lane inverse = l.polynomial(f, {1, -1.0074769140205149, 1.0600821365668955, -0.7894387739044186});
  return scale_avx512(l, lost * inverse, -e);
}

// What 1 + x rounds away is added to the logarithm of the rest.
Lane log1p(LaneBuilder& l, Lane x) {
  Double2 sum = exact_sum(constant(l, x, 1), x);
  if (l.has_avx512() && !is_single(x)) {
    const NearOne parts = near_one_avx512(l, sum.hi);
    Lane log = log_by_table(l, Op::log, parts, extra_avx512(l, parts, sum.lo));
    return l.where(l.abs(x) < 0x1p-53, x, log);
  }
  if (l.has_avx512()) {
    const Decomposed parts = decompose_avx512(l, sum.hi);
    Lane log = combine_log(l, Op::log, parts, extra_avx512(l, parts, sum.lo));
    return l.where(l.abs(x) < 0x1p-24, x, log);
  }
  Lane is_usual = (sum.hi > 0.0) & (sum.hi < HUGE_VAL);
  Lane part = sum.lo * (is_single(x) ? inverse(l, sum.hi) : inverse_by_single(l, sum.hi));
  Lane extra = l.where(is_usual, part, constant(l, x, 0));
  return l.where(l.abs(x) < (is_single(x) ? 0x1p-24 : 0x1p-53), x, log(l, Op::log, sum.hi, extra));
}

// The power of two that x is between 3/4 and 3/2 of, for a positive normal number.
struct NearPower {
  Lane power, exponent;
};

NearPower near_power(LaneBuilder& l, Lane x) {
  const int fraction_bits = is_single(x) ? 23 : 52;
  Lane one = l.bits_of(constant(l, x, 1));
  Lane rebased = l.bits_of(x) + (one - l.bits_of(constant(l, x, 0.75)));
  Lane biased = l(l.b.CreateLShr(rebased, fraction_bits));
  const double shift = rounding_shift(x);
  Lane shifted = l.float_of(biased | l.bits_of(constant(l, x, shift)));
  return {l.float_of(biased << fraction_bits), shifted - (shift + (is_single(x) ? 127 : 1023))};
}

// With 1 - |x| near the power 2^e, |x| has (e ln(2))/2 less than arctanh of s, where s is
// (2^e (1 + |x|) - (1 - |x|)) / (2^e (1 + |x|) + (1 - |x|)), between -0.1 and 0.46.
Lane arctanh(LaneBuilder& l, Lane x) {
  const bool single = is_single(x);
  Lane size = l.abs(x);
  Lane one = constant(l, x, 1);
  Double2 above = fast_sum(one, size);
  Double2 below = fast_sum(one, -size);
  auto [power, exponent] = near_power(l, below.hi);
  above = {above.hi * power, above.lo * power};
  Double2 dividend = fast_sum(above.hi, -below.hi);
  Double2 divisor = fast_sum(above.hi, below.hi);
  dividend.lo = dividend.lo + (above.lo - below.lo);
  divisor.lo = divisor.lo + (above.lo + below.lo);
  Double2 s = quotient_in_parts(l, dividend, divisor);
  Lane z = s.hi * s.hi;
  Lane p =
      single ? l.polynomial(z, {0.333334684, 0.199910089, 0.144779131, 0.0935655385, 0.15961796})
             : l.polynomial(z, {0.33333333333332693, 0.20000000000207943, 0.14285714262202673,
                                0.11111112441832847, 0.090908650637217411, 0.076932318485405257,
                                0.066537972742707355, 0.060036833642621523, 0.044891961312924743,
                                0.080192335989735644, -0.041160477624249923, 0.15450951420906819});
  auto [hi, lo] = constant(l, x, ln_2_rounded);
  Lane halves = exponent * -0.5;
  Double2 sum = fast_sum(halves * hi, s.hi);
  Lane rest = l.mad(halves, lo, l.mad(s.hi * z, p, s.lo));
  Lane special = l.where(size == 1.0, constant(l, x, HUGE_VAL),
                         constant(l, x, std::numeric_limits<double>::quiet_NaN()));
  return l.copysign(l.where(size < 1.0, sum.hi + (sum.lo + rest), special), x);
}

// log(x + sqrt(x^2 + sign)). Of large numbers that is log(2 x).
Lane log_with_root(LaneBuilder& l, Lane x, double sign) {
  const bool single = is_single(x);
  Double2 square = exact_product(l, x, x);
  Lane one = constant(l, x, sign);
  Double2 sum = sign < 0 ? fast_sum(square.hi, one) : exact_sum(square.hi, one);
  Double2 root = root_in_parts(l, {sum.hi, sum.lo + square.lo});
  Double2 total = sign < 0 ? fast_sum(x, root.hi) : fast_sum(root.hi, x);
  total.lo = total.lo + root.lo;
  Lane zero = constant(l, x, 0);
  const int down = single ? 20 : 100;
  Lane is_large = x > (single ? 0x1p13 : 0x1p28);
  total = choose(l, is_large, {x * std::exp2(-down), zero}, total);
  auto [hi, lo] = log_in_parts(l, total, l.where(is_large, constant(l, x, down + 1), zero));
  return l.where(x < HUGE_VAL, hi + lo, x);
}

Lane arcsinh(LaneBuilder& l, Lane x) {
  Lane size = l.abs(x);
  Lane is_small = size < (is_single(x) ? 0x1p-13 : 0x1p-28);
  return l.copysign(l.where(is_small, size, log_with_root(l, size, 1)), x);
}

Lane arccosh(LaneBuilder& l, Lane x) {
  Lane nan = constant(l, x, std::numeric_limits<double>::quiet_NaN());
  return l.where(x >= 1.0, log_with_root(l, x, -1), nan);
}

// Of a float32, by a table and a short series. The sum of the exponent's and the table's logarithm
// is exact.
Double2 log_in_parts_by_table(LaneBuilder& l, Double2 x, Lane more) {
  auto [e, m] = decompose_avx512(l, x.hi);
  Lane step = l(l.b.CreateLShr(l.bits_of(m), 18));
  Lane inverse = lookup_avx512(l, step, log_inverse);
  Lane r = l.mad(m, inverse, constant(l, m, -1));
  // A root of little has a large lower part: it is divided by 1 + r to within r^3.
  Lane low = scale_avx512(l, x.lo * inverse, -e);
  low = l.mad(-low, l.mad(-r, r, r), low);
  if (more.value) e = e + more;
  auto [hi, lo] = constant(l, m, ln_2_rounded);
  Double2 sum = fast_sum(l.mad(e, hi, lookup_avx512(l, step, log_of_inverse)), r);
  Lane bend = l.polynomial(r, {-0.499999976741, 0.333341638322, -0.250130005102, 0.190357664924});
  return {sum.hi, sum.lo + l.mad(r * r, bend, l.mad(e, lo, low))};
}

}  // namespace

// 2 arctanh(s) with s = (x - 2^e) / (x + 2^e), which is at most 1/5.
Double2 log_in_parts(LaneBuilder& l, Double2 x, Lane more) {
  if (is_single(x.hi) && l.has_avx512()) return log_in_parts_by_table(l, x, more);
  auto [power, exponent] = near_power(l, x.hi);
  Double2 dividend{x.hi - power, x.lo};  // exact
  Double2 divisor = fast_sum(power, x.hi);
  divisor.lo = divisor.lo + x.lo;
  Double2 s = quotient_in_parts(l, dividend, divisor);
  Lane z = s.hi * s.hi;
  Lane p = is_single(x.hi)
               ? l.polynomial(z, {0.333334744, 0.199788287, 0.151822224})
               : l.polynomial(z, {0.33333333333333298, 0.2000000000002837, 0.14285714277902717,
                                  0.11111112149753223, 0.090908328380627637, 0.076955594549854317,
                                  0.065867379446945581, 0.069219566351964065});
  if (more.value) exponent = exponent + more;
  auto [hi, lo] = constant(l, x.hi, ln_2_rounded);
  Double2 sum = fast_sum(exponent * hi, s.hi + s.hi);
  Lane half = l.mad(s.hi * z, p, s.lo);
  return {sum.hi, sum.lo + l.mad(exponent, lo, half + half)};
}

Lane logarithmic(LaneBuilder& l, Op op, Lane x) {
  switch (op) {
    case Op::log:
    case Op::log2:
    case Op::log10:
      return log(l, op, x);
    case Op::log1p:  // of float32 a grid's own is as good, and quicker
      return l.target.model == Model::grid && is_single(x) ? Lane{} : log1p(l, x);
    case Op::arcsinh:
      return arcsinh(l, x);
    case Op::arccosh:
      return arccosh(l, x);
    case Op::arctanh:
      return arctanh(l, x);
    default:
      return {};
  }
}

}  // namespace heddle::kernel
