"""What is known while a kernel is written as a program: names, and the types they have so far."""

from __future__ import annotations

import ast
import enum
import inspect
import linecache
import struct
import textwrap
import types
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any

import numpy as np

from heddle.simt import _words as w
from heddle.simt._choices import ATTRIBUTE, CELL, GLOBAL, LIBRARIES, Absent
from heddle.simt._errors import KernelError, Source
from heddle.simt._kinds import is_whole_number
from heddle.simt._types import (
    BOOL,
    COMPLEX64,
    COMPLEX128,
    FLOAT16,
    FLOAT32,
    FLOAT64,
    INT64,
    UINT64,
    Array,
    Constant,
    Num,
    Number,
    Span,
    Tuple,
    is_complex,
    is_integer,
    joined_spans,
    promote,
    promote_numba,
    span_of,
    widened,
)


@dataclass(eq=False, repr=False)
class Parsed:
    """The syntax of a function."""

    node: ast.FunctionDef | ast.Lambda
    source: Source
    assigned: dict[str, int]  # how often names are set


_parsed: dict[types.CodeType, Parsed] = {}


def _last_line(code: types.CodeType) -> int | None:
    """Of all that was compiled to code; None where that is not known."""
    ends = [end for _, end, _, _ in code.co_positions()]
    ends += [_last_line(inner) for inner in code.co_consts if isinstance(inner, types.CodeType)]
    return None if not ends or None in ends else max(end for end in ends if end is not None)


def source_lines(function: types.FunctionType) -> tuple[list[str], int]:
    """What `inspect.getsourcelines` gives, less what is never run at the end.

    That one looks for the end with a tokenizer, whose expressions alone take 10 ms to compile.
    """
    # By its code: decorators that use `functools.wraps` say that the source is another function's.
    code = function.__code__
    if code.co_name != "<lambda>":
        linecache.checkcache(code.co_filename)
        lines = linecache.getlines(code.co_filename, function.__globals__)
        first, last = code.co_firstlineno, _last_line(code)
        if last is not None and 0 < first <= last <= len(lines):
            found = lines[first - 1 : last]
            try:
                ast.parse(textwrap.dedent("".join(found)))
            except (SyntaxError, ValueError, RecursionError, MemoryError):
                pass  # what follows belongs to it, or it is as wrong as it looks
            else:
                return found, first
    return inspect.getsourcelines(code)


def parse(function: types.FunctionType) -> Parsed:
    """Reads the source of a function, once."""
    code = function.__code__
    if code in _parsed:
        return _parsed[code]
    try:
        lines, first = source_lines(function)
    except (OSError, TypeError) as error:
        raise KernelError(
            f"{function.__qualname__}: its source is not there to be read; kernels are in files, "
            "or typed into IPython or Jupyter"
        ) from error
    is_lambda = code.co_name == "<lambda>"
    text = "".join(lines)
    dedented = textwrap.dedent(text)
    try:
        tree = ast.parse(dedented)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        # A lambda's lines may be a part of a statement.
        whole = linecache.getlines(code.co_filename, function.__globals__) if is_lambda else []
        if not whole or len(whole) == len(lines):
            raise KernelError(
                f"{function.__qualname__}: its source cannot be parsed: {error}"
            ) from error
        first, text = 1, "".join(whole)
        dedented = text
        tree = ast.parse(text)
    found: ast.FunctionDef | ast.Lambda | None = None
    if is_lambda:
        removed = len(text.partition("\n")[0].encode()) - len(dedented.partition("\n")[0].encode())
        found = _lambda_of(code, tree, max(first, 1) - 1, removed)
    for node in ast.walk(tree) if not is_lambda else ():
        if isinstance(node, ast.FunctionDef) and node.name == code.co_name:
            found = node
            break
    if found is None:
        raise KernelError(f"{function.__qualname__}: its source is not a function definition")
    file = inspect.getsourcefile(code) or code.co_filename
    source = Source(function.__name__, file, first, dedented, len(text) - len(text.lstrip()))
    _parsed[code] = Parsed(found, source, names_set(found))
    return _parsed[code]


def _lambda_of(code: types.CodeType, tree: ast.AST, lines: int, columns: int) -> ast.Lambda | None:
    """Which of the lambdas of a text was compiled to code: there may be several in a line.

    The text begins behind so many lines of its file, and has lost so many columns.
    """
    lambdas = [node for node in ast.walk(tree) if isinstance(node, ast.Lambda)]
    # What is compiled of it has places between the beginning and the end of its body.
    places = [p for p in code.co_positions() if None not in p and (p[0], p[2]) != (p[1], p[3])]
    begin = min(((p[0], p[2]) for p in places), default=None)
    end = max(((p[1], p[3]) for p in places), default=None)
    found = [
        node
        for node in lambdas
        if (node.body.lineno + lines, node.body.col_offset + columns) == begin
        and (node.body.end_lineno or 0) + lines == (end or (0, 0))[0]
        and (node.body.end_col_offset or 0) + columns == (end or (0, 0))[1]
    ]
    if len(found) == 1:
        return found[0]
    here = [node for node in lambdas if node.lineno + lines == code.co_firstlineno]
    if len(here) == 1:
        return here[0]
    if len(here) > 1:
        raise KernelError(
            "which of the lambdas of its line a function is is not known; give them lines of "
            "their own, or write functions"
        )
    return lambdas[0] if len(lambdas) == 1 else None


def own_nodes(function: ast.AST) -> list[ast.AST]:
    """What is in a function, and not in functions inside of it: those are there as a whole."""
    made: list[ast.AST] = []
    left: list[ast.AST] = list(ast.iter_child_nodes(function))
    while left:
        node = left.pop()
        made.append(node)
        if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
            left += ast.iter_child_nodes(node)
    return made


def names_set(function: ast.AST) -> dict[str, int]:
    """How often a function sets its names."""
    assigned: dict[str, int] = {}
    for node in own_nodes(function):
        name = None
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            name = node.id
        elif isinstance(node, ast.FunctionDef):
            name = node.name
        if name is not None:
            assigned[name] = assigned.get(name, 0) + 1
    return assigned


def inner_function(
    node: ast.FunctionDef | ast.Lambda, around: types.FunctionType, source: Source
) -> types.FunctionType:
    """A function that is defined inside of another: names that it has not are global in it."""
    arguments = ast.arguments(
        node.args.posonlyargs,
        node.args.args,
        node.args.vararg,
        node.args.kwonlyargs,
        [None if d is None else ast.Constant(None) for d in node.args.kw_defaults],
        node.args.kwarg,
        [ast.Constant(None) for _ in node.args.defaults],
    )
    whole: ast.Expression | ast.Module
    if isinstance(node, ast.Lambda):
        whole = ast.Expression(ast.Lambda(arguments, node.body))
    else:
        made = ast.FunctionDef(node.name, arguments, node.body, [], None, None)
        if "type_params" in ast.FunctionDef._fields:
            setattr(made, "type_params", [])  # noqa: B010
        whole = ast.Module([made], [])
    mode = "eval" if isinstance(node, ast.Lambda) else "exec"
    code = compile(ast.fix_missing_locations(whole), source.file, mode)
    inner = next(c for c in code.co_consts if isinstance(c, types.CodeType))
    function = types.FunctionType(
        inner, around.__globals__, argdefs=(None,) * len(node.args.defaults) or None
    )
    function.__kwdefaults__ = {
        a.arg: None
        for a, d in zip(node.args.kwonlyargs, node.args.kw_defaults, strict=True)
        if d is not None
    }
    _parsed[inner] = Parsed(node, source, names_set(node))
    return function


@dataclass(eq=False, repr=False)
class Around:
    """A loop: one of the program's, or turns that are written one after the other."""

    turns: bool = False
    broken: Var | None = None  # whether it was left by break, where that matters


@dataclass(eq=False, repr=False)
class Scope:
    """A call of a function: its names, and where it was called from."""

    function: types.FunctionType
    parsed: Parsed
    path: tuple[Any, ...]
    names: dict[str, Any] = field(default_factory=dict)
    depth: int = 0  # of loops and conditions
    base: int = 0  # what that is where there are none
    loops: int = 0
    kernel: bool = False
    result: Any = None  # what it returns, in locals
    returns: int = 0
    ends_with_return: bool = False
    around: list[Around] = field(default_factory=list)  # the loops around a statement
    unrolled: int = 0  # scopes that these are, beside the function's own
    outer: Scope | None = None  # of the function that this one is inside of
    said: dict[str, Any] = field(
        default_factory=dict
    )  # types of names, where the decorator says them
    # Functions whose calls this one is part of. Closures of one text are different functions.
    calls: tuple[types.FunctionType, ...] = ()


@dataclass(eq=False, repr=False)
class Var:
    """A scalar local."""

    number: int
    type: Number
    member: Any = None  # the class of an Enum that a value it was given is of
    key: Any = None  # of what is known of its type; None: its name alone


class State:
    """The base of the compiler: what all its parts share."""

    host = False  # a function of its own, not what threads do
    in_function = False  # one that calls itself

    def __init__(
        self, function: types.FunctionType, numba: bool, debug: bool, rounding: int, **code: Any
    ) -> None:
        self.function = function
        self.numba = numba
        self.of_arrays = False  # elements of whole arrays: NumPy's types, for Numba as well
        self.races = bool(code.pop("races", False))
        self.debug = debug or self.races
        self.rounding = rounding
        self.code = code  # lineinfo, max_registers, optimized
        self.types: dict[Any, Number] = {}  # of locals, kept from one run to the next
        # What integers of Python's they were given, in this run and in the one before, and which
        # have become such for it, with the types that they were. The first run does not know yet
        # which numbers are Python's, but for constants.
        self.spans: dict[Any, Span] = {}
        self.spans_before: dict[Any, Span] = {}
        self.widened: dict[Any, Number] = {}
        self.settling = False
        self.guards: dict[Any, tuple[Any, Any, Any]] = {}
        # All that was read beside the source: how to find it from the function, whether it is
        # compared at each call, and what it was. Ways to objects, by id; None: nobody knows.
        self.read_of: dict[Any, tuple[Any, bool, Any]] = {}
        self.ways: dict[int, tuple[tuple[int, str], ...] | None] = {}
        self.again = False
        self.program = self.new_program()
        self.statements: w.Statements = []
        self.fields: dict[Any, Array] = {}  # of records
        # Types of names, by function, where decorators say them.
        self.said: dict[types.FunctionType, dict[str, Any]] = {}
        self.scope = Scope(function, parse(function), ())
        self.inlined = 0
        self.begin_tables()
        # Functions inside of others: those, and the values that arguments have by default.
        self.inner: dict[types.FunctionType, tuple[Scope, dict[str, Any]]] = {}

    def begin_tables(self) -> None:
        self.tables: dict[int, Array] = {}  # global arrays of NumPy's, by id
        self.prologue: w.Statements = []  # which sets them

    def new_program(self) -> w.Program:
        """One without anything in it."""
        checks = w.RACES if self.races else w.INDICES if self.debug else w.UNCHECKED
        code = dict(self.code)
        lines = code.pop("lineinfo", False)
        file = parse(self.function).source.file if lines else None
        return w.Program(checks, self.rounding, file=file, **code)

    # --- errors ---

    def error(self, node: ast.AST, message: str, kind: type[Exception] = KernelError) -> Exception:
        return self.scope.parsed.source.error(node, message, kind)

    def line(self, node: ast.AST) -> int:
        # Who looks for races says where, whatever it is.
        return self.site(node) if self.races else self.scope.parsed.source.line_of(node)

    def site(self, node: ast.AST) -> int:
        """What an access to memory has for its line: in debug mode a text that says where it is."""
        if not self.debug:
            return self.scope.parsed.source.line_of(node)
        source = self.scope.parsed.source
        text = ast.unparse(node) if isinstance(node, ast.expr) else ""
        return self.program.text(f"IndexError:{source.name} ({source.where(node)}): {text[:80]}")

    # --- numbers ---

    def constant(self, value: Any, type: Number | None = None) -> Num:
        """A number that is known."""
        if type is None:
            if isinstance(value, (bool, np.bool_)):
                type = Number(BOOL)
            elif isinstance(value, int):
                big = value > 2**63 - 1
                type = Number(UINT64 if big else INT64, not self.numba and not big)
            elif isinstance(value, float):
                type = Number(FLOAT64, not self.numba)
            else:
                type = Number(COMPLEX128, not self.numba)
        dtype = type.dtype
        words = [0, 0]
        if dtype in _ROUNDED:
            with np.errstate(over="ignore"):
                value = _ROUNDED[dtype](value).item()  # what it is from now on
        if is_complex(dtype):
            number = complex(value)
            words = [_bits(number.real, dtype), _bits(number.imag, dtype)]
        elif is_integer(dtype) or dtype == BOOL:
            words[0] = _wrapped(int(value))
        else:
            words[0] = _bits(float(value), dtype)
        return Num(type, [w.CONSTANT, 0, dtype, *words], value, simple=True)

    def local(self, type: Number, counter: bool = False) -> Var:
        self.program.locals.append((type.dtype, int(counter)))
        if len(self.program.locals) > 100_000:
            raise KernelError(f"{self.function.__name__}: the kernel is too large")
        return Var(len(self.program.locals) - 1, type)

    def read(self, var: Var) -> Num:
        return Num(var.type, [w.LOCAL, 0, var.number], simple=True, member=var.member)

    def set(self, var: Var, value: Num, node: ast.AST) -> None:
        converted = self.cast(value, var.type, node)
        if not is_whole_number(value.member):  # which becomes another number in names
            var.member = value.member or var.member
        self.statements.append([w.ASSIGN, self.line(node), var.number, *converted.words])

    def temporary(self, value: Num, node: ast.AST) -> Num:
        """The value in a local, where reading it again would compute it again."""
        if value.simple:
            return value
        var = self.local(value.type)
        self.set(var, value, node)
        return self.read(var)

    def cast(self, value: Num, type: Number, node: ast.AST) -> Num:
        if value.type.dtype == type.dtype:
            return Num(type, value.words, value.constant, value.simple, value.reads)
        if is_complex(value.type.dtype) and not is_complex(type.dtype):
            if self.again:  # the local's type is not settled yet
                return self.constant(0, type)
            raise self.error(node, f"a complex number cannot become {type}; take .real or abs()")
        if value.constant is not None and not isinstance(value.constant, complex):
            number = value.constant
            if is_integer(type.dtype) and isinstance(number, float):
                if number != number or number in (float("inf"), float("-inf")):
                    number = 0
                number = int(number)
            if is_integer(type.dtype) and not isinstance(number, float):
                size = 8 * (1, 1, 1, 2, 2, 4, 4, 8, 8)[type.dtype]
                number = int(number) % 2**size
                if _signed_name(type.dtype) and number >= 2 ** (size - 1):
                    number -= 2**size
            elif type.dtype == BOOL:
                number = bool(number)
            else:
                try:
                    number = float(number) if not is_complex(type.dtype) else complex(number)
                except OverflowError:
                    number = float("inf")
            return self.constant(number, type)
        op = self.op_number("cast")
        words = [w.OP, 0, op, value.type.dtype, type.dtype, *value.words]
        return Num(type, words, reads=value.reads)

    def op_number(self, name: str) -> int:
        from heddle.simt._types import OPS

        return OPS[name][0]

    def promoted(self, a: Number, b: Number) -> Number:
        return promote_numba(a, b) if self.numba and not self.of_arrays else promote(a, b)

    def unified(self, a: Number, b: Number) -> Number:
        """The type of one of two numbers: Numba's integers stay small here."""
        return self.join(a, b) if self.numba and not self.of_arrays else self.promoted(a, b)

    def join(self, a: Number, b: Number) -> Number:
        """The type of a local that has been both."""
        if a == b:
            return a
        if self.numba:
            from heddle import _core

            return Number(_core.simt_promote(a.dtype, b.dtype))
        return promote(a, b)

    def chosen_type(self, type: Number, choices: Iterable[Num]) -> Number:
        """The type of one of some numbers: `type`, or Python's integers if one of them needs it."""
        for choice in () if self.numba else choices:
            type = widened(type, span_of(choice.type, choice.constant))
        return type

    def typed(self, key: object, type: Number, constant: object = None) -> Number:
        """The type of a local, of all that it was given in this run and those before."""
        known = self.types.get(key)
        joined = type if known is None else self.join(known, type)
        if not self.numba:
            more = span_of(type, constant)
            if more is not None and (constant is not None or self.settling):
                self.spans[key] = joined_spans(self.spans.get(key), more) or more
            wide = widened(joined, joined_spans(self.spans.get(key), self.spans_before.get(key)))
            if wide != joined:
                self.widened[key] = joined
                joined = wide
        if joined != known:
            self.types[key] = joined
            self.again = True
        return joined

    def begin_spans(self) -> None:
        """Another run."""
        self.settling = bool(self.types)
        self.spans_before, self.spans, self.widened = self.spans, {}, {}

    def are_widened_for_nothing(self) -> bool:
        """Whether a local became an integer of Python's for what only the run before gave it."""
        return any(widened(type, self.spans.get(key)) == type for key, type in self.widened.items())

    # --- names ---

    def lookup(self, name: str, node: ast.AST, scope: Scope | None = None) -> Any:
        """What a name is: of this function, of those around it, or global."""
        scope = scope or self.scope
        if name in scope.names:
            return scope.names[name]
        if name in scope.parsed.assigned or name in scope.function.__code__.co_varnames:
            raise self.error(node, f"'{name}' is read before it is set")
        if scope.outer is not None:
            return self.lookup(name, node, scope.outer)
        function = scope.function
        free = function.__code__.co_freevars
        if name in free and function.__closure__ is not None:
            cell = function.__closure__[free.index(name)]
            try:
                value = cell.cell_contents
            except ValueError as error:
                if name == self.function.__name__:
                    return Constant(self.function)
                raise self.error(node, f"'{name}' has no value yet") from error
            self.guards[id(cell)] = (cell, None, value)
            self.note(function, (CELL, name), value)
            return self.known(value)
        if name in function.__globals__ and function.__module__ in LIBRARIES:
            return self.known(function.__globals__[name])
        if name in function.__globals__:
            value = function.__globals__[name]
            self.guards[id(function.__globals__), name] = (function.__globals__, name, value)
            self.note(function, (GLOBAL, name), value)
            return self.known(value)
        builtins = function.__globals__.get("__builtins__", {})
        builtins = builtins if isinstance(builtins, dict) else vars(builtins)
        if name in builtins:
            self.note(function, (GLOBAL, name), Absent, guarded=False)
            return Constant(builtins[name])
        if name == self.function.__name__:
            return Constant(self.function)  # it is compiled before its name is there
        raise self.error(node, f"there is nothing called '{name}'")

    def note(
        self,
        owner: Callable[..., Any] | ModuleType,
        step: tuple[int, str],
        value: object,
        guarded: bool = True,
    ) -> None:
        """Remembers that a value was read, and how it was found."""
        if getattr(owner, "__module__", None) in LIBRARIES:
            return
        before = () if owner is self.function else self.ways.get(id(owner))
        way = None if before is None else (*before, step)
        self.read_of[id(owner), step] = (way, guarded, value)
        if not isinstance(value, (int, float, complex, str, tuple, type(None))):
            self.ways[id(value)] = way
            name = "_simt_function" if hasattr(value, "_simt_function") else "py_func"
            inner = getattr(value, name, None)
            if inner is not None and way is not None:
                self.ways[id(inner)] = (*way, (ATTRIBUTE, name))

    def known(self, value: object) -> Any:
        """An object of Python's as a value: numbers and tuples are constants of the program."""
        if isinstance(value, np.generic) and value.dtype.kind in "biufc":
            from heddle.simt._types import NAMES

            return self.constant(value.item(), Number(NAMES.index(value.dtype.name)))
        if isinstance(value, bool):
            return self.constant(value)
        if isinstance(value, int) and -(2**63) <= value < 2**64:
            return self.constant(int(value))
        if isinstance(value, (float, complex)):
            return self.constant(value)
        if isinstance(value, enum.Enum):
            stands_for = self.known(value.value)
            if isinstance(stands_for, Num):
                stands_for.member = type(value)
            return stands_for
        if isinstance(value, tuple):
            names = getattr(value, "_fields", ())
            kind = type(value) if names else None
            return Tuple([self.known(item) for item in value], names, kind=kind)
        return Constant(value)


_ROUNDED: dict[int, Any] = {FLOAT16: np.float16, FLOAT32: np.float32, COMPLEX64: np.complex64}


def _signed_name(dtype: int) -> bool:
    return dtype in (1, 3, 5, 7)


def _wrapped(value: int) -> int:
    value &= 2**64 - 1
    return value - 2**64 if value >= 2**63 else value


def _bits(value: float, dtype: int) -> int:
    if dtype in (FLOAT64, COMPLEX128):
        return int(struct.unpack("<q", struct.pack("<d", value))[0])
    if dtype in (FLOAT32, COMPLEX64):
        return int(np.float32(value).view(np.uint32))
    if dtype == FLOAT16:
        return int(np.float16(value).view(np.uint16))
    # bfloat16: the upper half, rounded to even.
    bits = int(np.float32(value).view(np.uint32))
    if value != value:
        return 0x7FC0
    return ((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16) & 0xFFFF


Handler = Callable[..., Any]
__all__ = ["Around", "Array", "Handler", "Parsed", "Scope", "State", "Var", "parse"]
