"""Functions of Python's that are compiled whole: `njit`, and its kin."""

from heddle._compiled.functions import njit, prange
from heddle._compiled.general import guvectorize, reduce
from heddle._compiled.stencils import stencil

__all__ = ["guvectorize", "njit", "prange", "reduce", "stencil"]
