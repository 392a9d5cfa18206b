"""Norms of vectors and matrices, and condition numbers, for heddle.linalg."""

from __future__ import annotations

import math
from typing import Any, Literal

import numpy as _numpy
from numpy import inf
from numpy.linalg import LinAlgError

import heddle as np
from heddle._arguments import as_array, normalize_axes, normalize_axis
from heddle._core import linalg as _linalg
from heddle._core import ndarray
from heddle._typing import ArrayLike, Axes


def _squares(x: ndarray) -> ndarray:
    """Squared absolute values."""
    if x.dtype.kind != "c":
        return np.square(x)
    return np.square(x.real) + np.square(x.imag)


def _length(x: ndarray, keepdims: bool) -> ndarray:
    """The norm of all elements."""
    if not keepdims and x.dtype.char in "fd" and x._c_contiguous:
        return _linalg.length_of(np.vdot(x, x))
    return _linalg.length_of(np.add.reduce(_squares(x), axis=None, keepdims=keepdims))


def _vector_norm(x: ndarray, ord: Any, axis: tuple[int, ...], keepdims: bool) -> ndarray:
    if ord is None or ord == 2:
        return _linalg.length_of(np.add.reduce(_squares(x), axis=axis, keepdims=keepdims))
    if isinstance(ord, str):
        raise ValueError(f"Invalid norm order '{ord}' for vectors")
    if ord == inf:
        return np.max(np.abs(x), axis=axis, keepdims=keepdims, initial=0)
    if ord == -inf:
        return np.min(np.abs(x), axis=axis, keepdims=keepdims)
    if ord == 0:
        return np.sum((x != 0).astype(x.real.dtype), axis=axis, keepdims=keepdims)
    if ord == 1:
        return np.add.reduce(np.abs(x), axis=axis, keepdims=keepdims)
    absolute = np.abs(x)
    total = np.add.reduce(np.power(absolute, ord), axis=axis, keepdims=keepdims)
    return np.power(total, np.reciprocal(ord, dtype=total.dtype)).astype(total.dtype, copy=False)


def _singular_values(x: ndarray, rows: int, columns: int) -> ndarray:
    return np.linalg.svdvals(np.moveaxis(x, (rows, columns), (-2, -1)))


def _matrix_norm(x: ndarray, ord: Any, rows: int, columns: int) -> ndarray:
    """Without the two axes."""
    if ord == 2:
        return np.max(_singular_values(x, rows, columns), axis=-1, initial=0)
    if ord == -2:
        return np.min(_singular_values(x, rows, columns), axis=-1)
    if ord == "nuc":
        return np.sum(_singular_values(x, rows, columns), axis=-1)
    if ord is None or ord in ("fro", "f"):
        return _linalg.length_of(np.add.reduce(_squares(x), axis=(rows, columns)))
    if ord in (1, -1, inf, -inf):
        summed, other = (rows, columns) if abs(ord) == 1 else (columns, rows)
        sums = np.add.reduce(np.abs(x), axis=summed)
        left = other - (other > summed)
        return np.max(sums, axis=left, initial=0) if ord > 0 else np.min(sums, axis=left)
    raise ValueError("Invalid norm order for matrices.")


def norm(
    x: ArrayLike,
    ord: float | Literal["fro", "nuc"] | None = None,
    axis: Axes | None = None,
    keepdims: bool = False,
) -> ndarray:
    """The norm of vectors (one axis) or matrices (two axes); of all elements without axes.

    Orders of vectors: None and 2, inf, -inf, 0, and any number p for ``sum(abs(x)**p)**(1/p)``. Of
    matrices: None and 'fro', 'nuc', inf, -inf, 1, -1, 2, -2.

    Examples
    --------
    >>> import heddle as np
    >>> np.linalg.norm([3.0, 4.0])
    np.float64(5.0)
    >>> np.linalg.norm([[1.0, -2.0], [3.0, 4.0]], ord=1)
    np.float64(6.0)
    """
    x = as_array(x)
    if x.dtype.kind in "biu":
        x = x.astype(_numpy.float64)
    if axis is None:
        flat = (ord in ("f", "fro") and x.ndim == 2) or (ord == 2 and x.ndim == 1)
        if ord is None or flat:
            return _length(x, keepdims)
        axis = tuple(range(x.ndim))
    elif not isinstance(axis, tuple):
        try:
            axis = (int(axis),)
        except Exception as error:
            raise TypeError("'axis' must be None, an integer or a tuple of integers") from error
    if len(axis) == 1:
        return _vector_norm(x, ord, axis, keepdims)
    if len(axis) != 2:
        raise ValueError("Improper number of dimensions to norm.")
    rows, columns = (normalize_axis(i, x.ndim) for i in axis)
    if rows == columns:
        raise ValueError("Duplicate axes given.")
    result = _matrix_norm(x, ord, rows, columns)
    if keepdims:
        shape = (1 if i in (rows, columns) else n for i, n in enumerate(x.shape))
        result = result.reshape(tuple(shape))
    return result


def matrix_norm(
    x: ArrayLike, /, *, keepdims: bool = False, ord: float | Literal["fro", "nuc"] = "fro"
) -> ndarray:
    """The norm of matrices; orders as those of `norm`.

    Examples
    --------
    >>> import heddle as np
    >>> np.linalg.matrix_norm([[3.0, 0.0], [0.0, 4.0]])
    np.float64(5.0)
    """
    return norm(x, axis=(-2, -1), keepdims=keepdims, ord=ord)


def vector_norm(
    x: ArrayLike,
    /,
    *,
    axis: Axes | None = None,
    keepdims: bool = False,
    ord: float | Literal["fro", "nuc"] = 2,
) -> ndarray:
    """The norm of vectors along one or more axes, all of them without `axis`.

    Examples
    --------
    >>> import heddle as np
    >>> np.linalg.vector_norm([3.0, 4.0])
    np.float64(5.0)
    """
    x = as_array(x)
    if x.dtype.kind in "biu":
        x = x.astype(_numpy.float64)
    return _vector_norm(x, ord, normalize_axes(axis, x.ndim), keepdims)


def cond(x: ArrayLike, p: float | Literal["fro", "nuc"] | None = None) -> ndarray:
    """The condition number, by the norm of order p: 2 without one. Infinite for singular ones.

    Examples
    --------
    >>> import heddle as np
    >>> np.linalg.cond(np.diag([1.0, 10.0]))
    np.float64(10.0)
    """
    x = as_array(x)
    if x.size == 0 and math.prod(x.shape[-2:]) == 0:
        raise LinAlgError("cond is not defined on empty arrays")
    if p is None or p in (2, -2):
        s = np.linalg.svdvals(x)
        r = s[..., -1] / s[..., 0] if p == -2 else s[..., 0] / s[..., -1]
    else:
        inverse = _linalg.inv_or_nan(x)
        r = norm(x, p, axis=(-2, -1)) * norm(inverse, p, axis=(-2, -1))
        r = r.astype(inverse.real.dtype, copy=False)
    given_nan = np.any(np.isnan(x), axis=(-2, -1))
    return np.where(np.isnan(r) & ~given_nan, r.dtype.type(inf), r)[()]
