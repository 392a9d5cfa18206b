// Formulas over parameters that are numbers or arrays: what is made of numbers alone is computed at
// once, everything else is recorded.
#pragma once

#include <cmath>
#include <optional>
#include <utility>

#include "ops/elementwise.h"
#include <heddle/random.h>

namespace heddle::random {

class Term {
 public:
  Term(double number) : number_(number), scalar_(number) {}
  Term(array values) : values_(std::move(values)), scalar_(0.0) {}
  Term(const Parameter& p) : Term(p.is_array() ? Term(p.values()) : Term(p.number())) {}
  bool is_array() const { return values_.has_value(); }
  double number() const { return number_; }
  const array& values() const { return *values_; }
  operator Input() const { return values_ ? Input(*values_) : Input(scalar_); }

 private:
  double number_ = 0;
  std::optional<array> values_;
  Scalar scalar_;
};

// What a comparison gives: one answer, or one for each element.
class Test {
 public:
  Test(bool holds) : holds_(holds) {}
  Test(array values) : values_(std::move(values)) {}
  bool is_array() const { return values_.has_value(); }
  bool holds() const { return holds_; }  // for all: false where there is one for each
  const array& values() const { return *values_; }

 private:
  bool holds_ = false;
  std::optional<array> values_;
};

#define HEDDLE_TERM_1(function, op, expression)        \
  inline Term function(const Term& x) {                \
    if (x.is_array()) return elementwise(Op::op, {x}); \
    const double a = x.number();                       \
    return expression;                                 \
  }
#define HEDDLE_TERM_2(result, function, op, expression)                   \
  inline result function(const Term& x, const Term& y) {                  \
    if (x.is_array() || y.is_array()) return elementwise(Op::op, {x, y}); \
    const double a = x.number(), b = y.number();                          \
    return expression;                                                    \
  }

HEDDLE_TERM_1(operator-, negative, -a)
HEDDLE_TERM_1(log, log, std::log(a))
HEDDLE_TERM_1(log1p, log1p, std::log1p(a))
HEDDLE_TERM_1(exp, exp, std::exp(a))
HEDDLE_TERM_1(expm1, expm1, std::expm1(a))
HEDDLE_TERM_1(sqrt, sqrt, std::sqrt(a))
HEDDLE_TERM_1(tan, tan, std::tan(a))
HEDDLE_TERM_1(ceil, ceil, std::ceil(a))
HEDDLE_TERM_1(absolute, absolute, std::abs(a))
HEDDLE_TERM_2(Term, operator+, add, a + b)
HEDDLE_TERM_2(Term, operator-, subtract, a - b)
HEDDLE_TERM_2(Term, operator*, multiply, a* b)
HEDDLE_TERM_2(Term, operator/, divide, a / b)
HEDDLE_TERM_2(Term, power, power, std::pow(a, b))
HEDDLE_TERM_2(Term, remainder, remainder, a - std::floor(a / b) * b)
HEDDLE_TERM_2(Term, minimum, minimum, std::isnan(a) || a < b ? a : b)
HEDDLE_TERM_2(Term, maximum, maximum, std::isnan(a) || a > b ? a : b)
HEDDLE_TERM_2(Test, less, less, a < b)
HEDDLE_TERM_2(Test, less_equal, less_equal, a <= b)
HEDDLE_TERM_2(Test, greater, greater, a > b)
HEDDLE_TERM_2(Test, equal, equal, a == b)
HEDDLE_TERM_2(Test, not_equal, not_equal, a != b)
#undef HEDDLE_TERM_1
#undef HEDDLE_TERM_2

// Whether it is below, above, or no number.
inline Test not_within(const Term& x, double low, double high) {
  if (!x.is_array()) return !(x.number() >= low && x.number() <= high);
  const array inside =
      elementwise(Op::logical_and, {elementwise(Op::greater_equal, {x, Scalar(low)}),
                                    elementwise(Op::less_equal, {x, Scalar(high)})});
  return elementwise(Op::logical_not, {inside});
}

inline Term where(const Test& test, const Term& x, const Term& y) {
  if (!test.is_array()) return test.holds() ? x : y;
  return elementwise(Op::select, {test.values(), x, y});
}

}  // namespace heddle::random
