#include <heddle/logic.h>

#include <cmath>
#include <complex>
#include <optional>

#include <fmt/format.h>

#include "graph/recorder.h"
#include "graph/storage.h"
#include "ops/compose.h"
#include "ops/creation.h"
#include "ops/logic.h"
#include "ops/reported.h"
#include <heddle/errors.h>
#include <heddle/indexing.h>
#include <heddle/reductions.h>
#include <heddle/ufuncs.h>

namespace heddle {

namespace {

bool is_true_everywhere(const array& a) { return all(a).item<bool>(); }

array none(const array& a) { return full(a.shape(), false, Dtype::bool_, a.device()); }

array both_nan(const array& a, const array& b) {
  return has_nans(a) && has_nans(b) ? logical_and(isnan(a), isnan(b)) : none(a == b);
}

std::complex<double> number(const Input& x) { return {x.scalar_->real(), x.scalar_->imag()}; }

// atol + rtol |y|. Of numbers it is one, which does not decide about types.
struct Bound {
  Bound(const Input& y, const Input& rtol, const Input& atol) {
    if (y.is_scalar() && rtol.is_scalar() && atol.is_scalar()) {
      scalar = Scalar(number(atol).real() + number(rtol).real() * std::abs(number(y)));
    } else {
      const array size = elementwise(Op::absolute, {y});
      values = elementwise(Op::add, {atol, elementwise(Op::multiply, {rtol, size})});
    }
  }
  Input input() const { return values ? Input(*values) : Input(scalar); }

  std::optional<array> values;
  Scalar scalar = 0;
};

array test_of(Op test, const Input& x) {
  if (!x.is_scalar()) return elementwise(test, {x});
  const auto value = number(x);
  const bool nan = std::isnan(value.real()) || std::isnan(value.imag());
  const bool finite = std::isfinite(value.real()) && std::isfinite(value.imag());
  return array(Scalar(test == Op::isnan ? nan : finite));
}

}  // namespace

array is_close(const Input& x, const Input& y, const Input& rtol, const Input& atol,
               bool equal_nan) {
  const Harmless infinite;  // distances of infinities
  const Bound bound(y, rtol, atol);
  const array distance = elementwise(Op::absolute, {elementwise(Op::subtract, {x, y})});
  const array near = elementwise(Op::less_equal, {distance, bound.input()});
  array found =
      logical_or(logical_and(near, test_of(Op::isfinite, y)), elementwise(Op::equal, {x, y}));
  if (!equal_nan) return found;
  return logical_or(found, logical_and(test_of(Op::isnan, x), test_of(Op::isnan, y)));
}

array isclose(const array& a, const array& b, const Tolerance& within) {
  if (!std::isfinite(within.rtol) || !std::isfinite(within.atol)) {
    warn("One of rtol or atol is not valid");
  }
  const array y = as_type(b, inexact_type(b.dtype()));
  return is_close(a, y, Scalar(within.rtol), Scalar(within.atol), within.equal_nan);
}

bool allclose(const array& a, const array& b, const Tolerance& within) {
  return is_true_everywhere(isclose(a, b, within));
}

bool array_equal(const array& a, const array& b, bool equal_nan) {
  if (a.shape() != b.shape()) return false;
  return is_true_everywhere(equal_nan ? logical_or(a == b, both_nan(a, b)) : a == b);
}

bool array_equiv(const array& a, const array& b) {
  try {
    broadcast_shapes("array_equiv", a.shape(), b.shape());
  } catch (const value_error&) {
    return false;
  }
  return is_true_everywhere(a == b);
}

array iscomplex(const array& a) { return is_complex(a.dtype()) ? imag(a) != 0 : none(a); }
array isreal(const array& a) { return imag(a) == 0; }

namespace {

array infinite(const char* op, const array& a, bool negative) {
  if (is_complex(a.dtype())) {
    throw type_error(
        fmt::format("This operation is not supported for {} values because it would "
                    "be ambiguous ({}).",
                    name(a.dtype()), op));
  }
  if (!has_nans(a)) return none(a);
  const array below = signbit(a);
  return logical_and(isinf(a), negative ? below : logical_not(below));
}

}  // namespace

array isposinf(const array& a) { return infinite("isposinf", a, false); }
array isneginf(const array& a) { return infinite("isneginf", a, true); }

bool may_share_memory(const array& a, const array& b) {
  if (a.number() || b.number() || &a.storage() != &b.storage()) return false;
  const auto first = extent_of(a.layout()), second = extent_of(b.layout());
  if (!first || !second) return false;
  const auto of_a = itemsize(a.dtype()), of_b = itemsize(b.dtype());
  return first->first * of_a < (second->second + 1) * of_b &&
         second->first * of_b < (first->second + 1) * of_a;
}

}  // namespace heddle
