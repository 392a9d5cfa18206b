"""Python's functions of many elements: sum, min, max, any, all, sorted, list."""

from __future__ import annotations

import ast
import builtins
from typing import TYPE_CHECKING, Any, cast

from heddle.simt import _lists
from heddle.simt._borrowed import borrowed
from heddle.simt._operations import describe
from heddle.simt._registry import functions, stands_for
from heddle.simt._types import Array, Dict, DictView, List, Num, Slice, Tuple
from heddle.simt._whole import Lazy, Whole

if TYPE_CHECKING:
    from heddle.simt._host_lists import HostLists
    from heddle.simt._objects import Objects
    from heddle.simt._statements import Statements


def of_elements(s: Statements, what: object, node: ast.Call) -> List | Num | None:
    """A function of the elements of a comprehension, which is no list then; None: none of them."""
    first = node.args[0]
    if what is list and len(node.args) == 1 and s.host:
        return _lists.listed(cast("HostLists", s), first, node)
    if not isinstance(first, (ast.GeneratorExp, ast.ListComp)):
        return None
    whole = cast("Whole", s)
    if what is sum and len(node.args) <= 2:
        start = s.number(s.expression(node.args[1]), node) if len(node.args) == 2 else s.constant(0)
        return _lists.summed(whole, first, start, node)
    if len(node.args) != 1:
        return None
    if what is any or what is all:
        return _lists.decided(whole, first, "any" if what is any else "all", node)
    if what is min or what is max:
        return _lists.extreme(whole, first, "min" if what is min else "max", node)
    return None


def method_of_list(
    s: Statements,
    name: str,
    value: List,
    args: list[Any],
    keywords: dict[str, object],
    node: ast.Call,
) -> Any:
    return _lists.method(cast("HostLists", s), name, value, args, keywords, node)


def _row(s: Statements, value: object, node: ast.AST) -> Any:
    """A list as an array; everything else as it is."""
    if isinstance(value, (Dict, DictView)):  # what a loop would go over
        value = cast("Objects", s).typed_list(value, node)
    return _lists.as_row(cast("HostLists", s), value, node) if isinstance(value, List) else value


@stands_for(builtins.sum)
def _sum(s: Statements, args: list[Any], keywords: dict[str, object], node: ast.Call) -> Any:
    if keywords or not 1 <= len(args) <= 2:
        raise s.error(node, "sum takes elements, and a number to begin with")
    start = args[1] if len(args) == 2 else s.constant(0)
    value = _row(s, args[0], node)
    if isinstance(value, Tuple):
        for item in value.items:
            start = s.binary(ast.Add(), start, item, node)
        return start
    if not isinstance(value, (Array, Lazy)) or value.ndim != 1:
        raise s.error(node, f"sum is of numbers in a row, not of {describe(value)}")
    return s.binary(ast.Add(), start, cast("Whole", s).reduce("sum", value, node), node)


def _decided(name: str) -> Any:
    def handler(s: Statements, args: list[Any], keywords: dict[str, object], node: ast.Call) -> Num:
        if keywords or len(args) != 1:
            raise s.error(node, f"{name} takes elements")
        value = _row(s, args[0], node)
        if isinstance(value, Tuple):
            made: Num = s.constant(name == "all")
            op = "logical_and" if name == "all" else "logical_or"
            for item in value.items:
                made = s.apply(op, [made, s.truth(item, node)], node)
            return made
        if not isinstance(value, (Array, Lazy)) or value.ndim != 1:
            raise s.error(node, f"{name} is of elements in a row, not of {describe(value)}")
        return cast("Whole", s).reduce(name, value, node)

    return handler


functions[builtins.any], functions[builtins.all] = _decided("any"), _decided("all")


def _extreme(name: str) -> Any:
    before = functions[getattr(builtins, name)]

    def handler(s: Statements, args: list[Any], keywords: dict[str, object], node: ast.Call) -> Any:
        if len(args) != 1 or keywords:
            return before(s, args, keywords, node)
        value = _row(s, args[0], node)
        if isinstance(value, (Array, Lazy)) and value.ndim == 1:
            return cast("Whole", s).reduce(name, value, node)
        return before(s, [value], keywords, node)

    return handler


functions[builtins.min], functions[builtins.max] = _extreme("min"), _extreme("max")


@stands_for(builtins.sorted)
def _sorted(s: Statements, args: list[Any], keywords: dict[str, object], node: ast.Call) -> Any:
    keywords = dict(keywords)
    falling = s.truth(keywords.pop("reverse", s.constant(False)), node)
    if keywords or len(args) != 1 or not s.host or falling.constant is None:
        raise s.error(node, "sorted takes a row of elements and reverse, in compiled functions")
    value = _row(s, args[0], node)
    if not isinstance(value, (Array, Lazy)) or value.ndim != 1:
        raise s.error(node, f"sorted is of elements in a row, not of {describe(value)}")
    inner = borrowed(s, "sort", True, [value], {}, node)
    if falling.constant:
        inner = s.sliced(inner, [Slice(None, None, s.constant(-1))], node)
    return _lists.of_row(cast("HostLists", s), inner, node)
