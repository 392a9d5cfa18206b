"""Filters by order: minima and maxima of windows."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy

from heddle._arguments import normalize_axis
from heddle._core import ndarray
from heddle._dtypes import float64
from heddle._indexing.elements import where
from heddle._typing import ArrayLike, KernelArray, ShapeLike
from heddle.scipy._recorded import recorded
from heddle.scipy.ndimage._footprints import (
    check_origins,
    expand_footprint,
    expand_origin,
    sizes_of,
    warn_of_size,
)
from heddle.scipy.ndimage._linear import along, one_by_one
from heddle.scipy.ndimage._support import (
    Output,
    OutputLike,
    check_axes,
    check_mode,
    element,
    host_array,
    real_input,
    sequence,
)
from heddle.scipy.ndimage._windows import FEW, WindowKernel, Windows


def _least(flat: KernelArray, first: int, offsets: KernelArray) -> Any:
    found = flat[first + offsets[0]]
    for t in range(1, offsets.shape[0]):
        value = flat[first + offsets[t]]
        found = value if value < found else found
    return found


def _greatest(flat: KernelArray, first: int, offsets: KernelArray) -> Any:
    found = flat[first + offsets[0]]
    for t in range(1, offsets.shape[0]):
        value = flat[first + offsets[t]]
        found = value if value > found else found
    return found


def _least_below(flat: KernelArray, first: int, offsets: KernelArray, heights: Any) -> Any:
    found = float64(flat[first + offsets[0]]) - heights[0]
    for t in range(1, offsets.shape[0]):
        value = float64(flat[first + offsets[t]]) - heights[t]
        found = value if value < found else found
    return found


def _greatest_above(flat: KernelArray, first: int, offsets: KernelArray, heights: Any) -> Any:
    found = float64(flat[first + offsets[0]]) + heights[0]
    for t in range(1, offsets.shape[0]):
        value = float64(flat[first + offsets[t]]) + heights[t]
        found = value if value > found else found
    return found


def _least_below_whole(
    flat: KernelArray, first: int, offsets: KernelArray, heights: Any, height: Any
) -> Any:
    """In the type of the elements, but for the first one, as SciPy does."""
    found = float64(flat[first + offsets[0]]) - height
    for t in range(1, offsets.shape[0]):
        value = float64(flat[first + offsets[t]] - heights[t])
        found = value if value < found else found
    return found


def _greatest_above_whole(
    flat: KernelArray, first: int, offsets: KernelArray, heights: Any, height: Any
) -> Any:
    found = float64(flat[first + offsets[0]]) + height
    for t in range(1, offsets.shape[0]):
        value = float64(flat[first + offsets[t]] + heights[t])
        found = value if value > found else found
    return found


_extreme = {True: WindowKernel(_least), False: WindowKernel(_greatest)}
_extreme_of_heights = {True: WindowKernel(_least_below), False: WindowKernel(_greatest_above)}
_extreme_of_whole = {
    True: WindowKernel(_least_below_whole),
    False: WindowKernel(_greatest_above_whole),
}
# Longer lines are filtered in two passes, as a minimum of minima.
_LONG = 16


def _extreme_of(values: list[ndarray], minimum: bool) -> ndarray:
    """The least or greatest of few arrays, element by element."""
    found = values[0]
    for value in values[1:]:
        found = where(value < found if minimum else value > found, value, found)
    return found


def _extreme_line(
    a: ndarray, size: int, axis: int, mode: str, cval: float, origin: int, minimum: bool
) -> ndarray:
    windows = Windows(a, along(size, axis, a.ndim, 1), along(origin, axis, a.ndim, 0), mode, cval)
    values = windows.line(axis)
    if size > _LONG:
        values = windows.line_of_parts(axis, lambda some: _extreme_of(some, minimum), False)
    return _extreme_of(values, minimum)


def _extreme_anywhere(
    a: ndarray,
    places: tuple[tuple[int, ...], ...],
    sizes: tuple[int, ...],
    origins: tuple[int, ...],
    mode: str,
    cval: float,
    minimum: bool,
) -> ndarray:
    return _extreme_of(Windows(a, sizes, origins, mode, cval).views(places), minimum)


def _filter1d(
    input: ArrayLike,
    size: int,
    axis: int,
    output: object,
    mode: str,
    cval: float,
    origin: int,
    minimum: bool,
) -> ndarray:
    a = real_input(input)
    axis = normalize_axis(axis, a.ndim)
    if size < 1:
        raise RuntimeError("incorrect filter size")
    out = Output(output, a)
    if not 0 <= size // 2 + origin < size:
        raise ValueError("invalid origin")
    check_mode(mode)
    made = recorded(_extreme_line, (a,), size, axis, mode, cval, origin, minimum)
    return out.deliver(made)


def minimum_filter1d(
    input: ArrayLike,
    size: int,
    axis: int = -1,
    output: OutputLike | None = None,
    mode: str = "reflect",
    cval: float = 0.0,
    origin: int = 0,
) -> ndarray:
    """The least of so many elements of the lines along an axis.

    Examples
    --------
    >>> import heddle as np
    >>> np.scipy.ndimage.minimum_filter1d(np.array([2, 8, 0, 4, 1, 9, 9, 0]), size=3)
    array([2, 0, 0, 0, 1, 1, 0, 0])
    """
    return _filter1d(input, size, axis, output, mode, cval, origin, True)


def maximum_filter1d(
    input: ArrayLike,
    size: int,
    axis: int = -1,
    output: OutputLike | None = None,
    mode: str = "reflect",
    cval: float = 0.0,
    origin: int = 0,
) -> ndarray:
    """The greatest of so many elements of the lines along an axis.

    Examples
    --------
    >>> import heddle as np
    >>> np.scipy.ndimage.maximum_filter1d(np.array([2, 8, 0, 4, 1, 9, 9, 0]), size=3)
    array([8, 8, 8, 4, 9, 9, 9, 9])
    """
    return _filter1d(input, size, axis, output, mode, cval, origin, False)


def min_or_max_filter(
    input: ArrayLike,
    size: ShapeLike | None,
    footprint: ArrayLike | None,
    structure: object,
    output: object,
    mode: object,
    cval: float,
    origin: object,
    minimum: bool,
    axes: Any = None,
) -> ndarray:
    """The least or greatest element of windows of a size, a footprint, or with heights."""
    warn_of_size(size, footprint, 3)
    separable = False
    if structure is not None:
        structure = host_array(structure, numpy.float64)
        found = numpy.ones(structure.shape, bool) if footprint is None else footprint
        mask = host_array(found, bool)
    elif footprint is None:
        if size is None:
            raise RuntimeError("no footprint provided")
        separable = True
    else:
        mask = host_array(footprint, bool)
        if not mask.any():
            raise ValueError("All-zero footprint is not supported.")
        if mask.all():
            size, separable = mask.shape, True
    a = real_input(input)
    out = Output(output, a)
    axes = check_axes(axes, a.ndim)
    if separable:
        origins = sequence(origin, len(axes))
        sizes = sequence(size, len(axes))
        modes = sequence(mode, len(axes))
        named = minimum_filter1d if minimum else maximum_filter1d

        def step(n: int) -> Callable[[ndarray, Any], ndarray]:
            return lambda a, dtype: named(
                a, int(sizes[n]), axes[n], dtype, modes[n], cval, origins[n]
            )

        steps = [step(n) for n in range(len(axes)) if sizes[n] > 1]
        return out.deliver(one_by_one(a, out.dtype, steps))
    mask = expand_footprint(a.ndim, axes, mask)
    origins = expand_origin(a.ndim, axes, origin)
    sizes = sizes_of(mask, a.ndim, axes)
    check_origins(origins, sizes)
    if structure is not None and structure.ndim != len(axes):
        raise RuntimeError("structure array has incorrect shape")
    if not isinstance(mode, str) and isinstance(mode, Iterable):
        raise RuntimeError("A sequence of modes is not supported for non-separable footprints")
    whole = a.dtype.kind in "biu"
    cval = element(cval, a.dtype)
    places = numpy.argwhere(mask)
    window = (tuple(sizes), tuple(origins), check_mode(mode), cval)
    if structure is None and len(places) <= FEW:
        used = tuple(map(tuple, places.tolist()))
        return out.deliver(recorded(_extreme_anywhere, (a,), used, *window, minimum))
    windows = Windows(a, *window)
    offsets = windows.small(windows.offsets(places))
    if structure is None:
        return out.deliver(windows.run(_extreme[minimum], windows.dtype, offsets))
    heights = structure.reshape(mask.shape)[tuple(places.T)]
    if whole and a.dtype.kind != "b":
        kernel = _extreme_of_whole[minimum]
        cut = windows.small(heights.astype(numpy.int64), windows.dtype.name)
        result = windows.run(kernel, numpy.float64, offsets, cut, float(heights[0]))
        return out.deliver(result)
    kernel = _extreme_of_heights[minimum]
    result = windows.run(kernel, numpy.float64, offsets, windows.small(heights, "float64"))
    return out.deliver(result)


def minimum_filter(
    input: ArrayLike,
    size: int | Sequence[int] | None = None,
    footprint: ArrayLike | None = None,
    output: OutputLike | None = None,
    mode: str | Sequence[str] = "reflect",
    cval: float = 0.0,
    origin: int | Sequence[int] = 0,
    *,
    axes: int | Sequence[int] | None = None,
) -> ndarray:
    """The least element of windows.

    Examples
    --------
    >>> import heddle as np
    >>> np.scipy.ndimage.minimum_filter(np.arange(9).reshape(3, 3), size=2)
    array([[0, 0, 1],
           [0, 0, 1],
           [3, 3, 4]])
    """
    return min_or_max_filter(input, size, footprint, None, output, mode, cval, origin, True, axes)


def maximum_filter(
    input: ArrayLike,
    size: int | Sequence[int] | None = None,
    footprint: ArrayLike | None = None,
    output: OutputLike | None = None,
    mode: str | Sequence[str] = "reflect",
    cval: float = 0.0,
    origin: int | Sequence[int] = 0,
    *,
    axes: int | Sequence[int] | None = None,
) -> ndarray:
    """The greatest element of windows.

    Examples
    --------
    >>> import heddle as np
    >>> np.scipy.ndimage.maximum_filter(np.arange(9).reshape(3, 3), size=2)
    array([[0, 1, 2],
           [3, 4, 5],
           [6, 7, 8]])
    """
    return min_or_max_filter(input, size, footprint, None, output, mode, cval, origin, False, axes)
