// What operations cost, after their rows.
#pragma once

#include <heddle/op_table.h>

namespace heddle::kernel {

// In cheap arithmetic instructions per element.
constexpr double op_cost(Op op) {
  if (!is_elementwise(op)) return op == Op::random ? 10 : 1;
  switch (info(op).cost) {
    case Cost::cheap:
    case Cost::modulus:
      return 1;
    case Cost::quotient:
      return 4;
    case Cost::inlined:
    case Cost::function:
      return 20;
    case Cost::routine:
      return 200;
  }
  return 20;
}

// Operations that call a function or need very many instructions: one register per value is plenty.
constexpr bool is_heavy(Op op, Dtype dtype) {
  if (!is_elementwise(op)) return false;
  switch (info(op).cost) {
    case Cost::cheap:
      return false;
    case Cost::modulus:
      return is_complex(dtype);
    case Cost::quotient:
      return is_complex(dtype) || is_integer(dtype);
    case Cost::inlined:
      return dtype != Dtype::float32;  // two at a time hide its latency
    case Cost::function:
    case Cost::routine:
      return true;
  }
  return true;
}

}  // namespace heddle::kernel
