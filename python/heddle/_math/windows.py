"""Windows for the transform of signals, and the Bessel function that one of them is made of."""

from __future__ import annotations

import math
from typing import Any

import numpy as _numpy

from heddle import _core
from heddle._arguments import as_array
from heddle._core import ndarray, ufuncs
from heddle._creation.arrays import arange
from heddle._typing import ArrayLike

__all__ = ["bartlett", "blackman", "hamming", "hanning", "i0", "kaiser"]


# Chebyshev coefficients, the lowest first, of exp(-x) I0(x) in x/4 - 1 up to 8, and of the same
# times the root of x in 16/x - 1 beyond.
_i0_coefficients = (
    (0.6767952744094761, 0.8044904110141088),
    (-0.3046826723431984, 0.0033691164782556943),
    (0.17162090152220877, 6.889758346916825e-05),
    (-0.09490109704804764, 2.8913705208347567e-06),
    (0.04930528423967071, 2.0489185894690638e-07),
    (-0.02373741480589947, 2.266668990498178e-08),
    (0.010546460394594998, 3.3962320257083865e-09),
    (-0.004324309995050576, 4.94060238822497e-10),
    (0.0016394756169413357, 1.1889147107846439e-11),
    (-0.0005763755745385824, -3.1499165279632416e-11),
    (0.00018850288509584165, -1.3215811840447713e-11),
    (-5.754195010082104e-05, -1.7941785315068062e-12),
    (1.6448448070728896e-05, 7.180124451383666e-13),
    (-4.4167383584587505e-06, 3.8527783827421426e-13),
    (1.1173875391201037e-06, 1.54008621752141e-14),
    (-2.670793853940612e-07, -4.150569347287222e-14),
    (6.046995022541919e-08, -9.554846698828307e-15),
    (-1.300025009986248e-08, 3.8116806693526224e-15),
    (2.6598237246823866e-09, 1.7725601330565263e-15),
    (-5.189795601635263e-10, -3.425485619677219e-16),
    (9.675809035373237e-11, -2.8276239805165836e-16),
    (-1.726826291441556e-11, 3.461222867697461e-17),
    (2.95505266312964e-12, 4.46562142029676e-17),
    (-4.856446783111929e-13, -4.830504485944182e-18),
    (7.676185498604936e-14, -7.233180487874754e-18),
    (-1.1685332877993451e-14, 0.0),
    (1.715391285555133e-15, 0.0),
    (-2.431279846547955e-16, 0.0),
    (3.3307945188222384e-17, 0.0),
    (-4.4153416464793395e-18, 0.0),
)


def _number(value: Any) -> Any:
    """As NumPy reads it: at least a float64."""
    if isinstance(value, ndarray):
        value = value._item()
    return _numpy.array([0.0, value])[1]


def _positions(M: float) -> ndarray:
    """Angles from -pi to pi, one for each of the M elements."""
    return _core.apply(ufuncs["multiply"], (arange(1 - M, M, 2), math.pi), None) / (M - 1)


def _short(M: float) -> ndarray:
    """The windows of no and of one element."""
    return _core.full((0 if M < 1 else 1,), 1.0, _numpy.dtype(float))


def bartlett(M: float) -> ndarray:
    """The triangle window of M points, zero at both ends.

    Examples
    --------
    >>> import heddle as np
    >>> np.bartlett(5)
    array([0. , 0.5, 1. , 0.5, 0. ])
    """
    M = _number(M)
    if M <= 1:
        return _short(M)
    n = arange(1 - M, M, 2)
    return _core.select(n <= 0, 1 + n / (M - 1), 1 - n / (M - 1))


def _cos(x: ndarray) -> ndarray:
    return _core.apply(ufuncs["cos"], (x,), None)


def blackman(M: float) -> ndarray:
    """Blackman's window of M points: a sum of the first three terms of cosines.

    Examples
    --------
    >>> import heddle as np
    >>> np.blackman(5).round(4)
    array([-0.  ,  0.34,  1.  ,  0.34, -0.  ])
    """
    M = _number(M)
    if M <= 1:
        return _short(M)
    x = _positions(M)
    return 0.42 + 0.5 * _cos(x) + 0.08 * _cos(2.0 * x)


def hamming(M: float) -> ndarray:
    """Hamming's window of M points: a raised cosine that does not reach zero.

    Examples
    --------
    >>> import heddle as np
    >>> np.hamming(5)
    array([0.08, 0.54, 1.  , 0.54, 0.08])
    """
    M = _number(M)
    return _short(M) if M <= 1 else 0.54 + 0.46 * _cos(_positions(M))


def hanning(M: float) -> ndarray:
    """The Hann window of M points: a raised cosine, zero at both ends.

    Examples
    --------
    >>> import heddle as np
    >>> np.hanning(5)
    array([0. , 0.5, 1. , 0.5, 0. ])
    """
    M = _number(M)
    return _short(M) if M <= 1 else 0.5 + 0.5 * _cos(_positions(M))


def kaiser(M: float, beta: float) -> ndarray:
    """Kaiser's window of M points; a larger beta makes a wider main lobe and lowers the others.

    Examples
    --------
    >>> import heddle as np
    >>> np.kaiser(5, 14).round(4)
    array([0.    , 0.1649, 1.    , 0.1649, 0.    ])
    """
    M, beta = _number(M), _number(beta)
    if M == 1:
        return _short(M)
    half = (M - 1) / 2.0
    x = (arange(0, M) - half) / half
    root = _core.apply(ufuncs["sqrt"], (1 - x * x,), None)
    return i0(beta * root) / i0(as_array(beta))


def i0(x: ArrayLike) -> ndarray:
    """The modified Bessel function of the first kind and order zero.

    Examples
    --------
    >>> import heddle as np
    >>> np.i0([0.0, 1.0]).round(6)
    array([1.      , 1.266066])
    """
    x = as_array(x)
    if x.dtype.kind == "c":
        raise TypeError("i0 not supported for complex values")
    if x.dtype.kind not in "fV":
        x = as_array(x, _numpy.float64)
    x = _core.apply(ufuncs["absolute"], (x,), None)
    near = x <= 8.0
    # Twice the place in the interval. Beyond it is nan at zero, which is near.
    place = _core.select(near, x * 0.5 - 2.0, 32.0 / x - 2.0)
    sums = [as_array(0.0, x.dtype)] * 3
    for low, high in reversed(_i0_coefficients):
        term = _core.select(near, as_array(low, x.dtype), as_array(high, x.dtype))
        sums = [place * sums[0] - sums[1] + term, *sums[:2]]
    scaled = 0.5 * (sums[0] - sums[2])
    root = _core.apply(ufuncs["sqrt"], (x,), None)
    grown = _core.apply(ufuncs["exp"], (x,), None) * scaled
    result = _core.select(near, grown, grown / root)
    return result if result.ndim else result[...]
