"""Lists in host functions: where names, operators and statements mean them (see `_lists.py`)."""

from __future__ import annotations

import ast
import types
from typing import Any

from heddle._compiled.shared import same_object
from heddle.simt import _lists
from heddle.simt._errors import Restart
from heddle.simt._kinds import ListOf, list_of
from heddle.simt._operations import describe
from heddle.simt._recursion import Recursion
from heddle.simt._types import Array, Constant, List, Num, Tuple
from heddle.simt._whole import Lazy, Whole


class HostLists(Recursion, Whole):
    """What becomes of lists."""

    in_parallel: bool

    def changes_argument(self, number: int) -> None:
        """A list that was given is changed: Python hears of it."""
        raise NotImplementedError

    def begin_lists(self) -> None:
        self.changed: set[Any] = set()  # names of lists that functions change
        self.lists: dict[Any, int] = {}  # of how many items their elements are; 0: numbers
        self.elements: dict[Any, Tuple] = {}  # what these are outside, where they are tuples

    def _list(self, node: ast.List) -> Any:
        made = self._tuple(ast.copy_location(ast.Tuple(node.elts, node.ctx), node))
        return Tuple(made.items, listed=True)

    def _listcomp(self, node: ast.ListComp) -> List:
        return _lists.comprehension(self, node)

    def list_as_result(self, of: List, node: ast.AST) -> Tuple:
        """An array for each item of the elements, of which a list is made outside."""
        if of.rows is not None:
            raise self.error(node, "a list of lists is no result; give np.array of it")
        if of.number >= 0:
            return Tuple([of.mark], kind=same_object)
        if (of.key, 0) not in self.types and not self.again:
            raise self.error(node, "nothing is appended to the list: its type is not known")
        count = self.temporary(_lists.length(self, of), node)
        columns: list[Any] = []
        for i, part in enumerate(of.parts):
            type_ = _lists.type_of(self, of, i)
            column = self.allocate([count], type_.dtype, False, True, node)

            def turn(index: Num, column: Array = column, part: Array = part) -> None:
                self.store(column, [index], self.element(part, [index], node), node)

            self.counted(self.constant(0), count, self.constant(1), turn, node)
            columns.append(column)
        if of.kinds is not None:
            return Tuple(columns, kind=of.kinds[int(of.pairs)])
        if not of.pairs:
            return Tuple(columns, kind=list_of)
        like = self.elements.get(of.key, Tuple())
        return Tuple(columns, kind=ListOf(list if like.listed else like.kind or tuple))

    def bind(self, name: str, value: object, node: ast.AST) -> None:
        key = (self.scope.path, name)
        if isinstance(value, Tuple) and value.listed is True:
            changed = key in self.changed or _lists.is_changed(self.scope.parsed.node, name)
            if changed or not value.items or isinstance(self.scope.names.get(name), List):
                value = _lists.made_of(self, value, name, node)
        if not isinstance(value, List):
            super().bind(name, value, node)
            if isinstance(value, Tuple) and value.listed:
                self.scope.names[name].listed = key if value.listed is True else value.listed
            return
        known = self.scope.names.get(name)
        if known is value:
            return
        if isinstance(known, List) and known.number >= 0:
            raise self.error(node, f"'{name}' is a list that was given; use another name")
        if value.name:
            raise self.error(
                node, f"a list has one name, which is '{value.name}'; take a .copy() of it"
            )
        if known is None:
            value.name = name
            self.scope.names[name] = value
        elif isinstance(known, List):
            _lists.moved(self, known, value, node)
        else:
            raise self.error(
                node, f"'{name}' was {describe(known)} and becomes a list; use two names"
            )

    def _named(self, node: ast.expr) -> Any:
        """What a name stands for; lists have names, and everything else is looked at once."""
        return self.expression(node) if isinstance(node, ast.Name) else None

    def _need_list(self, value: object) -> None:
        """What changes a list that was taken for a tuple: a function that it was given to."""
        if isinstance(value, Tuple) and isinstance(value.listed, tuple):
            self.changed.add(value.listed)
            raise Restart

    def attribute(self, value: object, node: ast.Attribute) -> Any:
        if node.attr in _lists.CHANGES:
            self._need_list(value)
        if isinstance(value, List):
            if node.attr not in _lists.METHODS:
                raise self.error(node, f"lists have no '{node.attr}' in compiled functions")
            return Constant(("method", node.attr, value))
        return super().attribute(value, node)

    def _subscript(self, node: ast.Subscript) -> Any:
        value = self.expression(node.value)
        if isinstance(value, List):
            return _lists.item(self, value, self.expression(node.slice), node)
        if isinstance(value, Lazy):
            value = self.made_array(value, node)
        return self.item_of(value, node)

    def binary(self, op: ast.operator, left: object, right: object, node: ast.AST) -> Any:
        if isinstance(op, ast.Mult) and isinstance(left, Tuple) and isinstance(right, Num):
            if left.listed and left.items:
                return _lists.repeated(self, left, right, node)
            times = self.known_integer(right, node, "how often a tuple is repeated")
            return Tuple(left.items * times)
        if isinstance(op, ast.Add) and isinstance(left, Tuple) and isinstance(right, List):
            made = _lists.made_of(self, left, "", node)
            _lists.extend(self, made, right, node)
            return made
        if isinstance(op, ast.Mult) and isinstance(left, List) and isinstance(right, Num):
            return _lists.several(self, left, right, node)
        if isinstance(op, ast.Mult) and isinstance(left, Num) and isinstance(right, (List, Tuple)):
            return self.binary(op, right, left, node)
        if isinstance(op, ast.Add) and isinstance(left, List):
            made = _lists.method(self, "copy", left, [], {}, node)
            _lists.extend(self, made, right, node)
            return made
        return super().binary(op, left, right, node)

    def compared(self, op: ast.cmpop, left: object, right: object, node: ast.AST) -> Any:
        if isinstance(op, (ast.In, ast.NotIn)) and isinstance(right, (List, Array)):
            if isinstance(right, Array):
                within = self.binary_equal(right, left, node)
            else:
                within = _lists.contains(self, right, left, node)
            return within if isinstance(op, ast.In) else self.apply("logical_not", [within], node)
        equal = isinstance(op, (ast.Eq, ast.NotEq))
        if equal and (isinstance(left, List) or isinstance(right, List)):
            both = [
                _lists.made_of(self, value, "", node) if isinstance(value, Tuple) else value
                for value in (left, right)
            ]
            if all(isinstance(value, List) for value in both):
                made = _lists.same(self, both[0], both[1], node)  # type: ignore[arg-type]
                return made if isinstance(op, ast.Eq) else self.apply("logical_not", [made], node)
        return super().compared(op, left, right, node)

    def binary_equal(self, array: Array, value: object, node: ast.AST) -> Num:
        """Whether some element is a number."""
        return self.reduce("any", super().compared(ast.Eq(), array, value, node), node)

    def _assign_element(self, target: ast.Subscript, value: object) -> None:
        owner = self._named(target.value)
        self._need_list(owner)
        if not isinstance(owner, List):
            super()._assign_element(target, value)
            return
        if isinstance(value, Num):
            value = self.temporary(value, target)
        _lists.set_item(self, owner, self.expression(target.slice), value, target)

    def _do_augassign(self, node: ast.AugAssign) -> None:
        target = node.target
        if isinstance(target, ast.Name):
            known = self.scope.names.get(target.id)
            if isinstance(known, List) and isinstance(node.op, ast.Add):
                _lists.extend(self, known, self.expression(node.value), node)
                return
        if isinstance(target, ast.Subscript):
            owner = self._named(target.value)
            self._need_list(owner)
            if isinstance(owner, List):
                index = self.temporary(
                    self.integer(self.expression(target.slice), node, "as an index"), node
                )
                right = self.expression(node.value)
                before = _lists.item(self, owner, index, target)
                value = self.binary(node.op, before, right, node)
                _lists.set_item(self, owner, index, self.temporary(value, node), target)
                return
        super()._do_augassign(node)

    def call_recursive(
        self, function: types.FunctionType, bound: dict[str, Any], node: ast.Call
    ) -> Any:
        if any(isinstance(value, List) for value in bound.values()):
            raise self.error(node, "a function that calls itself takes arrays, and no lists")
        return super().call_recursive(function, bound, node)

    def _do_for(self, node: ast.For) -> None:
        over = node.iter
        name = over.id if isinstance(over, ast.Name) else ""
        inside = ast.Module(node.body, [])
        if isinstance(self.scope.names.get(name), List) and _lists.is_changed(inside, name):
            raise self.error(node, f"the loop goes over '{name}' and changes it; count with while")
        super()._do_for(node)
