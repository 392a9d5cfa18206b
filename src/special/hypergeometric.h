// Gauss' hypergeometric function of real numbers: xsf's, where that ends.
#pragma once

#include <algorithm>
#include <cmath>
#include <complex>
#include <utility>

#include <xsf/hyp2f1.h>

namespace heddle::special {

// Where the series fails and c - a - b is negative, xsf raises c until it is positive, and asks
// itself: for ever where x is nan, or c so large that c + 2 is c. Such parameters are transformed
// first, to ones whose difference is positive.
inline double hyp2f1(double a, double b, double c, double x) {
  if (std::isnan(x)) return (a == 0 || b == 0) && c != 0 ? 1 : x;
  constexpr double whole = 0x1p52;  // at least: all numbers are whole
  const bool large = std::max({std::abs(a), std::abs(b), std::abs(c)}) >= whole;
  double factor = 1;
  if (large && x < -1) {
    if (std::abs(a) >= std::abs(b)) std::swap(a, b);
    factor = std::pow(1 - x, -a);
    b = c - b;
    x /= x - 1;
  }
  const double difference = c - a - b;
  if (large && difference < 0 && difference > -1 && std::abs(x) < 1) {
    factor *= std::pow(1 - x, difference);
    a = c - a;
    b = c - b;
  }
  return factor * xsf::hyp2f1(a, b, c, x);
}

inline std::complex<double> hyp2f1(double a, double b, double c, std::complex<double> z) {
  return xsf::hyp2f1(a, b, c, z);
}

}  // namespace heddle::special
