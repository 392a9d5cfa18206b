"""Heddle: NumPy's arrays, computed lazily and fused, on every core.

Used as NumPy is: ``import heddle as np``.
"""

import sys as _sys

import numpy as _numpy

from heddle import _core, _ufunc_methods, lib
from heddle._core import ndarray
from heddle._creation import *
from heddle._dtypes import *
from heddle._einsum import *
from heddle._extensions import wait_for_others as _wait_for_others
from heddle._grids import *
from heddle._help import *
from heddle._histograms import *
from heddle._indexing import *
from heddle._io import *
from heddle._linear import *
from heddle._logic import *
from heddle._manipulation import *
from heddle._methods import *
from heddle._nan import *
from heddle._protocols import *
from heddle._protocols import ask_others as _ask_others
from heddle._reductions import *
from heddle._runtime import *
from heddle._runtime import __version__
from heddle._sets import *
from heddle._signal import *
from heddle._sorting import *
from heddle._statistics import *
from heddle._transfer import *
from heddle._ufuncs import *
from heddle._windows import *

_ask_others(globals(), _numpy)
_wait_for_others()
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
    "_polynomials": (
        *("poly", "poly1d", "polyadd", "polyder", "polydiv", "polyfit", "polyint", "polymul"),
        *("polysub", "polyval", "roots"),
    ),
    "_cupy": (
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
    "_drawing": ("draw",),
    "_transform.forward": ("hvp", "jvp", "linear_transpose", "linearize"),
    "_transform.jacobians": ("hessian", "jacfwd", "jacobian", "jacrev"),
    "_transform.parallel": ("Mesh", "P", "PartitionSpec", "make_mesh", "pmap", "shard_map"),
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
        globals()[name] = value
        return value
    if name.startswith("_"):
        raise AttributeError(f"module 'heddle' has no attribute {name!r}")
    from heddle import _absent

    if name in _absent.CLASSES:
        return _absent.CLASSES[name]
    raise AttributeError(_absent.why_not(name))


def __dir__() -> list[str]:
    return sorted({*globals(), *_modules, *_home_of})
