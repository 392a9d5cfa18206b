"""Functions of CUDA's library that take numbers apart: quotients, halves of products, bytes."""

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
def unsigned_high(a: Any, b: Any) -> Any:
    """The upper 64 bits of a product."""
    half, mask = np.uint64(32), np.uint64(0xFFFFFFFF)
    a0, a1, b0, b1 = a & mask, a >> half, b & mask, b >> half
    middle = a1 * b0 + (a0 * b0 >> half)
    other = a0 * b1 + (middle & mask)
    return a1 * b1 + (middle >> half) + (other >> half)


@func
def high(a: Any, b: Any) -> Any:
    high = np.int64(unsigned_high(np.uint64(a), np.uint64(b)))
    if a < 0:
        high -= b
    if b < 0:
        high -= a
    return high


@func
def permuted(a: Any, b: Any, chosen: Any) -> Any:
    """Four bytes of eight: each of the lowest three bits of a part of `chosen` says which."""
    both = np.uint64(a) | np.uint64(b) << np.uint64(32)
    made = np.uint64(0)
    for i in (0, 1, 2, 3):
        at = np.uint64(chosen) >> np.uint64(4 * i) & np.uint64(7)
        made |= (both >> at * np.uint64(8) & np.uint64(255)) << np.uint64(8 * i)
    return np.uint32(made)
