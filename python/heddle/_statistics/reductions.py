"""Reductions: sums, products, extremes, truth, means and variances.

All of them are compositions of the core's deferred reductions, so they fuse with what comes before
and after.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from typing import Literal, overload

import numpy as _numpy

from heddle import _core
from heddle._arguments import (
    as_array,
    as_array_beside,
    as_mask,
    as_number,
    filled,
    no_value,
    normalize_axes,
    normalize_axis,
    store_back,
    store_reduced,
)
from heddle._core import in_core, ndarray, own_array, ufuncs
from heddle._math.ufunc_methods import reduce_array
from heddle._runtime.reports import warn, warn_if
from heddle._typing import ArrayLike, Axes, Axis, DTypeLike, Output

_add, _multiply = ufuncs["add"], ufuncs["multiply"]
_maximum, _minimum = ufuncs["maximum"], ufuncs["minimum"]


def _flag(keepdims: bool) -> bool:
    return False if keepdims is no_value else bool(operator.index(keepdims))


def _mask(where: ArrayLike | None) -> ArrayLike:
    # NumPy reads None as False. Whoever gives it means that there is no mask, as JAX's users do.
    return True if where is no_value or where is None else where


@in_core
def sum(
    a: ArrayLike,
    axis: Axes | None = None,
    dtype: DTypeLike | None = None,
    out: Output | None = None,
    keepdims: bool = no_value,
    initial: ArrayLike = no_value,
    where: ArrayLike = no_value,
) -> ndarray:
    """Sum of the elements over the given axes.

    Examples
    --------
    >>> import heddle as np
    >>> x = np.array([[1, 2], [3, 4]])
    >>> np.sum(x)
    np.int64(10)
    >>> np.sum(x, axis=0)
    array([4, 6])
    >>> np.sum(x, axis=1, keepdims=True)
    array([[3],
           [7]])
    """
    return reduce_array(_add, as_array(a), axis, dtype, out, _flag(keepdims), initial, _mask(where))


@in_core
def prod(
    a: ArrayLike,
    axis: Axes | None = None,
    dtype: DTypeLike | None = None,
    out: Output | None = None,
    keepdims: bool = no_value,
    initial: ArrayLike = no_value,
    where: ArrayLike = no_value,
) -> ndarray:
    """Product of the elements over the given axes.

    Examples
    --------
    >>> import heddle as np
    >>> np.prod([[1, 2], [3, 4]], axis=1)
    array([ 2, 12])
    """
    return reduce_array(
        _multiply, as_array(a), axis, dtype, out, _flag(keepdims), initial, _mask(where)
    )


@in_core
def max(
    a: ArrayLike,
    axis: Axes | None = None,
    out: Output | None = None,
    keepdims: bool = no_value,
    initial: ArrayLike = no_value,
    where: ArrayLike = no_value,
) -> ndarray:
    """Largest element over the given axes; a nan wins.

    Examples
    --------
    >>> import heddle as np
    >>> np.max([[1, 4], [3, 2]])
    np.int64(4)
    >>> np.max([[1, 4], [3, 2]], axis=0)
    array([3, 4])
    """
    return reduce_array(
        _maximum, as_array(a), axis, None, out, _flag(keepdims), initial, _mask(where)
    )


@in_core
def min(
    a: ArrayLike,
    axis: Axes | None = None,
    out: Output | None = None,
    keepdims: bool = no_value,
    initial: ArrayLike = no_value,
    where: ArrayLike = no_value,
) -> ndarray:
    """Smallest element over the given axes; a nan wins.

    Examples
    --------
    >>> import heddle as np
    >>> np.min([3, 1, 2])
    np.int64(1)
    >>> np.min([3, 4], initial=0)
    np.int64(0)
    """
    return reduce_array(
        _minimum, as_array(a), axis, None, out, _flag(keepdims), initial, _mask(where)
    )


amax = max
amin = min


@in_core
def any(
    a: ArrayLike,
    axis: Axes | None = None,
    out: Output | None = None,
    keepdims: bool = no_value,
    *,
    where: ArrayLike = no_value,
) -> ndarray:
    """Whether any element over the given axes is true.

    Examples
    --------
    >>> import heddle as np
    >>> np.any([[True, False], [False, False]], axis=1)
    array([ True, False])
    """
    return reduce_array(
        ufuncs["logical_or"], as_array(a), axis, None, out, _flag(keepdims), no_value, _mask(where)
    )


@in_core
def all(
    a: ArrayLike,
    axis: Axes | None = None,
    out: Output | None = None,
    keepdims: bool = no_value,
    *,
    where: ArrayLike = no_value,
) -> ndarray:
    """Whether all elements over the given axes are true.

    Examples
    --------
    >>> import heddle as np
    >>> np.all([1, 2, 0]), np.all([1, 2, 3])
    (np.False_, np.True_)
    """
    return reduce_array(
        ufuncs["logical_and"], as_array(a), axis, None, out, _flag(keepdims), no_value, _mask(where)
    )


def ptp(
    a: ArrayLike, axis: Axes | None = None, out: Output | None = None, keepdims: bool = no_value
) -> ndarray:
    """Range of the values over the given axes: largest minus smallest.

    Examples
    --------
    >>> import heddle as np
    >>> np.ptp([[4, 9], [1, 2]], axis=1)
    array([5, 1])
    """
    a = as_array(a)
    result = max(a, axis, keepdims=keepdims) - min(a, axis, keepdims=keepdims)
    return store_reduced(result, out, "ptp", "same_kind")


def count_nonzero(a: ArrayLike, axis: Axes | None = None, *, keepdims: bool = False) -> ndarray:
    """Number of elements that are not zero over the given axes, as int64.

    Examples
    --------
    >>> import heddle as np
    >>> np.count_nonzero([[0, 1], [2, 3]])
    np.int64(3)
    """
    a = as_array(a)
    return sum(a if a.dtype == bool else a != 0, axis, keepdims=keepdims)


# --- positions of extremes ---


def _arg(
    function: Callable[..., ndarray],
    a: ArrayLike,
    axis: Axis | None,
    out: Output | None,
    keepdims: bool,
) -> ndarray:
    a = as_array(a)
    axes = None if axis is None else (normalize_axis(axis, a.ndim or 1),)
    result = function(a, axes if a.ndim else None, _flag(keepdims))
    return store_back(result, out)


@in_core
def argmax(
    a: ArrayLike, axis: Axis | None = None, out: Output | None = None, *, keepdims: bool = no_value
) -> ndarray:
    """Index of the first largest element along an axis, or in the flattened array.

    Examples
    --------
    >>> import heddle as np
    >>> np.argmax([1, 5, 3])
    np.int64(1)
    >>> np.argmax([[1, 5], [7, 3]], axis=1)
    array([1, 0])
    """
    return _arg(_core.argmax, a, axis, out, keepdims)


@in_core
def argmin(
    a: ArrayLike, axis: Axis | None = None, out: Output | None = None, *, keepdims: bool = no_value
) -> ndarray:
    """Index of the first smallest element along an axis, or in the flattened array.

    Examples
    --------
    >>> import heddle as np
    >>> np.argmin([4, 2, 8])
    np.int64(1)
    """
    return _arg(_core.argmin, a, axis, out, keepdims)


# --- means and variances ---


def _axes(axis: Axes | None, ndim: int) -> tuple[int, ...]:
    """The axes of a mean, which unlike a sum takes no axis of a 0-d array."""
    if axis is None or isinstance(axis, tuple):
        return normalize_axes(axis, ndim)
    return (normalize_axis(axis, ndim),)


def _warn_of_few(count: ndarray | float, message: str, result: ndarray) -> ndarray:
    """The result, with NumPy's warning where nothing is left of a count that masks may decide."""
    if isinstance(count, own_array):
        return warn_if(count <= 0, result, message)
    if count <= 0:
        warn(message)
    return result


@in_core
def mean(
    a: ArrayLike,
    axis: Axes | None = None,
    dtype: DTypeLike | None = None,
    out: Output | None = None,
    keepdims: bool = no_value,
    *,
    where: ArrayLike = no_value,
) -> ndarray:
    """Arithmetic mean over the given axes; of integers in float64.

    float16 and bfloat16 are summed in float32.

    Examples
    --------
    >>> import heddle as np
    >>> np.mean([[1, 2], [3, 4]])
    np.float64(2.5)
    >>> np.mean([[1, 2], [3, 4]], axis=0)
    array([2., 3.])
    >>> np.mean([1.0, 2.0, 9.0], where=[True, True, False])
    np.float64(1.5)
    """
    a = as_array(a)
    return _mean(a, _axes(axis, a.ndim), dtype, out, _flag(keepdims), where)


def _mean(
    a: ndarray,
    axes: tuple[int, ...],
    dtype: DTypeLike | None,
    out: Output | None,
    keepdims: bool,
    where: ArrayLike,
) -> ndarray:
    mask, kind = as_mask(_mask(where)), None if dtype is None else _numpy.dtype(dtype)
    if mask is None:
        result = _core.mean(a, axes, kind, keepdims)
        if math.prod(a.shape[i] for i in axes) == 0:
            warn("Mean of empty slice")
    else:
        result, count = _core.masked_mean(a, mask, axes, kind, keepdims)
        result = warn_if(count <= 0, result, "Mean of empty slice")
    return store_reduced(result, out, "mean")


def _degrees(ddof: float, correction: float) -> float:
    if correction is no_value:
        return as_number(ddof, "ddof")
    if ddof != 0:
        raise ValueError("ddof and correction can't be provided simultaneously.")
    return correction


@in_core
def var(
    a: ArrayLike,
    axis: Axes | None = None,
    dtype: DTypeLike | None = None,
    out: Output | None = None,
    ddof: float = 0,
    keepdims: bool = no_value,
    *,
    where: ArrayLike = no_value,
    mean: ArrayLike = no_value,
    correction: float = no_value,
) -> ndarray:
    """Variance over the given axes; real also for complex arrays.

    ``mean`` may hold the mean, made with ``keepdims=True``, to save computing it again.

    Examples
    --------
    >>> import heddle as np
    >>> np.var([1, 2, 3, 4])
    np.float64(1.25)
    >>> np.var([1, 2, 3, 4], ddof=1)
    np.float64(1.6666666666666667)
    """
    a = as_array(a)
    axes, ddof = _axes(axis, a.ndim), _degrees(ddof, correction)
    result, count = _variance(a, axes, dtype, ddof, _flag(keepdims), where, mean)
    result = _warn_of_few(count - ddof, _few_degrees, result)
    return store_reduced(result, out, "var")


_few_degrees = "Degrees of freedom <= 0 for slice"


def _variance(
    a: ndarray,
    axes: tuple[int, ...],
    dtype: DTypeLike | None,
    ddof: float,
    keepdims: bool,
    where: ArrayLike,
    mean: ArrayLike,
) -> tuple[ndarray, ndarray | int]:
    """The variance, and how many elements go into each."""
    mask, kind = as_mask(_mask(where)), None if dtype is None else _numpy.dtype(dtype)
    count = None if mask is not None else math.prod(a.shape[i] for i in axes)
    if mean is None:
        mean = no_value
    if count is not None and mean is no_value and kind is None:
        return _core.var(a, axes, ddof, keepdims), count
    mask = filled(True, bool) if mask is None else mask
    centre = None if mean is no_value else as_array(mean)
    result, found = _core.masked_var(a, mask, axes, kind, ddof, keepdims, centre)
    return result, found if count is None else count


@in_core
def std(
    a: ArrayLike,
    axis: Axes | None = None,
    dtype: DTypeLike | None = None,
    out: Output | None = None,
    ddof: float = 0,
    keepdims: bool = no_value,
    *,
    where: ArrayLike = no_value,
    mean: ArrayLike = no_value,
    correction: float = no_value,
) -> ndarray:
    """Standard deviation over the given axes: the square root of the variance.

    Examples
    --------
    >>> import heddle as np
    >>> np.std([[1, 2], [3, 4]], axis=0)
    array([1., 1.])
    """
    a = as_array(a)
    axes, ddof = _axes(axis, a.ndim), _degrees(ddof, correction)
    result, count = _variance(a, axes, dtype, ddof, _flag(keepdims), where, mean)
    result = _warn_of_few(count - ddof, _few_degrees, result)
    root = _core.apply(ufuncs["sqrt"], (result,), None)
    if root.dtype != result.dtype and out is None:  # an integer type was asked for
        if root.ndim:
            raise TypeError(
                f"Cannot cast ufunc 'sqrt' output from {root.dtype!r} to {result.dtype!r} with "
                "casting rule 'same_kind'"
            )
        root = root._astype(result.dtype, "K")[()]
    return store_reduced(root, out, "std", "same_kind")


@overload
def average(
    a: ArrayLike,
    axis: Axes | None = None,
    weights: ArrayLike | None = None,
    returned: Literal[False] = False,
    *,
    keepdims: bool = no_value,
) -> ndarray: ...
@overload
def average(
    a: ArrayLike,
    axis: Axes | None = None,
    weights: ArrayLike | None = None,
    *,
    returned: Literal[True],
    keepdims: bool = no_value,
) -> tuple[ndarray, ndarray]: ...
def average(
    a: ArrayLike,
    axis: Axes | None = None,
    weights: ArrayLike | None = None,
    returned: bool = False,
    *,
    keepdims: bool = no_value,
) -> ndarray | tuple[ndarray, ndarray]:
    """Weighted average over the given axes; with ``returned`` also the sum of the weights.

    Examples
    --------
    >>> import heddle as np
    >>> np.average([1, 2, 3], weights=[3, 1, 0])
    np.float64(1.25)
    """
    a = as_array(a)
    if isinstance(axis, (list, bool)):  # which sums do not take
        axis = tuple(map(operator.index, axis)) if isinstance(axis, list) else int(axis)
    if weights is None:
        result = mean(a, axis, keepdims=keepdims)
        count = math.prod(a.shape[i] for i in _axes(axis, a.ndim))
        if result.size == 0:  # NumPy divides the numbers of elements, to find how many are in each
            raise ZeroDivisionError("average: division by zero, there are no averages")
        if not returned:
            return result
        return result, filled(count, result.dtype)._broadcast_to(result.shape)._copy("C")
    axes = None if axis is None else normalize_axes(axis, a.ndim)
    result, scale = _core.weighted_average(a, as_array_beside(weights, a), axes, _flag(keepdims))
    return (result, scale) if returned else result


__all__ = [
    "all",
    "amax",
    "amin",
    "any",
    "argmax",
    "argmin",
    "average",
    "count_nonzero",
    "max",
    "mean",
    "min",
    "prod",
    "ptp",
    "std",
    "sum",
    "var",
]
