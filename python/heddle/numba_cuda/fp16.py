"""Half precision in kernels by Numba's names. Operators and `math` do the same."""

import math

import numpy as np

from heddle.simt._kernel import Func, func

float16, float32 = np.float16, np.float32


def _defined(name: str, arguments: str, body: str) -> Func:
    from heddle._compiled.sources import make_function

    text = f"def {name}({arguments}):\n    return {body}\n"
    names = {"float16": float16, "float32": float32, "math": math, "np": np}
    return func(make_function(text, name, names))


_BINARY = {"hadd": "+", "hsub": "-", "hmul": "*", "hdiv": "/"}
_COMPARED = {"heq": "==", "hne": "!=", "hgt": ">", "hge": ">=", "hlt": "<", "hle": "<="}
_UNARY = {
    **{f"h{n}": f"math.{n}" for n in ("sin", "cos", "log", "log10", "log2", "exp", "exp2", "sqrt")},
    **{"htanh": "math.tanh", "hfloor": "np.floor", "hceil": "np.ceil", "hrint": "np.rint"},
    **{"htrunc": "np.trunc", "habs": "abs", "hneg": "-"},
}
_names = {
    **{n: _defined(n, "a, b", f"float16(a) {op} float16(b)") for n, op in _BINARY.items()},
    **{n: _defined(n, "a, b", f"float16(a) {op} float16(b)") for n, op in _COMPARED.items()},
    **{n: _defined(n, "a", f"float16({f}(float16(a)))") for n, f in _UNARY.items()},
    "hfma": _defined(
        "hfma", "a, b, c", "float16(float32(float16(a)) * float16(b) + float32(float16(c)))"
    ),
    "hmax": _defined("hmax", "a, b", "np.fmax(float16(a), float16(b))"),
    "hmin": _defined("hmin", "a, b", "np.fmin(float16(a), float16(b))"),
    "hrsqrt": _defined("hrsqrt", "a", "float16(float32(1) / math.sqrt(float32(float16(a))))"),
    "hrcp": _defined("hrcp", "a", "float16(float32(1) / float32(float16(a)))"),
    "hexp10": _defined("hexp10", "a", "float16(float32(10) ** float32(float16(a)))"),
}
globals().update(_names)
__all__ = [*_names]
