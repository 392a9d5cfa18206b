// Reductions and scans.
#pragma once

#include <heddle/array.h>
#include <heddle/op_table.h>

namespace heddle {

// The set of axes as a bit mask; nothing means all. Throws axis_error, value_error (duplicates).
HEDDLE_API std::uint64_t axis_mask(std::string_view op, const std::optional<Dims>& axes,
                                   std::int64_t ndim);
// NumPy's type of a reduction: sums and products of small integers are int64 or uint64.
HEDDLE_API Dtype reduction_type(Op combine, Dtype dtype);
// The same of any binary operation, which may have no loop for the array's own type.
HEDDLE_API Dtype reduction_type(Op combine, const array& a);

// combine over the axes, computed in dtype. Throws value_error for an empty reduction without
// identity.
HEDDLE_API array reduce(Op combine, const array& a, std::uint64_t axes, bool keepdims, Dtype dtype);
// The same as a node, also where the number that it gives could be known at once.
array reduce_later(Op combine, const array& a, std::uint64_t axes, bool keepdims, Dtype dtype);
HEDDLE_API array arg_reduce(Op op, const array& a, std::uint64_t axes, bool keepdims);
// The running result along one axis.
HEDDLE_API array scan(Op combine, const array& a, std::int64_t axis, Dtype dtype);

}  // namespace heddle
