"""The types of values that another argument decides on: attributes, and handles that are shared."""

from __future__ import annotations

from collections.abc import Callable

_POINTER = {
    1: "CUcontext",
    2: "CUmemorytype",
    3: "CUdeviceptr",
    4: "p",
    5: "CUDA_POINTER_ATTRIBUTE_P2P_TOKENS",
    6: "i",
    7: "Q",
    8: "i",
    9: "i",
    10: "i",
    11: "CUdeviceptr",
    12: "Q",
    13: "i",
    14: "Q",
    15: "i",
    16: "i",
    17: "CUmemoryPool",
    18: "Q",
    19: "CUdeviceptr",
    20: "Q",
    21: "i",
}
_POOL = {1: "i", 2: "i", 3: "i"}  # whether memory is reused; all others are bytes
_RANGE = {1: "i", 2: "i", 3: "i*", 4: "i", 6: "i", 8: "i"}
_SHARED = {1: "i", 2: "p", 4: "p", 8: "CUmemFabricHandle"}
_COREDUMP_TEXTS = (5, 6)

_BY_ENUMERATION: dict[str, Callable[[int], str]] = {
    "CUpointer_attribute": lambda value: _POINTER.get(value, "Q"),
    "CUmemPool_attribute": lambda value: _POOL.get(value, "Q"),
    "cudaMemPoolAttr": lambda value: _POOL.get(value, "Q"),
    "CUgraphMem_attribute": lambda value: "Q",
    "cudaGraphMemAttributeType": lambda value: "Q",
    "CUmem_range_attribute": lambda value: {5: "CUmemLocationType", 7: "CUmemLocationType"}.get(
        value, _RANGE.get(value, "i")
    ),
    "cudaMemRangeAttribute": lambda value: {5: "cudaMemLocationType", 7: "cudaMemLocationType"}.get(
        value, _RANGE.get(value, "i")
    ),
    "CUmemAllocationHandleType": lambda value: _SHARED.get(value, "p"),
    "cudaMemAllocationHandleType": lambda value: {8: "cudaMemFabricHandle_t"}.get(
        value, _SHARED.get(value, "p")
    ),
    "CUmemRangeHandleType": lambda value: "i",
    "CUcoredumpSettings": lambda value: "c" if value in _COREDUMP_TEXTS else "B",
}


def type_of(enumeration: str, value: int) -> str:
    """The type, as tables spell it, of what an enumerator asks for."""
    return _BY_ENUMERATION[enumeration](int(value))
