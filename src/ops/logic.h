// Comparisons within a tolerance, of arrays and weak numbers.
#pragma once

#include "ops/elementwise.h"

namespace heddle {

// Whether x is y within atol + rtol |y|.
HEDDLE_API array is_close(const Input& x, const Input& y, const Input& rtol, const Input& atol,
                          bool equal_nan);

}  // namespace heddle
