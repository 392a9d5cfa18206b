"""Numba's ``cuda``: kernels of Python on the current device, which may be the CPU."""

from collections.abc import Callable
from typing import Any

import numpy as np

import heddle as hd
from heddle import _core
from heddle.simt import (
    activemask,
    all_sync,
    any_sync,
    atomic,
    ballot_sync,
    blockDim,
    blockIdx,
    brev,
    cbrt,
    clock,
    clz,
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
from heddle.simt._kernel import Func, Kernel

__all__ = [
    "DeviceNDArray",
    "activemask",
    "all_sync",
    "any_sync",
    "as_cuda_array",
    "atomic",
    "ballot_sync",
    "blockDim",
    "blockIdx",
    "brev",
    "cbrt",
    "clock",
    "clz",
    "detect",
    "device_array",
    "device_array_like",
    "eq_sync",
    "ffs",
    "fma",
    "grid",
    "gridDim",
    "gridsize",
    "is_available",
    "is_cuda_array",
    "jit",
    "laneid",
    "lanemask_lt",
    "local",
    "match_all_sync",
    "match_any_sync",
    "nanosleep",
    "pinned_array",
    "popc",
    "selp",
    "shared",
    "shfl_down_sync",
    "shfl_sync",
    "shfl_up_sync",
    "shfl_xor_sync",
    "synchronize",
    "syncthreads",
    "syncthreads_and",
    "syncthreads_count",
    "syncthreads_or",
    "syncwarp",
    "threadIdx",
    "threadfence",
    "threadfence_block",
    "threadfence_system",
    "to_device",
    "warpsize",
]

# What allows a kernel to be quicker or to say more, and changes no result that is promised: our
# kernels are in the cache on disk, and contract products, in any case.
_PERMISSIONS = {"cache", "fastmath", "lineinfo", "opt", "inline", "forceinline"}


def jit(func_or_sig: Any = None, **options: Any) -> Any:
    """A kernel, or with ``device=True`` a function for kernels.

    Types of arguments are found when it is launched: a signature is not needed, and not looked at.
    """
    device, debug = options.pop("device", False), bool(options.pop("debug", False))
    unknown = set(options) - _PERMISSIONS
    if unknown:
        raise NotImplementedError(f"cuda.jit: {', '.join(sorted(unknown))} cannot be said here")

    def make(function: Callable[..., Any]) -> Any:
        if device:
            return Func(function)  # type: ignore[arg-type]
        return Kernel(function, debug=debug, numba=True)  # type: ignore[arg-type]

    return make(func_or_sig) if callable(func_or_sig) and hasattr(func_or_sig, "__code__") else make


class DeviceNDArray(hd.ndarray):
    """An array of the current device, with Numba's methods."""

    def copy_to_host(self, ary: Any = None, stream: Any = 0) -> Any:
        """A copy in NumPy's memory, or in `ary`."""
        found = hd.asnumpy(self)
        if ary is None:
            return found
        ary[...] = found
        return ary

    def copy_to_device(self, ary: Any, stream: Any = 0) -> None:
        """Takes the elements of an array."""
        self[...] = hd.asarray(ary)


def device_array(
    shape: Any, dtype: Any = np.float64, strides: Any = None, order: str = "C", stream: Any = 0
) -> Any:
    """An array without contents."""
    if strides is not None or order != "C":
        raise NotImplementedError("cuda.device_array: arrays are in C order here")
    return DeviceNDArray(shape, dtype)


def device_array_like(ary: Any, stream: Any = 0) -> Any:
    """An array without contents, of the shape and type of another."""
    return device_array(np.shape(ary), ary.dtype)


def to_device(obj: Any, stream: Any = 0, copy: bool = True, to: Any = None) -> Any:
    """A copy of an array on the device, or in `to`."""
    source = np.asarray(obj) if not isinstance(obj, hd.ndarray) else obj
    made = device_array(source.shape, source.dtype) if to is None else to
    made[...] = hd.asarray(source)
    return made


def pinned_array(shape: Any, dtype: Any = np.float64, strides: Any = None, order: str = "C") -> Any:
    """An array of the host, as any other: copies need no special memory here."""
    return np.empty(shape, dtype, order=order)  # type: ignore[call-overload]


def as_cuda_array(obj: Any, sync: bool = True) -> Any:
    """An array that shares the memory of an object with CUDA's array interface."""
    return hd.asarray(obj)


def is_cuda_array(obj: Any) -> bool:
    """Whether an object has CUDA's array interface."""
    return hasattr(obj, "__cuda_array_interface__")


def synchronize() -> None:
    """Waits until all work is done."""
    hd.synchronize()


def is_available() -> bool:
    """Whether there is a GPU. Kernels run on the CPU where there is none."""
    return bool(hd.cuda.is_available())


def detect() -> bool:
    """Prints what devices there are; whether a GPU is among them."""
    for name in _core.devices():
        print(name)
    return is_available()
