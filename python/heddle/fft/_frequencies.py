"""What goes with transforms: frequencies of their elements, and moving the lowest to the middle."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, SupportsIndex

import numpy as _numpy

from heddle import _core
from heddle._arguments import as_array
from heddle._core import ndarray, ufuncs
from heddle._creation.ranges import arange
from heddle._manipulation.shapes import roll
from heddle._typing import ArrayLike, DTypeLike

_integers = (int, _numpy.integer)


def _shifted(x: ArrayLike, axes: Any, sign: int) -> ndarray:
    x = as_array(x)
    if axes is None:
        axes = tuple(range(x.ndim))
        shift: Any = [sign * (extent // 2) for extent in x.shape]
    elif isinstance(axes, _integers):
        shift = sign * (x.shape[axes] // 2)
    else:
        shift = [sign * (x.shape[axis] // 2) for axis in axes]
    return roll(x, shift, axes)


def fftshift(x: ArrayLike, axes: Sequence[SupportsIndex] | None = None) -> ndarray:
    """The zero frequency moved to the middle, along all axes or those named.

    Examples
    --------
    >>> import heddle as np
    >>> np.fft.fftshift(np.fft.fftfreq(4))
    array([-0.5 , -0.25,  0.  ,  0.25])
    """
    return _shifted(x, axes, 1)


def ifftshift(x: ArrayLike, axes: Sequence[SupportsIndex] | None = None) -> ndarray:
    """The inverse of fftshift: they differ where an extent is odd.

    Examples
    --------
    >>> import heddle as np
    >>> np.fft.ifftshift([-2, -1, 0, 1])
    array([ 0,  1, -2, -1])
    """
    return _shifted(x, axes, -1)


def _spacing(n: int, d: float) -> float:
    if not isinstance(n, _integers):
        raise ValueError("n should be an integer")
    return 1.0 / (n * d)


def fftfreq(
    n: int, d: float = 1.0, device: str | None = None, *, dtype: DTypeLike | None = None
) -> ndarray:
    """Frequencies of the elements of a transform of n samples, which are d apart.

    `dtype`, of the array API standard, is the real floating-point type of the result.

    Examples
    --------
    >>> import heddle as np
    >>> np.fft.fftfreq(5, d=0.1)
    array([ 0.,  2.,  4., -4., -2.])
    """
    step = _spacing(n, d)
    if n < 0:
        raise ValueError("negative dimensions are not allowed")
    index = arange(n, dtype=int, device=device)
    positive = _core.apply(ufuncs["less"], (index, (n - 1) // 2 + 1), None)
    folded = _core.select(positive, index, _core.apply(ufuncs["subtract"], (index, n), None))
    return _in_type(folded * step, dtype)


def rfftfreq(
    n: int, d: float = 1.0, device: str | None = None, *, dtype: DTypeLike | None = None
) -> ndarray:
    """Frequencies of the elements of a transform of n real samples, which are d apart.

    `dtype`, of the array API standard, is the real floating-point type of the result.

    Examples
    --------
    >>> import heddle as np
    >>> np.fft.rfftfreq(6, d=0.5)
    array([0.        , 0.33333333, 0.66666667, 1.        ])
    """
    step = _spacing(n, d)
    return _in_type(arange(n // 2 + 1, dtype=int, device=device) * step, dtype)


def _in_type(a: ndarray, dtype: DTypeLike | None) -> ndarray:
    """The frequencies in the type that is asked for."""
    if dtype is None or a.dtype == dtype:
        return a
    if _numpy.dtype(dtype).kind != "f":
        raise ValueError(f"frequencies are real floating-point numbers, not {dtype!r}")
    return a._astype(_numpy.dtype(dtype), "K")
