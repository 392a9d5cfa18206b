"""CUDA's library of functions by Numba's names: what `math` and operators have, too.

Names that end in f take and give float32, others float64.
"""

from __future__ import annotations

import builtins
import math
from typing import Any

import numpy as np

from heddle import simt, special
from heddle.numba_cuda import _integers, _rounding
from heddle.simt._kernel import Func, func

_UNARY = {
    **{n: f"math.{n}" for n in ("acos", "acosh", "asin", "asinh", "atan", "atanh", "cbrt")},
    **{n: f"math.{n}" for n in ("cos", "cosh", "erf", "erfc", "exp", "exp2", "expm1", "lgamma")},
    **{n: f"math.{n}" for n in ("log", "log10", "log1p", "log2", "sin", "sinh", "sqrt", "tan")},
    "tanh": "math.tanh",
    "tgamma": "math.gamma",
    "fabs": "math.fabs",
    "floor": "np.floor",
    "ceil": "np.ceil",
    "trunc": "np.trunc",
    "rint": "np.rint",
    "nearbyint": "np.rint",
    **{n: f"special.{n}" for n in ("erfinv", "erfcinv", "erfcx", "j0", "j1", "y0", "y1")},
    "normcdf": "special.ndtr",
    "normcdfinv": "special.ndtri",
}
_BINARY = {
    **{n: f"math.{n}" for n in ("atan2", "copysign", "fmod", "hypot", "nextafter")},
    "fmax": "np.fmax",
    "fmin": "np.fmin",
    "pow": "np.power",
    "remainder": "integers.remainder",
}
_OTHER = {
    "exp10": ("a", "t(10) ** t(a)"),
    "sinpi": ("a", "integers.sine_of_half_turns(t(a))"),
    "cospi": ("a", "integers.cosine_of_half_turns(t(a))"),
    "rsqrt": ("a", "t(1) / math.sqrt(t(a))"),
    "rcbrt": ("a", "t(1) / math.cbrt(t(a))"),
    "round": ("a", "integers.rounded(t(a))"),
    "fdim": ("a, b", "t(0) if t(a) <= t(b) else t(a) - t(b)"),
    "fma": ("a, b, c", "simt.fma(t(a), t(b), t(c))"),
    "ldexp": ("a, b", "math.ldexp(t(a), b)"),
    "scalbn": ("a, b", "math.ldexp(t(a), b)"),
    "powi": ("a, b", "t(a) ** t(b)"),
    "sincos": ("a", "(math.sin(t(a)), math.cos(t(a)))"),
    "sincospi": ("a", "(integers.sine_of_half_turns(t(a)), integers.cosine_of_half_turns(t(a)))"),
    "modf": ("a", "math.modf(t(a))"),
    "frexp": ("a", "math.frexp(t(a))"),
    "llrint": ("a", "np.int64(np.rint(t(a)))"),
    "llround": ("a", "np.int64(integers.rounded(t(a)))"),
    "logb": ("a", "t(integers.exponent(t(a)))"),
    "ilogb": ("a", "integers.whole_exponent(t(a))"),
    "jn": ("n, a", "special.jv(t(np.int32(n)), t(a))"),
    "yn": ("n, a", "special.yv(t(np.int32(n)), t(a))"),
    "remquo": ("a, b", "(integers.remainder(t(a), t(b)), integers.quotient(t(a), t(b)))"),
}
_TESTS = {
    "isnand": "math.isnan(np.float64(a))",
    "isnanf": "math.isnan(np.float32(a))",
    "isinfd": "math.isinf(np.float64(a))",
    "isinff": "math.isinf(np.float32(a))",
    "isfinited": "math.isfinite(np.float64(a))",
    "finitef": "math.isfinite(np.float32(a))",
    "signbitd": "np.signbit(np.float64(a))",
    "signbitf": "np.signbit(np.float32(a))",
}
_INTEGERS = {
    "abs": ("a", "abs(np.int32(a))"),
    "llabs": ("a", "abs(np.int64(a))"),
    "brev": ("a", "simt.brev(np.uint32(a))"),
    "brevll": ("a", "simt.brev(np.uint64(a))"),
    "clz": ("a", "simt.clz(np.int32(a))"),
    "clzll": ("a", "simt.clz(np.int64(a))"),
    "ffs": ("a", "simt.ffs(np.int32(a))"),
    "ffsll": ("a", "simt.ffs(np.int64(a))"),
    "popc": ("a", "simt.popc(np.uint32(a))"),
    "popcll": ("a", "simt.popc(np.uint64(a))"),
    "max": ("a, b", "max(np.int32(a), np.int32(b))"),
    "min": ("a, b", "min(np.int32(a), np.int32(b))"),
    "llmax": ("a, b", "max(np.int64(a), np.int64(b))"),
    "llmin": ("a, b", "min(np.int64(a), np.int64(b))"),
    "umax": ("a, b", "max(np.uint32(a), np.uint32(b))"),
    "umin": ("a, b", "min(np.uint32(a), np.uint32(b))"),
    "ullmax": ("a, b", "max(np.uint64(a), np.uint64(b))"),
    "ullmin": ("a, b", "min(np.uint64(a), np.uint64(b))"),
    "mulhi": ("a, b", "np.int32(np.int64(np.int32(a)) * np.int32(b) >> 32)"),
    "umulhi": ("a, b", "np.uint32(np.int64(np.uint32(a)) * np.uint32(b) >> 32)"),
    "hadd": ("a, b", "np.int32(np.int64(np.int32(a)) + np.int64(np.int32(b)) >> 1)"),
    "rhadd": ("a, b", "np.int32(np.int64(np.int32(a)) + np.int64(np.int32(b)) + 1 >> 1)"),
    "uhadd": ("a, b", "np.uint32(np.int64(np.uint32(a)) + np.int64(np.uint32(b)) >> 1)"),
    "urhadd": ("a, b", "np.uint32(np.int64(np.uint32(a)) + np.int64(np.uint32(b)) + 1 >> 1)"),
    "sad": ("a, b, c", "abs(np.int64(a) - np.int64(b)) + c"),
    "usad": ("a, b, c", "abs(np.int64(a) - np.int64(b)) + c"),
    "mul64hi": ("a, b", "integers.high(np.int64(a), np.int64(b))"),
    "umul64hi": ("a, b", "integers.unsigned_high(np.uint64(a), np.uint64(b))"),
    "byte_perm": ("a, b, c", "integers.permuted(np.uint32(a), np.uint32(b), np.uint32(c))"),
}
_TO = {"double": "float64", "float": "float32", "int": "int32", "uint": "uint32"}
_TO |= {"ll": "int64", "ull": "uint64"}
_ROUNDED = {"rn": "np.rint", "rd": "np.floor", "ru": "np.ceil", "rz": "np.trunc"}
_ARITHMETIC = {
    f"{letter}{name}_rn": (arguments, body.replace("t(", f"np.{type_}("))
    for letter, type_ in (("d", "float64"), ("f", "float32"))
    for name, arguments, body in (
        ("add", "a, b", "t(a) + t(b)"),
        ("sub", "a, b", "t(a) - t(b)"),
        ("mul", "a, b", "t(a) * t(b)"),
        ("div", "a, b", "t(a) / t(b)"),
        ("rcp", "a", "t(1) / t(a)"),
        ("sqrt", "a", "math.sqrt(t(a))"),
    )
}


# The same bytes, as one and as the other.
_CASTS = {
    "float_as_int": (np.float32, np.int32),
    "int_as_float": (np.int32, np.float32),
    "double_as_longlong": (np.float64, np.int64),
    "longlong_as_double": (np.int64, np.float64),
}


def cast(name: str, given: object, wanted: object, offset: int = 0) -> Func:
    """The bytes of one type as those of another."""
    from heddle._compiled.sources import make_function

    both: Any = {"names": ["a", "b"], "formats": [given, wanted], "offsets": [0, offset]}
    text = f"""def {name}(x):
    memory = local.array(1, both)
    memory[0].a = x
    return memory[0].b
"""
    names = {"local": simt.local, "both": np.dtype(both)}
    return func(make_function(text, name, names))


def _joined() -> Func:
    from heddle._compiled.sources import make_function

    parts: Any = {"names": ["a", "b", "c"], "formats": [np.int32, np.int32, np.float64]}
    text = """def hiloint2double(high, low):
    memory = local.array(1, parts)
    memory[0].a = low
    memory[0].b = high
    return memory[0].c
"""
    names = {"local": simt.local, "parts": np.dtype(parts | {"offsets": [0, 4, 0]})}
    return func(make_function(text, "hiloint2double", names))


def _defined(name: str, arguments: str, body: str, type_: str) -> Func:
    from heddle._compiled.sources import make_function

    inner = f"{name}_" if hasattr(builtins, name) else name
    text = f"def {inner}({arguments}):\n    return {body}\n"
    names = {"t": getattr(np, type_), "np": np, "math": math, "simt": simt}
    names |= {"special": special, "rounding": _rounding, "integers": _integers}
    return func(make_function(text, inner, names))


def _add_rounded(add: Any) -> None:
    """What rounds down, up and to zero."""
    for mode, way in _rounding.WAYS.items():
        for letter, f in (("d", ""), ("f", "f")):
            t = "np.float64" if letter == "d" else "np.float32"
            for name in ("add", "mul", "div"):
                add(f"{letter}{name}_{mode}", "a, b", f"rounding.{name}{f}(a, b, {way})")
            add(f"{letter}sub_{mode}", "a, b", f"rounding.add{f}(a, -{t}(b), {way})")
            add(f"{letter}rcp_{mode}", "a", f"rounding.div{f}({t}(1), a, {way})")
            add(f"{letter}sqrt_{mode}", "a", f"rounding.sqrt{f}(a, {way})")
            add(f"fma{f}_{mode}", "a, b, c", f"rounding.fused{f}(a, b, c, {way})")
        add(f"double2float_{mode}", "a", f"rounding.single(np.float64(a), 0.0, {way})")
        for source in ("int", "uint"):
            body = f"rounding.single(np.float64(np.{_TO[source]}(a)), 0.0, {way})"
            add(f"{source}2float_{mode}", "a", body)
        for source in ("ll", "ull"):
            i = f"np.{_TO[source]}(a)"
            add(f"{source}2double_{mode}", "a", f"rounding.to_double({i}, {way})")
            add(f"{source}2float_{mode}", "a", f"rounding.to_single({i}, {way})")


def _all() -> dict[str, Func]:
    made: dict[str, Func] = {}

    def add(name: str, arguments: str, body: str, type_: str = "float64") -> None:
        made[name] = _defined(name, arguments, body, type_)

    for suffix, type_ in (("", "float64"), ("f", "float32")):
        for name, does in _UNARY.items():
            add(name + suffix, "a", f"{does}(t(a))", type_)
        for name, does in _BINARY.items():
            add(name + suffix, "a, b", f"{does}(t(a), t(b))", type_)
        for name, (arguments, body) in _OTHER.items():
            add(name + suffix, arguments, body, type_)
    for name, body in _TESTS.items():
        add(name, "a", body)
    for name, (arguments, body) in (_INTEGERS | _ARITHMETIC).items():
        add(name, arguments, body)
    for source in ("double", "float"):
        for target in ("int", "uint", "ll", "ull"):
            for mode, does in _ROUNDED.items():
                body = f"np.{_TO[target]}({does}(np.{_TO[source]}(a)))"
                add(f"{source}2{target}_{mode}", "a", body)
    for source in ("int", "uint", "ll", "ull"):
        for target in ("double", "float"):
            body = f"np.{_TO[target]}(np.{_TO[source]}(a))"
            add(f"{source}2{target}_rn", "a", body)
    add("double2float_rn", "a", "np.float32(np.float64(a))")
    _add_rounded(add)
    add("saturatef", "a", "min(max(np.float32(0), np.float32(a)), np.float32(1))")
    for name in ("cos", "exp", "exp10", "log", "log10", "log2", "sin", "tan", "sincos"):
        made[f"fast_{name}f"] = made[f"{name}f"]
    for name, (given, wanted) in _CASTS.items():
        made[name] = cast(name, given, wanted)
    made["double2hiint"] = cast("double2hiint", np.float64, np.int32, offset=4)
    made["double2loint"] = cast("double2loint", np.float64, np.int32)
    made["hiloint2double"] = _joined()
    add("float2half_rn", "a", "np.float16(np.float32(a))")
    add("half2float", "a", "np.float32(np.float16(a))")
    add("mul24", "a, b", "np.int32(np.int64(np.int32(a << 8) >> 8) * (np.int32(b << 8) >> 8))")
    add("umul24", "a, b", "np.uint32(np.int64(a & 0xFFFFFF) * np.int64(b & 0xFFFFFF))")
    made["fast_powf"], made["frsqrt_rn"] = made["powf"], made["rsqrtf"]
    made["fast_fdividef"] = made["fdiv_rn"]
    made["fma_rn"], made["fmaf_rn"] = made["fma"], made["fmaf"]
    return made


_names = _all()
globals().update(_names)
__all__ = [*_names]
