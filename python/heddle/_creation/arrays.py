"""Making arrays: from data, filled, counted. Grids and index tricks are in grids."""

from __future__ import annotations

import contextlib
import math
import operator
import warnings
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Literal, SupportsIndex, overload

import numpy

from heddle import _core
from heddle._arguments import (
    accepts_like,
    any_of,
    as_array,
    as_dtype,
    as_operand,
    as_shape,
    axes_in_order,
    check_cast,
    check_copy,
    check_order,
    empty_in_order,
    fitted,
    needs_array,
    no_value,
    normalize_axis_index,
    shared_or_copied,
)
from heddle._core import in_core, ndarray, ufuncs
from heddle._runtime.control import device as scope
from heddle._runtime.control import explicit_copies, get_implicit_copies
from heddle._typing import ArrayLike, Axis, Casting, DTypeLike, Order, ShapeLike

__all__ = [
    "arange",
    "array",
    "asanyarray",
    "asarray",
    "asarray_chkfinite",
    "ascontiguousarray",
    "asfortranarray",
    "copy",
    "copyto",
    "empty",
    "empty_like",
    "eye",
    "fromfunction",
    "fromiter",
    "full",
    "full_like",
    "geomspace",
    "identity",
    "linspace",
    "logspace",
    "ones",
    "ones_like",
    "require",
    "zeros",
    "zeros_like",
]

_NO_COPY = (
    "Unable to avoid copy while creating an array as requested.\n"
    "If using `np.array(obj, copy=False)` replace it with `np.asarray(obj)` to allow a copy when "
    "needed."
)


def _in_order(a, order):
    """Whether an array lies in memory as the order asks."""
    if order == "C":
        return a._c_contiguous
    if order == "F":
        return a._f_contiguous
    return order == "K" or a._c_contiguous or a._f_contiguous


_OF_THE_HOST = (numpy.ndarray, numpy.generic, list, tuple, int, float, complex)


def _converted(obj, dtype, device):
    """A new array, on the device that is asked for."""
    if device is None and get_implicit_copies() == "allow":
        return as_array(obj, dtype)
    with explicit_copies(), scope(device) if device is not None else contextlib.nullcontext():
        return as_array(obj, dtype)


def _has_protocol(obj):
    """Whether an object makes an array of itself, and has no memory to look at."""
    if isinstance(obj, (ndarray, *_OF_THE_HOST)) or not hasattr(type(obj), "__array__"):
        return False
    return not any(
        hasattr(obj, name) for name in ("__array_interface__", "__cuda_array_interface__")
    )


def _by_protocol(obj, dtype, copy):
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


def _make(obj, dtype, copy, order, ndmin=0, device=None):
    """The body of array and asarray."""
    order = check_order(order)
    if dtype is not None:
        dtype = numpy.dtype(dtype)
    copy = check_copy(copy)
    trusted = False
    if _has_protocol(obj):
        obj, trusted = _by_protocol(obj, dtype, copy)
        if not isinstance(obj, (ndarray, numpy.ndarray)):
            raise ValueError("object __array__ method not producing an array")
    if isinstance(obj, ndarray):
        fresh, result = trusted, obj
    elif not isinstance(obj, _OF_THE_HOST) and hasattr(obj, "__cuda_array_interface__"):
        fresh, result = False, _core.asarray(obj)  # shares the memory
    elif copy is not None and not copy:
        fresh, result = False, _core.alias(numpy.array(obj, dtype, copy=False))
    elif isinstance(obj, numpy.ndarray) and type(obj) is not numpy.ndarray:
        # What a subclass adds is left.
        fresh, result = True, _converted(numpy.asarray(obj), dtype, device)
    else:
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
        if moved:
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
    object: ArrayLike,
    dtype: DTypeLike | None = None,
    *,
    copy: bool = True,
    order: Order = "K",
    subok: bool = False,
    ndmin: int = 0,
    ndmax: int = 0,
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
    if not 0 <= ndmax <= 64:
        raise ValueError("ndmax must be in the range [0, NPY_MAXDIMS (64)]")
    if ndmax and ndmin > ndmax:
        raise ValueError("ndmin must be <= ndmax")
    if ndmax and not isinstance(object, ndarray):
        object = numpy.array(object, dtype, copy=copy, ndmax=ndmax)
    return _make(object, dtype, copy, order, operator.index(ndmin))


@in_core
@accepts_like
def asarray(
    a: ArrayLike,
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
    a: ArrayLike,
    dtype: DTypeLike | None = None,
    order: Order | None = None,
    *,
    device: str | None = None,
    copy: bool | None = None,
    like: ArrayLike | None = None,
) -> ndarray:
    """The same as asarray: there are no subclasses.

    Examples
    --------
    >>> import heddle as np
    >>> np.asanyarray((1.5, 2))
    array([1.5, 2. ])
    """
    return _make(a, dtype, copy, order, device=device)


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
        raise ValueError("Cannot specify both C and Fortran contiguous arrays")
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
    del subok  # there are no subclasses
    return _make(a, None, True, order)


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
    if type(src) in (bool, int, float, complex):
        what = numpy.result_type(numpy.dtype(dst.dtype), src)
        if what != dst.dtype:
            check_cast(numpy.asarray(src).dtype, dst.dtype, casting, "scalar")
        src = as_array(_host_scalar(src, dst.dtype))
    else:
        src = as_array(src)
        check_cast(src.dtype, dst.dtype, casting)
    if not dst._writeable:
        raise ValueError("assignment destination is read-only")
    src = fitted(src, dst.shape)
    if where is True:
        _core.write(dst, src)
        return
    strict = isinstance(where, (ndarray, numpy.ndarray))
    mask = as_array(where, None if strict else bool)
    check_cast(mask.dtype, numpy.dtype(bool), "safe")
    _core.write(dst, src, fitted(mask, dst.shape, "where mask"))


def _host_scalar(value, dtype):
    """A Python or NumPy scalar as one of this type, with NumPy's range check."""
    holder = numpy.empty((), dtype)
    if type(value) in (float, complex):
        value = numpy.asarray(value)
    numpy.copyto(holder, value, casting="unsafe")
    return holder


def _fill(shape, value, dtype, order, device, like=None):
    """An array full of one number, or of an array that is broadcast to it."""
    if isinstance(value, (str, bytes)):
        value = numpy.asarray(value).astype(dtype)[()]
    elif value is None and dtype.kind != "O":
        value = numpy.asarray(value, dtype)[()]  # nan, or TypeError
    check_cast(dtype, dtype, "no")  # only types that arrays of ours have
    if isinstance(value, (bool, int, float, complex, numpy.generic)):
        every = type(value) is int and 0 <= value <= 1  # every type has it
        held = value if every else _host_scalar(value, dtype).item()
        return _core.full(shape, held, dtype, device, axes_in_order(shape, order, like))
    result = empty_in_order(shape, dtype, order, device, like)
    _core.write(result, fitted(as_array(value), shape))
    return result


def _constant(shape, number, dtype, order, device):
    """An array full of a number that every type has."""
    axes = None if order == "C" else axes_in_order(shape, order)
    return _core.full(shape, number, dtype, device, axes)


def _row_order(order):
    if order == "C":
        return order
    order = check_order(order, "C")
    if order not in ("C", "F"):
        raise ValueError("only 'C' or 'F' order is permitted")
    return order


@in_core
@accepts_like
def empty(
    shape: ShapeLike,
    dtype: DTypeLike | None = None,
    order: Order = "C",
    *,
    device: str | None = None,
    like: ArrayLike | None = None,
) -> ndarray:
    """An array whose elements are not set.

    Examples
    --------
    >>> import heddle as np
    >>> np.empty((2, 3)).shape
    (2, 3)
    """
    return empty_in_order(as_shape(shape), as_dtype(dtype, float), _row_order(order), device)


@in_core
@accepts_like
def zeros(
    shape: ShapeLike,
    dtype: DTypeLike | None = None,
    order: Order = "C",
    *,
    device: str | None = None,
    like: ArrayLike | None = None,
) -> ndarray:
    """An array of zeros.

    Examples
    --------
    >>> import heddle as np
    >>> np.zeros(3)
    array([0., 0., 0.])
    >>> np.zeros((2, 2), dtype=np.int8)
    array([[0, 0],
           [0, 0]], dtype=int8)
    """
    return _constant(as_shape(shape), 0, as_dtype(dtype, float), _row_order(order), device)


@in_core
@accepts_like
def ones(
    shape: ShapeLike,
    dtype: DTypeLike | None = None,
    order: Order = "C",
    *,
    device: str | None = None,
    like: ArrayLike | None = None,
) -> ndarray:
    """An array of ones.

    Examples
    --------
    >>> import heddle as np
    >>> np.ones((2, 3))
    array([[1., 1., 1.],
           [1., 1., 1.]])
    """
    return _constant(as_shape(shape), 1, as_dtype(dtype, float), _row_order(order), device)


@in_core
@accepts_like
def full(
    shape: ShapeLike,
    fill_value: ArrayLike,
    dtype: DTypeLike | None = None,
    order: Order = "C",
    *,
    device: str | None = None,
    like: ArrayLike | None = None,
) -> ndarray:
    """An array full of `fill_value`.

    Examples
    --------
    >>> import heddle as np
    >>> np.full((2, 2), 7)
    array([[7, 7],
           [7, 7]])
    >>> np.full(2, np.inf)
    array([inf, inf])
    """
    if dtype is None:
        held = isinstance(fill_value, (ndarray, numpy.ndarray, numpy.generic))
        dtype = fill_value.dtype if held else numpy.asarray(fill_value).dtype
    return _fill(as_shape(shape), fill_value, numpy.dtype(dtype), _row_order(order), device)


def _construct(shape, dtype=float, buffer=None, offset=0, strides=None, order=None):
    """``ndarray(...)``: an array whose elements are not set, or the memory of a buffer."""
    if buffer is None and strides is None:
        return empty(shape, dtype, "C" if order is None else order)
    if hasattr(buffer, "mem"):  # CuPy's way: a MemoryPointer
        return buffer._as_array(as_shape(shape), numpy.dtype(dtype), offset, strides, order)
    return shared_or_copied(numpy.ndarray(shape, dtype, buffer, offset, strides, order), buffer)


_core.set_constructor(_construct)


def _like(a, value, dtype, order, shape, device):
    a = as_array(a)
    extents = a.shape if shape is None else as_shape(shape)
    dtype = a.dtype if dtype is None else numpy.dtype(dtype)
    if device is None:
        device = a.device
    if value is no_value:
        return empty_in_order(extents, dtype, order, device, a)
    return _fill(extents, value, dtype, order, device, a)


@in_core
def empty_like(
    prototype: ArrayLike,
    /,
    dtype: DTypeLike | None = None,
    order: Order = "K",
    subok: bool = True,
    shape: ShapeLike | None = None,
    *,
    device: str | None = None,
) -> ndarray:
    """An array of the prototype's shape and type whose elements are not set.

    Examples
    --------
    >>> import heddle as np
    >>> np.empty_like(np.array([1, 2, 3])).dtype
    dtype('int64')
    """
    del subok  # there are no subclasses
    return _like(prototype, no_value, dtype, order, shape, device)


@in_core
def zeros_like(
    a: ArrayLike,
    dtype: DTypeLike | None = None,
    order: Order = "K",
    subok: bool = True,
    shape: ShapeLike | None = None,
    *,
    device: str | None = None,
) -> ndarray:
    """An array of zeros of the same shape and type.

    Examples
    --------
    >>> import heddle as np
    >>> np.zeros_like(np.array([[1.5, 2], [3, 4]]))
    array([[0., 0.],
           [0., 0.]])
    """
    del subok
    return _like(a, 0, dtype, order, shape, device)


@in_core
def ones_like(
    a: ArrayLike,
    dtype: DTypeLike | None = None,
    order: Order = "K",
    subok: bool = True,
    shape: ShapeLike | None = None,
    *,
    device: str | None = None,
) -> ndarray:
    """An array of ones of the same shape and type.

    Examples
    --------
    >>> import heddle as np
    >>> np.ones_like([1, 2, 3], dtype=float)
    array([1., 1., 1.])
    """
    del subok
    return _like(a, 1, dtype, order, shape, device)


@in_core
def full_like(
    a: ArrayLike,
    fill_value: ArrayLike,
    dtype: DTypeLike | None = None,
    order: Order = "K",
    subok: bool = True,
    shape: ShapeLike | None = None,
    *,
    device: str | None = None,
) -> ndarray:
    """An array full of `fill_value`, of the same shape and type.

    Examples
    --------
    >>> import heddle as np
    >>> np.full_like(np.arange(4), 9)
    array([9, 9, 9, 9])
    """
    del subok
    return _like(a, fill_value, dtype, order, shape, device)


def _on_host(value):
    """A bound of a range as a Python or NumPy scalar."""
    if isinstance(value, ndarray):
        value = value._snapshot()
    return value[()] if isinstance(value, numpy.ndarray) and value.ndim == 0 else value


def _length(start, stop, step):
    """NumPy's number of elements of a range."""
    delta = stop - start
    count = delta / step
    if isinstance(count, (complex, numpy.complexfloating)):
        if count != count:
            raise ValueError("arange: cannot compute length")
        parts = (count.real, count.imag)
        # As NumPy: the shorter of the two, and a part that does not move does not count.
        return max(0, min(math.ceil(part) for part in parts))
    count = float(count)
    if math.isnan(count):
        raise ValueError("arange: cannot compute length")
    if count == 0.0 and delta != 0:
        return 0 if math.copysign(1.0, count) < 0 else 1
    if count > 2**62:
        raise ValueError("Maximum allowed size exceeded")
    return max(0, math.ceil(count))


@in_core
@accepts_like
def arange(
    start: ArrayLike | None = None,
    stop: ArrayLike | None = None,
    step: ArrayLike | None = None,
    dtype: DTypeLike | None = None,
    *,
    device: str | None = None,
    like: ArrayLike | None = None,
) -> ndarray:
    """Evenly spaced values in the half-open interval [start, stop).

    Examples
    --------
    >>> import heddle as np
    >>> np.arange(5)
    array([0, 1, 2, 3, 4])
    >>> np.arange(1, 2, 0.25)
    array([1.  , 1.25, 1.5 , 1.75])
    """
    if stop is None:
        if start is None:
            raise TypeError("arange() requires stop to be specified.")
        start, stop = 0, start
    if device is not None:
        with explicit_copies(), scope(device):
            return arange(start, stop, step, dtype)
    start, stop = _on_host(0 if start is None else start), _on_host(stop)
    step = _on_host(1 if step is None else step)
    if dtype is None:
        dtype = numpy.result_type(
            numpy.int64, *(numpy.asarray(bound).dtype for bound in (start, stop, step))
        )
    dtype = numpy.dtype(dtype)
    check_cast(dtype, dtype, "no")  # only types that arrays of ours have
    count = _length(start, stop, step)
    if dtype.kind == "b" and count > 2:
        raise TypeError(
            "arange() is only supported for booleans when the result has at most length 2."
        )
    # NumPy sets the first two elements and continues from their difference in the array's type.
    head = numpy.empty(2, dtype)
    if count > 0:
        head[0] = start
    if count > 1:
        head[1] = start + step
    if count <= 2:
        return as_array(head[:count])
    half = dtype.itemsize == 2 and dtype.kind not in "iu"
    compute = numpy.dtype(numpy.float32) if half else dtype
    first, second = head.astype(compute)
    with numpy.errstate(all="ignore"):
        delta = second - first
        kept = (first + delta).astype(dtype) == head[1]
    index = _core.index_along((count,), 0)
    result = index if compute == index.dtype else index._astype(compute, "K")
    if delta != 1:
        result = result * as_array(delta)
    if first != 0 or dtype.kind in "fcV":
        result = result + as_array(first)
    if half:
        result = result._astype(dtype, "K")
    if not kept:
        result = _core.select(index == 1, as_array(head[1]), result)
    return result


def _on(a, device):
    return a if device is None or a.device == device else a._to_device(device)


@overload
def linspace(
    start: ArrayLike,
    stop: ArrayLike,
    num: SupportsIndex = 50,
    endpoint: bool = True,
    retstep: Literal[False] = False,
    dtype: DTypeLike | None = None,
    axis: Axis = 0,
    *,
    device: str | None = None,
) -> ndarray: ...
@overload
def linspace(
    start: ArrayLike,
    stop: ArrayLike,
    num: SupportsIndex = 50,
    endpoint: bool = True,
    *,
    retstep: Literal[True],
    dtype: DTypeLike | None = None,
    axis: Axis = 0,
    device: str | None = None,
) -> tuple[ndarray, ndarray]: ...
@in_core
def linspace(
    start: ArrayLike,
    stop: ArrayLike,
    num: SupportsIndex = 50,
    endpoint: bool = True,
    retstep: bool = False,
    dtype: DTypeLike | None = None,
    axis: Axis = 0,
    *,
    device: str | None = None,
) -> Any:
    """Evenly spaced samples over an interval.

    Examples
    --------
    >>> import heddle as np
    >>> np.linspace(0, 1, 5)
    array([0.  , 0.25, 0.5 , 0.75, 1.  ])
    >>> np.linspace(0, 1, 4, endpoint=False)
    array([0.  , 0.25, 0.5 , 0.75])
    >>> samples, step = np.linspace(0, 1, 5, retstep=True)
    >>> step
    np.float64(0.25)
    """
    num = operator.index(num)
    dtype = None if dtype is None else numpy.dtype(dtype)
    start, stop = as_operand(start), as_operand(stop)
    samples, step = _core.spaced(start, stop, num, bool(endpoint), dtype, operator.index(axis))
    step = step if step.ndim else step[()]
    return (_on(samples, device), step) if retstep else _on(samples, device)


def logspace(
    start: ArrayLike,
    stop: ArrayLike,
    num: SupportsIndex = 50,
    endpoint: bool = True,
    base: ArrayLike = 10.0,
    dtype: DTypeLike | None = None,
    axis: Axis = 0,
) -> ndarray:
    """Samples whose logarithms are evenly spaced.

    Examples
    --------
    >>> import heddle as np
    >>> np.logspace(0, 3, 4)
    array([   1.,   10.,  100., 1000.])
    >>> np.logspace(0, 3, 4, base=2)
    array([1., 2., 4., 8.])
    """
    base = as_operand(base)
    if isinstance(base, ndarray) and base.ndim:
        start, stop = as_array(start), as_array(stop)
        rank = max(start.ndim, stop.ndim, base.ndim)
        start, stop, base = (_make(a, None, None, "K", rank) for a in (start, stop, base))
        base = base[_new_axis(axis, rank + 1)]
    samples = linspace(start, stop, num, endpoint=endpoint, axis=axis)
    samples = ufuncs["power"](base, samples)
    return samples if dtype is None else as_array(samples, numpy.dtype(dtype))


def _new_axis(axis, rank):
    axis = normalize_axis_index(axis, rank)
    return (slice(None),) * axis + (None,)


def geomspace(
    start: ArrayLike,
    stop: ArrayLike,
    num: SupportsIndex = 50,
    endpoint: bool = True,
    dtype: DTypeLike | None = None,
    axis: Axis = 0,
) -> ndarray:
    """Samples on a geometric progression.

    Examples
    --------
    >>> import heddle as np
    >>> np.geomspace(1, 1000, 4)
    array([   1.,   10.,  100., 1000.])
    """
    start, stop, num = as_array(start), as_array(stop), operator.index(num)
    dtype = None if dtype is None else numpy.dtype(dtype)
    return _core.geomspace(start, stop, num, bool(endpoint), dtype, operator.index(axis))


@in_core
@accepts_like
def eye(
    N: SupportsIndex,
    M: SupportsIndex | None = None,
    k: SupportsIndex = 0,
    dtype: DTypeLike = float,
    order: Order = "C",
    *,
    device: str | None = None,
    like: ArrayLike | None = None,
) -> ndarray:
    """A matrix with ones on the k-th diagonal and zeros elsewhere.

    Examples
    --------
    >>> import heddle as np
    >>> np.eye(3)
    array([[1., 0., 0.],
           [0., 1., 0.],
           [0., 0., 1.]])
    >>> np.eye(2, 3, k=1, dtype=int)
    array([[0, 1, 0],
           [0, 0, 1]])
    """
    rows = operator.index(N)
    columns = rows if M is None else operator.index(M)
    offset = min(max(operator.index(k), -rows), columns)  # farther away there is nothing
    if _row_order(order) == "F":
        return eye(columns, rows, -offset, dtype, device=device)._transpose(None)
    rows, columns = as_shape((rows, columns))
    with scope(device) if device is not None else contextlib.nullcontext():
        return _core.eye(rows, columns, offset, as_dtype(dtype, float))


@accepts_like
def identity(n: int, dtype: DTypeLike | None = None, *, like: ArrayLike | None = None) -> ndarray:
    """The identity matrix.

    Examples
    --------
    >>> import heddle as np
    >>> np.identity(2)
    array([[1., 0.],
           [0., 1.]])
    """
    return eye(n, dtype=dtype)


@accepts_like
def fromfunction(
    function: Callable[..., Any],
    shape: Sequence[int],
    *,
    dtype: DTypeLike = float,
    like: ArrayLike | None = None,
    **kwargs: Any,
) -> ndarray:
    """An array from a function of the indices along each axis.

    Examples
    --------
    >>> import heddle as np
    >>> np.fromfunction(lambda i, j: i + j, (3, 3), dtype=int)
    array([[0, 1, 2],
           [1, 2, 3],
           [2, 3, 4]])
    """
    shape = as_shape(shape)
    dtype = as_dtype(dtype, float)
    indices = (_core.index_along(shape, axis)._astype(dtype, "K") for axis in range(len(shape)))
    return function(*indices, **kwargs)


@accepts_like
def fromiter(
    iter: Iterable[Any],
    dtype: DTypeLike,
    count: SupportsIndex = -1,
    *,
    like: ArrayLike | None = None,
) -> ndarray:
    """A one-dimensional array from an iterable.

    Examples
    --------
    >>> import heddle as np
    >>> np.fromiter((n * n for n in range(5)), dtype=np.int64)
    array([ 0,  1,  4,  9, 16])
    """
    return as_array(numpy.fromiter(iter, dtype, count))
