"""Arrays in kernels: what they are asked for, their elements, and views of them."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Any

import numpy as np

from heddle.simt import _words as w
from heddle.simt._errors import TableError
from heddle.simt._operations import Operations
from heddle.simt._types import (
    INT64,
    NAMES,
    SIZES,
    Array,
    Constant,
    Num,
    Number,
    Part,
    Slice,
    Tuple,
    View,
    is_new_or_rest,
)

MOST_CONSTANTS = 1024  # elements of an array that is a constant


class Elements(Operations):
    """An array is a number of the program's; a view has offset, extents and strides in locals."""

    def extent(self, array: Array, axis: int) -> Num:
        if array.extents and not array.view:
            return self.constant(array.extents[axis])
        return Num(Number(INT64, not self.numba), [w.EXTENT, 0, array.number, axis], simple=True)

    def stride(self, array: Array, axis: int) -> Num:
        return Num(Number(INT64, not self.numba), [w.STRIDE, 0, array.number, axis], simple=True)

    def array_attribute(self, array: Array, name: str, node: ast.AST) -> Any:
        if name == "shape":
            return Tuple([self.extent(array, axis) for axis in range(array.ndim)])
        if name == "ndim":
            return self.constant(array.ndim)
        if name in ("size", "nbytes"):
            size = self.constant(1)
            for axis in range(array.ndim):
                size = self.binary(ast.Mult(), size, self.extent(array, axis), node)
            if name == "nbytes":
                return self.binary(ast.Mult(), size, self.constant(SIZES[array.dtype]), node)
            return size
        if name == "itemsize":
            return self.constant(SIZES[array.dtype])
        if name == "strides":
            size = self.constant(1 if array.in_bytes else SIZES[array.dtype])
            return Tuple(
                [
                    self.binary(ast.Mult(), self.stride(array, axis), size, node)
                    for axis in range(array.ndim)
                ]
            )
        if name == "dtype":
            return Constant(np.dtype(NAMES[array.dtype]))
        if name == "T":
            return self.transposed(array, node)
        raise self.error(node, f"arrays have no '{name}' in kernels")

    def transposed(self, array: Array, node: ast.AST) -> Array:
        axes = range(array.ndim)[::-1]
        shape = [self.extent(array, axis) for axis in axes]
        strides = [self.stride(array, axis) for axis in axes]
        return self.view(array, Part(self._offset(array), shape, strides, False), node)

    def _offset(self, array: Array) -> Num:
        if array.field is not None:
            array = self.program.arrays[array.of]  # counts from where the records do
        if array.view is None:
            return self.constant(0)
        return Num(Number(INT64, True), [w.LOCAL, 0, array.view.offset], simple=True)

    def is_unit(self, array: Array) -> bool:
        """Whether the last axis is known to be dense."""
        made_here = array.view is None and array.space not in ("parameter", "held")
        return array.unit or (made_here and not array.in_bytes)

    def view(self, array: Array, part: Part, node: ast.AST) -> Array:
        """Part of an array, in locals of its own."""

        def keep(value: Num) -> int:
            var = self.local(Number(INT64, True))
            self.set(var, value, node)
            return var.number

        shape, strides = ([keep(n) for n in numbers] for numbers in (part.shape, part.strides))
        view = Array(
            len(self.program.arrays),
            array.dtype,
            len(shape),
            array.root,
            array.space,
            array.name,
            part.unit,
            View(keep(part.offset), shape, strides),
            of=array.number if array.view is None else array.of,
            in_bytes=array.in_bytes,
        )
        self.program.arrays.append(view)
        return view

    def index_items(self, node: ast.expr) -> list[Num | Slice]:
        value = self.expression(node)
        return list(value.items) if isinstance(value, Tuple) else [value]

    def indices(self, array: Array, items: Sequence[object], node: ast.AST) -> list[Num] | None:
        """The index of one element; None where some axis is left or sliced."""
        for item in items:
            if isinstance(item, Slice) or is_new_or_rest(item):
                return None
        if len(items) > array.ndim:
            raise self.error(
                node, f"{len(items)} indices for an array with {array.ndim} dimensions"
            )
        if len(items) < array.ndim:
            return None
        return [self.integer(item, node, "as an index") for item in items]

    def element(self, array: Array, items: list[Any], node: ast.AST) -> Any:
        indices = self.indices(array, items, node)
        if indices is None:
            return self.sliced(array, items, node)
        words = [w.LOAD, self.site(node), array.number]
        for index in indices:
            words += index.words
        return Num(Number(array.dtype), words, reads=True)

    def sliced(self, array: Array, items: Sequence[object], node: ast.AST) -> Array:
        """A view. One whose integer indices are out of range is empty."""
        given = sum(1 for i in items if not is_new_or_rest(i))
        if given > array.ndim:
            raise self.error(node, f"{given} indices for an array with {array.ndim} dimensions")
        rest = array.ndim - given
        whole = Slice(None, None, None)
        spread: list[Any] = []
        seen = False
        for item in items:
            if isinstance(item, Constant) and item.value is ...:
                if seen:
                    raise self.error(node, "an index can only have a single ellipsis ('...')")
                spread += [whole] * rest
                seen = True
            else:
                spread.append(item)
        if not seen:
            spread += [whole] * rest
        offset, inside = self._offset(array), None
        shape: list[Num] = []
        strides: list[Num] = []
        axis = 0
        unit = self.is_unit(array)
        last_kept = False
        for item in spread:
            if isinstance(item, Constant) and item.value is None:
                shape.append(self.constant(1))
                strides.append(self.constant(0))
                last_kept = False
                continue
            extent, stride = self.extent(array, axis), self.stride(array, axis)
            if isinstance(item, Slice):
                start, count, step = self._range_of(item, extent, node)
                offset = self.apply(
                    "add", [offset, self.apply("multiply", [start, stride], node)], node
                )
                shape.append(count)
                one = step.constant == 1
                strides.append(stride if one else self.apply("multiply", [stride, step], node))
                last_kept = one and axis + 1 == array.ndim
            else:
                index = self.temporary(self.integer(item, node, "as an index"), node)
                negative = self.apply("less", [index, self.constant(0)], node)
                wrapped = self.temporary(
                    self.select(negative, self.apply("add", [index, extent], node), index, node),
                    node,
                )
                there = self.apply(
                    "logical_and",
                    [
                        self.apply("greater_equal", [wrapped, self.constant(0)], node),
                        self.apply("less", [wrapped, extent], node),
                    ],
                    node,
                )
                there = self.temporary(there, node)
                place = wrapped
                if not self.need_place(there, axis, node):
                    inside = (
                        there
                        if inside is None
                        else self.apply("logical_and", [inside, there], node)
                    )
                    place = self.select(there, wrapped, self.constant(0), node)
                offset = self.apply(
                    "add", [offset, self.apply("multiply", [place, stride], node)], node
                )
                last_kept = False
            axis += 1
        if inside is not None:
            inside = self.temporary(inside, node)
            shape = [self.select(inside, n, self.constant(0), node) for n in shape]
        dense = unit and last_kept and bool(shape)
        return self.view(array, Part(offset, shape, strides, dense), node)

    def need_place(self, there: Num, axis: int, node: ast.AST) -> bool:
        """Whether it is an error that an index of a view is out of range: kernels do not wait."""
        return False

    def _range_of(self, item: Slice, extent: Num, node: ast.AST) -> tuple[Num, Num, Num]:
        """Where a slice begins, how many it takes, and its step."""
        step = item.step or self.constant(1)
        if step.constant is None:
            return self._range_by(item, self.temporary(step, node), extent, node)
        forward = self.known_integer(step, node, "the step of a slice") > 0
        if step.constant == 0:
            raise self.error(node, "slice step cannot be zero")
        if item.start is None and item.stop is None and step.constant == 1:
            return self.constant(0), extent, step
        low = self.constant(0 if forward else -1)
        high = extent if forward else self.apply("subtract", [extent, self.constant(1)], node)
        start = self._clamped(item.start, low if forward else high, (low, high), extent, node)
        stop = self._clamped(item.stop, high if forward else low, (low, high), extent, node)
        # ceil((stop - start) / step), not below 0.
        distance = self.apply("subtract", [stop, start], node)
        size = abs(step.constant)
        if not forward:
            distance = self.apply("negative", [distance], node)
        if size > 1:
            distance = self.apply("add", [distance, self.constant(size - 1)], node)
            distance = self.apply("floor_divide", [distance, self.constant(size)], node)
        return (
            start,
            self.temporary(self.apply("maximum", [distance, self.constant(0)], node), node),
            step,
        )

    def _clamped(
        self, value: Num | None, default: Num, ends: tuple[Num, Num], extent: Num, node: ast.AST
    ) -> Num:
        """A bound of a slice, counted from the front and kept between two ends."""
        if value is None:
            return default
        value = self.temporary(value, node)
        negative = self.apply("less", [value, self.constant(0)], node)
        value = self.select(negative, self.apply("add", [value, extent], node), value, node)
        value = self.apply("maximum", [value, ends[0]], node)
        return self.temporary(self.apply("minimum", [value, ends[1]], node), node)

    def _range_by(self, item: Slice, step: Num, extent: Num, node: ast.AST) -> tuple[Num, Num, Num]:
        """The same, with a step that is known when the kernel runs."""
        zero, one = self.constant(0), self.constant(1)
        self.need_step(step, node)
        forward = self.temporary(self.apply("greater", [step, zero], node), node)
        extent = self.temporary(extent, node)
        last = self.temporary(self.apply("subtract", [extent, one], node), node)
        low = self.temporary(self.select(forward, zero, self.constant(-1), node), node)
        high = self.temporary(self.select(forward, extent, last, node), node)
        first, end = (
            self.temporary(self.select(forward, a, b, node), node)
            for a, b in ((low, high), (high, low))
        )
        start = self._clamped(item.start, first, (low, high), extent, node)
        stop = self._clamped(item.stop, end, (low, high), extent, node)
        ahead = self.apply("subtract", [stop, start], node)
        back = self.apply("subtract", [start, stop], node)
        size = self.apply("maximum", [self.apply("absolute", [step], node), one], node)
        size = self.temporary(size, node)
        distance = self.apply("add", [self.select(forward, ahead, back, node), size], node)
        distance = self.apply("subtract", [distance, one], node)
        count = self.apply("maximum", [self.divided(distance, size, node), zero], node)
        return start, self.temporary(count, node), step

    def need_step(self, step: Num, node: ast.AST) -> None:
        """Kernels do not wait to say that it is zero: it is one element, over and over."""

    def divided(self, value: Num, by: Num, node: ast.AST) -> Num:
        """Rounded down, by what is not zero."""
        return Operations.apply(self, "floor_divide", [value, by], node)

    def quotient(self, value: Num, by: Num, node: ast.AST) -> Num:
        """As NumPy divides: nothing is raised where `by` is zero."""
        return Operations.apply(self, "divide", [value, by], node)

    def table(self, value: np.ndarray, node: ast.AST) -> Array:
        """A global array of NumPy's: its elements as they are now, set before everything else."""
        made = self.tables.get(id(value))
        if made is None:
            before, self.statements = self.statements, self.prologue
            made = self.constant_array(value, node)
            self.tables[id(value)] = made
            self.statements = before
        return made

    def constant_array(self, value: object, node: ast.AST) -> Array:
        """The elements of an array of NumPy's, which are known, as memory of the thread."""
        known = np.asarray(value)
        if known.dtype.name not in NAMES:
            raise self.error(node, f"kernels have no elements of the type {known.dtype}")
        if known.size > MOST_CONSTANTS:
            raise self.error(
                node,
                f"a table of {known.size} elements is an argument: {MOST_CONSTANTS} at most",
                TableError,
            )
        number = len(self.program.arrays)
        dtype, shape = NAMES.index(known.dtype.name), known.shape or (1,)
        made = Array(number, dtype, max(1, known.ndim), number, "local", "table", extents=shape)
        self.program.arrays.append(made)
        for place, item in np.ndenumerate(known.reshape(shape)):
            indices = [self.constant(i) for i in place]
            self.store(made, indices, self.constant(item.item(), Number(dtype)), node)
        return made

    def wrote(self, array: Array) -> None:
        self.program.written.add(array.root)

    def store(self, array: Array, indices: list[Num], value: Num, node: ast.AST) -> None:
        if array.frozen or any(array.root == table.root for table in self.tables.values()):
            raise self.error(node, "a global array is a constant; give it as an argument to set it")
        self.wrote(array)
        words = [w.STORE, self.site(node), array.number]
        words += self.cast(value, Number(array.dtype), node).words
        for index in indices:
            words += index.words
        self.statements.append(words)
