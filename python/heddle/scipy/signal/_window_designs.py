"""Windows that are made for a property: side lobes of a height, energy in a band."""

from __future__ import annotations

import math
import operator
import warnings
from typing import Any, Literal, overload

import numpy

import heddle as np
from heddle._core import ndarray
from heddle.scipy.fft._frequencies import _check_namespace
from heddle.scipy.signal._window_formulas import is_trivial, kaiser, ones


def kaiser_bessel_derived(
    M: int, beta: float, *, sym: bool = True, xp: object = None, device: str | None = None
) -> ndarray:
    """The root of the running sum of Kaiser's window, of an even length.

    Examples
    --------
    >>> from heddle.scipy.signal import windows
    >>> windows.kaiser_bessel_derived(4, 2.0).round(4)
    array([0.4834, 0.8754, 0.8754, 0.4834])
    """
    _check_namespace(xp)
    if not sym:
        raise ValueError("Kaiser-Bessel Derived windows are only defined for symmetric shapes")
    if M < 1:
        return np.zeros((0,), device=device)
    if M % 2:
        raise ValueError("Kaiser-Bessel Derived windows are only defined for even number of points")
    sums = np.cumsum(kaiser(M // 2 + 1, beta, device=device))
    half = np.sqrt(sums[:-1] / sums[-1])
    return np.concatenate([half, half[::-1]])


def chebwin(
    M: int, at: float, sym: bool = True, *, xp: object = None, device: str | None = None
) -> ndarray:
    """Dolph and Chebyshev's window, with side lobes of `at` decibels.

    Examples
    --------
    >>> from heddle.scipy.signal import windows
    >>> windows.chebwin(3, 100).round(4)
    array([0.5, 1. , 0.5])
    """
    _check_namespace(xp)
    if abs(at) < 45:
        warnings.warn(
            "This window is not suitable for spectral analysis for attenuation values lower than "
            "about 45dB because the equivalent noise bandwidth of a Chebyshev window does not grow "
            "monotonically with increasing sidelobe attenuation when the attenuation is smaller "
            "than about 45 dB.",
            stacklevel=2,
        )
    if is_trivial(M):
        return ones(M, device)
    count = M if sym else M + 1
    order = count - 1.0
    beta = math.cosh(math.acosh(10 ** (abs(at) / 20.0)) / order)
    k = np.arange(count, dtype=np.float64, device=device)
    x = beta * np.cos(math.pi * k / count)
    inside = np.abs(x) <= 1
    large = np.cosh(order * np.arccosh(np.where(inside, 1.0, np.abs(x))))
    sign = np.where(x < 0, 2.0 * (count % 2) - 1, 1.0)
    p = np.where(inside, np.cos(order * np.arccos(np.where(inside, x, 1.0))), sign * large)
    if count % 2:
        w = np.fft.fft(p).real[: (count + 1) // 2]
        w = np.concatenate([w[:0:-1], w])
    else:
        w = np.fft.fft(p * np.exp(1j * math.pi / count * k)).real[1 : count // 2 + 1]
        w = np.concatenate([w[::-1], w])
    return (w / np.max(w))[:M]


def taylor(
    M: int,
    nbar: int = 4,
    sll: float = 30,
    norm: bool = True,
    sym: bool = True,
    *,
    xp: object = None,
    device: str | None = None,
) -> ndarray:
    """Taylor's window, with nbar side lobes of sll decibels.

    Examples
    --------
    >>> from heddle.scipy.signal import windows
    >>> windows.taylor(3).round(4)
    array([0.4669, 1.    , 0.4669])
    """
    _check_namespace(xp)
    if is_trivial(M):
        return ones(M, device)
    count = M if sym else M + 1
    a = math.acosh(10 ** (sll / 20)) / math.pi
    s2 = nbar**2 / (a**2 + (nbar - 0.5) ** 2)
    ma = numpy.arange(1, nbar, dtype=float)
    m2 = ma * ma
    weights = numpy.empty(nbar - 1)
    for k in range(nbar - 1):
        top = (-1.0) ** k * numpy.prod(1 - m2[k] / s2 / (a**2 + (ma - 0.5) ** 2))
        below = 2 * numpy.prod(1 - m2[k] / m2[:k]) * numpy.prod(1 - m2[k] / m2[k + 1 :])
        weights[k] = top / below

    def made(n: Any) -> Any:
        total: Any = 1.0
        for m, weight in zip(ma, weights, strict=True):
            total = total + 2 * weight * np.cos(
                2 * math.pi * float(m) * (n - count / 2.0 + 0.5) / count
            )
        return total

    w: ndarray = made(np.arange(M, dtype=np.float64, device=device))
    return w / float(made(numpy.float64((count - 1) / 2))) if norm else w


@overload
def dpss(
    M: int,
    NW: float,
    Kmax: int | None = None,
    sym: bool = True,
    norm: object = None,
    return_ratios: Literal[False] = False,
    *,
    xp: object = None,
    device: str | None = None,
) -> ndarray: ...
@overload
def dpss(
    M: int,
    NW: float,
    Kmax: int | None = None,
    sym: bool = True,
    norm: object = None,
    *,
    return_ratios: Literal[True],
    xp: object = None,
    device: str | None = None,
) -> tuple[ndarray, ndarray | float]: ...
def dpss(
    M: int,
    NW: float,
    Kmax: int | None = None,
    sym: bool = True,
    norm: object = None,
    return_ratios: bool = False,
    *,
    xp: object = None,
    device: str | None = None,
) -> Any:
    """Slepian's windows: as much as possible of their energy is in a band.

    Examples
    --------
    >>> from heddle.scipy.signal import windows
    >>> windows.dpss(3, 1.0).round(4)
    array([0.5931, 1.    , 0.5931])
    """
    from heddle.scipy.linalg import eigh_tridiagonal

    _check_namespace(xp)
    if norm is None:
        norm = "approximate" if Kmax is None else 2
    if norm not in (2, "approximate", "subsample"):
        raise ValueError(f"norm must be one of (2, 'approximate', 'subsample'), got {norm}")
    single = Kmax is None
    wanted = 1 if Kmax is None else operator.index(Kmax)
    if is_trivial(M):
        one = ones(M, device)
        return (one, 1.0 if single else ones(1, device)) if return_ratios else one
    if not 0 < wanted <= M:
        raise ValueError("Kmax must be greater than 0 and less than M")
    if NW >= M / 2.0:
        raise ValueError("NW must be less than M/2.")
    if NW <= 0:
        raise ValueError("NW must be positive")
    count = M if sym else M + 1
    width = float(NW) / count
    n = np.arange(count, dtype=np.float64, device=device)
    d = ((count - 1 - 2 * n) / 2.0) ** 2 * math.cos(2 * math.pi * width)
    e = n[1:] * (count - n[1:]) / 2.0
    _, vectors = eigh_tridiagonal(d, e, select="i", select_range=(count - wanted, count - 1))
    made = np.swapaxes(vectors, 0, 1)[::-1]
    # Even ones have a positive sum, odd ones begin with a positive lobe.
    first = np.argmax(made * made > max(1e-7, 1.0 / count), axis=1)
    begins = np.take_along_axis(made, first[:, None], axis=1)[:, 0]
    even = np.arange(wanted, device=device) % 2 == 0
    flip = np.where(even, np.sum(made, axis=1) < 0, begins < 0)
    made = np.where(flip[:, None], -made, made)
    ratios = None
    if return_ratios:
        points = 2 * count
        spectrum = np.fft.rfft(made, points)
        correlated = np.fft.irfft(np.abs(spectrum) ** 2, points)[:, :count]
        r = 4 * width * np.sinc(2 * width * n)
        r = np.where(n == 0, 2 * width, r)
        ratios = correlated @ r
        ratios = ratios[0] if single else ratios
    if norm != 2:
        made = made / np.max(made)
        if count % 2 == 0:
            if norm == "approximate":
                correction: Any = count**2 / float(count**2 + NW)
            else:
                s = np.fft.rfft(made[0])
                k = np.arange(1, count // 2 + 1, dtype=np.float64, device=device)
                turned = s[1:] * 2 * np.exp(1j * math.pi * (1 - 1.0 / count) * k)
                correction = count / (s[0].real + np.sum(turned.real))
            made = made * correction
    made = made[:, :M]
    made = made[0] if single else made
    return (made, ratios) if return_ratios else made
