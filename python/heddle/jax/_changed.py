"""Changed copies where NumPy writes, and elements at places that may be out of bounds."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import heddle as hd
from heddle import _core
from heddle._transform.at import Mode
from heddle._typing import ArrayLike, IndexMode
from heddle.jax._sized import along


def _writing(what: str, inplace: bool, array: ArrayLike) -> hd.ndarray:
    """The array to be written to: a copy, unless ``inplace`` says otherwise."""
    if inplace:
        if not isinstance(array, _core.own_array):
            raise TypeError(f"{what}: an array is written to, not a {type(array).__name__}")
        return array
    return hd.array(array)


def fill_diagonal(
    a: ArrayLike, val: ArrayLike, wrap: bool = False, *, inplace: bool = True
) -> hd.ndarray:
    """The array with its diagonal replaced: itself, or with ``inplace=False`` a copy.

    >>> import heddle.jax.numpy as jnp
    >>> print(jnp.fill_diagonal(jnp.zeros((2, 2)), 5, inplace=False))
    [[5. 0.]
     [0. 5.]]
    """
    made = _writing("fill_diagonal", inplace, a)
    hd.fill_diagonal(made, val, wrap)
    return made


def put(
    a: ArrayLike,
    ind: ArrayLike,
    v: ArrayLike,
    mode: IndexMode | None = None,
    *,
    inplace: bool = True,
) -> hd.ndarray:
    """The array with elements replaced, by places of all of them in order.

    ``mode`` is "clip" (as None) or "wrap".

    >>> import heddle.jax.numpy as jnp
    >>> print(jnp.put(jnp.zeros(3), jnp.array([0, 2]), 5, inplace=False))
    [5. 0. 5.]
    """
    made = _writing("put", inplace, a)
    hd.put(made, ind, v, mode="clip" if mode is None else mode)
    return made


def place(arr: ArrayLike, mask: ArrayLike, vals: ArrayLike, *, inplace: bool = True) -> hd.ndarray:
    """The array with the elements that a mask says replaced, by one value after the other.

    >>> import heddle.jax.numpy as jnp
    >>> print(jnp.place(jnp.arange(4), jnp.arange(4) > 1, jnp.array([7, 8]), inplace=False))
    [0 1 7 8]
    """
    made = _writing("place", inplace, arr)
    hd.place(made, mask, vals)
    return made


def put_along_axis(
    arr: ArrayLike,
    indices: ArrayLike,
    values: ArrayLike,
    axis: int | None,
    inplace: bool = True,
    *,
    mode: Mode = None,
) -> hd.ndarray:
    """The array with elements replaced along an axis.

    ``mode`` says what becomes of places out of bounds: "clip" or "wrap"; None: an error.

    >>> import heddle.jax.numpy as jnp
    >>> print(jnp.put_along_axis(jnp.zeros((2, 2)), jnp.array([[1], [0]]), 5, 1, inplace=False))
    [[0. 5.]
     [5. 0.]]
    """
    made = _writing("put_along_axis", inplace, arr)
    if mode not in (None, "clip", "wrap"):
        raise NotImplementedError(f"put_along_axis: mode is 'clip' or 'wrap', not {mode!r}")
    if mode is not None:
        places, count = hd.asarray(indices), made.size if axis is None else made.shape[axis]
        around = hd.where(places < 0, places + count, places)
        indices = places % count if mode == "wrap" else hd.clip(around, 0, count - 1)
    hd.put_along_axis(made, indices, values, axis)
    return made


def pad(
    array: ArrayLike,
    pad_width: ArrayLike,
    mode: str | Callable[..., Any] = "constant",
    **kwargs: Any,
) -> hd.ndarray:
    """An array with more on its sides.

    A function for ``mode`` may give the changed row, or write to that which it is given.

    >>> import heddle.jax.numpy as jnp
    >>> print(jnp.pad(jnp.arange(2), 1, lambda row, width, axis, kwargs: row.at[0].set(7)))
    [7 0 1 0]
    """
    if not callable(mode):
        return hd.pad(array, pad_width, mode, **kwargs)

    def write(row: hd.ndarray, width: tuple[int, ...], axis: int, kwargs: object) -> None:
        made = mode(row, width, axis, kwargs)
        if made is not None:
            row[...] = made

    return hd.pad(array, pad_width, write, **kwargs)


def take(
    a: ArrayLike,
    indices: ArrayLike,
    axis: int | None = None,
    out: None = None,
    mode: Mode = None,
    unique_indices: bool = False,
    indices_are_sorted: bool = False,
    fill_value: ArrayLike | None = None,
) -> hd.ndarray:
    """Elements along an axis; those out of bounds are filled, clipped or wrapped.

    ``mode`` is "fill" (as None), "clip" or "wrap". The promises make no difference.

    >>> import heddle.jax.numpy as jnp
    >>> print(jnp.take(jnp.arange(3.0), jnp.array([2, 5])))
    [ 2. nan]
    """
    if out is not None:
        raise NotImplementedError("take: out= is not there; the result is a new array")
    array, places = hd.asarray(a), hd.asarray(indices)
    array, axis = along(array, axis)
    if places.size and not array.shape[axis]:
        raise IndexError(f"take: there is nothing along axis {axis} of shape {array.shape}")
    if mode == "clip":  # negative ones, too: they do not count from the end
        places = hd.clip(places, 0, max(array.shape[axis] - 1, 0))
    index = (slice(None),) * axis + (places,)
    how: Mode = "fill" if mode is None else mode
    return array.at[index].get(mode=how, fill_value=fill_value)


def take_along_axis(
    arr: ArrayLike,
    indices: ArrayLike,
    axis: int | None = -1,
    mode: str | None = None,
    fill_value: ArrayLike | None = None,
) -> hd.ndarray:
    """Elements along an axis, by places for each row; those out of bounds are filled or clipped.

    >>> import heddle.jax.numpy as jnp
    >>> print(jnp.take_along_axis(jnp.arange(4.0).reshape(2, 2), jnp.array([[1], [9]]), 1))
    [[ 1.]
     [nan]]
    """
    array, places = hd.asarray(arr), hd.asarray(indices)
    if axis is None:
        array, places, axis = array.ravel(), places.ravel(), 0
    if places.dtype.kind not in "iu":
        raise TypeError(f"take_along_axis: places have to be integers, not {places.dtype}")
    axis %= array.ndim
    if places.ndim != array.ndim:
        raise ValueError(f"take_along_axis: an array of {array.ndim} axes, places of {places.ndim}")
    count = array.shape[axis]
    inside = hd.where(places < 0, places + count, places) if mode != "wrap" else places % count
    if mode in ("clip", "wrap"):
        return hd.take_along_axis(array, hd.clip(inside, 0, count - 1), axis)
    if mode not in (None, "fill", "promise_in_bounds"):
        raise ValueError(f"take_along_axis: mode is 'fill', 'clip' or 'wrap', not {mode!r}")
    there = (inside >= 0) & (inside < count)
    found = hd.take_along_axis(array, hd.where(there, inside, 0), axis)
    if fill_value is None:
        one = array.ravel()[:1].at[hd.array([1])].get(mode="fill") if array.size else hd.zeros(1)
        fill_value = one[0]
    return hd.where(there, found, fill_value).astype(array.dtype)
