"""Arrays in locals: address, owner, extents and strides, where a name or a function has them."""

from __future__ import annotations

import ast
from typing import Any

from heddle.simt import _words as w
from heddle.simt._operations import describe
from heddle.simt._state import Var
from heddle.simt._statements import Statements
from heddle.simt._types import (
    INT64,
    SIZES,
    Array,
    Held,
    Num,
    Number,
    Part,
    RecordArray,
    Tuple,
)

_INT = Number(INT64, True)


class HeldArrays(Statements):
    """Who holds an array knows its place and not which one it is: all that are lent may be it."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.flags: dict[Any, bool] = {}  # of names, kept from one run to the next

    def begin_held(self) -> None:
        self.lent_roots: set[int] = set()
        self.stored_held = False

    def end_held(self) -> None:
        if self.stored_held:
            self.program.written |= self.lent_roots

    def held(self, dtype: int, ndim: int, unit: bool, numpys: bool) -> Array:
        """An array in locals of its own, without memory so far."""
        places = [self.local(_INT).number for _ in range(2 + 2 * ndim)]
        number = len(self.program.arrays)
        inner = Held(places[0], places[1], places[2 : 2 + ndim], places[2 + ndim :])
        made = Array(number, dtype, ndim, number, "held", unit=unit, held=inner, numpys=numpys)
        self.program.arrays.append(made)
        return made

    def set_held(self, target: Array, value: Array, node: ast.AST) -> None:
        """A held array becomes another array, and holds its memory."""
        assert target.held is not None
        if value.in_bytes:
            raise self.error(
                node, "a field of records is no array that can be given on; give its .copy()"
            )
        places = target.held
        values = [self.address(value), self.owner(value)]
        values += [self.extent(value, axis) for axis in range(value.ndim)]
        values += [self.stride(value, axis) for axis in range(value.ndim)]
        if self.host and value.held is not None:
            self.statements.append([w.RETAIN, self.line(node), value.held.owner])
        if self.host:
            self.statements.append([w.RELEASE, self.line(node), places.owner])
        for number, one in zip(places.all(), values, strict=True):
            self.set(Var(number, _INT), one, node)
        target.frozen = target.frozen or value.frozen

    def held_copy(self, value: Array, node: ast.AST, key: object = None) -> Array:
        """The same array, in locals of its own."""
        unit = self.flag((key, "unit"), self.is_unit(value)) if key else self.is_unit(value)
        made = self.held(value.dtype, value.ndim, unit, value.numpys)
        made.name = value.name
        self.set_held(made, value, node)
        return made

    def chosen_array(
        self, condition: Num, sides: list[Array], done: list[w.Statements], node: ast.AST
    ) -> Array:
        a, b = sides
        if (a.dtype, a.ndim) != (b.dtype, b.ndim):
            raise self.error(
                node, f"on both sides: {describe(a)} and {describe(b)} are of different kinds"
            )
        unit = self.is_unit(a) and self.is_unit(b)
        made = self.held(a.dtype, a.ndim, unit, a.numpys and b.numpys)
        before = self.statements
        blocks: list[int] = []
        for side, statements in zip(sides, done, strict=True):
            self.statements = statements
            self.set_held(made, side, node)
            blocks += w.block(self.statements)
        self.statements = before
        self.statements.append([w.BRANCH, self.line(node), *condition.words, *blocks])
        made.fresh = True
        return made

    def flag(self, key: object, holds: bool) -> bool:
        """What is known of a name in all its assignments, of this run and those before."""
        known = self.flags.get(key)
        now = holds if known is None else known and holds
        if now != known:
            self.flags[key] = now
            if known is not None:
                self.again = True
        return now

    def address(self, array: Array) -> Num:
        if array.space == "parameter":
            # It has another name now: if any such is written to, it may be this.
            self.lent_roots.add(array.root)
        return Num(_INT, [w.ADDRESS, 0, array.number])

    def owner(self, array: Array) -> Num:
        if array.held is None:
            return self.constant(0)
        return Num(_INT, [w.LOCAL, 0, array.held.owner], simple=True)

    def wrote(self, array: Array) -> None:
        super().wrote(array)
        if array.held is not None:
            self.stored_held = True

    def view(self, array: Array, part: Part, node: ast.AST) -> Array:
        if array.held is None:
            return super().view(array, part, node)
        made = self.held(array.dtype, len(part.shape), part.unit, array.numpys)
        assert made.held is not None
        size = self.constant(SIZES[array.dtype], _INT)
        moved = self.apply("multiply", [part.offset, size], node)
        address = self.temporary(self.apply("add", [self.address(array), moved], node), node)
        shape = [self.temporary(n, node) for n in part.shape]
        strides = [self.temporary(n, node) for n in part.strides]
        if self.host:
            self.statements.append([w.RETAIN, self.line(node), array.held.owner])
            self.statements.append([w.RELEASE, self.line(node), made.held.owner])
        values = [address, self.owner(array), *shape, *strides]
        for number, one in zip(made.held.all(), values, strict=True):
            self.set(Var(number, _INT), one, node)
        made.frozen = array.frozen
        return made

    def recast(self, array: Array, dtype: int, part: Part, node: ast.AST) -> Array:
        """The memory of an array as elements of another type; the offset counts bytes."""
        if array.in_bytes:
            raise self.error(node, "a field of records has no view of another type here")
        made = self.held(dtype, len(part.shape), part.unit, array.numpys)
        assert made.held is not None
        address = self.apply("add", [self.address(array), part.offset], node)
        values = [self.temporary(address, node), self.owner(array)]
        values += [self.temporary(n, node) for n in (*part.shape, *part.strides)]
        if array.held is not None:
            self.statements.append([w.RETAIN, self.line(node), array.held.owner])
        self.statements.append([w.RELEASE, self.line(node), made.held.owner])
        for number, one in zip(made.held.all(), values, strict=True):
            self.set(Var(number, _INT), one, node)
        made.fresh, made.frozen = True, array.frozen
        return made

    def _offset(self, array: Array) -> Num:
        return self.constant(0) if array.held is not None else super()._offset(array)

    def slots_of(self, result: object) -> list[int]:
        """The locals of a result."""
        if isinstance(result, Var):
            return [result.number]
        if isinstance(result, RecordArray):
            return self.slots_of(result.bytes)
        if isinstance(result, Array) and result.held is not None:
            return result.held.all()
        if isinstance(result, Tuple):
            return [n for item in result.items for n in self.slots_of(item)]
        return []
