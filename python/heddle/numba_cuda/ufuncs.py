"""Functions of numbers for arrays of the device, by Numba's names."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, overload

import heddle as hd
from heddle._compiled.general import Reduction
from heddle._compiled.sources import make_function
from heddle._typing import ArrayLike
from heddle.numba import ufuncs
from heddle.numba_cuda.arrays import DeviceNDArray, on_device
from heddle.simt._kernel import func


def _with_methods(made: object) -> Any:
    """A ufunc whose results are of the kind of its arguments: of the device, or NumPy's."""
    call = type(made).__call__

    class Ufunc(type(made)):  # type: ignore[misc]
        def __call__(self, *args: object, stream: object = 0, **options: object) -> Any:
            # A stream has nothing to say: what is deferred is in the order of the program.
            result = call(self, *args, **options)
            if not any(isinstance(a, DeviceNDArray) for a in args):
                return result
            return tuple(map(on_device, result)) if isinstance(result, tuple) else on_device(result)

        def reduce(self, *args: object, stream: object = 0, **options: object) -> Any:
            return super().reduce(*args, **options)

    made.__class__ = Ufunc
    return made


@overload
def vectorize(function: Callable[..., Any], /, **options: object) -> Callable[..., Any]: ...
@overload
def vectorize(
    signatures: str | Sequence[Any] | None = None, /, **options: object
) -> Callable[[Callable[..., Any]], Callable[..., Any]]: ...
def vectorize(*args: Any, **options: Any) -> Any:
    """Numba's `vectorize` for its CUDA target.

    Examples
    --------
    >>> from heddle import numba_cuda as cuda
    >>> @cuda.vectorize(["float64(float64, float64)"])
    ... def middle(a, b):
    ...     return (a + b) / 2
    >>> middle([1.0, 2.0], [3.0, 6.0])
    array([2., 4.])
    """
    made: Any = ufuncs.vectorize(*args, **options)
    return _decorating(made, args)


@overload
def guvectorize(
    layout: str, /, **options: object
) -> Callable[[Callable[..., Any]], Callable[..., Any]]: ...
@overload
def guvectorize(
    signatures: str | Sequence[Any], layout: str, /, **options: object
) -> Callable[[Callable[..., Any]], Callable[..., Any]]: ...
def guvectorize(*args: Any, **options: Any) -> Any:
    """Numba's `guvectorize` for its CUDA target.

    Examples
    --------
    >>> import numpy
    >>> from heddle import numba_cuda as cuda
    >>> @cuda.guvectorize(["void(float64[:], float64[:])"], "(n)->()")
    ... def largest(row, out):
    ...     out[0] = row[0]
    ...     for value in row:
    ...         out[0] = max(out[0], value)
    >>> largest(numpy.array([[1.0, 5.0], [7.0, 2.0]]))
    array([5., 7.])
    """
    made: Any = ufuncs.guvectorize(*args, **options)
    return _decorating(made, args)


def _decorating(made: Any, args: tuple[object, ...]) -> Any:
    if args and ufuncs.callable_function(args[0]):
        return _with_methods(made)
    return lambda function: _with_methods(made(function))


class Reduce:
    """All elements of an array put together by a function of two numbers.

    Examples
    --------
    >>> import numpy
    >>> from heddle import numba_cuda as cuda
    >>> add = cuda.Reduce(lambda a, b: a + b)
    >>> float(add(numpy.arange(5.0)))
    10.0
    """

    def __init__(self, functor: Callable[[Any, Any], Any]) -> None:
        function = func(getattr(functor, "py_func", functor))
        text = "def pair(a, b):\n    return function(a, b)\n"
        self._reduction = Reduction(make_function(text, "pair", {"function": function}))

    def __call__(
        self,
        arr: Any,
        size: int | None = None,
        res: Any = None,
        init: ArrayLike = 0,
        stream: object = 0,
    ) -> Any:
        """The result; with `res` its first element is the result, and nothing is copied back."""
        part = hd.asarray(arr)[: arr.size if size is None else size]
        made = self._reduction(part, initial=init) if part.size else init
        if res is not None:
            res[0] = made
            return None
        return made.item() if hasattr(made, "item") else made


reduce = Reduce
