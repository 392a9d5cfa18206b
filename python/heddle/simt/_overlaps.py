"""Arguments of a host function that turn out to be parts of one array.

What is written to one is read from the other, then: ``a[1:] = b[:-1]`` reads all of it first.
"""

from __future__ import annotations

import ast

from heddle.simt import _words as w
from heddle.simt._types import INT64, SIZES, Array, Num, Number
from heddle.simt._whole import Whole


class Overlaps(Whole):
    """Asks for each pair of arguments that matters, once, before everything."""

    def begin_overlaps(self) -> None:
        self.sharing: dict[tuple[int, int], Num] = {}

    def shared_memory(self, view: Array, sources: list[Array], node: ast.AST) -> Num | None:
        found: Num | None = None
        for root in sorted({source.root for source in sources} - {view.root}):
            numbers = sorted((view.root, root))
            if any(self.program.arrays[n].space != "parameter" for n in numbers):
                continue
            one = self._are_shared(numbers[0], numbers[1], node)
            found = one if found is None else self.apply("logical_or", [found, one], node)
        return None if found is None else self.temporary(found, node)

    def _are_shared(self, first: int, second: int, node: ast.AST) -> Num:
        if (first, second) not in self.sharing:
            before, self.statements = self.statements, self.prologue
            low, high = self._bounds(self.program.arrays[first], node)
            other_low, other_high = self._bounds(self.program.arrays[second], node)
            begins = self.apply("less", [low, other_high], node)
            ends = self.apply("less", [other_low, high], node)
            both = self.apply("logical_and", [begins, ends], node)
            self.sharing[first, second] = self.temporary(both, node)
            self.statements = before
        return self.sharing[first, second]

    def _bounds(self, array: Array, node: ast.AST) -> tuple[Num, Num]:
        """From which byte to which byte an argument lies."""
        low = Num(Number(INT64, True), [w.ADDRESS, 0, array.number])
        low = high = self.temporary(low, node)
        zero, one = self.constant(0), self.constant(1)
        size = self.constant(1 if array.in_bytes else SIZES[array.dtype])
        for axis in range(array.ndim):
            steps = self.apply("subtract", [self.extent(array, axis), one], node)
            moved = self.apply("multiply", [steps, self.stride(array, axis)], node)
            moved = self.temporary(self.apply("multiply", [moved, size], node), node)
            low = self.apply("add", [low, self.apply("minimum", [moved, zero], node)], node)
            high = self.apply("add", [high, self.apply("maximum", [moved, zero], node)], node)
        high = self.apply("add", [high, self.constant(SIZES[array.dtype])], node)
        return self.temporary(low, node), self.temporary(high, node)
