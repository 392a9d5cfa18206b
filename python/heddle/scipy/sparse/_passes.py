"""Passes over compressed rows on the host: sorting, sums of duplicates, rows that are taken, and
extrema. Other devices sort, search and scan instead, where `_kernels` and its callers say so.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

import heddle as np
from heddle._compiled.functions import njit, prange
from heddle._core import ndarray
from heddle._typing import DType, KernelArray

if TYPE_CHECKING:
    from heddle._compiled.functions import Function

Rows = tuple[ndarray, ndarray, ndarray]  # indptr, indices, data


@njit
def _sort_short(indptr: KernelArray, indices: KernelArray, data: KernelArray) -> int:
    long = 0
    for i in prange(indptr.size - 1):
        begin = indptr[i]
        end = indptr[i + 1]
        if end - begin > 48:
            long += 1
        else:
            for k in range(begin + 1, end):
                column = indices[k]
                value = data[k]
                at = k
                while at > begin and indices[at - 1] > column:
                    indices[at] = indices[at - 1]
                    data[at] = data[at - 1]
                    at -= 1
                indices[at] = column
                data[at] = value
    return long


def sorted_if_short(indptr: ndarray, indices: ndarray, data: ndarray) -> Rows | None:
    """Rows sorted by columns, duplicates in their order; None where there are long rows."""
    indices, data = indices.copy(), data.copy()
    return None if _sort_short(indptr, indices, data) else (indptr, indices, data)


@njit
def _sum_equal(
    indptr: KernelArray,
    indices: KernelArray,
    data: KernelArray,
    to_p: KernelArray,
    to_j: KernelArray,
    to_x: KernelArray,
) -> None:
    place = 0
    to_p[0] = 0
    for i in range(indptr.size - 1):
        k = indptr[i]
        end = indptr[i + 1]
        while k < end:
            column = indices[k]
            total = data[k]
            k += 1
            while k < end and indices[k] == column:
                total += data[k]
                k += 1
            to_j[place] = column
            to_x[place] = total
            place += 1
        to_p[i + 1] = place


def without_duplicates(indptr: ndarray, indices: ndarray, data: ndarray) -> Rows:
    """Duplicates of sorted rows become their sum."""
    made = np.empty_like(indptr), np.empty_like(indices), np.empty_like(data)
    _sum_equal(indptr, indices, data, *made)
    count = int(made[0][-1])
    return (
        made
        if count == data.shape[0]
        else (made[0], made[1][:count].copy(), made[2][:count].copy())
    )


@njit
def _ends(indptr: KernelArray, rows: KernelArray, to_p: KernelArray) -> None:
    to_p[0] = 0
    for i in range(rows.size):
        to_p[i + 1] = to_p[i] + (indptr[rows[i] + 1] - indptr[rows[i]])


@njit
def _take(
    indptr: KernelArray,
    indices: KernelArray,
    data: KernelArray,
    rows: KernelArray,
    to_p: KernelArray,
    to_j: KernelArray,
    to_x: KernelArray,
) -> None:
    for i in prange(rows.size):
        place = to_p[i]
        for k in range(indptr[rows[i]], indptr[rows[i] + 1]):
            to_j[place] = indices[k]
            to_x[place] = data[k]
            place += 1


def taken(indptr: ndarray, indices: ndarray, data: ndarray, rows: ndarray) -> Rows:
    """Some of the rows, in any order."""
    to_p = np.empty(rows.shape[0] + 1, indptr.dtype, device="cpu")
    _ends(indptr, rows, to_p)
    count = int(to_p[-1])
    to_j = np.empty(count, indices.dtype, device="cpu")
    to_x = np.empty(count, data.dtype, device="cpu")
    _take(indptr, indices, data, rows, to_p, to_j, to_x)
    return to_p, to_j, to_x


@functools.cache
def _extremes(largest: bool, numbers_first: bool) -> Function:
    @njit
    def run(
        indptr: KernelArray, data: KernelArray, columns: int, rows: KernelArray, values: KernelArray
    ) -> int:
        place = 0
        for i in range(indptr.size - 1):
            begin = indptr[i]
            end = indptr[i + 1]
            if end > begin:
                best = data[begin]
                for k in range(begin + 1, end):
                    value = data[k]
                    # nan is beyond all, or behind all.
                    odd = best != best if numbers_first else value != value
                    better = value > best if largest else value < best
                    best = value if better or odd else best
                if end - begin < columns:
                    better = best < 0 if largest else best > 0
                    if better or (numbers_first and best != best):
                        best = 0
                rows[place] = i
                values[place] = best
                place += 1 if best != 0 else 0
        return place

    return run


_KINDS = {
    "maximum": (True, False),
    "minimum": (False, False),
    "fmax": (True, True),
    "fmin": (False, True),
}


def extremes(
    indptr: ndarray, data: ndarray, columns: int, name: str, index_dtype: DType
) -> tuple[ndarray, ndarray]:
    """Rows whose extreme element is not zero, and these; rows with less than `columns` elements
    have a zero beside them."""
    most = indptr.shape[0]
    rows = np.empty(most, index_dtype, device="cpu")
    values = np.empty(most, data.dtype, device="cpu")
    count = _extremes(*_KINDS[name])(indptr, data, columns, rows, values)
    return rows[:count].copy(), values[:count].copy()
