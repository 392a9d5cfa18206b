"""What functions of ``heddle.special`` read arguments with."""

from __future__ import annotations

import numpy

import heddle as hd
from heddle._core import ndarray
from heddle._typing import ArrayLike

__all__ = ["inexact", "needs_count"]


def inexact(x: ArrayLike) -> ndarray:
    """An array of floats or complex numbers: float64 of whole numbers and of truth values."""
    x = hd.asarray(x)
    return x if x.dtype.kind in "fcV" else x.astype(hd.float64)


def needs_count(n: int, name: str = "n", least: int = 0) -> int:
    """A whole number that is not below ``least``: what SciPy says of others."""
    whole = isinstance(n, int | numpy.integer)
    if not whole and not (isinstance(n, float | numpy.floating) and float(n).is_integer()):
        raise TypeError(f"{name} must be a non-negative integer.")
    if n < least:
        raise ValueError(f"{name} must be a non-negative integer.")
    return int(n)
