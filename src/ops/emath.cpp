#include <heddle/emath.h>

#include <cmath>

#include "ops/compose.h"
#include <heddle/reductions.h>
#include <heddle/ufuncs.h>

namespace heddle::emath {

namespace {

// Types of up to 16 bits, and float32, have the smaller complex type.
Dtype widened_type(Dtype dtype) {
  if (dtype == Dtype::bool_) return Dtype::complex128;
  if (dtype == Dtype::float32 || itemsize(dtype) <= 2) return Dtype::complex64;
  return Dtype::complex128;
}

// The argument, complex where an element is outside of what the operation has real results for.
array widened(Op op, const array& x) {
  if (is_complex(x.dtype())) return x;
  const Domain& domain = info(op).domain;
  const bool may_be_negative = is_signed(x.dtype()) || is_floating(x.dtype());
  if (!may_be_negative && std::isinf(domain.high)) return x;  // domains begin at 0 or before
  array outside = x < domain.low;
  if (!std::isinf(domain.high)) outside = outside | (x > domain.high);
  return any(outside).item<bool>() ? cast(x, widened_type(x.dtype())) : x;
}

array extended(Op op, const array& x) { return apply(op, widened(op, x)); }

}  // namespace

array sqrt(const array& x) { return extended(Op::sqrt, x); }
array log(const array& x) { return extended(Op::log, x); }
array log2(const array& x) { return extended(Op::log2, x); }
array log10(const array& x) { return extended(Op::log10, x); }
array logn(const array& n, const array& x) { return emath::log(x) / emath::log(n); }
array arccos(const array& x) { return extended(Op::arccos, x); }
array arcsin(const array& x) { return extended(Op::arcsin, x); }
array arctanh(const array& x) { return extended(Op::arctanh, x); }

array power(const array& x, const array& p) {
  const bool inverts = is_signed(p.dtype()) && any(p < 0).item<bool>();
  return apply(Op::power, widened(Op::power, x), inverts ? p * 1.0 : p);
}

}  // namespace heddle::emath
