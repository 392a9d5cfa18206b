"""Sets: unique elements, and unions, intersections and differences of 1-d arrays."""

from __future__ import annotations

from functools import partial
from typing import Any, Literal, NamedTuple, overload

import numpy as _numpy

from heddle import _core
from heddle._arguments import as_array, both_arrays, normalize_axis, of_great_integers
from heddle._core import ndarray
from heddle._typing import ArrayLike, Axis

_INT64 = _numpy.dtype(_numpy.int64)


class UniqueAllResult(NamedTuple):
    """What unique_all gives."""

    values: ndarray
    indices: ndarray
    inverse_indices: ndarray
    counts: ndarray


class UniqueCountsResult(NamedTuple):
    """What unique_counts gives."""

    values: ndarray
    counts: ndarray


class UniqueInverseResult(NamedTuple):
    """What unique_inverse gives."""

    values: ndarray
    inverse_indices: ndarray


@overload
def unique(
    ar: ArrayLike,
    return_index: Literal[False] = False,
    return_inverse: Literal[False] = False,
    return_counts: Literal[False] = False,
    axis: Axis | None = None,
    *,
    equal_nan: bool = True,
    sorted: bool = True,
) -> ndarray: ...
@overload
def unique(
    ar: ArrayLike,
    return_index: bool = False,
    return_inverse: bool = False,
    return_counts: bool = False,
    axis: Axis | None = None,
    *,
    equal_nan: bool = True,
    sorted: bool = True,
) -> tuple[ndarray, ...]: ...
def unique(
    ar: ArrayLike,
    return_index: bool = False,
    return_inverse: bool = False,
    return_counts: bool = False,
    axis: Axis | None = None,
    *,
    equal_nan: bool = True,
    sorted: bool = True,
) -> ndarray | tuple[ndarray, ...]:
    """The sorted unique elements; or the unique parts along an axis.

    Optionally with the indices of their first occurrences, the indices that make the array again,
    and their counts. The elements are sorted whether or not ``sorted`` asks for it.

    Examples
    --------
    >>> import heddle as np
    >>> np.unique([3, 1, 3, 2])
    array([1, 2, 3])
    >>> values, counts = np.unique([3, 1, 3], return_counts=True)
    >>> counts
    array([1, 2])
    """
    a = as_array(ar)
    axis = None if axis is None else normalize_axis(axis, a.ndim)
    wanted = bool(return_index), bool(return_inverse), bool(return_counts)
    found = _core.unique(a, *wanted, axis, bool(equal_nan))
    return found if len(found) > 1 else found[0]


def unique_all(x: ArrayLike) -> UniqueAllResult:
    """The unique elements, their first indices, the inverse and the counts; nans are distinct.

    Examples
    --------
    >>> import heddle as np
    >>> np.unique_all(np.array([3, 1, 3])).values
    array([1, 3])
    """
    return UniqueAllResult(*unique(x, True, True, True, equal_nan=False))


def unique_counts(x: ArrayLike) -> UniqueCountsResult:
    """The unique elements and their counts; nans are distinct.

    Examples
    --------
    >>> import heddle as np
    >>> np.unique_counts(np.array([3, 1, 3])).counts
    array([1, 2])
    """
    return UniqueCountsResult(*unique(x, return_counts=True, equal_nan=False))


def unique_inverse(x: ArrayLike) -> UniqueInverseResult:
    """The unique elements and the indices that make the array again; nans are distinct.

    Examples
    --------
    >>> import heddle as np
    >>> values, inverse = np.unique_inverse(np.array([3, 1, 3]))
    >>> values[inverse]
    array([3, 1, 3])
    """
    return UniqueInverseResult(*unique(x, return_inverse=True, equal_nan=False))


def unique_values(x: ArrayLike) -> ndarray:
    """The unique elements, sorted; nans are distinct.

    Examples
    --------
    >>> import heddle as np
    >>> np.unique_values(np.array([3, 1, 3]))
    array([1, 3])
    """
    return unique(x, equal_nan=False)


# --- operations on sets ---


def union1d(ar1: ArrayLike, ar2: ArrayLike) -> ndarray:
    """The unique elements of both arrays, sorted.

    Examples
    --------
    >>> import heddle as np
    >>> np.union1d([1, 3], [2, 3])
    array([1, 2, 3])
    """
    return _core.union1d(*both_arrays(ar1, ar2))


@overload
def intersect1d(
    ar1: ArrayLike,
    ar2: ArrayLike,
    assume_unique: bool = False,
    return_indices: Literal[False] = False,
) -> ndarray: ...
@overload
def intersect1d(
    ar1: ArrayLike, ar2: ArrayLike, assume_unique: bool = False, *, return_indices: Literal[True]
) -> tuple[ndarray, ndarray, ndarray]: ...
def intersect1d(
    ar1: ArrayLike, ar2: ArrayLike, assume_unique: bool = False, return_indices: bool = False
) -> Any:
    """The sorted elements that are in both arrays, optionally with where they are in each.

    Examples
    --------
    >>> import heddle as np
    >>> np.intersect1d([1, 3, 4], [3, 4, 5])
    array([3, 4])
    """
    find = _core.intersection if return_indices else _core.intersect1d
    return find(*both_arrays(ar1, ar2), bool(assume_unique))


def setxor1d(ar1: ArrayLike, ar2: ArrayLike, assume_unique: bool = False) -> ndarray:
    """The sorted elements that are in exactly one of both arrays.

    Examples
    --------
    >>> import heddle as np
    >>> np.setxor1d([1, 2, 3], [2, 3, 4])
    array([1, 4])
    """
    return _core.setxor1d(*both_arrays(ar1, ar2), bool(assume_unique))


def setdiff1d(ar1: ArrayLike, ar2: ArrayLike, assume_unique: bool = False) -> ndarray:
    """The elements of the first array that are not in the second; sorted unless assumed unique.

    Examples
    --------
    >>> import heddle as np
    >>> np.setdiff1d([1, 2, 3], [2])
    array([1, 3])
    """
    return _core.setdiff1d(*both_arrays(ar1, ar2), bool(assume_unique))


def isin(
    element: ArrayLike,
    test_elements: ArrayLike,
    assume_unique: bool = False,
    invert: bool = False,
    *,
    kind: Literal["sort", "table"] | None = None,
) -> ndarray:
    """Whether each element is among the test elements.

    ``kind`` is 'table' (integers in a small range), 'sort', or None for the better one; whether
    elements are unique makes no difference to either.

    Examples
    --------
    >>> import heddle as np
    >>> np.isin([1, 2, 3], [2, 3, 5])
    array([False,  True,  True])
    """
    if kind is not None and not isinstance(kind, str):
        raise ValueError(f"Invalid kind: '{kind}'. Please use None, 'sort' or 'table'.")
    try:
        element, tests = both_arrays(element, test_elements)
    except TypeError:
        search = partial(_numpy.isin, invert=invert, kind=kind)
        if (found := of_great_integers(search, element, test_elements)) is None:
            raise
        return found
    found = _core.isin(element, tests, bool(invert), kind)
    return found if found.ndim else found[...]


__all__ = [
    "intersect1d",
    "isin",
    "setdiff1d",
    "setxor1d",
    "union1d",
    "unique",
    "unique_all",
    "unique_counts",
    "unique_inverse",
    "unique_values",
]
