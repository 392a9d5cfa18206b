"""One reduction in NumPy's sense: what it begins with, and the sign of zero."""

from __future__ import annotations

import math
from typing import Any

import numpy as _numpy

from heddle import _core
from heddle._arguments import filled, no_value
from heddle._core import ndarray, own_array, ufunc
from heddle._typing import DType

_signbit, _logical_and = _core.ufuncs["signbit"], _core.ufuncs["logical_and"]


def neutral_element(u: ufunc, dtype: DType) -> Any:
    """What changes nothing: the identity, and of sums the one zero that does so."""
    return -0.0 if u.name == "add" and dtype.kind in "fcV" else u.identity


def first_element(initial: object, dtype: DType) -> ndarray:
    """What a reduction begins with: NumPy converts it as an element that is written."""
    if isinstance(initial, own_array) or (type(initial) is float and dtype.kind in "fcV"):
        return filled(initial, dtype)
    host = _numpy.empty((), _numpy.float32 if dtype.kind == "V" else dtype)
    host[()] = initial
    return filled(host, dtype)


def reduce_axes(
    u: ufunc,
    a: ndarray,
    axes: tuple[int, ...],
    keepdims: bool,
    dtype: DType | None,
    initial: Any,
) -> ndarray:
    """A reduction that begins with an element of its own; None: with the first one."""
    has_initial = initial is not no_value and initial is not None
    reduced = 1
    for i in axes:
        reduced *= a.shape[i]
    if has_initial and reduced == 0:
        shape = [1 if i in axes else n for i, n in enumerate(a.shape) if keepdims or i not in axes]
        kind = dtype or _core.reduce(u, _core.empty((1,), a.dtype), None, False, None).dtype
        made = first_element(initial, kind)._broadcast_to(tuple(shape))._copy("C")
        return made if shape else made[()]
    result = _core.reduce(u, a, axes, keepdims, dtype)
    if has_initial:
        result = _core.apply(u, (first_element(initial, result.dtype), result), None)
    if u.name != "add" or not _keeps_minus_zero(initial):
        return result
    if result.dtype.kind == "c":
        a, first = a._astype(result.dtype, "K"), None if initial is None else complex(initial)
        made = _core.empty(result.shape, result.dtype, result.device)
        for part in ("real", "imag"):
            begin = None if first is None else getattr(first, part)
            total = reduce_axes(u, getattr(a, part), axes, keepdims, None, begin)
            _core.write(getattr(made, part), total)
        return made[()]
    if result.dtype.kind in "fV":
        # Sums begin with a zero, which takes the sign from those that are nothing but -0.0.
        zeros = _core.apply(_signbit, (a,), None) & (a == 0)
        alone = _core.reduce(_logical_and, zeros, axes, keepdims, None)
        result = _core.select(alone, filled(-0.0, result.dtype), result)
    return result


def _keeps_minus_zero(initial: object) -> bool:
    """Whether a sum that begins so can be -0.0: with -0.0, or with its first element."""
    if initial is None or initial is no_value:
        return initial is None
    value = initial.item() if hasattr(initial, "item") else initial
    parts = (value.real, value.imag) if isinstance(value, complex) else (value,)
    return any(isinstance(x, float) and x == 0 and math.copysign(1, x) < 0 for x in parts)
