"""Arguments that are arrays, and what they are made with: types, shapes, memory."""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Iterable, Sequence
from typing import Any, SupportsFloat, SupportsIndex, TypeVar, cast

import numpy

from heddle import _core
from heddle._arguments.checks import as_integer, check_casting, check_order, dims, normalize_axis
from heddle._core import in_core, ndarray, own_array, ufuncs
from heddle._typing import ArrayLike, Axis, Casting, DTypeLike, Order, ShapeLike

_F = TypeVar("_F", bound=Callable[..., Any])
_WEAK = (bool, int, float, complex)


def _join_nested(obj: Sequence[Any], dtype: DTypeLike | None) -> ndarray:
    """An array from a nested sequence that holds arrays, without reading them back."""
    parts = [as_array(item) for item in obj]
    shape = parts[0].shape
    if any(part.shape != shape for part in parts):
        raise ValueError(
            "setting an array element with a sequence. The requested array has an inhomogeneous "
            f"shape after 1 dimensions. The detected shape was ({len(parts)},) + inhomogeneous "
            "part."
        )
    if dtype is None:
        dtype = numpy.result_type(*(part.dtype for part in parts))
    result = _core.empty((len(parts), *shape), dtype, parts[0].device)
    integers = numpy.dtype(dtype).kind in "iu"
    for i, part in enumerate(parts):
        if integers and part._is_scalar and not numpy.can_cast(part.dtype, dtype):
            result[i] = part  # numbers have to fit
        else:
            _core.write(result[i, ...], part)
    return result


@in_core
def as_array(obj: ArrayLike, dtype: DTypeLike | None = None) -> ndarray:
    """`obj` as an array of ours: itself when it is one already, of this type.

    What stands for a number of Python's in a recorded call is an array here as the number would be.
    """
    if isinstance(obj, own_array):
        return obj if dtype is None or obj.dtype == dtype else obj._astype(dtype, "K")
    if isinstance(obj, (list, tuple)):
        made = _core.from_numbers(obj, dtype)
        if made is not None:
            return made
        if _core.holds_arrays(obj):
            return _join_nested(obj, dtype)
    if isinstance(obj, (numpy.ndarray, numpy.generic)):
        if obj.ndim == 0 and dtype is not None:
            obj = obj.astype(dtype)
    elif hasattr(type(obj), "__array__"):
        return as_array(_core.asarray(obj), dtype)
    elif dtype is not None or isinstance(obj, _WEAK):
        obj = numpy.asarray(obj, dtype)  # checks the range of Python's integers
    if (
        (type(obj) is numpy.ndarray or isinstance(obj, numpy.generic))
        and obj.ndim == 0
        and obj.dtype.kind in "biufcV"
    ):
        # A constant of kernels: nothing is copied.
        return _core.full((), obj.item(), obj.dtype.newbyteorder("="))
    return _core.asarray(obj, dtype)


def as_array_beside(obj: ArrayLike, other: ndarray, dtype: DTypeLike | None = None) -> ndarray:
    """`obj` as an array of ours: on the device of another one, unless it is somewhere already."""
    made = as_array(obj, dtype)
    return made if isinstance(obj, own_array) else made.to_device(other.device)


def both_arrays(a: ArrayLike, b: ArrayLike) -> tuple[ndarray, ndarray]:
    """Both as arrays of ours; what is none yet goes to where the other one is."""
    if isinstance(a, own_array) or not isinstance(b, own_array):
        first = as_array(a)
        return first, as_array_beside(b, first)
    return as_array_beside(a, b), b


def of_great_integers(function: Callable[..., Any], a: ArrayLike, b: ArrayLike) -> ndarray | None:
    """What NumPy's function makes of integers of Python's that are beyond every type; None where
    that is not what keeps the operands from being arrays of ours."""
    held = [x.get() if isinstance(x, own_array) else numpy.asarray(x) for x in (a, b)]
    great = [x for x in held if x.dtype.kind == "O"]
    if not great or not all(type(i) is int for x in great for i in x.flat):
        return None
    return as_array(function(*held))


def as_operand(obj: ArrayLike) -> ndarray | complex:
    """An operand of an operation: Python's numbers stay weak, the rest becomes arrays."""
    if type(obj) in _WEAK or isinstance(obj, own_array):
        return cast("complex", obj)
    return as_array(obj)


def as_number(value: object, name: str) -> float:
    """A parameter that is one real number, as Python's; an array may hold it."""
    if isinstance(value, own_array | numpy.ndarray | numpy.generic):
        value = value.item()
    if isinstance(value, int | float):
        return value
    if isinstance(value, str | bytes) or not hasattr(type(value), "__float__"):
        raise TypeError(f"{name} must be a real number, not {type(value).__name__}")
    return float(cast("SupportsFloat", value))


def as_dtype(dtype: DTypeLike | None, default: DTypeLike | None = None) -> numpy.dtype[Any]:
    """A NumPy dtype object; `default` for None."""
    return numpy.dtype(default if dtype is None else dtype)


def as_index(obj: ArrayLike) -> ndarray:
    """An array of int64 indices. Arrays have to be of integers or bool; lists are converted."""
    if not isinstance(obj, (own_array, numpy.ndarray)):
        made = as_array(obj)
        if made.dtype.kind == "c":
            raise TypeError("indices and counts must be integers, not complex numbers")
        return as_array(made, numpy.int64)
    indices = as_array(obj)
    check_cast(indices.dtype, numpy.dtype(numpy.int64), "safe")
    return as_array(indices, numpy.int64)


def _is_extent(extent: object) -> bool:
    return type(extent) is int and extent >= 0


def as_shape(shape: ShapeLike) -> tuple[int, ...]:
    """A tuple of extents from an integer or a sequence of them."""
    given = (shape,) if type(shape) is int else shape
    if type(given) is tuple and all(map(_is_extent, given)):
        return given
    if shape is None:
        raise TypeError("Use () not None as shape arguments")
    try:
        extents: tuple[int, ...] = (operator.index(cast("SupportsIndex", shape)),)
    except TypeError:
        extents = tuple(as_integer(extent) for extent in cast("Sequence[SupportsIndex]", shape))
    else:
        as_integer(cast("SupportsIndex", shape))
    if any(extent < 0 for extent in extents):
        raise ValueError("negative dimensions are not allowed")
    return extents


def launch_sizes(given: Any, what: str) -> list[int]:
    """How many blocks or threads there are along one to three axes, or along one."""
    if type(given) is int:
        return [given]
    if type(given) is tuple and len(given) <= 3 and {*map(type, given)} == {int}:
        return list(given)
    items = list(given) if isinstance(given, Iterable) else [given]
    if not 1 <= len(items) <= 3:
        raise ValueError(f"{what} have one to three axes, not {len(items)}")
    made: list[int] = []
    for item in items:
        try:
            made.append(int(item.__index__()))
        except AttributeError:
            if isinstance(item, float) and item.is_integer():
                made.append(int(item))
                continue
            raise TypeError(
                f"{what} are counted by integers, not by {type(item).__name__}"
            ) from None
    return made


def one_axis(a: ndarray, axis: Axis | None) -> tuple[ndarray, int]:
    """The array to walk along one axis: flattened without one; a 0-d array is one element."""
    if axis is None or a.ndim == 0:
        a, axis = a._reshape((a.size,)), 0 if axis is None else axis
    return a, normalize_axis(axis, a.ndim)


def check_cast(
    source: numpy.dtype[Any], target: numpy.dtype[Any], casting: Casting, what: str = "array data"
) -> None:
    """Raise TypeError unless the casting rule allows it."""
    if not _core.can_cast(source, target, check_casting(casting)):
        raise TypeError(
            f"Cannot cast {what} from {source!r} to {target!r} according to the rule {casting!r}"
        )


def needs_array(obj: object, function: str) -> None:
    """Raise TypeError unless `obj` is an array that can be written to; NumPy writes to its own."""
    if not isinstance(obj, own_array) or obj._is_scalar:
        if isinstance(obj, numpy.ndarray):
            raise _core.NoNumbers(
                f"{function}() argument 1 must be a heddle.ndarray, not a numpy.ndarray"
            )
        kind = f"{obj.dtype} scalar" if isinstance(obj, own_array) else type(obj).__name__
        raise TypeError(f"{function}() argument 1 must be a numpy.ndarray, not {kind}")


def handles_ufuncs(a: object) -> bool:
    """Whether it is an array of NumPy's of a class that runs ufuncs its own way."""
    if type(a) is numpy.ndarray or not isinstance(a, numpy.ndarray):
        return False
    return type(a).__array_ufunc__ is not numpy.ndarray.__array_ufunc__


def fitted(a: ndarray, shape: tuple[int, ...], what: str = "input array") -> ndarray:
    """The array without the leading ones that its target lacks; ValueError where it cannot fit."""
    have = a.shape
    while len(have) > len(shape) and have[0] == 1:
        have = have[1:]
    padded = (1,) * (len(shape) - len(have)) + have
    if len(padded) != len(shape) or any(
        extent not in (1, want) for extent, want in zip(padded, shape, strict=True)
    ):
        raise ValueError(
            f"could not broadcast {what} from shape {dims(a.shape)} into shape {dims(shape)}"
        )
    return a if len(have) == a.ndim else a._reshape(have)


def all_of(a: ArrayLike) -> bool:
    """Python's truth of all elements; an array of it where rows of a batch differ."""
    made = _core.reduce(ufuncs["logical_and"], as_array(a), None, False, None)
    return made if _core.is_stand_in(made) else bool(made)  # type: ignore[return-value]


def any_of(a: ArrayLike) -> bool:
    """Python's truth of any element."""
    return bool(_core.reduce(ufuncs["logical_or"], as_array(a), None, False, None))


def memory_order(a: ndarray) -> list[int]:
    """The axes from the slowest to the fastest in memory, as NumPy's order 'K' walks them."""
    steps = [abs(s) if n != 1 else 0 for s, n in zip(a.strides, a.shape, strict=True)]
    order: list[int] = []
    for axis in range(a.ndim - 1, -1, -1):
        # Axes that do not move in memory say nothing: the order of the axes decides.
        place = len(order)
        for i in range(len(order) - 1, -1, -1):
            if steps[axis] and steps[order[i]]:
                if steps[order[i]] <= steps[axis]:
                    break
                place = i
        order.insert(place, axis)
    return order[::-1]


def axes_in_order(
    shape: tuple[int, ...], order: Order | None, like: ndarray | None = None
) -> tuple[int, ...] | None:
    """The axes from the slowest to the fastest for a new array; None for C's order.

    The order is 'C' or 'F', or 'K' and 'A' for one as `like` has it.
    """
    order = check_order(order)
    if order in ("A", "K"):
        if like is None or like._c_contiguous or (order == "K" and like.ndim != len(shape)):
            order = "C"
        elif like._f_contiguous:
            order = "F"
        elif order == "A":
            order = "C"
    if order == "C" or len(shape) < 2:
        return None
    if order == "F" or like is None:
        return tuple(range(len(shape)))[::-1]
    return tuple(memory_order(like))


def empty_in_order(
    shape: tuple[int, ...],
    dtype: DTypeLike,
    order: Order | None,
    device: str | None = None,
    like: ndarray | None = None,
) -> ndarray:
    """An array whose elements are not set, in an order of memory as in axes_in_order."""
    return _core.empty(shape, dtype, device, axes_in_order(shape, order, like))


def shared_or_copied(a: numpy.ndarray[Any, Any], base: object = None) -> ndarray:
    """The memory of an array of NumPy's; a copy where ours cannot have it, as it is unaligned."""
    if _core.shareable(a):
        return _core.alias(a, base)
    return _core.taken(a.astype(a.dtype.newbyteorder("=")))


def of_numbers(
    compute: Callable[[], Any],
    theirs: Callable[..., Any] | None,
    args: Sequence[Any],
    kwargs: dict[str, Any],
) -> Any:
    """What ``compute`` gives; NumPy's function of the arguments if they are no numbers."""
    try:
        return compute()
    except _core.NoNumbers:
        if theirs is None:
            raise
        from heddle._protocols.numpy import numpys_own  # which imports this package

        return numpys_own(theirs, args, kwargs)


def accepts_like(function: _F) -> _F:
    """Heed `like`, which the function lists last: a foreign array makes one of its own kind."""
    foreign = getattr(numpy, function.__name__)

    @functools.wraps(function)
    def create(*args: object, like: object = None, **kwargs: object) -> Any:
        if like is None:
            return of_numbers(lambda: function(*args, **kwargs), foreign, args, kwargs)
        if not isinstance(like, own_array):
            return foreign(*args, like=like, **kwargs)
        _core.push_device(like.device)
        try:
            return function(*args, **kwargs)
        finally:
            _core.pop_device()

    return cast("_F", create)
