"""What SciPy makes of the arguments of its linear algebra, and what its routines are made of."""

from __future__ import annotations

import functools
import inspect
import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy
from numpy.linalg import LinAlgError

import heddle as np
from heddle import _core
from heddle._arguments import as_array
from heddle._core import ndarray
from heddle._typing import DType, HostArray
from heddle.random._recording import rows_along
from heddle.scipy._errors import OfScipy


class LinAlgWarning(OfScipy, RuntimeWarning, module="scipy.linalg"):
    """Told of matrices for which results are hardly right.

    Examples
    --------
    >>> import warnings
    >>> from heddle.scipy import linalg
    >>> with warnings.catch_warnings(record=True) as told:
    ...     warnings.simplefilter("always")
    ...     x = linalg.solve([[1.0, 1.0], [1.0, 1.0 + 1e-16 * 3]], [1.0, 1.0])
    >>> told[0].category.__name__
    'LinAlgWarning'
    """


def true_anywhere(condition: ndarray) -> bool:
    """Whether it holds anywhere; inside of `vmap`, for any row of the batch."""
    return _core.is_true_anywhere(condition)


def number_array(a: Any) -> ndarray:
    """An array, also of long doubles, which SciPy rounds for LAPACK."""
    if isinstance(a, numpy.ndarray) and a.dtype.char in "gG":
        a = a.astype("f8" if a.dtype.char == "g" else "c16")
    return as_array(a)


def validated(a: Any, check_finite: bool = True) -> ndarray:
    """An array; with `check_finite` one without infinities and nan, which is looked at."""
    if isinstance(a, numpy.ma.MaskedArray):
        raise ValueError("masked arrays are not supported")
    found = number_array(a)
    if check_finite and found.dtype.kind in "fc" and true_anywhere(~np.isfinite(found)):
        raise ValueError("array must not contain infs or NaNs")
    return found


def all_finite(*arrays: ndarray) -> list[ndarray]:
    """Whether arrays have neither infinities nor nan, of those that may."""
    return [np.all(np.isfinite(each)) for each in arrays if each.dtype.kind in "fc"]


def validated_together(check_finite: bool, *given: object) -> tuple[ndarray, ...]:
    """The same of several arrays, by one look."""
    found = tuple(validated(each, False) for each in given)
    if check_finite:
        finite = all_finite(*found)
        if finite and true_anywhere(~functools.reduce(np.logical_and, finite)):
            raise ValueError("array must not contain infs or NaNs")
    return found


def computed_in(*arrays: ndarray) -> DType:
    """The type that LAPACK's routines of SciPy would compute in, and give.

    The least that holds every number of the arguments: float32 for integers of two bytes.
    """
    dtype = numpy.result_type(*(a.dtype for a in arrays))
    if dtype.kind == "c":
        return numpy.dtype("c8" if dtype.itemsize <= 8 else "c16")
    most = 4 if dtype.kind == "f" else 2
    return numpy.dtype("f4" if dtype.itemsize <= most else "f8")


def typed(*arrays: ndarray) -> tuple[ndarray, ...]:
    dtype = computed_in(*arrays)
    return tuple(a.astype(dtype) for a in arrays)


def typed_as_doubles(*arrays: ndarray) -> tuple[ndarray, ...]:
    """The same of functions that make float64 of all integers."""
    return typed(*(a if a.dtype.kind in "fc" else a.astype("f8") for a in arrays))


def square(a: ndarray, message: str = "expected square matrix") -> ndarray:
    if a.ndim < 2 or a.shape[-1] != a.shape[-2]:
        raise ValueError(message)
    return a


def adjoint(a: ndarray) -> ndarray:
    return np.swapaxes(a.conj() if a.dtype.kind == "c" else a, -1, -2)


def transposed(a: ndarray) -> ndarray:
    return np.swapaxes(a, -1, -2)


def finfo(a: ndarray) -> numpy.finfo[Any]:
    return numpy.finfo(a.dtype)


def identity_like(a: ndarray, n: int) -> ndarray:
    return np.eye(n, dtype=a.dtype, device=a.device)


def columns(b: ndarray) -> tuple[ndarray, bool]:
    """Right sides as a matrix, and whether they were a vector."""
    return (b[:, None], True) if b.ndim == 1 else (b, False)


# --- stacks ---

_Routine = Callable[..., Any]


def over_batch(**dimensions: int | str) -> Callable[[_Routine], _Routine]:
    """Calls a function of single matrices for each of a stack, as SciPy does.

    `dimensions` are the parameters that are arrays, with the number of axes of one of them; '1|2':
    two unless it has only one.
    """

    def decorate(function: _Routine) -> _Routine:
        parameters = inspect.signature(function)

        @functools.wraps(function)
        def called(*args: object, **kwargs: object) -> Any:
            bound = parameters.bind(*args, **kwargs)
            given = {
                name: number_array(bound.arguments[name])
                for name in dimensions
                if bound.arguments.get(name) is not None
            }
            core = {name: _core_axes(dimensions[name], array) for name, array in given.items()}
            stacks = [a.shape[: max(a.ndim - core[name], 0)] for name, a in given.items()]
            bound.arguments.update(given)
            if not any(stacks):
                return function(*bound.args, **bound.kwargs)
            stack = numpy.broadcast_shapes(*stacks)
            if math.prod(stack) == 0:
                raise ValueError(f"`{function.__name__}` does not support zero-size batches.")
            spread = {
                name: np.broadcast_to(a, (*stack, *a.shape[a.ndim - core[name] :]))
                for name, a in given.items()
            }
            results = []
            for index in numpy.ndindex(*stack):
                bound.arguments.update({name: a[index] for name, a in spread.items()})
                made = function(*bound.args, **bound.kwargs)
                results.append(made if isinstance(made, tuple) else (made,))
            joined = tuple(_stacked(each, stack) for each in zip(*results, strict=True))
            return joined[0] if len(joined) == 1 else joined

        return called

    return decorate


def for_all_rows(function: Callable[..., ndarray], *arrays: ndarray) -> ndarray:
    """A function that takes stacks, inside of `vmap`: of all rows at once.

    It is called outside of the batches, which hear nothing of what it does: it makes no step of a
    derivative, as functions with a rule of their own do not.
    """

    def of_rows(depth: int, given: Sequence[ndarray]) -> ndarray:
        if depth < 0 or not any(map(_core.is_stand_in, given)):
            return function(*given)
        made = of_rows(depth - 1, [rows_along(a, depth) for a in given])
        return _core.enter_batch_at(made, depth)

    return of_rows(_core.batch_depth() - 1, arrays)


def _core_axes(dimension: int | str, array: ndarray) -> int:
    return dimension if isinstance(dimension, int) else 2 if array.ndim >= 2 else 1


def _stacked(results: Sequence[ndarray], stack: tuple[int, ...]) -> ndarray:
    arrays = [as_array(each) for each in results]
    made = np.stack(arrays)
    return made.reshape(*stack, *made.shape[1:])


# --- LAPACK ---


def lapack(
    name: str, *given: ndarray, lower: bool = False, hermitian: bool = False
) -> tuple[ndarray, ...]:
    """Results of a routine that few devices have, with the status last; matrices as users see them.

    Where the device has it not, on the host.
    """
    device = given[0].device
    arrays = [transposed(a) if a.dtype.kind in "fc" else a for a in given]
    if not _core.linalg.has_dense_routines(arrays[0]):
        arrays = [a.to_device("cpu") for a in arrays]
    made = _core.linalg.dense_routine(name, arrays, lower, hermitian)
    stack = given[0].ndim - 2
    found = tuple(transposed(a) if a.ndim == stack + 2 else a for a in made)
    return tuple(a.to_device(device) if a.device != device else a for a in found)


def check_status(status: ndarray, message: str) -> None:
    if true_anywhere(status != 0):
        raise LinAlgError(message)


def host(a: ndarray) -> HostArray:
    """As NumPy's array, for what is sequential by nature."""
    return np.asnumpy(a)


def on_device(value: HostArray, like: ndarray) -> ndarray:
    return np.asarray(value, device=like.device)
