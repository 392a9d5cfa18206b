"""Filters by order: ranks, medians and percentiles of windows."""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import numpy

from heddle import simt
from heddle._core import ndarray
from heddle._indexing.elements import where
from heddle._typing import ArrayLike, HostArray, KernelArray, ShapeLike
from heddle.scipy._recorded import recorded
from heddle.scipy.ndimage._footprints import (
    check_origins,
    expand_origin,
    footprint_of,
    sizes_of,
    warn_of_size,
)
from heddle.scipy.ndimage._order import min_or_max_filter
from heddle.scipy.ndimage._sliding import is_line, rank_along
from heddle.scipy.ndimage._support import (
    Output,
    OutputLike,
    cast,
    check_axes,
    check_mode,
    element,
    real_input,
    sequence,
)
from heddle.scipy.ndimage._windows import WindowKernel, Windows

# Windows of no more elements are sorted by expressions; a kernel of more would be too long.
_SORTED = 32
# Bytes that a thread of a GPU has in registers for the elements of a window.
_REGISTERS = 512


def _merged(low: int, high: int, step: int) -> Iterator[tuple[int, int]]:
    if 2 * step < high - low:
        yield from _merged(low, high, 2 * step)
        yield from _merged(low + step, high, 2 * step)
        yield from ((i, i + step) for i in range(low + step, high - step, 2 * step))
    else:
        yield low, low + step


def _sorted_in(low: int, high: int) -> Iterator[tuple[int, int]]:
    """Batcher's network: pairs that are put in order one after the other."""
    if high > low:
        middle = low + (high - low) // 2
        yield from _sorted_in(low, middle)
        yield from _sorted_in(middle + 1, high)
        yield from _merged(low, high, 1)


@functools.lru_cache(256)
def _network(count: int, rank: int) -> list[tuple[int, int, bool, bool]]:
    """The pairs that one element of the order needs, and which of each pair are needed."""
    size = 1 << (count - 1).bit_length()
    pairs = [(a, b) for a, b in _sorted_in(0, size - 1) if b < count]
    needed, kept = {rank}, []
    for a, b in reversed(pairs):
        if a in needed or b in needed:
            kept.append((a, b, a in needed, b in needed))
            needed |= {a, b}
    return kept[::-1]


def _of_rank(values: list[ndarray], rank: int) -> ndarray:
    """The element of a rank of few arrays."""
    for a, b, low, high in _network(len(values), rank):
        x, y = values[a], values[b]
        in_order = x < y
        if low:
            values[a] = where(in_order, x, y)
        if high:
            values[b] = where(in_order, y, x)
    return values[rank]


def _rank_anywhere(
    a: ndarray,
    places: tuple[tuple[int, ...], ...],
    sizes: tuple[int, ...],
    origins: tuple[int, ...],
    mode: str,
    cval: float,
    rank: int,
) -> ndarray:
    return _of_rank(Windows(a, sizes, origins, mode, cval).views(places), rank)


@functools.lru_cache(256)
def _selecting(count: int, rank: int) -> WindowKernel:
    """The element of a rank among few: the least ones are sorted out, or the greatest."""
    up = rank < count - rank
    turns = rank + 1 if up else count - rank

    def select(flat: Any, first: Any, offsets: Any) -> Any:
        kept = simt.local.array(count, flat.dtype)
        for t in range(count):
            kept[t] = flat[first + offsets[t]]
        found = kept[0]
        for i in range(turns):
            found = kept[i]
            for t in range(i + 1, count):
                value = kept[t]
                if up:
                    kept[t] = max(value, found)
                    found = min(value, found)
                else:
                    kept[t] = min(value, found)
                    found = max(value, found)
        return found

    return WindowKernel(select)


@functools.lru_cache(64)
def _in_registers(count: int, rank: int) -> WindowKernel:
    """The element of a rank among few, by a network that is written out: all of its elements stay
    in the registers of a GPU's thread, where an array would be in memory."""
    pairs = tuple(_network(count, rank))
    places = tuple(range(count))

    def select(flat: Any, first: Any, offsets: Any) -> Any:
        kept = simt.local.array(count, flat.dtype)
        for t in places:
            kept[t] = flat[first + offsets[t]]
        for a, b, low, high in pairs:
            x = kept[a]
            y = kept[b]
            in_order = x < y
            if low:
                kept[a] = x if in_order else y
            if high:
                kept[b] = y if in_order else x
        return kept[rank]

    return WindowKernel(select)


def _bisect(flat: KernelArray, first: int, offsets: KernelArray, rank: Any) -> Any:
    """The element of a rank among many whole numbers, by halving the range of them."""
    low = flat[first + offsets[0]]
    high = low
    for t in range(1, offsets.shape[0]):
        value = flat[first + offsets[t]]
        low = min(low, value)
        high = max(high, value)
    while low < high:
        middle = (low & high) + ((low ^ high) >> 1)
        below = 0
        for t in range(offsets.shape[0]):
            below += 1 if flat[first + offsets[t]] <= middle else 0
        if below > rank:
            high = middle
        else:
            low = middle + 1
    return low


_bisecting = WindowKernel(_bisect)
_keys = {2: numpy.int16, 4: numpy.int32, 8: numpy.int64}


def _as_keys(a: ndarray) -> ndarray:
    """Whole numbers in the order of floats; the function is its own inverse."""
    bits = a.view(_keys[a.dtype.itemsize]) if a.dtype.kind != "i" else a
    rest = (1 << (8 * a.dtype.itemsize - 1)) - 1
    return bits ^ ((bits >> (8 * a.dtype.itemsize - 1)) & rest)


def _ranked(windows: Windows, offsets: HostArray, rank: int) -> ndarray:
    """The element of a rank of each window."""
    dtype = windows.dtype
    if len(offsets) <= 16 * dtype.itemsize:
        few = len(offsets) * dtype.itemsize <= _REGISTERS and not windows.flat._on_host
        kernel = (_in_registers if few else _selecting)(len(offsets), rank)
        if dtype.kind == "b":
            result = windows.viewed(numpy.uint8).run(kernel, numpy.uint8, windows.small(offsets))
            return result.view(dtype)
        return windows.run(kernel, dtype, windows.small(offsets))
    if dtype.kind == "f":
        keys = windows.replaced(_as_keys(windows.flat))
        result = keys.run(_bisecting, keys.dtype, windows.small(offsets), rank)
        return _as_keys(result).view(dtype)
    if dtype.kind == "b":
        windows = windows.viewed(numpy.uint8)
    return windows.run(_bisecting, windows.dtype, windows.small(offsets), rank).view(dtype)


def _rank_filter(
    input: ArrayLike,
    rank_of: Callable[[int], int],
    size: ShapeLike | None,
    footprint: ArrayLike | None,
    output: object,
    mode: object,
    cval: float,
    origin: object,
    axes: ShapeLike | None,
) -> ndarray:
    warn_of_size(size, footprint, 3)
    a = real_input(input)
    axes = check_axes(axes, a.ndim)
    footprint = footprint_of(size, footprint, a.ndim, axes)
    origins = expand_origin(a.ndim, axes, origin)
    if not isinstance(mode, str) and isinstance(mode, Iterable):
        modes = ["constant"] * a.ndim
        for way, axis in zip(sequence(mode, len(axes)), axes, strict=True):
            modes[axis] = way
        mode = modes
    sizes = sizes_of(footprint, a.ndim, axes)
    check_origins(origins, sizes)
    count = int(footprint.sum())
    rank = rank_of(count)
    if rank < 0:
        rank += count
    if not 0 <= rank < count:
        raise RuntimeError("rank not within filter footprint size")
    if rank in (0, count - 1):
        return min_or_max_filter(
            a, None, footprint, None, output, mode, cval, origins, rank == 0, None
        )
    out = Output(output, a)
    if not isinstance(mode, str):
        raise RuntimeError("A sequence of modes is not supported by non-separable rank filters")
    window = (tuple(sizes), tuple(origins), check_mode(mode), element(cval, a.dtype))
    places = numpy.argwhere(footprint)
    if count <= _SORTED:
        used = tuple(map(tuple, places.tolist()))
        return out.deliver(recorded(_rank_anywhere, (a,), used, *window, rank))
    windows = Windows(a, *window)
    if a._on_host and is_line(sizes) and count == max(sizes) and a.dtype.kind != "b":
        made = rank_along(windows.around, sizes.index(count), count, rank)
        return out.deliver(cast(made, out.dtype))
    offsets = windows.offsets(places)
    return out.deliver(cast(_ranked(windows, offsets, rank), out.dtype))


def rank_filter(
    input: ArrayLike,
    rank: int,
    size: int | Sequence[int] | None = None,
    footprint: ArrayLike | None = None,
    output: OutputLike | None = None,
    mode: str | Sequence[str] = "reflect",
    cval: float = 0.0,
    origin: int | Sequence[int] = 0,
    *,
    axes: int | Sequence[int] | None = None,
) -> ndarray:
    """The element of a rank of windows: 0 for the least, -1 for the greatest.

    Examples
    --------
    >>> import heddle as np
    >>> np.scipy.ndimage.rank_filter(np.array([2, 8, 0, 4, 1, 9, 9, 0]), rank=-2, size=3)
    array([2, 2, 4, 1, 4, 9, 9, 0])
    """
    wanted = operator.index(rank)
    return _rank_filter(
        input, lambda count: wanted, size, footprint, output, mode, cval, origin, axes
    )


def median_filter(
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
    """Medians of windows.

    Examples
    --------
    >>> import heddle as np
    >>> np.scipy.ndimage.median_filter(np.array([2, 8, 0, 4, 1, 9, 9, 0]), size=3)
    array([2, 2, 4, 1, 4, 9, 9, 0])
    """
    return _rank_filter(
        input, lambda count: count // 2, size, footprint, output, mode, cval, origin, axes
    )


def percentile_filter(
    input: ArrayLike,
    percentile: float,
    size: int | Sequence[int] | None = None,
    footprint: ArrayLike | None = None,
    output: OutputLike | None = None,
    mode: str | Sequence[str] = "reflect",
    cval: float = 0.0,
    origin: int | Sequence[int] = 0,
    *,
    axes: int | Sequence[int] | None = None,
) -> ndarray:
    """Percentiles of windows; negative ones are taken from 100.

    Examples
    --------
    >>> import heddle as np
    >>> np.scipy.ndimage.percentile_filter(np.array([2, 8, 0, 4, 1, 9, 9, 0]), 20, size=3)
    array([2, 0, 0, 0, 1, 1, 0, 0])
    """

    def rank_of(count: int) -> int:
        share = percentile + 100.0 if percentile < 0.0 else percentile
        if share < 0 or share > 100:
            raise RuntimeError("invalid percentile")
        return count - 1 if share == 100.0 else int(float(count) * share / 100.0)

    return _rank_filter(input, rank_of, size, footprint, output, mode, cval, origin, axes)
