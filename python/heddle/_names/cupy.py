"""Names that CuPy has beside NumPy's, and names that NumPy dropped and CuPy keeps."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any, ParamSpec, TypeVar

import numpy as _numpy

import heddle
from heddle import _core
from heddle._arguments import as_array
from heddle._core import ndarray, own_array
from heddle._typing import ArrayLike, DTypeLike

_P = ParamSpec("_P")
_R = TypeVar("_R")

# --- for programs that take arrays of either kind ---


def get_array_module(*args: object) -> ModuleType:
    """The module whose arrays the arguments are: heddle, or NumPy where none of them is ours.

    Examples
    --------
    >>> import heddle, numpy
    >>> heddle.get_array_module(heddle.ones(3)).__name__
    'heddle'
    >>> heddle.get_array_module(numpy.ones(3), 2.0).__name__
    'numpy'
    """
    ours = any(isinstance(a, own_array) for a in args)
    return sys.modules["heddle" if ours else "numpy"]


class Fusion:
    """A function of arrays, as `fuse` gives it."""

    def __init__(self, function: Callable[..., Any], kernel_name: str | None) -> None:
        functools.update_wrapper(self, function)
        self._function = function
        self.kernel_name = kernel_name or getattr(function, "__name__", "fused")

    def __call__(self, *args: ArrayLike, **kwargs: object) -> Any:
        return self._function(*args, **kwargs)

    def __repr__(self) -> str:
        return f"<Fusion name={self.kernel_name}>"


def fuse(*args: Any, **kwargs: Any) -> Callable[..., Any] | Fusion | None:
    """The decorator that tells CuPy what to fuse. Here everything fuses: it changes nothing.

    Parameters
    ----------
    kernel_name : str, optional
        The name that the function has as a kernel.

    Examples
    --------
    >>> @heddle.fuse()
    ... def squared_difference(x, y):
    ...     return (x - y) * (x - y)
    >>> squared_difference(heddle.arange(3), 1)
    array([1, 0, 1])
    """
    if len(args) == 1 and callable(args[0]) and not kwargs:
        return Fusion(args[0], None)

    def named(kernel_name: str | None = None) -> str | None:
        return kernel_name

    name = named(*args, **kwargs)
    return lambda function: Fusion(function, name)


def memoize(for_each_device: bool = False) -> Callable[[Callable[_P, _R]], Callable[_P, _R]]:
    """A decorator that keeps results by arguments until `clear_memo`, or by device as well.

    Examples
    --------
    >>> import heddle as np
    >>> square = np.memoize()(lambda n: n * n)
    >>> square(3)
    9
    """

    def decorate(function: Callable[_P, _R]) -> Callable[_P, _R]:
        results: dict[Any, _R] = {}
        _memos.append(results)

        @functools.wraps(function)
        def remembered(*args: _P.args, **kwargs: _P.kwargs) -> _R:
            where = _core.default_device() if for_each_device else None
            key = (where, args, frozenset(kwargs.items()))
            if key not in results:
                results[key] = function(*args, **kwargs)
            return results[key]

        return remembered

    return decorate


_memos: list[dict[Any, Any]] = []


def clear_memo() -> None:
    """Forgets what functions of `memoize` have kept.

    Examples
    --------
    >>> import heddle as np
    >>> np.clear_memo()
    """
    for results in _memos:
        results.clear()


def is_available() -> bool:
    """Whether a GPU can be used.

    Examples
    --------
    >>> import heddle as np
    >>> np.is_available() in (True, False)
    True
    """
    return bool(_core.cuda.is_available())


def who(vardict: dict[str, Any] | None = None) -> None:
    """Prints the arrays of a dictionary, by default of the caller's global variables.

    Examples
    --------
    >>> import heddle as np
    >>> np.who({"x": np.ones(3)})
    Name    Shape    Bytes    Type
    ==================================
    x       3        24       float64
    <BLANKLINE>
    Upper bound on total bytes  =       24
    """
    if vardict is None:
        vardict = sys._getframe(1).f_globals
    rows, total = [("Name", "Shape", "Bytes", "Type")], 0
    first: dict[int, str] = {}
    for name in sorted(vardict):
        a = vardict[name]
        if not isinstance(a, own_array):
            continue
        known = first.setdefault(id(a), name)
        label = name if known == name else f"{name} ({known})"
        total += a.nbytes if known == name else 0
        rows.append((label, " x ".join(map(str, a.shape)), str(a.nbytes), a.dtype.name))
    if len(rows) > 1:
        widths = [max(len(row[i]) for row in rows) + 4 for i in range(3)]
        for n, row in enumerate(rows):
            print("".join(text.ljust(w) for text, w in zip(row, widths, strict=False)) + row[3])
            if n == 0:
                print("=" * (sum(widths) + 8))
    print(f"\nUpper bound on total bytes  =       {total}")


# --- DLPack by its old names ---


def fromDlpack(dltensor: object) -> ndarray:
    """An array of the memory of a DLPack capsule; `from_dlpack` takes arrays themselves.

    Examples
    --------
    >>> import heddle as np
    >>> np.fromDlpack(np.arange(3).toDlpack())
    array([0, 1, 2])
    """
    if hasattr(dltensor, "__dlpack__"):
        return heddle.from_dlpack(dltensor)
    return _core.from_dlpack(dltensor, dltensor)


def toDlpack(array: ArrayLike) -> object:
    """A DLPack capsule of an array's memory; libraries of today take the array itself.

    Examples
    --------
    >>> import heddle as np
    >>> np.fromDlpack(np.toDlpack(np.arange(3)))
    array([0, 1, 2])
    """
    return as_array(array).toDlpack()


# --- what NumPy dropped ---

Inf = Infinity = PINF = infty = _numpy.inf
NINF = -_numpy.inf
NAN = NaN = _numpy.nan
PZERO, NZERO = 0.0, -0.0
float_, complex_, cfloat, singlecomplex = (
    _numpy.float64,
    _numpy.complex128,
    _numpy.complex128,
    _numpy.complex64,
)
AxisError = _numpy.exceptions.AxisError
ComplexWarning = _numpy.exceptions.ComplexWarning
ModuleDeprecationWarning = _numpy.exceptions.ModuleDeprecationWarning
RankWarning = _numpy.exceptions.RankWarning
TooHardError = _numpy.exceptions.TooHardError
VisibleDeprecationWarning = _numpy.exceptions.VisibleDeprecationWarning

alltrue: Callable[..., ndarray] = heddle.all
sometrue: Callable[..., ndarray] = heddle.any
product: Callable[..., ndarray] = heddle.prod
cumproduct: Callable[..., ndarray] = heddle.cumprod
round_, trapz = heddle.round, heddle.trapezoid


def in1d(
    ar1: ArrayLike, ar2: ArrayLike, assume_unique: bool = False, invert: bool = False
) -> ndarray:
    """`isin` of the flattened array.

    Examples
    --------
    >>> import heddle as np
    >>> np.in1d([1, 2, 3], [2, 3])
    array([False,  True,  True])
    """
    flat = heddle.ravel(heddle.asarray(ar1))
    return heddle.isin(flat, ar2, assume_unique=assume_unique, invert=invert)


def byte_bounds(a: ndarray) -> tuple[int, int]:
    """The addresses of the first byte of an array's memory and of the one after its last.

    Examples
    --------
    >>> low, high = heddle.byte_bounds(heddle.ones((3, 4))[:, ::-1])
    >>> high - low
    96
    """
    interface = "__array_interface__" if a.device == "cpu" else "__cuda_array_interface__"
    low = high = getattr(a, interface)["data"][0]
    if a.size == 0:
        return low, low
    for extent, stride in zip(a.shape, a.strides, strict=True):
        if stride < 0:
            low += (extent - 1) * stride
        else:
            high += (extent - 1) * stride
    return low, high + a.itemsize


def msort(a: ArrayLike) -> ndarray:
    """The array sorted along its first axis.

    Examples
    --------
    >>> import heddle as np
    >>> np.msort(np.array([[3, 1], [2, 4]]))
    array([[2, 1],
           [3, 4]])
    """
    return heddle.sort(a, axis=0)


def asfarray(a: ArrayLike, dtype: DTypeLike = float) -> ndarray:
    """The array in a floating-point type: float64 where the one asked for is none.

    Examples
    --------
    >>> import heddle as np
    >>> np.asfarray([1, 2])
    array([1., 2.])
    """
    kind = _numpy.dtype(dtype)
    return heddle.asarray(a, kind if kind.kind in "fcV" else _numpy.dtype(float))


__all__ = [
    "NAN",
    "NINF",
    "NZERO",
    "PINF",
    "PZERO",
    "AxisError",
    "ComplexWarning",
    "Inf",
    "Infinity",
    "ModuleDeprecationWarning",
    "NaN",
    "RankWarning",
    "TooHardError",
    "VisibleDeprecationWarning",
    "alltrue",
    "asfarray",
    "byte_bounds",
    "cfloat",
    "clear_memo",
    "complex_",
    "cumproduct",
    "float_",
    "fromDlpack",
    "fuse",
    "get_array_module",
    "in1d",
    "infty",
    "is_available",
    "memoize",
    "msort",
    "product",
    "round_",
    "singlecomplex",
    "sometrue",
    "toDlpack",
    "trapz",
    "who",
]
