"""Python's operators: nodes of syntax trees, the functions of `operator` that they are, and the
operations of the op table, which are found by their symbols."""

import ast
import operator
from collections.abc import Callable
from typing import Any

from heddle._math.symbols import operators

BINARY_FUNCTIONS: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Pow: operator.pow,
    ast.BitAnd: operator.and_,
    ast.BitOr: operator.or_,
    ast.BitXor: operator.xor,
    ast.LShift: operator.lshift,
    ast.RShift: operator.rshift,
}
COMPARISON_FUNCTIONS: dict[type[ast.cmpop], Callable[[Any, Any], Any]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}


def _named(expression: ast.expr) -> str:
    return operators[ast.unparse(expression).split()[1]].name


_a, _b = ast.Name("a"), ast.Name("b")
BINARY = {op: _named(ast.BinOp(_a, op(), _b)) for op in BINARY_FUNCTIONS}
COMPARISONS = {op: _named(ast.Compare(_a, [op()], [_b])) for op in COMPARISON_FUNCTIONS}
