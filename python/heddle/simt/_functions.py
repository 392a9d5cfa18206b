"""Kernels with functions that call themselves."""

import ast
import types
from typing import Any

from heddle.simt._compiler import Compiler
from heddle.simt._recursion import Recursion
from heddle.simt._state import Parsed
from heddle.simt._types import Array, Record, RecordArray, Tuple


class KernelCompiler(Recursion, Compiler):
    """A kernel as a program, for one signature."""

    def _begin(self) -> None:
        super()._begin()
        self.begin_functions()
        self.begin_held()

    def _words(self) -> bytes:
        self.end_held()
        return super()._words()

    def call_recursive(
        self, function: types.FunctionType, bound: dict[str, Any], node: ast.Call
    ) -> Any:
        arrays = [v for v in bound.values() if _has_array(v)]
        if self.races and arrays:
            raise self.error(
                node, "check=True does not look into functions that call themselves with arrays"
            )
        if any(isinstance(v, Record) or _in_bytes(v) for v in arrays):
            raise self.error(
                node,
                "a function that calls itself takes whole arrays of records, "
                "and no record or field of them",
            )
        return super().call_recursive(function, bound, node)

    def too_deep(self, parsed: Parsed, node: ast.AST) -> int:
        where = parsed.source.where(parsed.node)
        return self.program.text(
            f"RecursionError:{parsed.source.name} ({where}): maximum recursion depth exceeded"
        )

    def enter(self, name: str, value: Any, node: ast.AST) -> None:
        """An argument as a name of the function."""
        self.scope.names[name] = value

    def _set_result(self, value: Any, node: ast.AST) -> None:
        if self.in_function and _has_array(value):
            raise self.error(node, "a function that calls itself returns numbers, and no arrays")
        super()._set_result(value, node)

    def end_of_body(self, node: ast.FunctionDef) -> None:
        """Where the end is reached, numbers are zero."""


def _has_array(value: Any) -> bool:
    if isinstance(value, Tuple):
        return any(_has_array(item) for item in value.items)
    return isinstance(value, (Array, RecordArray, Record))


def _in_bytes(value: Any) -> bool:
    return isinstance(value, Array) and value.in_bytes
