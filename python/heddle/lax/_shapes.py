"""Functions of shapes by JAX's names: joins, parts, paddings, orders of axes, counters."""

from __future__ import annotations

import builtins
import itertools
import math
import operator
from collections.abc import Sequence
from typing import Any

import heddle as hd
from heddle import _core
from heddle._typing import ArrayLike, DTypeLike
from heddle.lax._operands import read, read_axes, read_axis


def broadcast(operand: ArrayLike, sizes: Sequence[int]) -> hd.ndarray:
    """The array repeated along new axes in front.

    >>> import heddle as np
    >>> np.lax.broadcast(np.ones(2), (3, 1)).shape
    (3, 1, 2)
    """
    array = hd.asarray(operand)
    return hd.broadcast_to(array, (*sizes, *array.shape)).copy()


def broadcast_in_dim(
    operand: ArrayLike, shape: Sequence[int], broadcast_dimensions: Sequence[int]
) -> hd.ndarray:
    """The array in a larger shape: which of its axes each of the array's is, is said.

    >>> import heddle as np
    >>> print(np.lax.broadcast_in_dim(np.arange(2), (2, 3), (0,)))
    [[0 0 0]
     [1 1 1]]
    """
    array, places = hd.asarray(operand), tuple(broadcast_dimensions)
    ascending = builtins.all(a < b for a, b in itertools.pairwise(places))
    inside = builtins.all(0 <= place < len(shape) for place in places)
    if len(places) != array.ndim or not ascending or not inside:
        raise TypeError(
            f"lax.broadcast_in_dim: broadcast_dimensions {places} are no ascending axes of "
            f"{tuple(shape)} for an array of shape {array.shape}"
        )
    for extent, place in zip(array.shape, places, strict=True):
        if extent not in (1, shape[place]):
            raise TypeError(
                f"lax.broadcast_in_dim: {extent} elements do not fit axis {place} of {tuple(shape)}"
            )
    kept = dict(zip(places, array.shape, strict=True))
    spread = array.reshape([kept.get(axis, 1) for axis in range(len(shape))])
    return hd.broadcast_to(spread, tuple(shape)).copy()


def broadcast_to_rank(x: ArrayLike, rank: int) -> hd.ndarray:
    """The array with axes of one element in front, until it has so many.

    >>> import heddle as np
    >>> np.lax.broadcast_to_rank(np.ones(2), 3).shape
    (1, 1, 2)
    """
    array = hd.asarray(x)
    if rank < array.ndim:
        raise ValueError(f"lax.broadcast_to_rank: rank {rank} for an array of {array.ndim} axes")
    return array.reshape((1,) * (rank - array.ndim) + array.shape)


def iota(dtype: DTypeLike, size: int) -> hd.ndarray:
    """0, 1, 2 and so on.

    >>> import heddle as np
    >>> np.lax.iota("int32", 3)
    array([0, 1, 2], dtype=int32)
    """
    return hd.arange(operator.index(size)).astype(dtype)


def broadcasted_iota(dtype: DTypeLike, shape: Sequence[int], dimension: int) -> hd.ndarray:
    """0, 1, 2 and so on along one axis of a shape, the same along the others.

    >>> import heddle as np
    >>> print(np.lax.broadcasted_iota(int, (2, 3), 1))
    [[0 1 2]
     [0 1 2]]
    """
    axis = read_axis("broadcasted_iota", dimension, len(shape))
    return broadcast_in_dim(iota(dtype, shape[axis]), shape, (axis,))


def full(
    shape: int | Sequence[int], fill_value: ArrayLike, dtype: DTypeLike | None = None
) -> hd.ndarray:
    """An array that is the same everywhere.

    >>> import heddle as np
    >>> print(np.lax.full((2,), 7))
    [7 7]
    """
    return hd.full(shape, fill_value, dtype)


def full_like(
    x: ArrayLike,
    fill_value: ArrayLike,
    dtype: DTypeLike | None = None,
    shape: Sequence[int] | None = None,
) -> hd.ndarray:
    """An array of another one's shape and type that is the same everywhere.

    >>> import heddle as np
    >>> print(np.lax.full_like(np.zeros(2), 7))
    [7. 7.]
    """
    like = x if hasattr(x, "shape") and hasattr(x, "dtype") else hd.asarray(x)
    return hd.full(like.shape if shape is None else shape, fill_value, dtype or like.dtype)


def collapse(
    operand: ArrayLike, start_dimension: int, stop_dimension: int | None = None
) -> hd.ndarray:
    """Some axes that follow one another as one.

    >>> import heddle as np
    >>> np.lax.collapse(np.ones((2, 3, 4)), 1).shape
    (2, 12)
    """
    array = hd.asarray(operand)
    first, end, _ = builtins.slice(start_dimension, stop_dimension).indices(array.ndim)
    if end < first:
        raise ValueError(f"lax.collapse: axes from {start_dimension} to {stop_dimension}")
    shape = array.shape
    return array.reshape((*shape[:first], math.prod(shape[first:end]), *shape[end:]))


def concatenate(operands: Sequence[Any], dimension: int) -> hd.ndarray:
    """Arrays of one type one behind the other along an axis.

    >>> import heddle as np
    >>> print(np.lax.concatenate([np.ones(2), np.zeros(1)], 0))
    [1. 1. 0.]
    """
    if len(operands) == 0:
        raise ValueError("lax.concatenate: there are no operands")
    arrays = read("concatenate", "biufc", *operands)
    return hd.concatenate(arrays, read_axis("concatenate", dimension, arrays[0].ndim))


def stack(operands: Sequence[Any], axis: int = 0) -> hd.ndarray:
    """Arrays of one shape and type along a new axis.

    >>> import heddle as np
    >>> np.lax.stack([np.ones(2), np.zeros(2)]).shape
    (2, 2)
    """
    if len(operands) == 0:
        raise ValueError("lax.stack: there are no operands")
    return hd.stack(read("stack", "biufc", *operands), axis)


def unstack(operand: ArrayLike, axis: int = 0) -> tuple[hd.ndarray, ...]:
    """The parts of an array along an axis, which goes.

    >>> import heddle as np
    >>> [part.tolist() for part in np.lax.unstack(np.eye(2))]
    [[1.0, 0.0], [0.0, 1.0]]
    """
    array = hd.asarray(operand)
    axis = read_axis("unstack", axis, array.ndim)
    return tuple(index_in_dim(array, i, axis, keepdims=False) for i in range(array.shape[axis]))


def expand_dims(array: ArrayLike, dimensions: Sequence[int]) -> hd.ndarray:
    """The array with axes of one element at places of the result.

    >>> import heddle as np
    >>> np.lax.expand_dims(np.ones(2), (0, 2)).shape
    (1, 2, 1)
    """
    return hd.expand_dims(array, tuple(dimensions))


def squeeze(array: ArrayLike, dimensions: Sequence[int]) -> hd.ndarray:
    """The array without some axes of one element.

    >>> import heddle as np
    >>> np.lax.squeeze(np.ones((1, 2, 1)), (0,)).shape
    (2, 1)
    """
    return hd.squeeze(array, tuple(dimensions))


def reshape(
    operand: ArrayLike, new_sizes: Sequence[int], dimensions: Sequence[int] | None = None
) -> hd.ndarray:
    """The elements in order in another shape; ``dimensions`` says an order of axes before.

    >>> import heddle as np
    >>> np.lax.reshape(np.arange(4), (2, 2))
    array([[0, 1],
           [2, 3]])
    """
    array = hd.asarray(operand)
    if dimensions is not None:
        array = hd.transpose(array, tuple(dimensions))
    if builtins.min(new_sizes, default=0) < 0:
        raise ValueError(f"lax.reshape: sizes are not negative, and here they are {new_sizes}")
    return hd.reshape(array, tuple(new_sizes))


def transpose(operand: ArrayLike, permutation: Sequence[int]) -> hd.ndarray:
    """The array with its axes in another order.

    >>> import heddle as np
    >>> np.lax.transpose(np.ones((2, 3)), (1, 0)).shape
    (3, 2)
    """
    return hd.transpose(operand, tuple(permutation))


def rev(operand: ArrayLike, dimensions: Sequence[int]) -> hd.ndarray:
    """The array backwards along some axes.

    >>> import heddle as np
    >>> print(np.lax.rev(np.arange(3), (0,)))
    [2 1 0]
    """
    array = hd.asarray(operand)
    return hd.flip(array, read_axes("rev", dimensions, array.ndim))


def tile(operand: ArrayLike, reps: Sequence[int]) -> hd.ndarray:
    """The array repeated along its axes.

    >>> import heddle as np
    >>> print(np.lax.tile(np.arange(2), (2,)))
    [0 1 0 1]
    """
    array = hd.asarray(operand)
    if len(reps) != array.ndim:
        raise ValueError(f"lax.tile: {len(reps)} numbers for {array.ndim} axes")
    return hd.tile(array, tuple(reps))


def split(operand: ArrayLike, sizes: Sequence[int], axis: int = 0) -> list[hd.ndarray]:
    """Parts of some sizes along an axis.

    >>> import heddle as np
    >>> [part.tolist() for part in np.lax.split(np.arange(4), (1, 3))]
    [[0], [1, 2, 3]]
    """
    array = hd.asarray(operand)
    axis = read_axis("split", axis, array.ndim)
    if sum(sizes) != array.shape[axis] or builtins.min(sizes, default=0) < 0:
        raise ValueError(
            f"lax.split: sizes {tuple(sizes)} for {array.shape[axis]} elements along axis {axis}"
        )
    made, first = [], 0
    for size in sizes:
        made.append(slice_in_dim(array, first, first + size, axis=axis))
        first += size
    return made


def pad(
    operand: ArrayLike, padding_value: ArrayLike, padding_config: Sequence[tuple[int, int, int]]
) -> hd.ndarray:
    """The array with a value before, behind and between its elements along each axis.

    Numbers below zero take elements away from an end.

    >>> import heddle as np
    >>> print(np.lax.pad(np.array([1, 2, 3]), 0, [(1, -1, 1)]))
    [0 1 0 2 0]
    """
    array, value = read("pad", "biufc", operand, padding_value)
    if value.ndim != 0 or len(padding_config) != array.ndim:
        raise ValueError(
            f"lax.pad: a value of shape {value.shape}, and {len(padding_config)} paddings for an "
            f"array of shape {array.shape}"
        )
    shape, into, taken = [], [], []
    for extent, (low, high, between) in zip(array.shape, padding_config, strict=True):
        if between < 0:
            raise ValueError(f"lax.pad: {between} elements between")
        spread = extent + builtins.max(extent - 1, 0) * between
        if low + spread + high < 0:
            raise ValueError(f"lax.pad: {low} and {high} take more than {spread} elements away")
        before, behind = builtins.max(low, 0), builtins.max(high, 0)
        shape.append(before + spread + behind)
        into.append(builtins.slice(before, before + spread, between + 1))
        taken.append(builtins.slice(before - low, before - low + low + spread + high))
    if builtins.all(
        between == 0 and low >= 0 and high >= 0 for low, high, between in padding_config
    ):
        widths = [(low, high) for low, high, _ in padding_config]
        if not padding_config:
            return array.copy()
        if not _is_array(padding_value):
            return hd.pad(array, widths, constant_values=padding_value)
    made = hd.broadcast_to(value, shape).copy()
    if array.size:
        made[tuple(into)] = array
    return made[tuple(taken)]


def _is_array(value: object) -> bool:
    return isinstance(value, _core.own_array)


def slice(
    operand: ArrayLike,
    start_indices: Sequence[int],
    limit_indices: Sequence[int],
    strides: Sequence[int] | None = None,
) -> hd.ndarray:
    """The part of an array between two corners.

    >>> import heddle as np
    >>> print(np.lax.slice(np.arange(9), (1,), (8,), (3,)))
    [1 4 7]
    """
    array = hd.asarray(operand)
    steps = (1,) * array.ndim if strides is None else tuple(strides)
    if not len(start_indices) == len(limit_indices) == len(steps) == array.ndim:
        raise TypeError(
            f"lax.slice: {len(start_indices)} starts, {len(limit_indices)} limits and "
            f"{len(steps)} strides for an array of {array.ndim} axes"
        )
    corners = zip(start_indices, limit_indices, steps, array.shape, strict=True)
    for first, end, step, extent in corners:
        if not 0 <= first <= end <= extent or step < 1:
            raise TypeError(
                f"lax.slice: from {first} to {end} in steps of {step}, of {extent} elements"
            )
    return array[
        tuple(
            builtins.slice(first, end, step)
            for first, end, step in zip(start_indices, limit_indices, steps, strict=True)
        )
    ]


def slice_in_dim(
    operand: ArrayLike,
    start_index: int | None,
    limit_index: int | None,
    stride: int = 1,
    axis: int = 0,
) -> hd.ndarray:
    """The part of an array between two places of an axis; below zero they count from the end.

    >>> import heddle as np
    >>> print(np.lax.slice_in_dim(np.arange(5), 1, -1))
    [1 2 3]
    """
    array = hd.asarray(operand)
    axis = read_axis("slice_in_dim", axis, array.ndim)
    extent = array.shape[axis]
    first = 0 if start_index is None else operator.index(start_index)
    end = extent if limit_index is None else operator.index(limit_index)
    first, end = first + extent * (first < 0), end + extent * (end < 0)
    corner = [0] * array.ndim, list(array.shape), [1] * array.ndim
    corner[0][axis], corner[1][axis], corner[2][axis] = first, end, operator.index(stride)
    return slice(array, *corner)


def index_in_dim(
    operand: ArrayLike, index: int, axis: int = 0, keepdims: bool = True
) -> hd.ndarray:
    """One place of an axis.

    >>> import heddle as np
    >>> print(np.lax.index_in_dim(np.arange(5), -1))
    [4]
    """
    array = hd.asarray(operand)
    axis = read_axis("index_in_dim", axis, array.ndim)
    place = operator.index(index)
    if not -array.shape[axis] <= place < array.shape[axis]:
        raise IndexError(
            f"lax.index_in_dim: index {place} of {array.shape[axis]} elements along axis {axis}"
        )
    place %= array.shape[axis]
    made = slice_in_dim(array, place, place + 1, 1, axis)
    return made if keepdims else hd.squeeze(made, axis)


def index_take(src: ArrayLike, idxs: Sequence[ArrayLike], axes: Sequence[int]) -> hd.ndarray:
    """The elements at places of some axes, which are one axis in front of the others.

    >>> import heddle as np
    >>> print(np.lax.index_take(np.eye(3), (np.array([0, 2]), np.array([0, 1])), (0, 1)))
    [1. 0.]
    """
    array = hd.asarray(src)
    found = read_axes("index_take", axes, array.ndim)
    moved = hd.moveaxis(array, found, tuple(range(len(found))))
    return moved.at[tuple(hd.asarray(i) for i in idxs)].get(mode="clip")


def select_n(which: ArrayLike, *cases: ArrayLike) -> hd.ndarray:
    """Of several arrays the element of the one that ``which`` says: a truth value or a number.

    >>> import heddle as np
    >>> print(np.lax.select_n(np.array([True, False]), np.zeros(2), np.ones(2)))
    [1. 0.]
    """
    chosen = hd.asarray(which)
    if not cases:
        raise ValueError("lax.select_n: there are no cases")
    arrays = [hd.asarray(case) for case in cases]
    if len({(array.shape, array.dtype) for array in arrays}) > 1:
        given = ", ".join(f"{array.dtype}{list(array.shape)}" for array in arrays)
        raise TypeError(f"lax.select_n: the cases are {given}")
    if chosen.ndim and chosen.shape != arrays[0].shape:
        raise TypeError(
            f"lax.select_n: which has shape {chosen.shape}, and the cases {arrays[0].shape}"
        )
    if chosen.dtype.kind not in "bi" or (chosen.dtype.kind == "b" and len(arrays) > 2):
        raise TypeError(f"lax.select_n: {len(arrays)} cases, and which is of {chosen.dtype}")
    made = arrays[0]
    for number, array in enumerate(arrays[1:], 1):
        made = hd.where(chosen >= number, array, made)
    return made if len(arrays) > 1 else made.copy()


def broadcast_shapes(*shapes: Sequence[int]) -> tuple[int, ...]:
    """The shape that arrays of some shapes have together.

    >>> import heddle as np
    >>> np.lax.broadcast_shapes((3, 1), (4,))
    (3, 4)
    """
    return hd.broadcast_shapes(*[tuple(shape) for shape in shapes])
