"""Triangular systems: row after row on the host, level after level on other devices."""

from __future__ import annotations

import numpy

import heddle as np
from heddle import simt
from heddle._compiled.functions import njit
from heddle._core import ndarray
from heddle._typing import KernelArray

# With more levels than this a chain of launches is slower than the host.
_MOST_LEVELS = 4096


@njit
def _substitute(indptr, indices, data, x, lower, unit):  # noqa: ANN001, ANN202
    """Solves in place, rows of x being right sides; whether no diagonal element is zero."""
    n = indptr.size - 1
    columns = x.shape[1]
    for step in range(n):
        i = step if lower else n - 1 - step
        pivot = data[0] * 0
        for k in range(indptr[i], indptr[i + 1]):
            j = indices[k]
            if j == i:
                pivot += data[k]
            elif (j < i) == lower:
                for c in range(columns):
                    x[i, c] -= data[k] * x[j, c]
        if not unit:
            if pivot == 0:
                return False
            for c in range(columns):
                x[i, c] /= pivot
    return True


@njit
def _levels(indptr, indices, lower, levels):  # noqa: ANN001, ANN202
    """For each row how many others it waits for, one after the other; how many levels there are."""
    n = indptr.size - 1
    highest = 0
    for step in range(n):
        i = step if lower else n - 1 - step
        level = 0
        for k in range(indptr[i], indptr[i + 1]):
            j = indices[k]
            if j != i and (j < i) == lower:
                level = max(level, levels[j] + 1)
        levels[i] = level
        highest = max(highest, level + 1)
    return highest


@simt.kernel
def _level(
    rows: KernelArray,
    begin: int,
    end: int,
    indptr: KernelArray,
    indices: KernelArray,
    data: KernelArray,
    x: KernelArray,
    lower: bool,
) -> None:
    p = simt.grid(1)
    columns = x.shape[1]
    if p < (end - begin) * columns:
        i = rows[begin + p // columns]
        c = p % columns
        value = x[i, c]
        pivot = data[0] * 0
        for k in range(indptr[i], indptr[i + 1]):
            j = indices[k]
            if j == i:
                pivot = pivot + data[k]
            elif (j < i) == lower:
                value = value - data[k] * x[j, c]
        x[i, c] = value / pivot


def substitute(
    indptr: ndarray, indices: ndarray, data: ndarray, b: ndarray, lower: bool, unit: bool
) -> ndarray | None:
    """x of a triangle in compressed rows and right sides in columns; None where it is singular.

    Elements of the other triangle are not looked at, nor those of the diagonal with `unit`.
    """
    if b.size == 0:
        return b.copy()
    if data.size == 0:
        return b.copy() if unit else None
    if not b._on_host:
        found = _on_device(indptr, indices, data, b, lower, unit)
        if found is not None:
            return found
    arrays = [a._snapshot() for a in (indptr, indices, data)]
    x = numpy.ascontiguousarray(b._snapshot())
    return np.asarray(x, device=b.device) if _substitute(*arrays, x, lower, unit) else None


def _on_device(
    indptr: ndarray, indices: ndarray, data: ndarray, b: ndarray, lower: bool, unit: bool
) -> ndarray | None:
    """Rows of a level do not wait for one another. None where there are too many levels, or where
    the diagonal has to be looked at by the host."""
    if unit:
        return None
    begins = indptr._snapshot()
    levels = numpy.empty(len(begins) - 1, numpy.int64)
    count = int(_levels(begins, indices._snapshot(), lower, levels))
    if count > _MOST_LEVELS:
        return None
    order = numpy.argsort(levels, kind="stable")
    ends = numpy.cumsum(numpy.bincount(levels, minlength=count))
    rows = np.asarray(order, device=b.device)
    x = np.ascontiguousarray(b).copy()
    begin = 0
    kernel = _level
    for end in ends.tolist():
        launch = kernel.forall((end - begin) * x.shape[1])
        launch(rows, begin, end, indptr, indices, data, x, lower)
        begin = end
    return x
