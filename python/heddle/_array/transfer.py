"""Between arrays of a device and NumPy's, when the program says so."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any

import numpy as _numpy

from heddle import _core
from heddle._arguments import as_array
from heddle._core import ndarray, own_array
from heddle._runtime.control import explicit_copies
from heddle._typing import ArrayLike, HostArray, Order, Output

if TYPE_CHECKING:
    from heddle.cuda.stream import BaseStream


def on_stream(stream: Any) -> contextlib.AbstractContextManager[Any]:
    """Work in the block goes to the stream, if one is given."""
    return contextlib.nullcontext() if stream is None else stream


def get(
    self: ndarray,
    stream: BaseStream | None = None,
    order: str = "C",
    out: Output | None = None,
    blocking: bool = True,
) -> HostArray:
    """The elements in a NumPy array.

    Parameters
    ----------
    stream : heddle.cuda.Stream, optional
        On which the elements are copied; the current one by default.
    order : {'C', 'F', 'A', 'K'}
        How the new array lies in memory; 'A' is 'F' for arrays in Fortran order, else 'C'.
    out : numpy.ndarray, optional
        Where to put them: of the same shape and type, contiguous.
    blocking : bool
        False returns at once where `out` is page-locked: wait for the stream before reading it.

    Examples
    --------
    >>> import heddle as np
    >>> type(np.arange(3).get())
    <class 'numpy.ndarray'>
    """
    _core.tell_of_leaving(self, "a copy in NumPy's memory")
    with on_stream(stream):
        if out is None:
            return self._to_numpy(order)
        if not isinstance(out, _numpy.ndarray):
            raise TypeError("get: out must be a NumPy array")
        if out.shape != self.shape or out.dtype != self.dtype:
            raise ValueError(
                f"get: out must have shape {self.shape} and type {self.dtype}, not {out.shape} "
                f"and {out.dtype}"
            )
        if not (out.flags.c_contiguous or out.flags.f_contiguous):
            raise ValueError("get: out must be contiguous")
        self._copy_into(out, blocking)
        return out


def set(self: ndarray, arr: ArrayLike, stream: BaseStream | None = None) -> None:
    """Copies a NumPy array of the same shape and type into this one.

    Parameters
    ----------
    arr : numpy.ndarray
        The elements.
    stream : heddle.cuda.Stream, optional
        On which they are copied; the current one by default.

    Examples
    --------
    >>> import heddle as np
    >>> import numpy
    >>> x = np.zeros(3)
    >>> x.set(numpy.arange(3.0))
    >>> x
    array([0., 1., 2.])
    """
    if not isinstance(arr, _numpy.ndarray):
        raise TypeError("only numpy.ndarray can be set to an array")
    if arr.dtype != self.dtype:
        raise TypeError(f"{arr.dtype} array cannot be set to {self.dtype} array")
    if arr.shape != self.shape:
        raise ValueError(f"Shape mismatch. Old shape: {self.shape}, new shape: {arr.shape}")
    with on_stream(stream), explicit_copies():
        _core.write(self, _core.asarray(arr))


def asnumpy(
    a: ArrayLike,
    stream: BaseStream | None = None,
    order: Order = "C",
    out: HostArray | None = None,
    *,
    blocking: bool = True,
) -> _numpy.ndarray[Any, Any]:
    """The elements as a NumPy array, a new one unless `out` is given; see `ndarray.get`.

    Examples
    --------
    >>> import heddle as np
    >>> type(np.asnumpy(np.arange(3)))
    <class 'numpy.ndarray'>
    """
    if not isinstance(a, own_array) and not hasattr(a, "__cuda_array_interface__") and out is None:
        try:
            return _numpy.array(a, order=order)
        except TypeError:
            if not isinstance(a, list | tuple):
                raise
        return _numpy.array(_on_host(a), order=order)
    return as_array(a).get(stream, order, out, blocking)


def _on_host(a: object) -> Any:
    """A list with arrays of a device in it, copied."""
    if isinstance(a, list | tuple):
        return [_on_host(each) for each in a]
    return a.get() if isinstance(a, own_array) else a


def _data(self: ndarray) -> Any:
    """The memory: a buffer, or a `heddle.cuda.MemoryPointer` of a GPU's memory."""
    if not self.device.startswith("cuda:"):
        return memoryview(self)
    from heddle.cuda.memory import MemoryPointer, UnownedMemory

    interface, holder = _core.cuda_array_interface(self)
    device = int(self.device[len("cuda:") :])
    return MemoryPointer(UnownedMemory(interface["data"][0], self.nbytes, holder, device), 0)


for _name, _value in {"get": get, "set": set, "data": property(_data)}.items():
    setattr(ndarray, _name, _value)

__all__ = ["asnumpy"]
