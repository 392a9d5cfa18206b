"""Sets: unique elements, and unions, intersections and differences of 1-d arrays."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple, overload

import numpy as _numpy

from heddle import _core
from heddle._arguments import as_array, both_arrays, normalize_axis
from heddle._core import ndarray, ufuncs
from heddle._manipulation.joining import concatenate
from heddle._sorting.sorting import lexsort
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


def _flat(a: Any) -> ndarray:
    return as_array(a)._reshape((-1,))


def _isnan(a: ndarray) -> ndarray:
    return _core.apply(ufuncs["isnan"], (a,), None)


def _changes(ordered: ndarray, equal_nan: bool = False) -> ndarray:
    """Whether elements of a sorted array differ from the one before, from the second on."""
    different = ordered[1:] != ordered[:-1]
    if equal_nan and ordered.dtype.kind in "fcV":  # behind the first nan there are only nans
        different = different & ~_isnan(ordered[:-1])
    return different


def _firsts(different: ndarray) -> ndarray:
    """A mask of the first elements of all runs."""
    mask = _core.empty((different.size + 1,), bool, different.device)
    mask[:1] = True
    _core.write(mask[1:], different)
    return mask


def _runs(ordered: Any, mask: ndarray, perm: ndarray | None, index: Any, counts: Any) -> list[Any]:
    """What unique gives of the runs that a mask begins, but for the inverse."""
    places = _core.flat_nonzero(mask)
    found = [ordered(places)]
    if index:
        found.append(_core.take_in_rows(perm, places))
    if counts:
        ends = concatenate((places[1:], _core.full((1,), mask.size, _INT64, mask.device)))
        found.append(ends - places)
    return found


def _inverse(mask: ndarray, perm: ndarray) -> ndarray:
    inverse = _core.empty(perm.shape, _INT64, perm.device)
    inverse[perm] = mask.cumsum(dtype=_INT64) - 1
    return inverse


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
) -> Any:
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
    if axis is not None:
        axis = normalize_axis(axis, a.ndim)
        if a.ndim > 1:
            return _unique_parts(a, axis, return_index, return_inverse, return_counts)
    flat = a._reshape((-1,))
    if flat.size == 0:
        empty = _core.empty((0,), _INT64, flat.device)
        rest = (return_index, return_inverse, return_counts)
        shapes = ((0,), a.shape, (0,))
        found = [empty._reshape(s) for wanted, s in zip(rest, shapes, strict=True) if wanted]
        return (flat._copy("C"), *found) if found else flat._copy("C")
    perm = None
    if return_index or return_inverse:
        perm = _core.argsort(flat, 0)
        ordered = _core.take_in_rows(flat, perm)
    else:
        ordered = _core.sort(flat, 0)
    ordered.eval()
    mask = _firsts(_changes(ordered, bool(equal_nan)))
    found = _runs(
        lambda places: _core.take_in_rows(ordered, places), mask, perm, return_index, return_counts
    )
    if return_inverse:
        found.insert(2 if return_index else 1, _inverse(mask, perm)._reshape(a.shape))
    return tuple(found) if len(found) > 1 else found[0]


def _unique_parts(a: ndarray, axis: int, index: Any, inverse: Any, counts: Any) -> Any:
    """The unique parts along an axis of an array of several dimensions, in lexical order."""
    order = (axis, *(i for i in range(a.ndim) if i != axis))
    parts = a._transpose(order)
    shape = parts.shape
    rows = parts._reshape((shape[0], -1)) if parts.size else parts._reshape((shape[0], 0))
    if rows.shape[1]:
        perm = lexsort([rows[:, i] for i in range(rows.shape[1] - 1, -1, -1)])
    else:
        perm = _core.index_along((shape[0],), 0)
    ordered = rows[perm]
    if shape[0]:
        mask = _firsts((ordered[1:] != ordered[:-1]).any(1))
    else:
        mask = _core.empty((0,), bool, a.device)

    def values(places: ndarray) -> ndarray:
        chosen = ordered[places]._reshape((places.size, *shape[1:]))
        return chosen._transpose(tuple(order.index(i) for i in range(a.ndim)))

    found = _runs(values, mask, perm, index, counts)
    if inverse:
        found.insert(2 if index else 1, _inverse(mask, perm))
    return tuple(found) if len(found) > 1 else found[0]


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
    return unique(concatenate(both_arrays(ar1, ar2), axis=None))


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
    first, second = both_arrays(ar1, ar2)
    where1 = where2 = None
    if assume_unique:
        first, second = _flat(first), _flat(second)
    elif return_indices:
        first, where1 = unique(first, return_index=True)
        second, where2 = unique(second, return_index=True)
    else:
        first, second = unique(first), unique(second)
    both = concatenate((first, second))
    if not return_indices:
        ordered = _core.sort(both, 0)
        return ordered[:-1][ordered[1:] == ordered[:-1]]
    order = _core.argsort(both, 0)
    ordered = _core.take_in_rows(both, order)
    twice = ordered[1:] == ordered[:-1]
    at1, at2 = order[:-1][twice], order[1:][twice] - first.size
    if where1 is not None and where2 is not None:
        at1, at2 = where1[at1], where2[at2]
    return ordered[:-1][twice], at1, at2


def setxor1d(ar1: ArrayLike, ar2: ArrayLike, assume_unique: bool = False) -> ndarray:
    """The sorted elements that are in exactly one of both arrays.

    Examples
    --------
    >>> import heddle as np
    >>> np.setxor1d([1, 2, 3], [2, 3, 4])
    array([1, 4])
    """
    ar1, ar2 = both_arrays(ar1, ar2)
    if not assume_unique:
        ar1, ar2 = unique(ar1), unique(ar2)
    both = concatenate((ar1, ar2), axis=None)
    if both.size == 0:
        return both
    ordered = _core.sort(both, 0)
    edges = _core.full((both.size + 1,), True, bool, both.device)
    edges[1:-1] = ordered[1:] != ordered[:-1]
    return ordered[edges[1:] & edges[:-1]]


def setdiff1d(ar1: ArrayLike, ar2: ArrayLike, assume_unique: bool = False) -> ndarray:
    """The elements of the first array that are not in the second; sorted unless assumed unique.

    Examples
    --------
    >>> import heddle as np
    >>> np.setdiff1d([1, 2, 3], [2])
    array([1, 3])
    """
    first, ar2 = both_arrays(ar1, ar2)
    if assume_unique:
        first = _flat(first)
    else:
        first, ar2 = unique(first), unique(ar2)
    return first[isin(first, ar2, assume_unique=True, invert=True)]


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
    element, tests = both_arrays(element, test_elements)
    tests = _flat(tests)
    if kind not in (None, "sort", "table"):
        raise ValueError(f"Invalid kind: '{kind}'. Please use None, 'sort' or 'table'.")
    integers = element.dtype.kind in "iub" and tests.dtype.kind in "iub"
    if kind == "table" and not integers:
        raise ValueError(
            "The 'table' method is only supported for boolean or integer arrays. Please select "
            "'sort' or None for kind."
        )
    found = _found(element, tests, kind, integers)
    found = ~found if invert else found
    return found if found.ndim else found[...]


_FEW = 8  # comparisons that fuse into one kernel are faster than anything else


def _found(element: ndarray, tests: ndarray, kind: Any, integers: bool) -> ndarray:
    if tests.size == 0 or element.size == 0:
        return _core.full(element.shape, False, bool, element.device)
    if kind is None and tests.size <= _FEW:
        found = element == tests[0]
        for i in range(1, tests.size):
            found = found | (element == tests[i])
        return found
    if integers and kind != "sort":
        if tests.dtype.kind == "b":
            tests = tests._astype(_numpy.uint8, "K")
        if element.dtype.kind == "b":
            element = element._astype(_numpy.uint8, "K")
        low, high = tests.min()._item(), tests.max()._item()
        fits = high - low <= _numpy.iinfo(tests.dtype).max
        if fits and (kind == "table" or high - low <= 6 * (tests.size + element.size)):
            return _found_in_table(element, tests, low, high)
        if kind == "table":
            raise RuntimeError(
                "You have specified kind='table', but the range of values in `ar2` or `ar1` exceed "
                "the maximum integer of the datatype. Please set `kind` to None or 'sort'."
            )
    common = _core.common_type(element, tests)
    ordered = _core.sort(as_array(tests, common), 0)
    element = as_array(element, common)
    if common == _numpy.complex128:
        from heddle._sorting.sorting import searchsorted

        places = searchsorted(ordered, element)
    else:
        places = _core.searchsorted(ordered, element, False)
    places = _core.apply(ufuncs["minimum"], (places, ordered.size - 1), None)
    return _core.take_in_rows(ordered, places) == element


def _found_in_table(element: ndarray, tests: ndarray, low: int, high: int) -> ndarray:
    table = _core.full((high - low + 1,), False, bool, tests.device)
    # In the type of the tests, whose difference wraps around but fits once it is unsigned.
    unsigned = _numpy.dtype(f"u{tests.dtype.itemsize}")
    first = _core.full((), low, tests.dtype)
    table[(tests - first)._astype(unsigned, "K")._astype(_INT64, "K")] = True
    inside = (element >= low) & (element <= high)
    places = _core.select(inside, as_array(element, tests.dtype), first) - first
    places = places._astype(unsigned, "K")._astype(_INT64, "K")
    return _core.take_in_rows(table, places) & inside


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
