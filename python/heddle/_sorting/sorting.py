"""Sorting, partitioning and searching, deferred. The order is NumPy's: nan last."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from functools import partial
from typing import Literal, NamedTuple, SupportsIndex

import numpy as _numpy

from heddle import _core
from heddle._arguments import (
    as_array,
    as_array_beside,
    as_integer,
    both_arrays,
    filled,
    normalize_axis,
    of_great_integers,
    one_axis,
)
from heddle._core import in_core, ndarray, own_array
from heddle._runtime.reports import refuse_if
from heddle._typing import ArrayLike, Axis, HostArray, Order, SortKind

_INT64 = _numpy.dtype(_numpy.int64)


# --- arguments ---


def _is_stable(kind: object, order: object, stable: bool | None, descending: bool | None) -> bool:
    """Whether equal elements have to keep their order; errors for what sorting does not take."""
    if order is not None:
        raise ValueError("Cannot specify order when the array has no fields.")
    if kind is None:
        return bool(stable)
    if not isinstance(kind, str):
        raise TypeError(f"sort kind must be str, not {type(kind).__name__}")
    if kind[:1].lower() not in ("q", "h", "m", "s"):
        raise ValueError(f"sort kind must be one of 'quick', 'heap', or 'stable' (got '{kind}')")
    if stable is not None or descending is not None:
        raise ValueError(
            "`kind` and keyword parameters can't be provided at the same time. Use only one of "
            "them."
        )
    return kind[0].lower() in ("m", "s")


def _check_select(kind: str, order: Order | None) -> None:
    if order is not None:
        raise ValueError("Cannot specify order when the array has no fields.")
    if not isinstance(kind, str):
        raise TypeError(f"select kind must be str, not {type(kind).__name__}")
    if kind != "introselect":
        raise ValueError(f"select kind must be 'introselect' (got '{kind}')")


def _ranks(kth: object, length: int, empty: bool) -> list[int]:
    """The places of a partition in [0, length)."""
    if type(kth) is int and 0 <= kth < length:
        return [kth]
    given = _numpy.asarray(kth.get() if isinstance(kth, own_array) else kth)
    if given.dtype.kind == "b":
        raise ValueError("Booleans unacceptable as partition index")
    if given.dtype.kind not in "iu":
        raise TypeError("Partition index must be integer")
    if given.ndim > 1:
        raise ValueError("object too deep for desired array")
    ranks = [k + length if k < 0 else k for k in given.reshape(-1).tolist()]
    for k in ranks:
        if not empty and not 0 <= k < length:
            raise ValueError(f"kth(={k}) out of bounds ({length})")
    return ranks


def _check_writeable(a: ndarray, name: str) -> None:
    if not a._writeable:
        raise ValueError(f"{name} array is read-only")


# --- sorting ---


def _turned(function: Callable[..., ndarray]) -> Callable[..., ndarray]:
    """Of an array in Fortran's order, the result is in that order, too."""

    def call(a: ndarray, axis: int, *arguments: object) -> ndarray:
        if a.ndim < 2 or a._c_contiguous or not a._f_contiguous:
            return function(a, axis, *arguments)
        made = function(a._transpose(None), a.ndim - 1 - axis, *arguments)
        return made._transpose(None)

    return call


@_turned
def _partitioned(a: ndarray, axis: int, ranks: list[int]) -> ndarray:
    return _core.partition(a, ranks, axis)


def _mirrored(a: ndarray) -> ndarray:
    """Elements whose order is the other one, nan still last; mirrored again, those there were."""
    return -a if a.dtype.kind in "fcV" else ~a


@_turned
def _sorted(a: ndarray, axis: int, stable: bool, descending: bool) -> ndarray:
    ascending = _mirrored(a) if descending else a
    if stable and a.dtype.kind in "fcV":  # zeros of both signs are equal, and keep their order
        return along(a, _core.argsort(ascending, axis), axis)
    ordered = _core.sort(ascending, axis)
    return _mirrored(ordered) if descending else ordered


def along(a: ndarray, order: ndarray, axis: int) -> ndarray:
    """The elements at places along an axis, which are known to be there."""
    if axis == a.ndim - 1:
        return _core.take_in_rows(a, order)
    return _core.take_in_rows(a.swapaxes(axis, -1), order.swapaxes(axis, -1)).swapaxes(axis, -1)


@in_core
def sort(
    a: ArrayLike,
    axis: Axis = -1,
    kind: SortKind | None = None,
    order: None = None,
    *,
    stable: bool | None = None,
    descending: bool | None = None,
) -> ndarray:
    """A sorted copy of an array, along an axis or flattened.

    All kinds are as fast as the fastest; only 'stable' and 'mergesort' promise to keep the order of
    equal elements. `descending` puts the largest elements first; nan stays last.

    Examples
    --------
    >>> import heddle as np
    >>> np.sort([3, 1, 2])
    array([1, 2, 3])
    >>> np.sort([[3, 1], [4, 2]], axis=0)
    array([[3, 1],
           [4, 2]])
    """
    a, stable = as_array(a), _is_stable(kind, order, stable, descending)
    if axis is None:
        a, axis = a._reshape((-1,)), 0
    axis = normalize_axis(axis, a.ndim)
    return _sorted(a, axis, stable, bool(descending))


@in_core
def argsort(
    a: ArrayLike,
    axis: Axis = -1,
    kind: SortKind | None = None,
    order: None = None,
    *,
    stable: bool | None = None,
    descending: bool | None = None,
) -> ndarray:
    """The indices that would sort an array along an axis; equal elements keep their order.

    `descending` puts the largest elements first; nan stays last.

    Examples
    --------
    >>> import heddle as np
    >>> x = np.array([30, 10, 20])
    >>> np.argsort(x)
    array([1, 2, 0])
    >>> x[np.argsort(x)]
    array([10, 20, 30])
    """
    a = as_array(a)  # records, which have an order, are NumPy's
    _is_stable(kind, order, stable, descending)
    a, axis = one_axis(a, axis)
    return _core.argsort(_mirrored(a) if descending else a, axis)


def sort_complex(a: ArrayLike) -> ndarray:
    """A copy sorted by the real and then the imaginary parts, as complex numbers.

    Examples
    --------
    >>> import heddle as np
    >>> np.sort_complex([3 + 1j, 1, 3 - 1j])
    array([1.+0.j, 3.-1.j, 3.+1.j])
    """
    ordered = sort(as_array(a))
    if ordered.dtype.kind == "c":
        return ordered
    kind = _numpy.complex64 if ordered.dtype.char in "bhBH" else _numpy.complex128
    return ordered._astype(kind, "K")


def lexsort(keys: Sequence[ArrayLike] | ndarray | HostArray, axis: Axis = -1) -> ndarray:
    """The indices that sort by several keys: by the last one, ties by the one before, and so on.

    Examples
    --------
    >>> import heddle as np
    >>> surnames, names = np.array([2, 1, 2]), np.array([1, 3, 0])
    >>> np.lexsort((names, surnames))
    array([1, 2, 0])
    """
    if isinstance(keys, own_array | _numpy.ndarray) and keys.ndim == 0:
        raise TypeError("need sequence of keys with len > 0 in lexsort")
    return _core.lexsort([as_array(key) for key in keys], as_integer(axis))


# --- partitions ---


@in_core
def partition(
    a: ArrayLike,
    kth: SupportsIndex | Sequence[SupportsIndex],
    axis: Axis = -1,
    kind: Literal["introselect"] = "introselect",
    order: None = None,
) -> ndarray:
    """A copy in which the element at ``kth`` is where sorting would put it.

    Smaller ones are before it and the others behind it, in any order.

    Examples
    --------
    >>> import heddle as np
    >>> np.partition([7, 1, 5, 3], 1)[:2]
    array([1, 3])
    """
    a = as_array(a)
    _check_select(kind, order)
    if axis is None:
        a, axis = a._reshape((-1,)), 0
    axis = normalize_axis(axis, a.ndim)
    ranks = _ranks(kth, a.shape[axis], a.size == 0)
    return _partitioned(a, axis, sorted(ranks))


@in_core
def argpartition(
    a: ArrayLike,
    kth: SupportsIndex | Sequence[SupportsIndex],
    axis: Axis = -1,
    kind: Literal["introselect"] = "introselect",
    order: None = None,
) -> ndarray:
    """The indices that would partition an array along an axis; see `partition`.

    Examples
    --------
    >>> import heddle as np
    >>> x = np.array([7, 1, 5, 3])
    >>> x[np.argpartition(x, 0)[0]]
    np.int64(1)
    """
    a = as_array(a)
    _check_select(kind, order)
    a, axis = one_axis(a, axis)
    ranks = _ranks(kth, a.shape[axis], a.size == 0)
    return _core.argpartition(a, sorted(ranks), axis)


class TopKResult(NamedTuple):
    """What `topk` finds."""

    values: ndarray
    indices: ndarray


def topk(a: ArrayLike, k: SupportsIndex, axis: Axis = -1, *, largest: bool = True) -> TopKResult:
    """The k largest elements along an axis, the largest first, and where they are.

    With ``largest=False`` the smallest, the smallest first. nan comes after all numbers in both, as
    in `sort`. Which of equal elements are taken is not said. NumPy has no such function.

    Examples
    --------
    >>> import heddle as np
    >>> values, indices = np.topk(np.array([3, 9, 5, 7]), 2)
    >>> values, indices
    (array([9, 7]), array([1, 3]))
    """
    a, axis = one_axis(as_array(a), axis)
    return TopKResult(*_core.topk(a, as_integer(k), axis, bool(largest)))


# --- searching ---


def _side(side: str) -> bool:
    """Whether the side is the right one."""
    if not isinstance(side, str):
        raise TypeError(f"search side must be str, not {type(side).__name__}")
    if side not in ("left", "right"):
        if side[:1].lower() in ("l", "r"):
            raise ValueError("search side must be one of 'left' or 'right'")
        raise ValueError(f"search side must be 'left' or 'right' (got '{side}')")
    return side == "right"


def _in_order(a: ndarray, sorter: ArrayLike, used: bool) -> ndarray:
    """The array as a sorter says it is in order; what nothing is looked up by is not checked."""
    sorter = as_array_beside(sorter, a)
    if sorter.ndim != 1:
        raise TypeError("could not parse sorter argument")
    if sorter.dtype.kind not in "iub":
        raise TypeError("sorter must only contain integers")
    if sorter.size != a.size:
        raise ValueError("sorter.size must equal a.size")
    sorter = as_array(sorter, _INT64)
    outside = (sorter < 0) | (sorter >= a.size)
    text = "Sorter index out of range."
    if used:
        sorter = refuse_if(outside, sorter, ValueError, text, "searchsorted")
    return _core.take_in_rows(a, _core.select(outside, filled(0, _INT64), sorter))


def searchsorted(
    a: ArrayLike,
    v: ArrayLike,
    side: Literal["left", "right"] = "left",
    sorter: ArrayLike | None = None,
) -> ndarray:
    """Where elements would have to be inserted in a sorted array to keep it sorted.

    Examples
    --------
    >>> import heddle as np
    >>> np.searchsorted([1, 2, 3, 5], [2, 4])
    array([1, 3])
    >>> np.searchsorted([1, 2, 3], 2, side="right")
    np.int64(2)
    """
    right = _side(side)
    try:
        a, v = both_arrays(a, v)
    except TypeError:
        order = None if sorter is None else as_array(sorter).get()
        search = partial(_numpy.searchsorted, side=side, sorter=order)
        if (found := of_great_integers(search, a, v)) is None:
            raise
        return found
    if sorter is not None:
        a = _in_order(a, sorter, used=v.size > 0)
    return _core.searchsorted(a, v, right)


def digitize(x: ArrayLike, bins: ArrayLike, right: bool = False) -> ndarray:
    """The bin of each element: i such that bins[i-1] <= x < bins[i], or the like if ``right``.

    Examples
    --------
    >>> import heddle as np
    >>> np.digitize([0.2, 6.4, 3.0], [0.0, 1.0, 2.5, 4.0])
    array([1, 4, 3])
    """
    return _core.digitize(*both_arrays(x, bins), operator.truth(right))


# --- methods ---


def _sort_method(
    self: ndarray,
    axis: int = -1,
    kind: object = None,
    order: str | None = None,
    *,
    stable: bool | None = None,
    descending: bool | None = None,
) -> None:
    """Sorts the array in place; see `heddle.sort`.

    Examples
    --------
    >>> import heddle as np
    >>> x = np.array([3, 1, 2])
    >>> x.sort()
    >>> x
    array([1, 2, 3])
    """
    stable = _is_stable(kind, order, stable, descending)
    axis = normalize_axis(axis, self.ndim)
    _check_writeable(self, "sort")
    _core.write(self, _sorted(self, axis, stable, bool(descending)))


def _partition_method(
    self: ndarray,
    kth: list[int] | int,
    axis: int = -1,
    kind: str = "introselect",
    order: Order | None = None,
) -> None:
    """Partitions the array in place; see `heddle.partition`.

    Examples
    --------
    >>> import heddle as np
    >>> x = np.array([7, 1, 5, 3])
    >>> x.partition(1)
    >>> x[:2]
    array([1, 3])
    """
    _check_select(kind, order)
    axis = normalize_axis(axis, self.ndim)
    _check_writeable(self, "partition")
    _core.write(self, partition(self, kth, axis))


for _name, _method in {
    "argpartition": argpartition,
    "argsort": argsort,
    "partition": _partition_method,
    "searchsorted": searchsorted,
    "sort": _sort_method,
}.items():
    setattr(ndarray, _name, _method)

__all__ = [
    "argpartition",
    "argsort",
    "digitize",
    "lexsort",
    "partition",
    "searchsorted",
    "sort",
    "sort_complex",
    "topk",
]
