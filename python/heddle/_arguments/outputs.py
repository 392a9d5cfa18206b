"""Where results go: ``out``, ``where``, and what is checked before anything is written."""

from __future__ import annotations

from typing import Any, cast

import numpy as _numpy

from heddle import _core
from heddle._arguments.checks import dims, no_value
from heddle._core import ndarray, own_array
from heddle._typing import ArrayLike, Casting, DType, DTypeLike, Output


def as_target(out: object) -> ndarray:
    """The heddle array to write to for an ``out`` argument; an alias for NumPy's arrays."""
    if isinstance(out, own_array) and not out._is_scalar:
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


def as_mask(where: ArrayLike) -> ndarray | None:
    """A ``where`` argument as a boolean array; None for True."""
    if where is True or where is no_value:
        return None
    if isinstance(where, bool | int | float):  # NumPy takes the truth of Python numbers
        where = bool(where)
        return None if where else _core.asarray(False)
    strict = isinstance(where, own_array | _numpy.ndarray | _numpy.generic)
    mask = _core.asarray(where) if strict else _core.asarray(where, bool)
    if mask.dtype != bool:
        raise TypeError(
            f"Cannot cast array data from {mask.dtype!r} to dtype('bool') according to the rule "
            "'safe'"
        )
    return mask


def filled(value: Any, dtype: DTypeLike) -> ndarray:
    """A 0-d array of a dtype."""
    if isinstance(value, own_array):
        return _core.full((), value._item(), dtype)
    held = isinstance(value, _numpy.generic | _numpy.ndarray)
    return _core.full((), value.item() if held else value, dtype)


def check_stored(made: DType, target: DType, name: str, casting: Casting = "same_kind") -> None:
    """Refuse a target that does not take what an operation makes, before shapes are compared."""
    if not _core.can_cast(made, target, casting):
        raise TypeError(
            f"Cannot cast ufunc '{name}' output from {made!r} to {target!r} with casting rule "
            f"'{casting}'"
        )


def store_reduced(
    result: ndarray, out: Output | None, name: str, casting: Casting = "unsafe"
) -> ndarray:
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
    return cast("ndarray", out)  # what was given, even where it is NumPy's


def check_fits_back(out: Output, dtype: DType) -> None:
    """Refuse an `out` whose elements do not fit into the type that NumPy runs a routine in."""
    target = as_target(out)
    if not _core.can_cast(target.dtype, dtype, "safe"):
        raise TypeError(
            f"Cannot cast array data from {target.dtype!r} to {dtype!r} according to "
            "the rule 'safe'"
        )


def store_back(result: ndarray, out: Output | None) -> ndarray:
    """As `store_exact` for routines that NumPy runs in the type of the result.

    What ``out`` holds has to fit into that type; what is written there is cast.
    """
    if out is not None and as_target(out).shape == result.shape:
        check_fits_back(out, result.dtype)
    return store_exact(result, out, "unsafe")


def store_exact(result: ndarray, out: Output | None, casting: Casting = "same_kind") -> ndarray:
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
    return cast("ndarray", out)  # what was given, even where it is NumPy's
