"""Numba's names: ``from heddle.numba import njit, cuda``. Numbers are promoted as Numba's."""

import importlib
import sys
from typing import TYPE_CHECKING, Any

from heddle import numba_cuda as cuda
from heddle._compiled.functions import prange
from heddle.numba import types
from heddle.numba.decorators import jit, njit

# Its name is its own: numba-cuda's finder takes every import with "numba.cuda" in it for Numba's.
sys.modules[f"{__name__}.cuda"] = cuda

if TYPE_CHECKING:
    from heddle._compiled.stencils import stencil
    from heddle.numba.ufuncs import guvectorize, vectorize
    from heddle.numba_cuda.misc import literal_unroll, literally

_home_of = {
    "stencil": "heddle._compiled.stencils",
    **dict.fromkeys(("guvectorize", "vectorize"), "heddle.numba.ufuncs"),
    **dict.fromkeys(("literal_unroll", "literally"), "heddle.numba_cuda.misc"),
}


def __getattr__(name: str) -> Any:
    if name not in _home_of:
        raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
    value = getattr(importlib.import_module(_home_of[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_home_of})


globals().update({name: getattr(types, name) for name in types.__all__})
__all__ = ["cuda", "guvectorize", "jit", "literal_unroll", "literally", "njit", "prange"]
__all__ += ["stencil", "types", "vectorize"]
__all__ += types.__all__
