"""Peaks of signals: where they are, how high, how prominent, how wide."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from typing import Any

import numpy

import heddle as np
from heddle import simt
from heddle._arguments import as_array
from heddle._compiled.functions import prange
from heddle._core import ndarray, own_array
from heddle._typing import ArrayLike, KernelArray
from heddle.scipy._errors import OfScipy
from heddle.scipy.signal import _kernels as kernels


class PeakPropertyWarning(OfScipy, RuntimeWarning, module="scipy.signal._peak_finding_utils"):
    """Told of peaks that are none."""


def _signal(x: ArrayLike) -> ndarray:
    a = as_array(x).astype("f8", copy=False)
    if a.ndim != 1:
        raise ValueError("`x` must be a 1-D array")
    return a if a._c_contiguous else a.copy()


def _peaks(value: ArrayLike, like: ndarray) -> ndarray:
    a = as_array(value)
    if a.size == 0:
        a = np.zeros((0,), "i8", device=like.device)
    if a.ndim != 1:
        raise ValueError("`peaks` must be a 1-D array")
    if a.dtype.kind not in "iu":
        raise TypeError("cannot safely cast `peaks` to dtype('intp')")
    return a.astype("i8")


def _length(wlen: float | None) -> int:
    if wlen is None:
        return -1
    if wlen > 1:
        return math.ceil(wlen) if isinstance(wlen, float) else int(wlen)
    raise ValueError(f"`wlen` must be larger than 1, was {wlen}")


@np.njit
def _scan(
    x: KernelArray, middles: KernelArray, left: KernelArray, right: KernelArray, edges: bool
) -> int:
    """The same as below, element by element. Signals go up and down as no processor foresees:
    every element is written down as if it were a peak, and stays if it is one."""
    count = 0
    last = x.size - 1
    i = 1
    before = x[0]
    here = x[1]
    while i < last:
        after = x[i + 1]
        middles[count] = i
        if edges:
            left[count] = i
            right[count] = i
        count += int((before < here) & (after < here))
        end = i + 1
        if after == here:  # first, as it is rare
            while end < last and x[end] == here:
                end += 1
            after = x[end]
            if before < here and after < here:
                middles[count] = (i + end - 1) // 2
                if edges:
                    right[count] = end - 1
                count += 1
        before = here
        here = after
        i = end
    return count


def _maxima(x: ndarray, edges: bool = True) -> tuple[ndarray, ndarray, ndarray]:
    """Middles of what is higher than what is before and after; and where that begins and ends, if
    anybody wants the edges."""
    n = x.shape[0]
    if n < 3:
        none = np.zeros((0,), "i8", device=x.device)
        return none, none, none
    if x._at_once:
        # One more than there can be, for the element after the last peak.
        middles = np.empty(n // 2 + 1, "i8", device="cpu")
        if not edges:
            peaks = middles[: _scan(x, middles, middles, middles, False)]
            return peaks, peaks, peaks
        left, right = (np.empty(n // 2 + 1, "i8", device="cpu") for _ in range(2))
        count = _scan(x, middles, left, right, True)
        return middles[:count], left[:count], right[:count]
    changes = np.concatenate([np.ones((1,), "?", device=x.device), x[1:] != x[:-1]])
    starts = np.flatnonzero(changes)
    levels = x[starts]
    highest = (levels[1:-1] > levels[:-2]) & (levels[1:-1] > levels[2:])
    found = np.flatnonzero(highest) + 1
    left, right = starts[found], starts[found + 1] - 1
    return (left + right) // 2, left, right


@np.njit
def _prominence_of(
    x: KernelArray,
    peaks: KernelArray,
    wlen: int,
    sizes: KernelArray,
    lefts: KernelArray,
    rights: KernelArray,
    p: int,
) -> None:
    peak = peaks[p]
    first = 0
    last = x.shape[0] - 1
    if wlen >= 2:
        first = max(peak - wlen // 2, first)
        last = min(peak + wlen // 2, last)
    top = x[peak]
    base = peak
    low = top
    for i in range(peak, first - 1, -1):
        here = x[i]
        if not here <= top:
            break
        if here < low:
            low = here
            base = i
    lefts[p] = base
    left_low = low
    base = peak
    low = top
    for i in range(peak, last + 1):
        here = x[i]
        if not here <= top:
            break
        if here < low:
            low = here
            base = i
    rights[p] = base
    sizes[p] = top - max(left_low, low)


@simt.kernel
def _prominence(
    x: KernelArray,
    peaks: KernelArray,
    wlen: int,
    sizes: KernelArray,
    lefts: KernelArray,
    rights: KernelArray,
) -> None:
    p = simt.grid(1)
    if p < peaks.shape[0]:
        _prominence_of(x, peaks, wlen, sizes, lefts, rights, p)


@np.njit
def _prominence_on_host(
    x: KernelArray,
    peaks: KernelArray,
    wlen: int,
    sizes: KernelArray,
    lefts: KernelArray,
    rights: KernelArray,
) -> None:
    """The same where lanes that go different ways would wait for each other."""
    for p in prange(peaks.shape[0]):
        _prominence_of(x, peaks, wlen, sizes, lefts, rights, p)


@np.njit
def _width_of(
    x: KernelArray,
    peaks: KernelArray,
    factor: float,
    sizes: KernelArray,
    lefts: KernelArray,
    rights: KernelArray,
    made: KernelArray,
    p: int,
) -> None:
    peak = peaks[p]
    height = x[peak] - sizes[p] * factor
    i = peak
    while i > lefts[p] and height < x[i]:
        i -= 1
    left = float(i)
    if x[i] < height:
        left += (height - x[i]) / (x[i + 1] - x[i])
    i = peak
    while i < rights[p] and height < x[i]:
        i += 1
    right = float(i)
    if x[i] < height:
        right -= (height - x[i]) / (x[i - 1] - x[i])
    made[0, p] = right - left
    made[1, p] = height
    made[2, p] = left
    made[3, p] = right


# The height is rounded as SciPy's is: where samples are as high, the last bit decides.
@simt.kernel(contract=False)
def _width(
    x: KernelArray,
    peaks: KernelArray,
    factor: float,
    sizes: KernelArray,
    lefts: KernelArray,
    rights: KernelArray,
    made: KernelArray,
) -> None:
    p = simt.grid(1)
    if p < peaks.shape[0]:
        _width_of(x, peaks, factor, sizes, lefts, rights, made, p)


@np.njit
def _width_on_host(
    x: KernelArray,
    peaks: KernelArray,
    factor: float,
    sizes: KernelArray,
    lefts: KernelArray,
    rights: KernelArray,
    made: KernelArray,
) -> None:
    for p in prange(peaks.shape[0]):
        _width_of(x, peaks, factor, sizes, lefts, rights, made, p)


def _check_indices(peaks: ndarray, n: int) -> None:
    wrong = (peaks < 0) | (peaks >= n)
    if peaks.size and bool(np.any(wrong)):
        place = int(peaks[int(np.argmax(wrong))])
        raise ValueError(f"peak {place} is not a valid index for `x`")


def _prominences(x: ndarray, peaks: ndarray, wlen: int) -> tuple[ndarray, ndarray, ndarray]:
    _check_indices(peaks, x.shape[0])
    sizes = np.zeros(peaks.shape, "f8", device=x.device)
    lefts, rights = np.zeros_like(peaks), np.zeros_like(peaks)
    if peaks.size:
        if x._at_once and peaks._at_once:
            _prominence_on_host(x, peaks, wlen, sizes, lefts, rights)
        else:
            kernels.launch(_prominence, peaks.size, x, peaks, wlen, sizes, lefts, rights)
        if bool(np.any(sizes == 0)):
            warnings.warn(PeakPropertyWarning("some peaks have a prominence of 0"), stacklevel=4)
    return sizes, lefts, rights


def _widths(
    x: ndarray, peaks: ndarray, rel_height: float, data: tuple[ndarray, ndarray, ndarray]
) -> tuple[ndarray, ndarray, ndarray, ndarray]:
    if rel_height < 0:
        raise ValueError("`rel_height` must be greater or equal to 0.0")
    sizes, lefts, rights = data
    if not peaks.shape == sizes.shape == lefts.shape == rights.shape:
        raise ValueError("arrays in `prominence_data` must have the same shape as `peaks`")
    _check_indices(peaks, x.shape[0])
    wrong = (lefts < 0) | (lefts > peaks) | (rights < peaks) | (rights >= x.shape[0])
    if peaks.size and bool(np.any(wrong)):
        place = int(peaks[int(np.argmax(wrong))])
        raise ValueError(f"prominence data is invalid for peak {place}")
    made = np.zeros((4, *peaks.shape), "f8", device=x.device)
    if peaks.size:
        given = (x, peaks, float(rel_height), sizes, lefts, rights, made)
        if all(each._at_once for each in (x, peaks, sizes, lefts, rights)):
            _width_on_host(*given)
        else:
            kernels.launch(_width, peaks.size, *given)
        if bool(np.any(made[0] == 0)):
            warnings.warn(PeakPropertyWarning("some peaks have a width of 0"), stacklevel=4)
    return made[0], made[1], made[2], made[3]


def peak_prominences(
    x: ArrayLike, peaks: ArrayLike, wlen: float | None = None
) -> tuple[ndarray, ndarray, ndarray]:
    """By how much peaks stand out, and their bases to the left and to the right.

    Examples
    --------
    >>> from heddle.scipy import signal
    >>> signal.peak_prominences([0.0, 3.0, 1.0, 2.0, 0.0], [1, 3])[0]
    array([3., 1.])
    """
    given = _signal(x)
    return _prominences(given, _peaks(peaks, given), _length(wlen))


def peak_widths(
    x: ArrayLike,
    peaks: ArrayLike,
    rel_height: float = 0.5,
    prominence_data: tuple[ArrayLike, ArrayLike, ArrayLike] | None = None,
    wlen: float | None = None,
) -> tuple[ndarray, ndarray, ndarray, ndarray]:
    """Widths of peaks at a part of their prominence, the height of that, and both its ends.

    Examples
    --------
    >>> from heddle.scipy import signal
    >>> signal.peak_widths([0.0, 1.0, 2.0, 1.0, 0.0], [2])[0]
    array([2.])
    """
    given = _signal(x)
    places = _peaks(peaks, given)
    if prominence_data is None:
        data = _prominences(given, places, _length(wlen))
    else:
        sizes, lefts, rights = prominence_data
        data = (as_array(sizes).astype("f8"), _peaks(lefts, given), _peaks(rights, given))
    return _widths(given, places, rel_height, data)


# --- finding ---


def _border(value: object, x: ndarray, peaks: ndarray, which: str) -> Any:
    if isinstance(value, (numpy.ndarray, own_array)) and value.ndim > 0:
        if value.size != x.size:
            raise ValueError(f"array size of {which} interval border must match x")
        return as_array(value)[peaks]
    return value


def _interval(interval: Any, x: ndarray, peaks: ndarray) -> tuple[Any, Any]:
    try:
        low, high = interval
    except (TypeError, ValueError):
        low, high = interval, None
    return _border(low, x, peaks, "lower"), _border(high, x, peaks, "upper")


def _within(values: ndarray, low: ArrayLike | None, high: ArrayLike | None) -> ndarray:
    kept = np.ones(values.shape, "?", device=values.device)
    if low is not None:
        kept = kept & (low <= values)
    if high is not None:
        kept = kept & (values <= high)
    return kept


@np.njit
def _far_apart(peaks: KernelArray, order: KernelArray, distance: int, kept: KernelArray) -> None:
    for i in range(peaks.shape[0] - 1, -1, -1):
        j = order[i]
        if kept[j]:
            k = j - 1
            while k >= 0 and peaks[j] - peaks[k] < distance:
                kept[k] = False
                k -= 1
            k = j + 1
            while k < peaks.shape[0] and peaks[k] - peaks[j] < distance:
                kept[k] = False
                k += 1


def _by_distance(x: ndarray, peaks: ndarray, distance: float) -> ndarray:
    """The highest are kept, and those near to them are not: on the host, peak by peak."""
    places = np.asnumpy(peaks)
    heights = np.asnumpy(x[peaks])
    kept = numpy.ones(len(places), bool)
    if len(places):
        _far_apart(places, numpy.argsort(heights), math.ceil(distance), kept)
    return np.asarray(kept, device=x.device)


def find_peaks(
    x: ArrayLike,
    height: object = None,
    threshold: object = None,
    distance: float | None = None,
    prominence: object = None,
    width: object = None,
    wlen: float | None = None,
    rel_height: float = 0.5,
    plateau_size: object = None,
) -> tuple[ndarray, dict[str, ndarray]]:
    """Where a signal is higher than before and after, and what was asked about these places.

    Examples
    --------
    >>> from heddle.scipy import signal
    >>> peaks, found = signal.find_peaks([0.0, 3.0, 1.0, 2.0, 0.0], height=0)
    >>> peaks
    array([1, 3])
    >>> found["peak_heights"]
    array([3., 2.])
    """
    given = _signal(x)
    if distance is not None and distance < 1:
        raise ValueError("`distance` must be greater or equal to 1")
    peaks, left, right = _maxima(given, edges=plateau_size is not None)
    found: dict[str, ndarray] = {}

    def keep(kept: ndarray) -> None:
        nonlocal peaks, found
        peaks = peaks[kept]
        found = {name: values[kept] for name, values in found.items()}

    if plateau_size is not None:
        sizes = right - left + 1
        found |= {"plateau_sizes": sizes, "left_edges": left, "right_edges": right}
        keep(_within(sizes, *_interval(plateau_size, given, peaks)))
    if height is not None:
        heights = given[peaks]
        found["peak_heights"] = heights
        keep(_within(heights, *_interval(height, given, peaks)))
    if threshold is not None:
        before, after = given[peaks] - given[peaks - 1], given[peaks] - given[peaks + 1]
        found |= {"left_thresholds": before, "right_thresholds": after}
        low, high = _interval(threshold, given, peaks)
        enough = _within(np.minimum(before, after), low, None)
        keep(enough & _within(np.maximum(before, after), None, high))
    if distance is not None:
        keep(_by_distance(given, peaks, distance))
    if prominence is not None or width is not None:
        names = ("prominences", "left_bases", "right_bases")
        found |= dict(zip(names, _prominences(given, peaks, _length(wlen)), strict=True))
    if prominence is not None:
        keep(_within(found["prominences"], *_interval(prominence, given, peaks)))
    if width is not None:
        data = (found["prominences"], found["left_bases"], found["right_bases"])
        names_ = ("widths", "width_heights", "left_ips", "right_ips")
        found |= dict(zip(names_, _widths(given, peaks, rel_height, data), strict=True))
        keep(_within(found["widths"], *_interval(width, given, peaks)))
    return peaks, found


# --- relative extrema ---


def argrelextrema(
    data: ArrayLike,
    comparator: Callable[..., Any],
    axis: int = 0,
    order: int = 1,
    mode: str = "clip",
) -> tuple[ndarray, ...]:
    """Where a comparison with `order` neighbours to both sides holds; beyond edges are the edges.

    Examples
    --------
    >>> import heddle as np
    >>> from heddle.scipy import signal
    >>> signal.argrelextrema(np.array([2, 1, 2, 3, 2, 0]), np.greater)
    (array([3]),)
    """
    if order % 1 != 0 or order < 1:
        raise ValueError("Order must be an int >= 1")
    if mode not in ("clip", "wrap", "raise"):
        raise ValueError(f"clipmode must be one of 'clip', 'raise', or 'wrap' (got '{mode}')")
    given = as_array(data)
    lines = np.moveaxis(given, axis, -1)
    n = lines.shape[-1]
    if mode == "raise" and n:  # the last element has no neighbour behind it
        raise IndexError(f"index {n} is out of bounds for axis {axis} with size {n}")
    place = np.arange(n, device=given.device)
    held = np.ones(lines.shape, "?", device=given.device)
    function = comparator
    if isinstance(comparator, numpy.ufunc):
        function = getattr(np, comparator.__name__, comparator)
    for shift in range(1, int(order) + 1):
        for at in (place + shift, place - shift):
            near = at % n if mode == "wrap" else np.clip(at, 0, n - 1)
            held = held & function(lines, lines[..., near])
    return np.nonzero(np.moveaxis(held, -1, axis))


def argrelmax(
    data: ArrayLike, axis: int = 0, order: int = 1, mode: str = "clip"
) -> tuple[ndarray, ...]:
    """Where elements are greater than their neighbours.

    Examples
    --------
    >>> from heddle.scipy import signal
    >>> signal.argrelmax([2, 1, 2, 3, 2, 0])
    (array([3]),)
    """
    return argrelextrema(data, np.greater, axis, order, mode)


def argrelmin(
    data: ArrayLike, axis: int = 0, order: int = 1, mode: str = "clip"
) -> tuple[ndarray, ...]:
    """Where elements are less than their neighbours.

    Examples
    --------
    >>> from heddle.scipy import signal
    >>> signal.argrelmin([2, 1, 2, 3, 2, 0])
    (array([1]),)
    """
    return argrelextrema(data, np.less, axis, order, mode)
