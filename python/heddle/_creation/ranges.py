"""Arrays that count: ranges, spaces, and what a function says of indices."""

from __future__ import annotations

import builtins
import itertools
import math
import operator
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Literal, SupportsIndex, cast, overload

import numpy

from heddle import _core
from heddle._arguments import (
    accepts_like,
    as_array,
    as_dtype,
    as_operand,
    as_shape,
    check_cast,
    no_value,
    normalize_axis_index,
)
from heddle._core import in_core, ndarray, own_array, ufuncs
from heddle._creation.arrays import asarray
from heddle._runtime.control import device as scope
from heddle._runtime.control import explicit_copies
from heddle._typing import ArrayLike, Axis, DTypeLike

__all__ = [
    "arange",
    "fromfunction",
    "fromiter",
    "geomspace",
    "linspace",
    "logspace",
]


def _on_host(value: object) -> Any:
    """A bound of a range as a Python or NumPy scalar."""
    if isinstance(value, own_array):
        value = value._snapshot()
    return value[()] if isinstance(value, numpy.ndarray) and value.ndim == 0 else value


def _bounds(first: ArrayLike, start: Any, stop: object) -> tuple[Any, Any]:
    """Start and stop of a range: what is given first, and alone, is where it stops."""
    if start is not no_value:
        if first is not no_value:
            raise TypeError(
                "argument for arange() given by name ('start') and position (position 0)"
            )
        # By name it is only the start.
        if stop is no_value:
            raise TypeError("arange() requires stop to be specified.")
        first = start
    elif first is no_value and stop is no_value:
        raise TypeError("arange() requires stop to be specified.")
    if stop is None or stop is no_value:
        first, stop = no_value, None if first is no_value else first
    first = 0 if first is no_value else first
    if first is None or stop is None:
        kinds = type(stop).__name__, type(first).__name__
        raise TypeError("unsupported operand type(s) for -: '{}' and '{}'".format(*kinds))
    return first, stop


def _length(start: Any, stop: Any, step: object) -> int:
    """NumPy's number of elements of a range."""
    delta = stop - start
    count = delta / step
    if isinstance(count, (complex, numpy.complexfloating)):
        if count != count:
            raise ValueError("arange: cannot compute length")
        parts = (count.real, count.imag)
        # As NumPy: the shorter of the two, and a part that does not move does not count.
        return max(0, min(math.ceil(part) for part in parts))
    count = float(count)
    if math.isnan(count):
        raise ValueError("arange: cannot compute length")
    if count == 0.0 and delta != 0:
        return 0 if math.copysign(1.0, count) < 0 else 1
    if count > 2**62:
        raise ValueError("Maximum allowed size exceeded")
    return max(0, math.ceil(count))


@in_core
@accepts_like
def arange(
    start_or_stop: ArrayLike = no_value,
    /,
    stop: ArrayLike | None = no_value,
    step: ArrayLike | None = None,
    dtype: DTypeLike | None = None,
    *,
    start: ArrayLike = no_value,
    device: str | None = None,
    like: ArrayLike | None = None,
) -> ndarray:
    """Evenly spaced values in the half-open interval [start, stop).

    Examples
    --------
    >>> import heddle as np
    >>> np.arange(5)
    array([0, 1, 2, 3, 4])
    >>> np.arange(1, 2, 0.25)
    array([1.  , 1.25, 1.5 , 1.75])
    """
    if device is not None:
        with explicit_copies(), scope(device):
            return arange(*_bounds(start_or_stop, start, stop), step, dtype)
    start, stop = map(_on_host, _bounds(start_or_stop, start, stop))
    step = _on_host(1 if step is None else step)
    if dtype is None:
        types = [numpy.asarray(bound).dtype for bound in (start, stop, step)]
        dates = [one for one in types if one.kind in "mM"]  # refused below
        dtype = dates[0] if dates else numpy.result_type(numpy.int64, *types)
    dtype = numpy.dtype(dtype)
    check_cast(dtype, dtype, "no")  # only types that arrays of ours have
    count = _length(start, stop, step)
    if dtype.kind == "b" and count > 2:
        raise TypeError(
            "arange() is only supported for booleans when the result has at most length 2."
        )
    # NumPy sets the first two elements and continues from their difference in the array's type.
    head = numpy.empty(2, dtype)
    if count > 0:
        head[0] = start
    if count > 1:
        head[1] = cast("float", start) + cast("float", step)
    if count <= 2:
        return as_array(head[:count])
    half = dtype.itemsize == 2 and dtype.kind not in "iu"
    compute = numpy.dtype(numpy.float32) if half else dtype
    first, second = head.astype(compute)
    with numpy.errstate(all="ignore"):
        delta = second - first
        kept = (first + delta).astype(dtype) == head[1]
    index = _core.index_along((count,), 0)
    result = index if compute == index.dtype else index._astype(compute, "K")
    if delta != 1:
        result = result * as_array(delta)
    if first != 0 or dtype.kind in "fcV":
        result = result + as_array(first)
    if half:
        result = result._astype(dtype, "K")
    if not kept:
        result = _core.select(index == 1, as_array(head[1]), result)
    return result


def _on(a: ndarray, device: str | None) -> ndarray:
    return a if device is None or a.device == device else a._to_device(device)


@overload
def linspace(
    start: ArrayLike,
    stop: ArrayLike,
    num: SupportsIndex = 50,
    endpoint: bool = True,
    retstep: Literal[False] = False,
    dtype: DTypeLike | None = None,
    axis: Axis = 0,
    *,
    device: str | None = None,
) -> ndarray: ...
@overload
def linspace(
    start: ArrayLike,
    stop: ArrayLike,
    num: SupportsIndex = 50,
    endpoint: bool = True,
    *,
    retstep: Literal[True],
    dtype: DTypeLike | None = None,
    axis: Axis = 0,
    device: str | None = None,
) -> tuple[ndarray, ndarray]: ...
@in_core
def linspace(
    start: ArrayLike,
    stop: ArrayLike,
    num: SupportsIndex = 50,
    endpoint: bool = True,
    retstep: bool = False,
    dtype: DTypeLike | None = None,
    axis: Axis = 0,
    *,
    device: str | None = None,
) -> Any:
    """Evenly spaced samples over an interval.

    Examples
    --------
    >>> import heddle as np
    >>> np.linspace(0, 1, 5)
    array([0.  , 0.25, 0.5 , 0.75, 1.  ])
    >>> np.linspace(0, 1, 4, endpoint=False)
    array([0.  , 0.25, 0.5 , 0.75])
    >>> samples, step = np.linspace(0, 1, 5, retstep=True)
    >>> step
    np.float64(0.25)
    """
    num = operator.index(num)
    dtype = None if dtype is None else numpy.dtype(dtype)
    start, stop = as_operand(start), as_operand(stop)
    samples, step = _core.spaced(start, stop, num, bool(endpoint), dtype, operator.index(axis))
    step = step if step.ndim else step[()]
    return (_on(samples, device), step) if retstep else _on(samples, device)


def logspace(
    start: ArrayLike,
    stop: ArrayLike,
    num: SupportsIndex = 50,
    endpoint: bool = True,
    base: ArrayLike = 10.0,
    dtype: DTypeLike | None = None,
    axis: Axis = 0,
) -> ndarray:
    """Samples whose logarithms are evenly spaced.

    Examples
    --------
    >>> import heddle as np
    >>> np.logspace(0, 3, 4)
    array([   1.,   10.,  100., 1000.])
    >>> np.logspace(0, 3, 4, base=2)
    array([1., 2., 4., 8.])
    """
    base = as_operand(base)
    if isinstance(base, own_array) and base.ndim:
        start, stop = as_array(start), as_array(stop)
        rank = max(start.ndim, stop.ndim, base.ndim)
        start, stop, base = (
            a._reshape((1,) * (rank - a.ndim) + a.shape) for a in (start, stop, base)
        )
        base = base[_new_axis(axis, rank + 1)]
    samples = linspace(start, stop, num, endpoint=endpoint, axis=axis)
    samples = ufuncs["power"](base, samples)
    return samples if dtype is None else as_array(samples, numpy.dtype(dtype))


def _new_axis(axis: Axis, rank: int) -> tuple[Any, ...]:
    axis = normalize_axis_index(axis, rank)
    return (slice(None),) * axis + (None,)


def geomspace(
    start: ArrayLike,
    stop: ArrayLike,
    num: SupportsIndex = 50,
    endpoint: bool = True,
    dtype: DTypeLike | None = None,
    axis: Axis = 0,
) -> ndarray:
    """Samples on a geometric progression.

    Examples
    --------
    >>> import heddle as np
    >>> np.geomspace(1, 1000, 4)
    array([   1.,   10.,  100., 1000.])
    """
    start, stop, num = as_array(start), as_array(stop), operator.index(num)
    dtype = None if dtype is None else numpy.dtype(dtype)
    return _core.geomspace(start, stop, num, bool(endpoint), dtype, operator.index(axis))


@accepts_like
def fromfunction(
    function: Callable[..., Any],
    shape: Sequence[int],
    *,
    dtype: DTypeLike = float,
    like: ArrayLike | None = None,
    **kwargs: object,
) -> ndarray:
    """An array from a function of the indices along each axis.

    Examples
    --------
    >>> import heddle as np
    >>> np.fromfunction(lambda i, j: i + j, (3, 3), dtype=int)
    array([[0, 1, 2],
           [1, 2, 3],
           [2, 3, 4]])
    """
    shape = as_shape(shape)
    dtype = as_dtype(dtype, float)
    indices = (_core.index_along(shape, axis)._astype(dtype, "K") for axis in range(len(shape)))
    return cast("ndarray", function(*indices, **kwargs))


@accepts_like
def fromiter(
    iter: Iterable[object],
    dtype: DTypeLike,
    count: SupportsIndex = -1,
    *,
    like: ArrayLike | None = None,
) -> ndarray:
    """A one-dimensional array from an iterable.

    Examples
    --------
    >>> import heddle as np
    >>> np.fromiter((n * n for n in range(5)), dtype=np.int64)
    array([ 0,  1,  4,  9, 16])
    """
    items = builtins.iter(iter)
    first = list(itertools.islice(items, 1))
    if first and isinstance(first[0], own_array):  # nobody looks at what it is
        most = operator.index(count)
        taken: list[Any] = [
            *first,
            *(items if most < 0 else itertools.islice(items, max(most - 1, 0))),
        ]
        if len(taken) < most:
            raise ValueError(
                f"iterator too short: Expected {most} but iterator had only {len(taken)} items."
            )
        return as_array(taken[: most if most >= 0 else None], dtype)
    return asarray(numpy.fromiter(itertools.chain(first, items), dtype, count))
