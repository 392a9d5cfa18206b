"""Numbers in kernels: conversions, Python's functions of numbers, and its math."""

from __future__ import annotations

import ast
import builtins
import math
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from heddle.simt import _words as w
from heddle.simt._operations import describe
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
    UINT64,
    Array,
    Constant,
    Dict,
    DictView,
    Instance,
    List,
    Num,
    Number,
    Range,
    RecordArray,
    Slice,
    Text,
    Tuple,
    is_complex,
    is_float,
    is_integer,
    is_signed,
)
from heddle.simt._whole import Lazy

if TYPE_CHECKING:
    from heddle.simt._objects import Objects
    from heddle.simt._statements import Statements
    from heddle.simt._whole import Whole


def converted(s: Statements, dtype: int, args: list[Any], node: ast.AST) -> Any:
    weak = False
    if len(args) == 2 and is_complex(dtype):
        part = FLOAT32 if dtype == COMPLEX64 else FLOAT64
        parts = [s.cast(s.number(a, node), Number(part), node) for a in args]
        words = [w.OP, s.line(node), OPS["make_complex"][0], part, dtype]
        return Num(Number(dtype), words + parts[0].words + parts[1].words)
    if len(args) != 1:
        raise s.error(node, f"{NAMES[dtype]} takes one number")
    if isinstance(args[0], (Array, Lazy)):
        whole = cast("Whole", s)
        return whole.elementwise(lambda n: converted(s, dtype, [n], node), [args[0]], node)
    if dtype == BOOL:
        return s.truth(args[0], node)
    value = s.number(args[0], node, "to be converted")
    return s.cast(value, Number(dtype, weak), node)


def _one(s: Statements, args: list[object], keywords: dict[str, object], node: ast.Call) -> Any:
    """The only argument of a function."""
    if len(args) != 1 or keywords:
        raise s.error(node, f"{ast.unparse(node.func)} takes one argument in kernels")
    return args[0]


@stands_for(int)
def _int(s: Statements, args: list[object], keywords: dict[str, object], node: ast.Call) -> Num:
    if not args:
        return s.constant(0)
    given = _one(s, args, keywords, node)
    if isinstance(given, Text) or (isinstance(given, Constant) and isinstance(given.value, str)):
        from heddle.simt._texts import integer_of

        return integer_of(s, given, node)
    value: Num = s.number(given, node, "to be converted")
    return s.cast(value, Number(INT64, not s.numba), node)


@stands_for(float)
def _float(s: Statements, args: list[object], keywords: dict[str, object], node: ast.Call) -> Num:
    if args and isinstance(args[0], Constant) and isinstance(args[0].value, str):
        return s.constant(float(args[0].value))
    value = s.number(_one(s, args, keywords, node), node, "to be converted")
    return s.cast(value, Number(FLOAT64, not s.numba), node)


@stands_for(bool)
def _bool(s: Statements, args: list[object], keywords: dict[str, object], node: ast.Call) -> Num:
    return s.truth(_one(s, args, keywords, node), node)


@stands_for(complex)
def _complex(s: Statements, args: list[Any], keywords: dict[str, object], node: ast.Call) -> Num:
    if len(args) == 2 and all(
        isinstance(a, Num) and a.type.dtype == FLOAT32 and not a.type.weak for a in args
    ):
        return cast("Num", converted(s, COMPLEX64, args, node))
    return cast("Num", converted(s, COMPLEX128, args, node))


@stands_for(builtins.abs)
def _abs(s: Statements, args: list[object], keywords: dict[str, object], node: ast.Call) -> Any:
    value = _one(s, args, keywords, node)
    if isinstance(value, (Array, Lazy)):
        return cast("Whole", s).apply_whole("absolute", [value], node)
    return s.apply("absolute", [s.number(value, node)], node)


def _better(s: Statements, name: str, best: Num, other: Num, node: ast.AST) -> Num:
    """As Python has it: another takes its place if it is smaller or larger, and NaN is neither."""
    type_ = s.unified(best.type, other.type)
    if is_complex(type_.dtype):
        raise s.error(node, f"{name}: complex numbers have no order")
    if is_integer(type_.dtype) and not s.numba:
        dtype, type_ = type_.dtype, s.chosen_type(type_, (best, other))
        signs = [n.constant is None and is_signed(n.type.dtype) for n in (best, other)]
        if dtype == UINT64 and (type_.dtype != UINT64 or any(signs)):  # no type holds both
            best, other = s.temporary(best, node), s.temporary(other, node)
            if name == "min":  # it is below the one that is less than 2**63
                type_ = Number(INT64, True)
            wins = s.apply("less" if name == "min" else "greater", [other, best], node)
            return s.select(wins, s.cast(other, type_, node), s.cast(best, type_, node), node)
        best, other = s.cast(best, type_, node), s.cast(other, type_, node)
    if not is_float(type_.dtype):
        made = s.apply("minimum" if name == "min" else "maximum", [best, other], node)
        return s.cast(made, type_, node) if s.numba and made.type != type_ else made
    best, other = (s.temporary(s.cast(n, type_, node), node) for n in (best, other))
    wins = s.apply("less" if name == "min" else "greater", [other, best], node)
    return s.select(wins, other, best, node)


def _extreme(name: str) -> Handler:
    def handler(
        s: Statements, args: list[object], keywords: dict[str, object], node: ast.Call
    ) -> Num:
        if len(args) == 1 and isinstance(args[0], Tuple):
            args = args[0].items
        if keywords or not args:
            raise s.error(node, f"{name} takes numbers")
        numbers = [s.number(a, node, f"in {name}") for a in args]
        known = [n.constant for n in numbers]
        if (
            all(isinstance(k, (int, float)) and not isinstance(k, bool) for k in known)
            and len({n.type for n in numbers}) == 1
        ):
            return s.constant(min(known) if name == "min" else max(known), numbers[0].type)
        made = numbers[0]
        for other in numbers[1:]:
            made = _better(s, name, made, other, node)
        return made

    return handler


functions[builtins.min] = _extreme("min")
functions[builtins.max] = _extreme("max")


@stands_for(math.pow)
def _math_pow(
    s: Statements, args: list[object], keywords: dict[str, object], node: ast.Call
) -> Any:
    numbers: list[object] = []
    for arg in args:
        number = s.number(arg, node, "in math.pow")
        whole = is_integer(number.type.dtype) or number.type.dtype == BOOL
        numbers.append(s.cast(number, Number(FLOAT64, True), node) if whole else number)
    return _pow(s, numbers, keywords, node)


@stands_for(builtins.pow)
def _pow(s: Statements, args: list[object], keywords: dict[str, object], node: ast.Call) -> Any:
    if len(args) != 2:
        raise s.error(node, "pow takes two numbers in kernels")
    return s.binary(ast.Pow(), args[0], args[1], node)


@stands_for(builtins.divmod, np.divmod)
def _divmod(
    s: Statements, args: list[object], keywords: dict[str, object], node: ast.Call
) -> Tuple:
    a, b = (s.temporary(s.number(arg, node), node) for arg in args)
    return Tuple([s.apply("floor_divide", [a, b], node), s.apply("remainder", [a, b], node)])


_MOST_DIGITS = 308  # a larger power of ten is no number


def _rounded(s: Statements, given: Num, places: object, node: ast.Call) -> Num:
    """To so many digits, which may be known when the kernel runs. What is too large to have any
    stays what it is."""
    value = s.temporary(given, node)
    digits = s.temporary(s.integer(places, node, "as the number of digits"), node)
    if isinstance(digits.constant, int):
        scale = s.constant(10.0 ** min(abs(digits.constant), _MOST_DIGITS))
        behind: Any = digits.constant >= 0
    else:
        most = s.apply(
            "minimum", [s.apply("absolute", [digits], node), s.constant(_MOST_DIGITS)], node
        )
        scale = s.apply(
            "power", [s.constant(10.0), s.cast(most, Number(FLOAT64, True), node)], node
        )
        scale = s.temporary(scale, node)
        behind = s.apply("greater_equal", [digits, s.constant(0)], node)

    def scaled(number: Num, forth: str, back: str) -> Num:
        """Multiplied or divided, as the digits are behind the point or before it."""
        ways = {name: s.apply(name, [number, scale], node) for name in {forth, back}}
        if isinstance(behind, bool):
            return ways[forth if behind else back]
        return s.select(behind, ways[forth], ways[back], node)

    large = s.temporary(scaled(value, "multiply", "divide"), node)
    made = scaled(s.temporary(s.apply("rint", [large], node), node), "divide", "multiply")
    return s.select(s.apply("isfinite", [large], node), made, value, node)


@stands_for(builtins.round)
def _round(s: Statements, args: list[object], keywords: dict[str, object], node: ast.Call) -> Num:
    value = s.number(args[0], node)
    if is_integer(value.type.dtype):
        return value
    if len(args) > 1 and not (isinstance(args[1], Constant) and args[1].value is None):
        return _rounded(s, value, args[1], node)
    return s.cast(s.apply("rint", [value], node), Number(INT64, not s.numba), node)


@stands_for(builtins.len)
def _len(s: Statements, args: list[object], keywords: dict[str, object], node: ast.Call) -> Num:
    value = _one(s, args, keywords, node)
    if isinstance(value, Tuple):
        return s.constant(len(value.items))
    if isinstance(value, Array) and value.ndim > 0:
        return s.extent(value, 0)
    if isinstance(value, Text):
        return s.extent(value.row, 0)
    if isinstance(value, Constant) and isinstance(value.value, (str, bytes)):
        return s.constant(len(value.value))
    if isinstance(value, Range):
        return _size_of_range(s, value, node)
    if isinstance(value, List):
        return s.temporary(s.apply("add", [s.read(value.length), s.constant(0)], node), node)
    if isinstance(value, RecordArray) and value.bytes.ndim > 1:
        return s.extent(value.bytes, 0)
    if isinstance(value, (Dict, DictView)):
        of = value if isinstance(value, Dict) else value.of
        return s.temporary(s.apply("add", [s.read(of.live), s.constant(0)], node), node)
    if isinstance(value, Instance):
        made = cast("Objects", s).special(value, "len", [], node)
        if made is not None:
            return made  # type: ignore[no-any-return]
    raise s.error(node, f"{describe(value)} has no length")


def _size_of_range(s: Statements, value: Range, node: ast.AST) -> Num:
    """How many numbers it has."""
    step = s.temporary(value.step, node)
    up = s.apply("greater", [step, s.constant(0)], node)
    ahead = s.apply("subtract", [value.stop, value.start], node)
    distance = s.select(up, ahead, s.apply("negative", [ahead], node), node)
    size = s.apply("maximum", [s.apply("absolute", [step], node), s.constant(1)], node)
    size = s.temporary(size, node)
    more = s.apply("subtract", [s.apply("add", [distance, size], node), s.constant(1)], node)
    count = s.divided(s.apply("maximum", [more, s.constant(0)], node), size, node)
    return s.temporary(count, node)


@stands_for(builtins.range)
def _range(s: Statements, args: list[Any], keywords: dict[str, object], node: ast.Call) -> Range:
    from heddle.simt._loops import range_of

    if keywords:
        raise s.error(node, "range takes no keywords")
    made = range_of(s, args, node)
    return Range(*(s.temporary(part, node) for part in (made.start, made.stop, made.step)))


@stands_for(builtins.slice)
def _slice(s: Statements, args: list[Any], keywords: dict[str, object], node: ast.Call) -> Slice:
    if keywords or not 1 <= len(args) <= 3:
        raise s.error(node, "slice takes one to three integers")
    parts = [
        None
        if isinstance(a, Constant) and a.value is None
        else s.temporary(s.integer(a, node, "in a slice"), node)
        for a in args
    ]
    if len(parts) == 1:
        parts.insert(0, None)
    return Slice(*parts, *[None] * (3 - len(parts)))


@stands_for(builtins.enumerate, builtins.zip, builtins.reversed)
def _only_in_loops(
    s: Statements, args: list[object], keywords: dict[str, object], node: ast.Call
) -> Any:
    raise s.error(node, "ranges and the like are what loops go over, and nothing else")


@stands_for(builtins.tuple)
def _tuple(s: Statements, args: list[object], keywords: dict[str, object], node: ast.Call) -> Any:
    if len(args) == 1 and isinstance(args[0], Tuple):
        return args[0]
    raise s.error(node, "tuple takes a tuple in kernels")


def method_of_number(s: Statements, name: str, value: Num, node: ast.Call) -> Num:
    if name == "is_integer":
        return s.apply("equal", [value, s.apply("trunc", [value], node)], node)
    if name == "bit_count":
        return s.apply("bitwise_count", [value], node)
    if name == "item":
        return value
    return s.apply("conjugate", [value], node)


# --- Python's math ---

# Rows that `math` has by the same name. Those left out have handlers of their own: they give
# integers, take a base or an integer; and `math.remainder` is another one than NumPy's.
_OTHERWISE = {"floor", "ceil", "trunc", "ldexp", "log", "remainder"}
MATH = {name: name for name in vars(math) if name in OPS and name not in _OTHERWISE}
MATH |= {f"a{name}": f"arc{name}" for name in ("sin", "cos", "tan", "sinh", "cosh", "tanh")}
MATH |= {"atan2": "arctan2", "degrees": "rad2deg", "radians": "deg2rad", "ulp": "spacing"}
MATH |= {"lgamma": "gammaln"}


def math_function(op: str) -> Handler:
    def handler(
        s: Statements, args: list[object], keywords: dict[str, object], node: ast.Call
    ) -> Num:
        numbers = [s.number(a, node, "as an argument") for a in args]
        floats = op not in ("gcd", "lcm")
        if floats:
            weak = not s.numba
            numbers = [
                n
                if is_float(n.type.dtype)
                else s.cast(n, Number(FLOAT64, weak and n.type.weak), node)
                for n in numbers
            ]
        if op in ("hypot", "gcd", "lcm") and numbers:  # of any number of arguments
            made = s.apply("absolute", numbers[:1], node) if len(numbers) == 1 else numbers[0]
            for number in numbers[1:]:
                made = s.apply(op, [made, number], node)
            return made
        return s.apply(op, numbers, node)

    return handler


for _python_name, _op in MATH.items():
    functions[getattr(math, _python_name)] = math_function(_op)


def _to_integer(op: str) -> Handler:
    def handler(
        s: Statements, args: list[object], keywords: dict[str, object], node: ast.Call
    ) -> Num:
        value = s.number(args[0], node)
        if is_integer(value.type.dtype):
            return value
        return s.cast(s.apply(op, [value], node), Number(INT64, not s.numba), node)

    return handler


for _python_name in ("floor", "ceil", "trunc"):
    functions[getattr(math, _python_name)] = _to_integer(_python_name)


@stands_for(math.log)
def _log(s: Statements, args: list[object], keywords: dict[str, object], node: ast.Call) -> Num:
    made: Num = math_function("log")(s, args[:1], keywords, node)
    if len(args) > 1:
        made = s.apply("divide", [made, math_function("log")(s, args[1:], keywords, node)], node)
    return made


@stands_for(math.ldexp)
def _ldexp(s: Statements, args: list[object], keywords: dict[str, object], node: ast.Call) -> Num:
    if len(args) != 2 or keywords:
        raise s.error(node, "ldexp takes a number and an exponent")
    value = s.number(args[0], node)
    return s.apply(
        "ldexp", [s.cast(value, _floating(s, value), node), s.number(args[1], node)], node
    )


@stands_for(math.modf)
def _modf(s: Statements, args: list[Any], keywords: dict[str, object], node: ast.Call) -> Any:
    value = s.temporary(s.cast(s.number(args[0], node), _floating(s, args[0]), node), node)
    return Tuple([s.apply("modf_fraction", [value], node), s.apply("modf_integer", [value], node)])


@stands_for(math.frexp)
def _frexp(s: Statements, args: list[Any], keywords: dict[str, object], node: ast.Call) -> Any:
    value = s.temporary(s.cast(s.number(args[0], node), _floating(s, args[0]), node), node)
    return Tuple(
        [s.apply("frexp_mantissa", [value], node), s.apply("frexp_exponent", [value], node)]
    )


def _floating(s: Statements, value: Num) -> Number:
    return value.type if is_float(value.type.dtype) else Number(FLOAT64, not s.numba)
