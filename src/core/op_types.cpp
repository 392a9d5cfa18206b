#include "core/op_types.h"

#include "core/dtype.h"

namespace heddle {

bool computes_in(Types types, Dtype dtype) {
  switch (types) {
    case Types::all:
      return true;
    case Types::number:
      return dtype != Dtype::bool_;
    case Types::real:
      return dtype != Dtype::bool_ && !is_complex(dtype);
    case Types::rounded:
      return !is_complex(dtype);
    case Types::integer:
      return is_integer(dtype);
    case Types::bits:
      return dtype == Dtype::bool_ || is_integer(dtype);
    case Types::floating:
      return is_floating(dtype);
    case Types::inexact:
      return is_inexact(dtype);
    case Types::singles:
      return dtype == Dtype::float32 || dtype == Dtype::float64;
    case Types::doubles:
      return dtype == Dtype::float64 || dtype == Dtype::complex128;
    case Types::analytic:
      return is_inexact(dtype) && itemsize(real_type(dtype)) >= 4;
    case Types::complexes:
      return is_complex(dtype);
    case Types::float64s:
      return dtype == Dtype::float64;
    case Types::words:
      return dtype == Dtype::uint32 || dtype == Dtype::uint64;
  }
  return false;
}

Dtype result_type(Op op, Dtype compute) {
  switch (info(op).result) {
    case Result::same:
      return compute;
    case Result::boolean:
      return Dtype::bool_;
    case Result::real:
      return real_type(compute);
    case Result::pair:
      return complex_type(compute);
    case Result::count:
      return Dtype::uint8;
    case Result::int32:
      return Dtype::int32;
    case Result::fraction:
      return itemsize(compute) == 4 ? Dtype::float32 : Dtype::float64;
  }
  return compute;
}

namespace {

// loop_type for every set of types, worked out once.
struct LoopTable {
  std::optional<Dtype> loop[types_count][dtype_count];
  LoopTable() {
    for (int types = 0; types < types_count; ++types) {
      for (int from = 0; from < dtype_count; ++from) {
        for (int to = 0; to < dtype_count && !loop[types][from]; ++to) {
          auto candidate = static_cast<Dtype>(to);
          if (computes_in(static_cast<Types>(types), candidate) &&
              can_cast(static_cast<Dtype>(from), candidate)) {
            loop[types][from] = candidate;
          }
        }
      }
    }
  }
};

}  // namespace

std::optional<Dtype> loop_type(Op op, Dtype from) {
  static const LoopTable table;
  return table.loop[static_cast<int>(info(op).types)][static_cast<int>(from)];
}

}  // namespace heddle
