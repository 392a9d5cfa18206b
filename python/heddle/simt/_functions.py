"""Kernels: with functions that call themselves, and names that become other arrays."""

from __future__ import annotations

import ast
import types
from typing import Any

from heddle.simt._compiler import Compiler
from heddle.simt._recursion import Recursion
from heddle.simt._state import Parsed
from heddle.simt._types import Array, Num, Record, RecordArray, Tuple, is_complex, is_float
from heddle.simt._whole import Whole


class KernelCompiler(Recursion, Whole, Compiler):
    """A kernel as a program, for one signature."""

    def __init__(self, *args: object, **options: int) -> None:
        super().__init__(*args, **options)
        # Names that stand for different arrays, one after the other: from the runs before.
        self.moving: set[Any] = set()

    def _begin(self) -> None:
        super()._begin()
        self.begin_functions()
        self.begin_held()

    def _words(self) -> bytes:
        self.end_held()
        return super()._words()

    def call_recursive(
        self, function: types.FunctionType, bound: dict[str, object], node: ast.Call
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

    def _set_result(self, value: object, node: ast.AST) -> None:
        if self.in_function and _has_array(value):
            raise self.error(node, "a function that calls itself returns numbers, and no arrays")
        super()._set_result(value, node)

    def end_of_body(self, node: ast.FunctionDef) -> None:
        """Where the end is reached, numbers are zero."""

    # --- names that become other arrays ---

    def enter(self, name: str, value: object, node: ast.AST) -> None:
        key = (self.scope.path, name)
        if isinstance(value, Array) and key in self.moving:
            self.scope.names[name] = self.held_copy(value, node, key)
            return
        super().enter(name, value, node)

    def _bind_array(self, name: str, value: Array, known: Any, node: ast.AST) -> None:
        scope = self.scope
        key = (scope.path, name)
        alike = isinstance(known, Array) and (known.dtype, known.ndim) == (value.dtype, value.ndim)
        if key in self.moving and known is None:
            scope.names[name] = self.held_copy(value, node, key)
        elif key in self.moving and alike and known.held is not None:
            if known is not value:
                known.unit = self.flag((key, "unit"), self.is_unit(value))
                self.set_held(known, value, node)
        elif known is None and value.held is not None and not value.fresh:
            scope.names[name] = self.held_copy(value, node)  # its own name may become another
        elif alike and known is not value and not self._is_moved(known, value):
            # An address is needed, from the first time on: the next run knows.
            self.moving.add(key)
            self.again = True
            scope.names[name] = value
        else:
            super()._bind_array(name, value, known, node)

    def set_held(self, target: Array, value: Array, node: ast.AST) -> None:
        space = self.program.arrays[value.root].space
        if space == "local":
            raise self.error(node, "a thread's own array has one name; copy its elements")
        if self.races and space in ("shared", "dynamic"):
            raise self.error(
                node, "check=True wants one name for shared memory: use two names, and an if"
            )
        super().set_held(target, value, node)

    def _unpack(self, target: ast.Tuple | ast.List, value: object) -> None:
        if isinstance(value, Tuple):
            # All are there before one of the names becomes another.
            items = [
                self.held_copy(item, target)
                if isinstance(item, Array) and item.held is not None
                else item
                for item in value.items
            ]
            value = Tuple(items, value.names, kind=value.kind)
        super()._unpack(target, value)

    # --- whole arrays ---

    def fail(
        self, kind: Any, arguments: tuple[object, ...], node: ast.AST, when: Num | None = None
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

    def apply(self, name: str, args: list[Num], node: ast.AST) -> Num:
        """A row of the op table; in debug mode Numba's kernels are not divided by zero."""
        if self.debug and self.numba and name in ("floor_divide", "remainder", "divide"):
            whole = not any(is_float(a.type.dtype) or is_complex(a.type.dtype) for a in args)
            args = [args[0], self.divisor(args[1], name, whole, node)]
        return super().apply(name, args, node)

    def need_in_range(self, index: Num, count: int, node: ast.AST) -> None:
        if self.debug:
            super().need_in_range(index, count, node)

    def need_equal(self, a: Num, b: Num, kind: object, said: str, node: ast.AST) -> None:
        if self.debug:
            super().need_equal(a, b, kind, said, node)

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


def _has_array(value: object) -> bool:
    if isinstance(value, Tuple):
        return any(_has_array(item) for item in value.items)
    return isinstance(value, (Array, RecordArray, Record))


def _in_bytes(value: object) -> bool:
    return isinstance(value, Array) and value.in_bytes
