"""Trends, envelopes, medians and other smoothing."""

from __future__ import annotations

import itertools
import math
import warnings
from typing import Any

import numpy

import heddle as np
from heddle._arguments import as_array
from heddle._core import is_stand_in, ndarray
from heddle._typing import ArrayLike, HostArray
from heddle.scipy._host import number
from heddle.scipy.linalg._arguments import validated
from heddle.scipy.ndimage import rank_filter
from heddle.scipy.signal import _kernels as kernels
from heddle.scipy.signal._convolution import correlate
from heddle.scipy.signal._filters import _small


def detrend(
    data: ArrayLike,
    axis: int = -1,
    type: str = "linear",
    bp: ArrayLike = 0,
    overwrite_data: bool = False,
) -> ndarray:
    """Without the mean ('constant'), or without lines that fit best between the breaks bp.

    Examples
    --------
    >>> from heddle.scipy import signal
    >>> signal.detrend([1.0, 2.0, 4.0], type="constant").round(4)
    array([-1.3333, -0.3333,  1.6667])
    """
    if type not in ("linear", "l", "constant", "c"):
        raise ValueError("Trend type must be 'linear' or 'constant'.")
    given = as_array(data)
    if type in ("constant", "c"):
        return given - np.mean(given, axis=axis, keepdims=True)
    dtype = given.dtype if given.dtype.char in "dfDF" else numpy.dtype("f8")
    n = given.shape[axis]
    breaks = numpy.unique(numpy.concatenate([[0], numpy.atleast_1d(_small(bp)), [n]]))
    if numpy.any(breaks > n):
        raise ValueError("Breakpoints must be less than length of data along given axis.")
    if not is_stand_in(given):  # SciPy refuses nan here, as no line fits them
        validated(given)
    lines = np.moveaxis(given.astype(dtype), axis, -1)
    parts = []
    for first, last in itertools.pairwise(breaks):
        part = lines[..., int(first) : int(last)]
        count = part.shape[-1]
        place = np.arange(count, dtype=part.real.dtype, device=part.device) - (count - 1) / 2
        mean = np.mean(part, axis=-1, keepdims=True)
        squares = count * (count * count - 1) / 12
        slope = np.sum(part * place, axis=-1, keepdims=True) / (squares or 1.0)
        parts.append(part - mean - slope * place)
    return np.moveaxis(np.concatenate(parts, axis=-1), -1, axis)


def hilbert(x: ArrayLike, N: int | None = None, axis: int = -1) -> ndarray:
    """The analytic signal: the signal, and a quarter of a turn later its imaginary part.

    Examples
    --------
    >>> import heddle as np
    >>> from heddle.scipy import signal
    >>> np.abs(signal.hilbert(np.cos(np.arange(8) * np.pi / 2))).round(6)
    array([1., 1., 1., 1., 1., 1., 1., 1.])
    """
    given = as_array(x)
    if given.dtype.kind == "c":
        raise ValueError("x must be real.")
    count = given.shape[axis] if N is None else N
    if count <= 0:
        raise ValueError("N must be positive.")
    # Twice the positive frequencies, none of the negative ones: half a transform is enough.
    half = np.moveaxis(np.fft.rfft(given, count, axis=axis), axis, -1)
    k = np.arange(half.shape[-1], device=given.device)
    ends = (k == 0) | (k * 2 == count)
    spectrum = half * np.where(ends, 1, 2).astype(half.real.dtype)
    return np.moveaxis(np.fft.ifft(spectrum, count), -1, axis)


def hilbert2(
    x: ArrayLike, N: int | tuple[int, int] | None = None, axes: tuple[int, int] = (-2, -1)
) -> ndarray:
    """The analytic signal in two dimensions.

    Examples
    --------
    >>> import heddle as np
    >>> from heddle.scipy import signal
    >>> signal.hilbert2(np.ones((2, 2))).real
    array([[1., 1.],
           [1., 1.]])
    """
    given = np.atleast_2d(as_array(x))
    if given.dtype.kind == "c":
        raise ValueError("x must be real.")
    if len(axes) != 2:
        raise ValueError("axes must be a tuple of length 2")
    if axes[0] == axes[1]:
        raise ValueError("axes must contain 2 distinct axes")
    if N is None:
        lengths = tuple(given.shape[axis] for axis in axes)
    elif isinstance(N, int):
        if N <= 0:
            raise ValueError("N must be positive.")
        lengths = (N, N)
    elif len(N) != 2 or any(n <= 0 for n in N):
        raise ValueError("When given as a tuple, N must hold exactly two positive integers")
    else:
        lengths = tuple(N)
    spectrum = np.moveaxis(np.fft.fft2(given, lengths, axes=axes), axes, (-2, -1))
    weights = []
    for n in lengths:
        k = np.arange(n, device=given.device)
        weights.append(np.where(k == 0, 1.0, np.where(k < (n + 1) // 2, 2.0, 0.0)))
    spectrum = spectrum * weights[0][:, None].astype(spectrum.real.dtype)
    spectrum = spectrum * weights[1].astype(spectrum.real.dtype)
    return np.fft.ifft2(np.moveaxis(spectrum, (-2, -1), axes), axes=axes)


# --- medians ---


def _sizes(kernel_size: object, ndim: int) -> list[int]:
    sizes = [3] * ndim if kernel_size is None else _small(kernel_size).tolist()
    sizes = [sizes] * ndim if not isinstance(sizes, list) else sizes
    sizes = [int(size) for size in sizes]
    if any(size % 2 != 1 for size in sizes):
        raise ValueError("Each element of kernel_size should be odd.")
    return sizes


def _ranked(a: ndarray, rank: int, **window: Any) -> ndarray:
    """The element of a rank among neighbours, which are zero beyond the edges."""
    made: ndarray = rank_filter(a, rank, **window, mode="constant")
    return made


def medfilt(volume: ArrayLike, kernel_size: object = None) -> ndarray:
    """The median of neighbours, with zeros beyond the edges.

    Examples
    --------
    >>> from heddle.scipy import signal
    >>> signal.medfilt([1.0, 9.0, 2.0, 3.0])
    array([1., 2., 3., 2.])
    """
    given = np.atleast_1d(as_array(volume))
    if not (given.dtype.kind in "iu" or given.dtype.char in "fd"):
        raise ValueError(f"dtype={given.dtype} is not supported by medfilt")
    sizes = _sizes(kernel_size, given.ndim)
    if any(size > extent for size, extent in zip(sizes, given.shape, strict=False)):
        warnings.warn(
            "kernel_size exceeds volume extent: the volume will be zero-padded.", stacklevel=2
        )
    return _ranked(given, math.prod(sizes) // 2, size=tuple(sizes))


def medfilt2d(input: ArrayLike, kernel_size: object = 3) -> ndarray:
    """medfilt of a matrix.

    Examples
    --------
    >>> import heddle as np
    >>> from heddle.scipy import signal
    >>> signal.medfilt2d(np.ones((3, 3)))
    array([[0., 1., 0.],
           [1., 1., 1.],
           [0., 1., 0.]])
    """
    given = as_array(input)
    if given.ndim != 2 and given.dtype.char in "Bfd":
        raise ValueError("object of too small depth for desired array")
    return medfilt(given, kernel_size)


def order_filter(a: ArrayLike, domain: ArrayLike, rank: int) -> ndarray:
    """The element of a rank among the neighbours where `domain` is not zero.

    Examples
    --------
    >>> from heddle.scipy import signal
    >>> signal.order_filter([1.0, 9.0, 2.0, 3.0], [1, 0, 1], 1)
    array([9., 2., 9., 2.])
    """
    where = _small(domain)
    if any(size % 2 != 1 for size in where.shape):
        raise ValueError("Each dimension of domain argument should have an odd number of elements.")
    given = as_array(a)
    if not (given.dtype.kind in "iu" or given.dtype.char in "fd"):
        raise ValueError(f"dtype={given.dtype} is not supported by order_filter")
    chosen = numpy.count_nonzero(where)
    if not -chosen <= rank < chosen:
        raise RuntimeError("rank not within filter footprint size")
    return _ranked(given, rank, footprint=where)


def wiener(im: ArrayLike, mysize: object = None, noise: float | None = None) -> ndarray:
    """Wiener's filter: what differs from its neighbours by more than the noise is kept.

    Examples
    --------
    >>> from heddle.scipy import signal
    >>> signal.wiener([1.0, 1.0, 5.0, 1.0, 1.0]).round(4)
    array([0.6667, 1.8333, 3.3333, 1.8333, 0.6667])
    """
    given = as_array(im)
    if given.size == 0:
        return given.astype(np.result_type(given, float))
    sizes = [3] * given.ndim if mysize is None else _small(mysize).tolist()
    sizes = [sizes] * given.ndim if not isinstance(sizes, list) else sizes
    count = float(math.prod(sizes))
    box = np.ones(tuple(int(s) for s in sizes), device=given.device)
    mean = correlate(given, box, "same") / count
    variance = correlate(given**2, box, "same") / count - mean**2
    level = np.mean(variance) if noise is None else noise
    return np.where(variance < level, mean, (given - mean) * (1 - level / variance) + mean)


# --- Savitzky and Golay ---


def _polynomial_weights(x: HostArray, order: int, deriv: int, delta: float) -> HostArray:
    matrix = x ** numpy.arange(order + 1).reshape(-1, 1)
    right = numpy.zeros(order + 1)
    right[deriv] = math.factorial(deriv) / delta**deriv
    return numpy.linalg.lstsq(matrix, right, rcond=None)[0]


def _weights(
    window_length: int, polyorder: int, deriv: int, delta: float, pos: float | None, use: str
) -> HostArray:
    if polyorder >= window_length:
        raise ValueError("polyorder must be less than window_length.")
    half, odd = divmod(window_length, 2)
    if pos is None:
        pos = half if odd else half - 0.5
    if not 0 <= pos < window_length:
        raise ValueError("pos must be nonnegative and less than window_length.")
    if use not in ("conv", "dot"):
        raise ValueError("`use` must be 'conv' or 'dot'")
    if deriv > polyorder:
        return numpy.zeros(window_length)
    x = numpy.arange(-pos, window_length - pos, dtype=float)
    return _polynomial_weights(x[::-1] if use == "conv" else x, polyorder, deriv, delta)


def savgol_coeffs(
    window_length: int,
    polyorder: int,
    deriv: int = 0,
    delta: float = 1.0,
    pos: float | None = None,
    use: str = "conv",
    *,
    xp: object = None,
    device: str | None = None,
) -> ndarray:
    """Weights of the filter of Savitzky and Golay: a polynomial that fits best, or its derivative.

    Examples
    --------
    >>> from heddle.scipy import signal
    >>> signal.savgol_coeffs(5, 2).round(4)
    array([-0.0857,  0.3429,  0.4857,  0.3429, -0.0857])
    """
    from heddle.scipy.fft._frequencies import _check_namespace

    _check_namespace(xp)
    window_length, polyorder, deriv = number(window_length), number(polyorder), number(deriv)
    made = _weights(window_length, polyorder, deriv, number(delta), number(pos), use)
    return np.asarray(made, device=device)


_EDGES = {"mirror": "reflect", "constant": "constant", "nearest": "edge", "wrap": "wrap"}


def savgol_filter(
    x: ArrayLike,
    window_length: int,
    polyorder: int,
    deriv: int = 0,
    delta: float = 1.0,
    axis: int = -1,
    mode: str = "interp",
    cval: float = 0.0,
) -> ndarray:
    """Each sample of the polynomial that fits its neighbours best.

    Examples
    --------
    >>> import heddle as np
    >>> from heddle.scipy import signal
    >>> signal.savgol_filter(np.arange(1.0, 7.0) ** 2, 5, 2).round(6)
    array([ 1.,  4.,  9., 16., 25., 36.])
    """
    window_length, polyorder = number(window_length), number(polyorder)
    deriv, delta = number(deriv), number(delta)
    if mode not in (*_EDGES, "interp"):
        raise ValueError("mode must be 'mirror', 'constant', 'nearest' 'wrap' or 'interp'.")
    given = as_array(x)
    if given.dtype.char not in "fd":
        given = given.astype("f8")
    weights = _weights(window_length, polyorder, deriv, delta, None, "conv")
    n = given.shape[axis]
    lines = np.moveaxis(given, axis, -1)
    flat = lines.reshape(math.prod(lines.shape[:-1]), n)
    half = window_length // 2
    if mode == "interp":
        if window_length > n:
            raise ValueError(
                "If mode is 'interp', window_length must be less than or equal to the size of x."
            )
        padded = np.pad(flat, ((0, 0), (half, half)))
    elif given.size == 0:
        return given
    elif mode == "constant":
        padded = np.pad(flat, ((0, 0), (half, half)), constant_values=cval)
    else:
        padded = np.pad(flat, ((0, 0), (half, half)), mode=_EDGES[mode])
    taps = np.asarray(weights[::-1].copy().astype(given.dtype), device=given.device)
    if window_length % 2 == 0:
        padded = padded[:, 1:]
    made = kernels.correlation(padded, taps[None])
    if mode == "interp":
        made = _with_fitted_edges(made, flat, window_length, polyorder, deriv, delta)
    return np.moveaxis(made.reshape(lines.shape), -1, axis)


def _with_fitted_edges(
    made: ndarray, x: ndarray, window: int, order: int, deriv: int, delta: float
) -> ndarray:
    """At both ends, of the polynomial that fits the first or the last window."""
    if order < 0:
        raise ValueError("expected deg >= 0")
    half = window // 2
    place = numpy.arange(window, dtype=float)

    def matrix(points: Any) -> ndarray:
        rows = []
        for point in points:
            if deriv > order:
                rows.append(numpy.zeros(window))
            else:
                rows.append(_polynomial_weights(place - point, order, deriv, delta))
        found = numpy.array(rows).reshape(len(points), window).T.astype(x.dtype)
        return np.asarray(found.copy(), device=x.device)

    first = x[:, :window] @ matrix(range(half))
    last = x[:, -window:] @ matrix(range(window - half, window))
    return np.concatenate([first, made[:, half : made.shape[1] - half], last], axis=1)
