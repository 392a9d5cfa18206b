"""Generalized ufuncs: functions of vectors and matrices that broadcast over the other axes.

Calls with arrays alone run in the core; what is here reads the arguments of all others.
"""

from __future__ import annotations

import re
from typing import Any

import numpy as _numpy
from numpy.exceptions import AxisError

from heddle import _core
from heddle._arguments import (
    as_array,
    as_integer,
    as_target,
    check_casting,
    check_flag,
    check_order,
    check_stored,
    dims,
    no_value,
    normalize_axis,
    of_numbers,
)
from heddle._core import ndarray, ufunc
from heddle._math.ufunc_calls import (
    check_inputs,
    dispatch,
    is_plain,
    ordered,
    split_outputs,
    wanted_types,
)
from heddle._typing import Casting, DType

_keywords = {"out", "casting", "order", "dtype", "subok", "signature", "sig"}
_axes_keywords = {"axes", "axis", "keepdims"}


def _core_dims(u: ufunc, inputs: tuple[ndarray, ...]) -> list[tuple[str, ...]]:
    """The names of the core dimensions of each operand, without those that are left out.

    A dimension such as ``n?`` may be missing; it then is so in the output as well.
    """
    operands = [
        tuple(filter(None, part.split(","))) for part in re.findall(r"\((.*?)\)", str(u.signature))
    ]
    missing = set()
    for i, (a, names) in enumerate(zip(inputs, operands, strict=False)):
        needed = [n for n in names if not n.endswith("?")]
        if a.ndim < len(needed):
            raise ValueError(
                f"{u.name}: Input operand {i} does not have enough dimensions (has {a.ndim}, "
                f"gufunc core with signature {u.signature} requires {len(needed)})"
            )
        if a.ndim < len(names):
            missing |= {n for n in names if n.endswith("?")}
    return [tuple(n for n in names if n not in missing) for names in operands]


def _axes_of(u: ufunc, item: tuple[int, ...], operand: int, count: int) -> tuple[int, ...]:
    """One entry of ``axes``: a tuple, or an integer for a single core dimension."""
    if not isinstance(item, tuple):
        if count != 1:
            as_integer(item)
            raise AxisError(
                f"{u.name}: operand {operand} has {count} core dimensions, but the axes item is a "
                "single integer."
            )
        return (as_integer(item),)
    if len(item) != count:
        raise AxisError(
            f"{u.name}: operand {operand} has {count} core dimensions, but {len(item)} dimensions "
            "are specified by axes tuple."
        )
    return tuple(as_integer(axis) for axis in item)


def _core_axes(
    u: ufunc, operands: list[tuple[str, ...]], kwargs: dict[str, Any]
) -> list[tuple[int, ...]] | None:
    """Where the core dimensions of each operand are; None where all of them are the last ones."""
    axes, axis = kwargs.get("axes", no_value), kwargs.get("axis", no_value)
    keepdims = kwargs.get("keepdims", no_value)
    *given, result = operands
    if keepdims is not no_value:
        if keepdims is not True and keepdims is not False:
            raise TypeError("'keepdims' must be a boolean")
        if result or len({len(names) for names in given}) != 1:
            raise TypeError(
                f"{u.name} does not support keepdims: its signature {u.signature} requires output "
                f"0 to have {len(result)} core dimensions, but keepdims can only be used when all "
                "inputs have the same number of core dimensions and all outputs have no core "
                "dimensions."
            )
        if keepdims:
            result = given[0]
    if axes is not no_value and axis is not no_value:
        raise TypeError("cannot specify both 'axis' and 'axes'")
    counts = [len(names) for names in (*given, result)]
    if axis is not no_value:
        if any(len(names) != 1 for names in given) or len(operands[-1]) > 0:
            distinct = len({name for names in operands for name in names})
            raise TypeError(
                f"{u.name}: axis can only be used with a single shared core dimension, not with "
                f"the {distinct} distinct ones implied by signature {u.signature}."
            )
        return [(as_integer(axis),) * count for count in counts]
    if axes is no_value:
        return None
    if not isinstance(axes, list):
        raise TypeError("axes should be a list.")
    if len(axes) == len(given) and not operands[-1]:
        axes = [*axes, tuple(range(-counts[-1], 0))]
    if len(axes) != len(counts):
        raise ValueError(
            f"axes should be a list with an entry for all {len(counts)} inputs and outputs; "
            "entries for outputs can only be omitted if none of them has core axes."
        )
    return [_axes_of(u, *entry) for entry in zip(axes, range(len(axes)), counts, strict=True)]


def _order_of_axes(axes: tuple[int, ...], ndim: int, operand: int) -> tuple[int, ...]:
    """All axes, with those of the core dimensions at the end."""
    core: list[int] = []
    for axis in (normalize_axis(axis, ndim) for axis in axes):
        if axis in core:
            raise ValueError(f"axes item {operand} has value {axis} repeated")
        core.append(axis)
    return (*(axis for axis in range(ndim) if axis not in core), *core)


def _computed_in(
    u: ufunc, inputs: tuple[ndarray, ...], kwargs: dict[str, Any], casting: Casting
) -> DType:
    wanted = {w for w in wanted_types(u, kwargs) or () if w is not None}
    if not wanted:
        return _core.common_type(*inputs)
    if len(wanted) > 1:
        raise TypeError(
            f"No loop matching the specified signature and casting was found for ufunc {u.name}"
        )
    (kind,) = wanted
    check_inputs(u, inputs, kind, casting)
    return kind


def _deliver(
    u: ufunc, result: ndarray, out: ndarray, places: tuple[int, ...] | None, core: int
) -> ndarray | None:
    """Writes the result to ``out``, whose core dimensions are where ``axes`` says."""
    target = as_target(out)
    if places is not None:
        target = target._transpose(_order_of_axes(places, target.ndim, u.nin))
    if core and target.shape[target.ndim - core :] != result.shape[result.ndim - core :]:
        raise ValueError(
            f"{u.name}: Output operand 0 has a mismatch in its core dimensions, with gufunc "
            f"signature {u.signature}: {dims(target.shape)} is different from {dims(result.shape)}"
        )
    loop, wanted = result.shape[: result.ndim - core], target.shape[: target.ndim - core]
    # As for other ufuncs, the output may be larger than what the inputs are broadcast to.
    lead = len(wanted) - len(loop)
    if lead < 0 or any(n not in (1, m) for n, m in zip(loop, wanted[lead:], strict=True)):
        raise ValueError(
            f"{u.name}: non-broadcastable output operand with shape {dims(target.shape)} doesn't "
            f"match the broadcast shape {dims(result.shape)}"
        )
    _core.write(target, result)
    return out


def _call(u: ufunc, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Runs a generalized ufunc."""
    for name in kwargs:
        if name not in _keywords and name not in _axes_keywords:
            raise TypeError(f"{u.name}() got an unexpected keyword argument '{name}'")
    if kwargs.get("out") is Ellipsis:  # an array also where there is but one element
        return _call(u, args, {k: v for k, v in kwargs.items() if k != "out"})[...]
    given, outs = split_outputs(u, args, kwargs)
    if not all(is_plain(a) for a in (*given, *(outs or ()))):
        rest = kwargs if outs is None else {**kwargs, "out": outs}
        answer = dispatch(u, "__call__", given, rest)
        if answer is not no_value:
            return answer
    inputs = tuple(as_array(a) for a in given)
    casting = check_casting(kwargs.get("casting", "same_kind"))
    order = check_order(kwargs.get("order"))
    check_flag("subok", kwargs.get("subok", True))
    kind = _computed_in(u, inputs, kwargs, casting)
    if outs is not None:
        check_stored(kind, as_target(outs[0]).dtype, u.name, casting)
    operands = _core_dims(u, inputs)
    axes = _core_axes(u, operands, kwargs)
    if axes is not None:
        inputs = tuple(
            a._transpose(_order_of_axes(where, a.ndim, i))
            for i, (a, where) in enumerate(zip(inputs, axes, strict=False))
        )
    result = _core.multiply(u, inputs[0], inputs[1], kind)
    core = len(operands[-1])
    if kwargs.get("keepdims", False):
        core = len(operands[0])
        result = result._reshape(result.shape + (1,) * core)
    places = None if axes is None or not core else axes[-1]
    if outs is not None:
        return _deliver(u, result, outs[0], places, core)
    if places is not None:
        moved = _order_of_axes(places, result.ndim, u.nin)
        result = result._transpose(tuple(moved.index(axis) for axis in range(result.ndim)))
    return ordered(result, order)


def _call_or_numpys(u: ufunc, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """The same, but NumPy's for what is no numbers: objects."""
    return of_numbers(lambda: _call(u, args, kwargs), getattr(_numpy, u.name), args, kwargs)


_core.set_generalized_call(_call_or_numpys)

# By name; calls that the core leaves to Python come here.
products = _core.generalized_ufuncs
