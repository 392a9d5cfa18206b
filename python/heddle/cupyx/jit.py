"""CuPy's ``cupyx.jit``: kernels written in Python, with ``@jit.rawkernel()``."""

from collections.abc import Callable
from typing import Any

from heddle.cupyx import _cub as cub
from heddle.cupyx import _thrust as thrust
from heddle.simt import (
    atomic,
    blockDim,
    blockIdx,
    cg,
    grid,
    gridDim,
    gridsize,
    laneid,
    shared,
    shfl_down_sync,
    shfl_sync,
    shfl_up_sync,
    shfl_xor_sync,
    syncthreads,
    syncwarp,
    threadIdx,
    warpsize,
)
from heddle.simt._device import range
from heddle.simt._kernel import Func, Kernel

__all__ = [
    "atomic_add",
    "atomic_and",
    "atomic_cas",
    "atomic_dec",
    "atomic_exch",
    "atomic_inc",
    "atomic_max",
    "atomic_min",
    "atomic_or",
    "atomic_sub",
    "atomic_xor",
    "blockDim",
    "blockIdx",
    "cg",
    "cub",
    "grid",
    "gridDim",
    "gridsize",
    "laneid",
    "range",
    "rawkernel",
    "shared_memory",
    "shfl_down_sync",
    "shfl_sync",
    "shfl_up_sync",
    "shfl_xor_sync",
    "syncthreads",
    "syncwarp",
    "threadIdx",
    "thrust",
    "warpsize",
]

atomic_add, atomic_sub, atomic_exch = atomic.add, atomic.sub, atomic.exch
atomic_min, atomic_max, atomic_inc, atomic_dec = atomic.min, atomic.max, atomic.inc, atomic.dec
atomic_cas, atomic_and, atomic_or, atomic_xor = atomic.cas, atomic.and_, atomic.or_, atomic.xor
shared_memory = type(shared.array)(
    "shared_memory", "shared_memory(dtype, size): memory of the block."
)


class _RawKernel(Kernel):
    """A kernel that shows what became of it, by the names that CuPy has for that."""

    @property
    def cached_codes(self) -> dict[str, str]:
        """LLVM's text of all that was compiled, by the types of the arguments."""
        return {
            signature: str(self._core.compile(signature).text("llvm"))
            for signature in self._core.signatures
        }

    @property
    def cached_code(self) -> str:
        """LLVM's text of the kernel; where there are several, of the first."""
        codes = self.cached_codes
        if not codes:
            raise RuntimeError(f"{self.__name__}: nothing was compiled yet")
        return next(iter(codes.values()))


def rawkernel(*, mode: str = "cuda", device: bool = False) -> Callable[[Callable[..., Any]], Any]:
    """A kernel of a function: ``k[blocks, threads](...)`` or ``k((blocks,), (threads,), (...))``.

    `mode`: types promote as NumPy's do, with Python's numbers weak, in both modes of CuPy's.
    """
    if mode not in ("cuda", "numpy"):
        raise ValueError("mode must be either `cuda` or `numpy`")

    def make(function: Callable[..., Any]) -> Func | _RawKernel:
        return Func(function) if device else _RawKernel(function)  # type: ignore[arg-type]

    return make
