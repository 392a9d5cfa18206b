"""Sets of numbers, and of tuples of numbers, in compiled functions: dictionaries whose values
nobody looks at. Elements come in the order in which they were added.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

import numpy as np

from heddle.simt import _dictionaries, _lists
from heddle.simt._kinds import SetOf
from heddle.simt._objects import Objects
from heddle.simt._operations import describe
from heddle.simt._registry import functions
from heddle.simt._types import (
    FLOAT64,
    INT64,
    Constant,
    Dict,
    DictView,
    Elements,
    Num,
    Number,
    Tuple,
)

_UPDATES = ("difference_update", "intersection_update", "symmetric_difference_update")
CHANGES = ("add", "clear", "discard", "pop", "remove", "update", *_UPDATES)
METHODS = (
    *(*CHANGES, "copy", "difference", "intersection", "isdisjoint", "issubset", "issuperset"),
    *("symmetric_difference", "union"),
)
_FEW = 4  # elements that are added one by one
_COMPARISONS = (ast.Eq, ast.NotEq, ast.Lt, ast.LtE, ast.Gt, ast.GtE)
_OPERATORS: dict[type[ast.AST], str] = {
    **{ast.BitOr: "union", ast.BitAnd: "intersection", ast.Sub: "difference"},
    ast.BitXor: "symmetric_difference",
}


def new(s: Objects, node: ast.AST, what: str = "") -> Dict:
    """One without elements; `what`: which of several at one place of the source."""
    made = _dictionaries.new(s, node, what)
    made.is_set = True
    return made


def add(s: Objects, of: Dict, value: Any, node: ast.AST) -> None:
    _dictionaries.set_item(s, of, value, s.constant(True), node)


def made_of(s: Objects, given: Any, node: ast.AST) -> Dict:
    """set(...) of what a loop goes over."""
    made = new(s, node)
    _each(s, given, lambda one: add(s, made, one, node), node)
    return made


def _each(s: Objects, given: Any, do: Callable[[Any], None], node: Any) -> None:
    from heddle.simt._loops import over

    iteration = over(s, s.settled(given, node), node)
    if iteration.items is not None:
        for one in iteration.items:
            do(one)
        return
    s.counted(
        iteration.start,
        iteration.stop,
        iteration.step,
        lambda index: do(iteration.item(index)),
        node,
    )


def _where(s: Objects, condition: Num, do: Callable[[], None], node: ast.AST) -> None:
    _lists._branch(s, condition, do, node)


def _absent(s: Objects, of: Dict, one: Any, node: ast.AST) -> Num:
    return s.apply("logical_not", [_dictionaries.contains(s, of, one, node)], node)


def _set(s: Objects, given: Any, node: ast.AST) -> Dict:
    return given if isinstance(given, Dict) else made_of(s, given, node)


def _chosen(s: Objects, of: Dict, other: Dict, made: Dict, inside: bool, node: ast.AST) -> None:
    def look(one: Any) -> None:
        there = _dictionaries.contains(s, other, one, node)
        wanted = there if inside else s.apply("logical_not", [there], node)
        _where(s, wanted, lambda: add(s, made, one, node), node)

    _each(s, of, look, node)


def combined(s: Objects, name: str, of: Dict, given: Any, node: ast.AST) -> Dict:
    """A new set of two."""
    other = _set(s, given, node)
    made = new(s, node)
    if name == "union":
        for part in (of, other):
            _each(s, part, lambda one: add(s, made, one, node), node)
    else:
        _chosen(s, of, other, made, name == "intersection", node)
        if name == "symmetric_difference":
            _chosen(s, other, of, made, False, node)
    return made


def become(s: Objects, of: Dict, other: Dict, node: ast.AST) -> None:
    """The same set with the elements of another one."""
    _dictionaries.method(s, "clear", of, [], {}, node)
    _each(s, other, lambda one: add(s, of, one, node), node)


def operator(s: Objects, op: ast.operator, left: Any, right: Any, node: ast.AST) -> Dict:
    name = _OPERATORS.get(type(op))
    if name is None or not all(isinstance(v, Dict) and v.is_set for v in (left, right)):
        raise s.error(node, f"{describe(left)} and {describe(right)} have no such operator")
    return combined(s, name, left, right, node)


def is_within(s: Objects, of: Dict, other: Dict, node: ast.AST) -> Num:
    """Whether all elements of one are in the other."""
    var = s.local(s.constant(True).type)
    s.set(var, s.constant(True), node)

    def look(one: Any) -> None:
        missing = _absent(s, other, one, node)
        _where(s, missing, lambda: s.set(var, s.constant(False), node), node)

    _each(s, of, look, node)
    return s.read(var)


def compared(s: Objects, op: ast.cmpop, left: Dict, right: Dict, node: ast.AST) -> Num:
    if isinstance(op, (ast.Gt, ast.GtE)):
        left, right = right, left
        op = ast.Lt() if isinstance(op, ast.Gt) else ast.LtE()
    within = is_within(s, left, right, node)
    sizes = [_dictionaries.length(s, of, node) for of in (left, right)]
    same = s.apply("equal", sizes, node)
    if isinstance(op, ast.LtE):
        return within
    if isinstance(op, ast.Lt):
        same = s.apply("logical_not", [same], node)
    both = s.apply("logical_and", [within, same], node)
    return s.apply("logical_not", [both], node) if isinstance(op, ast.NotEq) else both


def _need_own(s: Objects, of: Dict, node: ast.AST) -> None:
    if of.lent:
        raise s.error(
            node,
            "a set that was given is not changed: Python would not hear of it; "
            "change a .copy() of it, and return that",
        )
    _dictionaries._need_changeable(s, of, node)


def method(s: Objects, name: str, of: Dict, args: list[Any], node: ast.AST) -> Any:
    if len(args) != (0 if name in ("clear", "pop", "copy") else 1):
        raise s.error(node, f"set.{name} takes no such arguments in compiled functions")
    if name in CHANGES:
        _need_own(s, of, node)
    if name == "add":
        add(s, of, args[0], node)
    elif name == "remove":
        _dictionaries.delete(s, of, args[0], node)
    elif name == "discard":
        there = _dictionaries.contains(s, of, args[0], node)
        _where(s, there, lambda: _dictionaries.delete(s, of, args[0], node), node)
    elif name == "update":
        _each(s, args[0], lambda one: add(s, of, one, node), node)
    elif name in _UPDATES:
        become(s, of, combined(s, name.removesuffix("_update"), of, args[0], node), node)
    elif name == "pop":
        count, at = _dictionaries.going_over(s, DictView(of, "keys"), node)
        empty = s.apply("equal", [count, s.constant(0)], node)
        s.fail(KeyError, ("pop from an empty set",), node, empty)
        found = at(s.apply("subtract", [count, s.constant(1)], node))
        _dictionaries.delete(s, of, found, node)
        return found
    elif name == "clear":
        return _dictionaries.method(s, "clear", of, [], {}, node)
    elif name == "copy":
        return made_of(s, of, node)
    elif name in ("issubset", "issuperset"):
        other = _set(s, args[0], node)
        return is_within(s, *((of, other) if name == "issubset" else (other, of)), node)
    elif name == "isdisjoint":
        shared = combined(s, "intersection", of, args[0], node)
        count = _dictionaries.length(s, shared, node)
        return s.apply("equal", [count, s.constant(0)], node)
    else:
        return combined(s, name, of, args[0], node)
    return Constant(None)


class Sets(Objects):
    """Where displays, operators and attributes mean sets."""

    def _arguments(self, signature: str) -> list[Any]:
        return [self._given_set(value) for value in super()._arguments(signature)]

    def _given_set(self, value: Any) -> Any:
        """What an argument is; elements of a set become one of our own, which nobody changes."""
        if isinstance(value, Tuple):
            value.items = [self._given_set(item) for item in value.items]
        if not isinstance(value, Elements):
            return value
        node = self.scope.parsed.node
        self.given_sets += 1
        made = new(self, node, f"given{self.given_sets}")
        _each(self, value.row, lambda one: add(self, made, self._pythons(one), node), node)
        made.lent = True
        return made

    def _pythons(self, one: Num) -> Num:
        weak = one.type.dtype in (INT64, FLOAT64) and not self.numba
        return self.cast(one, Number(one.type.dtype, weak), self.scope.parsed.node)

    def _set(self, node: ast.Set) -> Dict:
        values = self.operands(list(node.elts))
        if len(values) > _FEW and all(isinstance(v, Num) and v.member is None for v in values):
            row = functions[np.array](self, [Tuple(values)], {}, node)  # type: ignore[arg-type]
            return made_of(self, row, node)
        made = new(self, node)
        for one in values:
            add(self, made, one, node)
        return made

    def _setcomp(self, node: ast.SetComp) -> Dict:
        made = new(self, node)
        each = ast.copy_location(ast.ListComp(node.elt, node.generators), node)
        _lists.each(self, each, lambda one: add(self, made, one(), node))
        return made

    def new_set(self, given: Any, node: ast.AST) -> Dict:
        """set() and set(given)."""
        return new(self, node) if given is None else made_of(self, given, node)

    def binary(self, op: ast.operator, left: object, right: object, node: ast.AST) -> Any:
        if isinstance(left, Dict) or isinstance(right, Dict):
            return operator(self, op, left, right, node)
        return super().binary(op, left, right, node)

    def _do_augassign(self, node: ast.AugAssign) -> None:
        known = self.scope.names.get(node.target.id) if isinstance(node.target, ast.Name) else None
        if isinstance(known, Dict) and known.is_set:
            _need_own(self, known, node)
            right = self.expression(node.value)
            become(self, known, operator(self, node.op, known, right, node), node)
            return
        super()._do_augassign(node)

    def compared(self, op: ast.cmpop, left: object, right: object, node: ast.AST) -> Any:
        both = isinstance(left, Dict) and isinstance(right, Dict)
        if both and left.is_set and right.is_set and isinstance(op, _COMPARISONS):  # type: ignore[attr-defined]
            return compared(self, op, left, right, node)  # type: ignore[arg-type]
        return super().compared(op, left, right, node)

    def attribute(self, value: Any, node: ast.Attribute) -> Any:
        if isinstance(value, Dict) and value.is_set:
            if node.attr not in METHODS:
                raise self.error(node, f"sets have no '{node.attr}' in compiled functions")
            return Constant(("method", node.attr, value))
        return super().attribute(value, node)

    def call_dictionary(
        self, of: Dict, name: str, args: list[Any], keywords: dict[str, Any], node: ast.AST
    ) -> Any:
        if not of.is_set:
            return super().call_dictionary(of, name, args, keywords, node)
        if keywords:
            raise self.error(node, f"set.{name} takes no keywords")
        return method(self, name, of, args, node)

    def dictionary_as_result(self, of: Dict, node: ast.AST) -> Tuple:
        if not of.is_set:
            return super().dictionary_as_result(of, node)
        rows = _dictionaries.columns(self, of, node)[:-1]
        return Tuple(list(rows), kind=SetOf(of.keys.pairs))
