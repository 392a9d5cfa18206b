"""Order statistics: medians, percentiles and quantiles, also without nans; and covariances.

Ranks are picked by the device without sorting everything. What is done with the picked elements is
deferred.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as _numpy

from heddle import _core
from heddle._arguments import (
    as_array,
    as_array_beside,
    as_target,
    filled,
    fitted,
    no_value,
    normalize_axis_tuple,
    store_exact,
)
from heddle._core import ndarray, ufuncs
from heddle._linalg.products import dot
from heddle._manipulation.joining import concatenate
from heddle._runtime.reports import refuse_if, warn, warn_if
from heddle._sorting.sorting import along
from heddle._statistics import reductions
from heddle._typing import ArrayLike, Axes, DTypeLike, Output, QuantileMethod

_INT64 = _numpy.dtype(_numpy.int64)


def _isnan(a: ndarray) -> ndarray:
    return _core.apply(ufuncs["isnan"], (a,), None)


def _floor(x: Any) -> Any:
    return _core.apply(ufuncs["floor"], (x,), None) if isinstance(x, ndarray) else _numpy.floor(x)


def _where(condition: Any, x: Any, y: Any) -> Any:
    if isinstance(condition, ndarray):
        return _core.select(condition, x, y)
    return _numpy.where(condition, x, y)


def _supports_nans(a: ndarray) -> bool:
    return a.dtype.kind in "fcV"


# --- rows ---


def _axes(axis: Any, ndim: int) -> tuple[int, ...]:
    return tuple(range(ndim)) if axis is None else normalize_axis_tuple(axis, ndim)


def _rows(a: ndarray, axes: tuple[int, ...]) -> ndarray:
    """The array with the reduced axes as its last one."""
    kept = tuple(i for i in range(a.ndim) if i not in axes)
    length = math.prod(a.shape[i] for i in axes)
    return a._transpose(kept + axes)._reshape((*(a.shape[i] for i in kept), length))


def _reduced_shape(a: ndarray, axes: tuple[int, ...], keepdims: Any) -> tuple[int, ...]:
    if keepdims is not no_value and keepdims:
        return tuple(1 if i in axes else n for i, n in enumerate(a.shape))
    return tuple(n for i, n in enumerate(a.shape) if i not in axes)


def _finish(result: ndarray, shape: tuple[int, ...], out: Any, casting: str = "same_kind") -> Any:
    result = result._reshape(shape)
    if out is None:
        return result if result.ndim else result[()]
    target = as_target(out)
    if target.shape != result.shape:  # as an operation's out, which may have more ones
        result = fitted(result, target.shape, "result")._broadcast_to(target.shape)
    return store_exact(result, out, casting)


_NOTHING_ELSE = "All-NaN slice encountered"


def _warn_of_nans(count: ndarray, result: ndarray) -> ndarray:
    """The result for rows of so many numbers: one warning for each row of none, as in NumPy."""
    return warn_if(count == 0, result, _NOTHING_ELSE, each=True)


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
    axes = _axes(axis, a.ndim)
    return _finish(_median(_rows(a, axes)), _reduced_shape(a, axes, keepdims), out, "unsafe")


def _median(rows: ndarray) -> ndarray:
    length = rows.shape[-1]
    if length == 0 or rows.size == 0:
        return reductions.mean(rows, -1)
    middle = [length // 2] if length % 2 else [length // 2 - 1, length // 2]
    if not _supports_nans(rows):
        return reductions.mean(_core.order_statistics(rows, middle), -1)
    found = _core.order_statistics(rows, [*middle, length - 1])
    result, last = reductions.mean(found[..., : len(middle)], -1), found[..., -1]
    return _core.select(_isnan(last), last, result)


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
    axes = _axes(axis, a.ndim)
    rows, shape = _rows(a, axes), _reduced_shape(a, axes, keepdims)
    valid = _valid_rows(rows)
    if valid is None:
        return _finish(_median(rows), shape, out, "unsafe")
    if rows.ndim == 1:
        if valid.size == 0:
            warn(_NOTHING_ELSE)
            return _finish(rows[-1, ...], shape, out, "unsafe")
        return _finish(_median(valid), shape, out, "unsafe")
    ordered, count = _core.sort(rows, rows.ndim - 1), _count(rows)
    last = _core.apply(ufuncs["maximum"], (count, 1), None)
    places = [(last - 1) // 2, last // 2]
    result = _warn_of_nans(count, reductions.mean(_picked(ordered, places), -1))
    return _finish(result, shape, out, "unsafe")


def _r_nanmean(a: ndarray, axis: Any, out: Any, keepdims: Any) -> Any:
    from heddle._statistics.nan import nanmean

    return nanmean(a, axis, out=out, keepdims=keepdims)


def _valid_rows(rows: ndarray) -> ndarray | None:
    """None if there is no nan; a single row without its nans; for several, the rows themselves."""
    if not _supports_nans(rows) or not bool(_isnan(rows).any()):
        return None
    return rows[~_isnan(rows)] if rows.ndim == 1 else rows


def _count(rows: ndarray) -> ndarray:
    """How many elements of each row are no nans."""
    return rows.shape[-1] - _isnan(rows).sum(-1, dtype=_INT64)


def _picked(ordered: ndarray, places: list[ndarray]) -> ndarray:
    """The elements of each row at the places, each given as one for every row, in a last axis."""
    stacked = concatenate([place._reshape((*place.shape, 1)) for place in places], axis=-1)
    return _core.take_in_rows(ordered, stacked)


# --- quantiles ---

# Where the quantile q of n elements is among them: by alpha and beta of Hyndman and Fan.
_CONTINUOUS = {
    "interpolated_inverted_cdf": (0, 1),
    "hazen": (0.5, 0.5),
    "weibull": (0, 0),
    "median_unbiased": (1 / 3.0, 1 / 3.0),
    "normal_unbiased": (3 / 8.0, 3 / 8.0),
}
_METHODS = (
    "inverted_cdf",
    "averaged_inverted_cdf",
    "closest_observation",
    "interpolated_inverted_cdf",
    "hazen",
    "weibull",
    "linear",
    "median_unbiased",
    "normal_unbiased",
    "lower",
    "higher",
    "midpoint",
    "nearest",
)


def _virtual_index(method: str, n: Any, q: Any) -> tuple[Any, Callable[[Any, Any], Any] | None]:
    """The place of each quantile and how the weight of the next element follows from it.

    No weight: the place is that of an element. Works on NumPy's arrays and on ours.
    """
    if method in _CONTINUOUS:
        alpha, beta = _CONTINUOUS[method]
        return n * q + (alpha + q * (1 - alpha - beta)) - 1, lambda gamma, place: gamma
    if method == "linear":
        return (n - 1) * q, lambda gamma, place: gamma
    if method == "averaged_inverted_cdf":
        return n * q - 1, lambda gamma, place: _where(gamma == 0, 0.5, 1.0)
    if method == "midpoint":
        low = _floor((n - 1) * q)
        return 0.5 * (low - _floor(-((n - 1) * q))), lambda gamma, place: _where(
            place % 1 == 0, 0.0, 0.5
        )
    if method in ("inverted_cdf", "closest_observation"):
        place = n * q - 1 if method == "inverted_cdf" else n * q - 1 - 0.5
        low = _floor(place)
        stay = place == low
        if method == "closest_observation":
            stay = stay & (low % 2 == 1)
        place = _where(stay, low, low + 1)
        return _where(place < 0, 0, place), None
    place = (n - 1) * q
    if method == "lower":
        return _floor(place), None
    if method == "higher":
        return -_floor(-place), None
    if isinstance(place, ndarray):
        return _core.apply(ufuncs["rint"], (place,), None), None
    return _numpy.around(place), None


def _check_method(method: Any) -> None:
    if method not in _METHODS:
        raise ValueError(
            f"{method!r} is not a valid method. Use one of: {dict.fromkeys(_METHODS).keys()}"
        )


def _lerp(low: ndarray, high: ndarray, gamma: Any) -> ndarray:
    """Between two elements, exact at both ends."""
    difference = high - low
    from_low = low + difference * gamma
    from_high = high - difference * (1 - gamma)
    if not isinstance(gamma, ndarray):
        return from_high._astype(from_low.dtype, "K") if gamma >= 0.5 else from_low
    return _core.select(gamma >= 0.5, from_high, from_low)


def _quantile_rows(rows: ndarray, q: Any, method: str, weak: bool) -> ndarray:
    """Quantiles of each row, in leading dimensions as q has them."""
    length = rows.shape[-1]
    if length == 0:
        raise IndexError("index -1 is out of bounds for axis 0 with size 0")
    place, weight = _virtual_index(method, length, q)
    place = _numpy.asarray(place)
    if weight is None or (method == "linear" and place.dtype.kind in "iu"):
        low = high = place.astype(_INT64)
        weight = None
    else:
        low = _numpy.floor(place)
        high = low + 1
        for outside, end in ((place >= length - 1, length - 1), (place < 0, 0)):
            low, high = (_numpy.where(outside, end, x) for x in (low, high))
        low, high = low.astype(_INT64), high.astype(_INT64)
    nans = _supports_nans(rows)
    ranks = _numpy.unique(_numpy.concatenate((low.ravel(), high.ravel(), [length - 1] * nans)))
    found = _core.order_statistics(rows, ranks.astype(_INT64).tolist())
    found = found._transpose((found.ndim - 1, *range(found.ndim - 1)))

    def at(places: Any) -> ndarray:
        return found[as_array(_numpy.searchsorted(ranks, places))]

    if weight is None:
        result = at(low)
    else:
        gamma = _numpy.asarray(weight(place - low, place), place.dtype)
        if weak:
            result = _lerp(at(low), at(high), float(gamma))
        else:
            shape = gamma.shape + (1,) * (found.ndim - 1)
            shaped = as_array_beside(gamma.reshape(shape), rows)
            result = _lerp(at(low), at(high), shaped)
    if not nans:
        return result
    last = found[-1]
    return _core.select(_isnan(last), as_array(last, result.dtype), result)


def _nan_quantile_rows(rows: ndarray, q: Any, method: str, weak: bool) -> ndarray:
    """The same for rows that each have some nans."""
    ordered, count = _core.sort(rows, rows.ndim - 1), _count(rows)
    last = _core.apply(ufuncs["maximum"], (count - 1, 0), None)
    kept = rows.shape[:-1]
    shape = q.shape + kept
    quantiles = as_array_beside(q.reshape(q.shape + (1,) * len(kept)), rows)
    quantiles = quantiles._broadcast_to(shape)
    place, weight = _virtual_index(method, last + 1, quantiles)
    bounded = _core.apply(ufuncs["minimum"], (place, last), None)
    bounded = _core.apply(ufuncs["maximum"], (bounded, 0), None)
    low = _floor(bounded)

    def at(places: ndarray) -> ndarray:
        places = places._astype(_INT64, "K")._reshape((-1, *kept))
        places = places._transpose((*range(1, places.ndim), 0))
        taken = _core.take_in_rows(ordered, places)
        return taken._transpose((taken.ndim - 1, *range(taken.ndim - 1)))._reshape(shape)

    if weight is None:
        return _warn_of_nans(count, at(low))
    high = _core.apply(ufuncs["minimum"], (low + 1, last), None)
    gamma = weight(place - _floor(place), place)
    gamma = _core.select((place >= last) | (place < 0), filled(0, gamma.dtype), gamma)
    if weak:  # a Python number does not decide the type
        kind = _core.common_type(rows, 1.0)
        gamma = as_array(gamma, kind)
    return _warn_of_nans(count, _lerp(at(low), at(high), gamma))


def _weighted_rows(rows: ndarray, weights: ndarray, q: Any, skip_nans: bool) -> ndarray:
    """Quantiles by the cumulated weights of the sorted elements: the inverted CDF."""
    axis = rows.ndim - 1
    order = _core.argsort(rows, axis)
    ordered = _core.take_in_rows(rows, order)
    sums = along(weights._broadcast_to(rows.shape), order, axis)
    if skip_nans:
        sums = _core.select(_isnan(ordered), filled(0, sums.dtype), sums)
    sums = reductions.cumsum(sums, axis, dtype=_numpy.float64)
    cdf = sums / sums[..., -1:]
    wrong, empty = _isnan(cdf[..., -1:]), None
    if skip_nans:
        empty = _isnan(rows).all(-1, keepdims=True)
        wrong, empty = wrong & ~empty, wrong & empty
    text = "Weights included NaN, inf or were all zero."
    cdf = refuse_if(wrong, cdf, ValueError, text, "quantile")
    if empty is not None:
        cdf = warn_if(empty, cdf, _NOTHING_ELSE)
    if q.dtype.kind == "f":
        cdf = as_array(cdf, q.dtype)
    quantiles = as_array_beside(q.reshape(q.shape + (1,) * rows.ndim), rows)
    # Elements without weight at the beginning are never picked.
    places = ((cdf < quantiles) | (cdf == 0)).sum(-1, dtype=_INT64)
    count = _count(rows) if skip_nans else rows.shape[-1]
    places = _core.apply(ufuncs["minimum"], (places, count - 1), None)
    places = _core.apply(ufuncs["maximum"], (places, 0), None)
    flat = places._reshape((-1, *rows.shape[:-1]))
    taken = _core.take_in_rows(ordered, flat._transpose((*range(1, flat.ndim), 0)))
    result = taken._transpose((taken.ndim - 1, *range(taken.ndim - 1)))._reshape(places.shape)
    if skip_nans or not _supports_nans(rows):
        return result
    last = ordered[..., -1]
    return _core.select(_isnan(last), last, result)


def _weights(weights: Any, a: ndarray, axis: Any) -> ndarray:
    """Weights in the shape of the array, or one that broadcasts to it."""
    weights = as_array_beside(weights, a)
    if weights.shape != a.shape:
        if axis is None:
            raise TypeError("Axis must be specified when shapes of a and weights differ.")
        axes = _axes(axis, a.ndim)
        if weights.shape != tuple(a.shape[i] for i in axes):
            raise ValueError(
                "Shape of weights must be consistent with shape of a along specified axis."
            )
        weights = weights._transpose(tuple(_numpy.argsort(axes).tolist()))
        weights = weights._reshape(tuple(n if i in axes else 1 for i, n in enumerate(a.shape)))
    text = "Weights must be non-negative."
    return refuse_if(weights < 0, weights, ValueError, text, "quantile")._broadcast_to(a.shape)


def _on_host(q: Any) -> Any:
    return q.get() if isinstance(q, ndarray) else _numpy.asanyarray(q)


def _quantile(
    a: Any,
    q: Any,
    weak: bool,
    axis: Any,
    out: Any,
    method: Any,
    keepdims: Any,
    weights: Any,
    skip_nans: bool,
) -> Any:
    if weights is not None:
        if method != "inverted_cdf":
            raise ValueError(f"Only method 'inverted_cdf' supports weights. Got: {method}.")
        weights = _weights(weights, a, axis)
    axes = _axes(axis, a.ndim)
    rows, shape = _rows(a, axes), q.shape + _reduced_shape(a, axes, keepdims)
    if q.ndim > 2:
        raise ValueError("q must be a scalar or 1d")
    _check_method(method)
    if weights is not None:
        found = _weighted_rows(rows, _rows(weights, axes), q, skip_nans and _supports_nans(rows))
        return _finish(found, shape, out)
    valid = _valid_rows(rows) if skip_nans else None
    if valid is None:
        found = _quantile_rows(rows, q, method, weak)
    elif rows.ndim > 1:
        found = _nan_quantile_rows(rows, q, method, weak)
    elif valid.size:
        found = _quantile_rows(valid, q, method, weak)
    else:
        warn(_NOTHING_ELSE)
        found = _core.full(q.shape, math.nan, rows.dtype, rows.device)
    return _finish(found, shape, out)


def _real(a: Any) -> ndarray:
    a = as_array(a)
    if a.dtype.kind == "c":
        raise TypeError("a must be an array of real numbers")
    return a


def _check_quantiles(q: Any, message: str) -> None:
    if q.size and not bool(_numpy.all((q >= 0) & (q <= 1))):
        raise ValueError(message)


def _read(a: Any, q: Any, percent: bool = False) -> tuple[ndarray, bool, Any]:
    """The arguments of the four functions below, checked, with whether q is a Python number."""
    a, weak, q = _real(a), type(q) in (int, float), _on_host(q)
    if percent:
        q = _numpy.asarray(q / 100)
        _check_quantiles(q, "Percentiles must be in the range [0, 100]")
    else:
        _check_quantiles(q, "Quantiles must be in the range [0, 1]")
    return a, weak, q


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
    a, weak, q = _read(a, q)
    return _quantile(a, q, weak, axis, out, method, keepdims, weights, False)


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
    a, weak, q = _read(a, q, percent=True)
    return _quantile(a, q, weak, axis, out, method, keepdims, weights, False)


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


def _sample_weights(weights: Any, name: str, x: ndarray) -> ndarray:
    weights, count = as_array_beside(weights, x, _numpy.float64), x.shape[1]
    if name == "fweights":
        parts = weights != weights.round()
        weights = refuse_if(parts, weights, TypeError, "fweights must be integer", "cov")
    if weights.ndim > 1:
        raise RuntimeError(f"cannot handle multidimensional {name}")
    if weights.shape[0] != count:
        raise RuntimeError(f"incompatible numbers of samples and {name}")
    return refuse_if(weights < 0, weights, ValueError, f"{name} cannot be negative", "cov")


def _variables(x: ndarray, dtype: Any, rowvar: Any) -> ndarray:
    """A matrix whose rows are variables."""
    turned = not rowvar and x.ndim == 2 and x.shape[0] != 1
    x = as_array(x, dtype)._reshape((1, -1)) if x.ndim < 2 else as_array(x, dtype)
    return x._transpose(None) if turned else x


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
    if dtype is None:
        wide = filled(0, _numpy.float64)
        dtype = _core.common_type(m, wide) if y is None else _core.common_type(m, y, wide)
    dtype = _numpy.dtype(dtype)
    x = as_array(m, dtype)._reshape((1, -1)) if m.ndim < 2 else as_array(m, dtype)
    if not rowvar and m.ndim == 2:
        x = x._transpose(None)
    if x.shape[0] == 0:
        return _core.empty((0, 0), _numpy.float64, x.device)
    if y is not None:
        x = concatenate((x, _variables(y, dtype, rowvar)), axis=0)
    if ddof is None:
        ddof = 0 if bias else 1
    weights = None
    if fweights is not None:
        weights = _sample_weights(fweights, "fweights", x)
    if aweights is not None:
        aweights = _sample_weights(aweights, "aweights", x)
        weights = aweights if weights is None else weights * aweights
    average, total = reductions.average(x, axis=1, weights=weights, returned=True)
    divisor = _degrees(x, ddof, total, weights, aweights)
    if dtype.kind in "biu":
        raise TypeError(
            f"cov: deviations from the average of type {average.dtype} cannot be cast to {dtype}; "
            "use a dtype of floats"
        )
    x = x - average._reshape((-1, 1))
    turned = (x if weights is None else x * weights)._transpose(None)
    result = dot(x, turned.conj() if dtype.kind == "c" else turned)
    return as_array(result * (1.0 / divisor), result.dtype).squeeze()


def _degrees(x: ndarray, ddof: Any, total: Any, weights: Any, aweights: Any) -> ndarray:
    """The degrees of freedom that covariances of weighted samples have; 0 where none is left."""
    text = "Degrees of freedom <= 0 for slice"
    if weights is None:
        left = x.shape[1] - ddof
        if left <= 0:
            warn(text)
        return filled(max(left, 0), _numpy.float64)
    sum_of_weights = left = _core.real(total[0, ...])
    if ddof and aweights is None:
        left = sum_of_weights - ddof
    elif ddof:
        left = sum_of_weights - ddof * (weights * aweights).sum() / sum_of_weights
    return warn_if(left <= 0, _core.select(left <= 0, filled(0, left.dtype), left), text)


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
    c = cov(x, y, rowvar, dtype=dtype)
    if c.ndim == 0:
        return c / c
    deviation = _core.apply(ufuncs["sqrt"], (_core.real(c.diagonal()),), None)
    c = c / deviation._reshape((-1, 1)) / deviation
    if c.dtype.kind != "c":
        return c.clip(-1, 1)
    return _core.make_complex(_core.real(c).clip(-1, 1), _core.imag(c).clip(-1, 1))


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
