"""Text in compiled functions: a row of its characters' numbers, which nobody changes.

What is written in the source stays as it is as long as it can: it is compared character by
character, and chooses what is compiled.
"""

from __future__ import annotations

import ast
import builtins
import types
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from heddle.simt import _library_texts as library
from heddle.simt._kinds import text_of
from heddle.simt._operations import describe
from heddle.simt._registry import stands_for
from heddle.simt._sets import Sets
from heddle.simt._types import (
    BOOL,
    NAMES,
    Array,
    Call,
    Constant,
    Num,
    Number,
    Slice,
    Text,
    Tuple,
    is_integer,
)

if TYPE_CHECKING:
    from heddle.simt._statements import Statements

_UINT32 = NAMES.index("uint32")
_LETTER = Number(_UINT32)
# Methods, by the functions that they are, and how many arguments these have.
_METHODS: dict[str, tuple[Any, int]] = {
    **{n: (getattr(library, n), 0) for n in ("upper", "lower", "isdigit", "isalpha", "isalnum")},
    **{name: (getattr(library, name), 0) for name in ("isspace", "isupper", "islower")},
    "count": (library.count, 1),
    "startswith": (library.begins, 1),
    "endswith": (library.ends, 1),
    "rfind": (library.last_place_in, 1),
    "replace": (library.replaced, 2),
}
_STRIPS = {"strip": (True, True), "lstrip": (True, False), "rstrip": (False, True)}
METHODS = (*_METHODS, *_STRIPS, "find", "index", "zfill", "ljust", "rjust")


def is_text(value: object) -> bool:
    return isinstance(value, Text) or (isinstance(value, Constant) and isinstance(value.value, str))


class Texts(Sets):
    """Where operators, names and attributes mean text."""

    def begin_lists(self) -> None:
        super().begin_lists()
        self.rows_of_texts: dict[str, np.ndarray[Any, Any]] = {}

    def _call_library(self, function: Any, args: list[Any], node: Any) -> Any:
        return self.call_function(Call(function, args, {}, node))

    def text(self, value: Any, node: ast.AST) -> Text:
        """A text that has its characters in memory."""
        if isinstance(value, Text):
            return value
        if not is_text(value):
            raise self.error(node, f"a text is needed, not {describe(value)}")
        known = value.value
        if known not in self.rows_of_texts:
            letters = [ord(one) for one in known]
            self.rows_of_texts[known] = np.array(letters, np.uint32)
        return Text(self.table(self.rows_of_texts[known], node))

    def _row(self, value: Any, node: ast.AST) -> Array:
        return self.text(value, node).row

    def _text_of(self, row: Any) -> Text:
        return Text(row)

    # --- arguments, names, results ---

    def enter(self, name: str, value: object, node: ast.AST) -> None:
        if is_text(value) and name in self.scope.parsed.assigned:
            self.bind(name, value, node)
            return
        super().enter(name, value, node)

    def bind(self, name: str, value: object, node: ast.AST) -> None:
        known = self.scope.names.get(name)
        several = self.scope.parsed.assigned.get(name.partition("[")[0], 0) > 1
        if isinstance(value, Constant) and is_text(value) and (several or isinstance(known, Text)):
            value = self.text(value, node)
        if not isinstance(value, Text):
            super().bind(name, value, node)
            return
        if known is not None and not isinstance(known, Text):
            raise self.error(
                node, f"'{name}' was {describe(known)} and becomes a text; use two names"
            )
        part = f"{name}[text]"
        row = value.row
        if row.held is None and several:
            row = self.held_copy(row, node)
        super().bind(part, row, node)
        self.scope.names[name] = Text(self.scope.names[part])

    def text_as_result(self, value: Any, node: ast.AST) -> Any:
        """A text as the row of which one is made outside; all else as it is."""
        if not is_text(value):
            return value
        return Tuple([self.held_copy(self._row(value, node), node)], kind=text_of)

    def call_function(self, call: Call) -> Any:
        made = super().call_function(call)
        if isinstance(made, Tuple) and made.kind is text_of:
            return Text(made.items[0])
        return made

    def call_recursive(
        self, function: types.FunctionType, bound: dict[str, Any], node: ast.Call
    ) -> Any:
        if any(isinstance(value, Text) for value in bound.values()):
            raise self.error(node, "a function that calls itself takes arrays, and no text")
        return super().call_recursive(function, bound, node)

    # --- operators ---

    def truth(self, value: object, node: ast.AST) -> Num:
        if isinstance(value, Text):
            count = self.extent(value.row, 0)
            return self.apply("not_equal", [count, self.constant(0)], node)
        return super().truth(value, node)

    def binary(self, op: ast.operator, left: Any, right: Any, node: ast.AST) -> Any:
        if is_text(left) and is_text(right) and isinstance(op, ast.Add):
            if isinstance(left, Constant) and isinstance(right, Constant):
                return Constant(left.value + right.value)
            rows = [self._row(value, node) for value in (left, right)]
            return self._text_of(self._call_library(library.joined, rows, node))
        if isinstance(op, ast.Mult) and (is_text(left) or is_text(right)):
            text, times = (left, right) if is_text(left) else (right, left)
            number = self.integer(times, node, "to repeat a text")
            row = self._row(text, node)
            return self._text_of(self._call_library(library.repeated, [row, number], node))
        if is_text(left) and isinstance(op, ast.Mod):
            raise self.error(node, "texts are not formatted by %; write an f-string of integers")
        return super().binary(op, left, right, node)

    def compared(self, op: ast.cmpop, left: Any, right: Any, node: ast.AST) -> Any:
        texts = [is_text(left), is_text(right)]
        if not all(texts) or (isinstance(left, Constant) and isinstance(right, Constant)):
            if isinstance(left, Text) and isinstance(right, Tuple):
                return self._among(op, left, right, node)
            if any(isinstance(v, Text) for v in (left, right)):
                if isinstance(op, (ast.Eq, ast.Is, ast.NotEq, ast.IsNot)):
                    return self.constant(isinstance(op, (ast.NotEq, ast.IsNot)))
                raise self.error(
                    node, f"{describe(left)} and {describe(right)} cannot be compared so"
                )
            return super().compared(op, left, right, node)
        if isinstance(op, (ast.In, ast.NotIn)):
            whole = self._row(right, node)
            args = [whole, self._row(left, node), self.constant(0), self.extent(whole, 0)]
            place = self._call_library(library.place_in, args, node)
            name = "greater_equal" if isinstance(op, ast.In) else "less"
            return self.apply(name, [place, self.constant(0)], node)
        if isinstance(op, (ast.Eq, ast.NotEq, ast.Is, ast.IsNot)):
            made = self._same(left, right, node)
            if isinstance(op, (ast.Eq, ast.Is)):
                return made
            return self.apply("logical_not", [made], node)
        rows = [self._row(value, node) for value in (left, right)]
        order = self._call_library(library.order, rows, node)
        return super().compared(op, order, self.constant(0), node)

    def _among(self, op: ast.cmpop, left: Text, right: Tuple, node: ast.AST) -> Num:
        """text in ("a", "b")."""
        if not isinstance(op, (ast.In, ast.NotIn)):
            return self.constant(isinstance(op, ast.NotEq))
        found = self.constant(False)
        for item in right.items:
            one = self.compared(ast.Eq(), left, item, node)
            found = self.apply("logical_or", [found, one], node)
        return found if isinstance(op, ast.In) else self.apply("logical_not", [found], node)

    def _same(self, left: Any, right: Any, node: ast.AST) -> Num:
        if isinstance(left, Constant):
            left, right = right, left
        if isinstance(right, Constant) and len(right.value) <= 32:
            known = Tuple([self.constant(ord(one), _LETTER) for one in right.value])
            made: Num = self._call_library(library.same_as, [left.row, known], node)
            return self.temporary(made, node)
        rows = [self._row(value, node) for value in (left, right)]
        return self.temporary(self._call_library(library.same, rows, node), node)

    def _ifexp(self, node: ast.IfExp) -> Any:
        sides = (node.body, node.orelse)
        if any(isinstance(side, (ast.Constant, ast.Name, ast.JoinedStr)) for side in sides):
            before, self.statements = self.statements, []
            known = self.truth(self.expression(node.test), node.test).constant is not None
            found = [] if known else [self.expression(side) for side in sides]
            self.statements = before
            if found and all(is_text(value) for value in found):
                condition = self.truth(self.expression(node.test), node.test)
                rows: list[Any] = []
                blocks: list[Any] = []
                for side in sides:
                    self.statements = []
                    rows.append(self._row(self.expression(side), node))
                    blocks.append(self.statements)
                self.statements = before
                return self._text_of(self.chosen_array(condition, rows, blocks, node))
        return super()._ifexp(node)

    # --- characters and parts ---

    def item_of(self, value: Any, node: ast.Subscript) -> Any:
        if not is_text(value):
            return super().item_of(value, node)
        index = self.expression(node.slice)
        if isinstance(value, Constant) and isinstance(index, Num) and index.constant is not None:
            try:
                return Constant(value.value[int(index.constant)])
            except IndexError as error:
                raise self.error(node, "string index out of range") from error
        row = self._row(value, node)
        if isinstance(index, Slice):
            return self._text_of(self.sliced(row, [index], node))
        return self.letter(row, self.integer(index, node, "as an index"), node)

    def letter(self, row: Array, index: Num, node: ast.AST) -> Text:
        """One character, which is a text again."""
        place = self.temporary(index, node)
        count = self.extent(row, 0)
        negative = self.apply("less", [place, self.constant(0)], node)
        moved = self.apply("add", [place, count], node)
        place = self.temporary(self.select(negative, moved, place, node), node)
        low = self.apply("less", [place, self.constant(0)], node)
        high = self.apply("greater_equal", [place, count], node)
        outside = self.apply("logical_or", [low, high], node)
        self.fail(IndexError, ("string index out of range",), node, outside)
        end = self.apply("add", [place, self.constant(1)], node)
        return self._text_of(self.sliced(row, [Slice(place, end, None)], node))

    def attribute(self, value: Any, node: ast.Attribute) -> Any:
        if not is_text(value):
            return super().attribute(value, node)
        if node.attr not in METHODS:
            raise self.error(node, f"texts have no '{node.attr}' in compiled functions")
        return Constant(("method", node.attr, value))

    def method_of_text(self, name: str, value: Any, args: list[Any], node: ast.AST) -> Any:
        row = self._row(value, node)
        if name in _STRIPS and len(args) <= 1:
            ends = [self.constant(end) for end in _STRIPS[name]]
            given = [self._row(one, node) for one in args]
            strip = library.stripped_of if given else library.stripped
            return self._text_of(self._call_library(strip, [row, *given, *ends], node))
        if name in ("find", "index") and 1 <= len(args) <= 3:
            part = self._row(args[0], node)
            places = [self.integer(a, node, "in a text") for a in args[1:]]
            start = places[0] if places else self.constant(0)
            stop = places[1] if len(places) > 1 else self.extent(row, 0)
            made = self._call_library(library.place_in, [row, part, start, stop], node)
            if name == "index":
                missing = self.apply("less", [made, self.constant(0)], node)
                self.fail(ValueError, ("substring not found",), node, missing)
            return made
        if name in ("zfill", "ljust", "rjust") and len(args) == 1:
            width = self.integer(args[0], node, "as a width")
            if name == "zfill":
                return self._text_of(self._call_library(library.zfilled, [row, width], node))
            rest = [self.constant(32), self.constant(name == "rjust")]
            return self._text_of(self._call_library(library.filled, [row, width, *rest], node))
        function, count = _METHODS.get(name, (None, -1))
        if len(args) != count:
            raise self.error(node, f"str.{name} takes no such arguments in compiled functions")
        made = self._call_library(function, [row, *(self._row(a, node) for a in args)], node)
        return self._text_of(made) if isinstance(made, Array) else made

    def as_text(self, value: Any, node: ast.AST) -> Any:
        """str(value): of texts, integers and truth values."""
        if is_text(value):
            return value
        if not isinstance(value, Num) or value.member is not None:
            raise self.error(node, f"{describe(value)} is not made a text in compiled functions")
        if value.constant is not None and not isinstance(value.constant, (float, complex)):
            return Constant(str(value.constant))
        if value.type.dtype == BOOL:
            rows = [self._row(Constant(one), node) for one in ("True", "False")]
            return self._text_of(self.chosen_array(value, rows, [[], []], node))
        if not is_integer(value.type.dtype):
            raise self.error(node, "only integers are made texts in compiled functions")
        return self._text_of(self._call_library(library.digits, [value], node))

    def _joinedstr(self, node: ast.JoinedStr) -> Any:
        made: Any = Constant("")
        for part in node.values:
            if isinstance(part, ast.Constant):
                one: Any = Constant(part.value)
            else:
                assert isinstance(part, ast.FormattedValue)
                if part.format_spec is not None or part.conversion not in (-1, 115):
                    raise self.error(part, "f-strings have no formats in compiled functions")
                one = self.as_text(self.expression(part.value), part)
            made = self.binary(ast.Add(), made, one, node)
        return made


def _texts(s: Statements, name: str, node: ast.AST) -> Texts:
    if not s.host:
        raise s.error(node, f"{name} is for compiled functions; kernels have no text")
    return cast("Texts", s)


@stands_for(builtins.str)
def _str(s: Statements, args: list[Any], keywords: dict[str, object], node: ast.Call) -> Any:
    if keywords or len(args) > 1:
        raise s.error(node, "str takes one argument in compiled functions")
    return _texts(s, "str", node).as_text(args[0], node) if args else Constant("")


@stands_for(builtins.ord)
def _ord(s: Statements, args: list[Any], keywords: dict[str, object], node: ast.Call) -> Num:
    if keywords or len(args) != 1 or not is_text(args[0]):
        raise s.error(node, "ord takes a character")
    value = args[0]
    if isinstance(value, Constant):
        if len(value.value) != 1:
            raise s.error(node, "ord() expected a character")
        return s.constant(ord(value.value))
    said = "ord() expected a character, but the text has another length"
    one = s.constant(1)
    texts = _texts(s, "ord", node)
    texts.need_equal(s.extent(value.row, 0), one, TypeError, said, node)
    return s.cast(s.element(value.row, [s.constant(0)], node), s.constant(0).type, node)


@stands_for(builtins.chr)
def _chr(s: Statements, args: list[Any], keywords: dict[str, object], node: ast.Call) -> Text:
    texts = _texts(s, "chr", node)
    if keywords or len(args) != 1:
        raise s.error(node, "chr takes one integer")
    number = s.temporary(s.integer(args[0], node, "for a character"), node)
    low = s.apply("less", [number, s.constant(0)], node)
    high = s.apply("greater", [number, s.constant(0x10FFFF)], node)
    said = ("chr() arg not in range(0x110000)",)
    texts.fail(ValueError, said, node, s.apply("logical_or", [low, high], node))
    row = texts.allocate([s.constant(1)], _UINT32, False, True, node)
    s.store(row, [s.constant(0)], number, node)
    return Text(row)


def integer_of(s: Statements, value: Any, node: ast.AST) -> Num:
    """int(text)."""
    if isinstance(value, Text):
        texts = _texts(s, "int", node)
        return cast("Num", texts._call_library(library.number, [value.row], node))
    try:
        return s.constant(int(value.value))
    except ValueError as error:
        raise s.error(node, str(error)) from error


__all__ = ["Text", "Texts", "is_text"]
