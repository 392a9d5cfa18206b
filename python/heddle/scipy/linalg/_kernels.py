"""Kernels for systems whose elements follow from one another: one thread for each system.

Systems are along the last axis of these arrays, so that threads read neighbours.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy

import heddle as np
from heddle import simt
from heddle._core import ndarray
from heddle._typing import KernelArray

if TYPE_CHECKING:
    from heddle._compiled.functions import Function
    from heddle.simt._kernel import Kernel


def _launch(kernel: Kernel, count: int, *arguments: object) -> None:
    kernel.forall(count)(*arguments)


_FEW = 16  # systems that a CPU solves one by one: lanes of a vector would be idle


def _solve(kernel: Kernel, rows: Function, count: int, *arguments: Any) -> None:
    """By a thread for each system, or on a CPU by a loop over few of them."""
    if count < _FEW and arguments[-1].device == "cpu":
        rows(*arguments)
    else:
        _launch(kernel, count, *arguments)


@simt.kernel
def _swap_rows(pivots: KernelArray, order: KernelArray) -> None:
    i = simt.grid(1)
    if i < order.shape[1]:
        for k in range(order.shape[0]):
            order[k, i] = k
        for k in range(pivots.shape[0]):
            other = pivots[k, i]
            kept = order[k, i]
            order[k, i] = order[other, i]
            order[other, i] = kept


def rows_of_pivots(pivots: ndarray, n: int) -> ndarray:
    """The order of rows after row k and row pivots[k] changed places, for all k in turn."""
    stack = pivots.shape[:-1]
    count = int(numpy.prod(stack, dtype=numpy.int64))
    flat = pivots.reshape(count, pivots.shape[-1]).astype("i8").T
    order = np.empty((n, count), "i8", device=pivots.device)
    if order.size:
        _launch(_swap_rows, count, np.ascontiguousarray(flat), order)
    return order.T.reshape(*stack, n)


@np.njit
def _size(x: Any) -> Any:
    # LAPACK's measure of pivots
    return abs(x.real) + abs(x.imag)


@np.njit
def _tridiagonal_system(
    below: KernelArray,
    middle: KernelArray,
    above: KernelArray,
    x: KernelArray,
    info: KernelArray,
    i: int,
) -> None:
    # LAPACK's gtsv: elimination with pivoting, the second diagonal above in the place of below.
    n = middle.shape[0]
    sides = x.shape[1]
    bad = 0
    for k in range(n - 1):
        lower = below[k, i]
        pivot = middle[k, i]
        if _size(pivot) >= _size(lower):
            if pivot != 0:
                factor = lower / pivot
                middle[k + 1, i] = middle[k + 1, i] - factor * above[k, i]
                for j in range(sides):
                    x[k + 1, j, i] = x[k + 1, j, i] - factor * x[k, j, i]
            elif bad == 0:
                bad = k + 1
            below[k, i] = 0
        else:
            factor = pivot / lower
            middle[k, i] = lower
            kept = middle[k + 1, i]
            middle[k + 1, i] = above[k, i] - factor * kept
            if k < n - 2:
                below[k, i] = above[k + 1, i]
                above[k + 1, i] = -factor * above[k + 1, i]
            else:
                below[k, i] = 0
            above[k, i] = kept
            for j in range(sides):
                saved = x[k, j, i]
                x[k, j, i] = x[k + 1, j, i]
                x[k + 1, j, i] = saved - factor * x[k + 1, j, i]
    if bad == 0 and middle[n - 1, i] == 0:
        bad = n
    info[i] = bad
    if bad == 0:
        for j in range(sides):
            x[n - 1, j, i] = x[n - 1, j, i] / middle[n - 1, i]
            if n > 1:
                value = x[n - 2, j, i] - above[n - 2, i] * x[n - 1, j, i]
                x[n - 2, j, i] = value / middle[n - 2, i]
        for k in range(n - 3, -1, -1):
            for j in range(sides):
                value = x[k, j, i] - above[k, i] * x[k + 1, j, i]
                value = value - below[k, i] * x[k + 2, j, i]
                x[k, j, i] = value / middle[k, i]


@simt.kernel
def _tridiagonal(
    below: KernelArray, middle: KernelArray, above: KernelArray, x: KernelArray, info: KernelArray
) -> None:
    i = simt.grid(1)
    if i < middle.shape[1]:
        _tridiagonal_system(below, middle, above, x, info, i)


@np.njit
def _tridiagonal_rows(
    below: KernelArray, middle: KernelArray, above: KernelArray, x: KernelArray, info: KernelArray
) -> None:
    for i in np.prange(middle.shape[1]):
        _tridiagonal_system(below, middle, above, x, info, i)


@np.njit
def _banded_system(
    n_lower: int,
    n_upper: int,
    ab: KernelArray,
    x: KernelArray,
    pivots: KernelArray,
    info: KernelArray,
    i: int,
) -> None:
    # LAPACK's gbsv: rows n_lower and on of ab are the diagonals, those before have room for fill;
    # factors take their places.
    n = ab.shape[1]
    sides = x.shape[1]
    diagonal = n_lower + n_upper
    bad = 0
    reach = 0
    for k in range(n):
        last = min(n - 1, k + n_lower)
        best = k
        size = _size(ab[diagonal, k, i])
        for row in range(k + 1, last + 1):
            other = _size(ab[diagonal + row - k, k, i])
            if other > size:
                size = other
                best = row
        pivots[k, i] = best
        reach = max(reach, min(best + n_upper, n - 1))
        if size == 0:
            if bad == 0:
                bad = k + 1
        else:
            if best != k:
                for column in range(k, reach + 1):
                    kept = ab[diagonal + k - column, column, i]
                    ab[diagonal + k - column, column, i] = ab[diagonal + best - column, column, i]
                    ab[diagonal + best - column, column, i] = kept
                for j in range(sides):
                    saved = x[k, j, i]
                    x[k, j, i] = x[best, j, i]
                    x[best, j, i] = saved
            pivot = ab[diagonal, k, i]
            for row in range(k + 1, last + 1):
                factor = ab[diagonal + row - k, k, i] / pivot
                ab[diagonal + row - k, k, i] = factor
                if factor != 0:
                    for column in range(k + 1, reach + 1):
                        ab[diagonal + row - column, column, i] = (
                            ab[diagonal + row - column, column, i]
                            - factor * ab[diagonal + k - column, column, i]
                        )
                    for j in range(sides):
                        x[row, j, i] = x[row, j, i] - factor * x[k, j, i]
    info[i] = bad
    if bad == 0:
        for k in range(n - 1, -1, -1):
            for j in range(sides):
                value = x[k, j, i]
                for column in range(k + 1, min(n - 1, k + diagonal) + 1):
                    value = value - ab[diagonal + k - column, column, i] * x[column, j, i]
                x[k, j, i] = value / ab[diagonal, k, i]


@simt.kernel
def _banded(
    n_lower: int,
    n_upper: int,
    ab: KernelArray,
    x: KernelArray,
    pivots: KernelArray,
    info: KernelArray,
) -> None:
    i = simt.grid(1)
    if i < ab.shape[2]:
        _banded_system(n_lower, n_upper, ab, x, pivots, info, i)


@np.njit
def _banded_rows(
    n_lower: int,
    n_upper: int,
    ab: KernelArray,
    x: KernelArray,
    pivots: KernelArray,
    info: KernelArray,
) -> None:
    for i in np.prange(ab.shape[2]):
        _banded_system(n_lower, n_upper, ab, x, pivots, info, i)


@np.njit
def _banded_cholesky_system(ab: KernelArray, info: KernelArray, i: int) -> None:
    # Of lower diagonals, row d of ab being the d-th: L takes their place.
    width = ab.shape[0] - 1
    n = ab.shape[1]
    bad = 0
    for k in range(n):
        if bad == 0:
            size = ab[0, k, i].real
            if not size > 0:
                bad = k + 1
            else:
                root = np.sqrt(size)
                ab[0, k, i] = root
                last = min(width, n - 1 - k)
                for d in range(1, last + 1):
                    ab[d, k, i] = ab[d, k, i] / root
                for d in range(1, last + 1):
                    factor = np.conjugate(ab[d, k, i])
                    for e in range(d, last + 1):
                        ab[e - d, k + d, i] = ab[e - d, k + d, i] - factor * ab[e, k, i]
    info[i] = bad


@simt.kernel
def _banded_cholesky(ab: KernelArray, info: KernelArray) -> None:
    i = simt.grid(1)
    if i < ab.shape[2]:
        _banded_cholesky_system(ab, info, i)


@np.njit
def _banded_cholesky_rows(ab: KernelArray, info: KernelArray) -> None:
    for i in np.prange(ab.shape[2]):
        _banded_cholesky_system(ab, info, i)


@np.njit
def _banded_substitution_system(ab: KernelArray, x: KernelArray, i: int) -> None:
    # Times the reciprocal, which nothing waits for, where each element waits for the one before.
    width = ab.shape[0] - 1
    n = ab.shape[1]
    for j in range(x.shape[1]):
        for k in range(n):
            value = x[k, j, i]
            for d in range(1, min(width, k) + 1):
                value = value - ab[d, k - d, i] * x[k - d, j, i]
            x[k, j, i] = value * (1 / ab[0, k, i])
        for k in range(n - 1, -1, -1):
            value = x[k, j, i]
            for d in range(1, min(width, n - 1 - k) + 1):
                value = value - np.conjugate(ab[d, k, i]) * x[k + d, j, i]
            x[k, j, i] = value * (1 / ab[0, k, i])


@simt.kernel
def _banded_substitution(ab: KernelArray, x: KernelArray) -> None:
    i = simt.grid(1)
    if i < ab.shape[2]:
        _banded_substitution_system(ab, x, i)


@np.njit
def _banded_substitution_rows(ab: KernelArray, x: KernelArray) -> None:
    for i in np.prange(ab.shape[2]):
        _banded_substitution_system(ab, x, i)


@np.njit
def _definite_tridiagonal_system(
    ab: KernelArray, x: KernelArray, info: KernelArray, i: int
) -> None:
    # LAPACK's ptsv: L times D times its adjoint, which needs no roots; x on the way down.
    n = ab.shape[1]
    bad = 0
    pivot = ab[0, 0, i].real
    if not pivot > 0:
        bad = 1
    for k in range(1, n):
        if bad == 0:
            below = ab[1, k - 1, i]
            factor = below / pivot
            pivot = ab[0, k, i].real - (factor * np.conjugate(below)).real
            ab[1, k - 1, i] = factor
            ab[0, k, i] = pivot
            if not pivot > 0:
                bad = k + 1
            for j in range(x.shape[1]):
                x[k, j, i] = x[k, j, i] - factor * x[k - 1, j, i]
    info[i] = bad
    if bad == 0:
        for j in range(x.shape[1]):
            x[n - 1, j, i] = x[n - 1, j, i] / ab[0, n - 1, i].real
        for k in range(n - 2, -1, -1):
            factor = np.conjugate(ab[1, k, i])
            for j in range(x.shape[1]):
                x[k, j, i] = x[k, j, i] / ab[0, k, i].real - factor * x[k + 1, j, i]


@simt.kernel
def _definite_tridiagonal(ab: KernelArray, x: KernelArray, info: KernelArray) -> None:
    i = simt.grid(1)
    if i < ab.shape[2]:
        _definite_tridiagonal_system(ab, x, info, i)


@np.njit
def _definite_tridiagonal_rows(ab: KernelArray, x: KernelArray, info: KernelArray) -> None:
    for i in np.prange(ab.shape[2]):
        _definite_tridiagonal_system(ab, x, info, i)


def _last(a: ndarray, stack: tuple[int, ...], count: int, core: int) -> ndarray:
    """A copy with the stack as the last axis."""
    spread = np.broadcast_to(a, (*stack, *a.shape[a.ndim - core :]))
    flat = spread.reshape(count, *spread.shape[len(stack) :])
    return np.moveaxis(flat, 0, -1).copy()


def _back(x: ndarray, stack: tuple[int, ...]) -> ndarray:
    moved = np.moveaxis(x, -1, 0)
    return moved.reshape(*stack, *moved.shape[1:])


def _stack_of(*shapes: tuple[int, ...]) -> tuple[tuple[int, ...], int]:
    stack = numpy.broadcast_shapes(*shapes)
    return stack, int(numpy.prod(stack, dtype=numpy.int64))


def tridiagonal_factors(
    below: ndarray, middle: ndarray, above: ndarray, b: ndarray
) -> tuple[list[ndarray], ndarray, ndarray]:
    """LAPACK's gtsv: factors (second diagonal above, diagonal, above), x and the zero pivots."""
    shapes = (below.shape[:-1], middle.shape[:-1], above.shape[:-1], b.shape[:-2])
    stack, count = _stack_of(*shapes)
    x = _last(b, stack, count, 2)
    info = np.zeros((count,), "i4", device=b.device)
    diagonals = [_last(each, stack, count, 1) for each in (below, middle, above)]
    if x.size:
        _solve(_tridiagonal, _tridiagonal_rows, count, *diagonals, x, info)
    return [_back(each, stack) for each in diagonals], _back(x, stack), info.reshape(stack)


def tridiagonal(
    below: ndarray, middle: ndarray, above: ndarray, b: ndarray
) -> tuple[ndarray, ndarray]:
    """x of tridiagonal systems, (..., n, sides), and for each 0 or the pivot that is zero."""
    return tridiagonal_factors(below, middle, above, b)[1:]


def banded_factors(
    n_lower: int, n_upper: int, ab: ndarray, b: ndarray
) -> tuple[ndarray, ndarray, ndarray, ndarray]:
    """LAPACK's gbsv: factors as it stores them, pivots, x and the pivots that are zero."""
    stack, count = _stack_of(ab.shape[:-2], b.shape[:-2])
    x = _last(b, stack, count, 2)
    info = np.zeros((count,), "i4", device=b.device)
    room = np.zeros((n_lower, ab.shape[-1], count), ab.dtype, device=ab.device)
    diagonals = np.concatenate([room, _last(ab, stack, count, 2)], axis=0)
    pivots = np.zeros((ab.shape[-1], count), "i4", device=b.device)
    if x.size:
        _solve(_banded, _banded_rows, count, n_lower, n_upper, diagonals, x, pivots, info)
    return (
        _back(diagonals, stack),
        _back(pivots, stack),
        _back(x, stack),
        info.reshape(stack),
    )


def banded(n_lower: int, n_upper: int, ab: ndarray, b: ndarray) -> tuple[ndarray, ndarray]:
    """The same of systems with more diagonals, as LAPACK stores them."""
    return banded_factors(n_lower, n_upper, ab, b)[2:]


def banded_cholesky(ab: ndarray) -> tuple[ndarray, ndarray]:
    """Factors of lower diagonals, and for each matrix 0 or the minor that is not positive."""
    stack, count = _stack_of(ab.shape[:-2])
    factors = _last(ab, stack, count, 2)
    info = np.zeros((count,), "i4", device=ab.device)
    if factors.size:
        _solve(_banded_cholesky, _banded_cholesky_rows, count, factors, info)
    return _back(factors, stack), info.reshape(stack)


def banded_substitution(ab: ndarray, b: ndarray) -> ndarray:
    """x of factors of lower diagonals."""
    stack, count = _stack_of(ab.shape[:-2], b.shape[:-2])
    x = _last(b, stack, count, 2)
    if x.size:
        factors = _last(ab, stack, count, 2)
        _solve(_banded_substitution, _banded_substitution_rows, count, factors, x)
    return _back(x, stack)


def definite_tridiagonal(ab: ndarray, b: ndarray) -> tuple[ndarray, ndarray]:
    """x of two lower diagonals, and for each matrix 0 or the minor that is not positive."""
    stack, count = _stack_of(ab.shape[:-2], b.shape[:-2])
    x = _last(b, stack, count, 2)
    info = np.zeros((count,), "i4", device=ab.device)
    if ab.shape[-1]:
        given = _last(ab, stack, count, 2)
        _solve(_definite_tridiagonal, _definite_tridiagonal_rows, count, given, x, info)
    return _back(x, stack), info.reshape(stack)
