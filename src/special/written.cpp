// Functions that SciPy has in Cython, written in C++ after it (BSD-3-Clause, the SciPy developers).
// clang-format off: before other headers include what it changes
#include "special/amos.h"
// clang-format on
#include <cfloat>
#include <cmath>

#include <xsf/bessel.h>
#include <xsf/cephes/ellpk.h>
#include <xsf/cephes/ndtri.h>
#include <xsf/cephes/poch.h>
#include <xsf/cephes/polevl.h>
#include <xsf/cephes/spence.h>
#include <xsf/gamma.h>
#include <xsf/log.h>
#include <xsf/specfun.h>
#include <xsf/stats.h>
#include <xsf/trig.h>
#include <xsf/zlog1.h>

#include "special/polynomials.h"
#include "special/wrap.h"

namespace {

using heddle::special::Complex;
constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

// The spheres of convergence of two series of the dilogarithm, around 0 and around 1.
Complex spence_around_0(Complex z) {
  constexpr double pi_squared_sixth = 1.6449340668482264365;
  Complex power = 1, sum1 = 0, sum2 = 0;
  if (z == 0.0) return pi_squared_sixth;
  for (int n = 1; n < 500; ++n) {
    power *= z;
    const Complex term1 = power / static_cast<double>(n * n),
                  term2 = power / static_cast<double>(n);
    sum1 += term1;
    sum2 += term2;
    if (std::abs(term1) <= DBL_EPSILON * std::abs(sum1) &&
        std::abs(term2) <= DBL_EPSILON * std::abs(sum2))
      break;
  }
  return pi_squared_sixth - sum1 + xsf::detail::zlog1(z) * sum2;
}

Complex spence_around_1(Complex z) {
  if (z == 1.0) return 0;
  z = 1.0 - z;
  const Complex square = z * z;
  Complex power = 1, sum = 0;
  for (int n = 1; n < 500; ++n) {
    power *= z;
    const double a = n * n, b = (n + 1) * (n + 1), c = (n + 2) * (n + 2);
    const Complex term = ((power / a) / b) / c;  // one at a time, or they would overflow
    sum += term;
    if (std::abs(term) <= DBL_EPSILON * std::abs(sum)) break;
  }
  sum *= 4.0 * square;
  sum += 4.0 * z + 5.75 * square + 3.0 * (1.0 - square) * xsf::detail::zlog1(1.0 - z);
  return sum / (1.0 + 4.0 * z + square);
}

// A rational function of sqrt(-2 log(p)) for very small p, whose logarithm is y.
double ndtri_exp_of_small(double y) {
  constexpr double p1[] = {
      4.05544892305962419923,     3.15251094599893866154e1,   5.71628192246421288162e1,
      4.40805073893200834700e1,   1.46849561928858024014e1,   2.18663306850790267539,
      -1.40256079171354495875e-1, -3.50424626827848203418e-2, -8.57456785154685413611e-4};
  constexpr double q1[] = {1.57799883256466749731e1,   4.53907635128879210584e1,
                           4.13172038254672030440e1,   1.50425385692907503408e1,
                           2.50464946208309415979,     -1.42182922854787788574e-1,
                           -3.80806407691578277194e-2, -9.33259480895457427372e-4};
  constexpr double p2[] = {
      3.23774891776946035970,    6.91522889068984211695,    3.93881025292474443415,
      1.33303460815807542389,    2.01485389549179081538e-1, 1.23716634817820021358e-2,
      3.01581553508235416007e-4, 2.65806974686737550832e-6, 6.23974539184983293730e-9};
  constexpr double q2[] = {6.02427039364742014255,    3.67983563856160859403,
                           1.37702099489081330271,    2.16236993594496635890e-1,
                           1.34204006088543189037e-2, 3.28014464682127739104e-4,
                           2.89247864745380683936e-6, 6.79019408009981274425e-9};
  using xsf::cephes::p1evl;
  using xsf::cephes::polevl;
  const double x = y >= -DBL_MAX * 0.5 ? std::sqrt(-2 * y) : M_SQRT2 * std::sqrt(-y);
  const double x0 = x - std::log(x) / x, z = 1 / x;
  const double x1 =
      x < 8.0 ? z * polevl(z, p1, 8) / p1evl(z, q1, 8) : z * polevl(z, p2, 8) / p1evl(z, q2, 8);
  return x1 - x0;
}

// Of 0F1 for large v: DLMF 10.41.
double hyp0f1_asymptotic(double v, double z) {
  const double arg = std::sqrt(z), v1 = std::abs(v - 1), x = 2.0 * arg / v1;
  const double p1 = std::sqrt(1.0 + x * x), eta = p1 + std::log(x) - std::log1p(p1);
  double exponent = -0.5 * std::log(p1);
  exponent -= 0.5 * std::log(2.0 * M_PI * v1);
  exponent += xsf::gammaln(v);
  const double sign = xsf::gammasgn(v);
  const double exponent_i = exponent + v1 * eta, exponent_k = exponent - v1 * eta;
  const double pp = 1.0 / p1, p2 = pp * pp, p4 = p2 * p2, p6 = p4 * p2;
  const double u1 = (3.0 - 5.0 * p2) * pp / 24.0;
  const double u2 = (81.0 - 462.0 * p2 + 385.0 * p4) * p2 / 1152.0;
  const double u3 = (30375.0 - 369603.0 * p2 + 765765.0 * p4 - 425425.0 * p6) * pp * p2 / 414720.0;
  const double i = 1.0 + u1 / v1 + u2 / (v1 * v1) + u3 / (v1 * v1 * v1);
  double result = std::exp(exponent_i - xsf::xlogy(v1, arg)) * sign * i;
  if (v - 1 < 0) {  // DLMF 10.27.2
    const double k = 1.0 - u1 / v1 + u2 / (v1 * v1) - u3 / (v1 * v1 * v1);
    result += std::exp(exponent_k + xsf::xlogy(v1, arg)) * sign * 2.0 * xsf::sinpi(v1) * k;
  }
  return result;
}

namespace functions {

using namespace heddle::special::polynomials;

// Convex analysis.
double entr(double x) {
  if (std::isnan(x)) return x;
  if (x > 0) return -x * std::log(x);
  return x == 0 ? 0 : -infinity;
}

double kl_div(double x, double y) {
  if (std::isnan(x) || std::isnan(y)) return nan;
  if (x > 0 && y > 0) return x * std::log(x / y) - x + y;
  return x == 0 && y >= 0 ? y : infinity;
}

double rel_entr(double x, double y) {
  if (std::isnan(x) || std::isnan(y)) return nan;
  if (x <= 0 || y <= 0) return x == 0 && y >= 0 ? 0 : infinity;
  const double ratio = x / y;
  if (0.5 < ratio && ratio < 2) return x * std::log1p((x - y) / y);
  if (DBL_MIN < ratio && ratio < infinity) return x * std::log(ratio);
  return x * (std::log(x) - std::log(y));
}

double huber(double delta, double r) {
  if (delta < 0) return infinity;
  const double size = std::abs(r);
  return size <= delta ? 0.5 * r * r : delta * (size - 0.5 * delta);
}

double pseudo_huber(double delta, double r) {
  if (delta < 0) return infinity;
  if (delta == 0 || r == 0) return 0;
  // By the quotient that is below one: no square leaves the range where the result does not.
  const double size = std::abs(r);
  const double quotient = size <= delta ? size / delta : delta / size;
  const double root = std::sqrt(1 + quotient * quotient);
  return size <= delta ? size / (1 + root) * size : size / (root + quotient) * delta;
}

// Box and Cox: lambda * log(x) may be too small or too large to be taken to a power.
double boxcox_of_log(double log, double lambda) {
  if (lambda * log < 709.78) return std::expm1(lambda * log) / lambda;
  return std::copysign(1., lambda) * std::exp(lambda * log - std::log(std::abs(lambda))) -
         1 / lambda;
}

double boxcox(double x, double lambda) {
  const double log = std::log(x);
  return std::abs(lambda) < 1e-19 ? log : boxcox_of_log(log, lambda);
}

double boxcox1p(double x, double lambda) {
  const double log = std::log1p(x);
  const bool tiny =
      std::abs(lambda) < 1e-19 || (std::abs(log) < 1e-289 && std::abs(lambda) < 1e273);
  return tiny ? log : boxcox_of_log(log, lambda);
}

double log_of_inverse(double x, double lambda) {
  if (lambda * x < 1.79e308) return std::log1p(lambda * x) / lambda;
  return (std::log(std::copysign(1., lambda) * (x + 1 / lambda)) + std::log(std::abs(lambda))) /
         lambda;
}

double inv_boxcox(double x, double lambda) {
  return std::exp(lambda == 0 ? x : log_of_inverse(x, lambda));
}

double inv_boxcox1p(double x, double lambda) {
  if (lambda == 0) return std::expm1(x);
  return std::abs(lambda * x) < 1e-154 ? x : std::expm1(log_of_inverse(x, lambda));
}

double agm(double a, double b) {
  if (std::isnan(a) || std::isnan(b) || (a < 0 && b > 0) || (a > 0 && b < 0)) return nan;
  if ((std::isinf(a) || std::isinf(b)) && (a == 0 || b == 0)) return nan;
  if (a == 0 || b == 0) return 0;
  if (a == b) return a;
  const double sign = a < 0 ? -1 : 1;
  a = std::abs(a);
  b = std::abs(b);
  constexpr double large = 9.480751908109176e+153, small = 1.0547686614863e-154;
  if (small < a && a < large && small < b && b < large) {
    const double e = 4 * a * b / ((a + b) * (a + b));
    return sign * (M_PI / 4) * (a + b) / xsf::cephes::ellpk(e);
  }
  double mean = 0.5 * a + 0.5 * b;
  for (int count = 20; count > 0 && mean != a && mean != b; --count) {
    b = std::sqrt(a) * std::sqrt(b);
    a = mean;
    mean = 0.5 * a + 0.5 * b;
  }
  return sign * mean;
}

double ndtri_exp(double y) {
  if (y < -DBL_MAX) return -infinity;
  if (y < -2.0) return ndtri_exp_of_small(y);
  if (y > -0.14541345786885906) return -xsf::ndtri(-std::expm1(y));  // log1p(-exp(-2))
  return xsf::ndtri(std::exp(y));
}

double spence(double x) { return xsf::cephes::spence(x); }
Complex spence(Complex z) {
  constexpr double pi_squared_sixth = 1.6449340668482264365;
  if (std::abs(z) < 0.5) return spence_around_0(z);
  if (std::abs(1.0 - z) <= 1) return spence_around_1(z);
  const Complex log = xsf::detail::zlog1(z - 1.0);
  return -spence_around_1(z / (z - 1.0)) - pi_squared_sixth - 0.5 * (log * log);
}

double hyp0f1(double v, double z) {
  if (v <= 0.0 && v == std::floor(v)) return nan;
  if (z == 0.0 && v != 0.0) return 1.0;
  if (std::abs(z) < 1e-6 * (1.0 + std::abs(v))) return 1.0 + z / v + z * z / (2.0 * v * (v + 1.0));
  if (z <= 0) {
    const double arg = std::sqrt(-z);
    return std::pow(arg, 1.0 - v) * xsf::gamma(v) * xsf::cephes::jv(v - 1, 2 * arg);
  }
  const double arg = std::sqrt(z), exponent = xsf::xlogy(1.0 - v, arg) + xsf::gammaln(v);
  const double bessel = xsf::cyl_bessel_i(v - 1, 2.0 * arg);
  if (exponent > std::log(DBL_MAX) || bessel == 0 || exponent < std::log(DBL_MIN) ||
      std::isinf(bessel))
    return v == 1 ? bessel : hyp0f1_asymptotic(v, z);
  return std::exp(exponent) * xsf::gammasgn(v) * bessel;
}

Complex hyp0f1(double v, Complex z) {
  if (v <= 0.0 && v == std::floor(v)) return nan;
  if (z == 0.0 && v != 0.0) return 1.0;
  if (std::abs(z) < 1e-6 * (1.0 + std::abs(v))) {
    const Complex first = 1.0 + z / v;  // in this order, or it loses precision
    return first + z * z / (2.0 * v * (v + 1.0));
  }
  const Complex arg = std::sqrt(z.real() > 0 ? z : -z), twice = 2.0 * arg;
  const Complex bessel =
      z.real() > 0 ? xsf::cyl_bessel_i(v - 1.0, twice) : xsf::cyl_bessel_j(v - 1.0, twice);
  return bessel * xsf::gamma(v) * std::pow(arg, Complex(1.0 - v));
}

double hyperu(double a, double b, double x) {
  if (std::isnan(a) || std::isnan(b) || std::isnan(x) || x < 0) return nan;
  if (x == 0) return b > 1 ? infinity : xsf::cephes::poch(1.0 - b + a, -a);
  if (b == 1 && x < 1 && -0.25 < a && a < 0.3)  // DLMF 13.3.7
    return (x + 1 + 2 * a) * xsf::hypu(a + 1, 1., x) - (a + 1) * (a + 1) * xsf::hypu(a + 2, 1., x);
  return xsf::hypu(a, b, x);
}

}  // namespace functions
}  // namespace

#define HEDDLE_IF_xsf(...)
#define HEDDLE_IF_boost(...)
#define HEDDLE_IF_scipy(...)
#define HEDDLE_IF_written(...) __VA_ARGS__
HEDDLE_WRAP_ROWS()
