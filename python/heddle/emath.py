"""Functions that give complex results where real ones do not exist, as ``numpy.emath``.

Whether an argument has such elements has to be known before the result has a type, so each call
looks at its arguments.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as _numpy

from heddle._arguments import any_of, as_array
from heddle._core import ndarray, ufuncs
from heddle._typing import ArrayLike

_SINGLE = "bBhHef"  # types whose complex partner is complex64


def _as_complex(x: ndarray) -> ndarray:
    single = x.dtype.char in _SINGLE or x.dtype.kind == "V"
    return as_array(x, _numpy.dtype(_numpy.complex64 if single else _numpy.complex128))


def _widened(x: ArrayLike, outside: Callable[..., Any]) -> ndarray:
    """The argument as an array, complex where an element is outside of the function's domain."""
    x = as_array(x)
    if x.dtype.kind in "bu" and outside is _negative:
        return x
    if x.dtype.kind == "c":
        return x
    return _as_complex(x) if any_of(outside(x)) else x


def _negative(x: ndarray) -> ndarray:
    return x < 0


def _beyond_one(x: ndarray) -> ndarray:
    return ufuncs["absolute"](x) > 1


def sqrt(x: ArrayLike) -> ndarray:
    """The square root; complex where an element is negative.

    Examples
    --------
    >>> import heddle as np
    >>> np.emath.sqrt([-1.0, 4.0])
    array([0.+1.j, 2.+0.j])
    """
    return ufuncs["sqrt"](_widened(x, _negative))


def log(x: ArrayLike) -> ndarray:
    """The natural logarithm; complex where an element is negative.

    Examples
    --------
    >>> import heddle as np
    >>> np.emath.log(-np.exp(1)).round(4)
    np.complex128(1+3.1416j)
    """
    return ufuncs["log"](_widened(x, _negative))


def log10(x: ArrayLike) -> ndarray:
    """The logarithm to base 10; complex where an element is negative.

    Examples
    --------
    >>> import heddle as np
    >>> np.emath.log10([10.0, 100.0])
    array([1., 2.])
    """
    return ufuncs["log10"](_widened(x, _negative))


def log2(x: ArrayLike) -> ndarray:
    """The logarithm to base 2; complex where an element is negative.

    Examples
    --------
    >>> import heddle as np
    >>> np.emath.log2([4.0, 8.0])
    array([2., 3.])
    """
    return ufuncs["log2"](_widened(x, _negative))


def logn(n: ArrayLike, x: ArrayLike) -> ndarray:
    """The logarithm to base `n`; complex where an element or the base is negative.

    Examples
    --------
    >>> import heddle as np
    >>> np.emath.logn(2, [4.0, 8.0])
    array([2., 3.])
    """
    return ufuncs["log"](_widened(x, _negative)) / ufuncs["log"](_widened(n, _negative))


def power(x: ArrayLike, p: ArrayLike) -> ndarray:
    """x to the power p; complex where a base is negative, not an integer for negative exponents.

    Examples
    --------
    >>> import heddle as np
    >>> np.emath.power([-2, 4], 2)
    array([ 4.-0.j, 16.+0.j])
    >>> np.emath.power(-4.0, 0.5).round(6)
    np.complex128(2j)
    """
    x, p = _widened(x, _negative), as_array(p)
    if p.dtype.kind == "i" and any_of(p < 0):
        p = p * 1.0
    return ufuncs["power"](x, p)


def arccos(x: ArrayLike) -> ndarray:
    """The inverse cosine; complex where the modulus of an element is larger than one.

    Examples
    --------
    >>> import heddle as np
    >>> np.emath.arccos([1.0, 0.0]).round(4)
    array([0.    , 1.5708])
    """
    return ufuncs["arccos"](_widened(x, _beyond_one))


def arcsin(x: ArrayLike) -> ndarray:
    """The inverse sine; complex where the modulus of an element is larger than one.

    Examples
    --------
    >>> import heddle as np
    >>> np.emath.arcsin([0.0, 1.0]).round(4)
    array([0.    , 1.5708])
    """
    return ufuncs["arcsin"](_widened(x, _beyond_one))


def arctanh(x: ArrayLike) -> ndarray:
    """The inverse hyperbolic tangent; complex where the modulus of an element exceeds one.

    Examples
    --------
    >>> import heddle as np
    >>> np.emath.arctanh([0.0, 0.5]).round(4)
    array([0.    , 0.5493])
    """
    return ufuncs["arctanh"](_widened(x, _beyond_one))


__all__ = ["arccos", "arcsin", "arctanh", "log", "log2", "log10", "logn", "power", "sqrt"]
