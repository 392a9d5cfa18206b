"""Arrays that host functions make, and what they ask of whole arrays, by NumPy's functions."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from heddle._typing import DType
from heddle.simt import _borrowed, _lists
from heddle.simt._along import along, taken
from heddle.simt._fields import record_type
from heddle.simt._methods import shaped
from heddle.simt._operations import describe
from heddle.simt._registry import Handler, functions, known_as
from heddle.simt._types import (
    FLOAT64,
    INT64,
    Array,
    Constant,
    Iterator,
    List,
    Num,
    Number,
    RecordArray,
    Tuple,
    is_integer,
    to_dtype,
)
from heddle.simt._whole import Lazy, Whole

if TYPE_CHECKING:
    from heddle.simt._host import HostCompiler
    from heddle.simt._statements import Statements

_INT = Number(INT64, True)


def _host(s: Statements, name: str, node: ast.AST) -> HostCompiler:
    if not s.host:
        raise s.error(
            node,
            f"{name} makes an array, and kernels make none; arrays of a kernel's own are "
            "made by simt.local.array(shape, dtype)",
        )
    return cast("HostCompiler", s)


def whole(s: Statements) -> Whole:
    """All that compiles whole functions and kernels knows arrays as operands."""
    return cast("Whole", s)


def _dtype(s: HostCompiler, given: object, default: int, node: ast.AST) -> int:
    if given is None or (isinstance(given, Constant) and given.value is None):
        return default
    found = to_dtype(given.value) if isinstance(given, Constant) else None
    if found is None:
        raise s.error(node, f"{describe(given)} is no type of elements")
    return found


def _records(given: object) -> DType | None:
    return record_type(given.value) if isinstance(given, Constant) else None


def _extents(s: HostCompiler, shape: object, node: ast.AST) -> list[Num]:
    items = shape.items if isinstance(shape, Tuple) else [shape]
    return [s.temporary(s.integer(item, node, "in a shape"), node) for item in items]


def _given(
    s: HostCompiler,
    name: str,
    names: tuple[str, ...],
    args: Sequence[object],
    keywords: dict[str, object],
    node: ast.AST,
) -> dict[str, object]:
    """Arguments by name; what is not among them is refused."""
    given = dict(zip(names, args, strict=False)) | keywords
    unknown = set(given) - set(names)
    if unknown or len(args) > len(names):
        what = f"no argument '{unknown.pop()}'" if unknown else f"at most {len(names)} arguments"
        raise s.error(node, f"{name} takes {what} in compiled functions")
    return given


def _filled(name: str, value: int | None, numpys: bool) -> Handler:
    def handler(
        state: Statements, args: list[object], keywords: dict[str, object], node: ast.Call
    ) -> RecordArray | Array:
        s = _host(state, name, node)
        names = ("shape", "fill_value", "dtype") if name == "full" else ("shape", "dtype")
        given = _given(s, name, names, args, keywords, node)
        if "shape" not in given:
            raise s.error(node, f"{name} needs a shape")
        default = FLOAT64
        number: Num | None = None
        if name == "full":
            number = s.number(given.get("fill_value"), node, "to fill with")
            default = number.type.dtype
        elif value is not None:
            number = s.constant(value)
        records = _records(given.get("dtype"))
        if records is not None:
            if number is not None and value != 0:
                raise s.error(node, f"{name} makes no records; take zeros, and set their fields")
            return s.allocate_records(
                _extents(s, given["shape"], node), records, value == 0, numpys, node
            )
        dtype = _dtype(s, given.get("dtype"), default, node)
        shape = _extents(s, given["shape"], node)
        made = s.allocate(shape, dtype, value == 0, numpys, node)
        if number is not None and value != 0:
            s.fill(made, s.cast(number, Number(dtype), node), node)
        return made

    return handler


def _like(name: str, value: int | None, numpys: bool) -> Handler:
    def handler(
        state: Statements, args: list[object], keywords: dict[str, object], node: ast.Call
    ) -> RecordArray | Array:
        s = _host(state, name, node)
        names = ("a", "fill_value", "dtype") if name == "full_like" else ("a", "dtype")
        given = _given(s, name, names, args, keywords, node)
        source = s.settled(given.get("a"), node)
        if isinstance(source, RecordArray) and value in (0, None) and len(given) == 1:
            extents = [s.extent(source.bytes, axis) for axis in range(source.bytes.ndim - 1)]
            return s.allocate_records(extents, source.dtype, value == 0, True, node)
        if not isinstance(source, Array):
            raise s.error(node, f"{name} needs an array, not {describe(source)}")
        dtype = _dtype(s, given.get("dtype"), source.dtype, node)
        shape = [s.temporary(s.extent(source, axis), node) for axis in range(source.ndim)]
        made = s.allocate(shape, dtype, value == 0, source.numpys, node)
        number = None if value is None else s.constant(value)
        if name == "full_like":
            number = s.number(given.get("fill_value"), node, "to fill with")
        if number is not None and value != 0:
            s.fill(made, s.cast(number, Number(dtype), node), node)
        return made

    return handler


def _copied(s: HostCompiler, source: Any, dtype: int | None, node: ast.AST) -> Array:
    if isinstance(source, Lazy) and dtype in (None, source.type.dtype):
        return s.made_array(source, node)
    lazy = source if isinstance(source, Lazy) else s.as_lazy(source, node)
    shape = [s.temporary(n, node) for n in lazy.shape]
    made = s.allocate(shape, lazy.type.dtype if dtype is None else dtype, False, lazy.numpys, node)
    s.nested(shape, lambda indices: s.store(made, indices, lazy.element(indices), node), node)
    return made


def _is_nested(item: object) -> bool:
    """Whether an item of a list becomes a row or more, and is no tuple of numbers alone."""
    if isinstance(item, Tuple):
        return any(isinstance(inner, (Tuple, List, Array, Lazy)) for inner in item.items)
    return isinstance(item, (List, Array, Lazy))


def _array(numpys: bool) -> Handler:
    def handler(
        state: Statements, args: Sequence[object], keywords: dict[str, Any], node: ast.Call
    ) -> Array:
        s = _host(state, "array", node)
        given = _given(s, "array", ("object", "dtype"), args, keywords, node)
        source = given.get("object")
        if isinstance(source, List):
            of = None if given.get("dtype") is None else _dtype(s, given["dtype"], 0, node)
            return _lists.as_array(s, source, of, numpys, node)
        if isinstance(source, (Array, Lazy)):
            wanted = given.get("dtype")
            return _copied(s, source, None if wanted is None else _dtype(s, wanted, 0, node), node)
        if not isinstance(source, Tuple) or not source.items:
            raise s.error(node, f"array needs numbers in a list, not {describe(source)}")
        if any(_is_nested(item) for item in source.items):
            parts = [handler(s, [item], {}, node) for item in source.items]
            made = functions[np.stack](s, [Tuple(parts)], {}, node)
            if given.get("dtype") is None:
                return cast("Array", made)
            return _copied(s, made, _dtype(s, given["dtype"], 0, node), node)
        rows = [r.items if isinstance(r, Tuple) else None for r in source.items]
        flat = [n for r in rows for n in r] if all(r is not None for r in rows) else source.items  # type: ignore[union-attr]
        numbers = [s.temporary(s.number(n, node, "in an array"), node) for n in flat]
        type_ = Number(numbers[0].type.dtype)  # Python's numbers are not weak beside others here
        for other in numbers[1:]:
            type_ = s.join(type_, Number(other.type.dtype))
        dtype = _dtype(s, given.get("dtype"), type_.dtype, node)
        if rows[0] is None:
            shape = [s.constant(len(numbers))]
        else:
            if len({len(r or []) for r in rows}) != 1:
                raise s.error(node, "the rows of an array have to be of one length")
            shape = [s.constant(len(rows)), s.constant(len(rows[0]))]
        made = s.allocate(shape, dtype, False, numpys, node)
        for i, number in enumerate(numbers):
            row = [i] if rows[0] is None else list(divmod(i, len(rows[0])))
            s.store(made, [s.constant(n) for n in row], number, node)
        return made

    return handler


def _arange(numpys: bool) -> Handler:
    def handler(
        state: Statements, args: list[object], keywords: dict[str, object], node: ast.Call
    ) -> Array:
        s = _host(state, "arange", node)
        given = _given(s, "arange", ("start", "stop", "step", "dtype"), args, keywords, node)
        numbers = {
            k: s.temporary(s.number(v, node), node) for k, v in given.items() if k != "dtype"
        }
        if not numbers.keys() & {"start", "stop"}:
            raise s.error(node, "arange needs a stop")
        if "stop" not in numbers:
            numbers["stop"] = numbers.pop("start")
        start, stop = numbers.get("start", s.constant(0)), numbers["stop"]
        step = numbers.get("step", s.constant(1))
        type_ = s.promoted(s.promoted(start.type, stop.type), step.type)
        dtype = _dtype(s, given.get("dtype"), type_.dtype, node)
        distance = s.apply("subtract", [stop, start], node)
        if all(is_integer(n.type.dtype) for n in (start, stop, step)):
            # Rounded up: the negative of what is rounded down.
            down = s.apply("floor_divide", [s.apply("negative", [distance], node), step], node)
            count = s.apply("negative", [down], node)
        else:
            count = s.apply("ceil", [s.apply("divide", [distance, step], node)], node)
        count = s.cast(s.apply("maximum", [count, s.constant(0)], node), _INT, node)
        count = s.temporary(count, node)
        made = s.allocate([count], dtype, False, numpys, node)

        def turn(index: Num) -> None:
            value = s.apply("add", [start, s.apply("multiply", [index, step], node)], node)
            s.store(made, [index], value, node)

        s.counted(s.constant(0), count, s.constant(1), turn, node)
        return made

    return handler


def _linspace(numpys: bool) -> Handler:
    def handler(
        state: Statements, args: list[object], keywords: dict[str, object], node: ast.Call
    ) -> Array:
        s = _host(state, "linspace", node)
        given = _given(s, "linspace", ("start", "stop", "num"), args, keywords, node)
        start, stop = (
            s.temporary(s.cast(s.number(given[k], node), Number(FLOAT64), node), node)
            for k in ("start", "stop")
        )
        count = s.temporary(s.integer(given.get("num", s.constant(50)), node, "of samples"), node)
        made = s.allocate([count], FLOAT64, False, numpys, node)
        parts = s.cast(s.apply("subtract", [count, s.constant(1)], node), Number(FLOAT64), node)
        parts = s.apply("maximum", [parts, s.constant(1.0)], node)
        plain = super(type(s), s).apply  # a count of one is no division by zero
        step = s.temporary(
            plain("divide", [s.apply("subtract", [stop, start], node), parts], node), node
        )

        def turn(index: Num) -> None:
            moved = s.apply("multiply", [s.cast(index, Number(FLOAT64), node), step], node)
            value = s.apply("add", [start, moved], node)
            last = s.apply(
                "equal", [index, s.apply("subtract", [count, s.constant(1)], node)], node
            )
            several = s.apply("greater", [count, s.constant(1)], node)
            last = s.apply("logical_and", [last, several], node)
            s.store(made, [index], s.select(last, stop, value, node), node)

        s.counted(s.constant(0), count, s.constant(1), turn, node)
        return made

    return handler


def _reduced(name: str) -> Handler:
    def handler(
        state: Statements, args: list[Any], keywords: dict[str, Any], node: ast.Call
    ) -> Any:
        s = whole(state)
        rest, named = list(args[1:]), dict(keywords)
        axis = taken(rest, named, 0)
        dtype = taken(rest, named, 0, "dtype") if name in ("sum", "prod", "mean") else None
        if not args or rest or named:
            raise s.error(node, f"{name} takes an array and an axis in compiled functions")
        if isinstance(args[0], Tuple) and name in ("min", "max"):
            raise s.error(node, f"{name} of a tuple is Python's {name}()")
        if not s.is_whole(args[0]):
            raise s.error(node, f"{name} needs an array, not {describe(args[0])}")
        value = args[0]
        if dtype is not None:
            type_ = Number(_dtype(cast("HostCompiler", s), dtype, FLOAT64, node))
            value = s.elementwise(lambda n: s.cast(n, type_, node), [value], node)
        if axis is None:
            made = s.reduce(name, value, node)
            return made if dtype is None else s.cast(made, type_, node)
        of = lambda row: handler(s, [row], {} if dtype is None else {"dtype": dtype}, node)  # noqa: E731
        return along(s, value, axis, of, node)

    return handler


def _where(
    state: Statements, args: list[Any], keywords: dict[str, object], node: ast.Call
) -> Tuple | Num | Lazy:
    if len(args) == 1 and not keywords and whole(state).is_whole(args[0]):
        return _borrowed.places(state, args[0].numpys, args[0], node)
    if keywords or len(args) != 3:
        raise state.error(node, "where takes a condition, and two values")
    if not any(isinstance(a, (Array, Lazy)) for a in args):
        condition = state.truth(args[0], node)
        a, b = (state.number(v, node) for v in args[1:])
        return state.select(condition, a, b, node)
    s = whole(state)

    def one(c: Num, a: Num, b: Num) -> Num:
        return s.select(s.truth(c, node), a, b, node)

    return s.elementwise(one, [s._operand(v, node) for v in args], node)


def _dot(state: Statements, args: list[object], keywords: dict[str, object], node: ast.Call) -> Any:
    s = whole(state)
    if keywords or len(args) != 2:
        raise s.error(node, "dot takes two arrays")
    return s.binary(ast.MatMult(), args[0], args[1], node)


def _copy(
    state: Statements, args: list[object], keywords: dict[str, object], node: ast.Call
) -> Array:
    s = _host(state, "copy", node)
    if keywords or len(args) != 1 or not s.is_whole(args[0]):
        raise s.error(node, "copy takes an array")
    return _copied(s, args[0], None, node)


def _method(name: str) -> Handler:
    """A function that is a method of its first argument."""

    def handler(
        state: Statements, args: list[Any], keywords: dict[str, object], node: ast.Call
    ) -> Any:
        s = whole(state)
        if not args or not s.is_whole(args[0]):
            raise s.error(node, f"{name} needs an array")
        return method_of_array(s, name, s.settled(args[0], node), args[1:], keywords, node)

    return handler


for _name in ("ravel", "reshape", "transpose"):
    known_as(_name, _method(_name))
for _name, _value in (("zeros", 0), ("ones", 1), ("empty", None), ("full", None)):
    known_as(_name, _filled(_name, _value, True), _filled(_name, _value, False))
    _name += "_like"
    known_as(_name, _like(_name, _value, True), _like(_name, _value, False))
known_as("arange", _arange(True), _arange(False))
known_as("linspace", _linspace(True), _linspace(False))
for _name in ("array", "asarray"):
    known_as(_name, _array(True), _array(False))
for _name in ("sum", "prod", "min", "max", "mean", "any", "all"):
    known_as(_name, _reduced(_name))
known_as("amin", _reduced("min"))
known_as("amax", _reduced("max"))
known_as("where", _where)
known_as("dot", _dot)
known_as("copy", _copy)
# Methods that are NumPy's functions of their array.
_METHODS = ("nonzero", "squeeze", "swapaxes", "take")


def method_of_array(
    state: Statements,
    name: str,
    value: Array,
    args: list[object],
    keywords: dict[str, object],
    node: ast.Call,
) -> Any:
    """x.copy(), x.sum() and the like."""
    s = whole(state)
    if name in ("sum", "prod", "min", "max", "mean", "any", "all"):
        return _reduced(name)(s, [value, *args], keywords, node)
    if name in ("var", "std"):
        return functions[getattr(np, name)](s, [value, *args], keywords, node)
    if name in _METHODS:
        return functions[getattr(np, name)](s, [value, *args], keywords, node)
    if name in _borrowed.METHODS:
        return _borrowed.borrowed(s, name, value.numpys, [value, *args], keywords, node)
    if name in ("reshape", "ravel", "transpose"):
        return shaped(s, name, value, args, keywords, node)
    if name in ("conj", "conjugate") and not args and not keywords:
        return s.apply_whole("conjugate", [value], node)
    if name == "sort" and isinstance(value, Array) and not args and not keywords and s.host:
        s.fill(value, _borrowed.borrowed(s, "sort", value.numpys, [value], {}, node), node)
        return Constant(None)
    if name == "view" and isinstance(value, Array) and len(args) == 1 and not keywords and s.host:
        host = _host(s, "array.view", node)
        return host.viewed_as(value, _dtype(host, args[0], 0, node), node)
    if name == "dot":
        return _dot(s, [value, *args], keywords, node)
    if name == "astype" and len(args) == 1 and not keywords:
        host = _host(s, "array.astype", node)
        return _copied(host, value, _dtype(host, args[0], 0, node), node)
    if name == "fill" and len(args) == 1 and not keywords and isinstance(value, Array):
        s.fill(value, args[0], node)
        return Constant(None)
    if name == "item" and isinstance(value, Array) and not keywords:
        if not args and s.host:
            size = cast("Any", s.array_attribute(value, "size", node))
            several = s.apply("not_equal", [size, s.constant(1)], node)
            said = "can only convert an array of size 1 to a Python scalar"
            s.fail(ValueError, (said,), node, several)
        return s.element(value, args or [s.constant(0)] * value.ndim, node)
    if name == "copy" and not args and not keywords:
        return _copied(_host(s, "array.copy", node), value, None, node)
    if name in ("begin", "end") and isinstance(value, Array) and not args and not keywords:
        if value.ndim != 1:
            raise s.error(node, f"{describe(value)} has no iterators: those of one dimension have")
        place = s.extent(value, 0) if name == "end" else s.constant(0)
        return Iterator(value, s.temporary(s.cast(place, _INT, node), node))
    raise s.error(node, f"array.{name} takes no such arguments in compiled functions")
