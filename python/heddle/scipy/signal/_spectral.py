"""Spectra: of the whole signal, averaged over pieces, and in time."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy

import heddle as np
from heddle._arguments import as_array
from heddle._core import ndarray
from heddle._typing import ArrayLike
from heddle.scipy.signal._smoothing import detrend as _detrend
from heddle.scipy.signal.windows import get_window


def window_of(
    window: Any, nperseg: int | None, length: int, device: object, strict: bool
) -> tuple[ndarray, int]:
    """The window, and the length of pieces."""
    if isinstance(window, (str, tuple)):
        count = 256 if nperseg is None else int(nperseg)
        if count > length:
            warnings.warn(
                f"nperseg = {count:d} is greater than input length  = {length:d}, using nperseg = "
                f"{length:d}",
                stacklevel=4,
            )
            count = length
        return get_window(window, count, device=device), count
    made = as_array(window)
    if made.ndim != 1:
        raise ValueError("window must be 1-D")
    if strict and length < made.shape[0]:
        raise ValueError("window is longer than input signal")
    if nperseg is None:
        nperseg = made.shape[0]
    elif int(nperseg) != made.shape[0]:
        raise ValueError("value specified for nperseg is different from length of window")
    return made, int(nperseg)


def without_trend(detrend: Any, axis: int) -> Callable[[ndarray], ndarray]:
    if not detrend:
        return lambda pieces: pieces
    if not callable(detrend):
        return lambda pieces: _detrend(pieces, type=detrend, axis=-1)
    if axis == -1:
        found: Callable[[ndarray], ndarray] = detrend
        return found
    return lambda pieces: np.moveaxis(detrend(np.moveaxis(pieces, -1, axis)), axis, -1)


class Pieces:
    """How a signal is cut, weighted and transformed; what all functions here share."""

    def __init__(
        self,
        length: int,
        device: str | None,
        fs: float,
        window: Any,
        nperseg: Any,
        noverlap: Any,
        nfft: Any,
        scaling: str,
        one_sided: bool,
        *,
        strict: bool = True,
    ) -> None:
        if nperseg is not None and int(nperseg) < 1:
            raise ValueError("nperseg must be a positive integer")
        self.window, self.count = window_of(window, nperseg, length, device, strict)
        self.points = self.count if nfft is None else int(nfft)
        if self.points < self.count:
            raise ValueError("nfft must be greater than or equal to nperseg.")
        overlap = self.count // 2 if noverlap is None else int(noverlap)
        if overlap >= self.count:
            raise ValueError("noverlap must be less than nperseg.")
        self.step = self.count - overlap
        self.fs, self.one_sided = fs, one_sided
        if scaling == "density":
            self.scale = 1.0 / (fs * np.sum(self.window * self.window))
        elif scaling == "spectrum":
            self.scale = 1.0 / np.sum(self.window) ** 2
        else:
            raise ValueError(f"Unknown scaling: {scaling!r}")
        make = np.fft.rfftfreq if one_sided else np.fft.fftfreq
        self.frequencies = make(self.points, 1 / fs, device=device)

    def transformed(self, x: ndarray, without_trend: Callable[..., Any]) -> ndarray:
        """(..., pieces, frequencies)."""
        cut = np.lib.stride_tricks.sliding_window_view(x, self.count, axis=-1)
        cut = without_trend(cut[..., :: self.step, :])
        weights = self.window
        if cut.real.dtype != weights.dtype:
            weights = weights.astype(cut.real.dtype)
        cut = cut * weights
        if self.one_sided:
            return np.fft.rfft(cut, self.points)
        return np.fft.fft(cut, self.points)

    def doubled(self, power: ndarray) -> ndarray:
        """Frequencies that stand for their negative ones as well count twice."""
        if not self.one_sided:
            return power
        k = np.arange(power.shape[-1], device=power.device)
        ends = k == 0
        if self.points % 2 == 0:
            ends = ends | (k == self.points // 2)
        return power * np.where(ends, 1, 2).astype(power.real.dtype)


def floating(x: ArrayLike) -> ndarray:
    a = as_array(x)
    if a.dtype.kind in "fc":
        return a
    return a.astype(numpy.finfo(numpy.result_type(a.dtype, numpy.complex64)).dtype)


def last_axis(x: ndarray, axis: int) -> ndarray:
    return np.moveaxis(x, axis, -1) if x.ndim > 1 else x


def _one_sided(return_onesided: bool, *arrays: ndarray) -> bool:
    if return_onesided and any(a.dtype.kind == "c" for a in arrays):
        return False
    return bool(return_onesided)


def csd(
    x: ArrayLike,
    y: ArrayLike,
    fs: float = 1.0,
    window: object = "hann_periodic",
    nperseg: int | None = None,
    noverlap: int | None = None,
    nfft: int | None = None,
    detrend: object = "constant",
    return_onesided: bool = True,
    scaling: str = "density",
    axis: int = -1,
    average: str = "mean",
) -> tuple[ndarray, ndarray]:
    """The cross spectral density of two signals, averaged over pieces (Welch).

    Examples
    --------
    >>> import heddle as np
    >>> from heddle.scipy import signal
    >>> f, p = signal.csd(np.ones(8), np.ones(8), nperseg=4, detrend=False)
    >>> f
    array([0.  , 0.25, 0.5 ])
    """
    first, second, axis = floating(x), floating(y), int(axis)
    same = y is x
    if same:
        second = first
    outer = [list(first.shape), list(second.shape)]
    for each in outer:
        each.pop(axis)
    try:
        shape = numpy.broadcast_shapes(*map(tuple, outer))
    except ValueError as error:
        raise ValueError("x and y cannot be broadcast together.") from error
    if first.size == 0 or second.size == 0:
        count = min(first.shape[axis], second.shape[axis])
        empty = np.moveaxis(np.empty((*shape, count)), -1, axis)
        return empty, empty
    if scaling not in ("density", "spectrum"):
        raise ValueError(f"Parameter scaling={scaling!r} not in ['spectrum', 'density']!")
    lines, others = last_axis(first, axis), last_axis(second, axis)
    length = max(lines.shape[-1], others.shape[-1])
    lines, others = (lengthened(each, length) for each in (lines, others))
    one_sided = _one_sided(return_onesided, first)
    pieces = Pieces(
        length,
        first.device,
        fs,
        window,
        nperseg,
        noverlap,
        nfft,
        scaling,
        one_sided,
        strict=False,
    )
    without = without_trend(detrend, axis)
    spectrum = pieces.transformed(lines, without)
    if same:
        power = spectrum.real**2 + spectrum.imag**2
    else:
        power = spectrum.conj() * pieces.transformed(others, without)
    power = pieces.doubled(power * pieces.scale.astype(power.real.dtype))
    made = _averaged(power, average)
    return pieces.frequencies, np.moveaxis(made, -1, axis) if made.ndim > 1 else made


def lengthened(x: ndarray, length: int) -> ndarray:
    missing = length - x.shape[-1]
    return np.pad(x, [(0, 0)] * (x.ndim - 1) + [(0, missing)]) if missing else x


def _averaged(power: ndarray, average: str) -> ndarray:
    count = power.shape[-2]
    if count == 1:
        return power[..., 0, :]
    if average not in ("mean", "median"):
        raise ValueError(f"Parameter average={average!r} must be 'median' or 'mean'!")
    if average == "mean":
        return np.mean(power, axis=-2)
    k = 2 * numpy.arange(1.0, (count - 1) // 2 + 1)
    bias = 1 + float(numpy.sum(1.0 / (k + 1) - 1.0 / k))
    if power.dtype.kind == "c":
        middle = np.median(power.real, axis=-2) + 1j * np.median(power.imag, axis=-2)
    else:
        middle = np.median(power, axis=-2)
    return middle / bias


def welch(
    x: ArrayLike,
    fs: float = 1.0,
    window: object = "hann_periodic",
    nperseg: int | None = None,
    noverlap: int | None = None,
    nfft: int | None = None,
    detrend: object = "constant",
    return_onesided: bool = True,
    scaling: str = "density",
    axis: int = -1,
    average: str = "mean",
) -> tuple[ndarray, ndarray]:
    """The power spectral density of a signal, averaged over pieces.

    Examples
    --------
    >>> import heddle as np
    >>> from heddle.scipy import signal
    >>> f, p = signal.welch(np.cos(np.arange(64) * np.pi / 2), nperseg=16)
    >>> f[np.argmax(p)]
    np.float64(0.25)
    """
    options = (fs, window, nperseg, noverlap, nfft, detrend, return_onesided, scaling)
    given = as_array(x)
    frequencies, power = csd(given, given, *options, axis, average)
    return frequencies, power.real


def periodogram(
    x: ArrayLike,
    fs: float = 1.0,
    window: object = "boxcar",
    nfft: int | None = None,
    detrend: object = "constant",
    return_onesided: bool = True,
    scaling: str = "density",
    axis: int = -1,
) -> tuple[ndarray, ndarray]:
    """The power spectral density of a signal as a whole.

    Examples
    --------
    >>> import heddle as np
    >>> from heddle.scipy import signal
    >>> f, p = signal.periodogram(np.cos(np.arange(8) * np.pi / 2))
    >>> p.round(6)
    array([0., 0., 4., 0., 0.])
    """
    given = as_array(x)
    if given.size == 0:
        return np.empty(given.shape), np.empty(given.shape)
    window = "boxcar" if window is None else window
    count = given.shape[axis]
    if nfft is not None and nfft < count:
        index = [slice(None)] * given.ndim
        index[axis] = slice(nfft)
        given, count, nfft = given[tuple(index)], nfft, None
    if hasattr(window, "size") and window.size != count:
        raise ValueError(
            "the size of the window must be the same size of the input on the specified axis"
        )
    options = (nfft, detrend, return_onesided, scaling, axis)
    return welch(given, fs, window, count, 0, *options)


def coherence(
    x: ArrayLike,
    y: ArrayLike,
    fs: float = 1.0,
    window: str | tuple[Any, ...] | ArrayLike = "hann_periodic",
    nperseg: int | None = None,
    noverlap: int | None = None,
    nfft: int | None = None,
    detrend: object = "constant",
    axis: int = -1,
) -> tuple[ndarray, ndarray]:
    """How much two signals have to do with one another at each frequency, from 0 to 1.

    Examples
    --------
    >>> import heddle as np
    >>> from heddle.scipy import signal
    >>> x = np.arange(16.0) % 5
    >>> signal.coherence(x, 2 * x, nperseg=8)[1].round(6)
    array([1., 1., 1., 1., 1.])
    """
    options: dict[str, Any] = {"fs": fs, "window": window, "nperseg": nperseg}
    options |= {"noverlap": noverlap, "nfft": nfft, "detrend": detrend, "axis": axis}
    frequencies, first = welch(x, **options)
    _, second = welch(y, **options)
    _, both = csd(x, y, **options)
    return frequencies, (both.real**2 + both.imag**2) / first / second


_unset = object()


def lombscargle(
    x: ArrayLike,
    y: ArrayLike,
    freqs: ArrayLike,
    *,
    precenter: object = _unset,
    normalize: object = False,
    weights: ArrayLike | None = None,
    floating_mean: bool = False,
) -> ndarray:
    """The spectrum of samples at any times x, at angular frequencies (Lomb and Scargle).

    Examples
    --------
    >>> import heddle as np
    >>> from heddle.scipy import signal
    >>> t = np.arange(20.0) ** 1.1
    >>> f = np.linspace(0.5, 2.0, 4)
    >>> f[np.argmax(signal.lombscargle(t, np.cos(1.5 * t), f))]
    np.float64(1.5)
    """
    times, values, angular = (as_array(each).astype("f8") for each in (x, y, freqs))
    w = np.ones_like(values) if weights is None else as_array(weights).astype("f8")
    if not (times.ndim == 1 and times.size > 0 and times.shape == values.shape == w.shape):
        raise ValueError("Parameters x, y, weights must be 1-D arrays of equal non-zero length!")
    if not (angular.ndim == 1 and angular.size > 0):
        raise ValueError("Parameter freqs must be a 1-D array of non-zero length!")
    if not (bool(np.all(w >= 0)) and bool(np.sum(w) > 0)):
        raise ValueError(
            "Parameter weights must have only non-negative entries which sum to a positive value!"
        )
    if isinstance(normalize, bool):
        normalize = "normalize" if normalize else "power"
    if normalize not in ("power", "normalize", "amplitude"):
        raise ValueError(
            "Normalize must be: False (or 'power'), True (or 'normalize'), or 'amplitude'."
        )
    if precenter is not _unset:
        warnings.warn(
            "Use of parameter 'precenter' is deprecated as of SciPy 1.17.0 and will be removed in "
            "1.19.0. Please leave 'precenter' unspecified.",
            DeprecationWarning,
            stacklevel=2,
        )
        if precenter:
            values = values - np.mean(values)
    w = w / np.sum(w)
    wy = w * values
    mean = np.sum(wy)
    angles = angular[:, None] * times

    def sums(turned: ndarray) -> tuple[ndarray, ...]:
        cosine, sine = np.cos(turned), np.sin(turned)
        cc = np.sum(w * cosine * cosine, axis=-1)
        cs = np.sum(w * cosine * sine, axis=-1)
        ss = 1.0 - cc
        yc, ys = np.sum(wy * cosine, axis=-1), np.sum(wy * sine, axis=-1)
        if floating_mean:
            c, s = np.sum(w * cosine, axis=-1), np.sum(w * sine, axis=-1)
            cc, ss, cs = cc - c * c, ss - s * s, cs - c * s
            yc, ys = yc - mean * c, ys - mean * s
        return cc, ss, cs, yc, ys

    cc, ss, cs, _, _ = sums(angles)
    tau = 0.5 * np.arctan2(2.0 * cs, cc - ss)
    cc, ss, _, yc, ys = sums(angles - tau[:, None])
    # One frequency gives a number, as SciPy squeezes it.
    cc, ss, yc, ys, tau = (np.squeeze(each) for each in (cc, ss, yc, ys, tau))
    least = float(numpy.finfo(numpy.float64).epsneg)
    a, b = yc / np.maximum(cc, least), ys / np.maximum(ss, least)
    power = 2.0 * (a * yc + b * ys)
    if normalize == "power":
        return power * (times.shape[0] / 4.0)
    if normalize == "normalize":
        total = np.sum(wy * values) - (mean * mean if floating_mean else 0.0)
        return power * (0.5 / total)
    return (a + 1j * b) * np.exp(1j * tau)
