"""Arithmetic that rounds down, up or to zero, made of arithmetic that rounds to the nearest.

What the nearest number is away from the exact one is itself computed, exactly or to its sign: by
sums without error, by fused products, or in float64 for float32. `way` is -1 (down), 1 (up) or 0
(to zero), and known when the kernel is compiled.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from heddle.simt import fma
from heddle.simt._kernel import func

WAYS = {"rd": -1, "ru": 1, "rz": 0}
_TINY = 1e-250  # below it, errors are found of numbers that are scaled up
_SCALE = 2.0**200


@func
def _moved(x: Any, error: Any, finite: Any, way: Any) -> Any:
    """The neighbour of x, where the exact number is x and something of the sign of `error`."""
    if math.isinf(x):
        # Too large: the largest there is, in all ways but one.
        if finite and ((x > 0 and way <= 0) or (x < 0 and way >= 0)):
            return np.nextafter(x, -x)
        return x
    if way < 0 and error < 0:
        return np.nextafter(x, -math.inf)
    if way > 0 and error > 0:
        return np.nextafter(x, math.inf)
    if way == 0 and ((x > 0 and error < 0) or (x < 0 and error > 0)):
        return np.nextafter(x, np.float64(0.0))
    return x


@func
def _sum_error(a: Any, b: object, s: Any) -> Any:
    other = s - a
    return (a - (s - other)) + (b - other)


@func
def add(a: Any, b: Any, way: Any) -> Any:
    x, y = np.float64(a), np.float64(b)
    s = x + y
    if s == 0:
        # The sum of opposites is -0 rounded down.
        signs = math.copysign(1.0, x) + math.copysign(1.0, y)
        return math.copysign(0.0, -1.0) if way < 0 and signs < 1.0 else s
    return _moved(s, _sum_error(x, y, s), math.isfinite(x) and math.isfinite(y), way)


@func
def mul(a: Any, b: Any, way: object) -> Any:
    x, y = np.float64(a), np.float64(b)
    p = x * y
    if p == 0:
        error = math.copysign(1.0, p) if x != 0 and y != 0 else 0.0
    elif abs(p) < _TINY:
        small = abs(x) < 1.0
        error = fma(
            x * _SCALE if small else x,
            y if small else y * _SCALE,
            -(p * _SCALE),
        )
    else:
        error = fma(x, y, -p)
    return _moved(p, error, math.isfinite(x) and math.isfinite(y), way)


@func
def div(a: Any, b: Any, way: object) -> Any:
    x, y = np.float64(a), np.float64(b)
    q = x / y
    rest = fma(-(q * _SCALE), y, x * _SCALE) if abs(x) < _TINY else fma(-q, y, x)
    error = rest if y > 0 else -rest
    return _moved(q, error, math.isfinite(x) and math.isfinite(y) and y != 0, way)


@func
def sqrt(a: Any, way: object) -> Any:
    x = np.float64(a)
    s = math.sqrt(x)
    if x < _TINY:
        wide = s * 2.0**100
        return _moved(s, fma(-wide, wide, x * _SCALE), False, way)
    return _moved(s, fma(-s, s, x), False, way)


@func
def fused(a: Any, b: Any, c: Any, way: object) -> Any:
    x, y, z = np.float64(a), np.float64(b), np.float64(c)
    made = fma(x, y, z)
    high = x * y
    low = fma(x, y, -high)
    s1 = z + low
    e1 = _sum_error(z, low, s1)
    s2 = high + s1
    e2 = _sum_error(high, s1, s2)
    rest = (s2 - made) + e2
    error = rest + e1
    finite = math.isfinite(x) and math.isfinite(y) and math.isfinite(z)
    return _moved(made, error, finite, way)


@func
def single(d: Any, error: Any, way: Any) -> Any:
    """float32 of a number, which is d and something much smaller."""
    wide = np.float64(d)
    f = np.float32(wide)
    away = wide - np.float64(f)
    if math.isinf(f):
        if math.isfinite(wide) and ((f > 0 and way <= 0) or (f < 0 and way >= 0)):
            return np.nextafter(f, -f)
        return f
    if away == 0:
        away = error
    if way < 0 and away < 0:
        return np.nextafter(f, np.float32(-math.inf))
    if way > 0 and away > 0:
        return np.nextafter(f, np.float32(math.inf))
    if way == 0 and ((f > 0 and away < 0) or (f < 0 and away > 0)):
        return np.nextafter(f, np.float32(0.0))
    return f


@func
def addf(a: Any, b: Any, way: object) -> Any:
    x, y = np.float64(np.float32(a)), np.float64(np.float32(b))
    s = x + y
    if s == 0:
        return np.float32(add(x, y, way))
    return single(s, _sum_error(x, y, s), way)


@func
def mulf(a: Any, b: Any, way: Any) -> Any:
    return single(np.float64(np.float32(a)) * np.float64(np.float32(b)), 0.0, way)


@func
def divf(a: Any, b: Any, way: object) -> Any:
    x, y = np.float64(np.float32(a)), np.float64(np.float32(b))
    q = x / y
    rest = fma(-q, y, x)
    return single(q, rest if y > 0 else -rest, way)


@func
def sqrtf(a: Any, way: object) -> Any:
    x = np.float64(np.float32(a))
    s = math.sqrt(x)
    return single(s, fma(-s, s, x), way)


@func
def fusedf(a: Any, b: Any, c: Any, way: object) -> Any:
    product = np.float64(np.float32(a)) * np.float64(np.float32(b))
    z = np.float64(np.float32(c))
    s = product + z
    return single(s, _sum_error(product, z, s), way)


@func
def to_double(i: Any, way: object) -> Any:
    """float64 of an integer of 64 bits."""
    d = np.float64(i)
    # Half of both: the largest would be one more than there is.
    half = np.floor(d * 0.5)
    error = np.float64(np.int64(i >> 1) - np.int64(half))
    if error == 0:
        error = np.float64(np.int64(i & 1)) - (d - 2.0 * half)
    return _moved(d, error, True, way)


@func
def to_single(i: object, way: object) -> Any:
    """float32 of an integer of 64 bits: first as a double, rounded in the same way."""
    return single(to_double(i, way), 0.0, way)


@func
def half(d: Any, t: Any, to_bits: Any, from_bits: Any, way: Any) -> Any:
    """A number of 16 bits of the type t."""
    wide = np.float64(d)
    h = t(wide)
    away = wide - np.float64(h)
    if math.isinf(np.float32(h)):
        if math.isfinite(wide) and ((wide > 0 and way <= 0) or (wide < 0 and way >= 0)):
            return from_bits(to_bits(h) - 1)
        return h
    if (way < 0 and away < 0) or (way == 0 and wide > 0 and away < 0):
        return from_bits(to_bits(h) - 1 if h > 0 else 0x8001 if h == 0 else to_bits(h) + 1)
    if (way > 0 and away > 0) or (way == 0 and wide < 0 and away > 0):
        return from_bits(to_bits(h) - 1 if h < 0 else 1 if h == 0 else to_bits(h) + 1)
    return h
