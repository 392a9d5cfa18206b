"""What whole arrays are asked for: numbers of their elements, and views of other shapes."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, cast

from heddle.simt._along import along, taken
from heddle.simt._operations import describe
from heddle.simt._registry import Handler, known_as
from heddle.simt._types import (
    INT64,
    Array,
    Num,
    Number,
    Part,
    Tuple,
    is_complex,
    is_float,
)
from heddle.simt._whole import Lazy, Whole

if TYPE_CHECKING:
    from heddle.simt._statements import Statements


def _only(s: Whole, name: str, args: list[Any], keywords: dict[str, Any], node: ast.AST) -> Lazy:
    """The array that a function is called with."""
    if keywords or len(args) != 1 or not s.is_whole(args[0]):
        raise s.error(node, f"{name} takes the whole array in compiled functions; write a loop")
    value = args[0]
    return value if isinstance(value, Lazy) else s.as_lazy(value, node)


def _with_axis(name: str, of: Handler) -> Handler:
    """The same along an axis, where one is given."""

    def handler(
        state: Statements, args: list[Any], keywords: dict[str, Any], node: ast.Call
    ) -> Any:
        rest, named = list(args[1:]), dict(keywords)
        axis = taken(rest, named, 0)
        s = cast("Whole", state)
        if axis is None or not args or not s.is_whole(args[0]):
            return of(state, [*args[:1], *rest], named, node)
        return along(s, args[0], axis, lambda row: of(s, [row, *rest], dict(named), node), node)

    return handler


def _var(name: str) -> Handler:
    def handler(
        state: Statements, args: list[Any], keywords: dict[str, Any], node: ast.Call
    ) -> Num:
        s = cast("Whole", state)
        rest, named = list(args[1:]), dict(keywords)
        ddof = taken(rest, named, len(rest), "ddof")
        lazy = _only(s, name, [*args[:1], *rest], named, node)
        mean = s.temporary(s.reduce("mean", lazy, node), node)

        def squared(x: Num) -> Num:
            away = s.temporary(s.apply("subtract", [x, mean], node), node)
            if is_complex(away.type.dtype):
                parts = [s.number_attribute(away, part, node) for part in ("real", "imag")]
                squares = [s.apply("multiply", [p, p], node) for p in parts]
                return s.apply("add", squares, node)
            return s.apply("multiply", [away, away], node)

        if ddof is not None:
            total = s.reduce("sum", s.elementwise(squared, [lazy], node), node)
            count: Num = s.constant(1)
            for extent in lazy.shape:
                count = s.apply("multiply", [count, extent], node)
            left = s.apply("subtract", [count, s.number(ddof, node)], node)
            left = s.apply("maximum", [left, s.constant(0)], node)
            made = s.quotient(total, s.cast(left, total.type, node), node)
            return s.apply("sqrt", [made], node) if name == "std" else made

        made = s.reduce("mean", s.elementwise(squared, [lazy], node), node)
        return s.apply("sqrt", [made], node) if name == "std" else made

    return handler


def _without_nans(name: str, of: str) -> Handler:
    """nansum and the like: what is no number counts as nothing."""

    def handler(
        state: Statements, args: list[object], keywords: dict[str, object], node: ast.Call
    ) -> Num:
        s = cast("Whole", state)
        lazy = _only(s, name, args, keywords, node)
        if not is_float(lazy.type.dtype):
            if is_complex(lazy.type.dtype):
                raise s.error(node, f"{name} is of real numbers in compiled functions")
            return s.reduce(of, lazy, node)
        nothing = {"min": float("inf"), "max": float("-inf"), "prod": 1.0}.get(of, 0.0)

        def number(x: Num) -> Num:
            x = s.temporary(x, node)
            missing = s.apply("isnan", [x], node)
            return s.select(missing, s.constant(nothing, lazy.type), x, node)

        there = s.reduce("sum", _truths(s, lazy, lambda x: s.apply("equal", [x, x], node)), node)
        if of == "mean":
            total = s.reduce("sum", s.elementwise(number, [lazy], node), node)
            return s.quotient(total, s.cast(there, total.type, node), node)
        made = s.reduce(of, s.elementwise(number, [lazy], node), node)
        if of in ("min", "max"):
            none = s.apply("equal", [there, s.constant(0)], node)
            made = s.select(none, s.constant(float("nan"), made.type), made, node)
        return made

    return handler


def _truths(s: Whole, lazy: Lazy, holds: Callable[..., Any]) -> Lazy:
    node = ast.parse("0")

    def one(x: Num) -> Num:
        return s.cast(s.truth(holds(s.temporary(x, node)), node), Number(INT64), node)

    return s.elementwise(one, [lazy], node)


def _count_nonzero(
    state: Statements, args: list[object], keywords: dict[str, object], node: ast.Call
) -> Num:
    s = cast("Whole", state)
    lazy = _only(s, "count_nonzero", args, keywords, node)
    return s.reduce("sum", _truths(s, lazy, lambda x: x), node)


for _name in ("var", "std"):
    known_as(_name, _with_axis(_name, _var(_name)))
for _name in ("nansum", "nanprod", "nanmin", "nanmax", "nanmean"):
    known_as(_name, _with_axis(_name, _without_nans(_name, _name[3:])))
known_as("count_nonzero", _with_axis("count_nonzero", _count_nonzero))


# --- views of another shape ---


def shaped(
    s: Whole,
    name: str,
    value: object,
    args: list[object],
    keywords: dict[str, object],
    node: ast.AST,
) -> Array:
    """x.reshape(...), x.ravel(), x.transpose(): views, and errors where that cannot be."""
    if not isinstance(value, Array) or keywords or value.in_bytes:
        raise s.error(node, f"{name} is of arrays, not of {describe(value)}, and has no keywords")
    if len(args) == 1 and isinstance(args[0], Tuple):
        args = list(args[0].items)
    if name == "transpose":
        return _transposed(s, value, args, node)
    size = s.temporary(s.number(s.array_attribute(value, "size", node), node), node)
    shape = [s.temporary(s.integer(a, node, "in a shape"), node) for a in args]
    if name == "ravel":
        if args:
            raise s.error(node, "ravel takes no arguments in compiled functions")
        shape = [size]
    if sum(n.constant == -1 for n in shape) > 1:
        raise s.error(node, "can only specify one unknown dimension")
    if name == "reshape":
        shape = _filled_in(s, shape, size, node)
    total: Num = s.constant(1)
    for n in shape:
        total = s.apply("multiply", [total, n], node)
    fits = s.apply("equal", [total, size], node)
    if fits.constant is not True:
        said = "cannot reshape an array into this shape: the sizes differ"
        s.fail(ValueError, (said,), node, s.apply("logical_not", [fits], node))
    value = _dense(s, value, node)
    strides: list[Num] = []
    step: Num = s.constant(1)
    for n in reversed(shape):
        strides.insert(0, step)
        step = s.temporary(s.apply("multiply", [step, n], node), node)
    return s.view(value, Part(s._offset(value), list(shape), strides, bool(shape)), node)


def _filled_in(s: Whole, shape: list[Num], size: Num, node: ast.AST) -> list[Num]:
    """A shape with what -1 in it stands for."""
    unknown = [
        s.constant(n.constant == -1)
        if n.constant is not None
        else s.temporary(s.apply("equal", [n, s.constant(-1)], node), node)
        for n in shape
    ]
    if all(u.constant is False for u in unknown):
        return shape
    rest: Num = s.constant(1)
    for n, u in zip(shape, unknown, strict=True):
        if u.constant is None:
            n = s.select(u, s.constant(1), n, node)
        if u.constant is not True:
            rest = s.apply("multiply", [rest, n], node)
    one = s.temporary(s.apply("maximum", [rest, s.constant(1)], node), node)
    found = s.temporary(s.apply("floor_divide", [size, one], node), node)
    return [
        s.temporary(s.select(u, found, n, node), node)
        if u.constant is None
        else found
        if u.constant
        else n
        for n, u in zip(shape, unknown, strict=True)
    ]


def _dense(s: Whole, array: Array, node: ast.AST) -> Array:
    """Elements one after the other: what is not known is looked at, and copied where it can be."""
    if array.extents and not array.view:
        return array
    gaps: Num = s.constant(False)
    step: Num = s.constant(1)
    for axis in range(array.ndim)[::-1]:
        extent, stride = s.extent(array, axis), s.stride(array, axis)
        wrong = s.apply("not_equal", [stride, step], node)
        several = s.apply("greater", [extent, s.constant(1)], node)
        if not (axis == array.ndim - 1 and s.is_unit(array)):
            here = s.apply("logical_and", [wrong, several], node)
            first = gaps.constant is not None
            gaps = here if first else s.apply("logical_or", [gaps, here], node)
        step = s.temporary(s.apply("multiply", [step, extent], node), node)
    if gaps.constant is False:
        return array
    if not s.host:
        said = "only arrays in C order, without gaps, have views of another shape"
        s.fail(ValueError, (said,), node, gaps)
        return array
    gaps = s.temporary(gaps, node)
    before, s.statements = s.statements, []
    copied = s.made_array(s.as_lazy(array, node), node)
    copying, s.statements = s.statements, before
    return s.chosen_array(gaps, [copied, array], [copying, []], node)


def _transposed(s: Whole, array: Array, args: list[object], node: ast.AST) -> Array:
    axes = [s.known_integer(a, node, "an axis") for a in args] or list(range(array.ndim)[::-1])
    if sorted(axes) != list(range(array.ndim)):
        raise s.error(node, "axes don't match array")
    shape = [s.extent(array, axis) for axis in axes]
    strides = [s.stride(array, axis) for axis in axes]
    return s.view(array, Part(s._offset(array), shape, strides, False), node)
