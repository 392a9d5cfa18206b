"""Numba's names: ``from heddle.numba import cuda``. Numbers are promoted as Numba promotes them.

`cuda` is there; `jit`, `njit`, `vectorize` and `guvectorize` are not yet, and say so.
"""

import sys
from typing import Any

from heddle import numba_cuda as cuda
from heddle.numba import types

# Its name is its own: numba-cuda's finder takes every import with "numba.cuda" in it for Numba's.
sys.modules[f"{__name__}.cuda"] = cuda

globals().update({name: getattr(types, name) for name in types.__all__})
__all__ = ["cuda", "guvectorize", "jit", "njit", "prange", "types", "vectorize"]
__all__ += types.__all__


def _absent(name: str, instead: str) -> Any:
    def refuse(*args: Any, **keywords: Any) -> Any:
        raise NotImplementedError(f"heddle.numba has no {name} yet; {instead}")

    refuse.__name__ = name
    refuse.__doc__ = f"Not there yet: {instead}."
    return refuse


jit = _absent("jit", "use Numba's, which takes Heddle's arrays, or heddle.simt for kernels")
njit = _absent("njit", "use Numba's, which takes Heddle's arrays, or heddle.simt for kernels")
prange = _absent("prange", "use heddle.simt, whose threads run on all cores")
vectorize = _absent(
    "vectorize", "array expressions fuse by themselves; heddle.vectorize calls Python"
)
guvectorize = _absent("guvectorize", "use heddle.simt")
