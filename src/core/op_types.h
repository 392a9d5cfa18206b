// The types that rows of the op table compute in and give.
#pragma once

#include <optional>

#include <heddle/export.h>
#include <heddle/op_table.h>

namespace heddle {

// Whether a set of types has this one.
HEDDLE_API bool computes_in(Types types, Dtype dtype);
// The result type of the operation when it computes in `compute`.
HEDDLE_API Dtype result_type(Op op, Dtype compute);
// The first type of the op that all operands of type `from` can be cast to safely.
HEDDLE_API std::optional<Dtype> loop_type(Op op, Dtype from);

}  // namespace heddle
