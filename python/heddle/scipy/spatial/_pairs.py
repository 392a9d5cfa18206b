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


@njit
def _spread(line: KernelArray, matrix: KernelArray) -> None:
    n = matrix.shape[0]
    begin = 0
    for i in range(n):
        matrix[i, i] = 0
        count = n - i - 1
        given = line[begin : begin + count]
        for k in range(count):
            matrix[i, i + 1 + k] = given[k]
        for k in range(count):
            matrix[i + 1 + k, i] = given[k]
        begin += count


def matrix_of_line(line: ndarray, n: int) -> ndarray:
    """The symmetric matrix, zero on its diagonal, whose rows behind that are a line."""
    if line._at_once and not (is_stand_in(line) or is_differentiated(line)):
        matrix = np.empty((n, n), line.dtype, device="cpu")
        _spread(line, matrix)
        return matrix
    i = np.arange(n, device=line.device)[:, None]
    j = np.arange(n, device=line.device)[None, :]
    low, high = np.minimum(i, j), np.maximum(i, j)
    place = np.clip(n * low - low * (low + 1) // 2 + high - low - 1, 0, line.shape[0] - 1)
    values = np.take(line, place.reshape(-1)).reshape(n, n)
    return np.where(i == j, np.zeros((), line.dtype, device=line.device), values).astype(line.dtype)
