"""NVIDIA GPUs: devices, streams, events, graphs and memory, with CuPy's names and meaning.

Arrays need none of this: they live on the GPU where there is one, and streams are ordered where a
buffer moves between them.
"""

from typing import TYPE_CHECKING, Any

from heddle.cuda import compiler, memory_hooks, nvtx, profiler, runtime
from heddle.cuda._pinned import (
    PinnedMemory,
    PinnedMemoryPointer,
    PinnedMemoryPool,
    alloc_pinned_memory,
    set_pinned_memory_allocator,
)
from heddle.cuda.device import Device, get_cublas_handle, get_device_id
from heddle.cuda.environment import (
    get_cuda_path,
    get_local_runtime_version,
    get_nvcc_path,
    is_available,
)
from heddle.cuda.memory import (
    BaseMemory,
    CFunctionAllocator,
    ManagedMemory,
    Memory,
    MemoryAsync,
    MemoryAsyncPool,
    MemoryPointer,
    MemoryPool,
    PythonFunctionAllocator,
    UnownedMemory,
    alloc,
    get_allocator,
    malloc_async,
    malloc_managed,
    set_allocator,
    using_allocator,
)
from heddle.cuda.memory_hook import MemoryHook
from heddle.cuda.precision import get_matmul_precision, set_matmul_precision
from heddle.cuda.profiler import profile
from heddle.cuda.stream import (
    Event,
    ExternalStream,
    Graph,
    Stream,
    get_current_stream,
    get_elapsed_time,
)

if TYPE_CHECKING:  # what __getattr__ finds
    from heddle.cuda.module import Function, Module

__all__ = [
    "BaseMemory",
    "CFunctionAllocator",
    "Device",
    "Event",
    "ExternalStream",
    "Function",
    "Graph",
    "ManagedMemory",
    "Memory",
    "MemoryAsync",
    "MemoryAsyncPool",
    "MemoryHook",
    "MemoryPointer",
    "MemoryPool",
    "Module",
    "PinnedMemory",
    "PinnedMemoryPointer",
    "PinnedMemoryPool",
    "PythonFunctionAllocator",
    "Stream",
    "UnownedMemory",
    "alloc",
    "alloc_pinned_memory",
    "compiler",
    "get_allocator",
    "get_cublas_handle",
    "get_cuda_path",
    "get_current_stream",
    "get_device_id",
    "get_elapsed_time",
    "get_local_runtime_version",
    "get_matmul_precision",
    "get_nvcc_path",
    "is_available",
    "malloc_async",
    "malloc_managed",
    "memory_hooks",
    "nvtx",
    "profile",
    "profiler",
    "runtime",
    "set_allocator",
    "set_matmul_precision",
    "set_pinned_memory_allocator",
    "using_allocator",
]


# Modules of CuPy's that are not there, and what does their work.
_absent = {
    "cublas": "products are heddle.matmul, and heddle.scipy.linalg.blas has BLAS by name",
    "cusolver": "heddle.linalg, heddle.scipy.linalg and its lapack have these solvers",
    "cusparse": "heddle.scipy.sparse has sparse matrices, and sparse.linalg their solvers",
    "curand": "heddle.random has generators and their numbers",
    "cufft": "heddle.fft and heddle.scipy.fft transform, with plans by get_fft_plan",
    "cutensor": "heddle.einsum and heddle.tensordot contract",
    "cub": "heddle's own reductions, scans and sorts need no switch",
    "thrust": "heddle.sort, heddle.argsort and heddle.lexsort sort",
    "nccl": "several GPUs are not used together yet",
    "jitify": "NVRTC finds headers of the toolkit by itself",
    "driver": "heddle.cuda.bindings.driver has all of the driver's functions",
    "nvrtc": "heddle.cuda.bindings.nvrtc has all of NVRTC's functions",
    "texture": "heddle.cuda.core.texture has textures and surfaces",
    "get_hipcc_path": "AMD's GPUs are not supported",
    "get_rocm_path": "AMD's GPUs are not supported",
}


if not TYPE_CHECKING:  # checkers know what there is

    def __getattr__(name: str) -> Any:
        # Kernels are made of what is here, and modules of kernels.
        if name in ("Function", "Module"):
            from heddle.cuda import module

            return getattr(module, name)
        if name in _absent:
            raise AttributeError(f"heddle.cuda has no {name!r}: {_absent[name]}")
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
