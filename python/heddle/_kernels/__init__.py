"""Kernels in CUDA C++, with CuPy's names and meaning: whole ones, and the loops around expressions.

They are compiled by NVRTC when they are first called with arguments of a kind, and launched as a
step of the graph: pending work before and after them is in order without anybody waiting.
"""

from heddle._kernels.elementwise import ElementwiseKernel
from heddle._kernels.raw import RawKernel, RawModule
from heddle._kernels.reduction import ReductionKernel

__all__ = ["ElementwiseKernel", "RawKernel", "RawModule", "ReductionKernel"]
