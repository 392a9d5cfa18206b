"""What kernels may call: names of simt, Python's math, ufuncs, and functions of the user's."""

import ast
import builtins
import math
import types
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from heddle.simt import _words as w
from heddle.simt._device import Intrinsic, Position, Quantity
from heddle.simt._operations import describe
from heddle.simt._types import (
    BOOL,
    COMPLEX64,
    COMPLEX128,
    FLOAT32,
    FLOAT64,
    INT64,
    NAMES,
    OPS,
    UINT32,
    Array,
    Constant,
    Num,
    Number,
    Tuple,
    is_complex,
    is_float,
    is_integer,
    to_dtype,
)

if TYPE_CHECKING:
    from heddle.simt._statements import Statements

Handler = Callable[["Statements", list[Any], dict[str, Any], ast.Call], Any]
_handlers: dict[str, Handler] = {}
_builtins: dict[Any, Handler] = {}


def _handles(*names: str) -> Callable[[Handler], Handler]:
    def add(handler: Handler) -> Handler:
        for name in names:
            _handlers[name] = handler
        return handler

    return add


def _stands_for(*functions: Any) -> Callable[[Handler], Handler]:
    def add(handler: Handler) -> Handler:
        for function in functions:
            _builtins[function] = handler
        return handler

    return add


def attribute_of(s: "Statements", value: Any, name: str, node: ast.AST) -> Any:
    """Attributes that are values of a thread; None for all others."""
    if isinstance(value, Position):
        if name not in ("x", "y", "z"):
            raise s.error(node, f"simt.{value.__name__} has x, y and z, not '{name}'")
        return geometry(s, value._simt_geometry, "xyz".index(name))
    inner = getattr(value, name, None) if not isinstance(value, tuple) else None
    if isinstance(inner, Quantity):
        return geometry(s, "lane", 0)
    return None


def geometry(s: "Statements", what: str, axis: int) -> Num:
    words = [w.GEOMETRY, 0, w.GEOMETRIES.index(what), axis]
    return Num(Number(INT64, not s.numba), words, simple=True)


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
        return _method(s, what[1], what[2], node)
    name = getattr(what, "_simt", None)
    if isinstance(name, str) and isinstance(what, Intrinsic):
        return _handlers[name](s, spread, keywords, node)
    taken = getattr(what, "py_func", None)
    if isinstance(taken, types.FunctionType) and getattr(what, "_simt_callable", False):
        return s.call_function(taken, spread, keywords, node)
    try:
        handler = _builtins.get(what)
    except TypeError:
        handler = None
    if handler is not None:
        return handler(s, spread, keywords, node)
    dtype = to_dtype(what)
    if dtype is not None:
        return _converted(s, dtype, spread, node)
    op = _operation(what)
    if op is not None:
        if keywords:
            raise s.error(node, f"{op} takes no keywords in kernels")
        return s.apply(op, [s.number(a, node, "as an argument") for a in spread], node)
    if isinstance(what, types.FunctionType) and not _is_library(what):
        return s.call_function(what, spread, keywords, node)
    if isinstance(what, type) and issubclass(what, tuple) and hasattr(what, "_fields"):
        return Tuple(spread, what._fields)
    raise s.error(node, f"{describe(function)} cannot be called in a kernel")


def _is_library(function: types.FunctionType) -> bool:
    return (function.__module__ or "").partition(".")[0] in ("heddle", "numpy")


def _operation(what: Any) -> str | None:
    """The row of the op table that a function of NumPy's or ours is."""
    if isinstance(what, np.ufunc) or type(what).__name__ == "ufunc":
        name = str(getattr(what, "__name__", ""))
        name = {"true_divide": "divide", "mod": "remainder", "conj": "conjugate"}.get(name, name)
        return name if name in OPS else None
    return None


# --- numbers ---


def _converted(s: "Statements", dtype: int, args: list[Any], node: ast.AST) -> Num:
    weak = False
    if len(args) == 2 and is_complex(dtype):
        part = FLOAT32 if dtype == COMPLEX64 else FLOAT64
        parts = [s.cast(s.number(a, node), Number(part), node) for a in args]
        words = [w.OP, s.line(node), OPS["make_complex"][0], part, dtype]
        return Num(Number(dtype), words + parts[0].words + parts[1].words)
    if len(args) != 1:
        raise s.error(node, f"{NAMES[dtype]} takes one number")
    if dtype == BOOL:
        return s.truth(args[0], node)
    value = s.number(args[0], node, "to be converted")
    return s.cast(value, Number(dtype, weak), node)


@_stands_for(int)
def _int(s: "Statements", args: list[Any], keywords: dict[str, Any], node: ast.Call) -> Num:
    if not args:
        return s.constant(0)
    value = s.number(args[0], node, "to be converted")
    return s.cast(value, Number(INT64, not s.numba), node)


@_stands_for(float)
def _float(s: "Statements", args: list[Any], keywords: dict[str, Any], node: ast.Call) -> Num:
    if args and isinstance(args[0], Constant) and isinstance(args[0].value, str):
        return s.constant(float(args[0].value))
    value = s.number(args[0], node, "to be converted")
    return s.cast(value, Number(FLOAT64, not s.numba), node)


@_stands_for(bool)
def _bool(s: "Statements", args: list[Any], keywords: dict[str, Any], node: ast.Call) -> Num:
    return s.truth(args[0], node)


@_stands_for(complex)
def _complex(s: "Statements", args: list[Any], keywords: dict[str, Any], node: ast.Call) -> Num:
    if len(args) == 2 and all(
        isinstance(a, Num) and a.type.dtype == FLOAT32 and not a.type.weak for a in args
    ):
        return _converted(s, COMPLEX64, args, node)
    return _converted(s, COMPLEX128, args, node)


@_stands_for(builtins.abs)
def _abs(s: "Statements", args: list[Any], keywords: dict[str, Any], node: ast.Call) -> Num:
    return s.apply("absolute", [s.number(args[0], node)], node)


def _extreme(name: str) -> Handler:
    def handler(s: "Statements", args: list[Any], keywords: dict[str, Any], node: ast.Call) -> Num:
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
            made = s.apply("minimum" if name == "min" else "maximum", [made, other], node)
        return made

    return handler


_builtins[builtins.min] = _extreme("min")
_builtins[builtins.max] = _extreme("max")


@_stands_for(builtins.pow, math.pow)
def _pow(s: "Statements", args: list[Any], keywords: dict[str, Any], node: ast.Call) -> Any:
    if len(args) != 2:
        raise s.error(node, "pow takes two numbers in kernels")
    return s.binary(ast.Pow(), args[0], args[1], node)


@_stands_for(builtins.divmod)
def _divmod(s: "Statements", args: list[Any], keywords: dict[str, Any], node: ast.Call) -> Any:
    a, b = (s.temporary(s.number(arg, node), node) for arg in args)
    return Tuple([s.apply("floor_divide", [a, b], node), s.apply("remainder", [a, b], node)])


@_stands_for(builtins.round)
def _round(s: "Statements", args: list[Any], keywords: dict[str, Any], node: ast.Call) -> Num:
    value = s.number(args[0], node)
    if is_integer(value.type.dtype):
        return value
    if len(args) > 1 and not (isinstance(args[1], Constant) and args[1].value is None):
        digits = s.known_integer(args[1], node, "the number of digits")
        scale = s.constant(10.0 ** abs(digits))
        first, second = ("multiply", "divide") if digits >= 0 else ("divide", "multiply")
        scaled = s.apply("rint", [s.apply(first, [value, scale], node)], node)
        return s.apply(second, [scaled, scale], node)
    return s.cast(s.apply("rint", [value], node), Number(INT64, not s.numba), node)


@_stands_for(builtins.len)
def _len(s: "Statements", args: list[Any], keywords: dict[str, Any], node: ast.Call) -> Num:
    value = args[0]
    if isinstance(value, Tuple):
        return s.constant(len(value.items))
    if isinstance(value, Array) and value.ndim > 0:
        return s.extent(value, 0)
    raise s.error(node, f"{describe(value)} has no length")


@_stands_for(builtins.range, builtins.enumerate, builtins.zip, builtins.reversed)
def _only_in_loops(
    s: "Statements", args: list[Any], keywords: dict[str, Any], node: ast.Call
) -> Any:
    raise s.error(node, "ranges and the like are what loops go over, and nothing else")


@_stands_for(builtins.tuple)
def _tuple(s: "Statements", args: list[Any], keywords: dict[str, Any], node: ast.Call) -> Any:
    if len(args) == 1 and isinstance(args[0], Tuple):
        return args[0]
    raise s.error(node, "tuple takes a tuple in kernels")


@_stands_for(builtins.print)
def _print(s: "Statements", args: list[Any], keywords: dict[str, Any], node: ast.Call) -> Any:
    if keywords:
        raise s.error(node, "print takes no keywords in kernels")
    texts, values, text = [], [], ""
    flat: list[Any] = []
    for arg in args:
        flat += arg.items if isinstance(arg, Tuple) else [arg]
    for i, arg in enumerate(flat):
        text += " " if i else ""
        if isinstance(arg, Constant):
            text += str(arg.value)
            continue
        number = s.number(arg, node, "to be printed")
        if is_complex(number.type.dtype):
            raise s.error(node, "complex numbers are printed by their parts in kernels")
        texts.append(text)
        values.append(number)
        text = ""
    texts.append(text + "\n")
    words = [w.PRINT, s.line(node), len(values)]
    for i, one in enumerate(texts):
        words.append(s.program.text(one))
        if i < len(values):
            words += values[i].words
    s.statements.append(words)
    return Constant(None)


def _method(s: "Statements", name: str, value: Num, node: ast.Call) -> Num:
    if name == "bit_count":
        return s.apply("bitwise_count", [value], node)
    if name == "item":
        return value
    return s.apply("conjugate", [value], node)


# --- Python's math ---

_MATH = {
    **{
        name: name
        for name in ("sin", "cos", "tan", "sinh", "cosh", "tanh", "exp", "expm1", "log10")
    },
    **{
        name: name
        for name in ("log1p", "log2", "sqrt", "cbrt", "exp2", "fabs", "hypot", "copysign")
    },
    **{
        name: name
        for name in ("isnan", "isinf", "isfinite", "fmod", "erf", "nextafter", "gcd", "lcm")
    },
    **{name: name for name in ("erfc", "gamma")},
    **{f"a{name}": f"arc{name}" for name in ("sin", "cos", "tan", "sinh", "cosh", "tanh")},
    **{"atan2": "arctan2", "degrees": "rad2deg", "radians": "deg2rad", "ulp": "spacing"},
    "lgamma": "gammaln",
}


def _math_function(op: str) -> Handler:
    def handler(s: "Statements", args: list[Any], keywords: dict[str, Any], node: ast.Call) -> Num:
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
        return s.apply(op, numbers, node)

    return handler


for _python_name, _op in _MATH.items():
    _function = getattr(math, _python_name, None)
    if _function is not None and _op in OPS:
        _builtins[_function] = _math_function(_op)


def _to_integer(op: str) -> Handler:
    def handler(s: "Statements", args: list[Any], keywords: dict[str, Any], node: ast.Call) -> Num:
        value = s.number(args[0], node)
        if is_integer(value.type.dtype):
            return value
        return s.cast(s.apply(op, [value], node), Number(INT64, not s.numba), node)

    return handler


for _python_name in ("floor", "ceil", "trunc"):
    _builtins[getattr(math, _python_name)] = _to_integer(_python_name)


@_stands_for(math.log)
def _log(s: "Statements", args: list[Any], keywords: dict[str, Any], node: ast.Call) -> Num:
    made: Num = _math_function("log")(s, args[:1], keywords, node)
    if len(args) > 1:
        made = s.apply("divide", [made, _math_function("log")(s, args[1:], keywords, node)], node)
    return made


@_stands_for(math.ldexp)
def _ldexp(s: "Statements", args: list[Any], keywords: dict[str, Any], node: ast.Call) -> Num:
    value = s.number(args[0], node)
    if not is_float(value.type.dtype):
        value = s.cast(value, Number(FLOAT64, True), node)
    power = s.apply(
        "exp2",
        [s.cast(s.integer(args[1], node, "as an exponent"), Number(value.type.dtype), node)],
        node,
    )
    return s.apply("multiply", [value, power], node)


@_stands_for(math.modf)
def _modf(s: "Statements", args: list[Any], keywords: dict[str, Any], node: ast.Call) -> Any:
    value = s.temporary(s.cast(s.number(args[0], node), _floating(s, args[0]), node), node)
    return Tuple([s.apply("modf_fraction", [value], node), s.apply("modf_integer", [value], node)])


@_stands_for(math.frexp)
def _frexp(s: "Statements", args: list[Any], keywords: dict[str, Any], node: ast.Call) -> Any:
    value = s.temporary(s.cast(s.number(args[0], node), _floating(s, args[0]), node), node)
    return Tuple(
        [s.apply("frexp_mantissa", [value], node), s.apply("frexp_exponent", [value], node)]
    )


def _floating(s: "Statements", value: Num) -> Number:
    return value.type if is_float(value.type.dtype) else Number(FLOAT64, not s.numba)


# --- places ---


def _dimensions(s: "Statements", args: list[Any], node: ast.Call, name: str) -> int:
    if len(args) != 1:
        raise s.error(node, f"{name} takes 1, 2 or 3")
    count = s.known_integer(args[0], node, f"the argument of {name}")
    if count not in (1, 2, 3):
        raise s.error(node, f"{name} takes 1, 2 or 3")
    return count


@_handles("grid")
def _grid(s: "Statements", args: list[Any], keywords: dict[str, Any], node: ast.Call) -> Any:
    def along(axis: int) -> Num:
        blocks = s.apply(
            "multiply", [geometry(s, "block", axis), geometry(s, "block_size", axis)], node
        )
        return s.apply("add", [blocks, geometry(s, "thread", axis)], node)

    count = _dimensions(s, args, node, "grid")
    return along(0) if count == 1 else Tuple([along(axis) for axis in range(count)])


@_handles("gridsize")
def _gridsize(s: "Statements", args: list[Any], keywords: dict[str, Any], node: ast.Call) -> Any:
    def along(axis: int) -> Num:
        return s.apply(
            "multiply", [geometry(s, "grid_size", axis), geometry(s, "block_size", axis)], node
        )

    count = _dimensions(s, args, node, "gridsize")
    return along(0) if count == 1 else Tuple([along(axis) for axis in range(count)])


# --- memory ---


def _memory(space: str) -> Handler:
    def handler(
        s: "Statements", args: list[Any], keywords: dict[str, Any], node: ast.Call
    ) -> Array:
        given = dict(zip(("shape", "dtype"), args, strict=False)) | keywords
        given.pop("alignment", None)
        unknown = set(given) - {"shape", "dtype"}
        if unknown or len(given) != 2:
            raise s.error(node, f"{space}.array takes a shape and a dtype")
        shape = given["shape"]
        items = shape.items if isinstance(shape, Tuple) else [shape]
        extents = tuple(s.known_integer(i, node, f"the shape of {space}.array") for i in items)
        if any(n < 0 for n in extents) or math.prod(extents) > 2**30:
            raise s.error(node, f"the shape {extents} is not possible")
        inner = given["dtype"]
        dtype = to_dtype(inner.value) if isinstance(inner, Constant) else None
        if dtype is None:
            raise s.error(node, f"{describe(inner)} is no type of elements")
        kind = space
        if space == "shared" and extents == (0,):
            kind, extents = "dynamic", ()
        number = len(s.program.arrays)
        made = Array(number, dtype, max(1, len(extents)), number, kind, space, extents=extents)
        s.program.arrays.append(made)
        return made

    return handler


_handlers["shared.array"] = _memory("shared")


@_handles("shared_memory")
def _shared_memory(
    s: "Statements", args: list[Any], keywords: dict[str, Any], node: ast.Call
) -> Array:
    """As cupyx.jit has it: the type first, and a size; None stands for what the launch gives."""
    given = dict(zip(("dtype", "size", "alignment"), args, strict=False)) | keywords
    given.pop("alignment", None)
    if set(given) != {"dtype", "size"}:
        raise s.error(node, "shared_memory takes a dtype and a size")
    size = given["size"]
    if isinstance(size, Constant) and size.value is None:
        size = s.constant(0)
    made: Array = _memory("shared")(s, [size, given["dtype"]], {}, node)
    return made


_handlers["local.array"] = _memory("local")


def _atomic(how: str) -> Handler:
    def handler(s: "Statements", args: list[Any], keywords: dict[str, Any], node: ast.Call) -> Num:
        values = 2 if how == "cas" else 1
        if len(args) != 2 + values or keywords:
            raise s.error(
                node,
                f"atomic.{how} takes an array, an index and {values} value" + "s" * (values > 1),
            )
        array, index = args[0], args[1]
        if not isinstance(array, Array):
            raise s.error(
                node, f"atomic.{how} works on an element of an array, not on {describe(array)}"
            )
        items = index.items if isinstance(index, Tuple) else [index]
        indices = s.indices(array, items, node)
        if indices is None:
            raise s.error(
                node, f"atomic.{how} works on one element: {array.ndim} indices are needed"
            )
        allowed = is_integer(array.dtype) or (
            is_float(array.dtype) and how not in ("and_", "or_", "xor", "inc", "dec")
        )
        if is_complex(array.dtype) and how in ("add", "sub"):
            allowed = True
        if how in ("inc", "dec") and NAMES[array.dtype] not in (
            "uint32",
            "uint64",
            "int32",
            "int64",
        ):
            allowed = False
        if not allowed:
            raise s.error(node, f"there is no atomic.{how} for {NAMES[array.dtype]}")
        s.program.written.add(array.root)
        words = [w.ATOMIC, s.site(node), w.ATOMICS.index(how), array.number]
        for value in args[2:]:
            words += s.cast(s.number(value, node, "as a value"), Number(array.dtype), node).words
        for one in indices:
            words += one.words
        return _done(s, Num(Number(array.dtype), words), node)

    return handler


for _name in w.ATOMICS:
    _handlers[f"atomic.{_name}"] = _atomic(_name)


@_handles("atomic.compare_and_swap")
def _first_swap(s: "Statements", args: list[Any], keywords: dict[str, Any], node: ast.Call) -> Num:
    if len(args) != 3:
        raise s.error(node, "atomic.compare_and_swap takes an array, the old value and the new one")
    made: Num = _atomic("cas")(s, [args[0], s.constant(0), *args[1:]], keywords, node)
    return made


def _done(s: "Statements", value: Num, node: ast.AST) -> Num:
    """Now, and once."""
    var = s.local(value.type)
    s.set(var, value, node)
    return s.read(var)


# --- barriers ---


@_handles("syncthreads")
def _syncthreads(s: "Statements", args: list[Any], keywords: dict[str, Any], node: ast.Call) -> Any:
    s.statements.append([w.BARRIER, s.line(node), 0])
    return Constant(None)


def _counting_barrier(kind: int) -> Handler:
    def handler(s: "Statements", args: list[Any], keywords: dict[str, Any], node: ast.Call) -> Num:
        if len(args) != 1:
            raise s.error(node, "a condition is needed")
        condition = s.truth(args[0], node)
        var = s.local(Number(INT64, not s.numba))
        s.statements.append([w.BARRIER, s.line(node), kind, var.number, *condition.words])
        return s.read(var)

    return handler


for _i, _name in enumerate(("syncthreads_count", "syncthreads_and", "syncthreads_or"), 1):
    _handlers[_name] = _counting_barrier(_i)


def _fence(level: int) -> Handler:
    def handler(s: "Statements", args: list[Any], keywords: dict[str, Any], node: ast.Call) -> Any:
        s.statements.append([w.FENCE, s.line(node), level])
        return Constant(None)

    return handler


_handlers["syncwarp"] = _fence(0)
_handlers["threadfence_block"] = _fence(1)
_handlers["threadfence"] = _fence(2)
_handlers["threadfence_system"] = _fence(2)


@_handles("nanosleep")
def _nanosleep(s: "Statements", args: list[Any], keywords: dict[str, Any], node: ast.Call) -> Any:
    return Constant(None)


# --- warps ---


def _shuffle(how: str) -> Handler:
    def handler(s: "Statements", args: list[Any], keywords: dict[str, Any], node: ast.Call) -> Num:
        if not 3 <= len(args) <= 4 or set(keywords) - {"width"}:
            raise s.error(node, f"{how} takes a mask, a value, and which thread")
        width = args[3] if len(args) > 3 else keywords.get("width", s.constant(32))
        size = s.known_integer(width, node, "the width of a group of threads")
        if size not in (1, 2, 4, 8, 16, 32):
            raise s.error(node, "groups of threads have 1, 2, 4, 8, 16 or 32")
        value = s.number(args[1], node, "to be shuffled")
        words = [w.WARP, s.line(node), w.WARPS.index(how), value.type.dtype]
        words += s.integer(args[0], node, "as a mask").words + value.words
        words += s.integer(args[2], node, "as a thread").words + s.constant(size).words
        return _done(s, Num(value.type, words), node)

    return handler


for _name in w.WARPS[:4]:
    _handlers[_name] = _shuffle(_name)


def _vote(how: str) -> Handler:
    def handler(s: "Statements", args: list[Any], keywords: dict[str, Any], node: ast.Call) -> Any:
        if len(args) != 2:
            raise s.error(node, f"{how} takes a mask and a value")
        matches = how.startswith("match")
        bits = how in ("ballot_sync", "match_any_sync", "match_all_sync")
        value = s.number(args[1], node) if matches else s.truth(args[1], node)
        if matches and is_complex(value.type.dtype):
            raise s.error(node, f"{how} takes an integer or a real number")
        type_ = Number(UINT32) if bits else Number(BOOL)
        words = [w.WARP, s.line(node), w.WARPS.index(how), type_.dtype]
        words += s.integer(args[0], node, "as a mask").words + value.words
        made = _done(s, Num(type_, words), node)
        if how == "match_all_sync":
            return Tuple([made, s.apply("not_equal", [made, s.constant(0)], node)])
        return made

    return handler


for _name in w.WARPS[4:10]:
    _handlers[_name] = _vote(_name)


@_handles("activemask")
def _activemask(s: "Statements", args: list[Any], keywords: dict[str, Any], node: ast.Call) -> Num:
    words = [w.WARP, s.line(node), w.WARPS.index("activemask"), UINT32]
    return _done(s, Num(Number(UINT32), words), node)


@_handles("lanemask_lt")
def _lanemask_lt(s: "Statements", args: list[Any], keywords: dict[str, Any], node: ast.Call) -> Num:
    one = s.constant(1, Number(INT64))
    shifted = s.apply("left_shift", [one, geometry(s, "lane", 0)], node)
    return s.cast(s.apply("subtract", [shifted, one], node), Number(UINT32), node)


# --- bits, and the like ---


def _bits(how: str) -> Handler:
    def handler(s: "Statements", args: list[Any], keywords: dict[str, Any], node: ast.Call) -> Num:
        value = s.number(args[0], node) if len(args) == 1 else None
        if value is None or not is_integer(value.type.dtype):
            raise s.error(node, f"{how} takes an integer")
        type_ = value.type if how == "brev" else Number(INT64, not s.numba)
        words = [w.BITS, s.line(node), w.BIT_FUNCTIONS.index(how), type_.dtype, *value.words]
        return Num(type_, words, reads=value.reads)

    return handler


for _name in w.BIT_FUNCTIONS[:4]:
    _handlers[_name] = _bits(_name)


@_handles("fma")
def _fma(s: "Statements", args: list[Any], keywords: dict[str, Any], node: ast.Call) -> Num:
    if len(args) != 3:
        raise s.error(node, "fma takes three numbers")
    numbers = [s.number(a, node) for a in args]
    type_ = numbers[0].type
    for other in numbers[1:]:
        type_ = s.promoted(type_, other.type)
    if type_.dtype not in (FLOAT32, FLOAT64):
        type_ = Number(FLOAT64, type_.weak)
    words = [w.BITS, s.line(node), w.BIT_FUNCTIONS.index("fma"), type_.dtype]
    for number in numbers:
        words += s.cast(number, type_, node).words
    return Num(type_, words, reads=any(n.reads for n in numbers))


@_handles("cbrt")
def _cbrt(s: "Statements", args: list[Any], keywords: dict[str, Any], node: ast.Call) -> Num:
    made: Num = _math_function("cbrt")(s, args, keywords, node)
    return made


@_handles("rsqrt")
def _rsqrt(s: "Statements", args: list[Any], keywords: dict[str, Any], node: ast.Call) -> Num:
    root = _math_function("sqrt")(s, args, keywords, node)
    return s.apply("divide", [s.constant(1.0), root], node)


@_handles("selp")
def _selp(s: "Statements", args: list[Any], keywords: dict[str, Any], node: ast.Call) -> Num:
    if len(args) != 3:
        raise s.error(node, "selp takes a condition and two values")
    condition = s.truth(args[0], node)
    a, b = (s.number(v, node) for v in args[1:])
    return s.select(condition, a, b, node)


@_handles("clock")
def _clock(s: "Statements", args: list[Any], keywords: dict[str, Any], node: ast.Call) -> Num:
    return _done(s, geometry(s, "clock", 0), node)
