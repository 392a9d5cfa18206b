/// @file
/// Series of polynomials: of powers, and of the families of Chebyshev, Legendre, Laguerre and
/// Hermite, as NumPy's numpy.polynomial has them. Coefficients are along the first axis, from the
/// lowest degree on; further axes are further series.
///
///     array y = polynomial::chebval(x, {1.0, 0.0, 0.5});           // 1 + T2(x) / 2
///     array matrix = polynomial::legvander(x, 3);                   // P0 to P3 at each x
///
/// Values are computed by the recurrence of the family, as one chain of deferred operations.
/// Polynomials from the highest degree on are in polynomial.h.
#pragma once

#include <cstdint>

#include <heddle/array.h>

namespace heddle::polynomial {

enum class Family : std::uint8_t { power, chebyshev, legendre, laguerre, hermite, hermite_e };

/// The sum of c[n] P[n](x) at each x. Every series is evaluated at every point; not `tensor`:
/// points are broadcast over the series.
HEDDLE_API array values(Family family, const array& x, const array& c, bool tensor = true);
/// P[0](x) up to P[degree](x), along a last axis.
HEDDLE_API array vander(Family family, const array& x, std::int64_t degree);

/// NumPy's names of them.
#define HEDDLE_SERIES(prefix, family)                                            \
  inline array prefix##val(const array& x, const array& c, bool tensor = true) { \
    return values(Family::family, x, c, tensor);                                 \
  }                                                                              \
  inline array prefix##vander(const array& x, std::int64_t degree) {             \
    return vander(Family::family, x, degree);                                    \
  }
HEDDLE_SERIES(poly, power)
HEDDLE_SERIES(cheb, chebyshev)
HEDDLE_SERIES(leg, legendre)
HEDDLE_SERIES(lag, laguerre)
HEDDLE_SERIES(herm, hermite)
HEDDLE_SERIES(herme, hermite_e)
#undef HEDDLE_SERIES

}  // namespace heddle::polynomial
