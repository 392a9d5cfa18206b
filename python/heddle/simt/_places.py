"""Elements that arrays of places or of truths choose: ``a[places]``, ``a[mask] = value``."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from heddle.simt import _words as w
from heddle.simt._types import (
    BOOL,
    INT64,
    Array,
    Constant,
    Num,
    Number,
    Slice,
    is_integer,
    is_new_or_rest,
)

if TYPE_CHECKING:
    from heddle.simt._whole import Lazy, Whole

_INT = Number(INT64, True)


@dataclass(eq=False, repr=False)
class Chosen:
    """Places along one axis of a view; or along all its axes, with a row of places for each."""

    view: Array
    axis: int
    places: list[Array]

    def at(self, s: Whole, indices: list[Num], node: ast.AST) -> list[Any]:
        """Where in the view an element is."""
        if len(self.places) > 1:
            return [s.element(places, [indices[0]], node) for places in self.places]
        place = s.element(self.places[0], [indices[self.axis]], node)
        return [*indices[: self.axis], place, *indices[self.axis + 1 :]]

    def shape(self, s: Whole) -> list[Num]:
        count = s.extent(self.places[0], 0)
        if len(self.places) > 1:
            return [count]
        return [
            count if axis == self.axis else s.extent(self.view, axis)
            for axis in range(self.view.ndim)
        ]


def _dtype(value: Any) -> int:
    return int(value.dtype if isinstance(value, Array) else value.type.dtype)


def is_mask(s: Whole, array: Array, items: Sequence[Any]) -> bool:
    """Whether one array of truths says it of every element."""
    return (
        len(items) == 1
        and s.is_whole(items[0])
        and items[0].ndim == array.ndim
        and _dtype(items[0]) == BOOL
    )


def _places_of(s: Whole, item: Any, extent: Num, numpys: bool, node: ast.AST) -> Array:
    from heddle.simt._borrowed import borrowed

    kind = _dtype(item)
    if item.ndim != 1 or (kind != BOOL and not is_integer(kind)):
        raise s.error(node, "an array that chooses elements has one dimension, of integers or bool")
    if kind != BOOL:
        made: Array = s.made_array(item, node) if not isinstance(item, Array) else item
        return made
    count = s._shape(item)[0]
    differs = s.apply("not_equal", [count, extent], node)
    said = "boolean index did not match indexed array along its axis"
    s.fail(IndexError, (said,), node, differs)
    found: Array = borrowed(s, "flatnonzero", numpys, [item], {}, node)
    return found


def chosen(s: Whole, array: Array, items: Sequence[Any], node: ast.AST) -> Chosen:
    """What indices with arrays among them mean."""
    if any(isinstance(i, Constant) and i.value is ... for i in items):
        raise s.error(node, "an ellipsis beside an array as an index: write the slices")
    whole = [k for k, item in enumerate(items) if s.is_whole(item)]
    if len(whole) > 1:
        if len(items) != array.ndim or len(whole) != array.ndim:
            raise s.error(node, "several arrays as indices are one for each axis here")
        rows = [
            _places_of(s, item, s.extent(array, k), array.numpys, node)
            for k, item in enumerate(items)
        ]
        for other in rows[1:]:
            differ = s.apply("not_equal", [s.extent(rows[0], 0), s.extent(other, 0)], node)
            said = "shape mismatch: indexing arrays could not be broadcast together"
            s.fail(IndexError, (said,), node, differ)
        return Chosen(array, 0, rows)
    place = whole[0]
    numbers = [isinstance(i, Num) for i in items]
    if any(numbers) and any(
        isinstance(items[k], Slice) or is_new_or_rest(items[k])
        for n, is_number in enumerate(numbers)
        if is_number
        for k in range(min(n, place), max(n, place))
    ):
        raise s.error(node, "a number apart from the array beside it as an index: take two steps")
    full = Slice(None, None, None)
    axis = sum(1 for i in items[:place] if not isinstance(i, Num))
    before = sum(1 for i in items[:place] if not is_new_or_rest(i))
    places = _places_of(s, items[place], s.extent(array, before), array.numpys, node)
    others = [full if k == place else item for k, item in enumerate(items)]
    plain = all(isinstance(i, Slice) and (i.start, i.stop, i.step) == (None,) * 3 for i in others)
    return Chosen(array if plain else s.sliced(array, others, node), axis, [places])


def read(s: Whole, array: Array, items: Sequence[Any], node: ast.AST) -> Array:
    """a[places], as a new array."""
    from heddle.simt._borrowed import borrowed

    if is_mask(s, array, items):
        masked: Array = borrowed(s, "masked", array.numpys, [array, items[0]], {}, node)
        return masked
    taken = chosen(s, array, items, node)
    shape = [s.temporary(n, node) for n in taken.shape(s)]
    made = s.allocate(shape, array.dtype, False, array.numpys, node)

    def turn(indices: list[Num]) -> None:
        s.store(made, indices, s.element(taken.view, taken.at(s, indices, node), node), node)

    s.nested(shape, turn, node)
    return made


def write(s: Whole, array: Array, items: Sequence[Any], value: Any, node: ast.AST) -> None:
    """a[places] = value."""
    if not s.is_whole(value):
        value = s.temporary(s.number(value, node, "for the elements"), node)
    else:
        sources = [value] if isinstance(value, Array) else value.sources
        if any(a is array or s._may_overlap(array, a) for a in sources):
            value = s.made_array(_lazy(s, value, node), node)
    if is_mask(s, array, items):
        _write_masked(s, array, items[0], value, node)
        return
    taken = chosen(s, array, items, node)
    shape = [s.temporary(n, node) for n in taken.shape(s)]
    sizes = s._shape(value)
    if len(sizes) > len(shape):
        raise s.error(node, "there are more dimensions than are chosen")
    s.need_to_fit(sizes, shape[len(shape) - len(sizes) :], node)

    def turn(indices: list[Num]) -> None:
        place = [s.temporary(i, node) for i in taken.at(s, indices, node)]
        s.store(taken.view, place, s._element_of(value, sizes, indices, node), node)

    s.nested(shape, turn, node)


def _lazy(s: Whole, value: Any, node: ast.AST) -> Lazy:
    made: Lazy = s.as_lazy(value, node) if isinstance(value, Array) else value
    return made


def _write_masked(s: Whole, array: Array, mask: Any, value: Any, node: ast.AST) -> None:
    if not isinstance(mask, Array) and s.host:
        shifted = (a is not array and s._may_overlap(array, a) for a in mask.sources)
        mask = s.made_array(mask, node) if any(shifted) else mask
    sizes, shape = s._shape(mask), s._shape(array)
    for size, extent in zip(sizes, shape, strict=True):
        if size.words != extent.words:
            said = "boolean index did not match indexed array along its axis"
            s.need_equal(size, extent, IndexError, said, node)
    whole = s.is_whole(value)
    if whole and value.ndim != 1:
        raise s.error(node, "what is written where a mask holds has one dimension")
    source = _lazy(s, mask, node)

    def where(do: Callable[[list[Num]], None]) -> Callable[[list[Num]], None]:
        def turn(indices: list[Num]) -> None:
            before, s.statements = s.statements, []
            do(indices)
            inside, s.statements = s.statements, before
            holds = s.truth(source.element(indices), node)
            made = [w.BRANCH, s.line(node), *holds.words, *w.block(inside), *w.block([])]
            s.statements.append(made)

        return turn

    counter = s.local(_INT)

    def count(indices: list[Num]) -> None:
        s.set(counter, s.apply("add", [s.read(counter), s.constant(1)], node), node)

    if whole:
        s.set(counter, s.constant(0), node)
        if s.host:
            s.nested(shape, where(count), node)
            given = s._shape(value)[0]
            several = s.apply("not_equal", [given, s.constant(1)], node)
            differ = s.apply("not_equal", [given, s.read(counter)], node)
            said = "cannot assign other numbers of values than the mask has places"
            s.fail(ValueError, (said,), node, s.apply("logical_and", [several, differ], node))
            s.set(counter, s.constant(0), node)

    def put(indices: list[Num]) -> None:
        if not whole:
            s.store(array, indices, value, node)
            return
        place = [s.read(counter)]
        s.store(array, indices, s._element_of(value, s._shape(value), place, node), node)
        count(indices)

    s.nested(shape, where(put), node)
