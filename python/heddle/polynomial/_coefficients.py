"""Where coefficients are and how they get there.

Arithmetic on a handful of coefficients runs in NumPy on the host, where launching kernels would
take longer than the work; coefficients in memory that the host does not see stay where they are,
and so do all while somebody records: a recorder hears nothing of what NumPy computes.
The same code does both: the functions of these modules work on arrays of NumPy's or of ours. Types
say `ndarray`, ours, for either: nothing is asked of an array that only NumPy's would have.
"""

from __future__ import annotations

import operator
from collections.abc import Sequence
from types import ModuleType
from typing import Any

import numpy

import heddle
from heddle._arguments import as_array, normalize_axis_index
from heddle._core import ndarray, own_array, recording
from heddle._typing import ArrayLike

SMALL = 4096  # elements: above, arrays of more dimensions are worth a kernel


def namespace(*arrays: object) -> ModuleType:
    """The module whose functions work on these arrays: heddle where any is of ours."""
    return heddle if any(isinstance(a, own_array) for a in arrays) else numpy


def _stays(a: object, small: int | None) -> bool:
    """Whether an argument is computed with where it is."""
    if not isinstance(a, own_array):
        return False
    return not a._on_host or (small is not None and a.size > small) or recording()


def read(*arguments: object, small: int | None = SMALL) -> list[ndarray]:
    """The arguments as arrays of one kind: of NumPy's on the host, else all of them of ours.

    Arrays of more than `small` elements are left to kernels; None leaves them only where the host
    does not see them.
    """
    given = [_together(a) for a in arguments]
    stays = next((a for a in given if _stays(a, small)), None)
    if stays is not None:  # numbers of the host go to where the others are
        return [a if isinstance(a, own_array) else _moved(a, stays.device) for a in given]
    host: list[Any] = [
        a._snapshot() if isinstance(a, own_array) else numpy.asarray(a) for a in given
    ]
    for a in host:
        if a.dtype.kind not in "biufcV":
            as_array(a)  # says which types there are
    if small is not None and any(a.size > small for a in host):
        return [as_array(a) for a in host]
    return host


def _moved(a: Any, device: str) -> ndarray:
    made = as_array(a)
    return made if made.device == device else made._to_device(device)


def _together(a: object) -> Any:
    """A sequence with scalars of ours inside of it, as numbers or, while recorded, as an array."""
    if not isinstance(a, list | tuple):
        return a
    if not any(isinstance(item, own_array) and item.ndim == 0 for item in a):
        return a
    if recording():
        return as_array(a)
    return [item._item() if isinstance(item, own_array) and item.ndim == 0 else item for item in a]


def give(a: object) -> Any:
    """A result for the user: an array of ours, a scalar where NumPy has one."""
    if isinstance(a, tuple):
        return tuple(give(part) for part in a)
    if isinstance(a, numpy.generic):
        return as_array(a)[()]
    return as_array(a) if isinstance(a, numpy.ndarray) else a


def inexact(c: ndarray) -> ndarray:
    """The array with at least one dimension, integers as float64."""
    if c.ndim == 0:
        c = c.reshape(1)
    return c + 0.0 if c.dtype.kind in "biu" else c


def length(c: ndarray, tol: float = 0) -> int:
    """How many coefficients there are up to the last one that is larger than `tol`."""
    n = len(c)
    if not n or (isinstance(c, numpy.ndarray) and tol == 0 and c[-1] != 0):
        return n
    xp = namespace(c)
    kept = xp.abs(c) > tol if tol else c != 0
    return int(xp.max(xp.where(kept, xp.arange(1, n + 1), 0)))


def trimmed(c: ndarray, tol: float = 0) -> ndarray:
    """The coefficients without trailing ones that are not larger than `tol`; at least one."""
    kept = length(c, tol)
    if kept == 0:
        return c[:1] * 0 if tol else c[:1]
    return c[:kept] if kept < len(c) else c


def _common_type(arrays: list[ndarray]) -> type[numpy.generic]:
    if all(a.dtype == numpy.float64 or a.dtype.kind in "iu" for a in arrays):  # nearly always
        return numpy.float64
    try:
        return heddle.common_type(*arrays)
    except TypeError as error:
        raise ValueError("Coefficient arrays have no common type") from error


def as_vectors(*arguments: object, trim: bool = True) -> list[ndarray]:
    """Series as one-dimensional arrays of a common inexact type; NumPy's errors."""
    arrays = read(*arguments, small=None)
    arrays = [a.reshape(1) if a.ndim == 0 else a for a in arrays]
    for a in arrays:
        if a.size == 0:
            raise ValueError("Coefficient array is empty")
        if a.ndim != 1:
            raise ValueError("Coefficient array is not 1-d")
    dtype = _common_type(arrays)
    if trim:
        arrays = [a[: max(length(a), 1)] for a in arrays]
    return [a.astype(dtype) for a in arrays]


def padded(c: ndarray, count: int) -> ndarray:
    """The coefficients followed by zeros."""
    if len(c) == count:
        return c
    result: ndarray = namespace(c).concatenate([c, zeros(count - len(c), c)])
    return result


def spread(numbers: ArrayLike, c: ndarray) -> ndarray:
    """Numbers for the first axis of an array, in its type, to be broadcast over the others."""
    shape = (-1, *(1,) * (c.ndim - 1))
    if isinstance(c, own_array):
        return as_array(numbers, c.dtype).reshape(shape)
    return numpy.asarray(numbers).astype(c.dtype).reshape(shape)


def as_count(value: Any, what: str) -> int:
    """An integer argument, or NumPy's error."""
    try:
        return operator.index(value)
    except TypeError:
        raise TypeError(f"{what} must be an integer, received {value}") from None


def moved(c: ndarray, source: int, target: int) -> ndarray:
    """The array with one axis elsewhere."""
    result: ndarray = namespace(c).moveaxis(c, source, target)
    return result


def stacked(arrays: Sequence[ndarray]) -> ndarray:
    """Arrays of one shape along a new first axis."""
    result: ndarray = namespace(*arrays).stack(arrays)
    return result


def zeros(count: int, c: ndarray) -> ndarray:
    """So many zeros along the first axis, of the kind of an array."""
    result: ndarray = namespace(c).zeros_like(c, shape=(count, *c.shape[1:]))
    return result


def one(c: ndarray) -> ndarray:
    """The series 1, of the kind of an array."""
    result: ndarray = namespace(c).ones_like(c[:1])
    return result


def first_axis(c: ndarray, axis: object) -> tuple[ndarray, int]:
    """The coefficients with their axis in front, and the axis."""
    axis = normalize_axis_index(as_count(axis, "the axis"), c.ndim)
    return moved(c, axis, 0), axis
