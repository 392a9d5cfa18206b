"""Types of elements, as JAX's ``dtypes`` has them."""

import numpy as _numpy

import heddle as _hd
from heddle import bfloat16, finfo, float0, iinfo, issubdtype, result_type
from heddle._typing import ArrayLike, DType, DTypeLike

__all__ = [
    "bfloat16",
    "canonicalize_dtype",
    "extended",
    "finfo",
    "float0",
    "iinfo",
    "issubdtype",
    "itemsize_bits",
    "prng_key",
    "result_type",
    "scalar_type_of",
]


class extended(_numpy.generic):
    """What types of JAX's own are, as those of its keys: none is here.

    >>> from heddle import jax
    >>> jax.dtypes.issubdtype("float32", jax.dtypes.extended)
    False
    """


class prng_key(extended):
    """The types of JAX's keys: here a key is its two words, of the type uint32.

    >>> from heddle import jax
    >>> jax.dtypes.issubdtype(jax.random.key(0).dtype, jax.dtypes.prng_key)
    False
    """


def canonicalize_dtype(dtype: DTypeLike) -> DType:
    """The type itself: those of 64 bits are kept.

    >>> from heddle.jax import dtypes
    >>> dtypes.canonicalize_dtype("float64")
    dtype('float64')
    """
    return _hd.dtype(dtype)


def itemsize_bits(dtype: DTypeLike) -> int:
    """How many bits an element takes.

    >>> from heddle.jax import dtypes
    >>> dtypes.itemsize_bits("float32")
    32
    """
    return int(_hd.dtype(dtype).itemsize) * 8


def scalar_type_of(x: ArrayLike) -> type:
    """Python's type of numbers like the elements of ``x``.

    >>> from heddle.jax import dtypes
    >>> dtypes.scalar_type_of(1.5)
    <class 'float'>
    """
    kinds = {"b": bool, "i": int, "u": int, "f": float, "c": complex}
    dtype = _hd.result_type(x)
    kind = "f" if dtype == bfloat16 else dtype.kind
    if kind not in kinds:
        raise TypeError(f"Invalid scalar value {x!r}")
    return kinds[kind]
