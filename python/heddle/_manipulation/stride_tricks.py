"""Views made from strides: diagonals, windows, broadcasting, and the free form."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import SupportsIndex

import numpy

from heddle import _core
from heddle._arguments import as_array, as_shape, normalize_axis_index
from heddle._core import in_core, ndarray
from heddle._typing import ArrayLike, Axes, Axis, ShapeLike

__all__ = ["as_strided", "broadcast_shapes", "broadcast_to", "sliding_window_view"]

broadcast_shapes = numpy.broadcast_shapes


def diagonal_view(a: ndarray, offset: int, axis1: Axis, axis2: Axis) -> ndarray:
    """The view of a diagonal, as the last axis."""
    if a.ndim < 2:
        raise ValueError("diag requires an array of at least two dimensions")
    axis1, axis2 = normalize_axis_index(axis1, a.ndim), normalize_axis_index(axis2, a.ndim)
    if axis1 == axis2:
        raise ValueError("axis1 and axis2 cannot be the same")
    offset = min(max(offset, -a.shape[axis1]), a.shape[axis2])  # farther away there is nothing
    return a._diagonal(offset, axis1, axis2)


def as_strided(
    x: ArrayLike,
    shape: ShapeLike | None = None,
    strides: Sequence[SupportsIndex] | None = None,
    subok: bool = False,
    writeable: bool = True,
    *,
    check_bounds: bool | None = None,
) -> ndarray:
    """A view with the given shape and strides; what lies outside of the memory is refused.

    It is so without NumPy's `check_bounds` as well: that changes nothing.

    Examples
    --------
    >>> import heddle as np
    >>> np.as_strided(np.arange(4), shape=(3, 2), strides=(8, 8))
    array([[0, 1],
           [1, 2],
           [2, 3]])
    """
    del subok  # there are no subclasses
    del check_bounds
    x = as_array(x)
    shape = x.shape if shape is None else as_shape(shape)
    strides = x.strides if strides is None else tuple(operator.index(s) for s in strides)
    view = x._strided(shape, strides, 0)
    return view if writeable else read_only(view)


def read_only(view: ndarray) -> ndarray:
    """The view, refusing writes."""
    return view._read_only()


@in_core
def broadcast_to(array: ArrayLike, shape: ShapeLike, subok: bool = False) -> ndarray:
    """A view of the array broadcast to a shape.

    Examples
    --------
    >>> import heddle as np
    >>> np.broadcast_to([1, 2, 3], (2, 3))
    array([[1, 2, 3],
           [1, 2, 3]])
    """
    del subok
    array = as_array(array)
    shape = tuple(shape) if numpy.iterable(shape) else (shape,)
    shape = tuple(operator.index(extent) for extent in shape)
    if any(extent < 0 for extent in shape):
        raise ValueError("all elements of broadcast shape must be non-negative")
    if not shape and array.shape:
        raise ValueError("cannot broadcast a non-scalar to a scalar array")
    return read_only(array._broadcast_to(shape))


def sliding_window_view(
    x: ArrayLike,
    window_shape: ShapeLike,
    axis: Axes | None = None,
    *,
    subok: bool = False,
    writeable: bool = False,
) -> ndarray:
    """A view of all windows of a shape, as new last axes.

    Examples
    --------
    >>> import heddle as np
    >>> np.sliding_window_view(np.arange(5), 3)
    array([[0, 1, 2],
           [1, 2, 3],
           [2, 3, 4]])
    """
    del subok
    x = as_array(x)
    window = tuple(window_shape) if numpy.iterable(window_shape) else (window_shape,)
    axes = None if axis is None else tuple(axis) if numpy.iterable(axis) else (axis,)
    view = _core.sliding_window_view(x, window, axes)
    return view if writeable else read_only(view)
