/// @file
/// Polynomials by their coefficients from the highest degree on, as NumPy's poly1d has them: {1, 0,
/// -2} is x^2 - 2.
///
///     array c = polyfit(x, y, 2);
///     array fitted = polyval(c, x);
///     array zeros = roots(array{1.0, 0.0, -2.0});
///
/// Python works on few coefficients with NumPy on the host, which is quicker there. Series from the
/// lowest degree on, and of other bases, are in series.h.
#pragma once

#include <optional>
#include <utility>

#include <heddle/array.h>

namespace heddle {

/// The value at each x.
HEDDLE_API array polyval(const array& p, const array& x);
/// The coefficients of a polynomial of a degree that is closest to the points, by least squares; y
/// may have several columns. Each point counts by its weight.
HEDDLE_API array polyfit(const array& x, const array& y, std::int64_t degree,
                         const std::optional<array>& weights = std::nullopt);
/// The polynomial with these roots, or the characteristic one of a square matrix.
HEDDLE_API array poly(const array& zeros);
/// The roots: eigenvalues of the companion matrix. It looks at the coefficients.
HEDDLE_API array roots(const array& p);

/// Sums, differences and products of polynomials.
HEDDLE_API array polyadd(const array& a, const array& b);
HEDDLE_API array polysub(const array& a, const array& b);
HEDDLE_API array polymul(const array& a, const array& b);
/// The quotient and the remainder. It looks at the coefficients.
HEDDLE_API std::pair<array, array> polydiv(const array& u, const array& v);
/// The m-th derivative; the m-th antiderivative, whose constants are zero.
HEDDLE_API array polyder(const array& p, std::int64_t m = 1);
HEDDLE_API array polyint(const array& p, std::int64_t m = 1);

}  // namespace heddle
