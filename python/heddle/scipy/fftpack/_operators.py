"""Pseudo-differential operators on periodic sequences: products in the space of frequencies."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy

import heddle as np
from heddle._arguments import as_array
from heddle._core import ndarray
from heddle._typing import ArrayLike

_Kernel = Callable[[Any], Any]


def _applied(
    x: ArrayLike, kernel: _Kernel, factor: complex, *, at_zero: float = 0.0, nyquist: bool = False
) -> ndarray:
    """The sequence whose frequencies k are multiplied by factor kernel(k)."""
    a = as_array(x)
    if a.dtype.kind == "c":
        real = _applied(a.real, kernel, factor, at_zero=at_zero, nyquist=nyquist)
        return real + 1j * _applied(a.imag, kernel, factor, at_zero=at_zero, nyquist=nyquist)
    a = a.astype(np.float64)
    (n,) = a.shape
    k = numpy.arange(n // 2 + 1, dtype=numpy.float64)
    k[0] = 1
    with numpy.errstate(all="ignore"):
        weights = factor * kernel(k)
    weights[0] = at_zero
    if n % 2 == 0:  # SciPy adds the parts of the middle frequency up
        weights[-1] = weights[-1].real + weights[-1].imag if nyquist else 0
    spectrum = np.fft.rfft(a) * np.asarray(weights, device=a.device)
    return np.fft.irfft(spectrum, n)


def _scaled(number: float, period: float | None) -> float:
    return number if period is None else number * 2 * math.pi / period


def diff(x: ArrayLike, order: int = 1, period: float | None = None) -> ndarray:
    """The derivative of a periodic sequence; the integral for a negative order.

    Examples
    --------
    >>> import heddle as np
    >>> from heddle.scipy import fftpack
    >>> x = np.linspace(0, 2 * np.pi, 8, endpoint=False)
    >>> np.allclose(fftpack.diff(np.sin(x)), np.cos(x))
    True
    """
    if order == 0:
        return as_array(x)
    c = _scaled(1.0, period)
    return _applied(x, lambda k: (c * k) ** order, 1j**order)


def tilbert(x: ArrayLike, h: float, period: float | None = None) -> ndarray:
    """The Tilbert transform: frequencies are multiplied by i coth(k h).

    Examples
    --------
    >>> from heddle.scipy import fftpack
    >>> fftpack.tilbert([1.0, 2.0, 4.0, 1.0], 10.0).round(4)
    array([ 0.5,  1.5, -0.5, -1.5])
    """
    h = _scaled(h, period)
    return _applied(x, lambda k: 1 / numpy.tanh(h * k), 1j)


def itilbert(x: ArrayLike, h: float, period: float | None = None) -> ndarray:
    """The inverse of tilbert.

    Examples
    --------
    >>> from heddle.scipy import fftpack
    >>> fftpack.itilbert(fftpack.tilbert([1.0, 0.0, -1.0], 2.0), 2.0).round(6)
    array([ 1.,  0., -1.])
    """
    h = _scaled(h, period)
    return _applied(x, lambda k: -numpy.tanh(h * k), 1j)


def hilbert(x: ArrayLike) -> ndarray:
    """The Hilbert transform of a periodic sequence: frequencies are multiplied by i.

    Examples
    --------
    >>> import heddle as np
    >>> from heddle.scipy import fftpack
    >>> x = np.linspace(0, 2 * np.pi, 8, endpoint=False)
    >>> np.allclose(fftpack.hilbert(np.sin(x)), np.cos(x))
    True
    """
    return _applied(x, numpy.ones_like, 1j)


def ihilbert(x: ArrayLike) -> ndarray:
    """The inverse of hilbert.

    Examples
    --------
    >>> from heddle.scipy import fftpack
    >>> fftpack.ihilbert(fftpack.hilbert([1.0, 0.0, -1.0])).round(6)
    array([ 1.,  0., -1.])
    """
    return -hilbert(x)


def cs_diff(x: ArrayLike, a: float, b: float, period: float | None = None) -> ndarray:
    """Frequencies are multiplied by -i cosh(k a) / sinh(k b).

    Examples
    --------
    >>> from heddle.scipy import fftpack
    >>> fftpack.cs_diff([1.0, 2.0, 4.0, 1.0], 1.0, 1.0).round(4)
    array([-0.6565, -1.9696,  0.6565,  1.9696])
    """
    a, b = _scaled(a, period), _scaled(b, period)
    return _applied(x, lambda k: -numpy.cosh(a * k) / numpy.sinh(b * k), 1j)


def sc_diff(x: ArrayLike, a: float, b: float, period: float | None = None) -> ndarray:
    """Frequencies are multiplied by i sinh(k a) / cosh(k b).

    Examples
    --------
    >>> from heddle.scipy import fftpack
    >>> fftpack.sc_diff([1.0, 2.0, 4.0, 1.0], 1.0, 1.0).round(4)
    array([ 0.3808,  1.1424, -0.3808, -1.1424])
    """
    a, b = _scaled(a, period), _scaled(b, period)
    return _applied(x, lambda k: numpy.sinh(a * k) / numpy.cosh(b * k), 1j)


def ss_diff(x: ArrayLike, a: float, b: float, period: float | None = None) -> ndarray:
    """Frequencies are multiplied by sinh(k a) / sinh(k b), the lowest by a / b.

    Examples
    --------
    >>> from heddle.scipy import fftpack
    >>> fftpack.ss_diff([1.0, 2.0, 1.0, 0.0], 1.0, 1.0).round(6)
    array([1., 2., 1., 0.])
    """
    a, b = _scaled(a, period), _scaled(b, period)
    ratio = float(a) / b
    return _applied(
        x, lambda k: numpy.sinh(a * k) / numpy.sinh(b * k), 1, at_zero=ratio, nyquist=True
    )


def cc_diff(x: ArrayLike, a: float, b: float, period: float | None = None) -> ndarray:
    """Frequencies are multiplied by cosh(k a) / cosh(k b).

    Examples
    --------
    >>> from heddle.scipy import fftpack
    >>> fftpack.cc_diff([1.0, 2.0, 1.0, 0.0], 1.0, 1.0).round(6)
    array([1., 2., 1., 0.])
    """
    a, b = _scaled(a, period), _scaled(b, period)
    return _applied(x, lambda k: numpy.cosh(a * k) / numpy.cosh(b * k), 1, at_zero=1, nyquist=True)


def shift(x: ArrayLike, a: float, period: float | None = None) -> ndarray:
    """A periodic sequence, moved by a: frequencies are multiplied by exp(i k a).

    Examples
    --------
    >>> import heddle as np
    >>> from heddle.scipy import fftpack
    >>> x = np.linspace(0, 2 * np.pi, 8, endpoint=False)
    >>> np.allclose(fftpack.shift(np.sin(x), 0.5), np.sin(x + 0.5))
    True
    """
    a = _scaled(a, period)
    return _applied(x, lambda k: numpy.exp(1j * a * k), 1, at_zero=1, nyquist=True)
