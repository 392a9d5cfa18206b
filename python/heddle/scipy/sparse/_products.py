"""Products of compressed rows and columns by threads that share them, for GPUs.

Nobody has looked at indices: those that are out of bounds are left out, as a GPU that reads or
writes there is lost to the process.

Sums that many threads add to are in no order: their last digits may differ from call to call.
"""

from __future__ import annotations

import functools
from typing import Any

import numpy

import heddle as np
from heddle import simt
from heddle._core import ndarray
from heddle._dtypes import int64
from heddle._typing import KernelArray
from heddle.scipy.sparse._passes import Rows

BLOCK = 128  # threads


def team_of(rows: int, elements: int) -> int:
    """How many threads a row of usual length keeps busy: a power of two."""
    return 1 << min(max(elements // max(rows, 1), 1).bit_length() - 1, 5)


def _blocks(threads: int) -> int:
    return (threads + BLOCK - 1) // BLOCK


# --- with vectors ---


@functools.cache
def _rows_with_vector(team: int) -> Any:
    """So many threads of a warp for each row: they read elements that lie side by side. Of rows
    that are much longer than usual the whole warp reads one after the other."""
    rows = 32 // team
    long = 16 * team

    @simt.kernel
    def run(
        indptr: KernelArray, indices: KernelArray, data: KernelArray, x: KernelArray, y: KernelArray
    ) -> None:
        thread = simt.grid(1)
        i = thread // team
        lane = thread % 32
        begin = indptr[0]
        end = begin
        total = data[0] - data[0]
        if i < y.size:
            begin = max(indptr[i], 0)
            end = min(indptr[i + 1], data.size)
        alone = end - begin <= long
        if alone:
            for k in range(begin + thread % team, end, team):
                j = indices[k]
                if 0 <= j < x.size:
                    total += data[k] * x[j]
        distance = team // 2
        while distance > 0:
            total += simt.shfl_xor_sync(0xFFFFFFFF, total, distance)
            distance = distance // 2
        if simt.any_sync(0xFFFFFFFF, not alone):
            for r in range(rows):
                first = simt.shfl_sync(0xFFFFFFFF, begin, r * team)
                last = simt.shfl_sync(0xFFFFFFFF, end, r * team)
                if last - first > long:
                    part = data[0] - data[0]
                    for k in range(first + lane, last, 32):
                        j = indices[k]
                        if 0 <= j < x.size:
                            part += data[k] * x[j]
                    distance = 16
                    while distance > 0:
                        part += simt.shfl_xor_sync(0xFFFFFFFF, part, distance)
                        distance = distance // 2
                    if lane // team == r:
                        total = part
        if i < y.size and thread % team == 0:
            y[i] = total

    return run


def rows_by_teams(
    indptr: ndarray, indices: ndarray, data: ndarray, x: ndarray, team: int
) -> ndarray:
    """Compressed rows times a vector, by so many threads for each; there are elements."""
    n = indptr.shape[0] - 1
    y = np.empty(n, data.dtype, device=data.device)
    _rows_with_vector(team)[_blocks(n * team), BLOCK](indptr, indices, data, x, y)
    return y


@functools.cache
def _columns_with_vector(team: int) -> Any:
    """So many threads for each column, which add to the rows."""

    @simt.kernel
    def run(
        indptr: KernelArray, indices: KernelArray, data: KernelArray, x: KernelArray, y: KernelArray
    ) -> None:
        thread = simt.grid(1)
        j = thread // team
        if j < x.size:
            value = x[j]
            first = max(indptr[j], 0) + thread % team
            for k in range(first, min(indptr[j + 1], data.size), team):
                i = indices[k]
                if 0 <= i < y.size:
                    simt.atomic.add(y, i, data[k] * value)

    return run


def columns_by_teams(
    indptr: ndarray, indices: ndarray, data: ndarray, x: ndarray, rows: int
) -> ndarray:
    """Compressed columns times a vector of a type that atomic operations add."""
    y = np.zeros(rows, data.dtype, device=data.device)
    columns = indptr.shape[0] - 1
    if y.size and data.size:
        team = team_of(columns, data.shape[0])
        _columns_with_vector(team)[_blocks(columns * team), BLOCK](indptr, indices, data, x, y)
    return y


# --- of two matrices ---


@functools.cache
def _insert(team: int) -> Any:
    """So many threads for each element of the first matrix, with which a row of the second is
    multiplied; a row of the product has a table, from columns to sums."""

    @simt.kernel
    def run(
        rows: KernelArray,
        aj: KernelArray,
        ax: KernelArray,
        bp: KernelArray,
        bj: KernelArray,
        bx: KernelArray,
        begins: KernelArray,
        keys: Any,
        sums: Any,
    ) -> None:
        thread = simt.grid(1)
        k = thread // team
        if k < aj.size:
            j = aj[k]  # the lengths of these rows have been asked: it is one
            value = ax[k]
            row = rows[k]
            begin = int64(begins[row])
            size = int64(begins[row + 1]) - begin
            first = max(bp[j], 0) + thread % team
            for l in range(first, min(bp[j + 1], bj.size), team):
                column = bj[l]
                # Spread by Fibonacci's multiplier; no more than the table by a product and a shift.
                spread = (int64(column) * 2654435761) & 0xFFFFFFFF
                place = (spread * size) >> 32
                left = size  # of a matrix that is none a table may be too small
                while left > 0:
                    there = simt.atomic.cas(keys, begin + place, -1, column)
                    if there == -1 or there == column:
                        simt.atomic.add(sums, begin + place, value * bx[l])
                        left = int64(0)
                    else:
                        left -= 1
                        place += 1
                        if place == size:
                            place = int64(0)

    return run


def by_tables(a: Rows, b: Rows, columns: int) -> Rows:
    """The product of two matrices of one type that atomic operations add; rows are not sorted."""
    (ap, aj, ax), (bp, bj, bx) = a, b
    zero = np.zeros(1, numpy.int64, device=ap.device)
    lengths = np.maximum(bp[1:] - bp[:-1], 0)[aj].astype(numpy.int64)
    before = np.concatenate([zero, lengths.cumsum()])[ap]
    # Half as much room again as there are products, but no more than columns need.
    products = np.maximum(before[1:] - before[:-1], 0)
    sizes = np.minimum(products + (products + 1) // 2, 2 * columns)
    begins = np.concatenate([zero, sizes.cumsum()])
    slots = int(begins[-1])
    if not slots:
        none = np.zeros(0, ap.dtype, device=ap.device)
        return np.zeros_like(ap), none, ax[:0]
    keys = np.full(slots, -1, bj.dtype, device=ap.device)
    sums = np.zeros(slots, ax.dtype, device=ap.device)
    elements = np.arange(aj.shape[0], dtype=ap.dtype, device=ap.device)
    rows = np.clip(np.searchsorted(ap, elements, side="right") - 1, 0, ap.shape[0] - 2)
    team = team_of(bp.shape[0] - 1, bj.shape[0])
    _insert(team)[_blocks(aj.shape[0] * team), BLOCK](rows, aj, ax, bp, bj, bx, begins, keys, sums)
    kept = np.flatnonzero(sums)
    indptr = np.searchsorted(kept, begins)
    if kept.shape[0] <= numpy.iinfo(ap.dtype).max:
        indptr = indptr.astype(ap.dtype)
    return indptr, keys[kept].astype(indptr.dtype, copy=False), sums[kept]
