// Arithmetic on the coefficients of series, for every family.
#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "ops/compose.h"
#include "ops/creation.h"
#include "ops/series.h"
#include <heddle/errors.h>
#include <heddle/indexing.h>
#include <heddle/manipulation.h>
#include <heddle/mathematics.h>
#include <heddle/reductions.h>
#include <heddle/sorting.h>
#include <heddle/ufuncs.h>

namespace heddle::polynomial {

array beside(std::span<const double> numbers, const array& a) {
  return to_device(as_type(array(numbers), a.dtype()), a.device());
}

array as_series(const array& c) {
  const array given = atleast_1d(c);
  if (given.size() == 0) throw value_error("Coefficient array is empty");
  if (given.ndim() != 1) throw value_error("Coefficient array is not 1-d");
  return as_type(given, inexact_type(given.dtype()));
}

namespace {

// How many there are up to the last one that is larger than the tolerance.
std::int64_t length(const array& c, double tolerance) {
  const auto kept = (tolerance == 0 ? c != 0 : absolute(c) > tolerance).to_vector<bool>();
  const auto last = std::find(kept.rbegin(), kept.rend(), true);
  return kept.rend() - last;
}

array trimmed(const array& c, double tolerance = 0) {
  const std::int64_t kept = length(c, tolerance);
  if (kept == 0) return tolerance == 0 ? c(Slice{0, 1}) : c(Slice{0, 1}) * 0;
  return kept < c.size() ? c(Slice{0, kept}) : c;
}

bool is_zero(const array& element) { return !(element != 0).item<bool>(); }

// Rows of zeros before and behind those along the first axis.
array padded(const array& c, std::int64_t front, std::int64_t back) {
  if (front == 0 && back == 0) return c;
  const auto rows = [&](std::int64_t count) {
    Dims shape = c.shape();
    shape[0] = count;
    return full(shape, 0, c.dtype(), c.device());
  };
  return concatenate({rows(front), c, rows(back)});
}

// A number for each row.
array spread(const std::vector<double>& numbers, const array& c) {
  Dims shape{static_cast<std::int64_t>(numbers.size())};
  for (std::int64_t d = 1; d < c.ndim(); ++d) shape.push_back(1);
  return beside(numbers, c).reshape(shape);
}

// The series in which each P[n] of another became what `terms` says of it. It has one coefficient
// more than there were, or as many where the last one was zero.
template <class Of>
array banded(const array& c, const Of& terms, std::int64_t count) {
  const std::int64_t given = c.shape(0), kept = count - 1;
  std::vector<double> up, same, down;
  for (std::int64_t n = 0; n < given; ++n) {
    const Terms t = terms(n);
    if (n < kept) up.push_back(t.up);
    same.push_back(t.same);
    if (n > 0) down.push_back(t.down);
  }
  const auto any = [](const std::vector<double>& band) {
    return std::ranges::any_of(band, [](double number) { return number != 0; });
  };
  array made = padded(c(Slice{0, kept}) * spread(up, c), 1, 0);
  if (any(same)) made = made + padded(c * spread(same, c), 0, count - given);
  if (any(down)) {
    made = made + padded(c(Slice{1, {}}) * spread(down, c), 0, count - given + 1);
  }
  return made;
}

// The series times a x + b, of the same length: its last coefficient has to be zero.
array turned(Family family, const array& c, const Step& s) {
  const array made = banded(c, [&](std::int64_t n) { return times_x(family, n); }, c.size());
  const array scaled = s.a == 1 ? made : made * s.a;
  return s.b == 0 ? scaled : scaled + c * s.b;
}

// The series sum(c[n] P[n](x)) * unit, where `unit` is one of the target family: Clenshaw's
// algorithm, with series in the place of numbers.
array substituted(Family family, const array& c, Family target, const array& given_unit) {
  const std::int64_t n = c.size() - 1;
  const array unit = padded(given_unit, 0, n);
  std::optional<array> later;
  array last = unit * c[n];
  for (std::int64_t k = n - 1; k >= 0; --k) {
    array following = turned(target, last, step(family, k)) + unit * c[k];
    if (const double drawn = step(family, k + 1).c; later && drawn != 0) {
      following = following - *later * drawn;
    }
    later = std::exchange(last, std::move(following));
  }
  return last;
}

array product(Family family, const array& c1, const array& c2) {
  if (family == Family::power) return convolve(c1, c2);
  return c1.size() > c2.size() ? substituted(family, c2, family, c1)
                               : substituted(family, c1, family, c2);
}

}  // namespace

std::vector<array> as_trimmed(std::initializer_list<array> series) {
  std::vector<array> made;
  std::optional<Dtype> type;
  for (const array& each : series) {
    made.push_back(trimmed(as_series(each)));
    const Dtype own = made.back().dtype();
    type = type ? promote_types(*type, own) : own;
  }
  for (array& each : made) each = as_type(each, *type);
  return made;
}

array line(Family family, const array& off, const array& scl) {
  const Terms x = times_x(family, 0);
  if (is_zero(scl)) return stack({off});
  return stack({x.same == 0 ? off : off + scl * x.same, x.up == 1 ? scl : scl * x.up});
}

namespace {

template <class Combine>
array combined(const array& c1, const array& c2, const Combine& combine) {
  const auto both = as_trimmed({c1, c2});
  const std::int64_t count = std::max(both[0].size(), both[1].size());
  return trimmed(combine(padded(both[0], 0, count - both[0].size()),
                         padded(both[1], 0, count - both[1].size())));
}

}  // namespace

// Sums are the same in every family.
array add(Family, const array& c1, const array& c2) {
  return combined(c1, c2, [](const array& a, const array& b) { return a + b; });
}
array sub(Family, const array& c1, const array& c2) {
  return combined(c1, c2, [](const array& a, const array& b) { return a - b; });
}

array mulx(Family family, const array& given) {
  array c = as_trimmed({given})[0];
  if (c.size() == 1 && is_zero(c[0])) return c;
  return banded(c, [&](std::int64_t n) { return times_x(family, n); }, c.size() + 1);
}

array mul(Family family, const array& c1, const array& c2) {
  const auto both = as_trimmed({c1, c2});
  return trimmed(product(family, both[0], both[1]));
}

std::pair<array, array> div(Family family, const array& c1, const array& c2) {
  const auto both = as_trimmed({c1, c2});
  array rest = both[0];
  const array& divisor = both[1];
  if (is_zero(divisor[divisor.size() - 1])) throw zero_division_error("division by zero");
  if (rest.size() < divisor.size()) return {rest(Slice{0, 1}) * 0, rest};
  if (divisor.size() == 1) return {rest / divisor[0], rest(Slice{0, 1}) * 0};
  std::vector<array> quotient;
  for (std::int64_t degree = rest.size() - divisor.size(); degree >= 0; --degree) {
    std::vector<double> basis(static_cast<std::size_t>(degree) + 1);
    basis.back() = 1;
    const array times = product(family, beside(basis, rest), divisor);
    const std::int64_t last = rest.size() - 1;
    quotient.insert(quotient.begin(), rest[last] / times[last]);
    rest = rest(Slice{0, last}) - quotient.front() * times(Slice{0, last});
  }
  return {stack(quotient), trimmed(rest)};
}

array pow(Family family, const array& given, std::int64_t exponent) {
  if (exponent < 0) throw value_error("Power must be a non-negative integer.");
  const array c = as_trimmed({given})[0];
  if (exponent == 0) return ones_like(c(Slice{0, 1}));
  array made = c;
  for (std::int64_t i = 1; i < exponent; ++i) made = product(family, made, c);
  return made;
}

array fromroots(Family family, const array& given) {
  if (given.size() == 0) return ones({1});
  const array roots = sort(as_series(given));
  const array one = beside(std::vector{1.0}, roots)[0];
  std::vector<array> parts;
  for (std::int64_t i = 0; i < roots.size(); ++i) parts.push_back(line(family, -roots[i], one));
  // Those far from each other first: products of few have small coefficients.
  while (parts.size() > 1) {
    const std::size_t half = parts.size() / 2;
    std::vector<array> joined;
    for (std::size_t i = 0; i < half; ++i) {
      joined.push_back(product(family, parts[i], parts[i + half]));
    }
    if (parts.size() % 2) joined[0] = product(family, joined[0], parts.back());
    parts = std::move(joined);
  }
  return parts[0];
}

array convert(Family source, Family target, const array& given) {
  array c = as_trimmed({given})[0];
  if (c.size() < 2 || source == target) return c;
  return substituted(source, c, target, ones_like(c(Slice{0, 1})));
}

array trim(const array& c, double tolerance) {
  if (tolerance < 0) throw value_error("tol must be non-negative");
  return trimmed(as_series(c), tolerance);
}

// --- calculus ---

namespace {

// For each row the sum of the terms from there on, in steps.
array reverse_sums(const array& terms, int stride) {
  if (stride == 0) return terms;
  const auto sums = [](const array& part) { return flip(cumsum(flip(part, 0), 0), 0); };
  if (stride == 1) return sums(terms);
  array made = empty_like(terms);
  for (std::int64_t start = 0; start < std::min<std::int64_t>(stride, terms.shape(0)); ++start) {
    const Slice every{start, {}, stride};
    made(every) = sums(terms(every));
  }
  return made;
}

array derivative(Family family, const array& c) {
  std::vector<double> first, then;
  for (std::int64_t n = 1; n < c.shape(0); ++n) {
    first.push_back(before(family, n));
    then.push_back(after(family, n - 1));
  }
  const array terms = c(Slice{1, {}}) * spread(first, c);
  return reverse_sums(terms, facts(family).stride) * spread(then, c);
}

// The coefficients along the first axis, and where they were.
array along_first(const array& c, std::int64_t axis) {
  const array given = atleast_1d(c);
  return moveaxis(as_type(given, inexact_type(given.dtype())), axis, 0);
}

}  // namespace

array der(Family family, const array& given, std::int64_t m, double scale, std::int64_t axis) {
  if (m < 0) throw value_error("The order of derivation must be non-negative");
  array c = along_first(given, axis);
  if (m >= c.shape(0)) return moveaxis(c(Slice{0, 1}) * 0, 0, axis);
  for (; m > 0; --m) c = derivative(family, scale == 1 ? c : c * scale);
  return moveaxis(c, 0, axis);
}

array integ(Family family, const array& given, std::int64_t m, const Integration& how) {
  if (m < 0) throw value_error("The order of integration must be non-negative");
  if (std::ssize(how.constants) > m) throw value_error("Too many integration constants");
  array c = along_first(given, how.axis);
  for (std::int64_t i = 0; i < m; ++i) {
    const auto place = static_cast<std::size_t>(i);
    const double constant = place < how.constants.size() ? how.constants[place] : 0;
    if (how.scale != 1) c = c * how.scale;
    if (c.shape(0) == 1 && is_zero(any(c != 0))) {
      c = c + constant;
      continue;
    }
    // The constant coefficient is what makes the integral its constant at the lower end.
    c = banded(c, [&](std::int64_t n) { return integral_of(family, n); }, c.shape(0) + 1);
    const array rest = padded(c(Slice{1, {}}), 1, 0);
    const array lower = to_device(array(Scalar(how.lower), c.dtype()), c.device());
    const array first = expand_dims(constant - values(family, lower, rest), 0);
    c = concatenate({as_type(first, c.dtype()), c(Slice{1, {}})});
  }
  return moveaxis(c, 0, how.axis);
}

}  // namespace heddle::polynomial
