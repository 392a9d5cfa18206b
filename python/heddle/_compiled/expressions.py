"""Functions of numbers without loops as expressions of arrays: they fuse, and have derivatives.

The body is walked for arrays: conditions become `where`, functions of `math` ours.
"""

from __future__ import annotations

import ast
import builtins
import math
import types
from typing import Any

import numpy

import heddle as hd
from heddle import _core
from heddle._core import ndarray
from heddle.simt._numbers import MATH
from heddle.simt._operators import BINARY_FUNCTIONS, COMPARISON_FUNCTIONS
from heddle.simt._state import parse

_MOST_BRANCHES = 8

_STATEMENTS = (ast.Assign, ast.AugAssign, ast.AnnAssign, ast.If, ast.Return, ast.Expr, ast.Pass)
_EXPRESSIONS = (
    *(ast.BinOp, ast.UnaryOp, ast.Compare, ast.BoolOp, ast.IfExp, ast.Name, ast.Constant),
    *(ast.Attribute, ast.Call),
)


class NoExpressionError(Exception):
    """A function is no expression."""


def _functions() -> dict[Any, Any]:
    made: dict[Any, Any] = {abs: hd.absolute}
    for name, ours in MATH.items():
        function, stands_for = getattr(math, name, None), getattr(hd, ours, None)
        if function is not None and stands_for is not None:
            made[function] = stands_for
    made[math.log] = hd.log
    return made


class Expression:
    """A function of numbers, called with arrays."""

    _functions: dict[Any, Any] | None = None

    def __init__(self, function: types.FunctionType) -> None:
        self.function = function
        node = parse(function).node
        if not isinstance(node, ast.FunctionDef):
            raise NoExpressionError
        arguments = node.args
        if arguments.vararg or arguments.kwarg or arguments.kwonlyargs or arguments.defaults:
            raise NoExpressionError
        self.names = [a.arg for a in arguments.posonlyargs + arguments.args]
        self.body = node.body
        branches = 0
        for inner in ast.walk(ast.Module(node.body, [])):
            if isinstance(inner, ast.stmt) and not isinstance(inner, _STATEMENTS):
                raise NoExpressionError
            if isinstance(inner, ast.expr) and not isinstance(inner, _EXPRESSIONS):
                raise NoExpressionError
            branches += isinstance(inner, (ast.If, ast.IfExp))
        if branches > _MOST_BRANCHES:
            raise NoExpressionError
        self.branches = branches > 0

    def __call__(self, *args: object) -> Any:
        if len(args) != len(self.names):
            raise NoExpressionError
        if not self.branches:
            return self._run(self.body, dict(zip(self.names, args, strict=True)))
        # Both sides are computed for all elements, and one of them is nobody's.
        with hd.errstate(all="ignore"):
            return self._run(self.body, dict(zip(self.names, args, strict=True)))

    def _run(self, body: list[ast.stmt], names: dict[str, object]) -> Any:
        for i, node in enumerate(body):
            if isinstance(node, ast.Return):
                if node.value is None:
                    raise NoExpressionError
                return self._value(node.value, names)
            if isinstance(node, ast.If):
                condition = self._truth(node.test, names)
                rest = body[i + 1 :]
                yes = self._run(node.body + rest, dict(names))
                no = self._run(node.orelse + rest, dict(names))
                return hd.where(condition, yes, no)
            if isinstance(node, ast.Assign):
                value = self._value(node.value, names)
                for target in node.targets:
                    if not isinstance(target, ast.Name):
                        raise NoExpressionError
                    names[target.id] = value
            elif isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
                before = names[node.target.id]
                names[node.target.id] = BINARY_FUNCTIONS[type(node.op)](
                    before, self._value(node.value, names)
                )
            elif not isinstance(node, (ast.Pass, ast.Expr)) or (
                isinstance(node, ast.Expr) and not isinstance(node.value, ast.Constant)
            ):
                raise NoExpressionError
        raise NoExpressionError  # it ends without a return

    def _truth(self, node: ast.expr, names: dict[str, object]) -> Any:
        return self._value(node, names) != 0 if not _is_truth(node) else self._value(node, names)

    def _value(self, node: ast.expr, names: dict[str, object]) -> Any:
        if isinstance(node, ast.Constant):
            if not isinstance(node.value, (bool, int, float, complex)):
                raise NoExpressionError
            return node.value
        if isinstance(node, (ast.Name, ast.Attribute)):
            return self._number(node, names)
        if isinstance(node, ast.BinOp):
            left, right = self._value(node.left, names), self._value(node.right, names)
            return BINARY_FUNCTIONS[type(node.op)](left, right)
        if isinstance(node, ast.UnaryOp):
            value = self._value(node.operand, names)
            if isinstance(node.op, ast.Not):
                return hd.logical_not(value)
            if isinstance(node.op, ast.USub):
                return -value
            return +value if isinstance(node.op, ast.UAdd) else ~value
        if isinstance(node, ast.Compare):
            return self._comparison(node, names)
        if isinstance(node, ast.BoolOp):
            if not all(_is_truth(v) for v in node.values):
                raise NoExpressionError
            join = hd.logical_and if isinstance(node.op, ast.And) else hd.logical_or
            made = self._value(node.values[0], names)
            for other in node.values[1:]:
                made = join(made, self._value(other, names))
            return made
        if isinstance(node, ast.IfExp):
            yes, no = self._value(node.body, names), self._value(node.orelse, names)
            return hd.where(self._truth(node.test, names), yes, no)
        if isinstance(node, ast.Call):
            return self._call(node, names)
        raise NoExpressionError

    def _comparison(self, node: ast.Compare, names: dict[str, object]) -> Any:
        values = [self._value(v, names) for v in (node.left, *node.comparators)]
        made = None
        for i, op in enumerate(node.ops):
            if type(op) not in COMPARISON_FUNCTIONS:
                raise NoExpressionError
            one = COMPARISON_FUNCTIONS[type(op)](values[i], values[i + 1])
            made = one if made is None else hd.logical_and(made, one)
        return made

    def _number(self, node: ast.expr, names: dict[str, object]) -> Any:
        value = self._object(node, names)
        if isinstance(value, (bool, int, float, complex, numpy.generic, _core.own_array)):
            return value
        raise NoExpressionError

    def _object(self, node: ast.expr, names: dict[str, object]) -> Any:
        """What a name stands for, now: it may be another tomorrow."""
        if isinstance(node, ast.Attribute):
            owner = self._object(node.value, names)
            if not isinstance(owner, types.ModuleType):
                raise NoExpressionError
            return getattr(owner, node.attr)
        if not isinstance(node, ast.Name):
            raise NoExpressionError
        if node.id in names:
            return names[node.id]
        free = self.function.__code__.co_freevars
        if node.id in free and self.function.__closure__ is not None:
            return self.function.__closure__[free.index(node.id)].cell_contents
        if node.id in self.function.__globals__:
            return self.function.__globals__[node.id]
        if hasattr(builtins, node.id):
            return getattr(builtins, node.id)
        raise NoExpressionError

    def _call(self, node: ast.Call, names: dict[str, object]) -> Any:
        if node.keywords or not isinstance(node.func, (ast.Name, ast.Attribute)):
            raise NoExpressionError
        function = self._object(node.func, names)
        args = [self._value(a, names) for a in node.args]
        if Expression._functions is None:
            Expression._functions = _functions()
        if function in (min, max) and len(args) > 1:
            made = args[0]
            for other in args[1:]:
                made = _better(function, made, other)
            return made
        if isinstance(function, numpy.ufunc):
            function = getattr(hd, function.__name__, None)
        elif type(function).__name__ != "ufunc":
            function = Expression._functions.get(function)
        if function is None:
            raise NoExpressionError
        return function(*args)


def _better(function: object, best: Any, other: Any) -> ndarray:
    """As Python has it: another takes its place if it is smaller or larger, and NaN is neither."""
    kind = hd.result_type(best, other).kind
    if kind == "c":
        raise NoExpressionError
    if kind != "f":
        return (hd.minimum if function is min else hd.maximum)(best, other)
    return hd.where(other < best if function is min else other > best, other, best)


def _is_truth(node: ast.expr) -> bool:
    """Whether an expression is true or false, and not a number."""
    if isinstance(node, ast.BoolOp):
        return all(_is_truth(v) for v in node.values)
    return isinstance(node, ast.Compare) or (
        isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not)
    )
