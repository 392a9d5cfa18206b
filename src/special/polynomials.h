// Values of orthogonal polynomials, after SciPy's Cython (BSD-3-Clause, Pauli Virtanen and Eric
// Moore): recurrences for whole degrees, hypergeometric functions for others and for complex
// arguments.
#pragma once

#include <cmath>
#include <complex>
#include <limits>

#include <xsf/beta.h>
#include <xsf/binom.h>
#include <xsf/gamma.h>
#include <xsf/specfun.h>

#include "special/hypergeometric.h"

namespace heddle::special::polynomials {

template <class T>
T eval_jacobi(double n, double alpha, double beta, T x) {
  return xsf::binom(n + alpha, n) * hyp2f1(-n, n + alpha + beta + 1, alpha + 1, 0.5 * (1.0 - x));
}

inline double eval_jacobi_order(long n, double alpha, double beta, double x) {
  if (n < 0) return eval_jacobi(static_cast<double>(n), alpha, beta, x);
  if (n == 0) return 1.0;
  if (n == 1) return 0.5 * (2 * (alpha + 1) + (alpha + beta + 2) * (x - 1));
  double d = (alpha + beta + 2) * (x - 1) / (2 * (alpha + 1));
  double p = d + 1;
  for (long i = 1; i < n; ++i) {
    const double k = static_cast<double>(i), t = 2 * k + alpha + beta;
    d = ((t * (t + 1) * (t + 2)) * (x - 1) * p + 2 * k * (k + beta) * (t + 2) * d) /
        (2 * (k + alpha + 1) * (k + alpha + beta + 1) * t);
    p = d + p;
  }
  return xsf::binom(static_cast<double>(n) + alpha, static_cast<double>(n)) * p;
}

template <class T>
T eval_sh_jacobi(double n, double p, double q, T x) {
  return eval_jacobi(n, p - q, q - 1, 2.0 * x - 1.0) / xsf::binom(2 * n + p - 1, n);
}

inline double eval_sh_jacobi_order(long n, double p, double q, double x) {
  const double degree = static_cast<double>(n);
  return eval_jacobi_order(n, p - q, q - 1, 2 * x - 1) / xsf::binom(2 * degree + p - 1, degree);
}

template <class T>
T eval_gegenbauer(double n, double alpha, T x) {
  const double d = xsf::gamma(n + 2 * alpha) / xsf::gamma(1 + n) / xsf::gamma(2 * alpha);
  return d * hyp2f1(-n, n + 2 * alpha, alpha + 0.5, (1.0 - x) / 2.0);
}

// Near 0 a power series, as the recurrence loses precision there.
inline double eval_gegenbauer_order(long n, double alpha, double x) {
  const double degree = static_cast<double>(n);
  if (std::isnan(alpha) || std::isnan(x)) return std::numeric_limits<double>::quiet_NaN();
  if (n < 0) return 0.0;
  if (n == 0) return 1.0;
  if (n == 1) return 2 * alpha * x;
  if (alpha == 0.0) return eval_gegenbauer(degree, alpha, x);
  if (std::abs(x) < 1e-5) {
    const long a = n / 2;
    double d = a % 2 == 0 ? 1 : -1;
    d /= xsf::beta(alpha, static_cast<double>(1 + a));
    if (n == 2 * a) {
      d /= static_cast<double>(a) + alpha;
    } else {
      d *= 2 * x;
    }
    double p = 0;
    for (long k = 0; k <= a; ++k) {
      p += d;
      d *= -4 * (x * x) * static_cast<double>(a - k) *
           (static_cast<double>(-a) + alpha + static_cast<double>(k) + degree) /
           static_cast<double>((n + 1 - 2 * a + 2 * k) * (n + 2 - 2 * a + 2 * k));
      if (std::abs(d) < 1e-20 * std::abs(p)) break;
    }
    return p;
  }
  double d = x - 1, p = x;
  for (long i = 1; i < n; ++i) {
    const double k = static_cast<double>(i);
    d = (2 * (k + alpha) / (k + 2 * alpha)) * (x - 1) * p + (k / (k + 2 * alpha)) * d;
    p = d + p;
  }
  if (std::abs(alpha / degree) < 1e-8) return 2 * alpha / degree * p;
  return xsf::binom(degree + 2 * alpha - 1, degree) * p;
}

template <class T>
T eval_chebyt(double n, T x) {
  return hyp2f1(-n, n, 0.5, 0.5 * (1.0 - x));
}

inline double eval_chebyt_order(long n, double x) {
  double b2 = 0, b1 = -1, b0 = 0;
  x = 2 * x;
  for (long m = 0; m <= std::abs(n); ++m) {
    b2 = b1;
    b1 = b0;
    b0 = x * b1 - b2;
  }
  return (b0 - b2) / 2.0;
}

template <class T>
T eval_chebyu(double n, T x) {
  return (n + 1) * hyp2f1(-n, n + 2, 1.5, 0.5 * (1.0 - x));
}

inline double eval_chebyu_order(long n, double x) {
  if (n == -1) return 0;
  const double sign = n < -1 ? -1 : 1;
  if (n < -1) n = -n - 2;
  double b2 = 0, b1 = -1, b0 = 0;
  x = 2 * x;
  for (long m = 0; m <= n; ++m) {
    b2 = b1;
    b1 = b0;
    b0 = x * b1 - b2;
  }
  return b0 * sign;
}

template <class T>
T eval_legendre(double n, T x) {
  return hyp2f1(-n, n + 1, 1.0, 0.5 * (1.0 - x));
}

inline double eval_legendre_order(long n, double x) {
  if (n < 0) n = -n - 1;
  if (n == 0) return 1.0;
  if (n == 1) return x;
  if (std::abs(x) < 1e-5) {
    const long a = n / 2;
    double d = a % 2 == 0 ? 1 : -1;
    if (n == 2 * a) {
      d *= -2 / xsf::beta(static_cast<double>(a + 1), -0.5);
    } else {
      d *= 2 * x / xsf::beta(static_cast<double>(a + 1), 0.5);
    }
    double p = 0;
    for (long k = 0; k <= a; ++k) {
      p += d;
      d *= -2 * (x * x) * static_cast<double>(a - k) *
           static_cast<double>(2 * n + 1 - 2 * a + 2 * k) /
           static_cast<double>((n + 1 - 2 * a + 2 * k) * (n + 2 - 2 * a + 2 * k));
      if (std::abs(d) < 1e-20 * std::abs(p)) break;
    }
    return p;
  }
  double d = x - 1, p = x;
  for (long i = 1; i < n; ++i) {
    const double k = static_cast<double>(i);
    d = ((2 * k + 1) / (k + 1)) * (x - 1) * p + (k / (k + 1)) * d;
    p = d + p;
  }
  return p;
}

template <class T>
T eval_genlaguerre(double n, double alpha, T x) {
  if (alpha <= -1) return std::numeric_limits<double>::quiet_NaN();
  return xsf::binom(n + alpha, n) * xsf::hyp1f1(-n, alpha + 1, x);
}

inline double eval_genlaguerre_order(long n, double alpha, double x) {
  if (alpha <= -1 || std::isnan(alpha) || std::isnan(x))
    return std::numeric_limits<double>::quiet_NaN();
  if (n < 0) return 0.0;
  if (n == 0) return 1.0;
  if (n == 1) return -x + alpha + 1;
  double d = -x / (alpha + 1), p = d + 1;
  for (long i = 1; i < n; ++i) {
    const double k = static_cast<double>(i);
    d = -x / (k + alpha + 1) * p + (k / (k + alpha + 1)) * d;
    p = d + p;
  }
  return xsf::binom(static_cast<double>(n) + alpha, static_cast<double>(n)) * p;
}

template <class T>
T eval_laguerre(double n, T x) {
  return eval_genlaguerre(n, 0., x);
}
inline double eval_laguerre_order(long n, double x) { return eval_genlaguerre_order(n, 0., x); }

// On other intervals.
#define HEDDLE_MOVED(name, of, factor, argument)        \
  template <class T>                                    \
  T eval_##name(double n, T x) {                        \
    return factor * eval_##of(n, argument);             \
  }                                                     \
  inline double eval_##name##_order(long n, double x) { \
    return factor * eval_##of##_order(n, argument);     \
  }
HEDDLE_MOVED(chebys, chebyu, 1.0, 0.5 * x)
HEDDLE_MOVED(chebyc, chebyt, 2.0, 0.5 * x)
HEDDLE_MOVED(sh_chebyt, chebyt, 1.0, 2.0 * x - 1.0)
HEDDLE_MOVED(sh_chebyu, chebyu, 1.0, 2.0 * x - 1.0)
HEDDLE_MOVED(sh_legendre, legendre, 1.0, 2.0 * x - 1.0)
#undef HEDDLE_MOVED

inline double eval_hermitenorm(long n, double x) {
  if (std::isnan(x)) return x;
  if (n < 0) return std::numeric_limits<double>::quiet_NaN();
  if (n == 0) return 1.0;
  if (n == 1) return x;
  double y3 = 0.0, y2 = 1.0;
  for (long k = n; k > 1; --k) {
    const double y1 = x * y2 - static_cast<double>(k) * y3;
    y3 = y2;
    y2 = y1;
  }
  return x * y2 - y3;
}

inline double eval_hermite(long n, double x) {
  if (n < 0) return std::numeric_limits<double>::quiet_NaN();
  return eval_hermitenorm(n, M_SQRT2 * x) * std::pow(2., static_cast<double>(n) / 2.0);
}

}  // namespace heddle::special::polynomials
