#include "ops/series.h"

#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "ops/compose.h"
#include <heddle/errors.h>
#include <heddle/indexing.h>
#include <heddle/manipulation.h>
#include <heddle/ufuncs.h>

namespace heddle::polynomial {

namespace {

// P[n+1] = (a x + b) P[n] - c P[n-1], with P[0] = 1.
struct Step {
  double a, b, c;
};

Step step(Family family, std::int64_t degree) {
  const auto n = static_cast<double>(degree);
  switch (family) {
    case Family::power:
      return {1, 0, 0};
    case Family::chebyshev:
      return {degree == 0 ? 1.0 : 2.0, 0, 1};
    case Family::legendre:
      return {(2 * n + 1) / (n + 1), 0, n / (n + 1)};
    case Family::laguerre:
      return {-1 / (n + 1), (2 * n + 1) / (n + 1), n / (n + 1)};
    case Family::hermite:
      return {2, 0, 2 * n};
    case Family::hermite_e:
      return {1, 0, n};
  }
  return {1, 0, 0};
}

array scaled(const array& x, double factor) { return factor == 1 ? x : x * factor; }

// a x + b.
array linear(const Step& s, const array& x) {
  const array made = scaled(x, s.a);
  return s.b == 0 ? made : made + s.b;
}

// Clenshaw's algorithm; `c(n)` is a coefficient, an array or a weak number.
template <class Coefficients>
array sum_of(Family family, std::int64_t count, const Coefficients& c, const array& x) {
  if (count == 1) return c(0) + x * 0;
  if (family == Family::power) {
    array last = c(count - 1) + x * 0;
    for (std::int64_t n = count - 2; n >= 0; --n) last = last * x + c(n);
    return last;
  }
  // What follows from the two highest: the first is a coefficient still.
  std::optional<array> later;
  array last = c(count - 1) * linear(step(family, count - 2), x) + c(count - 2);
  for (std::int64_t n = count - 3; n >= 0; --n) {
    array following = last * linear(step(family, n), x) + c(n);
    if (const double drawn = step(family, n + 1).c; drawn != 0) {
      following = later ? following - scaled(*later, drawn) : following - c(count - 1) * drawn;
    }
    later = std::exchange(last, std::move(following));
  }
  return last;
}

}  // namespace

Family family_of(std::string_view prefix) {
  constexpr std::pair<std::string_view, Family> all[] = {
      {"poly", Family::power},   {"cheb", Family::chebyshev}, {"leg", Family::legendre},
      {"lag", Family::laguerre}, {"herm", Family::hermite},   {"herme", Family::hermite_e}};
  for (const auto& [name, family] : all) {
    if (name == prefix) return family;
  }
  throw value_error(fmt::format("there is no family of polynomials '{}'", prefix));
}

array clenshaw(Family family, std::span<const double> c, const array& x) {
  const auto number = [&](std::int64_t n) { return c[static_cast<std::size_t>(n)]; };
  return sum_of(family, static_cast<std::int64_t>(c.size()), number, x);
}

array clenshaw(Family family, std::span<const std::complex<double>> c, const array& x) {
  const auto number = [&](std::int64_t n) { return c[static_cast<std::size_t>(n)]; };
  return sum_of(family, static_cast<std::int64_t>(c.size()), number, x);
}

array clenshaw(Family family, const array& c, const array& x) {
  return sum_of(family, c.shape()[0], [&](std::int64_t n) { return array(c[n]); }, x);
}

std::vector<array> columns(Family family, const array& x, std::int64_t degree) {
  std::vector<array> made{x * 0 + 1};
  for (std::int64_t n = 0; n < degree; ++n) {
    const Step s = step(family, n);
    array following = linear(s, x);
    if (n > 0) {
      following = following * made.back();
      if (s.c != 0) following = following - scaled(made[made.size() - 2], s.c);
    }
    made.push_back(std::move(following));
  }
  return made;
}

array values(Family family, const array& x, const array& c, bool tensor) {
  array given = atleast_1d(c);
  if (given.shape()[0] == 0) throw value_error("a series has at least one coefficient");
  given = as_type(given, inexact_type(given.dtype()));
  if (tensor && x.ndim() > 0) {
    Dims shape = given.shape();
    for (std::int64_t d = 0; d < x.ndim(); ++d) shape.push_back(1);
    given = given.reshape(shape);
  }
  return clenshaw(family, given, x);
}

array vander(Family family, const array& x, std::int64_t degree) {
  if (degree < 0) throw value_error("deg must be non-negative");
  const array points = atleast_1d(x);
  // It lies column by column in memory, as NumPy's does.
  return moveaxis(stack(columns(family, as_type(points, inexact_type(points.dtype())), degree)), 0,
                  -1);
}

}  // namespace heddle::polynomial
