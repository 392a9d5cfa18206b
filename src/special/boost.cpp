// Functions of Boost.Math (Boost Software License), called as SciPy calls them: by the wrappers of
// its boost_special_functions.h. These catch exceptions, of which kernels have none: Boost is told
// to give what SciPy makes of them, nan where an argument is outside of the domain, infinity where
// a result is beyond the largest number, and the best guess where a series does not converge.
#include "special/wrap.h"

#define BOOST_MATH_STANDALONE 1
#define BOOST_MATH_NO_EXCEPTIONS
#define BOOST_MATH_DISABLE_FLOAT128
#define BOOST_MATH_PROMOTE_DOUBLE_POLICY false
#define BOOST_MATH_DOMAIN_ERROR_POLICY ignore_error
#define BOOST_MATH_POLE_ERROR_POLICY ignore_error
#define BOOST_MATH_OVERFLOW_ERROR_POLICY ignore_error
#define BOOST_MATH_UNDERFLOW_ERROR_POLICY ignore_error
#define BOOST_MATH_DENORM_ERROR_POLICY ignore_error
#define BOOST_MATH_EVALUATION_ERROR_POLICY user_error
#define BOOST_MATH_ROUNDING_ERROR_POLICY ignore_error
#define BOOST_MATH_INDETERMINATE_RESULT_ERROR_POLICY ignore_error

// Kernels have no variables, which functions of Boost initialise when they are first called: a
// constant, and others that are made anew by each call.
#define _CRAYC  // does not ask an x86 how it rounds
#include <boost/math/special_functions/next.hpp>
#undef _CRAYC
template <>
inline double boost::math::detail::get_min_shift_value<double>() {
  return 0x1p-968;  // 2^(digits + 1) times the smallest normal number
}
// clang-format off: in the order that they need
#include <boost/math/special_functions/detail/hypergeometric_series.hpp>
#include <boost/math/special_functions/detail/hypergeometric_asym.hpp>
#include <boost/math/special_functions/detail/hypergeometric_rational.hpp>
#include <boost/math/special_functions/detail/hypergeometric_1F1_recurrence.hpp>
#include <boost/math/special_functions/detail/hypergeometric_1F1_by_ratios.hpp>
#include <boost/math/special_functions/detail/hypergeometric_pade.hpp>
#include <boost/math/special_functions/detail/hypergeometric_1F1_bessel.hpp>
#include <boost/math/special_functions/detail/hypergeometric_1F1_scaled_series.hpp>
#include <boost/math/special_functions/detail/hypergeometric_pFq_checked_series.hpp>
#include <boost/math/special_functions/detail/hypergeometric_1F1_addition_theorems_on_z.hpp>
#include <boost/math/special_functions/detail/hypergeometric_1F1_large_abz.hpp>
#include <boost/math/special_functions/detail/hypergeometric_1F1_small_a_negative_b_by_ratio.hpp>
#include <boost/math/special_functions/detail/hypergeometric_1F1_negative_b_regions.hpp>
// clang-format on
#define static
#define thread_local
#include <boost/math/special_functions/hypergeometric_1F1.hpp>
#undef static
#undef thread_local

#include <boost/math/distributions.hpp>
#include <boost/math/distributions/inverse_gaussian.hpp>
#include <boost/math/special_functions/beta.hpp>
#include <boost/math/special_functions/erf.hpp>
#include <boost/math/special_functions/hypergeometric_pFq.hpp>
#include <boost/math/special_functions/powm1.hpp>
#include <xsf/specfun.h>

// What the wrappers say to Python, which is nowhere near.
namespace {
using PyGILState_STATE = int;
inline PyGILState_STATE PyGILState_Ensure() { return 0; }
inline void PyGILState_Release(PyGILState_STATE) {}
inline int PyExc_RuntimeWarning, PyExc_OverflowError;
inline void PyErr_WarnEx(int, const char*, int) {}
inline void PyErr_SetString(int, const char*) {}
struct Unnamed {
  const char* name() const { return ""; }
};
}  // namespace
// A sum that did not converge is no number, where SciPy's wrappers catch what Boost throws.
template <>
inline double boost::math::policies::user_evaluation_error(const char*, const char*,
                                                           const double&) {
  return NAN;
}
#include <sf_error.h>
#define sf_error(...) static_cast<void>(0)
#define typeid(type) Unnamed()
#define user_error ignore_error
#define try if constexpr (true)
#define catch(...) else if constexpr (false)
#include <boost_special_functions.h>
#undef try
#undef catch

namespace {
namespace functions {

#define HEDDLE_NAMED(ours, theirs) \
  double ours(auto... x) { return theirs##_double(x...); }
HEDDLE_NAMED(betainc, ibeta)
HEDDLE_NAMED(betaincinv, ibeta_inv)
HEDDLE_NAMED(betainccinv, ibetac_inv)
HEDDLE_NAMED(chdtriv, chdtriv)
HEDDLE_NAMED(chndtr, ncx2_cdf)
HEDDLE_NAMED(erfinv, erfinv)
HEDDLE_NAMED(fdtr, f_cdf)
HEDDLE_NAMED(fdtrc, f_sf)
HEDDLE_NAMED(fdtri, f_ppf)
HEDDLE_NAMED(ncfdtr, ncf_cdf)
HEDDLE_NAMED(ncfdtri, ncf_ppf)
HEDDLE_NAMED(nctdtr, nct_cdf)
HEDDLE_NAMED(nctdtrit, nct_ppf)
HEDDLE_NAMED(pdtrik, pdtrik)
HEDDLE_NAMED(powm1, powm1)
HEDDLE_NAMED(stdtr, t_cdf)
HEDDLE_NAMED(stdtrit, t_ppf)
#undef HEDDLE_NAMED

// Sums of so many terms do not end in a lifetime; SciPy's searches are given up on their way.
constexpr double endless = 1e12;
double chndtridf(double x, double p, double nc) {
  return nc >= endless ? NAN : ncx2_find_degrees_of_freedom_double(x, p, nc);
}
double chndtrinc(double x, double df, double p) {
  return x >= endless ? NAN : ncx2_find_noncentrality_double(x, df, p);
}
double chndtrix(double p, double df, double nc) {
  return nc >= endless ? NAN : ncx2_ppf_double(p, df, nc);
}

// The search begins before anybody looks whether x is a probability.
double btdtria(double p, double b, double x) { return x > 1 ? NAN : ibeta_inva_double(p, b, x); }
double btdtrib(double a, double p, double x) { return x > 1 ? NAN : ibeta_invb_double(a, p, x); }

// Boost takes the arcsine of numbers near 1 for a and b of a half, which loses digits. SciPy's is
// in long doubles: near the smallest normal numbers the result is proportional to a, or depends on
// a / b alone.
double betaincc(double a, double b, double x) {
  if (a == 0.5 && b == 0.5 && x > 0 && x < 0.5) return std::acos(std::sqrt(x)) * M_2_PI;
  constexpr double small = 0x1p-660, smaller = 0x1p-490;
  if (a > 0 && a < small && b > 0 && x > 0 && x < 1)
    return b < smaller ? 1 / (1 + b / a) : ibetac_double(small, b, x) * (a / small);
  return ibetac_double(a, b, x);
}

double hyp1f1(double a, double b, double x) { return hyp1f1_double(a, b, x); }
heddle::special::Complex hyp1f1(double a, double b, heddle::special::Complex z) {
  return xsf::hyp1f1(a, b, z);
}

}  // namespace functions
}  // namespace

#define HEDDLE_IF_xsf(...)
#define HEDDLE_IF_boost(...) __VA_ARGS__
#define HEDDLE_IF_scipy(...)
#define HEDDLE_IF_written(...)
HEDDLE_WRAP_ROWS()
