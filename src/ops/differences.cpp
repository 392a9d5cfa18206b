#include "ops/differences.h"

#include <cmath>

#include "ops/creation.h"
#include "ops/elementwise.h"
#include "ops/write.h"

namespace heddle {

namespace {

// a / number; where that is exact by the reciprocal, which takes less time, or not at all.
array divided(array a, double number) {
  if (number == 1) return a;
  int exponent = 0;
  const double fraction = std::frexp(number, &exponent);
  const bool power_of_two = std::abs(fraction) == 0.5 && std::abs(exponent - 1) <= 8;
  const bool exact = power_of_two && !is_complex(a.dtype());
  const Scalar factor(exact ? 1 / number : number);
  return elementwise(exact ? Op::multiply : Op::divide, {a, factor});
}

array difference(const array& after, const array& before) {
  return elementwise(Op::subtract, {after, before});
}

}  // namespace

array gradient(const array& a, std::int64_t axis, double step) {
  auto part = [axis](const array& of, std::optional<std::int64_t> first,
                     std::optional<std::int64_t> end) { return of.slice(axis, Slice{first, end}); };
  array result = empty(a.shape(), a.dtype(), a.device());
  write(part(result, 1, -1), divided(difference(part(a, 2, {}), part(a, {}, -2)), 2 * step));
  write(part(result, 0, 1), divided(difference(part(a, 1, 2), part(a, 0, 1)), step));
  write(part(result, -1, {}), divided(difference(part(a, -1, {}), part(a, -2, -1)), step));
  return result;
}

array diff(const array& a, std::int64_t n, std::int64_t axis) {
  const Op minus = a.dtype() == Dtype::bool_ ? Op::not_equal : Op::subtract;
  array result = a;
  for (std::int64_t i = 0; i < n; ++i) {
    const array after = result.slice(axis, Slice{1, {}}),
                before = result.slice(axis, Slice{{}, -1});
    result = elementwise(minus, {after, before});
  }
  return result;
}

}  // namespace heddle
