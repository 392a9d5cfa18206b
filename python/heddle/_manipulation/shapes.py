"""Shapes and axes: views where NumPy gives views. Joining and padding have modules of their own."""

from __future__ import annotations

import math
import operator
from collections.abc import Iterator, Sequence
from typing import Any, Literal, Self, SupportsIndex, cast, overload

import numpy

from heddle import _core
from heddle._arguments import (
    as_array,
    as_integer,
    check_cast,
    check_copy,
    check_order,
    memory_order,
    normalize_axes,
    normalize_axis_index,
    normalize_axis_tuple,
)
from heddle._core import in_core, ndarray, own_array
from heddle._manipulation.stride_tricks import broadcast_shapes, broadcast_to
from heddle._typing import ArrayLike, Axes, Axis, DTypeLike, Order, ShapeLike

__all__ = [
    "astype",
    "atleast_1d",
    "atleast_2d",
    "atleast_3d",
    "broadcast",
    "broadcast_arrays",
    "expand_dims",
    "flip",
    "fliplr",
    "flipud",
    "matrix_transpose",
    "moveaxis",
    "ndim",
    "permute_dims",
    "ravel",
    "reshape",
    "roll",
    "rollaxis",
    "rot90",
    "shape",
    "size",
    "squeeze",
    "swapaxes",
    "transpose",
]


def _shape_of(a: ArrayLike) -> tuple[int, ...]:
    """The shape of anything: what arrays of ours do not hold has one, too."""
    try:
        return as_array(a).shape
    except TypeError:
        return numpy.shape(a)


def shape(a: ArrayLike) -> tuple[int, ...]:
    """The shape of an array.

    Examples
    --------
    >>> import heddle as np
    >>> np.shape([[1, 2, 3]])
    (1, 3)
    >>> np.shape(0)
    ()
    """
    return a.shape if isinstance(a, own_array) else _shape_of(a)


def ndim(a: ArrayLike) -> int:
    """The number of dimensions.

    Examples
    --------
    >>> import heddle as np
    >>> np.ndim([[1, 2], [3, 4]])
    2
    """
    return a.ndim if isinstance(a, own_array) else len(_shape_of(a))


def size(a: ArrayLike, axis: Axes | None = None) -> int:
    """The number of elements, in all or along axes.

    Examples
    --------
    >>> import heddle as np
    >>> a = np.ones((2, 3))
    >>> np.size(a), np.size(a, axis=0)
    (6, 2)
    """
    if axis is None and isinstance(a, own_array):
        return a.size
    if axis is None and hasattr(type(a), "tocoo"):  # a sparse matrix says how many it stores
        return int(a.size)  # type: ignore[union-attr]
    extents = shape(a)
    if axis is None:
        return math.prod(extents)
    return math.prod(extents[i] for i in normalize_axis_tuple(axis, len(extents)))


def _whole_shape(shape: tuple[int, ...], count: int) -> tuple[int, ...]:
    """A shape without its -1; the core reports the shapes that do not fit."""
    known = 1
    for extent in shape:
        known *= 1 if extent < 0 else extent
    if shape.count(-1) == 1 and known and count % known == 0:
        return tuple(count // known if extent < 0 else extent for extent in shape)
    return shape


@in_core
def reshape(
    a: ArrayLike,
    /,
    shape: ShapeLike,
    order: Literal["C", "F", "A"] = "C",
    *,
    copy: bool | None = None,
) -> ndarray:
    """Give a new shape to an array without changing its data: a view where that is possible.

    Examples
    --------
    >>> import heddle as np
    >>> np.reshape(np.arange(6), (2, 3))
    array([[0, 1, 2],
           [3, 4, 5]])
    >>> np.reshape(np.arange(6), (3, -1), order="F")
    array([[0, 3],
           [1, 4],
           [2, 5]])
    """
    a = as_array(a)
    try:
        extents: tuple[int, ...] = (operator.index(cast("SupportsIndex", shape)),)
    except TypeError:
        extents = tuple(as_integer(extent) for extent in cast("Sequence[SupportsIndex]", shape))
    walked = check_order(order, "C")
    if walked == "K":
        raise ValueError("order 'K' is not permitted for reshaping")
    copy = check_copy(copy)
    if copy:
        a = a._copy("K")
    column_major = walked == "F" or (walked == "A" and a._f_contiguous and not a._c_contiguous)
    if column_major:
        source, wanted = a._transpose(None), _whole_shape(extents, a.size)[::-1]
    else:
        source, wanted = a, extents
    if copy is not None and not copy:
        result = source._reshape_view(wanted)
        if result is None:
            raise ValueError("Unable to avoid creating a copy while reshaping.")
    else:
        try:
            result = source._reshape(wanted)
        except ValueError:
            if not column_major:
                raise
            raise ValueError(f"cannot reshape array of size {a.size} into shape {shape}") from None
    return result._transpose(None) if column_major else result


@in_core
def ravel(a: ArrayLike, order: Order = "C") -> ndarray:
    """The elements in one dimension: a view of a contiguous array, else a copy.

    Examples
    --------
    >>> import heddle as np
    >>> np.ravel([[1, 2], [3, 4]])
    array([1, 2, 3, 4])
    """
    a = as_array(a)
    order = check_order(order, "C")
    if order == "K":
        a = a._transpose(tuple(memory_order(a)))
    elif order == "F" or (order == "A" and a._f_contiguous and not a._c_contiguous):
        a = a._transpose(None)
    return a._ravel()


@in_core
def transpose(a: ArrayLike, axes: Sequence[SupportsIndex] | None = None) -> ndarray:
    """A view with the axes permuted, reversed by default.

    Examples
    --------
    >>> import heddle as np
    >>> np.transpose([[1, 2, 3], [4, 5, 6]])
    array([[1, 4],
           [2, 5],
           [3, 6]])
    >>> np.transpose(np.ones((2, 3, 4)), (2, 0, 1)).shape
    (4, 2, 3)
    """
    a = as_array(a)
    if axes is None:
        return a._transpose(None)
    axes = tuple(axes) if numpy.iterable(axes) else (axes,)
    if len(axes) != a.ndim:
        raise ValueError("axes don't match array")
    axes = tuple(normalize_axis_index(axis, a.ndim) for axis in axes)
    if len(set(axes)) != len(axes):
        raise ValueError("repeated axis in transpose")
    return a._transpose(axes)


permute_dims = transpose


def matrix_transpose(x: ArrayLike, /) -> ndarray:
    """A view with the last two axes exchanged.

    Examples
    --------
    >>> import heddle as np
    >>> np.matrix_transpose(np.ones((5, 2, 3))).shape
    (5, 3, 2)
    """
    x = as_array(x)
    if x.ndim < 2:
        raise ValueError(f"Input array must be at least 2-dimensional, but it is {x.ndim}")
    return swapaxes(x, -1, -2)


@in_core
def moveaxis(a: ArrayLike, source: Axes, destination: Axes) -> ndarray:
    """A view with axes moved to new places, the others in order.

    Examples
    --------
    >>> import heddle as np
    >>> np.moveaxis(np.ones((2, 3, 4)), 0, -1).shape
    (3, 4, 2)
    """
    a = as_array(a)
    source = normalize_axis_tuple(source, a.ndim, "source")
    destination = normalize_axis_tuple(destination, a.ndim, "destination")
    if len(source) != len(destination):
        raise ValueError(
            "`source` and `destination` arguments must have the same number of elements"
        )
    return a._move_axes(source, destination)


def rollaxis(a: ArrayLike, axis: Axis, start: SupportsIndex = 0) -> ndarray:
    """A view with an axis rolled back to a place.

    Examples
    --------
    >>> import heddle as np
    >>> np.rollaxis(np.ones((2, 3, 4)), 2).shape
    (4, 2, 3)
    """
    return _core.rollaxis(as_array(a), operator.index(axis), operator.index(start))


@in_core
def swapaxes(a: ArrayLike, axis1: Axis, axis2: Axis) -> ndarray:
    """A view with two axes exchanged.

    Examples
    --------
    >>> import heddle as np
    >>> np.swapaxes(np.ones((2, 3, 4)), 0, 2).shape
    (4, 3, 2)
    """
    a = as_array(a)
    axis1, axis2 = normalize_axis_index(axis1, a.ndim), normalize_axis_index(axis2, a.ndim)
    order = list(range(a.ndim))
    order[axis1], order[axis2] = axis2, axis1
    return a._transpose(tuple(order))


@in_core
def squeeze(a: ArrayLike, axis: Axes | None = None) -> ndarray:
    """A view without axes of length one.

    Examples
    --------
    >>> import heddle as np
    >>> np.squeeze(np.ones((1, 3, 1))).shape
    (3,)
    >>> np.squeeze(np.ones((1, 3, 1)), axis=0).shape
    (3, 1)
    """
    if isinstance(a, numpy.generic) and axis in (None, ()):
        return a  # type: ignore[return-value]  # a number is one without axes already
    a = as_array(a)
    if axis is None:
        gone = tuple(number for number, extent in enumerate(a.shape) if extent == 1)
    else:
        gone = normalize_axes(tuple(axis) if isinstance(axis, list) else axis, a.ndim)
        if any(a.shape[number] != 1 for number in gone):
            raise ValueError("cannot select an axis to squeeze out which has size not equal to one")
    return a._squeeze(gone) if gone else a


@in_core
def expand_dims(a: ArrayLike, axis: Axes) -> ndarray:
    """A view with new axes of length one.

    Examples
    --------
    >>> import heddle as np
    >>> np.expand_dims(np.ones(3), 0).shape
    (1, 3)
    >>> np.expand_dims(np.ones(3), (0, 2)).shape
    (1, 3, 1)
    """
    a = as_array(a)
    axes = tuple(axis) if isinstance(axis, (tuple, list)) else (axis,)
    axes = normalize_axis_tuple(axes, a.ndim + len(axes))
    return a._expand_dims(axes)


def _unwrapped(arrays: list[ndarray]) -> ndarray | tuple[ndarray, ...]:
    return arrays[0] if len(arrays) == 1 else tuple(arrays)


@overload
def atleast_1d(array: ArrayLike, /) -> ndarray: ...
@overload
def atleast_1d(*arys: ArrayLike) -> tuple[ndarray, ...]: ...
def atleast_1d(*arys: ArrayLike) -> Any:
    """Arrays of at least one dimension.

    Examples
    --------
    >>> import heddle as np
    >>> np.atleast_1d(1.0)
    array([1.])
    """
    arrays = [as_array(a) for a in arys]
    return _unwrapped([a[None] if a.ndim == 0 else a for a in arrays])


@overload
def atleast_2d(array: ArrayLike, /) -> ndarray: ...
@overload
def atleast_2d(*arys: ArrayLike) -> tuple[ndarray, ...]: ...
def atleast_2d(*arys: ArrayLike) -> Any:
    """Arrays of at least two dimensions; new ones in front.

    Examples
    --------
    >>> import heddle as np
    >>> np.atleast_2d([1, 2, 3])
    array([[1, 2, 3]])
    """
    return _unwrapped([a[(None,) * (2 - a.ndim)] if a.ndim < 2 else a for a in map(as_array, arys)])


@overload
def atleast_3d(array: ArrayLike, /) -> ndarray: ...
@overload
def atleast_3d(*arys: ArrayLike) -> tuple[ndarray, ...]: ...
def atleast_3d(*arys: ArrayLike) -> Any:
    """Arrays of at least three dimensions; a vector becomes (1, n, 1), a matrix (m, n, 1).

    Examples
    --------
    >>> import heddle as np
    >>> np.atleast_3d([1, 2, 3]).shape
    (1, 3, 1)
    """
    keys = {0: (None, None, None), 1: (None, slice(None), None), 2: (Ellipsis, None)}
    return _unwrapped([a[keys[a.ndim]] if a.ndim < 3 else a for a in map(as_array, arys)])


def broadcast_arrays(*args: ArrayLike, subok: bool = False) -> tuple[ndarray, ...]:
    """Views of the arrays, broadcast against each other.

    Examples
    --------
    >>> import heddle as np
    >>> a, b = np.broadcast_arrays([1, 2, 3], [[10], [20]])
    >>> b
    array([[10, 10, 10],
           [20, 20, 20]])
    """
    del subok  # there are no subclasses
    arrays = [a[...] if a._is_scalar else a for a in map(as_array, args)]
    if not arrays:
        return ()
    common = broadcast_shapes(*(a.shape for a in arrays))
    return tuple(a if a.shape == common else broadcast_to(a, common) for a in arrays)


class broadcast:
    """An object that mimics broadcasting: the common shape, and an iterator over the elements.

    Examples
    --------
    >>> import heddle as np
    >>> np.broadcast([1, 2, 3], [[10], [20]]).shape
    (2, 3)
    """

    def __init__(self, *arrays: ArrayLike) -> None:
        # Those of other such objects count as if they had been given here.
        self._given: list[ArrayLike] = []
        for a in arrays:
            self._given += a._given if isinstance(a, broadcast) else [a]
        self._arrays = broadcast_arrays(*self._given)
        self.shape = self._arrays[0].shape if self._given else ()
        self.ndim = self.nd = len(self.shape)
        self.size = numpy.prod(self.shape, dtype=int).item()
        self.numiter = len(self._given)
        self.reset()

    @property
    def iters(self) -> tuple[Any, ...]:
        """An iterator over the elements of each array."""
        return tuple(iter(a._snapshot().flat) for a in self._arrays)

    def reset(self) -> None:
        """Start again from the first element."""
        self.index = 0
        self._iterator: Iterator[tuple[Any, ...]] | None = None

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> tuple[Any, ...]:
        if self._iterator is None:
            self._iterator = zip(*self.iters, strict=True)
        item = next(self._iterator)
        self.index += 1
        return item


@in_core
def roll(a: ArrayLike, shift: Axes, axis: Axes | None = None) -> ndarray:
    """Roll elements along axes; what falls off the end comes back at the front.

    Examples
    --------
    >>> import heddle as np
    >>> np.roll(np.arange(5), 2)
    array([3, 4, 0, 1, 2])
    >>> np.roll(np.arange(6).reshape(2, 3), 1, axis=1)
    array([[2, 0, 1],
           [5, 3, 4]])
    """
    a = as_array(a)
    if axis is None:
        return roll(a, shift, 0) if a.ndim == 1 else roll(ravel(a), shift, 0)._reshape(a.shape)
    axes = normalize_axis_tuple(axis, a.ndim, allow_duplicate=True)
    given = shift if isinstance(shift, (tuple, list)) else (shift,)
    if any(isinstance(count, own_array) and _core.is_unknown(count) for count in given):
        counts = given if len(given) == len(axes) else given * len(axes)
        for count, number in zip(counts, axes, strict=True):
            a = _core.roll(a, as_array(cast("ArrayLike", count)), number)
        return a
    if type(shift) is int:
        shifts = [shift] * len(axes)
    elif isinstance(shift, tuple) and len(shift) == len(axes):
        shifts = [operator.index(count) for count in shift]
    else:
        each, along = numpy.broadcast_arrays(numpy.asarray(shift), axes)
        if each.ndim > 1:
            raise ValueError("'shift' and 'axis' should be scalars or 1D sequences")
        shifts, axes = each.tolist(), tuple(along.tolist())
    total = [0] * a.ndim
    for count, number in zip(shifts, axes, strict=True):
        total[number] += int(count)
    # Less than the extent: shifts may be larger than any integer of the core.
    return _core.roll(a, [count % (n or 1) for count, n in zip(total, a.shape, strict=True)])


@in_core
def flip(m: ArrayLike, axis: Axes | None = None) -> ndarray:
    """A view with the order of elements reversed along axes.

    Examples
    --------
    >>> import heddle as np
    >>> np.flip(np.arange(3))
    array([2, 1, 0])
    >>> np.flip([[1, 2], [3, 4]], axis=1)
    array([[2, 1],
           [4, 3]])
    """
    m = as_array(m)
    axes = range(m.ndim) if axis is None else normalize_axis_tuple(axis, m.ndim)
    return m._flip(axes) if m.ndim else m[()]


def fliplr(m: ArrayLike) -> ndarray:
    """A view with the columns reversed.

    Examples
    --------
    >>> import heddle as np
    >>> np.fliplr([[1, 2], [3, 4]])
    array([[2, 1],
           [4, 3]])
    """
    m = as_array(m)
    if m.ndim < 2:
        raise ValueError("Input must be >= 2-d.")
    return m[:, ::-1]


def flipud(m: ArrayLike) -> ndarray:
    """A view with the rows reversed.

    Examples
    --------
    >>> import heddle as np
    >>> np.flipud([[1, 2], [3, 4]])
    array([[3, 4],
           [1, 2]])
    """
    m = as_array(m)
    if m.ndim < 1:
        raise ValueError("Input must be >= 1-d.")
    return m[::-1, ...]


def rot90(
    m: ArrayLike, k: SupportsIndex = 1, axes: tuple[SupportsIndex, SupportsIndex] = (0, 1)
) -> ndarray:
    """A view rotated by k quarter turns in the plane of two axes.

    Examples
    --------
    >>> import heddle as np
    >>> np.rot90([[1, 2], [3, 4]])
    array([[2, 4],
           [1, 3]])
    """
    return _core.rot90(as_array(m), int(cast("int", k) % 4), tuple(axes))


@in_core
def astype(
    x: ArrayLike, dtype: DTypeLike, /, *, copy: bool = True, device: str | None = None
) -> ndarray:
    """A copy of the array with another type.

    Examples
    --------
    >>> import heddle as np
    >>> np.astype(np.array([1.7, -1.7]), int)
    array([ 1, -1])
    """
    if not isinstance(x, (own_array, numpy.ndarray, numpy.generic)):
        raise TypeError(f"Input should be a NumPy array or scalar. It is of type {type(x)}.")
    x = as_array(x)
    dtype = numpy.dtype(dtype)
    check_cast(x.dtype, dtype, "unsafe")
    if x.dtype != dtype:
        x = x._astype(dtype, "K")
    elif copy:
        x = x._copy("K")
    return x if device is None or x.device == device else x._to_device(device)
