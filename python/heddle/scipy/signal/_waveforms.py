"""Waveforms, and transforms along a spiral."""

from __future__ import annotations

import cmath
import math
import numbers
from collections.abc import Sequence
from typing import Any

import numpy

import heddle as np
from heddle._arguments import as_array
from heddle._core import ndarray
from heddle._typing import ArrayLike
from heddle.scipy._host import number
from heddle.scipy.fft import next_fast_len
from heddle.scipy.signal._filters import _small


def _turn(t: ArrayLike) -> tuple[ndarray, ndarray]:
    angle = as_array(t)
    if angle.dtype.kind == "c":
        raise TypeError(f"waves have real times, not {angle.dtype}")
    angle = angle.astype("f8")
    return angle, np.mod(angle, 2 * math.pi)


def sawtooth(t: ArrayLike, width: ArrayLike = 1) -> ndarray:
    """A wave that rises from -1 to 1 for `width` of its period of 2 pi, and falls for the rest.

    Examples
    --------
    >>> import heddle as np
    >>> from heddle.scipy import signal
    >>> signal.sawtooth(np.array([0.0, np.pi / 2, np.pi]))
    array([-1. , -0.5,  0. ])
    """
    angle, phase = _turn(t)
    w = as_array(width).astype(angle.dtype)
    w = w + 0 * angle
    rising = phase < w * 2 * math.pi
    up = phase / (math.pi * np.where(w == 0, 1, w)) - 1
    down = (math.pi * (w + 1) - phase) / (math.pi * np.where(w == 1, 1, 1 - w))
    made = np.where(rising, up, down)
    return np.where((w > 1) | (w < 0), math.nan, made)


def square(t: ArrayLike, duty: ArrayLike = 0.5) -> ndarray:
    """A wave that is 1 for `duty` of its period of 2 pi, and -1 for the rest.

    Examples
    --------
    >>> import heddle as np
    >>> from heddle.scipy import signal
    >>> signal.square(np.array([0.0, 1.0, 4.0]))
    array([ 1.,  1., -1.])
    """
    angle, phase = _turn(t)
    w = as_array(duty).astype(angle.dtype)
    made = np.where(phase < w * 2 * math.pi, 1.0, -1.0)
    return np.where((w > 1) | (w < 0), math.nan, made).astype(angle.dtype)


def chirp(
    t: ArrayLike,
    f0: float,
    t1: float,
    f1: float,
    method: str = "linear",
    phi: float = 0,
    vertex_zero: bool = True,
    *,
    complex: bool = False,
) -> ndarray:
    """A cosine whose frequency goes from f0 at time 0 to f1 at time t1.

    Examples
    --------
    >>> import heddle as np
    >>> from heddle.scipy import signal
    >>> signal.chirp(np.array([0.0, 0.5]), 1.0, 1.0, 3.0).round(6)
    array([ 1., -0.])
    """
    times = as_array(t)
    times = times.astype("c16" if times.dtype.kind == "c" else "f8")
    phase = _chirp_phase(times, f0, t1, f1, method, vertex_zero) + phi * math.pi / 180
    return np.exp(1j * phase) if complex else np.cos(phase)


def _chirp_phase(
    t: ndarray, f0: float, t1: float, f1: float, method: str, vertex_zero: bool
) -> ndarray:
    f0, t1, f1 = float(f0), float(t1), float(f1)
    if method in ("linear", "lin", "li"):
        return 2 * math.pi * (f0 * t + 0.5 * (f1 - f0) / t1 * t * t)
    if method in ("quadratic", "quad", "q"):
        beta = (f1 - f0) / t1**2
        if vertex_zero:
            return 2 * math.pi * (f0 * t + beta * t**3 / 3)
        return 2 * math.pi * (f1 * t + beta * ((t1 - t) ** 3 - t1**3) / 3)
    if method in ("logarithmic", "log", "lo"):
        if f0 * f1 <= 0.0:
            raise ValueError(
                "For a logarithmic chirp, f0 and f1 must be nonzero and have the same sign."
            )
        if f0 == f1:
            return 2 * math.pi * f0 * t
        beta = t1 / math.log(f1 / f0)
        return 2 * math.pi * beta * f0 * ((f1 / f0) ** (t / t1) - 1.0)
    if method in ("hyperbolic", "hyp"):
        if f0 == 0 or f1 == 0:
            raise ValueError("For a hyperbolic chirp, f0 and f1 must be nonzero.")
        if f0 == f1:
            return 2 * math.pi * f0 * t
        singular = -f1 * t1 / (f0 - f1)
        return 2 * math.pi * (-singular * f0) * np.log(np.abs(1 - t / singular))
    raise ValueError(
        "method must be 'linear', 'quadratic', 'logarithmic', or 'hyperbolic', but a value of "
        f"{method!r} was given."
    )


def sweep_poly(t: ArrayLike, poly: ArrayLike | numpy.poly1d, phi: float = 0) -> ndarray:
    """A cosine whose frequency at the time t is a polynomial of it.

    Examples
    --------
    >>> import heddle as np
    >>> from heddle.scipy import signal
    >>> signal.sweep_poly(np.array([0.0, 0.25, 0.5]), [1.0]).round(6)
    array([ 1.,  0., -1.])
    """
    phase = 2 * math.pi * np.polyval(np.polyint(poly), as_array(t))
    return np.cos(phase + phi * (math.pi / 180))


# --- transforms along a spiral ---


def _valid(n: int, m: ArrayLike | None) -> tuple[int, int]:
    n, m = number(n), number(m)
    if n < 1 or not isinstance(n, numbers.Integral):
        raise ValueError(
            f"Invalid number of CZT data points ({n}) specified. n must be positive and integer "
            "type."
        )
    m = n if m is None else m
    if m < 1 or not isinstance(m, numbers.Integral):
        raise ValueError(
            f"Invalid number of CZT output points ({m}) specified. m must be positive and integer "
            "type."
        )
    return int(n), int(m)


class CZT:
    """The chirp z-transform of n samples: the z-transform at m points along a spiral.

    Examples
    --------
    >>> import heddle as np
    >>> from heddle.scipy import signal
    >>> x = np.arange(4.0)
    >>> np.allclose(signal.CZT(4)(x), np.fft.fft(x))
    True
    """

    def __init__(
        self, n: int, m: int | None = None, w: complex | None = None, a: complex = 1 + 0j
    ) -> None:
        n, m = _valid(n, m)
        self.n, self.m, self.a = n, m, a
        k = numpy.arange(max(m, n), dtype=numpy.float64)
        if w is None:
            self.w = cmath.exp(-2j * math.pi / m)
            chirp = numpy.exp(-1j * math.pi / m * ((k * k) % (2 * m)))
        else:
            self.w = w
            chirp = numpy.power(w + 0j, k * k / 2)
        self._prepare(chirp)

    def _prepare(self, chirp: Any) -> None:
        n, m = self.n, self.m
        k = numpy.arange(n)
        self._points = next_fast_len(n + m - 1)
        self._before = (self.a + 0j) ** -k * chirp[:n]
        back = numpy.concatenate([chirp[n - 1 : 0 : -1], chirp[:m]])
        self._spectrum = numpy.fft.fft(1 / back, self._points)
        self._after = chirp[:m]

    def __call__(self, x: ArrayLike, *, axis: int = -1) -> ndarray:
        given = as_array(x)
        if given.shape[axis] != self.n:
            raise ValueError(f"CZT defined for length {self.n}, not {given.shape[axis]}")
        lines = np.moveaxis(given, axis, -1)

        def here(values: ArrayLike) -> ndarray:
            return np.asarray(values, device=given.device)

        spectrum = np.fft.fft(lines * here(self._before), self._points)
        made = np.fft.ifft(spectrum * here(self._spectrum))
        made = made[..., self.n - 1 : self.n + self.m - 1] * here(self._after)
        return np.moveaxis(made, -1, axis)

    def points(self) -> ndarray:
        """The points on the plane where the transform is."""
        return czt_points(self.m, self.w, self.a)


class ZoomFFT(CZT):
    """The transform of n samples at m frequencies of a band, instead of all.

    Examples
    --------
    >>> import heddle as np
    >>> from heddle.scipy import signal
    >>> signal.ZoomFFT(8, [0.0, 0.5])(np.ones(8)).shape
    (8,)
    """

    def __init__(
        self,
        n: int,
        fn: float | Sequence[float],
        m: int | None = None,
        *,
        fs: float = 2,
        endpoint: bool = False,
    ) -> None:
        n, m = _valid(n, m)
        band = numpy.asarray(_small(fn))
        if band.size == 2:
            f1, f2 = (float(f) for f in band)
        elif band.size == 1:
            f1, f2 = 0.0, float(band.reshape(()))
        else:
            raise ValueError("fn must be a scalar or 2-length sequence")
        self.f1, self.f2, self.fs, self.n, self.m = f1, f2, fs, n, m
        scale = (f2 - f1) * m / (fs * (m - 1)) if endpoint else (f2 - f1) / fs
        self.a = cmath.exp(2j * math.pi * f1 / fs)
        self.w = cmath.exp(-2j * math.pi / m * scale)
        k = numpy.arange(max(m, n), dtype=numpy.float64)
        chirp = numpy.exp(-1j * math.pi * scale / m * (k * k))
        n_range = numpy.arange(n)
        self._prepare(chirp)
        self._before = numpy.exp(-2j * math.pi * f1 / fs * n_range) * chirp[:n]


def czt_points(m: int, w: complex | None = None, a: complex = 1 + 0j) -> ndarray:
    """The points of a chirp z-transform.

    Examples
    --------
    >>> from heddle.scipy import signal
    >>> signal.czt_points(2).round(6)
    array([ 1.+0.j, -1.+0.j])
    """
    _, m = _valid(1, m)
    k = numpy.arange(m, dtype=numpy.float64)
    step = numpy.exp(2j * math.pi * k / m) if w is None else (1.0 * w) ** -k
    return np.asarray(1.0 * a * step)


def czt(
    x: ArrayLike,
    m: int | None = None,
    w: complex | None = None,
    a: complex = 1 + 0j,
    *,
    axis: int = -1,
) -> ndarray:
    """The chirp z-transform along an axis: at m points that begin at a, each times 1 / w.

    Examples
    --------
    >>> import heddle as np
    >>> from heddle.scipy import signal
    >>> x = np.arange(5.0)
    >>> np.allclose(signal.czt(x), np.fft.fft(x))
    True
    """
    given = as_array(x)
    return CZT(given.shape[axis], m=m, w=w, a=a)(given, axis=axis)


def zoom_fft(
    x: ArrayLike,
    fn: float | Sequence[float],
    m: int | None = None,
    *,
    fs: float = 2,
    endpoint: bool = False,
    axis: int = -1,
) -> ndarray:
    """The Fourier transform at m frequencies of a band.

    Examples
    --------
    >>> import heddle as np
    >>> from heddle.scipy import signal
    >>> x = np.arange(4.0)
    >>> np.allclose(signal.zoom_fft(x, 2.0), np.fft.fft(x))
    True
    """
    given = as_array(x)
    made = ZoomFFT(given.shape[axis], fn, m=m, fs=fs, endpoint=endpoint)
    return made(given, axis=axis)
