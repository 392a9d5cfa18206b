#include <heddle/polynomial.h>

#include <algorithm>

#include <fmt/format.h>

#include "ops/compose.h"
#include "ops/creation.h"
#include "ops/series.h"
#include <heddle/creation.h>
#include <heddle/errors.h>
#include <heddle/index_routines.h>
#include <heddle/linalg.h>
#include <heddle/manipulation.h>
#include <heddle/mathematics.h>
#include <heddle/sorting.h>
#include <heddle/ufuncs.h>

namespace heddle {

namespace {

array coefficients(const array& p) {
  const array c = atleast_1d(p);
  if (c.ndim() != 1) throw value_error("Input must be a rank-1 array.");
  return c;
}

// With zeros before the highest degree.
array raised(const array& c, std::int64_t count) {
  return c.size() == count ? c : pad(c, {{count - c.size(), 0}});
}

// Without leading zeros, and without those behind if asked for; nothing of zeros alone.
array trimmed(const array& c, const char* sides) { return trim_zeros(c, sides); }

array inexact(const array& a) { return as_type(a, inexact_type(a.dtype())); }

}  // namespace

array polyval(const array& p, const array& x) {
  const array c = coefficients(p);
  if (c.size() == 0) return zeros_like(x);
  array y = x * 0 + c[0];
  for (std::int64_t i = 1; i < c.size(); ++i) y = y * x + c[i];
  return y;
}

array polyadd(const array& a, const array& b) {
  const array x = coefficients(a), y = coefficients(b);
  const auto count = std::max(x.size(), y.size());
  return raised(x, count) + raised(y, count);
}

array polysub(const array& a, const array& b) {
  const array x = coefficients(a), y = coefficients(b);
  const auto count = std::max(x.size(), y.size());
  return raised(x, count) - raised(y, count);
}

array polymul(const array& a, const array& b) {
  const array x = trimmed(coefficients(a), "f"), y = trimmed(coefficients(b), "f");
  if (x.size() == 0 || y.size() == 0) return zeros({1}, promote_types(a.dtype(), b.dtype()));
  return convolve(x, y);
}

std::pair<array, array> polydiv(const array& u, const array& v) {
  const array divisor_given = inexact(coefficients(v)), dividend = inexact(coefficients(u));
  const Dtype type = promote_types(dividend.dtype(), divisor_given.dtype());
  const array divisor = as_type(divisor_given, type), scale = 1.0 / divisor[0];
  array rest = as_type(dividend, type).copy();
  std::vector<array> quotient;
  for (std::int64_t k = 0; k + divisor.size() <= rest.size(); ++k) {
    quotient.push_back((scale * rest[k]).copy());
    rest(Slice{k, k + divisor.size()}) -= quotient.back() * divisor;
  }
  const array q = quotient.empty() ? zeros({1}, type) : stack(quotient);
  // What rounding left of the leading terms is no part of the remainder.
  const auto small = (absolute(rest) <= 1e-8).to_vector<bool>();
  const auto first = std::ranges::find(small, false) - small.begin();
  return {q, rest(Slice{std::min<std::int64_t>(first, rest.size() - 1), {}})};
}

array polyder(const array& p, std::int64_t m) {
  if (m < 0) throw value_error("Order of derivative must be positive (see polyint)");
  array c = coefficients(p);
  for (; m > 0; --m) {
    const auto degree = std::max<std::int64_t>(c.size() - 1, 0);
    c = c(Slice{0, degree}) * to_device(arange(degree, 0, -1), c.device());
  }
  return c;
}

array polyint(const array& p, std::int64_t m) {
  if (m < 0) throw value_error("Order of integral must be positive (see polyder)");
  array c = coefficients(p);
  for (; m > 0; --m) {
    c = pad(c / to_device(arange(c.size(), 0, -1), c.device()), {{0, 1}});
  }
  return c;
}

// --- roots and fits ---

array poly(const array& given) {
  array zeros = given;
  if (given.ndim() == 2 && given.shape(0) == given.shape(1) && given.size() > 0) {
    zeros = linalg::eigvals(given);
  } else if (given.ndim() != 1) {
    throw value_error("input must be 1d or non-empty square 2d array.");
  }
  zeros = inexact(zeros);
  array c = ones({1}, zeros.dtype());
  for (std::int64_t i = 0; i < zeros.size(); ++i) {
    c = pad(c, {{0, 1}}) - pad(c, {{1, 0}}) * zeros[i];
  }
  // Roots that come in conjugate pairs make a real polynomial.
  const bool pairs =
      is_complex(c.dtype()) && all(sort(zeros) == sort(conjugate(zeros))).item<bool>();
  return pairs ? real(c) : c;
}

array roots(const array& p) {
  const array given = coefficients(p), kept = trimmed(given, "b");
  const auto at_zero = given.size() - kept.size();
  if (kept.size() == 0) return zeros({0});
  const array c = inexact(trimmed(kept, "f"));
  if (c.size() < 2) return zeros({at_zero});
  array matrix = to_device(eye(c.size() - 1, std::nullopt, -1, c.dtype()), c.device()).copy();
  matrix(0) = -c(Slice{1, {}}) / c[0];
  return pad(linalg::eigvals(matrix), {{0, at_zero}});
}

array polyfit(const array& x, const array& y, std::int64_t degree,
              const std::optional<array>& weights) {
  polynomial::check_fit(x, y, degree);
  return polynomial::least_squares(vander(inexact(x), degree + 1), y, weights, std::nullopt);
}

}  // namespace heddle
