"""Products of heddle.linalg: those of the main namespace with the array API's arguments, powers of
matrices, and chains of them."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any, SupportsIndex

import heddle as np
from heddle._arguments import as_array
from heddle._core import linalg as _linalg
from heddle._core import ndarray
from heddle._linalg.products import store_dot
from heddle._typing import ArrayLike, Axis, DTypeLike, Output


def matmul(x1: ArrayLike, x2: ArrayLike, /) -> ndarray:
    """The product of matrices.

    Examples
    --------
    >>> import heddle as np
    >>> np.linalg.matmul([[1, 2], [3, 4]], [[0, 1], [1, 0]])
    array([[2, 1],
           [4, 3]])
    """
    return np.matmul(x1, x2)


def vecdot(x1: ArrayLike, x2: ArrayLike, /, *, axis: Axis = -1) -> ndarray:
    """Dot products of vectors along an axis, the first ones conjugated.

    Examples
    --------
    >>> import heddle as np
    >>> np.linalg.vecdot([[1, 2], [3, 4]], [1, 1])
    array([3, 7])
    """
    return np.vecdot(x1, x2) if axis == -1 else np.vecdot(x1, x2, axis=axis)


def tensordot(x1: ArrayLike, x2: ArrayLike, /, *, axes: int | Sequence[Any] = 2) -> ndarray:
    """Sum of products over pairs of axes.

    Examples
    --------
    >>> import heddle as np
    >>> np.linalg.tensordot(np.ones((2, 3)), np.ones((3, 4)), axes=1).shape
    (2, 4)
    """
    return np.tensordot(x1, x2, axes=axes)


def matrix_transpose(x: ArrayLike, /) -> ndarray:
    """The matrices with rows and columns exchanged: a view.

    Examples
    --------
    >>> import heddle as np
    >>> np.linalg.matrix_transpose([[1, 2], [3, 4]])
    array([[1, 3],
           [2, 4]])
    """
    return np.matrix_transpose(x)


def outer(x1: ArrayLike, x2: ArrayLike, /) -> ndarray:
    """Products of all pairs of elements of two vectors.

    Examples
    --------
    >>> import heddle as np
    >>> np.linalg.outer([1, 2], [3, 4])
    array([[3, 4],
           [6, 8]])
    """
    x1, x2 = as_array(x1), as_array(x2)
    if x1.ndim != 1 or x2.ndim != 1:
        raise ValueError(
            "Input arrays must be one-dimensional, but they are "
            f"x1.ndim={x1.ndim!r} and x2.ndim={x2.ndim!r}."
        )
    return np.outer(x1, x2)


def cross(x1: ArrayLike, x2: ArrayLike, /, *, axis: Axis = -1) -> ndarray:
    """Cross products of vectors of three elements along an axis.

    Examples
    --------
    >>> import heddle as np
    >>> np.linalg.cross([1, 0, 0], [0, 1, 0])
    array([0, 0, 1])
    """
    x1, x2 = as_array(x1), as_array(x2)
    if x1.shape[axis] != 3 or x2.shape[axis] != 3:
        raise ValueError(
            "Both input arrays must be (arrays of) 3-dimensional vectors, but they are "
            f"{x1.shape[axis]} and {x2.shape[axis]} dimensional instead."
        )
    return np.cross(x1, x2, axis=axis)


def diagonal(x: ArrayLike, /, *, offset: SupportsIndex = 0) -> ndarray:
    """The diagonals of matrices: a read-only view.

    Examples
    --------
    >>> import heddle as np
    >>> np.linalg.diagonal([[1, 2], [3, 4]])
    array([1, 4])
    """
    return np.diagonal(x, offset, axis1=-2, axis2=-1)


def trace(x: ArrayLike, /, *, offset: SupportsIndex = 0, dtype: DTypeLike | None = None) -> ndarray:
    """The sums of the diagonals of matrices.

    Examples
    --------
    >>> import heddle as np
    >>> np.linalg.trace([[1, 2], [3, 4]])
    np.int64(5)
    """
    return np.trace(x, offset, axis1=-2, axis2=-1, dtype=dtype)


def matrix_power(a: ArrayLike, n: int) -> ndarray:
    """Square matrices to an integer power; negative ones are those of the inverse.

    Examples
    --------
    >>> import heddle as np
    >>> np.linalg.matrix_power([[1, 1], [1, 0]], 6)
    array([[13,  8],
           [ 8,  5]])
    """
    try:
        n = operator.index(n)
    except TypeError as error:
        raise TypeError("exponent must be an integer") from error
    if n.bit_length() > 63:
        high, low = matrix_power(matrix_power(a, n >> 32), 2**32), matrix_power(a, n % 2**32)
        return high @ low
    return _linalg.matrix_power(as_array(a), n)


def multi_dot(arrays: Sequence[ArrayLike], *, out: Output | None = None) -> ndarray:
    """The product of several matrices, in the order that takes the least work.

    The first and the last may be vectors.

    Examples
    --------
    >>> import heddle as np
    >>> a, b, c = np.ones((2, 100)), np.ones((100, 3)), np.ones((3, 1))
    >>> np.linalg.multi_dot([a, b, c])
    array([[300.],
           [300.]])
    """
    given = list(arrays)
    if len(given) < 2:
        raise ValueError("Expecting at least two arrays.")
    if len(given) == 2:
        return np.dot(given[0], given[1], out=out)
    factors = [as_array(a) for a in given]
    result = _linalg.multi_dot(factors)
    if out is None:
        return result
    # Which is a matrix, also of one row or column.
    row, column = factors[0].ndim == 1, factors[-1].ndim == 1
    stored = store_dot(result.reshape(1 if row else result.shape[0], -1), out)
    if not (row or column):
        return stored
    return stored[0, 0] if row and column else stored.ravel()
