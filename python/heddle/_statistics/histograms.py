"""Counting: bincount, and histograms of one and of several dimensions."""

from __future__ import annotations

import operator
import warnings
from collections.abc import Sequence, Sized
from typing import Any, SupportsIndex, cast

import numpy as _numpy

from heddle import _core
from heddle._arguments import as_array, as_array_beside, as_integer, as_number, both_arrays
from heddle._core import ndarray, own_array
from heddle._typing import ArrayLike, Bins, DType

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
    given = isinstance(x, own_array | _numpy.ndarray)
    if minlength is None:
        raise TypeError("use 0 instead of None for minlength")
    minlength = as_integer(minlength)
    # Lists are converted, as NumPy does; arrays have to be of integers.
    x = as_array(x) if given else as_array(as_array(x), _INT64)
    weights = None if weights is None else as_array(weights)
    return _core.bincount(x, weights, minlength)


# --- edges ---


def _checked(a: ArrayLike, weights: ArrayLike | None) -> tuple[ndarray, ndarray | None]:
    a = as_array(a)
    if a.dtype == bool:
        warnings.warn(
            f"Converting input from {a.dtype} to {_numpy.uint8} for compatibility.",
            RuntimeWarning,
            stacklevel=3,
        )
    return a, None if weights is None else as_array_beside(weights, a)


def _host(x: object) -> Any:
    return x.get() if isinstance(x, own_array) else x


_HELD = (_numpy.ndarray, _numpy.generic)


def _limits(limits: Sequence[object] | None) -> tuple[tuple[float, float] | None, DType | None]:
    """The bounds as Python's numbers, and their type where they have one of their own."""
    if limits is None:
        return None, None
    first, last = (_host(edge) for edge in limits)
    kinds = [edge.dtype for edge in (first, last) if isinstance(edge, _HELD)]
    limits = as_number(first, "histogram range"), as_number(last, "histogram range")
    kind = _numpy.result_type(*kinds) if kinds else None
    if kind == _numpy.longdouble:  # of which the bounds hold digits that ours do not
        raise _core.NoNumbers("long doubles")
    return limits, kind


_BINS = "`bins` must be an integer, a string, or an array"


def _bins(bins: Bins, a: ndarray, text: str) -> str | int | ndarray:
    """A name, a number, or edges where the elements are."""
    if isinstance(bins, str):
        return bins
    if _numpy.ndim(bins) == 0:
        try:
            return operator.index(cast("SupportsIndex", bins))
        except TypeError as error:
            raise TypeError(text) from error
    return bins.to_device(a.device) if isinstance(bins, own_array) else as_array_beside(bins, a)


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
    a, weights = _checked(a, weights)
    return _core.histogram_bin_edges(a, _bins(bins, a, _BINS), *_limits(range), weights)


# --- histograms ---


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
    a, weights = _checked(a, weights)
    return _core.histogram(a, _bins(bins, a, _BINS), *_limits(range), bool(density), weights)


def _sample(sample: ArrayLike) -> ndarray:
    """Points as rows, from an (N, D) array or a sequence of D coordinates."""
    if isinstance(sample, own_array | _numpy.ndarray) and sample.ndim == 2:
        return as_array(sample)
    points = as_array(sample)
    if points.ndim > 2:
        raise ValueError(f"too many values to unpack (expected 2, got {points.ndim})")
    return (points if points.ndim == 2 else points._reshape((1, -1)))._transpose(None)


def histogramdd(
    sample: ArrayLike,
    bins: Bins | Sequence[Bins] = 10,
    range: Sequence[Sequence[object] | None] | None = None,
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
        each_bins = list(cast("Sequence[Any]", bins)) if len(cast("Sized", bins)) == dims else None
    except TypeError:
        each_bins = dims * [bins]
    if each_bins is None:
        raise ValueError("The dimension of bins must be equal to the dimension of the sample x.")
    if range is None:
        range = (None,) * dims
    elif len(range) != dims:
        raise ValueError("range argument must have one entry per dimension")
    for i, each in enumerate(each_bins):
        if _numpy.ndim(each) == 0 and each < 1:
            raise ValueError(f"`bins[{i}]` must be positive, when an integer")
    made = [
        _bins(each, points, f"`bins[{i}]` must be an integer, when a scalar")
        for i, each in enumerate(each_bins)
    ]
    ranges = [_limits(each)[0] for each in range]
    weights = None if weights is None else as_array_beside(weights, points)
    hist, edges = _core.histogramdd(points, made, ranges, bool(density), weights)
    return hist, list(edges)


def histogram2d(
    x: ArrayLike,
    y: ArrayLike,
    bins: Bins | Sequence[Bins] = 10,
    range: Sequence[Sequence[object] | None] | None = None,
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
    if len(cast("Sized", x)) != len(cast("Sized", y)):
        raise ValueError("x and y must have the same length.")
    try:
        count = len(cast("Sized", bins))
    except TypeError:
        count = 1
    both = cast("Sequence[Bins]", [bins, bins]) if count not in (1, 2) else bins
    hist, edges = histogramdd(list(both_arrays(x, y)), both, range, density, weights)
    return hist, edges[0], edges[1]


__all__ = [
    "bincount",
    "histogram",
    "histogram2d",
    "histogram_bin_edges",
    "histogramdd",
]
