"""Inserting and removing parts of arrays, and products that change the shape."""

from __future__ import annotations

import numpy

from heddle import _core
from heddle._arguments import as_array, fitted, normalize_axis_index, normalize_axis_tuple
from heddle._core import ndarray, ufuncs
from heddle._manipulation.joining import concatenate
from heddle._typing import ArrayLike, Axes, Axis, Index, ShapeLike

__all__ = ["append", "cross", "delete", "insert", "resize", "trim_zeros"]


def _along(arr, axis):
    """The array (flattened without an axis) and the axis to edit."""
    arr = as_array(arr)
    if axis is None:
        return arr._reshape((arr.size,)), 0
    return arr, normalize_axis_index(axis, arr.ndim)


def _host_index(obj):
    """What to edit, as a slice, an integer or a NumPy array of integers or bool."""
    if isinstance(obj, ndarray):
        obj = obj._snapshot()
    if isinstance(obj, slice):
        return obj
    index = numpy.asarray(obj)
    if index.size == 0 and index.dtype.kind == "f" and not isinstance(obj, numpy.ndarray):
        index = index.astype(int)
    return index


def _check_bounds(index, extent, axis, bound):
    outside = (index < -extent) | (index >= bound)
    if outside.any():
        raise IndexError(
            f"index {index[outside].flat[0]} is out of bounds for axis {axis} with size {extent}"
        )


def _gap(index, extent):
    """The only range that an index names, or None."""
    if isinstance(index, slice):
        start, stop, step = index.indices(extent)
        if step in (1, -1):
            first, last = (start, stop) if step == 1 else (stop + 1, start + 1)
            return first, max(first, last)
    elif index.dtype != bool and index.size == 1:
        first = int(index.item()) % extent
        return first, first + 1
    return None


def _check_deletable(index, extent, axis):
    if index.dtype == bool:
        if index.shape != (extent,):
            raise ValueError(
                "boolean array argument obj to delete must be one dimensional and match the axis "
                f"length of {extent}"
            )
    elif index.dtype.kind not in "iu":
        raise IndexError("arrays used as indices must be of integer (or boolean) type")
    else:
        _check_bounds(index, extent, axis, extent)


def _without(extent, index, device):
    """A mask of what stays along an axis."""
    keep = _core.full((extent,), True, numpy.dtype(bool), device)
    keep[index if isinstance(index, slice) else as_array(index)] = False
    return keep


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
    extent = arr.shape[axis]
    if type(obj) is int and -extent <= obj < extent:
        return _closed(arr, obj % extent, obj % extent + 1, axis)
    index = obj if isinstance(obj, ndarray) and obj.dtype == bool else _host_index(obj)
    if not isinstance(index, slice):
        _check_deletable(index, extent, axis)
    gap = _gap(index, extent)
    if gap is None:
        return arr[(slice(None),) * axis + (_without(extent, index, arr.device),)]
    return _closed(arr, *gap, axis)


def _closed(arr, first, last, axis):
    """The array without one range along an axis."""
    before = (slice(None),) * axis
    parts = arr[(*before, slice(None, first))], arr[(*before, slice(last, None))]
    kept = [part for part in parts if part.shape[axis]]
    return _core.join(kept or parts[:1], axis)


def _insertion_index(obj, extent):
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


def _raised_values(values, arr, axis, scalar_index):
    """Values to insert, with as many dimensions as the array."""
    values = as_array(values, arr.dtype)
    values = values[(None,) * (arr.ndim - values.ndim)] if values.ndim < arr.ndim else values
    if scalar_index and arr.ndim > 1:
        # As in NumPy, values for one scalar index have that axis first: a[:, 1] = values.
        order = list(range(1, values.ndim))
        order.insert(axis, 0)
        values = values._transpose(tuple(order))
    return values


def _split_by(arr, place, values, axis):
    """The array with values before one place along an axis."""
    before = (slice(None),) * axis
    shape = (*arr.shape[:axis], values.shape[axis], *arr.shape[axis + 1 :])
    values = fitted(values, shape)._broadcast_to(shape)
    first, last = arr[(*before, slice(None, place))], arr[(*before, slice(place, None))]
    return _core.join([first, values, last], axis)


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
    extent = arr.shape[axis]
    if type(obj) is int and -extent <= obj <= extent:
        values = _raised_values(values, arr, axis, True)
        return _split_by(arr, obj + extent if obj < 0 else obj, values, axis)
    index = _insertion_index(obj, extent)
    _check_bounds(index, extent, axis, extent + 1)
    places = numpy.where(index < 0, index + extent, index).reshape(-1)
    values = _raised_values(values, arr, axis, index.ndim == 0)
    if index.size == 1:
        return _split_by(arr, int(places[0]), values, axis)
    targets = places.copy()
    targets[numpy.argsort(places, kind="stable")] += numpy.arange(places.size)
    shape = (*arr.shape[:axis], extent + places.size, *arr.shape[axis + 1 :])
    kept = _without(extent + places.size, targets, arr.device)
    before = (slice(None),) * axis
    if arr.ndim == 1:
        result = _core.expand(arr, kept)
    else:
        result = _core.empty(shape, arr.dtype, arr.device)
        result[(*before, kept)] = arr
    result[(*before, as_array(targets))] = values
    return result


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
    a = as_array(a)
    shape = tuple(new_shape) if numpy.iterable(new_shape) else (new_shape,)
    if any(extent < 0 for extent in shape):
        raise ValueError("all elements of `new_shape` must be non-negative")
    count = 1
    for extent in shape:
        count *= extent
    if a.size == 0:
        return _core.full(shape, 0, a.dtype, a.device)
    flat = a._reshape((a.size,))
    if count <= a.size:
        return flat[:count]._copy("C")._reshape(shape)
    repeats = -(-count // a.size)
    tiled = flat[None]._broadcast_to((repeats, a.size))._copy("C")
    return tiled._reshape((repeats * a.size,))[:count]._copy("C")._reshape(shape)


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
        return filt
    found = _core.nonzero(a != 0)
    key = [slice(None)] * a.ndim
    for number in axes:
        if found[0].size == 0:
            key[number] = slice(0, 0)
            continue
        low = int(_core.reduce(ufuncs["minimum"], found[number], None, False, None))
        high = int(_core.reduce(ufuncs["maximum"], found[number], None, False, None)) + 1
        key[number] = slice(low if "f" in trim else None, high if "b" in trim else None)
    return filt[key[0]] if a.ndim == 1 else a[tuple(key)]


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
    a, b = _to_end(a, axisa), _to_end(b, axisb)
    if a.shape[-1] not in (2, 3) or b.shape[-1] not in (2, 3):
        raise ValueError("incompatible dimensions for cross product\n(dimension must be 2 or 3)")
    x, y = [a[..., i] for i in range(a.shape[-1])], [b[..., i] for i in range(b.shape[-1])]
    if len(x) == 2 and len(y) == 2:
        return x[0] * y[1] - x[1] * y[0]
    x, y = (v if len(v) == 3 else [*v, v[0] * 0] for v in (x, y))
    parts = [x[i - 2] * y[i - 1] - x[i - 1] * y[i - 2] for i in range(3)]
    shape = numpy.broadcast_shapes(a.shape[:-1], b.shape[:-1])
    axisc = normalize_axis_index(axisc, len(shape) + 1, msg_prefix="axisc")
    result = _core.empty((*shape, 3), numpy.result_type(a.dtype, b.dtype), a.device)
    for i, part in enumerate(parts):
        _core.write(result[..., i], part)
    order = list(range(len(shape)))
    order.insert(axisc, len(shape))
    return result._transpose(tuple(order))


def _to_end(a, axis):
    order = [number for number in range(a.ndim) if number != axis]
    return a._transpose((*order, axis))
