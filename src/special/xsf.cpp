// Functions of xsf (BSD-3-Clause; Cephes, AMOS, specfun and Faddeeva in C++), by SciPy's names.
// clang-format off: before other headers include what it changes
#include "special/amos.h"
// clang-format on
#include <xsf/airy.h>
#include <xsf/bessel.h>
#include <xsf/beta.h>
#include <xsf/binom.h>
#include <xsf/cdflib.h>
#include <xsf/cephes/erfinv.h>
#include <xsf/cephes/expn.h>
#include <xsf/cephes/poch.h>
#include <xsf/cephes/yn.h>
#include <xsf/digamma.h>
#include <xsf/ellip.h>
#include <xsf/erf.h>
#include <xsf/exp.h>
#include <xsf/expint.h>
#include <xsf/fresnel.h>
#include <xsf/gamma.h>
#include <xsf/kelvin.h>
#include <xsf/lambertw.h>
#include <xsf/log.h>
#include <xsf/log_exp.h>
#include <xsf/loggamma.h>
#include <xsf/mathieu.h>
#include <xsf/par_cyl.h>
#include <xsf/sici.h>
#include <xsf/specfun.h>
#include <xsf/sph_bessel.h>
#include <xsf/sph_harm.h>
#include <xsf/sphd_wave.h>
#include <xsf/stats.h>
#include <xsf/struve.h>
#include <xsf/trig.h>
#include <xsf/wright_bessel.h>
#include <xsf/zeta.h>

#include "special/hypergeometric.h"
#include "special/wrap.h"

namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

namespace functions {

using heddle::special::hyp2f1;
using xsf::airy;
using xsf::airye;
using xsf::bei;
using xsf::beip;
using xsf::ber;
using xsf::berp;
using xsf::besselpoly;
using xsf::beta;
using xsf::betaln;
using xsf::binom;
using xsf::chdtr;
using xsf::chdtrc;
using xsf::chdtri;
using xsf::cosdg;
using xsf::cosm1;
using xsf::cospi;
using xsf::cotdg;
using xsf::dawsn;
using xsf::digamma;
using xsf::ellipe;
using xsf::ellipeinc;
using xsf::ellipj;
using xsf::ellipk;
using xsf::ellipkinc;
using xsf::ellipkm1;
using xsf::erf;
using xsf::erfc;
using xsf::erfcx;
using xsf::erfi;
using xsf::exp1;
using xsf::exp10;
using xsf::expi;
using xsf::expit;
using xsf::exprel;
using xsf::fresnel;
using xsf::gamma;
using xsf::gammainc;
using xsf::gammaincc;
using xsf::gammainccinv;
using xsf::gammaincinv;
using xsf::gammaln;
using xsf::gammasgn;
using xsf::gdtr;
using xsf::gdtrc;
using xsf::gdtrib;
using xsf::it2i0k0;
using xsf::it2j0y0;
using xsf::it2struve0;
using xsf::itairy;
using xsf::itmodstruve0;
using xsf::itstruve0;
using xsf::kei;
using xsf::keip;
using xsf::kelvin;
using xsf::ker;
using xsf::kerp;
using xsf::kolmogi;
using xsf::kolmogorov;
using xsf::log_expit;
using xsf::log_ndtr;
using xsf::log_wright_bessel;
using xsf::loggamma;
using xsf::logit;
using xsf::ndtr;
using xsf::ndtri;
using xsf::owens_t;
using xsf::pbdv;
using xsf::pbvv;
using xsf::pbwa;
using xsf::pdtr;
using xsf::pdtrc;
using xsf::radian;
using xsf::rgamma;
using xsf::riemann_zeta;
using xsf::shichi;
using xsf::sici;
using xsf::sindg;
using xsf::sinpi;
using xsf::tandg;
using xsf::voigt_profile;
using xsf::wofz;
using xsf::wright_bessel;
using xsf::xlog1py;
using xsf::xlogy;
using xsf::zetac;
using xsf::cephes::erfcinv;
using xsf::cephes::poch;

// Under another name there.
#define HEDDLE_NAMED(ours, theirs) \
  auto ours(auto&&... x) { return xsf::theirs(x...); }
HEDDLE_NAMED(i0, cyl_bessel_i0)
HEDDLE_NAMED(i0e, cyl_bessel_i0e)
HEDDLE_NAMED(i1, cyl_bessel_i1)
HEDDLE_NAMED(i1e, cyl_bessel_i1e)
HEDDLE_NAMED(j0, cyl_bessel_j0)
HEDDLE_NAMED(j1, cyl_bessel_j1)
HEDDLE_NAMED(k0, cyl_bessel_k0)
HEDDLE_NAMED(k0e, cyl_bessel_k0e)
HEDDLE_NAMED(k1, cyl_bessel_k1)
HEDDLE_NAMED(k1e, cyl_bessel_k1e)
HEDDLE_NAMED(y0, cyl_bessel_y0)
HEDDLE_NAMED(y1, cyl_bessel_y1)
HEDDLE_NAMED(jv, cyl_bessel_j)
HEDDLE_NAMED(jve, cyl_bessel_je)
HEDDLE_NAMED(yv, cyl_bessel_y)
HEDDLE_NAMED(yve, cyl_bessel_ye)
HEDDLE_NAMED(iv, cyl_bessel_i)
HEDDLE_NAMED(ive, cyl_bessel_ie)
HEDDLE_NAMED(kv, cyl_bessel_k)
HEDDLE_NAMED(kve, cyl_bessel_ke)
HEDDLE_NAMED(hankel1, cyl_hankel_1)
HEDDLE_NAMED(hankel1e, cyl_hankel_1e)
HEDDLE_NAMED(hankel2, cyl_hankel_2)
HEDDLE_NAMED(hankel2e, cyl_hankel_2e)
HEDDLE_NAMED(iti0k0, it1i0k0)
HEDDLE_NAMED(itj0y0, it1j0y0)
HEDDLE_NAMED(struve, struve_h)
HEDDLE_NAMED(modstruve, struve_l)
HEDDLE_NAMED(lpmv, pmv)
HEDDLE_NAMED(tklmbda, tukeylambdacdf)
HEDDLE_NAMED(mathieu_a, cem_cva)
HEDDLE_NAMED(mathieu_b, sem_cva)
// For orders and parameters beyond what these compute, xsf's counts of coefficients overflow, and
// it would read outside of its tables.
#define HEDDLE_BOUNDED(name, theirs)                                         \
  inline void name(double m, double q, double x, double& f, double& slope) { \
    if (m > 1e9 || !(std::abs(q) <= 1e9)) {                                  \
      f = slope = nan;                                                       \
    } else {                                                                 \
      xsf::theirs(m, q, x, f, slope);                                        \
    }                                                                        \
  }
HEDDLE_BOUNDED(mathieu_cem, cem)
HEDDLE_BOUNDED(mathieu_sem, sem)
HEDDLE_BOUNDED(mathieu_modcem1, mcm1)
HEDDLE_BOUNDED(mathieu_modcem2, mcm2)
HEDDLE_BOUNDED(mathieu_modsem1, msm1)
HEDDLE_BOUNDED(mathieu_modsem2, msm2)
#undef HEDDLE_BOUNDED
HEDDLE_NAMED(modfresnelp, modified_fresnel_plus)
HEDDLE_NAMED(modfresnelm, modified_fresnel_minus)
HEDDLE_NAMED(zeta_of, zeta)
HEDDLE_NAMED(lambertw_of, lambertw)
HEDDLE_NAMED(spherical_j, sph_bessel_j)
HEDDLE_NAMED(spherical_y, sph_bessel_y)
HEDDLE_NAMED(spherical_i, sph_bessel_i)
HEDDLE_NAMED(spherical_k, sph_bessel_k)
HEDDLE_NAMED(spherical_j_slope, sph_bessel_j_jac)
HEDDLE_NAMED(spherical_y_slope, sph_bessel_y_jac)
HEDDLE_NAMED(spherical_i_slope, sph_bessel_i_jac)
HEDDLE_NAMED(spherical_k_slope, sph_bessel_k_jac)
#undef HEDDLE_NAMED

// Spheroidal functions: xsf's tables have room for 300 coefficients of eigenvalues, and for 200 of
// the functions, whose number grows with n - m and c; radial functions need twice as many, and m
// more. What needs more would be written behind them. c counts by its square.
inline double terms(double m, double n, double c) { return (n - m) / 2 + std::abs(c); }

template <class F>
double eigenvalue(F f, double m, double n, double c) {
  return terms(m, n, c) <= 280 && m <= 1e9 ? f(m, n, std::abs(c)) : nan;
}
template <class F>
void angular(F f, double m, double n, double c, double& value, double& slope) {
  value = slope = nan;
  if (terms(m, n, c) <= 165 && m <= 1e4) f(std::abs(c), value, slope);
}
template <class F>
void radial(F f, double m, double n, double c, double& value, double& slope) {
  value = slope = nan;
  if (c >= 0 && 2 * terms(m, n, c) + m <= 190) f(c, value, slope);
}

#define HEDDLE_SPHEROIDAL(kind, name, theirs)                                                     \
  void name(double m, double n, double c, double x, double& value, double& slope) {               \
    auto found = [&](double c, double& y, double& dy) { xsf::theirs##_nocv(m, n, c, x, y, dy); }; \
    kind(found, m, n, c, value, slope);                                                           \
  }                                                                                               \
  void name##_cv(double m, double n, double c, double cv, double x, double& value,                \
                 double& slope) {                                                                 \
    auto found = [&](double c, double& y, double& dy) { xsf::theirs(m, n, c, cv, x, y, dy); };    \
    kind(found, m, n, c, value, slope);                                                           \
  }
HEDDLE_SPHEROIDAL(angular, obl_ang1, oblate_aswfa)
HEDDLE_SPHEROIDAL(radial, obl_rad1, oblate_radial1)
HEDDLE_SPHEROIDAL(radial, obl_rad2, oblate_radial2)
HEDDLE_SPHEROIDAL(angular, pro_ang1, prolate_aswfa)
HEDDLE_SPHEROIDAL(radial, pro_rad1, prolate_radial1)
HEDDLE_SPHEROIDAL(radial, pro_rad2, prolate_radial2)
#undef HEDDLE_SPHEROIDAL
double obl_cv(double m, double n, double c) {
  return eigenvalue(xsf::oblate_segv<double>, m, n, c);
}
double pro_cv(double m, double n, double c) {
  return eigenvalue(xsf::prolate_segv<double>, m, n, c);
}

heddle::special::Complex spherical_harmonic(long n, long m, double theta, double phi) {
  return xsf::sph_harm_y(static_cast<int>(n), static_cast<int>(m), theta, phi);
}

// Those of an integer: what SciPy does with a number that is none is to cut it.
#define HEDDLE_OF_INTEGER(name, ...)                                 \
  double name##_order(long n, double x) {                            \
    const int order = static_cast<int>(n);                           \
    return __VA_ARGS__;                                              \
  }                                                                  \
  double name(double n, double x) {                                  \
    return std::isnan(n) ? n : name##_order(static_cast<int>(n), x); \
  }
HEDDLE_OF_INTEGER(expn, xsf::cephes::expn(order, x))
HEDDLE_OF_INTEGER(yn, xsf::cephes::yn(order, x))
HEDDLE_OF_INTEGER(kn, xsf::cyl_bessel_k(static_cast<double>(n), x))
HEDDLE_OF_INTEGER(pdtri, xsf::pdtri(order, x))
HEDDLE_OF_INTEGER(smirnov, xsf::smirnov(order, x))
HEDDLE_OF_INTEGER(smirnovi, xsf::smirnovi(order, x))
#undef HEDDLE_OF_INTEGER

#define HEDDLE_BINOMIAL(name)                                                                      \
  double name##_order(double k, long n, double p) { return xsf::name(k, static_cast<int>(n), p); } \
  double name(double k, double n, double p) {                                                      \
    return std::isfinite(n) ? xsf::name(k, static_cast<int>(n), p) : nan;                          \
  }
HEDDLE_BINOMIAL(bdtr)
HEDDLE_BINOMIAL(bdtrc)
HEDDLE_BINOMIAL(bdtri)
#undef HEDDLE_BINOMIAL

#define HEDDLE_NEGATIVE_BINOMIAL(name)                             \
  double name##_order(long k, long n, double p) {                  \
    return xsf::name(static_cast<int>(k), static_cast<int>(n), p); \
  }                                                                \
  double name(double k, double n, double p) {                      \
    if (std::isnan(k) || std::isnan(n)) return nan;                \
    return xsf::name(static_cast<int>(k), static_cast<int>(n), p); \
  }
HEDDLE_NEGATIVE_BINOMIAL(nbdtr)
HEDDLE_NEGATIVE_BINOMIAL(nbdtrc)
HEDDLE_NEGATIVE_BINOMIAL(nbdtri)
#undef HEDDLE_NEGATIVE_BINOMIAL

double gdtria(double p, double b, double x) {
  if (x == 0) return nan;
  if (b == 0 && p == 0) return std::isinf(x) && x > 0 ? nan : 0.0;
  return xsf::gammaincinv(b, p) / x;
}

double gdtrix(double a, double b, double p) {
  if (a == 0 && b == 0) return nan;
  if ((std::isinf(a) || std::isinf(b)) && a >= 0 && b >= 0) return nan;
  return xsf::gammaincinv(b, p) / a;
}

}  // namespace functions

}  // namespace

#define HEDDLE_IF_xsf(...) __VA_ARGS__
#define HEDDLE_IF_boost(...)
#define HEDDLE_IF_scipy(...)
#define HEDDLE_IF_written(...)
HEDDLE_WRAP_ROWS()
