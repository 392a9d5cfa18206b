"""Plain C++ as expressions of arrays: bodies of kernels where no compiler for them is needed.

Declarations, assignments, `if` and expressions of numbers become operations on whole arrays, in the
types that C++ computes in; so they run on every device, and fuse with what is around them. What is
more than that (loops, functions of one's own, pointers, barriers) raises NotImplementedError.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, NamedTuple, NoReturn

import numpy

import heddle
from heddle._core import ndarray, own_array, ufuncs
from heddle._math.symbols import operators
from heddle._typing import DType, DTypeLike

_TOKEN = re.compile(
    r"""\s+|//[^\n]*|/\*.*?\*/
    |(?P<number>(?:0[xX][0-9a-fA-F']+|0[bB][01']+
      |(?:\d[\d']*\.\d*|\.\d+|\d[\d']*)(?:[eE][+-]?\d+)?)[fFuUlL]*)(?!\w)
    |(?P<name>[A-Za-z_]\w*)
    |(?P<sign><<=|>>=|\+\+|--|->|::|&&|\|\||[-+*/%&|^=!<>]=|<<|>>|[-+*/%&|^~!<>=?:;,.()\[\]{}])""",
    re.VERBOSE | re.DOTALL,
)

_TYPES = {
    "bool": "?",
    "char": "i1",
    "signed char": "i1",
    "unsigned char": "u1",
    "short": "i2",
    "unsigned short": "u2",
    "int": "i4",
    "signed": "i4",
    "signed int": "i4",
    "unsigned": "u4",
    "unsigned int": "u4",
    "long": "i8",
    "unsigned long": "u8",
    "long long": "i8",
    "unsigned long long": "u8",
    "ptrdiff_t": "i8",
    "size_t": "u8",
    "float16": "f2",
    "float": "f4",
    "double": "f8",
    "complex<float>": "c8",
    "complex<double>": "c16",
    **{
        f"{sign}int{bits}_t": f"{sign[:1] or 'i'}{bits // 8}"
        for sign in ("", "u")
        for bits in (8, 16, 32, 64)
    },
    "int64": "i8",
}
_WORDS = {word for name in _TYPES for word in name.split()} | {"const", "complex", "auto"}

_LEVELS = [
    ["||"],
    ["&&"],
    ["|"],
    ["^"],
    ["&"],
    ["==", "!="],
    ["<", "<=", ">", ">="],
    ["<<", ">>"],
    ["+", "-"],
    ["*", "/", "%"],
]
_COMPARED = {"==", "!=", "<", "<=", ">", ">="}
# C++'s names of functions of real numbers: those that rows of the op table have, and others.
_OF_REALS = {u.facts["library"]: u for u in ufuncs.values() if u.facts["library"]}
del _OF_REALS["pow"]
_OF_REALS |= {
    name: ufuncs[name]
    for name in ("floor", "ceil", "trunc", "rint", "hypot", "copysign", "nextafter", "fmin", "fmax")
}
_OF_REALS |= {"fabs": ufuncs["absolute"], "nearbyint": ufuncs["rint"]}
_OF_COMPLEX = {"sqrt", "exp", "log", "sin", "cos", "tan", "sinh", "cosh", "tanh"}
_TESTS = {"isnan", "isinf", "isfinite", "signbit"}


class Value(NamedTuple):
    """Numbers, and the type that C++ has for them."""

    dtype: numpy.dtype[Any]
    data: Any


def cast(value: Value, dtype: DTypeLike | None) -> Value:
    """As a cast in C++: of a complex number its real part, if that is what is wanted."""
    dtype = numpy.dtype(dtype)
    if value.dtype == dtype:
        return value
    data = value.data
    if dtype.kind != "c" and value.dtype.kind == "c":
        data = data.real
    if isinstance(data, own_array):
        return Value(dtype, data.astype(dtype))
    return Value(dtype, numpy.asarray(data).astype(dtype)[()])


def _promoted(dtype: DType) -> DType:
    """Small integers compute as int, halves as float."""
    if dtype.kind in "biu" and dtype.itemsize < 4:
        return numpy.dtype("i4")
    return numpy.dtype("f4") if dtype == "f2" else dtype


def common(a: DType, b: DType) -> DType:
    """The type in which C++ computes with both."""
    a, b = _promoted(a), _promoted(b)
    if a == b:
        return a
    for kind in "cf":
        if kind in (a.kind, b.kind):
            if kind == "c":
                return numpy.promote_types(a, b)
            return max((t for t in (a, b) if t.kind == "f"), key=lambda t: t.itemsize)
    if a.itemsize != b.itemsize:
        return max(a, b, key=lambda t: t.itemsize)
    return a if a.kind == "u" else b


class Scope:
    """What names stand for while a body runs."""

    def __init__(self, types: dict[str, numpy.dtype[Any]]) -> None:
        self.types = {name: numpy.dtype(t) for name, t in _TYPES.items()} | types
        self.values: dict[str, Value] = {}
        self.arrays: dict[str, ndarray] = {}  # raw ones
        self.shape: tuple[int, ...] = ()  # of `_ind`
        self.indices: Callable[[int], ndarray] | None = None
        self.mask: Any = None


class Body:
    """Statements that were read; `run` carries them out."""

    def __init__(self, text: str, what: str) -> None:
        self.text, self.what = text, what
        self.tokens: list[tuple[str, str]] = []
        at = 0
        while at < len(text):
            found = _TOKEN.match(text, at)
            if found is None:
                self.refuse(f"{text[at]!r}")
            at = found.end()
            if found.lastgroup is not None:
                self.tokens.append((found.lastgroup, found[0]))
        self.at = 0

    def refuse(self, what: str) -> NoReturn:
        raise NotImplementedError(
            f"{self.what}: {what} in {self.text.strip()!r}: on a CPU bodies of kernels are plain "
            "expressions, declarations and `if`; a GPU takes all of CUDA C++"
        )

    # --- reading ---

    def peek(self, *texts: str) -> bool:
        return self.at < len(self.tokens) and self.tokens[self.at][1] in texts

    def take(self, *texts: str) -> str | None:
        if not self.peek(*texts):
            return None
        self.at += 1
        return self.tokens[self.at - 1][1]

    def need(self, text: str) -> None:
        if self.take(text) is None:
            found = self.tokens[self.at][1] if self.at < len(self.tokens) else "the end"
            raise SyntaxError(f"{self.what}: {text!r} expected before {found!r}: {self.text!r}")

    def statements(self, scope: Scope) -> None:
        """Run all of them."""
        self.at = 0
        while self.at < len(self.tokens):
            self.statement(scope)

    def statement(self, scope: Scope) -> None:
        if self.take(";"):
            return
        if self.take("{"):
            while not self.take("}"):
                if self.at >= len(self.tokens):
                    self.need("}")
                self.statement(scope)
            return
        if self.take("if"):
            self.conditional(scope)
            return
        if self.peek("for", "while", "do", "return", "goto", "switch", "break", "continue"):
            self.refuse(self.tokens[self.at][1])
        dtype = self.type_name(scope)
        if dtype is None:
            self.expression(scope)
        else:
            self.declaration(scope, dtype)
        if self.at < len(self.tokens):
            self.need(";")

    def conditional(self, scope: Scope) -> None:
        self.need("(")
        condition = cast(self.expression(scope), "?").data
        self.need(")")
        outside = scope.mask
        scope.mask = condition if outside is None else heddle.logical_and(outside, condition)
        self.statement(scope)
        if self.take("else"):
            other = heddle.logical_not(condition)
            scope.mask = other if outside is None else heddle.logical_and(outside, other)
            self.statement(scope)
        scope.mask = outside

    def type_name(self, scope: Scope) -> Any:
        """The type that stands here, if one does; `auto`: that of the value."""
        begin = self.at
        words: list[str] = []
        while self.at < len(self.tokens) and self.tokens[self.at][0] == "name":
            word = self.tokens[self.at][1]
            if word not in _WORDS and (word not in scope.types or (words and words != ["const"])):
                break
            words.append(word)
            self.at += 1
            if word == "complex":
                self.need("<")
                inner = self.type_name(scope)
                self.need(">")
                words[-1] = f"complex<{'float' if inner == numpy.dtype('f4') else 'double'}>"
        name = " ".join(word for word in words if word != "const")
        if not name:
            self.at = begin
            return None
        if self.peek("*"):
            following = self.tokens[self.at + 1][0] if self.at + 1 < len(self.tokens) else ""
            if following != "number":
                self.refuse("a pointer")
        self.take("&")
        return "auto" if name == "auto" else scope.types.get(name) or self.refuse(f"type {name!r}")

    def declaration(self, scope: Scope, dtype: DTypeLike | None) -> None:
        if self.peek("("):  # T(x): an expression after all
            self.refuse("a statement without effect")
        while True:
            name = self.tokens[self.at][1] if self.at < len(self.tokens) else ""
            self.at += 1
            if self.peek("["):
                self.refuse("a local array")
            made = Value(numpy.dtype("i4"), numpy.int32(0))
            if self.take("="):
                made = self.assignment(scope)
            elif self.take("("):
                made = self.assignment(scope)
                self.need(")")
            scope.values[name] = made if dtype == "auto" else cast(made, dtype)
            if not self.take(","):
                return

    # --- expressions ---

    def whole(self, scope: Scope) -> Value:
        """The text as one expression."""
        value = self.expression(scope)
        if self.at < len(self.tokens):
            self.refuse(f"{self.tokens[self.at][1]!r} after an expression")
        return value

    def expression(self, scope: Scope) -> Value:
        value = self.assignment(scope)
        while self.take(","):
            value = self.assignment(scope)
        return value

    def assignment(self, scope: Scope) -> Value:
        begin = self.at
        target = self.target(scope)
        if target is not None:
            sign = self.take("=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>=")
            if sign:
                value = self.assignment(scope)
                if sign != "=":
                    value = self.binary(sign[:-1], self.load(scope, target), value)
                return self.store(scope, target, value)
            step = self.take("++", "--")
            if step:
                one = Value(numpy.dtype("i4"), numpy.int32(1))
                old = self.load(scope, target)
                self.store(scope, target, self.binary(step[0], old, one))
                return old
        self.at = begin
        return self.ternary(scope)

    def target(self, scope: Scope) -> tuple[str, Any] | None:
        """A name, or an element of a raw array, that may be set."""
        if self.at >= len(self.tokens) or self.tokens[self.at][0] != "name":
            return None
        name = self.tokens[self.at][1]
        self.at += 1
        if name in scope.arrays and self.take("["):
            place = self.expression(scope)
            self.need("]")
            return name, place
        return (name, None) if name in scope.values else None

    def load(self, scope: Scope, target: tuple[str, Any]) -> Value:
        name, place = target
        return scope.values[name] if place is None else self.element(scope, name, place)

    def store(self, scope: Scope, target: tuple[str, Any], value: Value) -> Value:
        name, place = target
        if place is not None:
            self.scatter(scope, name, place, value)
            return value
        old = scope.values[name]
        value = cast(value, old.dtype)
        if scope.mask is not None:
            value = Value(old.dtype, heddle.where(scope.mask, value.data, old.data))
        scope.values[name] = value
        return value

    def ternary(self, scope: Scope) -> Value:
        condition = self.level(scope, 0)
        if not self.take("?"):
            return condition
        first = self.assignment(scope)
        self.need(":")
        second = self.assignment(scope)
        dtype = first.dtype if first.dtype == second.dtype else common(first.dtype, second.dtype)
        chosen = heddle.where(
            cast(condition, "?").data, cast(first, dtype).data, cast(second, dtype).data
        )
        return Value(dtype, chosen)

    def level(self, scope: Scope, level: int) -> Value:
        if level == len(_LEVELS):
            return self.unary(scope)
        value = self.level(scope, level + 1)
        while sign := self.take(*_LEVELS[level]):
            value = self.binary(sign, value, self.level(scope, level + 1))
        return value

    def binary(self, sign: str, a: Value, b: Value) -> Value:
        if sign in ("&&", "||"):
            function = heddle.logical_and if sign == "&&" else heddle.logical_or
            return Value(numpy.dtype("?"), function(cast(a, "?").data, cast(b, "?").data))
        dtype = _promoted(a.dtype) if sign in ("<<", ">>") else common(a.dtype, b.dtype)
        x, y = cast(a, dtype).data, cast(b, dtype).data
        with numpy.errstate(all="ignore"):
            if sign in _COMPARED:
                return Value(numpy.dtype("?"), operators[sign](x, y))
            if sign == "/":
                if dtype.kind in "iu":  # towards zero
                    return Value(dtype, heddle.floor_divide(x - heddle.fmod(x, y), y))
                return Value(dtype, heddle.divide(x, y))
            if sign == "%":
                if dtype.kind not in "iu":
                    raise TypeError(f"{self.what}: % of {dtype.name}; fmod is for floats")
                return Value(dtype, heddle.fmod(x, y))
            return Value(dtype, operators[sign](x, y))

    def unary(self, scope: Scope) -> Value:
        sign = self.take("-", "+", "!", "~", "++", "--", "&", "*")
        if sign is None:
            return self.postfix(scope)
        if sign in ("&", "*"):
            self.refuse("a pointer")
        if sign in ("++", "--"):
            target = self.target(scope) or self.refuse(sign)
            one = Value(numpy.dtype("i4"), numpy.int32(1))
            return self.store(scope, target, self.binary(sign[0], self.load(scope, target), one))
        value = self.unary(scope)
        if sign == "!":
            return Value(numpy.dtype("?"), heddle.logical_not(cast(value, "?").data))
        value = cast(value, _promoted(value.dtype))
        if sign == "~":
            return Value(value.dtype, heddle.invert(value.data))
        return value if sign == "+" else Value(value.dtype, heddle.negative(value.data))

    def postfix(self, scope: Scope) -> Value:
        value = self.primary(scope)
        while self.take("."):
            part = self.tokens[self.at][1] if self.at < len(self.tokens) else ""
            self.at += 1
            self.need("(")
            self.need(")")
            if part not in ("real", "imag") or value.dtype.kind != "c":
                self.refuse(f".{part}()")
            value = Value(_real(value.dtype), getattr(value.data, part))
        return value

    def primary(self, scope: Scope) -> Value:
        if self.at >= len(self.tokens):
            raise SyntaxError(f"{self.what}: an expression ends too early: {self.text!r}")
        kind, text = self.tokens[self.at]
        if kind == "number":
            self.at += 1
            return _literal(text)
        if text == "(":
            self.at += 1
            dtype = self.type_name(scope)
            if dtype is not None:
                self.need(")")
                return cast(self.unary(scope), dtype)
            value = self.expression(scope)
            self.need(")")
            return value
        if kind != "name":
            raise SyntaxError(f"{self.what}: {text!r} is not expected in {self.text!r}")
        if text in ("true", "false"):
            self.at += 1
            return Value(numpy.dtype("?"), numpy.bool_(text == "true"))
        dtype = self.type_name(scope)
        if dtype is not None:  # T(x), complex<float>(x, y)
            return self.constructed(scope, dtype)
        self.at += 1
        if text in scope.values:
            return scope.values[text]
        if text == "_ind":
            return self.of_indexer(scope)
        if text in scope.arrays:
            return self.of_array(scope, text)
        if self.take("("):
            return self.call(text, self.arguments(scope))
        self.refuse(f"the name {text!r}")

    def constructed(self, scope: Scope, dtype: DType) -> Value:
        self.need("(")
        parts = self.arguments(scope)
        if len(parts) == 2 and dtype.kind == "c":
            re_part, im_part = (cast(part, _real(dtype)).data for part in parts)
            return Value(
                dtype, re_part + cast(Value(_real(dtype), im_part), dtype).data * dtype.type(1j)
            )
        if len(parts) > 1:
            self.refuse("a constructor")
        return cast(parts[0], dtype) if parts else Value(dtype, dtype.type(0))

    def arguments(self, scope: Scope) -> list[Value]:
        made: list[Value] = []
        while not self.take(")"):
            if made:
                self.need(",")
            made.append(self.assignment(scope))
        return made

    # --- arrays and places ---

    def of_indexer(self, scope: Scope) -> Value:
        self.need(".")
        if self.take("size"):
            self.need("(")
            self.need(")")
            return Value(numpy.dtype("i8"), numpy.int64(numpy.prod(scope.shape, dtype="i8")))
        if self.take("get") and scope.indices is not None:
            self.need("(")
            self.need(")")
            return Value(numpy.dtype("i8"), scope.indices(self.constant(scope)))
        self.refuse("_ind")

    def constant(self, scope: Scope) -> int:
        self.need("[")
        axis = self.expression(scope).data
        self.need("]")
        if numpy.ndim(axis):
            self.refuse("an axis that is another one for each element")
        return int(axis)

    def of_array(self, scope: Scope, name: str) -> Value:
        if self.take("["):
            place = self.expression(scope)
            self.need("]")
            return self.element(scope, name, place)
        if self.take("."):
            a = scope.arrays[name]
            if self.take("size"):
                self.need("(")
                self.need(")")
                return Value(numpy.dtype("i8"), numpy.int64(a.size))
            if self.take("shape"):
                self.need("(")
                self.need(")")
                return Value(numpy.dtype("i8"), numpy.int64(a.shape[self.constant(scope)]))
        self.refuse(f"the array {name!r} as a whole")

    def element(self, scope: Scope, name: str, place: Value) -> Value:
        a = scope.arrays[name]
        return Value(numpy.dtype(a.dtype), heddle.take(a, self.places(scope, place)))

    def places(self, scope: Scope, place: Value) -> Any:
        where = cast(place, "i8").data
        if scope.mask is not None:  # elsewhere nothing is read
            where = heddle.where(scope.mask, where, 0)
        return where

    def scatter(self, scope: Scope, name: str, place: Value, value: Value) -> None:
        a = scope.arrays[name]
        where = heddle.asarray(cast(place, "i8").data)
        data = heddle.asarray(cast(value, a.dtype).data)
        where, data = heddle.broadcast_arrays(where, data)
        if scope.mask is not None:
            chosen = heddle.broadcast_to(scope.mask, where.shape)
            where, data = where[chosen], data[chosen]
        a.flat[where.reshape(-1)] = data.reshape(-1)

    # --- functions ---

    def call(self, name: str, arguments: list[Value]) -> Value:
        if name in ("min", "max") and len(arguments) == 2:
            dtype = common(arguments[0].dtype, arguments[1].dtype)
            x, y = (cast(value, dtype).data for value in arguments)
            function = heddle.fmin if name == "min" else heddle.fmax
            return Value(dtype, function(x, y))
        if name in _TESTS:
            return Value(numpy.dtype("?"), getattr(heddle, name)(arguments[0].data))
        if name in ("real", "imag", "conj", "arg", "norm", "abs"):
            return self.part(name, arguments[0])
        plain = (
            name[:-1] if name.endswith("f") and name[:-1] in {*_OF_REALS, "pow", "rsqrt"} else name
        )
        dtype = self.of_functions(name != plain, arguments)
        values = [cast(value, dtype).data for value in arguments]
        with numpy.errstate(all="ignore"):
            if plain in _OF_REALS and (dtype.kind != "c" or plain in _OF_COMPLEX):
                return Value(dtype, _OF_REALS[plain](*values))
            if plain == "pow":
                return Value(dtype, heddle.power(*values))
            if plain == "rsqrt":
                return Value(dtype, dtype.type(1) / heddle.sqrt(values[0]))
            if plain == "erf" and dtype.kind == "f":
                return Value(dtype, heddle.special.erf(values[0]))
            if plain == "round" and dtype.kind == "f":  # halves away from zero
                x = values[0]
                whole = heddle.trunc(x)
                away = heddle.copysign(heddle.absolute(x - whole) >= dtype.type(0.5), x)
                return Value(dtype, whole + away.astype(dtype))
        self.refuse(f"the function {name!r}")

    def of_functions(self, narrow: bool, arguments: list[Value]) -> DType:
        """The type in which a function of floats computes."""
        if narrow:
            return numpy.dtype("f4")
        types = [_promoted(value.dtype) for value in arguments]
        if any(t.kind in "biu" for t in types):
            types = [numpy.dtype("f8") if t.kind in "biu" else t for t in types]
        dtype = types[0] if types else numpy.dtype("f8")
        for other in types[1:]:
            dtype = common(dtype, other)
        return dtype

    def part(self, name: str, value: Value) -> Value:
        if value.dtype.kind != "c":
            if name == "abs":
                value = cast(value, _promoted(value.dtype))
                return Value(value.dtype, heddle.absolute(value.data))
            if name in ("real", "conj"):
                return value
            self.refuse(f"{name} of a real number")
        if name == "conj":
            return Value(value.dtype, heddle.conjugate(value.data))
        dtype = _real(value.dtype)
        if name == "norm":
            squared = value.data.real * value.data.real + value.data.imag * value.data.imag
            return Value(dtype, squared)
        functions: dict[str, Callable[[Any], Any]] = {
            "real": heddle.real,
            "imag": heddle.imag,
            "arg": heddle.angle,
            "abs": heddle.absolute,
        }
        return Value(dtype, functions[name](value.data))


def _real(dtype: numpy.dtype[Any]) -> DType:
    return numpy.dtype("f4" if dtype == "c8" else "f8")


def _literal(text: str) -> Value:
    text = text.replace("'", "")
    base = {"0x": 16, "0b": 2}.get(text[:2].lower(), 10)
    suffix = ""
    while text[-1] in ("fFuUlL" if base == 10 else "uUlL"):
        suffix, text = text[-1].lower() + suffix, text[:-1]
    if base == 10 and (set(text) & set(".eE") or "f" in suffix):
        dtype = numpy.dtype("f4" if "f" in suffix else "f8")
        return Value(dtype, dtype.type(text))
    octal = len(text) > 1 and text[0] == "0" and base == 10
    number = int(text, 8 if octal else base)
    wide = "l" in suffix or number > 2**31 - 1
    dtype = numpy.dtype(("u" if "u" in suffix else "i") + ("8" if wide else "4"))
    return Value(dtype, dtype.type(number))
