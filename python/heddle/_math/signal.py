"""Convolution, correlation and interpolation of sequences."""

from __future__ import annotations

from typing import Literal, cast

from heddle import _core
from heddle._arguments import as_array, as_integer
from heddle._core import in_core, ndarray
from heddle._typing import ArrayLike

__all__ = ["convolve", "correlate", "interp"]

_modes = {"valid": 0, "same": 1, "full": 2}


def _mode(mode: str) -> int:
    """NumPy's names, of which the first letter counts, and its numbers."""
    if isinstance(mode, str):
        if mode in _modes:
            return _modes[mode]
        raise ValueError(f"mode must be one of 'valid', 'same', or 'full' (got '{mode}')")
    number = as_integer(mode)
    if number not in _modes.values():
        raise ValueError(f"integer mode must be 0, 1, or 2 (got {number})")
    return number


def convolve(
    a: ArrayLike, v: ArrayLike, mode: Literal["full", "same", "valid"] = "full"
) -> ndarray:
    """Convolution of two sequences: of all overlaps, of full ones, or as long as the longer one.

    Long floating-point sequences are convolved through their spectra, in double precision.

    Examples
    --------
    >>> import heddle as np
    >>> np.convolve([1, 2, 3], [0, 1, 0.5])
    array([0. , 1. , 2.5, 4. , 1.5])
    >>> np.convolve([1, 2, 3], [0, 1, 0.5], mode="same")
    array([1. , 2.5, 4. ])
    """
    return _core.convolve(as_array(a), as_array(v), _mode(mode))


def correlate(
    a: ArrayLike, v: ArrayLike, mode: Literal["full", "same", "valid"] = "valid"
) -> ndarray:
    """Correlation of two sequences: the sums of a[n + k] times the conjugate of v[n].

    Examples
    --------
    >>> import heddle as np
    >>> np.correlate([1, 2, 3], [0, 1, 0.5])
    array([3.5])
    """
    return _core.correlate(as_array(a), as_array(v), _mode(mode))


@in_core
def interp(
    x: ArrayLike,
    xp: ArrayLike,
    fp: ArrayLike,
    left: ArrayLike | None = None,
    right: ArrayLike | None = None,
    period: float | None = None,
) -> ndarray:
    """Linear interpolation between the points (xp, fp), of which xp ascends.

    Beyond the points it is the first or the last of fp, or what left and right say; with a period,
    points repeat.

    Examples
    --------
    >>> import heddle as np
    >>> np.interp([1.5, 2.5, 9], [1, 2, 3], [10, 20, 30])
    array([15., 25., 30.])
    """
    left, right = (None if end is None else as_array(end) for end in (left, right))
    made = _core.interp(as_array(x), as_array(xp), as_array(fp), left, right, period)
    return cast("ndarray", made)
