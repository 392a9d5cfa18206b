// What needs linear algebra: companion matrices, roots, fits; quadrature; and maps of intervals.
#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <numbers>
#include <numeric>

#include "ops/compose.h"
#include "ops/creation.h"
#include "ops/series.h"
#include <heddle/errors.h>
#include <heddle/index_routines.h>
#include <heddle/indexing.h>
#include <heddle/linalg.h>
#include <heddle/manipulation.h>
#include <heddle/reductions.h>
#include <heddle/sorting.h>
#include <heddle/ufuncs.h>

namespace heddle::polynomial {

namespace {

// The matrix of multiplication with x has these beside its diagonal: it is symmetric, but for
// powers.
double between(Family family, std::int64_t n) {
  const double up = times_x(family, n).up;
  if (family == Family::power) return up;
  return std::copysign(std::sqrt(up * times_x(family, n + 1).down), up);
}

// Factors that make the polynomials orthonormal, up to a common one.
std::vector<double> scales(Family family, std::int64_t count) {
  std::vector<double> made(static_cast<std::size_t>(count), 1.0);
  if (family == Family::power) return made;
  for (std::int64_t n = 0; n + 1 < count; ++n) {
    const double up = times_x(family, n).up, down = times_x(family, n + 1).down;
    made[static_cast<std::size_t>(n) + 1] =
        made[static_cast<std::size_t>(n)] * std::sqrt(up / down);
  }
  return made;
}

}  // namespace

array companion(Family family, const array& given) {
  const array c = as_trimmed({given})[0];
  if (c.size() < 2) throw value_error("Series must have maximum degree of at least 1.");
  const std::int64_t count = c.size() - 1;
  if (count == 1) {
    const Step s = step(family, 0);
    return ((-c[0] / c[1] - s.b) / s.a).reshape({1, 1});
  }
  const auto size = static_cast<std::size_t>(count);
  std::vector<double> matrix(size * size);
  for (std::int64_t n = 0; n < count; ++n) {
    const auto i = static_cast<std::size_t>(n);
    matrix[i * size + i] = times_x(family, n).same;
    if (n + 1 == count) continue;
    matrix[(i + 1) * size + i] = between(family, n);
    if (family != Family::power) matrix[i * size + i + 1] = between(family, n);
  }
  std::vector<double> factors = scales(family, count);
  const double last = factors.back(), up = times_x(family, count - 1).up;
  for (double& factor : factors) factor = last / factor * up;
  const array column = c(Slice{0, -1}) / c[count] * beside(factors, c);
  array made = beside(matrix, c).reshape({count, count}).copy();
  made(ellipsis, -1) -= column;
  return made;
}

array roots(Family family, const array& given) {
  const array c = as_trimmed({given})[0];
  if (c.size() < 2) return c(Slice{0, 0});
  const array matrix = companion(family, c);
  if (c.size() == 2) return matrix.reshape({1});
  // Turned around, the small elements come first: more accurate.
  return sort(linalg::eigvals(family == Family::power ? matrix : flip(matrix)));
}

// --- fits ---

void check_fit(const array& x, const array& y, std::int64_t least_degree) {
  if (least_degree < 0) throw value_error("expected deg >= 0");
  if (x.ndim() != 1) throw type_error("expected 1D vector for x");
  if (x.size() == 0) throw type_error("expected non-empty vector for x");
  if (y.ndim() < 1 || y.ndim() > 2) throw type_error("expected 1D or 2D array for y");
  if (x.size() != y.shape(0)) throw type_error("expected x and y to have same length");
}

array least_squares(const array& given, const array& given_y, const std::optional<array>& weights,
                    std::optional<double> rcond) {
  array matrix = given, y = as_type(given_y, inexact_type(given_y.dtype()));
  if (weights) {
    if (weights->ndim() != 1) throw type_error("expected 1D vector for w");
    if (weights->size() != y.shape(0)) throw type_error("expected x and w to have same length");
    const array column = weights->reshape({-1, 1});
    matrix = matrix * column;
    y = y * (y.ndim() == 1 ? *weights : column);
  }
  if (!rcond) {
    const double precision = real_type(given.dtype()) == Dtype::float32
                                 ? std::numeric_limits<float>::epsilon()
                                 : std::numeric_limits<double>::epsilon();
    rcond = static_cast<double>(given.shape(0)) * precision;
  }
  // Columns of one length, so that none drowns in the rounding errors of others.
  array lengths = sqrt(sum(square(absolute(matrix)), 0));
  lengths = where(lengths == 0, Scalar(1.0), lengths);
  const auto solved =
      linalg::lstsq(matrix / lengths, y.ndim() == 1 ? y.reshape({-1, 1}) : y, rcond);
  const array c = solved.x / lengths.reshape({-1, 1});
  return y.ndim() == 1 ? squeeze(c, 1) : c;
}

array fit(Family family, const array& x, const array& y, std::int64_t degree,
          const FitOptions& how) {
  check_fit(x, y, degree);
  return least_squares(vander(family, x, degree), y, how.weights, how.rcond);
}

array fit(Family family, const array& x, const array& y, std::span<const std::int64_t> degrees,
          const FitOptions& how) {
  if (degrees.empty()) throw type_error("deg must be an int or non-empty 1-D array of int");
  std::vector<std::int64_t> chosen(degrees.begin(), degrees.end());
  std::ranges::sort(chosen);
  check_fit(x, y, chosen.front());
  const array places = to_device(array(chosen), x.device());
  const array matrix = vander(family, x, chosen.back());
  const array c = least_squares(take(matrix, places, 1), y, how.weights, how.rcond);
  Dims shape = c.shape();
  shape[0] = chosen.back() + 1;
  array made = full(shape, 0, c.dtype(), c.device());
  made(places) = c;
  return made;
}

// --- quadrature ---

namespace {

// The eigenvalues of a symmetric matrix with these on and beside its diagonal, ascending: the QL
// algorithm with implicit shifts. What it computes is a few numbers, on the host.
std::vector<double> eigenvalues(std::vector<double> diagonal, std::vector<double> beside_it) {
  const std::size_t count = diagonal.size();
  beside_it.resize(count);
  for (std::size_t low = 0; low < count; ++low) {
    for (;;) {
      std::size_t high = low;
      while (high + 1 < count) {
        const double size = std::abs(diagonal[high]) + std::abs(diagonal[high + 1]);
        if (std::abs(beside_it[high]) <= std::numeric_limits<double>::epsilon() * size) break;
        ++high;
      }
      if (high == low) break;
      double shift = (diagonal[low + 1] - diagonal[low]) / (2 * beside_it[low]);
      double length = std::hypot(shift, 1.0);
      shift =
          diagonal[high] - diagonal[low] + beside_it[low] / (shift + std::copysign(length, shift));
      double sine = 1, cosine = 1, moved = 0;
      std::size_t i = high;
      for (; i-- > low;) {
        const double f = sine * beside_it[i], b = cosine * beside_it[i];
        length = std::hypot(f, shift);
        beside_it[i + 1] = length;
        if (length == 0) {  // it falls apart here
          diagonal[i + 1] -= moved;
          beside_it[high] = 0;
          break;
        }
        sine = f / length;
        cosine = shift / length;
        shift = diagonal[i + 1] - moved;
        const double turned = (diagonal[i] - shift) * sine + 2 * cosine * b;
        moved = sine * turned;
        diagonal[i + 1] = shift + moved;
        shift = cosine * turned - b;
      }
      if (length == 0 && i + 1 > low) continue;
      diagonal[low] -= moved;
      beside_it[low] = shift;
      beside_it[high] = 0;
    }
  }
  std::ranges::sort(diagonal);
  return diagonal;
}

// The orthonormal polynomial of a degree, its slope, and the sum of squares of those below.
struct Orthonormal {
  double value, slope, squares;
};

// With the numbers on and beside the diagonal of the matrix of multiplication with x.
Orthonormal orthonormal(double x, const std::vector<double>& same,
                        const std::vector<double>& beside_it) {
  double last = 0, p = 1, last_slope = 0, slope = 0, squares = 0;
  for (std::size_t k = 0; k < same.size(); ++k) {
    squares += p * p;
    const double moved = x - same[k], below = k ? beside_it[k - 1] : 0;
    const double next = (moved * p - below * last) / beside_it[k];
    const double next_slope = (moved * slope + p - below * last_slope) / beside_it[k];
    last = std::exchange(p, next);
    last_slope = std::exchange(slope, next_slope);
  }
  return {p, slope, squares};
}

// Chebyshev's are known.
std::pair<array, array> chebyshev_gauss(std::int64_t count) {
  std::vector<double> x;
  const auto n = static_cast<double>(count);
  for (std::int64_t i = 0; i < count; ++i) {
    x.push_back(std::cos(std::numbers::pi * (2 * static_cast<double>(i) + 1) / (2 * n)));
  }
  return {array(x), array(std::vector(x.size(), std::numbers::pi / n))};
}

}  // namespace

std::pair<array, array> gauss(Family family, std::int64_t count) {
  if (count <= 0) throw value_error("deg must be a positive integer");
  if (family == Family::power) throw value_error("gauss: powers of x are not orthogonal");
  if (family == Family::chebyshev) return chebyshev_gauss(count);
  // The last one is only compared with its slope, so its own scale may be any.
  std::vector<double> same, beside_it;
  for (std::int64_t n = 0; n < count; ++n) {
    same.push_back(times_x(family, n).same);
    beside_it.push_back(std::abs(between(family, n)));
  }
  std::vector<double> x = eigenvalues(same, beside_it), w;
  const double mass = facts(family).mass;
  // Improved by a step of Newton's method; the weights are Christoffel's numbers. Far out, where
  // the weights vanish, what they are made of is out of range.
  for (double& each : x) {
    const Orthonormal at = orthonormal(each, same, beside_it);
    if (const double change = at.value / at.slope; std::isfinite(change)) each -= change;
    const double found = mass / orthonormal(each, same, beside_it).squares;
    w.push_back(std::isnan(found) ? 0 : found);
  }
  if (family != Family::laguerre) {  // even weights: symmetric to the last bit
    const std::vector<double> x_back(x.rbegin(), x.rend()), w_back(w.rbegin(), w.rend());
    for (std::size_t i = 0; i < x.size(); ++i) {
      x[i] = (x[i] - x_back[i]) / 2;
      w[i] = (w[i] + w_back[i]) / 2;
    }
  }
  const double total = std::accumulate(w.begin(), w.end(), 0.0);
  for (double& each : w) each *= mass / total;
  return {array(x), array(w)};
}

array chebpts1(std::int64_t count) {
  if (count < 1) throw value_error("npts must be >= 1");
  // As sines, which are odd: the points are symmetric to the last bit.
  return sin(0.5 * std::numbers::pi / static_cast<double>(count) * arange(1 - count, count + 1, 2));
}

array chebpts2(std::int64_t count) {
  if (count < 2) throw value_error("npts must be >= 2");
  return cos(linspace(-std::numbers::pi, 0, count));
}

array chebinterpolate(const std::function<array(const array&)>& f, std::int64_t degree) {
  if (degree < 0) throw value_error("expected deg >= 0");
  const array points = chebpts1(degree + 1);
  array made =
      matmul(chebvander(points, degree).T(), f(points)) * 2.0 / static_cast<double>(degree + 1);
  made(0) /= 2.0;
  return made;
}

// --- intervals ---

array domain(Family family) { return array{facts(family).low, facts(family).high}; }

array getdomain(const array& given) {
  const array x = as_series(given);
  if (!is_complex(x.dtype())) return stack({min(x), max(x)});
  const array re = real(x), im = imag(x);
  const Scalar turn = std::complex<double>(0, 1);
  return stack({min(re) + turn * min(im), max(re) + turn * max(im)});
}

std::pair<array, array> mapparms(const array& from, const array& to) {
  const array before = from[1] - from[0], after = to[1] - to[0];
  return {(from[1] * to[0] - from[0] * to[1]) / before, after / before};
}

array mapdomain(const array& x, const array& from, const array& to) {
  const auto [offset, scale] = mapparms(from, to);
  return offset + scale * x;
}

}  // namespace heddle::polynomial
