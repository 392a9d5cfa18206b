// Series of polynomials beyond what the public heddle/series.h declares: of coefficients that are
// numbers.
#pragma once

#include <complex>
#include <span>
#include <string_view>
#include <vector>

#include <heddle/series.h>

namespace heddle::polynomial {

// By the prefix of its functions: "cheb".
HEDDLE_API Family family_of(std::string_view prefix);
// The series at x. Numbers are weak, and constants of the kernel: another series of the same degree
// compiles nothing. Coefficients of an array are its parts along the first axis, which broadcast
// against x.
HEDDLE_API array clenshaw(Family family, std::span<const double> c, const array& x);
HEDDLE_API array clenshaw(Family family, std::span<const std::complex<double>> c, const array& x);
HEDDLE_API array clenshaw(Family family, const array& c, const array& x);
// P[0](x) up to P[degree](x).
HEDDLE_API std::vector<array> columns(Family family, const array& x, std::int64_t degree);

}  // namespace heddle::polynomial
