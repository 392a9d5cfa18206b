"""Reductions for which None says that there is no mask and no first value, and whose axes may be
in a list, as in JAX."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, cast

import heddle as hd

_numpys: Any = hd


def _with_none(f: Callable[..., hd.ndarray]) -> Callable[..., hd.ndarray]:
    # NumPy takes None for a mask that is false everywhere.
    @functools.wraps(f)
    def function(*args: object, **keywords: object) -> hd.ndarray:
        for name in ("where", "initial"):
            if name in keywords and keywords[name] is None:
                del keywords[name]
        if len(args) > 1 and isinstance(args[1], list):
            args = (args[0], tuple(args[1]), *args[2:])
        elif isinstance(keywords.get("axis"), list):
            keywords["axis"] = tuple(cast("list[object]", keywords["axis"]))
        return f(*args, **keywords)

    return function


sum = _with_none(_numpys.sum)
prod = _with_none(_numpys.prod)
max = _with_none(_numpys.max)
min = _with_none(_numpys.min)
amax = _with_none(_numpys.amax)
amin = _with_none(_numpys.amin)
all = _with_none(_numpys.all)
any = _with_none(_numpys.any)
mean = _with_none(_numpys.mean)
var = _with_none(_numpys.var)
std = _with_none(_numpys.std)
nansum = _with_none(_numpys.nansum)
nanprod = _with_none(_numpys.nanprod)
nanmax = _with_none(_numpys.nanmax)
nanmin = _with_none(_numpys.nanmin)
nanmean = _with_none(_numpys.nanmean)
nanvar = _with_none(_numpys.nanvar)
nanstd = _with_none(_numpys.nanstd)
