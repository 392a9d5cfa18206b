"""Intervals and the linear maps between them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias, Union

from heddle._core import ndarray
from heddle._typing import ArrayLike, HostArray
from heddle.polynomial._coefficients import as_vectors, namespace, stacked

# Its two ends.
Interval: TypeAlias = Union[ndarray, "HostArray", Sequence[complex]]


def domain_of(x: ArrayLike) -> ndarray:
    """The interval that holds the points; in the complex plane, two of its corners."""
    (x,) = as_vectors(x, trim=False)
    xp = namespace(x)
    if x.dtype.kind == "c":
        low = xp.min(x.real) + 1j * xp.min(x.imag)
        return stacked([low, xp.max(x.real) + 1j * xp.max(x.imag)])
    return stacked([xp.min(x), xp.max(x)])


def mapparms(old: Interval, new: Interval) -> tuple[Any, Any]:
    """The offset and the scale of the linear map from one interval to another.

    Examples
    --------
    >>> from heddle.polynomial import polyutils
    >>> polyutils.mapparms((0, 1), (-1, 1))
    (-1.0, 2.0)
    """
    before, after = old[1] - old[0], new[1] - new[0]
    return (old[1] * new[0] - old[0] * new[1]) / before, after / before


def mapped(x: Any, old: Any, new: Any) -> Any:
    """The linear map from one interval to another, applied to x."""
    off, scl = mapparms(old, new)
    return off + scl * x
