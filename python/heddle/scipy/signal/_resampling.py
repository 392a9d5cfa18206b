"""Signals at other rates: by Fourier transforms, by polyphase filters."""

from __future__ import annotations

import functools
import math
import operator
from typing import Any, overload

import numpy

import heddle as np
from heddle._arguments import as_array, normalize_axis_index
from heddle._core import ndarray, own_array
from heddle._typing import ArrayLike, DTypeLike
from heddle.scipy.signal import _kernels as kernels
from heddle.scipy.signal._filters import _small, filtfilt, lfilter, sosfilt, sosfiltfilt
from heddle.scipy.signal.windows import get_window

_MODES = (
    *("constant", "wrap", "edge", "smooth", "symmetric", "reflect", "antisymmetric"),
    *("antireflect", "line"),
)


def _output_length(taps: int, count: int, up: int, down: int) -> int:
    return ((count - 1) * up + taps - 1) // down + 1


def _continued(x: ndarray, room: int, kind: str) -> ndarray:
    """`room` elements more at both ends of lines, along a straight line or of turned copies."""
    first, last = x[..., :1], x[..., -1:]
    n = x.shape[-1]
    if kind in ("smooth", "line"):
        k = np.arange(1, room + 1, device=x.device).astype(x.real.dtype)
        if kind == "line":
            left = right = (last - first) / max(n - 1, 1)
        else:
            left = x[..., 1:2] - first if n > 1 else first * 0
            right = last - x[..., -2:-1] if n > 1 else last * 0
        return np.concatenate([first - left * k[::-1], x, last + right * k], axis=-1)
    pads = [(0, 0)] * (x.ndim - 1) + [(room, room)]
    if kind == "antireflect":
        return np.pad(x, pads, mode="reflect", reflect_type="odd")
    # Copies are turned about the space beyond the ends, with the other sign each time.
    copies = np.arange(-room, n + room, device=x.device) // n % 2
    return np.where(copies == 0, 1, -1).astype(x.dtype) * np.pad(x, pads, mode="symmetric")


def _extended(x: ndarray, room: int, mode: str, cval: complex) -> ndarray:
    """Lines with `room` elements more at both ends."""
    pads = [(0, 0)] * (x.ndim - 1) + [(room, room)]
    if mode == "constant":
        return np.pad(x, pads, constant_values=cval)
    if mode in ("wrap", "edge", "symmetric", "reflect"):
        return np.pad(x, pads, mode=mode)
    return _continued(x, room, mode)


def upfirdn(
    h: ArrayLike,
    x: ArrayLike,
    up: int = 1,
    down: int = 1,
    axis: int = -1,
    mode: str = "constant",
    cval: complex = 0,
) -> ndarray:
    """Zeros between samples, a filter h, and every `down`-th sample of that.

    Examples
    --------
    >>> from heddle.scipy import signal
    >>> signal.upfirdn([1.0, 1.0], [1.0, 2.0, 3.0], up=2)
    array([1., 1., 2., 2., 3., 3.])
    """
    taps = as_array(h)
    if taps.ndim != 1 or taps.size == 0:
        raise ValueError("h must be 1-D with non-zero length")
    given = as_array(x)
    dtype = numpy.result_type(taps.dtype, given.dtype, numpy.float32)
    up, down = int(up), int(down)
    if up < 1 or down < 1:
        raise ValueError("Both up and down must be >= 1")
    mode = mode.lower()
    if mode not in _MODES:
        raise ValueError(f"Unknown mode: {mode}")
    axis = normalize_axis_index(axis, given.ndim)
    lines = np.moveaxis(given.astype(dtype), axis, -1)
    n = lines.shape[-1]
    count = _output_length(taps.shape[0], n, up, down)
    room = 0
    if mode != "constant" or cval != 0:
        room = -(-taps.shape[0] // up)
        flat = _extended(lines.reshape(math.prod(lines.shape[:-1]), n), room, mode, cval)
    else:
        flat = lines.reshape(math.prod(lines.shape[:-1]), n)
    weights = taps.astype(dtype)
    if weights.device != given.device:
        weights = np.asarray(_small(weights), device=given.device)
    made = kernels.polyphase(weights, flat, up, down, room, count)
    return np.moveaxis(made.reshape(*lines.shape[:-1], count), -1, axis)


@functools.lru_cache(64)
def _cached_lowpass(count: int, cutoff: float, window: tuple[str, float]) -> Any:
    return _designed_lowpass(count, cutoff, window)


def _lowpass(count: int, cutoff: float, window: object) -> Any:
    """The usual windowed sinc, which passes constants as they are."""
    plain = isinstance(window, (str, float, int)) or (
        isinstance(window, tuple) and all(isinstance(item, (str, float, int)) for item in window)
    )
    return (_cached_lowpass if plain else _designed_lowpass)(count, cutoff, window)


def _designed_lowpass(count: int, cutoff: float, window: object) -> Any:
    n = numpy.arange(count) - 0.5 * (count - 1)
    taps = cutoff * numpy.sinc(cutoff * n)
    taps = taps * np.asnumpy(get_window(window, count, fftbins=False))
    return taps / taps.sum()


def resample_poly(
    x: ArrayLike,
    up: int,
    down: int,
    axis: int = 0,
    window: object = ("kaiser", 5.0),
    padtype: str = "constant",
    cval: float | None = None,
) -> ndarray:
    """A signal at up / down times its rate, by a filter without delay.

    Examples
    --------
    >>> import heddle as np
    >>> from heddle.scipy import signal
    >>> signal.resample_poly(np.arange(4.0), 2, 1).shape
    (8,)
    """
    given = as_array(x)
    for name, value in (("up", up), ("down", down)):
        if value != int(value):
            raise ValueError(f"{name} must be an integer")
    up, down = int(up), int(down)
    if up < 1 or down < 1:
        raise ValueError("up and down must be >= 1")
    if cval is not None and padtype != "constant":
        raise ValueError("cval has no effect when padtype is ", padtype)
    common = math.gcd(up, down)
    up, down = up // common, down // common
    if up == down == 1:
        return given.copy()
    n = given.shape[axis]
    count = -(-n * up // down)
    if isinstance(window, (list, numpy.ndarray, own_array)):
        h = _small(window)
        if h.ndim > 1:
            raise ValueError("window must be 1-D")
        half = (h.size - 1) // 2
    else:
        rate = max(up, down)
        half = 10 * rate
        h = _lowpass(2 * half + 1, 1.0 / rate, window)
        if given.dtype.kind in "fc":
            h = h.astype(given.real.dtype)
    h = h * up
    before = down - half % down
    after = 0
    removed = (half + before) // down
    while _output_length(len(h) + before + after, n, up, down) < count + removed:
        after += 1
    h = numpy.concatenate([numpy.zeros(before, h.dtype), h, numpy.zeros(after, h.dtype)])
    background: Any = None
    levels: dict[str, Any] = {"mean": np.mean, "median": np.median}
    levels |= {"minimum": np.min, "maximum": np.max}
    options: dict[str, Any] = {"mode": "constant", "cval": 0}
    if padtype in levels:
        background = levels[padtype](given, axis=axis, keepdims=True)
        given = given - background
    elif padtype in _MODES:
        options = {"mode": padtype}
        if padtype == "constant":
            options["cval"] = 0 if cval is None else cval
    else:
        raise ValueError(
            "padtype must be one of: maximum, mean, median, minimum, " + ", ".join(_MODES)
        )
    made = upfirdn(np.asarray(h, device=given.device), given, up, down, axis=axis, **options)
    index = [slice(None)] * given.ndim
    index[axis] = slice(removed, removed + count)
    made = made[tuple(index)]
    return made if background is None else made + background


@overload
def resample(
    x: ArrayLike,
    num: int,
    t: None = None,
    axis: int = 0,
    window: object = None,
    domain: str = "time",
) -> ndarray: ...
@overload
def resample(
    x: ArrayLike,
    num: int,
    t: ArrayLike | None = None,
    axis: int = 0,
    window: object = None,
    domain: str = "time",
) -> ndarray | tuple[ndarray, ndarray]: ...
def resample(
    x: ArrayLike,
    num: int,
    t: ArrayLike | None = None,
    axis: int = 0,
    window: object = None,
    domain: str = "time",
) -> ndarray | tuple[ndarray, ndarray]:
    """A periodic signal at `num` points, by Fourier transforms.

    Examples
    --------
    >>> import heddle as np
    >>> from heddle.scipy import signal
    >>> signal.resample(np.array([0.0, 1.0, 0.0, -1.0]), 8).round(4)
    array([ 0.    ,  0.7071,  1.    ,  0.7071,  0.    , -0.7071, -1.    , -0.7071])
    """
    if domain not in ("time", "freq"):
        raise ValueError(f"Parameter domain={domain!r} not in ('time', 'freq')!")
    given = as_array(x)
    lines = np.moveaxis(given, axis, -1) if given.ndim > 1 else given
    n = lines.shape[-1]
    if n == 0:
        raise ValueError("resample: invalid number of data points (0) specified")
    scale = num / n
    kept = min(num, n)
    half = kept // 2 + 1
    weights = _spectral_weights(window, n, given)
    if domain == "time" and lines.dtype.kind != "c":
        spectrum = np.fft.rfft(lines)
        if weights is not None:
            bins = spectrum.shape[-1]
            folded = np.concatenate([weights[:1], (weights[1:bins] + weights[:-bins:-1]) / 2])
            spectrum = spectrum * folded.astype(spectrum.real.dtype)
        spectrum = spectrum[..., :half]
        if kept % 2 == 0 and num != n:
            spectrum = spectrum.copy()
            spectrum[..., kept // 2] *= 2 if num < n else 0.5
        made = np.fft.irfft(spectrum * scale, num)
    else:
        spectrum = np.fft.fft(lines) if domain == "time" else lines
        if weights is not None:
            spectrum = spectrum * weights
        out = np.zeros((*spectrum.shape[:-1], num), spectrum.dtype, device=spectrum.device)
        out[..., :half] = spectrum[..., :half]
        if half < kept:
            out[..., half - kept :] = spectrum[..., half - kept :]
        if kept % 2 == 0:
            if num < n:
                out[..., num - kept // 2] += spectrum[..., n - kept // 2]
            elif n < num:
                out[..., kept // 2] /= 2
                out[..., num - kept // 2] = out[..., kept // 2]
        made = np.fft.ifft(out * scale)
    if made.ndim > 1:
        made = np.moveaxis(made, -1, axis)
    if t is None:
        return made
    times = as_array(t)
    return made, times[0] + (times[1] - times[0]) / scale * np.arange(num, device=given.device)


def _spectral_weights(window: Any, n: int, like: ndarray) -> ndarray | None:
    if window is None:
        return None
    if callable(window):
        return as_array(window(np.fft.fftfreq(n, device=like.device)))
    if hasattr(window, "shape"):
        if tuple(window.shape) != (n,):
            raise ValueError(
                f"window.shape={window.shape!r} != ({n},), i.e., window length is not equal to "
                "number of frequency bins!"
            )
        return as_array(window)
    return np.fft.fftshift(get_window(window, n, device=like.device))


@functools.lru_cache(64)
def _chebyshev(order: int, q: int) -> Any:
    """What decimate filters by, in sections."""
    from heddle.scipy import signal

    return _small(signal.cheby1(order, 0.05, 0.8 / q, output="sos"))


def decimate(
    x: ArrayLike,
    q: int,
    n: int | None = None,
    ftype: object = "iir",
    axis: int = -1,
    zero_phase: bool = True,
) -> ndarray:
    """Every q-th sample of a signal, after a filter that keeps the others' frequencies out.

    Examples
    --------
    >>> import heddle as np
    >>> from heddle.scipy import signal
    >>> signal.decimate(np.ones(100), 4).shape
    (25,)
    """
    given = as_array(x)
    q = operator.index(q)
    if n is not None:
        n = operator.index(n)
    dtype = given.dtype
    if dtype.kind not in "fc" or dtype == np.float16:
        dtype = numpy.dtype("f8")
    index: list[Any] = [slice(None)] * given.ndim
    if isinstance(ftype, str) and ftype == "fir":
        count = 20 * q if n is None else n
        taps = _lowpass(count + 1, 1.0 / q, "hamming").astype(numpy.zeros(0, dtype).real.dtype)
        return _every(given, taps, q, axis, zero_phase, index)
    kind, coefficients = _recursive_filter(ftype, n, q, dtype)
    if kind == "fir":
        return _every(given, coefficients[0] / coefficients[1], q, axis, zero_phase, index)
    if kind == "sos":
        made = (sosfiltfilt if zero_phase else sosfilt)(coefficients, given, axis=axis)
    else:
        top, bottom = coefficients
        made = (filtfilt if zero_phase else lfilter)(top, bottom, given, axis=axis)
    index[axis] = slice(None, None, q)
    found: ndarray = made[tuple(index)]
    return found


def _every(
    x: ndarray, taps: object, q: int, axis: int, zero_phase: bool, index: list[Any]
) -> ndarray:
    if zero_phase:
        return resample_poly(x, 1, q, axis=axis, window=taps)
    index[axis] = slice(None, -(-x.shape[axis] // q))
    return upfirdn(np.asarray(taps, device=x.device), x, up=1, down=q, axis=axis)[tuple(index)]


def _recursive_filter(
    ftype: object, n: int | None, q: int, dtype: DTypeLike | None
) -> tuple[str, Any]:
    from heddle.scipy import signal

    if isinstance(ftype, str):
        if ftype != "iir":
            raise ValueError("invalid ftype")
        sos = _chebyshev(8 if n is None else n, q)
        return "sos", sos.astype(numpy.zeros(0, dtype).real.dtype)
    if not isinstance(ftype, signal.dlti):
        raise ValueError("invalid ftype")
    system = ftype._as_zpk()
    if system.poles.shape[0] == 0:
        system = ftype._as_tf()
        return "fir", (_small(system.num), _small(system.den))
    if numpy.iscomplex(system.poles).any() or numpy.iscomplex(system.gain):
        system = ftype._as_tf()
        return "tf", (_small(system.num), _small(system.den))
    sos = signal.zpk2sos(system.zeros, system.poles, system.gain)
    return "sos", _small(sos).astype(numpy.zeros(0, dtype).real.dtype)
