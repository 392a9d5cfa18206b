"""Norms."""

from __future__ import annotations

from typing import Literal

import heddle as np
from heddle._core import ndarray
from heddle._typing import ArrayLike, Axes
from heddle.scipy.linalg._arguments import validated


def norm(
    a: ArrayLike,
    ord: float | Literal["fro", "nuc"] | None = None,
    axis: Axes | None = None,
    keepdims: bool = False,
    check_finite: bool = True,
) -> ndarray:
    """The norm of vectors or matrices.

    Examples
    --------
    >>> from heddle.scipy import linalg
    >>> linalg.norm([3.0, 4.0])
    np.float64(5.0)
    """
    given = validated(a, check_finite)
    if ord in (None, 2) and axis is None and given.ndim == 1 and given.dtype.char in "fF":
        # As BLAS's norm, which does not overflow where squares do.
        wide = given.astype("D" if given.dtype.char == "F" else "d")
        return np.linalg.norm(wide, keepdims=keepdims).astype("f")
    return np.linalg.norm(given, ord, axis, keepdims)
