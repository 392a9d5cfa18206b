"""Numba's `vectorize` and `guvectorize`."""

from __future__ import annotations

import ast
import importlib
import types
from collections.abc import Callable, Sequence
from types import ModuleType
from typing import TYPE_CHECKING, Any, overload

import numpy as np

import heddle as hd
from heddle import _core
from heddle._compiled.elementwise import Elementwise, read_types
from heddle._compiled.general import GeneralUfunc, put_into
from heddle._compiled.general import guvectorize as general
from heddle._compiled.sources import as_it_is
from heddle._core import ndarray
from heddle._typing import ArrayLike, DType, DTypeLike, Output
from heddle.numba.decorators import ALWAYS
from heddle.simt._types import Call

if TYPE_CHECKING:
    from heddle._compiled.signatures import Signature
    from heddle.simt._host import HostCompiler


def callable_function(given: object) -> bool:
    """Whether it is what is decorated, and no signature.

    Examples
    --------
    >>> from heddle.numba.ufuncs import callable_function
    >>> callable_function(lambda x: x), callable_function("float64(float64)")
    (True, False)
    """
    return hasattr(given, "__code__") or hasattr(given, "py_func")


def _no_options(name: str, options: dict[str, object]) -> None:
    given = {k: options.pop(k) for k in ALWAYS if k in options}
    if given.get("target", "cpu") not in ("cpu", "parallel", "cuda"):
        raise ValueError(
            f"{name}: the target is 'cpu', 'parallel' or 'cuda', not {given['target']!r}"
        )
    if options:
        raise TypeError(f"{name}: there is no such option: {[*options]}")


def _check_output(name: str, target: Any, result: ndarray, casting: str = "same_kind") -> None:
    """Results fit into an array if they need not be broadcast down, and may be cast to its type."""
    if np.broadcast_shapes(target.shape, result.shape) != target.shape:
        raise ValueError(
            f"{name}: a result of the shape {result.shape} does not fit into {target.shape}"
        )
    if not hd.can_cast(result.dtype, target.dtype, casting):
        raise TypeError(f"{name}: cannot cast its result from {result.dtype} to {target.dtype}")


def _as_given(args: tuple[object, ...], result: ArrayLike) -> Any:
    """A result as its arguments are: NumPy's, where none of them is an array of ours."""
    if any(isinstance(a, _core.own_array) for a in args):
        return result
    if isinstance(result, tuple):
        return tuple(_as_given(args, one) for one in result)
    if isinstance(result, _core.own_array):
        result = hd.asnumpy(result)
    return result[()] if isinstance(result, np.ndarray) and not result.ndim else result


def _letters(dtypes: list[DType], results: int = 1) -> str:
    text = "".join(np.dtype(t).char for t in dtypes)
    return f"{text[: len(text) - results]}->{text[len(text) - results :]}"


class _Types:
    """Of the calls of a function so far: one that a known one takes as it is adds nothing."""

    def __init__(self) -> None:
        self._known: list[tuple[list[Any], list[Any]]] = []

    def add(self, given: list[Any], made: list[Any]) -> None:
        for known, _ in self._known:
            if all(hd.can_cast(a, b, "safe") for a, b in zip(given, known, strict=True)):
                return
        self._known.append((given, made))

    def letters(self) -> list[str]:
        return [_letters([*given, *made], len(made)) for given, made in self._known]


class DUFunc(Elementwise):
    """A function of numbers for all elements, in Numba's types: made by `vectorize`.

    Examples
    --------
    >>> import numpy
    >>> from heddle import numba as nb
    >>> @nb.vectorize(["int64(int64, int64)"])
    ... def larger(a, b):
    ...     return a if a > b else b
    >>> larger(numpy.array([1, 5]), 3)
    array([3, 5])
    >>> larger.reduce(numpy.array([1, 5, 2]))
    np.int64(5)
    """

    def __init__(
        self,
        function: types.FunctionType,
        signatures: list[Signature],
        identity: Any = None,
        fastmath: bool = False,
    ) -> None:
        # With types it would be compiled here: globals are what they are now.
        function = as_it_is(function) if signatures else function
        super().__init__(function, signatures, numba=True, fastmath=fastmath)
        self._met = _Types()
        self.identity = identity

    @property
    def types(self) -> list[str]:
        """What it takes and gives, in NumPy's letters: as given, or of the calls so far."""
        if self.signatures:
            return [_letters([t.dtype for t in (*s.arguments, s.result)]) for s in self.signatures]
        return self._met.letters()

    @property
    def nin(self) -> int:
        """How many arrays it takes."""
        return int(self.function.__code__.co_argcount)

    def __call__(
        self,
        *given: ArrayLike,
        out: Output | tuple[Output, ...] | None = None,
        where: ArrayLike = True,
        casting: str = "same_kind",
        dtype: DTypeLike | None = None,
    ) -> Any:
        outs = list(given[self.nin :])
        if out is not None:
            if outs:
                raise TypeError("cannot specify 'out' as both a positional and keyword argument")
            outs = list(out) if isinstance(out, tuple) else [out]
        inputs = given[: self.nin]
        if dtype is not None:
            inputs = self._of_result(np.dtype(dtype), inputs, casting)
        made = super().__call__(*inputs)
        results = list(made) if isinstance(made, tuple) else [made]
        if outs and len(outs) != len(results):
            raise TypeError(f"{self.__name__} gives {len(results)} arrays, not {len(outs)}")
        for target, result in zip(outs, results, strict=False):
            _check_output(self.__name__, target, result, casting)
        if not self.signatures:
            self._met.add([hd.result_type(a) for a in inputs], [r.dtype for r in results])
        if where is not True:
            results = self._merged(where, outs, results)
        return put_into(outs, results) if outs else _as_given(given, put_into(outs, results))

    def _of_result(self, wanted: DType, inputs: Any, casting: str) -> Any:
        """Arguments as the signature has them that gives a type."""
        for signature in self.signatures:
            if getattr(signature.result, "numpys", None) != wanted:
                continue
            pairs = [*zip(inputs, (t.numpys for t in signature.arguments), strict=True)]
            if all(hd.can_cast(hd.result_type(a), t, casting) for a, t in pairs):
                return tuple(hd.asarray(a).astype(t) for a, t in pairs)
        raise TypeError(f"{self.__name__}: there is no signature that gives {wanted}")

    def _merged(self, where: ArrayLike, outs: list[Any], results: list[Any]) -> list[Any]:
        """Results where a mask says so, and what was there before elsewhere."""
        if len(outs) != len(results):
            raise TypeError(f"{self.__name__}: with where= results go to out=")
        mask = hd.asarray(where, dtype=bool)
        pairs = zip(results, outs, strict=True)
        return [hd.where(mask, made.astype(there.dtype), there) for made, there in pairs]

    def reduce(  # type: ignore[override]
        self,
        a: ArrayLike,
        axis: int | None = 0,
        dtype: DTypeLike | None = None,
        out: Output | tuple[Output] | None = None,
        keepdims: bool = False,
        initial: ArrayLike | None = None,
    ) -> Any:
        """The function of all elements along an axis, one after the other."""
        array = hd.asarray(a) if dtype is None else hd.asarray(a, dtype=dtype)
        empty = not array.size if axis is None else not array.shape[axis]
        initial = self.identity if initial is None and empty else initial
        made = super().reduce(array, axis, keepdims=keepdims, initial=initial)
        made = made if dtype is None else made.astype(dtype)
        if out is None:
            return _as_given((a,), made)
        target = out[0] if isinstance(out, tuple) else out
        _check_output(self.__name__, target, made)
        return put_into([target], [made])

    def accumulate(self, a: ArrayLike, axis: int = 0, dtype: DTypeLike | None = None) -> Any:
        """All results on the way."""
        made = super().accumulate(hd.asarray(a, dtype=dtype), axis)
        return _as_given((a,), made if dtype is None else made.astype(dtype))

    def outer(
        self,
        a: ArrayLike,
        b: ArrayLike,
        *,
        out: Output | None = None,
        where: ArrayLike = True,
        casting: str = "same_kind",
        dtype: DTypeLike | None = None,
    ) -> Any:
        """The function of all pairs of elements; keywords are those of calls."""
        one, other = hd.asarray(a), hd.asarray(b)
        pairs = one.reshape(*one.shape, *(1,) * other.ndim)
        made = self(pairs, other, out=out, where=where, casting=casting, dtype=dtype)
        return _as_given((a, b), made)


def _moved(value: Any, dims: Sequence[str], axis: int, *, back: bool = False) -> Any:
    """An array whose rows are along an axis, with these as the last one; or the other way."""
    if not dims:
        return value
    xp = hd if isinstance(value, _core.own_array) else np
    return xp.moveaxis(value, -1, axis) if back else xp.moveaxis(xp.asarray(value), axis, -1)


class GUFunc(GeneralUfunc):
    """A function of rows, in Numba's types: made by `guvectorize`.

    Examples
    --------
    >>> import numpy
    >>> from heddle import numba as nb
    >>> @nb.guvectorize(["void(float64[:], float64[:])"], "(n)->()")
    ... def total(row, out):
    ...     out[0] = row.sum()
    >>> total(numpy.ones((2, 3)))
    array([3., 3.])
    """

    def __init__(
        self,
        function: types.FunctionType,
        signatures: list[Signature],
        layout: str,
        *,
        writable_args: Sequence[str | int] = (),
        fastmath: bool = False,
    ) -> None:
        function = as_it_is(function) if signatures else function
        super().__init__(function, signatures, layout, numba=True, fastmath=fastmath)
        self._met = _Types()
        names = function.__code__.co_varnames[: len(self.inputs)]
        self.written += [names.index(a) if isinstance(a, str) else a for a in writable_args]

    @property
    def types(self) -> list[str]:
        """What it takes and gives, in NumPy's letters: as given, or of the calls so far."""
        if not self.signatures:
            return self._met.letters()
        made = len(self.outputs)
        return [_letters([t.numpys for t in s.arguments], made) for s in self.signatures]

    def _along(self, axis: int, args: list[Any], out: Any) -> Any:
        """A call whose rows are along an axis, of a layout with one size."""
        every = (*self.inputs, *self.outputs)
        if any(len(dims) > 1 for dims in every) or len({n for dims in every for n in dims}) != 1:
            raise TypeError(f"{self.__name__}: axis is for layouts of one size: {self.signature}")
        if out is not None:
            args += list(out) if isinstance(out, tuple) else [out]
        moved = [_moved(a, dims, axis) for a, dims in zip(args, every, strict=False)]
        made = self(*moved)
        if len(args) > len(self.inputs):
            outs = args[len(self.inputs) :]
            return outs[0] if len(outs) == 1 else tuple(outs)
        results = made if isinstance(made, tuple) else (made,)
        back = tuple(
            _moved(r, dims, axis, back=True) for r, dims in zip(results, self.outputs, strict=False)
        )
        return back if isinstance(made, tuple) else back[0] if back else made

    def __call__(self, *args: object, out: object = None, axis: int | None = None) -> Any:
        if axis is not None:
            return self._along(axis, list(args), out)
        made = super().__call__(*args, out=out)
        if not self.signatures:
            results = list(made) if isinstance(made, tuple) else [made]
            given = [hd.result_type(a) for a in args[: len(self.inputs)]]
            self._met.add(given, [r.dtype for r in results])
        return made if out is not None or len(args) > len(self.inputs) else _as_given(args, made)

    def _simt_call(
        self, s: HostCompiler, args: list[object], keywords: dict[str, object], node: ast.Call
    ) -> Any:
        """A call inside of compiled code: of one row, as the function has it."""
        dims = self.inputs + self.outputs
        if keywords or len(args) != len(dims):
            raise s.error(node, f"{self.__name__} takes {len(dims)} arrays ({self.signature})")
        for value, names in zip(args, dims, strict=True):
            if getattr(value, "ndim", 0) != len(names):
                raise s.error(
                    node, f"Loop and array shapes are incompatible: one row of {self.signature}"
                )
        return s.call_function(Call(self.py_func, args, {}, node))

    def _library(self, args: tuple[object, ...]) -> ModuleType:
        # Arrays of NumPy's that need no other type are written to, where the function does so.
        return hd if any(isinstance(a, _core.own_array) for a in args) else np


def _of_device() -> ModuleType:
    """The same two whose results are of the kind of their arguments: of the device, or NumPy's."""
    return importlib.import_module("heddle.numba_cuda.ufuncs")


def _without_target(options: dict[str, object]) -> dict[str, object]:
    return {name: value for name, value in options.items() if name != "target"}


@overload
def vectorize(function: Callable[..., Any], /, **options: object) -> DUFunc: ...
@overload
def vectorize(
    signatures: str | Sequence[Any] | Signature | None = None, /, **options: object
) -> Callable[[Callable[..., Any]], DUFunc]: ...
def vectorize(*args: Any, **options: Any) -> Any:
    """Numba's `vectorize`: a function of numbers for all elements of arrays, in Numba's types.

    Examples
    --------
    >>> import heddle as np
    >>> from heddle.numba import vectorize
    >>> @vectorize
    ... def clipped(x):
    ...     return min(max(x, 0.0), 1.0)
    >>> clipped(np.array([-1.0, 0.5, 2.0]))
    array([0. , 0.5, 1. ])
    """
    if options.get("target") == "cuda":
        return _of_device().vectorize(*args, **_without_target(options))
    known = {name: options.pop(name) for name in ("identity", "fastmath") if name in options}
    _no_options("vectorize", options)
    if args and callable_function(args[0]):
        return DUFunc(args[0], [], **known)
    signatures = read_types(args[0]) if args else []
    if signatures is None:
        raise TypeError(f"vectorize: {args[0]!r} are no signatures")
    return lambda function: DUFunc(function, signatures, **known)


@overload
def guvectorize(layout: str, /, **options: object) -> Callable[[Callable[..., Any]], GUFunc]: ...
@overload
def guvectorize(
    signatures: str | Sequence[Any], layout: str, /, **options: object
) -> Callable[[Callable[..., Any]], GUFunc]: ...
def guvectorize(*args: Any, **options: Any) -> Any:
    """Numba's `guvectorize`; see `heddle.guvectorize`.

    Examples
    --------
    >>> import heddle as np
    >>> from heddle.numba import guvectorize
    >>> @guvectorize("(n),()->(n)")
    ... def shifted(x, by, out):
    ...     for i in range(x.shape[0]):
    ...         out[i] = x[i] + by
    >>> shifted(np.arange(3.0), 10.0)
    array([10., 11., 12.])
    """
    if options.get("target") == "cuda":
        return _of_device().guvectorize(*args, **_without_target(options))
    named = ("writable_args", "fastmath")
    known = {name: options.pop(name) for name in named if name in options}
    _no_options("guvectorize", options)
    return general(*args, kind=GUFunc, **known)
