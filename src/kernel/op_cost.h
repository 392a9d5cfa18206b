// Rough costs of operations, in cheap arithmetic instructions per element.
#pragma once

#include "kernel/ir.h"

namespace heddle::kernel {

inline double op_cost(Op op) {
  switch (op) {
    case Op::add:
    case Op::subtract:
    case Op::multiply:
    case Op::negative:
    case Op::absolute:
    case Op::square:
    case Op::cast:
    case Op::select:
    case Op::gated:
    case Op::stopped:
    case Op::bounded:
    case Op::reported:
    case Op::maximum:
    case Op::minimum:
    case Op::greater:
    case Op::greater_equal:
    case Op::less:
    case Op::less_equal:
    case Op::equal:
    case Op::not_equal:
    case Op::bitwise_and:
    case Op::bitwise_or:
    case Op::bitwise_xor:
    case Op::logical_and:
    case Op::logical_or:
    case Op::logical_not:
    case Op::unit_interval:
      return 1;
    case Op::divide:
    case Op::sqrt:
    case Op::reciprocal:
      return 4;
    default:
      return 20;
  }
}

}  // namespace heddle::kernel
