"""Half precision in kernels by Numba's names. Operators and `math` do the same."""

import numpy as np

from heddle.numba_cuda._halves import _defined, conversions_of, functions_of

_INTEGERS = {"short": "int16", "ushort": "uint16", "int": "int32", "uint": "uint32"}
_INTEGERS |= {"ll": "int64", "ull": "uint64"}
_names = functions_of(np.float16)
_names |= {f"__{name}": function for name, function in _names.items()}
_names |= conversions_of(np.float16, "__{}2half", "__half2{}", _INTEGERS)
_names |= {
    "__half": _defined("__half", "a", "t(a)", np.float16),
    "__float2half": _defined("__float2half", "a", "t(f(a))", np.float16),
    "__float2half_rn": _defined("__float2half_rn", "a", "t(f(a))", np.float16),
    "__double2half": _defined("__double2half", "a", "t(a)", np.float16),
    "__half2float": _defined("__half2float", "a", "f(t(a))", np.float16),
}
globals().update(_names)
__all__ = [*_names]
