"""Norms of vectors and matrices, and condition numbers, for heddle.linalg."""

from __future__ import annotations

import math
from typing import Any, Literal, SupportsIndex, cast

import numpy as _numpy
from numpy import inf
from numpy.linalg import LinAlgError

from heddle._arguments import as_array, as_number, normalize_axes, normalize_axis
from heddle._core import linalg as _linalg
from heddle._core import ndarray, own_array
from heddle._typing import ArrayLike, Axes


def _vector_norm(
    x: ndarray, ord: float | str | None, axis: tuple[SupportsIndex, ...], keepdims: bool
) -> ndarray:
    if isinstance(ord, str):
        raise ValueError(f"Invalid norm order '{ord}' for vectors")
    return _linalg.vector_norm(
        x, 2.0 if ord is None else float(ord), cast("tuple[int, ...]", axis), bool(keepdims)
    )


_ORDERS: dict[Any, str] = {None: "fro", "f": "fro", "fro": "fro", "nuc": "nuc"}
_ORDERS |= {1: "1", -1: "-1", 2: "2", -2: "-2", inf: "inf", -inf: "-inf"}


def _order(ord: float | str | None) -> str:
    try:
        return _ORDERS[ord]
    except (KeyError, TypeError):
        raise ValueError("Invalid norm order for matrices.") from None


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
    if isinstance(ord, own_array | _numpy.ndarray):
        ord = as_number(ord, "ord")
    if axis is None:
        flat = (ord in ("f", "fro") and x.ndim == 2) or (ord == 2 and x.ndim == 1)
        if ord is None or flat:
            return _linalg.norm(x, bool(keepdims))
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
    return _linalg.matrix_norm(x, _order(ord), rows, columns, bool(keepdims))


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
    return _linalg.cond(x, "2" if p is None else _order(p))[()]
