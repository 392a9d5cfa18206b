"""Reductions for which None says that there is no mask and no first value, as in JAX."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import heddle as hd


def _with_none(f: Callable[..., Any]) -> Callable[..., Any]:
    # NumPy takes None for a mask that is false everywhere.
    @functools.wraps(f)
    def function(*args: Any, **keywords: Any) -> Any:
        for name in ("where", "initial"):
            if name in keywords and keywords[name] is None:
                del keywords[name]
        return f(*args, **keywords)

    return function


sum, prod, max, min = map(_with_none, (hd.sum, hd.prod, hd.max, hd.min))
amax, amin, all, any = map(_with_none, (hd.amax, hd.amin, hd.all, hd.any))
mean, var, std = map(_with_none, (hd.mean, hd.var, hd.std))
nansum, nanprod, nanmax, nanmin = map(_with_none, (hd.nansum, hd.nanprod, hd.nanmax, hd.nanmin))
nanmean, nanvar, nanstd = map(_with_none, (hd.nanmean, hd.nanvar, hd.nanstd))
