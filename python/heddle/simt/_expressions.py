"""Expressions of Python as expressions of a program."""

from __future__ import annotations

import ast
import enum
import types
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NoReturn, cast

import numpy as np

from heddle.simt import _words as w
from heddle.simt._choices import ATTRIBUTE
from heddle.simt._fields import Fields
from heddle.simt._kinds import is_whole_number
from heddle.simt._operations import describe
from heddle.simt._operators import COMPARISON_FUNCTIONS, COMPARISONS
from heddle.simt._state import Var, inner_function
from heddle.simt._types import (
    BOOL,
    COMPLEX64,
    FLOAT32,
    FLOAT64,
    INT64,
    Array,
    Constant,
    Instance,
    Iterator,
    Num,
    Number,
    Range,
    Record,
    RecordArray,
    Slice,
    Tuple,
    is_complex,
)

if TYPE_CHECKING:
    from heddle.simt._statements import Statements

_DEEPEST = 150


def _of_two_enumerations(left: object, right: object) -> bool:
    """Members of two classes, or a member and a number: never equal, whatever they are."""
    if not isinstance(left, Num) or not isinstance(right, Num):
        return False
    if is_whole_number(left.member) or is_whole_number(right.member):
        return False
    return left.member is not right.member


def _may_fail(node: ast.expr) -> bool:
    """Whether it matters that an operand is looked at: an element, or a call."""
    return any(isinstance(inner, (ast.Subscript, ast.Call)) for inner in ast.walk(node))


def _apart(node: ast.Compare) -> ast.BoolOp:
    """a < b < c as (a < (t := b)) and (t < c), which looks at c only where it matters."""
    parts: list[ast.expr] = []
    left = node.left
    for i, (op, right) in enumerate(zip(node.ops, node.comparators, strict=True)):
        again = right
        if i + 1 < len(node.ops) and not isinstance(right, (ast.Name, ast.Constant)):
            name = f"@{right.lineno}.{right.col_offset}"
            again = ast.copy_location(ast.Name(name, ast.Load()), right)
            stored = ast.copy_location(ast.Name(name, ast.Store()), right)
            right = ast.copy_location(ast.NamedExpr(stored, right), right)
        parts.append(ast.copy_location(ast.Compare(left, [op], [right]), node))
        left = again
    return ast.copy_location(ast.BoolOp(ast.And(), parts), node)


class Expressions(Fields):
    """Each method gives a Num, an Array, a Tuple or a Constant."""

    _nesting = 0

    def expression(self, node: ast.expr) -> Any:
        self._nesting += 1
        try:
            if self._nesting > _DEEPEST:
                raise self.error(node, "the expression is nested too deeply")
            method = getattr(self, f"_{type(node).__name__.lower()}", None)
            if method is None:
                raise self.error(node, f"kernels have no {_name(node)}")
            return method(node)
        finally:
            self._nesting -= 1

    def _constant(self, node: ast.Constant) -> Num | Constant:
        value = node.value
        if isinstance(value, bool):
            return self.constant(value)
        if isinstance(value, int):
            if not -(2**63) <= value < 2**64:
                raise self.error(node, "integers have at most 64 bits in kernels")
            return self.constant(value)
        if isinstance(value, (float, complex)):
            return self.constant(value)
        return Constant(value)

    def _name(self, node: ast.Name) -> Any:
        return self.frozen(self.value_of(self.lookup(node.id, node)), node)

    def frozen(self, value: object, node: ast.AST) -> Any:
        """Global arrays of NumPy's are constants."""
        known = value.value if isinstance(value, Constant) else None
        if isinstance(known, np.ndarray) and known.dtype.names is None:
            return self.table(known, node)
        return value

    def value_of(self, bound: object) -> Any:
        """What a name stands for, as a value."""
        if isinstance(bound, Var):
            return self.read(bound)
        if isinstance(bound, Tuple):
            items = [self.value_of(item) for item in bound.items]
            return Tuple(items, bound.names, bound.listed, bound.kind)
        if isinstance(bound, Record):
            return Record(bound.of, [self.value_of(index) for index in bound.indices])
        if isinstance(bound, Range):
            return Range(*map(self.value_of, (bound.start, bound.stop, bound.step)))
        return bound

    def _tuple(self, node: ast.Tuple) -> Tuple:
        items = []
        for item in node.elts:
            if isinstance(item, ast.Starred):
                inner = self.expression(item.value)
                if not isinstance(inner, Tuple):
                    raise self.error(item, "only tuples can be unpacked")
                items += inner.items
            else:
                items.append(self.expression(item))
        return Tuple(items)

    def _list(self, node: ast.List) -> NoReturn:
        raise self.error(
            node, "kernels have no lists; use a tuple, or simt.local.array(shape, dtype)"
        )

    def _unaryop(self, node: ast.UnaryOp) -> Num:
        return self.unary(node, self.expression(node.operand))

    def unary(self, node: ast.UnaryOp, value: object) -> Num:
        if isinstance(node.op, ast.Not):
            truth = self.truth(value, node)
            if truth.constant is not None:
                return self.constant(not truth.constant)
            return self.apply("logical_not", [truth], node)
        number = self.number(value, node, "as an operand")
        constant = number.constant
        foldable = constant is not None and self._is_pythons(number)
        if isinstance(node.op, ast.USub):
            if foldable and not isinstance(constant, bool):
                return self.constant(-constant)
            if number.type.dtype == BOOL:
                number = self.cast(number, Number(INT64, True), node)
            return self.apply("negative", [number], node)
        if isinstance(node.op, ast.UAdd):
            return number
        if foldable and isinstance(constant, int) and not isinstance(constant, bool):
            return self.constant(~constant)
        return self.apply("invert", [number], node)

    def _binop(self, node: ast.BinOp) -> Any:
        left, right = self.operands([node.left, node.right])
        return self.binary(node.op, left, right, node)

    def _compare(self, node: ast.Compare) -> Any:
        if any(_may_fail(later) for later in node.comparators[1:]):
            return self._boolop(_apart(node))
        values = self.operands([node.left, *node.comparators])
        result: Num | None = None
        for i, op in enumerate(node.ops):
            left, right = values[i], values[i + 1]
            one = self.compared(op, left, right, node)
            if result is None:
                result = one
            elif result.constant is not None and one.constant is not None:
                result = self.constant(result.constant and one.constant)
            else:
                result = self.apply("logical_and", [result, one], node)
        assert result is not None
        return result

    def compared(self, op: ast.cmpop, left: object, right: object, node: ast.AST) -> Num:
        if _of_two_enumerations(left, right) and isinstance(
            op, (ast.Eq, ast.NotEq, ast.Is, ast.IsNot)
        ):
            return self.constant(isinstance(op, (ast.NotEq, ast.IsNot)))
        if isinstance(op, (ast.Is, ast.IsNot)) and isinstance(left, Num) and isinstance(right, Num):
            op = ast.Eq() if isinstance(op, ast.Is) else ast.NotEq()
        arrays = isinstance(left, (Array, RecordArray)) and isinstance(right, (Array, RecordArray))
        if isinstance(op, (ast.Is, ast.IsNot)) and arrays and left is not right:
            raise self.error(node, "whether two arrays are one is not known in kernels")
        tuples = isinstance(left, Tuple) and isinstance(right, Tuple) and left is not right
        if isinstance(op, (ast.Is, ast.IsNot)) and tuples:
            raise self.error(node, "whether two tuples are one object is not known; compare by ==")
        if isinstance(op, (ast.Is, ast.IsNot)) or (
            isinstance(left, Constant) and isinstance(right, Constant)
        ):
            return self._compared_objects(op, left, right, node)
        if isinstance(op, (ast.In, ast.NotIn)):
            if isinstance(right, Range):
                return self._in_range(op, left, right, node)
            if not isinstance(right, Tuple):
                raise self.error(node, "'in' looks into tuples only")
            found: Num = self.constant(False)
            for item in right.items:
                one = self.compared(ast.Eq(), left, item, node)
                if one.constant:
                    found = one
                    break
                if one.constant is None:
                    known = found.constant is not None
                    found = one if known else self.apply("logical_or", [found, one], node)
            if isinstance(op, ast.NotIn):
                return self.apply("logical_not", [found], node)
            return found
        if (
            isinstance(left, Tuple)
            and isinstance(right, Tuple)
            and isinstance(op, (ast.Eq, ast.NotEq))
        ):
            if len(left.items) != len(right.items):
                return self.constant(isinstance(op, ast.NotEq))
            same: Num = self.constant(True)
            for a, b in zip(left.items, right.items, strict=True):
                one = self.compared(ast.Eq(), a, b, node)
                same = (
                    one if same.constant is True else self.apply("logical_and", [same, one], node)
                )
            return same if isinstance(op, ast.Eq) else self.apply("logical_not", [same], node)
        if isinstance(left, Tuple) and isinstance(right, Tuple):
            return self._ordered(op, left, right, node)
        if isinstance(op, (ast.Eq, ast.NotEq)) and any(
            isinstance(value, Constant) and (value.value is None or isinstance(value.value, str))
            for value in (left, right)
        ):
            return self.constant(isinstance(op, ast.NotEq))  # no number is one of these
        a, b = (self.number(value, node, "in a comparison") for value in (left, right))
        x, y = a.constant, b.constant
        if (
            x is not None
            and y is not None
            and not isinstance(x, complex)
            and not isinstance(y, complex)
        ):
            return self.constant(bool(COMPARISON_FUNCTIONS[type(op)](x, y)))
        return self.apply(COMPARISONS[type(op)], [a, b], node)

    def _in_range(self, op: ast.cmpop, left: object, right: Range, node: ast.AST) -> Num:
        number = self.temporary(self.integer(left, node, "in a range"), node)
        step = self.known_integer(right.step, node, "the step of a range that is looked into")
        first, last = (right.start, right.stop) if step > 0 else (right.stop, right.start)
        low, high = ("greater_equal", "less") if step > 0 else ("greater", "less_equal")
        found = self.apply(low, [number, first], node)
        found = self.apply("logical_and", [found, self.apply(high, [number, last], node)], node)
        if abs(step) > 1:
            away = self.apply("subtract", [number, right.start], node)
            rest = self.apply("remainder", [away, self.constant(abs(step))], node)
            fits = self.apply("equal", [rest, self.constant(0)], node)
            found = self.apply("logical_and", [found, fits], node)
        return found if isinstance(op, ast.In) else self.apply("logical_not", [found], node)

    def _ordered(self, op: ast.cmpop, left: Tuple, right: Tuple, node: ast.AST) -> Num:
        """Tuples by their first items that differ."""
        strict = ast.Lt() if isinstance(op, (ast.Lt, ast.LtE)) else ast.Gt()
        size, other = (self.constant(len(value.items)) for value in (left, right))
        made = self.compared(op, size, other, node)
        pairs = list(zip(left.items, right.items, strict=False))
        for a, b in reversed(pairs):
            before = self.compared(strict, a, b, node)
            same = self.apply("logical_and", [self.compared(ast.Eq(), a, b, node), made], node)
            made = self.apply("logical_or", [before, same], node)
        return made

    def _compared_objects(self, op: ast.cmpop, left: object, right: object, node: ast.AST) -> Num:
        """None, strings, types: known when the kernel is compiled."""

        def plain(value: object) -> Any:
            return value.value if isinstance(value, Constant) else value

        a, b = plain(left), plain(right)
        if isinstance(op, (ast.Is, ast.Eq)):
            return self.constant(a is b or (isinstance(op, ast.Eq) and bool(a == b)))
        if isinstance(op, (ast.IsNot, ast.NotEq)):
            return self.constant(not (a is b or (isinstance(op, ast.NotEq) and bool(a == b))))
        if isinstance(a, str) and isinstance(b, str):
            if isinstance(op, (ast.In, ast.NotIn)):
                return self.constant((a in b) == isinstance(op, ast.In))
            return self.constant(bool(COMPARISON_FUNCTIONS[type(op)](a, b)))
        raise self.error(node, f"{describe(left)} and {describe(right)} cannot be compared so")

    def _boolop(self, node: ast.BoolOp) -> Any:
        """`and` and `or`: what is on the right is done only where it matters."""
        is_and = isinstance(node.op, ast.And)
        result = self.expression(node.values[0])
        for i, other in enumerate(node.values[1:], 1):
            left = self.truth(result, node.values[i - 1])
            if left.constant is not None:
                if bool(left.constant) != is_and:
                    return result
                result = self.expression(other)
                continue
            before = self.statements
            self.statements = []
            self.scope.depth += 1
            value = self.expression(other)
            right = self.truth(value, other)
            self.scope.depth -= 1
            done = self.statements
            self.statements = before
            both_truths = isinstance(result, Num) and result.type.dtype == BOOL and right is value
            if not done and not right.reads and both_truths:
                result = self.apply("logical_and" if is_and else "logical_or", [left, right], node)
                continue
            if isinstance(result, Num) and isinstance(value, Num) and not both_truths:
                type_ = self.join(result.type, value.type)
                type_ = self.chosen_type(type_, (result, value))
            else:
                type_ = Number(BOOL)
            first = self.number(result, node)
            target = self.local(type_)
            self.set(target, first if type_.dtype != BOOL else left, node)
            condition = self.truth(self.read(target), node)
            if not is_and:
                condition = self.apply("logical_not", [condition], node)
            self.statements = done
            self.set(target, self.number(value, other) if type_.dtype != BOOL else right, other)
            inner = self.statements
            self.statements = before
            self.statements.append(
                [w.BRANCH, self.line(node), *condition.words, *w.block(inner), *w.block([])]
            )
            result = self.read(target)
        return result

    def _ifexp(self, node: ast.IfExp) -> Any:
        condition = self.truth(self.expression(node.test), node.test)
        if condition.constant is not None:
            return self.expression(node.body if condition.constant else node.orelse)
        before = self.statements
        sides = []
        done: list[w.Statements] = []
        self.scope.depth += 1
        for side in (node.body, node.orelse):
            self.statements = []
            sides.append(self.expression(side))
            done.append(self.statements)
        self.scope.depth -= 1
        self.statements = before
        if all(isinstance(value, Tuple) for value in sides):
            return self._chosen_tuple(condition, sides, done, node)
        if all(isinstance(value, Array) for value in sides):
            return self.chosen_array(condition, sides, done, node)
        if all(isinstance(value, Instance) for value in sides):
            return self.chosen_object(condition, sides, done, node)
        a, b = (self.number(value, node, "on both sides") for value in sides)
        type_ = self.unified(a.type, b.type) if a.type != b.type else a.type
        type_ = self.chosen_type(type_, (a, b))
        if not any(done) and not a.reads and not b.reads:
            op = self.op_number("select")
            words = [w.OP, self.line(node), op, type_.dtype, type_.dtype, *condition.words]
            for side_value in (a, b):
                words += self.cast(side_value, type_, node).words
            return Num(type_, words, member=a.member if a.member is b.member else None)
        target = self.local(type_)
        blocks: list[int] = []
        for value, statements in zip((a, b), done, strict=True):
            self.statements = statements
            self.set(target, value, node)
            blocks += w.block(self.statements)
        self.statements = before
        self.statements.append([w.BRANCH, self.line(node), *condition.words, *blocks])
        return self.read(target)

    def chosen_object(
        self, condition: Num, sides: list[Any], done: list[w.Statements], node: ast.AST
    ) -> Any:
        """a if c else b: of objects."""
        raise NotImplementedError

    def chosen_array(
        self, condition: Num, sides: list[Array], done: list[w.Statements], node: ast.AST
    ) -> Array:
        """a if c else b: of arrays."""
        raise NotImplementedError

    def _chosen_tuple(
        self, condition: Num, sides: list[Tuple], done: list[w.Statements], node: ast.IfExp
    ) -> Tuple:
        """(a, b) if c else (d, e): of numbers."""
        if len(sides[0].items) != len(sides[1].items):
            raise self.error(node, "tuples on both sides have to be of one length")
        targets: list[Var] = []
        for a, b in zip(sides[0].items, sides[1].items, strict=True):
            both = [self.number(v, node, "in tuples on both sides") for v in (a, b)]
            type_ = self.unified(both[0].type, both[1].type)
            targets.append(self.local(self.chosen_type(type_, both)))
        before, blocks = self.statements, []
        for side, statements in zip(sides, done, strict=True):
            self.statements = statements
            for target, item in zip(targets, side.items, strict=True):
                self.set(target, item, node)
            blocks += w.block(self.statements)
        self.statements = before
        self.statements.append([w.BRANCH, self.line(node), *condition.words, *blocks])
        items = [self.read(target) for target in targets]
        first, other = sides
        if first.kind is not other.kind or bool(first.listed) != bool(other.listed):
            raise self.error(node, "tuples on both sides have to be of one kind")
        return Tuple(items, first.names, bool(first.listed), first.kind)

    def _namedexpr(self, node: ast.NamedExpr) -> Any:
        value = self.expression(node.value)
        self.assign(node.target, value)
        return self.expression(ast.copy_location(ast.Name(node.target.id, ast.Load()), node))

    def assign(self, target: ast.expr, value: object) -> None:
        raise NotImplementedError

    def _joinedstr(self, node: ast.JoinedStr) -> Any:
        raise self.error(node, "kernels build no strings; give print() the pieces")

    def _lambda(self, node: ast.Lambda) -> Constant:
        return self.defined(node)

    def defined(self, node: ast.FunctionDef | ast.Lambda) -> Constant:
        """A function inside of a function: it sees the names around it, as they are when called."""
        scope = self.scope
        try:
            function = inner_function(node, scope.function, scope.parsed.source)
        except SyntaxError as error:
            raise self.error(node, f"{error.msg}") from error
        given = node.args
        plain = [a.arg for a in (*given.posonlyargs, *given.args)]
        named = zip((a.arg for a in given.kwonlyargs), given.kw_defaults, strict=True)
        defaults = dict(zip(plain[len(plain) - len(given.defaults) :], given.defaults, strict=True))
        defaults |= {name: value for name, value in named if value is not None}
        values = {name: self.expression(value) for name, value in defaults.items()}
        self.inner[function] = (scope, values)
        return Constant(function)

    def _attribute(self, node: ast.Attribute) -> Any:
        return self.attribute(self.expression(node.value), node)

    def attribute(self, value: Any, node: ast.Attribute) -> Any:
        name = node.attr
        if isinstance(value, Array):
            return self.array_attribute(value, name, node)
        if isinstance(value, RecordArray):
            return self.record_attribute(value, name, node)
        if isinstance(value, Record):
            return self.field_of_record(value, name, node)
        if isinstance(value, Num):
            return self.number_attribute(value, name, node)
        if isinstance(value, Tuple):
            if name in value.names:
                return value.items[value.names.index(name)]
            if name in ("index", "count"):
                return Constant(("method", name, value))
            if name in ("x", "y", "z") and len(value.items) == 3:
                return value.items["xyz".index(name)]
            raise self.error(node, f"a tuple has no '{name}' in kernels")
        from heddle.simt._vocabulary import attribute_of

        found = attribute_of(cast("Statements", self), value.value, name, node)
        if found is not None:
            return found
        try:
            inner = getattr(value.value, name)
        except AttributeError as error:
            raise self.error(node, f"{describe(value)} has no '{name}'") from error
        owner = value.value
        ours = isinstance(owner, types.ModuleType) and owner.__name__.partition(".")[0] in (
            *("heddle", "numpy", "math", "cmath", "operator", "random"),
        )
        names = getattr(owner, "__dict__", None)
        guarded = not ours and isinstance(names, dict) and name in names
        if guarded and isinstance(names, dict):
            self.guards[id(names), name] = (names, name, names[name])
        self.note(owner, (ATTRIBUTE, name), inner, guarded)
        return self.frozen(self.known(inner), node)

    def number_attribute(self, value: Num, name: str, node: ast.AST) -> Any:
        if name in ("real", "imag"):
            if not is_complex(value.type.dtype):
                return value if name == "real" else self.constant(0, value.type)
            part = Number(FLOAT32 if value.type.dtype == COMPLEX64 else FLOAT64, value.type.weak)
            words = [w.OP, self.line(node), self.op_number(name), value.type.dtype, part.dtype]
            return Num(part, words + value.words, reads=value.reads)
        if name == "value" and (value.constant is not None or value.member is not None):
            return replace(value, member=None)  # of an enumeration
        if name in ("conjugate", "conj", "bit_count", "item", "is_integer"):
            return Constant(("method", name, value))
        raise self.error(node, f"numbers have no '{name}' in kernels")

    def _slice(self, node: ast.Slice) -> Slice:
        parts = []
        for part in (node.lower, node.upper, node.step):
            value = self.expression(part) if part is not None else None
            if isinstance(value, Constant) and value.value is None:
                value = None
            parts.append(None if value is None else self.integer(value, node, "in a slice"))
        return Slice(*parts)

    def _subscript(self, node: ast.Subscript) -> Any:
        return self.item_of(self.expression(node.value), node)

    def item_of(self, value: object, node: ast.Subscript) -> Any:
        """value[...]."""
        if isinstance(value, Array):
            return self.element(value, self.index_items(node.slice), node)
        if isinstance(value, RecordArray):
            return self.records_at(value, self.index_items(node.slice), node)
        if isinstance(value, Record):
            name = self.name_of_field(value, self.expression(node.slice), node)
            return self.field_of_record(value, name, node)
        inner = value.value if isinstance(value, Constant) else None
        if isinstance(value, Constant) and (
            isinstance(inner, enum.EnumMeta) or hasattr(inner, "_simt_getitem")
        ):
            return self.known(value.value[self._plain(self.expression(node.slice), node)])
        if isinstance(value, Tuple):
            return self._item_of_tuple(value, self.expression(node.slice), node)
        if isinstance(value, Iterator):
            return self._item_at(value, self.expression(node.slice), node)
        if hasattr(inner, "__cuda_array_interface__") or hasattr(inner, "__dlpack__"):
            raise self.error(
                node, "an array of a device is an argument; of global ones only NumPy's are known"
            )
        raise self.error(node, f"{describe(value)} cannot be indexed")

    def _item_at(self, at: Iterator, index: object, node: ast.AST) -> Any:
        place = self.apply("add", [at.place, self.integer(index, node, "as an index")], node)
        if at.array is not None:
            return self.element(at.array, [place], node)
        counted = self.apply("multiply", [place, self.constant(at.step)], node)
        return self.apply("add", [at.first, self.cast(counted, at.first.type, node)], node)

    def _plain(self, value: object, node: ast.AST) -> Any:
        """An object of Python's that is known when the kernel is compiled."""
        if isinstance(value, Constant):
            return value.value
        if isinstance(value, Tuple):
            return tuple(self._plain(item, node) for item in value.items)
        if isinstance(value, Num) and value.constant is not None:
            return value.constant
        raise self.error(node, f"{describe(value)} has to be known when the kernel is compiled")

    def _item_of_tuple(self, value: Tuple, index: Num, node: ast.Subscript) -> Any:
        if isinstance(index, Slice):
            parts = [
                None if part is None else self.known_integer(part, node, "a slice of a tuple")
                for part in (index.start, index.stop, index.step)
            ]
            return Tuple(value.items[slice(*parts)], listed=bool(value.listed))
        number = self.integer(index, node, "as an index")
        if isinstance(number.constant, int):
            if not -len(value.items) <= number.constant < len(value.items):
                raise self.error(
                    node, f"a tuple of {len(value.items)} has no item {number.constant}"
                )
            return value.items[number.constant]
        if not value.items:
            raise self.error(node, "an empty tuple has no items")
        arrays = [item for item in value.items if isinstance(item, Array)]
        rows = [item for item in value.items if isinstance(item, Tuple)]
        if len(rows) == len(value.items) and len({len(row.items) for row in rows}) == 1:
            return self._rows_of_tuple(value, rows, number, node)
        if len(arrays) < len(value.items):
            items = [
                self.number(item, node, "in a tuple that is indexed by a variable")
                for item in value.items
            ]
        count = self.constant(len(value.items), number.type)
        negative = self.apply("less", [number, self.constant(0, number.type)], node)
        moved = self.select(negative, self.apply("add", [number, count], node), number, node)
        index_value = self.temporary(moved, node)
        self.need_in_range(index_value, len(value.items), node)
        if len(arrays) == len(value.items):
            found = arrays[0]
            for i, array in enumerate(arrays[1:], 1):
                same = self.apply("equal", [index_value, self.constant(i)], node)
                found = self.chosen_array(same, [array, found], [[], []], node)
            return found
        made, type_ = items[0], items[0].type
        for item in items:
            type_ = self.promoted(type_, item.type)
        type_ = self.chosen_type(type_, items)
        for i, item in enumerate(items[1:], 1):
            same = self.apply("equal", [index_value, self.constant(i)], node)
            words = [w.OP, self.line(node), self.op_number("select"), type_.dtype, type_.dtype]
            words += (
                same.words + self.cast(item, type_, node).words + self.cast(made, type_, node).words
            )
            made = Num(type_, words)
        return made

    def _rows_of_tuple(
        self, value: Tuple, rows: list[Tuple], number: Num, node: ast.Subscript
    ) -> Tuple:
        """A tuple of tuples at a place that is known when it runs: item by item."""
        kept = self.temporary(number, node)
        columns = [Tuple([row.items[i] for row in rows]) for i in range(len(rows[0].items))]
        found = [self._item_of_tuple(column, kept, node) for column in columns]
        items = [self.temporary(n, node) if isinstance(n, Num) else n for n in found]
        first = rows[0]
        alike = all(row.kind is first.kind and row.names == first.names for row in rows)
        return Tuple(items, first.names if alike else (), kind=first.kind if alike else None)

    def need_in_range(self, index: Num, count: int, node: ast.AST) -> None:
        """Kernels take the first item for an index that is out of range."""

    def _call(self, node: ast.Call) -> Any:
        from heddle.simt._vocabulary import call

        return call(cast("Statements", self), node)


def _name(node: ast.AST) -> str:
    names = {
        "Dict": "dictionaries",
        "Set": "sets",
        "ListComp": "list comprehensions; write the loop",
        "SetComp": "set comprehensions",
        "DictComp": "dict comprehensions",
        "GeneratorExp": "generator expressions; write the loop",
        "Await": "await",
        "Yield": "generators",
        "YieldFrom": "generators",
        "Starred": "unpacking here",
    }
    return names.get(type(node).__name__, f"'{type(node).__name__}'")
