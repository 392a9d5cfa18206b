"""Joins and places with a type of the result, as JAX has them: any type becomes any other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import heddle as hd
from heddle import _core
from heddle._typing import ArrayLike, DTypeLike, IndexMode

Joined = ArrayLike | Sequence[ArrayLike]


def _as_type(made: hd.ndarray, dtype: DTypeLike | None) -> hd.ndarray:
    return made if dtype is None else made.astype(dtype)


def concatenate(arrays: Joined, axis: int | None = 0, dtype: DTypeLike | None = None) -> hd.ndarray:
    """Arrays one after the other along an axis.

    >>> import heddle.jax.numpy as jnp
    >>> print(jnp.concatenate([jnp.ones(2), jnp.zeros(1)], dtype=jnp.int32))
    [1 1 0]
    """
    made: hd.ndarray = hd.concatenate(_listed(arrays), axis)  # type: ignore[arg-type]
    return _as_type(made, dtype)


def stack(
    arrays: Joined, axis: int = 0, out: None = None, dtype: DTypeLike | None = None
) -> hd.ndarray:
    """Arrays of one shape along a new axis.

    >>> import heddle.jax.numpy as jnp
    >>> print(jnp.stack([jnp.ones(2), jnp.zeros(2)], 1, dtype=jnp.int32))
    [[1 0]
     [1 0]]
    """
    if out is not None:
        raise NotImplementedError("stack: out= is not there; the result is a new array")
    return _as_type(hd.stack(_listed(arrays), axis), dtype)


def vstack(tup: Joined, dtype: DTypeLike | None = None) -> hd.ndarray:
    """Arrays below each other, in rows.

    >>> import heddle.jax.numpy as jnp
    >>> print(jnp.vstack([jnp.ones(2), jnp.zeros(2)], dtype=jnp.int32))
    [[1 1]
     [0 0]]
    """
    return _as_type(hd.vstack(_listed(tup)), dtype)


def hstack(tup: Joined, dtype: DTypeLike | None = None) -> hd.ndarray:
    """Arrays beside each other, in columns; those of one axis one after the other.

    >>> import heddle.jax.numpy as jnp
    >>> print(jnp.hstack([jnp.ones(2), jnp.zeros(2)], dtype=jnp.int32))
    [1 1 0 0]
    """
    return _as_type(hd.hstack(_listed(tup)), dtype)


def dstack(tup: Joined, dtype: DTypeLike | None = None) -> hd.ndarray:
    """Arrays behind each other, along the third axis.

    >>> import heddle.jax.numpy as jnp
    >>> print(jnp.dstack([jnp.ones(2), jnp.zeros(2)], dtype=jnp.int32))
    [[[1 0]
      [1 0]]]
    """
    return _as_type(hd.dstack(_listed(tup)), dtype)


def _listed(arrays: object) -> Any:
    """The rows of an array, or the arrays of a list."""
    return list(arrays) if isinstance(arrays, _core.own_array) else arrays


def ravel_multi_index(
    multi_index: Sequence[ArrayLike],
    dims: Sequence[int],
    mode: IndexMode = "raise",
    order: Literal["C", "F"] = "C",
    *,
    dtype: DTypeLike | None = None,
) -> hd.ndarray:
    """Places in all elements in order, of places along each axis.

    >>> import heddle.jax.numpy as jnp
    >>> print(jnp.ravel_multi_index((jnp.array([1, 9]), jnp.array([0, 1])), (3, 2), mode="clip"))
    [2 5]
    """
    made = hd.ravel_multi_index(tuple(multi_index), tuple(dims), mode=mode, order=order)
    if dtype is None:
        return made
    kind = hd.dtype(dtype)
    if kind.kind not in "iu":
        raise ValueError(f"ravel_multi_index: dtype is an integer type, not {kind}")
    last = 1
    for extent in dims:
        last *= extent
    if last - 1 > hd.iinfo(kind).max:
        raise ValueError(f"ravel_multi_index: {kind} cannot hold all places of {tuple(dims)}")
    return made.astype(kind)


def diff(
    a: ArrayLike,
    n: int = 1,
    axis: int = -1,
    prepend: ArrayLike | None = None,
    append: ArrayLike | None = None,
) -> hd.ndarray:
    """Differences of neighbours; None says that nothing is joined to either end.

    >>> import heddle.jax.numpy as jnp
    >>> print(jnp.diff(jnp.array([1, 4, 9]), prepend=None))
    [3 5]
    """
    ends = {"prepend": prepend, "append": append}
    given = {name: end for name, end in ends.items() if end is not None}
    made: hd.ndarray = hd.diff(a, n, axis, **given)
    return made
