"""What all interpolants share: arguments, intervals, and where axes go."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy

import heddle as np
from heddle._arguments import as_array, normalize_axis_index
from heddle._core import ndarray, own_array
from heddle._typing import ArrayLike, HostArray


def is_complex(a: ndarray) -> bool:
    return bool(a.dtype.kind == "c")


def inexact(a: ndarray) -> ndarray:
    """As float64, or complex128: what interpolants compute in."""
    return a.astype("c16" if is_complex(a) else "f8")


def real_points(x: ArrayLike, like: ndarray | None = None) -> ndarray:
    """Places where something is evaluated."""
    found = as_array(x) if like is None or isinstance(x, own_array) else to_device_of(x, like)
    return found.astype("f8")


def to_device_of(x: ArrayLike, like: ndarray) -> ndarray:
    return np.asarray(x, device=like.device)


def coordinates(points: ArrayLike, ndim: int | None = None) -> ndarray:
    """Places with their coordinates along the last axis, of an array or a tuple of arrays."""
    if isinstance(points, tuple) and len(points) == 1:
        points = points[0]
    if isinstance(points, tuple):
        arrays = [as_array(each) for each in points]
        shape = numpy.broadcast_shapes(*(each.shape for each in arrays))
        return np.stack([np.broadcast_to(each, shape) for each in arrays], axis=-1)
    made = as_array(points)
    if made.ndim == 1:
        made = made.reshape(-1, 1) if ndim is None else made.reshape(-1, ndim)
    return made


def host(a: ArrayLike | tuple[None, ...]) -> HostArray:
    """What is looked at, as NumPy's array."""
    if isinstance(a, own_array):
        return np.asnumpy(np.stop_gradient(a))
    return numpy.asarray(a)


def all_finite(a: ndarray) -> bool:
    return a.dtype.kind not in "fc" or bool(np.all(np.isfinite(a)))


def count_of(shape: tuple[int, ...]) -> int:
    return math.prod(shape)


def safe_axis(axis: int, ndim: int) -> int:
    return int(normalize_axis_index(axis, ndim))


def placed(values: ndarray, points: int, axis: int) -> ndarray:
    """Values of shape (points..., rest...), with the points where `axis` of the data was."""
    if axis == 0 or points == values.ndim:
        return values
    order = list(range(values.ndim))
    order = order[points : points + axis] + order[:points] + order[points + axis :]
    return values.transpose(order)


def interval(x: ndarray, q: ndarray, first: int, last: int) -> ndarray:
    """The i, from `first` to `last`, with x[i] <= q < x[i + 1]; outside of all, the nearest one."""
    places = np.searchsorted(np.stop_gradient(x), np.stop_gradient(q), side="right") - 1
    return np.clip(places, first, last)


def wrapped(q: ndarray, low: ndarray, high: ndarray) -> ndarray:
    """Places within a period."""
    within: ndarray = low + (q - low) % (high - low)
    return within


def only_where(valid: ndarray, values: ndarray, points: int) -> ndarray:
    """Values of shape (points..., rest...); nan where places are not valid."""
    shape = valid.shape + (1,) * (values.ndim - points)
    return np.where(valid.reshape(shape), values, math.nan)


def taken(rows: ndarray, places: ndarray) -> ndarray:
    """Rows of (n, rest) at places; a single column is taken as a line of numbers."""
    return np.take(rows, places, axis=0)


def as_extrapolation(extrapolate: object) -> bool | str:
    """'periodic', or whether to go on outside."""
    return extrapolate if isinstance(extrapolate, str) else bool(extrapolate)


def over_periods(
    integral: Callable[..., Any], a: float, b: float, low: float, high: float
) -> ndarray:
    """The integral of a periodic function from that of one period: integral(a, b) within it."""
    period = high - low
    turns, rest = divmod(b - a, period)
    start = low + (a - low) % period
    end = start + rest
    if end <= high:
        total = integral(start, end)
    else:
        total = integral(start, high) + integral(low, low + rest + start - high)
    if turns > 0:
        total = total + integral(low, high) * turns
    return total  # type: ignore[no-any-return]
