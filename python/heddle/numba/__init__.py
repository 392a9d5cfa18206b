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


# What Numba has beside these, and what to write instead.
_absent = {
    "typed": "containers that are given to functions are not there: lists of numbers are made "
    "inside, as Python's; for a dictionary use an array, or two that are sorted",
    "experimental": "classes (jitclass, structref) are not there: use arrays of records, named "
    "tuples, or functions of arrays",
    "objmode": "there is no object mode: split the function where Python is needed",
    "cfunc": "addresses of functions for C are not made; ctypes calls Python's functions",
    "carray": "pointers are not arguments: give the array",
    "farray": "pointers are not arguments: give the array",
    "generated_jit": "functions are compiled for each kind of arguments; isinstance asks for it",
    "deferred_type": "classes are not there: use arrays of records, and indices for links",
    "optional": "a name is of one type: give a number that means nothing, as nan or -1",
    "extending": "the types of compiled functions are not extended",
    "pndindex": "use prange over the first index, and range over the others",
}


def __getattr__(name: str) -> Any:
    if name not in _home_of:
        why = f": {_absent[name]}" if name in _absent else ""
        raise AttributeError(f"module '{__name__}' has no attribute '{name}'{why}")
    value = getattr(importlib.import_module(_home_of[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_home_of})


globals().update({name: getattr(types, name) for name in types.__all__})
__all__ = ["cuda", "guvectorize", "jit", "literal_unroll", "literally", "njit", "prange"]
__all__ += ["stencil", "types", "vectorize"]
__all__ += types.__all__
