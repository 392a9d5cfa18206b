"""Numba's names: ``from heddle.numba import njit, cuda``. Numbers are promoted as Numba's."""

import sys

from heddle import numba_cuda as cuda
from heddle._compiled import prange, stencil
from heddle.numba import types
from heddle.numba.decorators import guvectorize, jit, njit, vectorize

# Its name is its own: numba-cuda's finder takes every import with "numba.cuda" in it for Numba's.
sys.modules[f"{__name__}.cuda"] = cuda

globals().update({name: getattr(types, name) for name in types.__all__})
__all__ = ["cuda", "guvectorize", "jit", "njit", "prange", "stencil", "types", "vectorize"]
__all__ += types.__all__
