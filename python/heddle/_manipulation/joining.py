"""Joining, splitting and repeating arrays."""

from __future__ import annotations

import operator
import warnings
from collections.abc import Sequence
from typing import Any, SupportsIndex, cast

import numpy

from heddle import _core
from heddle._arguments import (
    as_array,
    as_index,
    as_integer,
    as_operand,
    as_target,
    check_cast,
    empty_in_order,
    normalize_axis_index,
    one_axis,
)
from heddle._core import in_core, ndarray, own_array
from heddle._typing import ArrayLike, Axis, Casting, DTypeLike, IndexPart, Output

__all__ = [
    "array_split",
    "block",
    "column_stack",
    "concat",
    "concatenate",
    "dsplit",
    "dstack",
    "hsplit",
    "hstack",
    "kron",
    "repeat",
    "row_stack",
    "split",
    "stack",
    "tile",
    "unstack",
    "vsplit",
    "vstack",
]


def _target(
    arrays: Sequence[ndarray],
    shape: tuple[int, ...],
    out: Output | None,
    dtype: DTypeLike | None,
    casting: Casting,
) -> ndarray:
    """Where joined arrays go: `out`, or a new array, after the checks."""
    if out is not None:
        if dtype is not None:
            raise TypeError(
                "concatenate() only takes `out` or `dtype` as an argument, but both were provided."
            )
        if not isinstance(out, own_array | numpy.ndarray):
            raise TypeError("'out' must be an array")
        target = as_target(out)
        if target.shape != shape:
            raise ValueError("Output array is the wrong shape")
        dtype = target.dtype
    elif dtype is None:
        dtype = numpy.result_type(*(a.dtype for a in arrays))
    dtype = numpy.dtype(dtype)
    for a in arrays:
        check_cast(a.dtype, dtype, casting)
    if out is not None:
        return target
    columns = all(a._f_contiguous and not a._c_contiguous for a in arrays)
    return empty_in_order(shape, dtype, "F" if columns else "C", arrays[0].device)


def _concatenate(
    arrays: Sequence[ndarray],
    axis: Axis | None,
    out: Output | None,
    dtype: DTypeLike | None,
    casting: Casting,
) -> ndarray:
    if axis is None:
        arrays = [a._reshape((a.size,)) for a in arrays]
        axis = 0
    axis = as_integer(axis)
    alike = all(a.dtype == arrays[0].dtype for a in arrays)  # else NumPy's rules of many types
    if out is None and dtype is None and casting == "same_kind" and alike:
        return _core.join(arrays, axis)
    shape = _core.joined_shape(arrays, axis)
    result = _target(arrays, shape, out, dtype, casting)
    _core.join_into(result, arrays, axis)
    return result if out is None else cast("ndarray", out)  # what was given, even NumPy's


@in_core
def concatenate(
    arrays: Sequence[ArrayLike],
    /,
    axis: Axis = 0,
    out: Output | None = None,
    *,
    dtype: DTypeLike | None = None,
    casting: Casting = "same_kind",
) -> ndarray:
    """Join arrays along an axis they have.

    Examples
    --------
    >>> import heddle as np
    >>> np.concatenate([[1, 2], [3]])
    array([1, 2, 3])
    >>> np.concatenate([np.ones((2, 1)), np.zeros((2, 2))], axis=1)
    array([[1., 0., 0.],
           [1., 0., 0.]])
    """
    arrays = [as_operand(a) for a in arrays]
    if dtype is None and out is None and not all(isinstance(a, own_array) for a in arrays):
        dtype = _core.common_type(*arrays)  # Python's numbers are weak
    return _concatenate([as_array(a) for a in arrays], axis, out, dtype, casting)


concat = concatenate


@in_core
def stack(
    arrays: Sequence[ArrayLike],
    axis: Axis = 0,
    out: Output | None = None,
    *,
    dtype: DTypeLike | None = None,
    casting: Casting = "same_kind",
) -> ndarray:
    """Join arrays along a new axis.

    Examples
    --------
    >>> import heddle as np
    >>> np.stack([[1, 2], [3, 4]])
    array([[1, 2],
           [3, 4]])
    >>> np.stack([[1, 2], [3, 4]], axis=1)
    array([[1, 3],
           [2, 4]])
    """
    parts = _listed(arrays)
    if not parts:
        raise ValueError("need at least one array to stack")
    if len({a.shape for a in parts}) != 1:
        raise ValueError("all input arrays must have the same shape")
    axis = normalize_axis_index(axis, parts[0].ndim + 1)
    key = (slice(None),) * axis + (None, Ellipsis)
    return _concatenate([a[key] for a in parts], axis, out, dtype, casting)


def _listed(tup: Sequence[ndarray | ArrayLike]) -> list[ndarray]:
    if isinstance(tup, own_array):
        if tup.ndim == 0:
            raise TypeError("iteration over a 0-d array")
        return [tup[i, ...] for i in range(tup.shape[0])]
    if not hasattr(tup, "__getitem__"):
        raise TypeError(
            'arrays to stack must be passed as a "sequence" type such as list or tuple.'
        )
    return [as_array(a) for a in tup]


def _raised(a: ndarray, rank: int, back: int = 0) -> ndarray:
    """The array with at least `rank` dimensions; `back` of the new ones at the end."""
    missing = rank - a.ndim
    if missing <= 0:
        return a
    back = min(back, missing)
    return a[(None,) * (missing - back) + (Ellipsis,) + (None,) * back]


@in_core
def vstack(
    tup: Sequence[ArrayLike], *, dtype: DTypeLike | None = None, casting: Casting = "same_kind"
) -> ndarray:
    """Stack arrays row after row.

    Examples
    --------
    >>> import heddle as np
    >>> np.vstack([[1, 2], [3, 4]])
    array([[1, 2],
           [3, 4]])
    """
    arrays = [_raised(a, 2) for a in _listed(tup)]
    return _concatenate(arrays, 0, None, dtype, casting)


def row_stack(
    tup: Sequence[ArrayLike], *, dtype: DTypeLike | None = None, casting: Casting = "same_kind"
) -> ndarray:
    """`vstack`, by the name that NumPy is giving up.

    Examples
    --------
    >>> import warnings
    >>> import heddle as np
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("ignore")
    ...     np.row_stack(([1, 2], [3, 4]))
    array([[1, 2],
           [3, 4]])
    """
    text = "`row_stack` alias is deprecated. Use `np.vstack` directly."
    warnings.warn(text, DeprecationWarning, stacklevel=2)
    return vstack(tup, dtype=dtype, casting=casting)


@in_core
def hstack(
    tup: Sequence[ArrayLike], *, dtype: DTypeLike | None = None, casting: Casting = "same_kind"
) -> ndarray:
    """Stack arrays column after column; vectors one after the other.

    Examples
    --------
    >>> import heddle as np
    >>> np.hstack([[1, 2], [3, 4]])
    array([1, 2, 3, 4])
    """
    arrays = [_raised(a, 1) for a in _listed(tup)]
    axis = 0 if arrays and arrays[0].ndim == 1 else 1
    return _concatenate(arrays, axis, None, dtype, casting)


def dstack(tup: Sequence[ArrayLike]) -> ndarray:
    """Stack arrays along the third axis.

    Examples
    --------
    >>> import heddle as np
    >>> np.dstack([[1, 2], [3, 4]])
    array([[[1, 3],
            [2, 4]]])
    """
    arrays = [_raised(a, 3, 2 if a.ndim == 0 else 1) for a in _listed(tup)]
    return _concatenate(arrays, 2, None, None, "same_kind")


@in_core
def column_stack(tup: Sequence[ArrayLike]) -> ndarray:
    """Stack vectors as the columns of a matrix.

    Examples
    --------
    >>> import heddle as np
    >>> np.column_stack([[1, 2], [3, 4]])
    array([[1, 3],
           [2, 4]])
    """
    arrays = [a if a.ndim > 1 else a._reshape((a.size, 1)) for a in _listed(tup)]
    return _concatenate(arrays, 1, None, None, "same_kind")


def _check_depths(nested: object, path: tuple[int, ...] = ()) -> int:
    """NumPy's words for what is no nested list of blocks; the depth of one."""
    place = "arrays" + "".join(f"[{i}]" for i in path)
    if isinstance(nested, tuple):
        raise TypeError(
            f"{place} is a tuple. Only lists can be used to arrange blocks, and np.block does not "
            "allow implicit conversion from tuple to ndarray."
        )
    if not isinstance(nested, list):
        return 0
    if not nested:
        raise ValueError(f"List at {place} cannot be empty")
    found = {_check_depths(item, (*path, i)) for i, item in enumerate(nested)}
    if len(found) != 1:
        raise ValueError("List depths are mismatched.")
    return found.pop() + 1


def _converted(nested: Any) -> list[Any] | ndarray:
    """Nested lists with arrays of ours in them."""
    return [_converted(item) for item in nested] if isinstance(nested, list) else as_array(nested)


def block(arrays: Sequence[ArrayLike]) -> ndarray:
    """Assemble an array from nested lists of blocks.

    Examples
    --------
    >>> import heddle as np
    >>> a, b = np.eye(2), np.full((2, 1), 5)
    >>> np.block([[a, b]])
    array([[1., 0., 5.],
           [0., 1., 5.]])
    """
    _check_depths(arrays)
    return _core.block(_converted(arrays))


def array_split(ary: ArrayLike, indices_or_sections: ArrayLike, axis: Axis = 0) -> list[ndarray]:
    """Views of an array split along an axis, into nearly equal parts or at indices.

    Examples
    --------
    >>> import heddle as np
    >>> np.array_split(np.arange(5), 2)
    [array([0, 1, 2]), array([3, 4])]
    """
    return _cut(ary, indices_or_sections, axis, False)


def _cut(ary: ArrayLike, where: Any, axis: Axis, evenly: bool) -> list[ndarray]:
    if numpy.iterable(where):
        return _core.split_at(as_array(ary), [*map(operator.index, where)], operator.index(axis))
    return _core.split(as_array(ary), int(where), operator.index(axis), evenly)


def split(ary: ArrayLike, indices_or_sections: ArrayLike, axis: Axis = 0) -> list[ndarray]:
    """Views of an array split along an axis, into equal parts or at indices.

    Examples
    --------
    >>> import heddle as np
    >>> np.split(np.arange(6), 3)
    [array([0, 1]), array([2, 3]), array([4, 5])]
    >>> np.split(np.arange(6), [1, 4])
    [array([0]), array([1, 2, 3]), array([4, 5])]
    """
    return _cut(ary, indices_or_sections, axis, True)


def hsplit(ary: ArrayLike, indices_or_sections: ArrayLike) -> list[ndarray]:
    """Split along the second axis, or the only one.

    Examples
    --------
    >>> import heddle as np
    >>> left, right = np.hsplit(np.arange(8).reshape(2, 4), 2)
    >>> left
    array([[0, 1],
           [4, 5]])
    """
    ary = as_array(ary)
    if ary.ndim == 0:
        raise ValueError("hsplit only works on arrays of 1 or more dimensions")
    return split(ary, indices_or_sections, 1 if ary.ndim > 1 else 0)


def vsplit(ary: ArrayLike, indices_or_sections: ArrayLike) -> list[ndarray]:
    """Split along the first axis.

    Examples
    --------
    >>> import heddle as np
    >>> np.vsplit(np.arange(4).reshape(2, 2), 2)[1]
    array([[2, 3]])
    """
    ary = as_array(ary)
    if ary.ndim < 2:
        raise ValueError("vsplit only works on arrays of 2 or more dimensions")
    return split(ary, indices_or_sections, 0)


def dsplit(ary: ArrayLike, indices_or_sections: ArrayLike) -> list[ndarray]:
    """Split along the third axis.

    Examples
    --------
    >>> import heddle as np
    >>> np.dsplit(np.arange(8).reshape(2, 2, 2), 2)[0].shape
    (2, 2, 1)
    """
    ary = as_array(ary)
    if ary.ndim < 3:
        raise ValueError("dsplit only works on arrays of 3 or more dimensions")
    return split(ary, indices_or_sections, 2)


def unstack(x: ArrayLike, /, *, axis: Axis = 0) -> tuple[ndarray, ...]:
    """Views of an array for each index along an axis.

    Examples
    --------
    >>> import heddle as np
    >>> a, b = np.unstack(np.array([[1, 2], [3, 4]]))
    >>> b
    array([3, 4])
    """
    x = as_array(x)
    if x.ndim == 0:
        raise ValueError("Input array must be at least 1-d.")
    axis = normalize_axis_index(axis, x.ndim)
    before: tuple[IndexPart, ...] = (slice(None),) * axis
    return tuple(x[(*before, i)] for i in range(x.shape[axis]))


@in_core
def repeat(a: ArrayLike, repeats: ArrayLike, axis: Axis | None = None) -> ndarray:
    """Repeat each element, or each part along an axis.

    Examples
    --------
    >>> import heddle as np
    >>> np.repeat([1, 2], 3)
    array([1, 1, 1, 2, 2, 2])
    >>> np.repeat([[1, 2], [3, 4]], [1, 2], axis=0)
    array([[1, 2],
           [3, 4],
           [3, 4]])
    """
    a, axis = one_axis(as_array(a), axis)
    counts = as_index(repeats)
    if not isinstance(repeats, own_array):  # a list goes to where the array is
        counts = counts.to_device(a.device)
    return _core.repeat(a, counts, axis)


@in_core
def tile(A: ArrayLike, reps: SupportsIndex | Sequence[SupportsIndex]) -> ndarray:
    """Repeat a whole array along each axis.

    Examples
    --------
    >>> import heddle as np
    >>> np.tile([1, 2], 2)
    array([1, 2, 1, 2])
    >>> np.tile([1, 2], (2, 2))
    array([[1, 2, 1, 2],
           [1, 2, 1, 2]])
    """
    a = as_array(A)
    reps = tuple(reps) if numpy.iterable(reps) else (reps,)
    reps = tuple(operator.index(count) for count in reps)
    return _core.tile(a, reps)


def kron(a: ArrayLike, b: ArrayLike) -> ndarray:
    """The Kronecker product.

    Examples
    --------
    >>> import heddle as np
    >>> np.kron([1, 10], [1, 2, 3])
    array([ 1,  2,  3, 10, 20, 30])
    """
    return _core.kron(as_array(a), as_array(b))
