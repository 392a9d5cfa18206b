"""Functions of numbers for all elements of arrays: as an expression of arrays, or as a kernel."""

from __future__ import annotations

import ast
import contextlib
import types
from collections.abc import Callable, Sequence
from typing import Any

import numpy

import heddle as hd
from heddle._compiled.expressions import Expression, NoExpressionError
from heddle._compiled.functions import njit, options_of, prange
from heddle._compiled.signatures import Signature, Type, read_signature
from heddle._compiled.sources import make_function
from heddle._core import ndarray
from heddle._typing import ArrayLike, DType
from heddle.simt import _words as w
from heddle.simt import grid
from heddle.simt._choices import NO_DIVISIONS
from heddle.simt._errors import KernelError, TableError
from heddle.simt._host import HostCompiler
from heddle.simt._kernel import Kernel
from heddle.simt._operations import describe
from heddle.simt._types import NAMES, Call, Num, Number
from heddle.simt._whole import Whole

_PYTHONS = {bool: "b", int: "i", float: "f", complex: "c"}


def read_types(given: object) -> list[Signature] | None:
    """Signatures, of one or of a list; None for what is none."""
    listed = given if isinstance(given, (list, tuple)) else [given]
    if not listed or not all(isinstance(one, (str, Signature)) for one in listed):
        return None
    made = [read_signature(one) for one in listed]
    return [one for one in made if one is not None]


def _is_still(holder: Any, name: str | None, value: object) -> bool:
    """Whether a global or a closure value is what it was."""
    now = holder.cell_contents if name is None else holder.get(name)
    return now is value


class Elementwise:
    """A function of numbers: called with arrays, which are broadcast."""

    def __init__(
        self,
        function: types.FunctionType,
        signatures: list[Signature],
        numba: bool = False,
        fastmath: bool = False,
    ) -> None:
        if function.__name__ == "<lambda>":
            raise KernelError("a lambda is not compiled; write a function")
        self.function, self.signatures, self.numba = function, signatures, numba
        self.fastmath = fastmath
        self.__name__, self.__doc__ = function.__name__, function.__doc__
        self.expression: Expression | None = None
        if not numba:
            with contextlib.suppress(NoExpressionError):
                self.expression = Expression(function)
        self.kernels: dict[tuple[Any, ...], Kernel] = {}
        self.loops_of_tables: dict[tuple[Any, ...], Any] = {}  # instead, for large tables
        # What is given for a signature, and what has to be the same for that.
        self.layouts: dict[str, tuple[list[Any], str]] = {}
        self.loops: dict[tuple[str, DType | None], Any] = {}
        self._simt_signatures = signatures
        # Of numbers: a division by zero is what it is for elements of arrays.
        self._options = {"divisions": NO_DIVISIONS, "parallel": False}

    # --- in compiled functions ---

    @property
    def py_func(self) -> types.FunctionType:
        """The function of numbers."""
        return self.function

    def _simt_call(
        self, s: Whole, args: list[Any], keywords: dict[str, object], node: ast.Call
    ) -> Any:
        """A call inside of compiled code: of numbers, or of arrays, element by element."""
        count = self.function.__code__.co_argcount
        if keywords or len(args) != count:
            raise s.error(node, f"{self.__name__} takes {count} numbers or arrays here")
        operands = [a if s.is_whole(a) else s.number(a, node, "as an argument") for a in args]
        if not any(s.is_whole(a) for a in operands):
            return self._of_numbers(s, operands, node)
        made = s.elementwise(lambda *n: self._of_numbers(s, [*n], node), operands, node)
        return s.settled(made, node)

    def _of_numbers(self, s: Whole, numbers: list[Num], node: ast.Call) -> Num:
        given = [(numpy.dtype(NAMES[n.type.dtype]), n.type.weak) for n in numbers]
        try:
            signature = self._signature([t for t, _ in given], [weak for _, weak in given])
        except TypeError as error:
            raise s.error(node, str(error)) from None
        if signature is not None:
            types_ = [Number(NAMES.index(t.dtype.name)) for t in signature.arguments]
            numbers = [s.cast(n, t, node) for n, t in zip(numbers, types_, strict=True)]
        before, s.of_arrays = s.of_arrays, False
        with s.in_terms_of(self):
            made = s.call_function(Call(self.function, list(numbers), {}, node))
        s.of_arrays = before
        if not isinstance(made, Num):
            raise s.error(node, f"{self.__name__} gives {describe(made)}, and not a number")
        if signature is None or not isinstance(signature.result, Type):
            return made
        return s.cast(made, Number(NAMES.index(signature.result.dtype.name)), node)

    # --- types ---

    def _signature(self, kinds: list[DType], weak: list[bool]) -> Signature | None:
        """The first that takes these types, those of exactly these before others."""
        if not self.signatures:
            return None
        exact = [s for s in self.signatures if [t.dtype for t in s.arguments] == kinds]
        for signature in exact + self.signatures:
            wanted = signature.arguments
            if len(wanted) != len(kinds) or not all(isinstance(t, Type) for t in wanted):
                continue
            if all(
                hd.can_cast(k, t.dtype, "same_kind" if is_weak else "safe")
                for k, t, is_weak in zip(kinds, wanted, weak, strict=True)
            ):
                return signature
        said = ", ".join(str(k) for k in kinds)
        raise TypeError(f"{self.function.__name__}: there is no signature for ({said})")

    def _chosen(self, args: list[Any]) -> tuple[list[Any], Any]:
        """Arguments as the first signature has them that they fit, and its result."""
        weak = [type(a) in _PYTHONS for a in args]
        signature = self._signature([hd.result_type(a) for a in args], weak)
        if signature is None:
            return args, None
        wanted = signature.arguments
        cast = [hd.asarray(a, dtype=t.dtype) for a, t in zip(args, wanted, strict=True)]
        return cast, signature.result.dtype if isinstance(signature.result, Type) else None

    def result_types(self, args: Sequence[object]) -> list[DType]:
        """What the function gives for elements of these; several where it gives a tuple."""
        signature = "".join(self._letters(a) for a in args)
        known = self.layouts.get(signature)
        if known is None or not all(_is_still(*guard) for guard in known[0]):
            made = HostCompiler(self.function, numba=self.numba).compile(signature)
            known = self.layouts[signature] = (made[3], made[4])
        layout = known[1].strip("()")
        if not layout or any(letter not in "wn" for letter in layout[::2]):
            raise KernelError(f"{self.function.__name__}: it has to give a number, or several")
        return [numpy.dtype(NAMES[ord(letter) - ord("A")]) for letter in layout[1::2]]

    def _letters(self, given: Any) -> str:
        if type(given) in _PYTHONS:
            return _PYTHONS[type(given)]
        if given.dtype.name not in NAMES:
            raise KernelError(f"{self.function.__name__}: {given.dtype} is no type of numbers")
        return f"n{chr(ord('A') + NAMES.index(given.dtype.name))}"

    # --- calls ---

    def __call__(self, *given: ArrayLike) -> Any:
        args = [a if type(a) in _PYTHONS else hd.asarray(a) for a in given]
        args, wanted = self._chosen(args)
        shape = numpy.broadcast_shapes(*(a.shape for a in args if hasattr(a, "shape")))
        if self.expression is not None:
            try:
                made = self.expression(*args)
            except NoExpressionError:
                self.expression = None
            else:
                made = hd.asarray(made) if wanted is None else hd.asarray(made).astype(wanted)
                return made if made.shape == shape else hd.broadcast_to(made, shape).copy()
        return self._launch(args, shape, wanted)

    def _launch(
        self, args: list[Any], shape: tuple[int, ...], wanted: DType | None
    ) -> tuple[Any, ...] | ndarray:
        types_ = self.result_types(args)
        if wanted is not None:
            types_ = [wanted]
        flat = [a if type(a) in _PYTHONS else hd.broadcast_to(a, shape).reshape(-1) for a in args]
        outs = [hd.empty(shape, dtype=t) for t in types_]
        size = outs[0].size
        if size:
            self._of_elements(args, len(outs))([*flat, *(out.reshape(-1) for out in outs)])
        return tuple(outs) if len(outs) > 1 else outs[0]

    def _of_elements(self, args: Sequence[object], outs: int) -> Callable[[list[Any]], None]:
        """What goes over all elements: of arrays, or beside numbers of Python's."""
        key = (outs, *(type(a) in _PYTHONS for a in args))
        if key in self.loops_of_tables:
            return lambda rows: self.loops_of_tables[key](*rows)
        if key not in self.kernels:
            made = self._written(key, "i = grid(1)", "if i < out0.size", {"grid": grid})
            kernel = Kernel(made, contract=False, fastmath=self.fastmath, numba=self.numba)
            kernel.keeps_globals = self.numba
            self.kernels[key] = kernel

        def launch(rows: list[Any]) -> None:
            try:
                self.kernels[key].forall(rows[-1].size)(*rows)
            except TableError:
                # Compiled functions read large tables where they are.
                model = "numpy" if self.numba else ""
                options = options_of(numba=self.numba, fastmath=self.fastmath, error_model=model)
                made = self._written(key, "", "for i in prange(out0.size)", {"prange": prange})
                self.loops_of_tables[key] = _function(made, options)
                self.loops_of_tables[key](*rows)

        return launch

    def _written(
        self, key: tuple[Any, ...], before: str, each: str, names: dict[str, Any]
    ) -> types.FunctionType:
        """The function of all elements."""
        outs, *plain = key
        given = [f"a{i}" for i in range(len(plain))]
        elements = [n if alone else f"{n}[i]" for n, alone in zip(given, plain, strict=True)]
        results = [f"out{i}" for i in range(outs)]
        text = (
            f"def elementwise({', '.join(given + results)}):\n"
            f"    {before or 'pass'}\n"
            f"    {each}:\n"
            f"        {', '.join(f'{r}[i]' for r in results)} = f({', '.join(elements)})\n"
        )
        return make_function(text, "elementwise", {**names, "f": self.function})

    # --- of two numbers ---

    def _loop(self, name: str, text: str, kind: DType | None) -> Any:
        """A loop; `kind` is the type that a signature gives to what is put together."""
        key = (name, kind)
        if key not in self.loops:
            model = "numpy" if self.numba else ""
            options = options_of(numba=self.numba, fastmath=self.fastmath, error_model=model)
            names: dict[str, object] = {"f": self.function}
            if kind is not None:
                names["kind"] = kind.type
                text = text.replace("f(total, x[i, k, j])", "kind(f(total, x[i, k, j]))")
            made = make_function(text, name, names)
            self.loops[key] = njit(made) if not self.numba else _function(made, options)
        return self.loops[key]

    def _rows(self, a: ArrayLike, axis: int) -> tuple[Any, Any, tuple[int, ...]]:
        """The axis in the middle, and what is before and after it."""
        array = hd.asarray(a)
        axis = range(array.ndim)[axis]
        before = int(numpy.prod(array.shape[:axis], dtype=int))
        after = int(numpy.prod(array.shape[axis + 1 :], dtype=int))
        rows = array.reshape(before, array.shape[axis], after)
        return array, rows, (*array.shape[:axis], *array.shape[axis + 1 :])

    def _pairs(self, a: ArrayLike) -> tuple[ndarray, DType, DType | None]:
        """The elements as the function takes them, what it gives, and whether types say so."""
        array = hd.asarray(a)
        element = hd.empty((), dtype=array.dtype)
        (one, other), wanted = self._chosen([element, element])
        if self.signatures and wanted is not None:
            kind = numpy.dtype(wanted)
            return array.astype(hd.result_type(one)), kind, kind
        return array, numpy.result_type(self.result_types([one, other])[0]), None

    def reduce(
        self,
        a: ArrayLike,
        axis: int | None = 0,
        keepdims: bool = False,
        initial: ArrayLike | None = None,
    ) -> ndarray:
        array = hd.asarray(a)
        if axis is None:
            made = self.reduce(array.reshape(-1), 0, initial=initial)
            return made.reshape((1,) * array.ndim) if keepdims else made
        array, made_type, kind = self._pairs(array)
        array, rows, shape = self._rows(array, axis)
        if initial is not None:
            first = hd.full((rows.shape[0], 1, rows.shape[2]), initial, dtype=array.dtype)
            rows = hd.concatenate([first, rows], axis=1)
        if rows.shape[1] == 0:
            raise ValueError(
                f"zero-size array to reduction operation {self.function.__name__} "
                "which has no identity"
            )
        out = hd.empty((rows.shape[0], rows.shape[2]), dtype=made_type)
        self._loop("reduce", _REDUCE, kind)(rows, out)
        made = out.reshape(shape)
        return hd.expand_dims(made, range(array.ndim)[axis]) if keepdims else made

    def accumulate(self, a: ArrayLike, axis: int = 0) -> ndarray:
        array, made_type, kind = self._pairs(a)
        array, rows, _ = self._rows(array, axis)
        out = hd.empty(rows.shape, dtype=made_type)
        if rows.size:
            self._loop("accumulate", _ACCUMULATE, kind)(rows, out)
        return out.reshape(array.shape)


_REDUCE = """\
def reduce(x, out):
    for i in range(x.shape[0]):
        for j in range(x.shape[2]):
            total = x[i, 0, j]
            for k in range(1, x.shape[1]):
                total = f(total, x[i, k, j])
            out[i, j] = total
"""
_ACCUMULATE = """\
def accumulate(x, out):
    for i in range(x.shape[0]):
        for j in range(x.shape[2]):
            total = x[i, 0, j]
            out[i, 0, j] = total
            for k in range(1, x.shape[1]):
                total = f(total, x[i, k, j])
                out[i, k, j] = total
"""


def _function(made: types.FunctionType, options: dict[str, Any]) -> Any:
    from heddle._compiled.functions import Function

    return Function(made, **options)


__all__ = ["Elementwise", "read_types", "w"]
