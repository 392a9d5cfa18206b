"""Half precision in kernels by Numba's names. Operators and `math` do the same."""

import numpy as np

from heddle.numba_cuda._halves import _defined, conversions_of, directed, functions_of
from heddle.numba_cuda._rounding import WAYS
from heddle.numba_cuda.libdevice import cast
from heddle.simt._device import atomic

_INTEGERS = {"short": "int16", "ushort": "uint16", "int": "int32", "uint": "uint32"}
_INTEGERS |= {"ll": "int64", "ull": "uint64"}
_bits = cast("bits", np.float16, np.uint16), cast("half", np.uint16, np.float16)
_names = functions_of(np.float16)
_names |= {f"__{name}": function for name, function in _names.items()}
_names |= conversions_of(np.float16, "__{}2half", "__half2{}", _INTEGERS, _bits)
_names |= {
    "__half": _defined("__half", "a", "t(a)", np.float16),
    "__float2half": _defined("__float2half", "a", "t(f(a))", np.float16),
    "__float2half_rn": _defined("__float2half_rn", "a", "t(f(a))", np.float16),
    "__double2half": _defined("__double2half", "a", "t(a)", np.float16),
    "__half2float": _defined("__half2float", "a", "f(t(a))", np.float16),
    "__half2char_rz": _defined("to_int8", "a", "np.int8(np.trunc(f(t(a))))", np.float16),
    "__half2uchar_rz": _defined("to_uint8", "a", "np.uint8(np.trunc(f(t(a))))", np.float16),
    "__half_as_short": cast("__half_as_short", np.float16, np.int16),
    "__half_as_ushort": cast("__half_as_ushort", np.float16, np.uint16),
    "__short_as_half": cast("__short_as_half", np.int16, np.float16),
    "__ushort_as_half": cast("__ushort_as_half", np.uint16, np.float16),
    "atomicAdd": _defined(
        "atomicAdd", "a, value", "atomic.add(a, 0, t(value))", np.float16, {"atomic": atomic}
    ),
}
for _mode, _way in WAYS.items():
    _name = f"__float2half_{_mode}"
    _names[_name] = directed(_name, "f(a)", np.float16, _bits, _way)
globals().update(_names)
__all__ = [*_names]
