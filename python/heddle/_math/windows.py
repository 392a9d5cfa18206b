"""Windows for the transform of signals, and the Bessel function that one of them is made of."""

from __future__ import annotations

from heddle import _core
from heddle._arguments import as_array, as_number
from heddle._core import ndarray
from heddle._typing import ArrayLike

__all__ = ["bartlett", "blackman", "hamming", "hanning", "i0", "kaiser"]


def _length(M: object) -> float:
    """How many points; of arrays and lists NumPy would make one with the first, which is none."""
    if isinstance(M, list | tuple) or (hasattr(M, "ndim") and M.ndim):
        raise ValueError("setting an array element with a sequence: M must be a number")
    return as_number(M, "M")


def bartlett(M: float) -> ndarray:
    """The triangle window of M points, zero at both ends.

    Examples
    --------
    >>> import heddle as np
    >>> np.bartlett(5)
    array([0. , 0.5, 1. , 0.5, 0. ])
    """
    return _core.bartlett(_length(M))


def blackman(M: float) -> ndarray:
    """Blackman's window of M points: a sum of the first three terms of cosines.

    Examples
    --------
    >>> import heddle as np
    >>> np.blackman(5).round(4)
    array([-0.  ,  0.34,  1.  ,  0.34, -0.  ])
    """
    return _core.blackman(_length(M))


def hamming(M: float) -> ndarray:
    """Hamming's window of M points: a raised cosine that does not reach zero.

    Examples
    --------
    >>> import heddle as np
    >>> np.hamming(5)
    array([0.08, 0.54, 1.  , 0.54, 0.08])
    """
    return _core.hamming(_length(M))


def hanning(M: float) -> ndarray:
    """The Hann window of M points: a raised cosine, zero at both ends.

    Examples
    --------
    >>> import heddle as np
    >>> np.hanning(5)
    array([0. , 0.5, 1. , 0.5, 0. ])
    """
    return _core.hanning(_length(M))


def kaiser(M: float, beta: float) -> ndarray:
    """Kaiser's window of M points; a larger beta makes a wider main lobe and lowers the others.

    Examples
    --------
    >>> import heddle as np
    >>> np.kaiser(5, 14).round(4)
    array([0.    , 0.1649, 1.    , 0.1649, 0.    ])
    """
    return _core.kaiser(_length(M), as_number(beta, "beta"))


def i0(x: ArrayLike) -> ndarray:
    """The modified Bessel function of the first kind and order zero.

    Examples
    --------
    >>> import heddle as np
    >>> np.i0([0.0, 1.0]).round(6)
    array([1.      , 1.266066])
    """
    result = _core.i0(as_array(x))
    return result if result.ndim else result[...]
