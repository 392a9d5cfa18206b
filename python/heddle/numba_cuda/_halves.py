"""Functions of numbers of 16 bits, for `fp16` and `bf16`: made of a few rows for both types."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from heddle.numba_cuda import _rounding
from heddle.numba_cuda._rounding import WAYS
from heddle.simt._kernel import Func, func

_BINARY = {"hadd": "+", "hsub": "-", "hmul": "*", "hdiv": "/"}
_COMPARED = {"heq": "==", "hne": "!=", "hgt": ">", "hge": ">=", "hlt": "<", "hle": "<="}
_UNARY = {
    **{f"h{n}": f"math.{n}" for n in ("sin", "cos", "log", "log10", "log2", "exp", "exp2", "sqrt")},
    "htanh": "math.tanh",
    "hfloor": "np.floor",
    "hceil": "np.ceil",
    "hrint": "np.rint",
    "htrunc": "np.trunc",
    "habs": "abs",
    "hneg": "-",
    "htanh_approx": "math.tanh",
}
_OTHER = {
    "hfma": ("a, b, c", "t(f(t(a)) * f(t(b)) + f(t(c)))"),
    "hfma_sat": ("a, b, c", "t(min(max(f(0), f(t(a)) * f(t(b)) + f(t(c))), f(1)))"),
    "hfma_relu": ("a, b, c", "t(max(f(t(a)) * f(t(b)) + f(t(c)), f(0)))"),
    "hmax": ("a, b", "np.fmax(t(a), t(b))"),
    "hmin": ("a, b", "np.fmin(t(a), t(b))"),
    "hmax_nan": ("a, b", "np.maximum(t(a), t(b))"),
    "hmin_nan": ("a, b", "np.minimum(t(a), t(b))"),
    "hrsqrt": ("a", "t(f(1) / math.sqrt(f(t(a))))"),
    "hrcp": ("a", "t(f(1) / f(t(a)))"),
    "hexp10": ("a", "t(f(10) ** f(t(a)))"),
    "hisnan": ("a", "math.isnan(t(a))"),
    "hisinf": ("a", "math.isinf(t(a))"),
}
_ROUNDED = {"rn": "np.rint", "rd": "np.floor", "ru": "np.ceil", "rz": "np.trunc"}


def _defined(
    name: str, arguments: str, body: str, type_: object, more: dict[str, Any] | None = None
) -> Func:
    from heddle._compiled.sources import make_function

    text = f"def {name}({arguments}):\n    return {body}\n"
    names = {"t": type_, "f": np.float32, "math": math, "np": np, "rounding": _rounding}
    return func(make_function(text, name, names | (more or {})))


def functions_of(type_: object) -> dict[str, Func]:
    """Arithmetic, comparisons and functions, by their names without underscores."""
    rows: dict[str, tuple[str, str]] = dict(_OTHER)
    for name, op in _BINARY.items():
        rows[name] = ("a, b", f"t(f(t(a)) {op} f(t(b)))")
        rows[f"{name}_rn"] = rows[name]
        rows[f"{name}_sat"] = ("a, b", f"t(min(max(f(0), f(t(a)) {op} f(t(b))), f(1)))")
    for name, op in _COMPARED.items():
        rows[name] = ("a, b", f"t(a) {op} t(b)")
        nans = "math.isnan(t(a)) or math.isnan(t(b))"
        rows[f"{name}u"] = ("a, b", f"{nans} or t(a) {op} t(b)")
    for name, does in _UNARY.items():
        rows[name] = ("a", f"t({does}(t(a)))")
    return {name: _defined(name, *row, type_) for name, row in rows.items()}


def directed(name: str, wide: str, type_: object, bits: tuple[Any, Any], way: int) -> Func:
    """What rounds a number in one way."""
    body = f"rounding.half({wide}, t, to_bits, from_bits, {way})"
    return _defined(name, "a", body, type_, {"to_bits": bits[0], "from_bits": bits[1]})


def conversions_of(
    type_: object, to: str, back: str, integers: dict[str, str], bits: tuple[Any, Any]
) -> dict[str, Func]:
    """From integers and to integers, rounded in every way."""
    made = {}
    for short, dtype in integers.items():
        for mode, way in WAYS.items():
            name = f"{to.format(short)}_{mode}"
            wide = (
                f"rounding.to_double(np.{dtype}(a), {way})" if "64" in dtype else f"np.{dtype}(a)"
            )
            made[name] = directed(name, wide, type_, bits, way)
        name = to.format(short) + "_rn"
        made[name] = _defined(name, "a", f"t(np.{dtype}(a))", type_)
        for mode, does in _ROUNDED.items():
            name = f"{back.format(short)}_{mode}"
            made[name] = _defined(name, "a", f"np.{dtype}({does}(f(t(a))))", type_)
    return made
