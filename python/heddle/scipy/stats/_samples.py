"""Functions of samples that SciPy computes in NumPy's memory only."""

from __future__ import annotations

import importlib
import math
import warnings
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, overload

import numpy

import heddle as np
from heddle import special
from heddle._arguments import as_array, both_arrays
from heddle._core import is_true_anywhere, ndarray
from heddle._typing import ArrayLike, Axes
from heddle.scipy.stats._missing import reduced
from heddle.scipy.stats._scores import _axis, _checked, _floating, boxcox_llf

if TYPE_CHECKING:
    from heddle.scipy.stats._results import (
        Chi2ContingencyResult,
        LinregressResult,
        ModeResult,
        RanksumsResult,
    )


def _theirs() -> Any:
    """SciPy's module, which has the types of results."""
    return importlib.import_module("scipy.stats")


def _probability(statistic: ndarray, tail: Callable[..., Any], alternative: str) -> Any:
    """What is as far out as a statistic, of a symmetric distribution whose upper tail is given."""
    if alternative == "two-sided":
        return 2 * tail(np.abs(statistic))
    if alternative not in ("less", "greater"):
        raise ValueError("`alternative` must be 'less', 'greater', or 'two-sided'.")
    return tail(-statistic if alternative == "less" else statistic)


def _trimmed(a: ndarray, axis: int, low: int, high: int) -> ndarray:
    where = [slice(None)] * a.ndim
    where[axis] = slice(low, high)
    return np.sort(a, axis=axis)[tuple(where)]


def trimboth(a: ArrayLike, proportiontocut: float, axis: int | None = 0) -> ndarray:
    """The numbers without a share of the smallest and of the largest, in order.

    Examples
    --------
    >>> from heddle.scipy import stats
    >>> stats.trimboth([9, 1, 5, 4], 0.25)
    array([4, 5])
    """
    given = as_array(a)
    if not given.size:
        return given
    given, axis = _axis(given, axis)
    count = given.shape[axis]
    cut = int(proportiontocut * count)
    if cut >= count - cut:
        raise ValueError("Proportion too big.")
    return _trimmed(given, axis, cut, count - cut)


def trim1(
    a: ArrayLike, proportiontocut: float, tail: str = "right", axis: int | None = 0
) -> ndarray:
    """The numbers without a share of the largest, or of the smallest, in order.

    Examples
    --------
    >>> from heddle.scipy import stats
    >>> stats.trim1([9, 1, 5, 4], 0.25)
    array([1, 4, 5])
    """
    given, axis = _axis(as_array(a), axis)
    count = given.shape[axis]
    if proportiontocut >= 1:
        return given[:0]
    cut = int(proportiontocut * count)
    if tail.lower() not in ("left", "right"):
        raise ValueError("`tail` must be 'left' or 'right'.")
    return _trimmed(given, axis, *((0, count - cut) if tail.lower() == "right" else (cut, count)))


def percentileofscore(
    a: ArrayLike, score: ArrayLike, kind: str = "rank", nan_policy: str = "propagate"
) -> ndarray:
    """Which percentile of some numbers a score is.

    Examples
    --------
    >>> from heddle.scipy import stats
    >>> stats.percentileofscore([1, 2, 3, 4], 3)
    np.float64(75.0)
    """
    given, scores = as_array(a), as_array(score)
    if given.ndim != 1:
        raise ValueError("`a` must be 1-dimensional.")
    if kind not in ("rank", "strict", "weak", "mean"):
        raise ValueError("kind can only be 'rank', 'strict', 'weak' or 'mean'")
    omit = _checked(nan_policy, _floating(given), _floating(scores))
    ordered = np.sort(given)  # nans come last, and count for nothing there
    missing = np.isnan(_floating(given)).sum()
    count = given.size - missing
    left = np.searchsorted(ordered, scores, side="left")
    right = np.minimum(np.searchsorted(ordered, scores, side="right"), count)
    with np.errstate(all="ignore"):
        if kind == "rank":
            made = (left + right + (left < right)) * (50.0 / count)
        elif kind == "mean":
            made = (left + right) * (50.0 / count)
        else:
            made = (left if kind == "strict" else right) * (100.0 / count)
        unknown = np.isnan(_floating(scores)) | (count == 0)
        if not omit:
            unknown = unknown | (missing > 0)
        return np.where(unknown, numpy.nan, made)[()]


def _distribution(values: ArrayLike, weights: ArrayLike | None) -> tuple[ndarray, ndarray | None]:
    given = as_array(values).astype(numpy.float64)
    if not given.size:
        raise ValueError("Distribution can't be empty.")
    if weights is None:
        return given, None
    shares = as_array(weights).astype(numpy.float64)
    if shares.size != given.size:
        raise ValueError(
            "Value and weight array-likes for the same empirical distribution must "
            "be of the same size."
        )
    if bool((shares < 0).any()):
        raise ValueError("All weights must be non-negative.")
    if not 0 < float(shares.sum()) < math.inf:
        raise ValueError(
            "Weight array-like sum must be positive and finite. Set as None for an "
            "equal distribution of weight."
        )
    return given, shares


def _reached(values: ndarray, weights: ndarray | None, places: ndarray) -> ndarray:
    """How much of a distribution is at or below each place."""
    order = np.argsort(values)
    found = np.searchsorted(values[order], places, side="right")
    if weights is None:
        return found / values.size
    sums = np.concatenate([np.zeros(1, device=values.device), np.cumsum(weights[order])])
    return sums[found] / sums[-1]


def _distance(
    u_values: ArrayLike,
    v_values: ArrayLike,
    u_weights: ArrayLike | None,
    v_weights: ArrayLike | None,
    power: int,
) -> ndarray:
    u, of_u = _distribution(u_values, u_weights)
    v, of_v = _distribution(v_values, v_weights)
    places = np.sort(np.concatenate([u.reshape(-1), v.reshape(-1)]))
    steps = np.diff(places)
    apart = _reached(u, of_u, places[:-1]) - _reached(v, of_v, places[:-1])
    return (np.abs(apart) ** power * steps).sum()


def wasserstein_distance(
    u_values: ArrayLike,
    v_values: ArrayLike,
    u_weights: ArrayLike | None = None,
    v_weights: ArrayLike | None = None,
) -> ndarray:
    """How far the mass of one sample has to be moved to become another.

    Examples
    --------
    >>> from heddle.scipy import stats
    >>> stats.wasserstein_distance([0, 1, 3], [5, 6, 8])
    np.float64(5.0)
    """
    return _distance(u_values, v_values, u_weights, v_weights, 1)[()]


def energy_distance(
    u_values: ArrayLike,
    v_values: ArrayLike,
    u_weights: ArrayLike | None = None,
    v_weights: ArrayLike | None = None,
) -> ndarray:
    """The distance between the running totals of two samples.

    Examples
    --------
    >>> from heddle.scipy import stats
    >>> stats.energy_distance([0], [2]).round(4)
    np.float64(2.0)
    """
    return np.sqrt(2.0) * np.sqrt(_distance(u_values, v_values, u_weights, v_weights, 2))[()]


def mode(
    a: ArrayLike, axis: Axes | None = 0, nan_policy: str = "propagate", keepdims: bool = False
) -> ModeResult:
    """The number that is there most often, the least of several, and how often.

    Examples
    --------
    >>> from heddle.scipy import stats
    >>> stats.mode([[1, 7], [2, 7], [2, 5]]).mode
    array([2, 7])
    """
    given = as_array(a)
    if given.dtype.kind not in "iufc":
        raise TypeError(f"mode: numbers are expected, not {given.dtype}")

    def of_rows(row: ndarray) -> Any:
        count = row.shape[-1]
        if not count:
            nothing = np.full(row.shape[:-1], numpy.nan, device=row.device)
            return _theirs()._stats_py.ModeResult(nothing, np.zeros_like(nothing))
        ordered = np.sort(row, axis=-1)  # nans come last, and are one number
        here, before = ordered[..., 1:], ordered[..., :-1]
        is_new = (here != before) & (before == before)
        place = np.arange(1, count, device=row.device)
        first = np.maximum.accumulate(np.where(is_new, place, 0), axis=-1)
        one = np.ones((*row.shape[:-1], 1), first.dtype, device=row.device)
        often = np.concatenate([one, place - first + 1], axis=-1)
        best = np.argmax(often, axis=-1, keepdims=True)
        modes, counts = (np.take_along_axis(x, best, -1)[..., 0] for x in (ordered, often))
        return _theirs()._stats_py.ModeResult(modes[()], counts[()])

    made: ModeResult = reduced(of_rows, [given], axis, nan_policy, keepdims, propagates_nans=True)
    return made


def ranksums(
    x: ArrayLike,
    y: ArrayLike,
    alternative: str = "two-sided",
    *,
    axis: Axes | None = 0,
    nan_policy: str = "propagate",
    keepdims: bool = False,
) -> RanksumsResult:
    """Wilcoxon's test by ranks of whether one of two samples tends to be larger.

    Examples
    --------
    >>> from heddle.scipy import stats
    >>> stats.ranksums([1.0, 2.0, 3.0], [4.0, 5.0, 6.0]).statistic.round(4)
    np.float64(-1.964)
    """

    def of_rows(first: ndarray, second: ndarray) -> Any:
        n, m = first.shape[-1], second.shape[-1]
        if not n or not m:
            z = np.full(first.shape[:-1], numpy.nan, device=first.device)
            return _theirs()._stats_py.RanksumsResult(z, z)
        both = np.concatenate([first, second], axis=-1)
        # Equal numbers share their ranks.
        ranks = _ranked(both)
        total = ranks[..., :n].sum(axis=-1)
        z = (total - n * (n + m + 1) / 2) / math.sqrt(n * m * (n + m + 1) / 12)
        pvalue = _probability(z, lambda s: special.ndtr(-s), alternative)
        return _theirs()._stats_py.RanksumsResult(z[()], pvalue)

    samples = [*both_arrays(x, y)]
    made: RanksumsResult = reduced(
        of_rows, [_floating(each) for each in samples], axis, nan_policy, keepdims
    )
    return made


def _ranked(rows: ndarray) -> ndarray:
    """The ranks of the elements of rows; equal ones share theirs."""
    count = rows.shape[-1]
    order = np.argsort(rows, axis=-1)
    ordered = np.take_along_axis(rows, order, -1)
    place = np.arange(count, device=rows.device)
    differs = ordered[..., 1:] != ordered[..., :-1]
    edge = np.ones((*rows.shape[:-1], 1), bool, device=rows.device)
    is_first = np.concatenate([edge, differs], axis=-1)
    is_last = np.concatenate([differs, edge], axis=-1)
    low = np.maximum.accumulate(np.where(is_first, place, 0), axis=-1)
    high = np.minimum.accumulate(np.where(is_last, place, count)[..., ::-1], axis=-1)[..., ::-1]
    made = np.empty(rows.shape, device=rows.device)
    np.put_along_axis(made, order, (low + high) / 2 + 1, axis=-1)
    return made


def linregress(
    x: ArrayLike,
    y: ArrayLike,
    alternative: str = "two-sided",
    *,
    axis: Axes | None = 0,
    nan_policy: str = "propagate",
    keepdims: bool = False,
) -> LinregressResult:
    """The straight line through points, with how well it fits.

    Examples
    --------
    >>> from heddle.scipy import stats
    >>> stats.linregress([0.0, 1.0, 2.0, 3.0], [1.0, 3.0, 5.0, 7.5]).slope
    np.float64(2.15)
    """
    first, second = (each.astype(numpy.float64) for each in both_arrays(x, y))
    if (axis is None or max(first.ndim, second.ndim) < 2) and first.size != second.size:
        raise ValueError("all input arrays must have the same length")
    made: LinregressResult = reduced(
        lambda given, values: _line(given, values, alternative),
        [first, second],
        axis,
        nan_policy,
        keepdims,
        paired=True,
        propagates_nans=True,
    )
    return made


def _line(given: ndarray, values: ndarray, alternative: str) -> Any:
    """The lines through rows of points."""
    n = given.shape[-1]
    if n == 0:
        warnings.warn("Inputs are empty: all values are nan.", RuntimeWarning, stacklevel=4)
    elif n > 1 and is_true_anywhere(np.max(given, axis=-1) == np.min(given, axis=-1)):
        raise ValueError("Cannot calculate a linear regression if all x values are identical")
    mean_x, mean_y = given.mean(axis=-1), values.mean(axis=-1)
    dx, dy = given - mean_x[..., None], values - mean_y[..., None]
    xx, xy, yy = (product.mean(axis=-1) for product in (dx * dx, dx * dy, dy * dy))
    with np.errstate(all="ignore"):
        r = np.where((xx == 0) | (yy == 0), numpy.nan, np.clip(xy / np.sqrt(xx * yy), -1, 1))
        slope = xy / xx
        intercept = mean_y - slope * mean_x
        pvalue = np.full(slope.shape, numpy.nan, device=given.device)
        slope_error, intercept_error = pvalue, pvalue
        if n > 2:  # a line goes through any two points, and says nothing
            df = n - 2
            tiny = 1.0e-20
            t = r * np.sqrt(df / ((1.0 - r + tiny) * (1.0 + r + tiny)))
            pvalue = _probability(t, lambda s: special.stdtr(df, -s), alternative)
            slope_error = np.sqrt((1 - r**2) * yy / xx / df)
            intercept_error = slope_error * np.sqrt(xx + mean_x**2)
    return _theirs()._stats_py.LinregressResult(
        slope=slope[()],
        intercept=intercept[()],
        rvalue=r[()],
        pvalue=pvalue[()],
        stderr=slope_error[()],
        intercept_stderr=intercept_error[()],
    )


@overload
def boxcox(
    x: ArrayLike, lmbda: float, alpha: float | None = None, optimizer: object = None
) -> ndarray: ...
@overload
def boxcox(
    x: ArrayLike, lmbda: None = None, alpha: None = None, optimizer: object = None
) -> tuple[ndarray, float]: ...
def boxcox(
    x: ArrayLike, lmbda: float | None = None, alpha: float | None = None, optimizer: object = None
) -> Any:
    """A power transform of positive numbers that makes them more like normal ones.

    Examples
    --------
    >>> from heddle.scipy import stats
    >>> stats.boxcox([1.0, 2.0, 4.0], 0.5).round(4)
    array([0.    , 0.8284, 2.    ])
    """
    given = _floating(x)
    if lmbda is not None:
        return special.boxcox(given, lmbda)
    if alpha is not None:
        raise NotImplementedError("boxcox: alpha; SciPy's own works on heddle.asnumpy(x)")
    if given.ndim != 1:
        raise ValueError("Data must be 1-dimensional.")
    if not given.size:
        return given
    if bool((given == given[0]).all()):
        raise ValueError("Data must not be constant.")
    if bool((given <= 0).any()):
        raise ValueError("Data must be positive.")
    best = _best(lambda value: float(boxcox_llf(value, given)), optimizer)
    best = _without_overflow(given, best)
    return special.boxcox(given, best), best


def _without_overflow(x: ndarray, lmbda: float) -> float:
    """The parameter, or the nearest one for which transformed numbers are still numbers."""
    most = float(np.finfo(x.dtype).max) / 10000  # as SciPy: powers overflow before their quotients
    ends = [float(x.max()), float(x.min())]
    with np.errstate(all="ignore"):
        sizes = numpy.abs([float(special.boxcox(end, lmbda)) for end in ends])
    if numpy.max(sizes) <= most:
        return lmbda
    warnings.warn(
        f"The optimal lambda is {lmbda}, but the returned lambda is the constrained optimum to "
        "ensure that the maximum or the minimum of the transformed data does not "
        f"overflow in {x.dtype}.",
        stacklevel=3,
    )
    end = ends[int(numpy.argmax(sizes))]
    target, size = math.copysign(most, end - 1), math.log(end)
    # (end**l - 1) / l is the target where l size + size / target is a value of Lambert's function.
    found = special.lambertw(-math.exp(-size / target) * size / target, k=-1)
    return float((-found / size - 1 / target).real)


def _best(likelihood: Callable[..., Any], optimizer: Any = None) -> float:
    """The parameter with the greatest likelihood; each step reads one number."""
    if optimizer is not None:
        found = optimizer(lambda value: -likelihood(float(numpy.ravel(value)[0])))
        return float(numpy.ravel(found.x)[0])
    search = importlib.import_module("scipy.optimize").brent
    return float(search(lambda value: -likelihood(float(value)), brack=(-2.0, 2.0)))


def _yeojohnson(x: ndarray, lmbda: float) -> ndarray:
    with np.errstate(all="ignore"):
        up, down = np.log1p(np.maximum(x, 0)), np.log1p(-np.minimum(x, 0))
        high = up if lmbda == 0 else np.expm1(lmbda * up) / lmbda
        low = -down if lmbda == 2 else -np.expm1((2 - lmbda) * down) / (2 - lmbda)
        return np.where(np.isnan(x), x, np.where(x >= 0, high, low)).astype(x.dtype)


@overload
def yeojohnson(x: ArrayLike, lmbda: None = None) -> tuple[ndarray, Any]: ...
@overload
def yeojohnson(x: ArrayLike, lmbda: float) -> ndarray: ...
def yeojohnson(x: ArrayLike, lmbda: float | None = None) -> ndarray | tuple[ndarray, float]:
    """A power transform of any numbers that makes them more like normal ones.

    Examples
    --------
    >>> from heddle.scipy import stats
    >>> stats.yeojohnson([-1.0, 0.0, 3.0], 0.5).round(4)
    array([-1.219,  0.   ,  2.   ])
    """
    given = as_array(x)
    if not given.size:
        return given
    if given.dtype.kind == "c":
        raise ValueError("Yeo-Johnson transformation is not defined for complex numbers.")
    given = _floating(given)
    if lmbda is not None:
        return _yeojohnson(given, lmbda)
    signed = (np.sign(given) * np.log1p(np.abs(given))).sum()
    if not bool(np.isfinite(given).all()):
        raise ValueError("Yeo-Johnson input must be finite.")
    if bool((given == 0).all()):
        return given, 1.0

    def cost(value: float) -> float:
        with np.errstate(all="ignore"):
            spread = np.var(_yeojohnson(given, value))
            found = float(-given.size / 2 * np.log(spread) + (value - 1) * signed)
        if math.isinf(found) or float(spread) < np.finfo(spread.dtype).smallest_normal:
            return math.inf
        return -found

    search = importlib.import_module("scipy.optimize").fminbound
    best = float(search(cost, *_range_of_powers(given), xtol=1.48e-8))
    return _yeojohnson(given, best), best


def _range_of_powers(x: ndarray) -> tuple[float, float]:
    """Parameters of `yeojohnson` for which the variance of what it gives is a number.

    Half of the exponents of floating-point numbers, for numbers that are 20 times as large.
    """
    kind = np.finfo(x.dtype)
    eps = math.log(kind.eps)
    size = math.log1p(20 * float(np.abs(x).max()))
    least = (math.log(kind.tiny) - eps) / 2 / size
    most = (math.log(kind.max) + eps) / 2 / size
    below = x < 0
    if bool(below.all()):
        return 2 - most, 2 - least
    if bool(below.any()):
        return max(2 - most, least), min(2 - least, most)
    return least, most


def chi2_contingency(
    observed: ArrayLike, correction: bool = True, lambda_: object = None, *, method: object = None
) -> Chi2ContingencyResult:
    """Whether the axes of a table of counts are independent of one another.

    Examples
    --------
    >>> from heddle.scipy import stats
    >>> found = stats.chi2_contingency([[10, 10, 20], [20, 20, 20]])
    >>> found.dof, found.expected_freq.shape
    (2, (2, 3))
    """
    from heddle.scipy import stats

    if method is not None:
        raise NotImplementedError(
            "chi2_contingency: method; SciPy's own works on heddle.asnumpy(observed)"
        )
    counts = as_array(observed).astype(numpy.float64)
    if not counts.size:
        raise ValueError("No data; `observed` has size 0.")
    if bool((counts < 0).any()):
        raise ValueError("All values in `observed` must be nonnegative.")
    axes = range(counts.ndim)
    expected = np.ones((), device=counts.device)
    for k in axes:
        others = tuple(axis for axis in axes if axis != k)
        expected = expected * counts.sum(axis=others, keepdims=True)
    expected = expected / counts.sum() ** (counts.ndim - 1)
    if bool((expected == 0).any()):
        raise ValueError(
            "The internally computed table of expected frequencies has a zero element."
        )
    dof = expected.size - sum(expected.shape) + expected.ndim - 1
    result = _theirs().contingency.Chi2ContingencyResult
    if dof == 0:
        made: Chi2ContingencyResult = result(0.0, 1.0, 0, expected)
        return made
    if dof == 1 and correction:  # Yates' correction, by no more than the difference
        apart = expected - counts
        counts = counts + np.minimum(0.5, np.abs(apart)) * np.sign(apart)
    found = stats.power_divergence(
        counts.reshape(-1), expected.reshape(-1), ddof=counts.size - 1 - dof, lambda_=lambda_
    )
    made = result(*found, dof, expected)
    return made
