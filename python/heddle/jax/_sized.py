"""Functions whose results are as long as elements say, with a size that is known before.

With ``size`` they look at no elements, so that all transformations apply: results are cut off, or
filled up.
"""

from __future__ import annotations

import math
import operator
from typing import Any, Literal, overload

import heddle as hd
from heddle._arguments import normalize_axis
from heddle._core import ndarray
from heddle._typing import ArrayLike


def along(a: hd.ndarray, axis: int | None) -> tuple[hd.ndarray, int]:
    """What is walked along an axis: all elements without one; a number has no axis."""
    return (a.ravel(), 0) if axis is None else (a, normalize_axis(axis, a.ndim))


def _filled(places: hd.ndarray, count: hd.ndarray, fill: Any) -> hd.ndarray:
    return hd.where(hd.arange(places.shape[0]) < count, places, fill).astype(places.dtype)


def _first_true(mask: hd.ndarray, size: int) -> tuple[hd.ndarray, Any]:
    """The places of the first true elements of a mask of one dimension, and how many there are."""
    count = mask.sum()
    order = hd.argsort(~mask, stable=True)
    if size > order.shape[0]:
        order = hd.concatenate(
            [order, hd.zeros(size - order.shape[0], order.dtype, device=order.device)]
        )
    return order[:size], count


def nonzero(
    a: ArrayLike, *, size: int | None = None, fill_value: ArrayLike | None = None
) -> tuple[hd.ndarray, ...]:
    """The places of elements that are not zero; with ``size`` so many, filled up with 0.

    >>> import heddle.jax.numpy as jnp
    >>> print(jnp.nonzero(jnp.array([0, 5, 6]), size=3)[0])
    [1 2 0]
    """
    array = hd.asarray(a)
    if size is None:
        return hd.nonzero(array)
    if array.ndim == 0:
        raise ValueError("nonzero: an array without dimensions has no places")
    found, count = _first_true((array != 0).ravel(), operator.index(size))
    fills = fill_value if isinstance(fill_value, tuple) else (fill_value or 0,) * array.ndim
    if len(fills) != array.ndim:
        raise ValueError(f"nonzero: {len(fills)} fill values for {array.ndim} axes")
    made, stride = [], array.size
    for extent, fill in zip(array.shape, fills, strict=True):
        stride //= max(extent, 1)
        made.append(_filled(found // max(stride, 1) % max(extent, 1), count, fill))
    return tuple(made)


def flatnonzero(
    a: ArrayLike, *, size: int | None = None, fill_value: ArrayLike | None = None
) -> hd.ndarray:
    """The places of elements that are not zero among all in order.

    >>> import heddle.jax.numpy as jnp
    >>> print(jnp.flatnonzero(jnp.array([0, 5, 6]), size=1))
    [1]
    """
    return nonzero(hd.ravel(hd.asarray(a)), size=size, fill_value=fill_value)[0]


def argwhere(
    a: ArrayLike, *, size: int | None = None, fill_value: ArrayLike | None = None
) -> hd.ndarray:
    """The places of elements that are not zero, one in each row.

    >>> import heddle.jax.numpy as jnp
    >>> print(jnp.argwhere(jnp.eye(2)))
    [[0 0]
     [1 1]]
    """
    if size is None:
        return hd.argwhere(a)
    array = hd.asarray(a)
    if array.ndim == 0:
        return hd.zeros((operator.index(size), 0), "int64")
    return hd.stack(nonzero(array, size=size, fill_value=fill_value), -1)


@overload
def where(condition: ArrayLike, x: ArrayLike, y: ArrayLike, /) -> hd.ndarray: ...
@overload
def where(
    condition: ArrayLike, /, *, size: int | None = None, fill_value: ArrayLike | None = None
) -> tuple[hd.ndarray, ...]: ...
def where(
    condition: ArrayLike,
    x: ArrayLike | None = None,
    y: ArrayLike | None = None,
    /,
    *,
    size: int | None = None,
    fill_value: ArrayLike | None = None,
) -> hd.ndarray | tuple[hd.ndarray, ...]:
    """x where a condition holds, else y; without both, `nonzero`.

    >>> import heddle.jax.numpy as jnp
    >>> print(jnp.where(jnp.array([True, False]), 1, 2))
    [1 2]
    """
    if x is None and y is None:
        return nonzero(condition, size=size, fill_value=fill_value)
    if size is not None or fill_value is not None:
        raise ValueError("where: size and fill_value are for the condition alone")
    if x is None or y is None:
        raise ValueError("where: either both or neither of x and y should be given")
    return hd.where(condition, x, y)


def _distinct(rows: hd.ndarray) -> tuple[hd.ndarray, hd.ndarray]:
    """The order of the rows of a matrix, and which of them, in order, is the first of its kind."""
    keys = tuple(rows[:, i] for i in range(rows.shape[1] - 1, -1, -1))
    order = hd.lexsort(keys) if len(keys) > 1 else hd.argsort(rows[:, 0], stable=True)
    ordered = rows[order]
    differs = (ordered[1:] != ordered[:-1]).any(1)
    if rows.dtype.kind in "fc":  # nans are the same as one another
        differs = differs & ~(hd.isnan(ordered[1:]) & hd.isnan(ordered[:-1])).all(1)
    return order, hd.concatenate([hd.ones(min(1, rows.shape[0]), bool), differs])


@overload
def unique(
    ar: ArrayLike,
    return_index: Literal[False] = False,
    return_inverse: Literal[False] = False,
    return_counts: Literal[False] = False,
    axis: int | None = None,
    *,
    equal_nan: bool = True,
    size: int | None = None,
    fill_value: ArrayLike | None = None,
    sorted: bool = True,
) -> ndarray: ...
@overload
def unique(
    ar: ArrayLike,
    return_index: bool = False,
    return_inverse: bool = False,
    return_counts: bool = False,
    axis: int | None = None,
    *,
    equal_nan: bool = True,
    size: int | None = None,
    fill_value: ArrayLike | None = None,
    sorted: bool = True,
) -> hd.ndarray | tuple[hd.ndarray, ...]: ...
def unique(
    ar: ArrayLike,
    return_index: bool = False,
    return_inverse: bool = False,
    return_counts: bool = False,
    axis: int | None = None,
    *,
    equal_nan: bool = True,
    size: int | None = None,
    fill_value: ArrayLike | None = None,
    sorted: bool = True,
) -> hd.ndarray | tuple[hd.ndarray, ...]:
    """The different elements in order; with ``size`` so many, filled up with the least one.

    >>> import heddle.jax.numpy as jnp
    >>> print(jnp.unique(jnp.array([3, 1, 3]), size=3))
    [1 3 1]
    """
    if size is None:
        return hd.unique(ar, return_index, return_inverse, return_counts, axis, equal_nan=equal_nan)
    if not equal_nan:
        raise NotImplementedError("unique: equal_nan=False is not there together with size")
    array = hd.asarray(ar)
    flat = array.ravel() if axis is None else hd.moveaxis(array, axis, 0)
    rows = flat.reshape(flat.shape[0], math.prod(flat.shape[1:]))
    if rows.size == 0:
        if size and fill_value is None:
            raise ValueError("unique: there is no element, and no fill_value")
        made = hd.full((size, *flat.shape[1:]), fill_value or 0, flat.dtype)
        nothing = hd.zeros(size, "int64")
        kept = (return_index, return_inverse, return_counts)
        others = (nothing, hd.zeros(array.shape, "int64"), nothing)
        extra = tuple(one for one, wanted in zip(others, kept, strict=True) if wanted)
        return (made, *extra) if extra else made
    order, first = _distinct(rows)
    places, count = _first_true(first, operator.index(size))
    chosen = order[places]
    there = hd.arange(places.shape[0]) < count
    fill = flat[order[0]] if fill_value is None else hd.asarray(fill_value).astype(flat.dtype)
    values = hd.where(there.reshape((-1,) + (1,) * (flat.ndim - 1)), flat[chosen], fill)
    results = [values if axis is None else hd.moveaxis(values, 0, axis)]
    if return_index:
        results.append(hd.where(there, chosen, order[0]))
    number = hd.cumsum(first) - 1
    if return_inverse:
        inverse = hd.zeros(order.shape, "int64").at[order].set(number)
        results.append(inverse.reshape(array.shape) if axis is None else inverse)
    if return_counts:
        counts = hd.zeros(places.shape, "int64").at[number].add(1, mode="drop")
        results.append(counts)
    return results[0] if len(results) == 1 else tuple(results)


def union1d(
    ar1: ArrayLike, ar2: ArrayLike, *, size: int | None = None, fill_value: ArrayLike | None = None
) -> hd.ndarray:
    """The elements of either of two arrays, each once.

    >>> import heddle.jax.numpy as jnp
    >>> print(jnp.union1d(jnp.array([1, 2]), jnp.array([2, 3])))
    [1 2 3]
    """
    if size is None:
        return hd.union1d(ar1, ar2)
    joined = hd.concatenate([hd.ravel(hd.asarray(ar1)), hd.ravel(hd.asarray(ar2))])
    return unique(joined, size=size, fill_value=fill_value)


def setdiff1d(
    ar1: ArrayLike,
    ar2: ArrayLike,
    assume_unique: bool = False,
    *,
    size: int | None = None,
    fill_value: ArrayLike | None = None,
) -> hd.ndarray:
    """The elements of one array that another has not, each once; filled up with 0.

    >>> import heddle.jax.numpy as jnp
    >>> print(jnp.setdiff1d(jnp.array([1, 2, 3]), jnp.array([2]), size=3))
    [1 3 0]
    """
    if size is None:
        return hd.setdiff1d(ar1, ar2, assume_unique)
    array = hd.asarray(ar1).ravel()
    kept = ~hd.isin(array, hd.asarray(ar2))
    if not assume_unique:
        order, first = _distinct(array[:, None])
        array, kept = array[order], kept[order] & first
    places, count = _first_true(kept, operator.index(size))
    fill = 0 if fill_value is None else fill_value
    return hd.where(hd.arange(places.shape[0]) < count, array[places], fill).astype(array.dtype)


@overload
def intersect1d(
    ar1: ArrayLike,
    ar2: ArrayLike,
    assume_unique: bool = False,
    return_indices: Literal[False] = False,
    *,
    size: int | None = None,
    fill_value: ArrayLike | None = None,
) -> ndarray: ...
@overload
def intersect1d(
    ar1: ArrayLike,
    ar2: ArrayLike,
    assume_unique: bool = False,
    return_indices: bool = False,
    *,
    size: int | None = None,
    fill_value: ArrayLike | None = None,
) -> hd.ndarray | tuple[hd.ndarray, ...]: ...
def intersect1d(
    ar1: ArrayLike,
    ar2: ArrayLike,
    assume_unique: bool = False,
    return_indices: bool = False,
    *,
    size: int | None = None,
    fill_value: ArrayLike | None = None,
) -> hd.ndarray | tuple[hd.ndarray, ...]:
    """The elements of both of two arrays, each once; filled up with the least one.

    >>> import heddle.jax.numpy as jnp
    >>> print(jnp.intersect1d(jnp.array([1, 2, 3]), jnp.array([3, 2]), size=3))
    [2 3 2]
    """
    if size is None:
        if return_indices:
            return hd.intersect1d(ar1, ar2, assume_unique, return_indices=True)
        return hd.intersect1d(ar1, ar2, assume_unique)
    if return_indices:
        raise NotImplementedError("intersect1d: return_indices is not there together with size")
    array = hd.asarray(ar1).ravel()
    order, first = _distinct(array[:, None])
    array = array[order]
    places, count = _first_true(first & hd.isin(array, hd.asarray(ar2)), operator.index(size))
    values = array[places]
    fill = values[0] if fill_value is None else fill_value
    return hd.where(hd.arange(places.shape[0]) < count, values, fill).astype(array.dtype)


def compress(
    condition: ArrayLike,
    a: ArrayLike,
    axis: int | None = None,
    *,
    size: int | None = None,
    fill_value: ArrayLike = 0,
    out: None = None,
) -> hd.ndarray:
    """Parts of an array along an axis where a condition is true; with ``size`` so many.

    >>> import heddle.jax.numpy as jnp
    >>> print(jnp.compress(jnp.array([False, True, True]), jnp.arange(3), size=3, fill_value=-1))
    [ 1  2 -1]
    """
    if out is not None:
        raise NotImplementedError("compress: out= is not there; the result is a new array")
    array, chosen = hd.asarray(a), hd.asarray(condition)
    if chosen.ndim != 1:
        raise ValueError("condition must be a 1-d array")
    array, axis = along(array, axis)
    if size is None:
        return hd.compress(chosen, array, axis)
    rest = array.shape[axis] - chosen.size
    if rest < 0 and bool(chosen[rest:].any()):
        raise ValueError("condition contains entries that are out of bounds")
    chosen = chosen[: array.shape[axis]]
    places = flatnonzero(chosen, size=size, fill_value=array.shape[axis])
    index = (slice(None),) * axis + (places,)
    return array.at[index].get(mode="fill", fill_value=fill_value)


def extract(
    condition: ArrayLike, arr: ArrayLike, *, size: int | None = None, fill_value: ArrayLike = 0
) -> hd.ndarray:
    """Elements of an array where a condition is true; with ``size`` so many.

    >>> import heddle.jax.numpy as jnp
    >>> print(jnp.extract(jnp.array([False, True, True]), jnp.arange(3), size=1))
    [1]
    """
    return compress(hd.ravel(condition), arr, size=size, fill_value=fill_value)


def bincount(
    x: ArrayLike, weights: ArrayLike | None = None, minlength: int = 0, *, length: int | None = None
) -> hd.ndarray:
    """How often each number is there, or the sum of its weights; ``length`` says up to which.

    Negative numbers count as 0.

    >>> import heddle.jax.numpy as jnp
    >>> print(jnp.bincount(jnp.array([0, 2, 2, 9]), length=4))
    [1 0 2 0]
    """
    numbers = hd.asarray(x)
    if length is None:
        if numbers.dtype.kind == "i":
            numbers = hd.maximum(numbers, 0)
        return hd.bincount(numbers, weights, minlength)
    if numbers.ndim != 1 or numbers.dtype.kind not in "iu":
        raise TypeError(f"bincount: integers in one dimension, not {numbers.dtype}{numbers.shape}")
    count = max(operator.index(length), minlength)
    counted = hd.ones(numbers.shape, "int64") if weights is None else hd.asarray(weights)
    return hd.ops.segment_sum(counted, hd.maximum(numbers, 0), count)


def repeat(
    a: ArrayLike,
    repeats: ArrayLike,
    axis: int | None = None,
    *,
    total_repeat_length: int | None = None,
) -> hd.ndarray:
    """Elements repeated; ``total_repeat_length`` says how many there are in all.

    Where there are fewer, the last one goes on.

    >>> import heddle.jax.numpy as jnp
    >>> print(jnp.repeat(jnp.arange(2), jnp.array([1, 2]), total_repeat_length=4))
    [0 1 1 1]
    """
    if total_repeat_length is None:
        return hd.repeat(a, repeats, axis)
    array, axis = along(hd.asarray(a), axis)
    count = array.shape[axis]
    times = hd.broadcast_to(hd.asarray(repeats).ravel(), (count,))
    ends = hd.cumsum(times)
    places = hd.searchsorted(ends, hd.arange(operator.index(total_repeat_length)), side="right")
    return hd.take(array, hd.minimum(places, count - 1), axis=axis)


def sort(
    a: ArrayLike,
    axis: int | None = -1,
    *,
    kind: None = None,
    order: None = None,
    stable: bool = True,
    descending: bool = False,
) -> hd.ndarray:
    """The elements in order along an axis, from the least or the greatest one on.

    >>> import heddle.jax.numpy as jnp
    >>> print(jnp.sort(jnp.array([2, 3, 1]), descending=True))
    [3 2 1]
    """
    _no_kinds("sort", kind, order)
    array, axis = along(hd.asarray(a), axis)
    made = hd.sort(array, axis=axis, stable=stable)
    return hd.flip(made, axis) if descending else made


def argsort(
    a: ArrayLike,
    axis: int | None = -1,
    *,
    kind: None = None,
    order: None = None,
    stable: bool = True,
    descending: bool = False,
) -> hd.ndarray:
    """The places of elements in order along an axis; equal ones stay in their order.

    >>> import heddle.jax.numpy as jnp
    >>> print(jnp.argsort(jnp.array([2, 3, 1, 3]), descending=True))
    [1 3 0 2]
    """
    _no_kinds("argsort", kind, order)
    array, axis = along(hd.asarray(a), axis)
    if not descending:
        return hd.argsort(array, axis=axis, stable=stable)
    places = hd.argsort(hd.flip(array, axis), axis=axis, stable=stable)
    return array.shape[axis] - 1 - hd.flip(places, axis)


def _no_kinds(what: str, kind: object, order: object) -> None:
    if kind is not None or order is not None:
        raise ValueError(f"{what}: kind and order are not there; sorts are stable")
