"""Data types: NumPy's own scalar types and dtype helpers, bfloat16, and the constants."""

from __future__ import annotations

import builtins
from collections.abc import Iterable
from typing import Any, cast

import ml_dtypes as _ml_dtypes
import numpy as _numpy
from ml_dtypes import bfloat16
from numpy import (
    ScalarType,
    bool,
    bool_,
    byte,
    bytes_,
    cdouble,
    character,
    clongdouble,
    complex64,
    complex128,
    complexfloating,
    csingle,
    datetime64,
    double,
    dtype,
    dtypes,
    e,
    euler_gamma,
    exceptions,
    flexible,
    float16,
    float32,
    float64,
    floating,
    generic,
    half,
    iinfo,
    inexact,
    inf,
    int8,
    int16,
    int32,
    int64,
    int_,
    intc,
    integer,
    intp,
    isdtype,
    issubdtype,
    long,
    longdouble,
    longlong,
    nan,
    newaxis,
    number,
    object_,
    pi,
    sctypeDict,
    short,
    signedinteger,
    single,
    str_,
    timedelta64,
    typecodes,
    typename,
    ubyte,
    uint,
    uint8,
    uint16,
    uint32,
    uint64,
    uintc,
    uintp,
    ulong,
    ulonglong,
    unsignedinteger,
    ushort,
    void,
)

from heddle import _core
from heddle._core import ndarray
from heddle._typing import ArrayLike, DType, DTypeLike

True_ = _numpy.True_
False_ = _numpy.False_
little_endian = _numpy.little_endian

_bfloat16 = _numpy.dtype(bfloat16)
_weak = (builtins.bool, int, float, complex)


def finfo(dtype: DTypeLike | ndarray) -> _numpy.finfo[Any] | _ml_dtypes.finfo:
    """Machine limits of a floating-point type; ``ml_dtypes.finfo`` for bfloat16.

    Examples
    --------
    >>> import heddle as np
    >>> np.finfo(np.float32).eps
    np.float32(1.1920929e-07)
    >>> np.finfo(np.bfloat16).bits
    16
    """
    if isinstance(dtype, _core.own_array | _numpy.ndarray):
        dtype = dtype.dtype
    kind = dtype if isinstance(dtype, _numpy.dtype | type) else getattr(dtype, "dtype", None)
    is_bfloat16 = kind is not None and _numpy.dtype(kind) == _bfloat16
    of_bfloat16: Any = _ml_dtypes.finfo
    return of_bfloat16(_bfloat16) if is_bfloat16 else _numpy.finfo(dtype)


_typed = (_core.own_array, _numpy.ndarray, _numpy.generic)


def _type_of(x: Any) -> Any:
    """What an argument means to a promotion: a dtype, or a Python number, which is weak."""
    if isinstance(x, _core.own_array) and _core.yields(x):
        return x.dtype.type(0).item()
    if isinstance(x, _typed):
        return x.dtype
    if isinstance(x, builtins.bool):
        return _numpy.dtype(_numpy.bool)
    if isinstance(x, _weak):
        return x
    return _numpy.dtype(x)


def result_type(*arrays_and_dtypes: object) -> _numpy.dtype[Any]:
    """The type that results from NumPy's promotion rules for the arguments.

    Python numbers are weak: they take part with their kind, not with a size.

    Examples
    --------
    >>> import heddle as np
    >>> np.result_type(np.float32, 3), np.result_type(np.int8, np.uint8)
    (dtype('float32'), dtype('int16'))
    """
    kinds = [_type_of(x) for x in arrays_and_dtypes]
    if _bfloat16 in [k for k in kinds if isinstance(k, _numpy.dtype)]:
        return _core.common_type(
            *(_core.empty((0,), k) if isinstance(k, _numpy.dtype) else k for k in kinds)
        )
    return _numpy.result_type(*kinds)


def promote_types(type1: DTypeLike, type2: DTypeLike, /) -> _numpy.dtype[Any]:
    """The smallest type to which both types can be cast safely.

    Examples
    --------
    >>> import heddle as np
    >>> np.promote_types(np.int32, np.float32)
    dtype('float64')
    """
    if _bfloat16 in (_numpy.dtype(type1), _numpy.dtype(type2)):
        return result_type(_numpy.dtype(type1), _numpy.dtype(type2))
    return _numpy.promote_types(type1, type2)


def can_cast(from_: ArrayLike | DTypeLike, to: DTypeLike, casting: str = "safe") -> builtins.bool:
    """Whether a cast between types is allowed under a casting rule.

    Examples
    --------
    >>> import heddle as np
    >>> np.can_cast(np.int32, np.float64), np.can_cast(np.float64, np.int32)
    (True, False)
    """
    if isinstance(from_, _weak) and not isinstance(from_, _numpy.generic):
        raise TypeError(
            "can_cast() does not support Python ints, floats, and complex because the result used "
            "to depend on the value.\nThis change was part of adopting NEP 50, we may explicitly "
            "allow them again in the future."
        )
    if from_ is None or to is None:
        raise TypeError("Cannot construct a dtype from None")
    from_, to = _type_of(from_), _numpy.dtype(to)
    if _bfloat16 in (from_, to):
        return _core.can_cast(from_, to, casting)
    return _numpy.can_cast(from_, to, cast("Any", casting))


def min_scalar_type(a: ArrayLike, /) -> DType:
    """The smallest type that holds a scalar; the type of an array of one or more dimensions.

    Examples
    --------
    >>> import heddle as np
    >>> np.min_scalar_type(300)
    dtype('uint16')
    """
    if isinstance(a, _core.own_array):
        return a.dtype if a.ndim else _numpy.min_scalar_type(a._snapshot()[()])
    return _numpy.min_scalar_type(a)


def common_type(*arrays: ArrayLike) -> type:
    """The inexact scalar type that holds all the arrays; integers count as float64.

    Examples
    --------
    >>> import heddle as np
    >>> np.common_type(np.arange(2), np.ones(2, np.float32))
    <class 'numpy.float64'>
    """
    kinds = []
    for a in arrays:
        kind = _type_of(a)
        kind = kind if isinstance(kind, _numpy.dtype) else _numpy.dtype(type(kind))
        if kind.kind == "b":
            raise TypeError("can't get common type for non-numeric array")
        kinds.append(_numpy.dtype(_numpy.float64) if kind.kind in "iu" else kind)
    return result_type(*kinds).type if kinds else float16


def mintypecode(typechars: Iterable[str], typeset: str = "GDFgdf", default: str = "d") -> str:
    """The character of the smallest type to which the given types can be cast safely.

    Examples
    --------
    >>> import heddle as np
    >>> np.mintypecode(["f", "d"])
    'd'
    """
    return _numpy.mintypecode(typechars, typeset, default)


__all__ = [
    "False_",
    "ScalarType",
    "True_",
    "bfloat16",
    "bool",
    "bool_",
    "byte",
    "bytes_",
    "can_cast",
    "cdouble",
    "character",
    "clongdouble",
    "common_type",
    "complex64",
    "complex128",
    "complexfloating",
    "csingle",
    "datetime64",
    "double",
    "dtype",
    "dtypes",
    "e",
    "euler_gamma",
    "exceptions",
    "finfo",
    "flexible",
    "float16",
    "float32",
    "float64",
    "floating",
    "generic",
    "half",
    "iinfo",
    "inexact",
    "inf",
    "int8",
    "int16",
    "int32",
    "int64",
    "int_",
    "intc",
    "integer",
    "intp",
    "isdtype",
    "issubdtype",
    "little_endian",
    "long",
    "longdouble",
    "longlong",
    "min_scalar_type",
    "mintypecode",
    "nan",
    "newaxis",
    "number",
    "object_",
    "pi",
    "promote_types",
    "result_type",
    "sctypeDict",
    "short",
    "signedinteger",
    "single",
    "str_",
    "timedelta64",
    "typecodes",
    "typename",
    "ubyte",
    "uint",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
    "uintc",
    "uintp",
    "ulong",
    "ulonglong",
    "unsignedinteger",
    "ushort",
    "void",
]
