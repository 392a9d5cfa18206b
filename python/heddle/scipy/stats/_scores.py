"""Scores, entropies and means, in a few passes over memory."""

from __future__ import annotations

import math
from typing import Any

import numpy

import heddle as np
from heddle import special
from heddle._arguments import as_array
from heddle._core import ndarray
from heddle._typing import ArrayLike, Axis

_POLICIES = ("propagate", "raise", "omit")


def _floating(a: ArrayLike) -> ndarray:
    given = as_array(a)
    return given if given.dtype.kind in "fc" else given.astype(numpy.float64)


def _checked(nan_policy: str, *given: ndarray) -> bool:
    """Whether nans are to be left out; looks for them where they are an error."""
    if nan_policy not in _POLICIES:
        raise ValueError("nan_policy must be one of {'propagate', 'raise', 'omit'}.")
    if nan_policy == "raise" and any(bool(np.isnan(a).any()) for a in given):
        raise ValueError("The input contains nan values")
    return nan_policy == "omit"


def _axis(a: ndarray, axis: Axis | None) -> tuple[ndarray, Any]:
    return (a.reshape(-1), 0) if axis is None else (a, axis)


def _scores(
    scores: ndarray, compare: ndarray, axis: int | None, ddof: int, nan_policy: str, same: bool
) -> ndarray:
    omit = _checked(nan_policy, scores, compare)
    mean, std = (np.nanmean, np.nanstd) if omit else (np.mean, np.std)
    with np.errstate(all="ignore"):
        centre = mean(compare, axis=axis, keepdims=True)
        spread = std(compare, axis=axis, ddof=ddof, keepdims=True)
        if spread.size and compare.size // spread.size <= ddof:  # of too few there is none
            spread = np.full_like(spread, numpy.nan)
        z = (scores - centre) / spread
        if same:  # numbers that are all the same have no scores
            nothing = spread <= np.abs(numpy.finfo(z.dtype).eps * centre)
            z = np.where(nothing, numpy.nan, z).astype(z.dtype)
        return z


def zscore(
    a: ArrayLike, axis: int | None = 0, ddof: int = 0, nan_policy: str = "propagate"
) -> ndarray:
    """How many standard deviations each number is above the mean.

    Examples
    --------
    >>> from heddle.scipy import stats
    >>> stats.zscore([1.0, 2.0, 3.0]).round(4)
    array([-1.2247,  0.    ,  1.2247])
    """
    given = _floating(a)
    return _scores(given, given, axis, ddof, nan_policy, True)


def zmap(
    scores: ArrayLike,
    compare: ArrayLike,
    axis: int | None = 0,
    ddof: int = 0,
    nan_policy: str = "propagate",
) -> ndarray:
    """How many standard deviations of others each number is above their mean.

    Examples
    --------
    >>> from heddle.scipy import stats
    >>> stats.zmap([0.0, 6.0], [1.0, 2.0, 3.0], ddof=1)
    array([-2.,  4.])
    """
    given, others = _floating(scores), _floating(compare)
    kind = numpy.promote_types(given.dtype, others.dtype)
    return _scores(
        given.astype(kind), others.astype(kind), axis, ddof, nan_policy, scores is compare
    )


def entropy(
    pk: ArrayLike,
    qk: ArrayLike | None = None,
    base: float | None = None,
    axis: int | None = 0,
    *,
    nan_policy: str = "propagate",
    keepdims: bool = False,
) -> ndarray:
    """Entropy of a distribution of counts or probabilities, or how much it tells beyond another.

    Examples
    --------
    >>> from heddle.scipy import stats
    >>> stats.entropy([1.0, 1.0, 2.0], base=2)
    np.float64(1.5)
    """
    if base is not None and base <= 0:
        raise ValueError("`base` must be a positive number or `None`.")
    p = _floating(pk)
    q = None if qk is None else _floating(qk)
    omit = _checked(nan_policy, *((p,) if q is None else (p, q)))
    total = np.sum
    if omit:
        total = np.nansum
        if q is not None:  # where one is missing, so is the other
            p, q = np.broadcast_arrays(p, q)
            missing = np.isnan(p) | np.isnan(q)
            p, q = np.where(missing, numpy.nan, p), np.where(missing, numpy.nan, q)
    elif q is not None:
        p, q = np.broadcast_arrays(p, q)
    with np.errstate(all="ignore"):
        share = p / total(p, axis=axis, keepdims=True)
        if q is None:
            terms = special.entr(share)
        else:
            terms = special.rel_entr(share, q / total(q, axis=axis, keepdims=True))
        made: ndarray = total(terms, axis=axis, keepdims=keepdims)
    return made if base is None else made / math.log(base)


def trim_mean(
    a: ArrayLike,
    proportiontocut: float,
    axis: int | None = 0,
    *,
    nan_policy: str = "propagate",
    keepdims: bool = False,
) -> ndarray:
    """The mean without the smallest and the largest numbers, a share of them at each end.

    Examples
    --------
    >>> from heddle.scipy import stats
    >>> stats.trim_mean([1.0, 2.0, 3.0, 100.0], 0.25)
    np.float64(2.5)
    """
    given = as_array(a)
    whole = given.ndim
    omit = _checked(nan_policy, _floating(given)) and given.dtype.kind in "fc"
    given, axis = _axis(given, axis)
    count = given.shape[axis]
    if not given.size:
        shape = tuple(n for i, n in enumerate(given.shape) if i != axis % given.ndim)
        return np.full(shape, numpy.nan, device=given.device)
    cut = int(proportiontocut * count)
    if cut > count - cut:
        raise ValueError("Proportion too big.")
    if cut < 0:
        raise ValueError(f"trim_mean: the proportion to cut is negative: {proportiontocut}")
    lines = np.moveaxis(np.sort(given, axis=axis), axis, -1)  # nans come last
    if omit:
        present = (~np.isnan(lines)).sum(axis=-1, keepdims=True)
        cuts = np.floor(present * proportiontocut)
        place = np.arange(count)
        kept = (place >= cuts) & (place < present - cuts)
        made = np.where(kept, lines, 0).sum(axis=-1) / (present - 2 * cuts)[..., 0]
    else:
        made = lines[..., cut : count - cut].mean(axis=-1)
        if given.dtype.kind in "fc":
            made = np.where(np.isnan(lines[..., -1]), numpy.nan, made).astype(made.dtype)
    if keepdims:
        made = made.reshape((1,) * whole) if made.ndim + 1 != whole else np.expand_dims(made, axis)
    return made[()]


def _log_variance(logs: ndarray, axis: Axis | None) -> ndarray:
    """The logarithm of the variance of exp(logs), also where that is too large for a number."""
    top = logs.max(axis=axis, keepdims=True)
    spread = np.log(np.var(np.exp(logs - top), axis=axis, keepdims=True))
    return spread + 2 * top


def boxcox_llf(
    lmb: float,
    data: ArrayLike,
    *,
    axis: int | None = 0,
    keepdims: bool = False,
    nan_policy: str = "propagate",
) -> ndarray:
    """Logarithm of the likelihood of a parameter of boxcox.

    Examples
    --------
    >>> from heddle.scipy import stats
    >>> stats.boxcox_llf(1.0, [1.0, 2.0, 4.0]).round(4)
    np.float64(-0.6627)
    """
    given = _floating(data)
    omit = _checked(nan_policy, given)
    given, along = _axis(given, axis)
    if not given.size:
        return np.full((), numpy.nan, device=given.device)[()]
    logs = np.log(given)
    if omit:
        mask = ~np.isnan(given)
        count = mask.sum(axis=along, keepdims=True)
        total, variance = np.nansum, np.nanvar
        powers = given**lmb / lmb if lmb else logs
        logvar = np.log(variance(powers, axis=along, keepdims=True))
    else:
        count, total = given.shape[along], np.sum
        if lmb:
            logvar = _log_variance(lmb * logs, along) - 2 * math.log(abs(lmb))
        else:
            logvar = np.log(np.var(logs, axis=along, keepdims=True))
    made = (lmb - 1) * total(logs, axis=along, keepdims=True) - count / 2 * logvar
    if not keepdims:
        return made.squeeze(along)[()]
    return made.reshape((1,) * as_array(data).ndim) if axis is None else made
