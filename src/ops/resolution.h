// What the types of an element-wise operation follow from, told without looking at all of its row.
#pragma once

#include <cstdint>

#include "core/dtype.h"
#include "core/op_types.h"
#include <heddle/dtype.h>
#include <heddle/op_table.h>

namespace heddle {

// What operations give where they compute in an inexact type and take all operands alike.
struct EvidentResults {
  static constexpr std::uint8_t none = 0xff;
  std::uint8_t of[table_ops][dtype_count];
  bool whatever_the_values[table_ops];  // no operand makes it another operation

  EvidentResults() {
    for (int row = 0; row < table_ops; ++row) {
      const auto op = static_cast<Op>(row);
      whatever_the_values[row] = !info(op).linked && info(op).of_orders == no_op &&
                                 op != Op::power && op != Op::float_power;
      for (int type = 0; type < dtype_count; ++type) {
        const auto dtype = static_cast<Dtype>(type);
        const bool evident =
            has_equal_operands(op) && is_inexact(dtype) && computes_in(info(op).types, dtype);
        of[row][type] = evident ? static_cast<std::uint8_t>(result_type(op, dtype)) : none;
      }
    }
  }
};

inline const EvidentResults& evident_results() {
  static const EvidentResults results;
  return results;
}

// The type in which an operation takes an operand, where that follows from the type computed in.
inline Dtype linked_operand_type(Op op, std::size_t i, Dtype compute) {
  const Takes takes = info(op).takes[i];
  return takes == Takes::order       ? Dtype::int64
         : takes == Takes::parameter ? real_type(compute)
                                     : compute;
}

}  // namespace heddle
