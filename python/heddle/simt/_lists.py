"""Lists of numbers, and of tuples of numbers, in compiled functions.

A list is a row of elements with room behind them, one row for each item of a tuple, and a length.
It has one name: what another name would see of it is not told apart, so it is refused.
"""

from __future__ import annotations

import ast
import types
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from heddle.simt import _library_lists as library
from heddle.simt import _words as w
from heddle.simt._errors import Restart
from heddle.simt._kinds import is_whole_number
from heddle.simt._methods import shaped
from heddle.simt._operations import describe
from heddle.simt._state import Parsed, Scope, own_nodes
from heddle.simt._types import (
    BOOL,
    INT64,
    NAMES,
    Array,
    Call,
    Constant,
    Dict,
    DictView,
    List,
    Num,
    Number,
    Range,
    Slice,
    Tuple,
)
from heddle.simt._whole import Lazy, Whole

if TYPE_CHECKING:
    from heddle.simt._host_lists import HostLists

_INT = Number(INT64, True)
CHANGES = ("append", "clear", "extend", "insert", "pop", "remove", "reverse", "sort")
METHODS = (*CHANGES, "copy", "count", "index")


def is_changed(function: ast.AST, name: str) -> bool:
    """Whether statements change what a name stands for, as only a list can be changed."""

    def is_it(node: ast.AST) -> bool:
        return isinstance(node, ast.Name) and node.id == name

    for node in own_nodes(function):
        if isinstance(node, ast.Attribute) and node.attr in CHANGES and is_it(node.value):
            return True
        stored = isinstance(node, ast.Subscript) and isinstance(node.ctx, (ast.Store, ast.Del))
        if stored and is_it(node.value):  # type: ignore[attr-defined]
            return True
        if isinstance(node, ast.AugAssign) and is_it(node.target):
            return True
    return False


def new_list(
    s: HostLists,
    node: ast.AST,
    known: Sequence[object] = (),
    guess: int = 0,
    what: str = "list",
) -> List:
    """An empty list. Its elements are what runs before this one have seen, or a guess."""
    key = (s.scope.path, what, node.lineno, node.col_offset)  # type: ignore[attr-defined]
    made = List(key, s.local(_INT), s.in_parallel)
    s.set(made.length, s.constant(0), node)
    if known:
        _learn(s, made, known[0], node)
    count = s.lists.get(key, guess)
    room = s.constant(max(8, len(known)))
    made.parts = [
        s.allocate([room], type_of(s, made, i).dtype, False, True, node)
        for i in range(max(1, count))
    ]
    for part in made.parts:
        part.fresh = False
    made.pairs = count > 0
    return made


def type_of(s: HostLists, of: List, part: int) -> Number:
    return s.types.get((of.key, part), _INT)


def guessed(function: ast.AST, name: str) -> int:
    """Of how many items the tuples are that are appended to a name; 0 where they are numbers."""
    for node in own_nodes(function):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.args:
            of = node.func.value
            given = node.args[-1]
            if isinstance(of, ast.Name) and of.id == name and isinstance(given, ast.Tuple):
                return len(given.elts)
    return 0


def _learn(s: HostLists, of: List, value: Any, node: ast.AST) -> list[Num]:
    """The numbers of an element; of what kind they are is told to the next run."""
    if isinstance(value, Lazy):
        value = s.made_array(value, node)
    items = value.items if isinstance(value, Tuple) else [value]
    count = len(items) if isinstance(value, Tuple) else 0
    known = s.lists.get(of.key)
    if isinstance(value, Tuple):
        like = Tuple([], value.names, bool(value.listed), value.kind)
        before = s.elements.setdefault(of.key, like)
        if (before.names, before.listed, before.kind) != (like.names, like.listed, like.kind):
            raise s.error(node, "the elements of a list are of one kind")
    if known is None:
        s.lists[of.key] = count
        s.again = True
        if isinstance(value, Tuple) and (value.names or not of.pairs):
            raise Restart  # what comes next may ask for its fields, or items
    if known is not None and known != count:
        raise s.error(node, "the elements of a list are of one kind")
    if not items or not all(isinstance(i, Num) for i in items):
        raise s.error(
            node, f"lists have numbers and tuples of numbers, not {describe(value)}; use an array"
        )
    for i, item in enumerate(items):
        if item.member is not None and not is_whole_number(item.member):
            said = f"lists have no members of {item.member.__name__}; take their .value"
            raise s.error(node, said)
        if of.fixed:
            _need_fitting(s, of, i, item, node)
        else:
            s.typed((of.key, i), item.type, item.constant)
    return items


def _need_fitting(s: HostLists, of: List, part: int, item: Num, node: ast.AST) -> None:
    """Lists whose types are given take numbers of the same kind."""
    dtype = NAMES[of.parts[part].dtype]
    given = NAMES[item.type.dtype]
    if "bfloat16" not in (dtype, given) and not np.can_cast(given, dtype, "same_kind"):
        raise s.error(node, f"a list of {dtype} takes no {given}; convert it: {dtype}(...)")


def _need_changeable(s: HostLists, of: List, node: ast.AST) -> None:
    if s.in_parallel and not of.parallel:
        raise s.error(node, "turns of prange do not share a list; write to elements of an array")
    if of.number >= 0:
        s.changes_argument(of.number)


def length(s: HostLists, of: List) -> Num:
    return s.read(of.length)


def _call(s: HostLists, function: Any, args: list[Any], node: Any) -> Any:
    return s.call_function(Call(function, args, {}, node))


def _branch(s: HostLists, condition: Num, do: Callable[[], None], node: ast.AST) -> None:
    before, s.statements = s.statements, []
    do()
    inside, s.statements = s.statements, before
    s.statements.append([w.BRANCH, s.line(node), *condition.words, *w.block(inside), *w.block([])])


def append(s: HostLists, of: List, value: object, node: ast.AST) -> None:
    _need_changeable(s, of, node)
    if of.rows is not None:
        raise s.error(node, "lists of lists are for np.array, and for nothing else")
    items = [s.temporary(n, node) for n in _learn(s, of, value, node)]
    count = length(s, of)
    full = s.apply("equal", [count, s.extent(of.parts[0], 0)], node)

    def grow() -> None:
        for part in of.parts:
            s.set_held(part, _call(s, library.grown, [part, count], node), node)

    _branch(s, full, grow, node)
    for part, item in zip(of.parts, items, strict=False):
        s.store(part, [count], item, node)
    s.set(of.length, s.apply("add", [count, s.constant(1)], node), node)


def element(s: HostLists, of: List, place: Num, node: ast.AST) -> Any:
    """What is at a place that is known to be one."""
    if of.rows is not None:
        raise s.error(node, "lists of lists are for np.array, and for nothing else")
    numbers = []
    for i, part in enumerate(of.parts):
        one = s.element(part, [place], node)
        weak = type_of(s, of, i).weak
        numbers.append(s.temporary(Num(Number(part.dtype, weak), one.words, reads=True), node))
    if not of.pairs:
        return numbers[0]
    like = s.elements.get(of.key, Tuple())
    return Tuple(list(numbers), like.names, like.listed, like.kind)


def _place(s: HostLists, of: List, index: object, said: str, node: ast.AST) -> Num:
    at = s.temporary(s.integer(index, node, "as an index"), node)
    count = length(s, of)
    if not (isinstance(at.constant, int) and at.constant >= 0):
        negative = s.apply("less", [at, s.constant(0)], node)
        at = s.temporary(s.select(negative, s.apply("add", [at, count], node), at, node), node)
    low = s.apply("less", [at, s.constant(0)], node)
    high = s.apply("greater_equal", [at, count], node)
    s.fail(IndexError, (said,), node, s.apply("logical_or", [low, high], node))
    return at


def item(s: HostLists, of: List, index: object, node: ast.AST) -> Any:
    if isinstance(index, Slice):
        return _part(s, of, index, node)
    return element(s, of, _place(s, of, index, "list index out of range", node), node)


def set_item(s: HostLists, of: List, index: object, value: object, node: ast.AST) -> None:
    _need_changeable(s, of, node)
    items = [s.temporary(n, node) for n in _learn(s, of, value, node)]
    place = _place(s, of, index, "list assignment index out of range", node)
    for part, one in zip(of.parts, items, strict=False):
        s.store(part, [place], one, node)


def _copied(s: HostLists, of: List, start: Num, count: Num, step: Num, node: ast.AST) -> List:
    made = new_list(s, node)
    made.kinds = of.kinds
    if of.key in s.lists and made.key not in s.lists:
        s.lists[made.key] = s.lists[of.key]
        s.again = True
    for i in range(max(1, s.lists.get(of.key, 0))):
        if (of.key, i) in s.types:
            s.typed((made.key, i), s.types[of.key, i])

    def turn(index: Num) -> None:
        at = s.apply("add", [start, s.apply("multiply", [index, step], node)], node)
        append(s, made, element(s, of, s.temporary(at, node), node), node)

    if len(of.parts) == len(made.parts):
        s.counted(s.constant(0), count, s.constant(1), turn, node)
    return made


def _part(s: HostLists, of: List, index: Slice, node: ast.AST) -> List:
    start, count, step = s._range_of(index, length(s, of), node)
    kept = [s.temporary(n, node) for n in (start, count, step)]
    return _copied(s, of, kept[0], kept[1], kept[2], node)


def as_array(s: HostLists, of: List, dtype: int | None, numpys: bool, node: ast.AST) -> Array:
    """np.array(items)."""
    if (of.key, 0) not in s.types and not s.again:
        raise s.error(node, "nothing is appended to the list: its type is not known")
    count = s.temporary(length(s, of), node)
    type_ = Number(type_of(s, of, 0).dtype)
    for i in range(1, len(of.parts)):
        type_ = s.join(type_, Number(type_of(s, of, i).dtype))
    shape = [count, s.constant(len(of.parts))] if of.pairs else [count]
    made = s.allocate(shape, type_.dtype if dtype is None else dtype, False, numpys, node)

    def turn(index: Num) -> None:
        for i, part in enumerate(of.parts):
            where = [index, s.constant(i)] if of.pairs else [index]
            s.store(made, where, s.element(part, [index], node), node)

    s.counted(s.constant(0), count, s.constant(1), turn, node)
    if of.rows is None:
        return made
    rows = s.read(of.rows)
    some = s.apply("maximum", [rows, s.constant(1)], node)
    columns = s.temporary(s.divided(count, some, node), node)
    whole = s.apply("not_equal", [s.apply("multiply", [rows, columns], node), count], node)
    s.fail(ValueError, ("the rows of an array have to be of one length",), node, whole)
    return shaped(s, "reshape", made, [rows, columns], {}, node)


def as_row(s: HostLists, of: List, node: ast.AST) -> Array:
    """The elements as a view, for what looks at all of them."""
    if of.pairs or of.rows is not None:
        raise s.error(node, "this is for lists of numbers in compiled functions")
    return s.sliced(of.parts[0], [Slice(None, length(s, of), None)], node)


def contains(s: HostLists, of: List, value: object, node: ast.AST) -> Num:
    if of.pairs:
        there = _call(s, library.place_among, [of, value], node)
        return s.apply("greater_equal", [there, s.constant(0)], node)
    number = s.number(value, node)
    found = _call(s, library.place_of, [of.parts[0], length(s, of), number], node)
    return s.apply("greater_equal", [found, s.constant(0)], node)


def method(
    s: HostLists,
    name: str,
    of: List,
    args: list[Any],
    keywords: dict[str, object],
    node: ast.AST,
) -> Any:
    if name == "sort" and "reverse" in keywords:
        falling = s.truth(keywords.pop("reverse"), node)
        if falling.constant is None:
            raise s.error(node, "whether a list is sorted in reverse is a literal here")
        method(s, "sort", of, args, keywords, node)
        return method(s, "reverse", of, [], {}, node) if falling.constant else Constant(None)
    counts = {"append": 1, "extend": 1, "insert": 2, "remove": 1, "count": 1, "index": 1}
    if keywords or (len(args) != counts.get(name, 0) and not (name == "pop" and len(args) == 1)):
        raise s.error(node, f"list.{name} takes no such arguments in compiled functions")
    if name in CHANGES:
        _need_changeable(s, of, node)
    if name == "append":
        append(s, of, args[0], node)
    elif name == "extend":
        extend(s, of, args[0], node)
    elif name == "pop":
        return _popped(s, of, args[0] if args else None, node)
    elif name == "clear":
        s.set(of.length, s.constant(0), node)
    elif name == "copy":
        return _copied(s, of, s.constant(0), length(s, of), s.constant(1), node)
    elif name == "insert":
        _insert(s, of, args[0], args[1], node)
    elif name == "reverse":
        for part in of.parts:
            _call(s, library.turned, [part, length(s, of)], node)
    else:
        return _of_numbers(s, name, of, args, node)
    return Constant(None)


def extend(s: HostLists, of: List, value: Any, node: ast.AST) -> None:
    if isinstance(value, Lazy):
        value = s.made_array(value, node)
    if isinstance(value, Tuple):
        for one in value.items:
            append(s, of, one, node)
        return
    if isinstance(value, List):
        count = s.temporary(s.apply("add", [length(s, value), s.constant(0)], node), node)
        take = element
    elif isinstance(value, Array) and value.ndim == 1:
        count = s.extent(value, 0)
        take = _element_of_array
    elif isinstance(value, (Dict, DictView, Range)):
        from heddle.simt._loops import over

        each = over(s, value, node)
        put = lambda index: append(s, of, each.item(index), node)  # noqa: E731
        s.counted(each.start, each.stop, each.step, put, node)
        return
    else:
        raise s.error(node, f"a list is not extended by {describe(value)}")
    s.counted(
        s.constant(0),
        count,
        s.constant(1),
        lambda index: append(s, of, take(s, value, index, node), node),
        node,
    )


def _element_of_array(s: HostLists, of: Any, place: Num, node: ast.AST) -> Any:
    return s.element(of, [place], node)


def _popped(s: HostLists, of: List, index: object, node: ast.AST) -> Any:
    count = length(s, of)
    none = s.apply("equal", [count, s.constant(0)], node)
    s.fail(IndexError, ("pop from empty list",), node, none)
    if index is None:
        s.set(of.length, s.apply("subtract", [count, s.constant(1)], node), node)
        return element(s, of, length(s, of), node)
    place = _place(s, of, index, "pop index out of range", node)
    taken = element(s, of, place, node)
    for part in of.parts:
        _call(s, library.closed, [part, count, place], node)
    s.set(of.length, s.apply("subtract", [count, s.constant(1)], node), node)
    return taken


def _insert(s: HostLists, of: List, index: object, value: object, node: ast.AST) -> None:
    items = [s.temporary(n, node) for n in _learn(s, of, value, node)]
    count = length(s, of)
    ends = (s.constant(0), count)
    at = s._clamped(s.integer(index, node, "as an index"), count, ends, count, node)
    for part, one in zip(of.parts, items, strict=False):
        s.set_held(part, _call(s, library.opened, [part, count, at], node), node)
        s.store(part, [at], one, node)
    s.set(of.length, s.apply("add", [count, s.constant(1)], node), node)


def _of_numbers(s: HostLists, name: str, of: List, args: list[Any], node: ast.AST) -> Any:
    """What compares elements."""
    if of.pairs:
        return _of_tuples(s, name, of, args, node)
    part, count = of.parts[0], length(s, of)
    if name == "sort":
        from heddle.simt._borrowed import borrowed

        s.fill(
            as_row(s, of, node), borrowed(s, "sort", True, [as_row(s, of, node)], {}, node), node
        )
        return Constant(None)
    value = s.number(args[0], node)
    if name == "count":
        return _call(s, library.count_of, [part, count, value], node)
    place = s.temporary(_call(s, library.place_of, [part, count, value], node), node)
    missing = s.apply("less", [place, s.constant(0)], node)
    said = "list.remove(x): x not in list" if name == "remove" else "the value is not in list"
    s.fail(ValueError, (said,), node, missing)
    if name == "index":
        return place
    _call(s, library.closed, [part, count, place], node)
    s.set(of.length, s.apply("subtract", [count, s.constant(1)], node), node)
    return Constant(None)


def _of_tuples(s: HostLists, name: str, of: List, args: list[Any], node: ast.AST) -> Any:
    """The same of tuples."""
    if name == "sort":
        _call(s, library.put_in_order, [of], node)
        return Constant(None)
    if name == "count":
        return _call(s, library.number_of, [of, args[0]], node)
    place = s.temporary(_call(s, library.place_among, [of, args[0]], node), node)
    missing = s.apply("less", [place, s.constant(0)], node)
    said = "list.remove(x): x not in list" if name == "remove" else "the value is not in list"
    s.fail(ValueError, (said,), node, missing)
    if name == "index":
        return place
    _popped(s, of, place, node)
    return Constant(None)


def made_of(s: HostLists, value: Tuple, name: str, node: ast.AST) -> List:
    """[a, b, c], where it is changed later."""
    items = [s.temporary(i, node) if isinstance(i, Num) else i for i in value.items]
    guess = guessed(s.scope.parsed.node, name) if not items else 0
    made = new_list(s, node, items, guess)
    for one in items:
        append(s, made, one, node)
    return made


def of_row(s: HostLists, row: Array, node: ast.AST) -> List:
    """A list of the elements of an array with one dimension."""
    made = new_list(s, node)
    count = s.extent(row, 0)
    s.counted(
        s.constant(0),
        count,
        s.constant(1),
        lambda i: append(s, made, s.element(row, [i], node), node),
        node,
    )
    return made


def repeated(s: HostLists, value: Tuple, times: object, node: ast.AST) -> List:
    """[0] * n."""
    made = new_list(s, node, value.items)
    count = s.integer(times, node, "to repeat a list")

    def turn(index: Num) -> None:
        for one in value.items:
            append(s, made, one, node)

    s.counted(s.constant(0), count, s.constant(1), turn, node)
    return made


def several(s: HostLists, of: List, times: object, node: ast.AST) -> List:
    """A list so many times."""
    made = new_list(s, node)
    count = s.integer(times, node, "to repeat a list")
    s.counted(s.constant(0), count, s.constant(1), lambda _: extend(s, made, of, node), node)
    return made


def same(s: HostLists, of: List, other: List, node: ast.AST) -> Num:
    made: Num = _call(s, library.same, [of, other], node)
    return made


# --- comprehensions ---


def each(
    s: Whole,
    node: ast.ListComp | ast.GeneratorExp,
    do: Callable[[Callable[[], Any]], None],
) -> None:
    """The elements of a comprehension, one after the other; its names are its own."""
    from heddle.simt._loops import iterate

    outer = s.scope
    plain = types.FunctionType((lambda: None).__code__, outer.function.__globals__)
    parsed = Parsed(
        ast.Lambda(ast.arguments([], [], None, [], [], None, []), node.elt), outer.parsed.source, {}
    )
    path = (*outer.path, "each", node.lineno, node.col_offset)
    inner = Scope(plain, parsed, path, depth=1, outer=outer, calls=outer.calls)

    def along(clauses: list[ast.comprehension]) -> None:
        if not clauses:
            do(lambda: s.expression(node.elt))
            return
        clause = clauses[0]
        if clause.is_async:
            raise s.error(node, "kernels have no async comprehensions")
        iteration = iterate(s, clause.iter)

        def turn(item: Num) -> None:
            s.assign(clause.target, item)
            held: Num = s.constant(True)
            for test in clause.ifs:
                one = s.truth(s.expression(test), test)
                held = one if held.constant is True else s.apply("logical_and", [held, one], node)
            if held.constant is None:
                before, s.statements = s.statements, []
                along(clauses[1:])
                inside, s.statements = s.statements, before
                s.statements.append(
                    [w.BRANCH, s.line(node), *held.words, *w.block(inside), *w.block([])]
                )
            elif held.constant:
                along(clauses[1:])

        if iteration.items is not None:
            for item in iteration.items:
                s.next_item(clause.target, item)
                turn(item)
            return
        s.counted(
            iteration.start, iteration.stop, iteration.step, lambda i: turn(iteration.item(i)), node
        )

    s.scope = inner
    try:
        along(list(node.generators))
    finally:
        s.scope = outer


def comprehension(s: HostLists, node: ast.ListComp) -> List:
    if not isinstance(node.elt, ast.ListComp):
        made = new_list(s, node, guess=len(node.elt.elts) if isinstance(node.elt, ast.Tuple) else 0)
        each(s, node, lambda value: append(s, made, value(), node))
        return made
    inner = node.elt
    made, rows = new_list(s, node), s.local(_INT)
    s.set(rows, s.constant(0), node)

    def row(value: Callable[[], Any]) -> None:
        each(s, inner, lambda one: append(s, made, one(), node))
        s.set(rows, s.apply("add", [s.read(rows), s.constant(1)], node), node)

    each(s, node, row)
    made.rows = rows
    return made


def listed(s: HostLists, given: ast.expr, node: ast.Call) -> List:
    """list(...) of what a loop goes over."""
    from heddle.simt._loops import iterate

    made = new_list(s, node)
    if isinstance(given, (ast.GeneratorExp, ast.ListComp)):
        each(s, given, lambda value: append(s, made, value(), node))
        return made
    iteration = iterate(s, given)
    if iteration.items is not None:
        for one in iteration.items:
            append(s, made, one, node)
        return made
    s.counted(
        iteration.start,
        iteration.stop,
        iteration.step,
        lambda index: append(s, made, iteration.item(index), node),
        node,
    )
    return made


def moved(s: HostLists, known: List, value: List, node: ast.AST) -> None:
    """A name that has a list is given a new one, which nobody else has."""
    if len(known.parts) != len(value.parts) or known.pairs != value.pairs:
        if s.again:
            return
        raise s.error(node, f"'{known.name}' becomes a list of another kind; use two names")
    for i, (to, part) in enumerate(zip(known.parts, value.parts, strict=True)):
        for key in (known.key, value.key):
            for other in (known.key, value.key):
                if (other, i) in s.types:
                    s.typed((key, i), s.types[other, i])
        if to.dtype == part.dtype:
            s.set_held(to, part, node)
    s.set(known.length, length(s, value), node)


def summed(s: Whole, node: Any, start: Num, at: ast.AST) -> Num:
    """sum(... for ...): in the type that all fit."""
    key = (s.scope.path, "sum", node.lineno, node.col_offset)
    total = s.local(s.typed(key, start.type, start.constant))
    s.set(total, start, at)

    def add(value: Callable[[], Any]) -> None:
        more = s.number(s.binary(ast.Add(), s.read(total), value(), at), at)
        s.typed(key, more.type, more.constant)
        s.set(total, more, at)

    each(s, node, add)
    return s.read(total)


def decided(s: Whole, node: Any, name: str, at: ast.AST) -> Num:
    """any(... for ...) and all(... for ...): what comes after the one that decides is not done."""
    var = s.local(Number(BOOL))
    s.set(var, s.constant(name == "all"), at)

    def look(value: Callable[[], Any]) -> None:
        before, s.statements = s.statements, []
        s.set(var, s.truth(value(), at), at)
        inside, s.statements = s.statements, before
        ways = [w.block(inside), w.block([])]
        first, second = ways if name == "all" else ways[::-1]
        s.statements.append([w.BRANCH, s.line(at), *s.read(var).words, *first, *second])

    each(s, node, look)
    return s.read(var)


def extreme(s: Whole, node: Any, name: str, at: ast.AST) -> Num:
    """min(... for ...) and max(... for ...)."""
    key = (s.scope.path, name, node.lineno, node.col_offset)
    best, found = s.local(s.types.get(key, _INT)), s.local(Number(BOOL))
    s.set(best, s.constant(0), at)
    s.set(found, s.constant(False), at)

    def look(value: Callable[[], Any]) -> None:
        one = s.temporary(s.number(value(), at), at)
        s.typed(key, one.type, one.constant)
        wins = s.apply("less" if name == "min" else "greater", [one, s.read(best)], at)
        first = s.apply("logical_not", [s.read(found)], at)
        one = s.cast(one, best.type, at)
        taken = s.select(s.apply("logical_or", [first, wins], at), one, s.read(best), at)
        s.set(best, taken, at)
        s.set(found, s.constant(True), at)

    each(s, node, look)
    missing = s.apply("logical_not", [s.read(found)], at)
    s.fail(ValueError, (f"{name}() iterable argument is empty",), at, missing)
    return s.read(best)
