// Rounding, parts of numbers, windows and bits.
#include <cmath>
#include <limits>
#include <numbers>

#include <fmt/format.h>

#include "graph/recorder.h"
#include "ops/compose.h"
#include "ops/creation.h"
#include "ops/write.h"
#include <heddle/creation.h>
#include <heddle/errors.h>
#include <heddle/indexing.h>
#include <heddle/manipulation.h>
#include <heddle/mathematics.h>
#include <heddle/ufuncs.h>

namespace heddle {

namespace {

array round_real(const array& a, std::int64_t decimals) {
  if (decimals == 0) return rint(a);
  const double scale = std::pow(10.0, std::abs(static_cast<double>(decimals)));
  return decimals > 0 ? rint(a * scale) / scale : rint(a / scale) * scale;
}

struct FloatLimits {
  double least, most, precision;
};
FloatLimits limits_of(Dtype real) {
  switch (real) {
    case Dtype::float16:
      return {-65504.0, 65504.0, 0x1p-10};
    case Dtype::bfloat16:
      return {-0x1.fep127, 0x1.fep127, 0x1p-7};
    case Dtype::float32:
      return {std::numeric_limits<float>::lowest(), std::numeric_limits<float>::max(), 0x1p-23};
    default:
      return {std::numeric_limits<double>::lowest(), std::numeric_limits<double>::max(), 0x1p-52};
  }
}

}  // namespace

array round(const array& a, std::int64_t decimals) {
  if (is_complex(a.dtype())) {
    return make_complex(round_real(real(a), decimals), round_real(imag(a), decimals));
  }
  if (is_floating(a.dtype())) return round_real(a, decimals);
  if (a.dtype() == Dtype::bool_) {
    if (decimals == 0) return rint(a);
    throw type_error("round: bool arrays can be rounded to whole numbers only, decimals=0");
  }
  if (decimals >= 0) return a.copy();
  return cast(round_real(cast(a, Dtype::float64), decimals), a.dtype());
}

array fix(const array& a) { return trunc(a); }

array nan_to_num(const array& a, const array& nan, const std::optional<array>& posinf,
                 const std::optional<array>& neginf) {
  if (!has_nans(a)) return a.copy();
  const Dtype part = real_type(a.dtype());
  const FloatLimits limits = limits_of(part);
  auto replacement = [&](const std::optional<array>& given, double otherwise) {
    return given ? as_type(*given, part) : array(Scalar(otherwise), part);
  };
  const array of_nan = as_type(nan, part), high = replacement(posinf, limits.most),
              low = replacement(neginf, limits.least);
  constexpr double infinity = std::numeric_limits<double>::infinity();
  // All conditions are about what was given: a replacement may be infinite itself.
  auto clean = [&](const array& x) {
    array result = where(isnan(x), of_nan, x);
    result = where(x == infinity, high, result);
    return where(x == -infinity, low, result);
  };
  if (!is_complex(a.dtype())) return clean(a);
  return make_complex(clean(real(a)), clean(imag(a)));
}

array angle(const array& z, bool degrees) {
  const array result = is_complex(z.dtype()) ? arctan2(imag(z), real(z)) : arctan2(Scalar(0), z);
  return degrees ? result * (180 / std::numbers::pi) : result;
}

array real_if_close(const array& a, double tolerance) {
  if (!is_complex(a.dtype())) return a;
  if (tolerance > 1) tolerance *= limits_of(real_type(a.dtype())).precision;
  return all(absolute(imag(a)) < tolerance).item<bool>() ? real(a) : a;
}

namespace {

// sinc with derivatives of all orders, also at zero, where the quotient has none.
array smooth_sinc(const array& x) {
  constexpr int terms = 10;
  const array y = x * std::numbers::pi, square = y * y;
  const array is_close = absolute(y) < 0.5;
  array series(Scalar(1.0), x.dtype());
  for (int k = terms; k > 0; --k) series = 1 - square * series * (1.0 / (2 * k * (2 * k + 1)));
  return where(is_close, series, sin(y) / where(is_close, Scalar(1), y));
}

}  // namespace

array sinc(const array& given) {
  const array x = as_type(given, inexact_type(given.dtype()));
  if (differentiated()) return smooth_sinc(x);
  // Close to zero the quotient is 1 in every type.
  const Scalar little(limits_of(real_type(x.dtype())).precision);
  const array y = std::numbers::pi * where(x == 0, little, x);
  return sin(y) / y;
}

namespace {

// Chebyshev coefficients, the lowest first, of exp(-x) I0(x) in x/4 - 1 up to 8, and of the same
// times the root of x in 16/x - 1 beyond.
constexpr double i0_coefficients[][2] = {
    {0.6767952744094761, 0.8044904110141088},
    {-0.3046826723431984, 0.0033691164782556943},
    {0.17162090152220877, 6.889758346916825e-05},
    {-0.09490109704804764, 2.8913705208347567e-06},
    {0.04930528423967071, 2.0489185894690638e-07},
    {-0.02373741480589947, 2.266668990498178e-08},
    {0.010546460394594998, 3.3962320257083865e-09},
    {-0.004324309995050576, 4.94060238822497e-10},
    {0.0016394756169413357, 1.1889147107846439e-11},
    {-0.0005763755745385824, -3.1499165279632416e-11},
    {0.00018850288509584165, -1.3215811840447713e-11},
    {-5.754195010082104e-05, -1.7941785315068062e-12},
    {1.6448448070728896e-05, 7.180124451383666e-13},
    {-4.4167383584587505e-06, 3.8527783827421426e-13},
    {1.1173875391201037e-06, 1.54008621752141e-14},
    {-2.670793853940612e-07, -4.150569347287222e-14},
    {6.046995022541919e-08, -9.554846698828307e-15},
    {-1.300025009986248e-08, 3.8116806693526224e-15},
    {2.6598237246823866e-09, 1.7725601330565263e-15},
    {-5.189795601635263e-10, -3.425485619677219e-16},
    {9.675809035373237e-11, -2.8276239805165836e-16},
    {-1.726826291441556e-11, 3.461222867697461e-17},
    {2.95505266312964e-12, 4.46562142029676e-17},
    {-4.856446783111929e-13, -4.830504485944182e-18},
    {7.676185498604936e-14, -7.233180487874754e-18},
    {-1.1685332877993451e-14, 0.0},
    {1.715391285555133e-15, 0.0},
    {-2.431279846547955e-16, 0.0},
    {3.3307945188222384e-17, 0.0},
    {-4.4153416464793395e-18, 0.0},
};

}  // namespace

array i0(const array& given) {
  if (is_complex(given.dtype())) throw type_error("i0 not supported for complex values");
  const Harmless both;  // series are computed everywhere
  const array x = absolute(as_type(given, inexact_type(given.dtype())));
  const array near = x <= 8.0;
  // Twice the place in the interval. Beyond it is nan at zero, which is near.
  const array place = where(near, x * 0.5 - 2.0, 32.0 / x - 2.0);
  array sums[3] = {array(Scalar(0.0), x.dtype()), array(Scalar(0.0), x.dtype()),
                   array(Scalar(0.0), x.dtype())};
  for (auto i = std::size(i0_coefficients); i-- > 0;) {
    const auto [low, high] = i0_coefficients[i];
    const array term = where(near, array(Scalar(low), x.dtype()), array(Scalar(high), x.dtype()));
    array next = place * sums[0] - sums[1] + term;
    sums[2] = sums[1];
    sums[1] = sums[0];
    sums[0] = std::move(next);
  }
  const array grown = exp(x) * (0.5 * (sums[0] - sums[2]));
  return where(near, grown, grown / sqrt(x));
}

// --- windows ---

namespace {

// Places from 1 - points on, two apart, so that the middle is zero.
array places(double points) { return arange(1 - points, points, 2); }

// The windows of no and of one element.
array short_window(double points) { return ones({points < 1 ? 0 : 1}); }

// A sum of cosines over one period.
array cosines(double points, double constant, double first, double second = 0) {
  if (points <= 1) return short_window(points);
  const array x = places(points) * std::numbers::pi / (points - 1);
  const array made = constant + first * cos(x);
  return second == 0 ? made : made + second * cos(2.0 * x);
}

}  // namespace

array bartlett(double points) {
  if (points <= 1) return short_window(points);
  const array n = places(points);
  return where(n <= 0, 1 + n / (points - 1), 1 - n / (points - 1));
}

array blackman(double points) { return cosines(points, 0.42, 0.5, 0.08); }
array hamming(double points) { return cosines(points, 0.54, 0.46); }
array hanning(double points) { return cosines(points, 0.5, 0.5); }

array kaiser(double points, double beta) {
  if (points == 1) return short_window(points);
  const double half = (points - 1) / 2.0;
  const array x = (arange(0.0, points) - half) / half;
  return i0(beta * sqrt(1 - x * x)) / i0(array(beta));
}

// --- bits ---

namespace {

// Words of eight bytes: 1 in each, one bit in each that rises with the byte, one that falls.
constexpr std::uint64_t all_ones = 0x0101010101010101, rising = 0x8040201008040201,
                        falling = 0x0102040810204080;

}  // namespace

array packbits(const array& given, std::optional<std::int64_t> given_axis, bool little) {
  if (is_inexact(given.dtype())) {
    throw type_error("Expected an input array of integer or boolean data type");
  }
  const auto [a, axis] = one_axis("packbits", given, given_axis);
  array bits = moveaxis(a.dtype() == Dtype::bool_ ? a : a != 0, axis, -1);
  const auto count = bits.shape(-1), packed = (count + 7) / 8;
  if (count % 8) {
    Dims shape = bits.shape();
    shape.back() = packed * 8;
    array padded = full(shape, false, Dtype::bool_, a.device());
    write(padded.slice(-1, Slice{0, count}), bits);
    bits = padded;
  }
  // Eight bytes at once: each is moved to its bit of the upper byte, and no two meet on the way.
  const array words = dense(bits, Dtype::bool_).view(Dtype::uint64);
  const array result = dense(words * Scalar(little ? falling : rising) >> 56, Dtype::uint8);
  return moveaxis(result, -1, axis);
}

array unpackbits(const array& given, std::optional<std::int64_t> given_axis,
                 std::optional<std::int64_t> count, bool little) {
  if (given.dtype() != Dtype::uint8) {
    throw type_error("Expected an input array of unsigned byte data type");
  }
  const auto axis = given_axis ? normalize_axis("unpackbits", *given_axis, given.ndim()) : 0;
  const array rows = moveaxis(given_axis ? given : ravel(given), axis, -1);
  // Eight bytes at once: in each copy of the byte one bit is left, which is carried to the top.
  const array words =
      dense(rows, Dtype::uint64) * Scalar(all_ones) & Scalar(little ? rising : falling);
  array bits = (((words + Scalar(0x7F * all_ones)) >> 7) & Scalar(all_ones)).view(Dtype::uint8);
  const auto total = rows.shape(-1) * 8;
  if (count) {
    const auto wanted = *count >= 0 ? *count : total + *count;
    if (wanted < 0) {
      throw value_error(fmt::format("-count larger than number of elements: {}", *count));
    }
    if (wanted > total) {
      Dims shape = bits.shape();
      shape.back() = wanted;
      array longer = full(shape, 0, Dtype::uint8, given.device());
      write(longer.slice(-1, Slice{0, total}), bits);
      bits = longer;
    } else {
      bits = bits.slice(-1, Slice{0, wanted});
    }
  }
  return moveaxis(bits, -1, axis);
}

}  // namespace heddle
