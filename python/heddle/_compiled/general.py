"""`guvectorize`: a function of rows, for all rows of arrays. `reduce`: one of two numbers."""

from __future__ import annotations

import re
import types
from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy

import heddle as hd
from heddle._compiled.elementwise import Elementwise
from heddle._compiled.functions import Function, options_of, prange
from heddle._compiled.signatures import ArrayType, Signature, Type, read_signature
from heddle._compiled.sources import make_function
from heddle._core import ndarray
from heddle._typing import ArrayLike, DType, HostArray


def _dimensions(text: str) -> list[list[str]]:
    return [
        [name.strip() for name in part.split(",") if name.strip()]
        for part in re.findall(r"\(([^()]*)\)", text)
    ]


def put_into(outs: list[Any], results: list[Any]) -> Any:
    """Results in the arrays that were given for them, if any were; one, or several of them."""
    for target, made in zip(outs, results, strict=bool(outs)):
        target[...] = hd.asnumpy(made) if isinstance(target, numpy.ndarray) else made
    given = outs or results
    return given[0] if len(given) == 1 else tuple(given)


class GeneralUfunc:
    """A function of rows, called for all of them: made by `guvectorize`."""

    def __init__(
        self,
        function: types.FunctionType,
        signatures: list[Signature],
        layout: str,
        numba: bool = False,
        fastmath: bool = False,
    ) -> None:
        if not re.fullmatch(r"\s*(\([^()]*\)\s*,?\s*)+(->\s*(\([^()]*\)\s*,?\s*)+)?", layout):
            raise ValueError(f"guvectorize: '{layout}' is no signature like '(m,n),(n)->(m)'")
        given, _, made = layout.partition("->")
        self.inputs, self.outputs = _dimensions(given), _dimensions(made)
        known = {name for dims in self.inputs for name in dims}
        for name in (n for dims in self.outputs for n in dims):
            if name not in known:
                raise ValueError(f"guvectorize: the size '{name}' of a result is of no argument")
        self.py_func, self.__name__, self.__doc__ = function, function.__name__, function.__doc__
        self.signatures, self.signature = signatures, layout
        count = len(self.inputs)
        # Without results it writes to its arguments.
        self.written = [] if self.outputs else list(range(count))
        names = [f"a{i}" for i in range(count + len(self.outputs))]
        # A number that is given is an element, unless its type is that of an array; one that is
        # made is a row of one.
        given_types = signatures[0].arguments if signatures else ()
        of_one = {k for k, t in enumerate(given_types) if isinstance(t, ArrayType)}
        of_one |= set(range(count, len(names)))
        rows = [
            f"{n}[i : i + 1]" if not dims and k in of_one else f"{n}[i]"
            for k, (n, dims) in enumerate(zip(names, self.inputs + self.outputs, strict=True))
        ]
        text = (
            f"def rows({', '.join(names)}):\n"
            f"    for i in prange({names[-1]}.shape[0]):\n"
            f"        f({', '.join(rows)})\n"
        )
        loop = make_function(text, "rows", {"f": function, "prange": prange})
        model = "numpy" if numba else ""
        options = options_of(numba=numba, fastmath=fastmath, error_model=model)
        self.loop = Function(loop, **options)

    def _chosen(self, kinds: list[DType], weak: list[bool]) -> Signature | None:
        """The first signature that takes the types; Python's numbers are of the kind of theirs."""
        for signature in self.signatures:
            wanted = signature.arguments
            if len(wanted) != len(self.inputs) + len(self.outputs):
                raise ValueError(
                    f"guvectorize: {signature} has not as many types as '{self.signature}'"
                )
            if all(
                hd.can_cast(k, t.numpys, "same_kind" if is_weak else "safe")
                for k, t, is_weak in zip(kinds, wanted, weak, strict=False)
            ):
                return signature
        if self.signatures:
            said = ", ".join(map(str, kinds))
            raise TypeError(f"{self.__name__}: there is no signature for ({said})")
        return None

    def __call__(self, *args: object, out: object = None) -> Any:
        count = len(self.inputs)
        outs: list[Any] = list(args[count:])
        if out is not None:
            if outs:
                raise TypeError("cannot specify 'out' as both a positional and keyword argument")
            outs = list(out) if isinstance(out, tuple) else [out]
        if len(args) < count or len(outs) not in (0, len(self.outputs)):
            raise TypeError(f"{self.__name__} takes {count} arrays ({self.signature})")
        xp = self._library(args)
        arrays = [xp.asarray(a) for a in args[:count]]
        weak = [type(a) in (bool, int, float, complex) for a in args[:count]]
        signature = self._chosen([a.dtype for a in arrays], weak)
        if signature is not None:
            wanted = signature.arguments
            arrays = [
                xp.asarray(given, dtype=t.numpys) if is_weak else a.astype(t.numpys, copy=False)
                for given, a, t, is_weak in zip(args, arrays, wanted, weak, strict=False)
            ]
        sizes: dict[str, int] = {}
        loops = []
        for a, dims in zip(arrays, self.inputs, strict=True):
            if a.ndim < len(dims):
                raise ValueError(
                    f"{self.__name__}: an array with {a.ndim} dimensions, not {len(dims)}"
                )
            core = a.shape[a.ndim - len(dims) :]
            loops.append(a.shape[: a.ndim - len(dims)])
            for name, extent in zip(dims, core, strict=True):
                if sizes.setdefault(name, extent) != extent:
                    raise ValueError(
                        f"{self.__name__}: '{name}' is {sizes[name]} and {extent} in "
                        f"'{self.signature}'"
                    )
        shape = numpy.broadcast_shapes(*loops)
        total = int(numpy.prod(shape, dtype=int))
        flat = []
        for a, dims in zip(arrays, self.inputs, strict=True):
            core = tuple(sizes[n] for n in dims)
            flat.append(_rows_of(xp, a, (*shape, *core)).reshape(total, *core))
        for number in self.written:
            if flat[number].size != arrays[number].size:
                flat[number] = xp.array(flat[number])
        results = []
        for i, dims in enumerate(self.outputs):
            core = tuple(sizes[n] for n in dims)
            if signature is not None:
                dtype = signature.arguments[count + i].numpys
            else:
                dtype = outs[i].dtype if outs else numpy.result_type(*(a.dtype for a in arrays))
            results.append(xp.zeros((total, *core), dtype=dtype))
        if total:
            self.loop(*flat, *results)
        shaped = [
            r.reshape((*shape, *(sizes[n] for n in dims)))
            for r, dims in zip(results, self.outputs, strict=True)
        ]
        for number in self.written:
            if flat[number].size == arrays[number].size:
                _written_back(args[number], flat[number])
        return put_into(outs, shaped)

    def _library(self, args: tuple[object, ...]) -> ModuleType:
        """Whose arrays are computed with."""
        return hd

    def __repr__(self) -> str:
        return f"<guvectorize {self.__name__} '{self.signature}'>"


def _rows_of(xp: ModuleType, array: HostArray, shape: tuple[int, ...]) -> HostArray:
    return array if array.shape == shape else xp.broadcast_to(array, shape)


def _written_back(given: Any, rows: Any) -> None:
    """Rows that a function has written to, in the array that they were given as."""
    if isinstance(given, numpy.ndarray):
        computed = hd.asnumpy(rows)
        if not numpy.shares_memory(given, computed):
            given[...] = computed.reshape(given.shape)
    elif isinstance(given, ndarray):
        given[...] = rows.reshape(given.shape)


def guvectorize(*args: object, kind: type = GeneralUfunc, **options: object) -> Callable[..., Any]:
    """A function of rows, which writes its results, called for all rows of arrays at once.

    ``guvectorize(layout)`` or ``guvectorize(types, layout)``: the layout is NumPy's, as
    ``"(n),()->(n)"``. Without types the results have the type that all arguments promote to. Rows
    are shared out to all cores.

    Examples
    --------
    >>> import heddle as np
    >>> @np.guvectorize("(n),()->(n)")
    ... def scaled(x, factor, out):
    ...     for i in range(x.shape[0]):
    ...         out[i] = x[i] * factor
    >>> scaled(np.ones((2, 3)), np.array([2.0, 3.0]))  # doctest: +SKIP
    array([[2., 2., 2.],
           [3., 3., 3.]])
    """
    if not 1 <= len(args) <= 2 or not isinstance(args[-1], str):
        raise TypeError("guvectorize takes types, and a layout like '(n),()->(n)'")
    listed = args[0] if len(args) == 2 else []
    listed = listed if isinstance(listed, list) else [listed]
    signatures = []
    for one in listed:
        read = read_signature(one)
        if read is None or not all(isinstance(t, (Type, ArrayType)) for t in read.arguments):
            raise TypeError(f"guvectorize: {one!r} is no signature")
        signatures.append(read)
    return lambda function: kind(function, signatures, args[-1], **options)


class Reduction:
    """A function of two numbers, over all elements of arrays: made by `reduce`."""

    def __init__(self, function: types.FunctionType) -> None:
        self.py_func, self.__name__, self.__doc__ = function, function.__name__, function.__doc__
        self._pairs = Elementwise(function, [])

    def __call__(
        self,
        a: ArrayLike,
        axis: int | None = None,
        keepdims: bool = False,
        initial: ArrayLike | None = None,
    ) -> ndarray:
        return self._pairs.reduce(a, axis, keepdims, initial)

    def __repr__(self) -> str:
        return f"<reduce {self.__name__}>"


def reduce(function: object) -> Reduction:
    """Of a function of two numbers one of arrays, which puts all elements together.

    The result is called with an array and `axis` (all axes by default), `keepdims` and `initial`.
    Elements are taken in their order.

    Examples
    --------
    >>> import heddle as np
    >>> @np.reduce
    ... def longest(a, b):
    ...     return a if abs(a) > abs(b) else b
    >>> longest(np.array([1.0, -5.0, 3.0]))  # doctest: +SKIP
    array(-5.)
    """
    if not isinstance(function, types.FunctionType):
        raise TypeError(f"reduce takes a function of two numbers, not {type(function).__name__}")
    return Reduction(function)
