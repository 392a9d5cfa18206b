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

# Where the function is defined for real numbers.
_RANGES = {"arcsin": (-1, 1), "arccos": (-1, 1), "arctanh": (-0.9, 0.9), "arccosh": (1.1, 9)}
_POSITIVE = {"log", "log2", "log10", "log1p", "sqrt", "power", "float_power"}
_SHIFTS = {"left_shift", "right_shift", "ldexp"}


def _numbers(name: str, dtype: numpy.dtype[Any], n: int, seed: int) -> Any:
    random = numpy.random.default_rng(seed)
    if dtype.kind == "b":
        return random.integers(0, 2, n).astype(bool)
    if dtype.kind in "iu":
        if name in _RANGES:
            return numpy.ones(n, dtype)
        high = 6 if name in _SHIFTS or (name == "power" and seed) else 100
        return random.integers(1, high, n).astype(dtype)
    low, high = _RANGES.get(name, (0.1, 4) if name in _POSITIVE else (-4, 4))
    values = random.uniform(low, high, n)
    if dtype.kind == "c":
        return (values + 1j * random.uniform(low, high, n)).astype(dtype)
    return values.astype(dtype)


def inputs(name: str, nin: int, dtype: str, n: int) -> tuple[Any, ...]:
    kind = numpy.dtype(ml_dtypes.bfloat16 if dtype == "bfloat16" else dtype)
    made = [_numbers(name, kind, n, seed) for seed in range(nin)]
    if name == "ldexp":
        made[1] = numpy.random.default_rng(1).integers(-5, 5, n).astype(numpy.int32)
    return tuple(made)


def measure(n: int, only: str, seconds: float) -> Iterator[Row]:
    """A row per ufunc and dtype that NumPy has a loop for."""
    for name, ours in sorted(heddle._core.ufuncs.items()):
        theirs = getattr(numpy, name)
        for dtype in DTYPES:
            label = f"{name} {dtype}"
            if only and only not in label:
                continue
            args = inputs(name, ours.nin, dtype, n)
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
