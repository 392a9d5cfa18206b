"""Numbers of labelled regions: sums, means, extremes, medians, positions, histograms."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, overload

import numpy

from heddle._arguments import as_array, as_array_beside
from heddle._core import count_bins, ndarray, own_array
from heddle._creation.arrays import asarray
from heddle._creation.ranges import arange, linspace
from heddle._indexing.elements import where
from heddle._manipulation.shapes import broadcast_arrays
from heddle._math.ufuncs import sqrt
from heddle._runtime.control import eval as evaluate
from heddle._sorting.sets import unique
from heddle._sorting.sorting import argsort, lexsort, searchsorted
from heddle._statistics.histograms import histogram as counted
from heddle._statistics.quantiles import median as middle
from heddle._typing import ArrayLike, DTypeLike
from heddle.scipy.ndimage._support import host_array, is_scalar


def _broadcast(input: ndarray, labels: ArrayLike) -> tuple[ndarray, ndarray]:
    a, b = broadcast_arrays(input, as_array(labels))
    return a, b


class _Groups:
    """Labels as numbers from 0, and which of them were asked for."""

    def __init__(self, labels: ndarray, index: ArrayLike) -> None:
        if not labels.size:
            raise ValueError("labels of nothing: there are no regions to look for")
        index = as_array_beside(index, labels)
        dtype = labels.dtype
        counts = dtype.kind == "i" or (dtype.kind == "u" and dtype.itemsize < 8)
        if counts and labels.size:
            ends = labels.min(), labels.max()
            evaluate(*ends)
            least, greatest = (int(v) for v in ends)
            counts = least >= 0 and greatest <= labels.size
        if counts and labels.size:
            self.numbers, self.count = labels.reshape(-1).astype(numpy.int64), greatest + 1
            found = (index >= 0) & (index < self.count)
            wanted = index.astype(numpy.int64)
        else:
            values, numbers = unique(labels, return_inverse=True)
            self.numbers, self.count = numbers.reshape(-1), values.size
            wanted = searchsorted(values, index)
            wanted = where(wanted >= self.count, 0, wanted)
            found = values[wanted] == index
        self.found, self.wanted = found, where(found, wanted, 0)

    def pick(self, values: ndarray) -> ndarray:
        """The values of the labels that were asked for; 0 for those that are not there."""
        return where(self.found, values[self.wanted], values.dtype.type(0))

    def sums(self, values: ndarray) -> ndarray:
        return count_bins(self.numbers, self.count, values.reshape(-1))

    def counts(self) -> ndarray:
        return count_bins(self.numbers, self.count, None)


def _stats(
    input: ArrayLike, labels: ArrayLike | None, index: ArrayLike | None, centered: bool
) -> tuple[Any, ...]:
    """Counts and sums of groups, and sums of squares of what differs from the means."""

    def group(values: ndarray) -> tuple[ndarray | int, ...]:
        if not centered:
            return values.size, values.sum()
        rest = values - values.mean()
        return values.size, values.sum(), (rest * rest.conjugate()).sum()

    a = as_array(input)
    if labels is None:
        return group(a)
    a, labels = _broadcast(a, labels)
    if index is None:
        return group(a[labels > 0])
    if is_scalar(index):
        return group(a[labels == index])
    groups = _Groups(labels, index)
    counts, sums = groups.counts(), groups.sums(a)
    if not centered:
        return groups.pick(counts), groups.pick(sums)
    rest = a.reshape(-1) - (sums / counts)[groups.numbers]
    squares = groups.sums(rest * rest.conjugate())
    return groups.pick(counts), groups.pick(sums), groups.pick(squares)


def _divided(total: ndarray, count: ArrayLike) -> ndarray:
    """By a count; nan where there is nothing."""
    result: ndarray = total / asarray(count, dtype=numpy.float64)
    return result


def sum_labels(
    input: ArrayLike, labels: ArrayLike | None = None, index: ArrayLike | None = None
) -> ndarray:
    """Sums of the elements of regions.

    Examples
    --------
    >>> import heddle as np
    >>> np.scipy.ndimage.sum_labels(np.array([0, 1, 2, 3]), np.array([1, 1, 2, 2]), index=[1, 2])
    array([1., 5.])
    """
    total: ndarray = _stats(input, labels, index, False)[1]
    return total


def sum(
    input: ArrayLike, labels: ArrayLike | None = None, index: ArrayLike | None = None
) -> ndarray:
    """The name that `sum_labels` had before.

    Examples
    --------
    >>> import heddle as np
    >>> np.scipy.ndimage.sum(np.array([0, 1, 2, 3]), np.array([1, 1, 2, 2]), index=[1, 2])
    array([1., 5.])
    """
    return sum_labels(input, labels, index)


def mean(
    input: ArrayLike, labels: ArrayLike | None = None, index: ArrayLike | None = None
) -> ndarray:
    """Means of the elements of regions.

    Examples
    --------
    >>> import heddle as np
    >>> np.scipy.ndimage.mean(np.array([0, 1, 2, 4]), np.array([1, 1, 2, 2]), index=[1, 2])
    array([0.5, 3. ])
    """
    count, total = _stats(input, labels, index, False)
    return _divided(total, count)


def variance(
    input: ArrayLike, labels: ArrayLike | None = None, index: ArrayLike | None = None
) -> ndarray:
    """Variances of the elements of regions.

    Examples
    --------
    >>> import heddle as np
    >>> np.scipy.ndimage.variance(np.array([0, 1, 2, 4]), np.array([1, 1, 2, 2]), index=[1, 2])
    array([0.25, 1.  ])
    """
    count, _, squares = _stats(input, labels, index, True)
    return _divided(squares, count)


def standard_deviation(
    input: ArrayLike, labels: ArrayLike | None = None, index: ArrayLike | None = None
) -> ndarray:
    """Standard deviations of the elements of regions.

    Examples
    --------
    >>> import heddle as np
    >>> np.scipy.ndimage.standard_deviation(np.array([0, 1, 2, 4]), np.array([1, 1, 2, 2]), [1, 2])
    array([0.5, 1. ])
    """
    return sqrt(variance(input, labels, index))


# --- by order ---

_LEAST, _GREATEST, _LEAST_PLACE, _GREATEST_PLACE, _MEDIAN = range(5)


def _one_group(values: ndarray, places: ndarray | None, wanted: tuple[int, ...]) -> list[Any]:
    made = []
    for what in wanted:
        if what == _LEAST:
            made.append(values.min())
        elif what == _GREATEST:
            made.append(values.max())
        elif what == _MEDIAN:
            made.append(middle(values))
        else:
            flat = values.reshape(-1)
            i = flat.argmin() if what == _LEAST_PLACE else flat.argmax()
            made.append(i if places is None else places[i])
    return made


def _select(
    input: ArrayLike, labels: ArrayLike | None, index: ArrayLike | None, *wanted: int
) -> list[Any]:
    """What was wanted of each group, in order."""
    a = as_array(input)
    if labels is None:
        return _one_group(a, None, wanted)
    a, labels = _broadcast(a, labels)
    if index is None or is_scalar(index):
        mask = labels > 0 if index is None else labels == index
        places = None
        if {_LEAST_PLACE, _GREATEST_PLACE} & {*wanted}:
            places = mask.reshape(-1).nonzero()[0]
        return _one_group(a[mask], places, wanted)
    groups = _Groups(labels, index)
    values = a.reshape(-1)
    order = lexsort((values, groups.numbers))
    ends = groups.counts().cumsum()
    last = where(groups.found, ends[groups.wanted] - 1, 0)
    first = where(groups.found, (ends - groups.counts())[groups.wanted], 0)
    # Labels between those that are there have no elements.
    there = groups.found & (last >= first)
    first, last = where(there, first, 0), where(there, last, 0)

    def taken(of: ndarray, at: ndarray) -> ndarray:
        return where(there, of[order[at]], of.dtype.type(0))

    made = []
    for what in wanted:
        if what in (_LEAST, _GREATEST):
            made.append(taken(values, first if what == _LEAST else last))
        elif what in (_LEAST_PLACE, _GREATEST_PLACE):
            made.append(where(there, order[first if what == _LEAST_PLACE else last], 0))
        else:
            step = (last - first) // 2
            low, high = taken(values, first + step), taken(values, last - step)
            if a.dtype.kind in "biu":
                low, high = low.astype(numpy.float64), high.astype(numpy.float64)
            made.append((low + high) / 2.0)
    return made


def minimum(
    input: ArrayLike, labels: ArrayLike | None = None, index: ArrayLike | None = None
) -> ndarray:
    """The least elements of regions.

    Examples
    --------
    >>> import heddle as np
    >>> np.scipy.ndimage.minimum(np.array([5, 1, 2, 4]), np.array([1, 1, 2, 2]), index=[1, 2])
    array([1, 2])
    """
    found: ndarray = _select(input, labels, index, _LEAST)[0]
    return found


def maximum(
    input: ArrayLike, labels: ArrayLike | None = None, index: ArrayLike | None = None
) -> ndarray:
    """The greatest elements of regions.

    Examples
    --------
    >>> import heddle as np
    >>> np.scipy.ndimage.maximum(np.array([5, 1, 2, 4]), np.array([1, 1, 2, 2]), index=[1, 2])
    array([5, 4])
    """
    found: ndarray = _select(input, labels, index, _GREATEST)[0]
    return found


def median(
    input: ArrayLike, labels: ArrayLike | None = None, index: ArrayLike | None = None
) -> ndarray:
    """Medians of the elements of regions.

    Examples
    --------
    >>> import heddle as np
    >>> np.scipy.ndimage.median(np.array([5, 1, 2, 4]), np.array([1, 1, 2, 2]), index=[1, 2])
    array([3., 3.])
    """
    found: ndarray = _select(input, labels, index, _MEDIAN)[0]
    return found


def _indices(places: ArrayLike, shape: tuple[int, ...]) -> tuple[Any, ...] | list[Any]:
    """Tuples of indices of flat places."""
    if not shape:  # one element, which has no indices
        return ()
    found = host_array(places)
    rows = numpy.stack(numpy.unravel_index(found.astype(numpy.int64), shape), axis=-1)
    return tuple(rows) if rows.ndim == 1 else [tuple(row) for row in rows.reshape(-1, len(shape))]


@overload
def minimum_position(
    input: ArrayLike, labels: ArrayLike | None = None, index: int | None = None
) -> tuple[Any, ...]: ...
@overload
def minimum_position(
    input: ArrayLike, labels: ArrayLike | None, index: ArrayLike
) -> tuple[Any, ...] | list[tuple[Any, ...]]: ...
def minimum_position(
    input: ArrayLike, labels: ArrayLike | None = None, index: ArrayLike | None = None
) -> tuple[Any, ...] | list[tuple[Any, ...]]:
    """The indices of the least elements of regions.

    Examples
    --------
    >>> import heddle as np
    >>> a = np.array([[5, 1], [2, 4]])
    >>> [tuple(map(int, place)) for place in np.scipy.ndimage.minimum_position(a, a % 2, [0, 1])]
    [(1, 0), (0, 1)]
    """
    return _indices(_select(input, labels, index, _LEAST_PLACE)[0], numpy.shape(input))


@overload
def maximum_position(
    input: ArrayLike, labels: ArrayLike | None = None, index: int | None = None
) -> tuple[Any, ...]: ...
@overload
def maximum_position(
    input: ArrayLike, labels: ArrayLike | None, index: ArrayLike
) -> tuple[Any, ...] | list[tuple[Any, ...]]: ...
def maximum_position(
    input: ArrayLike, labels: ArrayLike | None = None, index: ArrayLike | None = None
) -> tuple[Any, ...] | list[tuple[Any, ...]]:
    """The indices of the greatest elements of regions.

    Examples
    --------
    >>> import heddle as np
    >>> a = np.array([[5, 1], [2, 4]])
    >>> [tuple(map(int, place)) for place in np.scipy.ndimage.maximum_position(a, a % 2, [0, 1])]
    [(1, 1), (0, 0)]
    """
    return _indices(_select(input, labels, index, _GREATEST_PLACE)[0], numpy.shape(input))


def extrema(
    input: ArrayLike, labels: ArrayLike | None = None, index: ArrayLike | None = None
) -> tuple[Any, Any, Any, Any]:
    """The least and the greatest elements of regions, and their indices.

    Examples
    --------
    >>> import heddle as np
    >>> least, greatest, where_least, where_greatest = np.scipy.ndimage.extrema(np.array([3, 1, 2]))
    >>> int(least), int(greatest)
    (1, 3)
    """
    wanted = (_LEAST, _GREATEST, _LEAST_PLACE, _GREATEST_PLACE)
    least, greatest, low, high = _select(input, labels, index, *wanted)
    shape = numpy.shape(input)
    return least, greatest, _indices(low, shape), _indices(high, shape)


@overload
def center_of_mass(
    input: ArrayLike, labels: ArrayLike | None = None, index: int | None = None
) -> tuple[Any, ...]: ...
@overload
def center_of_mass(
    input: ArrayLike, labels: ArrayLike | None, index: ArrayLike
) -> tuple[Any, ...] | list[tuple[Any, ...]]: ...
def center_of_mass(
    input: ArrayLike, labels: ArrayLike | None = None, index: ArrayLike | None = None
) -> tuple[Any, ...] | list[tuple[Any, ...]]:
    """Centres of mass of regions, as tuples of coordinates.

    Examples
    --------
    >>> import heddle as np
    >>> tuple(map(float, np.scipy.ndimage.center_of_mass(np.array([[0, 1], [0, 3]]))))
    (0.75, 1.0)
    """
    a = as_array(input)
    if a.ndim == 0:
        raise IndexError("center_of_mass: an element by itself has no centre")
    mass = sum_labels(a, labels, index)
    found = []
    for axis in range(a.ndim):
        grid = arange(float(a.shape[axis])).reshape([-1 if n == axis else 1 for n in range(a.ndim)])
        found.append(sum_labels(a * grid, labels, index) / mass)
    rows = numpy.stack([host_array(value) for value in found]).T
    return tuple(rows) if rows.ndim == 1 else [tuple(row) for row in rows]


# --- functions of regions ---


def labeled_comprehension(
    input: ArrayLike,
    labels: ArrayLike | None,
    index: ArrayLike | None,
    func: Callable[..., Any],
    out_dtype: DTypeLike | None,
    default: object,
    pass_positions: bool = False,
) -> Any:
    """What a function gives for the elements of each region, and `default` where there are none.

    Examples
    --------
    >>> import heddle as np
    >>> a, labels = np.array([1, 2, 3, 4]), np.array([1, 1, 2, 2])
    >>> np.scipy.ndimage.labeled_comprehension(a, labels, [1, 2, 3], np.sum, int, -1)
    array([ 3,  7, -1])
    """
    a = as_array(input)
    places = arange(a.size, device=a.device).reshape(a.shape) if pass_positions else None

    def called(values: ndarray, where_from: ndarray | None) -> Any:
        return func(values) if where_from is None else func(values, where_from)

    if labels is None:
        if index is not None:
            raise ValueError("index without defined labels")
        return called(a.reshape(-1), None if places is None else places.reshape(-1))
    try:
        a, labels = _broadcast(a, labels)
    except ValueError as error:
        raise ValueError(
            "input and labels must have the same shape (excepting dimensions with width 1)"
        ) from error
    if index is None:
        mask = labels > 0
        return called(a[mask], None if places is None else places[mask])
    wanted = numpy.atleast_1d(host_array(index))
    as_labels = wanted.astype(labels.dtype)
    if numpy.any(as_labels.astype(wanted.dtype) != wanted):
        raise ValueError(
            f"Cannot convert index values from <{wanted.dtype}> to <{labels.dtype}> (labels' type) "
            "without loss of precision"
        )
    flat = labels.reshape(-1)
    order = argsort(flat, stable=True)
    values, flat = a.reshape(-1)[order], flat[order]
    firsts, ends = (
        searchsorted(flat, asarray(as_labels, device=flat.device), side=side)._snapshot()
        for side in ("left", "right")
    )
    made = numpy.empty(wanted.shape, out_dtype)
    made[...] = default
    for place in numpy.ndindex(*wanted.shape):
        first, end = int(firsts[place]), int(ends[place])
        if first != end:
            result = called(values[first:end], None if places is None else order[first:end])
            is_number = isinstance(result, own_array) and result.ndim == 0
            made[place] = result.item() if is_number else result
    if is_scalar(index):
        return made[0]
    return made if made.dtype == object else asarray(made, device=a.device)


def histogram(
    input: ArrayLike,
    min: float,
    max: float,
    bins: int,
    labels: ArrayLike | None = None,
    index: ArrayLike | None = None,
) -> Any:
    """Histograms of the elements of regions.

    Examples
    --------
    >>> import heddle as np
    >>> np.scipy.ndimage.histogram(np.array([0.1, 0.2, 0.7, 0.9, 0.95]), 0, 1, 4)
    array([2, 0, 1, 2])
    """
    edges = linspace(min, max, bins + 1)
    return labeled_comprehension(
        input, labels, index, lambda values: counted(values, edges)[0], object, None
    )


def value_indices(arr: ArrayLike, *, ignore_value: object = None) -> dict[Any, tuple[ndarray, ...]]:
    """The indices of each value of an array of integers.

    Examples
    --------
    >>> import heddle as np
    >>> found = np.scipy.ndimage.value_indices(np.array([[7, 0], [0, 7]]), ignore_value=0)
    >>> found[7]
    (array([0, 1]), array([0, 1]))
    """
    a = as_array(arr)
    if a.dtype.kind not in "iu":
        raise ValueError("Parameter 'arr' must be an integer array")
    flat = a.reshape(-1)
    order = argsort(flat, stable=True)
    values, counts = unique(flat, return_counts=True)
    ends = counts._snapshot().cumsum()
    shape = a.shape or (1,)
    rest, rows = order, []
    for axis in range(len(shape) - 1, -1, -1):
        rows.append(rest % shape[axis])
        rest = rest // shape[axis]
    rows.reverse()
    found = {}
    for value, end, count in zip(values._snapshot(), ends, counts._snapshot(), strict=True):
        if ignore_value is None or value != a.dtype.type(ignore_value):
            found[value] = tuple(row[end - count : end] for row in rows[: a.ndim or 1])
    return found
