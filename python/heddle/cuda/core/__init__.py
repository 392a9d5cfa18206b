"""CUDA's objects with the names and meaning of CUDA Python's `cuda.core`.

Streams and devices are Heddle's: arrays are computed on them in ``with stream:``, and what is
deferred runs before anything that is launched here. Everything here needs a GPU, but compiling
(`Program`, `Linker`, for a kind of GPU that is named) and views of arrays of the host's.

Examples
--------
>>> from heddle.cuda.core import Device, LaunchConfig, Program, ProgramOptions, launch
>>> source = 'extern "C" __global__ void fill(float* x, float v) { x[threadIdx.x] = v; }'
>>> program = Program(source, "c++", ProgramOptions(arch="sm_90"))  # doctest: +SKIP
>>> device = Device()  # doctest: +SKIP
>>> stream = device.create_stream()  # doctest: +SKIP
>>> kernel = program.compile("cubin").get_kernel("fill")  # doctest: +SKIP
>>> buffer = device.allocate(4 * 32, stream=stream)  # doctest: +SKIP
>>> config = LaunchConfig(grid=1, block=32)
>>> launch(stream, config, kernel, buffer, numpy.float32(3))  # doctest: +SKIP
"""

import importlib
from typing import TYPE_CHECKING, Any

_HOMES = {
    "_device": (
        *("Context", "ContextOptions", "Device", "DeviceResources", "Host", "SMResource"),
        *("SMResourceOptions", "WorkqueueResource", "WorkqueueResourceOptions"),
    ),
    "_properties": ("DeviceProperties", "KernelAttributes", "KernelOccupancy"),
    "_stream": (
        *("LEGACY_DEFAULT_STREAM", "PER_THREAD_DEFAULT_STREAM", "Event", "EventOptions"),
        *("Stream", "StreamOptions"),
    ),
    "_program": ("Program", "ProgramOptions"),
    "_linker": ("Linker", "LinkerOptions"),
    "_module": ("Kernel", "ObjectCode"),
    "_launch": ("LaunchConfig", "launch"),
    "_tensor_map": ("TensorMapDescriptor", "TensorMapDescriptorOptions"),
    "_graphics": ("GraphicsResource",),
    "_memory": (
        *("Buffer", "DeviceMemoryResource", "DeviceMemoryResourceOptions", "GraphMemoryResource"),
        *("LegacyPinnedMemoryResource", "MemoryResource", "PinnedMemoryResource"),
        "PinnedMemoryResourceOptions",
    ),
    "_managed": (
        *("CopyOptions", "ManagedBuffer", "ManagedMemoryResource", "ManagedMemoryResourceOptions"),
        *("MemcpyOverlapMode", "MemcpySrcAccessOrder", "copy_batch", "discard_batch"),
        *("discard_prefetch_batch", "prefetch_batch"),
    ),
    "_peers": (
        *("PeerAccessPlan", "PeerAccessibleBySetProxy", "normalize_peer_access_targets"),
        *("plan_peer_access_update", "replace_peer_accessible_by"),
    ),
    "_virtual": ("VirtualMemoryResource", "VirtualMemoryResourceOptions"),
    "utils": ("BaseLayout",),
    "graph": ("Graph", "GraphBuilder", "GraphCompleteOptions", "GraphDebugPrintOptions"),
}
_MODULES = ("checkpoint", "graph", "system", "texture", "typing", "utils")
_HOME_OF = {name: module for module, names in _HOMES.items() for name in names}

if not TYPE_CHECKING:
    __all__ = [*_HOME_OF, *_MODULES]


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return importlib.import_module(f"{__name__}.{name}")
    if name not in _HOME_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(importlib.import_module(f"{__name__}.{_HOME_OF[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*_HOME_OF, *_MODULES])
