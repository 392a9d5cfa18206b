"""Dictionaries of numbers, and of tuples of numbers, in compiled functions.

Entries lie in rows, in the order in which they came: keys, values, and whether they are still
there. A table of hashes says where they are. A dictionary has one name, as a list has.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from heddle.simt import _library_dictionaries as library
from heddle.simt import _lists
from heddle.simt._operations import describe
from heddle.simt._types import (
    INT64,
    NAMES,
    Array,
    Constant,
    Dict,
    DictView,
    List,
    Num,
    Number,
    Tuple,
    is_complex,
)

if TYPE_CHECKING:
    from heddle.simt._objects import Objects

_INT = Number(INT64, True)
_UINT8 = NAMES.index("uint8")
CHANGES = ("clear", "pop", "setdefault", "update")
METHODS = (*CHANGES, "copy", "get", "items", "keys", "values")


def new(s: Objects, node: ast.AST, what: str = "") -> Dict:
    """One without entries; `what`: which of several at one place of the source."""
    keys = _lists.new_list(s, node, what=f"{what}keys")
    values = _lists.new_list(s, node, what=f"{what}values")
    values.length = keys.length
    slots = s.allocate([s.constant(16)], INT64, True, True, node)
    alive = s.allocate([s.constant(8)], _UINT8, True, True, node)
    slots.fresh = alive.fresh = False
    live = s.local(_INT)
    s.set(live, s.constant(0), node)
    return Dict(keys, values, live, slots, alive, s.in_parallel)


def _need_changeable(s: Objects, of: Dict, node: ast.AST) -> None:
    if s.in_parallel and not of.parallel:
        raise s.error(node, "turns of prange do not share a dictionary; write to an array")


def _items(s: Objects, of: List, value: Any, node: ast.AST) -> list[Num]:
    """The numbers of a key or a value, as its rows have them."""
    made = []
    for part, item in zip(of.parts, _lists._learn(s, of, value, node), strict=False):
        made.append(s.temporary(s.cast(item, Number(part.dtype), node), node))
    return made


def _key(s: Objects, of: Dict, value: Any, node: ast.AST) -> Tuple:
    items = _items(s, of.keys, value, node)
    if any(is_complex(item.type.dtype) for item in items):
        raise s.error(node, "keys are integers, floats, truth values, and tuples of them")
    return Tuple(list(items))


def _find(s: Objects, of: Dict, key: Tuple, node: ast.AST) -> Num:
    rows = Tuple(list(of.keys.parts))
    return s.temporary(_lists._call(s, library.entry_of, [of.slots, rows, key], node), node)


def _is_there(s: Objects, entry: Num, node: ast.AST) -> Num:
    return s.apply("greater_equal", [entry, s.constant(0)], node)


def _missing(s: Objects, entry: Num, node: ast.AST) -> None:
    s.fail(KeyError, (), node, s.apply("less", [entry, s.constant(0)], node))


def tidy(s: Objects, of: Dict, node: ast.AST) -> None:
    """Entries that are gone give their room back; there is room for as many again."""
    live = s.temporary(s.apply("add", [s.read(of.live), s.constant(0)], node), node)
    size = s.temporary(_lists._call(s, library.room, [live], node), node)
    half = s.temporary(s.apply("right_shift", [size, s.constant(1)], node), node)
    count = s.read(of.keys.length)
    for row in (*of.keys.parts, *of.values.parts):
        s.set_held(row, _lists._call(s, library.kept, [row, of.alive, count, half], node), node)
    s.set_held(of.alive, _lists._call(s, library.living, [live, half], node), node)
    s.set_held(of.slots, s.allocate([size], INT64, True, True, node), node)
    s.set(of.keys.length, live, node)

    def turn(index: Num) -> None:
        key = Tuple([s.temporary(s.element(row, [index], node), node) for row in of.keys.parts])
        _lists._call(s, library.placed, [of.slots, key, index], node)

    s.counted(s.constant(0), live, s.constant(1), turn, node)


def _tidy_where(s: Objects, of: Dict, condition: Num, node: ast.AST) -> None:
    _lists._branch(s, condition, lambda: tidy(s, of, node), node)


def begin_given(s: Objects, of: Dict, node: ast.AST) -> None:
    """Python has no table: it is made where there is none."""
    none = s.apply("equal", [s.extent(of.slots, 0), s.constant(0)], node)
    _tidy_where(s, of, none, node)


def _set(s: Objects, of: Dict, key: Tuple, items: list[Num], node: ast.AST) -> Num:
    """Sets the value of a key; which entry it is."""
    entry = s.local(_INT)
    s.set(entry, _find(s, of, key, node), node)

    def add() -> None:
        count = s.read(of.keys.length)
        full = s.apply("equal", [count, s.extent(of.alive, 0)], node)
        _tidy_where(s, of, full, node)
        s.set(entry, s.read(of.keys.length), node)
        at = s.read(entry)
        for row, one in zip(of.keys.parts, key.items, strict=True):
            s.store(row, [at], one, node)
        s.store(of.alive, [at], s.constant(1), node)
        _lists._call(s, library.placed, [of.slots, key, at], node)
        for var in (of.keys.length, of.live):
            s.set(var, s.apply("add", [s.read(var), s.constant(1)], node), node)

    missing = s.apply("less", [s.read(entry), s.constant(0)], node)
    _lists._branch(s, missing, add, node)
    for row, item in zip(of.values.parts, items, strict=False):
        s.store(row, [s.read(entry)], item, node)
    return s.read(entry)


def set_item(s: Objects, of: Dict, key: Any, value: Any, node: ast.AST) -> None:
    _need_changeable(s, of, node)
    numbers = _key(s, of, key, node)
    _set(s, of, numbers, _items(s, of.values, value, node), node)


def item(s: Objects, of: Dict, key: Any, node: ast.AST) -> Any:
    entry = _find(s, of, _key(s, of, key, node), node)
    _missing(s, entry, node)
    return _lists.element(s, of.values, entry, node)


def update_item(
    s: Objects, of: Dict, key: Any, change: Callable[[Any], Any], node: ast.AST
) -> None:
    """d[key] += x."""
    _need_changeable(s, of, node)
    entry = _find(s, of, _key(s, of, key, node), node)
    _missing(s, entry, node)
    value = change(_lists.element(s, of.values, entry, node))
    for row, one in zip(of.values.parts, _items(s, of.values, value, node), strict=False):
        s.store(row, [entry], one, node)


def contains(s: Objects, of: Dict, key: Any, node: ast.AST) -> Num:
    return _is_there(s, _find(s, of, _key(s, of, key, node), node), node)


def delete(s: Objects, of: Dict, key: Any, node: ast.AST) -> None:
    _need_changeable(s, of, node)
    numbers = _key(s, of, key, node)
    entry = _find(s, of, numbers, node)
    _missing(s, entry, node)
    _remove(s, of, numbers, entry, node)


def _remove(s: Objects, of: Dict, key: Tuple, entry: Num, node: ast.AST) -> None:
    _lists._call(s, library.freed, [of.slots, key, entry], node)
    s.store(of.alive, [entry], s.constant(0), node)
    s.set(of.live, s.apply("subtract", [s.read(of.live), s.constant(1)], node), node)


def length(s: Objects, of: Dict, node: ast.AST) -> Num:
    return s.temporary(s.apply("add", [s.read(of.live), s.constant(0)], node), node)


def _without_gaps(s: Objects, of: Dict, node: ast.AST) -> None:
    gaps = s.apply("not_equal", [s.read(of.live), s.read(of.keys.length)], node)
    _tidy_where(s, of, gaps, node)


def going_over(s: Objects, view: DictView, node: ast.AST) -> tuple[Num, Callable[[Num], Any]]:
    """How many there are, and what each place has."""
    of = view.of
    _without_gaps(s, of, node)
    count = length(s, of, node)

    def at(index: Num) -> Any:
        changed = s.apply("not_equal", [s.read(of.live), count], node)
        s.fail(RuntimeError, ("dictionary changed size during iteration",), node, changed)
        key = _lists.element(s, of.keys, index, node) if view.what != "values" else None
        value = _lists.element(s, of.values, index, node) if view.what != "keys" else None
        return Tuple([key, value]) if view.what == "items" else value if key is None else key

    return count, at


def _copied(s: Objects, of: Dict, node: ast.AST) -> Dict:
    made = new(s, node)
    made.kinds = of.kinds
    _update(s, made, of, node)
    return made


def _update(s: Objects, of: Dict, other: Any, node: ast.AST) -> None:
    if not isinstance(other, Dict):
        raise s.error(node, f"a dictionary is updated by another one, not by {describe(other)}")
    count, at = going_over(s, DictView(other, "items"), node)

    def turn(index: Num) -> None:
        key, value = at(index).items
        set_item(s, of, key, value, node)

    s.counted(s.constant(0), count, s.constant(1), turn, node)


def method(
    s: Objects, name: str, of: Dict, args: list[Any], keywords: dict[str, Any], node: ast.AST
) -> Any:
    counts = {"get": (1, 2), "pop": (1, 2), "setdefault": (2, 2), "update": (1, 1)}
    least, most = counts.get(name, (0, 0))
    if keywords or not least <= len(args) <= most:
        raise s.error(node, f"dict.{name} takes no such arguments in compiled functions")
    if name in CHANGES:
        _need_changeable(s, of, node)
    if name in ("items", "keys", "values"):
        return DictView(of, name)
    if name == "copy":
        return _copied(s, of, node)
    if name == "update":
        _update(s, of, args[0], node)
    elif name == "clear":
        for var in (of.keys.length, of.live):
            s.set(var, s.constant(0), node)
        tidy(s, of, node)
    elif name == "get" and len(args) == 1:
        raise s.error(node, "a name is a number or None, not both: give get() a second argument")
    else:
        return _looked_up(s, name, of, args, node)
    return Constant(None)


def _looked_up(s: Objects, name: str, of: Dict, args: list[Any], node: ast.AST) -> Any:
    """get, pop and setdefault."""
    key = _key(s, of, args[0], node)
    entry = _find(s, of, key, node)
    if name == "pop" and len(args) == 1:
        _missing(s, entry, node)
        found = _lists.element(s, of.values, entry, node)
        _remove(s, of, key, entry, node)
        return found
    otherwise = _items(s, of.values, args[1], node)
    targets = []
    for i, part in enumerate(of.values.parts):
        weak = _lists.type_of(s, of.values, i).weak
        targets.append(s.local(Number(part.dtype, weak)))
    for target, one in zip(targets, otherwise, strict=False):
        s.set(target, one, node)

    def there() -> None:
        for target, row in zip(targets, of.values.parts, strict=True):
            s.set(target, s.element(row, [entry], node), node)
        if name == "pop":
            _remove(s, of, key, entry, node)

    _lists._branch(s, _is_there(s, entry, node), there, node)
    if name == "setdefault":
        missing = s.apply("less", [entry, s.constant(0)], node)
        _lists._branch(s, missing, lambda: _ignored(_set(s, of, key, otherwise, node)), node)
    items = [s.read(target) for target in targets]
    return Tuple(list(items)) if of.values.pairs else items[0]


def _ignored(value: object) -> None:
    """Nobody looks at it."""


def columns(s: Objects, of: Dict, node: ast.AST) -> list[Array]:
    """An array for each row of keys, then of values."""
    for part in (of.keys, of.values):
        if (part.key, 0) not in s.types and not s.again:
            raise s.error(node, "nothing is put into the dictionary: its types are not known")
    _without_gaps(s, of, node)
    count = length(s, of, node)
    made = []
    for row in (*of.keys.parts, *of.values.parts):
        column = s.allocate([count], row.dtype, False, True, node)

        def turn(index: Num, column: Array = column, row: Array = row) -> None:
            s.store(column, [index], s.element(row, [index], node), node)

        s.counted(s.constant(0), count, s.constant(1), turn, node)
        made.append(column)
    return made
