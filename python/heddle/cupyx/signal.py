"""CuPy's ``cupyx.signal``: radar and acoustics, for arrays of every device."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, cast, overload

import numpy

import heddle as np
from heddle._arguments import as_array
from heddle._core import ndarray
from heddle._names.public import publish as _publish
from heddle._typing import ArrayLike
from heddle.scipy.signal import filtfilt, get_window, lfilter, lfilter_zi

__all__ = [
    "ca_cfar",
    "cfar_alpha",
    "channelize_poly",
    "complex_cepstrum",
    "convolve1d2o",
    "convolve1d3o",
    "firfilter",
    "firfilter2",
    "firfilter_zi",
    "freq_shift",
    "inverse_complex_cepstrum",
    "minimum_phase",
    "mvdr",
    "pulse_compression",
    "pulse_doppler",
    "real_cepstrum",
]

# --- acoustics ---


def real_cepstrum(x: ArrayLike, n: int | None = None, axis: int = -1) -> ndarray:
    """The inverse transform of the logarithm of a spectrum's magnitude.

    Examples
    --------
    >>> from heddle.cupyx import signal
    >>> signal.real_cepstrum([4.0, 2.0, 1.0]).round(4)
    array([1.2973, 0.3243, 0.3243])
    """
    spectrum = np.fft.fft(as_array(x), n=n, axis=axis)
    return np.fft.ifft(np.log(np.abs(spectrum)), n=n, axis=axis).real


def complex_cepstrum(x: ArrayLike, n: int | None = None, axis: int = -1) -> tuple[ndarray, ndarray]:
    """The inverse transform of the logarithm of a spectrum, and the delay that was taken out.

    The phase is made continuous, and a delay of whole samples is taken out, so that it is 0 at half
    the sampling rate.

    Examples
    --------
    >>> from heddle.cupyx import signal
    >>> ceps, delay = signal.complex_cepstrum([4.0, 2.0, 1.0, 0.5])
    >>> signal.inverse_complex_cepstrum(ceps, delay).round(9)
    array([4. , 2. , 1. , 0.5])
    """
    spectrum = np.moveaxis(np.fft.fft(as_array(x), n=n, axis=axis), axis, -1)
    count = spectrum.shape[-1]
    phase = np.unwrap(np.angle(spectrum))
    # A sample of delay turns each frequency by so much more than the one before.
    step = 2 * math.pi / count
    middle = (count + 1) // 2
    delay = np.round(phase[..., middle] / (step * middle))
    turned = phase - step * delay[..., None] * np.arange(count, device=spectrum.device)
    made = np.fft.ifft(np.log(np.abs(spectrum)) + 1j * turned).real
    return np.moveaxis(made, -1, axis), delay


def inverse_complex_cepstrum(ceps: ArrayLike, ndelay: ArrayLike) -> ndarray:
    """The sequence that a complex cepstrum is of.

    Examples
    --------
    >>> from heddle.cupyx import signal
    >>> signal.inverse_complex_cepstrum([0.0, 0.0], 0)
    array([1., 0.])
    """
    logs = np.fft.fft(as_array(ceps))
    count = logs.shape[-1]
    turns = 2 * math.pi / count * np.arange(count, device=logs.device)
    phase = logs.imag + as_array(ndelay)[..., None] * turns
    return np.fft.ifft(np.exp(logs.real + 1j * phase)).real


def minimum_phase(x: ArrayLike, n: int | None = None) -> ndarray:
    """The sequence with the same magnitudes whose energy comes first.

    Examples
    --------
    >>> from heddle.cupyx import signal
    >>> signal.minimum_phase([1.0, 2.0, 4.0], n=64).round(4)[:3]
    array([4., 2., 1.])
    """
    given = as_array(x)
    count = given.shape[-1] if n is None else n
    # What comes before the beginning is folded to what comes after it.
    fold = numpy.zeros(count)
    fold[0] = 1.0
    fold[1 : (count + 1) // 2] = 2.0
    if count % 2 == 0:
        fold[count // 2] = 1.0
    folded = real_cepstrum(given, n=count) * np.asarray(fold, device=given.device)
    return np.fft.ifft(np.exp(np.fft.fft(folded))).real


# --- radar ---


def _windowed(window: Any, count: int, like: ndarray) -> ndarray:
    """A window of a length: given as such, as a function of frequencies, or by its name."""
    if callable(window):
        return as_array(window(np.fft.fftfreq(count, device=like.device)))
    if isinstance(window, (str, float, tuple)):
        return np.fft.ifftshift(get_window(window, count, fftbins=True))
    made = as_array(window)
    if made.shape != (count,):
        raise ValueError(f"window must have shape ({count},), not {made.shape}")
    return made


def pulse_compression(
    x: ArrayLike,
    template: ArrayLike,
    normalize: bool = False,
    window: object = None,
    nfft: int | None = None,
) -> ndarray:
    """Pulses of a radar (one in each row) matched with what was sent.

    A window weighs the frequencies of the template; one that is named is greatest at frequency 0.

    Examples
    --------
    >>> from heddle.cupyx import signal
    >>> signal.pulse_compression([[0.0, 1.0, 1.0, 0.0]], [1.0, 1.0]).real.round(9)
    array([[1., 2., 1., 0.]])
    """
    given, sent = as_array(x), as_array(template)
    count = given.shape[-1] if nfft is None else nfft
    if normalize:
        sent = sent / np.linalg.norm(sent)
    spectrum = np.fft.fft(sent, count)
    if window is not None:
        spectrum = spectrum * _windowed(window, count, given)
    return np.fft.ifft(np.fft.fft(given, count) * spectrum.conj())


def pulse_doppler(x: ArrayLike, window: object = None, nfft: int | None = None) -> ndarray:
    """Ranges and velocities: the transform from pulse to pulse (one in each row).

    Examples
    --------
    >>> from heddle.cupyx import signal
    >>> signal.pulse_doppler([[1.0, 2.0], [1.0, 2.0]]).real
    array([[2., 4.],
           [0., 0.]])
    """
    given = as_array(x)
    pulses = given.shape[0]
    if window is not None:
        named = isinstance(window, (str, float, tuple))
        weights = get_window(window, pulses, False) if named else _windowed(window, pulses, given)
        given = given * weights[:, None]
    return np.fft.fft(given, pulses if nfft is None else nfft, axis=0)


def cfar_alpha(pfa: float, N: int) -> float:
    """The factor above the mean of N cells that is passed by chance with probability `pfa`.

    Examples
    --------
    >>> from heddle.cupyx import signal
    >>> round(signal.cfar_alpha(0.001, 10), 4)
    9.9526
    """
    return float(N * (pfa ** (-1.0 / N) - 1))


def _per_axis(cells: int | Sequence[int], rank: int) -> list[int]:
    if rank == 1:
        return [cast("int", cells)]
    pair = list(cast("Sequence[int]", cells))
    if len(pair) != 2:
        raise TypeError("Guard and reference cells must be two dimensional.")
    return pair


def ca_cfar(
    array: ArrayLike,
    guard_cells: int | Sequence[int],
    reference_cells: int | Sequence[int],
    pfa: float = 1e-3,
) -> tuple[ndarray, ndarray]:
    """Thresholds by the mean of the cells around each cell, and where it is exceeded.

    The `reference_cells` on both sides count, but not the `guard_cells` nearest to the cell itself;
    of a matrix both are pairs. The false alarms are `pfa` of all where there is noise only.
    Thresholds are 0 where not all of these cells are in the array.

    Examples
    --------
    >>> import heddle as np
    >>> from heddle.cupyx import signal
    >>> echo = np.where(np.arange(32) == 16, 100.0, 1.0)
    >>> threshold, found = signal.ca_cfar(echo, 1, 5)
    >>> np.flatnonzero(found[6:-6]) + 6
    array([16])
    """
    given = as_array(array)
    if given.ndim not in (1, 2):
        raise TypeError("Only 1D and 2D arrays are currently supported.")
    guarded, counted = _per_axis(guard_cells, given.ndim), _per_axis(reference_cells, given.ndim)
    reach = [g + r for g, r in zip(guarded, counted, strict=True)]
    if any(n <= 2 * k for n, k in zip(given.shape, reach, strict=True)):
        raise ValueError(f"Array too small for given parameters: {given.shape}")
    count = math.prod(2 * k + 1 for k in reach) - math.prod(2 * g + 1 for g in guarded)
    inside = tuple(slice(k, n - k) for n, k in zip(given.shape, reach, strict=True))
    near = _sums_around(given, guarded, reach)
    mean = (_sums_around(given, reach, reach) - near) / count
    threshold = np.zeros(given.shape, dtype=np.float32, device=given.device)
    threshold[inside] = (cfar_alpha(pfa, count) * mean).astype(np.float32)
    return threshold, given - threshold > 0


def _sums_around(a: ndarray, reach: Any, edges: list[Any]) -> ndarray:
    """Sums of 2 `reach` + 1 elements along each axis, for those at least `edges` inside."""
    total = a.astype(np.float64)
    for axis, (k, edge) in enumerate(zip(reach, edges, strict=True)):
        lines = np.moveaxis(total, axis, -1)
        sums = np.pad(np.cumsum(lines, axis=-1), [(0, 0)] * (a.ndim - 1) + [(1, 0)])
        first, last = edge - k, sums.shape[-1] - 1 - edge - k
        after = sums[..., first + 2 * k + 1 : last + 2 * k + 1]
        total = np.moveaxis(after - sums[..., first:last], -1, axis)
    return total


def mvdr(x: ArrayLike, sv: ArrayLike, calc_cov: bool = True) -> ndarray:
    """Weights of sensors (one in each row) that let one direction pass and the least of the rest.

    Examples
    --------
    >>> import heddle as np
    >>> from heddle.cupyx import signal
    >>> signal.mvdr(np.diag([1.0, 3.0]), [1.0, 1.0], calc_cov=False)
    array([0.75, 0.25])
    """
    given, direction = as_array(x), as_array(sv)
    if given.shape[0] != direction.shape[0]:
        raise ValueError("x and sv must be of the same number of sensors")
    covariance = np.cov(given) if calc_cov else given
    turned = np.linalg.solve(covariance, direction.reshape(-1, 1))[:, 0]
    gain = (direction.reshape(-1).conj() * turned).sum()
    return (turned / gain).reshape(direction.shape)


# --- filters ---


@overload
def firfilter(b: ArrayLike, x: ArrayLike, axis: int = -1, zi: None = None) -> ndarray: ...
@overload
def firfilter(
    b: ArrayLike, x: ArrayLike, axis: int = -1, zi: ArrayLike | None = None
) -> ndarray | tuple[ndarray, ndarray]: ...
def firfilter(
    b: ArrayLike, x: ArrayLike, axis: int = -1, zi: ArrayLike | None = None
) -> ndarray | tuple[ndarray, ndarray]:
    """A filter without feedback along an axis; with `zi` also its last state.

    Examples
    --------
    >>> from heddle.cupyx import signal
    >>> signal.firfilter([0.5, 0.5], [1.0, 3.0, 5.0])
    array([0.5, 2. , 4. ])
    """
    found: ndarray | tuple[ndarray, ndarray] = lfilter(b, [1.0], x, axis=axis, zi=zi)
    return found


def firfilter_zi(b: ArrayLike) -> ndarray:
    """The state of a filter without feedback after many ones.

    Examples
    --------
    >>> from heddle.cupyx import signal
    >>> signal.firfilter_zi([1.0, 2.0, 3.0])
    array([5., 3.])
    """
    return lfilter_zi(b, [1.0])


def firfilter2(
    b: ArrayLike,
    x: ArrayLike,
    axis: int = -1,
    padtype: str | None = "odd",
    padlen: int | None = None,
    method: str = "pad",
    irlen: int | None = None,
) -> ndarray:
    """A filter without feedback, forwards and backwards, so that nothing is delayed.

    Examples
    --------
    >>> from heddle.cupyx import signal
    >>> signal.firfilter2([0.5, 0.5], [1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0])
    array([1., 1., 1., 1., 1., 1., 1., 1.])
    """
    return filtfilt(b, [1.0], x, axis, padtype, padlen, method, irlen)


def freq_shift(x: ArrayLike, freq: float, fs: float) -> ndarray:
    """A signal with all frequencies higher by `freq`, sampled `fs` times in a second.

    Examples
    --------
    >>> from heddle.cupyx import signal
    >>> signal.freq_shift([1.0, 1.0, 1.0, 1.0], 1.0, 4.0).real.round(9)[:3]
    array([ 1.,  0., -1.])
    """
    given = as_array(x)
    turns = np.arange(given.shape[-1], device=given.device) * (freq / fs)
    return given * np.exp(2j * math.pi * turns)


def channelize_poly(x: ArrayLike, h: ArrayLike, n_chans: int) -> ndarray:
    """A signal as `n_chans` channels side by side in frequency, each of fewer samples.

    A filter of polyphase components: each of the `n_chans` parts of `h` filters every `n_chans`-th
    sample, and a Fourier transform takes the channels apart.

    Examples
    --------
    >>> import heddle as np
    >>> from heddle.cupyx import signal
    >>> signal.channelize_poly(np.ones(8), np.ones(4), 2).real
    array([[2., 4., 4., 4.],
           [0., 0., 0., 0.]])
    """
    dtype = numpy.promote_types(as_array(x).dtype, as_array(h).dtype)
    if dtype.char not in "fdFD":
        raise NotImplementedError(f"Data type ({dtype}) not allowed.")
    given, taps = as_array(x).astype(dtype), as_array(h).astype(dtype)
    count, points = taps.shape[0] // n_chans, given.shape[0] // n_chans
    parts = taps[: count * n_chans].reshape(count, n_chans).conj()
    rows = given[: points * n_chans].reshape(points, n_chans)[:, ::-1].conj()
    before = np.pad(rows, ((count - 1, 0), (0, 0)))
    windows = np.lib.stride_tricks.sliding_window_view(before, count, axis=0)[..., ::-1]
    return np.fft.fft((windows * parts.T).sum(axis=-1)).conj().T


def _windows(in1: ArrayLike, in2: ArrayLike, ndim: int, mode: str, method: str) -> Any:
    """Reversed windows of a signal, for each axis of a filter."""
    a, b = as_array(in1), as_array(in2)
    if a.ndim != 1:
        raise ValueError("in1 should have one dimension")
    if b.ndim != ndim:
        raise ValueError(f"in2 should have {ndim} dimensions")
    if mode != "valid":
        raise NotImplementedError(f"Mode == {mode} not implemented")
    if method != "direct":
        raise NotImplementedError("Only Direct method implemented")
    count = a.shape[0] - max(b.shape) + 1
    view = np.lib.stride_tricks.sliding_window_view
    return [view(a, n)[:count, ::-1] for n in b.shape], b


def convolve1d2o(
    in1: ArrayLike, in2: ArrayLike, mode: str = "valid", method: str = "direct"
) -> ndarray:
    """A filter of the second order: sums of products of two samples with weights of a matrix.

    Examples
    --------
    >>> from heddle.cupyx import signal
    >>> signal.convolve1d2o([1.0, 2.0, 3.0], [[1.0, 0.0], [0.0, 1.0]])
    array([ 5., 13.])
    """
    (x, y), weights = _windows(in1, in2, 2, mode, method)
    made: ndarray = ((x @ weights) * y).sum(axis=-1)
    return made


def convolve1d3o(
    in1: ArrayLike, in2: ArrayLike, mode: str = "valid", method: str = "direct"
) -> ndarray:
    """A filter of the third order: sums of products of three samples.

    Examples
    --------
    >>> import heddle as np
    >>> from heddle.cupyx import signal
    >>> signal.convolve1d3o([1.0, 2.0, 3.0], np.ones((2, 2, 2)))
    array([ 27., 125.])
    """
    (x, y, z), weights = _windows(in1, in2, 3, mode, method)
    _, second, third = weights.shape
    planes = (x @ weights.reshape(weights.shape[0], -1)).reshape(-1, second, third)
    made: ndarray = ((planes * z[:, None]).sum(axis=-1) * y).sum(axis=-1)
    return made


_publish(__name__, *map(globals().get, __all__))
