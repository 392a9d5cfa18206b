"""Windows that are formulas of the places of their elements."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy

import heddle as np
from heddle._arguments import as_array
from heddle._core import ndarray
from heddle._typing import ArrayLike
from heddle.scipy.fft._frequencies import _check_namespace


def is_trivial(M: float) -> bool:
    if int(M) != M or M < 0:
        raise ValueError("Window length M must be a non-negative integer")
    return bool(M <= 1)


def ones(M: int, device: str | None) -> ndarray:
    return np.ones((M,), np.float64, device=device)


def _made(
    M: int, sym: bool, xp: object, device: str | None, formula: Callable[[ndarray, int], ndarray]
) -> ndarray:
    """Of the places in a window of M elements, and of how many elements the symmetric one has that
    it is part of."""
    _check_namespace(xp)
    if is_trivial(M):
        return ones(M, device)
    return formula(np.arange(M, dtype=np.float64, device=device), M if sym else M + 1)


def _cosines(
    M: int, weights: tuple[float, ...] | list[float], sym: bool, xp: object, device: str | None
) -> ndarray:
    def formula(n: ndarray, count: int) -> ndarray:
        angle = n * (2 * math.pi / (count - 1)) - math.pi
        made = np.zeros((M,), np.float64, device=device)
        for k, weight in enumerate(weights):
            made = made + weight * np.cos(k * angle)
        return made

    return _made(M, sym, xp, device, formula)


def general_cosine(M: int, a: ArrayLike, sym: bool = True) -> ndarray:
    """A weighted sum of cosines.

    Examples
    --------
    >>> from heddle.scipy.signal import windows
    >>> windows.general_cosine(3, [0.5, 0.5])
    array([0., 1., 0.])
    """
    weights = as_array(a)
    return _cosines(M, [float(w) for w in weights], sym, None, weights.device)


def boxcar(M: int, sym: bool = True, *, xp: object = None, device: str | None = None) -> ndarray:
    """Ones.

    Examples
    --------
    >>> from heddle.scipy.signal import windows
    >>> windows.boxcar(3)
    array([1., 1., 1.])
    """
    return _made(M, sym, xp, device, lambda _n, _count: ones(M, device))


def triang(M: int, sym: bool = True, *, xp: object = None, device: str | None = None) -> ndarray:
    """A triangle that does not begin with zero.

    Examples
    --------
    >>> from heddle.scipy.signal import windows
    >>> windows.triang(3)
    array([0.5, 1. , 0.5])
    """

    def formula(n: ndarray, count: int) -> ndarray:
        mirrored = np.minimum(n, count - 1 - n)
        if count % 2 == 0:
            return (2 * mirrored + 1) / count
        return 2 * (mirrored + 1) / (count + 1)

    return _made(M, sym, xp, device, formula)


def parzen(M: int, sym: bool = True, *, xp: object = None, device: str | None = None) -> ndarray:
    """Parzen's window, a convolution of four boxes.

    Examples
    --------
    >>> from heddle.scipy.signal import windows
    >>> windows.parzen(3).round(4)
    array([0.0741, 1.    , 0.0741])
    """

    def formula(n: ndarray, count: int) -> ndarray:
        size = np.abs(n - (count - 1) / 2)
        part = size / (count / 2)
        inner = 1 - 6 * part**2 + 6 * part**3
        return np.where(size <= (count - 1) / 4, inner, 2 * (1 - part) ** 3)

    return _made(M, sym, xp, device, formula)


def bohman(M: int, sym: bool = True, *, xp: object = None, device: str | None = None) -> ndarray:
    """Bohman's window, a convolution of two arches of a cosine.

    Examples
    --------
    >>> from heddle.scipy.signal import windows
    >>> windows.bohman(3)
    array([0., 1., 0.])
    """

    def formula(n: ndarray, count: int) -> ndarray:
        size = np.abs(n * (2 / (count - 1)) - 1)
        made = (1 - size) * np.cos(math.pi * size) + np.sin(math.pi * size) / math.pi
        return np.where((n == 0) | (n == count - 1), 0.0, made)

    return _made(M, sym, xp, device, formula)


def blackman(M: int, sym: bool = True, *, xp: object = None, device: str | None = None) -> ndarray:
    """Blackman's window, of three cosines.

    Examples
    --------
    >>> from heddle.scipy.signal import windows
    >>> windows.blackman(3).round(4)
    array([-0.,  1., -0.])
    """
    return _cosines(M, (0.42, 0.5, 0.08), sym, xp, device)


def nuttall(M: int, sym: bool = True, *, xp: object = None, device: str | None = None) -> ndarray:
    """Nuttall's window, of four cosines.

    Examples
    --------
    >>> from heddle.scipy.signal import windows
    >>> windows.nuttall(4).round(2)
    array([0.  , 0.53, 0.53, 0.  ])
    """
    return _cosines(M, (0.3635819, 0.4891775, 0.1365995, 0.0106411), sym, xp, device)


def blackmanharris(
    M: int, sym: bool = True, *, xp: object = None, device: str | None = None
) -> ndarray:
    """The window of Blackman and Harris, of four cosines.

    Examples
    --------
    >>> from heddle.scipy.signal import windows
    >>> windows.blackmanharris(4).round(3)
    array([0.   , 0.521, 0.521, 0.   ])
    """
    return _cosines(M, (0.35875, 0.48829, 0.14128, 0.01168), sym, xp, device)


def flattop(M: int, sym: bool = True, *, xp: object = None, device: str | None = None) -> ndarray:
    """A window with a flat top, of five cosines.

    Examples
    --------
    >>> from heddle.scipy.signal import windows
    >>> windows.flattop(4).round(4)
    array([-0.0004,  0.1982,  0.1982, -0.0004])
    """
    return _cosines(
        M, (0.21557895, 0.41663158, 0.277263158, 0.083578947, 0.006947368), sym, xp, device
    )


def bartlett(M: int, sym: bool = True, *, xp: object = None, device: str | None = None) -> ndarray:
    """A triangle that begins with zero.

    Examples
    --------
    >>> from heddle.scipy.signal import windows
    >>> windows.bartlett(3)
    array([0., 1., 0.])
    """
    return _made(
        M,
        sym,
        xp,
        device,
        lambda n, count: np.where(
            n <= (count - 1) / 2, 2 * n / (count - 1), 2 - 2 * n / (count - 1)
        ),
    )


def general_hamming(
    M: int, alpha: float, sym: bool = True, *, xp: object = None, device: str | None = None
) -> ndarray:
    """A constant and a cosine.

    Examples
    --------
    >>> from heddle.scipy.signal import windows
    >>> windows.general_hamming(3, 0.5)
    array([0., 1., 0.])
    """
    return _cosines(M, (alpha, 1.0 - alpha), sym, xp, device)


def hann(M: int, sym: bool = True, *, xp: object = None, device: str | None = None) -> ndarray:
    """One period of a cosine, from zero.

    Examples
    --------
    >>> from heddle.scipy.signal import windows
    >>> windows.hann(3)
    array([0., 1., 0.])
    """
    return general_hamming(M, 0.5, sym, xp=xp, device=device)


def hamming(M: int, sym: bool = True, *, xp: object = None, device: str | None = None) -> ndarray:
    """Hamming's window.

    Examples
    --------
    >>> from heddle.scipy.signal import windows
    >>> windows.hamming(3)
    array([0.08, 1.  , 0.08])
    """
    return general_hamming(M, 0.54, sym, xp=xp, device=device)


def tukey(
    M: int, alpha: float = 0.5, sym: bool = True, *, xp: object = None, device: str | None = None
) -> ndarray:
    """A box whose edges are cosines, alpha of its width.

    Examples
    --------
    >>> from heddle.scipy.signal import windows
    >>> windows.tukey(5)
    array([0., 1., 1., 1., 0.])
    """
    if alpha <= 0:
        return boxcar(M, sym, xp=xp, device=device)
    if alpha >= 1.0:
        return hann(M, sym, xp=xp, device=device)

    def formula(n: ndarray, count: int) -> ndarray:
        width = math.floor(alpha * (count - 1) / 2.0)
        first = 0.5 * (1 + np.cos(math.pi * (-1 + 2.0 * n / alpha / (count - 1))))
        last = 0.5 * (1 + np.cos(math.pi * (-2.0 / alpha + 1 + 2.0 * n / alpha / (count - 1))))
        return np.where(n <= width, first, np.where(n < count - width - 1, 1.0, last))

    return _made(M, sym, xp, device, formula)


def barthann(M: int, sym: bool = True, *, xp: object = None, device: str | None = None) -> ndarray:
    """The window of Bartlett and Hann.

    Examples
    --------
    >>> from heddle.scipy.signal import windows
    >>> windows.barthann(3).round(4)
    array([0., 1., 0.])
    """

    def formula(n: ndarray, count: int) -> ndarray:
        size = np.abs(n / (count - 1.0) - 0.5)
        return 0.62 - 0.48 * size + 0.38 * np.cos(2 * math.pi * size)

    return _made(M, sym, xp, device, formula)


def kaiser(
    M: int, beta: float, sym: bool = True, *, xp: object = None, device: str | None = None
) -> ndarray:
    """Kaiser's window, of a Bessel function.

    Examples
    --------
    >>> from heddle.scipy.signal import windows
    >>> windows.kaiser(3, 2.0).round(4)
    array([0.4387, 1.    , 0.4387])
    """

    def formula(n: ndarray, count: int) -> ndarray:
        middle = (count - 1) / 2.0
        root = np.sqrt(np.maximum(1 - ((n - middle) / middle) ** 2.0, 0.0))
        return np.i0(beta * root) / float(numpy.i0(float(beta)))

    return _made(M, sym, xp, device, formula)


def gaussian(
    M: int, std: float, sym: bool = True, *, xp: object = None, device: str | None = None
) -> ndarray:
    """A Gaussian.

    Examples
    --------
    >>> from heddle.scipy.signal import windows
    >>> windows.gaussian(3, 1.0).round(4)
    array([0.6065, 1.    , 0.6065])
    """

    def formula(n: ndarray, count: int) -> ndarray:
        return np.exp(-((n - (count - 1.0) / 2.0) ** 2) / (2 * std * std))

    return _made(M, sym, xp, device, formula)


def general_gaussian(
    M: int, p: float, sig: float, sym: bool = True, *, xp: object = None, device: str | None = None
) -> ndarray:
    """A Gaussian of another power.

    Examples
    --------
    >>> from heddle.scipy.signal import windows
    >>> windows.general_gaussian(3, 1.0, 1.0).round(4)
    array([0.6065, 1.    , 0.6065])
    """

    def formula(n: ndarray, count: int) -> ndarray:
        return np.exp(-0.5 * np.abs((n - (count - 1.0) / 2.0) / sig) ** (2 * p))

    return _made(M, sym, xp, device, formula)


def cosine(M: int, sym: bool = True, *, xp: object = None, device: str | None = None) -> ndarray:
    """An arch of a sine.

    Examples
    --------
    >>> from heddle.scipy.signal import windows
    >>> windows.cosine(3)
    array([0.5, 1. , 0.5])
    """
    return _made(M, sym, xp, device, lambda n, count: np.sin(math.pi / count * (n + 0.5)))


def exponential(
    M: int,
    center: float | None = None,
    tau: float = 1.0,
    sym: bool = True,
    *,
    xp: object = None,
    device: str | None = None,
) -> ndarray:
    """An exponential to both sides of its centre.

    Examples
    --------
    >>> from heddle.scipy.signal import windows
    >>> windows.exponential(3).round(4)
    array([0.3679, 1.    , 0.3679])
    """
    if sym and center is not None:
        raise ValueError("If sym==True, center must be None.")

    def formula(n: ndarray, count: int) -> ndarray:
        middle = (count - 1) / 2 if center is None else center
        return np.exp(-np.abs(n - middle) / tau)

    return _made(M, sym, xp, device, formula)


def lanczos(M: int, *, sym: bool = True, xp: object = None, device: str | None = None) -> ndarray:
    """The middle of a sinc.

    Examples
    --------
    >>> from heddle.scipy.signal import windows
    >>> windows.lanczos(3).round(4)
    array([0., 1., 0.])
    """

    def formula(n: ndarray, count: int) -> ndarray:
        # The same numbers on both sides of the middle.
        return np.sinc(2.0 * np.maximum(n, count - 1 - n) / (count - 1) - 1.0)

    return _made(M, sym, xp, device, formula)
