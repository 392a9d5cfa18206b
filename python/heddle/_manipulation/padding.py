"""Padding: the edges of an array continued by one of NumPy's modes."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy

from heddle import _core
from heddle._arguments import as_array
from heddle._core import in_core, ndarray, own_array
from heddle._typing import ArrayLike, DType

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


_VALUES = {"constant": "constant_values", "linear_ramp": "end_values"}


def _is_plain(value: Any) -> bool:
    """Whether it is what most calls have: one of Python's integers, or a list of pairs of them."""
    if type(value) is int:
        return True
    return (
        type(value) in (list, tuple)
        and len(value) > 0
        and all(
            type(pair) is tuple and len(pair) == 2 and type(pair[0]) is type(pair[1]) is int
            for pair in value
        )
    )


def _pairs(value: Any, rank: int, integer: bool) -> Any:
    """A (before, after) pair for each axis from what the user gave."""
    if value is None:
        return ((None, None),) * rank
    if type(value) is int and (value >= 0 or not integer):
        return ((value, value),) * rank
    if _is_plain(value) and type(value) is not int and len(value) == rank:
        if integer and any(width < 0 for pair in value for width in pair):
            raise ValueError("index can't contain negative values")
        return tuple(value)
    if isinstance(value, dict):
        pairs = [(0, 0)] * rank
        for axis, pair in value.items():
            pairs[axis] = pair if numpy.iterable(pair) else (pair, pair)
        value = pairs
    value = numpy.asarray(value._snapshot() if isinstance(value, own_array) else value)
    if integer:
        value = numpy.round(value).astype(numpy.intp, copy=False)
        if value.size and value.min() < 0:
            raise ValueError("index can't contain negative values")
    if value.ndim == 1 and value.shape == (2,):
        return (tuple(value.tolist()),) * rank
    return tuple(map(tuple, numpy.broadcast_to(value, (rank, 2)).tolist()))


def _by_function(
    a: ndarray,
    widths: Sequence[tuple[int, int]],
    function: Callable[..., Any],
    kwargs: dict[str, Any],
) -> ndarray:
    """The user's function changes each row in place."""
    padded = _core.pad(a, widths, "constant", [], [], False)
    for axis in range(padded.ndim):
        rows = padded._transpose((*(n for n in range(padded.ndim) if n != axis), axis))
        for place in numpy.ndindex(rows.shape[:-1]):
            function(rows[(*place, ...)], widths[axis], axis, kwargs)
    return padded


def _check_mode(mode: str, kwargs: dict[str, object]) -> None:
    if mode not in _KEYWORDS:
        raise ValueError(f"mode '{mode}' is not supported")
    unsupported = set(kwargs) - set(_KEYWORDS[mode])
    if unsupported:
        raise ValueError(f"unsupported keyword arguments for mode '{mode}': {unsupported}")


def _numbers(value: object, a: ndarray) -> list[tuple[complex, complex]]:
    """Pairs of Python's numbers for each axis."""
    pairs = _pairs(value, a.ndim, integer=False)
    host = [[v.item() if hasattr(v, "item") else v for v in pair] for pair in pairs]
    return [(before, after) for before, after in host]


def _fitting(value: complex, dtype: DType, shared: bool) -> Any:
    """A number that is written as it is; NumPy's error for an integer that does not fit, or text.

    NumPy writes what is given for all axes as scalars of its own, pairs of each axis as Python's.
    """
    if isinstance(value, (bool, float, complex)) or (type(value) is int and 0 <= value < 128):
        return value
    holder = numpy.zeros((), dtype)
    holder[()] = numpy.asarray(value)[()] if shared else value
    return value if isinstance(value, int) else holder.item()


def _with_constants(a: ndarray, widths: Sequence[tuple[int, int]], value: Any) -> ndarray:
    """Numbers that somebody follows are written to the sides, axis by axis, as NumPy does."""
    values = as_array(value)
    values = values._reshape((1, 2)) if values.shape == (2,) else values
    values = values._broadcast_to((a.ndim, 2))
    padded = _core.pad(a, widths, "constant", [(0, 0)] * a.ndim, [], False)
    for axis, (before, after) in enumerate(widths):
        every = (slice(None),) * axis
        padded[(*every, slice(before))] = values[axis, 0]
        padded[(*every, slice(padded.shape[axis] - after, None))] = values[axis, 1]
    return padded


@in_core
def pad(
    array: ArrayLike,
    pad_width: ArrayLike | dict[int, int | tuple[int, int]],
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
    if isinstance(pad_width, own_array):
        pad_width = pad_width._snapshot()
    known = _is_plain(pad_width) or isinstance(pad_width, dict)
    if not known and numpy.asarray(pad_width).dtype.kind != "i":
        raise TypeError("`pad_width` must be of integral type.")
    widths = _pairs(pad_width, a.ndim, integer=True)
    if callable(mode):
        return _by_function(a, widths, mode, kwargs)
    _check_mode(mode, kwargs)
    if mode == "constant":
        constants = kwargs.get("constant_values", 0)
        followed = isinstance(constants, own_array) and _core.recording()
        if followed or _core.holds_arrays(constants):
            return _with_constants(a, widths, constants)
    values = [] if mode not in _VALUES else _numbers(kwargs.get(_VALUES[mode], 0), a)
    if mode == "constant":
        given = numpy.shape(kwargs.get("constant_values", 0))
        shared = given != (2, 1) and math.prod(given) <= 2
        values = [tuple(_fitting(v, a.dtype, shared) for v in pair) for pair in values]
    lengths = kwargs.get("stat_length")
    lengths = [] if lengths is None else _pairs(lengths, a.ndim, integer=True)
    return _core.pad(a, widths, mode, values, lengths, kwargs.get("reflect_type", "even") == "odd")
