"""Filters of Fourier transforms: products with those of a Gaussian, a box, a ball, a shift."""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from typing import Any

import numpy

from heddle._arguments import as_array, normalize_axis
from heddle._core import ndarray, own_array
from heddle._creation.arrays import asarray
from heddle._creation.fills import empty
from heddle._indexing.elements import where
from heddle._math.ufuncs import cos, exp, sin, sqrt
from heddle._typing import ArrayLike, DType, Output
from heddle.scipy.ndimage._support import Arrays, sequence
from heddle.special import j1

_REAL = ("float32", "float64", "complex64", "complex128")


def _output(output: Any, a: ndarray, kinds: tuple[str, ...]) -> tuple[Any, Any]:
    """The type of the result, and the array that takes it."""
    if output is None:
        kept = a.dtype.name in kinds and a.dtype.name != "float64"
        default = "complex128" if kinds[0] == "complex64" else "float64"
        return numpy.dtype(a.dtype if kept else default), None
    if isinstance(output, Arrays):
        if output.shape != a.shape:
            raise RuntimeError("output shape not correct")
        return output.dtype, output
    dtype = numpy.dtype(output)
    if dtype.name not in kinds:
        raise RuntimeError("output type not supported")
    return dtype, None


def _deliver(result: ndarray, dtype: DType, target: Any) -> ndarray:
    if dtype.kind != "c" and result.dtype.kind == "c":
        result = result.real
    result = result.astype(dtype)
    if target is None:
        return result
    target[...] = result if isinstance(target, own_array) else result._snapshot()
    return target  # type: ignore[no-any-return]


def _frequencies(a: ndarray, n: int, axis: int) -> list[ndarray]:
    """Frequencies of the elements along each axis, from -1/2 to 1/2, in a shape to broadcast."""
    found = []
    for d, extent in enumerate(a.shape):
        values = _kept_frequencies(extent, n if d == axis else -1, a.device)
        found.append(values.reshape([-1 if e == d else 1 for e in range(a.ndim)]))
    return found


@functools.lru_cache(64)
def _kept_frequencies(extent: int, n: int, device: str) -> ndarray:
    if n >= 0:  # of a real transform: half of them
        return asarray(numpy.arange(extent) / n, device=device)
    return asarray(numpy.fft.fftfreq(extent) if extent else numpy.zeros(0), device=device)


def _prepare(
    input: ArrayLike, given: object, n: int, axis: int, output: object, kinds: tuple[str, ...]
) -> Any:
    a = as_array(input)
    dtype, target = _output(output, a, kinds)
    axis = normalize_axis(axis, a.ndim)
    values = [float(v) for v in sequence(given, a.ndim)]
    wide = a if a.dtype.kind == "c" else a.astype(numpy.float64)
    return wide, values, _frequencies(a, n, axis), dtype, target


def fourier_gaussian(
    input: ArrayLike,
    sigma: float | Sequence[float],
    n: int = -1,
    axis: int = -1,
    output: Output | None = None,
) -> ndarray:
    """Multiplies a Fourier transform with that of a Gaussian.

    `n`: the length of `axis` before a real transform; negative for complex ones.

    Examples
    --------
    >>> import heddle as np
    >>> np.scipy.ndimage.fourier_gaussian(np.ones(4), sigma=1).round(4)
    array([1.    , 0.2912, 0.0072, 0.2912])
    """
    a, sigmas, frequencies, dtype, target = _prepare(input, sigma, n, axis, output, _REAL)
    for s, f in zip(sigmas, frequencies, strict=True):
        a = a * exp(f * f * (-2.0 * (math.pi * s) ** 2))
    return _deliver(a, dtype, target)


def fourier_uniform(
    input: ArrayLike,
    size: float | Sequence[float],
    n: int = -1,
    axis: int = -1,
    output: Output | None = None,
) -> ndarray:
    """Multiplies a Fourier transform with that of a box.

    Examples
    --------
    >>> import heddle as np
    >>> np.scipy.ndimage.fourier_uniform(np.ones(4), size=2).round(4)
    array([1.    , 0.6366, 0.    , 0.6366])
    """
    a, sizes, frequencies, dtype, target = _prepare(input, size, n, axis, output, _REAL)
    for s, f in zip(sizes, frequencies, strict=True):
        x = f * (math.pi * s)
        a = a * where(x == 0, 1.0, sin(x) / where(x == 0, 1.0, x))
    return _deliver(a, dtype, target)


def fourier_ellipsoid(
    input: ArrayLike,
    size: float | Sequence[float],
    n: int = -1,
    axis: int = -1,
    output: Output | None = None,
) -> ndarray:
    """Multiplies a Fourier transform with that of an ellipsoid, of one to three dimensions.

    Examples
    --------
    >>> import heddle as np
    >>> np.scipy.ndimage.fourier_ellipsoid(np.ones(4), size=2).round(4)
    array([1.    , 0.6366, 0.    , 0.6366])
    """
    if numpy.ndim(input) > 3:
        raise NotImplementedError("Only 1d, 2d and 3d inputs are supported")
    a, sizes, frequencies, dtype, target = _prepare(input, size, n, axis, output, _REAL)
    if not a.size:
        return _deliver(a, dtype, target)
    squares = 0.0
    for s, f in zip(sizes, frequencies, strict=True):
        x = f * (math.pi * s)
        squares = squares + x * x
    r = sqrt(asarray(squares))
    middle = r == 0
    safe = where(middle, 1.0, r)
    if a.ndim == 1:
        factor = sin(safe) / safe
    elif a.ndim == 2:
        factor = 2.0 * j1(safe) / safe
    else:
        factor = 3.0 * (sin(safe) - safe * cos(safe)) / (safe * safe * safe)
    return _deliver(a * where(middle, 1.0, factor), dtype, target)


def fourier_shift(
    input: ArrayLike,
    shift: float | Sequence[float],
    n: int = -1,
    axis: int = -1,
    output: Output | None = None,
) -> ndarray:
    """Multiplies a Fourier transform so that its inverse is moved.

    Examples
    --------
    >>> import heddle as np
    >>> moved = np.scipy.ndimage.fourier_shift(np.fft.fft(np.array([1.0, 0, 0, 0])), 1)
    >>> np.fft.ifft(moved).real.round(4) + 0.0
    array([0., 1., 0., 0.])
    """
    kinds = ("complex64", "complex128")
    a, shifts, frequencies, dtype, target = _prepare(input, shift, n, axis, output, kinds)
    angle = 0.0
    for s, f in zip(shifts, frequencies, strict=True):
        angle = angle - f * (2.0 * math.pi * s)
    turned = empty(a.shape, dtype=numpy.complex128, device=a.device)
    turned.real, turned.imag = cos(asarray(angle)), sin(asarray(angle))
    return _deliver(a * turned, dtype, target)
