"""bfloat16 in kernels by Numba's names. Operators and `math` do the same."""

from heddle._compiled.signatures import bfloat16
from heddle.numba_cuda import libdevice
from heddle.numba_cuda._halves import _defined, conversions_of, directed, functions_of
from heddle.numba_cuda._rounding import WAYS

_INTEGERS = {n: n for n in ("int16", "uint16", "int32", "uint32", "int64", "uint64")}
# The upper half of a float32's.
_CASTS = {
    "bfloat16_as_uint16": "np.uint16(library.float_as_int(f(t(a))) >> 16)",
    "bfloat16_as_int16": "np.int16(library.float_as_int(f(t(a))) >> 16)",
    "uint16_as_bfloat16": "t(library.int_as_float(np.int32(np.uint16(a)) << 16))",
    "int16_as_bfloat16": "t(library.int_as_float(np.int32(np.uint16(a)) << 16))",
}
_casts = {n: _defined(n, "a", b, bfloat16, {"library": libdevice}) for n, b in _CASTS.items()}
_bits = _casts["bfloat16_as_uint16"], _casts["uint16_as_bfloat16"]
_names = functions_of(bfloat16)
_names |= conversions_of(bfloat16, "{}_to_bfloat16", "bfloat16_to_{}", _INTEGERS, _bits)
_names |= _casts
_names |= {
    "float32_to_bfloat16": _defined("float32_to_bfloat16", "a", "t(f(a))", bfloat16),
    "float32_to_bfloat16_rn": _defined("float32_to_bfloat16_rn", "a", "t(f(a))", bfloat16),
    "float64_to_bfloat16": _defined("float64_to_bfloat16", "a", "t(a)", bfloat16),
    "bfloat16_to_float32": _defined("bfloat16_to_float32", "a", "f(t(a))", bfloat16),
    "bfloat16_to_int8_rz": _defined("to_int8", "a", "np.int8(np.trunc(f(t(a))))", bfloat16),
    "bfloat16_to_uint8_rz": _defined("to_uint8", "a", "np.uint8(np.trunc(f(t(a))))", bfloat16),
}
for _mode, _way in WAYS.items():
    _name = f"float32_to_bfloat16_{_mode}"
    _names[_name] = directed(_name, "f(a)", bfloat16, _bits, _way)
globals().update(_names)
__all__ = ["bfloat16", *_names]
