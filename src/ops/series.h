// Series of polynomials beyond what the public heddle/series.h declares: of coefficients that are
// numbers; and what fits of all kinds share.
#pragma once

#include <complex>
#include <span>
#include <vector>

#include "ops/series_families.h"

namespace heddle::polynomial {

// The series at x. Numbers are weak, and constants of the kernel: another series of the same degree
// compiles nothing. Coefficients of an array are its parts along the first axis, which broadcast
// against x.
HEDDLE_API array clenshaw(Family family, std::span<const double> c, const array& x);
HEDDLE_API array clenshaw(Family family, std::span<const std::complex<double>> c, const array& x);
HEDDLE_API array clenshaw(Family family, const array& c, const array& x);
// P[0](x) up to P[degree](x).
HEDDLE_API std::vector<array> columns(Family family, const array& x, std::int64_t degree);

// P[n+1] = (a x + b) P[n] - c P[n-1], with P[0] = 1.
struct Step {
  double a, b, c;
};
Step step(Family family, std::int64_t n);

// At least one coefficient in one dimension, of an inexact type; NumPy's errors.
array as_series(const array& c);
// The same without trailing zeros, of a common type.
std::vector<array> as_trimmed(std::initializer_list<array> series);
// Numbers that the host has, in the type of an array and where that is.
array beside(std::span<const double> numbers, const array& a);

// Throws where points, or the degrees of a fit, are not what NumPy fits.
void check_fit(const array& x, const array& y, std::int64_t least_degree);
// The weighted least-squares solution, with the columns scaled to one length first. Without rcond
// it is the precision of x times the number of points.
array least_squares(const array& matrix, const array& y, const std::optional<array>& weights,
                    std::optional<double> rcond);

}  // namespace heddle::polynomial
