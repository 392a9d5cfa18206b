"""Wavelets and the transform by them, which SciPy had until 1.14 and CuPy has."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy

import heddle as np
from heddle._arguments import as_array
from heddle._core import ndarray
from heddle._typing import ArrayLike, DTypeLike
from heddle.scipy.signal._convolution import convolve

_NORM = math.pi**-0.25


def qmf(hk: ArrayLike) -> ndarray:
    """The high-pass filter that belongs to a low-pass one: reversed, with every other sign changed.

    Examples
    --------
    >>> from heddle.scipy import signal
    >>> signal.qmf([1.0, 2.0, 3.0])
    array([ 3., -2.,  1.])
    """
    low = as_array(hk)
    signs = 1 - 2 * (np.arange(low.shape[0], device=low.device) % 2)
    return low[::-1] * signs.astype(low.dtype)


def morlet(M: int, w: float = 5.0, s: float = 1.0, complete: bool = True) -> ndarray:
    """Morlet's wavelet of M samples between -2 pi s and 2 pi s, with the frequency w.

    `complete` takes off what its mean is, which is small where w is larger than 5.

    Examples
    --------
    >>> from heddle.scipy import signal
    >>> abs(signal.morlet(3)).round(3)
    array([0.   , 0.751, 0.   ])
    """
    x = np.linspace(-s * 2 * math.pi, s * 2 * math.pi, M)
    wave = np.exp(1j * w * x)
    if complete:
        wave = wave - math.exp(-0.5 * w * w)
    made: ndarray = wave * np.exp(-0.5 * x * x) * _NORM
    return made


def morlet2(M: int, s: float, w: float = 5) -> ndarray:
    """Morlet's wavelet of the width s, scaled so that its energy is the same for all widths.

    Examples
    --------
    >>> from heddle.scipy import signal
    >>> signal.morlet2(3, 2.0).real.round(3)
    array([-0.376,  0.531, -0.376])
    """
    x = _around(M) / s
    made: ndarray = np.exp(1j * w * x - 0.5 * x * x) * (_NORM * math.sqrt(1 / s))
    return made


def ricker(points: int, a: float) -> ndarray:
    """The wavelet that is called Mexican hat, of the width a.

    Examples
    --------
    >>> from heddle.scipy import signal
    >>> signal.ricker(5, 2.0).round(3)
    array([0.   , 0.406, 0.613, 0.406, 0.   ])
    """
    squares = (_around(points) / a) ** 2
    made: ndarray = 2 / math.sqrt(3 * a) * _NORM * (1 - squares) * np.exp(-squares / 2)
    return made


def _around(points: int) -> ndarray:
    return np.arange(int(points)) - (points - 1) / 2


def cwt(
    data: ArrayLike,
    wavelet: Callable[..., Any],
    widths: ArrayLike,
    dtype: DTypeLike | None = None,
    **kwargs: object,
) -> ndarray:
    """The continuous wavelet transform: a row for each width of ``wavelet(points, width)``.

    Examples
    --------
    >>> import heddle as np
    >>> from heddle.scipy import signal
    >>> signal.cwt(np.sin(np.arange(64.0)), signal.ricker, [1, 2, 4]).shape
    (3, 64)
    """
    given = as_array(data)
    sizes = numpy.asarray(np.asnumpy(as_array(widths))).tolist()
    if dtype is None:
        is_complex = as_array(wavelet(1, sizes[0], **kwargs)).dtype.kind == "c"
        dtype = numpy.complex128 if is_complex else numpy.float64
    rows = []
    for width in sizes:
        points = int(min(10 * width, given.shape[0]))
        wave = np.asarray(wavelet(points, width, **kwargs), device=given.device)
        rows.append(convolve(given, wave[::-1].conj(), mode="same").astype(dtype))
    return np.stack(rows)
