"""Cosine and sine transforms, by Fourier transforms of as many real numbers.

What is done before and after these (putting elements in another order, turning by factors) are
deferred operations: a pass over memory each, fused with what is around. Transforms of the types 1
go through their symmetric extension.
"""

from __future__ import annotations

import functools
import math
import operator
from collections.abc import Callable, Sequence
from typing import Any, SupportsIndex

import numpy

import heddle as np
from heddle._core import ndarray
from heddle._typing import ArrayLike, DType, Norm, ShapeLike
from heddle.fft import fft as _fft
from heddle.fft import irfft as _irfft
from heddle.fft import rfft as _rfft
from heddle.scipy._recorded import recorded
from heddle.scipy.fft import _arguments as arguments

_root = math.sqrt(2.0)


@functools.lru_cache(maxsize=64)
def _turns(numerators: tuple[int, int, int], n: int, dtype: DType, device: str) -> ndarray:
    """exp(-pi i (start + step k) / n) for the first `count` k; numerators: start, step, count."""
    start, step, count = numerators
    # Of integers modulo a turn: no digits are lost, however long the transform.
    angles = (start + step * numpy.arange(count, dtype=numpy.int64)) % (2 * n)
    made = numpy.exp(-1j * (numpy.pi / n) * angles)
    return np.asarray(made.astype(dtype), device=device)


def _factors(x: ndarray, start: int, step: int, count: int, n: int) -> ndarray:
    dtype = numpy.dtype("complex64" if x.dtype.itemsize == 4 else "complex128")
    return _turns((start, step, count), n, dtype, x.device)


def _joined(*parts: ndarray) -> ndarray:
    return np.concatenate(parts, axis=-1)


def _cosine_1(x: ndarray) -> ndarray:
    if x.shape[-1] < 2:
        raise RuntimeError("zero-length FFT requested")
    return _rfft(_joined(x, x[..., -2:0:-1])).real


def _cosine_2(x: ndarray, sign: int = 1) -> ndarray:
    """`sign`: of every other element of x."""
    n = x.shape[-1]
    odd = x[..., 1::2][..., ::-1]
    spectrum = _rfft(_joined(x[..., ::2], odd if sign > 0 else -odd))
    turned = spectrum * (2 * _factors(x, 0, 1, n // 2 + 1, 2 * n))
    return _joined(turned.real, -turned.imag[..., (n - 1) // 2 : 0 : -1])


def _cosine_3(x: ndarray, sign: int = 1) -> ndarray:
    """`sign`: of every other element of the result."""
    n = x.shape[-1]
    half = n // 2 + 1
    mirrored = _joined(np.zeros_like(x[..., :1]), x[..., : n - half : -1])
    spectrum = (x[..., :half] - 1j * mirrored) * _factors(x, 0, 1, half, 2 * n).conj()
    found = _irfft(spectrum, n, norm="forward")
    out = np.empty_like(found)
    out[..., ::2] = found[..., : (n + 1) // 2]
    odd = found[..., : (n - 1) // 2 : -1]
    out[..., 1::2] = odd if sign > 0 else -odd
    return out


def _cosine_4(x: ndarray, sign: int = 1) -> ndarray:
    """`sign`: of every other element of the result."""
    n = x.shape[-1]
    if n % 2:
        spectrum = _fft(x * _factors(x, 0, 1, n, 2 * n), 2 * n)[..., :n]
        found = 2 * (spectrum * _factors(x, 1, 2, n, 4 * n)).real
        return found if sign > 0 else found * _signs(x)
    turns = _factors(x, 1, 4, n // 2, 4 * n)
    spectrum = _fft((x[..., ::2] + 1j * x[..., ::-2]) * turns)
    turned = spectrum * (2 * turns * complex(_turn(n)))
    out = np.empty_like(x)
    out[..., ::2] = turned.real
    out[..., ::-2] = -turned.imag if sign > 0 else turned.imag
    return out


def _turn(n: int) -> complex:
    """What both factors of a transform of type 4 have too much of."""
    angle = math.pi / (4 * n)
    return complex(math.cos(angle), math.sin(angle))


def _signs(x: ndarray) -> ndarray:
    return 1 - 2 * (np.arange(x.shape[-1], dtype=x.dtype, device=x.device) % 2)


def _sine_1(x: ndarray) -> ndarray:
    n, none = x.shape[-1], np.zeros_like(x[..., :1])
    return -_rfft(_joined(none, x, none, -x[..., ::-1])).imag[..., 1 : n + 1]


def _sine_2(x: ndarray) -> ndarray:
    return _cosine_2(x, -1)[..., ::-1]


def _sine_3(x: ndarray) -> ndarray:
    return _cosine_3(x[..., ::-1], -1)


def _sine_4(x: ndarray) -> ndarray:
    return _cosine_4(x[..., ::-1], -1)


_Step = Callable[[ndarray], ndarray]
_steps: dict[str, tuple[_Step, ...]] = {
    "DCT": (_cosine_1, _cosine_2, _cosine_3, _cosine_4),
    "DST": (_sine_1, _sine_2, _sine_3, _sine_4),
}
# Where orthonormal transforms have another factor: before and after, of the types 1 to 4.
_before: dict[str, tuple[tuple[int, ...], ...]] = {
    "DCT": ((0, -1), (), (0,), ()),
    "DST": ((), (), (-1,), ()),
}
_after: dict[str, tuple[tuple[int, ...], ...]] = {
    "DCT": ((0, -1), (0,), (), ()),
    "DST": ((), (-1,), (), ()),
}


def _weighted(x: ndarray, places: Sequence[int], factor: float) -> ndarray:
    if not places:
        return x
    weights = numpy.ones(x.shape[-1], x.dtype)
    weights[list(places)] = factor
    return x * np.asarray(weights, device=x.device)


def _real_line(kind: str, x: ndarray, type_: int, norm: int, orthonormal: bool) -> ndarray:
    """Along the last axis of real numbers."""
    i = type_ - 1
    if orthonormal:
        x = _weighted(x, _before[kind][i], _root)
    out = _steps[kind][i](x)
    if orthonormal:
        out = _weighted(out, _after[kind][i], 1 / _root)
    if norm:
        shift = 0 if i else (-1 if kind == "DCT" else 1)
        count = 2 * (x.shape[-1] + shift)
        out = out * (1 / count if norm == 2 else 1 / math.sqrt(count))
    return out


def _line(kind: str, x: ndarray, type_: int, axis: int, norm: int, orthonormal: bool) -> ndarray:
    if x.dtype.kind == "c":
        real = _line(kind, x.real, type_, axis, norm, orthonormal)
        return real + 1j * _line(kind, x.imag, type_, axis, norm, orthonormal)
    moved = np.moveaxis(x, axis, -1)
    return np.moveaxis(_real_line(kind, moved, type_, norm, orthonormal), -1, axis)


def _lines(
    x: ndarray, kind: str, type_: int, axes: tuple[int, ...], norm: int, orthonormal: bool
) -> ndarray:
    for axis in axes:
        x = _line(kind, x, type_, axis, norm, orthonormal)
    return x


def _type_of(kind: str, type_: Any, forward: bool) -> int:
    given = operator.index(type_)
    if given not in (1, 2, 3, 4):
        raise ValueError(f"invalid {kind} type")
    return given if forward else {2: 3, 3: 2}.get(given, given)


def _one(
    kind: str,
    forward: bool,
    x: ArrayLike,
    type_: object,
    n: SupportsIndex | None,
    axis: int,
    norm: str | None,
    workers: object,
    orthogonalize: bool | None,
) -> ndarray:
    a = arguments.floating(x)
    found = arguments.norm_of(norm, forward)
    arguments.check_workers(workers)
    if n is not None:
        a = arguments.fitted(a, (arguments.points(n),), (range(a.ndim)[axis],))
    else:
        arguments.extent(a, axis)
    chosen = _type_of(kind, type_, forward)
    orthonormal = found == 1 if orthogonalize is None else bool(orthogonalize)
    return recorded(_lines, (a,), kind, chosen, (operator.index(axis),), found, orthonormal)


def _several(
    kind: str,
    forward: bool,
    x: Any,
    type_: int,
    s: object,
    axes: ShapeLike | None,
    norm: str | None,
    workers: object,
    orthogonalize: object,
) -> ndarray:
    a = arguments.floating(x)
    shape, along = arguments.shape_and_axes(a, s, axes)
    if not along:
        given: ndarray = x
        return given
    a = arguments.fitted(a, shape, along)
    chosen = _type_of(kind, type_, forward)
    found = arguments.norm_of(norm, forward)
    arguments.check_workers(workers)
    orthonormal = found == 1 if orthogonalize is None else bool(orthogonalize)
    return recorded(_lines, (a,), kind, chosen, tuple(along), found, orthonormal)


def dct(
    x: ArrayLike,
    type: int = 2,
    n: SupportsIndex | None = None,
    axis: int = -1,
    norm: Norm | None = None,
    overwrite_x: bool = False,
    workers: int | None = None,
    orthogonalize: bool | None = None,
) -> ndarray:
    """Cosine transform of real numbers, of the types 1 to 4, along an axis.

    Examples
    --------
    >>> from heddle.scipy import fft
    >>> fft.dct([1.0, 2.0, 4.0]).round(4)
    array([14.    , -5.1962,  1.    ])
    """
    return _one("DCT", True, x, type, n, axis, norm, workers, orthogonalize)


def idct(
    x: ArrayLike,
    type: int = 2,
    n: SupportsIndex | None = None,
    axis: int = -1,
    norm: Norm | None = None,
    overwrite_x: bool = False,
    workers: int | None = None,
    orthogonalize: bool | None = None,
) -> ndarray:
    """The inverse of dct.

    Examples
    --------
    >>> from heddle.scipy import fft
    >>> fft.idct(fft.dct([1.0, 2.0, 3.0])).round(6)
    array([1., 2., 3.])
    """
    return _one("DCT", False, x, type, n, axis, norm, workers, orthogonalize)


def dst(
    x: ArrayLike,
    type: int = 2,
    n: SupportsIndex | None = None,
    axis: int = -1,
    norm: Norm | None = None,
    overwrite_x: bool = False,
    workers: int | None = None,
    orthogonalize: bool | None = None,
) -> ndarray:
    """Sine transform of real numbers, of the types 1 to 4, along an axis.

    Examples
    --------
    >>> from heddle.scipy import fft
    >>> fft.dst([1.0, 1.0, 1.0], type=1).round(6)
    array([4.828427, 0.      , 0.828427])
    """
    return _one("DST", True, x, type, n, axis, norm, workers, orthogonalize)


def idst(
    x: ArrayLike,
    type: int = 2,
    n: SupportsIndex | None = None,
    axis: int = -1,
    norm: Norm | None = None,
    overwrite_x: bool = False,
    workers: int | None = None,
    orthogonalize: bool | None = None,
) -> ndarray:
    """The inverse of dst.

    Examples
    --------
    >>> from heddle.scipy import fft
    >>> fft.idst(fft.dst([1.0, 2.0, 3.0])).round(6)
    array([1., 2., 3.])
    """
    return _one("DST", False, x, type, n, axis, norm, workers, orthogonalize)


def dctn(
    x: ArrayLike,
    type: int = 2,
    s: Sequence[SupportsIndex] | SupportsIndex | None = None,
    axes: Sequence[SupportsIndex] | SupportsIndex | None = None,
    norm: Norm | None = None,
    overwrite_x: bool = False,
    workers: int | None = None,
    *,
    orthogonalize: bool | None = None,
) -> ndarray:
    """Cosine transforms along several axes: all of them, unless axes says otherwise.

    Examples
    --------
    >>> import heddle as np
    >>> from heddle.scipy import fft
    >>> fft.dctn(np.ones((2, 2)), norm="ortho").round(6)
    array([[2., 0.],
           [0., 0.]])
    """
    return _several("DCT", True, x, type, s, axes, norm, workers, orthogonalize)


def idctn(
    x: ArrayLike,
    type: int = 2,
    s: Sequence[SupportsIndex] | SupportsIndex | None = None,
    axes: Sequence[SupportsIndex] | SupportsIndex | None = None,
    norm: Norm | None = None,
    overwrite_x: bool = False,
    workers: int | None = None,
    orthogonalize: bool | None = None,
) -> ndarray:
    """The inverse of dctn.

    Examples
    --------
    >>> import heddle as np
    >>> from heddle.scipy import fft
    >>> a = np.arange(6.0).reshape(2, 3)
    >>> np.allclose(fft.idctn(fft.dctn(a)), a)
    True
    """
    return _several("DCT", False, x, type, s, axes, norm, workers, orthogonalize)


def dstn(
    x: ArrayLike,
    type: int = 2,
    s: Sequence[SupportsIndex] | SupportsIndex | None = None,
    axes: Sequence[SupportsIndex] | SupportsIndex | None = None,
    norm: Norm | None = None,
    overwrite_x: bool = False,
    workers: int | None = None,
    orthogonalize: bool | None = None,
) -> ndarray:
    """Sine transforms along several axes: all of them, unless axes says otherwise.

    Examples
    --------
    >>> import heddle as np
    >>> from heddle.scipy import fft
    >>> fft.dstn(np.ones((2, 2)), norm="ortho").round(6)
    array([[2., 0.],
           [0., 0.]])
    """
    return _several("DST", True, x, type, s, axes, norm, workers, orthogonalize)


def idstn(
    x: ArrayLike,
    type: int = 2,
    s: Sequence[SupportsIndex] | SupportsIndex | None = None,
    axes: Sequence[SupportsIndex] | SupportsIndex | None = None,
    norm: Norm | None = None,
    overwrite_x: bool = False,
    workers: int | None = None,
    orthogonalize: bool | None = None,
) -> ndarray:
    """The inverse of dstn.

    Examples
    --------
    >>> import heddle as np
    >>> from heddle.scipy import fft
    >>> a = np.arange(6.0).reshape(2, 3)
    >>> np.allclose(fft.idstn(fft.dstn(a)), a)
    True
    """
    return _several("DST", False, x, type, s, axes, norm, workers, orthogonalize)
