"""The transforms: what NumPy makes of their arguments. The work is done by _core.fourier."""

from __future__ import annotations

import math
import operator
import warnings
from collections.abc import Sequence
from typing import Any, SupportsIndex

from heddle import _core
from heddle._arguments import as_array, as_target, dims, normalize_axis
from heddle._core import ndarray
from heddle._typing import ArrayLike, Axis, Norm, Output, ShapeLike

_swapped = {"backward": "forward", None: "forward", "ortho": "ortho", "forward": "backward"}


def _swap(norm: Any) -> str:
    """The norm that scales a transform as `norm` scales its inverse."""
    try:
        return _swapped[norm]
    except (KeyError, TypeError):
        raise ValueError(
            f'Invalid norm value {norm}; should be "backward", "ortho" or "forward".'
        ) from None


def _scale(norm: object, forward: bool, points: int) -> float:
    """What results are multiplied by."""
    if _swap(norm) == "ortho":
        return 1 / math.sqrt(points)
    return 1 / points if (norm == "forward") == forward else 1.0


def _points(n: Any) -> int:
    if n < 1:
        raise ValueError(f"Invalid number of FFT data points ({n}) specified.")
    return operator.index(n)


def _stored(result: ndarray, out: object, axes: Sequence[int]) -> ndarray:
    """The result, or ``out`` after it was written there."""
    if isinstance(out, tuple) and len(out) == 1:
        (out,) = out
    if out is None:
        return result
    target = as_target(out)
    if target.ndim != result.ndim or any(target.shape[i] != result.shape[i] for i in axes):
        raise ValueError("output array has wrong shape.")
    if any(n not in (1, m) for n, m in zip(result.shape, target.shape, strict=True)):
        raise ValueError(
            f"non-broadcastable output operand with shape {dims(target.shape)} doesn't match the "
            f"broadcast shape {dims(result.shape)}"
        )
    if not _core.can_cast(result.dtype, target.dtype, "same_kind"):
        raise TypeError(
            f"Cannot cast output of the transform from {result.dtype!r} to {target.dtype!r} with "
            "casting rule 'same_kind'"
        )
    _core.write(target, result)
    return out  # type: ignore[return-value]  # also one of NumPy's


def _transform(
    kind: str,
    a: ndarray,
    lengths: Sequence[int],
    axes: ShapeLike | None,
    norm: object,
    forward: bool,
    out: object,
) -> ndarray:
    """One call for all axes; `norm` is NumPy's for the direction of the transform."""
    points = tuple([_points(n) for n in lengths])
    return _computed(kind, a, axes, points, _scale(norm, forward, math.prod(points)), forward, out)


def _computed(
    kind: str,
    a: ndarray,
    axes: Any,
    points: tuple[int, ...] | tuple[Any],
    scale: float,
    forward: bool,
    out: object,
) -> ndarray:
    """The same with checked numbers of points, and the factor that results are multiplied by."""
    ndim = a.ndim
    axes = tuple([normalize_axis(axis, ndim) for axis in axes])
    if kind == "from_real" and a.dtype.kind == "c":
        raise TypeError(
            f"a transform of real numbers takes none of {a.dtype!r}: use fft, or the real part"
        )
    result = _core.fourier(kind, a, axes, points, forward, scale)
    if kind == "to_real" and len(axes) == 1 and a.dtype.itemsize == 2 and a.dtype.kind in "fV":
        result = result._astype(a.dtype, "K")  # as NumPy has it for float16
    return result if out is None else _stored(result, out, axes)


def _one(
    kind: str,
    a: ArrayLike,
    n: SupportsIndex | None,
    axis: SupportsIndex,
    norm: object,
    forward: bool,
    out: Output | None,
) -> ndarray:
    """Along one axis."""
    a = as_array(a)
    if n is None:
        n = a.shape[axis]
        if kind == "to_real":
            n = (n - 1) * 2
    n = _points(n)
    return _computed(kind, a, (axis,), (n,), _scale(norm, forward, n), forward, out)


def fft(
    a: ArrayLike,
    n: int | None = None,
    axis: Axis = -1,
    norm: Norm | None = None,
    out: Output | None = None,
) -> ndarray:
    """One-dimensional discrete Fourier transform, of n points, along an axis.

    Examples
    --------
    >>> import heddle as np
    >>> np.fft.fft([1.0, 0.0, 0.0, 0.0])
    array([1.+0.j, 1.+0.j, 1.+0.j, 1.+0.j])
    """
    return _one("complex", a, n, axis, norm, True, out)


def ifft(
    a: ArrayLike,
    n: SupportsIndex | None = None,
    axis: Axis = -1,
    norm: Norm | None = None,
    out: Output | None = None,
) -> ndarray:
    """The inverse of fft.

    Examples
    --------
    >>> import heddle as np
    >>> np.fft.ifft(np.fft.fft([1.0, 2.0, 3.0])).real.round(6)
    array([1., 2., 3.])
    """
    return _one("complex", a, n, axis, norm, False, out)


def rfft(
    a: ArrayLike,
    n: SupportsIndex | None = None,
    axis: Axis = -1,
    norm: Norm | None = None,
    out: Output | None = None,
) -> ndarray:
    """Transform of real numbers: the n//2 + 1 elements with frequencies that are not negative.

    Examples
    --------
    >>> import heddle as np
    >>> np.fft.rfft([0.0, 1.0, 0.0, -1.0])
    array([0.+0.j, 0.-2.j, 0.+0.j])
    """
    return _one("from_real", a, n, axis, norm, True, out)


def irfft(
    a: ArrayLike,
    n: SupportsIndex | None = None,
    axis: Axis = -1,
    norm: Norm | None = None,
    out: Output | None = None,
) -> ndarray:
    """The inverse of rfft: n real numbers, an even number of them unless n says otherwise.

    Examples
    --------
    >>> import heddle as np
    >>> np.fft.irfft([0, -2j, 0])
    array([ 0.,  1.,  0., -1.])
    """
    return _one("to_real", a, n, axis, norm, False, out)


def hfft(
    a: ArrayLike,
    n: SupportsIndex | None = None,
    axis: Axis = -1,
    norm: Norm | None = None,
    out: Output | None = None,
) -> ndarray:
    """Transform of a signal with Hermitian symmetry, given by its first half: n real numbers.

    Examples
    --------
    >>> import heddle as np
    >>> np.fft.hfft([1.0, 2.0, 1.0])
    array([ 6.,  0., -2.,  0.])
    """
    return _one("to_real", a, n, axis, norm, True, out)


def ihfft(
    a: ArrayLike,
    n: SupportsIndex | None = None,
    axis: Axis = -1,
    norm: Norm | None = None,
    out: Output | None = None,
) -> ndarray:
    """The inverse of hfft.

    Examples
    --------
    >>> import heddle as np
    >>> np.fft.ihfft([4.0, 1.0, 0.0, 1.0]).real
    array([1.5, 1. , 0.5])
    """
    return _one("from_real", a, n, axis, norm, False, out)


def _shape_and_axes(
    a: ndarray, s: Sequence[int] | None, axes: Any, to_real: bool
) -> tuple[list[Any], list[Any]]:
    """A number of points for every axis, from NumPy's arguments."""
    given = s is not None
    if s is None:
        s = a.shape if axes is None else [a.shape[axis] for axis in axes]
    s = list(s)
    if axes is None:
        if given:
            warnings.warn(
                "`axes` should not be `None` if `s` is not `None` (Deprecated in NumPy 2.0). In a "
                "future version of NumPy, this will raise an error and `s[i]` will correspond to "
                "the size along the transformed axis specified by `axes[i]`. To retain current "
                "behaviour, pass a sequence [0, ..., k-1] to `axes` for an array of dimension k.",
                DeprecationWarning,
                stacklevel=4,
            )
        axes = range(-len(s), 0)
    axes = list(axes)
    if len(s) != len(axes):
        raise ValueError("Shape and axes have different lengths.")
    if to_real and not given:
        s[-1] = (a.shape[axes[-1]] - 1) * 2
    if None in s:
        warnings.warn(
            "Passing an array containing `None` values to `s` is deprecated in NumPy 2.0 and will "
            "raise an error in a future version of NumPy. To use the default behaviour of the "
            "corresponding 1-D transform, pass the value matching the default for its `n` "
            "parameter. To use the default behaviour for every axis, the `s` argument can be "
            "omitted.",
            DeprecationWarning,
            stacklevel=4,
        )
    last = len(s) - 1
    for i, (n, axis) in enumerate(zip(s, axes, strict=True)):
        if n is None:
            s[i] = (a.shape[axis] - 1) * 2 if to_real and i == last else a.shape[axis]
        elif n == -1:
            s[i] = a.shape[axis]
    return s, axes


def _several(
    kind: str, given: ArrayLike, s: Any, axes: object, norm: object, forward: bool, out: object
) -> ndarray:
    """Along several axes, the last one first; for real results the last one last."""
    a = as_array(given)
    s, axes = _shape_and_axes(a, s, axes, kind == "to_real")
    if not axes:
        if kind != "complex":
            raise IndexError("a transform of real numbers needs at least one axis")
        return a
    if len({normalize_axis(axis, a.ndim) for axis in axes}) == len(axes):
        return _transform(kind, a, s, axes, norm, forward, out)
    # An axis that is named twice is transformed twice.
    steps = list(zip(s, axes, strict=True))
    if kind == "complex":
        order = [(kind, *step) for step in reversed(steps)]
    elif kind == "from_real":
        order = [(kind, *steps[-1]), *(("complex", *step) for step in reversed(steps[:-1]))]
    else:
        order = [*(("complex", *step) for step in steps[:-1]), (kind, *steps[-1])]
    for each, n, axis in order:
        a = _transform(each, a, (n,), (axis,), norm, forward, None)
    return _stored(a, out, [axis % a.ndim for axis in axes])


_last_two = (-2, -1)


def fftn(
    a: ArrayLike,
    s: Sequence[SupportsIndex] | None = None,
    axes: Sequence[SupportsIndex] | None = None,
    norm: Norm | None = None,
    out: Output | None = None,
) -> ndarray:
    """Transform along several axes: all of them, unless axes says otherwise.

    Examples
    --------
    >>> import heddle as np
    >>> np.fft.fftn(np.ones((2, 2)))
    array([[4.+0.j, 0.+0.j],
           [0.+0.j, 0.+0.j]])
    """
    return _several("complex", a, s, axes, norm, True, out)


def ifftn(
    a: ArrayLike,
    s: Sequence[SupportsIndex] | None = None,
    axes: Sequence[SupportsIndex] | None = None,
    norm: Norm | None = None,
    out: Output | None = None,
) -> ndarray:
    """The inverse of fftn.

    Examples
    --------
    >>> import heddle as np
    >>> a = np.arange(4.0).reshape(2, 2)
    >>> np.allclose(np.fft.ifftn(np.fft.fftn(a)), a)
    True
    """
    return _several("complex", a, s, axes, norm, False, out)


def rfftn(
    a: ArrayLike,
    s: Sequence[SupportsIndex] | None = None,
    axes: Sequence[SupportsIndex] | None = None,
    norm: Norm | None = None,
    out: Output | None = None,
) -> ndarray:
    """Transform of real numbers along several axes; the last one has half of the spectrum.

    Examples
    --------
    >>> import heddle as np
    >>> np.fft.rfftn(np.ones((2, 4))).shape
    (2, 3)
    """
    return _several("from_real", a, s, axes, norm, True, out)


def irfftn(
    a: ArrayLike,
    s: Sequence[SupportsIndex] | None = None,
    axes: Sequence[SupportsIndex] | None = None,
    norm: Norm | None = None,
    out: Output | None = None,
) -> ndarray:
    """The inverse of rfftn.

    Examples
    --------
    >>> import heddle as np
    >>> np.fft.irfftn(np.fft.rfftn(np.eye(2)), s=(2, 2), axes=(0, 1))
    array([[1., 0.],
           [0., 1.]])
    """
    return _several("to_real", a, s, axes, norm, False, out)


def fft2(
    a: ArrayLike,
    s: Sequence[SupportsIndex] | None = None,
    axes: Sequence[SupportsIndex] = _last_two,
    norm: Norm | None = None,
    out: Output | None = None,
) -> ndarray:
    """fftn along the last two axes.

    Examples
    --------
    >>> import heddle as np
    >>> np.fft.fft2(np.eye(2))
    array([[2.+0.j, 0.+0.j],
           [0.+0.j, 2.+0.j]])
    """
    return _several("complex", a, s, axes, norm, True, out)


def ifft2(
    a: ArrayLike,
    s: Sequence[SupportsIndex] | None = None,
    axes: Sequence[SupportsIndex] = _last_two,
    norm: Norm | None = None,
    out: Output | None = None,
) -> ndarray:
    """The inverse of fft2.

    Examples
    --------
    >>> import heddle as np
    >>> np.fft.ifft2(4 * np.eye(2))
    array([[2.+0.j, 0.+0.j],
           [0.+0.j, 2.+0.j]])
    """
    return _several("complex", a, s, axes, norm, False, out)


def rfft2(
    a: ArrayLike,
    s: Sequence[SupportsIndex] | None = None,
    axes: Sequence[SupportsIndex] = _last_two,
    norm: Norm | None = None,
    out: Output | None = None,
) -> ndarray:
    """rfftn along the last two axes.

    Examples
    --------
    >>> import heddle as np
    >>> np.fft.rfft2(np.ones((4, 4))).shape
    (4, 3)
    """
    return _several("from_real", a, s, axes, norm, True, out)


def irfft2(
    a: ArrayLike,
    s: Sequence[SupportsIndex] | None = None,
    axes: Sequence[SupportsIndex] = _last_two,
    norm: Norm | None = None,
    out: Output | None = None,
) -> ndarray:
    """The inverse of rfft2.

    Examples
    --------
    >>> import heddle as np
    >>> np.fft.irfft2(np.fft.rfft2(np.eye(2)), s=(2, 2))
    array([[1., 0.],
           [0., 1.]])
    """
    return _several("to_real", a, s, axes, norm, False, out)
