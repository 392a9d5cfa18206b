"""What the routines share: reading arguments, and storing results in ``out``."""

import operator
from collections.abc import Sequence
from typing import Any

import numpy as _numpy
from numpy import _NoValue as no_value
from numpy.exceptions import AxisError

from heddle import _core

castings = ("no", "equiv", "safe", "same_kind", "unsafe")
orders = ("C", "F", "A", "K")


def as_integer(value: Any) -> int:
    """An extent or an axis: bool is not taken for one."""
    if value is True or value is False:
        raise TypeError("an integer is required")
    return operator.index(value)


def normalize_axis(axis: Any, ndim: int) -> int:
    """A non-negative axis; AxisError where there is none."""
    axis = as_integer(axis)
    if not -ndim <= axis < ndim:
        raise AxisError(axis, ndim)
    return axis % ndim


def normalize_axes(axis: Any, ndim: int) -> tuple[int, ...]:
    """The axes of a reduction: None for all, an integer or a tuple of them.

    A 0-d array may be reduced along axis 0 or -1, as in NumPy.
    """
    if axis is None:
        return tuple(range(ndim))
    if not isinstance(axis, tuple):
        if ndim == 0 and as_integer(axis) in (0, -1):
            return ()
        return (normalize_axis(axis, ndim),)
    axes = tuple(normalize_axis(i, ndim) for i in axis)
    if len(set(axes)) != len(axes):
        raise ValueError("duplicate value in 'axis'")
    return axes


def check_casting(casting: Any) -> str:
    """The casting rule, or NumPy's error for one that does not exist."""
    if not isinstance(casting, str):
        raise TypeError(f"casting must be str, not {type(casting).__name__}")
    if casting not in castings:
        raise ValueError(
            f"casting must be one of 'no', 'equiv', 'safe', 'same_kind', 'unsafe' (got '{casting}')"
        )
    return casting


def check_order(order: Any, default: str = "K") -> str:
    """The memory order as one upper-case letter; None stands for the function's default."""
    if order is None:
        return default
    if not isinstance(order, str):
        raise TypeError(f"order must be str, not {type(order).__name__}")
    if order.upper() not in orders:
        raise ValueError(f"order must be one of 'C', 'F', 'A', or 'K' (got '{order}')")
    return order.upper()


def check_flag(name: str, value: Any) -> bool:
    """A boolean argument; TypeError for anything that is not a truth value."""
    if value is True or value is False:
        return value
    if not isinstance(value, _numpy.bool | int):
        raise TypeError(f"{name} must be a bool, not {type(value).__name__}")
    return bool(value)


_copy_modes = {
    _numpy._CopyMode.ALWAYS: True,
    _numpy._CopyMode.IF_NEEDED: None,
    _numpy._CopyMode.NEVER: False,
}


def check_copy(copy: Any) -> Any:
    """A ``copy`` argument: a truth value, or None for where it is needed."""
    if isinstance(copy, str):
        raise ValueError("strings are not allowed for 'copy' keyword. Use True/False/None instead.")
    return _copy_modes[copy] if isinstance(copy, _numpy._CopyMode) else copy


def dims(shape: Sequence[int]) -> str:
    """A shape as NumPy's messages write it: ``(2,3)``."""
    return "(" + ",".join(map(str, shape)) + ("," if len(shape) == 1 else "") + ")"


def as_target(out: Any) -> _core.ndarray:
    """The heddle array to write to for an ``out`` argument; an alias for NumPy's arrays."""
    if isinstance(out, _core.ndarray) and not out._is_scalar:
        target = out
    elif isinstance(out, _numpy.ndarray):
        if not out.flags.writeable:
            raise ValueError("output array is read-only")
        target = _core.alias(out)
    else:
        raise TypeError("return arrays must be of ArrayType")
    if not target._writeable:
        raise ValueError("output array is read-only")
    return target


def as_mask(where: Any) -> _core.ndarray | None:
    """A ``where`` argument as a boolean array; None for True."""
    if where is True or where is no_value:
        return None
    if isinstance(where, bool | int | float):  # NumPy takes the truth of Python numbers
        where = bool(where)
        return None if where else _core.asarray(False)
    strict = isinstance(where, _core.ndarray | _numpy.ndarray | _numpy.generic)
    mask = _core.asarray(where) if strict else _core.asarray(where, bool)
    if mask.dtype != bool:
        raise TypeError(
            f"Cannot cast array data from {mask.dtype!r} to dtype('bool') according to the rule "
            "'safe'"
        )
    return mask


def filled(value: Any, dtype: Any) -> _core.ndarray:
    """A 0-d array of a dtype."""
    if isinstance(value, _core.ndarray):
        value = value._item()
    elif isinstance(value, _numpy.generic | _numpy.ndarray):
        value = value.item()
    return _core.full((), value, dtype)


def store_reduced(result: _core.ndarray, out: Any, name: str, casting: str = "unsafe") -> Any:
    """The result of a reduction: itself, or ``out`` after it was written there."""
    if out is None:
        return result
    if isinstance(out, tuple):
        if len(out) != 1:
            raise ValueError("The 'out' tuple must have exactly one entry")
        return store_reduced(result, out[0], name, casting)
    target = as_target(out)
    if target.ndim != result.ndim:
        raise ValueError(
            f"output parameter for reduction operation {name} has the wrong number of dimensions: "
            f"Found {target.ndim} but expected {result.ndim}"
        )
    if target.shape != result.shape:
        raise ValueError(
            f"output parameter for reduction operation {name} has shape {dims(target.shape)} but "
            f"the result has shape {dims(result.shape)}"
        )
    if not _core.can_cast(result.dtype, target.dtype, casting):
        raise TypeError(
            f"Cannot cast {name} output from {result.dtype!r} to {target.dtype!r} with casting "
            f"rule '{casting}'"
        )
    _core.write(target, result)
    return out


def store_back(result: _core.ndarray, out: Any) -> Any:
    """As `store_exact` for routines that NumPy runs in the type of the result.

    What ``out`` holds has to fit into that type; what is written there is cast.
    """
    if out is not None:
        target = as_target(out)
        fits = _core.can_cast(target.dtype, result.dtype, "safe")
        if target.shape == result.shape and not fits:
            raise TypeError(
                f"Cannot cast array data from {target.dtype!r} to {result.dtype!r} according to "
                "the rule 'safe'"
            )
    return store_exact(result, out, "unsafe")


def store_exact(result: _core.ndarray, out: Any, casting: str = "same_kind") -> Any:
    """The result of a routine: itself, or ``out`` of the same shape after it was written there."""
    if out is None:
        return result if result.ndim else result[()]
    target = as_target(out)
    if target.shape != result.shape:
        raise ValueError(
            f"output array has wrong dimensions: expected {dims(result.shape)}, "
            f"found {dims(target.shape)}"
        )
    if not _core.can_cast(result.dtype, target.dtype, casting):
        raise TypeError(
            f"Cannot cast array data from {result.dtype!r} to {target.dtype!r} according to the "
            f"rule '{casting}'"
        )
    _core.write(target, result)
    return out
