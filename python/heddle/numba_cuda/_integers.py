"""Functions of CUDA's library that take numbers apart: quotients, places, products, bytes."""

import math
from typing import Any

import numpy as np

from heddle.simt._kernel import func


@func
def remainder(a: Any, b: Any) -> Any:
    return math.remainder(a, b)


@func
def quotient(a: Any, b: Any) -> Any:
    """The lowest three bits of the quotient that goes with a remainder, with its sign."""
    rest = math.remainder(a, b)
    size = abs(b)
    low = int(np.rint((math.fmod(abs(a), 8 * size) - (rest if a >= 0 else -rest)) / size)) % 8
    return np.int32(low if (a >= 0) == (b >= 0) else -low)


@func
def rounded(a: Any) -> Any:
    """To the nearest whole number, halves away from zero; adding a half would itself be rounded."""
    whole = np.trunc(a)
    return whole + (1 if a > 0 else -1) if abs(a - whole) >= 0.5 else whole


@func
def sine_of_half_turns(a: Any) -> Any:
    """sin(pi * a), of what is beyond the nearest whole number: that difference is exact."""
    whole = np.rint(a)
    made = math.sin(math.pi * (a - whole))
    return made if whole % 2 == 0 else -made


@func
def cosine_of_half_turns(a: Any) -> Any:
    """cos(pi * a), as the sine of what is left to a quarter of a turn."""
    whole = np.rint(a)
    made = math.sin(math.pi * (0.5 - abs(a - whole)))
    return made if whole % 2 == 0 else -made


@func
def exponent(a: Any) -> Any:
    """That of two: the place of the first bit."""
    if a == 0:
        return -math.inf
    return float(math.frexp(a)[1] - 1) if math.isfinite(a) else float(abs(a))


@func
def whole_exponent(a: Any) -> Any:
    """The same as an integer, which C's standard says of what has none."""
    if a == 0 or math.isnan(a):
        return np.int32(-0x80000000)
    return np.int32(0x7FFFFFFF) if math.isinf(a) else np.int32(math.frexp(a)[1] - 1)


@func
def unsigned_high(a: Any, b: Any) -> Any:
    """The upper 64 bits of a product."""
    half, mask = np.uint64(32), np.uint64(0xFFFFFFFF)
    a0, a1, b0, b1 = a & mask, a >> half, b & mask, b >> half
    middle = a1 * b0 + (a0 * b0 >> half)
    other = a0 * b1 + (middle & mask)
    return a1 * b1 + (middle >> half) + (other >> half)


@func
def high(a: Any, b: Any) -> Any:
    upper = np.int64(unsigned_high(np.uint64(a), np.uint64(b)))
    if a < 0:
        upper -= b
    if b < 0:
        upper -= a
    return upper


@func
def permuted(a: Any, b: Any, chosen: Any) -> Any:
    """Four bytes of eight: each of the lowest three bits of a part of `chosen` says which."""
    both = np.uint64(a) | np.uint64(b) << np.uint64(32)
    made = np.uint64(0)
    for i in (0, 1, 2, 3):
        at = np.uint64(chosen) >> np.uint64(4 * i) & np.uint64(7)
        made |= (both >> at * np.uint64(8) & np.uint64(255)) << np.uint64(8 * i)
    return np.uint32(made)
