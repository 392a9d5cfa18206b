"""What functions of samples do about nans: `nan_policy`, along any axes, for arrays of any device.

SciPy's own code does it for arrays of NumPy's only. Of others, where they have several dimensions,
it takes the argument and computes as if it was not there.
"""

from __future__ import annotations

import functools
import inspect
import math
from collections.abc import Callable
from typing import Any

import numpy

import heddle as np
from heddle._core import is_true_anywhere, ndarray, own_array
from heddle._typing import Axes
from heddle.scipy._generic import changed, device_of, generic
from heddle.scipy.stats._scores import _POLICIES, _checked

# The samples of SciPy's functions, by the names of their parameters.
_NAMES = {
    ("samples",): "alexandergovern bartlett circmean circstd circvar f_oneway fligner "
    "friedmanchisquare kruskal levene",
    ("x",): "iqr jarque_bera median_abs_deviation",
    ("a",): "kurtosis kurtosistest moment normaltest sem skew skewtest tmax tmean tmin tsem tstd "
    "tvar variation",
    ("a", "weights"): "gmean hmean pmean",
    ("a", "b"): "ttest_ind ttest_rel",
    ("a", "popmean"): "ttest_1samp",
    ("data",): "kstat kstatvar yeojohnson_llf",
    ("f_obs", "f_exp"): "chisquare power_divergence",
    ("pvalues", "weights"): "combine_pvalues",
    ("sample",): "lmoment",
    ("values",): "differential_entropy",
    ("x", "y"): "brunnermunzel chatterjeexi epps_singleton_2samp mannwhitneyu mood spearmanrho",
}
SAMPLES = {name: samples for samples, names in _NAMES.items() for name in names.split()}

# Where one element of one sample is missing, so is that of the others.
_PAIRED = frozenset(
    [
        "chatterjeexi",
        "chisquare",
        "combine_pvalues",
        "friedmanchisquare",
        "gmean",
        "hmean",
        "pmean",
        "power_divergence",
        "spearmanrho",
        "ttest_rel",
    ]
)

# What their code makes of a nan is not nan, or an error.
_HIDING_NANS = frozenset(
    [
        "chatterjeexi",
        "fligner",
        "friedmanchisquare",
        "kruskal",
        "mannwhitneyu",
        "moment",
        "mood",
        "tsem",
        "tstd",
        "tvar",
    ]
)


def _rows(
    samples: list[ndarray], axis: Axes, paired: bool
) -> tuple[list[ndarray], tuple[int, ...]]:
    """Samples as rows, with the axes that are reduced."""
    dims = max(sample.ndim for sample in samples)
    samples = [np.reshape(s, (1,) * (dims - s.ndim) + s.shape) for s in samples]
    axes = np.lib.array_utils.normalize_axis_tuple(axis, dims)
    moved = [np.moveaxis(s, axes, tuple(range(-len(axes), 0))) for s in samples]
    rows = [
        s.reshape((*s.shape[: dims - len(axes)], math.prod(s.shape[dims - len(axes) :])))
        for s in moved
    ]
    kept = np.broadcast_shapes(*(row.shape[:-1] for row in rows))
    length = np.broadcast_shapes(*(row.shape[-1:] for row in rows)) if paired else ()
    return [np.broadcast_to(row, kept + (length or row.shape[-1:])) for row in rows], axes


def _is_missing(row: ndarray) -> ndarray:
    if row.dtype.kind not in "fc":
        return np.zeros(row.shape, bool, device=row.device)
    return np.isnan(row)


def reduced(
    compute: Callable[..., Any],
    samples: list[ndarray],
    axis: Axes | None,
    nan_policy: str,
    keepdims: bool,
    *,
    paired: bool = False,
    propagates_nans: bool = False,
) -> Any:
    """What a function gives for rows of samples, by what is to be done about nans.

    `compute(*rows)` is called with the samples along the last axes: of rows without nans, or, where
    those are to be left out, of one row after the other that has some.
    """
    dims = max(sample.ndim for sample in samples)
    if axis is None:
        samples, axis = [sample.reshape(-1) for sample in samples], 0
        lost = tuple(range(dims))
        rows, _ = _rows(samples, axis, paired)
    else:
        rows, lost = _rows(samples, axis, paired)
    kept = rows[0].shape[:-1]
    omit = _checked(nan_policy, *(row for row in rows if row.dtype.kind in "fc"))
    missing = [_is_missing(row) for row in rows]
    touched = functools.reduce(np.logical_or, (m.any(-1) for m in missing))

    def of_kept(part: Any) -> bool:
        return isinstance(part, (own_array, numpy.generic)) and (
            part.shape[part.ndim - len(kept) :] == kept if kept else True
        )

    if omit and is_true_anywhere(touched):
        made = _without_nans(compute, rows, missing, touched, paired)
    elif propagates_nans or not any(row.dtype.kind in "fc" for row in rows):
        made = compute(*rows)
    else:
        # Rows with nans are computed without, as some functions would not take them.
        clean = [
            np.where(m, 0, row).astype(row.dtype) for m, row in zip(missing, rows, strict=True)
        ]

        def hidden(part: Any) -> Any:
            if not of_kept(part) or part.dtype.kind not in "fc":
                return part
            return np.where(touched, numpy.nan, part).astype(part.dtype)[()]

        made = changed(compute(*clean), hidden)
    if not keepdims:
        return made

    def expanded(part: Any) -> Any:
        if not of_kept(part):
            return part
        lead = part.ndim - len(kept)
        return np.expand_dims(part, tuple(lead + each for each in lost))

    return changed(made, expanded)


def _without_nans(
    compute: Callable[..., Any],
    rows: list[ndarray],
    missing: list[ndarray],
    touched: ndarray,
    paired: bool,
) -> Any:
    """What `compute` gives of rows whose nans are left out, which are of different lengths then."""
    if paired:
        missing = [functools.reduce(np.logical_or, missing)] * len(rows)

    def shortened(place: tuple[int, ...]) -> Any:
        return compute(*(row[place][~m[place]] for row, m in zip(rows, missing, strict=True)))

    if not touched.ndim:
        return shortened(())
    found = [shortened(tuple(place)) for place in np.argwhere(touched).tolist()]
    whole = [compute(*(row[~touched] for row in rows))] if len(found) < touched.size else []

    def joined(part: Any, *others: Any) -> Any:
        if not isinstance(part, (own_array, numpy.generic)):
            return part
        parts = [np.asarray(each, device=touched.device) for each in (part, *others)]
        made = np.empty(
            (*part.shape, *touched.shape), np.result_type(*parts), device=touched.device
        )
        made[..., touched] = np.stack(parts[: len(found)], axis=-1)
        if whole:
            made[..., ~touched] = parts[-1]
        return made

    return changed(*found[:1], joined, *found[1:], *whole)


def with_policy(
    function: Callable[..., Any], how: Callable[..., Any] = generic
) -> Callable[..., Any]:
    """A generic function of SciPy's, whose nans are treated here where there are several rows."""
    compute, signature, name = how(function), inspect.signature(function), function.__name__
    names = SAMPLES[name]

    @functools.wraps(function)
    def called(*args: object, **kwargs: object) -> Any:
        try:
            given = signature.bind(*args, **kwargs)
        except TypeError:
            return compute(*args, **kwargs)  # says what is wrong
        given.apply_defaults()
        arguments = given.arguments
        policy, axis = arguments["nan_policy"], arguments["axis"]
        if policy not in _POLICIES:
            raise ValueError(f"nan_policy must be one of {set(_POLICIES)}.")
        is_any = signature.parameters[names[0]].kind is inspect.Parameter.VAR_POSITIONAL
        there = [n for n in names if arguments[n] is not None]
        values = list(arguments[names[0]]) if is_any else [arguments[n] for n in there]
        device = device_of(values)
        if device is None or not values:
            return compute(*args, **kwargs)
        samples = [v if isinstance(v, own_array) else np.asarray(v, device=device) for v in values]
        if axis is None or all(s.ndim <= 1 for s in samples):
            return compute(*args, **kwargs)  # SciPy's own code knows what to do
        if policy == "propagate" and name not in _HIDING_NANS:
            return compute(*args, **kwargs)
        keepdims = bool(arguments["keepdims"])
        rest = {k: v for k, v in arguments.items() if k not in (*names, "axis", "keepdims")}

        def of_rows(*rows: ndarray) -> Any:
            if is_any:
                return compute(*rows, **rest, axis=-1)
            return compute(**dict(zip(there, rows, strict=True)), **rest, axis=-1)

        return reduced(
            of_rows,
            samples,
            axis,
            policy,
            keepdims,
            paired=name in _PAIRED,
        )

    return called
