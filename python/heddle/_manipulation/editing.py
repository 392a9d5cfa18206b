"""Inserting and removing parts of arrays, and products that change the shape."""

from __future__ import annotations

import operator
from typing import Any, cast

import numpy

from heddle import _core
from heddle._arguments import as_array, normalize_axis_index, normalize_axis_tuple
from heddle._core import ndarray, own_array, ufuncs
from heddle._manipulation.joining import concatenate
from heddle._typing import ArrayLike, Axes, Axis, HostArray, Index, ShapeLike

__all__ = ["append", "cross", "delete", "insert", "resize", "trim_zeros"]


def _along(arr: ArrayLike, axis: Axis | None) -> tuple[ndarray, int]:
    """The array (flattened without an axis) and the axis to edit."""
    arr = as_array(arr)
    if axis is None:
        return arr._reshape((arr.size,)), 0
    return arr, normalize_axis_index(axis, arr.ndim)


def _host_index(obj: object) -> slice | HostArray:
    """What to edit, as a slice, an integer or a NumPy array of integers or bool."""
    if isinstance(obj, own_array):
        obj = obj._snapshot()
    if isinstance(obj, slice):
        return obj
    index = numpy.asarray(obj)
    if index.size == 0 and index.dtype.kind == "f" and not isinstance(obj, numpy.ndarray):
        index = index.astype(int)
    return index


def _in_64_bits(obj: Any, arr: ndarray, axis: int) -> Any:
    """A place that the core can read: no array has others."""
    if type(obj) is int and not -(2**63) <= obj < 2**63:
        raise IndexError(
            f"index {obj} is out of bounds for axis {axis} with size {arr.shape[axis]}"
        )
    return obj


def delete(arr: ArrayLike, obj: Index, axis: Axis | None = None) -> ndarray:
    """A new array without the given parts along an axis.

    Examples
    --------
    >>> import heddle as np
    >>> np.delete(np.arange(5), 1)
    array([0, 2, 3, 4])
    >>> np.delete(np.arange(6).reshape(2, 3), [0, 2], axis=1)
    array([[1],
           [4]])
    """
    arr, axis = _along(arr, axis)
    if type(obj) is int or (isinstance(obj, own_array) and obj.dtype == bool):
        return _core.delete(arr, _in_64_bits(obj, arr, axis), axis)
    index = _host_index(obj)
    places = index if isinstance(index, slice) else as_array(index).to_device(arr.device)
    return _core.delete(arr, places, axis)


def _insertion_index(obj: object, extent: int) -> HostArray:
    """Where to insert: a NumPy array of integers of at most one dimension."""
    index = _host_index(obj)
    if isinstance(index, slice):
        return numpy.arange(*index.indices(extent))
    if index.dtype == bool:
        if index.ndim != 1:
            raise ValueError("boolean array argument obj to insert must be one dimensional")
        return numpy.flatnonzero(index)
    if index.ndim > 1:
        raise ValueError("index array argument obj to insert must be one dimensional or scalar")
    if index.dtype.kind not in "iu":
        error = IndexError if index.ndim else TypeError
        raise error("arrays used as indices must be of integer (or boolean) type")
    return index


def insert(arr: ArrayLike, obj: Index, values: ArrayLike, axis: Axis | None = None) -> ndarray:
    """A new array with values inserted before the given indices along an axis.

    Examples
    --------
    >>> import heddle as np
    >>> np.insert([1, 2, 3], 1, 9)
    array([1, 9, 2, 3])
    >>> np.insert([[1, 2], [3, 4]], 2, 0, axis=1)
    array([[1, 2, 0],
           [3, 4, 0]])
    """
    arr, axis = _along(arr, axis)
    values = as_array(values, arr.dtype)
    index = (
        _in_64_bits(obj, arr, axis) if type(obj) is int else _insertion_index(obj, arr.shape[axis])
    )
    if isinstance(index, numpy.ndarray):
        index = index.tolist()  # an int where it has no dimensions
    return _core.insert(arr, index, values, axis)


def append(arr: ArrayLike, values: ArrayLike, axis: Axis | None = None) -> ndarray:
    """A new array with values at its end.

    Examples
    --------
    >>> import heddle as np
    >>> np.append([1, 2], [3, 4])
    array([1, 2, 3, 4])
    """
    arr, values = as_array(arr), as_array(values)
    if axis is None:
        arr, values, axis = arr._reshape((arr.size,)), values._reshape((values.size,)), 0
    return concatenate((arr, values), axis=axis)


def resize(a: ArrayLike, new_shape: ShapeLike) -> ndarray:
    """A new array of a shape, filled with repeated copies of the elements.

    Examples
    --------
    >>> import heddle as np
    >>> np.resize([1, 2, 3], (2, 4))
    array([[1, 2, 3, 1],
           [2, 3, 1, 2]])
    """
    shape = tuple(new_shape) if numpy.iterable(new_shape) else (new_shape,)
    return _core.resize(as_array(a), tuple(map(operator.index, shape)))


def trim_zeros(filt: ArrayLike, trim: str = "fb", axis: Axes | None = None) -> ndarray:
    """The array without the zeros around it; a list or tuple gives one of its kind.

    Examples
    --------
    >>> import heddle as np
    >>> np.trim_zeros(np.array([0, 0, 1, 2, 0]))
    array([1, 2])
    """
    a = as_array(filt)
    trim = trim.lower()
    if trim not in ("fb", "bf", "f", "b"):
        raise ValueError(f"unexpected character(s) in `trim`: {trim!r}")
    axes = range(a.ndim) if axis is None else normalize_axis_tuple(axis, a.ndim)
    if not axes:
        return cast("ndarray", filt)
    found = _core.nonzero(a != 0)
    key = [slice(None)] * a.ndim
    for number in axes:
        if found[0].size == 0:
            key[number] = slice(0, 0)
            continue
        low = int(_core.reduce(ufuncs["minimum"], found[number], None, False, None))
        high = int(_core.reduce(ufuncs["maximum"], found[number], None, False, None)) + 1
        key[number] = slice(low if "f" in trim else None, high if "b" in trim else None)
    return cast("ndarray", filt)[key[0]] if a.ndim == 1 else a[tuple(key)]


def cross(
    a: ArrayLike,
    b: ArrayLike,
    axisa: Axis = -1,
    axisb: Axis = -1,
    axisc: Axis = -1,
    axis: Axis | None = None,
) -> ndarray:
    """The cross product of vectors of three (or two) components.

    Examples
    --------
    >>> import heddle as np
    >>> np.cross([1, 0, 0], [0, 1, 0])
    array([0, 0, 1])
    """
    if axis is not None:
        axisa = axisb = axisc = axis
    a, b = as_array(a), as_array(b)
    if a.ndim < 1 or b.ndim < 1:
        raise ValueError("At least one array has zero dimension")
    axisa = normalize_axis_index(axisa, a.ndim, msg_prefix="axisa")
    axisb = normalize_axis_index(axisb, b.ndim, msg_prefix="axisb")
    counts = a.shape[axisa], b.shape[axisb]
    if not {*counts} <= {2, 3}:
        raise ValueError("incompatible dimensions for cross product\n(dimension must be 2 or 3)")
    if counts != (2, 2):
        axisc = normalize_axis_index(axisc, max(a.ndim, b.ndim), msg_prefix="axisc")
    return _core.cross(a, b, axisa, axisb, operator.index(axisc))
