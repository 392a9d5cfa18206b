// Sums of exponentials beyond what the public heddle/special.h declares: of the elements that a
// mask selects.
#pragma once

#include <heddle/special.h>

namespace heddle::special {

// Elements that the mask leaves out are 0, and -inf. Nothing is made of nothing.
HEDDLE_API array softmax_where(const array& x, const Axes& axis, const std::optional<array>& mask);
HEDDLE_API array log_softmax_where(const array& x, const Axes& axis,
                                   const std::optional<array>& mask);

// log(sum(b exp(a))) over all axes named, which stay with extent 1; and the sum's sign. The largest
// elements are taken for constants: results do not depend on them. `size` takes the logarithm of
// the sum's size.
struct LogarithmOfSum {
  array logarithm, sign;
};
HEDDLE_API LogarithmOfSum logarithm_of_sum(const array& a, const Axes& axis,
                                           const std::optional<array>& b,
                                           const std::optional<array>& mask, bool size);

}  // namespace heddle::special
