// Sums of exponentials, of which only results have to be in range.
#include <array>
#include <limits>

#include "ops/compose.h"
#include "ops/elementwise.h"
#include "ops/special.h"
#include <heddle/indexing.h>
#include <heddle/manipulation.h>

namespace heddle::special {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

array inexact(const array& x) { return as_type(x, inexact_type(x.dtype())); }

array total_of(const array& x, const Axes& axis) {
  return sum(x, Reduction{.axis = axis, .keepdims = true});
}

array masked(const array& x, const std::optional<array>& mask, double otherwise) {
  return mask ? where(*mask, x, Scalar(otherwise)) : x;
}

// The largest elements, as constants: results do not depend on them.
array largest_of(const array& x, const Axes& axis, const std::optional<array>& mask) {
  const array kept = masked(apply(Op::stopped, x), mask, -infinity);
  if (kept.size() == 0) return total_of(kept, axis) - infinity;
  return max(kept, Reduction{.axis = axis, .keepdims = true});
}

// As SciPy has it: of the largest terms, and of the sum of all others relative to theirs, so that
// results near zero have all digits.
LogarithmOfSum of_reals(const array& given, const std::optional<array>& b, const Axes& axis,
                        bool wants_sign) {
  // Nothing counts where its factor is 0, whatever its exponential.
  const array a = b ? where(*b == 0, Scalar(-infinity), given) : given;
  const array largest = max(a, Reduction{.axis = axis, .keepdims = true});
  const array is_largest = a == largest;
  const array others = where(is_largest, Scalar(0.0), exp(a - largest));
  const array ones = as_type(is_largest, a.dtype());
  const array many = total_of(b ? where(is_largest, *b, Scalar(0.0)) : ones, axis);
  array rest = total_of(b ? others * *b : others, axis);
  rest = where(rest == 0, rest, rest / many);
  array direction = sign(rest + 1) * sign(many);
  rest = where(rest < -1, -rest - 2, rest);
  array made = log1p(rest) + log(absolute(many)) + largest;
  if (!b) return {made, where(largest == -infinity, Scalar(0.0), direction)};
  const array direct = total_of(*b * exp(given), axis);
  const array finite = isfinite(made);
  direction = where(finite, direction, sign(direct));
  if (wants_sign) return {where(finite, made, log(absolute(direct))), direction};
  made = where(direction < 0, Scalar(std::numeric_limits<double>::quiet_NaN()), made);
  return {where(finite, made, log(direct)), direction};
}

LogarithmOfSum log_sum(const array& given, const LogSum& how, bool wants_sign) {
  array a = atleast_1d(inexact(given));
  std::optional<array> b;
  if (how.b) {
    const array factors = inexact(*how.b);
    const Dtype type = promote_types(a.dtype(), factors.dtype());
    const auto both = broadcast_arrays({as_type(a, type), as_type(factors, type)});
    a = both[0];
    b = both[1];
  }
  LogarithmOfSum made;
  if (is_complex(a.dtype())) {
    made = logarithm_of_sum(a, how.axis, b, std::nullopt, wants_sign);
  } else if (a.size() == 0) {
    made.logarithm = total_of(a, how.axis) - infinity;
    made.sign = sign(made.logarithm);
  } else {
    made = of_reals(a, b, how.axis, wants_sign);
  }
  if (how.keepdims) return made;
  return {squeeze(made.logarithm, how.axis), squeeze(made.sign, how.axis)};
}

}  // namespace

LogarithmOfSum logarithm_of_sum(const array& given, const Axes& axis, const std::optional<array>& b,
                                const std::optional<array>& mask, bool size) {
  // Nothing counts where its factor is 0, whatever its exponential.
  const array counted = b ? where(*b == 0, Scalar(-infinity), given) : given;
  const array a = masked(counted, mask, -infinity);
  // Sizes are the real parts' alone: imaginary ones turn, and are left to the sum.
  const bool turning = is_complex(a.dtype());
  array largest = largest_of(turning ? real(a) : a, axis, std::nullopt);
  largest = where(isfinite(largest), largest, Scalar(0.0));
  const array powers = exp(a - largest);
  array total = total_of(b ? powers * *b : powers, axis);
  const array direction = sign(total);
  if (size && (b || turning)) total = absolute(total);
  return {log(total) + largest, direction};
}

array softmax_where(const array& x, const Axes& axis, const std::optional<array>& mask) {
  const array powers = masked(exp(x - largest_of(x, axis, mask)), mask, 0);
  // Where nothing counts the sum is 0, and so are the elements.
  return masked(powers / total_of(powers, axis), mask, 0);
}

array log_softmax_where(const array& x, const Axes& axis, const std::optional<array>& mask) {
  const array shifted = x - largest_of(x, axis, mask);
  const array made = shifted - log(total_of(masked(exp(shifted), mask, 0), axis));
  return masked(made, mask, -infinity);
}

namespace {

// SciPy refuses to look for the largest of nothing.
void check_not_empty(const array& x, const Axes& axis) {
  if (x.size() == 0) max(x, Reduction{.axis = axis});
}

// Of the type that exponentials have: float16 for int8. Differences of truth values there are not.
array exponents_of(const array& x) {
  if (x.dtype() == Dtype::bool_) subtract(x, x);
  return as_type(x, resolve(Op::exp, std::array{Input(x)}).result);
}

}  // namespace

array softmax(const array& x, const Axes& axis) {
  check_not_empty(x, axis);
  return softmax_where(exponents_of(x), axis, std::nullopt);
}
array log_softmax(const array& x, const Axes& axis) {
  check_not_empty(x, axis);
  return log_softmax_where(exponents_of(x), axis, std::nullopt);
}

array logsumexp(const array& a, const LogSum& how) { return log_sum(a, how, false).logarithm; }

std::pair<array, array> logsumexp_and_sign(const array& a, const LogSum& how) {
  LogarithmOfSum made = log_sum(a, how, true);
  return {std::move(made.logarithm), std::move(made.sign)};
}

array softplus(const array& x) { return logaddexp(Scalar(0), x); }

}  // namespace heddle::special
