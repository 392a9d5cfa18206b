"""Host functions (`heddle.njit`): programs with results, arrays of their own, loops on all cores.

A name that is set once stands for its array as it is. One that is set again, or to what another
name stands for, has locals of its own: address, owner, extents, strides. Every owner that is set
holds the memory once, until it is set again or the function ends (see src/simt/emit_host.cpp).
"""

from __future__ import annotations

import ast
import types
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from heddle._compiled.shared import or_none
from heddle._typing import DType
from heddle.simt import _overloads
from heddle.simt import _words as w
from heddle.simt._attempts import Attempts
from heddle.simt._choices import ALL_DIVISIONS, GLOBAL, INTEGERS, NO_DIVISIONS
from heddle.simt._compiler import Compiler
from heddle.simt._elements import MOST_CONSTANTS
from heddle.simt._errors import Restart
from heddle.simt._host_lists import HostLists
from heddle.simt._host_loops import HostLoops
from heddle.simt._kinds import is_whole_number, number_of
from heddle.simt._objects import Objects
from heddle.simt._operations import describe
from heddle.simt._overlaps import Overlaps
from heddle.simt._records import key_of
from heddle.simt._recursion import Recursion
from heddle.simt._results import CARRIED, JOINED
from heddle.simt._state import Parsed, Var
from heddle.simt._texts import Texts
from heddle.simt._types import (
    BOOL,
    INT64,
    NAMES,
    UINT64,
    Array,
    Constant,
    Dict,
    Instance,
    List,
    Num,
    Number,
    Part,
    RecordArray,
    Tuple,
    is_complex,
    is_integer,
    is_signed,
)
from heddle.simt._views import Views
from heddle.simt._whole import Lazy

_INT = Number(INT64, True)
# Tables that compiled functions read, for as long as the functions are there.
_tables: WeakKeyDictionary[types.FunctionType, list[Any]] = WeakKeyDictionary()


def _ends(statements: list[ast.stmt]) -> bool:
    """Whether what follows is never reached."""
    last = statements[-1]
    if isinstance(last, ast.If):
        return bool(last.orelse) and _ends(last.body) and _ends(last.orelse)
    if isinstance(last, ast.While):
        breaks = any(isinstance(inner, ast.Break) for inner in ast.walk(last))
        return isinstance(last.test, ast.Constant) and bool(last.test.value) and not breaks
    if isinstance(last, ast.Try):
        if last.finalbody and _ends(last.finalbody):
            return True
        tried = _ends(last.body) or (bool(last.orelse) and _ends(last.orelse))
        return tried and all(_ends(handler.body) for handler in last.handlers)
    return isinstance(last, (ast.Return, ast.Raise))


def _is_power(number: int) -> bool:
    return number > 0 and number & (number - 1) == 0


def _as_function(node: ast.Lambda) -> ast.FunctionDef:
    """A lambda as a function that returns what it is."""
    body = ast.copy_location(ast.Return(node.body), node.body)
    return ast.copy_location(ast.FunctionDef("<lambda>", node.args, [body], []), node)


class HostCompiler(
    Texts, Views, Objects, HostLists, Attempts, HostLoops, Recursion, Overlaps, Compiler
):
    """A host function, for one signature."""

    host = True

    def __init__(
        self,
        function: types.FunctionType,
        *,
        numba: bool = False,
        rounding: int = w.EXACT,
        divisions: int = INTEGERS,
        parallel: bool = True,
        returns: str | None = None,
        locals: dict[str, Any] | None = None,
    ) -> None:
        super().__init__(function, numba, False, rounding)
        self.said[function] = locals or {}
        self.returns = None if returns is None else Number(NAMES.index(returns))
        self.divisions = divisions
        self.parallel = parallel
        self.in_parallel = False
        self.failures: dict[int, tuple[Any, tuple[Any, ...], str]] = {}
        self.begin_lists()
        self.begin_objects()
        # Random numbers of the thread (simt/_draws.py), by the statements that look for them.
        self.generators: dict[Any, tuple[w.Statements, list[Array]]] = {}
        self.moving: set[Any] = set()  # names that are set again by turns that are written out
        self.may_be_none = False  # some returns give None, and others do not
        self.found: Any = None  # what these give
        self.kept: dict[int, tuple[Any, Any]] = {}  # large tables, and what is read of them

    # --- the whole ---

    def _run(self, signature: str) -> bytes:
        self._begin()
        self.begin_functions()
        self.in_parallel, self.attempting = False, 0  # the run before may have ended inside
        self.program.host = True
        self.failures = {}
        self.generators = {}
        self.begin_overlaps()
        self.begin_held()
        self.found, self.is_there = None, self.local(Number(BOOL))
        node = self.scope.parsed.node
        if isinstance(node, ast.Lambda):
            node = _as_function(node)
        self.scope.kernel = False
        values = self._arguments(signature)
        by_name = [a.arg for a in node.args.kwonlyargs]
        count = len(values) - len(by_name)
        named = dict(zip(by_name, values[count:], strict=True))
        bound = self.bind_arguments(self.function, values[:count], named, node)
        if self.function in self.recursive:
            # What it calls is a function, and so is it.
            self.scope.names = dict(bound)
            call = ast.copy_location(ast.Call(ast.Name("", ast.Load()), [], []), node)
            result = self.call_recursive(self.function, bound, call)
            self.set_slots(result, node)
        else:
            for name, value in bound.items():
                if isinstance(value, Array):
                    value.name = name
                self.enter(name, value, node)
            self.body(node.body)
            self.end_of_body(node)
        if self.may_be_none and self.found is not None:
            self.scope.result = Tuple([self.is_there, self.found], kind=or_none)
        self.scope.result = self.changed_arguments(self.scope.result)
        self.program.results = self.slots_of(self.scope.result)
        self.end_held()
        return self._words()

    def _made(self, words: bytes) -> tuple[Any, ...]:
        from heddle.simt._results import Failures

        failures = Failures(self.function, self.failures)
        if self.kept:
            tables = _tables.setdefault(self.function, [])
            tables += [copy for _, copy in self.kept.values()]
        words, texts, name, guards = super()._made(words)
        # What Numba has compiled keeps what globals were: programs count on it.
        guards = [] if self.numba else guards
        return (words, texts, name, guards, self._layout(self.scope.result), failures)

    def _layout(self, result: Var | Array | Tuple | None) -> str:
        """How results are put together: as src/python/host_functions.cpp reads it."""
        if isinstance(result, Var):
            if result.member is not None:
                return f"k{number_of(result.member)}:w" + chr(ord("A") + result.type.dtype)
            weak = result.type.weak or self.numba or result.type.dtype == BOOL
            return ("w" if weak else "n") + chr(ord("A") + result.type.dtype)
        if isinstance(result, RecordArray):
            return key_of(result.dtype) + self._layout(result.bytes)
        if isinstance(result, Array):
            letter = "p" if result.numpys else "a"
            return f"{letter}{chr(ord('A') + result.dtype)}{result.ndim}"
        if isinstance(result, Tuple):
            kind = list if result.listed else result.kind
            before = "" if kind is None else f"k{number_of(kind)}:"
            return before + "(" + "".join(self._layout(item) for item in result.items) + ")"
        return "N"

    def attribute(self, value: Any, node: ast.Attribute) -> Any:
        made = _overloads.member(self, value, node)
        return super().attribute(value, node) if made is None else made

    def enter(self, name: str, value: object, node: ast.AST) -> None:
        """An argument as a name of the function."""
        if isinstance(value, RecordArray) and name in self.scope.parsed.assigned:
            self.bind(name, value, node)
            return
        if isinstance(value, Array) and name in self.scope.parsed.assigned:
            self.scope.names[name] = self.held_copy(value, node, (self.scope.path, name))
            return
        super().enter(name, value, node)

    @contextmanager
    def in_terms_of(self, function: object) -> Iterator[None]:
        """How it divides, and whether its prange is on all cores; rounding is the program's."""
        before = self.divisions, self.parallel
        options = getattr(function, "_options", {})
        taken = getattr(function, "_simt_function", None) or getattr(function, "py_func", None)
        self.said[taken or self.function] = options.get("locals", {})
        self.divisions = options.get("divisions", self.divisions)
        self.parallel = options.get("parallel", self.parallel)
        try:
            yield
        finally:
            self.divisions, self.parallel = before

    # --- failures ---

    def site(self, node: ast.AST) -> int:
        return self._failure(IndexError, (), node)

    def too_deep(self, parsed: Parsed, node: ast.AST) -> int:
        return self._failure(RecursionError, ("maximum recursion depth exceeded",), node)

    def _failure(self, kind: Any, arguments: tuple[Any, ...], node: ast.AST) -> int:
        where = f'File "{self.scope.parsed.source.file}", line {self.line(node)}'
        where += f", in {self.scope.parsed.source.name}"
        text = self.program.text(f"{kind.__name__}:{arguments!r}:{where}")
        self.failures[text] = (kind, arguments, where)
        return text

    def fail(
        self,
        kind: object,
        arguments: tuple[Any, ...],
        node: ast.AST,
        when: Num | None = None,
        carried: Sequence[Num] = (),
    ) -> None:
        """Ends the function with an exception, always or where something holds."""
        stop = [w.FAIL, self.line(node), self._failure(kind, arguments, node), len(carried)]
        for number in carried:
            stop += number.words
        if when is None:
            self.statements.append(stop)
            return
        self.statements.append(
            [w.BRANCH, self.line(node), *when.words, *w.block([stop]), *w.block([])]
        )

    def _do_assert(self, node: ast.Assert) -> None:
        condition = self.truth(self.expression(node.test), node.test)
        said: tuple[Any, ...] = ()
        carried: list[Num] = []
        if node.msg is not None:
            said = (self._said(node.msg, carried),)
        failed = self.apply("logical_not", [condition], node)
        self.fail(AssertionError, said, node, failed, carried)

    def _do_raise(self, node: ast.Raise) -> None:
        exception, arguments = node.exc, ()
        carried: list[Num] = []
        if isinstance(exception, ast.Call):
            if exception.keywords:
                raise self.error(exception, "exceptions take no keywords here")
            arguments = tuple(self._said(a, carried) for a in exception.args)
            exception = exception.func
        if exception is None:
            raise self.error(node, "there is no exception to raise again")
        found = self.expression(exception)
        kind = found.value if isinstance(found, Constant) else None
        if not (isinstance(kind, type) and issubclass(kind, BaseException)):
            raise self.error(node, "an exception is raised by its class: raise ValueError('...')")
        self.fail(kind, arguments, node, carried=carried)

    def _is_text(self, node: ast.expr) -> bool:
        """Whether an argument of an exception is put together of texts."""
        if isinstance(node, ast.BinOp):
            return isinstance(node.op, ast.Add) and any(
                self._is_text(side) for side in (node.left, node.right)
            )
        if isinstance(node, ast.Call):
            is_str = isinstance(node.func, ast.Name) and len(node.args) == 1 and not node.keywords
            if not is_str or isinstance(node.args[0], ast.Starred):
                return False
            found = self.expression(node.func)
            return isinstance(found, Constant) and found.value is str
        if isinstance(node, ast.Name):
            known = self.expression(node)
            return isinstance(known, Constant) and isinstance(known.value, str)
        return isinstance(node, (ast.JoinedStr, ast.Constant)) and (
            isinstance(node, ast.JoinedStr) or isinstance(node.value, str)
        )

    def _said(self, node: ast.expr, carried: list[Num]) -> Any:
        """An argument of an exception: what is known, or how it is made of numbers (`carried`)."""
        if isinstance(node, ast.JoinedStr):
            parts: list[Any] = []
            for part in node.values:
                if not isinstance(part, ast.FormattedValue):
                    parts.append((self._said(part, carried), ""))
                    continue
                form = part.format_spec
                given = "" if form is None else self._said(form, carried)
                if isinstance(given, tuple):
                    given = "".join(str(text) for text, _ in given[1])
                parts.append((self._said(part.value, carried), given))
            return (JOINED, tuple(parts))
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add) and self._is_text(node):
            return (JOINED, tuple((self._said(n, carried), "") for n in (node.left, node.right)))
        if isinstance(node, ast.Call) and self._is_text(node):
            return (JOINED, ((self._said(node.args[0], carried), ""),))
        value = self.expression(node)
        if isinstance(value, Constant):
            return value.value
        if isinstance(value, Num) and value.constant is not None:
            return value.constant
        if not isinstance(value, Num) or is_complex(value.type.dtype) or len(carried) == 3:
            raise self.error(
                node, "an exception says texts of the source, and up to three integers or floats"
            )
        carried.append(value)
        kind = "b" if value.type.dtype == BOOL else "i" if is_integer(value.type.dtype) else "f"
        return (CARRIED, len(carried) - 1, "u" if value.type.dtype == UINT64 else kind)

    def apply(self, name: str, args: list[Num], node: ast.AST) -> Num:
        """A row of the op table; a division by zero is an error, as Python's."""
        if name in ("floor_divide", "remainder", "divide") and len(args) == 2:
            # Of whole arrays NumPy raises nothing, and neither does Numba.
            checked = NO_DIVISIONS if self.of_arrays else self.divisions
            whole = all(is_integer(a.type.dtype) or a.type.dtype == BOOL for a in args)
            if checked == ALL_DIVISIONS or (checked == INTEGERS and whole):
                args = [args[0], self.divisor(args[1], name, whole, node)]
            power = args[1].constant
            if whole and name != "divide" and isinstance(power, int) and _is_power(power):
                # Shifts and masks round down, as Python does it.
                shift = name == "floor_divide"
                number = power.bit_length() - 1 if shift else power - 1
                args = [args[0], self.constant(number, args[1].type)]
                name = "right_shift" if shift else "bitwise_and"
        if name == "power" and len(args) == 2:
            args = self._exponent_checked(args, node)
        return super().apply(name, args, node)

    def need_length(self, array: Array, count: int, node: ast.AST) -> None:
        said = (f"an array of another length is unpacked into {count} names",)
        differs = super().apply("not_equal", [self.extent(array, 0), self.constant(count)], node)
        self.fail(ValueError, said, node, differs)

    def need_place(self, there: Num, axis: int, node: ast.AST) -> bool:
        said = (f"index is out of bounds for axis {axis}",)
        self.fail(IndexError, said, node, super().apply("logical_not", [there], node))
        return True

    def need_step(self, step: Num, node: ast.AST) -> None:
        zero = super().apply("equal", [step, self.constant(0)], node)
        self.fail(ValueError, ("slice step cannot be zero",), node, zero)

    def _exponent_checked(self, args: list[Num], node: ast.AST) -> list[Num]:
        """Integers have no negative powers: NumPy's error, or Numba's, which has 0 but for 0."""
        known = args[1].constant
        if not all(is_integer(a.type.dtype) for a in args) or not is_signed(args[1].type.dtype):
            return args
        if (isinstance(known, int) and known >= 0) or (
            self.numba and self.divisions != ALL_DIVISIONS
        ):
            return args
        base, exponent = (self.temporary(a, node) for a in args)
        negative = super().apply("less", [exponent, self.constant(0, exponent.type)], node)
        if self.numba:
            zero = super().apply("equal", [base, self.constant(0, base.type)], node)
            negative = super().apply("logical_and", [negative, zero], node)
            said = "0 cannot be raised to a negative power"
            self.fail(ZeroDivisionError, (said,), node, negative)
        else:
            said = "Integers to negative integer powers are not allowed."
            self.fail(ValueError, (said,), node, negative)
        return [base, exponent]

    # --- arrays ---

    def set_held(self, target: Array, value: Array, node: ast.AST) -> None:
        if self.is_own(value):
            raise self.error(
                node,
                "memory of simt.local.array belongs to the function: it has one name, and cannot "
                "be given on; use np.empty",
            )
        super().set_held(target, value, node)

    def is_own(self, value: object) -> bool:
        """Whether it is memory of the function itself, or a part of it."""
        return isinstance(value, Array) and self.program.arrays[value.root].space == "local"

    def _bind_array(self, name: str, value: Array, known: object, node: ast.AST) -> None:
        scope = self.scope
        key = (scope.path, name)
        once = scope.parsed.assigned.get(name.partition("[")[0], 0) <= 1 and known is None
        once = once and key not in self.moving
        plain = value.space in ("parameter", "local") and value.view is None
        if once and (value.fresh or plain):
            value.fresh = False
            value.name = name
            scope.names[name] = value
            return
        if known is None:
            scope.names[name] = self.held_copy(value, node, key)
            return
        if known is value:
            return
        if not isinstance(known, Array) or (known.dtype, known.ndim) != (value.dtype, value.ndim):
            raise self.error(
                node,
                f"'{name}' was {describe(known)} and becomes {describe(value)}; use two names",
            )
        if known.held is None:
            if key in self.moving and not self.again:
                raise self.error(node, f"'{name}' is set in two ways; use two names")
            # Turns that are written out set it again: the next run knows from the first one on.
            self.moving.add(key)
            self.again = True
            scope.names[name] = value
            return
        known.unit = self.flag((key, "unit"), self.is_unit(value))
        self.set_held(known, value, node)

    def _unpack(self, target: ast.Tuple | ast.List, value: object) -> None:
        if isinstance(value, Tuple):
            items = [
                self.held_copy(item, target) if isinstance(item, Array) and not item.fresh else item
                for item in value.items
            ]
            for item in items:
                if isinstance(item, Array):
                    item.fresh = True
            value = Tuple(items, value.names, kind=value.kind)
        super()._unpack(target, value)

    def view(self, array: Array, part: Part, node: ast.AST) -> Array:
        if array.field is not None and self.program.arrays[array.of].held is not None:
            raise self.error(
                node, "fields of records that are made here are not sliced; go over the records"
            )
        made = super().view(array, part, node)
        made.numpys, made.fresh = array.numpys, True
        return made

    def allocate(
        self, shape: list[Num], dtype: int, zeros: bool, numpys: bool, node: ast.AST
    ) -> Array:
        """A new array, in C order."""
        made = self.held(dtype, len(shape), len(shape) > 0, numpys)
        negative = self._failure(ValueError, ("negative dimensions are not allowed",), node)
        none = self._failure(MemoryError, ("there is no memory for an array",), node)
        words = [w.ALLOCATE, self.line(node), made.number, int(zeros), negative, none]
        for extent in shape:
            words += self.cast(extent, _INT, node).words
        self.statements.append(words)
        made.fresh = True
        return made

    def allocate_records(
        self, shape: list[Num], dtype: DType, zeros: bool, numpys: bool, node: ast.AST
    ) -> RecordArray:
        """New records: their bytes."""
        extents = [*shape, self.constant(dtype.itemsize)]
        made = self.allocate(extents, NAMES.index("uint8"), zeros, numpys, node)
        return RecordArray(made, dtype)

    def constant_array(self, value: object, node: ast.AST) -> Array:
        known = np.asarray(value)
        if known.dtype.name not in NAMES:
            raise self.error(node, f"compiled functions have no elements of the type {known.dtype}")
        if known.size > MOST_CONSTANTS:
            return self._kept_table(known, node)
        dtype = NAMES.index(known.dtype.name)
        made = self.allocate([self.constant(n) for n in known.shape], dtype, False, True, node)
        for place, item in np.ndenumerate(known):
            indices = [self.constant(i) for i in place]
            self.store(made, indices, self.constant(item.item(), Number(dtype)), node)
        made.fresh = False
        return made

    def _kept_table(self, value: Any, node: ast.AST) -> Array:
        """A large table: its elements as they are now, where they are read from."""
        _, copy = self.kept.setdefault(id(value), (value, value.copy("C")))
        dtype = NAMES.index(copy.dtype.name)
        made = self.held(dtype, copy.ndim, True, True)
        assert made.held is not None
        strides = [step // copy.itemsize for step in copy.strides]
        values = [copy.ctypes.data, 0, *copy.shape, *strides]
        for number, one in zip(made.held.all(), values, strict=True):
            self.set(Var(number, _INT), self.constant(one), node)
        made.frozen = True
        # Another process has it elsewhere.
        self.read_of[id(copy), (GLOBAL, "table")] = (None, False, None)
        return made

    def thawed(self, value: Array, node: ast.AST) -> Array:
        """An array that may leave the function: of a table it is a copy."""
        if not value.frozen:
            return value
        return self.made_array(self.as_lazy(value, node), node)

    # --- results ---

    def _do_return(self, node: ast.Return) -> None:
        if self.scope.ends_with_return:
            value = self.expression(node.value) if node.value is not None else Constant(None)
            if isinstance(value, Lazy):
                value = self.made_array(value, node)
            self.scope.result = value
            self.scope.returns += 1
            return
        value = self.expression(node.value) if node.value is not None else Constant(None)
        self.set_slots(value, node)
        self.statements.append([w.LEAVE, self.line(node), self.scope.unrolled])

    def _set_result(self, value: object, node: ast.AST) -> None:
        self.set_slots(value, node)

    def set_slots(self, value: object, node: ast.AST) -> None:
        """What the function gives: all its returns are of one kind."""
        scope = self.scope
        scope.returns += 1
        known = scope.result if scope.returns > 1 else None
        if not scope.path and not self.in_function:
            none = isinstance(value, Constant) and value.value is None
            if self.may_be_none:
                self.set(self.is_there, self.constant(not none), node)
                if none:
                    return
                known, first = self.found, self.found is None
                self.found = self._slot(value, known, first, (scope.path, "return"), node)
                return
            if scope.returns > 1 and none != isinstance(known, Constant):
                self.may_be_none = True
                raise Restart
        scope.result = self._slot(value, known, scope.returns == 1, (scope.path, "return"), node)

    def _slot(
        self, value: Any, known: Any, first: bool, key: tuple[Any, ...], node: ast.AST
    ) -> Any:
        if isinstance(value, Lazy):
            value = self.made_array(value, node)
        if isinstance(value, List):
            value = self.list_as_result(value, node)
        if isinstance(value, Dict):
            value = self.dictionary_as_result(value, node)
        if isinstance(value, Instance):
            value = self.boxed(value)
        value = self.text_as_result(value, node)

        def refuse() -> Exception:
            return self.error(node, "all returns of a function have to be of one kind")

        if isinstance(value, Num):
            if self.returns is not None and not self.scope.path:
                value = self.cast(value, self.returns, node)
            type_ = self.typed(key, value.type, value.constant)
            if not first and not isinstance(known, Var):
                raise refuse()
            var: Var = self.local(type_) if first else known
            if first:
                var.member = value.member
            elif var.member is not value.member:
                if not all(k is None or is_whole_number(k) for k in (var.member, value.member)):
                    raise refuse()
                var.member = None
            self.set(var, value, node)
            return var
        if isinstance(value, Array):
            value = self.thawed(value, node)
            unit = self.flag((key, "unit"), self.is_unit(value))
            if first:
                known = self.held(value.dtype, value.ndim, unit, value.numpys)
            elif not isinstance(known, Array) or (known.dtype, known.ndim) != (
                value.dtype,
                value.ndim,
            ):
                raise refuse()
            self.set_held(known, value, node)
            return known
        if isinstance(value, RecordArray):
            if value.at:
                raise self.error(node, "records in records are no result; give the whole records")
            before = known.bytes if isinstance(known, RecordArray) else None
            if not first and (before is None or known.dtype != value.dtype):
                raise refuse()
            bytes_ = self._slot(value.bytes, before, first, (*key, "bytes"), node)
            return RecordArray(bytes_, value.dtype)
        if isinstance(value, Tuple):
            old = known.items if isinstance(known, Tuple) else []
            alike = isinstance(known, Tuple) and len(old) == len(value.items)
            if not first and not (
                alike and known.kind is value.kind and bool(known.listed) == bool(value.listed)
            ):
                raise refuse()
            # All are there before one of them is set.
            held = [
                self.temporary(item, node) if isinstance(item, Num) else item
                for item in value.items
            ]
            items = [
                self._slot(item, None if first else old[i], first, (*key, i), node)
                for i, item in enumerate(held)
            ]
            return Tuple(items, value.names, value.listed, value.kind)
        if isinstance(value, Constant) and (first or isinstance(known, Constant)):
            if value.value is not None and (first or known.value is not value.value):
                raise self.error(node, f"{describe(value)} cannot be a result")
            return value
        raise refuse()

    def end_of_body(self, node: ast.FunctionDef) -> None:
        """Where the end is reached, the result is None; if others are not, that is an error."""
        last = node.body[-1]
        if _ends(node.body):
            return
        if not self.scope.path and not self.in_function:
            if self.scope.returns:
                self.set_slots(Constant(None), last)
            return
        if self.scope.returns and self.slots_of(self.scope.result):
            self.fail(TypeError, ("it ends without a return, and other returns give values",), last)
