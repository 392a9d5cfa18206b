"""Differences, gradients and integrals along an axis."""

from __future__ import annotations

import math
import operator
from typing import Any, Literal, SupportsIndex

import numpy

from heddle import _core
from heddle._arguments import as_array, normalize_axis, normalize_axis_index, normalize_axis_tuple
from heddle._core import in_core, ndarray, ufuncs
from heddle._manipulation.joining import concatenate
from heddle._typing import ArrayLike, Axes, Axis

__all__ = ["diff", "ediff1d", "gradient", "trapezoid", "unwrap"]


def _part(a, axis, start, stop):
    return a[(slice(None),) * axis + (slice(start, stop),)]


@in_core
def diff(
    a: ArrayLike,
    n: SupportsIndex = 1,
    axis: Axis = -1,
    prepend: ArrayLike = numpy._NoValue,
    append: ArrayLike = numpy._NoValue,
) -> ndarray:
    """The n-th discrete difference along an axis.

    Examples
    --------
    >>> import heddle as np
    >>> np.diff([1, 2, 4, 7])
    array([1, 2, 3])
    >>> np.diff([1, 2, 4, 7], n=2)
    array([1, 1])
    """
    if n == 0:
        return a
    if n < 0:
        raise ValueError(f"order must be non-negative but got {n!r}")
    a = as_array(a)
    if a.ndim == 0:
        raise ValueError("diff requires input that is at least one dimensional")
    axis = normalize_axis_index(axis, a.ndim)
    parts = []
    for extra in (prepend, a, append):
        if extra is numpy._NoValue:
            continue
        extra = as_array(extra)
        if extra.ndim == 0:
            extra = extra._broadcast_to((*a.shape[:axis], 1, *a.shape[axis + 1 :]))
        parts.append(extra)
    if len(parts) > 1:
        a = concatenate(parts, axis=axis)
    return _core.diff(a, operator.index(n), axis)


def ediff1d(
    ary: ArrayLike, to_end: ArrayLike | None = None, to_begin: ArrayLike | None = None
) -> ndarray:
    """Differences of consecutive elements of the flattened array, with ends put around them.

    Examples
    --------
    >>> import heddle as np
    >>> np.ediff1d([1, 2, 4], to_begin=0)
    array([0, 1, 2])
    """
    ary = as_array(ary)
    ary = ary._reshape((ary.size,))
    parts = []
    for name, ends in (("to_begin", to_begin), (None, None), ("to_end", to_end)):
        if name is None:
            if ary.size:
                parts.append(ary[1:] - ary[:-1])
        elif ends is not None:
            ends = as_array(ends)
            if not _core.can_cast(ends.dtype, ary.dtype, "same_kind"):
                raise TypeError(
                    f"dtype of `{name}` must be compatible with input `ary` under the `same_kind` "
                    "rule."
                )
            parts.append(as_array(ends, ary.dtype)._reshape((ends.size,)))
    if not parts:
        return ary[:0]._copy("C")
    return parts[0] if len(parts) == 1 else concatenate(parts)


def _spacings(varargs, f, axes):
    """For each axis a number, or the distances between coordinates."""
    if not varargs:
        return [1.0] * len(axes)
    if len(varargs) == 1 and numpy.ndim(_to_host(varargs[0])) == 0:
        return [varargs[0]] * len(axes)
    if len(varargs) != len(axes):
        raise TypeError("invalid number of arguments")
    result = []
    for axis, given in zip(axes, varargs, strict=True):
        distances = as_array(given)
        if distances.ndim == 0:
            result.append(given)
            continue
        if distances.ndim != 1:
            raise ValueError("distances must be either scalars or 1d")
        if distances.shape[0] != f.shape[axis]:
            raise ValueError(
                "when 1d, distances must match the length of the corresponding dimension"
            )
        if distances.dtype.kind in "iu":
            distances = distances._astype(numpy.float64, "K")
        host = distances._snapshot()
        steps = numpy.diff(host)
        # Equal steps count as one number, as in NumPy.
        equal = steps.size and (steps == steps[0]).all()
        result.append(float(steps[0]) if equal else diff(distances))
    return result


def _to_host(value):
    return value._snapshot() if isinstance(value, ndarray) else value


def _divided(a, number):
    """a / number; where that is exact by the reciprocal, which takes less time."""
    simple = a.dtype.kind == "f" and type(number) is float and 2.0**-8 <= abs(number) <= 2.0**8
    power_of_two = simple and abs(math.frexp(number)[0]) == 0.5
    return a * (1 / number) if power_of_two else a / number


def _gradient_along(f, axis, step, edge_order):
    def at(start, stop):
        return _part(f, axis, start, stop)

    uniform = not (isinstance(step, ndarray) and step.ndim)
    shape = tuple(-1 if n == axis else 1 for n in range(f.ndim))
    out = _core.empty(f.shape, f.dtype, f.device)

    def put(start, stop, value):
        _core.write(_part(out, axis, start, stop), value)

    if uniform:
        put(1, -1, _divided(at(2, None) - at(None, -2), 2.0 * step))
        first = last = step
    else:
        before, after = step[:-1], step[1:]
        a = (-after / (before * (before + after)))._reshape(shape)
        b = ((after - before) / (before * after))._reshape(shape)
        c = (before / (after * (before + after)))._reshape(shape)
        put(1, -1, a * at(None, -2) + b * at(1, -1) + c * at(2, None))
        first, last = step[0], step[-1]
    if edge_order == 1:
        put(0, 1, (at(1, 2) - at(0, 1)) / first)
        put(-1, None, (at(-1, None) - at(-2, -1)) / last)
        return out
    if uniform:
        a, b, c = -1.5 / step, 2.0 / step, -0.5 / step
    else:
        one, two = step[0], step[1]
        a = -(2.0 * one + two) / (one * (one + two))
        b = (one + two) / (one * two)
        c = -one / (two * (one + two))
    put(0, 1, a * at(0, 1) + b * at(1, 2) + c * at(2, 3))
    if uniform:
        a, b, c = 0.5 / step, -2.0 / step, 1.5 / step
    else:
        one, two = step[-2], step[-1]
        a = two / (one * (one + two))
        b = -(two + one) / (one * two)
        c = (2.0 * two + one) / (two * (one + two))
    put(-1, None, a * at(-3, -2) + b * at(-2, -1) + c * at(-1, None))
    return out


def gradient(
    f: ArrayLike, *varargs: Any, axis: Axes | None = None, edge_order: Literal[1, 2] = 1
) -> Any:  # an array, or one for each axis
    """Second-order accurate differences inside, first or second order at the edges.

    Examples
    --------
    >>> import heddle as np
    >>> np.gradient([1.0, 2.0, 4.0, 7.0])
    array([1. , 1.5, 2.5, 3. ])
    >>> np.gradient(np.array([0.0, 1.0, 4.0]), 0.5)
    array([2., 4., 6.])
    """
    f = as_array(f)
    axes = tuple(range(f.ndim)) if axis is None else normalize_axis_tuple(axis, f.ndim)
    steps = _spacings(varargs, f, axes)
    if edge_order > 2:
        raise ValueError("'edge_order' greater than 2 not supported")
    if f.dtype.kind in "iu":
        f = f._astype(numpy.float64, "K")
    results = []
    for number, step in zip(axes, steps, strict=True):
        if f.shape[number] < edge_order + 1:
            raise ValueError(
                "Shape of array too small to calculate a numerical gradient, at least "
                "(edge_order + 1) elements are required."
            )
        if edge_order == 1 and type(step) in (float, int) and f.dtype.kind in "fc":
            results.append(_core.gradient(f, number, step))
        else:
            results.append(_gradient_along(f, number, step, edge_order))
    return results[0] if len(axes) == 1 else tuple(results)


def trapezoid(
    y: ArrayLike, x: ArrayLike | None = None, dx: ArrayLike = 1.0, axis: Axis = -1
) -> ndarray:
    """The integral along an axis by the trapezoidal rule.

    Examples
    --------
    >>> import heddle as np
    >>> np.trapezoid([1, 2, 3])
    np.float64(4.0)
    >>> np.trapezoid([1, 2, 3], dx=2)
    np.float64(8.0)
    """
    y = as_array(y)
    axis = normalize_axis(axis, y.ndim)
    if x is None:
        step = dx
    else:
        x = as_array(x)
        if x.ndim == 1:
            step = diff(x)._reshape(tuple(-1 if n == axis else 1 for n in range(y.ndim)))
        else:
            step = diff(x, axis=axis)
    terms = step * (_part(y, axis, 1, None) + _part(y, axis, None, -1)) / 2.0
    return _core.reduce(ufuncs["add"], terms, (axis,), False, None)


def unwrap(
    p: ArrayLike, discont: float | None = None, axis: Axis = -1, *, period: ArrayLike = 2 * numpy.pi
) -> ndarray:
    """Take jumps of more than half a period out of a sequence, along an axis.

    Examples
    --------
    >>> import heddle as np
    >>> np.unwrap([0.0, 3.0, 6.0, 9.0 - 2 * np.pi])
    array([0., 3., 6., 9.])
    """
    p = as_array(p)
    axis = normalize_axis(axis, p.ndim)
    steps = diff(p, axis=axis)
    discont = period / 2 if discont is None else discont
    dtype = _core.common_type(steps, period)
    exact = dtype.kind in "iu"
    high, odd = divmod(period, 2) if exact else (period / 2, 0)
    low = -high
    remainder = ufuncs["remainder"](steps - low, period) + low
    if not (exact and odd):
        # A jump of exactly half a period keeps its sign.
        remainder = _core.select((remainder == low) & (steps > 0), high, remainder)
    correction = remainder - steps
    correction = _core.select(ufuncs["absolute"](steps) < discont, 0, correction)
    total = _core.accumulate(ufuncs["add"], correction, axis, None)
    result = as_array(p, dtype)._copy("K")
    rest = _part(result, axis, 1, None)
    _core.write(rest, _part(p, axis, 1, None) + total)
    return result
