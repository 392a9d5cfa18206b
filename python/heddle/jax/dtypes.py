"""Types of elements, as JAX's ``dtypes`` has them."""

from typing import Any

import heddle as _hd
from heddle import bfloat16, float0, issubdtype, result_type
from heddle._typing import DTypeLike

__all__ = ["bfloat16", "canonicalize_dtype", "float0", "issubdtype", "result_type"]


def canonicalize_dtype(dtype: DTypeLike) -> Any:
    """The type itself: those of 64 bits are kept.

    >>> from heddle.jax import dtypes
    >>> dtypes.canonicalize_dtype("float64")
    dtype('float64')
    """
    return _hd.dtype(dtype)
