"""The class of arrays as programs know it: what counts as one, and what is derived from it."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any, SupportsIndex, cast

import numpy

from heddle import _core
from heddle._arguments import as_shape, no_value, shared_or_copied
from heddle._core import ndarray, own_array
from heddle._creation.fills import empty
from heddle._typing import DTypeLike, Order, ShapeLike

__all__: list[str] = []


class DerivedArray(numpy.ndarray[Any, Any]):
    """What classes derived from ``ndarray`` are derived from instead."""

    _derived_from_heddle = True  # the core asks for it: no array of ours is made of them in passing

    def view(self, dtype: Any = no_value, type: Any = no_value) -> Any:
        """The same memory as another type or class, ``heddle.ndarray`` among them."""
        if dtype is ndarray or type is ndarray:
            elements = self.dtype if dtype is ndarray or dtype is no_value else dtype
            return shared_or_copied(numpy.asarray(self).view(elements))
        given = {"dtype": dtype, "type": type}
        return super().view(**{name: v for name, v in given.items() if v is not no_value})

    def __getitem__(self, index: Any) -> Any:
        return super().__getitem__(_numpys(index))

    def __setitem__(self, index: Any, value: Any) -> None:
        super().__setitem__(_numpys(index), value)


class WithUfuncs(DerivedArray):
    """The same of classes that say themselves what ufuncs do, and ask NumPy's arrays in the end.

    Others must not have the method: whoever has one of his own is no plain array for NumPy.
    """

    def __array_ufunc__(self, ufunc: Any, method: Any, *inputs: Any, **kwargs: Any) -> Any:
        outs = kwargs.get("out")
        if outs:
            kwargs["out"] = _numpys(outs)
        made = super().__array_ufunc__(ufunc, method, *_numpys(inputs), **kwargs)
        if made is NotImplemented or not outs:
            return made
        return (
            outs[0]
            if len(outs) == 1
            else tuple(one if out is None else out for one, out in zip(made, outs, strict=True))
        )


def _numpys(given: Any) -> Any:
    """NumPy's arrays for ours, also in a tuple.

    As an index NumPy takes others without elements for integers, and as operands of ufuncs for
    those that somebody else computes.
    """
    if isinstance(given, own_array):
        return numpy.asarray(given)
    return tuple(map(_numpys, given)) if type(given) is tuple else given


class ArrayClass(_core.ClassWithMethodsForBoth):
    """The class of ``ndarray``.

    Arrays of elements that ours do not hold (text, dates, objects), and of NumPy's own classes, are
    NumPy's: functions give these where NumPy's functions would, so they count as arrays. Plain
    arrays of numbers of NumPy's do not, so that programs can tell which ones are on a device.

    Who derives a class wants NumPy's rules for derived classes (``__array_finalize__``,
    ``__array_wrap__``), by which what is computed of an array is of its class again. So the class
    is made one of NumPy's, and NumPy computes with its arrays. ``own=True`` makes it a class of
    heddle's arrays; what is computed of these are plain arrays.
    """

    def __new__(
        cls,
        name: str,
        bases: tuple[type, ...],
        namespace: dict[str, Any],
        own: bool = False,
        **options: Any,
    ) -> Any:
        if own or ndarray not in bases:
            return super().__new__(OwnClass, name, bases, namespace, **options)
        theirs = WithUfuncs if "__array_ufunc__" in namespace else DerivedArray
        bases = tuple(theirs if base is ndarray else base for base in bases)
        return type(name, bases, namespace, **options)

    def __init__(
        cls,
        name: str,
        bases: tuple[type, ...],
        namespace: dict[str, Any],
        own: bool = False,
        **options: object,
    ) -> None:
        super().__init__(name, bases, namespace, **options)

    # A function of the core, which binds to nothing: programs ask all the time.
    __instancecheck__ = _core.given_as_array  # type: ignore[assignment]

    def __subclasscheck__(cls, subclass: type) -> bool:
        theirs = subclass is not numpy.ndarray and issubclass(subclass, numpy.ndarray)
        return theirs or super().__subclasscheck__(subclass)


class OwnClass(ArrayClass):
    """The class of classes of heddle's arrays that are derived from ``ndarray``."""

    __instancecheck__ = type.__instancecheck__  # type: ignore[assignment]
    __subclasscheck__ = type.__subclasscheck__  # type: ignore[assignment]
    __getattribute__ = type.__getattribute__


@functools.cache
def _for_both(name: str) -> Any:
    """A special method as derived classes call it, ``np.ndarray.__getitem__(self, i)``."""
    ours = type.__getattribute__(ndarray, name)
    theirs = getattr(numpy.ndarray, name, None)
    if theirs is None:
        return ours

    @functools.wraps(ours)
    def method(self: Any, *args: Any, **kwargs: Any) -> Any:
        return (theirs if isinstance(self, numpy.ndarray) else ours)(self, *args, **kwargs)

    return method


def _construct(
    shape: ShapeLike,
    dtype: DTypeLike = float,
    buffer: Any = None,
    offset: int = 0,
    strides: Sequence[SupportsIndex] | None = None,
    order: Order | None = None,
    memptr: object = None,
) -> ndarray:
    """``ndarray(...)``: an array whose elements are not set, or the memory of a buffer.

    `memptr`: CuPy's name for `buffer`.
    """
    if memptr is not None:
        if buffer is not None:
            raise TypeError("ndarray: buffer and memptr are the same argument")
        buffer = memptr
    if buffer is None and strides is None:
        return empty(shape, dtype, "C" if order is None else order)
    if hasattr(buffer, "mem"):  # CuPy's way: a MemoryPointer
        made = buffer._as_array(as_shape(shape), numpy.dtype(dtype), offset, strides, order)
        return cast("ndarray", made)
    theirs = numpy.ndarray(shape, dtype, buffer, offset, strides, order)
    try:
        return shared_or_copied(theirs, buffer)
    except _core.NoNumbers:
        return cast("ndarray", theirs)


def _new(cls: type, *args: Any, **kwargs: Any) -> Any:
    if issubclass(cls, numpy.ndarray):  # a class that was derived from ndarray
        return numpy.ndarray.__new__(cls, *args, **kwargs)
    made = _construct(*args, **kwargs)
    return made if cls is ndarray else _core.seen_as(made, cls)


ndarray.__new__ = _new  # type: ignore[method-assign]
_core.set_class(ArrayClass, _for_both)
