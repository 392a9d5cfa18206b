"""Filters by functions of the user's: of each window, of each line, of all windows at once."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy

from heddle._arguments import as_array, normalize_axis
from heddle._core import ndarray, own_array
from heddle._creation.arrays import asarray
from heddle._creation.fills import empty
from heddle._manipulation.padding import pad
from heddle._manipulation.shapes import moveaxis
from heddle._manipulation.stride_tricks import sliding_window_view
from heddle._typing import ArrayLike
from heddle.scipy.ndimage._footprints import (
    check_origins,
    expand_origin,
    footprint_of,
    sizes_of,
    warn_of_size,
)
from heddle.scipy.ndimage._support import (
    Output,
    OutputLike,
    check_axes,
    check_mode,
    host_array,
    is_scalar,
    real_input,
)
from heddle.scipy.ndimage._windows import continued

# How many bytes of windows are on the host at a time.
_CHUNK = 1 << 24


def _widths(sizes: Sequence[int], origins: Sequence[int]) -> list[tuple[int, int]]:
    return [(s // 2 + o, s - s // 2 - 1 - o) for s, o in zip(sizes, origins, strict=True)]


def generic_filter1d(
    input: ArrayLike,
    function: Callable[..., Any],
    filter_size: int,
    axis: int = -1,
    output: OutputLike = None,
    mode: str = "reflect",
    cval: float = 0.0,
    origin: int = 0,
    extra_arguments: tuple[object, ...] = (),
    extra_keywords: dict[str, Any] | None = None,
) -> ndarray:
    """Calls ``function(line, result)`` for each line along an axis, on the host.

    The line is longer than the result by ``filter_size - 1``; both are NumPy's arrays of float64.

    Examples
    --------
    >>> import heddle as np
    >>> def differences(line, result):
    ...     result[:] = line[2:] - line[:-2]
    >>> np.scipy.ndimage.generic_filter1d(np.array([1.0, 2.0, 4.0, 7.0]), differences, 3)
    array([1., 3., 5., 3.])
    """
    a = real_input(input)
    out = Output(output, a)
    if filter_size < 1:
        raise RuntimeError("invalid filter size")
    axis = normalize_axis(axis, a.ndim)
    check_origins([origin], [filter_size])
    check_mode(mode)
    if not callable(function):
        raise RuntimeError("function parameter is not callable")
    widths = [(0, 0)] * a.ndim
    widths[axis] = _widths([filter_size], [origin])[0]
    lines = continued(a.astype(numpy.float64), widths, mode, cval)._snapshot()
    result = numpy.empty(a.shape)
    lines, results = numpy.moveaxis(lines, axis, -1), numpy.moveaxis(result, axis, -1)
    for place in numpy.ndindex(results.shape[:-1]):
        line = numpy.zeros(results.shape[-1])
        function(lines[place].copy(), line, *extra_arguments, **(extra_keywords or {}))
        results[place] = line
    return out.deliver(asarray(result, device=a.device))


def generic_filter(
    input: ArrayLike,
    function: Callable[..., Any],
    size: int | Sequence[int] | None = None,
    footprint: ArrayLike | None = None,
    output: OutputLike = None,
    mode: str = "reflect",
    cval: float = 0.0,
    origin: int | Sequence[int] = 0,
    extra_arguments: tuple[Any, ...] = (),
    extra_keywords: dict[str, Any] | None = None,
    *,
    axes: int | Sequence[int] | None = None,
) -> ndarray:
    """Calls a function of a window's elements for each element, on the host.

    The elements are one of NumPy's arrays of float64. See `vectorized_filter` for functions that
    take all windows at once, which stay on the device.

    Examples
    --------
    >>> import heddle as np
    >>> np.scipy.ndimage.generic_filter(np.array([2, 8, 0, 4, 1]), lambda v: v.max() - v.min(), 3)
    array([6, 8, 8, 4, 3])
    """
    warn_of_size(size, footprint, 2)
    a = real_input(input)
    axes = check_axes(axes, a.ndim)
    found = footprint_of(size, footprint, a.ndim, axes)
    origins = expand_origin(a.ndim, axes, origin)
    sizes = sizes_of(found, a.ndim, axes)
    check_origins(origins, sizes)
    out = Output(output, a)
    check_mode(mode)
    if not callable(function):
        raise RuntimeError("function parameter is not callable")
    around = continued(a.astype(numpy.float64), _widths(sizes, origins), mode, cval)._snapshot()
    windows = numpy.lib.stride_tricks.sliding_window_view(around, sizes)
    result = numpy.empty(a.shape)
    rows = max(1, _CHUNK // (8 * max(1, int(found.sum()) * math.prod(a.shape[1:]))))
    for first in range(0, a.shape[0] if a.ndim else 0, rows):
        some = windows[first : first + rows][..., found]
        values = [  # which may be numbers of a device
            float(function(each, *extra_arguments, **(extra_keywords or {})))
            for each in some.reshape(-1, some.shape[-1])
        ]
        result[first : first + rows] = numpy.reshape(values, (-1, *a.shape[1:]))
    return out.deliver(asarray(result, device=a.device))


# --- all windows at once ---


_vectorized_modes = {
    "nearest": "edge",
    "reflect": "symmetric",
    "mirror": "reflect",
    "grid-mirror": "reflect",
    "grid-constant": "constant",
    "grid-wrap": "wrap",
    "constant": "constant",
    "wrap": "wrap",
    "valid": "valid",
}


def _is_whole(value: object) -> bool:
    return numpy.asarray(value).dtype.kind in "iu"


def _check_windows(size: Any, footprint: Any, axes: Any, origin: Any, ndim: int) -> Any:
    """Sizes, origins and axes of `vectorized_filter`."""
    if (size is None) == (footprint is None):
        message = "may be provided, not both." if size is not None else "must be provided."
        raise ValueError(f"Either `size` or `footprint` {message}")
    axes = tuple(range(-ndim, 0)) if axes is None else (axes,) if is_scalar(axes) else tuple(axes)
    if len(axes) > ndim:
        raise ValueError(
            "The length of `axes` may not exceed the dimensionality of `input`(`input.ndim`)."
        )
    if size is not None:
        sizes = (size,) * len(axes) if is_scalar(size) else tuple(size)
        if not all(_is_whole(n) and n > 0 for n in sizes):
            raise ValueError("All elements of `size` must be positive integers.")
    else:
        sizes = footprint.shape
    if len(sizes) != len(axes):
        raise ValueError(
            "`axes` must be compatible with the dimensionality of the window specified by `size` "
            "or `footprint`."
        )
    origins = (0,) * len(axes)
    if origin is not None:
        origins = (origin,) * len(axes) if is_scalar(origin) else tuple(origin)
        if not all(map(_is_whole, origins)):
            raise ValueError("All elements of `origin` must be integers.")
        if len(origins) != len(axes):
            raise ValueError(
                "`origin` must be an integer or tuple of integers with length equal to the number "
                "of axes."
            )
    return sizes, origins, axes


def _check_edges(
    mode: str, cval: object, origins: tuple[int, ...], batch_memory: object
) -> tuple[str, Any]:
    if mode not in _vectorized_modes:
        raise ValueError(f"`mode` must be one of {set(_vectorized_modes)}.")
    mode = _vectorized_modes[mode]
    if mode == "valid" and any(origins):
        raise ValueError("`mode='valid'` is incompatible with use of `origin`.")
    if cval is None:
        cval = 0.0
    elif mode != "constant":
        raise ValueError("Use of `cval` is compatible only with `mode='constant'`.")
    if host_array(cval).dtype.kind not in "iufc":
        raise ValueError("`cval` must include only numbers.")
    memory = host_array(batch_memory)
    if memory.ndim != 0 or memory.dtype.kind not in "iufc" or memory <= 0:
        raise ValueError("`batch_memory` must be positive number.")
    return mode, cval


def _in_batches(
    windows: ndarray,
    function: Callable[..., Any],
    axes: tuple[int, ...],
    memory: float,
    output: object,
) -> Any:
    """The function of some windows at a time, where all of them take too much memory."""
    if not axes:
        return function(windows, axis=axes)
    one = math.prod(windows.shape[1:]) * windows.dtype.itemsize
    count = min(windows.shape[0], memory // one)
    if count < 1:
        raise ValueError("`batch_memory` is insufficient for minimum chunk size.")
    if count == windows.shape[0]:
        made = function(windows, axis=axes)
        if output is None:
            return made
        _put(output, ..., made)
        return output
    for first in range(0, windows.shape[0], int(count)):
        some = slice(first, min(first + int(count), windows.shape[0]))
        made = function(windows[some], axis=axes)
        if output is None:
            output = empty(windows.shape[: -len(axes)], dtype=made.dtype, device=made.device)
        _put(output, some, made)
    return output


def _put(target: Any, place: Any, made: ndarray) -> None:
    is_ours = isinstance(target, own_array)
    target[place] = made if is_ours or not isinstance(made, own_array) else made._snapshot()


def vectorized_filter(
    input: ArrayLike,
    function: Callable[..., Any],
    *,
    size: int | Sequence[int] | None = None,
    footprint: ArrayLike | None = None,
    output: OutputLike = None,
    mode: str = "reflect",
    cval: complex | None = None,
    origin: int | Sequence[int] | None = None,
    axes: int | Sequence[int] | None = None,
    batch_memory: float = 2**30,
) -> ndarray:
    """Calls ``function(windows, axis=axes)`` for all windows at once, or for some at a time.

    Examples
    --------
    >>> import heddle as np
    >>> np.scipy.ndimage.vectorized_filter(np.array([2, 8, 0, 4, 1, 9]), np.ptp, size=3)
    array([6, 8, 8, 4, 8, 8])
    """
    a = as_array(input)
    if not callable(function):
        raise ValueError("`function` must be a callable.")
    shape = None if footprint is None else host_array(footprint, bool)
    sizes, origins, along = _check_windows(size, shape, axes, origin, a.ndim)
    mode, cval = _check_edges(mode, cval, origins, batch_memory)
    last = tuple(range(-len(along), 0))
    a = moveaxis(a, along, last)
    target: Any = output
    if output is not None:
        move = moveaxis if isinstance(output, own_array) else numpy.moveaxis
        target = move(target, along, last)
    called = function
    if shape is not None:
        places = asarray(shape, device=a.device)

        def called(windows: ndarray, axis: tuple[int, ...]) -> Any:
            return function(windows[..., places], axis=-1)

    if a.size == 0:
        return a
    if a.ndim == 0 and sizes == ():
        return asarray(function(a if shape is None else a[places], axis=()))
    if mode != "valid":
        around = [(s // 2 + o, (s - 1) // 2 - o) for s, o in zip(sizes, origins, strict=True)]
        widths = [(0, 0)] * (a.ndim - len(along)) + around
        a = pad(a, widths, mode=mode, **({"constant_values": cval} if mode == "constant" else {}))
    windows = sliding_window_view(a, sizes, last)
    made = asarray(_in_batches(windows, called, last, batch_memory, target))
    return moveaxis(made, last, along)
