/// @file
/// Series of polynomials: of powers, and of the families of Chebyshev, Legendre, Laguerre and
/// Hermite, as NumPy's numpy.polynomial has them. Coefficients are from the lowest degree on.
///
///     array y = polynomial::chebval(x, {1.0, 0.0, 0.5});           // 1 + T2(x) / 2
///     array matrix = polynomial::legvander(x, 3);                   // P0 to P3 at each x
///     array c = polynomial::hermfit(x, y, 4);
///     array slope = polynomial::hermder(c);
///
/// Each function is there for any Family, and by NumPy's name for each of them: add(Family::power,
/// a, b) is polyadd(a, b), and chebadd is that of Chebyshev series. Values are computed by the
/// recurrence of the family, as one chain of deferred operations. What trims results (sums,
/// differences, products, remainders) looks at the coefficients. Polynomials from the highest
/// degree on are in polynomial.h.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <heddle/array.h>

namespace heddle::polynomial {

/// Whose polynomials a series is made of.
enum class Family : std::uint8_t { power, chebyshev, legendre, laguerre, hermite, hermite_e };

// --- values ---

/// The sum of c[n] P[n](x) at each x. Coefficients are along the first axis of c, and further axes
/// are further series, which are evaluated at every point; not `tensor`: points are broadcast over
/// the series.
HEDDLE_API array values(Family family, const array& x, const array& c, bool tensor = true);
/// A series of several variables, for each of which c has an axis, at points: an array of
/// coordinates for each variable, all of one shape.
HEDDLE_API array values_at(Family family, std::span<const array> points, const array& c);
/// The same on the grid of all coordinates.
HEDDLE_API array values_on_grid(Family family, std::span<const array> coordinates, const array& c);
/// The polynomials with these roots, along the first axis, at each x.
HEDDLE_API array polyvalfromroots(const array& x, const array& roots, bool tensor = true);

/// P[0](x) up to P[degree](x), along a last axis.
HEDDLE_API array vander(Family family, const array& x, std::int64_t degree);
/// Products of the polynomials of several variables up to their degrees, along a last axis.
HEDDLE_API array vander_of(Family family, std::span<const array> points,
                           std::span<const std::int64_t> degrees);
/// The weight under which the polynomials are orthogonal; value_error for powers, which are not.
HEDDLE_API array weight(Family family, const array& x);

// --- arithmetic on the coefficients of one-dimensional series ---

/// The series of off + scl x.
HEDDLE_API array line(Family family, const array& off, const array& scl);
HEDDLE_API array add(Family family, const array& c1, const array& c2);
HEDDLE_API array sub(Family family, const array& c1, const array& c2);
HEDDLE_API array mul(Family family, const array& c1, const array& c2);
HEDDLE_API array mulx(Family family, const array& c);  ///< times x
/// The quotient and the remainder; zero_division_error where the last coefficient of c2 is zero.
HEDDLE_API std::pair<array, array> div(Family family, const array& c1, const array& c2);
/// To a whole power.
HEDDLE_API array pow(Family family, const array& c, std::int64_t exponent);
/// The series with these roots whose leading power of x has the factor one.
HEDDLE_API array fromroots(Family family, const array& roots);
/// The coefficients of the same polynomial in another family.
HEDDLE_API array convert(Family source, Family target, const array& c);
/// Without trailing coefficients whose moduli are not larger than `tolerance`; at least one stays.
HEDDLE_API array trim(const array& c, double tolerance = 0);

// --- calculus, along an axis of the coefficients ---

/// The m-th derivative, multiplied by `scale` each time: that of a linear change of variable.
HEDDLE_API array der(Family family, const array& c, std::int64_t m = 1, double scale = 1,
                     std::int64_t axis = 0);
/// How series are integrated.
struct Integration {
  std::vector<double> constants = {};  ///< of the first integrals; the others have zero
  double lower = 0;                    ///< where each integral is its constant
  double scale = 1;                    ///< each integral is multiplied by it first
  std::int64_t axis = 0;
};
/// The m-th integral.
HEDDLE_API array integ(Family family, const array& c, std::int64_t m = 1,
                       const Integration& how = {});

// --- roots, fits and quadrature ---

/// The matrix whose eigenvalues are the roots, scaled to be nearly symmetric.
HEDDLE_API array companion(Family family, const array& c);
/// The roots, sorted: eigenvalues of the companion matrix. It looks at the coefficients.
HEDDLE_API array roots(Family family, const array& c);

/// Options of a fit.
struct FitOptions {
  std::optional<double> rcond = std::nullopt;   ///< singular values below it, of the largest, are 0
  std::optional<array> weights = std::nullopt;  ///< of the points
};
/// The coefficients of the series of a degree that is closest to the points, by least squares; y
/// may have several columns.
HEDDLE_API array fit(Family family, const array& x, const array& y, std::int64_t degree,
                     const FitOptions& how = {});
/// The same of a series that has these degrees only.
HEDDLE_API array fit(Family family, const array& x, const array& y,
                     std::span<const std::int64_t> degrees, const FitOptions& how = {});

/// The points and weights of Gauss's quadrature: exact up to the degree 2 count - 1.
HEDDLE_API std::pair<array, array> gauss(Family family, std::int64_t count);

/// Zeros of the Chebyshev polynomial of a degree, and extrema of the one below, in order.
HEDDLE_API array chebpts1(std::int64_t count);
HEDDLE_API array chebpts2(std::int64_t count);
/// The Chebyshev series of a degree that equals a function at the zeros of the next one.
HEDDLE_API array chebinterpolate(const std::function<array(const array&)>& f, std::int64_t degree);

// --- intervals ---

/// The interval that the family is used on: two numbers.
HEDDLE_API array domain(Family family);
/// The smallest interval that holds the points; in the complex plane, two of its corners.
HEDDLE_API array getdomain(const array& x);
/// The offset and the scale of the linear map from one interval to another.
HEDDLE_API std::pair<array, array> mapparms(const array& from, const array& to);
/// That map, applied to x.
HEDDLE_API array mapdomain(const array& x, const array& from, const array& to);
/// NumPy's name of trim.
inline array trimcoef(const array& c, double tolerance = 0) { return trim(c, tolerance); }

// --- NumPy's names ---

#define HEDDLE_SERIES(prefix, family)                                                             \
  inline array prefix##val(const array& x, const array& c, bool tensor = true) {                  \
    return values(Family::family, x, c, tensor);                                                  \
  }                                                                                               \
  inline array prefix##val2d(const array& x, const array& y, const array& c) {                    \
    const array points[] = {x, y};                                                                \
    return values_at(Family::family, points, c);                                                  \
  }                                                                                               \
  inline array prefix##val3d(const array& x, const array& y, const array& z, const array& c) {    \
    const array points[] = {x, y, z};                                                             \
    return values_at(Family::family, points, c);                                                  \
  }                                                                                               \
  inline array prefix##valnd(std::span<const array> points, const array& c) {                     \
    return values_at(Family::family, points, c);                                                  \
  }                                                                                               \
  inline array prefix##grid2d(const array& x, const array& y, const array& c) {                   \
    const array along[] = {x, y};                                                                 \
    return values_on_grid(Family::family, along, c);                                              \
  }                                                                                               \
  inline array prefix##grid3d(const array& x, const array& y, const array& z, const array& c) {   \
    const array along[] = {x, y, z};                                                              \
    return values_on_grid(Family::family, along, c);                                              \
  }                                                                                               \
  inline array prefix##vander(const array& x, std::int64_t degree) {                              \
    return vander(Family::family, x, degree);                                                     \
  }                                                                                               \
  inline array prefix##vander2d(const array& x, const array& y,                                   \
                                std::span<const std::int64_t> degrees) {                          \
    const array points[] = {x, y};                                                                \
    return vander_of(Family::family, points, degrees);                                            \
  }                                                                                               \
  inline array prefix##vander3d(const array& x, const array& y, const array& z,                   \
                                std::span<const std::int64_t> degrees) {                          \
    const array points[] = {x, y, z};                                                             \
    return vander_of(Family::family, points, degrees);                                            \
  }                                                                                               \
  inline array prefix##line(const array& off, const array& scl) {                                 \
    return line(Family::family, off, scl);                                                        \
  }                                                                                               \
  inline array prefix##add(const array& c1, const array& c2) {                                    \
    return add(Family::family, c1, c2);                                                           \
  }                                                                                               \
  inline array prefix##sub(const array& c1, const array& c2) {                                    \
    return sub(Family::family, c1, c2);                                                           \
  }                                                                                               \
  inline array prefix##mul(const array& c1, const array& c2) {                                    \
    return mul(Family::family, c1, c2);                                                           \
  }                                                                                               \
  inline array prefix##mulx(const array& c) { return mulx(Family::family, c); }                   \
  inline std::pair<array, array> prefix##div(const array& c1, const array& c2) {                  \
    return div(Family::family, c1, c2);                                                           \
  }                                                                                               \
  inline array prefix##pow(const array& c, std::int64_t exponent) {                               \
    return pow(Family::family, c, exponent);                                                      \
  }                                                                                               \
  inline array prefix##fromroots(const array& roots) { return fromroots(Family::family, roots); } \
  inline array prefix##trim(const array& c, double tolerance = 0) { return trim(c, tolerance); }  \
  inline array prefix##der(const array& c, std::int64_t m = 1, double scale = 1,                  \
                           std::int64_t axis = 0) {                                               \
    return der(Family::family, c, m, scale, axis);                                                \
  }                                                                                               \
  inline array prefix##int(const array& c, std::int64_t m = 1, const Integration& how = {}) {     \
    return integ(Family::family, c, m, how);                                                      \
  }                                                                                               \
  inline array prefix##companion(const array& c) { return companion(Family::family, c); }         \
  inline array prefix##roots(const array& c) { return roots(Family::family, c); }                 \
  inline array prefix##fit(const array& x, const array& y, std::int64_t degree,                   \
                           const FitOptions& how = {}) {                                          \
    return fit(Family::family, x, y, degree, how);                                                \
  }
// Of families that are orthogonal.
#define HEDDLE_ORTHOGONAL_SERIES(prefix, family)                                                   \
  HEDDLE_SERIES(prefix, family)                                                                    \
  inline array prefix##weight(const array& x) { return weight(Family::family, x); }                \
  inline std::pair<array, array> prefix##gauss(std::int64_t count) {                               \
    return gauss(Family::family, count);                                                           \
  }                                                                                                \
  inline array prefix##2poly(const array& c) { return convert(Family::family, Family::power, c); } \
  inline array poly2##prefix(const array& c) { return convert(Family::power, Family::family, c); }
HEDDLE_SERIES(poly, power)
HEDDLE_ORTHOGONAL_SERIES(cheb, chebyshev)
HEDDLE_ORTHOGONAL_SERIES(leg, legendre)
HEDDLE_ORTHOGONAL_SERIES(lag, laguerre)
HEDDLE_ORTHOGONAL_SERIES(herm, hermite)
HEDDLE_ORTHOGONAL_SERIES(herme, hermite_e)
#undef HEDDLE_ORTHOGONAL_SERIES
#undef HEDDLE_SERIES

}  // namespace heddle::polynomial
