"""Names that become values, and elements, fields and parts of arrays that are set."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from typing import Any

from heddle.simt import _words as w
from heddle.simt._expressions import Expressions
from heddle.simt._operations import describe
from heddle.simt._state import Var
from heddle.simt._types import (
    INT64,
    Array,
    Constant,
    Num,
    Number,
    Range,
    Record,
    RecordArray,
    Tuple,
)


class Assignments(Expressions):
    """What stands at the left of an equals sign, and what becomes of it."""

    def assign(self, target: ast.expr, value: object) -> None:
        if isinstance(target, ast.Name):
            self.bind(target.id, value, target)
        elif isinstance(target, (ast.Tuple, ast.List)):
            self._unpack(target, value)
        elif isinstance(target, ast.Subscript):
            self._assign_element(target, value)
        elif isinstance(target, ast.Starred):
            raise self.error(target, "kernels have no starred assignments")
        elif isinstance(target, ast.Attribute):
            self._assign_attribute(target, value)
        else:
            raise self.error(target, "this cannot be set in kernels")

    def _assign_attribute(self, target: ast.Attribute, value: object) -> None:
        owner = self.expression(target.value)
        if not isinstance(owner, (Record, RecordArray)):
            raise self.error(target, "of attributes only fields of records can be set in kernels")
        if isinstance(owner, Record):
            self.set_field(owner, target.attr, value, target)
            return
        field = self.field_of(owner, target.attr, target)
        if not isinstance(field, Array):
            raise self.error(target, "records are set one by one")
        self.fill(field, value, target)

    def enter(self, name: str, value: object, node: ast.AST) -> None:
        """An argument as a name of the function: a local of its own where it is assigned to."""
        scope = self.scope
        if isinstance(value, Num) and name in scope.said:
            self.bind(name, value, node)
            return
        if isinstance(value, Num) and name in scope.parsed.assigned:
            var = self.local(self.typed((scope.path, name), value.type, value.constant))
            self.set(var, value, node)
            value = var
        if isinstance(value, Tuple) and name in scope.parsed.assigned:
            self.bind(name, value, node)
            return
        scope.names[name] = value

    def _kept_apart(self, value: object, changed: bool, node: ast.AST) -> Any:
        """The numbers of a tuple, before one of them is set; `changed`: locals may be, too."""
        if isinstance(value, Tuple):
            items = [self._kept_apart(item, changed, node) for item in value.items]
            return Tuple(items, value.names, value.listed, value.kind)
        if not isinstance(value, Num):
            return value
        return self._kept(value, node) if changed else self.temporary(value, node)

    def _as_said(self, name: str, value: Any, node: ast.AST) -> Any:
        """A value as the decorator's types of locals have it."""
        said = self.scope.said[name]
        if isinstance(value, Num) and isinstance(said, Number):
            return self.cast(value, said, node)
        if isinstance(value, Array) and said == (value.dtype, value.ndim):
            return value
        raise self.error(node, f"'{name}' has another type in `locals` than {describe(value)}")

    def bind(self, name: str, value: Any, node: ast.AST) -> None:
        """A name becomes a value."""
        scope = self.scope
        if name in scope.said:
            value = self._as_said(name, value, node)
        known = scope.names.get(name)
        if (
            known is not None
            and scope.depth == 0
            and not self.host
            and _kind(known) != _kind(value)
        ):
            known = None  # nothing but what follows sees it: it is another name
            scope.names.pop(name)
        if isinstance(value, Num):
            once = scope.parsed.assigned.get(name, 0) == 1 and scope.depth == 0
            if value.constant is not None and once and known is None:
                scope.names[name] = value
                return
            if known is not None and not isinstance(known, (Var, Num)):
                raise self.error(
                    node, f"'{name}' was {describe(known)} and becomes a number; use two names"
                )
            key: Any = (scope.path, name)
            if self.numba and isinstance(known, Var) and scope.depth == scope.base:
                # As Numba sees it: from here on it is a name of its own type.
                key = (*key, getattr(node, "lineno", 0), getattr(node, "col_offset", 0))
                known = None
            elif isinstance(known, Var) and known.key is not None:
                key = known.key
            type_ = self.typed(key, value.type, value.constant)
            if isinstance(known, Num):
                known = None
            var = known or self.local(type_)
            var.key = key
            scope.names[name] = var
            self.set(var, value, node)
        elif isinstance(value, Tuple):
            if known is not None and not (
                isinstance(known, Tuple) and len(known.items) == len(value.items)
            ):
                raise self.error(
                    node,
                    f"'{name}' was {describe(known)} and becomes {describe(value)}; use two names",
                )
            held = [self._kept_apart(item, known is not None, node) for item in value.items]
            parts = []
            for i, item in enumerate(held):
                part = f"{name}[{i}]"
                if isinstance(known, Tuple):
                    scope.names[part] = known.items[i]
                elif part in scope.names:
                    del scope.names[part]
                self.bind(part, item, node)
                parts.append(scope.names[part])
            scope.names[name] = Tuple(parts, value.names, kind=value.kind)
        elif isinstance(value, Range):
            self._bind_range(name, value, known, node)
        elif isinstance(value, Array):
            self._bind_array(name, value, known, node)
        elif isinstance(value, (Record, RecordArray)):
            self._bind_records(name, value, known, node)
        else:
            if known is not None and not (
                isinstance(known, Constant) and known.value is value.value
            ):
                raise self.error(
                    node,
                    f"'{name}' was {describe(known)} and becomes {describe(value)}; use two names",
                )
            scope.names[name] = value

    def _bind_range(self, name: str, value: Range, known: object, node: ast.AST) -> None:
        """A name that is several ranges, one after the other: its numbers are locals."""
        names = self.scope.names
        if known is not None and not isinstance(known, Range):
            raise self.error(
                node, f"'{name}' was {describe(known)} and becomes a range; use two names"
            )
        every = (value.start, value.stop, value.step)
        if self.scope.parsed.assigned.get(name, 0) <= 1:
            # What another name's numbers are may change.
            same = [
                self._kept(p, node) if isinstance(p, Num) and p.constant is None else p
                for p in every
            ]
            names[name] = Range(*same)
            return
        given = zip(every, (0, 0, 1), strict=True)
        kept = [
            self._kept_apart(self.constant(n) if part is None else part, known is not None, node)
            for part, n in given
        ]
        parts = [f"{name}[{what}]" for what in ("start", "stop", "step")]
        for part, number in zip(parts, kept, strict=True):
            if known is None:
                names.pop(part, None)
            self.bind(part, number, node)
        names[name] = Range(*(names[part] for part in parts))

    def _bind_records(
        self, name: str, value: Record | RecordArray, known: Any, node: ast.AST
    ) -> None:
        records = value.of if isinstance(value, Record) else value
        if known is not None:
            before = known.of if isinstance(known, Record) else known
            if type(known) is not type(value) or (before.dtype, before.at) != (
                records.dtype,
                records.at,
            ):
                raise self.error(
                    node,
                    f"'{name}' was {describe(known)} and becomes {describe(value)}; use two names",
                )
        names = self.scope.names
        if isinstance(value, RecordArray):
            part = f"{name}[bytes]"
            self.bind(part, records.bytes, node)
            names[name] = RecordArray(names[part], records.dtype, records.at, records.step)
            return
        if isinstance(known, Record) and known.of.bytes is not records.bytes:
            raise self.error(node, f"'{name}' becomes a record of another array; use two names")
        parts = []
        for i, index in enumerate(value.indices):
            self.bind(f"{name}[{i}]", index, node)
            parts.append(names[f"{name}[{i}]"])
        names[name] = Record(records, parts)

    def _bind_array(self, name: str, value: Array, known: Any, node: ast.AST) -> None:
        if known is None or known is value:
            # Views keep their place where the name is set again.
            self.scope.names[name] = value
            return
        if not self._is_moved(known, value):
            raise self.error(
                node, f"'{name}' was {describe(known)} and becomes another one; use two names"
            )
        assert known.view is not None
        offsets = [known.view.offset, *known.view.shape, *known.view.strides]
        values = [
            self._offset(value),
            *(self.extent(value, axis) for axis in range(value.ndim)),
            *(self.stride(value, axis) for axis in range(value.ndim)),
        ]
        for number, one in zip(offsets, values, strict=True):
            self.set(Var(number, Number(INT64, True)), one, node)

    @staticmethod
    def _is_moved(known: object, value: Array) -> bool:
        """Whether one is the other at another place."""
        return (
            isinstance(known, Array)
            and known.root == value.root
            and known.ndim == value.ndim
            and known.view is not None
            and known.unit <= value.unit
        )

    def _unpack(self, target: ast.Tuple | ast.List, value: object) -> None:
        starred = [i for i, one in enumerate(target.elts) if isinstance(one, ast.Starred)]
        if isinstance(value, Array):
            value = self._items_of(value, len(target.elts), bool(starred), target)
        if not isinstance(value, Tuple):
            raise self.error(target, f"{describe(value)} cannot be unpacked")
        items, names = list(value.items), list(target.elts)
        if len(starred) == 1 and len(items) >= len(names) - 1:
            first = starred[0]
            rest = Tuple(items[first : first + len(items) - len(names) + 1])
            items[first : first + len(rest.items)] = [rest]
            names[first] = names[first].value  # type: ignore[attr-defined]
        if len(items) != len(names):
            raise self.error(target, f"there are {len(items)} values for {len(names)} names")
        # All are computed before one of the names changes.
        held = [self._kept_apart(item, True, target) for item in items]
        for one, item in zip(names, held, strict=True):
            self.assign(one, item)

    def _items_of(self, array: Array, count: int, starred: bool, node: ast.AST) -> Tuple:
        """The elements of an array, or its rows, for as many names."""
        known = array.view is None and bool(array.extents)
        if known:
            count = array.extents[0]
        elif array.ndim == 0 or starred:
            raise self.error(node, f"{describe(array)} cannot be unpacked here")
        else:
            self.need_length(array, count, node)
        return Tuple([self.element(array, [self.constant(i)], node) for i in range(count)])

    def need_length(self, array: Array, count: int, node: ast.AST) -> None:
        """Kernels do not wait to say that an array is too short: what is not there is zero."""

    def _kept(self, value: Num, node: ast.AST) -> Num:
        if value.constant is not None:
            return value
        var = self.local(value.type)
        self.set(var, value, node)
        return self.read(var)

    def _assign_element(self, target: ast.Subscript, value: object) -> None:
        array = self.expression(target.value)
        if isinstance(array, (Record, RecordArray)):
            self._assign_record(array, target, value)
            return
        if not isinstance(array, Array):
            raise self.error(target, f"items of {describe(array)} cannot be set")
        before = len(self.statements)
        items = self.index_items(target.slice)
        if isinstance(value, Num) and len(self.statements) > before and not value.simple:
            later = self.statements[before:]
            del self.statements[before:]
            value = self.temporary(value, target)
            self.statements += later
        indices = self.indices(array, items, target)
        if indices is not None:
            self.store(array, indices, self.number(value, target, "as an element"), target)
            return
        self.fill_part(array, items, value, target)

    def fill_part(self, array: Array, items: Sequence[Any], value: object, node: ast.AST) -> None:
        """``a[1:] = value``."""
        self.fill(self.sliced(array, items, node), value, node)

    def _assign_record(
        self, owner: Record | RecordArray, target: ast.Subscript, value: object
    ) -> None:
        if isinstance(value, Num):
            value = self.temporary(value, target)
        if isinstance(owner, Record):
            name = self.name_of_field(owner, self.expression(target.slice), target)
            self.set_field(owner, name, value, target)
            return
        found = self.records_at(owner, self.index_items(target.slice), target)
        if isinstance(found, Record):
            self.set_record(found, value, target)
        elif isinstance(found, Array):
            self.fill(found, value, target)
        else:
            raise self.error(target, "records are set one by one")

    def fill(self, view: Array, value: Any, node: ast.AST) -> None:
        """Every element of a view, of a number or of as many elements."""
        if isinstance(value, Array) and value.ndim > view.ndim:
            raise self.error(node, f"{describe(value)} does not fit into {describe(view)}")
        if isinstance(value, Num):
            value = self.temporary(value, node)
        elif not isinstance(value, Array):
            raise self.error(node, f"{describe(value)} cannot be written to an array")

        def along(axis: int, indices: list[Num]) -> None:
            if axis == view.ndim:
                element = value
                if isinstance(value, Array):
                    skipped = view.ndim - value.ndim
                    element = self.element(value, [*indices[skipped:]], node)
                self.store(view, indices, element, node)
                return
            self.counted(
                self.constant(0),
                self.extent(view, axis),
                self.constant(1),
                lambda index: along(axis + 1, [*indices, index]),
                node,
            )

        along(0, [])

    def _do_assign(self, node: ast.Assign) -> None:
        value = self.expression(node.value)
        if len(node.targets) > 1 and isinstance(value, Num):
            value = self.temporary(value, node)
        for target in node.targets:
            self.assign(target, value)

    def _do_annassign(self, node: ast.AnnAssign) -> None:
        if node.value is not None:
            self.assign(node.target, self.expression(node.value))

    def _do_augassign(self, node: ast.AugAssign) -> None:
        target = node.target
        if isinstance(target, ast.Name):
            load = ast.copy_location(ast.Name(target.id, ast.Load()), target)
            left, right = self.operands([load, node.value])
            self.assign(target, self.binary(node.op, left, right, node))
            return
        array = self.expression(target.value)
        if isinstance(array, Record):
            if isinstance(target, ast.Attribute):
                name = target.attr
            else:
                name = self.name_of_field(array, self.expression(target.slice), target)
            right = self.expression(node.value)
            if isinstance(right, Num):
                right = self.temporary(right, node)
            before = self.field_of_record(array, name, target)
            self.set_field(array, name, self.binary(node.op, before, right, node), target)
            return
        if not isinstance(target, ast.Subscript):
            raise self.error(target, "of attributes only fields of records can be set in kernels")
        if not isinstance(array, Array):
            raise self.error(target, f"items of {describe(array)} cannot be set")
        items = [
            self.temporary(item, target) if isinstance(item, Num) else item
            for item in self.index_items(target.slice)
        ]
        indices = self.indices(array, items, target)
        if indices is None:
            self.update_part(array, items, node)
            return
        right = self.expression(node.value)
        before = self.element(array, list(indices), target)
        if isinstance(right, Num) and right.reads:
            right = self.temporary(right, node)
        value = self.binary(node.op, before, right, node)
        self.store(array, indices, self.number(value, node), target)

    def update_part(self, array: Array, items: Sequence[object], node: ast.AugAssign) -> None:
        """``a[1:] += x``."""
        raise self.error(node, "slices are not updated in place in kernels; write the loop")

    # --- loops of our own ---

    def counted(
        self, start: Num, stop: Num, step: Num, turn: Callable[..., Any], node: ast.AST
    ) -> None:
        """A loop over a range: turn(index) writes its body."""
        counter = self.local(Number(INT64, not self.numba), counter=True)
        stop = self.temporary(stop, node)
        step = self.temporary(step, node)
        self.set(counter, start, node)
        at = self.read(counter)
        if step.constant is not None:
            condition = self.apply("less" if step.constant > 0 else "greater", [at, stop], node)
        else:
            up = self.apply("greater", [step, self.constant(0)], node)
            down = self.apply("less", [step, self.constant(0)], node)
            condition = self.apply(
                "logical_or",
                [
                    self.apply("logical_and", [up, self.apply("less", [at, stop], node)], node),
                    self.apply(
                        "logical_and", [down, self.apply("greater", [at, stop], node)], node
                    ),
                ],
                node,
            )
        before = self.statements
        self.statements = []
        self.scope.depth += 1
        self.scope.loops += 1
        turn(at)
        self.scope.loops -= 1
        self.scope.depth -= 1
        body, self.statements = self.statements, []
        self.set(counter, self.apply("add", [at, step], node), node)
        after, self.statements = self.statements, before
        self.statements.append(
            [
                w.LOOP,
                self.line(node),
                *w.block([]),
                *condition.words,
                *w.block(body),
                *w.block(after),
            ]
        )


def _kind(value: object) -> Any:
    """What a name has to stay, where conditions and loops set it."""
    if isinstance(value, (Num, Var)):
        return "number"
    if isinstance(value, Array):
        return (value.root, value.ndim, value.unit, value.view is not None)
    if isinstance(value, Tuple):
        return (len(value.items), value.names)
    return type(value)
