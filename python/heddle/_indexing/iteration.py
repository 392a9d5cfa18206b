"""Functions that call Python functions or iterate in Python: for convenience, not for speed."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from types import FunctionType
from typing import Any, Self, SupportsIndex, cast

import numpy
from numpy import ndindex

import heddle
from heddle import _core
from heddle._arguments import as_array, no_value, normalize_axis_index
from heddle._core import ndarray, own_array
from heddle._typing import ArrayLike, Axis, Casting, DTypeLike, Order, ShapeLike

__all__ = [
    "apply_along_axis",
    "apply_over_axes",
    "iterable",
    "ndenumerate",
    "ndindex",
    "nditer",
    "nested_iters",
    "piecewise",
    "vectorize",
]


def iterable(y: object) -> bool:
    """Whether an object can be iterated over.

    Examples
    --------
    >>> import heddle as np
    >>> np.iterable([1, 2]), np.iterable(3)
    (True, False)
    """
    try:
        iter(y)  # type: ignore[call-overload]
    except TypeError:
        return False
    return True


class ndenumerate:
    """Pairs of an index and the element there.

    Examples
    --------
    >>> import heddle as np
    >>> [(index, int(x)) for index, x in np.ndenumerate(np.array([[1, 2]]))]
    [((0, 0), 1), ((0, 1), 2)]
    """

    def __init__(self, arr: ArrayLike) -> None:
        self._pairs = numpy.ndenumerate(as_array(arr)._snapshot())

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> tuple[tuple[Any, ...], Any]:
        return next(self._pairs)


def _seen(op: Any, op_flags: Any) -> Any:
    """What NumPy's iterators walk over: the memory of our arrays, or a copy to read."""
    several = isinstance(op, (list, tuple))
    ops = list(op) if several else [op]
    flags = list(op_flags) if op_flags else []
    if flags and isinstance(flags[0], str):
        flags = [flags] * len(ops)
    for i, a in enumerate(ops):
        if not isinstance(a, own_array):
            continue
        writes = i < len(flags) and not {"readwrite", "writeonly"}.isdisjoint(flags[i])
        if a._on_host:
            ops[i] = a._numpy()
        elif writes:
            raise TypeError(
                f"an iterator cannot write to an array on {a.device}, which the host does not see: "
                "use operations on whole arrays"
            )
        else:
            ops[i] = a._snapshot()
    return ops if several else ops[0]


def nditer(
    op: ArrayLike | Sequence[ArrayLike],
    flags: Sequence[str] | None = None,
    op_flags: Sequence[str] | Sequence[Sequence[str]] | None = None,
    op_dtypes: DTypeLike | Sequence[DTypeLike] | None = None,
    order: Order = "K",
    casting: Casting = "safe",
    op_axes: Sequence[Sequence[SupportsIndex] | None] | None = None,
    itershape: ShapeLike | None = None,
    buffersize: int = 0,
) -> Any:
    """NumPy's iterator over arrays, on the host: element by element, to read and to write.

    Elements and operands are NumPy's arrays that share the memory of ours. Loops belong to kernels:
    operations on whole arrays are faster by orders of magnitude.

    Examples
    --------
    >>> import heddle as np
    >>> [int(x) for x in np.nditer(np.array([[1, 2], [3, 4]]))]
    [1, 2, 3, 4]
    """
    rest = (op_dtypes, order, casting, op_axes, itershape, buffersize)
    return numpy.nditer(_seen(op, op_flags), flags, op_flags, *rest)  # type: ignore[arg-type]


def nested_iters(
    op: ArrayLike | Sequence[ArrayLike],
    axes: Sequence[Sequence[SupportsIndex]],
    flags: Sequence[str] | None = None,
    op_flags: Sequence[str] | Sequence[Sequence[str]] | None = None,
    op_dtypes: DTypeLike | Sequence[DTypeLike] | None = None,
    order: Order = "K",
    casting: Casting = "safe",
    buffersize: int = 0,
) -> tuple[Any, ...]:
    """NumPy's iterators in nested loops over the axes of arrays, as nditer for one loop.

    Examples
    --------
    >>> import heddle as np
    >>> outer, inner = np.nested_iters(np.arange(4).reshape(2, 2), [[0], [1]])
    >>> [[int(y) for y in inner] for x in outer]
    [[0, 1], [2, 3]]
    """
    rest = (op_dtypes, order, casting, buffersize)
    return numpy.nested_iters(_seen(op, op_flags), axes, flags, op_flags, *rest)  # type: ignore[arg-type]


def apply_along_axis(
    func1d: Callable[..., Any], axis: Axis, arr: ArrayLike, *args: object, **kwargs: object
) -> ndarray:
    """Call a function with each row along an axis and join what it returns.

    Examples
    --------
    >>> import heddle as np
    >>> np.apply_along_axis(lambda row: row[::-1], 1, np.array([[1, 2], [3, 4]]))
    array([[2, 1],
           [4, 3]])
    """
    arr = as_array(arr)
    axis = normalize_axis_index(axis, arr.ndim)
    rows = arr._transpose((*(n for n in range(arr.ndim) if n != axis), axis))
    places = rows.shape[:-1]
    if 0 in places:
        raise ValueError("Cannot apply_along_axis when any iteration dimensions are 0")
    result: Any = None
    for place in ndindex(places):
        value = as_array(func1d(rows[(*place, ...)], *args, **kwargs))
        if result is None:
            result = _core.empty((*places, *value.shape), value.dtype, arr.device)
        _core.write(result[(*place, ...)], value)
    # The axes of what the function gave take the place of the axis.
    rank, given = len(places), result.ndim - len(places)
    order = (*range(axis), *range(rank, rank + given), *range(axis, rank))
    return cast("ndarray", result._transpose(order))


def apply_over_axes(func: Callable[..., Any], a: ArrayLike, axes: ShapeLike) -> ndarray:
    """Call a function that reduces an axis for each of the axes in turn.

    Examples
    --------
    >>> import heddle as np
    >>> np.apply_over_axes(np.sum, np.ones((2, 3)), [0, 1])
    array([[6.]])
    """
    value = as_array(a)
    rank = value.ndim
    for axis in numpy.atleast_1d(numpy.asarray(axes)).tolist():
        axis = axis + rank if axis < 0 else axis
        result = as_array(func(value, axis))
        if result.ndim != value.ndim:
            result = result[(slice(None),) * axis + (None, ...)]
            if result.ndim != value.ndim:
                raise ValueError("function is not returning an array of the correct shape")
        value = result
    return value


def piecewise(
    x: ArrayLike,
    condlist: Sequence[ArrayLike],
    funclist: Sequence[Any],
    *args: object,
    **kw: object,
) -> ndarray:
    """Evaluate the function (or constant) that goes with the condition that holds.

    Examples
    --------
    >>> import heddle as np
    >>> x = np.array([-2.0, 0.0, 3.0])
    >>> np.piecewise(x, [x < 0, x >= 0], [lambda v: -v, lambda v: v])
    array([2., 0., 3.])
    """
    x = as_array(x)
    count = len(funclist)
    # One condition may come without its list.
    first = condlist[0] if isinstance(condlist, (list, tuple)) and condlist else None
    if not isinstance(condlist, (list, tuple)):
        rank = as_array(cast("ArrayLike", condlist)).ndim
        alone = rank == 0 or (x.ndim > 0 and rank < 2)
    else:
        several = isinstance(first, (list, numpy.ndarray)) or (
            isinstance(first, own_array) and not first._is_scalar
        )
        alone = bool(condlist) and x.ndim > 0 and not several
    listed: Sequence[Any] = [condlist] if alone else condlist
    conditions = [as_array(condition, bool) for condition in listed]
    if count == len(conditions) + 1:
        other = conditions[0]
        for condition in conditions[1:]:
            other = other | condition
        conditions.append(~other)
    elif count != len(conditions):
        raise ValueError(
            f"with {len(conditions)} condition(s), either {len(conditions)} or "
            f"{len(conditions) + 1} functions are expected"
        )
    result = _core.full(x.shape, 0, x.dtype, x.device)
    # Rows of a batch differ in how many elements a condition chooses: all are computed there.
    in_batch = any(map(_core.is_stand_in, (x, *conditions)))
    for condition, function in zip(conditions, funclist, strict=True):
        if in_batch:
            made = function(x, *args, **kw) if callable(function) else function
            result[...] = heddle.where(condition, made, result)
            continue
        if not callable(function):
            result[condition] = function
            continue
        chosen = x[condition]
        if chosen.size > 0:
            result[condition] = function(chosen, *args, **kw)
    return result


def _to_host(value: object) -> Any:
    return value._snapshot() if isinstance(value, own_array) else value


def _of_one(function: Any, arrays: list[ndarray]) -> Any:
    """What a function with a signature gives for a row of a batch: its elements are not known."""
    made = function.pyfunc(*arrays)
    if not function.otypes:
        return made
    parts = made if isinstance(made, tuple) else (made,)
    typed = tuple(as_array(a).astype(t) for a, t in zip(parts, function.otypes, strict=True))
    return typed if isinstance(made, tuple) else typed[0]


def _all_at_once(function: Any, args: Sequence[Any]) -> Any:
    """What a function with a signature gives for all parts of its arguments, by vmap; None where
    NumPy has to call it for one after the other, or to say what is wrong."""
    from heddle import broadcast_to, vmap

    given, wanted = function._in_and_out_core_dims
    if len(args) != len(given):
        return None
    try:
        arrays = [as_array(value) for value in args]
    except _core.NoNumbers:
        return None
    if any(a.ndim < len(core) for a, core in zip(arrays, given, strict=True)):
        return None
    loops = [a.shape[: a.ndim - len(core)] for a, core in zip(arrays, given, strict=True)]
    sizes: dict[str, int] = {}
    for a, core in zip(arrays, given, strict=True):
        for name, extent in zip(core, a.shape[a.ndim - len(core) :], strict=True):
            if sizes.setdefault(name, extent) != extent:
                return None
    try:
        loop = numpy.broadcast_shapes(*loops)
    except ValueError:
        return None
    count = math.prod(loop)
    if not loop and any(map(_core.is_stand_in, arrays)):
        return _of_one(function, arrays)
    if count == 0 or not loop:
        return None
    rows = []
    for a, core in zip(arrays, given, strict=True):
        inner = a.shape[a.ndim - len(core) :]
        rows.append(broadcast_to(a, (*loop, *inner)).reshape(count, *inner))
    try:
        made = vmap(function.pyfunc)(*rows)
    except TypeError:
        return None  # it asks for elements
    results = made if isinstance(made, tuple) else (made,)
    if len(results) != len(wanted):
        return None
    for result, core in zip(results, wanted, strict=True):
        if result.ndim != 1 + len(core):
            return None
        for name, extent in zip(core, result.shape[1:], strict=True):
            if sizes.setdefault(name, extent) != extent:
                return None
    shaped = [result.reshape(*loop, *result.shape[1:]) for result in results]
    if function.otypes:
        shaped = [a.astype(t) for a, t in zip(shaped, function.otypes, strict=True)]
    return tuple(shaped) if isinstance(made, tuple) else shaped[0]


def _has_array(args: tuple[object, ...]) -> bool:
    """Whether there is something to compile for: numbers alone are quicker in Python."""
    return any(isinstance(a, (list, own_array, numpy.ndarray)) for a in args)


class vectorize(numpy.vectorize):
    """A Python function of numbers called for every element, with NumPy's broadcasting.

    A function that is defined by ``def`` and has none of NumPy's options is compiled: without loops
    it is an expression of arrays, which fuses with others and has derivatives, else a kernel.
    ``vectorize(["float64(float64)"])`` gives types. What cannot be compiled is called in Python;
    `why_not` says why.

    With a ``signature`` the function is one of arrays, and is computed for all of them at once by
    `vmap` where it can be: where it asks for no elements.

    Examples
    --------
    >>> import heddle as np
    >>> clip = np.vectorize(lambda a, b: a if a < b else b)
    >>> clip([1, 5, 3], 4)
    array([1, 4, 3])
    >>> norms = np.vectorize(lambda v: np.sqrt((v * v).sum()), signature="(n)->()")
    >>> norms(np.ones((2, 3, 4)))
    array([[2., 2., 2.],
           [2., 2., 2.]])
    """

    why_not = ""  # why the function is called in Python
    _types: Any = None
    _compiled: Any = None

    def __init__(
        self,
        pyfunc: Callable[..., Any] = no_value,
        otypes: str | Iterable[DTypeLike] | None = None,
        doc: str | None = None,
        excluded: Iterable[int | str] | None = None,
        cache: bool = False,
        signature: str | None = None,
    ) -> None:
        if isinstance(pyfunc, (str, list)):
            from heddle._compiled.elementwise import read_types

            try:
                self._types = read_types(pyfunc)
            except ValueError as error:
                raise TypeError(f"vectorize: {error}, and no function") from None
            if self._types is None:
                raise TypeError(f"vectorize: {pyfunc!r} are no signatures")
            pyfunc = no_value
        super().__init__(pyfunc, otypes, doc, excluded, cache, signature)

    def _elementwise(self) -> Any:
        """The function compiled, or None."""
        if self._compiled is not None or self.why_not:
            return self._compiled
        plain = not (self.signature or self.excluded or self.cache or self.otypes)
        if not plain or not isinstance(self.pyfunc, FunctionType):
            self.why_not = "it has options of NumPy's, or is no function of Python's"
            return None
        from heddle._compiled.elementwise import Elementwise
        from heddle.simt import KernelError

        try:
            self._compiled = Elementwise(self.pyfunc, self._types or [])
        except KernelError as error:
            if self._types:
                raise
            self.why_not = str(error)
        return self._compiled

    def _of_pairs(self, name: str) -> Any:
        made = self._elementwise()
        if made is None:
            raise TypeError(f"vectorize.{name}: the function is not compiled: {self.why_not}")
        return made

    def reduce(
        self, a: ArrayLike, axis: int | None = 0, keepdims: bool = False, initial: object = None
    ) -> ndarray:
        """All elements along an axis put together, by a function of two numbers."""
        made: ndarray = self._of_pairs("reduce").reduce(a, axis, keepdims, initial)
        return made

    def accumulate(self, a: ArrayLike, axis: int = 0) -> ndarray:
        """What `reduce` has after each element."""
        made: ndarray = self._of_pairs("accumulate").accumulate(a, axis)
        return made

    def outer(self, a: ArrayLike, b: ArrayLike) -> Any:
        """The function of all pairs of elements."""
        a, b = as_array(a), as_array(b)
        return self(a.reshape(*a.shape, *(1,) * b.ndim), b)

    def __call__(self, *args: object, **kwargs: object) -> Any:
        if self.pyfunc is not no_value and args and not kwargs:
            made = self._elementwise()
            if made is not None and (self._types or _has_array(args)):
                from heddle.simt import KernelError

                try:
                    return made(*args)
                except KernelError as error:
                    if self._types:
                        raise
                    self.why_not, self._compiled = str(error), None
        if self.signature is not None and not self.excluded and args and not kwargs:
            made = None if self.pyfunc is no_value else _all_at_once(self, args)
            if made is not None:
                return made
        held = [_to_host(value) for value in args]
        named = {name: _to_host(value) for name, value in kwargs.items()}
        result = super().__call__(*held, **named)
        if isinstance(result, tuple):
            return tuple(heddle.asarray(part) for part in result)
        return result if callable(result) else heddle.asarray(result)
