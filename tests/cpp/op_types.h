// Which types a row of the op table allows, and what it gives for them.
#pragma once

#include <heddle/op_table.h>

namespace heddle::test {

inline bool allows(Types types, Dtype d) {
  switch (types) {
    case Types::all:
      return true;
    case Types::number:
      return d != Dtype::bool_;
    case Types::real:
      return is_integer(d) || is_floating(d);
    case Types::rounded:
      return !is_complex(d);
    case Types::integer:
      return is_integer(d);
    case Types::bits:
      return is_integer(d) || d == Dtype::bool_;
    case Types::floating:
      return is_floating(d);
    case Types::inexact:
      return is_inexact(d);
    case Types::doubles:
      return d == Dtype::float64 || d == Dtype::complex128;
  }
  return false;
}

inline Dtype result_type_of(Op op, Dtype d) {
  if (op == Op::make_complex) return complex_type(d);
  switch (info(op).result) {
    case Result::boolean:
      return Dtype::bool_;
    case Result::real:
      return real_type(d);
    case Result::count:
      return Dtype::uint8;
    case Result::int32:
      return Dtype::int32;
    default:
      return d;
  }
}

}  // namespace heddle::test
