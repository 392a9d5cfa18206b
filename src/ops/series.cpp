#include "ops/series.h"

#include <optional>
#include <utility>

#include <fmt/format.h>

#include "ops/compose.h"
#include <heddle/errors.h>
#include <heddle/indexing.h>
#include <heddle/manipulation.h>
#include <heddle/reductions.h>
#include <heddle/ufuncs.h>

namespace heddle::polynomial {

Step step(Family family, std::int64_t n) {
  const Recurrence r = recurrence(family, n);
  return {r.q / r.p, r.r / r.p, r.s / r.p};
}

namespace {

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

array values_at(Family family, std::span<const array> points, const array& c) {
  array made = c;
  for (const array& each : points) {
    if (each.shape() != points[0].shape()) throw value_error("ordinates are incompatible");
    made = values(family, each, made, &each == points.data());
  }
  return made;
}

array values_on_grid(Family family, std::span<const array> coordinates, const array& c) {
  array made = c;
  for (const array& each : coordinates) made = values(family, each, made);
  return made;
}

array polyvalfromroots(const array& x, const array& given, bool tensor) {
  array roots = atleast_1d(given);
  roots = as_type(roots, inexact_type(roots.dtype()));
  if (!tensor && x.ndim() >= roots.ndim()) {
    throw value_error("x.ndim must be < r.ndim when tensor == False");
  }
  if (tensor) {
    Dims shape = roots.shape();
    for (std::int64_t d = 0; d < x.ndim(); ++d) shape.push_back(1);
    roots = roots.reshape(shape);
  }
  return prod(x - roots, 0);
}

array vander(Family family, const array& x, std::int64_t degree) {
  if (degree < 0) throw value_error("deg must be non-negative");
  const array points = atleast_1d(x);
  // It lies column by column in memory, as NumPy's does.
  return moveaxis(stack(columns(family, as_type(points, inexact_type(points.dtype())), degree)), 0,
                  -1);
}

array vander_of(Family family, std::span<const array> points,
                std::span<const std::int64_t> degrees) {
  if (degrees.size() != points.size()) {
    throw value_error(fmt::format("Expected {} dimensions of sample points, got {}", points.size(),
                                  degrees.size()));
  }
  if (points.empty())
    throw value_error("Unable to guess a dtype or shape when no points are given");
  const auto given = broadcast_arrays({points.begin(), points.end()});
  Dtype type = inexact_type(given[0].dtype());
  for (const array& each : given) type = promote_types(type, inexact_type(each.dtype()));
  std::optional<array> made;
  for (std::size_t i = 0; i < given.size(); ++i) {
    // Its columns along an axis of their own, behind those of the points.
    const array matrix = vander(family, as_type(given[i], type), degrees[i]);
    Dims shape = given[0].shape();
    for (std::size_t d = 0; d < given.size(); ++d) shape.push_back(d == i ? degrees[i] + 1 : 1);
    const array spread = matrix.reshape(shape);
    made = made ? *made * spread : spread;
  }
  Dims shape = given[0].shape();
  shape.push_back(-1);
  return made->reshape(shape);
}

array weight(Family family, const array& x) {
  switch (family) {
    case Family::power:
      break;
    case Family::chebyshev:
      return 1.0 / (sqrt(1.0 + x) * sqrt(1.0 - x));
    case Family::legendre:
      return x * 0.0 + 1.0;
    case Family::laguerre:
      return exp(-x);
    case Family::hermite:
      return exp(-square(x));
    case Family::hermite_e:
      return exp(-0.5 * square(x));
  }
  throw value_error("weight: powers of x are not orthogonal");
}

}  // namespace heddle::polynomial
