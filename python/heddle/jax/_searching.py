"""Places in sorted arrays, with JAX's words for how they are found, which make no difference."""

from __future__ import annotations

from typing import Literal

import heddle as hd
from heddle._typing import ArrayLike

_METHODS = ("scan", "scan_unrolled", "sort", "compare_all", "default")


def _check(what: str, method: str) -> None:
    if method not in _METHODS:
        raise ValueError(f"{what}: method is one of {_METHODS}, not {method!r}")


def searchsorted(
    a: ArrayLike,
    v: ArrayLike,
    side: Literal["left", "right"] = "left",
    sorter: ArrayLike | None = None,
    *,
    method: str = "scan",
) -> hd.ndarray:
    """Where elements would have to be inserted in a sorted array to keep it sorted.

    >>> import heddle.jax.numpy as jnp
    >>> print(jnp.searchsorted(jnp.arange(4), jnp.array([1, 3]), method="sort"))
    [1 3]
    """
    _check("searchsorted", method)
    return hd.searchsorted(a, v, side, sorter)


def digitize(
    x: ArrayLike, bins: ArrayLike, right: bool = False, *, method: str | None = None
) -> hd.ndarray:
    """The bin of each element.

    >>> import heddle.jax.numpy as jnp
    >>> print(jnp.digitize(jnp.array([0.5, 2.5]), jnp.arange(3.0), method="scan"))
    [1 3]
    """
    _check("digitize", "default" if method is None else method)
    return hd.digitize(x, bins, right)
