"""Numba's ``cuda``: kernels of Python on the current device, which may be the CPU."""

import importlib
from typing import TYPE_CHECKING, Any

from heddle._compiled import signatures as types
from heddle.numba_cuda.arrays import (
    DeviceNDArray,
    In,
    InOut,
    Out,
    as_cuda_array,
    defer_cleanup,
    device_array,
    device_array_like,
    from_cuda_array_interface,
    is_cuda_array,
    managed_array,
    mapped,
    mapped_array,
    mapped_array_like,
    pinned,
    pinned_array,
    pinned_array_like,
    to_device,
)
from heddle.numba_cuda.dispatcher import (
    compile,
    compile_for_current_device,
    compile_ptx,
    compile_ptx_for_current_device,
    jit,
)
from heddle.numba_cuda.records import DeviceRecords
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
from heddle.simt._device import ldca, ldcg, ldcs, ldcv, ldlu, stcg, stcs, stwb, stwt
from heddle.simt._vectors import VECTORS

# By the module they are in, which is imported when somebody asks for them.
_later = {
    "devices": (
        *("CudaSupportError", "Event", "KernelRuntimeError", "Stream", "close", "cuda_error"),
        *("current_context", "default_stream", "detect", "event", "event_elapsed_time"),
        *("external_stream", "get_current_device", "gpus", "is_available"),
        *("is_bfloat16_supported", "is_float16_supported", "is_fp8_supported"),
        "is_supported_version",
        *("legacy_default_stream", "list_devices", "per_thread_default_stream"),
        *("profile_start", "profile_stop", "profiling", "require_context", "select_device"),
        *("stream", "synchronize"),
    ),
    "ufuncs": ("Reduce", "guvectorize", "reduce", "vectorize"),
    "misc": ("literal_unroll",),
}
_home_of = {name: module for module, names in _later.items() for name in names}
_modules = ("bf16", "fp16", "libdevice", "misc", "random", "runtime")
# What Numba has and this has not, and why.
_absent = {
    "compile_all": "foreign code that is linked in is not taken; compile_ptx gives a kernel's PTX",
    "launchconfig": "kernels do not depend on their launches",
    "open_ipc_array": "memory of other processes is opened by heddle.cuda.runtime.ipcOpenMemHandle",
    "_internal": "kernels have no floats of 8 bits",
    "LinkableCode": "foreign code that is linked in is not taken",
    "CUSource": "foreign code that is linked in is not taken; heddle.RawKernel takes CUDA C++",
    "set_memory_manager": "memory is that of heddle.cuda's pools; heddle.cuda.set_allocator",
    "declare_device": "foreign code that is linked in is not taken",
    **dict.fromkeys(
        ("Archive", "Cubin", "Fatbin", "LTOIR", "Object", "PTXSource"),
        "foreign code that is linked in is not taken; heddle.RawModule takes files of it",
    ),
    **dict.fromkeys(
        (
            *("BaseCUDAMemoryManager", "HostOnlyCUDAMemoryManager", "GetIpcHandleMixin"),
            *("MemoryPointer", "MappedMemory", "PinnedMemory", "ManagedMemory", "MemoryInfo"),
            "IpcHandle",
        ),
        "memory is that of heddle.cuda's pools; heddle.cuda.set_allocator takes others",
    ),
    "extending": "the types of kernels are not extended: use records, named tuples, dataclasses",
    "kernels": "arrays are transposed by heddle.transpose, and reduced by cuda.reduce",
}

if TYPE_CHECKING:
    from heddle.numba_cuda import bf16 as bf16
    from heddle.numba_cuda import fp16 as fp16
    from heddle.numba_cuda import libdevice as libdevice
    from heddle.numba_cuda import random as random
    from heddle.numba_cuda.devices import (
        CudaSupportError,
        Event,
        KernelRuntimeError,
        Stream,
        close,
        cuda_error,
        current_context,
        default_stream,
        detect,
        event,
        event_elapsed_time,
        external_stream,
        get_current_device,
        gpus,
        is_available,
        is_bfloat16_supported,
        is_float16_supported,
        is_fp8_supported,
        is_supported_version,
        legacy_default_stream,
        list_devices,
        per_thread_default_stream,
        profile_start,
        profile_stop,
        profiling,
        require_context,
        select_device,
        stream,
        synchronize,
    )
    from heddle.numba_cuda.misc import literal_unroll
    from heddle.numba_cuda.ufuncs import Reduce, guvectorize, reduce, vectorize


def __getattr__(name: str) -> Any:
    from heddle.numba import types as _types

    if name in _modules:
        return importlib.import_module(f"{__name__}.{name}")
    if name not in _home_of and hasattr(_types, name) and name in _types.__all__:
        return getattr(_types, name)
    if name not in _home_of:
        why = f": {_absent[name]}" if name in _absent else ""
        raise AttributeError(f"module '{__name__}' has no attribute '{name}'{why}")
    value = getattr(importlib.import_module(f"{__name__}.{_home_of[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_home_of, *_modules})


globals().update(VECTORS)

__all__ = [
    "CudaSupportError",
    "DeviceNDArray",
    "DeviceRecords",
    "Event",
    "In",
    "InOut",
    "KernelRuntimeError",
    "Out",
    "Reduce",
    "Stream",
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
    "cg",
    "clock",
    "close",
    "clz",
    "compile",
    "compile_for_current_device",
    "compile_ptx",
    "compile_ptx_for_current_device",
    "const",
    "cuda_error",
    "current_context",
    "default_stream",
    "defer_cleanup",
    "detect",
    "device_array",
    "device_array_like",
    "eq_sync",
    "event",
    "event_elapsed_time",
    "external_stream",
    "ffs",
    "fma",
    "from_cuda_array_interface",
    "get_current_device",
    "gpus",
    "grid",
    "gridDim",
    "gridsize",
    "guvectorize",
    "is_available",
    "is_bfloat16_supported",
    "is_cuda_array",
    "is_float16_supported",
    "is_fp8_supported",
    "is_supported_version",
    "jit",
    "laneid",
    "lanemask_lt",
    "ldca",
    "ldcg",
    "ldcs",
    "ldcv",
    "ldlu",
    "legacy_default_stream",
    "list_devices",
    "literal_unroll",
    "local",
    "managed_array",
    "mapped",
    "mapped_array",
    "mapped_array_like",
    "match_all_sync",
    "match_any_sync",
    "nanosleep",
    "per_thread_default_stream",
    "pinned",
    "pinned_array",
    "pinned_array_like",
    "popc",
    "profile_start",
    "profile_stop",
    "profiling",
    "reduce",
    "require_context",
    "select_device",
    "selp",
    "shared",
    "shfl_down_sync",
    "shfl_sync",
    "shfl_up_sync",
    "shfl_xor_sync",
    "stcg",
    "stcs",
    "stream",
    "stwb",
    "stwt",
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
    "types",
    "vectorize",
    "warpsize",
]
__all__ += [*VECTORS]
