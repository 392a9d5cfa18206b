"""What `for` goes over: ranges, arrays, tuples, and enumerate, zip and reversed of these."""

import ast
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from heddle.simt._types import (
    Array,
    Constant,
    Dict,
    DictView,
    List,
    Num,
    Range,
    RecordArray,
    Text,
    Tuple,
)

if TYPE_CHECKING:
    from heddle.simt._objects import Objects
    from heddle.simt._statements import Statements
    from heddle.simt._texts import Texts


@dataclass(eq=False, repr=False)
class Iteration:
    """A range of an index and what an index gives; or items that are known."""

    start: Num
    stop: Num
    step: Num
    item: Callable[[Num], Any]
    items: list[Any] | None = None


def iterate(state: "Statements", node: ast.expr) -> Iteration:
    """How a loop goes over an expression."""
    zero, one = state.constant(0), state.constant(1)
    if isinstance(node, ast.Call):
        function = state.expression(node.func)
        what = function.value if isinstance(function, Constant) else None
        name = getattr(what, "_simt_iterator", None) or (
            what.__name__ if what in (range, enumerate, zip, reversed) else None
        )
        if name == "range":
            made = range_of(state, state.operands(list(node.args)), node)
            return Iteration(made.start, made.stop, made.step, lambda index: index)
        if what is map:
            return _mapped(state, node)
        if what is np.nditer and len(node.args) == 1 and not node.keywords:
            of = state.expression(node.args[0])
            if isinstance(of, Array):
                count, at = _places(state, _extents(state, of), node)
                return Iteration(zero, count, one, lambda index: state.element(of, at(index), node))
        if name in ("enumerate", "zip", "reversed"):
            return _combined(state, node, name)
        ours = str(getattr(what, "__module__", "")).partition(".")[0] == "heddle"
        if what in (np.ndindex, np.ndenumerate) or (
            ours and getattr(what, "__name__", "") in ("ndindex", "ndenumerate")
        ):
            return _of_places(state, node, str(getattr(what, "__name__", "")))
    if isinstance(node, ast.Attribute) and node.attr == "flat":
        owner = state.expression(node.value)
        if isinstance(owner, Array):
            count, at = _places(state, _extents(state, owner), node)
            return Iteration(zero, count, one, lambda index: state.element(owner, at(index), node))
    return over(state, state.expression(node), node)


def _mapped(state: "Statements", node: ast.Call) -> Iteration:
    """map(function, elements, ...)."""
    from heddle.simt._vocabulary import called

    if len(node.args) < 2 or node.keywords:
        raise state.error(node, "map takes a function, and what it goes over")
    function = state.expression(node.args[0])
    if len(node.args) == 2:
        inner = iterate(state, node.args[1])
    else:
        each = ast.copy_location(ast.Call(node.func, node.args[1:], []), node)
        inner = _combined(state, each, "zip")

    def item(given: Any) -> Any:
        args = list(given.items) if len(node.args) > 2 else [given]
        return called(state, function, args, {}, node)

    if inner.items is not None:
        made = [item(one) for one in inner.items]
        return Iteration(inner.start, inner.stop, inner.step, inner.item, made)
    return Iteration(inner.start, inner.stop, inner.step, lambda index: item(inner.item(index)))


def over(state: "Statements", value: Any, node: Any) -> Iteration:
    """How a loop goes over a value."""
    zero, one = state.constant(0), state.constant(1)
    if isinstance(value, Range):
        return Iteration(value.start, value.stop, value.step, lambda index: index)
    if isinstance(value, Tuple):
        return Iteration(zero, zero, one, lambda index: index, list(value.items))
    if isinstance(value, Constant) and isinstance(value.value, str):
        letters: list[Any] = [Constant(letter) for letter in value.value]
        return Iteration(zero, zero, one, lambda index: index, letters)
    if isinstance(value, Text):
        row = value.row
        whole = cast("Texts", state)
        return Iteration(
            zero, state.extent(row, 0), one, lambda index: whole.letter(row, index, node)
        )
    if isinstance(value, Array):
        if value.ndim == 0:
            raise state.error(node, "there is nothing to go over in an array without dimensions")
        array = value
        return Iteration(
            zero, state.extent(array, 0), one, lambda index: state.element(array, [index], node)
        )
    if isinstance(value, List):
        items = value
        count = state.temporary(state.apply("add", [state.read(items.length), zero], node), node)
        return Iteration(zero, count, one, lambda index: element_of_list(state, items, index, node))
    if isinstance(value, (Dict, DictView)):
        from heddle.simt._dictionaries import going_over

        view = DictView(value, "keys") if isinstance(value, Dict) else value
        count, at = going_over(cast("Objects", state), view, node)
        return Iteration(zero, count, one, at)
    if isinstance(value, RecordArray) and value.bytes.ndim > 1:
        records = value
        return Iteration(
            zero,
            state.extent(records.bytes, 0),
            one,
            lambda index: state.records_at(records, [index], node),
        )
    from heddle.simt._operations import describe

    raise state.error(
        node, f"a loop goes over a range, an array or a tuple, not over {describe(value)}"
    )


def range_of(state: "Statements", given: list[Any], node: ast.AST) -> Range:
    """Python's range of its arguments."""
    args = [state.integer(a, node, "in a range") for a in given]
    if not 1 <= len(args) <= 3:
        raise state.error(node, "range takes one to three integers")
    start = args[0] if len(args) > 1 else state.constant(0)
    stop = args[1] if len(args) > 1 else args[0]
    step = args[2] if len(args) > 2 else state.constant(1)
    if step.constant == 0:
        raise state.error(node, "range() arg 3 must not be zero")
    return Range(start, stop, step)


def element_of_list(state: Any, items: List, index: Num, node: ast.expr) -> Any:
    from heddle.simt._lists import element

    return element(state, items, index, node)


def _extents(state: "Statements", array: Array) -> list[Num]:
    return [state.extent(array, axis) for axis in range(array.ndim)]


def _places(
    state: "Statements", shape: list[Num], node: ast.expr
) -> tuple[Num, Callable[[Num], list[Any]]]:
    """How many places a shape has, and the indices of each; the last counts first."""
    sizes = [state.temporary(size, node) for size in shape]
    count = state.constant(1)
    for size in sizes:
        count = state.apply("multiply", [count, size], node)

    def at(index: Num) -> list[Any]:
        found: list[Any] = []
        rest = index
        for size in reversed(sizes[1:]):
            rest = state.temporary(rest, node)
            found.append(state.temporary(state.apply("remainder", [rest, size], node), node))
            rest = state.apply("floor_divide", [rest, size], node)
        return [*([state.temporary(rest, node)] if sizes else []), *reversed(found)]

    return state.temporary(count, node), at


def _of_places(state: "Statements", node: ast.Call, name: str) -> Iteration:
    """np.ndindex(shape) and np.ndenumerate(array)."""
    zero, one = state.constant(0), state.constant(1)
    args = state.operands(list(node.args))
    if name == "ndenumerate":
        if len(args) != 1 or not isinstance(args[0], Array):
            raise state.error(node, "ndenumerate takes an array")
        array = args[0]
        count, at = _places(state, _extents(state, array), node)

        def pair(index: Num) -> Tuple:
            place = at(index)
            return Tuple([Tuple(place), state.element(array, place, node)])

        return Iteration(zero, count, one, pair)
    given = args[0].items if len(args) == 1 and isinstance(args[0], Tuple) else args
    shape = [state.integer(n, node, "in a shape") for n in given]
    count, at = _places(state, shape, node)
    return Iteration(zero, count, one, lambda index: Tuple(at(index)))


def _counted(
    state: "Statements", inner: Iteration, node: ast.expr
) -> tuple[Num, Callable[[Num], Any]]:
    """An iteration by how many turns it has, and what each gives."""
    if inner.items is not None:
        raise state.error(node, "tuples and arrays cannot be combined in one loop")
    if inner.start.constant == 0 and inner.step.constant == 1:
        return inner.stop, inner.item
    start, step = state.temporary(inner.start, node), state.temporary(inner.step, node)
    if step.constant is None:
        raise state.error(node, "the step of a range has to be known here")
    distance = state.apply("subtract", [inner.stop, start], node)
    size = abs(step.constant)
    if step.constant < 0:
        distance = state.apply("negative", [distance], node)
    if size > 1:
        distance = state.apply("add", [distance, state.constant(size - 1)], node)
        distance = state.apply("floor_divide", [distance, state.constant(size)], node)
    count = state.apply("maximum", [distance, state.constant(0)], node)

    def item(index: Num) -> Any:
        scaled = state.apply("multiply", [index, step], node)
        return inner.item(state.apply("add", [start, scaled], node))

    return count, item


def _combined(state: "Statements", node: ast.Call, name: str) -> Iteration:
    zero, one = state.constant(0), state.constant(1)
    keywords = {k.arg: k.value for k in node.keywords}
    if name == "enumerate":
        first_node = keywords.get("start") or (node.args[1] if len(node.args) > 1 else None)
        first = (
            zero
            if first_node is None
            else state.integer(state.expression(first_node), node, "to begin with")
        )
        inner = iterate(state, node.args[0])
        if inner.items is not None:
            begin = state.known_integer(first, node, "the start of enumerate over a tuple")
            pairs = [Tuple([state.constant(begin + i), item]) for i, item in enumerate(inner.items)]
            return Iteration(zero, zero, one, lambda index: index, pairs)
        first = state.temporary(first, node)
        count, item = _counted(state, inner, node)
        return Iteration(
            zero,
            count,
            one,
            lambda index: Tuple([state.apply("add", [index, first], node), item(index)]),
        )
    parts = [iterate(state, arg) for arg in node.args]
    if not parts:
        raise state.error(node, f"{name} of nothing")
    if all(part.items is not None for part in parts):
        lists = [part.items or [] for part in parts]
        if name == "reversed":
            return Iteration(zero, zero, one, lambda index: index, lists[0][::-1])
        rows = [Tuple(list(row)) for row in zip(*lists, strict=False)]
        return Iteration(zero, zero, one, lambda index: index, list(rows))
    counted = [_counted(state, part, node) for part in parts]
    if name == "reversed":
        count, item = counted[0]
        count = state.temporary(count, node)
        last = state.apply("subtract", [count, one], node)
        return Iteration(
            zero, count, one, lambda index: item(state.apply("subtract", [last, index], node))
        )
    shortest = counted[0][0]
    for count, _ in counted[1:]:
        shortest = state.apply("minimum", [shortest, count], node)
    return Iteration(zero, shortest, one, lambda index: Tuple([item(index) for _, item in counted]))
