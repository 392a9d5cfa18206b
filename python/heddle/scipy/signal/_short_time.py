"""Spectra of the pieces of a signal, one after the other, and the signal of such."""

from __future__ import annotations

import warnings
from typing import Any

import heddle as np
from heddle._arguments import as_array
from heddle._core import ndarray
from heddle._typing import ArrayLike
from heddle.scipy.signal._filters import _extended
from heddle.scipy.signal._spectral import (
    Pieces,
    floating,
    last_axis,
    lengthened,
    window_of,
    without_trend,
)
from heddle.scipy.signal.windows import get_window

_BOUNDARIES = ("even", "odd", "constant", "zeros", None)


def _in_time(
    x: ArrayLike,
    fs: float,
    window: object,
    nperseg: object,
    noverlap: object,
    nfft: object,
    detrend: object,
    return_onesided: bool,
    scaling: str,
    axis: int,
    power: bool,
    boundary: str | None = None,
    padded: bool = False,
) -> tuple[ndarray, ndarray, ndarray]:
    """Frequencies, times, and what pieces have of each frequency."""
    if boundary not in _BOUNDARIES:
        raise ValueError(
            f"Unknown boundary option '{boundary}', must be one of: {list(_BOUNDARIES)}"
        )
    given, axis = floating(x), int(axis)
    if given.size == 0:
        empty = np.empty(given.shape)
        return empty, empty, empty
    if return_onesided and given.dtype.kind == "c":
        warnings.warn("Input data is complex, switching to return_onesided=False", stacklevel=4)
        return_onesided = False
    lines = last_axis(given, axis)
    pieces = Pieces(
        lines.shape[-1],
        given.device,
        fs,
        window,
        nperseg,
        noverlap,
        nfft,
        scaling,
        bool(return_onesided),
    )
    half = pieces.count // 2
    if boundary == "zeros":
        lines = np.pad(lines, [(0, 0)] * (lines.ndim - 1) + [(half, half)])
    elif boundary is not None:
        lines = _extended(lines, half, lines.ndim - 1, boundary)
    if padded:
        missing = (-(lines.shape[-1] - pieces.count) % pieces.step) % pieces.count
        lines = lengthened(lines, lines.shape[-1] + missing)
    spectrum = pieces.transformed(lines, without_trend(detrend, axis))
    scale = pieces.scale.astype(spectrum.real.dtype)
    if power:
        made = (spectrum.real**2 + spectrum.imag**2) * scale
        made = pieces.doubled(made)
    else:
        made = spectrum * np.sqrt(scale)
    times = np.arange(made.shape[-2], device=given.device) * pieces.step + pieces.count / 2
    if boundary is not None:
        times = times - pieces.count / 2
    made = np.moveaxis(made, -1, axis - 1 if axis < 0 else axis)
    return pieces.frequencies, times / float(fs), made


def spectrogram(
    x: ArrayLike,
    fs: float = 1.0,
    window: object = ("tukey_periodic", 0.25),
    nperseg: int | None = None,
    noverlap: int | None = None,
    nfft: int | None = None,
    detrend: object = "constant",
    return_onesided: bool = True,
    scaling: str = "density",
    axis: int = -1,
    mode: str = "psd",
) -> tuple[ndarray, ndarray, ndarray]:
    """The spectrum of pieces of a signal, one after the other: frequencies, times and densities.

    Examples
    --------
    >>> import heddle as np
    >>> from heddle.scipy import signal
    >>> f, t, s = signal.spectrogram(np.ones(64), nperseg=16)
    >>> s.shape
    (9, 4)
    """
    known = ("psd", "complex", "magnitude", "angle", "phase")
    if mode not in known:
        raise ValueError(f"unknown value for mode {mode}, must be one of {list(known)}")
    given = as_array(x)
    window, count = window_of(window, nperseg, given.shape[axis], given.device, True)
    overlap = count // 8 if noverlap is None else noverlap
    frequencies, times, made = _in_time(
        given,
        fs,
        window,
        count,
        overlap,
        nfft,
        detrend,
        return_onesided,
        scaling,
        axis,
        mode == "psd",
    )
    if mode == "magnitude":
        made = np.abs(made)
    elif mode in ("angle", "phase"):
        made = np.angle(made)
        if mode == "phase":
            made = np.unwrap(made, axis=axis - 1 if axis < 0 else axis)
    return frequencies, times, made


def stft(
    x: ArrayLike,
    fs: float = 1.0,
    window: str | tuple[Any, ...] | ArrayLike = "hann_periodic",
    nperseg: int | None = 256,
    noverlap: int | None = None,
    nfft: int | None = None,
    detrend: bool = False,
    return_onesided: bool = True,
    boundary: str | None = "zeros",
    padded: bool = True,
    axis: int = -1,
    scaling: str = "spectrum",
) -> tuple[ndarray, ndarray, ndarray]:
    """The Fourier transform of pieces of a signal: frequencies, times and transforms.

    Examples
    --------
    >>> import heddle as np
    >>> from heddle.scipy import signal
    >>> f, t, z = signal.stft(np.ones(64), nperseg=16)
    >>> z.shape
    (9, 9)
    """
    if scaling not in ("spectrum", "psd"):
        raise ValueError(f"Parameter scaling={scaling!r} not in ['spectrum', 'psd']!")
    return _in_time(
        x,
        fs,
        window,
        nperseg,
        noverlap,
        nfft,
        detrend,
        return_onesided,
        "density" if scaling == "psd" else scaling,
        axis,
        False,
        boundary,
        padded,
    )


def _added(pieces: ndarray, step: int) -> ndarray:
    """(..., pieces, elements) that begin `step` after one another, added up."""
    count, size = pieces.shape[-2:]
    rounds = -(-size // step)
    room = np.pad(pieces, [(0, 0)] * (pieces.ndim - 1) + [(0, rounds * step - size)])
    parts = room.reshape(*room.shape[:-1], rounds, step)
    total = np.zeros(
        (*pieces.shape[:-2], count + rounds - 1, step), pieces.dtype, device=pieces.device
    )
    for k in range(rounds):
        total[..., k : k + count, :] += parts[..., k, :]
    whole = total.reshape(*pieces.shape[:-2], (count + rounds - 1) * step)
    return whole[..., : (count - 1) * step + size]


def istft(
    Zxx: ArrayLike,
    fs: float = 1.0,
    window: str | tuple[Any, ...] | ArrayLike = "hann_periodic",
    nperseg: int | None = None,
    noverlap: int | None = None,
    nfft: int | None = None,
    input_onesided: bool = True,
    boundary: bool = True,
    time_axis: int = -1,
    freq_axis: int = -2,
    scaling: str = "spectrum",
) -> tuple[ndarray, ndarray]:
    """The signal of which stft is given: times and samples.

    Examples
    --------
    >>> import heddle as np
    >>> from heddle.scipy import signal
    >>> x = np.arange(64.0)
    >>> np.allclose(signal.istft(signal.stft(x, nperseg=16)[2])[1], x)
    True
    """
    given = as_array(Zxx)
    given = given if given.dtype.kind == "c" else given + 0j
    if given.ndim < 2:
        raise ValueError("Input stft must be at least 2d!")
    if freq_axis == time_axis:
        raise ValueError("Must specify differing time and frequency axes!")
    time_axis, freq_axis = (range(given.ndim)[int(axis)] for axis in (time_axis, freq_axis))
    bins = given.shape[freq_axis]
    usual = 2 * (bins - 1) if input_onesided else bins
    if nperseg is None:
        nperseg = usual
    elif int(nperseg) < 1:
        raise ValueError("nperseg must be a positive integer")
    count = int(nperseg)
    if nfft is None:
        nfft = count if input_onesided and count == usual + 1 else usual
    elif nfft < count:
        raise ValueError("nfft must be greater than or equal to nperseg.")
    overlap = count // 2 if noverlap is None else int(noverlap)
    if overlap >= count:
        raise ValueError("noverlap must be less than nperseg.")
    step = count - overlap
    if isinstance(window, (str, tuple)):
        weights = get_window(window, count, device=given.device)
    else:
        weights = as_array(window)
        if weights.ndim != 1:
            raise ValueError("window must be 1-D")
        if weights.shape[0] != count:
            raise ValueError(f"window must have length of {count}")
    if scaling not in ("spectrum", "psd"):
        raise ValueError(f"Parameter scaling={scaling!r} not in ['spectrum', 'psd']!")
    lines = np.moveaxis(given, (time_axis, freq_axis), (-2, -1))
    if input_onesided:
        cut = np.fft.irfft(lines, int(nfft))[..., :count]
    else:
        cut = np.fft.ifft(lines, int(nfft))[..., :count]
    weights = weights.astype(cut.real.dtype)
    energy = np.sum(weights) if scaling == "spectrum" else np.sqrt(fs * np.sum(weights**2))
    made = _added(cut * (weights * energy), step)
    norm = _added(np.broadcast_to(weights**2, (given.shape[time_axis], count)), step)
    if boundary:
        half = count // 2
        made, norm = made[..., half : made.shape[-1] - half], norm[half : norm.shape[0] - half]
    if bool(np.any(norm <= 1e-10)):
        warnings.warn(
            "NOLA condition failed, STFT may not be invertible."
            + (" Possibly due to missing boundary" if not boundary else ""),
            stacklevel=2,
        )
    made = made / np.where(norm > 1e-10, norm, 1.0)
    if made.ndim > 1 and time_axis != given.ndim - 1:
        made = np.moveaxis(made, -1, time_axis - 1 if freq_axis < time_axis else time_axis)
    return np.arange(made.shape[0], device=given.device) / float(fs), made
