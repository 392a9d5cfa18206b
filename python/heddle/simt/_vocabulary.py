"""Calls in kernels: names of simt, Python's math, ufuncs, and functions of the user's."""

from __future__ import annotations

import ast
import inspect
import types
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from heddle import _core
from heddle.simt import (
    _attributes,
    _creation,
    _intrinsics,
    _numbers,
    _overloads,
    _printing,
    _python,
    _sequences,
    _shapes,
)
from heddle.simt._choices import LIBRARIES
from heddle.simt._creation import method_of_array
from heddle.simt._device import Group, Intrinsic, Position, Quantity
from heddle.simt._intrinsics import geometry, group_value
from heddle.simt._numbers import converted, method_of_number
from heddle.simt._operations import describe
from heddle.simt._registry import found, handlers
from heddle.simt._types import (
    NAMES,
    OPS,
    Array,
    Call,
    Constant,
    Dict,
    Instance,
    List,
    Num,
    Number,
    Text,
    Tuple,
    is_complex,
    to_dtype,
)
from heddle.simt._whole import Lazy
from heddle.simt._words import WARPS

if TYPE_CHECKING:
    from heddle.simt._objects import Objects
    from heddle.simt._statements import Statements
    from heddle.simt._texts import Texts
    from heddle.simt._whole import Whole

_OF_NUMBERS = ("popc", "clz", "ffs", "brev", "fma", "cbrt", "rsqrt", "selp")
_ALIASES = {
    **{"true_divide": "divide", "mod": "remainder", "conj": "conjugate", "abs": "absolute"},
    **{"radians": "deg2rad", "degrees": "rad2deg", "bitwise_not": "invert"},
}
# What threads do together.
_OF_BLOCKS = {
    *("syncthreads", "syncthreads_count", "syncthreads_and", "syncthreads_or", "syncwarp"),
    *("shared.array", "lanemask_lt", *WARPS),
    *("cg.sync", "cg.grid_sync", "cg.wait", "cg.wait_prior", "cg.memcpy_async"),
}

__all__ = [
    "_attributes",
    "_creation",
    "_intrinsics",
    "_numbers",
    "_printing",
    "_python",
    "_shapes",
    "attribute_of",
    "call",
]


def attribute_of(s: Statements, value: object, name: str, node: ast.AST) -> Num | Constant | None:
    """Attributes that are values of a thread; None for all others."""
    if isinstance(value, (Position, Quantity)) and s.host:
        raise s.error(node, "a compiled function has no threads: that is for simt.kernel")
    if isinstance(value, Position):
        if name not in ("x", "y", "z"):
            raise s.error(node, f"simt.{value.__name__} has x, y and z, not '{name}'")
        return geometry(s, value._simt_geometry, "xyz".index(name))
    if isinstance(value, Group) and name in value._simt_group:
        return Constant(("group", value._simt_group[name]))
    inner = getattr(value, name, None) if not isinstance(value, tuple) else None
    if isinstance(inner, Quantity):
        return geometry(s, "lane", 0)
    return None


def call(s: Statements, node: ast.Call) -> Any:
    """A call in a kernel."""
    function = s.expression(node.func)
    if isinstance(function, Constant) and len(node.args) >= 1 and not node.keywords:
        of_all = _sequences.of_elements(s, function.value, node)
        if of_all is not None:
            return of_all
    args = s.operands([a.value if isinstance(a, ast.Starred) else a for a in node.args])
    spread = []
    for given, value in zip(node.args, args, strict=True):
        if isinstance(given, ast.Starred):
            if not isinstance(value, Tuple):
                raise s.error(given, "only tuples can be unpacked into arguments")
            spread += value.items
        else:
            spread.append(value)
    keywords = {}
    for keyword in node.keywords:
        if keyword.arg is None:
            raise s.error(node, "kernels have no dictionaries of arguments")
        keywords[keyword.arg] = s.expression(keyword.value)
    return called(s, function, spread, keywords, node)


def called(
    s: Statements, function: object, spread: list[Any], keywords: dict[str, Any], node: ast.Call
) -> Any:
    """A call of a value."""
    if not isinstance(function, Constant):
        raise s.error(node, f"{describe(function)} cannot be called")
    what = function.value
    if isinstance(what, tuple) and what and what[0] == "method":
        if isinstance(what[2], Dict):
            return cast("Objects", s).call_dictionary(what[2], what[1], spread, keywords, node)
        if isinstance(what[2], Instance):
            return cast("Objects", s).call_method(what[2], what[1], spread, keywords, node)
        return method_of(s, what[1], what[2], spread, keywords, node)
    if isinstance(what, tuple) and what and what[0] == "group":
        return group_value(s, what[1], node)
    name = getattr(what, "_simt", None)
    if isinstance(name, str) and isinstance(what, Intrinsic):
        if s.host and name not in _OF_NUMBERS and name != "local.array":
            raise s.error(node, f"simt.{name} is for kernels: a compiled function has no threads")
        if s.in_function and name in _OF_BLOCKS:
            raise s.error(
                node,
                f"simt.{name} cannot be in a function that calls itself: threads meet, and share "
                "memory, in the kernel and in other functions",
            )
        return handlers[name](s, spread, keywords, node)
    made = _overloads.instead_of(s, what, spread, keywords, node)
    if made is not None:
        return made
    taken = getattr(what, "_simt_function", None) or getattr(what, "py_func", None)
    if isinstance(taken, types.FunctionType) and getattr(what, "_simt_callable", False):
        call = Call(taken, spread, keywords, node)
        with s.in_terms_of(what):
            return call_signed(s, getattr(what, "_simt_signatures", ()), call)
    handler = found(what)
    if handler is not None:
        return handler(s, spread, keywords, node)
    dtype = to_dtype(what)
    if dtype is not None:
        return converted(s, dtype, spread, node)
    if hasattr(what, "_simt_call"):
        return what._simt_call(s, spread, keywords, node)
    if hasattr(what, "_simt_vector"):
        return _vector(s, what, spread, keywords, node)
    op = _operation(what)
    if op is not None:
        if keywords:
            raise s.error(node, f"{op} takes no keywords in kernels")
        if any(isinstance(a, (Array, Lazy)) for a in spread):
            return _whole_operation(cast("Whole", s), op, spread, node)
        return s.apply(op, [s.number(a, node, "as an argument") for a in spread], node)
    if isinstance(what, types.FunctionType) and not _is_library(what):
        return s.call_function(Call(what, spread, keywords, node))
    if isinstance(what, type) and issubclass(what, tuple) and hasattr(what, "_fields"):
        placed: dict[str, Any] = dict(zip(what._fields, spread, strict=False))
        fields: dict[str, Any] = {
            n: s.known(v) for n, v in getattr(what, "_field_defaults", {}).items()
        }
        twice = len(spread) > len(what._fields) or placed.keys() & keywords.keys()
        fields |= {**placed, **keywords}
        if twice or fields.keys() != set(what._fields):
            raise s.error(node, f"{what.__name__} takes {', '.join(what._fields)}")
        return Tuple([fields[name] for name in what._fields], what._fields, kind=what)
    raise s.error(node, f"{describe(function)} cannot be called in a kernel")


def _whole_operation(s: Whole, op: str, args: list[object], node: ast.AST) -> Any:
    """A ufunc of arrays; one argument more is where its results go."""
    inputs = OPS[op][1]
    given = args[:inputs]
    if any(s.is_whole(a) for a in given):
        made: Any = s.apply_whole(op, given, node)
    else:
        made = s.apply(op, [s.number(a, node, "as an argument") for a in given], node)
    if len(args) == inputs + 1 and isinstance(args[-1], Array):
        s.fill(args[-1], made, node)
        return args[-1]
    if len(args) != inputs:
        raise s.error(node, f"{op} takes {inputs} arguments, not {len(args)}")
    return made


def call_signed(s: Statements, signatures: Sequence[Any], call: Call) -> Any:
    """A call of a function that has types, if it has any: numbers are converted to them."""
    if not signatures:
        return s.call_function(call)
    args, node = call.args, call.node
    bound = s.bind_arguments(call.function, args, call.keywords, node)
    args = [bound[name] for name in inspect.signature(call.function).parameters]
    signed = _fitting(s, signatures, args, node)
    args = [_signed(s, t, a, node) for t, a in zip(signed.args, args, strict=True)]
    return _signed(s, signed.result, s.call_function(Call(call.function, args, {}, node)), node)


def _fitting(s: Statements, signatures: Sequence[Any], args: list[Any], node: ast.AST) -> Any:
    """The signature that arguments fit best."""
    best, least = None, 0
    for signature in signatures:
        if len(signature.args) != len(args):
            continue
        far = 0
        for type_, value in zip(signature.args, args, strict=True):
            dtype = getattr(type_, "_simt_dtype", None)
            if dtype is None or not isinstance(value, Num):
                continue
            wanted, given = NAMES.index(dtype), value.type.dtype
            if is_complex(given) and not is_complex(wanted):
                far = -1
                break
            fits = _core.simt_promote(wanted, given) == wanted
            far += 0 if wanted == given else 1 if fits else 8
        if far >= 0 and (best is None or far < least):
            best, least = signature, far
    if best is None:
        given_types = ", ".join(describe(a) for a in args)
        raise s.error(node, f"no matching definition with parameters ({given_types})")
    return best


def _signed(s: Statements, type_: object, value: object, node: ast.AST) -> Any:
    """A number as a signature has it."""
    dtype = getattr(type_, "_simt_dtype", None)
    if dtype is None or not isinstance(value, Num):
        return value
    return s.cast(value, Number(NAMES.index(dtype)), node)


def _vector(
    s: Statements, what: Any, args: list[object], keywords: dict[str, object], node: ast.Call
) -> Tuple:
    """float32x4(a, b, c, d): of numbers, and of vectors that have as many together."""
    name, dtype, count = what._simt_vector
    items: list[Any] = []
    for arg in args:
        items += arg.items if isinstance(arg, Tuple) else [arg]
    if len(items) != count or keywords:
        raise s.error(node, f"{name} is made of {count} numbers, not of {len(items)}")
    type_ = Number(NAMES.index(dtype))
    cast_ = [s.temporary(s.cast(s.number(i, node), type_, node), node) for i in items]
    return Tuple(list(cast_), ("x", "y", "z", "w")[:count])


def method_of(
    s: Statements,
    name: str,
    value: Any,
    args: list[object],
    keywords: dict[str, object],
    node: ast.Call,
) -> Any:
    """A method of a number or of an array."""
    if isinstance(value, Text) or (isinstance(value, Constant) and isinstance(value.value, str)):
        if keywords or not s.host:
            raise s.error(node, f"str.{name} takes no keywords, and is for compiled functions")
        return cast("Texts", s).method_of_text(name, value, args, node)
    if isinstance(value, (Array, Lazy)):
        return method_of_array(s, name, cast("Any", value), args, keywords, node)
    if isinstance(value, Tuple):
        return _python.method_of_tuple(s, name, value, args, keywords, node)
    if isinstance(value, List):
        return _sequences.method_of_list(s, name, value, args, keywords, node)
    return method_of_number(s, name, value, node)


def _is_library(function: types.FunctionType) -> bool:
    module = function.__module__ or ""
    return module not in LIBRARIES and module.partition(".")[0] in ("heddle", "numpy")


def _operation(what: Callable[..., Any]) -> str | None:
    """The row of the op table that a function of NumPy's or ours is."""
    if isinstance(what, np.ufunc) or type(what).__name__ == "ufunc":
        name = str(getattr(what, "__name__", ""))
        name = _ALIASES.get(name, name)
        return name if name in OPS else None
    return None
