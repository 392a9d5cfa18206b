"""Padding: the edges of an array continued by one of NumPy's modes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy

from heddle import _core
from heddle._arguments import as_array, empty_in_order, filled
from heddle._core import in_core, ndarray, ufuncs
from heddle._creation.arrays import linspace
from heddle._manipulation.joining import concatenate
from heddle._statistics.quantiles import median
from heddle._typing import ArrayLike

__all__ = ["pad"]

_KEYWORDS = {
    "constant": ("constant_values",),
    "edge": (),
    "empty": (),
    "linear_ramp": ("end_values",),
    "maximum": ("stat_length",),
    "mean": ("stat_length",),
    "median": ("stat_length",),
    "minimum": ("stat_length",),
    "reflect": ("reflect_type",),
    "symmetric": ("reflect_type",),
    "wrap": (),
}


def _pairs(value, rank, integer):
    """A (before, after) pair for each axis from what the user gave."""
    if value is None:
        return ((None, None),) * rank
    if type(value) is int and (value >= 0 or not integer):
        return ((value, value),) * rank
    if isinstance(value, dict):
        pairs = [(0, 0)] * rank
        for axis, pair in value.items():
            pairs[axis] = pair if numpy.iterable(pair) else (pair, pair)
        value = pairs
    value = numpy.asarray(value._snapshot() if isinstance(value, ndarray) else value)
    if integer:
        value = numpy.round(value).astype(numpy.intp, copy=False)
        if value.size and value.min() < 0:
            raise ValueError("index can't contain negative values")
    if value.ndim == 1 and value.shape == (2,):
        return (tuple(value.tolist()),) * rank
    return tuple(map(tuple, numpy.broadcast_to(value, (rank, 2)).tolist()))


def _part(a, axis, start, stop, step=None):
    return a[(slice(None),) * axis + (slice(start, stop, step),)]


def _positions(extent, widths, mode):
    """Where the elements on both sides come from, in modes that only copy elements."""
    outside = numpy.arange(-widths[0], 0), numpy.arange(extent, extent + widths[1])
    if mode == "edge":
        return tuple(side.clip(0, extent - 1) for side in outside)
    if mode == "wrap":
        return tuple(side % extent for side in outside)
    last = 2 * extent - (1 if mode == "symmetric" else 2)  # mirrored, position n is last - n
    period = max(2 * extent if mode == "symmetric" else last, 1)
    folded = (side % period for side in outside)
    return tuple(numpy.where(side < extent, side, last - side) for side in folded)


def _copied(a, axis, widths, mode):
    before = (slice(None),) * axis
    return [a[(*before, as_array(side))] for side in _positions(a.shape[axis], widths, mode)]


def _ramps(a, axis, widths, ends):
    edges = _part(a, axis, 0, 1), _part(a, axis, -1, None)
    gone = (slice(None),) * axis + (0, ...)
    sides = [
        linspace(end, edge[gone], count, endpoint=False, dtype=a.dtype, axis=axis)
        for end, edge, count in zip(ends, edges, widths, strict=True)
    ]
    return sides[0], _part(sides[1], axis, None, None, -1)


def _statistic(part, axis, mode):
    if mode in ("maximum", "minimum"):
        return _core.reduce(ufuncs[mode], part, (axis,), True, None)
    if mode == "mean":
        computed = numpy.dtype(float) if part.dtype.kind in "iub" else part.dtype
        value = _core.reduce(ufuncs["add"], part, (axis,), True, computed) / part.shape[axis]
    else:
        value = median(part, axis=axis, keepdims=True)
    if part.dtype.kind in "iu":
        value = ufuncs["rint"](value)
    return as_array(value, part.dtype)


def _statistics(a, axis, lengths, mode):
    extent = a.shape[axis]
    before, after = (extent if n is None else min(n, extent) for n in lengths)
    left = _statistic(_part(a, axis, 0, before), axis, mode)
    right = left
    if not before == after == extent:
        right = _statistic(_part(a, axis, extent - after, extent), axis, mode)
    return left, right


def _odd_reflection(a, axis, widths, mode):
    """Reflections through the edge points, as often as the padding asks."""
    extent = a.shape[axis]
    if extent == 1:
        return _copied(a, axis, widths, "edge")
    skip = 1 if mode == "reflect" else 0
    period = extent - skip
    left, right = widths
    while left or right:
        # Whole periods only, so that the parts stay in phase with the original.
        chunk = (a.shape[axis] - skip) // period * period
        if left:
            count = min(chunk, left)
            mirrored = _part(_part(a, axis, skip, skip + count), axis, None, None, -1)
            a = concatenate((2 * _part(a, axis, 0, 1) - mirrored, a), axis=axis)
            left -= count
        if right:
            count = min(chunk, right)
            stop = a.shape[axis] - skip
            mirrored = _part(_part(a, axis, stop - count, stop), axis, None, None, -1)
            a = concatenate((a, 2 * _part(a, axis, -1, None) - mirrored), axis=axis)
            right -= count
    return _part(a, axis, 0, widths[0]), _part(a, axis, widths[0] + extent, None)


def _by_function(a, widths, function, kwargs):
    """The user's function changes each row in place."""
    padded = _filled(a, widths, _constants(a.dtype, ((0, 0),) * a.ndim))
    for axis in range(padded.ndim):
        rows = padded._transpose((*(n for n in range(padded.ndim) if n != axis), axis))
        for place in numpy.ndindex(rows.shape[:-1]):
            function(rows[(*place, ...)], widths[axis], axis, kwargs)
    return padded


def _check_mode(mode, kwargs):
    if mode not in _KEYWORDS:
        raise ValueError(f"mode '{mode}' is not supported")
    unsupported = set(kwargs) - set(_KEYWORDS[mode])
    if unsupported:
        raise ValueError(f"unsupported keyword arguments for mode '{mode}': {unsupported}")


def _constants(dtype, values):
    """Sides of given values, a pair for each axis."""
    if all(type(v) is int and v == 0 for pair in values for v in pair):
        zero = filled(0, dtype)
        return lambda a, axis, widths: (zero, zero)
    pairs = [[filled(numpy.asarray(v).astype(dtype).item(), dtype) for v in p] for p in values]
    return lambda a, axis, widths: pairs[axis]


def _filled(a, widths, sides):
    """The array within a larger one; sides(part, axis, widths) gives what is beside a part."""
    shape = tuple(n + sum(pair) for n, pair in zip(a.shape, widths, strict=True))
    columns = a._f_contiguous and not a._c_contiguous
    result = empty_in_order(shape, a.dtype, "F" if columns else "C", a.device)
    inner = [slice(first, first + n) for n, (first, _) in zip(a.shape, widths, strict=True)]
    _core.write(result[(*inner, ...)], a)
    for axis, pair in enumerate(widths):
        if sides is None or not any(pair):
            continue
        # Along axes that come later only what is not padding yet.
        before, after = (slice(None),) * axis, (*inner[axis + 1 :], ...)
        made = sides(result[(*before, inner[axis], *after)], axis, pair)
        places = slice(0, pair[0]), slice(inner[axis].stop, None)
        for width, place, values in zip(pair, places, made, strict=True):
            if width:
                _core.write(result[(*before, place, *after)], values)
    return result


@in_core
def pad(
    array: ArrayLike,
    pad_width: ArrayLike,
    mode: str | Callable[..., Any] = "constant",
    **kwargs: Any,
) -> ndarray:
    """Pad an array on its sides; one in Fortran order gives one in Fortran order.

    Examples
    --------
    >>> import heddle as np
    >>> np.pad([1, 2, 3], (1, 2))
    array([0, 1, 2, 3, 0, 0])
    >>> np.pad([1, 2, 3], 2, mode="reflect")
    array([3, 2, 1, 2, 3, 2, 1])
    """
    a = as_array(array)
    if isinstance(pad_width, ndarray):
        pad_width = pad_width._snapshot()
    known = type(pad_width) is int or isinstance(pad_width, dict)
    if not known and numpy.asarray(pad_width).dtype.kind != "i":
        raise TypeError("`pad_width` must be of integral type.")
    widths = _pairs(pad_width, a.ndim, integer=True)
    if callable(mode):
        return _by_function(a, widths, mode, kwargs)
    _check_mode(mode, kwargs)
    if not kwargs and (a.size or mode == "constant"):
        padded = _core.pad(a, *zip(*widths, strict=True), mode) if a.ndim else a._copy("C")
        if padded is not None:
            return padded
    if mode == "constant":
        values = _pairs(kwargs.get("constant_values", 0), a.ndim, False)
        return _filled(a, widths, _constants(a.dtype, values))
    if mode == "empty" or a.size == 0:
        for axis, pair in enumerate(widths):
            if mode != "empty" and a.shape[axis] == 0 and any(pair):
                raise ValueError(
                    f"can't extend empty axis {axis} using modes other than 'constant' or 'empty'"
                )
        return _filled(a, widths, None)
    return _filled(a, widths, _sides(a.ndim, mode, kwargs))


def _sides(rank, mode, kwargs):
    """What a mode puts beside a part of an array: a function as _filled wants it."""
    if mode == "linear_ramp":
        ends = _pairs(kwargs.get("end_values", 0), rank, integer=False)
        return lambda a, axis, widths: _ramps(a, axis, widths, ends[axis])
    if mode in ("maximum", "mean", "median", "minimum"):
        lengths = _pairs(kwargs.get("stat_length"), rank, integer=True)
        if mode in ("maximum", "minimum") and any(0 in pair for pair in lengths):
            raise ValueError("stat_length of 0 yields no value for padding")
        return lambda a, axis, _: _statistics(a, axis, lengths[axis], mode)
    if kwargs.get("reflect_type", "even") == "odd":
        return lambda a, axis, widths: _odd_reflection(a, axis, widths, mode)
    return lambda a, axis, widths: _copied(a, axis, widths, mode)
