"""What is done to every row of an array along one of its axes."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from heddle.simt._operations import describe
from heddle.simt._types import Array, Constant, Num, Part
from heddle.simt._whole import Lazy, Whole


def taken(args: list[Any], keywords: dict[str, Any], place: int, key: str = "axis") -> Any:
    """An argument by its place or its name, which is then no argument any more; None: not given."""
    found = keywords.pop(key, None)
    if found is None and place < len(args):
        found = args.pop(place)
    return None if isinstance(found, Constant) and found.value is None else found


def axis_of(s: Whole, value: Array | Lazy, axis: object, node: ast.AST) -> int:
    """A literal axis, counted from the front."""
    number = s.known_integer(axis, node, "an axis")
    if not -value.ndim <= number < value.ndim:
        raise s.error(node, f"axis {number} is out of bounds for {describe(value)}")
    return number % value.ndim


def moved(s: Whole, array: Array, axes: list[int], node: ast.AST) -> Array:
    """The same elements, with the axes in another order."""
    shape = [s.extent(array, axis) for axis in axes]
    strides = [s.stride(array, axis) for axis in axes]
    last = bool(axes) and axes[-1] == array.ndim - 1 and s.is_unit(array)
    return s.view(array, Part(s._offset(array), shape, strides, last), node)


def along(
    s: Whole,
    value: Array | Lazy,
    axis: object,
    of: Callable[[Array], Any],
    node: ast.AST,
    length: Callable[[Num], Num] | None = None,
) -> Any:
    """`of` every row along an axis: a number, or a row of so many elements as `length` says."""
    array = s.made_array(value, node) if isinstance(value, Lazy) else value
    number = axis_of(s, array, axis, node)
    if array.ndim == 1:
        return of(array)
    if not s.host:
        raise s.error(node, "kernels make no arrays: go over the rows in a loop")
    others = [a for a in range(array.ndim) if a != number]
    rows = moved(s, array, [*others, number], node)
    shape = [s.temporary(s.extent(array, a), node) for a in others]
    if length is not None:
        shape.append(s.temporary(length(s.extent(array, number)), node))
    # Which type it gives: written once, and thrown away.
    before, s.statements = s.statements, []
    sample = of(s.element(rows, [s.constant(0)] * len(others), node))
    s.statements = before
    dtype = sample.type.dtype if isinstance(sample, (Num, Lazy)) else sample.dtype
    made = s.allocate(shape, dtype, False, array.numpys, node)

    def turn(indices: list[Num]) -> None:
        found = of(s.element(rows, list(indices), node))
        if isinstance(found, Num):
            s.store(made, indices, found, node)
        else:
            s.fill(s.element(made, list(indices), node), found, node)

    s.nested(shape[: len(others)], turn, node)
    if length is None:
        return made
    back = list(range(len(others)))
    back.insert(number, len(others))
    return moved(s, made, back, node)
