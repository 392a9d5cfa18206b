#include "ops/linalg_rules.h"

#include "ops/creation.h"
#include "ops/elementwise.h"
#include <heddle/indexing.h>
#include <heddle/linalg.h>
#include <heddle/manipulation.h>
#include <heddle/ufuncs.h>

namespace heddle::linalg {

array length_of(const array& squares) {
  if (!differentiated()) return sqrt(squares);
  const array none = squares == 0;
  return where(none, Scalar(0), sqrt(where(none, Scalar(1), squares)));
}

array typed(const array& a, Dtype dtype) { return a.dtype() == dtype ? a : cast(a, dtype); }

array conjugated(const array& a) { return is_complex(a.dtype()) ? conjugate(a) : a; }
array adjoint(const array& a) { return swapped(conjugated(a)); }
array symmetrised(const array& a) { return (a + adjoint(a)) * 0.5; }

array of_columns(const array& numbers) { return expand_dims(numbers, -2); }
array of_rows(const array& numbers) { return expand_dims(numbers, -1); }
array of_matrices(const array& numbers) { return expand_dims(numbers, Axes{-2, -1}); }

array inverse_differences(const array& w) {
  const array differences = of_columns(w) - of_rows(w);
  const array ones = identity(differences.shape(), w.dtype(), w.device());
  return reciprocal(differences + ones) - ones;
}

array with_diagonal(const array& numbers) {
  const auto n = numbers.shape(-1);
  return of_columns(numbers) * identity({n, n}, numbers.dtype(), numbers.device());
}

array divided(const array& a, const array& b) { return swapped(solve(swapped(b), swapped(a))); }

std::optional<array> adjoint_cotangent(const graph::Pullback& step, int output) {
  const auto g = step.cotangent(output);
  if (!g) return std::nullopt;
  return conjugated(*g);
}

}  // namespace heddle::linalg
