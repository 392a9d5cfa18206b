"""PyCUDA's constants: those of the driver's header, without their prefixes."""

from __future__ import annotations

import enum
from typing import Any

from heddle.cuda.bindings import driver


def _stripped(name: str, of: str, prefix: str, more: dict[str, int] | None = None) -> Any:
    members = getattr(driver, of).__members__
    found = {n.removeprefix(prefix): int(v) for n, v in members.items() if n.startswith(prefix)}
    given = {n: v for n, v in found.items() if n.isidentifier()} | (more or {})
    return enum.IntEnum(name, given, module="heddle.pycuda.driver")


def _flags(name: str, members: dict[str, int]) -> Any:
    return enum.IntEnum(name, members, module="heddle.pycuda.driver")


ctx_flags = _stripped("ctx_flags", "CUctx_flags", "CU_CTX_")
event_flags = _stripped("event_flags", "CUevent_flags", "CU_EVENT_")
device_attribute = _stripped("device_attribute", "CUdevice_attribute", "CU_DEVICE_ATTRIBUTE_")
pointer_attribute = _stripped("pointer_attribute", "CUpointer_attribute", "CU_POINTER_ATTRIBUTE_")
function_attribute = _stripped("function_attribute", "CUfunction_attribute", "CU_FUNC_ATTRIBUTE_")
func_cache = _stripped("func_cache", "CUfunc_cache", "CU_FUNC_CACHE_")
shared_config = _stripped("shared_config", "CUsharedconfig", "CU_SHARED_MEM_CONFIG_")
array_format = _stripped("array_format", "CUarray_format", "CU_AD_FORMAT_")
address_mode = _stripped("address_mode", "CUaddress_mode", "CU_TR_ADDRESS_MODE_")
filter_mode = _stripped("filter_mode", "CUfilter_mode", "CU_TR_FILTER_MODE_")
memory_type = _stripped("memory_type", "CUmemorytype", "CU_MEMORYTYPE_")
compute_mode = _stripped("compute_mode", "CUcomputemode", "CU_COMPUTEMODE_")
jit_option = _stripped("jit_option", "CUjit_option", "CU_JIT_")
jit_target = _stripped(
    "jit_target",
    "CUjit_target",
    "CU_TARGET_",
    {f"COMPUTE_{n}": n for n in (10, 11, 12, 13, 20, 21)},  # of GPUs that CUDA has left behind
)
jit_fallback = _stripped("jit_fallback", "CUjit_fallback", "CU_PREFER_")
jit_fallback = _flags("jit_fallback", {f"PREFER_{m.name}": m.value for m in jit_fallback})
mem_attach_flags = _stripped("mem_attach_flags", "CUmemAttach_flags", "CU_MEM_ATTACH_")
limit = _stripped("limit", "CUlimit", "CU_LIMIT_")
ipc_mem_flags = _stripped("ipc_mem_flags", "CUipcMem_flags", "CU_IPC_MEM_")
graphics_register_flags = _stripped(
    "graphics_register_flags", "CUgraphicsRegisterFlags", "CU_GRAPHICS_REGISTER_FLAGS_"
)
array_cubemap_face = _stripped("array_cubemap_face", "CUarray_cubemap_face", "CU_CUBEMAP_FACE_")
profiler_output_mode = _flags("profiler_output_mode", {"KEY_VALUE_PAIR": 0, "CSV": 1})
array3d_flags = _flags(
    "array3d_flags",
    {
        "ARRAY3D_LAYERED": driver.CUDA_ARRAY3D_LAYERED,
        "SURFACE_LDST": driver.CUDA_ARRAY3D_SURFACE_LDST,
        "CUBEMAP": driver.CUDA_ARRAY3D_CUBEMAP,
        "TEXTURE_GATHER": driver.CUDA_ARRAY3D_TEXTURE_GATHER,
    },
)
host_alloc_flags = _flags("host_alloc_flags", {"PORTABLE": 1, "DEVICEMAP": 2, "WRITECOMBINED": 4})
mem_host_register_flags = _flags("mem_host_register_flags", {"PORTABLE": 1, "DEVICEMAP": 2})

TRSA_OVERRIDE_FORMAT = driver.CU_TRSA_OVERRIDE_FORMAT
TRSF_READ_AS_INTEGER = driver.CU_TRSF_READ_AS_INTEGER
TRSF_NORMALIZED_COORDINATES = driver.CU_TRSF_NORMALIZED_COORDINATES
TR_DEFAULT = driver.CU_PARAM_TR_DEFAULT

__all__ = [
    "TRSA_OVERRIDE_FORMAT",
    "TRSF_NORMALIZED_COORDINATES",
    "TRSF_READ_AS_INTEGER",
    "TR_DEFAULT",
    "address_mode",
    "array3d_flags",
    "array_cubemap_face",
    "array_format",
    "compute_mode",
    "ctx_flags",
    "device_attribute",
    "event_flags",
    "filter_mode",
    "func_cache",
    "function_attribute",
    "graphics_register_flags",
    "host_alloc_flags",
    "ipc_mem_flags",
    "jit_fallback",
    "jit_option",
    "jit_target",
    "limit",
    "mem_attach_flags",
    "mem_host_register_flags",
    "memory_type",
    "pointer_attribute",
    "profiler_output_mode",
    "shared_config",
]
