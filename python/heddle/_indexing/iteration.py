"""Functions that call Python functions or iterate in Python: for convenience, not for speed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy
from numpy import ndindex

from heddle import _core
from heddle._arguments import as_array, normalize_axis_index
from heddle._core import ndarray
from heddle._typing import ArrayLike, Axes, Axis, Casting, Order, ShapeLike

__all__ = [
    "apply_along_axis",
    "apply_over_axes",
    "iterable",
    "ndenumerate",
    "ndindex",
    "nditer",
    "nested_iters",
    "piecewise",
    "vectorize",
]


def iterable(y: object) -> bool:
    """Whether an object can be iterated over."""
    try:
        iter(y)
    except TypeError:
        return False
    return True


class ndenumerate:
    """Pairs of an index and the element there."""

    def __init__(self, arr):
        self._pairs = numpy.ndenumerate(as_array(arr)._snapshot())

    def __iter__(self):
        return self

    def __next__(self):
        return next(self._pairs)


def _seen(op, op_flags):
    """What NumPy's iterators walk over: the memory of our arrays, or a copy to read."""
    several = isinstance(op, (list, tuple))
    ops = list(op) if several else [op]
    flags = list(op_flags) if op_flags else []
    if flags and isinstance(flags[0], str):
        flags = [flags] * len(ops)
    for i, a in enumerate(ops):
        if not isinstance(a, ndarray):
            continue
        writes = i < len(flags) and not {"readwrite", "writeonly"}.isdisjoint(flags[i])
        if a._on_host:
            ops[i] = a._numpy()
        elif writes:
            raise TypeError(
                f"an iterator cannot write to an array on {a.device}, which the host does not see: "
                "use operations on whole arrays"
            )
        else:
            ops[i] = a._snapshot()
    return ops if several else ops[0]


def nditer(
    op: ArrayLike | Sequence[ArrayLike],
    flags: Sequence[str] | None = None,
    op_flags: Any = None,
    op_dtypes: Any = None,
    order: Order = "K",
    casting: Casting = "safe",
    op_axes: Any = None,
    itershape: ShapeLike | None = None,
    buffersize: int = 0,
) -> Any:
    """NumPy's iterator over arrays, on the host: element by element, to read and to write.

    Elements and operands are NumPy's arrays that share the memory of ours. Loops belong to kernels:
    operations on whole arrays are faster by orders of magnitude.
    """
    rest = (op_dtypes, order, casting, op_axes, itershape, buffersize)
    return numpy.nditer(_seen(op, op_flags), flags, op_flags, *rest)


def nested_iters(
    op: ArrayLike | Sequence[ArrayLike],
    axes: Any,
    flags: Sequence[str] | None = None,
    op_flags: Any = None,
    op_dtypes: Any = None,
    order: Order = "K",
    casting: Casting = "safe",
    buffersize: int = 0,
) -> Any:
    """NumPy's iterators in nested loops over the axes of arrays, as nditer for one loop."""
    rest = (op_dtypes, order, casting, buffersize)
    return numpy.nested_iters(_seen(op, op_flags), axes, flags, op_flags, *rest)


def apply_along_axis(
    func1d: Callable[..., Any], axis: Axis, arr: ArrayLike, *args: Any, **kwargs: Any
) -> ndarray:
    """Call a function with each row along an axis and join what it returns."""
    arr = as_array(arr)
    axis = normalize_axis_index(axis, arr.ndim)
    rows = arr._transpose((*(n for n in range(arr.ndim) if n != axis), axis))
    places = rows.shape[:-1]
    if 0 in places:
        raise ValueError("Cannot apply_along_axis when any iteration dimensions are 0")
    result = None
    for place in ndindex(places):
        value = as_array(func1d(rows[(*place, ...)], *args, **kwargs))
        if result is None:
            result = _core.empty((*places, *value.shape), value.dtype, arr.device)
        _core.write(result[(*place, ...)], value)
    # The axes of what the function gave take the place of the axis.
    rank, given = len(places), result.ndim - len(places)
    order = (*range(axis), *range(rank, rank + given), *range(axis, rank))
    return result._transpose(order)


def apply_over_axes(func: Callable[..., Any], a: ArrayLike, axes: Axes) -> ndarray:
    """Call a function that reduces an axis for each of the axes in turn."""
    value = as_array(a)
    rank = value.ndim
    for axis in numpy.atleast_1d(numpy.asarray(axes)).tolist():
        axis = axis + rank if axis < 0 else axis
        result = as_array(func(value, axis))
        if result.ndim != value.ndim:
            result = result[(slice(None),) * axis + (None, ...)]
            if result.ndim != value.ndim:
                raise ValueError("function is not returning an array of the correct shape")
        value = result
    return value


def piecewise(
    x: ArrayLike, condlist: Sequence[ArrayLike], funclist: Sequence[Any], *args: Any, **kw: Any
) -> ndarray:
    """Evaluate the function (or constant) that goes with the condition that holds."""
    x = as_array(x)
    count = len(funclist)
    # One condition may come without its list.
    first = condlist[0] if isinstance(condlist, (list, tuple)) and condlist else None
    if not isinstance(condlist, (list, tuple)):
        alone = as_array(condlist).ndim == 0 or (x.ndim and as_array(condlist).ndim < 2)
    else:
        several = isinstance(first, (list, numpy.ndarray)) or (
            isinstance(first, ndarray) and not first._is_scalar
        )
        alone = bool(condlist) and x.ndim and not several
    if alone:
        condlist = [condlist]
    conditions = [as_array(condition, bool) for condition in condlist]
    if count == len(conditions) + 1:
        other = conditions[0]
        for condition in conditions[1:]:
            other = other | condition
        conditions.append(~other)
    elif count != len(conditions):
        raise ValueError(
            f"with {len(conditions)} condition(s), either {len(conditions)} or "
            f"{len(conditions) + 1} functions are expected"
        )
    result = _core.full(x.shape, 0, x.dtype, x.device)
    for condition, function in zip(conditions, funclist, strict=True):
        if not callable(function):
            result[condition] = function
            continue
        chosen = x[condition]
        if chosen.size > 0:
            result[condition] = function(chosen, *args, **kw)
    return result


def _to_host(value):
    return value._snapshot() if isinstance(value, ndarray) else value


class vectorize(numpy.vectorize):
    """A Python function of numbers called for every element, with NumPy's broadcasting."""

    def __call__(self, *args, **kwargs):
        args = [_to_host(value) for value in args]
        kwargs = {name: _to_host(value) for name, value in kwargs.items()}
        result = super().__call__(*args, **kwargs)
        if isinstance(result, tuple):
            return tuple(as_array(part) for part in result)
        return result if callable(result) else as_array(result)
