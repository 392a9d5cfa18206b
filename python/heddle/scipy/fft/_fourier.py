"""Fourier transforms with SciPy's arguments. The work is done by _core.fourier."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, SupportsIndex

from heddle import _core
from heddle._core import ndarray
from heddle._typing import ArrayLike, Norm, ShapeLike
from heddle.scipy.fft import _arguments as arguments
from heddle.scipy.fft._plans import check_kind, check_plan

_last_two = (-2, -1)


def _scale(norm: int, count: int) -> float:
    return (1.0, 1 / math.sqrt(count), 1 / count)[norm]


def _computed(
    kind: str, x: ndarray, axes: Sequence[int], lengths: Sequence[int], forward: bool, norm: int
) -> ndarray:
    scale = _scale(norm, math.prod(lengths))
    axes = tuple(axis + x.ndim if axis < 0 else axis for axis in axes)
    return _core.fourier(kind, x, axes, tuple(lengths), forward, scale)


def _one(
    kind: str,
    x: ArrayLike,
    n: SupportsIndex | None,
    axis: int,
    norm: str | None,
    workers: object,
    plan: Any,
    forward: bool,
) -> ndarray:
    """Along one axis."""
    check_kind(plan)
    a = arguments.floating(x)
    found = arguments.norm_of(norm, forward)
    arguments.check_workers(workers)
    if kind == "from_real" and a.dtype.kind == "c":
        raise TypeError("x must be a real sequence")
    if n is not None:
        n = arguments.points(n or 1 if kind == "to_real" else n)  # SciPy takes no points for one
        a.shape[axis]  # an axis that is not there is an IndexError
    elif kind == "to_real":
        n = (a.shape[axis] - 1) * 2
        if n < 1:
            raise ValueError(f"Invalid number of data points ({n}) specified")
    else:
        n = arguments.extent(a, axis)
    check_plan(plan, a, (n,), (axis,), kind)
    return _computed(kind, a, (axis,), (n,), forward, found)


def _several(
    kind: str,
    x: Any,
    s: object,
    axes: ShapeLike | None,
    norm: str | None,
    workers: object,
    plan: Any,
    forward: bool,
) -> ndarray:
    """Along several axes; the last one is that of the half spectrum."""
    check_kind(plan)
    a = arguments.floating(x)
    if kind == "from_real" and a.dtype.kind == "c":
        raise TypeError("x must be a real sequence")
    lengths, along = arguments.shape_and_axes(a, s, axes)
    found = arguments.norm_of(norm, forward)
    arguments.check_workers(workers)
    if not along:
        if kind == "complex":
            given: ndarray = x
            return given
        raise ValueError("at least 1 axis must be transformed")
    if kind == "to_real" and s is None:
        lengths = (*lengths[:-1], (a.shape[along[-1]] - 1) * 2 or 1)
    check_plan(plan, a, lengths, along, kind)
    return _computed(kind, a, along, lengths, forward, found)


def fft(
    x: ArrayLike,
    n: SupportsIndex | None = None,
    axis: int = -1,
    norm: Norm | None = None,
    overwrite_x: bool = False,
    workers: int | None = None,
    *,
    plan: object = None,
) -> ndarray:
    """One-dimensional discrete Fourier transform, of n points, along an axis.

    Examples
    --------
    >>> from heddle.scipy import fft
    >>> fft.fft([1.0, 0.0, 0.0, 0.0])
    array([1.+0.j, 1.+0.j, 1.+0.j, 1.+0.j])
    """
    return _one("complex", x, n, axis, norm, workers, plan, True)


def ifft(
    x: ArrayLike,
    n: SupportsIndex | None = None,
    axis: int = -1,
    norm: Norm | None = None,
    overwrite_x: bool = False,
    workers: int | None = None,
    *,
    plan: object = None,
) -> ndarray:
    """The inverse of fft.

    Examples
    --------
    >>> from heddle.scipy import fft
    >>> fft.ifft(fft.fft([1.0, 2.0, 3.0])).real.round(6)
    array([1., 2., 3.])
    """
    return _one("complex", x, n, axis, norm, workers, plan, False)


def rfft(
    x: ArrayLike,
    n: SupportsIndex | None = None,
    axis: int = -1,
    norm: Norm | None = None,
    overwrite_x: bool = False,
    workers: int | None = None,
    *,
    plan: object = None,
) -> ndarray:
    """Transform of real numbers: the n//2 + 1 elements with frequencies that are not negative.

    Examples
    --------
    >>> from heddle.scipy import fft
    >>> fft.rfft([0.0, 1.0, 0.0, -1.0])
    array([0.+0.j, 0.-2.j, 0.+0.j])
    """
    return _one("from_real", x, n, axis, norm, workers, plan, True)


def irfft(
    x: ArrayLike,
    n: SupportsIndex | None = None,
    axis: int = -1,
    norm: Norm | None = None,
    overwrite_x: bool = False,
    workers: int | None = None,
    *,
    plan: object = None,
) -> ndarray:
    """The inverse of rfft: n real numbers, an even number of them unless n says otherwise.

    Examples
    --------
    >>> from heddle.scipy import fft
    >>> fft.irfft([0, -2j, 0])
    array([ 0.,  1.,  0., -1.])
    """
    return _one("to_real", x, n, axis, norm, workers, plan, False)


def hfft(
    x: ArrayLike,
    n: SupportsIndex | None = None,
    axis: int = -1,
    norm: Norm | None = None,
    overwrite_x: bool = False,
    workers: int | None = None,
    *,
    plan: object = None,
) -> ndarray:
    """Transform of a signal with Hermitian symmetry, given by its first half: n real numbers.

    Examples
    --------
    >>> from heddle.scipy import fft
    >>> fft.hfft([1.0, 2.0, 1.0])
    array([ 6.,  0., -2.,  0.])
    """
    return _one("to_real", x, n, axis, norm, workers, plan, True)


def ihfft(
    x: ArrayLike,
    n: SupportsIndex | None = None,
    axis: int = -1,
    norm: Norm | None = None,
    overwrite_x: bool = False,
    workers: int | None = None,
    *,
    plan: object = None,
) -> ndarray:
    """The inverse of hfft.

    Examples
    --------
    >>> from heddle.scipy import fft
    >>> fft.ihfft([4.0, 1.0, 0.0, 1.0]).real
    array([1.5, 1. , 0.5])
    """
    return _one("from_real", x, n, axis, norm, workers, plan, False)


def fftn(
    x: ArrayLike,
    s: Sequence[SupportsIndex] | SupportsIndex | None = None,
    axes: Sequence[SupportsIndex] | SupportsIndex | None = None,
    norm: Norm | None = None,
    overwrite_x: bool = False,
    workers: int | None = None,
    *,
    plan: object = None,
) -> ndarray:
    """Transform along several axes: all of them, unless axes says otherwise.

    Examples
    --------
    >>> import heddle as np
    >>> from heddle.scipy import fft
    >>> fft.fftn(np.ones((2, 2)))
    array([[4.+0.j, 0.+0.j],
           [0.+0.j, 0.+0.j]])
    """
    return _several("complex", x, s, axes, norm, workers, plan, True)


def fft2(
    x: ArrayLike,
    s: Sequence[SupportsIndex] | SupportsIndex | None = None,
    axes: Sequence[SupportsIndex] | SupportsIndex = _last_two,
    norm: Norm | None = None,
    overwrite_x: bool = False,
    workers: int | None = None,
    *,
    plan: object = None,
) -> ndarray:
    """fftn along the last two axes.

    Examples
    --------
    >>> import heddle as np
    >>> from heddle.scipy import fft
    >>> fft.fft2(np.ones((2, 2)))
    array([[4.+0.j, 0.+0.j],
           [0.+0.j, 0.+0.j]])
    """
    return _several("complex", x, s, axes, norm, workers, plan, True)


def ifftn(
    x: ArrayLike,
    s: Sequence[SupportsIndex] | SupportsIndex | None = None,
    axes: Sequence[SupportsIndex] | SupportsIndex | None = None,
    norm: Norm | None = None,
    overwrite_x: bool = False,
    workers: int | None = None,
    *,
    plan: object = None,
) -> ndarray:
    """The inverse of fftn.

    Examples
    --------
    >>> import heddle as np
    >>> from heddle.scipy import fft
    >>> a = np.arange(4.0).reshape(2, 2)
    >>> np.allclose(fft.ifftn(fft.fftn(a)), a)
    True
    """
    return _several("complex", x, s, axes, norm, workers, plan, False)


def ifft2(
    x: ArrayLike,
    s: Sequence[SupportsIndex] | SupportsIndex | None = None,
    axes: Sequence[SupportsIndex] | SupportsIndex = _last_two,
    norm: Norm | None = None,
    overwrite_x: bool = False,
    workers: int | None = None,
    *,
    plan: object = None,
) -> ndarray:
    """ifftn along the last two axes.

    Examples
    --------
    >>> import heddle as np
    >>> from heddle.scipy import fft
    >>> a = np.arange(4.0).reshape(2, 2)
    >>> np.allclose(fft.ifft2(fft.fft2(a)), a)
    True
    """
    return _several("complex", x, s, axes, norm, workers, plan, False)


def rfftn(
    x: ArrayLike,
    s: Sequence[SupportsIndex] | SupportsIndex | None = None,
    axes: Sequence[SupportsIndex] | SupportsIndex | None = None,
    norm: Norm | None = None,
    overwrite_x: bool = False,
    workers: int | None = None,
    *,
    plan: object = None,
) -> ndarray:
    """Transform of real numbers along several axes; the last one has half of the spectrum.

    Examples
    --------
    >>> import heddle as np
    >>> from heddle.scipy import fft
    >>> fft.rfftn(np.ones((2, 4))).shape
    (2, 3)
    """
    return _several("from_real", x, s, axes, norm, workers, plan, True)


def rfft2(
    x: ArrayLike,
    s: Sequence[SupportsIndex] | SupportsIndex | None = None,
    axes: Sequence[SupportsIndex] | SupportsIndex = _last_two,
    norm: Norm | None = None,
    overwrite_x: bool = False,
    workers: int | None = None,
    *,
    plan: object = None,
) -> ndarray:
    """rfftn along the last two axes.

    Examples
    --------
    >>> import heddle as np
    >>> from heddle.scipy import fft
    >>> fft.rfft2(np.ones((2, 4))).shape
    (2, 3)
    """
    return _several("from_real", x, s, axes, norm, workers, plan, True)


def irfftn(
    x: ArrayLike,
    s: Sequence[SupportsIndex] | SupportsIndex | None = None,
    axes: Sequence[SupportsIndex] | SupportsIndex | None = None,
    norm: Norm | None = None,
    overwrite_x: bool = False,
    workers: int | None = None,
    *,
    plan: object = None,
) -> ndarray:
    """The inverse of rfftn: real numbers.

    Examples
    --------
    >>> import heddle as np
    >>> from heddle.scipy import fft
    >>> fft.irfftn(fft.rfftn(np.eye(2)), s=(2, 2))
    array([[1., 0.],
           [0., 1.]])
    """
    return _several("to_real", x, s, axes, norm, workers, plan, False)


def irfft2(
    x: ArrayLike,
    s: Sequence[SupportsIndex] | SupportsIndex | None = None,
    axes: Sequence[SupportsIndex] | SupportsIndex = _last_two,
    norm: Norm | None = None,
    overwrite_x: bool = False,
    workers: int | None = None,
    *,
    plan: object = None,
) -> ndarray:
    """irfftn along the last two axes.

    Examples
    --------
    >>> import heddle as np
    >>> from heddle.scipy import fft
    >>> fft.irfft2(fft.rfft2(np.eye(2)), s=(2, 2))
    array([[1., 0.],
           [0., 1.]])
    """
    return _several("to_real", x, s, axes, norm, workers, plan, False)


def hfftn(
    x: ArrayLike,
    s: Sequence[SupportsIndex] | SupportsIndex | None = None,
    axes: Sequence[SupportsIndex] | SupportsIndex | None = None,
    norm: Norm | None = None,
    overwrite_x: bool = False,
    workers: int | None = None,
    *,
    plan: object = None,
) -> ndarray:
    """Transform of a signal with Hermitian symmetry along several axes: real numbers.

    Examples
    --------
    >>> import heddle as np
    >>> from heddle.scipy import fft
    >>> fft.hfftn(np.ones((2, 3))).shape
    (2, 4)
    """
    return _several("to_real", x, s, axes, norm, workers, plan, True)


def hfft2(
    x: ArrayLike,
    s: Sequence[SupportsIndex] | SupportsIndex | None = None,
    axes: Sequence[SupportsIndex] | SupportsIndex = _last_two,
    norm: Norm | None = None,
    overwrite_x: bool = False,
    workers: int | None = None,
    *,
    plan: object = None,
) -> ndarray:
    """hfftn along the last two axes.

    Examples
    --------
    >>> import heddle as np
    >>> from heddle.scipy import fft
    >>> fft.hfft2(np.ones((2, 3))).shape
    (2, 4)
    """
    return _several("to_real", x, s, axes, norm, workers, plan, True)


def ihfftn(
    x: ArrayLike,
    s: Sequence[SupportsIndex] | SupportsIndex | None = None,
    axes: Sequence[SupportsIndex] | SupportsIndex | None = None,
    norm: Norm | None = None,
    overwrite_x: bool = False,
    workers: int | None = None,
    *,
    plan: object = None,
) -> ndarray:
    """The inverse of hfftn: half of a spectrum along the last axis.

    Examples
    --------
    >>> import heddle as np
    >>> from heddle.scipy import fft
    >>> fft.ihfftn(np.ones((2, 4))).shape
    (2, 3)
    """
    return _several("from_real", x, s, axes, norm, workers, plan, False)


def ihfft2(
    x: ArrayLike,
    s: Sequence[SupportsIndex] | SupportsIndex | None = None,
    axes: Sequence[SupportsIndex] | SupportsIndex = _last_two,
    norm: Norm | None = None,
    overwrite_x: bool = False,
    workers: int | None = None,
    *,
    plan: object = None,
) -> ndarray:
    """ihfftn along the last two axes.

    Examples
    --------
    >>> import heddle as np
    >>> from heddle.scipy import fft
    >>> fft.ihfft2(np.ones((2, 4))).shape
    (2, 3)
    """
    return _several("from_real", x, s, axes, norm, workers, plan, False)
