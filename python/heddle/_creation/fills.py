"""Arrays filled with a number, or with nothing; identities."""

from __future__ import annotations

import contextlib
import operator
from typing import Any, SupportsIndex

import numpy

from heddle import _core
from heddle._arguments import (
    accepts_like,
    as_array,
    as_dtype,
    as_shape,
    axes_in_order,
    check_cast,
    check_order,
    empty_in_order,
    fitted,
    no_value,
)
from heddle._core import in_core, ndarray, own_array
from heddle._creation.arrays import host_scalar
from heddle._runtime.control import device as scope
from heddle._typing import ArrayLike, DType, DTypeLike, Order, ShapeLike

__all__ = [
    "empty",
    "empty_like",
    "eye",
    "full",
    "full_like",
    "identity",
    "ones",
    "ones_like",
    "zeros",
    "zeros_like",
]


def _fill(
    shape: tuple[int, ...],
    value: Any,
    dtype: DType,
    order: Order,
    device: str | None,
    like: ndarray | None = None,
) -> ndarray:
    """An array full of one number, or of an array that is broadcast to it."""
    if isinstance(value, (str, bytes)):
        value = numpy.asarray(value).astype(dtype)[()]
    elif value is None and dtype.kind != "O":
        value = numpy.asarray(value, dtype)[()]  # nan, or TypeError
    check_cast(dtype, dtype, "no")  # only types that arrays of ours have
    if isinstance(value, (bool, int, float, complex, numpy.generic)):
        every = type(value) is int and 0 <= value <= 1  # every type has it
        held: Any = value if every else host_scalar(value, dtype).item()
        return _core.full(shape, held, dtype, device, axes_in_order(shape, order, like))
    result = empty_in_order(shape, dtype, order, device, like)
    _core.write(result, fitted(as_array(value), shape))
    return result


def _constant(
    shape: tuple[int, ...], number: int, dtype: DType, order: Order, device: str | None
) -> ndarray:
    """An array full of a number that every type has."""
    axes = None if order == "C" else axes_in_order(shape, order)
    return _core.full(shape, number, dtype, device, axes)


def _row_order(order: Order | None) -> Order:
    if order == "C":
        return order
    order = check_order(order, "C")
    if order not in ("C", "F"):
        raise ValueError("only 'C' or 'F' order is permitted")
    return order


@in_core
@accepts_like
def empty(
    shape: ShapeLike,
    dtype: DTypeLike | None = None,
    order: Order = "C",
    *,
    device: str | None = None,
    like: ArrayLike | None = None,
) -> ndarray:
    """An array whose elements are not set.

    Examples
    --------
    >>> import heddle as np
    >>> np.empty((2, 3)).shape
    (2, 3)
    """
    return empty_in_order(as_shape(shape), as_dtype(dtype, float), _row_order(order), device)


@in_core
@accepts_like
def zeros(
    shape: ShapeLike,
    dtype: DTypeLike | None = None,
    order: Order = "C",
    *,
    device: str | None = None,
    like: ArrayLike | None = None,
) -> ndarray:
    """An array of zeros.

    Examples
    --------
    >>> import heddle as np
    >>> np.zeros(3)
    array([0., 0., 0.])
    >>> np.zeros((2, 2), dtype=np.int8)
    array([[0, 0],
           [0, 0]], dtype=int8)
    """
    return _constant(as_shape(shape), 0, as_dtype(dtype, float), _row_order(order), device)


@in_core
@accepts_like
def ones(
    shape: ShapeLike,
    dtype: DTypeLike | None = None,
    order: Order = "C",
    *,
    device: str | None = None,
    like: ArrayLike | None = None,
) -> ndarray:
    """An array of ones.

    Examples
    --------
    >>> import heddle as np
    >>> np.ones((2, 3))
    array([[1., 1., 1.],
           [1., 1., 1.]])
    """
    return _constant(as_shape(shape), 1, as_dtype(dtype, float), _row_order(order), device)


@in_core
@accepts_like
def full(
    shape: ShapeLike,
    fill_value: ArrayLike,
    dtype: DTypeLike | None = None,
    order: Order = "C",
    *,
    device: str | None = None,
    like: ArrayLike | None = None,
) -> ndarray:
    """An array full of `fill_value`.

    Examples
    --------
    >>> import heddle as np
    >>> np.full((2, 2), 7)
    array([[7, 7],
           [7, 7]])
    >>> np.full(2, np.inf)
    array([inf, inf])
    """
    if dtype is None:
        if isinstance(fill_value, (own_array, numpy.ndarray, numpy.generic)):
            dtype = fill_value.dtype
        elif _core.holds_arrays(fill_value):
            fill_value = as_array(fill_value)
            dtype = fill_value.dtype
        else:
            dtype = numpy.asarray(fill_value).dtype
    return _fill(as_shape(shape), fill_value, numpy.dtype(dtype), _row_order(order), device)


def _like(
    a: ArrayLike,
    value: ArrayLike | None,
    dtype: DTypeLike | None,
    order: Order,
    shape: ShapeLike | None,
    device: str | None,
) -> ndarray:
    a = as_array(a)
    extents = a.shape if shape is None else as_shape(shape)
    dtype = a.dtype if dtype is None else numpy.dtype(dtype)
    if device is None:
        device = a.device
    if value is no_value:
        return empty_in_order(extents, dtype, order, device, a)
    return _fill(extents, value, dtype, order, device, a)


@in_core
def empty_like(
    prototype: ArrayLike,
    /,
    dtype: DTypeLike | None = None,
    order: Order = "K",
    subok: bool = True,
    shape: ShapeLike | None = None,
    *,
    device: str | None = None,
) -> ndarray:
    """An array of the prototype's shape and type whose elements are not set.

    Examples
    --------
    >>> import heddle as np
    >>> np.empty_like(np.array([1, 2, 3])).dtype
    dtype('int64')
    """
    del subok  # there are no subclasses
    return _like(prototype, no_value, dtype, order, shape, device)


@in_core
def zeros_like(
    a: ArrayLike,
    dtype: DTypeLike | None = None,
    order: Order = "K",
    subok: bool = True,
    shape: ShapeLike | None = None,
    *,
    device: str | None = None,
) -> ndarray:
    """An array of zeros of the same shape and type.

    Examples
    --------
    >>> import heddle as np
    >>> np.zeros_like(np.array([[1.5, 2], [3, 4]]))
    array([[0., 0.],
           [0., 0.]])
    """
    del subok
    return _like(a, 0, dtype, order, shape, device)


@in_core
def ones_like(
    a: ArrayLike,
    dtype: DTypeLike | None = None,
    order: Order = "K",
    subok: bool = True,
    shape: ShapeLike | None = None,
    *,
    device: str | None = None,
) -> ndarray:
    """An array of ones of the same shape and type.

    Examples
    --------
    >>> import heddle as np
    >>> np.ones_like([1, 2, 3], dtype=float)
    array([1., 1., 1.])
    """
    del subok
    return _like(a, 1, dtype, order, shape, device)


@in_core
def full_like(
    a: ArrayLike,
    fill_value: ArrayLike,
    dtype: DTypeLike | None = None,
    order: Order = "K",
    subok: bool = True,
    shape: ShapeLike | None = None,
    *,
    device: str | None = None,
) -> ndarray:
    """An array full of `fill_value`, of the same shape and type.

    Examples
    --------
    >>> import heddle as np
    >>> np.full_like(np.arange(4), 9)
    array([9, 9, 9, 9])
    """
    del subok
    return _like(a, fill_value, dtype, order, shape, device)


@in_core
@accepts_like
def eye(
    N: SupportsIndex,
    M: SupportsIndex | None = None,
    k: SupportsIndex = 0,
    dtype: DTypeLike = float,
    order: Order = "C",
    *,
    device: str | None = None,
    like: ArrayLike | None = None,
) -> ndarray:
    """A matrix with ones on the k-th diagonal and zeros elsewhere.

    Examples
    --------
    >>> import heddle as np
    >>> np.eye(3)
    array([[1., 0., 0.],
           [0., 1., 0.],
           [0., 0., 1.]])
    >>> np.eye(2, 3, k=1, dtype=int)
    array([[0, 1, 0],
           [0, 0, 1]])
    """
    rows = operator.index(N)
    columns = rows if M is None else operator.index(M)
    offset = min(max(operator.index(k), -rows), columns)  # farther away there is nothing
    if _row_order(order) == "F":
        return eye(columns, rows, -offset, dtype, device=device)._transpose(None)
    rows, columns = as_shape((rows, columns))
    with scope(device) if device is not None else contextlib.nullcontext():
        return _core.eye(rows, columns, offset, as_dtype(dtype, float))


@accepts_like
def identity(n: int, dtype: DTypeLike | None = None, *, like: ArrayLike | None = None) -> ndarray:
    """The identity matrix.

    Examples
    --------
    >>> import heddle as np
    >>> np.identity(2)
    array([[1., 0.],
           [0., 1.]])
    """
    return eye(n, dtype=as_dtype(dtype, float))
