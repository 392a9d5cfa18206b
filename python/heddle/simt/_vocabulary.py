"""Calls in kernels: names of simt, Python's math, ufuncs, and functions of the user's."""

import ast
import types
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from heddle.simt import _creation, _intrinsics, _numbers
from heddle.simt._creation import method_of_array
from heddle.simt._device import Intrinsic, Position, Quantity
from heddle.simt._intrinsics import geometry
from heddle.simt._numbers import converted, method_of_number
from heddle.simt._operations import describe
from heddle.simt._registry import functions, handlers
from heddle.simt._types import OPS, Array, Constant, Tuple, to_dtype
from heddle.simt._whole import Lazy

if TYPE_CHECKING:
    from heddle.simt._host import HostCompiler
    from heddle.simt._statements import Statements

_OF_NUMBERS = ("popc", "clz", "ffs", "brev", "fma", "cbrt", "rsqrt", "selp")

__all__ = ["_creation", "_intrinsics", "_numbers", "attribute_of", "call"]


def attribute_of(s: "Statements", value: Any, name: str, node: ast.AST) -> Any:
    """Attributes that are values of a thread; None for all others."""
    if isinstance(value, (Position, Quantity)) and s.host:
        raise s.error(node, "a compiled function has no threads: that is for simt.kernel")
    if isinstance(value, Position):
        if name not in ("x", "y", "z"):
            raise s.error(node, f"simt.{value.__name__} has x, y and z, not '{name}'")
        return geometry(s, value._simt_geometry, "xyz".index(name))
    inner = getattr(value, name, None) if not isinstance(value, tuple) else None
    if isinstance(inner, Quantity):
        return geometry(s, "lane", 0)
    return None


def call(s: "Statements", node: ast.Call) -> Any:
    """A call in a kernel."""
    function = s.expression(node.func)
    args = s.operands([a.value if isinstance(a, ast.Starred) else a for a in node.args])
    spread: list[Any] = []
    for given, value in zip(node.args, args, strict=True):
        if isinstance(given, ast.Starred):
            if not isinstance(value, Tuple):
                raise s.error(given, "only tuples can be unpacked into arguments")
            spread += value.items
        else:
            spread.append(value)
    keywords: dict[str, Any] = {}
    for keyword in node.keywords:
        if keyword.arg is None:
            raise s.error(node, "kernels have no dictionaries of arguments")
        keywords[keyword.arg] = s.expression(keyword.value)
    if not isinstance(function, Constant):
        raise s.error(node, f"{describe(function)} cannot be called")
    what = function.value
    if isinstance(what, tuple) and what and what[0] == "method":
        return method_of(s, what[1], what[2], spread, keywords, node)
    name = getattr(what, "_simt", None)
    if isinstance(name, str) and isinstance(what, Intrinsic):
        if s.host and name not in _OF_NUMBERS:
            raise s.error(node, f"simt.{name} is for kernels: a compiled function has no threads")
        return handlers[name](s, spread, keywords, node)
    taken = getattr(what, "py_func", None)
    if isinstance(taken, types.FunctionType) and getattr(what, "_simt_callable", False):
        return s.call_function(taken, spread, keywords, node)
    try:
        handler = functions.get(what)
    except TypeError:
        handler = None
    if handler is not None:
        return handler(s, spread, keywords, node)
    dtype = to_dtype(what)
    if dtype is not None:
        return converted(s, dtype, spread, node)
    op = _operation(what)
    if op is not None:
        if keywords:
            raise s.error(node, f"{op} takes no keywords in kernels")
        if s.host and any(isinstance(a, (Array, Lazy)) for a in spread):
            return cast("HostCompiler", s).apply_whole(op, spread, node)
        return s.apply(op, [s.number(a, node, "as an argument") for a in spread], node)
    if isinstance(what, types.FunctionType) and not _is_library(what):
        return s.call_function(what, spread, keywords, node)
    if isinstance(what, type) and issubclass(what, tuple) and hasattr(what, "_fields"):
        return Tuple(spread, what._fields)
    raise s.error(node, f"{describe(function)} cannot be called in a kernel")


def method_of(
    s: "Statements",
    name: str,
    value: Any,
    args: list[Any],
    keywords: dict[str, Any],
    node: ast.Call,
) -> Any:
    """A method of a number or of an array."""
    if isinstance(value, (Array, Lazy)):
        return method_of_array(s, name, value, args, keywords, node)
    return method_of_number(s, name, value, node)


def _is_library(function: types.FunctionType) -> bool:
    return (function.__module__ or "").partition(".")[0] in ("heddle", "numpy")


def _operation(what: Any) -> str | None:
    """The row of the op table that a function of NumPy's or ours is."""
    if isinstance(what, np.ufunc) or type(what).__name__ == "ufunc":
        name = str(getattr(what, "__name__", ""))
        name = {"true_divide": "divide", "mod": "remainder", "conj": "conjugate"}.get(name, name)
        return name if name in OPS else None
    return None
