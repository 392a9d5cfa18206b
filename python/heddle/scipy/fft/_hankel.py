"""Hankel transforms of logarithmically spaced points (FFTLog)."""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy

import heddle as np
from heddle._core import ndarray
from heddle._typing import ArrayLike
from heddle.scipy.fft._arguments import floating

_log_2 = math.log(2)


# Coefficients of Stirling's series for the logarithm of gamma: of 1/z, 1/z^3, ...
_stirling = (1 / 12, -1 / 360, 1 / 1260, -1 / 1680, 1 / 1188, -691 / 360360, 1 / 156)


def _log_gamma(z: ArrayLike) -> Any:
    """The logarithm of gamma off its poles, by Stirling's series.

    On the host: coefficients are few, and are made before anything is on its way to a device.
    Numbers near 0 are moved away from it by a recurrence first.
    """
    z = numpy.array(z, complex, ndmin=1)
    least = float(z.real.min())
    near = numpy.ones(z.shape, bool) if least < 0 else numpy.abs(z.imag) < 20
    with numpy.errstate(all="ignore"):
        few = z[near]
        count = 12 + math.ceil(max(0.0, -least))
        shift = sum(numpy.log(few + k) for k in range(count))
        z[near] = few + count
        inverse = 1 / z
        square = inverse * inverse
        series = numpy.zeros(z.shape, complex)
        for c in reversed(_stirling):
            series = series * square + c
        made = (z - 0.5) * numpy.log(z) - z + 0.5 * math.log(2 * math.pi) + series * inverse
        made[near] -= shift
        return made


def _gamma_ratio(above: float, below: float) -> float:
    """gamma(above) / gamma(below), of which one at least is a pole."""

    def is_pole(x: float) -> bool:
        return x <= 0 and x == int(x)

    if not is_pole(above):
        return 0.0
    if not is_pole(below):
        return math.inf
    p, q = int(-above), int(-below)
    return (-1.0) ** (p - q) * math.exp(math.lgamma(q + 1) - math.lgamma(p + 1))


def _coefficients(n: int, dln: float, mu: float, offset: float, bias: float, inverse: bool) -> Any:
    """(k r)^(-2 pi i m / (n dln)) U(bias + 2 pi i m / (n dln)), of which U is a ratio of gammas."""
    above, below = (mu + 1 + bias) / 2, (mu + 1 - bias) / 2
    y = numpy.linspace(0, math.pi * (n // 2) / (n * dln), n // 2 + 1)
    u = _log_gamma(above + 1j * y)
    v = u if above == below else _log_gamma(below + 1j * y)
    turns = u.imag + v.imag + 2 * (_log_2 - offset) * y
    with numpy.errstate(all="ignore"):
        u = numpy.exp(u.real - v.real + _log_2 * bias + 1j * turns)
    if n % 2 == 0:
        u.imag[-1] = 0
    if not numpy.isfinite(u[0]):
        u[0] = 2.0**bias * _gamma_ratio(above, below)
    if numpy.isinf(u[0]) and not inverse:
        warnings.warn("singular transform; consider changing the bias", stacklevel=4)
        u[0] = 0
    elif u[0] == 0 and inverse:
        warnings.warn("singular inverse transform; consider changing the bias", stacklevel=4)
        u[0] = numpy.inf
    return u


def _transform(
    a: ArrayLike, dln: float, mu: float, offset: float, bias: float, inverse: bool
) -> ndarray:
    a = floating(a)
    if a.dtype.kind == "c":
        raise TypeError("x must be a real sequence")
    dtype = a.dtype if bias == 0 else np.float64
    n = a.shape[-1]
    dln, mu, offset, bias = (float(each) for each in (dln, mu, offset, bias))
    places = np.arange(n, dtype=np.float64, device=a.device) - (n - 1) / 2
    if bias != 0:
        weight = places * dln
        a = a * np.exp(bias * (weight + offset) if inverse else -bias * weight)
    u = np.asarray(_coefficients(n, dln, mu, offset, bias, inverse), device=a.device)
    spectrum = np.fft.rfft(a, axis=-1)
    spectrum = spectrum / u.conj() if inverse else spectrum * u
    made = np.flip(np.fft.irfft(spectrum, n, axis=-1), axis=-1)
    if bias != 0:
        weight = places * dln
        made = made * np.exp(bias * weight if inverse else -bias * (weight + offset))
    return made.astype(dtype)


def fht(a: ArrayLike, dln: float, mu: float, offset: float = 0.0, bias: float = 0.0) -> ndarray:
    """Hankel transform of order mu of points that are dln apart in their logarithm (FFTLog).

    Examples
    --------
    >>> import heddle as np
    >>> from heddle.scipy import fft
    >>> r = np.logspace(-7, 1, 128)
    >>> dln = float(np.log(r[1] / r[0]))
    >>> offset = fft.fhtoffset(dln, 0.0)
    >>> a = r * np.exp(-(r**2) / 2)
    >>> transformed = fft.fht(a, dln, 0.0, offset=offset)
    >>> np.allclose(fft.ifht(transformed, dln, 0.0, offset=offset), a)
    True
    """
    return _transform(a, dln, mu, offset, bias, False)


def ifht(A: ArrayLike, dln: float, mu: float, offset: float = 0.0, bias: float = 0.0) -> ndarray:
    """The inverse of fht.

    Examples
    --------
    >>> import heddle as np
    >>> from heddle.scipy import fft
    >>> a = np.exp(-np.linspace(-2.0, 2.0, 16) ** 2)
    >>> np.allclose(fft.ifht(fft.fht(a, 0.1, 1.5), 0.1, 1.5), a)
    True
    """
    return _transform(A, dln, mu, offset, bias, True)


def fhtoffset(dln: float, mu: float, initial: float = 0.0, bias: float = 0.0) -> float:
    """The offset near `initial` that fht rings least with.

    Examples
    --------
    >>> from heddle.scipy import fft
    >>> round(fft.fhtoffset(0.1, 2.0, 0.5), 6)
    0.545458
    """
    y = math.pi / (2 * dln)
    above = _log_gamma(complex((mu + 1 + bias) / 2, y))[0]
    below = _log_gamma(complex((mu + 1 - bias) / 2, y))[0]
    turns = (_log_2 - initial) / dln + (above.imag + below.imag) / math.pi
    return float(initial + (turns - numpy.round(turns)) * dln)
