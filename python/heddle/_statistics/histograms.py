"""Counting: bincount, and histograms of one and of several dimensions."""

from __future__ import annotations

import math
import operator
import warnings
from collections.abc import Sequence
from typing import Any, SupportsIndex

import numpy as _numpy

from heddle import _core
from heddle._arguments import as_array, as_array_beside, as_integer, both_arrays
from heddle._core import ndarray, ufuncs
from heddle._sorting.sorting import searchsorted
from heddle._statistics.quantiles import percentile
from heddle._typing import ArrayLike, Bins

_INT64 = _numpy.dtype(_numpy.int64)
_range = range


def bincount(
    x: ArrayLike, /, weights: ArrayLike | None = None, minlength: SupportsIndex = 0
) -> ndarray:
    """How often each number is among non-negative integers, or the sums of the weights there.

    Examples
    --------
    >>> import heddle as np
    >>> np.bincount([0, 1, 1, 3])
    array([1, 2, 0, 1])
    >>> np.bincount([0, 1, 1], weights=[0.5, 1, 2])
    array([0.5, 3. ])
    """
    given = isinstance(x, ndarray | _numpy.ndarray)
    x = as_array(x)
    if minlength is None:
        raise TypeError("use 0 instead of None for minlength")
    minlength = as_integer(minlength)
    if minlength < 0:
        raise ValueError("'minlength' must not be negative")
    if x.ndim != 1:
        depth = "object too deep" if x.ndim > 1 else "object of too small depth"
        raise ValueError(f"{depth} for desired array")
    if x.dtype.kind not in "iub" and given:
        raise TypeError(
            f"Cannot cast array data from {x.dtype!r} to dtype('int64') according to the rule "
            "'safe'"
        )
    x = as_array(x, _INT64)
    if weights is not None:
        weights = as_array(weights)
        if weights.dtype.kind == "c":
            raise TypeError(
                f"Cannot cast array data from {weights.dtype!r} to dtype('float64') according to "
                "the rule 'safe'"
            )
        if weights.ndim != 1 or weights.size != x.size:
            raise ValueError("The weights and list don't have the same length.")
    count = minlength
    if x.size:
        low, high = x.min(), x.max()
        _core.eval(low, high)
        if low._item() < 0:
            raise ValueError("'list' argument must have no negative elements")
        count = max(count, high._item() + 1)
    elif weights is not None:  # as in NumPy, nothing has no weight
        weights = None
    return _core.count_bins(x, count, weights)


# --- edges ---


def _ravelled(a: Any, weights: Any) -> tuple[ndarray, ndarray | None]:
    a = as_array(a)
    if a.dtype == bool:
        warnings.warn(
            f"Converting input from {a.dtype} to {_numpy.uint8} for compatibility.",
            RuntimeWarning,
            stacklevel=3,
        )
        a = a._astype(_numpy.uint8, "K")
    if weights is not None:
        weights = as_array_beside(weights, a)
        if weights.shape != a.shape:
            raise ValueError("weights should have the same shape as a.")
        weights = weights._reshape((-1,))
    return a._reshape((-1,)), weights


def _scalar(x: ndarray) -> Any:
    """An element as NumPy's scalar of its type."""
    return x.get()[()]


def _host(x: Any) -> Any:
    return x.get() if isinstance(x, ndarray) else x


def _outer_edges(a: ndarray, limits: Any) -> tuple[Any, Any]:
    if limits is not None:
        first, last = (_host(edge) for edge in limits)
        if first > last:
            raise ValueError("max must be larger than min in range parameter.")
        if not (_numpy.isfinite(first) and _numpy.isfinite(last)):
            raise ValueError(f"supplied range of [{first}, {last}] is not finite")
    elif a.size == 0:
        first, last = 0, 1
    else:
        low, high = a.min(), a.max()
        _core.eval(low, high)
        first, last = _scalar(low), _scalar(high)
        if not (_numpy.isfinite(first) and _numpy.isfinite(last)):
            raise ValueError(f"autodetected range of [{first}, {last}] is not finite")
    if first == last:
        first, last = first - 0.5, last + 0.5
    return first, last


def _distance(high: Any, low: Any) -> Any:
    """high - low, of integers as unsigned ones: there the difference fits."""
    kind = _numpy.result_type(high, low)
    if kind.kind != "i":
        return _numpy.subtract(high, low, dtype=kind)
    unsigned = _numpy.dtype(f"u{kind.itemsize}")
    high, low = _numpy.asarray(high, kind), _numpy.asarray(low, kind)
    return _numpy.subtract(high, low, casting="unsafe", dtype=unsigned)


def _spread(x: ndarray) -> Any:
    return _distance(_scalar(x.max()), _scalar(x.min()))


def _width_by_stone(x: ndarray, limits: Any) -> Any:
    size, spread = x.size, _spread(x)
    if size <= 1 or spread == 0:
        return 0
    most = max(100, int(math.sqrt(size)))

    def loss(bins: int) -> Any:
        share = histogram(x, bins, limits)[0].get() / size
        return (2 - (size + 1) * share.dot(share)) / (spread / bins)

    bins = min(_range(1, most + 1), key=loss)
    if bins == most:
        warnings.warn(
            "The number of bins estimated may be suboptimal.", RuntimeWarning, stacklevel=3
        )
    return spread / bins


def _width_by_doane(x: ndarray, limits: Any) -> Any:
    size = x.size
    if size > 2:
        scale = math.sqrt(6.0 * (size - 2) / ((size + 1.0) * (size + 3)))
        deviation = x.std()
        if deviation._item() > 0.0:
            skew = abs((((x - x.mean()) / deviation) ** 3).mean()._item())
            return _spread(x) / (1.0 + math.log2(size) + math.log2(1.0 + skew / scale))
    return 0.0


def _width_by_quartiles(x: ndarray, limits: Any) -> Any:
    high, low = percentile(x, [75, 25]).get()
    return 2.0 * (high - low) * x.size ** (-1.0 / 3.0)


def _width_by_auto(x: ndarray, limits: Any) -> Any:
    sturges, root = _WIDTHS["sturges"](x, limits), _WIDTHS["sqrt"](x, limits)
    return min(max(_width_by_quartiles(x, limits), root / 2), sturges)


_WIDTHS: dict[str, Any] = {
    "stone": _width_by_stone,
    "auto": _width_by_auto,
    "doane": _width_by_doane,
    "fd": _width_by_quartiles,
    "rice": lambda x, limits: _spread(x) / (2.0 * x.size ** (1.0 / 3)),
    "scott": lambda x, limits: (24.0 * math.pi**0.5 / x.size) ** (1.0 / 3.0) * _scalar(x.std()),
    "sqrt": lambda x, limits: _spread(x) / math.sqrt(x.size),
    "sturges": lambda x, limits: _spread(x) / (math.log2(x.size) + 1.0),
}


def _estimated_bins(a: ndarray, name: str, limits: Any, first: Any, last: Any) -> int:
    if limits is not None:
        keep = (a >= first) & (a <= last)
        if not bool(keep.all()):
            a = a[keep]
    if a.size == 0:
        return 1
    width = _WIDTHS[name](a, (first, last))
    if not width:
        return 1
    if a.dtype.kind in "iu" and width < 1:
        width = 1
    return int(_numpy.ceil(_distance(last, first) / width))


def _given_edges(bins: Any, a: ndarray) -> Any:
    return bins.to_device(a.device) if isinstance(bins, ndarray) else _numpy.asarray(bins)


def _bin_edges(a: ndarray, bins: Any, limits: Any, weights: Any) -> tuple[Any, Any]:
    """The edges, on the host unless they are given, and what makes them where they are even."""
    if isinstance(bins, str):
        if bins not in _WIDTHS:
            raise ValueError(f"{bins!r} is not a valid estimator for `bins`")
        if weights is not None:
            raise TypeError(
                "Automated estimation of the number of bins is not supported for weighted data"
            )
        first, last = _outer_edges(a, limits)
        count = _estimated_bins(a, bins, limits, first, last)
    elif _numpy.ndim(bins) == 0:
        try:
            count = operator.index(bins)
        except TypeError as error:
            raise TypeError("`bins` must be an integer, a string, or an array") from error
        if count < 1:
            raise ValueError("`bins` must be positive, when an integer")
        first, last = _outer_edges(a, limits)
    else:
        edges = _given_edges(bins, a)
        if edges.ndim != 1:
            raise ValueError("`bins` must be 1d, when an array")
        if (edges[:-1] > edges[1:]).any():
            raise ValueError("`bins` must increase monotonically, when an array")
        return edges, None
    kind = _numpy.result_type(first, last, a.dtype)
    if kind.kind in "iu":
        kind = _numpy.result_type(kind, float)
    edges = _numpy.linspace(first, last, count + 1, endpoint=True, dtype=kind)
    if _numpy.any(edges[:-1] >= edges[1:]):
        raise ValueError(f"Too many bins for data range. Cannot create {count} finite-sized bins.")
    return edges, (first, last, count)


def histogram_bin_edges(
    a: ArrayLike,
    bins: Bins = 10,
    range: tuple[float, float] | None = None,
    weights: ArrayLike | None = None,
) -> ndarray:
    """The edges of the bins that `histogram` would use.

    Examples
    --------
    >>> import heddle as np
    >>> np.histogram_bin_edges([0, 1, 2, 4], bins=4)
    array([0., 1., 2., 3., 4.])
    """
    a, weights = _ravelled(a, weights)
    return as_array_beside(_bin_edges(a, bins, range, weights)[0], a)


# --- histograms ---


def _even_bins(a: ndarray, edges: Any, even: Any, limited: bool) -> ndarray:
    """The bin of each element between evenly spaced edges; the number of bins for those outside.

    Rounding may put an element that lies on an edge one bin off: the edges decide.
    """
    first, last, count = even
    outside = ~((a >= first) & (a <= last)) if limited else None
    if outside is not None:
        a = _core.select(outside, as_array(_numpy.asarray(first), a.dtype), a)
    kind, last_bin = edges.dtype, count - 1
    a, low = as_array(a, kind), as_array(_numpy.asarray(first, kind))
    distance = float(_distance(last, first))
    if not (_numpy.isfinite(distance) and _numpy.isfinite(edges).all()):
        raise IndexError(f"histogram: bins from {first} to {last} are out of bounds of {kind}")
    with _numpy.errstate(all="ignore"):
        bins_per_unit = kind.type(count) / kind.type(distance)
    step = _step_of(edges, first, last)
    if step is not None and _numpy.isfinite(bins_per_unit):
        places = (a - low) * float(bins_per_unit)
    else:
        places = (a - low) / distance * count
    if step is not None:  # the edges are computed again rather than looked up
        index = _core.apply(ufuncs["floor"], (places,), None)
        index = _core.apply(ufuncs["minimum"], (index, last_bin), None)
        index = index - (a < index * step + low)
        index = index + ((a >= (index + 1) * step + low) & (index != last_bin))
        index = index._astype(_INT64, "K")
    else:
        edges = as_array_beside(edges, a)
        index = _core.apply(ufuncs["minimum"], (places._astype(_INT64, "K"), last_bin), None)
        index = index - (a < _core.take_in_rows(edges, index))
        index = index + ((a >= _core.take_in_rows(edges, index + 1)) & (index != last_bin))
    return index if outside is None else _core.select(outside, count, index)


def _step_of(edges: Any, first: Any, last: Any) -> ndarray | None:
    """The distance of edges that are exactly multiples of it from the first, but for the last."""
    count, kind = len(edges) - 1, edges.dtype
    if kind.char not in "fd" or count >= 2**20:  # numbers of bins are exact
        return None
    low = _numpy.asarray(first, kind)
    step = (_numpy.asarray(last, kind) - low) / kind.type(count)
    if not _numpy.array_equal(_numpy.arange(count, dtype=kind) * step + low, edges[:-1]):
        return None
    return as_array(step)


def _searched_bins(a: ndarray, edges: Any) -> ndarray:
    """The same between edges as they are given; -1 below them. The last bin has both its edges."""
    index = searchsorted(as_array_beside(edges, a), a, "right") - 1
    count = len(edges) - 1
    if count < 0:
        return index
    return _core.select(a == as_array(edges[-1]), count - 1, index)


def _totals(index: ndarray, count: int, weights: ndarray | None) -> ndarray:
    """The sums of the weights in bins, in their type; counts without weights."""
    if weights is None:
        return _core.count_bins(index, count)
    if weights.dtype.kind == "c":
        parts = [_core.count_bins(index, count, part(weights)) for part in (_core.real, _core.imag)]
        return _core.make_complex(*parts)._astype(weights.dtype, "K")
    return _core.count_bins(index, count, weights)._astype(weights.dtype, "K")


def histogram(
    a: ArrayLike,
    bins: Bins = 10,
    range: tuple[float, float] | None = None,
    density: bool | None = None,
    weights: ArrayLike | None = None,
) -> tuple[ndarray, ndarray]:
    """How many elements, or how much of the weights, are in each bin; and the edges of the bins.

    The last bin has both its edges, the others only the left one. ``bins`` is their number, the
    edges, or the name of an estimator. With ``density`` the integral over the range is 1.

    Examples
    --------
    >>> import heddle as np
    >>> counts, edges = np.histogram([1, 2, 1, 4], bins=3)
    >>> counts
    array([2, 1, 1])
    >>> edges
    array([1., 2., 3., 4.])
    """
    a, weights = _ravelled(a, weights)
    edges, even = _bin_edges(a, bins, range, weights)
    count = len(edges) - 1
    if count < 0:
        raise ValueError("`bins` must have at least one edge")
    if a.size == 0 or count == 0:
        kind = _INT64 if weights is None else weights.dtype
        total = _core.full((count,), 0, kind, a.device)
    elif even is not None and a.dtype.kind != "c":
        index = _even_bins(a, edges, even, range is not None)
        total = _totals(index, count + (range is not None), weights)[:count]
    else:
        index = _searched_bins(a, edges)
        # Outside are -1 and the number of bins: one more at each end.
        total = _totals(index + 1, count + 2, weights)[1:-1]
    edges = as_array_beside(edges, a)
    if density:
        widths = as_array(edges[1:] - edges[:-1], _numpy.float64)
        return total / widths / total.sum(), edges
    return total, edges


def _sample(sample: Any) -> ndarray:
    """Points as rows, from an (N, D) array or a sequence of D coordinates."""
    if isinstance(sample, ndarray | _numpy.ndarray) and sample.ndim == 2:
        return as_array(sample)
    points = as_array(sample)
    if points.ndim > 2:
        raise ValueError(f"too many values to unpack (expected 2, got {points.ndim})")
    return (points if points.ndim == 2 else points._reshape((1, -1)))._transpose(None)


def _edges_along(points: ndarray, i: int, bins: Any, limits: Any) -> Any:
    if _numpy.ndim(bins) == 0:
        if bins < 1:
            raise ValueError(f"`bins[{i}]` must be positive, when an integer")
        first, last = _outer_edges(points[:, i], limits)
        try:
            count = operator.index(bins)
        except TypeError as error:
            raise TypeError(f"`bins[{i}]` must be an integer, when a scalar") from error
        return _numpy.linspace(first, last, count + 1)
    edges = _given_edges(bins, points)
    if edges.ndim != 1:
        raise ValueError(f"`bins[{i}]` must be a scalar or 1d array")
    if (edges[:-1] > edges[1:]).any():
        raise ValueError(f"`bins[{i}]` must be monotonically increasing, when an array")
    return edges


def histogramdd(
    sample: Any,
    bins: Any = 10,
    range: Sequence[Any] | None = None,
    density: bool | None = None,
    weights: ArrayLike | None = None,
) -> tuple[ndarray, list[ndarray]]:
    """How many points are in each cell of a grid; and the edges along every dimension.

    Examples
    --------
    >>> import heddle as np
    >>> counts, edges = np.histogramdd(np.array([[0.0, 0.0], [1.0, 1.0]]), bins=2)
    >>> counts
    array([[1., 0.],
           [0., 1.]])
    """
    points = _sample(sample)
    dims = points.shape[1]
    try:
        if len(bins) != dims:
            raise ValueError(
                "The dimension of bins must be equal to the dimension of the sample x."
            )
    except TypeError:
        bins = dims * [bins]
    if range is None:
        range = (None,) * dims
    elif len(range) != dims:
        raise ValueError("range argument must have one entry per dimension")
    edges = [_edges_along(points, i, bins[i], range[i]) for i in _range(dims)]
    cells = [len(e) + 1 for e in edges]  # with those outside
    if math.prod(cells) > _numpy.iinfo(_numpy.intp).max:
        raise ValueError(
            f"histogramdd: a grid of {' x '.join(map(str, cells))} cells is larger than the "
            "maximum possible size."
        )
    place: Any = 0
    for i in _range(dims):
        # A point on the last edge belongs to the last cell.
        place = place * cells[i] + (_searched_bins(points[:, i], edges[i]) + 1)
    if weights is not None:
        weights = as_array_beside(weights, points)
        if weights.dtype.kind == "c" or weights.shape != (points.shape[0],):
            _check_weights(weights)
    hist = _core.count_bins(place, math.prod(cells), weights)
    hist = as_array(hist, _numpy.float64)._reshape(tuple(cells))[dims * (slice(1, -1),)]
    made = [as_array_beside(e, points) for e in edges]
    if density:
        total = hist.sum()
        for i, e in enumerate(made):
            shape = [1] * dims
            shape[i] = -1
            hist = hist / (e[1:] - e[:-1])._reshape(tuple(shape))
        hist = hist / total
    return hist, made


def _check_weights(weights: ndarray) -> None:
    if weights.dtype.kind == "c":
        raise TypeError(
            f"Cannot cast array data from {weights.dtype!r} to dtype('float64') according to the "
            "rule 'safe'"
        )
    raise ValueError("The weights and list don't have the same length.")


def histogram2d(
    x: ArrayLike,
    y: ArrayLike,
    bins: Any = 10,
    range: ArrayLike | None = None,
    density: bool | None = None,
    weights: ArrayLike | None = None,
) -> tuple[ndarray, ndarray, ndarray]:
    """How many points are in each cell of a plane; and the edges along x and y.

    Examples
    --------
    >>> import heddle as np
    >>> counts, x_edges, y_edges = np.histogram2d([0, 1, 1], [0, 0, 1], bins=2)
    >>> counts
    array([[1., 0.],
           [1., 1.]])
    """
    if len(x) != len(y):
        raise ValueError("x and y must have the same length.")
    try:
        count = len(bins)
    except TypeError:
        count = 1
    if count not in (1, 2):
        bins = [bins, bins]
    hist, edges = histogramdd(list(both_arrays(x, y)), bins, range, density, weights)
    return hist, edges[0], edges[1]


__all__ = [
    "bincount",
    "histogram",
    "histogram2d",
    "histogram_bin_edges",
    "histogramdd",
]
