"""Kernels with functions that call themselves."""

import ast
import types
from typing import Any

from heddle.simt._compiler import Compiler
from heddle.simt._recursion import Recursion
from heddle.simt._state import Parsed
from heddle.simt._types import Array, Num, Record, RecordArray, Tuple
from heddle.simt._whole import Whole


class KernelCompiler(Recursion, Whole, Compiler):
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

    def _set_result(self, value: Any, node: ast.AST) -> None:
        if self.in_function and _has_array(value):
            raise self.error(node, "a function that calls itself returns numbers, and no arrays")
        super()._set_result(value, node)

    def end_of_body(self, node: ast.FunctionDef) -> None:
        """Where the end is reached, numbers are zero."""

    # --- whole arrays ---

    def fail(
        self, kind: Any, arguments: tuple[Any, ...], node: ast.AST, when: Num | None = None
    ) -> None:
        said = " ".join(str(a) for a in arguments)
        unless = None if when is None else self.apply("logical_not", [when], node)
        self._fail(kind.__name__, said, node, unless)

    def _common(self, sizes: list[Num], node: ast.AST) -> Num:
        if self.debug:
            return super()._common(sizes, node)
        # Nobody waits for a launch to see whether shapes fit: what is out of range is not touched.
        made = sizes[0]
        for other in sizes[1:]:
            if other.words != made.words:
                made = self.temporary(self.apply("maximum", [made, other], node), node)
        return made

    def need_to_fit(self, sizes: list[Num], shape: list[Num], node: ast.AST) -> None:
        if self.debug:
            super().need_to_fit(sizes, shape, node)

    def allocate(
        self, shape: list[Num], dtype: int, zeros: bool, numpys: bool, node: ast.AST
    ) -> Array:
        raise self.error(
            node,
            "this makes an array, and kernels make none: write it to one (out[:] = ...), or take "
            "simt.local.array(shape, dtype)",
        )

    def _may_overlap(self, view: Array, source: Array) -> bool:
        return False  # elements are written in their order, as a loop would


def _has_array(value: Any) -> bool:
    if isinstance(value, Tuple):
        return any(_has_array(item) for item in value.items)
    return isinstance(value, (Array, RecordArray, Record))


def _in_bytes(value: Any) -> bool:
    return isinstance(value, Array) and value.in_bytes
