// C and C++ of SciPy's own (BSD-3-Clause): Carlson's elliptic integrals, Wright's omega function,
// and parameters of distributions by CDFLIB.
#include "special/wrap.h"

// Nobody is told.
#include <sf_error.h>
#define sf_error(...) static_cast<void>(0)

#include <ellint_carlson_cpp_lite/ellint_carlson.hh>

// Begins with <Python.h>, of which it needs nothing: the build has an empty one.
#include <cdflib.c>
#include <wright.cc>

namespace {

using heddle::special::Complex;
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

// What SciPy makes of CDFLIB's answer: the bound of the search where the answer is beyond it.
double answer(const TupleDID& found) {
  if (found.i1 == 0) return found.d1;
  return found.i1 == 1 || found.i1 == 2 ? found.d2 : nan;
}

template <class... T>
bool any_nan(T... x) {
  return (std::isnan(x) || ...);
}

namespace functions {

constexpr double relative_error = 5e-16;
#define HEDDLE_CARLSON(name, theirs)                                \
  auto name(auto first, auto... rest) {                             \
    decltype(first) result;                                         \
    ellint_carlson::theirs(first, rest..., relative_error, result); \
    return result;                                                  \
  }
HEDDLE_CARLSON(elliprc, rc)
HEDDLE_CARLSON(elliprd, rd)
HEDDLE_CARLSON(elliprf, rf)
HEDDLE_CARLSON(elliprg, rg)
#undef HEDDLE_CARLSON
template <class T>
T elliprj(T x, T y, T z, T p) {
  T result;
  ellint_carlson::rj(x, y, z, p, relative_error, result);
  return result;
}

double wrightomega(double x) { return wright::wrightomega_real(x); }
Complex wrightomega(Complex z) { return wright::wrightomega(z); }

double bdtrik(double p, double n, double pr) {
  if (any_nan(p, pr) || !std::isfinite(n)) return nan;
  return answer(cdfbin_which2(p, 1.0 - p, n, pr, 1.0 - pr));
}
double bdtrin(double s, double p, double pr) {
  return any_nan(s, p, pr) ? nan : answer(cdfbin_which3(p, 1.0 - p, s, pr, 1.0 - pr));
}
double fdtridfd(double dfn, double p, double f) {
  return any_nan(dfn, p, f) ? nan : answer(cdff_which4(p, 1.0 - p, f, dfn));
}
double nbdtrik(double p, double n, double pr) {
  if (any_nan(p, pr) || !std::isfinite(n)) return nan;
  return answer(cdfnbn_which2(p, 1.0 - p, n, pr, 1.0 - pr));
}
double nbdtrin(double s, double p, double pr) {
  return any_nan(s, p, pr) ? nan : answer(cdfnbn_which3(p, 1.0 - p, s, pr, 1.0 - pr));
}
double ncfdtridfd(double dfn, double p, double nc, double f) {
  return any_nan(dfn, p, nc, f) ? nan : answer(cdffnc_which4(p, 1.0 - p, f, dfn, nc));
}
double ncfdtridfn(double p, double dfd, double nc, double f) {
  return any_nan(p, dfd, nc, f) ? nan : answer(cdffnc_which3(p, 1.0 - p, f, dfd, nc));
}
double ncfdtrinc(double dfn, double dfd, double p, double f) {
  return any_nan(dfn, dfd, p, f) ? nan : answer(cdffnc_which5(p, 1.0 - p, f, dfn, dfd));
}
double nctdtridf(double p, double nc, double t) {
  return any_nan(p, nc, t) ? nan : answer(cdftnc_which3(p, 1.0 - p, t, nc));
}
double nctdtrinc(double df, double p, double t) {
  return any_nan(df, p, t) ? nan : answer(cdftnc_which4(p, 1.0 - p, t, df));
}
double nrdtrimn(double p, double deviation, double x) {
  return any_nan(p, deviation, x) ? nan : answer(cdfnor_which3(p, 1.0 - p, x, deviation));
}
double nrdtrisd(double mean, double p, double x) {
  return any_nan(mean, p, x) ? nan : answer(cdfnor_which4(p, 1.0 - p, x, mean));
}
double stdtridf(double p, double t) {
  return any_nan(p, t) ? nan : answer(cdft_which3(p, 1.0 - p, t));
}

}  // namespace functions
}  // namespace

#define HEDDLE_IF_xsf(...)
#define HEDDLE_IF_boost(...)
#define HEDDLE_IF_scipy(...) __VA_ARGS__
#define HEDDLE_IF_written(...)
HEDDLE_WRAP_ROWS()
