"""A function as a program, for one signature of its arguments."""

from __future__ import annotations

import types
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from heddle._typing import DType
from heddle.simt import _words as w
from heddle.simt._constants import constant_of
from heddle.simt._errors import KernelError, Restart
from heddle.simt._kinds import kind_of, names_of
from heddle.simt._records import type_of
from heddle.simt._state import Scope, parse
from heddle.simt._statements import Statements
from heddle.simt._types import (
    BOOL,
    COMPLEX128,
    FLOAT64,
    INT64,
    Array,
    Constant,
    Elements,
    Number,
    Range,
    Record,
    RecordArray,
    Slice,
    Text,
    Tuple,
)

if TYPE_CHECKING:
    from heddle.simt._types import Num

_MOST_RUNS = 50
_WEAK = {"i": INT64, "f": FLOAT64, "c": COMPLEX128, "b": BOOL}


@dataclass
class _Kind:
    """What is made of the items that come next."""

    kind: Any


class Compiler(Statements):
    """A function as a program, for one signature."""

    def compile(self, signature: str) -> tuple[Any, ...]:
        """What the core makes code of: words, texts, a name, and what the program depends on."""
        try:
            for _ in range(_MOST_RUNS):
                try:
                    made = self._run(signature)
                except Restart:
                    continue
                if not self.again and not self.are_widened_for_nothing():
                    return self._made(made)
        except RecursionError as error:
            raise KernelError(
                f"{self.function.__name__}: the kernel is nested too deeply"
            ) from error
        raise KernelError(f"{self.function.__name__}: the types of its names do not settle")

    def _made(self, words: bytes) -> tuple[Any, ...]:
        return words, self.program.texts, self.function.__name__, list(self.guards.values())

    def _begin(self) -> None:
        self.again = False
        self.begin_spans()
        self.inlined = 0
        self.program = self.new_program()
        self.statements = []
        self.begin_tables()
        self.inner = {}
        self.fields = {}
        self.guards, self.read_of, self.ways = {}, {}, {}
        said = self.said.get(self.function, {})
        self.scope = Scope(self.function, parse(self.function), (), kernel=True, said=said)

    def _run(self, signature: str) -> bytes:
        self._begin()
        node = self.scope.parsed.node
        values = self._arguments(signature)
        bound = self.bind_arguments(self.function, values, {}, node)
        for name, value in bound.items():
            if isinstance(value, Array):
                value.name = name
            self.enter(name, value, node)
        if (
            isinstance(node, types.FunctionType)
            or not hasattr(node, "body")
            or not isinstance(node.body, list)
        ):
            raise KernelError("a lambda is no kernel; write a function")
        self.body(node.body)
        return self._words()

    def _words(self) -> bytes:
        return self.program.words([[w.SCOPE, 0, *w.block(self.prologue + self.statements)]])

    def _arguments(self, signature: str) -> list[Any]:
        """Parameters of the program, as the core's signature of a call has them."""
        at = 0
        records = None  # the type of those whose bytes come next
        member = None  # the class of an enumeration whose value comes next
        made_of: Any = None  # what becomes of the row that comes next: a text, a set
        stack: list[list[Any]] = [[]]
        while at < len(signature):
            letter = signature[at]
            at += 1
            if letter == "(":
                stack.append([])
            elif letter == ")":
                items = stack.pop()
                kind = items.pop(0).kind if items and isinstance(items[0], _Kind) else None
                if kind is not None and hasattr(kind, "_simt_fields") and not self.host:
                    raise KernelError(
                        f"{self.function.__name__}: objects of {kind.__name__} are for compiled "
                        "functions (njit); give kernels arrays"
                    )
                stack[-1].append(self._grouped(items, kind))
            elif letter == "{":
                number = signature[at : signature.index(":", at)]
                at += len(number) + 1
                stack.append([_Kind(kind_of(int(number)))])
            elif letter == "e":
                number = signature[at : signature.index(":", at)]
                at += len(number) + 1
                member = kind_of(int(number))
            elif letter == "N":
                stack[-1].append(Constant(None))
            elif letter == "o":
                number = signature[at : signature.index(":", at)]
                at += len(number) + 1
                stack[-1].append(Constant(constant_of(int(number))))
            elif letter == "r":
                number = signature[at : signature.index(":", at)]
                at += len(number) + 1
                records = type_of(int(number))
            elif letter in "ap":
                dtype, ndim = ord(signature[at]) - ord("A"), ord(signature[at + 1]) - ord("0")
                unit = signature[at + 2] == "u"
                at += 3
                place = len(self.program.arrays)
                array = Array(
                    place, dtype, ndim, place, "parameter", unit=unit, numpys=letter == "p"
                )
                self.program.arrays.append(array)
                self.program.parameters.append((1, array.number))
                made = array if records is None else _records(array, records)
                stack[-1].append(made if made_of is None else made_of(made))
                records = made_of = None
            elif letter in "ts":
                made_of = Text if letter == "t" else Elements
            else:
                if letter == "n":
                    type_ = Number(ord(signature[at]) - ord("A"))
                    at += 1
                else:
                    type_ = Number(_WEAK[letter], letter != "b" and not self.numba)
                stack[-1].append(self._number_parameter(type_, member))
                member = None
        return stack[0]

    def _grouped(self, items: list[Any], kind: Any) -> Any:
        """A tuple, or what is made of its items."""
        if kind is slice or kind is range:
            parts = [None if isinstance(item, Constant) else item for item in items]
            return Slice(*parts) if kind is slice else Range(*parts)
        return Tuple(items, () if kind is None else names_of(kind), kind=kind)

    def _number_parameter(self, type_: Number, member: object = None) -> Num:
        """A local that is set before everything; a name that is set again is another one."""
        var = self.local(type_)
        var.member = member
        self.program.parameters.append((0, var.number))
        return self.read(var)


def _records(array: Array, dtype: DType) -> RecordArray | Record:
    """What an array of bytes is: records, or one of them."""
    made = RecordArray(array, dtype)
    return made if array.ndim > 1 else Record(made, [])
