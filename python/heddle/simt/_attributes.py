"""What arrays and numbers are asked for by NumPy's functions: parts, kinds, sizes, places."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from heddle.simt._along import taken
from heddle.simt._registry import functions, known_as
from heddle.simt._types import (
    NAMES,
    Array,
    Constant,
    Num,
    Number,
    Tuple,
    is_complex,
    is_float,
)
from heddle.simt._whole import Lazy, Whole

if TYPE_CHECKING:
    from heddle.simt._host import HostCompiler
    from heddle.simt._statements import Statements


def _type_of(s: Whole, value: Any, node: ast.AST) -> Number:
    if isinstance(value, Array):
        return Number(value.dtype)
    if isinstance(value, Lazy):
        return value.type
    return s.number(value, node).type


def _on_numbers(name: str, of: Callable[..., Num]) -> None:
    """A function of one number, `of(s, number, node)`, and of all elements of arrays."""

    def handler(
        state: Statements, args: list[Any], keywords: dict[str, Any], node: ast.Call
    ) -> Any:
        s = cast("Whole", state)
        if keywords or len(args) != 1:
            raise s.error(node, f"{name} takes one argument in compiled functions")
        if s.is_whole(args[0]):
            return s.elementwise(lambda n: of(s, s.temporary(n, node), node), [args[0]], node)
        return of(s, s.temporary(s.number(args[0], node), node), node)

    known_as(name, handler)


def _part(name: str) -> Callable[..., Num]:
    return lambda s, n, node: s.number_attribute(n, name, node)


def _iscomplex(s: Whole, n: Num, node: ast.AST) -> Num:
    if not is_complex(n.type.dtype):
        return s.constant(False)
    return s.apply("not_equal", [s.number_attribute(n, "imag", node), s.constant(0.0)], node)


def _isreal(s: Whole, n: Num, node: ast.AST) -> Num:
    return s.apply("logical_not", [_iscomplex(s, n, node)], node)


def _is_infinite(sign: float) -> Callable[..., Num]:
    def of(s: Whole, n: Num, node: ast.AST) -> Num:
        if not is_float(n.type.dtype):
            return s.constant(False)
        return s.apply("equal", [n, s.constant(sign * float("inf"), n.type)], node)

    return of


def _fix(s: Whole, n: Num, node: ast.AST) -> Num:
    return s.apply("trunc", [n], node)


_on_numbers("iscomplex", _iscomplex)
_on_numbers("isreal", _isreal)
_on_numbers("isposinf", _is_infinite(1.0))
_on_numbers("isneginf", _is_infinite(-1.0))
_on_numbers("fix", _fix)


def _angle(state: Statements, args: list[Any], keywords: dict[str, Any], node: ast.Call) -> Any:
    s = cast("Whole", state)
    rest, named = list(args[1:]), dict(keywords)
    degrees = taken(rest, named, 0, "deg")
    if rest or named or not args:
        raise s.error(node, "angle takes numbers, and deg")

    def one(n: Num) -> Num:
        n = s.temporary(n, node)
        re, im = (s.number_attribute(n, part, node) for part in ("real", "imag"))
        if not is_complex(n.type.dtype):
            im = s.cast(im, re.type if is_float(re.type.dtype) else Number(12), node)
        made = s.apply("arctan2", [im, re], node)
        if degrees is None:
            return made
        return s.select(s.truth(degrees, node), s.apply("rad2deg", [made], node), made, node)

    if s.is_whole(args[0]):
        return s.elementwise(one, [args[0]], node)
    return one(s.number(args[0], node))


known_as("angle", _angle)


def _parts(name: str) -> None:
    def handler(
        state: Statements, args: list[Any], keywords: dict[str, Any], node: ast.Call
    ) -> Any:
        s = cast("Whole", state)
        if keywords or len(args) != 1:
            raise s.error(node, f"{name} takes one argument")
        value = s.settled(args[0], node)
        if isinstance(value, Array):
            return s.array_attribute(value, name, node)
        return s.number_attribute(s.number(value, node), name, node)

    known_as(name, handler)


_parts("real")
_parts("imag")


def _known(name: str, of: Callable[..., Any]) -> None:
    """What is known of an argument when the function is compiled."""

    def handler(
        state: Statements, args: list[Any], keywords: dict[str, Any], node: ast.Call
    ) -> Any:
        s = cast("Whole", state)
        if keywords or len(args) != 1:
            raise s.error(node, f"{name} takes one argument in compiled functions")
        return of(s, args[0], node)

    known_as(name, handler)


def _shape(s: Whole, value: Any, node: ast.AST) -> Tuple:
    return Tuple(list(s._shape(value)))


def _size(s: Whole, value: Any, node: ast.AST) -> Num:
    made: Num = s.constant(1)
    for extent in s._shape(value):
        made = s.apply("multiply", [made, extent], node)
    return made


_known("shape", _shape)
_known("size", _size)
_known("ndim", lambda s, value, node: s.constant(len(s._shape(value))))
_known("isscalar", lambda s, value, node: s.constant(isinstance(value, Num)))
_known("iscomplexobj", lambda s, v, node: s.constant(is_complex(_type_of(s, v, node).dtype)))
_known("isrealobj", lambda s, v, node: s.constant(not is_complex(_type_of(s, v, node).dtype)))


def _dense(name: str) -> None:
    def handler(
        state: Statements, args: list[Any], keywords: dict[str, Any], node: ast.Call
    ) -> Any:
        s = cast("Whole", state)
        rest, named = list(args), dict(keywords)
        if len(rest) != 1 or named or not s.host:
            raise s.error(node, f"{name} takes an array in compiled functions")
        value = s.settled(rest[0], node)
        if not isinstance(value, Array):
            value = functions[np.array](s, [value], {}, node)
        if name == "asfortranarray":
            value = s.transposed(functions[np.copy](s, [s.transposed(value, node)], {}, node), node)
        elif name == "asarray_chkfinite":
            finite = s.reduce("all", s.apply_whole("isfinite", [value], node), node)
            said = ("array must not contain infs or NaNs",)
            s.fail(ValueError, said, node, s.apply("logical_not", [finite], node))
        return value

    known_as(name, handler)


_dense("asfortranarray")
_dense("asarray_chkfinite")


def _copyto(
    state: Statements, args: list[Any], keywords: dict[str, Any], node: ast.Call
) -> Constant:
    s = cast("Whole", state)
    if keywords or len(args) != 2 or not isinstance(args[0], Array):
        raise s.error(node, "copyto takes an array, and what is written to it")
    s.fill(args[0], args[1], node)
    return Constant(None)


known_as("copyto", _copyto)


def _as_strided(
    state: Statements, args: list[Any], keywords: dict[str, Any], node: ast.Call
) -> Any:
    s = cast("Whole", state)
    rest, named = list(args[1:]), dict(keywords)
    shape = taken(rest, named, 0, "shape")
    strides = taken(rest, named, 0, "strides")
    tuples = isinstance(shape, Tuple) and isinstance(strides, Tuple)
    if rest or named or not args or not isinstance(args[0], Array) or not tuples or not s.host:
        raise s.error(node, "as_strided takes an array, a shape and strides, as tuples")
    return cast("HostCompiler", s).strided(args[0], shape.items, strides.items, node)


functions[np.lib.stride_tricks.as_strided] = _as_strided


def _windows(state: Statements, args: list[Any], keywords: dict[str, Any], node: ast.Call) -> Any:
    s = cast("Whole", state)
    rest, named = list(args[1:]), dict(keywords)
    window = taken(rest, named, 0, "window_shape")
    axis = taken(rest, named, 0)
    if rest or named or not args or not isinstance(args[0], Array):
        raise s.error(node, "sliding_window_view takes an array, a window and an axis")
    array = args[0]
    sizes = window.items if isinstance(window, Tuple) else [window]
    axes = axis.items if isinstance(axis, Tuple) else [axis] if axis is not None else None
    if axes is None and len(sizes) != array.ndim:
        raise s.error(node, "a window without axes has as many numbers as the array dimensions")
    from heddle.simt._along import axis_of

    places = range(array.ndim) if axes is None else [axis_of(s, array, a, node) for a in axes]
    shape = list(s._shape(array))
    strides = [s.stride(array, k) for k in range(array.ndim)]
    for size, place in zip(sizes, places, strict=True):
        extent = s.temporary(s.integer(size, node, "in a window"), node)
        left = s.apply("subtract", [shape[place], extent], node)
        said = ("window shape cannot be larger than input array shape",)
        s.fail(ValueError, said, node, s.apply("less", [left, s.constant(0)], node))
        shape[place] = s.temporary(s.apply("add", [left, s.constant(1)], node), node)
        shape.append(extent)
        strides.append(s.stride(array, place))
    from heddle.simt._types import Part

    return s.view(array, Part(s._offset(array), shape, strides, False), node)


functions[np.lib.stride_tricks.sliding_window_view] = _windows


def _facts(
    state: Statements, args: list[Any], keywords: dict[str, Any], node: ast.Call
) -> Constant:
    """finfo and iinfo: what is known of a type."""
    s = state
    if keywords or len(args) != 1:
        raise s.error(node, "finfo and iinfo take a type")
    given = s.expression(node.func).value
    value = args[0]
    if isinstance(value, Constant):
        kind = value.value
    else:
        kind = np.dtype(NAMES[_type_of(cast("Whole", s), value, node).dtype])
    try:
        return Constant(given(kind))
    except (TypeError, ValueError) as error:
        raise s.error(node, str(error)) from error


known_as("finfo", _facts)
known_as("iinfo", _facts)


def _divmod(state: Statements, args: list[Any], keywords: dict[str, Any], node: ast.Call) -> Any:
    s = cast("Whole", state)
    if keywords or len(args) != 2:
        raise s.error(node, "divmod takes two arguments")
    return Tuple([s.binary(op(), args[0], args[1], node) for op in (ast.FloorDiv, ast.Mod)])


known_as("divmod", _divmod)
