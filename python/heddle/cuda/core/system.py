"""What the system says of GPUs: versions, and figures of NVIDIA's management library (NVML)."""

from __future__ import annotations

import ctypes
import dataclasses
import functools
from typing import Any

from heddle import _core
from heddle.cuda.bindings import checked

__all__ = [
    "CUDA_BINDINGS_NVML_IS_COMPATIBLE",
    "Device",
    "get_driver_branch",
    "get_kernel_mode_driver_version",
    "get_num_devices",
    "get_nvml_version",
    "get_p2p_status",
    "get_process_name",
    "get_topology_common_ancestor",
    "get_user_mode_driver_version",
]

CUDA_BINDINGS_NVML_IS_COMPATIBLE = True


@functools.cache
def _library() -> ctypes.CDLL:
    opened = ctypes.CDLL(_core.cuda.library_path("NVML"))
    status = opened.nvmlInit_v2()
    if status:
        raise _error(opened, "nvmlInit", status)
    return opened


def _error(library: ctypes.CDLL, name: str, status: int) -> Exception:
    library.nvmlErrorString.restype = ctypes.c_char_p
    said = library.nvmlErrorString(status).decode()
    made = _core.cuda.CUDARuntimeError(f"{name}: {said}")
    made.status = status
    return made  # type: ignore[no-any-return]


def _call(name: str, *args: Any) -> None:
    library = _library()
    status = getattr(library, name)(*args)
    if status:
        raise _error(library, name, status)


def _text(name: str, *args: Any, size: int = 96) -> str:
    made = ctypes.create_string_buffer(size)
    _call(name, *args, made, ctypes.c_uint(size))
    return made.value.decode()


def _number(name: str, *args: Any, kind: Any = ctypes.c_uint) -> int:
    made = kind()
    _call(name, *args, ctypes.byref(made))
    return int(made.value)


def get_user_mode_driver_version() -> tuple[int, int]:
    """The version of CUDA that the driver knows."""
    version = checked.cuDriverGetVersion()
    return version // 1000, version % 1000 // 10


def get_kernel_mode_driver_version() -> tuple[int, ...]:
    """The version of the driver in the kernel."""
    return tuple(int(part) for part in _text("nvmlSystemGetDriverVersion").split("."))


def get_nvml_version() -> tuple[int, ...]:
    """The version of NVML."""
    return tuple(int(part) for part in _text("nvmlSystemGetNVMLVersion").split("."))


def get_driver_branch() -> str:
    """The branch that the driver is of."""
    major = get_kernel_mode_driver_version()[0]
    return f"r{major // 5 * 5}_00"


def get_num_devices() -> int:
    """How many GPUs the system has."""
    return _number("nvmlDeviceGetCount_v2")


def get_process_name(pid: int) -> str:
    """The name of a process that uses a GPU."""
    return _text("nvmlSystemGetProcessName", ctypes.c_uint(pid), size=1024)


@dataclasses.dataclass(frozen=True)
class MemoryInfo:
    """Bytes of a GPU's memory."""

    total: int
    free: int
    used: int


@dataclasses.dataclass(frozen=True)
class Utilization:
    """Per cent of the time that kernels ran and that memory was used."""

    gpu: int
    memory: int


class Device:
    """A GPU, by its number, its name that no other has, or its place on the PCI bus."""

    def __init__(
        self, *, index: int | None = None, uuid: str | None = None, pci_bus_id: str | None = None
    ) -> None:
        handle = ctypes.c_void_p()
        where = ctypes.byref(handle)
        if uuid is not None:
            _call("nvmlDeviceGetHandleByUUID", uuid.encode(), where)
        elif pci_bus_id is not None:
            _call("nvmlDeviceGetHandleByPciBusId_v2", pci_bus_id.encode(), where)
        else:
            _call("nvmlDeviceGetHandleByIndex_v2", ctypes.c_uint(index or 0), where)
        self._handle = handle

    @classmethod
    def get_device_count(cls) -> int:
        """How many GPUs the system has."""
        return get_num_devices()

    @classmethod
    def get_all_devices(cls) -> list[Device]:
        """All GPUs of the system."""
        return [cls(index=i) for i in range(get_num_devices())]

    @property
    def index(self) -> int:
        """Its number."""
        return _number("nvmlDeviceGetIndex", self._handle)

    @property
    def uuid(self) -> str:
        """The name that no other GPU has."""
        return _text("nvmlDeviceGetUUID", self._handle)

    @property
    def uuid_without_prefix(self) -> str:
        """The same, as CUDA has it."""
        return self.uuid.removeprefix("GPU-").removeprefix("MIG-")

    @property
    def pci_bus_id(self) -> str:
        """Where it is on the PCI bus."""
        for i in range(_core.cuda.device_count()):
            one = _core.cuda.pci_bus_id(i)
            if Device(pci_bus_id=one)._handle.value == self._handle.value:
                return str(one)
        raise RuntimeError("CUDA does not see this GPU")

    @property
    def name(self) -> str:
        """What NVIDIA calls it."""
        return _text("nvmlDeviceGetName", self._handle)

    @property
    def serial(self) -> str:
        """The number on the board."""
        return _text("nvmlDeviceGetSerial", self._handle)

    @property
    def minor_number(self) -> int:
        """The number of its file in /dev."""
        return _number("nvmlDeviceGetMinorNumber", self._handle)

    @property
    def is_persistence_mode_enabled(self) -> bool:
        """Whether the driver stays loaded while nobody uses it."""
        return bool(_number("nvmlDeviceGetPersistenceMode", self._handle))

    @property
    def is_display_active(self) -> bool:
        """Whether a display uses it."""
        return bool(_number("nvmlDeviceGetDisplayActive", self._handle))

    @property
    def cuda_compute_capability(self) -> tuple[int, int]:
        """As (9, 0)."""
        major, minor = ctypes.c_int(), ctypes.c_int()
        where = ctypes.byref(major), ctypes.byref(minor)
        _call("nvmlDeviceGetCudaComputeCapability", self._handle, *where)
        return major.value, minor.value

    def to_cuda_device(self) -> Any:
        """What CUDA says of it."""
        from heddle.cuda.core._device import Device as CudaDevice

        for device in CudaDevice.get_all_devices():
            if device.uuid == self.uuid_without_prefix:
                return device
        raise RuntimeError("CUDA does not see this GPU")

    @property
    def memory_info(self) -> MemoryInfo:
        """Bytes of its memory."""
        made = (ctypes.c_ulonglong * 3)()
        _call("nvmlDeviceGetMemoryInfo", self._handle, ctypes.byref(made))
        return MemoryInfo(*made)

    @property
    def utilization(self) -> Utilization:
        """How much it is used."""
        made = (ctypes.c_uint * 2)()
        _call("nvmlDeviceGetUtilizationRates", self._handle, ctypes.byref(made))
        return Utilization(*made)

    @property
    def temperature(self) -> int:
        """Degrees Celsius of the chip."""
        return _number("nvmlDeviceGetTemperature", self._handle, ctypes.c_int(0))

    @property
    def num_fans(self) -> int:
        """How many fans it has."""
        return _number("nvmlDeviceGetNumFans", self._handle)

    @property
    def performance_state(self) -> int:
        """0 for the fastest."""
        return _number("nvmlDeviceGetPerformanceState", self._handle, kind=ctypes.c_int)

    def __repr__(self) -> str:
        return f"<system.Device {self.index} ({self.name})>"


def get_topology_common_ancestor(first: Device, second: Device) -> int:
    """How near two GPUs are, as NVML numbers it."""
    return _number(
        "nvmlDeviceGetTopologyCommonAncestor", first._handle, second._handle, kind=ctypes.c_int
    )


def get_p2p_status(first: Device, second: Device, index: int) -> int:
    """Whether two GPUs can use one another's memory, as NVML numbers it."""
    given = (first._handle, second._handle, ctypes.c_int(index))
    return _number("nvmlDeviceGetP2PStatus", *given, kind=ctypes.c_int)
