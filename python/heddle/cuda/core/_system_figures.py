"""Figures of GPUs that NVML gives one by one: for `system.Device`."""

from __future__ import annotations

import ctypes
import dataclasses
from collections.abc import Callable

ARCHITECTURES = {
    **{2: "KEPLER", 3: "MAXWELL", 4: "PASCAL", 5: "VOLTA", 6: "TURING", 7: "AMPERE", 8: "ADA"},
    **{9: "HOPPER", 10: "BLACKWELL"},
}
BRANDS = {
    **{1: "QUADRO", 2: "TESLA", 3: "NVS", 4: "GRID", 5: "GEFORCE", 6: "TITAN", 12: "QUADRO_RTX"},
    **{13: "NVIDIA_RTX", 14: "NVIDIA", 15: "GEFORCE_RTX", 16: "TITAN_RTX"},
}
CLOCKS = {"graphics": 0, "sm": 1, "memory": 2, "video": 3}
LINKS = 18  # the most that a GPU has

# What is not there, and where it can be asked for.
ABSENT = {
    *("addressing_mode", "mig", "cooler", "attributes", "register_events", "repair_status"),
    *("get_supported_event_types", "get_field_values", "clear_field_values", "inforom"),
    *("dynamic_pstates_info", "get_nvlink", "get_fan"),
}


@dataclasses.dataclass(frozen=True)
class BAR1MemoryInfo:
    """Bytes of the memory that the host sees."""

    total: int
    free: int
    used: int


@dataclasses.dataclass(frozen=True)
class ProcessInfo:
    """A process that uses a GPU, and bytes of memory that it has there."""

    pid: int
    used_gpu_memory: int


@dataclasses.dataclass(frozen=True)
class PciInfo:
    """Where a GPU is on the PCI bus, and what it is."""

    bus_id: str
    domain: int
    bus: int
    device: int
    device_id: int
    subsystem_id: int


class _Pci(ctypes.Structure):
    _fields_ = [
        ("legacy", ctypes.c_char * 16),
        *((name, ctypes.c_uint) for name in ("domain", "bus", "device", "kind", "subsystem")),
        ("bus_id", ctypes.c_char * 32),
    ]


class _Process(ctypes.Structure):
    _fields_ = [
        ("pid", ctypes.c_uint),
        ("memory", ctypes.c_ulonglong),
        ("instance", ctypes.c_uint),
        ("compute_instance", ctypes.c_uint),
    ]


def pci_info(call: Callable[..., None], handle: object) -> PciInfo:
    made = _Pci()
    call("nvmlDeviceGetPciInfo_v3", handle, ctypes.byref(made))
    place = made.bus_id.decode(), made.domain, made.bus, made.device
    return PciInfo(*place, made.kind, made.subsystem)


def processes(call: Callable[..., None], handle: object) -> list[ProcessInfo]:
    count = ctypes.c_uint(1024)
    made = (_Process * count.value)()
    call("nvmlDeviceGetComputeRunningProcesses_v3", handle, ctypes.byref(count), made)
    return [ProcessInfo(made[i].pid, made[i].memory) for i in range(count.value)]


def bits(
    call: Callable[..., None], name: str, handle: object, count: int, *rest: object
) -> list[int]:
    """The numbers of the bits that are set in words that a function fills."""
    words = (ctypes.c_ulong * ((count + 63) // 64))()
    call(name, handle, ctypes.c_uint(len(words)), words, *rest)
    return [64 * i + b for i, word in enumerate(words) for b in range(64) if word >> b & 1]
