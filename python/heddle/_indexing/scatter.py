"""CuPy's names of ``ufunc.at``, which are functions of `heddle.cupyx` and methods of arrays."""

from __future__ import annotations

from heddle._arguments import needs_array
from heddle._core import ndarray, ufuncs
from heddle._typing import ArrayLike, Index


def scatter_add(a: ndarray, slices: Index, value: ArrayLike) -> None:
    """Adds values to elements, each as often as its index is given; ``heddle.add.at``.

    Examples
    --------
    >>> a = heddle.zeros(3)
    >>> heddle.cupyx.scatter_add(a, [0, 2, 2], 1.0)
    >>> a
    array([1., 0., 2.])
    """
    needs_array(a, "scatter_add")
    ufuncs["add"].at(a, slices, value)


def scatter_max(a: ndarray, slices: Index, value: ArrayLike) -> None:
    """Raises elements to values, where those are greater; ``heddle.maximum.at``.

    Examples
    --------
    >>> a = heddle.zeros(3)
    >>> a.scatter_max([0, 2, 2], [1.0, 5.0, 4.0])
    >>> a
    array([1., 0., 5.])
    """
    needs_array(a, "scatter_max")
    ufuncs["maximum"].at(a, slices, value)


def scatter_min(a: ndarray, slices: Index, value: ArrayLike) -> None:
    """Lowers elements to values, where those are less; ``heddle.minimum.at``.

    Examples
    --------
    >>> a = heddle.zeros(3)
    >>> a.scatter_min([0, 2, 2], [1.0, -5.0, -4.0])
    >>> a
    array([ 0.,  0., -5.])
    """
    needs_array(a, "scatter_min")
    ufuncs["minimum"].at(a, slices, value)


for _function in (scatter_add, scatter_max, scatter_min):
    _function.__module__ = "heddle.cupyx"  # where users find them
