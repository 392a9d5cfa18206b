"""Taking and putting elements by index, mask or condition."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any, SupportsIndex, overload

import numpy

from heddle import _core
from heddle._arguments import (
    as_array,
    as_index,
    as_operand,
    as_shape,
    as_target,
    check_cast,
    check_fits_back,
    check_index_mode,
    check_order,
    needs_array,
    no_value,
    normalize_axis_index,
    one_axis,
    store_back,
    store_exact,
)
from heddle._core import in_core, ndarray, own_array, ufuncs
from heddle._manipulation.stride_tricks import diagonal_view, read_only
from heddle._typing import ArrayLike, Axis, DType, DTypeLike, IndexMode, Order, Output, ShapeLike

__all__ = [
    "argwhere",
    "choose",
    "compress",
    "diagonal",
    "extract",
    "fill_diagonal",
    "flatnonzero",
    "ix_",
    "nonzero",
    "place",
    "put",
    "put_along_axis",
    "putmask",
    "ravel_multi_index",
    "select",
    "take",
    "take_along_axis",
    "trace",
    "unravel_index",
    "where",
]


@in_core
def take(
    a: ArrayLike,
    indices: ArrayLike,
    axis: Axis | None = None,
    out: Output | None = None,
    mode: IndexMode = "raise",
) -> ndarray:
    """Elements, or parts along an axis, at the given indices: always a copy.

    Examples
    --------
    >>> import heddle as np
    >>> np.take([4, 3, 5, 7], [0, 2])
    array([4, 5])
    >>> np.take([[1, 2], [3, 4]], 1, axis=1)
    array([2, 4])
    """
    a, axis = one_axis(as_array(a), axis)
    indices = as_index(indices)
    shape = (*a.shape[:axis], *indices.shape, *a.shape[axis + 1 :])
    if out is not None:
        if as_target(out).shape != shape:
            raise ValueError("output array does not match result of ndarray.take")
        check_fits_back(out, a.dtype)  # before indices are looked at
    return store_back(_core.take(a, indices, axis, check_index_mode(mode)), out)


def put(a: ndarray, ind: ArrayLike, v: ArrayLike, mode: IndexMode = "raise") -> None:
    """Set elements at indices into the flattened array; values repeat as needed.

    Examples
    --------
    >>> import heddle as np
    >>> a = np.arange(5)
    >>> np.put(a, [0, 2], [-4, -5])
    >>> a
    array([-4,  1, -5,  3,  4])
    """
    needs_array(a, "put")
    _core.put(a, as_index(ind), as_array(v, a.dtype), check_index_mode(mode))


def _along_axis(arr: ndarray, indices: ndarray, axis: Axis) -> tuple[Any, ...]:
    if indices.dtype.kind not in "iu":
        raise IndexError("`indices` must be an integer array")
    if axis is None:
        if indices.ndim != 1:
            raise ValueError("when axis=None, `indices` must have a single dimension.")
        axis = 0
    else:
        axis = normalize_axis_index(axis, arr.ndim)
        if indices.ndim != arr.ndim:
            raise ValueError("`indices` and `arr` must have the same number of dimensions")
    key = []
    for number, extent in enumerate(arr.shape):
        if number == axis:
            key.append(indices)
        else:
            shape = tuple(extent if n == number else 1 for n in range(arr.ndim))
            key.append(_core.index_along(shape, number))
    return tuple(key)


def take_along_axis(arr: ArrayLike, indices: ArrayLike, axis: Axis = -1) -> ndarray:
    """Elements at an index of their own for each row along an axis.

    Examples
    --------
    >>> import heddle as np
    >>> a = np.array([[10, 30, 20]])
    >>> order = np.argsort(a, axis=1)
    >>> np.take_along_axis(a, order, axis=1)
    array([[10, 20, 30]])
    """
    arr, indices = as_array(arr), as_array(indices)
    if axis is None:
        arr = arr._reshape((arr.size,))
    return arr[_along_axis(arr, indices, axis)]


def put_along_axis(arr: ndarray, indices: ArrayLike, values: ArrayLike, axis: Axis | None) -> None:
    """Set elements at an index of their own for each row along an axis.

    Examples
    --------
    >>> import heddle as np
    >>> a = np.array([[10, 30, 20]])
    >>> np.put_along_axis(a, np.argmax(a, axis=1, keepdims=True), 99, axis=1)
    >>> a
    array([[10, 99, 20]])
    """
    needs_array(arr, "put_along_axis")
    indices = as_array(indices)
    if axis is not None:
        arr[_along_axis(arr, indices, axis)] = as_operand(values)
        return
    if indices.ndim != 1:
        raise ValueError("when axis=None, `indices` must have a single dimension.")
    flat = arr._reshape_view((arr.size,))
    if flat is not None:
        flat[indices] = as_operand(values)
    else:
        values = as_array(values, arr.dtype)
        _core.put(arr, as_index(indices), values._broadcast_to(indices.shape), "raise")


def choose(
    a: ArrayLike, choices: Sequence[ArrayLike], out: Output | None = None, mode: IndexMode = "raise"
) -> ndarray:
    """Build an array by choosing, for each element, from one of several arrays.

    Examples
    --------
    >>> import heddle as np
    >>> np.choose([0, 1, 0], [[1, 2, 3], [10, 20, 30]])
    array([ 1, 20,  3])
    """
    a = as_index(a)
    if isinstance(choices, own_array):
        choices = [choices[i, ...] for i in range(choices.shape[0])]
    operands = [as_operand(choice) for choice in choices]
    dtype = _core.common_type(*operands) if operands else None
    options = [as_array(as_array(operand), dtype) for operand in operands]
    if out is not None:  # before indices are looked at
        shape = numpy.broadcast_shapes(a.shape, *(option.shape for option in options))
        if as_target(out).shape != shape:
            raise TypeError("choose: invalid shape for output array.")
    return store_exact(_core.choose(a, options, check_index_mode(mode)), out, "unsafe")


@overload
def where(condition: ArrayLike, /) -> tuple[ndarray, ...]: ...
@overload
def where(condition: ArrayLike, x: ArrayLike, y: ArrayLike, /) -> ndarray: ...
@in_core
def where(
    condition: ArrayLike, x: ArrayLike = no_value, y: ArrayLike = no_value, /
) -> ndarray | tuple[ndarray, ...]:
    """Elements of x where the condition is true, else of y; alone: its nonzero indices.

    Examples
    --------
    >>> import heddle as np
    >>> x = np.arange(5)
    >>> np.where(x < 3, x, 10 * x)
    array([ 0,  1,  2, 30, 40])
    >>> np.where([True, False, True])
    (array([0, 2]),)
    """
    if x is no_value:
        return nonzero(condition)
    if y is no_value:
        raise ValueError("either both or neither of x and y should be given")
    condition, x, y = as_array(condition), as_operand(x), as_operand(y)
    try:
        chosen = _core.select(condition, x, y)
    except OverflowError:  # an integer beyond the other's type wraps around here
        dtype = _core.common_type(x, y)
        x, y = (_wrapped(v, dtype) if type(v) is int else v for v in (x, y))
        chosen = _core.select(condition, x, y)
    return chosen if chosen.ndim else chosen[...]  # of scalars too an array


def _wrapped(value: int, dtype: DType) -> int:
    """A Python integer as what is left of it in an integer type: `where` and `select` cast."""
    if dtype.kind not in "iu" or not -(2**63) <= value < 2**64:
        return value
    bits = dtype.itemsize * 8
    value &= 2**bits - 1
    return value - 2**bits if dtype.kind == "i" and value >> (bits - 1) else value


def nonzero(a: ArrayLike) -> tuple[ndarray, ...]:
    """Indices of the nonzero elements, an array for each dimension.

    Examples
    --------
    >>> import heddle as np
    >>> a = np.array([3, 0, 4])
    >>> np.nonzero(a)
    (array([0, 2]),)
    >>> a[np.nonzero(a)]
    array([3, 4])
    """
    a = as_array(a)
    if a.ndim == 0:
        raise ValueError(
            "Calling nonzero on 0d arrays is not allowed. Use np.atleast_1d(scalar).nonzero() "
            "instead. If the context of this error is of the form `arr[nonzero(cond)]`, just use "
            "`arr[cond]`."
        )
    if _core.is_stand_in(a):
        made: tuple[ndarray, ...] = _selected_places(_truth(a))
        return made
    return tuple(_core.nonzero(_truth(a)))


def _selected_places(mask: ndarray) -> Any:
    """Indices whose number differs from row to row, as inside of `vmap`."""
    from heddle._transform.selections import places

    return places(mask)


def _truth(a: ndarray) -> ndarray:
    return a if a.dtype == bool else a != 0


def flatnonzero(a: ArrayLike) -> ndarray:
    """Indices of the nonzero elements of the flattened array.

    Examples
    --------
    >>> import heddle as np
    >>> np.flatnonzero([[0, 1], [2, 0]])
    array([1, 2])
    """
    a = as_array(a)
    if _core.is_stand_in(a):
        made: ndarray = _selected_places(_truth(a)._reshape((a.size,)))[0]
        return made
    return _core.flat_nonzero(_truth(a))


def argwhere(a: ArrayLike) -> ndarray:
    """Indices of the nonzero elements, a row for each.

    Examples
    --------
    >>> import heddle as np
    >>> np.argwhere(np.array([[0, 1], [2, 0]]))
    array([[0, 1],
           [1, 0]])
    """
    return _core.argwhere(as_array(a))


def compress(
    condition: ArrayLike, a: ArrayLike, axis: Axis | None = None, out: Output | None = None
) -> ndarray:
    """Parts of an array along an axis where a one-dimensional condition is true.

    Examples
    --------
    >>> import heddle as np
    >>> np.compress([True, False], [[1, 2], [3, 4]], axis=0)
    array([[1, 2]])
    """
    rows, along = one_axis(as_array(a), axis)
    given, condition = condition, as_array(condition)
    if given is not condition:
        condition = condition.to_device(rows.device)
    if condition.ndim != 1:
        raise ValueError("condition must be a 1-d array")
    if rows.shape[along] != condition.size:  # a shorter one says nothing of the rest
        return take(a, flatnonzero(condition), axis, out)
    mask = as_array(condition, bool)
    return store_back(rows[(slice(None),) * along + (mask,)], out)


def extract(condition: ArrayLike, arr: ArrayLike) -> ndarray:
    """Elements of an array where a condition is true.

    Examples
    --------
    >>> import heddle as np
    >>> a = np.arange(6)
    >>> np.extract(a % 2 == 0, a)
    array([0, 2, 4])
    """
    condition = as_array(condition)
    return compress(condition._reshape((condition.size,)), arr)


def _safely(values: ArrayLike, dtype: DType) -> ndarray:
    """Values to be written as this type: Python's and NumPy's scalars convert, arrays if safe."""
    scalar = isinstance(values, own_array) and values._is_scalar
    if isinstance(values, (own_array, numpy.ndarray)) and not scalar:
        check_cast(values.dtype, dtype, "safe")
    return as_array(values, dtype)


def _mask_of(a: ndarray, mask: ArrayLike, name: str) -> ndarray:
    """A mask with as many elements as the array, which NumPy asks before it looks at the values."""
    read = as_array(mask)
    if read.size != a.size:
        raise ValueError(f"{name}: mask and data must be the same size")
    return read


def place(arr: ndarray, mask: ArrayLike, vals: ArrayLike) -> None:
    """Set elements where a mask is true, one value after the other.

    Examples
    --------
    >>> import heddle as np
    >>> a = np.arange(4)
    >>> np.place(a, a > 1, [10, 20])
    >>> a
    array([ 0,  1, 10, 20])
    """
    needs_array(arr, "place")
    _core.place(arr, _mask_of(arr, mask, "place"), _safely(vals, arr.dtype))


def putmask(a: ndarray, /, mask: ArrayLike, values: ArrayLike) -> None:
    """Set elements where a mask is true, each from the value at its own place, repeated.

    Examples
    --------
    >>> import heddle as np
    >>> a = np.arange(4)
    >>> np.putmask(a, a > 1, -1)
    >>> a
    array([ 0,  1, -1, -1])
    """
    needs_array(a, "putmask")
    _core.putmask(a, _mask_of(a, mask, "putmask"), _safely(values, a.dtype))


def select(
    condlist: Sequence[ArrayLike], choicelist: Sequence[ArrayLike], default: ArrayLike = 0
) -> ndarray:
    """Elements from the choice that goes with the first condition that is true.

    Examples
    --------
    >>> import heddle as np
    >>> x = np.arange(5)
    >>> np.select([x < 2, x > 3], [x, x**2], default=-1)
    array([ 0,  1, -1, -1, 16])
    """
    if len(condlist) != len(choicelist):
        raise ValueError("list of cases must be same length as list of conditions")
    if not len(condlist):
        raise ValueError("select with an empty condition list is not possible")
    conditions = [as_array(condition) for condition in condlist]
    for i, condition in enumerate(conditions):
        if condition.dtype != bool:
            raise TypeError(f"invalid entry {i} in condlist: should be boolean ndarray")
    choices = [as_operand(choice) for choice in (*choicelist, default)]
    dtype = _core.common_type(*choices)
    choices = [_wrapped(c, dtype) if type(c) is int else c for c in choices]
    result = as_array(choices[-1], dtype)
    shapes = [a.shape for a in (*conditions, *choices) if isinstance(a, own_array)]
    shape = shapes[0] if shapes.count(shapes[0]) == len(shapes) else numpy.broadcast_shapes(*shapes)
    for condition, choice in zip(conditions[::-1], choices[-2::-1], strict=True):
        result = _core.select(condition, as_array(choice, dtype), result)
    if result.shape != shape:
        return result._broadcast_to(shape)._copy("C")
    return result if shape else result[...]


def ix_(*args: ArrayLike) -> tuple[ndarray, ...]:
    """An open mesh: index arrays that select the cross product of their elements.

    Examples
    --------
    >>> import heddle as np
    >>> a = np.arange(9).reshape(3, 3)
    >>> a[np.ix_([0, 2], [1, 2])]
    array([[1, 2],
           [7, 8]])
    """
    indices = []
    for sequence in args:
        index = as_array(sequence)
        if index.size == 0 and not isinstance(sequence, own_array | numpy.ndarray):
            index = as_array(index, numpy.int64)  # of a list of nothing
        indices.append(index)
    return tuple(_core.ix_(indices))


def _in_columns(order: str) -> bool:
    """Whether an order of indices into the flattened array is Fortran's."""
    order = check_order(order, "C")
    if order not in ("C", "F"):
        raise ValueError("only 'C' or 'F' order is permitted")
    return order == "F"


def _only_integers(obj: ArrayLike) -> ndarray:
    """An array of int64 from indices of any integer type or bool."""
    indices = as_array(obj)
    if indices.dtype.kind not in "iub":
        if indices.size == 0 and not isinstance(obj, (own_array, numpy.ndarray)):
            raise TypeError(
                "indices must be integral: the provided empty sequence was inferred as float. "
                "Wrap it with 'np.array(indices, dtype=np.intp)'"
            )
        raise TypeError("only int indices permitted")
    return as_array(indices, numpy.int64)


def ravel_multi_index(
    multi_index: Sequence[ArrayLike],
    dims: ShapeLike,
    mode: IndexMode | tuple[IndexMode, ...] = "raise",
    order: Order = "C",
) -> ndarray:
    """Indices into the flattened array from one index array for each dimension.

    Examples
    --------
    >>> import heddle as np
    >>> np.ravel_multi_index(([0, 1], [2, 0]), (2, 3))
    array([2, 3])
    """
    dims, columns = as_shape(dims), _in_columns(order)
    if isinstance(multi_index, own_array):
        multi_index = [multi_index[i, ...] for i in range(multi_index.shape[0])]
    parts = [_only_integers(part) for part in multi_index]
    if len(parts) != len(dims):
        raise ValueError(f"parameter multi_index must be a sequence of length {len(dims)}")
    modes = tuple(mode) if isinstance(mode, tuple | list) else (mode,) * len(dims)
    if len(modes) != len(dims):
        raise ValueError(
            f"list of clipmodes has wrong length ({len(modes)} instead of {len(dims)})"
        )
    return _core.ravel_multi_index(parts, dims, list(map(check_index_mode, modes)), columns)[()]


def unravel_index(indices: ArrayLike, shape: ShapeLike, order: Order = "C") -> tuple[ndarray, ...]:
    """One index array for each dimension from indices into the flattened array.

    Examples
    --------
    >>> import heddle as np
    >>> np.unravel_index([2, 3], (2, 3))
    (array([0, 1]), array([2, 0]))
    """
    return _core.unravel_index(_only_integers(indices), as_shape(shape), _in_columns(order))


@in_core
def diagonal(a: ArrayLike, offset: SupportsIndex = 0, axis1: Axis = 0, axis2: Axis = 1) -> ndarray:
    """A view of a diagonal, as the last axis.

    Examples
    --------
    >>> import heddle as np
    >>> np.diagonal([[1, 2], [3, 4]])
    array([1, 4])
    """
    return read_only(diagonal_view(as_array(a), operator.index(offset), axis1, axis2))


@in_core
def trace(
    a: ArrayLike,
    offset: SupportsIndex = 0,
    axis1: Axis = 0,
    axis2: Axis = 1,
    dtype: DTypeLike | None = None,
    out: Output | None = None,
) -> ndarray:
    """The sum along a diagonal.

    Examples
    --------
    >>> import heddle as np
    >>> np.trace([[1, 2], [3, 4]])
    np.int64(5)
    """
    view = diagonal_view(as_array(a), operator.index(offset), axis1, axis2)
    if dtype is not None:
        dtype = numpy.dtype(dtype)
    total = _core.reduce(ufuncs["add"], view, (view.ndim - 1,), False, dtype)
    return store_exact(total, out, "unsafe")


def fill_diagonal(a: ndarray, val: ArrayLike, wrap: bool = False) -> None:
    """Set the main diagonal, in place.

    Examples
    --------
    >>> import heddle as np
    >>> a = np.zeros((2, 2))
    >>> np.fill_diagonal(a, 5)
    >>> a
    array([[5., 0.],
           [0., 5.]])
    """
    needs_array(a, "fill_diagonal")
    values = (
        as_array(val) if isinstance(val, (own_array, numpy.ndarray)) else as_array(val, a.dtype)
    )
    _core.fill_diagonal(a, values, bool(wrap))
