// Convolution, correlation and interpolation of sequences.
#include <algorithm>
#include <bit>
#include <cmath>

#include <fmt/format.h>

#include "graph/recorder.h"
#include "graph/storage.h"
#include "ops/at_hand.h"
#include "ops/compose.h"
#include "ops/creation.h"
#include "ops/elementwise.h"
#include "ops/reported.h"
#include "ops/sorting.h"
#include "ops/write.h"
#include "runtime/device.h"
#include <heddle/errors.h>
#include <heddle/fft.h>
#include <heddle/indexing.h>
#include <heddle/manipulation.h>
#include <heddle/mathematics.h>
#include <heddle/runtime.h>
#include <heddle/ufuncs.h>

namespace heddle {

namespace {

// Sums of at most this many products of a long sequence are written out, as slots of one kernel.
constexpr std::int64_t written_out = 8, long_sequence = 4096;
// From here on transforms are faster than sums, for work of this many products and more.
constexpr std::int64_t transformed = 128, worthwhile = std::int64_t{1} << 21;

array sequence(const array& a, const char* name) {
  check_vector(a);
  if (a.size() == 0) throw value_error(fmt::format("{} cannot be empty", name));
  return a;
}

// With zeros on both sides.
array padded(const array& a, std::int64_t left, std::int64_t right) {
  if (left == 0 && right == 0) return a;
  array result = full({left + a.size() + right}, 0, a.dtype(), a.device());
  write(result.slice(0, Slice{left, left + a.size()}), a);
  return result;
}

// Overlapping parts of a sequence, each `step` behind the one before.
array windows(const array& a, std::int64_t count, std::int64_t length, std::int64_t step) {
  const auto stride = a.layout().strides[0];
  return strided_view(a, {{count, length}, {step * stride, stride}, a.layout().offset});
}

// The sums over k of a[i + k] * v[k], as they are.
array sums(const array& a, const array& v, std::int64_t count) {
  const bool truth = a.dtype() == Dtype::bool_;
  const Op product = truth ? Op::logical_and : Op::multiply,
           total = truth ? Op::logical_or : Op::add;
  const auto taps = v.size();
  if (taps <= written_out && count > long_sequence) {
    auto term = [&](std::int64_t k) {
      return elementwise(product, {a.slice(0, Slice{k, k + count}), v.slice(0, Slice{k, k + 1})});
    };
    array result = term(0);
    for (std::int64_t k = 1; k < taps; ++k) result = elementwise(total, {result, term(k)});
    return result;
  }
  const array products = elementwise(product, {windows(a, taps, count, 1), v.reshape({taps, 1})});
  return truth ? any(products, 0) : sum(products, {.axis = 0, .dtype = a.dtype()});
}

// The next number that has no prime factor beyond 5.
std::int64_t fast_length(std::int64_t n) {
  auto power_of_two = [](std::int64_t least) {
    return static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(least)));
  };
  std::int64_t best = power_of_two(n);
  for (std::int64_t fives = 1; fives < best; fives *= 5) {
    for (std::int64_t threes = fives; threes < best; threes *= 3) {
      best = std::min(best, threes * power_of_two((n + threes - 1) / threes));
    }
  }
  return best;
}

// The same through the spectra of overlapping blocks, in double precision.
array sums_by_transforms(const array& given, const array& taps_of, std::int64_t count) {
  const auto taps = taps_of.size();
  const auto length = fast_length(std::min(8 * taps, count + taps - 1)), step = length - taps + 1;
  const auto blocks = (count + step - 1) / step;
  const bool complex = is_complex(given.dtype());
  const Dtype type = complex ? Dtype::complex128 : Dtype::float64;
  const auto missing = (blocks - 1) * step + length - given.size();
  const array a = padded(as_type(given, type), 0, std::max<std::int64_t>(0, missing));
  const array parts = windows(a, blocks, length, step), v = as_type(flip(taps_of), type);
  const array whole =
      complex ? fft::ifft(fft::fft(parts) * fft::fft(v, {.points = length}))
              : fft::irfft(fft::rfft(parts) * fft::rfft(v, {.points = length}), {.points = length});
  return whole.slice(1, Slice{taps - 1, {}}).reshape({-1}).slice(0, Slice{0, count});
}

// Whether no element stands out so far that others would drown in its rounding errors.
bool is_even(const array& a) {
  const array size = absolute(a);
  return (max(size) * a.size() <= sum(size) * 1e3).item<bool>();
}

// The sums over k of a[i + k] * v[k]; a is the longer one.
array correlated(const array& given_a, const array& given_v, Overlap overlap) {
  const Harmless as_numpys;  // which tells of no floating-point errors here
  const Input inputs[] = {given_a, given_v};
  const Dtype type = common_type(inputs);
  const auto n = given_a.size(), taps = given_v.size();
  const auto left = overlap == Overlap::valid ? 0 : overlap == Overlap::same ? taps / 2 : taps - 1;
  const auto count = overlap == Overlap::valid  ? n - taps + 1
                     : overlap == Overlap::same ? n
                                                : n + taps - 1;
  const Dtype compute = is_half(type) ? Dtype::float32 : type;  // halves are summed in that
  const array a = padded(as_type(given_a, compute), left, count + taps - 1 - left - n);
  const array v = as_type(given_v, compute);
  const bool large = taps >= transformed && taps * count >= worthwhile;
  if (large && is_inexact(type) && is_even(a) && is_even(v)) {
    const array result = sums_by_transforms(a, v, count);
    if (all(isfinite(result)).item<bool>()) return as_type(result, type);
  }
  return as_type(sums(a, v, count), type);
}

}  // namespace

array convolve(const array& given_a, const array& given_v, Overlap overlap) {
  const array a = sequence(atleast_1d(given_a), "a"), v = sequence(atleast_1d(given_v), "v");
  return v.size() > a.size() ? correlated(v, flip(a), overlap) : correlated(a, flip(v), overlap);
}

array correlate(const array& given_a, const array& given_v, Overlap overlap) {
  const array a = sequence(given_a, "first array argument");
  array v = sequence(given_v, "second array argument");
  if (is_complex(v.dtype())) v = conjugate(v);
  if (a.size() >= v.size()) return correlated(a, v, overlap);
  return dense(flip(correlated(v, a, overlap)), common_type(std::initializer_list<Input>{a, v}));
}

// --- interpolation ---

namespace {

// As float64, but never without an imaginary part.
array as_real(const array& a) {
  if (is_complex(a.dtype())) {
    throw type_error(
        fmt::format("Cannot cast array data from dtype('{}') to dtype('float64') "
                    "according to the rule 'same_kind'",
                    name(a.dtype())));
  }
  return as_type(a, Dtype::float64);
}

struct Points {
  array x, xp, fp;
};

// Arguments within one period, and points in order with one more on each side.
Points around(double period, const Points& given) {
  if (given.xp.ndim() != 1 || given.fp.ndim() != 1) {
    throw value_error("Data points must be 1-D sequences");
  }
  if (given.xp.size() != given.fp.size()) {
    throw value_error("fp and xp are not of the same length");
  }
  array xp = remainder(given.xp, period);
  const array order = argsort(xp), fp = take_in_rows(given.fp, order);
  xp = take_in_rows(xp, order);
  const Slice first{0, 1}, last{-1, {}};
  return {remainder(given.x, period), concatenate({xp(last) - period, xp, xp(first) + period}),
          concatenate({fp(last), fp, fp(first)})};
}

array line(const array& x, const array& x0, const array& x1, const array& f0, const array& f1) {
  const array slope = (f1 - f0) / (x1 - x0);
  array result = slope * (x - x0) + f0;
  // The same from the next point where that is nan, as in NumPy.
  result = where(result != result, slope * (x - x1) + f1, result);
  return where(logical_and(result != result, f0 == f1), f0, result);
}

// The slopes between points, if the host sees that they are numbers, and far fewer than x.
std::optional<array> finite_slopes(const Points& points) {
  const auto& [x, xp, fp] = points;
  if (!xp.device().host_accessible() || is_complex(fp.dtype()) || xp.size() < 2 ||
      xp.size() > x.size() / 4) {
    return std::nullopt;
  }
  const Slice behind{1, {}}, before{{}, -1};
  const array slopes = (fp(behind) - fp(before)) / (xp(behind) - xp(before));
  // The distance to an infinite point times a slope of zero would be nan: so is this.
  const array finite = all(isfinite(slopes * xp(before)));
  const array both[] = {slopes, finite};
  eval(both);
  return finite.item<bool>() ? std::optional(slopes) : std::nullopt;
}

// As NumPy has it: at a point its value, also where the next is infinite. Who differentiates gets
// the line's slope there.
array at_point(const array& x, const array& x0, const array& f0, const array& result) {
  const array there = x == x0;
  return where(differentiated() ? logical_and(there, result != f0) : there, f0, result);
}

// On the line through the points i and i + 1.
array between(const Points& points, const array& i) {
  const auto& [x, xp, fp] = points;
  const array x0 = take_in_rows(xp, i), f0 = take_in_rows(fp, i);
  array result = x0;
  if (const auto slopes = finite_slopes(points)) {
    result = take_in_rows(*slopes, i) * (x - x0) + f0;
  } else {
    const array next = i + std::min<std::int64_t>(1, xp.size() - 1);
    const array x1 = take_in_rows(xp, next), f1 = take_in_rows(fp, next);
    result = is_complex(fp.dtype()) ? make_complex(line(x, x0, x1, real(f0), real(f1)),
                                                   line(x, x0, x1, imag(f0), imag(f1)))
                                    : line(x, x0, x1, f0, f1);
  }
  return at_point(x, x0, f0, result);
}

// A real number of which the host knows the value.
std::optional<double> known(const array& a) {
  const auto number = known_number(a);
  return number ? std::optional(to_array(*number).item<double>()) : std::nullopt;
}

// What is known of an end: nothing where that is not a number.
std::optional<double> known_end(const std::optional<array>& given, double otherwise) {
  if (!given) return otherwise;
  return known(as_real(*given));
}

double element(const HostVector& vector, std::int64_t i) {
  return *reinterpret_cast<const double*>(static_cast<char*>(vector.first) + i * vector.stride);
}

// Points that the host sees.
struct Table {
  std::int64_t count;
  HostVector places, values;
  double left, right;  // beyond the ends

  double at(double x) const {
    const double last = element(places, count - 1);
    if (x != x) return count == 1 ? element(values, 0) : x;
    if (x > last) return right;
    if (x < element(places, 0)) return left;
    if (x == last) return element(values, count - 1);
    std::int64_t i = 0;  // the last point that is not beyond x
    for (std::int64_t beyond = count; beyond - i > 1;) {
      const auto middle = i + (beyond - i) / 2;
      (element(places, middle) <= x ? i : beyond) = middle;
    }
    const double x0 = element(places, i), f0 = element(values, i);
    if (x == x0 || i == count - 1) return f0;
    const double x1 = element(places, i + 1), f1 = element(values, i + 1);
    const double slope = (f1 - f0) / (x1 - x0);
    double result = slope * (x - x0) + f0;
    if (result != result) result = slope * (x - x1) + f1;
    return result != result && f0 == f1 ? f0 : result;
  }
};

std::optional<Table> table_of(const Points& points, const InterpolationOptions& how) {
  const array &xp = points.xp, &fp = points.fp;
  if (fp.dtype() != Dtype::float64 || how.period) return std::nullopt;
  const auto count = xp.size();
  if (xp.ndim() != 1 || fp.ndim() != 1 || count == 0 || fp.size() != count) return std::nullopt;
  if (xp.number() || &xp.device() != &default_device() ||
      !may_work_at_once(*xp.storage().value())) {
    return std::nullopt;
  }
  const array both[] = {xp, fp};
  eval(both);
  const auto places = vector_at_hand(xp), values = vector_at_hand(fp);
  if (!places || !values) return std::nullopt;
  const auto left = known_end(how.left, element(*values, 0));
  const auto right = known_end(how.right, element(*values, count - 1));
  if (!left || !right) return std::nullopt;
  return Table{count, *places, *values, *left, *right};
}

// One number, or a few, between points that the host sees: a table that a loop reads takes no
// graph.
std::optional<array> few_between(const Points& points, const InterpolationOptions& how) {
  const array& x = points.x;
  if (x.ndim() == 0) {
    const auto number = known(x);
    const auto table = number ? table_of(points, how) : std::nullopt;
    if (!table) return std::nullopt;
    return array::of_number({{std::bit_cast<std::uint64_t>(table->at(*number))}}, Dtype::float64);
  }
  const auto few = short_vector(x);
  const auto table = few && x.size() > 0 ? table_of(points, how) : std::nullopt;
  if (!table || &x.device() != &default_device()) return std::nullopt;
  std::vector<double> made(static_cast<std::size_t>(x.size()));
  for (std::int64_t i = 0; i < x.size(); ++i) {
    made[static_cast<std::size_t>(i)] = table->at(element(*few, i));
  }
  return from_host(made.data(), SharedLayout::contiguous(x.shape()), Dtype::float64, x.device());
}

}  // namespace

array interp(const array& x, const array& xp, const array& fp, const InterpolationOptions& how) {
  const Harmless slopes;  // of intervals without a length, or with infinite ends
  const Dtype type = is_complex(fp.dtype()) ? Dtype::complex128 : Dtype::float64;
  Points points{as_real(x), as_real(xp), as_type(fp, type)};
  if (auto made = few_between(points, how)) return *std::move(made);
  std::optional<array> left = how.left, right = how.right;
  if (how.period) {
    if (*how.period == 0) throw value_error("period must be a non-zero value");
    left = right = std::nullopt;
    points = around(std::abs(*how.period), points);
  }
  check_vector(points.xp);
  check_vector(points.fp);
  if (points.xp.size() == 0) throw value_error("array of sample points is empty");
  if (points.xp.size() != points.fp.size()) {
    throw value_error("fp and xp are not of the same length.");
  }
  const auto last = points.xp.size() - 1;
  const array first_x = points.xp[0], last_x = points.xp[-1];
  const array first_f = points.fp[0], last_f = points.fp[-1];
  // The number of points that are not beyond x.
  const array right_of = searchsorted(points.xp, points.x, true);
  const array index = minimum(maximum(right_of - 1, 0), std::max<std::int64_t>(last - 1, 0));
  array result = between(points, index);
  result = at_point(points.x, last_x, last_f, result);
  result = where(points.x < first_x, left ? as_type(*left, type) : first_f, result);
  result = where(points.x > last_x, right ? as_type(*right, type) : last_f, result);
  return where(points.x != points.x, last == 0 ? first_f : as_type(points.x, type), result);
}

}  // namespace heddle
