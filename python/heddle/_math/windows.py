"""Windows for the transform of signals, and the Bessel function that one of them is made of."""

from __future__ import annotations

from typing import Any

import numpy as _numpy

from heddle import _core
from heddle._arguments import as_array
from heddle._core import ndarray
from heddle._typing import ArrayLike

__all__ = ["bartlett", "blackman", "hamming", "hanning", "i0", "kaiser"]


def _number(value: Any) -> Any:
    """As NumPy reads it: at least a float64."""
    if isinstance(value, ndarray):
        value = value._item()
    return _numpy.array([0.0, value])[1]


def bartlett(M: float) -> ndarray:
    """The triangle window of M points, zero at both ends."""
    return _core.bartlett(_number(M))


def blackman(M: float) -> ndarray:
    """Blackman's window of M points: a sum of the first three terms of cosines."""
    return _core.blackman(_number(M))


def hamming(M: float) -> ndarray:
    """Hamming's window of M points: a raised cosine that does not reach zero."""
    return _core.hamming(_number(M))


def hanning(M: float) -> ndarray:
    """The Hann window of M points: a raised cosine, zero at both ends."""
    return _core.hanning(_number(M))


def kaiser(M: float, beta: float) -> ndarray:
    """Kaiser's window of M points; a larger beta makes a wider main lobe and lowers the others."""
    return _core.kaiser(_number(M), _number(beta))


def i0(x: ArrayLike) -> ndarray:
    """The modified Bessel function of the first kind and order zero."""
    result = _core.i0(as_array(x))
    return result if result.ndim else result[...]
