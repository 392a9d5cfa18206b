"""Helpers for series: reading and trimming coefficients, mapping domains."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeVar

import numpy
from numpy.polynomial import polyutils as _polyutils

from heddle._arguments import as_array
from heddle._core import ndarray, own_array
from heddle._typing import ArrayLike
from heddle.polynomial import _series
from heddle.polynomial._binding import public
from heddle.polynomial._coefficients import as_vectors, give, trimmed
from heddle.polynomial._domains import domain_of, mapparms, mapped
from heddle.polynomial._objects import or_numpys

_Series = TypeVar("_Series", bound=Any)

trimcoef = public(_series.trim, "trimcoef", __name__)


@or_numpys(_polyutils.as_series)
def as_series(alist: Sequence[ArrayLike], trim: bool = True) -> list[Any]:
    """The arguments as one-dimensional arrays of a common inexact type.

    Examples
    --------
    >>> from heddle.polynomial import polyutils
    >>> polyutils.as_series([[1, 2, 0], 3])
    [array([1., 2.]), array([3.])]
    """
    return [give(c) for c in as_vectors(*alist, trim=trim)]


def trimseq(seq: _Series) -> _Series:
    """The sequence without trailing zeros; at least one element stays.

    Examples
    --------
    >>> from heddle.polynomial import polyutils
    >>> polyutils.trimseq([1, 2, 0, 0])
    [1, 2]
    """
    if len(seq) == 0 or (not isinstance(seq, own_array) and seq[-1] != 0):
        return seq
    if isinstance(seq, own_array | numpy.ndarray):
        of_either: Any = seq
        made: _Series = give(trimmed(of_either))
        return made
    kept = len(seq)
    while kept > 1 and seq[kept - 1] == 0:
        kept -= 1
    rest: _Series = seq[:kept]
    return rest


@or_numpys(_polyutils.getdomain)
def getdomain(x: ArrayLike) -> ndarray:
    """The smallest interval that holds the points; in the complex plane, two of its corners.

    Examples
    --------
    >>> from heddle.polynomial import polyutils
    >>> polyutils.getdomain([3, -1, 2])
    array([-1.,  3.])
    """
    found: ndarray = give(domain_of(x))
    return found


@or_numpys(_polyutils.mapdomain)
def mapdomain(x: ArrayLike, old: object, new: object) -> ndarray | complex:
    """The linear map from one interval to another, applied to x.

    Examples
    --------
    >>> from heddle.polynomial import polyutils
    >>> polyutils.mapdomain([0.0, 0.5, 1.0], [0, 1], [-1, 1])
    array([-1.,  0.,  1.])
    """
    if isinstance(x, list | tuple | numpy.ndarray):
        x = as_array(x)
    made: ndarray | complex = give(mapped(x, old, new))
    return made


def format_float(x: float, parens: bool = False) -> str:
    """A coefficient as NumPy's polynomials print it.

    Examples
    --------
    >>> from heddle.polynomial import polyutils
    >>> polyutils.format_float(2.5)
    '2.5'
    """
    number: Any = x._item() if isinstance(x, own_array) else x
    return _polyutils.format_float(number, parens)


__all__ = [
    "as_series",
    "format_float",
    "getdomain",
    "mapdomain",
    "mapparms",
    "trimcoef",
    "trimseq",
]
