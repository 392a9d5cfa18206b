// Special functions of float32 and float64, SciPy's: inline vector code for machines with fused
// multiply-add. The others, and those of complex numbers, are linked in (src/special). Polynomials
// are minimax fits (Remez); errors stay below 1.1 units in the last place.
#include <cmath>
#include <limits>
#include <span>

#include "kernel/lane_builder.h"
#include "kernel/scalar_lowering.h"
#include "kernel/scalar_math_parts.h"

namespace heddle::kernel {

namespace {

// x + x P(x^2) for small x, where the sum is x but for a few bits; else 1 - exp(-(t + t R(t))), the
// logarithm of what is left to 1 being nearly a parabola, and its error counting the less the less
// is left.
Lane erf(LaneBuilder& l, Lane x) {
  const bool single = is_single(x);
  Lane t = l.abs(x);
  Lane z = x * x;
  Lane p = single
               ? l.polynomial(z, {0.128379167, -0.37612635, 0.11283715, -0.0268605085, 0.0052038593,
                                  -0.000817564061, 8.51310888e-5})
               : l.polynomial(
                     z, {0.128379167095512574, -0.376126389031837476, 0.112837916709548575,
                         -0.0268661706450728912, 0.00522397762478083465, -0.000854832697874056762,
                         0.000120553310368466683, -0.000014925593505766363, 1.64609728011907177e-6,
                         -1.63500250762238812e-7, 1.46578789898888785e-8, -1.13656631366284934e-9,
                         5.94525769394154252e-11});
  Lane small = l.mad(x, p, x);
  const double end = single ? 4 : 6;  // from there on it is 1
  t = l.where(t > end, constant(l, x, end), t);
  Lane r =
      single ? l.polynomial(t, {0.128637073, 0.635198043, 0.106159035, -0.0236945543, 0.00361033686,
                                -0.000314856983, 1.04330156e-5})
             : l.polynomial(
                   t, {0.128379110859393939, 0.636620252663297531, 0.102770827166076198,
                       -0.0191249649582428561, -0.000212035829199296518, 0.00169260702638026553,
                       -0.000574657680640739937, -9.75788906941375835e-7, 0.000095487277132351442,
                       -0.0000560389755155157916, 0.0000203515790434882574, -5.38532138287587731e-6,
                       1.07814885950422552e-6, -1.630277332818144e-7, 1.81312151879626412e-8,
                       -1.40245906303243238e-9, 6.74492121034609209e-11, -1.51887792259984149e-12});
  Lane rest = lower_math(l, Op::exp, -l.mad(t, r, t));
  return l.where(t < (single ? 0.9 : 1.0), small, l.copysign(1.0 - rest, x));
}

// --- what is left of the error function, and the normal distribution ---

// erfc(x) for x >= 1: exp(-x^2) times a quotient of polynomials, those of Cephes (Stephen L.
// Moshier). The square is in two parts, as its rounding error counts x^2 times as much in the
// result.
Lane scaled_erfc_of_large(LaneBuilder& l, Lane x) {
  Lane p = l.polynomial(
      x, {5.57535335369399327526E2, 1.02755188689515710272E3, 9.34528527171957607540E2,
          5.26445194995477358631E2, 1.96520832956077098242E2, 4.86371970985681366614E1,
          7.46321056442269912687E0, 5.64189564831068821977E-1, 2.46196981473530512524E-10});
  Lane q =
      l.polynomial(x, {5.57535340817727675546E2, 1.65666309194161350182E3, 2.24633760818710981792E3,
                       1.82390916687909736289E3, 9.75708501743205489753E2, 3.54937778887819891062E2,
                       8.67072140885989742329E1, 1.32281951154744992508E1, 1.0});
  if (!is_single(x)) {
    Lane r = l.polynomial(
        x, {2.97886665372100240670E0, 7.40974269950448939160E0, 6.16021097993053585195E0,
            5.01905042251180477414E0, 1.27536670759978104416E0, 5.64189583547755073984E-1});
    Lane s = l.polynomial(
        x, {3.36907645100081516050E0, 9.60896809063285878198E0, 1.70814450747565897222E1,
            1.20489539808096656605E1, 9.39603524938001434673E0, 2.26052863220117276590E0, 1.0});
    Lane far = x > 8.0;
    p = l.where(far, r, p);
    q = l.where(far, s, q);
  }
  return p / q;
}

Lane erfc_of_large(LaneBuilder& l, Lane x) {
  Lane square = x * x;
  Lane rest = l.mad(x, x, -square);
  Lane power = lower_math(l, Op::exp, -square);
  return l.mad(power, -rest, power) * scaled_erfc_of_large(l, x);
}

// As far as results are no zeros.
Lane bounded(LaneBuilder& l, Lane size) {
  const double end = is_single(size) ? 10.5 : 27.5;
  return l.where(size > end, constant(l, size, end), size);
}

Lane erfc(LaneBuilder& l, Lane x) {
  Lane size = l.abs(x);
  Lane large = erfc_of_large(l, bounded(l, size));
  large = l.where(x < 0.0, 2.0 - large, large);
  return l.where(size < 1.0, 1.0 - erf(l, x), large);
}

Lane ndtr(LaneBuilder& l, Lane x) {
  Lane t = x * M_SQRT1_2;
  Lane size = l.abs(t);
  // t has a rounding error, which counts as that of the square does.
  Lane error = l.mad(x, constant(l, x, M_SQRT1_2), -t) +
               x * (is_single(x) ? 1.2101617e-8 : -4.833646656726457e-17);
  Lane end = bounded(l, size);
  Lane large = erfc_of_large(l, end) * 0.5;
  Lane slope = l.copysign(error, error * t) * end * 2.0;
  large = l.where(size == end, l.mad(large, -slope, large), large);
  large = l.where(x > 0.0, 1.0 - large, large);
  Lane middle = l.mad(erf(l, t), constant(l, x, 0.5), constant(l, x, 0.5));
  return l.where(size < 1.0, middle, large);
}

Lane log_ndtr(LaneBuilder& l, Lane x) {
  Lane t = x * -M_SQRT1_2;
  Lane far = t > 1.0;
  Lane size = l.where(far, t, constant(l, x, 1));
  // Of x, not of its rounded quotient.
  Lane half = x * 0.5 * x;  // in this order, as the square may be infinite where half of it is not
  Lane rest = l.where(half < HUGE_VAL, l.mad(x * 0.5, x, -half), constant(l, x, 0));
  // Beyond, nothing else counts, and powers of it would be infinite.
  const double end = is_single(x) ? 1e4 : 1e20;
  size = l.where(size > end, constant(l, x, end), size);
  Lane ratio = scaled_erfc_of_large(l, size) * 0.5;
  Lane left = lower_math(l, Op::log, ratio) - half - rest;
  Lane below = ndtr(l, -l.abs(x));
  Lane near_by = l.where(x < 0.0, lower_math(l, Op::log, l.where(far, constant(l, x, 1), below)),
                         lower_math(l, Op::log1p, -below));
  return l.where(far, left, near_by);
}

// The number with the cumulative probability 0.5 + q of the normal distribution, by the quotients
// of Wichura (AS 241); `tail` is what is left to 0 or 1.
Lane normal_quantile(LaneBuilder& l, Lane q, Lane tail) {
  Lane r = constant(l, q, 0.180625) - q * q;
  Lane middle =
      q *
      l.polynomial(r, {3.3871328727963666080e0, 1.3314166789178437745e2, 1.9715909503065514427e3,
                       1.3731693765509461125e4, 4.5921953931549871457e4, 6.7265770927008700853e4,
                       3.3430575583588128105e4, 2.5090809287301226727e3}) /
      l.polynomial(r, {1.0, 4.2313330701600911252e1, 6.8718700749205790830e2,
                       5.3941960214247511077e3, 2.1213794301586595867e4, 3.9307895800092710610e4,
                       2.8729085735721942674e4, 5.2264952788528545610e3});
  Lane root = l.sqrt(-lower_math(l, Op::log, tail));
  Lane s = root - 1.6;
  Lane near_by = l.polynomial(s, {1.42343711074968357734e0, 4.63033784615654529590e0,
                                  5.76949722146069140550e0, 3.64784832476320460504e0,
                                  1.27045825245236838258e0, 2.41780725177450611770e-1,
                                  2.27238449892691845833e-2, 7.74545014278341407640e-4}) /
                 l.polynomial(s, {1.0, 2.05319162663775882187e0, 1.67638483018380384940e0,
                                  6.89767334985100004550e-1, 1.48103976427480074590e-1,
                                  1.51986665636164571966e-2, 5.47593808499534494600e-4,
                                  1.05075007164441684324e-9});
  Lane t = root - 5.0;
  Lane far = l.polynomial(t, {6.65790464350110377720e0, 5.46378491116411436990e0,
                              1.78482653991729133580e0, 2.96560571828504891230e-1,
                              2.65321895265761230930e-2, 1.24266094738807843860e-3,
                              2.71155556874348757815e-5, 2.01033439929228813265e-7}) /
             l.polynomial(t, {1.0, 5.99832206555887937690e-1, 1.36929880922735805310e-1,
                              1.48753612908506148525e-2, 7.86869131145613259100e-4,
                              1.84631831751005468180e-5, 1.42151175831644588870e-7,
                              2.04426310338993978564e-15});
  Lane size = l.where(root <= 5.0, near_by, far);
  size = l.where(tail == 0.0, constant(l, q, HUGE_VAL), size);
  Lane made = l.where(l.abs(q) <= 0.425, middle, l.copysign(size, q));
  return l.where(tail < 0.0, constant(l, q, std::numeric_limits<double>::quiet_NaN()), made);
}

Lane quantile(LaneBuilder& l, Op op, Lane x) {
  switch (op) {
    case Op::ndtri: {
      Lane q = x - 0.5;
      return normal_quantile(l, q, l.where(q < 0.0, x, 1.0 - x));
    }
    case Op::erfinv:
      return normal_quantile(l, x * 0.5, 0.5 - l.abs(x) * 0.5) * M_SQRT1_2;
    default:  // erfcinv
      // Of the smallest negative numbers half is zero.
      return l.where(
          x < 0.0, constant(l, x, std::numeric_limits<double>::quiet_NaN()),
          normal_quantile(l, (1.0 - x) * 0.5, l.where(x < 1.0, x, 2.0 - x) * 0.5) * M_SQRT1_2);
  }
}

// --- modified Bessel functions: beyond 8, Chebyshev series of Cephes (Stephen L. Moshier) ---

constexpr double i0_far[] = {
    -7.23318048787475395456E-18, -4.83050448594418207126E-18, 4.46562142029675999901E-17,
    3.46122286769746109310E-17,  -2.82762398051658348494E-16, -3.42548561967721913462E-16,
    1.77256013305652638360E-15,  3.81168066935262242075E-15,  -9.55484669882830764870E-15,
    -4.15056934728722208663E-14, 1.54008621752140982691E-14,  3.85277838274214270114E-13,
    7.18012445138366623367E-13,  -1.79417853150680611778E-12, -1.32158118404477131188E-11,
    -3.14991652796324136454E-11, 1.18891471078464383424E-11,  4.94060238822496958910E-10,
    3.39623202570838634515E-9,   2.26666899049817806459E-8,   2.04891858946906374183E-7,
    2.89137052083475648297E-6,   6.88975834691682398426E-5,   3.36911647825569408990E-3,
    8.04490411014108831608E-1};
constexpr double i1_far[] = {
    7.51729631084210481353E-18,  4.41434832307170791151E-18,  -4.65030536848935832153E-17,
    -3.20952592199342395980E-17, 2.96262899764595013876E-16,  3.30820231092092828324E-16,
    -1.88035477551078244854E-15, -3.81440307243700780478E-15, 1.04202769841288027642E-14,
    4.27244001671195135429E-14,  -2.10154184277266431302E-14, -4.08355111109219731823E-13,
    -7.19855177624590851209E-13, 2.03562854414708950722E-12,  1.41258074366137813316E-11,
    3.25260358301548823856E-11,  -1.89749581235054123450E-11, -5.58974346219658380687E-10,
    -3.83538038596423702205E-9,  -2.63146884688951950684E-8,  -2.51223623787020892529E-7,
    -3.88256480887769039346E-6,  -1.10588938762623716291E-4,  -9.76109749136146840777E-3,
    7.78576235018280120474E-1};

Lane chebyshev(LaneBuilder& l, Lane x, std::span<const double> coefficients, bool for_single) {
  if (for_single) {  // terms that no digit depends on
    std::size_t first = 0;
    while (std::abs(coefficients[first]) < 1e-9) ++first;
    coefficients = coefficients.subspan(first);
  }
  Lane b0 = constant(l, x, coefficients[0]), b1 = constant(l, x, 0), b2 = b1;
  for (double c : coefficients.subspan(1)) {
    b2 = b1;
    b1 = b0;
    b0 = l.mad(x, b1, -b2) + c;
  }
  return (b0 - b2) * 0.5;
}

// The power series of the function in (x / 2)^2, up to |x| = 8: its terms are positive, and nothing
// is lost in their sum.
Lane bessel_near(LaneBuilder& l, Lane size, bool odd, bool for_single) {
  constexpr int terms = 24, terms_of_single = 18;
  double coefficients[terms] = {1};
  for (int k = 1; k < terms; ++k) coefficients[k] = coefficients[k - 1] / (k * (k + odd));
  Lane half = l.where(size > 8.0, constant(l, size, 0), size) * 0.5;
  Lane square = half * half;
  const int count = for_single ? terms_of_single : terms;
  Lane made = constant(l, size, coefficients[count - 1]);
  for (int k = count - 2; k >= 0; --k)
    made = l.mad(made, square, constant(l, size, coefficients[k]));
  return odd ? made * half : made;
}

// The modified Bessel function of order 0 or 1 in double precision, times exp(-|x|) where it is to
// be scaled. `for_single`: the result will be rounded to single precision.
Lane bessel(LaneBuilder& l, Lane x, bool odd, bool scaled, bool for_single) {
  Lane size = l.abs(x);
  Lane near_by = bessel_near(l, size, odd, for_single);
  Lane inverse = l.where(size > 8.0, 32.0 / size, constant(l, x, 4)) - 2.0;
  Lane far = chebyshev(l, inverse, odd ? std::span<const double>(i1_far) : i0_far, for_single) /
             l.sqrt(size);
  Lane power = lower_math(l, Op::exp, scaled ? -size : size);
  Lane made = scaled ? l.where(size > 8.0, far, near_by * power)
                     : l.where(size > 8.0, far * power, near_by);
  made = l.where(l.is_nan(x), x, made);
  return odd ? l.where(x < 0.0, -made, made) : made;
}

// --- logarithms and losses ---

Lane log(LaneBuilder& l, Lane x) { return lower_math(l, Op::log, x); }
Lane log1p(LaneBuilder& l, Lane x) { return lower_math(l, Op::log1p, x); }

Lane expit(LaneBuilder& l, Lane x) { return 1.0 / (lower_math(l, Op::exp, -x) + 1.0); }

Lane log_expit(LaneBuilder& l, Lane x) {
  Lane rest = log1p(l, lower_math(l, Op::exp, -l.abs(x)));
  return l.where(x < 0.0, x, constant(l, x, -0.0)) - rest;  // what vanishes is negative
}

// x / (1 - x) is 1 + (2x - 1) / (1 - x), whose terms are exact near 1.
Lane logit(LaneBuilder& l, Lane x) {
  Lane rest = 1.0 - x;
  Lane middle = log1p(l, (x + x - 1.0) / rest);
  return l.where((x < 0.3) | (x > 0.65), log(l, x / rest), middle);
}

// x times a logarithm of y, and 0 where x is, unless y is nan.
Lane times_log(LaneBuilder& l, Lane x, Lane y, Lane logarithm) {
  return l.where((x == 0.0) & !l.is_nan(y), constant(l, x, 0), x * logarithm);
}

Lane entr(LaneBuilder& l, Lane x) {
  Lane outside = l.where(x == 0.0, constant(l, x, 0), constant(l, x, -HUGE_VAL));
  Lane made = l.where(x > 0.0, -x * log(l, x), outside);
  return l.where(l.is_nan(x), x, made);
}

// What relative entropies are where x or y is no positive number.
Lane outside_of_entropy(LaneBuilder& l, Lane x, Lane y, Lane at_zero, Lane inside) {
  Lane made = l.where((x == 0.0) & (y >= 0.0), at_zero, constant(l, x, HUGE_VAL));
  made = l.where((x > 0.0) & (y > 0.0), inside, made);
  return l.where(l.is_nan(x) | l.is_nan(y), x + y, made);
}

Lane rel_entr(LaneBuilder& l, Lane x, Lane y) {
  Lane ratio = x / y;
  Lane logarithm = l.where((ratio > 0.5) & (ratio < 2.0), log1p(l, (x - y) / y), log(l, ratio));
  Lane smallest = constant(l, x, is_single(x) ? 0x1p-126 : 0x1p-1022);
  Lane beyond = !((ratio > smallest) & (ratio < HUGE_VAL));
  Lane inside = l.rarely(beyond & (x > 0.0) & (y > 0.0), logarithm,
                         [&]() -> llvm::Value* { return log(l, x) - log(l, y); });
  return outside_of_entropy(l, x, y, constant(l, x, 0), x * inside);
}

// Digits are lost where x is nearly y.
Lane kl_div(LaneBuilder& l, Lane x, Lane y) {
  return outside_of_entropy(l, x, y, y, x * log(l, x / y) - x + y);
}

Lane huber(LaneBuilder& l, Lane delta, Lane r) {
  Lane size = l.abs(r);
  Lane made = l.where(size <= delta, r * 0.5 * r, delta * (size - delta * 0.5));
  return l.where(delta < 0.0, constant(l, r, HUGE_VAL), made);
}

// delta^2 (sqrt(1 + (r / delta)^2) - 1) by the quotient that is below one: neither it nor a square
// of an argument leaves the range where the result does not.
Lane pseudo_huber(LaneBuilder& l, Lane delta, Lane r) {
  Lane size = l.abs(r);
  llvm::Value* inside = size <= delta;
  Lane quotient = l.where(inside, size / delta, delta / size);
  Lane root = l.sqrt(quotient * quotient + 1.0);
  Lane made = l.where(inside, size / (root + 1.0) * size, size / (root + quotient) * delta);
  made = l.where((delta == 0.0) | (r == 0.0), constant(l, r, 0), made);
  return l.where(delta < 0.0, constant(l, r, HUGE_VAL), made);
}

}  // namespace

Lane in_double(LaneBuilder& l, std::span<const Lane> args,
               const std::function<Lane(std::span<const Lane>)>& f) {
  if (!is_single(args[0])) return f(args);
  llvm::SmallVector<Lane, 2> wide;
  for (Lane x : args) wide.push_back(l.convert(x, l.b.getDoubleTy()));
  return l.convert(f(wide), l.b.getFloatTy());
}

Lane lower_special(LaneBuilder& l, Op op, std::span<const Lane> args) {
  if (!l.has_fma()) return {};
  switch (op) {
    case Op::erf:
      return erf(l, args[0]);
    case Op::erfc:
      return erfc(l, args[0]);
    case Op::ndtr:
      return ndtr(l, args[0]);
    case Op::log_ndtr:
      return log_ndtr(l, args[0]);
    case Op::ndtri:
    case Op::erfinv:
    case Op::erfcinv:
      return in_double(l, args, [&](auto wide) { return quantile(l, op, wide[0]); });
    case Op::i0e:
    case Op::i1e:
      return in_double(l, args, [&](auto wide) {
        return bessel(l, wide[0], op == Op::i1e, /*scaled=*/true, is_single(args[0]));
      });
    case Op::i0:
    case Op::i1:
      return in_double(l, args, [&](auto wide) {
        return bessel(l, wide[0], op == Op::i1, /*scaled=*/false, is_single(args[0]));
      });
    case Op::expit:
      return expit(l, args[0]);
    case Op::log_expit:
      return log_expit(l, args[0]);
    case Op::logit:
      return logit(l, args[0]);
    case Op::xlogy:
      return times_log(l, args[0], args[1], log(l, args[1]));
    case Op::xlog1py:
      return times_log(l, args[0], args[1], log1p(l, args[1]));
    case Op::entr:
      return entr(l, args[0]);
    case Op::rel_entr:
      return rel_entr(l, args[0], args[1]);
    case Op::kl_div:
      return in_double(l, args, [&](auto wide) { return kl_div(l, wide[0], wide[1]); });
    case Op::huber:
      return huber(l, args[0], args[1]);
    case Op::pseudo_huber:
      return pseudo_huber(l, args[0], args[1]);
    case Op::gamma:
    case Op::gammaln:
    case Op::digamma:
    case Op::betaln:
      return lower_gamma(l, op, args);
    default:
      return {};
  }
}

}  // namespace heddle::kernel
