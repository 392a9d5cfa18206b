"""Padding: the edges of an array continued by one of NumPy's modes."""

import numpy

from . import _core
from ._core import ndarray, ufuncs
from ._creation import linspace
from ._inputs import as_array
from ._joining import concatenate

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


def _extended(a, axis, left, right):
    """The array between two others; None for a side without padding."""
    return concatenate([part for part in (left, a, right) if part is not None], axis=axis)


def _repeated(a, axis, count):
    """A slice of extent one, repeated along its axis."""
    return a._broadcast_to((*a.shape[:axis], count, *a.shape[axis + 1 :])) if count else None


def _by_index(a, axis, widths, mode):
    """Modes that only copy elements: NumPy pads the indices, the elements are gathered."""
    index = numpy.pad(numpy.arange(a.shape[axis]), widths, mode)
    return a[(slice(None),) * axis + (as_array(index),)]


def _constant(a, widths, values):
    shape = tuple(n + sum(pair) for n, pair in zip(a.shape, widths, strict=True))
    if len({value for pair in values for value in pair}) == 1:
        value = numpy.asarray(values[0][0]).astype(a.dtype).item()
        result = _core.full(shape, value, a.dtype, a.device)
        _core.write(_inner(result, a, widths), a)
        return result
    for axis, (pair, ends) in enumerate(zip(widths, values, strict=True)):
        sides = []
        for count, value in zip(pair, ends, strict=True):
            side = (*a.shape[:axis], count, *a.shape[axis + 1 :])
            value = numpy.asarray(value).astype(a.dtype).item()
            sides.append(_core.full(side, value, a.dtype, a.device))
        a = _extended(a, axis, *sides)
    return a


def _inner(padded, a, widths):
    return padded[
        (
            *(slice(first, first + n) for n, (first, _) in zip(a.shape, widths, strict=True)),
            ...,
        )
    ]


def _ramps(a, axis, widths, ends):
    edges = _part(a, axis, 0, 1), _part(a, axis, -1, None)
    gone = (slice(None),) * axis + (0, ...)
    sides = [
        linspace(end, edge[gone], count, endpoint=False, dtype=a.dtype, axis=axis)
        for end, edge, count in zip(ends, edges, widths, strict=True)
    ]
    return _extended(a, axis, sides[0], _part(sides[1], axis, None, None, -1))


def _statistic(part, axis, mode):
    if mode in ("maximum", "minimum"):
        return _core.reduce(ufuncs[mode], part, (axis,), True, None)
    if mode == "mean":
        computed = numpy.dtype(float) if part.dtype.kind in "iub" else part.dtype
        value = _core.reduce(ufuncs["add"], part, (axis,), True, computed) / part.shape[axis]
    else:
        value = as_array(numpy.median(part._snapshot(), axis=axis, keepdims=True))
    if part.dtype.kind in "iu":
        value = ufuncs["rint"](value)
    return as_array(value, part.dtype)


def _statistics(a, axis, widths, lengths, mode):
    extent = a.shape[axis]
    before, after = (extent if n is None else min(n, extent) for n in lengths)
    left = _statistic(_part(a, axis, 0, before), axis, mode)
    right = left
    if not before == after == extent:
        right = _statistic(_part(a, axis, extent - after, extent), axis, mode)
    return _extended(a, axis, _repeated(left, axis, widths[0]), _repeated(right, axis, widths[1]))


def _odd_reflection(a, axis, widths, mode):
    """Reflections through the edge points, as often as the padding asks."""
    extent = a.shape[axis]
    if extent == 1:
        return _by_index(a, axis, widths, "edge")
    skip = 1 if mode == "reflect" else 0
    period = extent - skip
    left, right = widths
    while left or right:
        # Whole periods only, so that the parts stay in phase with the original.
        chunk = (a.shape[axis] - skip) // period * period
        if left:
            count = min(chunk, left)
            mirrored = _part(_part(a, axis, skip, skip + count), axis, None, None, -1)
            a = _extended(a, axis, 2 * _part(a, axis, 0, 1) - mirrored, None)
            left -= count
        if right:
            count = min(chunk, right)
            stop = a.shape[axis] - skip
            mirrored = _part(_part(a, axis, stop - count, stop), axis, None, None, -1)
            a = _extended(a, axis, None, 2 * _part(a, axis, -1, None) - mirrored)
            right -= count
    return a


def _by_function(a, widths, function, kwargs):
    """The user's function changes each row in place."""
    padded = _constant(a, widths, ((0, 0),) * a.ndim)
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


def pad(array, pad_width, mode="constant", **kwargs):
    """Pad an array on its sides; one in Fortran order gives one in Fortran order."""
    a = as_array(array)
    result = _padded(a, pad_width, mode, kwargs)
    return result if a._c_contiguous or not a._f_contiguous else result._copy("F")


def _padded(a, pad_width, mode, kwargs):
    if isinstance(pad_width, ndarray):
        pad_width = pad_width._snapshot()
    if not isinstance(pad_width, dict) and numpy.asarray(pad_width).dtype.kind != "i":
        raise TypeError("`pad_width` must be of integral type.")
    widths = _pairs(pad_width, a.ndim, integer=True)
    if callable(mode):
        return _by_function(a, widths, mode, kwargs)
    _check_mode(mode, kwargs)
    if mode == "constant":
        return _constant(a, widths, _pairs(kwargs.get("constant_values", 0), a.ndim, False))
    if mode == "empty" or a.size == 0:
        for axis, pair in enumerate(widths):
            if mode != "empty" and a.shape[axis] == 0 and any(pair):
                raise ValueError(
                    f"can't extend empty axis {axis} using modes other than 'constant' or 'empty'"
                )
        shape = tuple(n + sum(pair) for n, pair in zip(a.shape, widths, strict=True))
        result = _core.empty(shape, a.dtype, a.device)
        _core.write(_inner(result, a, widths), a)
        return result
    odd = kwargs.get("reflect_type", "even") == "odd"
    ends = _pairs(kwargs.get("end_values", 0), a.ndim, integer=False)
    lengths = _pairs(kwargs.get("stat_length"), a.ndim, integer=True)
    if mode in ("maximum", "minimum") and any(0 in pair for pair in lengths):
        raise ValueError("stat_length of 0 yields no value for padding")
    result = a
    for axis, pair in enumerate(widths):
        if not any(pair):
            continue
        if mode == "linear_ramp":
            result = _ramps(result, axis, pair, ends[axis])
        elif mode in ("maximum", "mean", "median", "minimum"):
            result = _statistics(result, axis, pair, lengths[axis], mode)
        elif odd:
            result = _odd_reflection(result, axis, pair, mode)
        else:
            result = _by_index(result, axis, pair, mode)
    return result._copy("K") if result is a else result
