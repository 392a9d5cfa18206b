"""Products of compressed rows and columns with dense vectors and matrices.

On a CPU they are functions of `njit`; elsewhere kernels of `simt`, which leave out indices that are
out of bounds, as nobody has looked at them.
"""

from __future__ import annotations

from typing import Any

import heddle as np
from heddle import simt
from heddle._compiled.functions import njit, prange
from heddle._core import check_indices, ndarray
from heddle._typing import KernelArray
from heddle.scipy.sparse import _products
from heddle.scipy.sparse._kernels import transposed
from heddle.scipy.sparse._products import BLOCK, team_of


@njit
def _row_with_vector(
    indptr: KernelArray,
    indices: KernelArray,
    data: KernelArray,
    x: KernelArray,
    y: KernelArray,
    i: int,
) -> None:
    y[i] = 0
    total = y[i]
    for k in range(indptr[i], indptr[i + 1]):
        total += data[k] * x[indices[k]]
    y[i] = total


@njit
def _rows_with_vector(indptr: Any, indices: Any, data: KernelArray, x: Any, y: KernelArray) -> None:
    if data.size < 1 << 14:  # less than it takes to hand out the rows
        for i in range(y.size):
            _row_with_vector(indptr, indices, data, x, y, i)
    else:
        for i in prange(y.size):
            _row_with_vector(indptr, indices, data, x, y, i)


@njit
def _rows_with_matrix(
    indptr: KernelArray, indices: KernelArray, data: KernelArray, x: KernelArray, y: KernelArray
) -> None:
    for i in prange(y.shape[0]):
        for c in range(y.shape[1]):
            y[i, c] = 0
        for k in range(indptr[i], indptr[i + 1]):
            value = data[k]
            j = indices[k]
            for c in range(y.shape[1]):
                y[i, c] += value * x[j, c]


@njit
def _sums_of_rows(indptr: KernelArray, data: KernelArray, y: KernelArray) -> None:
    for i in prange(y.size):
        y[i] = 0
        total = y[i]
        for k in range(indptr[i], indptr[i + 1]):
            total += data[k]
        y[i] = total


@simt.kernel
def _matvec(
    indptr: KernelArray, indices: KernelArray, data: KernelArray, x: KernelArray, y: KernelArray
) -> None:
    i = simt.grid(1)
    if i < y.size:
        total = y[i]
        for k in range(max(indptr[i], 0), min(indptr[i + 1], data.size)):
            j = indices[k]
            if 0 <= j < x.size:
                total += data[k] * x[j]
        y[i] = total


@simt.kernel
def _matmat(
    indptr: KernelArray, indices: KernelArray, data: KernelArray, x: KernelArray, y: KernelArray
) -> None:
    i, c = simt.grid(2)
    if i < y.shape[0] and c < y.shape[1]:
        total = y[i, c]
        for k in range(max(indptr[i], 0), min(indptr[i + 1], data.size)):
            j = indices[k]
            if 0 <= j < x.shape[0]:
                total += data[k] * x[j, c]
        y[i, c] = total


@simt.kernel
def _matmat_of_blocks(
    indptr: KernelArray, indices: KernelArray, data: KernelArray, x: KernelArray, y: KernelArray
) -> None:
    """Threads that lie side by side have columns side by side: they read one row of x together.
    Blocks go along x over the rows, as only there a grid may have millions."""
    i = simt.blockIdx.x * simt.blockDim.y + simt.threadIdx.y
    c = simt.blockIdx.y * simt.blockDim.x + simt.threadIdx.x
    if i < y.shape[0] and c < y.shape[1]:
        total = y[i, c]
        for k in range(max(indptr[i], 0), min(indptr[i + 1], data.size)):
            j = indices[k]
            if 0 <= j < x.shape[0]:
                total += data[k] * x[j, c]
        y[i, c] = total


def rows_times(indptr: ndarray, indices: ndarray, data: ndarray, x: ndarray) -> ndarray:
    """Compressed rows times a vector or a matrix of the same type."""
    n = indptr.shape[0] - 1
    if data._at_once and x._at_once:
        y = np.empty((n, *x.shape[1:]), data.dtype, device="cpu")
        if x.ndim == 1:
            _rows_with_vector(indptr, indices, data, x, y)
        else:
            _rows_with_matrix(indptr, indices, data, x, y)
        return y
    team = team_of(n, data.shape[0])
    if x.ndim == 1 and team > 1 and data.dtype.kind != "c" and not data._on_host:
        return _products.rows_by_teams(indptr, indices, data, x, team)
    y = np.zeros((n, *x.shape[1:]), data.dtype, device=data.device)
    kernel: Any
    if not y.size or not data.shape[0]:
        return y
    if data._on_host:  # somebody records: kernels do not look where they read
        check_indices(indices, 0, x.shape[0])
    if x.ndim == 1:
        kernel = _matvec
        kernel[(n + 31) // 32, 32](indptr, indices, data, x, y)
        return y
    if not data._on_host:
        wide = 1 << min((x.shape[1] - 1).bit_length(), 5)
        high = BLOCK // wide
        grid = ((n + high - 1) // high, (x.shape[1] + wide - 1) // wide)
        _matmat_of_blocks[grid, (wide, high)](indptr, indices, data, x, y)
        return y
    kernel = _matmat
    wide = 32 if x.shape[1] >= 8 else x.shape[1]  # vectors are along the longer axis of a block
    high = 1 if wide == 32 else 64 // wide
    grid = ((n + high - 1) // high, (x.shape[1] + wide - 1) // wide)
    kernel[grid, (high, wide)](indptr, indices, data, x, y)
    return y


@njit
def _entries_with_vector(
    rows: KernelArray, columns: KernelArray, data: KernelArray, x: KernelArray, y: KernelArray
) -> None:
    for k in range(data.size):
        y[rows[k]] += data[k] * x[columns[k]]


@njit
def _blocks_with_vector(
    indptr: KernelArray,
    indices: KernelArray,
    data: KernelArray,
    x: KernelArray,
    high: int,
    wide: int,
    y: KernelArray,
) -> None:
    for i in prange(indptr.size - 1):
        for k in range(indptr[i], indptr[i + 1]):
            first = indices[k] * wide
            at = k * high * wide
            for r in range(i * high, (i + 1) * high):
                total = y[r]
                for c in range(first, first + wide):
                    total += data[at] * x[c]
                    at += 1
                y[r] = total


def parts_times(parts: tuple[ndarray, ndarray, ndarray], x: ndarray, n: int) -> ndarray | None:
    """Rows, columns and elements, or pointers, indices and blocks, times a vector of the same type
    on the host, as they are; None elsewhere, where compressed rows are made of them first."""
    if x.ndim != 1 or not all(each._at_once for each in (*parts, x)):
        return None
    y = np.zeros((n,), x.dtype, device="cpu")
    first, second, data = parts
    if data.ndim == 1:
        _entries_with_vector(first, second, data, x, y)
    else:
        _blocks_with_vector(first, second, data.reshape(-1), x, *data.shape[1:], y)
    return y


def sums_of_rows(indptr: ndarray, indices: ndarray, data: ndarray, columns: int) -> ndarray:
    """The sum of each row, in the type of the data."""
    if data._at_once:
        y = np.empty(indptr.shape[0] - 1, data.dtype, device="cpu")
        _sums_of_rows(indptr, data, y)
        return y
    return rows_times(indptr, indices, data, np.ones(columns, data.dtype, device=data.device))


@njit
def _columns_times_vector(
    indptr: KernelArray, indices: KernelArray, data: KernelArray, x: KernelArray, y: KernelArray
) -> None:
    for i in range(y.size):
        y[i] = 0
    for j in range(indptr.size - 1):
        value = x[j]
        for k in range(indptr[j], indptr[j + 1]):
            y[indices[k]] += data[k] * value


@njit
def _columns_times(
    indptr: KernelArray, indices: KernelArray, data: KernelArray, x: KernelArray, y: KernelArray
) -> None:
    for i in range(y.shape[0]):
        for c in range(y.shape[1]):
            y[i, c] = 0
    for j in range(indptr.size - 1):
        for k in range(indptr[j], indptr[j + 1]):
            value = data[k]
            i = indices[k]
            for c in range(x.shape[1]):
                y[i, c] += value * x[j, c]


def columns_times(
    indptr: ndarray, indices: ndarray, data: ndarray, x: ndarray, rows: int
) -> ndarray:
    """Compressed columns times a vector or a matrix of the same type."""
    if data._on_host and indptr._on_host and x._on_host:
        y = np.empty((rows, *x.shape[1:]), data.dtype, device="cpu")
        kernel = _columns_times_vector if x.ndim == 1 else _columns_times
        kernel(indptr, indices, data, x, y)
        return y
    if data.dtype.kind in "fiu" and data.dtype.itemsize >= 4 and x.ndim == 1 and data.size:
        return _products.columns_by_teams(indptr, indices, data, x, rows)
    return rows_times(*transposed(indptr, indices, data, rows), x)
