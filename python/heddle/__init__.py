"""Heddle: NumPy's arrays, computed lazily and fused, on every core.

Used as NumPy is: ``import heddle as np``.
"""

import sys as _sys

import numpy as _numpy

from heddle import _core, lib
from heddle._array.methods import *
from heddle._array.transfer import *
from heddle._core import ndarray
from heddle._creation.arrays import *
from heddle._creation.grids import *
from heddle._dtypes import *
from heddle._indexing.elements import *
from heddle._indexing.iteration import *
from heddle._io.files import *
from heddle._linalg.einsum import *
from heddle._linalg.products import *
from heddle._manipulation.editing import *
from heddle._manipulation.joining import *
from heddle._manipulation.padding import *
from heddle._manipulation.shapes import *
from heddle._manipulation.stride_tricks import *
from heddle._math import ufunc_methods as _ufunc_methods
from heddle._math.differences import *
from heddle._math.logic import *
from heddle._math.signal import *
from heddle._math.ufuncs import *
from heddle._math.windows import *
from heddle._names.help import *
from heddle._names.moved import find_moved as _find_moved
from heddle._names.public import publish as _publish
from heddle._protocols.numpy import *
from heddle._protocols.numpy import ask_others as _ask_others
from heddle._protocols.others import wait_for_others as _wait_for_others
from heddle._runtime.control import *
from heddle._runtime.control import __version__
from heddle._sorting.sets import *
from heddle._sorting.sorting import *
from heddle._statistics.histograms import *
from heddle._statistics.nan import *
from heddle._statistics.quantiles import *
from heddle._statistics.reductions import *

_ask_others(globals(), _numpy)
_publish(__name__, *(value for name, value in globals().items() if name[0] != "_"))
_wait_for_others()
_find_moved()
for _name in ("dtypes", "exceptions"):  # NumPy's own, to be imported from here as well
    _sys.modules[f"heddle.{_name}"] = getattr(_numpy, _name)

_modules = (
    "cuda",
    "cupyx",
    "debug",
    "emath",
    "fft",
    "lax",
    "linalg",
    "polynomial",
    "random",
    "special",
    "testing",
    "tree",
)
# Names that are imported when somebody asks for them, by the module they are in.
_later = {
    "polynomial._older": (
        *("poly", "poly1d", "polyadd", "polyder", "polydiv", "polyfit", "polyint", "polymul"),
        *("polysub", "polyval", "roots"),
    ),
    "_names.cupy": (
        *("AxisError", "ComplexWarning", "Inf", "Infinity", "ModuleDeprecationWarning"),
        *("NAN", "NINF", "NZERO", "NaN", "PINF", "PZERO", "RankWarning", "TooHardError"),
        *("VisibleDeprecationWarning", "alltrue", "asfarray", "cfloat", "clear_memo"),
        *("complex_", "cumproduct", "float_", "fromDlpack", "fuse", "get_array_module"),
        *("in1d", "infty", "is_available", "memoize", "msort", "product", "round_"),
        *("row_stack", "singlecomplex", "sometrue", "trapz", "who"),
    ),
    "_transform.batching": ("vmap",),
    "_transform.compiling": ("jit",),
    "_transform.custom": ("checkpoint", "custom_jvp", "custom_vjp"),
    "_transform.forward": ("hvp", "jvp", "linear_transpose", "linearize"),
    "_transform.jacobians": ("hessian", "jacfwd", "jacobian", "jacrev"),
    "_transform.reverse": ("grad", "stop_gradient", "value_and_grad", "vjp"),
}
_home_of = {name: module for module, names in _later.items() for name in names}


def __getattr__(name: str) -> object:
    """Modules and functions that are imported when somebody asks for them."""
    import importlib

    if name in _modules:
        return importlib.import_module(f"heddle.{name}")
    if name in _home_of:
        value = getattr(importlib.import_module(f"heddle.{_home_of[name]}"), name)
        _publish(__name__, value)
        globals()[name] = value
        return value
    if name.startswith("_"):
        raise AttributeError(f"module 'heddle' has no attribute {name!r}")
    from heddle._names import absent

    if name in absent.CLASSES:
        return absent.CLASSES[name]
    raise AttributeError(absent.why_not(name))


def __dir__() -> list[str]:
    return sorted({*globals(), *_modules, *_home_of})
