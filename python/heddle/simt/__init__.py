"""Kernels written in Python, for CPUs and GPUs.

A kernel says what one thread does; a launch says how many blocks of how many threads do it::

    from heddle import simt

    @simt.kernel
    def add(x, y, out):
        i = simt.grid(1)
        if i < out.size:
            out[i] = x[i] + y[i]

    add[blocks, threads](x, y, out)            # as Numba does it
    add((blocks,), (threads,), (x, y, out))    # as CuPy does it
    add.forall(out.size)(x, y, out)            # without a geometry

See docs/kernels.md for what kernels may contain.
"""

from heddle.simt._device import (
    activemask,
    all_sync,
    any_sync,
    atomic,
    ballot_sync,
    blockDim,
    blockIdx,
    brev,
    cbrt,
    cg,
    clock,
    clz,
    const,
    eq_sync,
    ffs,
    fma,
    grid,
    gridDim,
    gridsize,
    laneid,
    lanemask_lt,
    local,
    match_all_sync,
    match_any_sync,
    nanosleep,
    popc,
    rsqrt,
    selp,
    shared,
    shfl_down_sync,
    shfl_sync,
    shfl_up_sync,
    shfl_xor_sync,
    syncthreads,
    syncthreads_and,
    syncthreads_count,
    syncthreads_or,
    syncwarp,
    threadfence,
    threadfence_block,
    threadfence_system,
    threadIdx,
    warpsize,
)
from heddle.simt._errors import KernelError, RaceError
from heddle.simt._kernel import Kernel, func, kernel

__all__ = [
    "Kernel",
    "KernelError",
    "RaceError",
    "activemask",
    "all_sync",
    "any_sync",
    "atomic",
    "ballot_sync",
    "blockDim",
    "blockIdx",
    "brev",
    "cbrt",
    "cg",
    "clock",
    "clz",
    "const",
    "eq_sync",
    "ffs",
    "fma",
    "func",
    "grid",
    "gridDim",
    "gridsize",
    "kernel",
    "laneid",
    "lanemask_lt",
    "local",
    "match_all_sync",
    "match_any_sync",
    "nanosleep",
    "popc",
    "rsqrt",
    "selp",
    "shared",
    "shfl_down_sync",
    "shfl_sync",
    "shfl_up_sync",
    "shfl_xor_sync",
    "syncthreads",
    "syncthreads_and",
    "syncthreads_count",
    "syncthreads_or",
    "syncwarp",
    "threadIdx",
    "threadfence",
    "threadfence_block",
    "threadfence_system",
    "warpsize",
]
