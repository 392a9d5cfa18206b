"""CuPy's ``cupyx``, as far as it is about arrays: ``from heddle import cupyx``."""

from __future__ import annotations

import importlib
import sys
from typing import TYPE_CHECKING, Any

import numpy

from heddle import cuda
from heddle._arguments import as_shape
from heddle._core import linalg as _linalg
from heddle._core import ndarray, ufuncs
from heddle._indexing.scatter import scatter_add, scatter_max, scatter_min
from heddle._runtime import control as _runtime
from heddle._runtime import float_errors
from heddle._runtime.control import errstate
from heddle._runtime.float_errors import ErrorKind
from heddle._typing import ArrayLike, DTypeLike, HostArray, Output, ShapeLike
from heddle.cupyx import jit, profiler, scipy
from heddle.cupyx._generalized import GeneralizedUFunc
from heddle.cupyx._waiting import DeviceSynchronized, allow_synchronize

__all__ = [
    "DeviceSynchronized",
    "GeneralizedUFunc",
    "allow_synchronize",
    "empty_like_pinned",
    "empty_pinned",
    "errstate",
    "get_runtime_info",
    "geterr",
    "jit",
    "profiler",
    "rsqrt",
    "scatter_add",
    "scatter_max",
    "scatter_min",
    "scipy",
    "seterr",
    "zeros_like_pinned",
    "zeros_pinned",
]

# --- elements ---


def rsqrt(x: ArrayLike, /, out: ArrayLike | None = None, **kwargs: object) -> ndarray:
    """1 / sqrt(x), in one pass over memory; keywords as those of ufuncs.

    Examples
    --------
    >>> heddle.cupyx.rsqrt(heddle.array([1.0, 4.0]))
    array([1. , 0.5])
    """
    return ufuncs["reciprocal"](ufuncs["sqrt"](x, **kwargs), out=out, **kwargs)


# --- what becomes of errors ---


def geterr() -> dict[str, str]:
    """How errors are treated in this thread: NumPy's four kinds, and ``linalg``; see `errstate`.

    Examples
    --------
    >>> heddle.cupyx.geterr()["linalg"]
    'raise'
    """
    ignored = _linalg.exchange_ignored(False)
    _linalg.exchange_ignored(ignored)
    kinds: dict[str, Any] = dict(numpy.geterr())
    return {**kinds, "linalg": "ignore" if ignored else "raise"}


def seterr(*, linalg: str | None = None, **kinds: ErrorKind) -> dict[str, str]:
    """Sets how errors are treated in this thread, and returns how they were; see `errstate`.

    Parameters
    ----------
    linalg : {'raise', 'ignore'}, optional
        Whether matrices that cannot be worked on raise LinAlgError, or give nan.
    all, divide, over, under, invalid
        As for `numpy.seterr`.

    Examples
    --------
    >>> before = heddle.cupyx.seterr(linalg="ignore")
    >>> x = heddle.linalg.inv(heddle.zeros((2, 2)))
    >>> heddle.cupyx.seterr(**before)["linalg"]
    'ignore'
    """
    if linalg not in (None, "raise", "ignore"):
        raise ValueError(f"seterr: linalg must be 'raise' or 'ignore', not {linalg!r}")
    before = geterr()
    float_errors.seterr(**kinds)
    if linalg is not None:
        _linalg.exchange_ignored(linalg == "ignore")
    return before


# --- NumPy's arrays in page-locked memory ---


def empty_pinned(shape: ShapeLike, dtype: DTypeLike = float, order: str = "C") -> HostArray:
    """A NumPy array in page-locked memory, which GPUs copy without waiting; elements are not set.

    Examples
    --------
    >>> heddle.cupyx.empty_pinned((2, 3), "float32").shape
    (2, 3)
    """
    extents, kind = as_shape(shape), numpy.dtype(dtype)
    count = int(numpy.prod(extents, dtype=numpy.int64))
    memory = cuda.alloc_pinned_memory(max(count * kind.itemsize, 1))
    flat = numpy.frombuffer(memory, kind, count)
    made: HostArray = flat.reshape(extents, order=order)  # type: ignore[call-overload]
    return made


def zeros_pinned(shape: ShapeLike, dtype: DTypeLike = float, order: str = "C") -> HostArray:
    """A NumPy array of zeros in page-locked memory.

    Examples
    --------
    >>> heddle.cupyx.zeros_pinned(3)
    array([0., 0., 0.])
    """
    made = empty_pinned(shape, dtype, order)
    made[...] = 0
    return made


def empty_like_pinned(
    a: Output,
    dtype: DTypeLike | None = None,
    order: str = "K",
    subok: object = None,
    shape: ShapeLike | None = None,
) -> HostArray:
    """A NumPy array in page-locked memory of the shape and type of another; not set.

    Examples
    --------
    >>> heddle.cupyx.empty_like_pinned(heddle.zeros((2, 3), "int16")).dtype
    dtype('int16')
    """
    if subok is not None:
        raise TypeError("subok is not supported yet")
    extents = a.shape if shape is None else as_shape(shape)
    if order not in ("C", "F"):  # "K" and "A": as the other, where that is possible
        order = "F" if a.flags.f_contiguous and not a.flags.c_contiguous else "C"
    return empty_pinned(extents, a.dtype if dtype is None else dtype, order)


def zeros_like_pinned(
    a: Output,
    dtype: DTypeLike | None = None,
    order: str = "K",
    subok: object = None,
    shape: ShapeLike | None = None,
) -> HostArray:
    """A NumPy array of zeros in page-locked memory, of the shape and type of another.

    Examples
    --------
    >>> heddle.cupyx.zeros_like_pinned(heddle.arange(2))
    array([0, 0])
    """
    made = empty_like_pinned(a, dtype, order, subok, shape)
    made[...] = 0
    return made


# --- what is there ---


class _RuntimeInfo:
    """Versions, devices and libraries, as text and as attributes."""

    def __init__(self, full: bool) -> None:
        self.full = full
        self.items = _runtime.show_config("dicts") or {}

    def __getattr__(self, name: str) -> Any:
        try:
            return self.__dict__["items"][name.replace("_", " ")]
        except KeyError:
            raise AttributeError(f"get_runtime_info has nothing about {name!r}") from None

    def __str__(self) -> str:
        rows = dict(self.items)
        if self.full:
            rows |= {"executable": sys.executable, "python build": sys.version}
        width = max(map(len, rows)) + 1
        return "\n".join(f"{name:<{width}}: {value}" for name, value in rows.items()) + "\n"


def get_runtime_info(*, full: bool = True) -> _RuntimeInfo:
    """Versions, devices and libraries, to be printed; see `heddle.show_config`.

    Examples
    --------
    >>> print(heddle.cupyx.get_runtime_info())  # doctest: +ELLIPSIS
    heddle ...
    """
    return _RuntimeInfo(full)


if TYPE_CHECKING:
    from heddle.cupyx import scipy as scipy
    from heddle.cupyx import signal as signal

if not TYPE_CHECKING:  # checkers know what there is

    def __getattr__(name: str) -> Any:
        if name in ("scipy", "signal"):  # few programs need them
            return importlib.import_module(f"heddle.cupyx.{name}")
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
