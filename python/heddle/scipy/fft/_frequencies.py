"""Frequencies of elements, with SciPy's arguments."""

from __future__ import annotations

from heddle import fft
from heddle._core import ndarray


def _check_namespace(xp: object) -> None:
    name = getattr(xp, "__name__", "heddle")
    if xp is not None and name.split(".")[0] != "heddle":
        raise ValueError(f"xp={name}: arrays of heddle.scipy are heddle's")


def fftfreq(n: int, d: float = 1.0, *, xp: object = None, device: str | None = None) -> ndarray:
    """Frequencies of the elements of a transform of n samples, which are d apart.

    Examples
    --------
    >>> from heddle.scipy import fft
    >>> fft.fftfreq(5, d=0.1)
    array([ 0.,  2.,  4., -4., -2.])
    """
    _check_namespace(xp)
    return fft.fftfreq(n, d, device=device)


def rfftfreq(n: int, d: float = 1.0, *, xp: object = None, device: str | None = None) -> ndarray:
    """Frequencies of the elements of rfft.

    Examples
    --------
    >>> from heddle.scipy import fft
    >>> fft.rfftfreq(5, d=0.1)
    array([0., 2., 4.])
    """
    _check_namespace(xp)
    return fft.rfftfreq(n, d, device=device)
