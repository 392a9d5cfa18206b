"""Norms."""

from __future__ import annotations

from typing import Any

import heddle as np
from heddle._core import ndarray
from heddle._typing import ArrayLike
from heddle.scipy.linalg._arguments import validated


def norm(
    a: ArrayLike,
    ord: Any = None,
    axis: Any = None,
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
    return np.linalg.norm(validated(a, check_finite), ord, axis, keepdims)
