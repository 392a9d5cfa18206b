"""Types of elements that make arrays when they are called, also of what is being recorded."""

from __future__ import annotations

from typing import Any

import heddle as hd


class ScalarType(type):
    """A class for a type: `numpy.dtype` knows it by its attribute, and a call makes an array."""

    dtype: Any

    def __call__(cls, x: object = 0) -> hd.ndarray:
        return hd.asarray(x).astype(cls.dtype) if not _is_plain(x) else hd.asarray(x, cls.dtype)

    def __eq__(cls, other: object) -> bool:
        return cls is other or cls.dtype == other

    def __ne__(cls, other: object) -> bool:
        return not cls == other

    def __hash__(cls) -> int:
        return hash(cls.dtype.type)

    def __repr__(cls) -> str:
        return f"<class 'heddle.jax.numpy.{cls.__name__}'>"


def _is_plain(x: object) -> bool:
    return type(x) in (bool, int, float, complex)


def _made(name: str, dtype: Any = None) -> ScalarType:
    kind = hd.dtype(name if dtype is None else dtype)
    says = f"""Arrays of {kind}, and the type itself where one is wanted.

    >>> import heddle.jax.numpy as jnp
    >>> jnp.{name}(1).dtype == jnp.{name}
    True
    """
    return ScalarType(name, (), {"dtype": kind, "__doc__": says, "__module__": __name__})


bool_ = _made("bool_", "bool")
int8, int16, int32, int64 = map(_made, ("int8", "int16", "int32", "int64"))
uint8, uint16, uint32, uint64 = map(_made, ("uint8", "uint16", "uint32", "uint64"))
float16, float32, float64 = map(_made, ("float16", "float32", "float64"))
bfloat16 = _made("bfloat16", hd.bfloat16)
complex64, complex128 = map(_made, ("complex64", "complex128"))
