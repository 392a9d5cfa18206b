"""Matrices of a known form, and what can be asked about the form of a matrix."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from typing import Any

import numpy

import heddle as np
from heddle._arguments import as_array
from heddle._core import ndarray
from heddle._typing import ArrayLike, DTypeLike, HostArray
from heddle.scipy._host import number
from heddle.scipy.linalg._arguments import over_batch


def _diagonals(values: ndarray, rows: int, columns: int, first: int, step: int) -> ndarray:
    """Elements ``values[..., first + step * i + j]``, for a step of 1 or -1: a copy of a view."""
    if not rows or not columns:
        return np.zeros((*values.shape[:-1], rows, columns), values.dtype, device=values.device)
    windows = np.lib.stride_tricks.sliding_window_view(values, columns, axis=-1)
    end = first + step * rows
    return windows[..., first : end if end >= 0 else None : step, :].copy()


def toeplitz(c: ArrayLike, r: ArrayLike | None = None) -> ndarray:
    """The matrix with the first column c and the first row r, the same along its diagonals.

    Examples
    --------
    >>> from heddle.scipy import linalg
    >>> linalg.toeplitz([1, 2, 3], [1, 4, 5])
    array([[1, 4, 5],
           [2, 1, 4],
           [3, 2, 1]])
    """
    column = np.atleast_1d(as_array(c))
    row = column.conj() if r is None else np.atleast_1d(as_array(r))
    if column.ndim > 1 or row.ndim > 1:
        stack = numpy.broadcast_shapes(column.shape[:-1], row.shape[:-1])
        column = np.broadcast_to(column, (*stack, column.shape[-1]))
        row = np.broadcast_to(row, (*stack, row.shape[-1]))
    values = np.concatenate([column[..., ::-1], row[..., 1:]], axis=-1)
    n = column.shape[-1]
    return _diagonals(values, n, row.shape[-1], n - 1, -1)


def circulant(c: ArrayLike) -> ndarray:
    """The matrix whose columns are c, each turned by one more element.

    Examples
    --------
    >>> from heddle.scipy import linalg
    >>> linalg.circulant([1, 2, 3])
    array([[1, 3, 2],
           [2, 1, 3],
           [3, 2, 1]])
    """
    column = np.atleast_1d(as_array(c))
    values = np.concatenate([column[..., ::-1], column[..., :0:-1]], axis=-1)
    n = column.shape[-1]
    return _diagonals(values, n, n, n - 1, -1)


def hankel(c: ArrayLike, r: ArrayLike | None = None) -> ndarray:
    """The matrix with the first column c and the last row r, the same along the other diagonals.

    Examples
    --------
    >>> from heddle.scipy import linalg
    >>> linalg.hankel([1, 2, 3])
    array([[1, 2, 3],
           [2, 3, 0],
           [3, 0, 0]])
    """
    column = as_array(c)
    row = np.zeros_like(column) if r is None else as_array(r)
    if column.ndim > 1 or row.ndim > 1:
        warnings.warn(
            "Beginning in SciPy 1.19, multidimensional input will be treated as a batch, not "
            "`ravel`ed. To preserve the existing behavior and silence this warning, `ravel` "
            "arguments before passing them to `hankel`.",
            FutureWarning,
            stacklevel=2,
        )
        column, row = column.ravel(), row.ravel()
    values = np.concatenate([column, row[1:]])
    return _diagonals(values, column.shape[0], row.shape[0], 0, 1)


def hadamard(n: int, dtype: DTypeLike = int) -> ndarray:
    """Hadamard's matrix of 1 and -1; n is a power of two.

    Examples
    --------
    >>> from heddle.scipy import linalg
    >>> linalg.hadamard(2)
    array([[ 1,  1],
           [ 1, -1]])
    """
    power = 0 if n < 1 else int(math.log(n, 2))
    if 2**power != n:
        raise ValueError("n must be an positive integer, and n must be a power of 2")
    both = np.arange(n)[:, None] & np.arange(n)
    parity = np.bitwise_count(both) % 2
    return (1 - 2 * parity.astype("i8")).astype(dtype)


@over_batch(f=1, s=1)
def leslie(f: ArrayLike, s: ArrayLike) -> ndarray:
    """Leslie's matrix of fecundities f and rates of survival s.

    Examples
    --------
    >>> from heddle.scipy import linalg
    >>> linalg.leslie([0.1, 2.0], [0.5])
    array([[0.1, 2. ],
           [0.5, 0. ]])
    """
    first, second = np.atleast_1d(as_array(f)), np.atleast_1d(as_array(s))
    if first.shape[-1] != second.shape[-1] + 1:
        raise ValueError(
            "Incorrect lengths for f and s. The length of s along the last axis must be one less "
            "than the length of f."
        )
    if second.shape[-1] == 0:
        raise ValueError("The length of s must be at least 1.")
    n = first.shape[0]
    made = np.zeros((n, n), numpy.result_type(first.dtype, second.dtype), device=first.device)
    made[0] = first
    index = np.arange(n - 1)
    made[index + 1, index] = second
    return made


def block_diag(*arrs: ArrayLike) -> ndarray:
    """Matrices along the diagonal of a larger one.

    Examples
    --------
    >>> from heddle.scipy import linalg
    >>> linalg.block_diag([[1, 2]], [[3]])
    array([[1, 2, 0],
           [0, 0, 3]])
    """
    given: tuple[ArrayLike, ...] = arrs or ([],)
    blocks = [np.atleast_2d(as_array(a)) for a in given]
    stack = numpy.broadcast_shapes(*(b.shape[:-2] for b in blocks))
    rows, columns = (sum(b.shape[axis] for b in blocks) for axis in (-2, -1))
    made = np.zeros((*stack, rows, columns), numpy.result_type(*(b.dtype for b in blocks)))
    r = c = 0
    for b in blocks:
        made[..., r : r + b.shape[-2], c : c + b.shape[-1]] = b
        r, c = r + b.shape[-2], c + b.shape[-1]
    return made


def companion(a: ArrayLike) -> ndarray:
    """The companion matrix of a polynomial, whose eigenvalues are its roots.

    Examples
    --------
    >>> from heddle.scipy import linalg
    >>> linalg.companion([1, -10, 31, -30])
    array([[ 10., -31.,  30.],
           [  1.,   0.,   0.],
           [  0.,   1.,   0.]])
    """
    given = np.atleast_1d(as_array(a))
    n = given.shape[-1]
    if n < 2:
        raise ValueError("The length of `a` along the last axis must be at least 2.")
    if bool(np.any(given[..., 0] == 0)):
        raise ValueError(
            "The first coefficient(s) of `a` (i.e. elements of `a[..., 0]`) must not be zero."
        )
    row = -given[..., 1:] / (1.0 * given[..., 0:1])
    made = np.zeros((*given.shape[:-1], n - 1, n - 1), row.dtype, device=row.device)
    made[..., 0, :] = row
    index = np.arange(n - 2)
    made[..., index + 1, index] = 1
    return made


def helmert(n: int, full: bool = False) -> ndarray:
    """Helmert's matrix: orthonormal contrasts, with a row of ones first if `full`.

    Examples
    --------
    >>> from heddle.scipy import linalg
    >>> linalg.helmert(2).round(6)
    array([[ 0.707107, -0.707107]])
    """
    i = np.arange(_extent(n))[:, None]
    j = np.arange(n)
    made = np.where(i == 0, 1.0, np.where(j < i, 1.0, np.where(j == i, -i, 0)))
    lengths = np.where(i == 0, n, i * (i + 1))
    made = made / np.sqrt(lengths)
    return made if full else made[1:]


def hilbert(n: int) -> ndarray:
    """Hilbert's matrix, of the elements ``1 / (i + j + 1)``.

    Examples
    --------
    >>> from heddle.scipy import linalg
    >>> linalg.hilbert(2)
    array([[1.        , 0.5       ],
           [0.5       , 0.33333333]])
    """
    return 1.0 / (1.0 + np.arange(n)[:, None] + np.arange(n))


def _extent(n: int) -> int:
    if n < 0:
        raise ValueError("negative dimensions are not allowed")
    return n


def _integers(rows: Any, limit: int, exact: bool, kind: str) -> ndarray | HostArray:
    """Python's integers as an array; of objects, NumPy's, where they are too large."""
    if not exact:
        shape = len(rows), len(rows)
        return np.asarray(numpy.array(rows, dtype=object).astype(numpy.float64).reshape(shape))
    if len(rows) > limit:
        return numpy.array(rows, dtype=object)
    return np.asarray(numpy.array(rows, dtype=kind).reshape(len(rows), len(rows)))


def invhilbert(n: int, exact: bool = False) -> ndarray | HostArray:
    """The inverse of Hilbert's matrix; exact integers are Python's, in NumPy's array, beyond 14.

    Examples
    --------
    >>> from heddle.scipy import linalg
    >>> linalg.invhilbert(2, exact=True)
    array([[ 4, -6],
           [-6, 12]])
    """
    comb = math.comb
    rows = [
        [
            (-1) ** (i + j)
            * (i + j + 1)
            * comb(n + i, n - j - 1)
            * comb(n + j, n - i - 1)
            * comb(i + j, i) ** 2
            for j in range(n)
        ]
        for i in range(_extent(n))
    ]
    return _integers(rows, 14, exact, "i8")


_kinds = ("symmetric", "lower", "upper")


def pascal(n: int, kind: str = "symmetric", exact: bool = True) -> ndarray | HostArray:
    """Pascal's triangle as a matrix.

    Examples
    --------
    >>> from heddle.scipy import linalg
    >>> linalg.pascal(3)
    array([[1, 1, 1],
           [1, 2, 3],
           [1, 3, 6]], dtype=uint64)
    """
    if kind not in _kinds:
        raise ValueError("kind must be 'symmetric', 'lower', or 'upper'")
    comb = math.comb
    element: Callable[[int, int], int] = {
        "symmetric": lambda i, j: comb(i + j, i),
        "lower": lambda i, j: comb(i, j),
        "upper": lambda i, j: comb(j, i),
    }[kind]
    rows = [[element(i, j) for j in range(n)] for i in range(_extent(n))]
    return _integers(rows, 34, exact, "u8")


def invpascal(n: int, kind: str = "symmetric", exact: bool = True) -> ndarray | HostArray:
    """The inverse of Pascal's matrix.

    Examples
    --------
    >>> from heddle.scipy import linalg
    >>> linalg.invpascal(3)
    array([[ 3, -3,  1],
           [-3,  5, -2],
           [ 1, -2,  1]])
    """
    if kind not in _kinds:
        raise ValueError("'kind' must be 'symmetric', 'lower' or 'upper'.")
    comb = math.comb
    element: Callable[[int, int], int] = {
        "symmetric": lambda i, j: (
            (-1) ** (i + j) * sum(comb(k, i) * comb(k, j) for k in range(max(i, j), n))
        ),
        "lower": lambda i, j: (-1) ** (i + j) * comb(i, j),
        "upper": lambda i, j: (-1) ** (i + j) * comb(j, i),
    }[kind]
    rows = [[int(element(i, j)) for j in range(n)] for i in range(n)]
    return _integers(rows, 34, exact, "i8")


def dft(n: int, scale: str | None = None) -> ndarray:
    """The matrix of the discrete Fourier transform; scale is None, 'sqrtn' or 'n'.

    Examples
    --------
    >>> from heddle.scipy import linalg
    >>> linalg.dft(2).real.round(6)
    array([[ 1.,  1.],
           [ 1., -1.]])
    """
    if scale not in (None, "sqrtn", "n"):
        raise ValueError(f"scale must be None, 'sqrtn', or 'n'; {scale!r} is not valid.")
    turns = (np.arange(n)[:, None] * np.arange(n)) % max(n, 1)
    made = np.exp(-2j * np.pi / max(n, 1) * turns)
    if scale is None:
        return made
    return made / (math.sqrt(n) if scale == "sqrtn" else n)


def fiedler(a: ArrayLike) -> ndarray:
    """Fiedler's matrix of the distances between numbers.

    Examples
    --------
    >>> from heddle.scipy import linalg
    >>> linalg.fiedler([1, 4, 9])
    array([[0, 3, 8],
           [3, 0, 5],
           [8, 5, 0]])
    """
    given = np.atleast_1d(as_array(a))
    if given.size == 0:
        return np.zeros((0, 0))
    if given.size == 1:
        return np.zeros((1, 1))
    return np.abs(given[..., :, None] - given[..., None, :])


def fiedler_companion(a: ArrayLike) -> ndarray:
    """Fiedler's companion matrix of a polynomial, with five diagonals.

    Examples
    --------
    >>> from heddle.scipy import linalg
    >>> linalg.fiedler_companion([1.0, -3.0, 2.0])
    array([[ 3., -2.],
           [ 1.,  0.]])
    """
    given = np.atleast_1d(as_array(a))
    if given.ndim > 1:
        flat = given.reshape(-1, given.shape[-1])
        made = np.stack([fiedler_companion(row) for row in flat])
        return made.reshape(*given.shape[:-1], *made.shape[1:])
    if given.size <= 2:
        return -(given / given[0])[-1:].reshape(1, 1) if given.size == 2 else given[:0]
    if bool(given[0] == 0):
        raise ValueError("Leading coefficient is zero.")
    given = given / given[0]
    n = given.size - 1
    c = np.zeros((n, n), given.dtype, device=given.device)
    c[range(3, n, 2), range(1, n - 2, 2)] = 1.0
    c[range(2, n, 2), range(1, n - 1, 2)] = -given[3::2]
    c[range(0, n - 2, 2), range(2, n, 2)] = 1.0
    c[range(0, n - 1, 2), range(1, n, 2)] = -given[2::2]
    c[0, 0] = -given[1]
    c[1, 0] = 1
    return c


def convolution_matrix(a: ArrayLike, n: int, mode: str = "full") -> ndarray:
    """The matrix whose product with a vector of n elements is its convolution with a.

    Examples
    --------
    >>> from heddle.scipy import linalg
    >>> linalg.convolution_matrix([1, 2], 2)
    array([[1, 0],
           [2, 1],
           [0, 2]])
    """
    n = number(n)
    if n <= 0:
        raise ValueError("n must be a positive integer.")
    given = as_array(a)
    if given.size == 0:
        raise ValueError("len(a) must be at least 1.")
    if mode not in ("full", "valid", "same"):
        raise ValueError("'mode' argument must be one of ('full', 'valid', 'same')")
    count = given.shape[-1]
    room = [(0, 0)] * (given.ndim - 1) + [(n - 1, n - 1)]
    values = np.pad(given[..., ::-1], room)
    full = _diagonals(values, count + n - 1, n, count + n - 2, -1)
    trim = min(n, count) - 1
    first, last = {"full": (0, 0), "valid": (trim, trim)}.get(mode, (trim // 2, trim - trim // 2))
    return full[..., first : count + n - 1 - last, :]


def khatri_rao(a: ArrayLike, b: ArrayLike) -> ndarray:
    """Products of Kronecker of the columns of two matrices.

    Examples
    --------
    >>> from heddle.scipy import linalg
    >>> linalg.khatri_rao([[1, 2]], [[3, 4], [5, 6]])
    array([[ 3,  8],
           [ 5, 12]])
    """
    first, second = as_array(a), as_array(b)
    if not (first.ndim >= 2 and second.ndim >= 2):
        raise ValueError("The both arrays should be at least 2-dimensional.")
    if first.shape[-1] != second.shape[-1]:
        raise ValueError("The number of columns for both arrays should be equal.")
    made = first[..., :, None, :] * second[..., None, :, :]
    return made.reshape(*made.shape[:-3], made.shape[-3] * made.shape[-2], made.shape[-1])


# --- questions ---


def bandwidth(a: ArrayLike) -> tuple[int, int] | tuple[ndarray, ndarray]:
    """How many diagonals below and above the main one are not all zero.

    Examples
    --------
    >>> from heddle.scipy import linalg
    >>> linalg.bandwidth([[1, 0, 3], [0, 1, 0], [0, 0, 1]])
    (0, 2)
    """
    given = as_array(a)
    if given.ndim < 2:
        raise ValueError("Input array must be at least 2D.")
    offsets = (
        np.arange(given.shape[-1], device=given.device)
        - np.arange(given.shape[-2], device=given.device)[:, None]
    )
    where = np.where(given != 0, offsets, 0)
    if given.size == 0:
        return (0, 0)
    below = np.max(-where, axis=(-2, -1))
    above = np.max(where, axis=(-2, -1))
    return (int(below), int(above)) if given.ndim == 2 else (below, above)


def _same(a: ArrayLike, atol: float | None, rtol: float | None, hermitian: bool) -> bool | ndarray:
    given = as_array(a)
    if given.ndim < 2:
        raise ValueError("Input array must be a 2D NumPy array.")
    if given.shape[-1] != given.shape[-2]:
        raise ValueError("Input array must be square.")
    if given.size == 0 and given.ndim == 2:
        return True
    other = np.swapaxes(given, -1, -2)
    other = other.conj() if hermitian and given.dtype.kind == "c" else other
    if atol is None and rtol is None:
        equal = given == other
    else:
        equal = np.isclose(
            given, other, atol=0.0 if atol is None else atol, rtol=0.0 if rtol is None else rtol
        )
    made = np.all(equal, axis=(-2, -1))
    return bool(made) if given.ndim == 2 else made


def issymmetric(
    a: ArrayLike, atol: float | None = None, rtol: float | None = None
) -> bool | ndarray:
    """Whether a matrix is its own transposed one.

    Examples
    --------
    >>> from heddle.scipy import linalg
    >>> linalg.issymmetric([[1, 2], [2, 1]])
    True
    """
    return _same(a, atol, rtol, False)


def ishermitian(
    a: ArrayLike, atol: float | None = None, rtol: float | None = None
) -> bool | ndarray:
    """Whether a matrix is its own adjoint one.

    Examples
    --------
    >>> from heddle.scipy import linalg
    >>> linalg.ishermitian([[1, 2j], [-2j, 1]])
    True
    """
    return _same(a, atol, rtol, True)
