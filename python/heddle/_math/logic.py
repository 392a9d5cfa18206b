"""Comparing, clipping, rounding, complex parts, and tests of what an array is."""

from __future__ import annotations

import cmath
import operator
import warnings
from typing import Any, Literal, SupportsIndex, cast

import numpy

from heddle import _core
from heddle._arguments import (
    all_of,
    as_array,
    as_integer,
    as_operand,
    as_target,
    check_cast,
    no_value,
    store_exact,
)
from heddle._core import in_core, ndarray, own_array, ufuncs
from heddle._typing import ArrayLike, Axis, Output

__all__ = [
    "allclose",
    "angle",
    "around",
    "array_equal",
    "array_equiv",
    "clip",
    "fix",
    "imag",
    "isclose",
    "iscomplex",
    "iscomplexobj",
    "isfortran",
    "isneginf",
    "isposinf",
    "isreal",
    "isrealobj",
    "isscalar",
    "may_share_memory",
    "packbits",
    "real",
    "real_if_close",
    "round",
    "shares_memory",
    "sinc",
    "unpackbits",
]


@in_core
def clip(
    a: ArrayLike,
    a_min: ArrayLike | None = no_value,
    a_max: ArrayLike | None = no_value,
    out: Output | None = None,
    *,
    min: ArrayLike | None = no_value,
    max: ArrayLike | None = no_value,
    **kwargs: object,
) -> ndarray:
    """Limit the values of an array to an interval; None leaves a side open.

    Examples
    --------
    >>> import heddle as np
    >>> np.clip(np.arange(6), 1, 4)
    array([1, 1, 2, 3, 4, 4])
    >>> np.clip([-1.5, 0.5], 0, None)
    array([0. , 0.5])
    """
    if a_min is no_value and a_max is no_value:
        low = None if min is no_value else min
        high = None if max is no_value else max
    elif min is not no_value or max is not no_value:
        raise ValueError(
            "Passing `min` or `max` keyword argument when `a_min` and `a_max` are provided is "
            "forbidden."
        )
    else:  # one may be left out, as the array API standard has it
        low, high = (None if limit is no_value else limit for limit in (a_min, a_max))
    a = as_array(a)
    if a.dtype.kind in "iu":
        # A Python integer beyond the type's range is no limit at all.
        limits = numpy.iinfo(a.dtype)
        if type(low) is int and low <= limits.min:
            low = None
        if type(high) is int and high >= limits.max:
            high = None
    if out is not None:
        kwargs["out"] = out
    if low is None:
        if high is None:
            return ufuncs["positive"](a, **kwargs)
        return ufuncs["minimum"](a, as_operand(high), **kwargs)
    if high is None:
        return ufuncs["maximum"](a, as_operand(low), **kwargs)
    return _clip_both(a, as_operand(low), as_operand(high), kwargs)


def _clip_both(a: ndarray, low: ArrayLike, high: ArrayLike, kwargs: dict[str, Any]) -> ndarray:
    if not kwargs:
        return _core.clip(a, low, high)
    only_out = kwargs.keys() == {"out"}
    dtype = kwargs.pop("dtype", None)
    dtype = _core.common_type(a, low, high) if dtype is None else numpy.dtype(dtype)
    (out,) = given if isinstance(given := kwargs.get("out"), tuple) else (given,)
    if out is not None:  # NumPy looks at types before shapes
        target = as_target(out)
        check_cast(dtype, target.dtype, kwargs.get("casting", "same_kind"))
        if only_out and type(out) is ndarray and target.dtype == dtype:
            with _core.Writing((target,)):
                made = _core.clip(a, low, high)
                if made.shape == target.shape:
                    _core.write(target, made)
                    return target
    inner = {name: kwargs[name] for name in ("casting",) if name in kwargs}
    raised = ufuncs["maximum"](a, low, dtype=dtype, **inner)
    return ufuncs["minimum"](raised, high, dtype=dtype, **kwargs)


def round(a: ArrayLike, decimals: SupportsIndex = 0, out: Output | None = None) -> ndarray:
    """Round to the given number of decimals, halves to even.

    Examples
    --------
    >>> import heddle as np
    >>> np.round([1.25, 2.5, -0.5])
    array([ 1.,  2., -0.])
    >>> np.round(3.14159, 2)
    np.float64(3.14)
    """
    places = operator.index(decimals)
    if not -(2**31) <= places < 2**31:
        raise OverflowError(f"round: decimals {places} are beyond 32 bits")
    return store_exact(_core.round(as_array(a), places), out)


around = round


def fix(x: ArrayLike, out: Output | None = None) -> ndarray:
    """Round to the nearest integer towards zero.

    Examples
    --------
    >>> import heddle as np
    >>> np.fix([1.7, -1.7])
    array([ 1., -1.])
    """
    x = as_array(x)
    return ufuncs["trunc"](x) if out is None else ufuncs["trunc"](x, out=out)


def isclose(
    a: ArrayLike,
    b: ArrayLike,
    rtol: ArrayLike = 1e-05,
    atol: ArrayLike = 1e-08,
    equal_nan: bool = False,
) -> ndarray:
    """Whether elements are equal within a tolerance.

    Examples
    --------
    >>> import heddle as np
    >>> np.isclose([1.0, 2.0], [1.0 + 1e-9, 2.1])
    array([ True, False])
    >>> np.isclose(np.nan, np.nan, equal_nan=True)
    np.True_
    """
    x, y, rtol, atol = (as_operand(value) for value in (a, b, rtol, atol))
    if not isinstance(x, own_array) and not isinstance(y, own_array):
        x = as_array(x)
    if not isinstance(y, own_array):
        y = y * 1.0
    elif y.dtype.kind in "iub":
        y = y._astype(numpy.result_type(y.dtype, 1.0), "K")
    for tolerance in (rtol, atol):
        strong = isinstance(tolerance, own_array)
        if not (all_of(ufuncs["isfinite"](tolerance)) if strong else cmath.isfinite(tolerance)):
            warnings.warn(
                f"One of rtol or atol is not valid, atol: {atol}, rtol: {rtol}",
                RuntimeWarning,
                stacklevel=2,
            )
            break
    return _core.is_close(x, y, rtol, atol, bool(equal_nan))


def allclose(
    a: ArrayLike,
    b: ArrayLike,
    rtol: ArrayLike = 1e-05,
    atol: ArrayLike = 1e-08,
    equal_nan: bool = False,
) -> bool:
    """Whether all elements are equal within a tolerance: a bool of Python.

    Examples
    --------
    >>> import heddle as np
    >>> np.allclose([1.0, 2.0], [1.0, 2.0 + 1e-9])
    True
    """
    return all_of(isclose(a, b, rtol, atol, equal_nan))


def array_equal(a1: ArrayLike, a2: ArrayLike, equal_nan: bool = False) -> bool:
    """Whether two arrays have the same shape and elements: a bool of Python.

    Examples
    --------
    >>> import heddle as np
    >>> np.array_equal([1, 2], [1, 2]), np.array_equal([1, 2], [1, 2, 3])
    (True, False)
    """
    try:
        a1, a2 = as_array(a1), as_array(a2)
    except Exception:
        # Text, dates and objects are NumPy's to compare; what is no array equals none.
        return bool(numpy.array_equal(_on_host(a1), _on_host(a2), equal_nan=equal_nan))
    if _core.is_stand_in(a1) or _core.is_stand_in(a2):  # it is another truth for each row
        if a1.shape != a2.shape:
            return False
        same = a1 == a2
        return all_of(same | ((a1 != a1) & (a2 != a2)) if equal_nan else same)
    return _core.array_equal(a1, a2, bool(equal_nan))


def array_equiv(a1: ArrayLike, a2: ArrayLike) -> bool:
    """Whether two arrays are equal when broadcast against each other.

    Examples
    --------
    >>> import heddle as np
    >>> np.array_equiv([1, 2], [[1, 2], [1, 2]])
    True
    """
    try:
        a1, a2 = as_array(a1), as_array(a2)
    except Exception:
        return bool(numpy.array_equiv(_on_host(a1), _on_host(a2)))
    if _core.is_stand_in(a1) or _core.is_stand_in(a2):
        try:
            numpy.broadcast_shapes(a1.shape, a2.shape)
        except ValueError:
            return False
        return all_of(a1 == a2)
    return _core.array_equiv(a1, a2)


def _on_host(a: ArrayLike) -> ArrayLike:
    return a._snapshot() if isinstance(a, own_array) else a


def real(val: ArrayLike) -> ndarray:
    """The real part: a view for complex arrays, others themselves.

    Examples
    --------
    >>> import heddle as np
    >>> np.real(np.array([1 + 2j, 3]))
    array([1., 3.])
    """
    a = as_array(val)
    return _as_given(a._real() if a.dtype.kind == "c" else a, val)


def imag(val: ArrayLike) -> ndarray:
    """The imaginary part: a view for complex arrays, zeros for others.

    Examples
    --------
    >>> import heddle as np
    >>> np.imag(np.array([1 + 2j, 3]))
    array([2., 0.])
    """
    return _as_given(as_array(val).imag, val)


def _as_given(part: ndarray, val: ArrayLike) -> ndarray:
    """The part of a number is a number."""
    return part[()] if part.ndim == 0 and not isinstance(val, own_array) else part


def angle(z: ArrayLike, deg: bool = False) -> ndarray:
    """The angle of complex numbers, in radians or degrees.

    Examples
    --------
    >>> import heddle as np
    >>> np.angle([1, 1j, -1])
    array([0.        , 1.57079633, 3.14159265])
    >>> np.angle(1j, deg=True)
    np.float64(90.0)
    """
    return _core.angle(as_array(z), bool(deg))


def real_if_close(a: ArrayLike, tol: ArrayLike = 100) -> ndarray:
    """The real part where all imaginary parts are close to zero, else the array.

    Examples
    --------
    >>> import heddle as np
    >>> np.real_if_close(np.array([2 + 0j, 3 + 0j]))
    array([2., 3.])
    """
    a = as_array(a)
    a = a if a.ndim else a[...]
    return _core.real_if_close(a, float(cast("float", tol)))


def iscomplex(x: ArrayLike) -> ndarray:
    """Whether elements have an imaginary part that is not zero.

    Examples
    --------
    >>> import heddle as np
    >>> np.iscomplex([1, 2 + 1j])
    array([False,  True])
    """
    x = as_array(x)
    if x.dtype.kind == "c":
        return x._imag() != 0
    made = _core.full(x.shape, False, bool, x.device)
    return made if x.ndim else made[()]


def isreal(x: ArrayLike) -> ndarray:
    """Whether elements have no imaginary part.

    Examples
    --------
    >>> import heddle as np
    >>> np.isreal([1, 2 + 1j])
    array([ True, False])
    """
    return imag(x) == 0


def iscomplexobj(x: object) -> bool:
    """Whether the type of an array or number is complex.

    Examples
    --------
    >>> import heddle as np
    >>> np.iscomplexobj(np.array([1 + 0j]))
    True
    """
    dtype: Any = getattr(x, "dtype", None)
    if dtype is None:
        dtype = numpy.asarray(x).dtype
    return issubclass(getattr(dtype, "type", dtype), numpy.complexfloating | complex)


def isrealobj(x: object) -> bool:
    """Whether the type of an array or number is not complex.

    Examples
    --------
    >>> import heddle as np
    >>> np.isrealobj(np.array([1.0]))
    True
    """
    return not iscomplexobj(x)


def isfortran(a: ndarray) -> bool:
    """Whether an array lies in memory in Fortran order and not in C order.

    Examples
    --------
    >>> import heddle as np
    >>> np.isfortran(np.ones((2, 3), order="F"))
    True
    """
    return a._f_contiguous and not a._c_contiguous


def isscalar(element: object) -> bool:
    """Whether an object is a scalar: a number of Python or NumPy, or a string.

    So are the 0-d arrays that are given where NumPy gives a number, as ``x[0]`` and ``x.sum()``.

    Examples
    --------
    >>> import heddle as np
    >>> np.isscalar(3.1), np.isscalar([3.1])
    (True, False)
    """
    return element._is_scalar if isinstance(element, own_array) else numpy.isscalar(element)


def _infinite(x: ArrayLike, out: Output | None, negative: bool) -> ndarray:
    x = as_array(x)
    if x.dtype.kind == "c":
        name = "isneginf" if negative else "isposinf"
        raise TypeError(
            f"This operation is not supported for {x.dtype} values because it would be ambiguous "
            f"({name})."
        )
    if x.dtype.kind in "iub":
        return store_exact(_core.full(x.shape, False, bool, x.device), out, "unsafe")
    sign = ufuncs["signbit"](x)
    sign = sign if negative else ufuncs["logical_not"](sign)
    return store_exact(ufuncs["isinf"](x) & sign, out, "unsafe")


def isposinf(x: ArrayLike, out: Output | None = None) -> ndarray:
    """Whether elements are positive infinity.

    Examples
    --------
    >>> import heddle as np
    >>> np.isposinf([-np.inf, 0.0, np.inf])
    array([False, False,  True])
    """
    return _infinite(x, out, negative=False)


def isneginf(x: ArrayLike, out: Output | None = None) -> ndarray:
    """Whether elements are negative infinity.

    Examples
    --------
    >>> import heddle as np
    >>> np.isneginf([-np.inf, 0.0, np.inf])
    array([ True, False, False])
    """
    return _infinite(x, out, negative=True)


def sinc(x: ArrayLike) -> ndarray:
    """sin(pi x) / (pi x), and 1 at zero.

    Examples
    --------
    >>> import heddle as np
    >>> np.sinc([0.0, 0.5, 1.0]).round(4)
    array([1.    , 0.6366, 0.    ])
    """
    return _core.sinc(as_array(x))


class _Extent:
    """An array that stands for the memory of another at a made-up address."""

    def __init__(self, a: ndarray) -> None:
        self.__array_interface__ = {
            "data": ((1 << 40) + a._offset(), True),
            "shape": a.shape,
            "strides": a.strides,
            "typestr": f"|V{a.itemsize}",
            "version": 3,
        }


def _extents(a: ArrayLike, b: ArrayLike) -> tuple[Any, Any] | None:
    """Two NumPy arrays that overlap where the arguments do; None where they cannot."""
    if isinstance(a, own_array) and isinstance(b, own_array):
        if a._shares_storage(b):
            return numpy.asarray(_Extent(a)), numpy.asarray(_Extent(b))
        # Two arrays that were made of the same memory of others.
        if not (a._is_exported and b._is_exported and a._on_host and b._on_host):
            return None
    first, second = (x._numpy() if isinstance(x, own_array) else x for x in (a, b))
    return first, second


def shares_memory(a: ArrayLike, b: ArrayLike, /, max_work: int = -1) -> bool:
    """Whether two arrays have an element of memory in common.

    Examples
    --------
    >>> import heddle as np
    >>> x = np.arange(6)
    >>> np.shares_memory(x[::2], x[1::2]), np.shares_memory(x, x[2:])
    (False, True)
    """
    if (extents := _extents(a, b)) is None:
        return False
    return bool(numpy.shares_memory(*extents, cast("Literal[-1]", max_work)))


def may_share_memory(a: ArrayLike, b: ArrayLike, /, max_work: int = 0) -> bool:
    """Whether the memory that two arrays span overlaps.

    Examples
    --------
    >>> import heddle as np
    >>> x = np.arange(6)
    >>> np.may_share_memory(x[:3], x[3:])
    False
    """
    if (extents := _extents(a, b)) is None:
        return False
    return bool(numpy.may_share_memory(*extents, cast("Literal[0]", max_work)))


def _is_big(bitorder: str) -> bool:
    if not isinstance(bitorder, str):
        raise TypeError(f"bitorder must be str, not {type(bitorder).__name__}")
    if bitorder not in ("big", "little"):
        raise ValueError("'order' must be either 'little' or 'big'")
    return bitorder == "big"


def packbits(
    a: ArrayLike, /, axis: Axis | None = None, bitorder: Literal["big", "little"] = "big"
) -> ndarray:
    """Pack truth values into the bits of uint8.

    Examples
    --------
    >>> import heddle as np
    >>> np.packbits([1, 0, 1, 0, 0, 0, 0, 1])
    array([161], dtype=uint8)
    """
    axis = None if axis is None else as_integer(axis)
    return _core.packbits(as_array(a), axis, not _is_big(bitorder))


def unpackbits(
    a: ArrayLike,
    /,
    axis: Axis | None = None,
    count: SupportsIndex | None = None,
    bitorder: Literal["big", "little"] = "big",
) -> ndarray:
    """The bits of uint8 as an array of zeros and ones.

    Examples
    --------
    >>> import heddle as np
    >>> np.unpackbits(np.array([161], dtype=np.uint8))
    array([1, 0, 1, 0, 0, 0, 0, 1], dtype=uint8)
    """
    axis = None if axis is None else as_integer(axis)
    count = None if count is None else operator.index(count)
    return _core.unpackbits(as_array(a), axis, count, not _is_big(bitorder))
