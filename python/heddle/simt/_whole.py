"""Operations on whole arrays: one loop for an expression.

What is made of arrays by operators and functions of numbers stays an expression (`Lazy`) until it
has to be an array, or goes into one.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from heddle.simt import _places
from heddle.simt import _words as w
from heddle.simt._operations import describe
from heddle.simt._statements import Statements
from heddle.simt._types import (
    BOOL,
    FLOAT16,
    FLOAT32,
    FLOAT64,
    INT64,
    OPS,
    Array,
    Constant,
    Num,
    Number,
    Tuple,
    is_float,
    is_integer,
)

_INT = Number(INT64, True)


@dataclass
class Lazy:
    """An expression over the elements of arrays."""

    shape: list[Num]
    element: Callable[[list[Num]], Num]
    type: Number
    sources: list[Array]
    origin: tuple[Array, Num] | None = None  # a sum of these, which is a place for CuPy's Thrust

    @property
    def ndim(self) -> int:
        return len(self.shape)

    @property
    def numpys(self) -> bool:
        return any(a.numpys for a in self.sources)


# What arrays are asked for by calls (simt/_creation.py, simt/_methods.py).
METHODS = (
    *("sum", "prod", "min", "max", "mean", "any", "all", "copy", "astype", "fill", "dot", "item"),
    *("var", "std", "reshape", "ravel", "flatten", "transpose", "argmax", "argmin", "argsort"),
    *("clip", "cumprod", "cumsum", "repeat", "trace", "begin", "end", "conj", "conjugate"),
    *("nonzero", "squeeze", "swapaxes", "take", "sort", "view", "ptp", "round", "argpartition"),
    *("searchsorted", "put", "compress"),
)


class Whole(Statements):
    """Arrays as operands."""

    def fail(
        self, kind: object, arguments: tuple[object, ...], node: ast.AST, when: Num | None = None
    ) -> None:
        raise NotImplementedError

    def allocate(
        self, shape: list[Num], dtype: int, zeros: bool, numpys: bool, node: ast.AST
    ) -> Array:
        raise NotImplementedError

    def is_whole(self, value: object) -> bool:
        return isinstance(value, (Array, Lazy))

    def settled(self, value: object, node: ast.AST) -> Any:
        """An array, where it is an expression of arrays; kernels, which make none, have that."""
        return self.made_array(value, node) if isinstance(value, Lazy) and self.host else value

    # --- what arrays are asked for ---

    def array_attribute(self, array: Array, name: str, node: ast.AST) -> Any:
        if name in METHODS:
            return Constant(("method", name, array))
        return super().array_attribute(array, name, node)

    def element(self, array: Array, items: list[Any], node: ast.AST) -> Any:
        if any(self.is_whole(item) for item in items):
            return _places.read(self, array, items, node)
        return super().element(array, items, node)

    def indices(self, array: Array, items: Sequence[object], node: ast.AST) -> list[Num] | None:
        if any(self.is_whole(item) for item in items):
            return None
        return super().indices(array, items, node)

    def fill_part(
        self, array: Array, items: Sequence[object], value: object, node: ast.AST
    ) -> None:
        if any(self.is_whole(item) for item in items):
            _places.write(self, array, items, value, node)
            return
        super().fill_part(array, items, value, node)

    def _attribute(self, node: ast.Attribute) -> Any:
        if isinstance(node.value, (ast.BinOp, ast.UnaryOp, ast.Compare, ast.Call)):
            value = self.expression(node.value)
            if isinstance(value, Lazy):
                if node.attr in METHODS:
                    return Constant(("method", node.attr, value))
                value = self.made_array(value, node)
            return self.attribute(value, node)
        return super()._attribute(node)

    # --- expressions ---

    def elementwise(self, function: Callable[..., Num], values: list[Any], node: ast.AST) -> Lazy:
        """function(numbers) for all elements of arrays that fit together."""
        ndim = max(v.ndim for v in values if self.is_whole(v))
        shapes = [self._shape(v) for v in values]
        shape: list[Num] = []
        for axis in range(ndim):
            sizes = [s[axis - ndim + len(s)] for s in shapes if axis - ndim + len(s) >= 0]
            shape.append(self._common(sizes, node))
        kept = [self.temporary(v, node) if isinstance(v, Num) else v for v in values]

        def element(indices: list[Num]) -> Num:
            numbers = [
                self._element_of(v, s, indices, node) for v, s in zip(kept, shapes, strict=True)
            ]
            before, self.of_arrays = self.of_arrays, True
            made = function(*numbers)
            self.of_arrays = before
            return made

        sources: list[Array] = []
        for value in values:
            sources += [value] if isinstance(value, Array) else getattr(value, "sources", [])
        return Lazy(shape, element, self._type_of(element, ndim), sources)

    def _shape(self, value: object) -> list[Num]:
        if isinstance(value, Lazy):
            return value.shape
        if isinstance(value, Array):
            return [self.extent(value, axis) for axis in range(value.ndim)]
        return []

    def _common(self, sizes: list[Num], node: ast.AST) -> Num:
        """The extent that all broadcast to."""
        made = sizes[0]
        one = self.constant(1)
        for other in sizes[1:]:
            if other.words == made.words:
                continue
            single = self.apply("equal", [made, one], node)
            joined = self.temporary(self.select(single, other, made, node), node)
            fits = self.apply(
                "logical_or",
                [
                    self.apply("equal", [other, joined], node),
                    self.apply("equal", [other, one], node),
                ],
                node,
            )
            self.fail(
                ValueError,
                ("operands could not be broadcast together",),
                node,
                self.apply("logical_not", [fits], node),
            )
            made = joined
        return made

    def _element_of(self, value: Any, shape: list[Num], indices: list[Num], node: ast.AST) -> Num:
        if isinstance(value, Num):
            return value
        own = indices[len(indices) - len(shape) :]
        one, zero = self.constant(1), self.constant(0)
        placed = []
        for extent, index in zip(shape, own, strict=True):
            single = self.apply("equal", [extent, one], node)
            placed.append(self.select(single, zero, index, node))
        if isinstance(value, Lazy):
            return value.element(placed)
        made: Num = self.element(value, placed, node)
        return made

    def _type_of(self, element: Callable[[list[Num]], Num], ndim: int) -> Number:
        """The type of the elements: written once, and thrown away."""
        before, self.statements = self.statements, []
        made = element([self.constant(0)] * ndim).type
        self.statements = before
        return made

    def binary(self, op: ast.operator, left: object, right: object, node: ast.AST) -> Any:
        if self.is_whole(left) or self.is_whole(right):
            if isinstance(op, ast.MatMult):
                return self._product(left, right, node)
            values = [self._operand(v, node) for v in (left, right)]
            above = super().binary

            def combined(*numbers: Num) -> Num:
                a, b = self._as_elements(values, numbers, node)
                made: Num = above(op, a, b, node)
                return made

            made = self.elementwise(combined, values, node)
            if isinstance(op, ast.Add) and isinstance(left, Array) and isinstance(right, Num):
                made.origin = (left, right)
            return made
        return super().binary(op, left, right, node)

    def _as_elements(
        self, values: Sequence[object], numbers: Sequence[Num], node: ast.AST
    ) -> Sequence[Num]:
        """Numba's types of operands: an integer beside an array, or in one beside a number, becomes
        the floating type of the other; else NumPy's promotion, of numbers as of arrays."""
        if not self.numba or len(numbers) != 2:
            return numbers
        types_ = [n.type for n in numbers]
        mixed = any(not self.is_whole(v) for v in values)
        whole = [is_integer(t.dtype) for t in types_]
        if mixed and whole[0] != whole[1] and types_[whole.index(False)].dtype != BOOL:
            wanted = types_[whole.index(False)]
        else:
            wanted = self.promoted(*types_)
        return [self.cast(n, wanted, node) for n in numbers]

    def _operand(self, value: object, node: ast.AST) -> Any:
        return value if self.is_whole(value) else self.number(value, node, "as an operand")

    def apply_whole(self, name: str, values: list[object], node: ast.AST) -> Lazy:
        """A function of numbers, of arrays."""
        operands = [self._operand(v, node) for v in values]

        def applied(*numbers: Num) -> Num:
            typed = list(numbers) if OPS[name][2] else self._as_elements(operands, numbers, node)
            made = self.apply(name, list(typed), node)
            if self.numba and made.type.dtype == FLOAT16 and not is_float(typed[0].type.dtype):
                made = self.apply(name, [self.cast(n, Number(FLOAT32), node) for n in typed], node)
            return made

        return self.elementwise(applied, operands, node)

    def compared(self, op: ast.cmpop, left: object, right: object, node: ast.AST) -> Any:
        if (self.is_whole(left) or self.is_whole(right)) and not isinstance(
            op, (ast.Is, ast.IsNot, ast.In, ast.NotIn)
        ):
            values = [self._operand(v, node) for v in (left, right)]
            above = super().compared
            return self.elementwise(lambda a, b: above(op, a, b, node), values, node)
        return super().compared(op, left, right, node)

    def _unaryop(self, node: ast.UnaryOp) -> Any:
        if isinstance(node.op, (ast.USub, ast.UAdd, ast.Invert)):
            value = self.expression(node.operand)
            if self.is_whole(value):
                if isinstance(node.op, ast.UAdd):
                    return self.elementwise(lambda number: number, [value], node)
                name = "negative" if isinstance(node.op, ast.USub) else "invert"
                return self.apply_whole(name, [value], node)
            return self.unary(node, value)
        return super()._unaryop(node)

    # --- into arrays ---

    def bind(self, name: str, value: object, node: ast.AST) -> None:
        if isinstance(value, Lazy):
            value = self.made_array(value, node)
        super().bind(name, value, node)

    def made_array(self, value: Lazy, node: ast.AST) -> Array:
        """The elements, in memory."""
        shape = [self.temporary(n, node) for n in value.shape]
        made: Array = self.allocate(shape, value.type.dtype, False, value.numpys, node)
        self.nested(
            shape, lambda indices: self.store(made, indices, value.element(indices), node), node
        )
        return made

    def nested(self, shape: list[Num], turn: Callable[[list[Num]], None], node: ast.AST) -> None:
        """Loops over all indices of a shape."""

        def along(axis: int, indices: list[Num]) -> None:
            if axis == len(shape):
                turn(indices)
                return
            zero, one = self.constant(0), self.constant(1)
            self.counted(
                zero, shape[axis], one, lambda index: along(axis + 1, [*indices, index]), node
            )

        along(0, [])

    def fill(self, view: Array, value: Any, node: ast.AST) -> None:
        """Every element of a view: of a number, or of what broadcasts to it."""
        if not self.is_whole(value):
            if isinstance(value, Tuple):
                self._fill_items(view, value, node)
                return
            number = self.temporary(self.number(value, node, "for the elements"), node)
            shape = self._shape(view)
            self.nested(shape, lambda indices: self.store(view, indices, number, node), node)
            return
        if value.ndim > view.ndim:
            raise self.error(node, f"{describe(value)} does not fit into {describe(view)}")
        sources = value.sources if isinstance(value, Lazy) else [value]
        whole = value if isinstance(value, Lazy) else self.as_lazy(value, node)
        if any(self._may_overlap(view, source) for source in sources):
            self._fill_from(view, self.made_array(whole, node), node)
            return
        shared = self.shared_memory(view, sources, node)
        if shared is None:
            self._fill_from(view, value, node)
            return
        sides: list[int] = []
        before = self.statements
        self.scope.depth += 1
        for apart in (False, True):
            self.statements = []
            self._fill_from(view, value if apart else self.made_array(whole, node), node)
            sides += w.block(self.statements)
        self.scope.depth -= 1
        self.statements = before
        self.statements.append([w.BRANCH, self.line(node), *shared.words, *sides])

    def shared_memory(self, view: Array, sources: list[Array], node: ast.AST) -> Num | None:
        """Whether arguments turn out to be parts of one array; None: nobody asks."""
        return None

    def _fill_from(self, view: Array, value: Array | Lazy, node: ast.AST) -> None:
        sizes, shape = self._shape(value), self._shape(view)
        self.need_to_fit(sizes, shape[len(shape) - len(sizes) :], node)
        self.nested(
            shape,
            lambda i: self.store(view, i, self._element_of(value, sizes, i, node), node),
            node,
        )

    def divisor(self, value: Num, name: str, whole: bool, node: ast.AST) -> Num:
        """What something is divided by; zero is an error."""
        if value.constant is not None and value.constant != 0:
            return value
        value = self.temporary(value, node)
        zero = self.apply("equal", [value, self.constant(0, value.type)], node)
        said = "division by zero"
        if name == "remainder" and whole:
            said = "integer modulo by zero"
        self.fail(ZeroDivisionError, (said,), node, zero)
        return value

    def need_in_range(self, index: Num, count: int, node: ast.AST) -> None:
        """An item that a tuple has not is an error."""
        low = self.apply("less", [index, self.constant(0, index.type)], node)
        high = self.apply("greater_equal", [index, self.constant(count, index.type)], node)
        outside = self.apply("logical_or", [low, high], node)
        self.fail(IndexError, ("tuple index out of range",), node, outside)

    def need_equal(self, a: Num, b: Num, kind: object, said: str, node: ast.AST) -> None:
        self.fail(kind, (said,), node, self.apply("not_equal", [a, b], node))

    def need_to_fit(self, sizes: list[Num], shape: list[Num], node: ast.AST) -> None:
        for size, extent in zip(sizes, shape, strict=True):
            if size.words == extent.words:
                continue
            fits = self.apply(
                "logical_or",
                [
                    self.apply("equal", [size, extent], node),
                    self.apply("equal", [size, self.constant(1)], node),
                ],
                node,
            )
            self.fail(
                ValueError,
                ("could not broadcast an array into the shape of another",),
                node,
                self.apply("logical_not", [fits], node),
            )

    def _fill_items(self, view: Array, value: Tuple, node: ast.AST) -> None:
        if view.ndim != 1:
            raise self.error(node, f"{describe(value)} does not fit into {describe(view)}")
        for i, item in enumerate(value.items):
            self.store(view, [self.constant(i)], self.number(item, node), node)

    def _may_overlap(self, view: Array, source: Array) -> bool:
        """Whether writing elements may change what is read for others."""
        if view is source:
            return False
        if view.held is None and source.held is None:
            return view.root == source.root
        return True

    def as_lazy(self, value: Array, node: ast.AST) -> Lazy:
        return Lazy(
            self._shape(value),
            lambda indices: self.element(value, list(indices), node),
            Number(value.dtype),
            [value],
        )

    def _do_augassign(self, node: ast.AugAssign) -> None:
        target = node.target
        if isinstance(target, ast.Name):
            known = self.scope.names.get(target.id)
            if isinstance(known, Array):
                value = self.binary(node.op, known, self.expression(node.value), node)
                if isinstance(node.op, ast.MatMult):
                    raise self.error(node, "a product is a new array: write a = a @ b")
                self.fill(known, value, node)
                return
        super()._do_augassign(node)

    def update_part(self, array: Array, items: Sequence[object], node: ast.AugAssign) -> None:
        if any(self.is_whole(item) for item in items):
            kept = [self.settled(item, node) for item in items]
            before = _places.read(self, array, kept, node)
            value = self.binary(node.op, before, self.expression(node.value), node)
            _places.write(self, array, kept, value, node)
            return
        part = self.sliced(array, items, node.target)
        right = self.expression(node.value)
        self.fill(part, self.binary(node.op, part, right, node), node)

    # --- out of arrays ---

    def reduce(self, name: str, value: Any, node: ast.AST) -> Num:
        """A number of all elements: sum, prod, min, max, mean, any, all."""
        lazy = value if isinstance(value, Lazy) else self.as_lazy(value, node)
        shape = [self.temporary(n, node) for n in lazy.shape]
        type_ = self._sum_type(lazy.type) if name in ("sum", "prod") else lazy.type
        if name == "mean":
            type_ = (
                lazy.type
                if not is_integer(lazy.type.dtype) and lazy.type.dtype != BOOL
                else Number(FLOAT64)
            )
        if name in ("any", "all"):
            type_ = Number(BOOL)
        op = {"sum": "add", "mean": "add", "prod": "multiply", "min": "minimum", "max": "maximum"}
        op |= {"any": "logical_or", "all": "logical_and"}
        var = self.local(type_)
        if name in ("min", "max"):
            for size in shape:
                empty = self.apply("equal", [size, self.constant(0)], node)
                said = f"zero-size array to reduction operation {name}imum which has no identity"
                self.fail(ValueError, (said,), node, empty)
            self.set(var, lazy.element([self.constant(0)] * len(shape)), node)
        else:
            start = 1 if name in ("prod", "all") else 0
            self.set(var, self.constant(start, Number(INT64, True)), node)

        def turn(indices: list[Num]) -> None:
            one = lazy.element(indices)
            one = self.truth(one, node) if type_.dtype == BOOL else self.cast(one, type_, node)
            self.set(var, self.apply(op[name], [self.read(var), one], node), node)

        self.nested(shape, turn, node)
        total = self.read(var)
        if name != "mean":
            return total
        count = self.constant(1)
        for size in shape:
            count = self.apply("multiply", [count, size], node)
        return super().apply("divide", [total, self.cast(count, type_, node)], node)

    def _sum_type(self, type_: Number) -> Number:
        if type_.dtype == BOOL:
            return Number(INT64)
        if is_integer(type_.dtype):
            from heddle.simt._types import UINT64, is_signed

            return Number(INT64 if is_signed(type_.dtype) else UINT64)
        return type_

    def _product(self, left: object, right: object, node: ast.AST) -> Any:
        """Of vectors and matrices, by the loops that say so."""
        a, b = (self.made_array(v, node) if isinstance(v, Lazy) else v for v in (left, right))
        if not (isinstance(a, Array) and isinstance(b, Array)) or not (
            1 <= a.ndim <= 2 and 1 <= b.ndim <= 2
        ):
            raise self.error(node, "products are of vectors and matrices here")
        inner, other = self.extent(a, a.ndim - 1), self.extent(b, 0)
        differ = self.apply("not_equal", [inner, other], node)
        said = ("the inner dimensions of a product differ",)
        self.fail(ValueError, said, node, differ)
        type_ = self.promoted(Number(a.dtype), Number(b.dtype))
        shape = [self.extent(a, 0)] * (a.ndim == 2) + [self.extent(b, 1)] * (b.ndim == 2)
        made: Any = None
        if shape:
            made = self.allocate(shape, type_.dtype, True, a.numpys or b.numpys, node)
        var = self.local(type_)

        def turn(indices: list[Num]) -> None:
            self.set(var, self.constant(0, Number(INT64, True)), node)

            def add(k: Num) -> None:
                x = self.element(a, [*indices[: a.ndim - 1], k], node)
                y = self.element(b, [k, *indices[len(indices) - (b.ndim - 1) :]], node)
                more = self.apply("multiply", [x, y], node)
                self.set(var, self.apply("add", [self.read(var), more], node), node)

            self.counted(self.constant(0), inner, self.constant(1), add, node)
            if made is not None:
                self.store(made, indices, self.read(var), node)

        self.nested(shape, turn, node)
        return made if made is not None else self.read(var)


__all__ = ["Constant", "Lazy", "Whole"]
