/// @file
/// Special functions, SciPy's scipy.special. Most are element-wise, and come with ufuncs.h:
/// special::erf(x), special::jv(v, x), special::betainc(a, b, x). Here are those that are composed
/// of them, by the same names.
///
///     array slope = special::jvp(array(0), x);              // dJ0(x) / dx
///     array chances = special::softmax(scores, -1);
///     array ways = special::comb(array{4, 5}, array(2));    // 6, 10
///
/// Tables and lists of a few numbers (zeros of Bessel functions, nodes of quadratures) are not
/// here; nodes and weights of the classical families are in series.h.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>

#include <heddle/array.h>
#include <heddle/mathematics.h>
#include <heddle/reductions.h>
#include <heddle/ufuncs.h>

namespace heddle::special {

// --- names that are there already ---

using heddle::cbrt;
using heddle::exp2;
using heddle::expm1;
using heddle::log1p;
/// sin(pi x) / (pi x), and 1 at zero: NumPy's.
using heddle::sinc;
/// To whole numbers, halves to even.
inline array round(const array& x) { return rint(x); }

/// Second names: psi of digamma, jn of jv.
#define HEDDLE_SPECIAL_ALIAS(alias, op)           \
  template <class... A>                           \
    requires(sizeof...(A) == info(Op::op).inputs) \
  array alias(const A&... operands) {             \
    return op(operands...);                       \
  }
HEDDLE_SPECIAL_ALIASES(HEDDLE_SPECIAL_ALIAS)
#undef HEDDLE_SPECIAL_ALIAS
/// The distribution of beta and its inverse: betainc and betaincinv.
inline array btdtr(const array& a, const array& b, const array& x) { return betainc(a, b, x); }
inline array btdtri(const array& a, const array& b, const array& p) { return betaincinv(a, b, p); }

// --- derivatives of Bessel functions, with respect to z, of order n ---

HEDDLE_API array jvp(const array& v, const array& z, std::int64_t n = 1);   ///< of jv
HEDDLE_API array yvp(const array& v, const array& z, std::int64_t n = 1);   ///< of yv
HEDDLE_API array ivp(const array& v, const array& z, std::int64_t n = 1);   ///< of iv
HEDDLE_API array kvp(const array& v, const array& z, std::int64_t n = 1);   ///< of kv
HEDDLE_API array h1vp(const array& v, const array& z, std::int64_t n = 1);  ///< of hankel1
HEDDLE_API array h2vp(const array& v, const array& z, std::int64_t n = 1);  ///< of hankel2

// --- spherical functions ---

/// Spherical Bessel functions of the first and the second kind, and modified ones, of order n; or
/// their derivatives.
HEDDLE_API array spherical_jn(const array& n, const array& z, bool derivative = false);
HEDDLE_API array spherical_yn(const array& n, const array& z, bool derivative = false);
HEDDLE_API array spherical_in(const array& n, const array& z, bool derivative = false);
HEDDLE_API array spherical_kn(const array& n, const array& z, bool derivative = false);
/// The spherical harmonic of degree n and order m at polar angle theta and azimuth phi. Degrees
/// and orders are whole numbers; type_error for others.
HEDDLE_API array sph_harm_y(const array& n, const array& m, const array& theta, const array& phi);

// --- relatives of the gamma function ---

/// Riemann's zeta function, and that of Hurwitz.
HEDDLE_API array zeta(const array& x);
HEDDLE_API array zeta(const array& x, const array& q);
/// Derivatives of the digamma function: of order n, 0 being digamma itself.
HEDDLE_API array polygamma(const array& n, const array& x);
/// Logarithm of the multivariate gamma function of dimension d. It looks at the elements:
/// value_error where one is not above (d - 1) / 2.
HEDDLE_API array multigammaln(const array& a, std::int64_t d);
/// The Lambert W function, z = w exp(w), of which k says the branch: complex.
HEDDLE_API array lambertw(const array& z, const array& k = array(Scalar(0)),
                          double tolerance = 1e-8);

// --- counting, in floating point ---

/// The number of ways to choose k of n; with repetition if asked for.
HEDDLE_API array comb(const array& n, const array& k, bool repetition = false);
/// The number of ways to put k of n in order.
HEDDLE_API array perm(const array& n, const array& k);

/// What factorials of negative numbers are: 0, or what the gamma function says. Numbers that are
/// not whole need the second one (but for factorial).
enum class Extend : std::uint8_t { zero, complex };
/// n (n - 1) (n - 2) ..., every second of them, every k-th.
HEDDLE_API array factorial(const array& n, Extend extend = Extend::zero);
HEDDLE_API array factorial2(const array& n, Extend extend = Extend::zero);
HEDDLE_API array factorialk(const array& n, Scalar k, Extend extend = Extend::zero);

// --- sums of exponentials ---

/// Options of logsumexp.
struct LogSum {
  Reduction::ByName by_name = {};
  Axes axis = {};
  bool keepdims = false;
  std::optional<array> b = std::nullopt;  ///< a factor of each exponential
};
/// log(sum(b exp(a))), of which only the result has to be in range; nan where the sum is negative.
HEDDLE_API array logsumexp(const array& a, const LogSum& how = {});
/// The logarithm of the sum's size, and its sign; of complex numbers its direction.
HEDDLE_API std::pair<array, array> logsumexp_and_sign(const array& a, const LogSum& how = {});
/// exp(x) / sum(exp(x)) over all elements, or along axes.
HEDDLE_API array softmax(const array& x, const Axes& axis = {});
/// log(softmax(x)).
HEDDLE_API array log_softmax(const array& x, const Axes& axis = {});
/// log(1 + exp(x)).
HEDDLE_API array softplus(const array& x);

/// Dirichlet's periodic sinc, sin(n x / 2) / (n sin(x / 2)).
HEDDLE_API array diric(const array& x, const array& n);

}  // namespace heddle::special
