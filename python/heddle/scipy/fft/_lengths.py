"""Lengths that transforms are quick for."""

from __future__ import annotations

import operator
from typing import SupportsIndex


def _odd_products(primes: tuple[int, ...], limit: int) -> list[int]:
    """Products of primes up to a limit."""
    made = [1]
    for prime in primes:
        for product in list(made):
            while (product := product * prime) <= limit:
                made.append(product)
    return made


def _found(target: SupportsIndex, real: bool, after: bool) -> int:
    n = operator.index(target)
    if n < 0:
        raise ValueError("Target length must be positive")
    if n <= 6:
        return int(n)
    # Each product of odd primes, with the power of two that brings it nearest.
    odd = _odd_products((3, 5) if real else (3, 5, 7, 11), 2 * n)
    if after:
        return min(product << (-(-n // product) - 1).bit_length() for product in odd)
    return max(product << (n // product).bit_length() - 1 for product in odd if product <= n)


def next_fast_len(target: int, real: bool = False) -> int:
    """The least length from target on that transforms are quick for.

    Examples
    --------
    >>> from heddle.scipy import fft
    >>> fft.next_fast_len(1021)
    1024
    """
    return _found(target, bool(real), True)


def prev_fast_len(target: int, real: bool = False) -> int:
    """The greatest length up to target that transforms are quick for.

    Examples
    --------
    >>> from heddle.scipy import fft
    >>> fft.prev_fast_len(1021)
    1008
    """
    return _found(target, bool(real), False)
