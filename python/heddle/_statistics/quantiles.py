"""Order statistics: medians, percentiles and quantiles, also without nans; and covariances.

Ranks are picked by the device without sorting everything. What is done with the picked elements is
deferred.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeGuard, get_args

import numpy as _numpy

from heddle import _core
from heddle._arguments import (
    as_array,
    as_array_beside,
    as_target,
    check_stored,
    fitted,
    no_value,
    normalize_axis_tuple,
    store_exact,
    store_reduced,
)
from heddle._core import ndarray, own_array
from heddle._typing import ArrayLike, Axes, Casting, DTypeLike, HostArray, Output, QuantileMethod


def _axes(axis: Axes | None, ndim: int) -> tuple[int, ...] | None:
    return None if axis is None else normalize_axis_tuple(axis, ndim)


def _flag(keepdims: object) -> bool:
    return keepdims is not no_value and bool(keepdims)


def _finish(result: ndarray, out: Output | None, casting: Casting = "same_kind") -> ndarray:
    if out is None:
        return result if result.ndim else result[()]
    target = as_target(out)
    if target.shape != result.shape:  # as an operation's out, which may have more ones
        result = fitted(result, target.shape, "result")._broadcast_to(target.shape)
    return store_exact(result, out, casting)


# --- medians ---


def median(
    a: ArrayLike,
    axis: Axes | None = None,
    out: Output | None = None,
    overwrite_input: bool = False,
    keepdims: bool = False,
) -> ndarray:
    """The middle element over the given axes, or the mean of the two middle ones.

    ``overwrite_input`` allows the input to be changed, which nothing here needs.

    Examples
    --------
    >>> import heddle as np
    >>> np.median([3, 1, 2, 10])
    np.float64(2.5)
    >>> np.median([[1, 2, 9], [4, 5, 6]], axis=1)
    array([2., 5.])
    """
    a = as_array(a)
    made = _core.median(a, _axes(axis, a.ndim), _flag(keepdims))
    # NumPy's is a mean, whose out has the shape of the result.
    return _finish(made, None) if out is None else store_reduced(made, out, "add")


def nanmedian(
    a: ArrayLike,
    axis: Axes | None = None,
    out: Output | None = None,
    overwrite_input: bool = False,
    keepdims: bool = no_value,
) -> ndarray:
    """The median over the given axes, nans left out; nan where there is nothing else.

    Examples
    --------
    >>> import heddle as np
    >>> np.nanmedian([1.0, np.nan, 3.0])
    np.float64(2.0)
    """
    a = as_array(a)
    if a.size == 0:
        return _r_nanmean(a, axis, out, keepdims)
    return _finish(_core.nanmedian(a, _axes(axis, a.ndim), _flag(keepdims)), out, "unsafe")


def _r_nanmean(a: ndarray, axis: Axes | None, out: Output | None, keepdims: bool) -> ndarray:
    from heddle._statistics.nan import nanmean

    return nanmean(a, axis, out=out, keepdims=keepdims)


# --- quantiles ---

_METHODS = get_args(QuantileMethod)


def _check_method(method: str) -> None:
    if method not in _METHODS:
        raise ValueError(
            f"{method!r} is not a valid method. Use one of: {dict.fromkeys(_METHODS).keys()}"
        )


def _on_host(q: ArrayLike) -> HostArray:
    return q.get() if isinstance(q, own_array) else _numpy.asanyarray(q)


def _quantile(
    a: ndarray,
    q: HostArray,
    weak: bool,
    axis: Axes | None,
    out: Output | None,
    method: QuantileMethod,
    keepdims: bool,
    weights: ArrayLike | None,
    skip_nans: bool,
) -> ndarray:
    if weights is not None:
        if method != "inverted_cdf":
            raise ValueError(f"Only method 'inverted_cdf' supports weights. Got: {method}.")
        weights = as_array_beside(weights, a)
    axes = _axes(axis, a.ndim)
    if q.ndim > 2:
        raise ValueError("q must be a scalar or 1d")
    _check_method(method)
    if q.dtype.hasobject:
        raise _core.NoNumbers(f"q must be real numbers, not {q.dtype}")
    if q.dtype.kind not in "biuf":
        raise TypeError(f"q must be real numbers, not {q.dtype}")
    flags = axes, _flag(keepdims), method, weights, skip_nans
    made = _core.quantiles(a, q.ravel().tolist(), q.shape, q.dtype, weak, *flags)
    if out is not None and not skip_nans:  # NumPy adds to it what lies between two elements
        check_stored(made.dtype, as_target(out).dtype, "add")
    return _finish(made, out)


def _real(a: ArrayLike) -> ndarray:
    a = as_array(a)
    if a.dtype.kind == "c":
        raise TypeError("a must be an array of real numbers")
    return a


def _check_quantiles(q: HostArray, message: str) -> None:
    if q.size and not bool(_numpy.all((q >= 0) & (q <= 1))):
        raise ValueError(message)


def _read(a: ArrayLike, q: ArrayLike, percent: bool = False) -> tuple[ndarray, bool, HostArray]:
    """The arguments of the four functions below, checked, with whether q is a Python number."""
    weak = _core.yields(q) if isinstance(q, own_array) else type(q) in (int, float)
    places = _on_host(q)
    if percent:
        places = _numpy.asarray(places / 100)
    a = _real(a)
    _check_quantiles(
        places,
        f"{'Percentiles' if percent else 'Quantiles'} must be in the range "
        f"{'[0, 100]' if percent else '[0, 1]'}",
    )
    return a, weak, places


# The methods that look between the elements at q (n - 1), and the share of the upper one there.
_BETWEEN: dict[str, Callable[[ndarray], ndarray]] = {
    "linear": lambda share: share,
    "lower": lambda share: share * 0.0,
    "higher": lambda share: (share > 0).astype(share.dtype),
    "midpoint": lambda share: (share > 0).astype(share.dtype) * 0.5,
}


def _is_followed(q: ArrayLike) -> TypeGuard[ndarray]:
    """Whether q is an array that somebody records: its elements are not for the host."""
    return isinstance(q, own_array) and q.dtype.kind == "f" and q.ndim < 2 and _core.recording()


def _of_followed(a: ndarray, q: ndarray, axis: Axes | None, method: str, keepdims: bool) -> ndarray:
    """Quantiles at places that may be differentiated or differ from row to row: all are sorted."""
    import heddle as hd

    if _core.is_true_anywhere(_core.stop_gradient((q < 0) | (q > 1))):
        raise ValueError("Quantiles must be in the range [0, 1]")
    axes = _axes(axis, a.ndim) or tuple(range(a.ndim))
    kept = [d for d in range(a.ndim) if d not in axes]
    rows = a.transpose(*kept, *axes).reshape([a.shape[d] for d in kept] + [-1])
    ordered = hd.sort(rows if rows.dtype.kind == "f" else rows.astype("f8"), axis=-1)
    last = ordered.shape[-1] - 1
    place = (q.astype(ordered.dtype) if _core.yields(q) else q) * last
    below = hd.floor(_core.stop_gradient(place))
    share = _BETWEEN[method](place - below)
    first = below.astype("i8")
    low, high = ordered[..., first], ordered[..., hd.minimum(first + 1, last)]
    step = high - low
    made = hd.where(share < 0.5, low + step * share, high - step * (1 - share))
    made = hd.where(
        hd.isnan(ordered[..., last : last + 1] if q.ndim else ordered[..., last]), hd.nan, made
    )
    if q.ndim:
        made = hd.moveaxis(made, -1, 0)
    shape = [1 if d in axes else a.shape[d] for d in range(a.ndim)]
    return made.reshape([*q.shape, *shape]) if keepdims else made


def quantile(
    a: ArrayLike,
    q: ArrayLike,
    axis: Axes | None = None,
    out: Output | None = None,
    overwrite_input: bool = False,
    method: QuantileMethod = "linear",
    keepdims: bool = False,
    *,
    weights: ArrayLike | None = None,
) -> ndarray:
    """Quantiles over the given axes, those of several q along a first axis.

    ``overwrite_input`` allows the input to be changed, which nothing here needs.

    Examples
    --------
    >>> import heddle as np
    >>> np.quantile([1, 2, 3, 4], 0.5)
    np.float64(2.5)
    >>> np.quantile([1, 2, 3, 4], [0.25, 0.75], method="nearest")
    array([2, 3])
    """
    if _is_followed(q) and method in _BETWEEN and weights is None:
        return _finish(_of_followed(_real(a), q, axis, method, _flag(keepdims)), out)
    a, weak, places = _read(a, q)
    return _quantile(a, places, weak, axis, out, method, keepdims, weights, False)


def percentile(
    a: ArrayLike,
    q: ArrayLike,
    axis: Axes | None = None,
    out: Output | None = None,
    overwrite_input: bool = False,
    method: QuantileMethod = "linear",
    keepdims: bool = False,
    *,
    weights: ArrayLike | None = None,
) -> ndarray:
    """Percentiles over the given axes: quantiles of q / 100.

    Examples
    --------
    >>> import heddle as np
    >>> np.percentile([1, 2, 3, 4, 5], [25, 50])
    array([2., 3.])
    """
    if _is_followed(q) and method in _BETWEEN and weights is None:
        return _finish(_of_followed(_real(a), q / 100, axis, method, _flag(keepdims)), out)
    a, weak, places = _read(a, q, percent=True)
    return _quantile(a, places, weak, axis, out, method, keepdims, weights, False)


def nanquantile(
    a: ArrayLike,
    q: ArrayLike,
    axis: Axes | None = None,
    out: Output | None = None,
    overwrite_input: bool = False,
    method: QuantileMethod = "linear",
    keepdims: bool = no_value,
    *,
    weights: ArrayLike | None = None,
) -> ndarray:
    """Quantiles over the given axes, nans left out; nan where there is nothing else.

    Examples
    --------
    >>> import heddle as np
    >>> np.nanquantile([1.0, np.nan, 3.0], 0.5)
    np.float64(2.0)
    """
    a, weak, q = _read(a, q)
    if a.size == 0:
        return _r_nanmean(a, axis, out, keepdims)
    return _quantile(a, q, weak, axis, out, method, keepdims, weights, True)


def nanpercentile(
    a: ArrayLike,
    q: ArrayLike,
    axis: Axes | None = None,
    out: Output | None = None,
    overwrite_input: bool = False,
    method: QuantileMethod = "linear",
    keepdims: bool = no_value,
    *,
    weights: ArrayLike | None = None,
) -> ndarray:
    """Percentiles over the given axes, nans left out; nan where there is nothing else.

    Examples
    --------
    >>> import heddle as np
    >>> np.nanpercentile([1.0, np.nan, 3.0], 25)
    np.float64(1.5)
    """
    a, weak, q = _read(a, q, percent=True)
    if a.size == 0:
        return _r_nanmean(a, axis, out, keepdims)
    return _quantile(a, q, weak, axis, out, method, keepdims, weights, True)


# --- covariances ---


def cov(
    m: ArrayLike,
    y: ArrayLike | None = None,
    rowvar: bool = True,
    bias: bool = False,
    ddof: float | None = None,
    fweights: ArrayLike | None = None,
    aweights: ArrayLike | None = None,
    *,
    dtype: DTypeLike | None = None,
) -> ndarray:
    """The covariance matrix of variables that are the rows (or columns) of a matrix.

    Examples
    --------
    >>> import heddle as np
    >>> np.cov([[0, 1, 2], [2, 1, 0]])
    array([[ 1., -1.],
           [-1.,  1.]])
    """
    if ddof is not None and ddof != int(ddof):
        raise ValueError("ddof must be integer")
    m = as_array(m)
    if m.ndim > 2:
        raise ValueError("m has more than 2 dimensions")
    if y is not None:
        y = as_array_beside(y, m)
        if y.ndim > 2:
            raise ValueError("y has more than 2 dimensions")
    if ddof is None:
        ddof = 0 if bias else 1
    fweights, aweights = (
        None if weights is None else as_array_beside(weights, m) for weights in (fweights, aweights)
    )
    dtype = None if dtype is None else _numpy.dtype(dtype)
    return _core.cov(m, y, bool(rowvar), ddof, fweights, aweights, dtype)


def corrcoef(
    x: ArrayLike, y: ArrayLike | None = None, rowvar: bool = True, *, dtype: DTypeLike | None = None
) -> ndarray:
    """Pearson's correlation coefficients of variables that are the rows (or columns).

    Examples
    --------
    >>> import heddle as np
    >>> np.corrcoef([[0, 1, 2], [2, 1, 0]])
    array([[ 1., -1.],
           [-1.,  1.]])
    """
    x = as_array(x)
    y = None if y is None else as_array_beside(y, x)
    return _core.corrcoef(x, y, bool(rowvar), None if dtype is None else _numpy.dtype(dtype))


__all__ = [
    "corrcoef",
    "cov",
    "median",
    "nanmedian",
    "nanpercentile",
    "nanquantile",
    "percentile",
    "quantile",
]
