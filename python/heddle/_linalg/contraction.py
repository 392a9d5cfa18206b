"""Contractions of einsum: what is done to arrays, worked out once for their labels and shapes.

A contraction of two operands that is a product of matrices is given to BLAS, after moving axes; any
other one is a broadcast product and a sum in one kernel.
"""

import math
from collections.abc import Callable, Sequence
from typing import Any

from heddle import _core
from heddle._core import ndarray, ufuncs

Shape = tuple[int, ...]
Action = Callable[[ndarray, Any], ndarray]  # of an array and the type to compute in
Contraction = Callable[[list[ndarray], Any], ndarray]


def _reshape(shape: Shape) -> Action:
    return lambda a, kind: a._reshape(shape)


def _transpose(axes: tuple[int, ...]) -> Action:
    return lambda a, kind: a._transpose(axes)


def _sum(axes: tuple[int, ...]) -> Action:
    def action(a: ndarray, kind: Any) -> ndarray:
        combine = ufuncs["logical_or" if kind.kind == "b" else "add"]
        return _core.reduce(combine, _convert(a, kind), axes, False, kind)

    return action


def _convert(a: ndarray, kind: Any) -> ndarray:
    return a if a.dtype == kind else a._astype(kind, "K")


class Labelled:
    """An array while its contraction is planned: labels and extents, and what is done to it."""

    def __init__(self, term: str, shape: Shape) -> None:
        self.term, self.shape = term, shape
        self.actions: list[Action] = []

    def __call__(self, a: ndarray, kind: Any) -> ndarray:
        for action in self.actions:
            a = action(a, kind)
        return a

    def _add(self, action: Action, term: str, shape: Shape) -> None:
        self.actions.append(action)
        self.term, self.shape = term, shape

    def extents(self, labels: str) -> Shape:
        return tuple(self.shape[self.term.index(label)] for label in labels)

    def take_diagonals(self) -> None:
        """Each label once: axes that share one become their diagonal."""
        if len(set(self.term)) == len(self.term):
            return
        once = "".join(dict.fromkeys(self.term))
        places = [[i for i, other in enumerate(self.term) if other == label] for label in once]
        shape = self.extents(once)

        def action(a: ndarray, kind: Any) -> ndarray:
            steps = a.strides
            return a._strided(shape, tuple(sum(steps[i] for i in axes) for axes in places), 0)

        self._add(action, once, shape)

    def drop_single(self, sizes: dict[str, int]) -> None:
        """Without axes that are broadcast along those of other operands."""
        kept = "".join(
            label
            for label, extent in zip(self.term, self.shape, strict=True)
            if extent != 1 or sizes[label] == 1
        )
        if kept != self.term:
            shape = self.extents(kept)
            self._add(_reshape(shape), kept, shape)

    def sum_others(self, needed: set[str]) -> None:
        """Without labels that nobody else has."""
        axes = tuple(i for i, label in enumerate(self.term) if label not in needed)
        if axes:
            kept = "".join(label for label in self.term if label in needed)
            self._add(_sum(axes), kept, self.extents(kept))

    def arrange(self, wanted: str) -> None:
        """The axes in the order of the labels."""
        if self.term != wanted:
            axes = tuple(self.term.index(label) for label in wanted)
            self._add(_transpose(axes), wanted, self.extents(wanted))

    def spread(self, wanted: str) -> None:
        """The same with axes of extent one for labels that it has not."""
        self.arrange("".join(label for label in wanted if label in self.term))
        if self.term != wanted:
            shape = tuple(
                self.shape[self.term.index(label)] if label in self.term else 1 for label in wanted
            )
            self._add(_reshape(shape), wanted, shape)

    def reshape(self, shape: Shape) -> None:
        if self.shape != shape:
            self.actions.append(_reshape(shape))
            self.shape = shape

    def prepare(self, needed: set[str], sizes: dict[str, int]) -> None:
        self.take_diagonals()
        self.drop_single(sizes)
        self.sum_others(needed)


def _multiplied(operands: Sequence[Labelled], output: str) -> tuple[Contraction, Shape]:
    """The broadcast product of all operands, summed over what the output has not."""
    if len(operands) == 2 and not output and all(len(a.term) == 1 for a in operands):
        a, b = operands
        matmul = _core.generalized_ufuncs["matmul"]  # of two vectors
        return lambda x, kind: _core.multiply(matmul, a(x[0], kind), b(x[1], kind), kind), ()
    summed = "".join(
        dict.fromkeys(label for a in operands for label in a.term if label not in output)
    )
    for a in operands:
        a.spread(output + summed)
    axes = tuple(range(len(output), len(output + summed)))
    extents = zip(*(a.shape for a in operands), strict=True)
    shape = tuple(next((n for n in along if n != 1), 1) for along in extents)

    def run(arrays: list[ndarray], kind: Any) -> ndarray:
        multiply = ufuncs["logical_and" if kind.kind == "b" else "multiply"]
        made = None
        for a, prepared in zip(arrays, operands, strict=True):
            a = prepared(_convert(a, kind), kind)
            made = a if made is None else _core.apply(multiply, (made, a), None)
        return _sum(axes)(made, kind) if axes else made

    return run, shape[: len(output)]


def _product(
    operands: Sequence[Labelled], first: int, output: str
) -> tuple[Contraction, Shape] | None:
    """Two operands as a product of matrices, if it is one, with this one on the left."""
    a, b = operands[first], operands[1 - first]
    both = [label for label in a.term if label in b.term]
    batch = "".join(label for label in both if label in output)
    inner = "".join(label for label in both if label not in output)
    rows = "".join(label for label in a.term if label not in b.term)
    columns = "".join(label for label in b.term if label not in a.term)
    height, width = math.prod(a.extents(rows)), math.prod(b.extents(columns))
    # With one row and column it is a dot product, which needs no axes in any order.
    if not inner or height * width <= 1:
        return None
    stack, depth = a.extents(batch), math.prod(a.extents(inner))
    shape = (*stack, *a.extents(rows), *b.extents(columns))
    result = Labelled(batch + rows + columns, shape)
    a.arrange(batch + rows + inner)
    b.arrange(batch + inner + columns)
    a.reshape((*stack, height, depth))
    b.reshape((*stack, depth, width))
    if shape != (*stack, height, width):
        result.actions.append(_reshape(shape))
    result.spread(output)

    def run(arrays: list[ndarray], kind: Any) -> ndarray:
        left, right = a(arrays[first], kind), b(arrays[1 - first], kind)
        return result(_core.matrix_product(left, right, kind), kind)

    return run, result.shape


def planned(
    terms: Sequence[str], shapes: Sequence[Shape], output: str, sizes: dict[str, int], boolean: bool
) -> tuple[Contraction, Shape]:
    """The contraction of operands with these terms and shapes, and the shape of its result."""
    operands = [Labelled(term, shape) for term, shape in zip(terms, shapes, strict=True)]
    for a in operands:
        others = (b.term for b in operands if b is not a)
        a.prepare(set(output).union(*others), sizes)
    if len(operands) == 2:
        a, b = operands
        # What is broadcast in one operand is the other's alone.
        a.sum_others(set(output) | set(b.term))
        b.sum_others(set(output) | set(a.term))
        # The result is in C order if its first axis is the left operand's.
        alone = [label for label in output if (label in a.term) != (label in b.term)]
        first = 1 if alone and alone[0] in b.term else 0
        made = None if boolean else _product(operands, first, output)
        if made is not None:
            return made
    return _multiplied(operands, output)
