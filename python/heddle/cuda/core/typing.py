"""Words that CUDA's objects take, as enumerations of strings, and types of arguments."""

from __future__ import annotations

import enum
from typing import Any, Protocol

DevicePointerType = int | Any  # an address: a number, or one of the driver's handles


class IsStreamType(Protocol):
    """What has a stream of CUDA's."""

    def __cuda_stream__(self) -> tuple[int, int]:
        """The protocol's version, and the handle."""
        ...


class AddressModeType(enum.StrEnum):
    """What a texture gives beside its elements."""

    WRAP = "wrap"
    CLAMP = "clamp"
    MIRROR = "mirror"
    BORDER = "border"


class ArrayFormatType(enum.StrEnum):
    """The types of elements that arrays for textures have."""

    UINT8 = "uint8"
    UINT16 = "uint16"
    UINT32 = "uint32"
    INT8 = "int8"
    INT16 = "int16"
    INT32 = "int32"
    FLOAT16 = "float16"
    FLOAT32 = "float32"


class FilterModeType(enum.StrEnum):
    """What a texture gives between its elements."""

    POINT = "point"
    LINEAR = "linear"


class ReadModeType(enum.StrEnum):
    """Whether integers of a texture are read as they are or as fractions."""

    ELEMENT_TYPE = "element_type"
    NORMALIZED_FLOAT = "normalized_float"


class CompilerBackendType(enum.StrEnum):
    """What compiles or links."""

    NVRTC = "NVRTC"
    NVVM = "NVVM"
    NVJITLINK = "nvJitLink"
    DRIVER = "driver"


class SourceCodeType(enum.StrEnum):
    """What a program is written in."""

    CXX = "c++"
    PTX = "ptx"
    NVVM = "nvvm"


class ObjectCodeFormatType(enum.StrEnum):
    """What code is compiled to."""

    CUBIN = "cubin"
    PTX = "ptx"
    LTOIR = "ltoir"
    FATBIN = "fatbin"
    OBJECT = "object"
    LIBRARY = "library"


class PCHStatusType(enum.StrEnum):
    """What came of making a precompiled header."""

    CREATED = "created"
    NOT_ATTEMPTED = "not_attempted"
    FAILED = "failed"


class GraphConditionalType(enum.StrEnum):
    """How a node of a graph depends on a value."""

    IF = "if"
    WHILE = "while"
    SWITCH = "switch"


class GraphMemoryType(enum.StrEnum):
    """Where memory of a graph is."""

    DEVICE = "device"
    HOST = "host"
    MANAGED = "managed"


class ManagedMemoryLocationType(enum.StrEnum):
    """Where managed memory is best."""

    DEVICE = "device"
    HOST = "host"
    HOST_NUMA = "host_numa"


class ProcessStateType(enum.StrEnum):
    """How far a process is in being checkpointed."""

    RUNNING = "running"
    LOCKED = "locked"
    CHECKPOINTED = "checkpointed"
    FAILED = "failed"


class VirtualMemoryAccessType(enum.StrEnum):
    """Who may do what with mapped memory."""

    READ = "r"
    READ_WRITE = "rw"


class VirtualMemoryAllocationType(enum.StrEnum):
    """What kind of memory is mapped."""

    PINNED = "pinned"
    MANAGED = "managed"


class VirtualMemoryGranularityType(enum.StrEnum):
    """In which pieces memory is mapped."""

    MINIMUM = "minimum"
    RECOMMENDED = "recommended"


class VirtualMemoryHandleType(enum.StrEnum):
    """How mapped memory is shared with other processes."""

    POSIX_FD = "posix_fd"
    WIN32_KMT = "win32_kmt"
    FABRIC = "fabric"


class VirtualMemoryLocationType(enum.StrEnum):
    """Where mapped memory is."""

    DEVICE = "device"
    HOST = "host"
    HOST_NUMA = "host_numa"
    HOST_NUMA_CURRENT = "host_numa_current"


class WorkqueueSharingScopeType(enum.StrEnum):
    """Who shares queues of work."""

    DEVICE_CTX = "device_ctx"
    GREEN_CTX_BALANCED = "green_ctx_balanced"


class DeviceResourcesType(enum.StrEnum):
    """What of a device can be given out."""

    SM = "sm"
    WORKQUEUE = "workqueue"
