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
    from heddle.numba import config as config
    from heddle.numba import core as core
    from heddle.numba import experimental as experimental
    from heddle.numba import extending as extending
    from heddle.numba import typed as typed
    from heddle.numba.core.errors import NumbaWarning as NumbaWarning
    from heddle.numba.core.errors import TypingError as TypingError
    from heddle.numba.object_mode import objmode as objmode
    from heddle.numba.threads import get_num_threads as get_num_threads
    from heddle.numba.threads import set_num_threads as set_num_threads
    from heddle.numba.threads import threading_layer as threading_layer
    from heddle.numba.types import Array as Array
    from heddle.numba.types import Tuple as Tuple
    from heddle.numba.types import UniTuple as UniTuple
    from heddle.numba.types import b1 as b1
    from heddle.numba.types import bfloat16 as bfloat16
    from heddle.numba.types import bool_ as bool_
    from heddle.numba.types import boolean as boolean
    from heddle.numba.types import byte as byte
    from heddle.numba.types import c8 as c8
    from heddle.numba.types import c16 as c16
    from heddle.numba.types import char as char
    from heddle.numba.types import complex64 as complex64
    from heddle.numba.types import complex128 as complex128
    from heddle.numba.types import double as double
    from heddle.numba.types import f2 as f2
    from heddle.numba.types import f4 as f4
    from heddle.numba.types import f8 as f8
    from heddle.numba.types import float16 as float16
    from heddle.numba.types import float32 as float32
    from heddle.numba.types import float64 as float64
    from heddle.numba.types import float_ as float_
    from heddle.numba.types import i1 as i1
    from heddle.numba.types import i2 as i2
    from heddle.numba.types import i4 as i4
    from heddle.numba.types import i8 as i8
    from heddle.numba.types import int8 as int8
    from heddle.numba.types import int16 as int16
    from heddle.numba.types import int32 as int32
    from heddle.numba.types import int64 as int64
    from heddle.numba.types import int_ as int_
    from heddle.numba.types import intc as intc
    from heddle.numba.types import intp as intp
    from heddle.numba.types import long_ as long_
    from heddle.numba.types import longlong as longlong
    from heddle.numba.types import none as none
    from heddle.numba.types import short as short
    from heddle.numba.types import size_t as size_t
    from heddle.numba.types import ssize_t as ssize_t
    from heddle.numba.types import u1 as u1
    from heddle.numba.types import u2 as u2
    from heddle.numba.types import u4 as u4
    from heddle.numba.types import u8 as u8
    from heddle.numba.types import uchar as uchar
    from heddle.numba.types import uint as uint
    from heddle.numba.types import uint8 as uint8
    from heddle.numba.types import uint16 as uint16
    from heddle.numba.types import uint32 as uint32
    from heddle.numba.types import uint64 as uint64
    from heddle.numba.types import uintc as uintc
    from heddle.numba.types import uintp as uintp
    from heddle.numba.types import ulong as ulong
    from heddle.numba.types import ulonglong as ulonglong
    from heddle.numba.types import ushort as ushort
    from heddle.numba.types import void as void
    from heddle.numba.ufuncs import guvectorize, vectorize
    from heddle.numba_cuda.misc import literal_unroll, literally

_home_of = {
    "stencil": "heddle._compiled.stencils",
    **dict.fromkeys(("guvectorize", "vectorize"), "heddle.numba.ufuncs"),
    **dict.fromkeys(
        ("get_num_threads", "set_num_threads", "threading_layer"), "heddle.numba.threads"
    ),
    "objmode": "heddle.numba.object_mode",
    **dict.fromkeys(("NumbaWarning", "TypingError"), "heddle.numba.core.errors"),
    **dict.fromkeys(("literal_unroll", "literally"), "heddle.numba_cuda.misc"),
}


_modules = ("config", "core", "experimental", "extending", "typed")

# What Numba has beside these, and what to write instead.
_absent = {
    "cfunc": "addresses of functions for C are not made; ctypes calls Python's functions",
    "carray": "pointers are not arguments: give the array",
    "farray": "pointers are not arguments: give the array",
    "generated_jit": "functions are compiled for each kind of arguments; isinstance asks for it",
    "deferred_type": "classes are not there: use arrays of records, and indices for links",
    "optional": "a name is of one type: give a number that means nothing, as nan or -1",
    "pndindex": "use prange over the first index, and range over the others",
}


def __getattr__(name: str) -> Any:
    if name in _modules:
        return importlib.import_module(f"{__name__}.{name}")
    if name not in _home_of:
        why = f": {_absent[name]}" if name in _absent else ""
        raise AttributeError(f"module '{__name__}' has no attribute '{name}'{why}")
    value = getattr(importlib.import_module(_home_of[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_home_of, *_modules})


globals().update({name: getattr(types, name) for name in types.__all__})
__all__ = ["cuda", "guvectorize", "jit", "literal_unroll", "literally", "njit", "prange"]
__all__ += ["stencil", "types", "vectorize"]
__all__ += types.__all__
