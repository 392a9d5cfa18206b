"""Every ufunc on every dtype: none should be slower than NumPy's."""

from collections.abc import Iterator
from typing import Any

import ml_dtypes
import numpy
from measure import Row, compare

import heddle

DTYPES = [
    "bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64",
    "float16", "bfloat16", "float32", "float64", "complex64", "complex128",
]  # fmt: skip

_SMALL = {"<<", ">>", "**"}  # operators whose second operand has to be small


def _range(u: Any) -> tuple[float, float]:
    """Ordinary numbers that the function is defined for."""
    low, high = u.facts["domain"]
    margin = 0.1
    return max(low + margin, -4), min(high - margin, 4 if low < 1 else 9)


def _numbers(u: Any, dtype: numpy.dtype[Any], n: int, seed: int) -> Any:
    random = numpy.random.default_rng(seed)
    if dtype.kind == "b":
        return random.integers(0, 2, n).astype(bool)
    if dtype.kind in "iu":
        low, high = u.facts["domain"]
        if high == 1 or low == 1:
            return numpy.ones(n, dtype)
        high = 6 if u.facts["symbol"] in _SMALL and seed else 100
        return random.integers(1, high, n).astype(dtype)
    low, high = _range(u)
    values = random.uniform(low, high, n)
    if dtype.kind == "c":
        return (values + 1j * random.uniform(low, high, n)).astype(dtype)
    return values.astype(dtype)


def inputs(u: Any, dtype: str, n: int) -> tuple[Any, ...]:
    kind = numpy.dtype(ml_dtypes.bfloat16 if dtype == "bfloat16" else dtype)
    made = [_numbers(u, kind, n, seed) for seed in range(u.nin)]
    for i, takes in enumerate(u.facts["takes"]):
        if takes == "exponent":
            made[i] = numpy.random.default_rng(1).integers(-5, 5, n).astype(numpy.int32)
    return tuple(made)


def measure(n: int, only: str, seconds: float) -> Iterator[Row]:
    """A row per ufunc and dtype that NumPy has a loop for."""
    for name, ours in sorted(heddle._core.ufuncs.items()):
        theirs = getattr(numpy, name)
        for dtype in DTYPES:
            label = f"{name} {dtype}"
            if only and only not in label:
                continue
            args = inputs(ours, dtype, n)
            try:
                with numpy.errstate(all="ignore"):
                    theirs(*(a[:2] for a in args))
            except TypeError:
                continue
            mine = tuple(heddle.asarray(a) for a in args)
            yield compare(
                label,
                lambda f=ours, x=mine: f(*x),
                lambda f=theirs, x=args: f(*x),
                target=1.0,
                seconds=seconds,
            )
