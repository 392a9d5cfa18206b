// The six families of polynomials, as tables of numbers: everything else is written once, over
// these, here and in Python.
//
// The coefficients of a three-term recurrence are small whole numbers, so that what follows from
// them is rounded once:
//
//   p P[n+1](x) = (q x + r) P[n](x) - s P[n-1](x),  P[0] = 1
#pragma once

#include <string_view>

#include <heddle/series.h>

namespace heddle::polynomial {

struct FamilyFacts {
  std::string_view prefix;  // of its functions: "cheb"
  double low, high;         // the interval it is used on
  double mass;              // the integral of its weight
  // Derivatives have the coefficients after(i) * sum(before(j) * c[j]) over j from i + 1 in steps
  // of this; over j = i + 1 alone where it is 0.
  int stride;
};
HEDDLE_API const FamilyFacts& facts(Family family);
// By the prefix of its functions.
HEDDLE_API Family family_of(std::string_view prefix);

struct Recurrence {
  double p, q, r, s;
};
HEDDLE_API Recurrence recurrence(Family family, std::int64_t n);

// up P[n+1] + same P[n] + down P[n-1].
struct Terms {
  double up, same, down;
};
HEDDLE_API Terms times_x(Family family, std::int64_t n);  // x P[n]
HEDDLE_API Terms integral_of(Family family,
                             std::int64_t n);  // the integral of P[n], up to a constant

// The factors of a derivative: see FamilyFacts::stride.
HEDDLE_API double before(Family family, std::int64_t j);
HEDDLE_API double after(Family family, std::int64_t i);

}  // namespace heddle::polynomial
