"""Reductions that leave nans out."""

from __future__ import annotations

from collections.abc import Callable

import numpy as _numpy

from heddle import _core
from heddle._arguments import (
    as_array,
    as_mask,
    filled,
    fitted,
    no_value,
    normalize_axes,
    store_back,
    store_reduced,
)
from heddle._core import ndarray, ufuncs
from heddle._math.ufunc_methods import reduce_array
from heddle._runtime.reports import refuse_if, warn_if
from heddle._statistics import reductions, running
from heddle._typing import ArrayLike, Axes, Axis, DTypeLike, Output

_NOTHING_ELSE = "All-NaN slice encountered"


def _isnan(a: ndarray) -> ndarray:
    return _core.apply(ufuncs["isnan"], (a,), None)


def _has_nans(a: ndarray) -> bool:
    return a.dtype.kind in "fcV"


def nansum(
    a: ArrayLike,
    axis: Axes | None = None,
    dtype: DTypeLike | None = None,
    out: Output | None = None,
    keepdims: bool = no_value,
    initial: ArrayLike = no_value,
    where: ArrayLike = no_value,
) -> ndarray:
    """Sum over the given axes, with nans taken as zero.

    Examples
    --------
    >>> import heddle as np
    >>> np.nansum([1.0, np.nan, 2.0])
    np.float64(3.0)
    """
    numbers = _core.nans_replaced(as_array(a), 0)
    return reductions.sum(numbers, axis, dtype, out, keepdims, initial, where)


def nanprod(
    a: ArrayLike,
    axis: Axes | None = None,
    dtype: DTypeLike | None = None,
    out: Output | None = None,
    keepdims: bool = no_value,
    initial: ArrayLike = no_value,
    where: ArrayLike = no_value,
) -> ndarray:
    """Product over the given axes, with nans taken as one.

    Examples
    --------
    >>> import heddle as np
    >>> np.nanprod([2.0, np.nan, 3.0])
    np.float64(6.0)
    """
    numbers = _core.nans_replaced(as_array(a), 1)
    return reductions.prod(numbers, axis, dtype, out, keepdims, initial, where)


def _extreme(
    name: str,
    a: ArrayLike,
    axis: Axes | None,
    out: Output | None,
    keepdims: bool,
    initial: ArrayLike,
    where: ArrayLike,
) -> ndarray:
    # fmax and fmin leave nans out unless there is nothing else, which is NumPy's answer too.
    keepdims = False if keepdims is no_value else bool(keepdims)
    where = True if where is no_value else where
    a = as_array(a)
    if not _has_nans(a):
        return reduce_array(ufuncs[name], a, axis, None, out, keepdims, initial, where)
    result = reduce_array(ufuncs[name], a, axis, None, None, keepdims, initial, where)
    result = warn_if(_isnan(result), result, _NOTHING_ELSE)
    return store_reduced(result, out, name)


def nanmax(
    a: ArrayLike,
    axis: Axes | None = None,
    out: Output | None = None,
    keepdims: bool = no_value,
    initial: ArrayLike = no_value,
    where: ArrayLike = no_value,
) -> ndarray:
    """Largest element over the given axes, nans left out; nan where there is nothing else.

    Examples
    --------
    >>> import heddle as np
    >>> np.nanmax([1.0, np.nan, 3.0])
    np.float64(3.0)
    """
    return _extreme("fmax", a, axis, out, keepdims, initial, where)


def nanmin(
    a: ArrayLike,
    axis: Axes | None = None,
    out: Output | None = None,
    keepdims: bool = no_value,
    initial: ArrayLike = no_value,
    where: ArrayLike = no_value,
) -> ndarray:
    """Smallest element over the given axes, nans left out; nan where there is nothing else.

    Examples
    --------
    >>> import heddle as np
    >>> np.nanmin([[1.0, np.nan], [4.0, 3.0]], axis=0)
    array([1., 3.])
    """
    return _extreme("fmin", a, axis, out, keepdims, initial, where)


def _arg(
    function: Callable[..., ndarray],
    fill: float,
    a: ArrayLike,
    axis: Axis | None,
    out: Output | None,
    keepdims: bool,
) -> ndarray:
    a = as_array(a)
    if not _has_nans(a) or not a.size:
        return function(a, axis, out, keepdims=keepdims)
    nans = _isnan(a)
    result = function(_core.select(nans, filled(fill, a.dtype), a), axis, keepdims=keepdims)
    missing = reductions.all(nans, axis=axis, keepdims=keepdims)
    result = refuse_if(missing, result, ValueError, _NOTHING_ELSE, f"nan{function.__name__}")
    return store_back(result, out)


def nanargmax(
    a: ArrayLike, axis: Axis | None = None, out: Output | None = None, *, keepdims: bool = no_value
) -> ndarray:
    """Index of the largest element, nans left out; ValueError for a slice of nans.

    Examples
    --------
    >>> import heddle as np
    >>> np.nanargmax([np.nan, 1.0, 3.0])
    np.int64(2)
    """
    return _arg(reductions.argmax, -_numpy.inf, a, axis, out, keepdims)


def nanargmin(
    a: ArrayLike, axis: Axis | None = None, out: Output | None = None, *, keepdims: bool = no_value
) -> ndarray:
    """Index of the smallest element, nans left out; ValueError for a slice of nans.

    Examples
    --------
    >>> import heddle as np
    >>> np.nanargmin([np.nan, 4.0, 3.0])
    np.int64(2)
    """
    return _arg(reductions.argmin, _numpy.inf, a, axis, out, keepdims)


def nancumsum(
    a: ArrayLike,
    axis: Axis | None = None,
    dtype: DTypeLike | None = None,
    out: Output | None = None,
) -> ndarray:
    """Running sum, with nans taken as zero.

    Examples
    --------
    >>> import heddle as np
    >>> np.nancumsum([1.0, np.nan, 2.0])
    array([1., 1., 3.])
    """
    return running.cumsum(_core.nans_replaced(as_array(a), 0), axis, dtype, out)


def nancumprod(
    a: ArrayLike,
    axis: Axis | None = None,
    dtype: DTypeLike | None = None,
    out: Output | None = None,
) -> ndarray:
    """Running product, with nans taken as one.

    Examples
    --------
    >>> import heddle as np
    >>> np.nancumprod([2.0, np.nan, 3.0])
    array([2., 2., 6.])
    """
    return running.cumprod(_core.nans_replaced(as_array(a), 1), axis, dtype, out)


def nanmean(
    a: ArrayLike,
    axis: Axes | None = None,
    dtype: DTypeLike | None = None,
    out: Output | None = None,
    keepdims: bool = no_value,
    *,
    where: ArrayLike = no_value,
) -> ndarray:
    """Mean over the given axes, nans left out; nan for a slice of nans.

    Examples
    --------
    >>> import heddle as np
    >>> np.nanmean([[1.0, np.nan], [3.0, 4.0]], axis=0)
    array([2., 4.])
    """
    a = as_array(a)
    if not _has_nans(a):
        return reductions.mean(a, axis, dtype, out, keepdims, where=where)
    _check_inexact(dtype, out)
    kind = None if dtype is None else _numpy.dtype(dtype)
    axes, mask = normalize_axes(axis, a.ndim), as_mask(where)
    flag = reductions._flag(keepdims)
    return store_reduced(_core.nanmean(a, axes, kind, flag, mask), out, "mean")


def _check_inexact(dtype: DTypeLike | None, out: Output | None) -> None:
    if dtype is not None and _numpy.dtype(dtype).kind in "biu":
        raise TypeError("If a is inexact, then dtype must be inexact")
    if out is not None and out.dtype.kind in "biu":
        raise TypeError("If a is inexact, then out must be inexact")


def _nan_variance(
    a: ndarray,
    axis: Axes | None,
    dtype: DTypeLike | None,
    ddof: float,
    keepdims: bool,
    where: ArrayLike,
    mean: ArrayLike,
) -> ndarray:
    axes, mask = normalize_axes(axis, a.ndim), as_mask(where)
    kind = None if dtype is None else _numpy.dtype(dtype)
    centre = None if mean is no_value or mean is None else as_array(mean)
    return _core.nanvar(a, axes, kind, ddof, reductions._flag(keepdims), mask, centre)


def nanvar(
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
    """Variance over the given axes, nans left out; nan where no degree of freedom is left.

    Examples
    --------
    >>> import heddle as np
    >>> np.nanvar([1.0, np.nan, 3.0])
    np.float64(1.0)
    """
    a = as_array(a)
    if not _has_nans(a):
        return reductions.var(a, axis, dtype, out, ddof, keepdims, where=where, mean=mean,
                      correction=correction)  # fmt: skip
    _check_inexact(dtype, out)
    ddof = reductions._degrees(ddof, correction)
    return store_reduced(_nan_variance(a, axis, dtype, ddof, keepdims, where, mean), out, "nanvar")


def nanstd(
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
    """Standard deviation over the given axes, nans left out.

    Examples
    --------
    >>> import heddle as np
    >>> np.nanstd([1.0, np.nan, 3.0])
    np.float64(1.0)
    """
    a = as_array(a)
    if not _has_nans(a):
        return reductions.std(a, axis, dtype, out, ddof, keepdims, where=where, mean=mean,
                      correction=correction)  # fmt: skip
    _check_inexact(dtype, out)
    ddof = reductions._degrees(ddof, correction)
    variance = _nan_variance(a, axis, dtype, ddof, keepdims, where, mean)
    return store_reduced(_core.apply(ufuncs["sqrt"], (variance,), None), out, "nanstd")


def nan_to_num(
    x: ArrayLike,
    copy: bool = True,
    nan: ArrayLike = 0.0,
    posinf: ArrayLike | None = None,
    neginf: ArrayLike | None = None,
) -> ndarray:
    """Replaces nans by ``nan``, infinities by ``posinf`` and ``neginf`` or the largest numbers.

    Examples
    --------
    >>> import heddle as np
    >>> np.nan_to_num([np.nan, 1.0], nan=-1.0)
    array([-1.,  1.])
    """
    a = as_array(x)
    if not _has_nans(a):
        result = a._copy("K") if copy else a
        return result if a.ndim else result[()]  # a number, as that of floats is
    part = a.dtype if a.dtype.kind != "c" else a.dtype.type(0).real.dtype
    of_nan = fitted(as_array(nan, part), a.shape)
    high, low = (
        None if value is None else fitted(as_array(value, part), a.shape)
        for value in (posinf, neginf)
    )
    result = _core.nan_to_num(a, of_nan, high, low)
    if copy:
        return result
    _core.write(a, result)
    return a if a.ndim else a[()]


__all__ = [
    "nan_to_num",
    "nanargmax",
    "nanargmin",
    "nancumprod",
    "nancumsum",
    "nanmax",
    "nanmean",
    "nanmin",
    "nanprod",
    "nanstd",
    "nansum",
    "nanvar",
]
