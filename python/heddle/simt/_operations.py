"""Operations on numbers: rows of the op table, folded where they are known."""

from __future__ import annotations

import ast
import types
from collections.abc import Sequence
from typing import Any

from heddle import _core
from heddle.simt import _words as w
from heddle.simt._operators import (
    BINARY,
    BINARY_FUNCTIONS,
    COMPARISON_FUNCTIONS,
    COMPARISONS,
)
from heddle.simt._state import State
from heddle.simt._types import (
    BOOL,
    FLOAT64,
    INT64,
    OPS,
    UINT64,
    Array,
    Constant,
    Dict,
    DictView,
    Instance,
    Iterator,
    List,
    Num,
    Number,
    Range,
    Record,
    RecordArray,
    Slice,
    Text,
    Tuple,
    holds,
    is_float,
    is_integer,
    is_signed,
    to_dtype,
)

_COMPARISONS = {COMPARISONS[op]: how for op, how in COMPARISON_FUNCTIONS.items()}
_OF_BITS = (ast.BitAnd, ast.BitOr, ast.BitXor, ast.LShift, ast.RShift)
_ARITHMETIC = (ast.Add, ast.Sub, ast.Mult, ast.FloorDiv, ast.Mod, ast.Pow)


class Operations(State):
    """What operators and functions of numbers become."""

    def expression(self, node: ast.expr) -> Any:
        raise NotImplementedError

    def operands(self, nodes: Sequence[ast.expr]) -> list[Num]:
        """Values in the order of Python: what was read before something was done is kept."""
        made = []
        places: list[int] = []
        for node in nodes:
            before = len(self.statements)
            made.append(self.expression(node))
            places.append(len(self.statements))
            if len(self.statements) == before:
                continue
            later: list[list[int]] = self.statements[before:]
            del self.statements[before:]
            for i, value in enumerate(made[:-1]):
                if isinstance(value, Num) and not value.simple:
                    made[i] = self.temporary(value, node)
            self.statements += later
        return made

    def number(self, value: object, node: ast.AST, what: str = "here") -> Num:
        if isinstance(value, Num):
            return value
        raise self.error(node, f"a number is needed {what}, not {describe(value)}")

    def integer(self, value: object, node: ast.AST, what: str) -> Num:
        """As int64."""
        number = self.number(value, node, what)
        if not is_integer(number.type.dtype) and number.type.dtype != BOOL:
            raise self.error(node, f"an integer is needed {what}, not {number.type}")
        return self.cast(number, Number(INT64, True), node)

    def known_integer(self, value: object, node: ast.AST, what: str) -> int:
        constant = value.constant if isinstance(value, Num) else None
        if isinstance(constant, (bool, int)):
            return int(constant)
        raise self.error(
            node, f"{what} has to be known when the kernel is compiled: a literal, or a global name"
        )

    def truth(self, value: object, node: ast.AST) -> Num:
        if isinstance(value, Constant):
            return self.constant(bool(value.value))
        if isinstance(value, Tuple):
            return self.constant(bool(value.items))
        if isinstance(value, List):
            return self.apply("not_equal", [self.read(value.length), self.constant(0)], node)
        number = self.number(value, node, "as a condition")
        if number.type.dtype == BOOL:
            return number
        if number.constant is not None:
            return self.constant(bool(number.constant))
        return self.apply("not_equal", [number, self.constant(0)], node)

    def apply(self, name: str, args: list[Num], node: ast.AST) -> Num:
        """A row of the op table."""
        op, inputs, integers = OPS[name]
        if len(args) != inputs:
            raise self.error(node, f"{name} takes {inputs} arguments, not {len(args)}")
        values = [a for i, a in enumerate(args) if i not in integers]
        if name in _COMPARISONS:
            exact = self._compared_integers(name, args, node)
            if exact is not None:
                return exact
        common = values[0].type
        for arg in values[1:]:
            common = self.promoted(common, arg.type)
        if name == "divide" and (is_integer(common.dtype) or common.dtype == BOOL):
            common = Number(FLOAT64, common.weak)  # small integers, too
        found = _core.simt_op_types(op, common.dtype)
        if found is None:
            kinds = " and ".join(str(arg.type) for arg in args)
            raise self.error(node, f"{name} is not defined for {kinds}")
        compute, result = found
        weak = all(arg.type.weak or arg.type.dtype == BOOL for arg in values) and any(
            arg.type.weak for arg in values
        )
        compute_type = Number(compute)
        words = [w.OP, self.line(node), op, compute, result]
        for i, arg in enumerate(args):
            if i in integers:
                words += self.integer(arg, node, f"by {name}").words
            else:
                words += self.cast(arg, compute_type, node).words
        reads = any(arg.reads for arg in args)
        return Num(Number(result, weak and result != BOOL), words, reads=reads)

    def _compared_integers(self, name: str, args: list[Num], node: ast.AST) -> Num | None:
        """Integers of two types by what they are, as Python and NumPy compare them."""
        types_ = [a.type for a in args]
        if types_[0] == types_[1] or not all(is_integer(t.dtype) for t in types_):
            return None
        for i, known in enumerate(a.constant for a in args):
            of = types_[1 - i]
            if not isinstance(known, int) or of.weak:
                continue
            if holds(of.dtype, (known, known)):
                same = [self.cast(a, of, node) for a in args]
                return self.apply(name, same, node)
            # Out of range of the other's type: each of its integers is on the same side.
            return self.constant(_COMPARISONS[name](*((known, 0) if i == 0 else (0, known))))
        signed = [is_signed(t.dtype) for t in types_]
        if UINT64 not in (t.dtype for t in types_) or signed[0] == signed[1]:
            wide = Number(UINT64 if UINT64 in (t.dtype for t in types_) else INT64)
            return self.apply(name, [self.cast(a, wide, node) for a in args], node)
        # What is less than zero is less than what has no sign; else both are of 64 bits.
        below = self.apply(
            "less",
            [
                self.cast(args[signed.index(True)], Number(INT64), node),
                self.constant(0, Number(INT64)),
            ],
            node,
        )
        bits = self.apply(name, [self.cast(a, Number(UINT64), node) for a in args], node)
        if _COMPARISONS[name](*((-1, 0) if signed[0] else (0, -1))):
            return self.apply("logical_or", [below, bits], node)
        return self.apply("logical_and", [self.apply("logical_not", [below], node), bits], node)

    def select(self, condition: Num, yes: Num, no: Num, node: ast.AST) -> Num:
        type_ = self.promoted(yes.type, no.type)
        words = [w.OP, self.line(node), self.op_number("select"), type_.dtype, type_.dtype]
        words += (
            condition.words + self.cast(yes, type_, node).words + self.cast(no, type_, node).words
        )
        return Num(type_, words, reads=yes.reads or no.reads)

    def binary(self, op: ast.operator, left: object, right: object, node: ast.AST) -> Any:
        name = BINARY.get(type(op))
        if name is None:
            raise self.error(node, "kernels have no matrix products; write the loop, or use arrays")
        if isinstance(left, Iterator):
            return self._moved(left, right, name, node)
        if isinstance(left, Tuple) and isinstance(right, Tuple) and name == "add":
            return Tuple(left.items + right.items)
        a, b = (self.number(value, node, "as an operand") for value in (left, right))
        folded = self._folded(op, a, b)
        if folded is not None:
            return folded
        if not isinstance(op, ast.Div):
            self._need_to_fit(a, b, node)
        if self.numba and not self.of_arrays:
            if isinstance(op, _OF_BITS):
                a, b = self._bits_of_one_type(op, a, b, node)
            elif isinstance(op, _ARITHMETIC):
                a, b = self._integers_of_one_type(a, b, node)
        if name == "power":
            return self._power(a, b, node)
        return self.apply(name, [a, b], node)

    def _need_to_fit(self, a: Num, b: Num, node: ast.AST) -> None:
        """Refuses literals that the type beside them cannot hold, as NumPy does."""
        for literal, other in ((a, b), (b, a)):
            known, of = literal.constant, other.type
            if not (literal.type.weak and isinstance(known, int)) or of.weak:
                continue
            if is_integer(of.dtype) and not holds(of.dtype, (known, known)):
                raise self.error(
                    node,
                    f"Python integer {known} out of bounds for {of}; "
                    "convert what is beside it, with int() or a larger type",
                )

    def _moved(self, at: Iterator, by: object, name: str, node: ast.AST) -> Num | Iterator:
        """An iterator some elements on, or how far it is from another."""
        if name == "subtract" and isinstance(by, Iterator):
            return self.apply("subtract", [at.place, by.place], node)
        if name not in ("add", "subtract"):
            raise self.error(node, "iterators are moved by integers, and subtracted")
        steps = self.integer(by, node, "to move an iterator")
        place = self.temporary(self.apply(name, [at.place, steps], node), node)
        return Iterator(at.array, place, at.first, at.step)

    def _integers_of_one_type(self, a: Num, b: Num, node: ast.AST) -> tuple[Num, Num]:
        """As Numba has it: truths count, and an unsigned number beside a signed one is signed."""
        kinds = [a.type.dtype, b.type.dtype]
        if not all(is_integer(k) or k == BOOL for k in kinds):
            return a, b
        unsigned = all(is_integer(k) and not is_signed(k) for k in kinds)
        wanted = Number(UINT64 if unsigned else INT64)
        return self.cast(a, wanted, node), self.cast(b, wanted, node)

    def _bits_of_one_type(self, op: ast.operator, a: Num, b: Num, node: ast.AST) -> tuple[Num, Num]:
        """As Numba has it: shifts are of the type on the left, and bits are never floats."""
        kinds = {a.type.dtype, b.type.dtype}
        if not all(is_integer(k) or k == BOOL for k in kinds):
            return a, b
        if isinstance(op, (ast.LShift, ast.RShift)):
            return a, self.cast(b, a.type if is_integer(a.type.dtype) else Number(INT64), node)
        if UINT64 not in kinds or not any(is_signed(k) for k in kinds):
            return a, b
        known = next((n.constant for n in (a, b) if n.constant is not None), None)
        wanted = Number(UINT64 if isinstance(known, int) and known >= 0 else INT64)
        return self.cast(a, wanted, node), self.cast(b, wanted, node)

    def _folded(self, op: ast.operator, a: Num, b: Num) -> Num | None:
        x, y = a.constant, b.constant
        if x is None or y is None or not all(self._is_pythons(n) for n in (a, b)):
            return None
        if isinstance(x, complex) or isinstance(y, complex):
            return None
        # What would be a large integer is left to the program.
        if isinstance(op, ast.Pow) and abs(y) >= 1000:
            return None
        if isinstance(op, ast.LShift) and not 0 <= y < 64:
            return None
        try:
            value = BINARY_FUNCTIONS[type(op)](x, y)
        except (ArithmeticError, TypeError, ValueError):
            return None
        if isinstance(value, complex):
            return None
        if isinstance(value, int) and not -(2**63) <= value < 2**63:
            return None
        return self.constant(value)

    def _is_pythons(self, number: Num) -> bool:
        """Whether a constant is of the type that a literal has."""
        return number.type.weak or (
            self.numba and number.type == self.constant(number.constant).type
        )

    def _power(self, base: Num, exponent: Num, node: ast.AST) -> Num:
        """Powers with small exponents are products."""
        power = exponent.constant
        if isinstance(power, float) and power == int(power) and is_float(base.type.dtype):
            power = int(power)
        if exponent.type.weak or self.numba:
            if power == 0.5 and is_float(base.type.dtype):
                return self.apply("sqrt", [base], node)
            if isinstance(power, int) and not isinstance(power, bool) and 1 <= power <= 4:
                whole = base.type if base.type.dtype != BOOL else Number(INT64, True)
                x = self.temporary(self.cast(base, whole, node), node)
                made = x
                for _ in range(power - 1):
                    made = self.apply("multiply", [made, x], node)
                return made
        if is_integer(base.type.dtype) and isinstance(power, int) and power < 0:
            base = self.cast(base, Number(FLOAT64, base.type.weak), node)
        return self.apply("power", [base, exponent], node)


def describe(value: object) -> str:
    """What a value is, for errors."""
    if isinstance(value, Num):
        return f"a number ({value.type})"
    if isinstance(value, Array):
        return f"an array with {value.ndim} dimensions"
    if isinstance(value, (Record, RecordArray)):
        return "a record" if isinstance(value, Record) else "an array of records"
    if isinstance(value, Tuple):
        return f"a tuple of {len(value.items)}"
    if isinstance(value, (List, Slice)):
        return "a list" if isinstance(value, List) else "a slice"
    if isinstance(value, (Text, Range)):
        return "a text" if isinstance(value, Text) else "a range"
    if isinstance(value, Iterator):
        return "an iterator"
    if isinstance(value, (Dict, DictView)):
        return "a dictionary"
    if isinstance(value, Instance):
        return f"an object of {value.kind.__name__}"
    inner = value.value if isinstance(value, Constant) else value
    if to_dtype(inner) is not None:
        return f"the type {inner}"
    if isinstance(inner, types.ModuleType):
        return f"the module {inner.__name__}"
    if callable(inner):
        return f"the function {getattr(inner, '__name__', inner)}"
    return (
        f"{inner!r}" if isinstance(inner, (str, bytes, type(None))) else f"a {type(inner).__name__}"
    )
