"""Types for annotations, as JAX's ``typing`` has them."""

from heddle._typing import ArrayLike, DTypeLike

__all__ = ["ArrayLike", "DTypeLike"]
