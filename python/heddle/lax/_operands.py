"""How functions of `heddle.lax` read operands: of one type, and of shapes that fit as they are."""

from __future__ import annotations

from typing import Any

import heddle as hd
from heddle._transform.arguments import is_number
from heddle._typing import ArrayLike, DType

_NAMES = {
    "b": "truth values",
    "i": "signed integers",
    "u": "unsigned integers",
    "f": "floating-point numbers",
    "c": "complex numbers",
}


def kind_of(dtype: DType) -> str:
    """NumPy's letter for the kind of a type; bfloat16 is a floating-point one."""
    return "f" if dtype.name == "bfloat16" else dtype.kind


def check_kind(what: str, array: hd.ndarray, kinds: str) -> hd.ndarray:
    """The array; TypeError for a type that the function is not for."""
    if kind_of(array.dtype) not in kinds:
        wanted = ", ".join(_NAMES[kind] for kind in kinds)
        raise TypeError(f"lax.{what}: an array of {array.dtype} is given; it is for {wanted}")
    return array


def read_one(what: str, value: object, kinds: str) -> hd.ndarray:
    """An operand of a function of one."""
    return check_kind(what, hd.asarray(value), kinds)


def read(what: str, kinds: str, *values: ArrayLike) -> list[hd.ndarray]:
    """Operands of one type and of one shape; Python's numbers take the type of the others.

    Nothing is promoted, and dimensions are not added: that is what functions of `heddle` do.
    """
    arrays = [None if is_number(value) else hd.asarray(value) for value in values]
    types = {array.dtype for array in arrays if array is not None}
    if len(types) > 1:
        given = ", ".join(str(array.dtype) for array in arrays if array is not None)
        raise TypeError(
            f"lax.{what}: operands have to be of one type, not of {given}; "
            "functions of heddle itself promote types"
        )
    dtype = types.pop() if types else hd.result_type(*[hd.asarray(value) for value in values])
    made = [
        _number(what, value, dtype) if array is None else array
        for value, array in zip(values, arrays, strict=True)
    ]
    check_kind(what, made[0], kinds)
    ranks = {array.ndim for array in made} - {0}
    if len(ranks) > 1:
        shapes = ", ".join(str(array.shape) for array in made)
        raise TypeError(
            f"lax.{what}: operands have to have as many dimensions as one another, not shapes "
            f"{shapes}"
        )
    return made


def _number(what: str, value: object, dtype: DType) -> hd.ndarray:
    order = "biufc"
    own = kind_of(hd.asarray(value).dtype)
    if order.index(own) > order.index(kind_of(dtype)) and not (own == "i" and dtype.kind == "u"):
        raise TypeError(f"lax.{what}: {value!r} is no number of the other operand's type, {dtype}")
    return hd.asarray(value, dtype=dtype)


def read_axis(what: str, axis: int, ndim: int) -> int:
    """An axis as a number from 0 on."""
    if not -ndim <= axis < ndim:
        raise ValueError(f"lax.{what}: axis {axis} is out of bounds for {ndim} dimensions")
    return axis % ndim


def read_axes(what: str, axes: Any, ndim: int) -> tuple[int, ...]:
    """Axes as numbers from 0 on, each once."""
    given = (axes,) if isinstance(axes, int) else tuple(axes)
    found = tuple(read_axis(what, axis, ndim) for axis in given)
    if len(set(found)) != len(found):
        raise ValueError(f"lax.{what}: an axis is there twice: {given}")
    return found
