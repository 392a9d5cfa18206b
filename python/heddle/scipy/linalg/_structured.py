"""Toeplitz and circulant systems, and balancing."""

from __future__ import annotations

from typing import Any

import numpy
from numpy.linalg import LinAlgError

import heddle as np
from heddle._arguments import as_array
from heddle._compiled.functions import njit
from heddle._core import ndarray
from heddle._typing import ArrayLike, KernelArray
from heddle.scipy.linalg._arguments import (
    columns,
    host,
    on_device,
    over_batch,
    square,
    typed,
    validated,
)
from heddle.scipy.linalg._equations import factored_solution
from heddle.scipy.linalg._matrices import toeplitz


@np.njit
def _levinson(values: KernelArray, b: Any, x: KernelArray) -> bool:
    # Levinson's recursion: `forward` and `backward` solve the leading systems for the first and the
    # last unit vector. values[n - 1 + d] is the diagonal d below the main one.
    n = b.shape[0]
    middle = n - 1
    if values[middle] == 0:
        return False
    forward = np.zeros_like(b)
    backward = np.zeros_like(b)
    kept = np.zeros_like(b)
    forward[0] = 1 / values[middle]
    backward[0] = forward[0]
    x[0] = b[0] * forward[0]
    for m in range(1, n):
        low = b[0] * 0
        top = b[0] * 0
        rest = b[0] * 0
        for k in range(m):
            low += values[middle + m - k] * forward[k]
            top += values[middle - 1 - k] * backward[k]
            rest += values[middle + m - k] * x[k]
        size = 1 - low * top
        if size == 0:
            return False
        one = 1 / size
        two = -low / size
        three = -top / size
        forward[m] = 0
        for k in range(m, -1, -1):
            before = backward[k - 1] if k > 0 else b[0] * 0
            kept[k] = one * forward[k] + two * before
            backward[k] = three * forward[k] + one * before
        for k in range(m + 1):
            forward[k] = kept[k]
        factor = b[m] - rest
        x[m] = 0
        for k in range(m + 1):
            x[k] += factor * backward[k]
    return True


def _pair(c_or_cr: Any) -> tuple[ndarray, ndarray]:
    if isinstance(c_or_cr, tuple):
        c, r = c_or_cr
        return as_array(c), as_array(r)
    c = as_array(c_or_cr)
    return c, c.conj()


def _validated(
    c: ndarray, r: ndarray, b: ArrayLike, check_finite: bool, same: bool
) -> tuple[ndarray, ...]:
    given = [validated(each, check_finite) for each in (c, r, b)]
    column, row, right = given
    rows = right.shape[-2 if right.ndim > 1 else -1]
    if (same and row.shape[-1] != column.shape[-1]) or rows != row.shape[-1]:
        raise ValueError("Incompatible dimensions.")
    dtype = "c16" if any(each.dtype.kind == "c" for each in given) else "f8"
    return tuple(each.astype(dtype) for each in given)


def solve_toeplitz(
    c_or_cr: ArrayLike | tuple[ArrayLike, ArrayLike], b: ArrayLike, check_finite: bool = True
) -> ndarray:
    """The x with ``toeplitz(c, r) @ x == b``; on the CPU by Levinson's recursion.

    Examples
    --------
    >>> from heddle.scipy import linalg
    >>> linalg.solve_toeplitz([2.0, 1.0], [4.0, 5.0])
    array([1., 2.])
    """
    c, r = _pair(c_or_cr)
    if b is None:
        raise ValueError("`b` must be an array, not None.")
    column, row, right = _validated(c, r, b, check_finite, True)
    right, vector = columns(right)
    if right.size == 0:
        return right[..., 0] if vector else right
    if right.device == "cpu" and column.ndim == row.ndim == 1 and right.ndim == 2:
        made = _by_recursion(column, row, right)
    else:
        made = factored_solution(toeplitz(column, row), right)
    return made[..., 0] if vector else made


def _by_recursion(column: ndarray, row: ndarray, right: ndarray) -> ndarray:
    values = np.concatenate([row[:0:-1], column])
    sides = []
    for k in range(right.shape[1]):
        x = np.empty_like(right[:, k])
        if not _levinson(values, right[:, k].copy(), x):
            raise LinAlgError("Singular principal minor")
        sides.append(x)
    return np.stack(sides, axis=1)


def matmul_toeplitz(
    c_or_cr: object, x: ArrayLike, check_finite: bool = False, workers: int | None = None
) -> ndarray:
    """``toeplitz(c, r) @ x`` by Fourier transforms, without the matrix.

    Examples
    --------
    >>> from heddle.scipy import linalg
    >>> linalg.matmul_toeplitz([2.0, 1.0], [1.0, 2.0])
    array([4., 5.])
    """
    from heddle.scipy import fft

    c, r = _pair(c_or_cr)
    column, row, right = _validated(c, r, x, check_finite, False)
    right, vector = columns(right)
    rows, count = column.shape[-1], column.shape[-1] + row.shape[-1] - 1
    if right.size == 0:
        made = np.zeros((*right.shape[:-2], rows, right.shape[-1]), right.dtype)
        return made[..., 0] if vector else made
    stack = numpy.broadcast_shapes(column.shape[:-1], row.shape[:-1])
    column = np.broadcast_to(column, (*stack, rows))
    row = np.broadcast_to(row, (*stack, row.shape[-1]))
    period = np.concatenate([column, row[..., :0:-1]], axis=-1)[..., None]
    if right.dtype.kind == "c":
        product = fft.fft(period, axis=-2, workers=workers) * fft.fft(right, count, axis=-2)
        made = fft.ifft(product, axis=-2)
    else:
        product = fft.rfft(period, axis=-2, workers=workers) * fft.rfft(right, count, axis=-2)
        made = fft.irfft(product, count, axis=-2)
    made = made[..., :rows, :]
    return made[..., 0] if vector else made


def _extent(name: str, a: ndarray, axis: int) -> int:
    place = axis + a.ndim if axis < 0 else axis
    if not 0 <= place < a.ndim:
        raise ValueError(f"'{name}axis' entry is out of bounds")
    count: int = a.shape[place]
    return count


def solve_circulant(
    c: ArrayLike,
    b: ArrayLike,
    singular: str = "raise",
    tol: float | None = None,
    caxis: int = -1,
    baxis: int = 0,
    outaxis: int = 0,
) -> ndarray:
    """The x with ``circulant(c) @ x == b``, by Fourier transforms.

    Examples
    --------
    >>> from heddle.scipy import linalg
    >>> linalg.solve_circulant([2.0, 1.0, 0.0], [5.0, 5.0, 8.0]).round(6)
    array([1., 2., 3.])
    """
    column, right = np.atleast_1d(as_array(c)), np.atleast_1d(as_array(b))
    count = _extent("c", column, caxis)
    if count != _extent("b", right, baxis):
        raise ValueError(f"Shapes of c {column.shape} and b {right.shape} are incompatible")
    real = column.dtype.kind != "c" and right.dtype.kind != "c"
    if right.size == 0:
        dtype = numpy.result_type(column.dtype, right.dtype, numpy.float32)
        return np.zeros(right.shape, dtype, device=right.device)
    spectrum = np.fft.fft(np.moveaxis(column, caxis, -1), axis=-1)
    sizes = np.abs(spectrum)
    limit: Any = tol
    if tol is None:
        limit = np.max(sizes, axis=-1, keepdims=True) * count * numpy.finfo(numpy.float64).eps
    small = sizes <= limit
    any_small = bool(np.any(small))
    if any_small and singular == "raise":
        raise LinAlgError("near singular circulant matrix.")
    quotient = np.fft.fft(np.moveaxis(right, baxis, -1), axis=-1) / np.where(small, 1, spectrum)
    if any_small:
        quotient = np.where(small, 0, quotient)
    x = np.fft.ifft(quotient, axis=-1)
    x = x.real if real else x
    return np.moveaxis(x, -1, outaxis) if outaxis != -1 else x


# --- balancing ---


@njit
def _exchange(a: KernelArray, order: KernelArray, i: int, j: int) -> None:
    if i != j:
        for k in range(a.shape[0]):
            kept = a[k, i]
            a[k, i] = a[k, j]
            a[k, j] = kept
        for k in range(a.shape[0]):
            kept = a[i, k]
            a[i, k] = a[j, k]
            a[j, k] = kept
        other = order[i]
        order[i] = order[j]
        order[j] = other


@njit
def _isolated(a: KernelArray, order: KernelArray) -> tuple[int, int]:
    """LAPACK's permutation: rows that isolate eigenvalues go to the end, columns to the front."""
    low = 0
    high = a.shape[0] - 1
    found = True
    while found:
        found = False
        for i in range(high, -1, -1):
            alone = True
            for j in range(high + 1):
                if j != i and a[i, j] != 0:
                    alone = False
                    break
            if alone:
                _exchange(a, order, i, high)
                if high == 0:
                    return 0, 0
                high -= 1
                found = True
                break
    found = True
    while found:
        found = False
        for j in range(low, high + 1):
            alone = True
            for i in range(low, high + 1):
                if i != j and a[i, j] != 0:
                    alone = False
                    break
            if alone:
                _exchange(a, order, j, low)
                low += 1
                found = True
                break
    return low, high


@njit
def _norms(a: KernelArray, i: int, low: int, high: int) -> tuple[Any, Any]:
    """Of a column and a row, whatever their elements' size."""
    tall = 0.0
    wide = 0.0
    for k in range(low, high + 1):
        tall = max(tall, abs(a[k, i]))
        wide = max(wide, abs(a[i, k]))
    column = 0.0
    row = 0.0
    if tall > 0 and wide > 0:
        for k in range(low, high + 1):
            column += (abs(a[k, i]) / tall) ** 2
            row += (abs(a[i, k]) / wide) ** 2
    return tall * np.sqrt(column), wide * np.sqrt(row)


@njit
def _scaled(a: KernelArray, scale: KernelArray, low: int, high: int) -> None:
    """Powers of two that make norms of rows and columns alike."""
    n = a.shape[0]
    done = False
    while not done:
        done = True
        for i in range(low, high + 1):
            column, row = _norms(a, i, low, high)
            if column == 0 or row == 0:
                continue
            factor = 1.0
            g = row / 2
            total = column + row
            while column < g:
                factor *= 2
                column *= 2
                g /= 2
                row /= 2
            g = column / 2
            while g >= row:
                factor /= 2
                column /= 2
                g /= 2
                row *= 2
            if column + row < 0.95 * total and factor != 1:
                scale[i] *= factor
                for k in range(n):
                    a[i, k] = a[i, k] / factor
                for k in range(n):
                    a[k, i] = a[k, i] * factor
                done = False


@over_batch(A=2)
def matrix_balance(
    A: ArrayLike,
    permute: bool = True,
    scale: bool = True,
    separate: bool = False,
    overwrite_a: bool = False,
) -> tuple[Any, Any]:
    """B and T with ``B == inv(T) @ A @ T``, rows and columns of B being alike in size.

    Examples
    --------
    >>> import heddle as np
    >>> from heddle.scipy import linalg
    >>> b, t = linalg.matrix_balance(np.array([[1.0, 1000.0], [0.001, 1.0]]))
    >>> b.round(3)
    array([[1.   , 1.953],
           [0.512, 1.   ]])
    """
    given = square(np.atleast_2d(validated(A)), "The data matrix for balancing should be square.")
    (given,) = typed(given)
    n = given.shape[0]
    work = host(given).copy()
    order, low, high = numpy.arange(n), 0, n - 1
    if permute and n:
        low, high = _isolated(work, order)
    factors = numpy.ones(n)
    if scale and n:
        _scaled(work, factors, low, high)
    made = on_device(work, given)
    if separate:
        return made, (on_device(factors, given), on_device(order, given))
    matrix = numpy.zeros((n, n), factors.dtype)
    matrix[order, numpy.arange(n)] = factors
    return made, on_device(matrix, given)
