// What the generated functions of heddle/ufuncs.h call, and the few that are no row of the table.
#include <heddle/ufuncs.h>

#include <vector>

#include "ops/elementwise.h"
#include "ops/operators.h"

namespace heddle {

array apply(Op op, const array& x) { return elementwise(op, {x}); }
array apply(Op op, const array& x1, const array& x2) { return binary(op, x1, x2); }
array apply(Op op, const array& x1, Scalar x2) { return binary(op, x1, x2); }
array apply(Op op, Scalar x1, const array& x2) { return binary(op, x1, x2); }
array apply(Op op, std::span<const array> operands) {
  const std::vector<Input> inputs(operands.begin(), operands.end());
  return elementwise(op, inputs);
}

std::pair<array, array> divmod(const array& x1, const array& x2) {
  return {floor_divide(x1, x2), remainder(x1, x2)};
}
std::pair<array, array> divmod(const array& x1, Scalar x2) {
  return {floor_divide(x1, x2), remainder(x1, x2)};
}
std::pair<array, array> divmod(Scalar x1, const array& x2) {
  return {floor_divide(x1, x2), remainder(x1, x2)};
}
std::pair<array, array> modf(const array& x) {
  return {elementwise(Op::modf_fraction, {x}), elementwise(Op::modf_integer, {x})};
}
std::pair<array, array> frexp(const array& x) {
  return {elementwise(Op::frexp_mantissa, {x}), elementwise(Op::frexp_exponent, {x})};
}

array real(const array& x) { return elementwise(Op::real, {x}); }
array imag(const array& x) { return elementwise(Op::imag, {x}); }

array clip(const array& a, const Input& low, const Input& high) {
  const Input inputs[] = {a, low, high};
  const Dtype dtype = common_type(inputs);
  return elementwise(Op::minimum, {elementwise(Op::maximum, {a, low}, dtype), high}, dtype);
}

array clip(const array& a, const array& low, const array& high) {
  return clip(a, Input(low), Input(high));
}

array clip(const array& a, Scalar low, Scalar high) {
  // An integer beyond the type's range is no limit at all.
  bool open_below = !low.fits(a.dtype()) && !low.huge() && low.integer() < 0;
  bool open_above = !high.fits(a.dtype()) && (high.huge() || high.integer() > 0);
  array result = open_below ? a.copy() : maximum(a, low);
  return open_above ? result : minimum(result, high);
}

}  // namespace heddle
