"""Python's modules `operator` and `cmath`, and isinstance, in kernels."""

from __future__ import annotations

import ast
import builtins
import cmath
import math
import operator
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from heddle.simt._errors import KernelError
from heddle.simt._numbers import math_function
from heddle.simt._operators import BINARY_FUNCTIONS, COMPARISON_FUNCTIONS
from heddle.simt._registry import Handler, functions, stands_for
from heddle.simt._types import (
    BOOL,
    COMPLEX64,
    COMPLEX128,
    FLOAT32,
    FLOAT64,
    INT64,
    NAMES,
    OPS,
    Array,
    Constant,
    Instance,
    Num,
    Number,
    Tuple,
    is_complex,
    is_float,
    is_integer,
)

if TYPE_CHECKING:
    from heddle.simt._host import HostCompiler
    from heddle.simt._objects import Objects
    from heddle.simt._sets import Sets
    from heddle.simt._statements import Statements

_UNARY: dict[str, type[ast.unaryop]] = {
    **{"neg": ast.USub, "pos": ast.UAdd, "invert": ast.Invert, "inv": ast.Invert, "not_": ast.Not},
}


def _taken(
    s: Statements, args: Sequence[object], keywords: object, node: ast.Call, count: int
) -> None:
    if len(args) != count or keywords:
        raise s.error(node, f"{ast.unparse(node.func)} takes {count} arguments")


def _binary(op: type[ast.operator]) -> Handler:
    def handler(
        s: Statements, args: list[object], keywords: dict[str, object], node: ast.Call
    ) -> Any:
        _taken(s, args, keywords, node, 2)
        return s.binary(op(), args[0], args[1], node)

    return handler


def _compared(op: type[ast.cmpop]) -> Handler:
    def handler(
        s: Statements, args: list[object], keywords: dict[str, object], node: ast.Call
    ) -> Num:
        _taken(s, args, keywords, node, 2)
        return s.compared(op(), args[0], args[1], node)

    return handler


def _unary(op: type[ast.unaryop]) -> Handler:
    def handler(
        s: Statements, args: list[object], keywords: dict[str, object], node: ast.Call
    ) -> Num:
        _taken(s, args, keywords, node, 1)
        stand_in = ast.copy_location(ast.UnaryOp(op(), node.args[0]), node)
        return s.unary(stand_in, args[0])

    return handler


@stands_for(np.dtype)
def _dtype(
    s: Statements, args: list[object], keywords: dict[str, object], node: ast.Call
) -> Constant:
    """A type by its name: dtype("float32").type(x)."""
    _taken(s, args, keywords, node, 1)
    given: Any = args[0].value if isinstance(args[0], Constant) else args[0]
    try:
        return Constant(np.dtype(given))
    except TypeError as error:
        raise s.error(node, f"dtype: {error}") from error


for _op, _function in BINARY_FUNCTIONS.items():
    functions[_function] = _binary(_op)
    functions[getattr(operator, "i" + _function.__name__.rstrip("_"))] = _binary(_op)
functions[operator.matmul] = _binary(ast.MatMult)
for _cmp, _function in COMPARISON_FUNCTIONS.items():
    functions[_function] = _compared(_cmp)
for _name, _un in _UNARY.items():
    functions[getattr(operator, _name)] = _unary(_un)


# --- complex numbers ---


def _complex(s: Statements, value: object, node: ast.AST) -> Num:
    number = s.number(value, node, "as an argument")
    if is_complex(number.type.dtype):
        return number
    single = number.type.dtype == FLOAT32
    return s.cast(number, Number(COMPLEX64 if single else COMPLEX128, number.type.weak), node)


def _of_complex(op: str) -> Handler:
    def handler(
        s: Statements, args: list[object], keywords: dict[str, object], node: ast.Call
    ) -> Num:
        _taken(s, args, keywords, node, 1)
        return s.apply(op, [_complex(s, args[0], node)], node)

    return handler


for _name, _function in vars(cmath).items():
    _row = f"arc{_name[1:]}" if f"arc{_name[1:]}" in OPS else _name
    if _row in OPS and _row != "log":  # which takes a base
        functions[_function] = _of_complex(_row)


@stands_for(cmath.log)
def _log(s: Statements, args: list[object], keywords: dict[str, object], node: ast.Call) -> Num:
    logs = [s.apply("log", [_complex(s, a, node)], node) for a in args]
    return logs[0] if len(logs) == 1 else s.apply("divide", logs, node)


def _parts(s: Statements, value: object, node: ast.AST) -> tuple[Num, Num]:
    number = s.temporary(_complex(s, value, node), node)
    return s.number_attribute(number, "real", node), s.number_attribute(number, "imag", node)


@stands_for(cmath.phase)
def _phase(s: Statements, args: list[object], keywords: dict[str, object], node: ast.Call) -> Num:
    _taken(s, args, keywords, node, 1)
    re, im = _parts(s, args[0], node)
    return s.apply("arctan2", [im, re], node)


@stands_for(cmath.polar)
def _polar(s: Statements, args: list[object], keywords: dict[str, object], node: ast.Call) -> Tuple:
    _taken(s, args, keywords, node, 1)
    number = s.temporary(_complex(s, args[0], node), node)
    return Tuple([s.apply("absolute", [number], node), _phase(s, [number], {}, node)])


@stands_for(cmath.rect)
def _rect(s: Statements, args: list[object], keywords: dict[str, object], node: ast.Call) -> Any:
    _taken(s, args, keywords, node, 2)
    r, angle = (s.temporary(s.number(a, node), node) for a in args)
    parts = [
        s.apply("multiply", [r, math_function(name)(s, [angle], {}, node)], node)
        for name in ("cos", "sin")
    ]
    return functions[complex](s, list(parts), {}, node)


@stands_for(math.remainder)
def _remainder(
    s: Statements, args: list[object], keywords: dict[str, object], node: ast.Call
) -> Num:
    """x - n*y, n being the integer next to x / y, the even one of two."""
    _taken(s, args, keywords, node, 2)
    x, y = (s.temporary(s.number(a, node), node) for a in args)
    size = s.temporary(s.apply("absolute", [y], node), node)
    rest = s.temporary(math_function("fmod")(s, [x, size], {}, node), node)
    twice = s.temporary(
        s.apply("multiply", [s.apply("absolute", [rest], node), s.constant(2.0)], node), node
    )
    # An odd quotient with a rest of just a half goes to the even one above.
    pair = s.apply("multiply", [size, s.constant(2.0)], node)
    double = math_function("fmod")(s, [s.apply("absolute", [x], node), pair], {}, node)
    odd = s.apply("greater_equal", [double, size], node)
    tie = s.apply("logical_and", [s.apply("equal", [twice, size], node), odd], node)
    above = s.apply("logical_or", [s.apply("greater", [twice, size], node), tie], node)
    other = s.apply("subtract", [rest, s.apply("copysign", [size, rest], node)], node)
    return s.select(above, other, rest, node)


# --- types ---


def _is_a(value: Any, kind: Any) -> bool:
    if isinstance(value, Constant):
        return isinstance(value.value, kind)
    if isinstance(value, Num):
        dtype = value.type.dtype
        return {
            bool: dtype == BOOL,
            int: is_integer(dtype) or dtype == BOOL,
            float: is_float(dtype),
            complex: is_complex(dtype),
        }.get(kind, False)
    if isinstance(value, Instance):
        return issubclass(value.kind, kind)
    if isinstance(value, Tuple):
        return kind is tuple
    return isinstance(value, Array) and getattr(kind, "__name__", "") == "ndarray"


@stands_for(builtins.isinstance)
def _isinstance(s: Statements, args: list[Any], keywords: dict[str, object], node: ast.Call) -> Num:
    _taken(s, args, keywords, node, 2)
    listed = args[1].items if isinstance(args[1], Tuple) else [args[1]]
    if not all(isinstance(k, Constant) and isinstance(k.value, type) for k in listed):
        raise s.error(node, "isinstance takes types that are known when the kernel is compiled")
    return s.constant(any(_is_a(args[0], k.value) for k in listed))


@stands_for(builtins.set)
def _set(s: Statements, args: list[Any], keywords: dict[str, object], node: ast.Call) -> Any:
    if not s.host or keywords or len(args) > 1:
        raise s.error(node, "set takes what a loop goes over, or nothing, in compiled functions")
    return cast("Sets", s).new_set(args[0] if args else None, node)


@stands_for(builtins.dict)
def _dict(s: Statements, args: list[Any], keywords: dict[str, object], node: ast.Call) -> Any:
    if not s.host or keywords or len(args) > 1:
        raise s.error(node, "dict takes a dictionary, or nothing, in compiled functions")
    return cast("Objects", s).new_dictionary(args[0] if args else None, node)


# --- what a value is asked for ---


@stands_for(builtins.type)
def _type(s: Statements, args: list[Any], keywords: dict[str, object], node: ast.Call) -> Constant:
    _taken(s, args, keywords, node, 1)
    value = args[0]
    if isinstance(value, Num):
        pythons = {INT64: int, FLOAT64: float, COMPLEX128: complex}
        if value.type.dtype == BOOL:
            return Constant(bool)
        if value.type.weak or s.numba:
            kind = pythons.get(value.type.dtype)
            if kind is not None:
                return Constant(kind)
        return Constant(np.dtype(NAMES[value.type.dtype]).type)
    if isinstance(value, (Tuple, Instance)) and value.kind is not None:
        return Constant(value.kind)
    raise s.error(node, "type is of numbers, named tuples and objects here; isinstance asks for it")


def _asked(s: Statements, args: list[Any], node: ast.Call) -> ast.Attribute:
    name = args[1].value if isinstance(args[1], Constant) else None
    if not isinstance(name, str):
        raise s.error(node, "the name of an attribute is a text of the source")
    return ast.copy_location(ast.Attribute(node.args[0], name, ast.Load()), node)


def _found(s: Statements, value: Any, asked: ast.Attribute) -> Any:
    """The attribute of a value; None where there is none."""
    before = len(s.statements)
    try:
        return s.attribute(value, asked)
    except KernelError:
        del s.statements[before:]
        return None


@stands_for(builtins.hasattr)
def _hasattr(s: Statements, args: list[Any], keywords: dict[str, object], node: ast.Call) -> Num:
    _taken(s, args, keywords, node, 2)
    before, s.statements = s.statements, []
    there = _found(s, args[0], _asked(s, args, node)) is not None
    s.statements = before
    return s.constant(there)


@stands_for(builtins.getattr)
def _getattr(s: Statements, args: list[Any], keywords: dict[str, object], node: ast.Call) -> Any:
    if len(args) == 2:
        return s.attribute(args[0], _asked(s, args, node))
    _taken(s, args, keywords, node, 3)
    found = _found(s, args[0], _asked(s, args, node))
    return args[2] if found is None else found


def method_of_tuple(
    s: Statements, name: str, value: Tuple, args: list[Any], keywords: Any, node: ast.Call
) -> Any:
    """Where the first item is that equals a value, or how many do."""
    _taken(s, args, keywords, node, 1)
    same = [s.compared(ast.Eq(), item, args[0], node) for item in value.items]
    if name == "count":
        total: Num = s.constant(0)
        for one in same:
            total = s.apply("add", [total, s.cast(one, Number(INT64, True), node)], node)
        return total
    made: Num = s.constant(-1)
    for place, one in reversed(list(enumerate(same))):
        made = s.select(one, s.constant(place), made, node)
    made = s.temporary(made, node)
    if s.host:
        missing = s.apply("less", [made, s.constant(0)], node)
        said = ("tuple.index(x): x not in tuple",)
        cast("HostCompiler", s).fail(ValueError, said, node, missing)
    return made
