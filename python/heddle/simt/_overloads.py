"""What compiled functions call instead of others: `heddle.numba.extending.overload`.

A function that was given is asked with the types of the arguments; what it gives is taken along.
"""

from __future__ import annotations

import ast
import inspect
import types
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from heddle._compiled import signatures, type_classes
from heddle._compiled.type_classes import Container, LiteralNumber, LiteralText
from heddle.simt._operations import describe
from heddle.simt._registry import found
from heddle.simt._types import (
    NAMES,
    Array,
    Call,
    Constant,
    Dict,
    Elements,
    Instance,
    List,
    Num,
    Range,
    Record,
    RecordArray,
    Slice,
    Text,
    Tuple,
    to_dtype,
)
from heddle.simt._whole import Lazy

if TYPE_CHECKING:
    from heddle.simt._statements import Statements

_functions: dict[Any, list[Chooser]] = {}  # what is called
_members: dict[str, list[tuple[Any, bool, Chooser]]] = {}  # of a class of types; is it a method


class Chooser:
    """A function that chooses by types. What it chose is kept: functions may call themselves."""

    def __init__(
        self,
        function: Callable[..., Any],
        prefer_literal: bool,
        compiled: Callable[[Any], Any],
    ) -> None:
        self.function, self.prefer_literal, self.compiled = function, prefer_literal, compiled
        self.parameters = inspect.signature(function)
        self.chosen: dict[str, Any] = {}

    def choose(self, s: Statements, args: list[Any], keywords: dict[str, Any], node: Any) -> Any:
        """The function for such arguments; None: there is none."""
        for literal in (True, False) if self.prefer_literal else (False, True):
            given = [_type_of(s, a, literal, node) for a in args]
            named = {name: _type_of(s, a, literal, node) for name, a in keywords.items()}
            key = repr((given, named))
            if key not in self.chosen:
                self.chosen[key] = self._ask(given, named)
            made = self.chosen[key]
            if made is not None:
                return made
        return None

    def _ask(self, given: list[Any], named: dict[str, Any]) -> Any:
        try:
            self.parameters.bind(*given, **named)
        except TypeError:
            return None
        made = self.function(*given, **named)
        return self.compiled(made) if isinstance(made, types.FunctionType) else made


def add(what: Any, chooser: Chooser) -> None:
    """The last one that was added is asked first."""
    _functions.setdefault(what, []).insert(0, chooser)


def add_member(kind: Any, name: str, is_method: bool, chooser: Chooser) -> None:
    """The same of methods and attributes of a class of types."""
    _members.setdefault(name, []).insert(0, (kind, is_method, chooser))


def instead_of(
    s: Statements, what: Any, args: list[Any], keywords: dict[str, Any], node: ast.Call
) -> Any:
    """What a call gives that somebody has said something of; None: nobody has."""
    if not _functions:
        return None
    try:
        choosers = _functions.get(what, ())
    except TypeError:
        return None
    for chooser in choosers:
        made = chooser.choose(s, args, keywords, node)
        if made is not None:
            return _taken(s, made, args, keywords, node)
    if choosers and isinstance(what, types.FunctionType) and found(what) is None:
        raise s.error(node, f"no overload of {what.__name__} takes these arguments")
    return None


class _Method:
    """A method of a value, to be called."""

    def __init__(self, choosers: list[Chooser], value: Any, name: str) -> None:
        self.choosers, self.value, self.name = choosers, value, name

    def _simt_call(
        self, s: Statements, args: list[Any], keywords: dict[str, Any], node: ast.Call
    ) -> Any:
        for chooser in self.choosers:
            made = chooser.choose(s, [self.value, *args], keywords, node)
            if made is not None:
                return _taken(s, made, [self.value, *args], keywords, node)
        raise s.error(node, f"no overload of {self.name} takes these arguments")


def member(s: Statements, value: Any, node: ast.Attribute) -> Any:
    """An attribute or a method that somebody has added; None: nobody has."""
    if node.attr not in _members or isinstance(value, Constant):
        return None
    type_ = _type_of(s, value, False, node)
    fitting = [(m, c) for kind, m, c in _members[node.attr] if _is_of(type_, kind)]
    methods = [chooser for is_method, chooser in fitting if is_method]
    if methods:
        return Constant(_Method(methods, value, node.attr))
    for _, chooser in fitting:
        made = chooser.choose(s, [value], {}, node)
        if made is not None:
            call = ast.copy_location(ast.Call(node, [], []), node)
            return _taken(s, made, [value], {}, call)
    return None


def _is_of(type_: Any, kind: Any) -> bool:
    return isinstance(type_, kind) if isinstance(kind, type) else type_ == kind


def _taken(
    s: Statements, made: Any, args: list[Any], keywords: dict[str, Any], node: ast.Call
) -> Any:
    # Who was asked is no part of what the next process could compare.
    s.read_of[id(made), "overload"] = (None, False, None)
    function = getattr(made, "py_func", None)
    if not isinstance(function, types.FunctionType):
        raise s.error(node, f"an overload gives a function, not {made!r}")
    with s.in_terms_of(made):
        return s.call_function(Call(function, args, keywords, node))


def _type_of(s: Statements, value: Any, literal: bool, node: ast.AST) -> Any:
    """Numba's type of a value."""
    if isinstance(value, Num):
        name = NAMES[value.type.dtype]
        if literal and isinstance(value.constant, (bool, int)):
            return LiteralNumber(name, value.constant)
        return signatures._known.get(name) or signatures.bfloat16
    if isinstance(value, (Array, Lazy)):
        dtype = value.type.dtype if isinstance(value, Lazy) else value.dtype
        element = signatures._known[NAMES[dtype]]
        dense = isinstance(value, Lazy) or (s.is_unit(value) and value.ndim < 2)
        return signatures.ArrayType(element, value.ndim, dense)
    if isinstance(value, RecordArray):
        return signatures.ArrayType(signatures.RecordType(value.dtype), value.bytes.ndim - 1, False)
    if isinstance(value, Record):
        return signatures.RecordType(value.of.dtype)
    if isinstance(value, Tuple):
        items = [_type_of(s, item, literal, node) for item in value.items]
        if value.listed:
            return Container("reflected list", *items[:1])
        return signatures.TupleType(items, value.kind)
    if isinstance(value, Text):
        return type_classes.unicode_type
    if isinstance(value, (List, Dict, Elements, Slice, Range, Instance)):
        return _of_container(s, value)
    if isinstance(value, Constant):
        return _of_constant(value.value, literal)
    raise s.error(node, f"overloads are not asked for {describe(value)}")


def _of_container(s: Statements, value: Any) -> Any:
    if isinstance(value, List):
        kind = "reflected list" if value.kinds is None else "ListType"
        return Container(kind, _of_elements(value))
    if isinstance(value, Dict):
        if value.is_set:
            return Container("reflected set", _of_elements(value.keys))
        return Container("DictType", _of_elements(value.keys), _of_elements(value.values))
    if isinstance(value, Instance):
        return Container("instance", value=value.kind)
    kinds: dict[Any, str] = {Elements: "reflected set", Slice: "slice", Range: "range"}
    return Container(kinds[type(value)])


def _of_elements(value: List) -> Any:
    types_ = [signatures._known[NAMES[part.dtype]] for part in value.parts]
    return signatures.TupleType(types_) if value.pairs else types_[0]


def _of_constant(value: Any, literal: bool) -> Any:
    if value is None:
        return signatures.none
    if isinstance(value, str):
        return LiteralText(value) if literal else type_classes.unicode_type
    dtype = to_dtype(value)
    if dtype is not None:
        return Container("class", signatures._known.get(NAMES[dtype]))
    if getattr(value, "_simt_callable", False):
        return Container("type(CPUDispatcher)", value=value)
    return Container("Function" if callable(value) else type(value).__name__, value=value)
