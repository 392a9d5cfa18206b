"""Distances of all pairs of rows on the host: loops that read rows as they lie.

The formulas of _metrics gather both rows of each pair, which a GPU does as fast as it reads; a CPU
takes more time for that than for the sums.
"""

from __future__ import annotations

import heddle as np
from heddle._compiled.functions import njit, prange
from heddle._core import is_differentiated, is_stand_in, ndarray
from heddle._typing import KernelArray


@njit
def _row(a: KernelArray, i: int, made: KernelArray) -> None:
    n = a.shape[0]
    before = i * n - i * (i + 1) // 2 - i - 1  # where pairs with row 0 would be
    for j in range(i + 1, n):
        total = 0.0
        for k in range(a.shape[1]):
            step = a[i, k] - a[j, k]
            total += step * step
        made[before + j] = np.sqrt(total)


@njit
def _euclidean(a: KernelArray, made: KernelArray) -> None:
    n = a.shape[0]
    for h in prange((n + 1) // 2):  # the first row has most pairs, the last none
        _row(a, h, made)
        if n - 1 - h != h:
            _row(a, n - 1 - h, made)


def euclidean_pairs(a: ndarray) -> ndarray | None:
    """Euclidean distances of rows of float64, i < j; None where the formula serves better."""
    if a.device != "cpu" or is_stand_in(a) or is_differentiated(a):
        return None
    n = a.shape[0]
    made = np.empty(n * (n - 1) // 2)
    _euclidean(a, made)
    return made
