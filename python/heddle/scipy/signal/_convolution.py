"""Convolution and correlation: direct, by Fourier transforms, or by overlapping pieces."""

from __future__ import annotations

import math
import time
import warnings
from collections.abc import Sequence
from typing import Any, Literal, overload

import numpy

import heddle as np
from heddle._arguments import as_array
from heddle._core import ndarray, own_array
from heddle._typing import ArrayLike, ShapeLike
from heddle.scipy.fft import next_fast_len
from heddle.scipy.signal import _kernels as kernels

_MODES = ("valid", "same", "full")


def _check_mode(mode: str) -> None:
    if mode not in _MODES:
        raise ValueError("acceptable mode flags are 'valid', 'same', or 'full'")


def _swap_needed(
    mode: str, first: Sequence[int], second: Sequence[int], axes: Sequence[int] | None = None
) -> bool:
    if mode != "valid" or not first:
        return False
    along = range(len(first)) if axes is None else axes
    fits = all(first[i] >= second[i] for i in along)
    if not fits and not all(second[i] >= first[i] for i in along):
        raise ValueError(
            "For 'valid' mode, one must be at least as large as the other in every dimension"
        )
    return not fits


def _centred(a: ndarray, shape: Sequence[int]) -> ndarray:
    index = []
    for has, wants in zip(a.shape, shape, strict=True):
        start = (has - wants) // 2
        index.append(slice(start, start + wants))
    return a[tuple(index)]


def _cut(
    full: ndarray, first: Sequence[int], second: Sequence[int], mode: str, axes: Sequence[int]
) -> ndarray:
    if mode == "full":
        return full
    if mode == "same":
        return _centred(full, first)
    shape = [first[i] - second[i] + 1 if i in axes else full.shape[i] for i in range(full.ndim)]
    return _centred(full, shape)


def _flipped(a: ndarray) -> ndarray:
    flipped = a[(slice(None, None, -1),) * a.ndim]
    return flipped.conj() if a.dtype.kind == "c" else flipped


def _axes(a: ndarray, b: ndarray, mode: str, axes: Any, sort: bool) -> tuple[Any, ...]:
    """Both arrays, and the axes that have to be transformed."""
    if axes is None:
        along = list(range(a.ndim))
    else:
        given = [axes] if isinstance(axes, (int, numpy.integer)) else list(axes)
        if not all(isinstance(axis, (int, numpy.integer)) for axis in given):
            raise ValueError("axes must be a scalar or iterable of integers")
        along = [int(axis) + a.ndim if axis < 0 else int(axis) for axis in given]
        if any(axis >= a.ndim or axis < 0 for axis in along):
            raise ValueError("axes exceeds dimensionality of input")
        if len(set(along)) != len(along):
            raise ValueError("all axes must be unique")
    if axes is not None and not along:
        raise ValueError("when provided, axes cannot be empty")
    along = [i for i in along if a.shape[i] != 1 and b.shape[i] != 1]
    if sort:
        along.sort()
    first, second = a.shape, b.shape
    if not all(
        first[i] == second[i] or 1 in (first[i], second[i]) for i in range(a.ndim) if i not in along
    ):
        raise ValueError(f"incompatible shapes for in1 and in2: {tuple(first)} and {tuple(second)}")
    if _swap_needed(mode, first, second, along):
        a, b = b, a
    return a, b, along


def _both(in1: ArrayLike, in2: ArrayLike) -> tuple[ndarray, ndarray]:
    return as_array(in1), as_array(in2)


def _trivial(a: ndarray, b: ndarray) -> ndarray | None:
    """What needs no transforms: numbers, and nothing."""
    if a.ndim == b.ndim == 0:
        return a * b
    if a.ndim != b.ndim:
        raise ValueError("in1 and in2 should have the same dimensionality")
    return np.zeros((0,)) if a.size == 0 or b.size == 0 else None


def fftconvolve(
    in1: ArrayLike, in2: ArrayLike, mode: str = "full", axes: ShapeLike | None = None
) -> ndarray:
    """Convolution by Fourier transforms.

    Examples
    --------
    >>> from heddle.scipy import signal
    >>> signal.fftconvolve([1.0, 2.0, 3.0], [1.0, 0.5]).round(6)
    array([1. , 2.5, 4. , 1.5])
    """
    a, b = _both(in1, in2)
    if (trivial := _trivial(a, b)) is not None:
        return trivial
    a, b, along = _axes(a, b, mode, axes, True)
    _check_mode(mode)
    shape = [
        max(a.shape[i], b.shape[i]) if i not in along else a.shape[i] + b.shape[i] - 1
        for i in range(a.ndim)
    ]
    return _cut(_product(a, b, along, shape), a.shape, b.shape, mode, along)


def _product(a: ndarray, b: ndarray, axes: list[int], shape: list[int]) -> ndarray:
    if not axes:
        return a * b
    real = a.dtype.kind != "c" and b.dtype.kind != "c"
    lengths = [next_fast_len(shape[i], real) for i in axes]
    if real:
        made = np.fft.irfftn(
            np.fft.rfftn(a, lengths, axes) * np.fft.rfftn(b, lengths, axes), lengths, axes
        )
    else:
        made = np.fft.ifftn(
            np.fft.fftn(a, lengths, axes) * np.fft.fftn(b, lengths, axes), lengths, axes
        )
    return made[tuple(slice(n) for n in shape)]


def _block(long: int, short: int) -> int:
    """The length of the pieces' transforms, for which a product costs least."""
    if long <= 2 * short:
        return next_fast_len(long + short - 1)
    best, cost = 0, math.inf
    n = next_fast_len(2 * short)
    while n < 2 * (long + short):
        total = n * math.log2(n) / (n - short + 1)
        if total < cost:
            best, cost = n, total
        n = next_fast_len(2 * n)
    return best


def oaconvolve(
    in1: ArrayLike, in2: ArrayLike, mode: str = "full", axes: ShapeLike | None = None
) -> ndarray:
    """Convolution by transforms of pieces, which overlap and are added: for a long and a short one.

    Examples
    --------
    >>> import heddle as np
    >>> from heddle.scipy import signal
    >>> signal.oaconvolve(np.ones(100), [1.0, 1.0])[:3].round(6)
    array([1., 2., 2.])
    """
    a, b = _both(in1, in2)
    if (trivial := _trivial(a, b)) is not None:
        return trivial
    if a.shape == b.shape:
        return fftconvolve(a, b, mode=mode, axes=axes)
    a, b, along = _axes(a, b, mode, axes, True)
    _check_mode(mode)
    if len(along) != 1:
        return fftconvolve(a, b, mode=mode, axes=axes)
    (axis,) = along
    full = np.moveaxis(_overlapping(np.moveaxis(a, axis, -1), np.moveaxis(b, axis, -1)), -1, axis)
    return _cut(full, a.shape, b.shape, mode, along)


def _overlapping(a: ndarray, b: ndarray) -> ndarray:
    """Along the last axis."""
    if a.shape[-1] < b.shape[-1]:
        a, b = b, a
    long, short = a.shape[-1], b.shape[-1]
    n = _block(long, short)
    step = n - short + 1
    pieces = -(-long // step)
    a = np.pad(a, [(0, 0)] * (a.ndim - 1) + [(0, pieces * step - long)])
    cut = a.reshape(*a.shape[:-1], pieces, step)
    real = a.dtype.kind != "c" and b.dtype.kind != "c"
    if real:
        made = np.fft.irfft(np.fft.rfft(cut, n) * np.fft.rfft(b, n)[..., None, :], n)
    else:
        made = np.fft.ifft(np.fft.fft(cut, n) * np.fft.fft(b, n)[..., None, :], n)
    # The end of a piece is added to the beginning of the next one.
    out = np.zeros((*made.shape[:-2], (pieces + 1) * step), made.dtype, device=made.device)
    parts = out.reshape(*made.shape[:-2], pieces + 1, step)
    parts[..., :-1, :] = made[..., :step]
    tail = made[..., step:]
    if short - 1 <= step:
        parts[..., 1:, : short - 1] += tail
        return out[..., : long + short - 1]
    # A filter longer than a step: what is left reaches over several of them.
    room = np.zeros((*made.shape[:-2], pieces * step + n), made.dtype, device=made.device)
    for k in range(pieces):
        room[..., k * step : k * step + n] += made[..., k, :]
    return room[..., : long + short - 1]


# --- direct ---


# Sums of these types lose what they count, or digits.
_SUMMED_IN = {"?": "i8", "e": "f4"}


def _valid(a: ndarray, b: ndarray) -> ndarray:
    """a correlated with b, not conjugated, where b lies within a."""
    dtype = numpy.result_type(a.dtype, b.dtype)
    a, b = a.astype(dtype, copy=False), b.astype(dtype, copy=False)
    work = a
    if dtype.char in _SUMMED_IN:
        work, b = (each.astype(_SUMMED_IN[dtype.char]) for each in (a, b))
    if a.ndim == 1:
        made = kernels.correlation(work[None], b[None])[0]
    elif a.ndim == 2:
        made = kernels.correlation(work, b)
    else:
        made = _by_slices(work, b)
    return made.astype(dtype, copy=False)


def _by_slices(a: ndarray, b: ndarray) -> ndarray:
    """In more dimensions: planes of the filter, one after the other."""
    count = a.shape[0] - b.shape[0] + 1
    planes = []
    for i in range(count):
        total = None
        for k in range(b.shape[0]):
            part = _valid(a[i + k], b[k])
            total = part if total is None else total + part
        planes.append(total)
    return np.stack(planes)  # type: ignore[arg-type]


def _direct(a: ndarray, b: ndarray, mode: str) -> ndarray:
    """a correlated with b, not conjugated."""
    if mode == "valid":
        return _valid(a, b)
    if mode == "full":
        return _valid(np.pad(a, [(n - 1, n - 1) for n in b.shape]), b)
    return _valid(np.pad(a, [(n // 2, (n - 1) // 2) for n in b.shape]), b)  # the middle of that


# What an element costs: a product of the direct sum, and one of a transform, for each doubling.
_COST = {"direct": 0.35, "fft": 2.5}


def _fft_is_faster(a: ndarray, b: ndarray, mode: str) -> bool:
    full = [i + j - 1 for i, j in zip(a.shape, b.shape, strict=True)]
    out = full
    if mode == "same":
        out = list(a.shape)
    elif mode == "valid":
        out = [max(i, j) - min(i, j) + 1 for i, j in zip(a.shape, b.shape, strict=True)]
    direct = _COST["direct"] * math.prod(out) * min(a.size, b.size)

    def transform(points: int) -> float:
        return 2000 + _COST["fft"] * points * math.log2(max(points, 2))

    if transform(math.prod(full)) >= direct:  # lengths that are fast are longer
        return False
    return transform(math.prod(next_fast_len(n, True) for n in full)) < direct


@overload
def choose_conv_method(
    in1: ArrayLike, in2: ArrayLike, mode: str = "full", measure: Literal[False] = False
) -> str: ...
@overload
def choose_conv_method(
    in1: ArrayLike, in2: ArrayLike, mode: str = "full", measure: bool = False
) -> str | tuple[str, dict[str, float]]: ...
def choose_conv_method(
    in1: ArrayLike, in2: ArrayLike, mode: str = "full", measure: bool = False
) -> str | tuple[str, dict[str, float]]:
    """The method that convolve takes, 'fft' or 'direct'; with `measure` the quicker of both.

    Examples
    --------
    >>> import heddle as np
    >>> from heddle.scipy import signal
    >>> signal.choose_conv_method(np.ones(10000), np.ones(3000))
    'fft'
    """
    a, b = _both(in1, in2)
    if measure:
        times = {}
        for method in ("fft", "direct"):
            convolve(a, b, mode=mode, method=method).sum().item()
            start = time.perf_counter()
            convolve(a, b, mode=mode, method=method).sum().item()
            times[method] = time.perf_counter() - start
        return ("fft" if times["fft"] < times["direct"] else "direct"), times
    if "i" in (a.dtype.kind, b.dtype.kind) or "u" in (a.dtype.kind, b.dtype.kind):
        largest = 1
        for each in (a, b):
            if each.dtype.kind in "iu" and each.size:
                largest *= max(abs(int(np.max(each))), abs(int(np.min(each))))
        if largest * min(a.size, b.size) > 2**52 - 1:
            return "direct"
    if a.dtype.kind == "b" and b.dtype.kind == "b":
        return "direct"
    return "fft" if _fft_is_faster(a, b, mode) else "direct"


def convolve(in1: ArrayLike, in2: ArrayLike, mode: str = "full", method: str = "auto") -> ndarray:
    """Convolution of arrays with as many axes.

    Examples
    --------
    >>> from heddle.scipy import signal
    >>> signal.convolve([1, 2, 3], [0, 1, 2])
    array([0, 1, 4, 7, 6])
    """
    a, b = _both(in1, in2)
    if a.ndim == b.ndim == 0:
        return a * b
    if a.ndim != b.ndim:
        raise ValueError("volume and kernel should have the same dimensionality")
    if mode not in _MODES:
        raise ValueError("Acceptable mode flags are 'valid', 'same', or 'full'.")
    if _swap_needed(mode, a.shape, b.shape):
        a, b = b, a
    if a.ndim == 1 and method != "fft" and not (a.size or (mode == "same" and b.size)):
        raise ValueError("a cannot be empty")
    if a.ndim == 1 and method != "fft" and not b.size:
        raise ValueError("v cannot be empty")
    if method == "auto":
        method = choose_conv_method(a, b, mode=mode)
    if method == "fft":
        made = fftconvolve(a, b, mode=mode)
        dtype = numpy.result_type(a.dtype, b.dtype)
        if dtype.kind in "iu":
            made = np.round(made)
        elif made.size and not bool(np.isfinite(made.reshape(-1)[0])):
            warnings.warn(
                "Use of fft convolution on input with NAN or inf results in NAN or inf output. "
                "Consider using method='direct' instead.",
                RuntimeWarning,
                stacklevel=2,
            )
        return made.astype(dtype)
    if method != "direct":
        raise ValueError("Acceptable method flags are 'auto', 'direct', or 'fft'.")
    if a.size == 0 or b.size == 0:
        return np.zeros((0,), numpy.result_type(a.dtype, b.dtype))
    return _direct(a, b[(slice(None, None, -1),) * b.ndim], mode)


def correlate(in1: ArrayLike, in2: ArrayLike, mode: str = "full", method: str = "auto") -> ndarray:
    """Correlation of arrays with as many axes; the second is conjugated.

    Examples
    --------
    >>> from heddle.scipy import signal
    >>> signal.correlate([1, 2, 3], [0, 1, 2])
    array([2, 5, 8, 3, 0])
    """
    a, b = _both(in1, in2)
    if a.ndim == b.ndim == 0:
        return a * (b.conj() if b.dtype.kind == "c" else b)
    if a.ndim != b.ndim:
        raise ValueError("in1 and in2 should have the same dimensionality")
    if mode not in _MODES:
        raise ValueError("Acceptable mode flags are 'valid', 'same', or 'full'.")
    if method not in ("auto", "fft", "direct"):
        raise ValueError("Acceptable method flags are 'auto', 'direct', or 'fft'.")
    return convolve(a, _flipped(b), mode, method)


def correlation_lags(in1_len: int, in2_len: int, mode: str = "full") -> ndarray:
    """By how much the second array is moved for each element of their correlation.

    Examples
    --------
    >>> from heddle.scipy import signal
    >>> signal.correlation_lags(3, 2)
    array([-1,  0,  1,  2])
    """
    if mode == "full":
        return np.arange(-in2_len + 1, in1_len)
    if mode == "same":
        lags = np.arange(-in2_len + 1, in1_len)
        middle = lags.size // 2
        half = in1_len // 2
        return lags[middle - half : middle + half + in1_len % 2]
    if mode == "valid":
        bound = in1_len - in2_len
        return np.arange(bound + 1) if bound >= 0 else np.arange(bound, 1)
    raise ValueError(f"Mode {mode} is invalid")


_BOUNDARIES = {"fill": "constant", "pad": "constant", "wrap": "wrap", "circular": "wrap"}
_BOUNDARIES |= {"symm": "symmetric", "symmetric": "symmetric"}


def _in_two(
    a: ndarray, b: ndarray, mode: str, boundary: str, fillvalue: complex, later: bool
) -> ndarray:
    """a correlated with b, with elements around a; `later`: where the middle of b is."""
    if mode not in _MODES:
        raise ValueError("Acceptable mode flags are 'valid', 'same', or 'full'.")
    if boundary not in _BOUNDARIES:
        raise ValueError(
            "Acceptable boundary flags are 'fill', 'circular' (or 'wrap'), and 'symmetric' (or "
            "'symm')."
        )
    if np.ndim(fillvalue) > 0 and np.size(fillvalue) != 1:
        raise ValueError("`fillvalue` must be scalar or an array with one element.")
    dtype = numpy.result_type(a.dtype, b.dtype)
    a, b = a.astype(dtype, copy=False), b.astype(dtype, copy=False)
    if mode == "valid":
        return _valid(a, b)
    if b.size == 0:  # sums of nothing
        whole = tuple(max(n + k - 1, 0) for n, k in zip(a.shape, b.shape, strict=True))
        return np.zeros(whole if mode == "full" else a.shape, dtype, device=a.device)
    first, second = (n // 2 if later else (n - 1) // 2 for n in b.shape)
    room = [(n - 1, n - 1) for n in b.shape]
    kind = _BOUNDARIES[boundary]
    if kind == "constant":
        if isinstance(fillvalue, own_array):
            fillvalue = fillvalue.get()
        if numpy.iscomplexobj(fillvalue) and dtype.kind != "c":
            raise ValueError(
                "could not cast `fillvalue` directly to the output type (it is complex, and that "
                f"is {dtype})."
            )
        fill = numpy.asarray(fillvalue).reshape(()).astype(dtype).item()
        made = _around(a, b, fill, mode, (first, second))
        if made is not None:
            return made
        padded = np.pad(a, room, constant_values=fill)
    else:
        padded = np.pad(a, room, mode=kind)
    full = _valid(padded, b)
    if mode == "full":
        return full
    return full[first : first + a.shape[0], second : second + a.shape[1]]


def _around(
    a: ndarray, b: ndarray, fill: complex, mode: str, middle: tuple[int, int]
) -> ndarray | None:
    """a correlated with b by threads that see a number around a; None for what that does not do."""
    if a.dtype.kind == "b":
        return None
    if mode == "full":
        middle, shape = (0, 0), (a.shape[0] + b.shape[0] - 1, a.shape[1] + b.shape[1] - 1)
    else:
        shape = (a.shape[0], a.shape[1])
    before = (b.shape[0] - 1 - middle[0], b.shape[1] - 1 - middle[1])
    return kernels.correlation_around(a, b, fill, before, shape)


def convolve2d(
    in1: ArrayLike,
    in2: ArrayLike,
    mode: str = "full",
    boundary: str = "fill",
    fillvalue: complex = 0,
) -> ndarray:
    """Convolution of two matrices, with elements around the first: a number, its own, or mirrored.

    Examples
    --------
    >>> from heddle.scipy import signal
    >>> signal.convolve2d([[1, 2], [3, 4]], [[1, 1]])
    array([[1, 3, 2],
           [3, 7, 4]])
    """
    a, b = _both(in1, in2)
    if not a.ndim == b.ndim == 2:
        raise ValueError("convolve2d inputs must both be 2-D arrays")
    if _swap_needed(mode, a.shape, b.shape):
        a, b = b, a
    return _in_two(a, b[::-1, ::-1], mode, boundary, fillvalue, False)


def correlate2d(
    in1: ArrayLike,
    in2: ArrayLike,
    mode: str = "full",
    boundary: str = "fill",
    fillvalue: complex = 0,
) -> ndarray:
    """Correlation of two matrices; the second is conjugated.

    Examples
    --------
    >>> from heddle.scipy import signal
    >>> signal.correlate2d([[1, 2], [3, 4]], [[1, 2]])
    array([[ 2,  5,  2],
           [ 6, 11,  4]])
    """
    a, b = _both(in1, in2)
    if not a.ndim == b.ndim == 2:
        raise ValueError("correlate2d inputs must both be 2-D arrays")
    swapped = _swap_needed(mode, a.shape, b.shape)
    if swapped:
        a, b = b, a
    b = b.conj() if b.dtype.kind == "c" else b
    made = _in_two(a, b, mode, boundary, fillvalue, True)
    return made[::-1, ::-1] if swapped else made


def sepfir2d(input: ArrayLike, hrow: ArrayLike, hcol: ArrayLike) -> ndarray:
    """A matrix filtered along its rows and its columns, mirrored at its edges.

    Examples
    --------
    >>> import heddle as np
    >>> from heddle.scipy import signal
    >>> signal.sepfir2d(np.ones((3, 3)), [0.5, 1.0, 0.5], [1.0])[0]
    array([2., 2., 2.])
    """
    a = as_array(input)
    row, column = np.atleast_1d(as_array(hrow)), np.atleast_1d(as_array(hcol))
    if a.ndim != 2 or row.ndim != 1 or column.ndim != 1:
        raise ValueError("object of too small depth for desired array")
    if row.shape[0] % 2 == 0 or column.shape[0] % 2 == 0:
        raise ValueError("hrow and hcol must be odd length")
    dtype = numpy.result_type(a.dtype, numpy.float32)
    a = a.astype(dtype)
    wide, high = row.shape[0] // 2, column.shape[0] // 2
    padded = np.pad(a, ((high, high), (wide, wide)), mode="symmetric")
    made = kernels.correlation(padded, row[::-1].astype(dtype)[None])
    return kernels.correlation(made, column[::-1].astype(dtype)[:, None])
