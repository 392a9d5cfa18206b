"""Heddle: NumPy's arrays, computed lazily and fused, on every core.

Used as NumPy is: ``import heddle as np``.
"""

import sys as _sys
import typing as _typing

import numpy as _numpy

from heddle import _loading as _loading  # isort: skip
from heddle import _core, lib
from heddle._array.classes import *
from heddle._array.methods import *
from heddle._array.transfer import *
from heddle._core import ndarray
from heddle._creation.arrays import *
from heddle._creation.fills import *
from heddle._creation.grids import *
from heddle._creation.ranges import *
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
from heddle._protocols.numpy import behave_as as _behave_as
from heddle._protocols.others import wait_for_others as _wait_for_others
from heddle._runtime.control import *
from heddle._runtime.control import __version__
from heddle._sorting.sets import *
from heddle._sorting.sorting import *
from heddle._statistics.histograms import *
from heddle._statistics.nan import *
from heddle._statistics.quantiles import *
from heddle._statistics.reductions import *
from heddle._statistics.running import *

_behave_as(globals(), _numpy)
_publish(__name__, *(value for name, value in globals().items() if name[0] != "_"))
_wait_for_others()
_find_moved()
for _name in ("dtypes", "exceptions"):  # NumPy's own, to be imported from here as well
    _sys.modules[f"heddle.{_name}"] = getattr(_numpy, _name)

_modules = (
    "checkpoint_policies",
    "ctypeslib",
    "cuda",
    "cupyx",
    "debug",
    "emath",
    "fft",
    "flatten_util",
    "jax",
    "lax",
    "linalg",
    "ma",
    "numba",
    "numba_cuda",
    "nn",
    "ops",
    "optim",
    "polynomial",
    "pycuda",
    "random",
    "scipy",
    "simt",
    "special",
    "testing",
    "tree",
    "tree_util",
    "typing",
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
        *("VisibleDeprecationWarning", "alltrue", "asfarray", "byte_bounds", "cfloat"),
        *(
            "clear_memo",
            "complex_",
            "cumproduct",
            "float_",
            "fromDlpack",
            "fuse",
            "get_array_module",
        ),
        *("in1d", "infty", "is_available", "memoize", "msort", "product", "round_"),
        *("singlecomplex", "sometrue", "toDlpack", "trapz", "who"),
    ),
    "_names.older": (
        *("DataSource", "disp", "find_common_type", "format_parser", "issctype", "issubclass_"),
        *("issubsctype", "obj2sctype", "safe_eval", "sctype2char"),
    ),
    "_compiled.functions": ("njit", "prange"),
    "_compiled.general": ("guvectorize", "reduce"),
    "_compiled.stencils": ("stencil",),
    "_kernels": ("ElementwiseKernel", "RawKernel", "RawModule", "ReductionKernel"),
    "_transform.batching": ("vmap",),
    "_transform.compiling": ("jit",),
    "_transform.checkpointing": ("checkpoint", "remat"),
    "_transform.custom": ("custom_gradient", "custom_jvp", "custom_vjp"),
    "_transform.drawing": ("draw",),
    "_transform.forward": ("hvp", "jvp", "linear_transpose", "linearize"),
    "_transform.jacobians": ("hessian", "jacfwd", "jacobian", "jacrev"),
    "_transform.meshes": ("Mesh", "P", "PartitionSpec", "make_mesh", "shard_map"),
    "_transform.parallel": ("pmap",),
    "_transform.reverse": ("float0", "grad", "stop_gradient", "value_and_grad", "vjp"),
    "_transform.shapes": ("Array", "ShapeDtypeStruct", "eval_shape"),
}
_home_of = {name: module for module, names in _later.items() for name in names}


if _typing.TYPE_CHECKING:  # what __getattr__ finds
    from numpy import asmatrix as asmatrix
    from numpy import bmat as bmat
    from numpy import busday_count as busday_count
    from numpy import busday_offset as busday_offset
    from numpy import busdaycalendar as busdaycalendar
    from numpy import char as char
    from numpy import datetime_as_string as datetime_as_string
    from numpy import datetime_data as datetime_data
    from numpy import frompyfunc as frompyfunc
    from numpy import fromregex as fromregex
    from numpy import is_busday as is_busday
    from numpy import isnat as isnat
    from numpy import matrix as matrix
    from numpy import memmap as memmap
    from numpy import rec as rec
    from numpy import recarray as recarray
    from numpy import record as record
    from numpy import strings as strings

    from heddle import checkpoint_policies as checkpoint_policies
    from heddle import ctypeslib as ctypeslib
    from heddle import cuda as cuda
    from heddle import cupyx as cupyx
    from heddle import debug as debug
    from heddle import emath as emath
    from heddle import fft as fft
    from heddle import flatten_util as flatten_util
    from heddle import jax as jax
    from heddle import lax as lax
    from heddle import linalg as linalg
    from heddle import ma as ma
    from heddle import nn as nn
    from heddle import numba as numba
    from heddle import numba_cuda as numba_cuda
    from heddle import ops as ops
    from heddle import optim as optim
    from heddle import polynomial as polynomial
    from heddle import pycuda as pycuda
    from heddle import random as random
    from heddle import scipy as scipy
    from heddle import simt as simt
    from heddle import special as special
    from heddle import testing as testing
    from heddle import tree as tree
    from heddle import tree_util as tree_util
    from heddle import typing as typing
    from heddle._compiled.functions import njit as njit
    from heddle._compiled.functions import prange as prange
    from heddle._compiled.general import guvectorize as guvectorize
    from heddle._compiled.general import reduce as reduce
    from heddle._compiled.stencils import stencil as stencil
    from heddle._kernels import ElementwiseKernel as ElementwiseKernel
    from heddle._kernels import RawKernel as RawKernel
    from heddle._kernels import RawModule as RawModule
    from heddle._kernels import ReductionKernel as ReductionKernel
    from heddle._names.cupy import *
    from heddle._names.older import *
    from heddle._transform.batching import vmap as vmap
    from heddle._transform.checkpointing import checkpoint as checkpoint
    from heddle._transform.checkpointing import remat as remat
    from heddle._transform.compiling import jit as jit
    from heddle._transform.custom import custom_gradient as custom_gradient
    from heddle._transform.custom import custom_jvp as custom_jvp
    from heddle._transform.custom import custom_vjp as custom_vjp
    from heddle._transform.drawing import draw as draw
    from heddle._transform.forward import hvp as hvp
    from heddle._transform.forward import jvp as jvp
    from heddle._transform.forward import linear_transpose as linear_transpose
    from heddle._transform.forward import linearize as linearize
    from heddle._transform.jacobians import hessian as hessian
    from heddle._transform.jacobians import jacfwd as jacfwd
    from heddle._transform.jacobians import jacobian as jacobian
    from heddle._transform.jacobians import jacrev as jacrev
    from heddle._transform.meshes import Mesh as Mesh
    from heddle._transform.meshes import P as P
    from heddle._transform.meshes import PartitionSpec as PartitionSpec
    from heddle._transform.meshes import make_mesh as make_mesh
    from heddle._transform.meshes import shard_map as shard_map
    from heddle._transform.parallel import pmap as pmap
    from heddle._transform.reverse import float0 as float0
    from heddle._transform.reverse import grad as grad
    from heddle._transform.reverse import stop_gradient as stop_gradient
    from heddle._transform.reverse import value_and_grad as value_and_grad
    from heddle._transform.reverse import vjp as vjp
    from heddle._transform.shapes import Array as Array
    from heddle._transform.shapes import ShapeDtypeStruct as ShapeDtypeStruct
    from heddle._transform.shapes import eval_shape as eval_shape
    from heddle.polynomial._older import *
else:

    def __getattr__(name: str) -> object:
        """Modules and functions that are imported when somebody asks for them."""
        import importlib

        if name in _modules:
            return importlib.import_module(f"heddle.{name}")
        if name in _home_of:
            found = {name: getattr(importlib.import_module(f"heddle.{_home_of[name]}"), name)}
            _behave_as(found, _numpy)
            _publish(__name__, found[name])
            globals().update(found)
            return found[name]
        if name.startswith("_"):
            raise AttributeError(f"module 'heddle' has no attribute {name!r}")
        from heddle._names import absent

        if name in absent.NUMPYS:
            import numpy

            return getattr(numpy, name)
        raise AttributeError(absent.why_not(name))


def __dir__() -> list[str]:
    return sorted({*globals(), *_modules, *_home_of})
