"""Functions that give complex results where real ones do not exist, as ``numpy.emath``.

Whether an argument has such elements has to be known before the result has a type, so each call
looks at its arguments.
"""

from __future__ import annotations

from heddle import _core
from heddle._arguments import as_array
from heddle._core import ndarray
from heddle._typing import ArrayLike


def sqrt(x: ArrayLike) -> ndarray:
    """The square root; complex where an element is negative.

    Examples
    --------
    >>> import heddle as np
    >>> np.emath.sqrt([-1.0, 4.0])
    array([0.+1.j, 2.+0.j])
    """
    return _core.emath_sqrt(as_array(x))


def log(x: ArrayLike) -> ndarray:
    """The natural logarithm; complex where an element is negative.

    Examples
    --------
    >>> import heddle as np
    >>> np.emath.log(-np.exp(1)).round(4)
    np.complex128(1+3.1416j)
    """
    return _core.emath_log(as_array(x))


def log10(x: ArrayLike) -> ndarray:
    """The logarithm to base 10; complex where an element is negative.

    Examples
    --------
    >>> import heddle as np
    >>> np.emath.log10([10.0, 100.0])
    array([1., 2.])
    """
    return _core.emath_log10(as_array(x))


def log2(x: ArrayLike) -> ndarray:
    """The logarithm to base 2; complex where an element is negative.

    Examples
    --------
    >>> import heddle as np
    >>> np.emath.log2([4.0, 8.0])
    array([2., 3.])
    """
    return _core.emath_log2(as_array(x))


def logn(n: ArrayLike, x: ArrayLike) -> ndarray:
    """The logarithm to base `n`; complex where an element or the base is negative.

    Examples
    --------
    >>> import heddle as np
    >>> np.emath.logn(2, [4.0, 8.0])
    array([2., 3.])
    """
    return _core.emath_logn(as_array(n), as_array(x))


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
    return _core.emath_power(as_array(x), as_array(p))


def arccos(x: ArrayLike) -> ndarray:
    """The inverse cosine; complex where the modulus of an element is larger than one.

    Examples
    --------
    >>> import heddle as np
    >>> np.emath.arccos([1.0, 0.0]).round(4)
    array([0.    , 1.5708])
    """
    return _core.emath_arccos(as_array(x))


def arcsin(x: ArrayLike) -> ndarray:
    """The inverse sine; complex where the modulus of an element is larger than one.

    Examples
    --------
    >>> import heddle as np
    >>> np.emath.arcsin([0.0, 1.0]).round(4)
    array([0.    , 1.5708])
    """
    return _core.emath_arcsin(as_array(x))


def arctanh(x: ArrayLike) -> ndarray:
    """The inverse hyperbolic tangent; complex where the modulus of an element exceeds one.

    Examples
    --------
    >>> import heddle as np
    >>> np.emath.arctanh([0.0, 0.5]).round(4)
    array([0.    , 0.5493])
    """
    return _core.emath_arctanh(as_array(x))


__all__ = ["arccos", "arcsin", "arctanh", "log", "log2", "log10", "logn", "power", "sqrt"]
