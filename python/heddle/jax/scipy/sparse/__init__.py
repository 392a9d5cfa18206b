"""Solvers for functions, as JAX's ``scipy.sparse`` has them; matrices are of `heddle.scipy`."""

from heddle.jax.scipy.sparse import linalg
from heddle.scipy import sparse as _sparse

__all__ = ["linalg"]


def __getattr__(name: str) -> object:
    return getattr(_sparse, name)


def __dir__() -> list[str]:
    return sorted({*globals(), *dir(_sparse)})
