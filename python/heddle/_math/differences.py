"""Differences, gradients and integrals along an axis."""

from __future__ import annotations

import operator
from typing import Any, Literal, SupportsIndex, cast, overload

import numpy

from heddle import _core
from heddle._arguments import (
    as_array,
    as_array_beside,
    as_number,
    as_operand,
    no_value,
    normalize_axis,
    normalize_axis_index,
    normalize_axis_tuple,
)
from heddle._core import in_core, ndarray, ufuncs
from heddle._typing import ArrayLike, Axes, Axis

__all__ = ["diff", "ediff1d", "gradient", "trapezoid", "unwrap"]


def _part(a: ndarray, axis: int, start: int | None, stop: int | None) -> ndarray:
    return a[(slice(None),) * axis + (slice(start, stop),)]


@in_core
def diff(
    a: ArrayLike,
    n: SupportsIndex = 1,
    axis: Axis = -1,
    prepend: ArrayLike = no_value,
    append: ArrayLike = no_value,
) -> ndarray:
    """The n-th discrete difference along an axis.

    Examples
    --------
    >>> import heddle as np
    >>> np.diff([1, 2, 4, 7])
    array([1, 2, 3])
    >>> np.diff([1, 2, 4, 7], n=2)
    array([1, 1])
    """
    n = operator.index(n)
    if n == 0:
        return cast("ndarray", a)  # what was given, as in NumPy
    if n < 0:
        raise ValueError(f"order must be non-negative but got {n!r}")
    a = as_array(a)
    if a.ndim == 0:
        raise ValueError("diff requires input that is at least one dimensional")
    axis = normalize_axis_index(axis, a.ndim)
    ends = (None if extra is no_value else as_array_beside(extra, a) for extra in (prepend, append))
    return _core.diff(a, n, axis, *ends)


def ediff1d(
    ary: ArrayLike, to_end: ArrayLike | None = None, to_begin: ArrayLike | None = None
) -> ndarray:
    """Differences of consecutive elements of the flattened array, with ends put around them.

    Examples
    --------
    >>> import heddle as np
    >>> np.ediff1d([1, 2, 4], to_begin=0)
    array([0, 1, 2])
    """
    ends = (None if end is None else as_array(end) for end in (to_end, to_begin))
    return _core.ediff1d(as_array(ary), *ends)


def _distance(given: ArrayLike) -> ArrayLike:
    """A Python number, or an array: coordinates, or a number of NumPy's or ours."""
    return given if type(given) in (int, float) else as_array(given)


@overload
def gradient(
    f: ArrayLike, *varargs: ArrayLike, axis: SupportsIndex, edge_order: Literal[1, 2] = 1
) -> ndarray: ...
@overload
def gradient(
    f: ArrayLike, *varargs: ArrayLike, axis: Axes | None = None, edge_order: Literal[1, 2] = 1
) -> Any: ...  # an array, or one for each axis
def gradient(
    f: ArrayLike, *varargs: ArrayLike, axis: Axes | None = None, edge_order: Literal[1, 2] = 1
) -> Any:
    """Second-order accurate differences inside, first or second order at the edges.

    Examples
    --------
    >>> import heddle as np
    >>> np.gradient([1.0, 2.0, 4.0, 7.0])
    array([1. , 1.5, 2.5, 3. ])
    >>> np.gradient(np.array([0.0, 1.0, 4.0]), 0.5)
    array([2., 4., 6.])
    """
    f = as_array(f)
    axes = None if axis is None else normalize_axis_tuple(axis, f.ndim)
    slopes = _core.gradient(f, [_distance(given) for given in varargs], axes, edge_order)
    return slopes[0] if len(slopes) == 1 else slopes


def trapezoid(
    y: ArrayLike, x: ArrayLike | None = None, dx: ArrayLike = 1.0, axis: Axis = -1
) -> ndarray:
    """The integral along an axis by the trapezoidal rule.

    Examples
    --------
    >>> import heddle as np
    >>> np.trapezoid([1, 2, 3])
    np.float64(4.0)
    >>> np.trapezoid([1, 2, 3], dx=2)
    np.float64(8.0)
    """
    y = as_array(y)
    along = normalize_axis(axis, y.ndim)
    if x is not None:
        return _core.trapezoid(y, as_array_beside(x, y), operator.index(axis))
    terms: ndarray = as_operand(dx) * (_part(y, along, 1, None) + _part(y, along, None, -1)) / 2.0
    along = normalize_axis(axis, terms.ndim)  # steps may have more dimensions
    return _core.reduce(ufuncs["add"], terms, (along,), False, None)


def unwrap(
    p: ArrayLike, discont: float | None = None, axis: Axis = -1, *, period: ArrayLike = 2 * numpy.pi
) -> ndarray:
    """Take jumps of more than half a period out of a sequence, along an axis.

    Examples
    --------
    >>> import heddle as np
    >>> np.unwrap([0.0, 3.0, 6.0, 9.0 - 2 * np.pi])
    array([0., 3., 6., 9.])
    """
    p = as_array(p)
    jump = None if discont is None else as_number(discont, "discont")
    return _core.unwrap(p, jump, normalize_axis(axis, p.ndim), as_number(period, "period"))
