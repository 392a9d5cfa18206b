// The rules of the primitives that kernels compute. Those of library steps stand beside them.
#pragma once

#include "graph/derivative.h"

namespace heddle::transform {

// Null where there is none.
const graph::Derivative* elementwise_derivative(Op op);
const graph::Derivative* reduce_derivative(Op combine);
const graph::Derivative* scan_derivative(Op combine);
const graph::Derivative* gather_derivative();
const graph::Derivative* update_derivative(const Node& update);

}  // namespace heddle::transform
