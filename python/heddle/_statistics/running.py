"""Running sums and products."""

from __future__ import annotations

from typing import cast

import numpy as _numpy

from heddle import _core
from heddle._arguments import as_array, dims, normalize_axes, normalize_axis, store_reduced
from heddle._core import in_core, ndarray, ufunc, ufuncs
from heddle._math.ufunc_methods import accumulate_array
from heddle._typing import ArrayLike, Axis, DTypeLike, Output

_add, _multiply = ufuncs["add"], ufuncs["multiply"]


@in_core
def cumsum(
    a: ArrayLike,
    axis: Axis | None = None,
    dtype: DTypeLike | None = None,
    out: Output | None = None,
) -> ndarray:
    """Running sum along an axis, or of the flattened array.

    Examples
    --------
    >>> import heddle as np
    >>> np.cumsum([1, 2, 3])
    array([1, 3, 6])
    >>> np.cumsum([[1, 2], [3, 4]], axis=0)
    array([[1, 2],
           [4, 6]])
    """
    return _running(_add, a, axis, dtype, out)


@in_core
def cumprod(
    a: ArrayLike,
    axis: Axis | None = None,
    dtype: DTypeLike | None = None,
    out: Output | None = None,
) -> ndarray:
    """Running product along an axis, or of the flattened array.

    Examples
    --------
    >>> import heddle as np
    >>> np.cumprod([1, 2, 3, 4])
    array([ 1,  2,  6, 24])
    """
    return _running(_multiply, a, axis, dtype, out)


def _running(
    u: ufunc, a: ArrayLike, axis: Axis | None, dtype: DTypeLike | None, out: Output | None
) -> ndarray:
    a = as_array(a)
    if axis is None or a.ndim == 0:
        if axis is not None:
            normalize_axes(axis, 0)
        a, axis = a._reshape((-1,)), 0
    return accumulate_array(u, a, axis, None if dtype is None else _numpy.dtype(dtype), out)


def _cumulative(
    u: ufunc,
    name: str,
    x: ArrayLike,
    axis: Axis | None,
    dtype: DTypeLike | None,
    out: Output | None,
    include_initial: bool,
) -> ndarray:
    x = as_array(x)
    if x.ndim == 0:
        x = x._reshape((1,))
    if axis is None:
        if x.ndim > 1:
            raise ValueError(
                "For arrays which have more than one dimension ``axis`` argument is required."
            )
        axis = 0
    if isinstance(axis, tuple) and len(axis) == 1:
        (axis,) = axis
    axis = normalize_axis(axis, x.ndim)
    dtype = None if dtype is None else _numpy.dtype(dtype)
    if not include_initial:
        return accumulate_array(u, x, axis, dtype, out)
    running = accumulate_array(u, x, axis, dtype, None)
    shape = tuple(n + (i == axis) for i, n in enumerate(x.shape))
    result = _core.full(shape, cast("float", u.identity), running.dtype, x.device)
    result[(slice(None),) * axis + (slice(1, None),)] = running
    if out is not None and as_array(out).shape != shape:
        raise ValueError(f"{name}: out must have the shape {dims(shape)}")
    return store_reduced(result, out, name)


def cumulative_sum(
    x: ArrayLike,
    /,
    *,
    axis: Axis | None = None,
    dtype: DTypeLike | None = None,
    out: Output | None = None,
    include_initial: bool = False,
) -> ndarray:
    """Running sum along an axis, optionally with the zero it starts from.

    Examples
    --------
    >>> import heddle as np
    >>> np.cumulative_sum(np.array([1, 2, 3]), include_initial=True)
    array([0, 1, 3, 6])
    """
    return _cumulative(_add, "cumulative_sum", x, axis, dtype, out, include_initial)


def cumulative_prod(
    x: ArrayLike,
    /,
    *,
    axis: Axis | None = None,
    dtype: DTypeLike | None = None,
    out: Output | None = None,
    include_initial: bool = False,
) -> ndarray:
    """Running product along an axis, optionally with the one it starts from.

    Examples
    --------
    >>> import heddle as np
    >>> np.cumulative_prod(np.array([1, 2, 3]))
    array([1, 2, 6])
    """
    return _cumulative(_multiply, "cumulative_prod", x, axis, dtype, out, include_initial)


__all__ = ["cumprod", "cumsum", "cumulative_prod", "cumulative_sum"]
