"""Arguments that are no arrays: integers, axes, casting rules, orders of memory, flags."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any, SupportsIndex, cast

import numpy as _numpy
from numpy import _NoValue
from numpy.exceptions import AxisError
from numpy.lib import array_utils

from heddle._typing import Casting, IndexMode, Order

no_value: Any = _NoValue  # an argument that was not given; the default of any type

# NumPy's own, which take whatever has an index: more than its stubs say.
normalize_axis_index: Callable[..., int] = array_utils.normalize_axis_index
normalize_axis_tuple: Callable[..., tuple[int, ...]] = array_utils.normalize_axis_tuple

castings = ("no", "equiv", "safe", "same_kind", "unsafe")
orders = ("C", "F", "A", "K")
index_modes: tuple[IndexMode, ...] = ("clip", "wrap", "raise")  # by NumPy's numbers


def as_integer(value: SupportsIndex) -> int:
    """An extent or an axis: bool is not taken for one."""
    if value is True or value is False:
        raise TypeError("an integer is required")
    return operator.index(value)


def normalize_axis(axis: SupportsIndex, ndim: int) -> int:
    """A non-negative axis; AxisError where there is none."""
    axis = as_integer(axis)
    if not -ndim <= axis < ndim:
        raise AxisError(axis, ndim)
    return axis % ndim


def normalize_axes(
    axis: SupportsIndex | tuple[SupportsIndex, ...] | None, ndim: int
) -> tuple[int, ...]:
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


def check_casting(casting: Casting) -> Casting:
    """The casting rule, or NumPy's error for one that does not exist."""
    if not isinstance(casting, str):
        raise TypeError(f"casting must be str, not {type(casting).__name__}")
    if casting not in castings:
        raise ValueError(
            f"casting must be one of 'no', 'equiv', 'safe', 'same_kind', 'unsafe' (got '{casting}')"
        )
    return casting


def check_order(order: str | None, default: Order = "K") -> Order:
    """The memory order as one upper-case letter; None stands for the function's default."""
    if order is None:
        return default
    if not isinstance(order, str):
        raise TypeError(f"order must be str, not {type(order).__name__}")
    upper = order.upper()
    if upper not in orders:
        raise ValueError(f"order must be one of 'C', 'F', 'A', or 'K' (got '{order}')")
    return cast("Order", upper)


def check_index_mode(mode: Any) -> IndexMode:
    """What becomes of indices beyond an axis: by name, by NumPy's number, or None for 'raise'."""
    if mode is None:
        return "raise"
    if isinstance(mode, str):
        return cast("IndexMode", mode)
    if isinstance(mode, int) and 0 <= mode <= 2:
        return index_modes[mode]
    raise TypeError("clipmode not understood")


def check_flag(name: str, value: object) -> bool:
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


def check_copy(copy: object) -> bool | None:
    """A ``copy`` argument: a truth value, or None for where it is needed."""
    if isinstance(copy, str):
        raise ValueError("strings are not allowed for 'copy' keyword. Use True/False/None instead.")
    if isinstance(copy, _numpy._CopyMode):
        return _copy_modes[copy]
    return None if copy is None else bool(copy)


def dims(shape: Sequence[int]) -> str:
    """A shape as NumPy's messages write it: ``(2,3)``."""
    return "(" + ",".join(map(str, shape)) + ("," if len(shape) == 1 else "") + ")"
