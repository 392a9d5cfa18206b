"""Functions that call themselves: they are functions of the program, too.

Other functions are taken along where they are called. One that is met again inside of itself is
remembered, and the program is written anew.
"""

from __future__ import annotations

import ast
import types
from dataclasses import dataclass
from typing import Any

from heddle.simt import _words as w
from heddle.simt._errors import KernelError
from heddle.simt._held import HeldArrays
from heddle.simt._state import Parsed, Scope, Var, parse
from heddle.simt._types import (
    INT64,
    Array,
    Call,
    Constant,
    Num,
    Number,
    RecordArray,
    Tuple,
)

_INT = Number(INT64, True)


@dataclass
class Known:
    """A function of the program, for types of its arguments."""

    number: int
    key: Any
    scope: Scope
    result: Any = None  # as a value whose locals are those of the function


class Recursion(HeldArrays):
    """Calls."""

    in_parallel: bool = False

    def __init__(self, *args: object, **options: int) -> None:
        super().__init__(*args, **options)
        self.recursive: set[types.FunctionType] = set()
        self.kinds: dict[Any, Any] = {}  # of results of functions, from the runs before
        self.guess: Any = False
        self.guessed = False
        self.begin_functions()

    def compile(self, signature: str) -> tuple[Any, ...]:
        try:
            return super().compile(signature)  # type: ignore[misc, no-any-return]
        except KernelError:
            if not self.guessed or self.guess is not False:
                raise
        # Not all operations have truths: the result may be an integer.
        self.guess, self.guessed = 0, False
        self.types.clear()
        self.spans.clear()
        self.kinds.clear()
        return super().compile(signature)  # type: ignore[misc, no-any-return]

    def begin_functions(self) -> None:
        self.functions: dict[Any, Known] = {}
        self.in_function = False

    def call_function(self, call: Call) -> Any:
        function, node = call.function, call.node
        args = [self.settled(a, node) for a in call.args]
        keywords = {name: self.settled(a, node) for name, a in call.keywords.items()}
        inside = function is self.function or function in self.scope.calls
        if inside and function in self.inner:
            raise self.error(node, "a function that calls itself is defined outside of others")
        if inside and function not in self.recursive:
            self.recursive.add(function)
            self.again = True
        if function in self.recursive:
            bound = self.bind_arguments(function, args, keywords, node)
            return self.call_recursive(function, bound, node)
        return super().call_function(Call(function, args, keywords, node))

    def call_recursive(
        self, function: types.FunctionType, bound: dict[str, Any], node: ast.Call
    ) -> Any:
        """A call of a function of the program."""
        key = (function, tuple((name, self._kind(v)) for name, v in bound.items()))
        known = self.functions.get(key)
        if known is None:
            known = self._define(function, bound, key, node)
        words: list[int] = []
        for value in bound.values():
            for part in self._parts(value):
                words += part.words
        kind = known.result
        if kind is None:
            kind = self.kinds.get(key)
        if kind is None and known.scope.returns:
            kind = known.scope.result
        if kind is None:
            # Not known before its first return: the least there is, until the next run knows.
            self.again = self.guessed = True
            return self.constant(self.guess)
        result = self._result_like(kind)
        places = self.slots_of(result)
        for array in _arrays(result):
            assert array.held is not None
            self.statements.append([w.RELEASE, self.line(node), array.held.owner])
        call = [w.CALL, self.line(node), known.number, *words, len(places), *places]
        self.statements.append(call)
        return self.value_of(result)

    def _define(
        self, function: types.FunctionType, bound: dict[str, object], key: Any, node: ast.Call
    ) -> Known:
        parsed = parse(function)
        if not isinstance(parsed.node, ast.FunctionDef):
            raise self.error(node, "a lambda cannot call itself; write a function")
        number = len(self.program.functions)
        made = w.Function()
        made.too_deep = self.too_deep(parsed, node)
        self.program.functions.append(made)
        said = self.said.get(function, {})
        scope = Scope(function, parsed, ("function", *key), said=said, calls=(function,))
        known = self.functions[key] = Known(number, key, scope)
        outer, statements, inside = self.scope, self.statements, self.in_function
        tables, prologue = self.tables, self.prologue
        self.begin_tables()
        parallel = self.in_parallel
        self.scope, self.statements, self.in_function = scope, [], True
        self.in_parallel = False
        for name, value in bound.items():
            own = self._parameter(value, made)
            if isinstance(own, Array):
                own.name = name
            self.enter(name, own, node)
        self.body(parsed.node.body)
        self.end_of_body(parsed.node)  # type: ignore[attr-defined]
        result = scope.result if scope.result is not None else Constant(None)
        known.result = result
        kind = self._kind(result)
        before = self.kinds.get(key)
        if before is None or self._kind(before) != kind:
            self.again = True
        self.kinds[key] = result
        made.results = self.slots_of(result)
        made.body = [[w.SCOPE, 0, *w.block(self.prologue + self.statements)]]
        self.scope, self.statements, self.in_function = outer, statements, inside
        self.tables, self.prologue = tables, prologue
        self.in_parallel = parallel
        return known

    def too_deep(self, parsed: Parsed, node: ast.AST) -> int:
        """What is said where calls are nested too deeply: a text."""
        raise NotImplementedError

    def _kind(self, value: object) -> Any:
        """What functions are told apart by."""
        if isinstance(value, (Num, Var)):
            return ("number", value.type)
        if isinstance(value, Array):
            return ("array", value.dtype, value.ndim, self.is_unit(value), value.numpys)
        if isinstance(value, RecordArray):
            return ("records", value.dtype, value.at, value.step, self._kind(value.bytes))
        if isinstance(value, Tuple):
            return (tuple(self._kind(item) for item in value.items), value.names)
        return ("constant", id(value.value) if isinstance(value, Constant) else id(value))

    def _parts(self, value: object) -> list[Num]:
        """An argument as numbers."""
        if isinstance(value, Num):
            return [value]
        if isinstance(value, RecordArray):
            return self._parts(value.bytes)
        if isinstance(value, Array):
            parts = [self.address(value), self.owner(value)]
            parts += [self.extent(value, axis) for axis in range(value.ndim)]
            return parts + [self.stride(value, axis) for axis in range(value.ndim)]
        if isinstance(value, Tuple):
            return [part for item in value.items for part in self._parts(item)]
        return []

    def _parameter(self, value: object, function: w.Function) -> Any:
        """The same as the function has it."""
        if isinstance(value, Num):
            var = self.local(value.type)
            function.parameters.append(var.number)
            return self.read(var)
        if isinstance(value, Array):
            made = self.held(value.dtype, value.ndim, self.is_unit(value), value.numpys)
            assert made.held is not None
            function.parameters += made.held.all()
            return made
        if isinstance(value, RecordArray):
            bytes_ = self._parameter(value.bytes, function)
            return RecordArray(bytes_, value.dtype, value.at, value.step)
        if isinstance(value, Tuple):
            items = [self._parameter(item, function) for item in value.items]
            return Tuple(items, value.names, kind=value.kind)
        return value

    def _result_like(self, kind: Var) -> Var:
        """Locals of the caller's for a result."""
        if isinstance(kind, Var):
            made = self.local(kind.type)
            made.member = kind.member
            return made
        if isinstance(kind, Array):
            return self.held(kind.dtype, kind.ndim, kind.unit, kind.numpys)
        if isinstance(kind, RecordArray):
            return RecordArray(self._result_like(kind.bytes), kind.dtype, kind.at, kind.step)
        if isinstance(kind, Tuple):
            items = [self._result_like(item) for item in kind.items]
            return Tuple(items, kind.names, kind.listed, kind.kind)
        return kind


def _arrays(result: Var) -> list[Array]:
    if isinstance(result, Array):
        return [result]
    if isinstance(result, RecordArray):
        return [result.bytes]
    if isinstance(result, Tuple):
        return [a for item in result.items for a in _arrays(item)]
    return []
