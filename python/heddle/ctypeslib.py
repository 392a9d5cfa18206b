"""NumPy's `ctypeslib`: functions of C, called by ctypes, that are given arrays of ours.

`as_array` and results of `ndpointer` share memory with C and are arrays of ours; arguments that
`ndpointer` describes may be arrays of ours on the CPU, or NumPy's.

Examples
--------
>>> import ctypes
>>> import heddle as np
>>> row = np.ctypeslib.ndpointer(np.int32, ndim=1, flags="C_CONTIGUOUS")
>>> number = ctypes.POINTER(ctypes.c_int32)
>>> order = ctypes.CFUNCTYPE(ctypes.c_int, number, number)
>>> qsort = ctypes.CDLL(None).qsort
>>> qsort.argtypes, qsort.restype = [row, ctypes.c_size_t, ctypes.c_size_t, order], None
>>> x = np.array([3, 1, 2], np.int32)
>>> qsort(x, len(x), x.itemsize, order(lambda a, b: a[0] - b[0]))
>>> x
array([1, 2, 3], dtype=int32)
"""

from __future__ import annotations

import ctypes
import functools
from collections.abc import Sequence
from typing import Any

import numpy
import numpy.ctypeslib as _ctypeslib
from numpy.ctypeslib import as_ctypes_type, c_intp, load_library

from heddle._core import ndarray, own_array
from heddle._creation.arrays import asarray
from heddle._typing import DTypeLike, HostArray, ShapeLike

_theirs: Any = _ctypeslib  # its stubs leave out what it takes, as None for any type


def _in_host_memory(given: object) -> object:
    """Arrays of ours as NumPy's, which share their memory; all else as it is."""
    return numpy.asarray(given) if isinstance(given, own_array) else given


def as_array(obj: object, shape: ShapeLike | None = None) -> ndarray:
    """An array that shares the memory of an array of ctypes, or, of this shape, of a pointer.

    Examples
    --------
    >>> import ctypes
    >>> import heddle as np
    >>> numbers = (ctypes.c_int * 3)(1, 2, 3)
    >>> x = np.ctypeslib.as_array(numbers)
    >>> x += 1
    >>> numbers[:]
    [2, 3, 4]
    """
    return asarray(_theirs.as_array(_in_host_memory(obj), shape), copy=False)


def as_ctypes(obj: ndarray | HostArray) -> ctypes.Array[Any]:
    """An array of ctypes that shares the memory of an array, which is in C order.

    Examples
    --------
    >>> import heddle as np
    >>> x = np.array([1, 2], np.int8)
    >>> numbers = np.ctypeslib.as_ctypes(x)
    >>> numbers[0] = 5
    >>> x
    array([5, 2], dtype=int8)
    """
    made: ctypes.Array[Any] = _theirs.as_ctypes(_in_host_memory(obj))
    return made


@functools.cache
def _pointer_to(theirs: Any) -> type[Any]:
    """NumPy's class of pointers for arrays of ours."""

    def from_param(cls: type, obj: object) -> Any:
        return theirs.from_param(_in_host_memory(obj))

    space: dict[str, object] = {"from_param": classmethod(from_param)}
    if hasattr(theirs, "contents"):  # it knows type and shape of what it points to
        space["contents"] = property(lambda self: asarray(theirs.contents.fget(self), copy=False))
    return type(theirs.__name__, (theirs,), space)


def ndpointer(
    dtype: DTypeLike | None = None,
    ndim: int | None = None,
    shape: ShapeLike | None = None,
    flags: str | Sequence[str] | int | None = None,
) -> type[Any]:
    """A class that says in `argtypes` and `restype` which arrays a function of C takes and gives.

    What else it is given raises `TypeError` before the call.

    Examples
    --------
    >>> import heddle as np
    >>> row = np.ctypeslib.ndpointer(np.float64, ndim=1, flags="C_CONTIGUOUS")
    >>> row.from_param(np.ones(3)).shape[:]
    [3]
    >>> row.from_param(np.ones((2, 2)))
    Traceback (most recent call last):
        ...
    TypeError: array must have 1 dimension(s)
    """
    return _pointer_to(_theirs.ndpointer(dtype, ndim, shape, flags))


__all__ = ["as_array", "as_ctypes", "as_ctypes_type", "c_intp", "load_library", "ndpointer"]
