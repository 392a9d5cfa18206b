"""bfloat16 in kernels by Numba's names. Operators and `math` do the same."""

from heddle._compiled.signatures import bfloat16
from heddle.numba_cuda._halves import _defined, conversions_of, functions_of

_INTEGERS = {n: n for n in ("int16", "uint16", "int32", "uint32", "int64", "uint64")}
_names = functions_of(bfloat16)
_names |= conversions_of(bfloat16, "{}_to_bfloat16", "bfloat16_to_{}", _INTEGERS)
_names |= {
    "float32_to_bfloat16": _defined("float32_to_bfloat16", "a", "t(f(a))", bfloat16),
    "float32_to_bfloat16_rn": _defined("float32_to_bfloat16_rn", "a", "t(f(a))", bfloat16),
    "float64_to_bfloat16": _defined("float64_to_bfloat16", "a", "t(a)", bfloat16),
    "bfloat16_to_float32": _defined("bfloat16_to_float32", "a", "f(t(a))", bfloat16),
    "bfloat16_to_int8_rz": _defined("to_int8", "a", "np.int8(np.trunc(f(t(a))))", bfloat16),
    "bfloat16_to_uint8_rz": _defined("to_uint8", "a", "np.uint8(np.trunc(f(t(a))))", bfloat16),
}
globals().update(_names)
__all__ = ["bfloat16", *_names]
