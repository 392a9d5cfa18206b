"""Slices whose place is an array, with JAX's names: `heddle.lax` has them.

The place is no look: it may be another one in each pass of a loop, or in each row of a batch.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Sequence
from typing import Any

import heddle as hd
from heddle._typing import ArrayLike

__all__ = [
    "dynamic_index_in_dim",
    "dynamic_slice",
    "dynamic_slice_in_dim",
    "dynamic_update_index_in_dim",
    "dynamic_update_slice",
    "dynamic_update_slice_in_dim",
]


def _places(start: object, size: int, operand: hd.ndarray, what: str, axis: int) -> hd.ndarray:
    """Indices along an axis; a slice that would leave the array is moved inside, as JAX does."""
    extent = operand.shape[axis]
    if not 0 <= size <= extent:
        raise ValueError(f"{what}: a slice of {size} along axis {axis}, which has {extent}")
    start = hd.asarray(start)
    if start.ndim != 0 or start.dtype.kind not in "iu":
        raise TypeError(
            f"{what}: the start along axis {axis} has to be an integer, "
            f"not an array of {start.dtype} and shape {start.shape}"
        )
    start = start.astype("int64")
    start = hd.where(start < 0, start + extent, start)
    return hd.clip(start, 0, extent - size) + hd.arange(size, device=operand.device)


def _grid(
    operand: hd.ndarray, starts: Any, sizes: Sequence[int], what: str
) -> tuple[hd.ndarray, ...]:
    """An index for the part of an array that begins at `starts`."""
    starts, sizes = list(starts), [operator.index(size) for size in sizes]
    if len(starts) != operand.ndim or len(sizes) != operand.ndim:
        raise ValueError(
            f"{what}: {len(starts)} starts and {len(sizes)} sizes "
            f"for an array of {operand.ndim} dimensions"
        )
    return tuple(
        _places(start, size, operand, what, axis).reshape((-1,) + (1,) * (operand.ndim - 1 - axis))
        for axis, (start, size) in enumerate(zip(starts, sizes, strict=True))
    )


def _axis(axis: int, ndim: int, what: str) -> int:
    if not -ndim <= axis < ndim:
        raise ValueError(f"{what}: axis {axis} of an array of {ndim} dimensions")
    return axis % ndim


def dynamic_slice(
    operand: ArrayLike, start_indices: ArrayLike | Sequence[ArrayLike], slice_sizes: Sequence[int]
) -> hd.ndarray:
    """A part of an array that begins where arrays say.

    Starts below zero count from the end; a part that would leave the array is moved inside.

    >>> import heddle as np
    >>> np.lax.dynamic_slice(np.arange(12).reshape(3, 4), (1, np.asarray(3)), (2, 2))
    array([[ 6,  7],
           [10, 11]])
    """
    operand = hd.asarray(operand)
    places = _grid(operand, start_indices, slice_sizes, "dynamic_slice")
    made: hd.ndarray = operand[places] if places else operand.copy()
    return made


def dynamic_slice_in_dim(
    operand: ArrayLike, start_index: ArrayLike, slice_size: int, axis: int = 0
) -> hd.ndarray:
    """A part of an array along one axis that begins where an array says.

    >>> import heddle as np
    >>> np.lax.dynamic_slice_in_dim(np.arange(5) * 2, np.asarray(2), 2)
    array([4, 6])
    """
    operand = hd.asarray(operand)
    what = "dynamic_slice_in_dim"
    axis = _axis(axis, operand.ndim, what)
    size = operator.index(slice_size)
    return hd.take(operand, _places(start_index, size, operand, what, axis), axis=axis)


def dynamic_index_in_dim(
    operand: ArrayLike, index: ArrayLike, axis: int = 0, keepdims: bool = True
) -> hd.ndarray:
    """One place of an axis, which an array says.

    >>> import heddle as np
    >>> np.lax.dynamic_index_in_dim(np.arange(6).reshape(2, 3), 1, keepdims=False)
    array([3, 4, 5])
    """
    made = dynamic_slice_in_dim(operand, index, 1, axis)
    return made if keepdims else hd.squeeze(made, axis)


def dynamic_update_slice(
    operand: ArrayLike, update: ArrayLike, start_indices: ArrayLike | Sequence[ArrayLike]
) -> hd.ndarray:
    """An array with a part of it replaced, which begins where arrays say.

    >>> import heddle as np
    >>> np.lax.dynamic_update_slice(np.zeros(5), np.ones(2), (np.asarray(2),))
    array([0., 0., 1., 1., 0.])
    """
    operand, update = hd.asarray(operand), hd.asarray(update)
    if operand.dtype != update.dtype:
        raise TypeError(
            f"dynamic_update_slice: an update of {update.dtype} for an array of {operand.dtype}"
        )
    if operand.ndim != update.ndim:
        raise ValueError(
            f"dynamic_update_slice: an update of {update.ndim} dimensions "
            f"for an array of {operand.ndim}"
        )
    places = _grid(operand, start_indices, update.shape, "dynamic_update_slice")
    if not places or math.prod(update.shape) == 0:
        kept: hd.ndarray = (operand if places else update).copy()
        return kept
    made: hd.ndarray = operand.at[places].set(update)
    return made


def dynamic_update_slice_in_dim(
    operand: ArrayLike, update: ArrayLike, start_index: ArrayLike, axis: int
) -> hd.ndarray:
    """An array with a part of it replaced, which begins along one axis where an array says.

    >>> import heddle as np
    >>> np.lax.dynamic_update_slice_in_dim(np.zeros((2, 3)), np.ones((2, 1)), 1, axis=1)
    array([[0., 1., 0.],
           [0., 1., 0.]])
    """
    operand = hd.asarray(operand)
    starts: list[Any] = [0] * operand.ndim
    starts[_axis(axis, operand.ndim, "dynamic_update_slice_in_dim")] = start_index
    return dynamic_update_slice(operand, update, starts)


def dynamic_update_index_in_dim(
    operand: ArrayLike, update: ArrayLike, index: ArrayLike, axis: int
) -> hd.ndarray:
    """An array with one place of an axis replaced, which an array says.

    >>> import heddle as np
    >>> np.lax.dynamic_update_index_in_dim(np.zeros((2, 3)), np.ones(3), 1, axis=0)
    array([[0., 0., 0.],
           [1., 1., 1.]])
    """
    operand, update = hd.asarray(operand), hd.asarray(update)
    axis = _axis(axis, operand.ndim, "dynamic_update_index_in_dim")
    if update.ndim != operand.ndim:
        update = hd.expand_dims(update, axis)
    return dynamic_update_slice_in_dim(operand, update, index, axis)
