"""Making arrays from data. Filled ones are in fills, ranges in ranges, grids in grids."""

from __future__ import annotations

import contextlib
import operator
import warnings
from collections.abc import Sequence
from typing import Any

import numpy

from heddle import _core
from heddle._arguments import (
    accepts_like,
    any_of,
    as_array,
    check_cast,
    check_copy,
    check_order,
    fitted,
    handles_ufuncs,
    needs_array,
    no_value,
)
from heddle._core import in_core, ndarray, own_array, ufuncs
from heddle._runtime.control import device as scope
from heddle._runtime.control import explicit_copies, get_implicit_copies
from heddle._typing import ArrayLike, Casting, DTypeLike, Order

__all__ = [
    "array",
    "asanyarray",
    "asarray",
    "asarray_chkfinite",
    "ascontiguousarray",
    "asfortranarray",
    "copy",
    "copyto",
    "require",
]

_NO_COPY = (
    "Unable to avoid copy while creating an array as requested.\n"
    "If using `np.array(obj, copy=False)` replace it with `np.asarray(obj)` to allow a copy when "
    "needed."
)


def _in_order(a: ndarray, order: str) -> bool:
    """Whether an array lies in memory as the order asks."""
    if order == "C":
        return a._c_contiguous
    if order == "F":
        return a._f_contiguous
    return True  # K, and A, which decides about copies only


_OF_THE_HOST = (numpy.ndarray, numpy.generic, list, tuple, int, float, complex)


def _converted(obj: ArrayLike, dtype: DTypeLike | None, device: str | None) -> ndarray:
    """A new array, on the device that is asked for."""
    if device is None and get_implicit_copies() == "allow":
        return as_array(obj, dtype)
    with explicit_copies(), scope(device) if device is not None else contextlib.nullcontext():
        return as_array(obj, dtype)


def _has_protocol(obj: object) -> bool:
    """Whether an object makes an array of itself, and has no memory to look at."""
    if isinstance(obj, (own_array, *_OF_THE_HOST)) or not hasattr(type(obj), "__array__"):
        return False
    return not any(
        hasattr(obj, name) for name in ("__array_interface__", "__cuda_array_interface__")
    )


def _by_protocol(obj: Any, dtype: DTypeLike | None, copy: bool | None) -> tuple[Any, bool]:
    """What ``__array__`` gives, and whether a copy was asked of it that it is trusted to make."""
    given = () if dtype is None else (dtype,)
    if copy is not None:
        try:
            return obj.__array__(*given, copy=bool(copy)), True
        except TypeError as error:
            if "copy" not in str(error):
                raise
            warnings.warn(
                "__array__ implementation doesn't accept a copy keyword, so passing copy=False "
                "failed. __array__ must implement 'dtype' and 'copy' keyword arguments.",
                DeprecationWarning,
                stacklevel=4,
            )
            if not copy:
                raise ValueError(_NO_COPY) from None
    return obj.__array__(*given), False


def _make(
    obj: ArrayLike,
    dtype: DTypeLike | None,
    copy: bool | None,
    order: str | None,
    ndmin: int = 0,
    device: str | None = None,
) -> ndarray:
    """The body of array and asarray."""
    order = check_order(order)
    if dtype is not None:
        dtype = numpy.dtype(dtype)
    copy = check_copy(copy)
    trusted = False
    if _has_protocol(obj):
        obj, trusted = _by_protocol(obj, dtype, copy)
        if not isinstance(obj, (own_array, numpy.ndarray)):
            raise ValueError("object __array__ method not producing an array")
    if isinstance(obj, own_array):
        fresh, result = trusted, obj
    elif not isinstance(obj, _OF_THE_HOST) and hasattr(obj, "__cuda_array_interface__"):
        fresh, result = False, _core.asarray(obj)  # shares the memory
    elif copy is not None and not copy:
        fresh, result = False, _core.alias(numpy.array(obj, dtype, copy=False))
    elif isinstance(obj, numpy.ndarray) and type(obj) is not numpy.ndarray:
        # What a subclass adds is left.
        fresh, result = True, _converted(numpy.asarray(obj), dtype, device)
    else:
        if order == "A" and isinstance(obj, numpy.ndarray):
            order = "F" if obj.flags.fnc else "C"  # the copy is dense in the order of its strides
        fresh, result = True, _converted(obj, dtype, device)
    retyped = dtype is not None and result.dtype != dtype
    moved = device is not None and result.device != device
    if retyped or moved or not _in_order(result, order) or (copy and not fresh):
        if copy is not None and not copy:
            raise ValueError(_NO_COPY)
        if retyped:
            result = result._astype(dtype, order)
        elif (copy and not fresh and not moved) or not _in_order(result, order):
            result = result._copy(order)
        if device is not None and moved:
            result = result._to_device(device)
    if fresh:
        result._place()
    if result.ndim == 0 and result._is_scalar:
        result = result[...]  # a 0-d array that can be written to
    if result.ndim < ndmin:
        result = result._reshape((1,) * (ndmin - result.ndim) + result.shape)
    return result


@in_core
@accepts_like
def array(
    object: Any,
    dtype: DTypeLike | None = None,
    *,
    copy: bool = True,
    order: Order = "K",
    subok: bool = False,
    ndmin: int = 0,
    ndmax: int = no_value,
    like: ArrayLike | None = None,
) -> ndarray:
    """Make an array; by default always a copy.

    Examples
    --------
    >>> import heddle as np
    >>> np.array([[1, 2], [3, 4]])
    array([[1, 2],
           [3, 4]])
    >>> np.array([1, 2, 3], dtype=np.float32)
    array([1., 2., 3.], dtype=float32)
    """
    del subok  # there are no subclasses
    if ndmax is not no_value:
        if not 0 <= ndmax <= 64:
            raise ValueError("ndmax must be in the range [0, NPY_MAXDIMS (64)]")
        if ndmin > ndmax:
            raise ValueError(f"ndmin must be <= ndmax ({ndmax})")
        if not isinstance(object, own_array):
            object = numpy.array(object, dtype, copy=copy, ndmax=ndmax)
        # As NumPy: arrays that pass as they are may be deeper.
        elif object.ndim > ndmax and dtype is not None and numpy.dtype(dtype) != object.dtype:
            raise ValueError("object too deep for desired array")
    return _make(object, dtype, copy, order, operator.index(ndmin))


@in_core
@accepts_like
def asarray(
    a: Any,
    dtype: DTypeLike | None = None,
    order: Order | None = None,
    *,
    device: str | None = None,
    copy: bool | None = None,
    like: ArrayLike | None = None,
) -> ndarray:
    """Make an array; arrays of ours pass through, NumPy's are copied unless ``copy=False``.

    Examples
    --------
    >>> import heddle as np
    >>> a = np.asarray([1, 2, 3])
    >>> np.asarray(a) is a
    True
    """
    return _make(a, dtype, copy, order, device=device)


@in_core
@accepts_like
def asanyarray(
    a: Any,
    dtype: DTypeLike | None = None,
    order: Order | None = None,
    *,
    device: str | None = None,
    copy: bool | None = None,
    like: ArrayLike | None = None,
) -> ndarray:
    """The same as asarray, but for arrays of NumPy's that are more than their elements.

    Masked arrays, matrices and arrays with units stay what they are.

    Examples
    --------
    >>> import heddle as np
    >>> np.asanyarray((1.5, 2))
    array([1.5, 2. ])
    >>> np.asanyarray(np.ma.masked_equal([1, 2], 2))
    masked_array(data=[1, --],
                 mask=[False,  True],
           fill_value=2)
    """
    if device is None and _is_more_than_elements(a):
        return numpy.asanyarray(a, dtype, order, copy=copy)  # type: ignore[return-value]
    return _make(a, dtype, copy, order, device=device)


def _is_more_than_elements(a: object) -> bool:
    """Whether it is an array of a class of NumPy's that a plain array says less than."""
    if type(a) is numpy.ndarray or not isinstance(a, numpy.ndarray):
        return False
    return (
        handles_ufuncs(a)
        or isinstance(a, numpy.matrix)
        or hasattr(a, "_mask")
        or hasattr(type(a), "_derived_from_heddle")
    )


def asarray_chkfinite(
    a: ArrayLike, dtype: DTypeLike | None = None, order: Order | None = None
) -> ndarray:
    """The same as asarray, refusing infinities and nans.

    Examples
    --------
    >>> import heddle as np
    >>> np.asarray_chkfinite([1.0, 2.0])
    array([1., 2.])
    >>> np.asarray_chkfinite([1.0, np.inf])
    Traceback (most recent call last):
        ...
    ValueError: array must not contain infs or NaNs
    """
    a = _make(a, dtype, None, order)
    if a.dtype.kind in "fcV" and any_of(ufuncs["logical_not"](ufuncs["isfinite"](a))):
        raise ValueError("array must not contain infs or NaNs")
    return a


@in_core
@accepts_like
def ascontiguousarray(
    a: ArrayLike, dtype: DTypeLike | None = None, *, like: ArrayLike | None = None
) -> ndarray:
    """An array in C order in memory, of at least one dimension.

    Examples
    --------
    >>> import heddle as np
    >>> x = np.ones((2, 3)).T
    >>> np.ascontiguousarray(x).flags.c_contiguous
    True
    """
    return _make(a, dtype, None, "C", 1)


@accepts_like
def asfortranarray(
    a: ArrayLike, dtype: DTypeLike | None = None, *, like: ArrayLike | None = None
) -> ndarray:
    """An array in Fortran order in memory, of at least one dimension.

    Examples
    --------
    >>> import heddle as np
    >>> np.asfortranarray(np.ones((2, 3))).strides
    (8, 16)
    """
    return _make(a, dtype, None, "F", 1)


_REQUIREMENTS = {
    **dict.fromkeys(("C", "C_CONTIGUOUS", "CONTIGUOUS"), "C"),
    **dict.fromkeys(("F", "F_CONTIGUOUS", "FORTRAN"), "F"),
    **dict.fromkeys(("A", "ALIGNED"), "A"),
    **dict.fromkeys(("W", "WRITEABLE"), "W"),
    **dict.fromkeys(("O", "OWNDATA"), "O"),
    **dict.fromkeys(("E", "ENSUREARRAY"), "E"),
}


@accepts_like
def require(
    a: ArrayLike,
    dtype: DTypeLike | None = None,
    requirements: str | Sequence[str] | None = None,
    *,
    like: ArrayLike | None = None,
) -> ndarray:
    """An array that satisfies the requirements, copied where it does not yet.

    Examples
    --------
    >>> import heddle as np
    >>> a = np.require([1, 2], dtype=np.float32, requirements=["C", "W"])
    >>> a.flags.writeable
    True
    """
    wanted = {_REQUIREMENTS[name.upper()] for name in requirements or ()}
    if wanted >= {"C", "F"}:
        raise ValueError('Cannot specify both "C" and "F" order')
    order = "C" if "C" in wanted else "F" if "F" in wanted else "K"
    result = _make(a, dtype, None, order)
    if ("W" in wanted and not result._writeable) or ("O" in wanted and result.base is not None):
        result = result._copy(order)
    return result


@in_core
def copy(a: ArrayLike, order: Order = "K", subok: bool = False) -> ndarray:
    """A copy of the array.

    Examples
    --------
    >>> import heddle as np
    >>> x = np.array([1, 2, 3])
    >>> y = np.copy(x)
    >>> y[0] = 10
    >>> x
    array([1, 2, 3])
    """
    if subok and isinstance(a, numpy.ndarray) and type(a) is not numpy.ndarray:
        raise _core.NoNumbers("arrays of derived classes are NumPy's")
    return _make(a, None, True, order)


def host_scalar(value: ArrayLike, dtype: DTypeLike) -> numpy.ndarray[Any, Any]:
    """A Python or NumPy scalar as one of this type, with NumPy's range check."""
    holder = numpy.empty((), dtype)
    if type(value) in (float, complex):
        value = numpy.asarray(value)
    numpy.copyto(holder, value, casting="unsafe")
    return holder


@in_core
def copyto(
    dst: ndarray, src: ArrayLike, casting: Casting = "same_kind", where: ArrayLike = True
) -> None:
    """Write `src`, broadcast, to `dst` where the mask is true.

    Examples
    --------
    >>> import heddle as np
    >>> a = np.zeros(3)
    >>> np.copyto(a, [1, 2, 3], where=[True, False, True])
    >>> a
    array([1., 0., 3.])
    """
    needs_array(dst, "copyto")
    if not isinstance(casting, str):
        raise TypeError(f"casting must be str, not {type(casting).__name__}")
    if type(src) in (bool, int, float, complex):
        what = numpy.result_type(numpy.dtype(dst.dtype), src)
        if what != dst.dtype or type(src) is bool:
            check_cast(numpy.asarray(src).dtype, dst.dtype, casting, "scalar")
        elif casting == "equiv" and dst.dtype != numpy.asarray(src).dtype:
            raise TypeError(
                f"cannot cast Python {type(src).__name__} to {dst.dtype} under the casting rule "
                "'equiv'"
            )
        src = as_array(host_scalar(src, dst.dtype))
    else:
        src = as_array(src)
        check_cast(src.dtype, dst.dtype, casting)
    if not dst._writeable:
        raise ValueError("assignment destination is read-only")
    src = fitted(src, dst.shape)
    if where is True:
        _core.write(dst, src)
        return
    strict = isinstance(where, (own_array, numpy.ndarray))
    mask = as_array(where, None if strict else bool)
    check_cast(mask.dtype, numpy.dtype(bool), "safe")
    _core.write(dst, src, fitted(mask, dst.shape, "where mask"))
